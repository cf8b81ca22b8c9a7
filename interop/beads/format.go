package beads

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"vespe/internal/lazyregexp"
	"vespe/interop/records"
	"vespe/model"
)

// importer is who beads-side decisions are credited to when the file names nobody.
const importer model.Actor = "system:beads"

// Format is the JSONL that beads (bd) keeps its issues in. It is only imported.
func Format() *records.Format {
	return &records.Format{
		Name: "beads", Key: "beads_issue", IDKey: "id", System: importer,
		Reads:    []string{"an issues.jsonl; lines that can't be read are skipped"},
		UID:      uidOf,
		ID:       func(uid model.UID) string { return string(uid) },
		Convert:  convert,
		OnlyKept: map[string]string{"comments": "the comments changed there"},
		Hooks:    records.Hooks{Read: read, Partial: true, Missing: "linked issues that are not in the file"},
	}
}

// uidOf is a UUIDv7 of the issue's creation time whose other bits are a hash of its id.
func uidOf(id string, fields model.Extra, _ time.Time) model.UID {
	return records.SumUID(created(issueOf(fields)), sha256.Sum256([]byte("beads\x00"+id)))
}

func convert(c *records.Converted, fields model.Extra) {
	issue := issueOf(fields)
	c.Word = issue.Status
	t := c.Imported.Task
	t.Config = model.Config{
		Name: cmp.Or(strings.TrimSpace(issue.Title), issue.ID), CreatedBy: author(issue), CreatedAt: records.First(created(issue), c.Now),
	}
	t.Spec = &model.Spec{
		GoalType: issue.IssueType, Priority: priority(c, issue), Labels: issue.Labels, Source: "beads",
		Requester: issue.Owner, AcceptanceCriteria: criteria(issue.AcceptanceCriteria),
	}
	if issue.IssueType == "bug" {
		t.Spec.GoalType = "bugfix"
	}
	c.Imported.Objective, c.Imported.Plan = records.Body(issue.Description), records.Body(issue.Design)
	if notes := records.Body(issue.Notes); notes != "" {
		c.Imported.Objective = strings.TrimLeft(c.Imported.Objective+"\n## Notes\n\n"+notes, "\n")
	}
	if issue.Status == "deferred" {
		c.Hold = "deferred in beads"
	}
	links(c, issue)
	external(c, issue, rest(fields))
	status(c, issue)
}

// links carries the parent and the blocking dependencies.
func links(c *records.Converted, issue Issue) {
	t := c.Imported.Task
	var other []map[string]string
	for _, d := range issue.Dependencies {
		uid := c.Target(d.DependsOnID)
		switch d.Type {
		case "parent-child":
			if t.Config.ParentUID == "" {
				t.Config.ParentUID = uid
				continue
			}
			c.Note("more than one parent; the first is used, the others are saved in spec.external.beads_links")
		case "blocks":
			if !slices.Contains(t.DependsOn, uid) {
				t.DependsOn = append(t.DependsOn, uid)
			}
			continue
		default:
			c.Note(d.Type + " links are saved only in spec.external.beads_links")
		}
		other = append(other, map[string]string{"id": d.DependsOnID, "type": d.Type, "uid": string(uid)})
	}
	if other != nil {
		t.Spec.External = append(t.Spec.External, records.Raw("beads_links", other))
	}
}

// external keeps under names of its own what has no field.
func external(c *records.Converted, issue Issue, rest model.Extra) {
	s := c.Imported.Task.Spec
	add := func(key string, v any) { s.External = append(s.External, records.Raw(key, v)) }
	add("beads", issue.ID)
	if !issue.UpdatedAt.IsZero() {
		add("beads_updated_at", issue.UpdatedAt.UTC())
	}
	add("beads_status", issue.Status)
	if issue.Assignee != "" {
		add("beads_assignee", issue.Assignee)
	}
	if issue.Priority != nil && *issue.Priority > 3 {
		add("beads_priority", *issue.Priority)
	}
	for _, f := range rest {
		c.Note("key " + f.Key + ", saved as spec.external.beads_" + f.Key)
		s.External = append(s.External, model.ExtraField{Key: "beads_" + f.Key, Value: f.Value})
	}
}

func priority(c *records.Converted, issue Issue) model.Priority {
	if issue.Priority == nil {
		return ""
	}
	if *issue.Priority > 3 {
		c.Note("priority below low; imported as low, with the number saved")
	}
	return []model.Priority{model.Critical, model.High, model.Medium, model.Low}[min(max(*issue.Priority, 0), 3)]
}

var criterion = lazyregexp.New(`^(?:- \[([ xX])\] |[-*] )?(.*)$`)

func criteria(s string) (out []model.Criterion) {
	for line := range strings.Lines(s) {
		parts := criterion.Get().FindStringSubmatch(strings.TrimSpace(line))
		if len(parts) == 0 || parts[2] == "" {
			continue
		}
		cr := model.Criterion{Text: parts[2]}
		if strings.EqualFold(parts[1], "x") {
			cr.State = "met"
		}
		out = append(out, cr)
	}
	return out
}

// author is who made the issue.
func author(issue Issue) model.Actor { return actor(cmp.Or(issue.CreatedBy, issue.Owner)) }

// actor is who a name means. beads writes agents as paths (rig/crew/name).
func actor(who string) model.Actor {
	system := records.Format{System: importer}
	if strings.Contains(who, "/") {
		return system.Actor(model.Agent, who)
	}
	return system.Actor(model.Human, who)
}

func created(issue Issue) time.Time { return records.First(issue.CreatedAt, issue.UpdatedAt) }

// status puts an issue where its status and texts say, and writes how it came there.
func status(c *records.Converted, issue Issue) {
	im := c.Imported
	made := im.Task.Config.CreatedAt
	var h records.History
	h.Begin(im, made, im.Task.Config.CreatedBy)
	for _, comment := range issue.Comments {
		// Nobody remarks on what is not there yet; some clocks say otherwise.
		h.Events = append(h.Events, model.Event{
			Name: "comment", UID: h.UID, At: records.Later(comment.CreatedAt, made), Actor: actor(comment.Author), Summary: comment.Text,
		})
	}
	switch issue.Status {
	case "closed":
		h.Done(&im.Task.Status, records.First(issue.ClosedAt, issue.UpdatedAt, made), importer, issue.CloseReason, "closed in beads")
	case "tombstone":
		reason := "deleted in beads"
		if r := strings.TrimSpace(issue.DeleteReason); r != "" {
			reason += ": " + r
		}
		h.Add(model.Abort, records.First(issue.DeletedAt, issue.UpdatedAt, made), actor(issue.DeletedBy), model.Aborted, reason)
	case "open", "blocked", "deferred", "":
	case "in_progress", "hooked":
		c.Note(issue.Status + " there; imported without an accepted plan, because beads has no approvals")
	default:
		c.Note("unknown status " + issue.Status + "; imported as open")
	}
	h.End(im, issue.UpdatedAt)
}
