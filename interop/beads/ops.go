package beads

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
)

// Options say where the issues go.
type Options struct {
	Snapshot *model.Snapshot // the store as it is; tasks that are there already are left alone
	Actor    model.Actor     // who imports
	Now      time.Time       // when an issue was made that says nothing about it
}

// importer is who beads-side decisions are credited to when the file names nobody.
const importer model.Actor = "system:beads"

// UID is the task that an issue becomes: a UUIDv7 of the issue's creation time whose
// other bits are a hash of its id.
func UID(issue Issue) model.UID {
	sum := sha256.Sum256([]byte("beads\x00" + issue.ID))
	var b [16]byte
	copy(b[:], sum[:16])
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(0, created(issue).UnixMilli())))
	copy(b[:6], ms[2:])
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	return model.UID("tsk-" + hex.EncodeToString(b[:]))
}

// Ops makes an import operation of each issue that the store does not have, parents before
// their children, and a pause after it of each that is deferred. The same issues and the
// same snapshot give the same operations.
func Ops(issues Issues, o Options) ([]model.Op, records.Report) {
	c := converter{uids: map[string]model.UID{}, now: o.Now.UTC()}
	for _, issue := range issues {
		c.uids[issue.ID] = UID(issue)
	}
	var ops []model.Op
	for _, issue := range parentsFirst(issues) {
		uid := c.uids[issue.ID]
		if o.Snapshot != nil {
			if old, ok := o.Snapshot.Task(uid); ok {
				c.here(issue, old)
				continue
			}
		}
		c.report.Created++
		ops = append(ops, model.Op{Name: model.ImportTask, UID: uid, Actor: o.Actor, Import: c.convert(issue, uid)})
		if issue.Status == "deferred" {
			// An import brings no pause; it is held as anybody would hold it.
			ops = append(ops, model.Op{
				Name: model.Pause, UID: uid, Actor: importer, Reason: "deferred in beads",
				At: records.Later(issue.UpdatedAt, c.made(issue)),
			})
		}
	}
	return ops, c.report.Finish()
}

// parentsFirst orders issues so that a parent comes before its children; among the rest
// the file's order stays. Members of a parent cycle come in the file's order.
func parentsFirst(issues Issues) Issues {
	byID := make(map[string]int, len(issues))
	for i, issue := range issues {
		byID[issue.ID] = i
	}
	out := make(Issues, 0, len(issues))
	state := make([]byte, len(issues)) // 0 untouched, 1 on the way, 2 out
	for i := range issues {
		var chain []int
		for k := i; state[k] == 0; {
			state[k] = 1
			chain = append(chain, k)
			p, ok := byID[parentID(issues[k])]
			if !ok {
				break
			}
			k = p
		}
		for _, k := range slices.Backward(chain) {
			state[k] = 2
			out = append(out, issues[k])
		}
	}
	return out
}

func parentID(issue Issue) string {
	for _, d := range issue.Dependencies {
		if d.Type == "parent-child" {
			return d.DependsOnID
		}
	}
	return ""
}

type converter struct {
	uids   map[string]model.UID
	now    time.Time
	report records.Report
}

// made is when an issue was made.
func (c *converter) made(issue Issue) time.Time {
	if at := created(issue); !at.IsZero() {
		return at
	}
	return c.now
}

// here notes an issue that was imported before.
func (c *converter) here(issue Issue, old *model.Task) {
	c.report.Unchanged++
	if old.Spec == nil {
		return
	}
	for _, f := range old.Spec.External {
		if f.Key == "beads_updated_at" && !issue.UpdatedAt.IsZero() && string(f.Value) != string(raw(issue.UpdatedAt.UTC())) {
			c.report.Count("changed in beads since they were imported; they are left as they are", issue.ID)
		}
	}
}

func (c *converter) convert(issue Issue, uid model.UID) *model.Imported {
	t := &model.Task{UID: uid}
	t.Config = model.Config{
		UID: uid, Name: name(issue), CreatedBy: author(issue), CreatedAt: c.made(issue),
	}
	t.Spec = &model.Spec{
		GoalType: goalType(issue.IssueType), Priority: c.priority(issue), Labels: issue.Labels, Source: "beads",
		Requester: issue.Owner, AcceptanceCriteria: criteria(issue.AcceptanceCriteria),
	}
	im := &model.Imported{Task: t, Objective: objective(issue), Plan: text(issue.Design)}
	c.links(issue, t)
	c.external(issue, t.Spec)
	c.lifecycle(issue, im)
	return im
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
			c.report.Count("have a second parent; the first is taken, the others are kept in spec.external.beads_links", issue.ID)
		case "blocks":
			if uid := c.target(d); !slices.Contains(t.DependsOn, uid) {
				t.DependsOn = append(t.DependsOn, uid)
			}
			continue
		default:
			c.report.Count("have "+d.Type+" links, which order nothing here; they are kept in spec.external.beads_links", issue.ID)
		}
		other = append(other, d)
	}
	if len(other) > 0 {
		links := make([]map[string]string, 0, len(other))
		for _, d := range other {
			links = append(links, map[string]string{"id": d.DependsOnID, "type": d.Type, "uid": string(c.target(d))})
		}
		t.Spec.External = append(t.Spec.External, model.ExtraField{Key: "beads_links", Value: raw(links)})
	}
}

// target is the task a link goes to; a link to an issue that the file lacks keeps a uid
// made of the id alone, which doctor reports as dangling.
func (c *converter) target(d Dependency) model.UID {
	if uid, ok := c.uids[d.DependsOnID]; ok {
		return uid
	}
	c.report.Count("are linked to but are not in the file", d.DependsOnID)
	return UID(Issue{ID: d.DependsOnID})
}

// external keeps what has no field of its own, as it was.
func (c *converter) external(issue Issue, s *model.Spec) {
	add := func(key string, v any) { s.External = append(s.External, model.ExtraField{Key: key, Value: raw(v)}) }
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
		c.report.Count("carry the key "+f.Key+", kept as spec.external.beads_"+f.Key, issue.ID)
		s.External = append(s.External, model.ExtraField{Key: "beads_" + f.Key, Value: f.Value})
	}
}

func (c *converter) priority(issue Issue) model.Priority {
	if issue.Priority == nil {
		return ""
	}
	switch p := *issue.Priority; {
	case p <= 0:
		return model.Critical
	case p == 1:
		return model.High
	case p == 2:
		return model.Medium
	case p > 3:
		c.report.Count("have a priority below low; they arrive as low, the number is kept", issue.ID)
	}
	return model.Low
}

func goalType(t string) string {
	if t == "bug" {
		return "bugfix"
	}
	return t
}

func criteria(s string) []model.Criterion {
	var out []model.Criterion
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		done := false
		for _, mark := range []string{"- [ ] ", "- [x] ", "- [X] ", "- ", "* "} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				line, done = rest, strings.EqualFold(mark, "- [x] ")
				break
			}
		}
		if line == "" {
			continue
		}
		cr := model.Criterion{Text: line}
		if done {
			cr.State = "met"
		}
		out = append(out, cr)
	}
	return out
}

func objective(issue Issue) string {
	s := text(issue.Description)
	if strings.TrimSpace(issue.Notes) != "" {
		s = strings.TrimLeft(s+"\n## Notes\n\n"+text(issue.Notes), "\n")
	}
	return s
}

// text ends a body with one newline; a blank body is empty.
func text(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return strings.TrimRight(s, "\n") + "\n"
}

func name(issue Issue) string {
	if n := strings.TrimSpace(issue.Title); n != "" {
		return n
	}
	return issue.ID
}

// author is who made the issue. beads writes agents as paths (rig/crew/name).
func author(issue Issue) model.Actor {
	for _, who := range []string{issue.CreatedBy, issue.Owner} {
		if who != "" {
			return actor(who)
		}
	}
	return importer
}

func actor(who string) model.Actor {
	switch {
	case strings.TrimSpace(who) == "":
		return importer
	case strings.Contains(who, "/"):
		return model.Actor(model.Agent + ":" + who)
	}
	return model.Actor(model.Human + ":" + who)
}

func created(issue Issue) time.Time {
	if issue.CreatedAt.IsZero() {
		return issue.UpdatedAt.UTC()
	}
	return issue.CreatedAt.UTC()
}

// raw is a value's JSON. The values here are strings, numbers, times and maps of them.
func raw(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}
