package gitinternal

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/visible"
	"vespe/model/vocab"
)

const (
	key    = "git_internal"
	system = model.Actor("system:git-internal")
)

// Format is git-internal's Task.
func Format() *records.Format {
	f := &records.Format{
		Name: "git-internal", Key: key, IDKey: "object_id", System: system, Words: vocab.GitInternal,
		UID: uidOf, ID: idOf, Lost: lost, Seal: seal,
		Reads:    []string{"its task objects as JSON, or JSON lines"},
		Writes:   []string{"its task objects as JSON"},
		Outdated: []string{"vespe_objects", "vespe_loose"},
		Hooks:    records.Hooks{NoTask: noTask, Before: cycles},
	}
	f.Convert = func(c *records.Converted, fields model.Extra) { convert(f, c, fields) }
	f.Fields = func(v records.View) model.Extra { return fieldsOf(f, v) }
	return f
}

// noTask names an object of another type.
func noTask(fields model.Extra) string {
	typ, _ := fields.Text("object_type")
	if typ == "" || typ == "task" {
		return ""
	}
	return "objects of the type " + visible.Line(typ) + " are not imported"
}

// cycles refuses tasks that are above themselves.
func cycles(b *records.Before) {
	above := map[string]string{}
	for _, r := range b.Records {
		above[ref(r.Fields, "object_id")] = ref(r.Fields, "parent")
	}
	for _, r := range b.Records {
		seen := map[string]bool{"": true}
		id := ref(r.Fields, "object_id")
		for at := above[id]; !seen[at]; at = above[at] {
			if seen[at] = true; at == id {
				b.Bad(r, "cycle", "its parents form a cycle", "remove one of them")
				return
			}
		}
	}
}

// ref is a member that names an object, as digits; "" for none.
func ref(fields model.Extra, key string) string {
	id, _ := fields.Text(key)
	d, _ := uuid(id)
	return d
}

// goals are the kinds of goal that have a name there; any other is {"other": "x"}.
func goals() []string {
	return []string{"feature", "bugfix", "refactor", "docs", "perf", "test", "chore", "build", "ci", "style"}
}

// uuid is the 32 digits of a UUID.
func uuid(id string) (digits string, ok bool) {
	digits = strings.ToLower(strings.ReplaceAll(id, "-", ""))
	_, err := hex.DecodeString(digits)
	return digits, err == nil && len(digits) == 32 && (len(id) == 32 || len(id) == 36)
}

func uidOf(id string, _ model.Extra, now time.Time) model.UID {
	if digits, ok := uuid(id); ok {
		return model.UID("tsk-" + digits)
	}
	return records.HashUID(now, key, id) // convert refuses it
}

// idOf is the UUID of a uid; one that has none gets one made of a hash of it.
func idOf(uid model.UID) string {
	d, ok := uuid(strings.TrimPrefix(string(uid), "tsk-"))
	if !ok {
		d = strings.TrimPrefix(string(records.HashUID(time.Time{}, key, string(uid))), "tsk-")
	}
	return d[:8] + "-" + d[8:12] + "-" + d[12:16] + "-" + d[16:20] + "-" + d[20:]
}

// who made an object; a kind that is none of ours is the system itself.
func who(fields model.Extra) model.Actor {
	var ref actorRef
	raw, _ := fields.Get("created_by")
	if json.Unmarshal(raw, &ref) == nil && slices.Contains([]string{model.Human, model.Agent, model.System, model.MCPClient}, ref.Kind) {
		if who, err := model.ParseActor(ref.Kind + ":" + ref.ID); err == nil {
			return who
		}
	}
	return system
}

func convert(f *records.Format, c *records.Converted, fields model.Extra) {
	header(c, fields)
	if c.Text(fields, "object_type") == "" {
		c.Bad("missing-key", "it has no object_type", `write "object_type": "task"`)
	}
	c.Spec(fields, [][2]string{{"constraints", "constraints"}, {"acceptance_criteria", "acceptance_criteria"}, {"intent", "intent"}})
	for _, list := range []string{"constraints", "acceptance_criteria", "runs"} {
		c.Texts(fields, list)
	}
	t := c.Imported.Task
	t.Spec.GoalType = goal(c, fields)
	if who, ok := actor(c, fields, "requester"); ok {
		t.Spec.Requester = who.Kind + ":" + who.ID
	}
	if _, ok := uuid(t.Spec.Intent); t.Spec.Intent != "" && !ok {
		c.Bad("bad-id", "intent is not a UUID", "write a UUID or null")
	}
	title := c.Text(fields, "title")
	if _, ok := fields.Text("title"); !ok {
		c.Bad("missing-key", "it has no title", "give it one")
	}
	c.Imported.Objective = records.Body(c.Text(fields, "description"))
	at := records.First(c.Time(fields, "created_at"), c.Now)
	t.Config = model.Config{Name: records.Name(title, c.ID), CreatedBy: who(fields), CreatedAt: at}
	links(c, fields)
	rest := fields
	if c.Text(fields, "visibility") == "private" { // which is what a task here is taken for
		rest = rest.Without("visibility")
	}
	c.Rest(f, rest, "object_id", "object_type", "header_version", "schema_version", "created_at", "updated_at", "created_by", "checksum",
		"title", "description", "goal", "constraints", "acceptance_criteria", "requester", "parent", "intent", "dependencies", "status")
	status(c, fields, at)
}

func status(c *records.Converted, fields model.Extra, at time.Time) {
	t := c.Imported.Task
	updated := records.First(c.Time(fields, "updated_at"), at)
	end := records.Later(updated, at)
	var h records.History
	h.Begin(c.Imported, at, t.Config.CreatedBy)
	c.Word = c.Text(fields, "status")
	switch c.Word {
	case "draft":
	case "running":
		c.Note("running there; imported without an accepted plan, because task objects have no approvals")
	case "done":
		h.Done(&t.Status, end, system, "", "done in git-internal")
	case "failed":
		h.Add(model.RaiseError, end, system, model.Failed, "failed in git-internal")
	case "cancelled":
		h.Add(model.Abort, end, system, model.Aborted, "cancelled in git-internal")
	case "":
		c.Bad("bad-status", "it has no status", "write draft, running, done, failed or cancelled")
	default:
		c.Note("unknown status " + visible.Line(c.Word) + "; imported as open")
	}
	h.End(c.Imported, updated)
}

func links(c *records.Converted, fields model.Extra) {
	t := c.Imported.Task
	target := func(id, member string) (model.UID, bool) {
		if _, ok := uuid(id); !ok {
			c.Bad("bad-id", member+" contains something other than UUIDs", "write UUIDs")
			return "", false
		}
		return c.Target(id), true
	}
	if p := c.Text(fields, "parent"); p != "" {
		t.Config.ParentUID, _ = target(p, "parent")
	}
	for _, d := range c.Texts(fields, "dependencies") {
		if uid, ok := target(d, "dependencies"); ok && !slices.Contains(t.DependsOn, uid) {
			t.DependsOn = append(t.DependsOn, uid)
		}
	}
}

// header checks what an object has before its own members.
func header(c *records.Converted, fields model.Extra) {
	if _, ok := uuid(c.ID); !ok {
		c.Bad("bad-id", "object_id is not a UUID", "write one like 01234567-89ab-cdef-0123-456789abcdef")
	}
	for _, member := range []string{"header_version", "schema_version"} {
		raw, ok := fields.Get(member)
		if !ok {
			continue // objects older than the member have version 1
		}
		var n uint32
		switch err := json.Unmarshal(raw, &n); {
		case err != nil || n == 0:
			c.Bad("bad-version", member+" is not a version", "write a whole number of at least 1")
		case n > 1:
			c.Note(member + " above 1, read as 1")
		}
	}
	if v := c.Text(fields, "visibility"); v != "" && v != "private" && v != "public" {
		c.Note("unknown visibility, saved in spec.external." + key)
	}
	for _, member := range []string{"tags", "external_ids"} {
		var texts map[string]string
		if raw, ok := fields.Get(member); ok && json.Unmarshal(raw, &texts) != nil {
			c.Bad("wrong-type", member+" is not an object of strings", `write it like {"key": "value"}`)
		}
	}
	if sum := c.Text(fields, "checksum"); sum != "" && !sealed(fields, sum) {
		if c.Unchecked {
			c.Note("wrong checksum, saved in spec.external." + key)
		} else {
			c.Bad("bad-checksum", "its checksum doesn't match its content", "get it again, set the checksum to null, or import it with --unchecked")
		}
	}
	if by, ok := fields.Get("created_by"); !ok || string(by) == "null" {
		c.Bad("missing-key", "it has no created_by", "add who created it")
	}
	actor(c, fields, "created_by")
}

type actorRef struct {
	Kind        string  `json:"kind"`
	ID          string  `json:"id"`
	DisplayName *string `json:"display_name"` // looked at for its type only, as the next
	AuthContext *string `json:"auth_context"`
}

func actor(c *records.Converted, fields model.Extra, member string) (actorRef, bool) {
	var ref actorRef
	raw, ok := fields.Get(member)
	if !ok || string(raw) == "null" {
		return ref, false
	}
	if err := json.Unmarshal(raw, &ref); err != nil || strings.TrimSpace(ref.ID) == "" || ref.Kind == "" {
		c.Bad("wrong-type", member+" names no one", `write it like {"kind": "human", "id": "jackie"}`)
		return ref, false
	}
	return ref, true
}

func goal(c *records.Converted, fields model.Extra) string {
	var other struct {
		Other *string `json:"other"`
	}
	word, isText := fields.Text("goal")
	switch raw, ok := fields.Get("goal"); {
	case !ok || string(raw) == "null":
		return ""
	case isText && word != "":
		if !slices.Contains(goals(), word) {
			c.Note("goal that git-internal 0.6 does not have, imported unchanged")
		}
		return word
	case json.Unmarshal(raw, &other) == nil && other.Other != nil:
		return *other.Other
	}
	c.Bad("wrong-type", "goal is unknown", `write one of `+strings.Join(goals(), ", ")+`, or {"other": "…"}`)
	return ""
}
