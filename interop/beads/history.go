package beads

import (
	"strings"

	"vespe/interop/records"
	"vespe/model"
)

// lifecycle puts an issue where its status and texts say, and writes how it came there.
func (c *converter) lifecycle(issue Issue, im *model.Imported) {
	var h records.History
	at := c.made(issue)
	h.Begin(im, at, author(issue))
	for _, comment := range issue.Comments {
		// Nobody remarks on what is not there yet; some clocks say otherwise.
		h.Events = append(h.Events, model.Event{
			Name: "comment", UID: h.UID, At: records.Later(comment.CreatedAt, at), Actor: actor(comment.Author), Summary: comment.Text,
		})
	}
	c.end(issue, &im.Task.Status, &h)
	h.End(im, issue.UpdatedAt)
}

// end writes what an issue's status says beyond its texts.
func (c *converter) end(issue Issue, st *model.StatusFile, h *records.History) {
	switch issue.Status {
	case "closed":
		at := records.First(issue.ClosedAt, issue.UpdatedAt, c.made(issue))
		h.Done(st, at, importer, issue.CloseReason, "closed in beads")
	case "tombstone":
		at := records.First(issue.DeletedAt, issue.UpdatedAt, c.made(issue))
		reason := "deleted in beads"
		if r := strings.TrimSpace(issue.DeleteReason); r != "" {
			reason += ": " + r
		}
		h.Add(model.Abort, at, actor(issue.DeletedBy), model.Aborted, reason)
	case "open", "blocked", "deferred", "":
	case "in_progress", "hooked":
		c.report.Count("were being worked on ("+issue.Status+"); they arrive with no plan accepted, because beads holds no approval", issue.ID)
	default:
		c.report.Count("have the status "+issue.Status+", which vespe does not know; they arrive open", issue.ID)
	}
}
