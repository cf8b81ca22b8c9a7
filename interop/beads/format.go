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
	"vespe/model/snapshot"
)

// Options say where the issues go.
type Options struct {
	Snapshot *snapshot.Snapshot // the store as it is; tasks that are there already are left alone
	Actor    model.Actor        // who imports
	Now      time.Time          // when an issue was made that says nothing about it
}

// importer is who beads-side decisions are credited to when the file names nobody.
const importer model.Actor = "system:beads"

// system names who the file does not.
var system = records.Format{System: importer}

// UID is the task that an issue becomes: a UUIDv7 of the issue's creation time whose
// other bits are a hash of its id.
func UID(issue Issue) model.UID {
	return records.SumUID(created(issue), sha256.Sum256([]byte("beads\x00"+issue.ID)))
}

// Ops makes an import operation of each issue that the store does not have, parents before
// their children, and a pause after it of each that is deferred. The same issues and the
// same snapshot give the same operations.
func Ops(issues Issues, o Options) ([]model.Op, records.Report) {
	c := converter{uids: map[string]model.UID{}, now: o.Now.UTC()}
	for _, issue := range issues {
		c.uids[issue.ID] = UID(issue)
	}
	var items []*records.Converted
	for _, issue := range issues {
		if o.Snapshot != nil {
			if old, ok := o.Snapshot.Task(c.uids[issue.ID]); ok {
				c.here(issue, old)
				continue
			}
		}
		c.report.Created++
		items = append(items, c.convert(issue))
	}
	var ops []model.Op
	for _, item := range records.ParentsFirst(items) {
		ops = append(ops, item.Ops(o.Actor, importer)...)
	}
	return ops, c.report.Finish()
}

type converter struct {
	uids   map[string]model.UID
	now    time.Time
	report records.Report
}

// made is when an issue was made.
func (c *converter) made(issue Issue) time.Time {
	return records.First(created(issue), c.now)
}

// here notes an issue that was imported before.
func (c *converter) here(issue Issue, old *model.Task) {
	c.report.Unchanged++
	if old.Spec == nil || issue.UpdatedAt.IsZero() {
		return
	}
	is := records.Raw("beads_updated_at", issue.UpdatedAt.UTC())
	if was, ok := model.Extra(old.Spec.External).Get(is.Key); ok && string(was) != string(is.Value) {
		c.report.Count("changed in beads since the import; not updated", issue.ID)
	}
}

func (c *converter) convert(issue Issue) *records.Converted {
	t := &model.Task{UID: c.uids[issue.ID]}
	t.Config = model.Config{
		UID: t.UID, Name: cmp.Or(strings.TrimSpace(issue.Title), issue.ID), CreatedBy: author(issue), CreatedAt: c.made(issue),
	}
	t.Spec = &model.Spec{
		GoalType: issue.IssueType, Priority: c.priority(issue), Labels: issue.Labels, Source: "beads",
		Requester: issue.Owner, AcceptanceCriteria: criteria(issue.AcceptanceCriteria),
	}
	if issue.IssueType == "bug" {
		t.Spec.GoalType = "bugfix"
	}
	out := &records.Converted{ID: issue.ID, Imported: &model.Imported{
		Task: t, Objective: records.Body(issue.Description), Plan: records.Body(issue.Design),
	}}
	if notes := records.Body(issue.Notes); notes != "" {
		out.Imported.Objective = strings.TrimLeft(out.Imported.Objective+"\n## Notes\n\n"+notes, "\n")
	}
	if issue.Status == "deferred" {
		out.Hold = "deferred in beads"
	}
	c.links(issue, t)
	c.external(issue, t.Spec)
	c.lifecycle(issue, out.Imported)
	return out
}

// links carries the parent and the blocking dependencies.
func (c *converter) links(issue Issue, t *model.Task) {
	var other []Dependency
	for _, d := range issue.Dependencies {
		switch d.Type {
		case "parent-child":
			if t.Config.ParentUID == "" {
				t.Config.ParentUID = c.target(d)
				continue
			}
			c.report.Count("more than one parent; the first is used, the others are saved in spec.external.beads_links", issue.ID)
		case "blocks":
			if uid := c.target(d); !slices.Contains(t.DependsOn, uid) {
				t.DependsOn = append(t.DependsOn, uid)
			}
			continue
		default:
			c.report.Count(d.Type+" links are saved only in spec.external.beads_links", issue.ID)
		}
		other = append(other, d)
	}
	if len(other) > 0 {
		links := make([]map[string]string, 0, len(other))
		for _, d := range other {
			links = append(links, map[string]string{"id": d.DependsOnID, "type": d.Type, "uid": string(c.target(d))})
		}
		t.Spec.External = append(t.Spec.External, records.Raw("beads_links", links))
	}
}

// target is the task a link goes to; a link to an issue that the file lacks keeps a uid
// made of the id alone, which doctor reports as dangling.
func (c *converter) target(d Dependency) model.UID {
	if uid, ok := c.uids[d.DependsOnID]; ok {
		return uid
	}
	c.report.Count("linked issues that are not in the file", d.DependsOnID)
	return UID(Issue{ID: d.DependsOnID})
}

// external keeps what has no field of its own, as it was.
func (c *converter) external(issue Issue, s *model.Spec) {
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
	for _, f := range issue.Rest {
		c.report.Count("key "+f.Key+", saved as spec.external.beads_"+f.Key, issue.ID)
		s.External = append(s.External, model.ExtraField{Key: "beads_" + f.Key, Value: f.Value})
	}
}

func (c *converter) priority(issue Issue) model.Priority {
	if issue.Priority == nil {
		return ""
	}
	if *issue.Priority > 3 {
		c.report.Count("priority below low; imported as low, with the number saved", issue.ID)
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
	if strings.Contains(who, "/") {
		return system.Actor(model.Agent, who)
	}
	return system.Actor(model.Human, who)
}

func created(issue Issue) time.Time { return records.First(issue.CreatedAt, issue.UpdatedAt) }

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
	switch issue.Status {
	case "closed":
		at := records.First(issue.ClosedAt, issue.UpdatedAt, at)
		h.Done(&im.Task.Status, at, importer, issue.CloseReason, "closed in beads")
	case "tombstone":
		at := records.First(issue.DeletedAt, issue.UpdatedAt, at)
		reason := "deleted in beads"
		if r := strings.TrimSpace(issue.DeleteReason); r != "" {
			reason += ": " + r
		}
		h.Add(model.Abort, at, actor(issue.DeletedBy), model.Aborted, reason)
	case "open", "blocked", "deferred", "":
	case "in_progress", "hooked":
		c.report.Count(issue.Status+" there; imported without an accepted plan, because beads has no approvals", issue.ID)
	default:
		c.report.Count("unknown status "+issue.Status+"; imported as open", issue.ID)
	}
	h.End(im, issue.UpdatedAt)
}
