// Package taskspec reads and writes tasks as the JSON of the TASKS specification: one object a
// task, named by a ULID, alone, in a list or a line each.
//
// # What becomes what
//
//	task_id                  uid: the 128 bits of a ULID or a UUID; of anything else a UUIDv7 made of created_at and a hash of it
//	objective                objective.md; its first line is the name
//	context, source          spec.context, spec.source
//	priority                 spec.priority; med is medium
//	subtasks                 spec.steps
//	assigned_agent           assigned_agent_uid, as agent:NAME
//	result_summary           result/summary.md
//	created_at, last_updated created_at, last_updated_at
//	the whole record         spec.external.tasks_spec: tool_output and unknown members are there alone
//
// # Statuses
//
// DONE is completed with its review accepted, CANCELLED is aborted, WAITING_HITL is paused until a
// person answers. READY and IN_PROGRESS arrive as the texts put them, because an import brings
// no approval; exported they are READY and IN_PROGRESS again as long as nothing happened here.
// What is exported is its column in docs/design.md (Other vocabularies).
package taskspec

import (
	"encoding/hex"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/vocab"
)

const (
	key    = "tasks_spec"
	system = model.Actor("system:tasks-spec")
)

// Format is the tasks specification.
func Format() *records.Format {
	f := &records.Format{
		Name: "tasks-spec", Key: key, IDKey: "task_id", System: system, Words: vocab.TasksSpec,
		UID: uidOf, ID: model.ULID, Lost: lost,
		Reads:  []string{"JSON of the TASKS specification, or JSON lines"},
		Writes: []string{"JSON of the TASKS specification"},
	}
	f.Convert = func(c *records.Converted, fields model.Extra) { convert(f, c, fields) }
	f.Fields = func(v records.View) model.Extra { return fieldsOf(f, v) }
	return f
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's base 32

// uidOf is the task of an id.
func uidOf(id string, fields model.Extra, now time.Time) model.UID {
	if b, ok := parseULID(id); ok {
		return model.UID("tsk-" + hex.EncodeToString(b[:]))
	}
	if digits := strings.ToLower(strings.ReplaceAll(id, "-", "")); len(id) == 36 && len(digits) == 32 {
		if _, err := hex.DecodeString(digits); err == nil {
			return model.UID("tsk-" + digits)
		}
	}
	if s, ok := fields.Text("created_at"); ok {
		if at, ok := model.ParseTime(s); ok {
			now = at
		}
	}
	return records.HashUID(now, key, id)
}

func parseULID(s string) (b [16]byte, ok bool) {
	if len(s) != 26 || s[0] > '7' {
		return b, false
	}
	for _, c := range []byte(strings.ToUpper(s)) {
		d := strings.IndexByte(alphabet, c)
		if d < 0 {
			return b, false
		}
		carry := d
		for i := len(b) - 1; i >= 0; i-- {
			v := int(b[i])<<5 | carry
			b[i], carry = byte(v), v>>8
		}
	}
	return b, true
}

func convert(f *records.Format, c *records.Converted, fields model.Extra) {
	c.Spec(fields, [][2]string{{"steps", "subtasks"}, {"context", "context"}, {"source", "source"}})
	t := c.Imported.Task
	c.Priority(c.Text(fields, "priority"))
	objective := c.Text(fields, "objective")
	c.Imported.Objective = records.Body(objective)
	c.SetResult(records.Body(c.Text(fields, "result_summary")))
	at := records.First(c.Time(fields, "created_at"), c.Now)
	t.Config = model.Config{Name: records.Name(objective, c.ID), CreatedBy: system, CreatedAt: at}
	if agent := c.Text(fields, "assigned_agent"); agent != "" {
		t.Status.AssignedAgentUID = f.Actor(model.Agent, agent)
		if t.Status.AssignedAgentUID == system {
			t.Status.AssignedAgentUID = ""
			c.Note("invalid assigned_agent, saved in spec.external." + key)
		}
	}
	c.Rest(f, fields, "task_id", "created_at", "source", "objective", "context", "priority", "status", "subtasks",
		"assigned_agent", "last_updated", "result_summary")

	updated := c.Time(fields, "last_updated")
	var h records.History
	h.Begin(c.Imported, at, system)
	c.Word = c.Text(fields, "status")
	switch word := strings.ToUpper(c.Word); word {
	case "DONE":
		h.Done(&t.Status, records.Later(updated, at), system, c.Text(fields, "result_summary"), "DONE in tasks-spec")
	case "CANCELLED":
		h.Add(model.Abort, records.Later(updated, at), system, model.Aborted, "CANCELLED in tasks-spec")
	case "WAITING_HITL":
		c.Hold = "hitl: it waits in tasks-spec for a person's approval"
	case "NEW", "":
	case "READY", "IN_PROGRESS":
		c.Note(word + " there; imported without an accepted plan, because the specification has no approvals")
	default:
		c.Note("unknown status " + c.Word + "; imported as open")
	}
	h.End(c.Imported, updated)
}

func fieldsOf(f *records.Format, v records.View) model.Extra {
	t := v.Task
	objective := strings.TrimRight(v.Objective, "\n")
	if objective == "" {
		objective = t.Config.Name
	}
	priority := string(t.Spec.Priority)
	if t.Spec.Priority == model.Medium {
		priority = "med"
	}
	agent := ""
	if t.Status.AssignedAgentUID != "" {
		agent = t.Status.AssignedAgentUID.Name()
	}
	// The spec writes steps and context as the specification has them.
	spec, _ := model.DecodeFields("spec.json", model.EncodeSpec(t.Spec))
	member := func(key, from, instead string) model.ExtraField {
		raw, ok := spec.Get(from)
		if !ok {
			raw = []byte(instead)
		}
		return model.ExtraField{Key: key, Value: raw}
	}
	return model.Extra{
		model.TextField("task_id", v.ID(t.UID)),
		model.TimeField("created_at", records.First(t.Config.CreatedAt, t.Status.LastUpdatedAt)),
		records.TextOrNull("source", t.Spec.Source),
		model.TextField("objective", objective),
		member("context", "context", "{}"),
		records.TextOrNull("priority", priority),
		model.TextField("status", v.Word(f)),
		member("subtasks", "steps", "[]"),
		records.TextOrNull("assigned_agent", agent),
		model.TimeField("last_updated", records.Later(t.Status.LastUpdatedAt, t.Config.CreatedAt)),
		records.Null("tool_output"),
		records.TextOrNull("result_summary", strings.TrimRight(v.Result, "\n")),
	}
}

// lost is what the specification has no place for.
func lost(v records.View) []string {
	out := v.Members("steps", "context", "source", "priority")
	for _, l := range []struct {
		is   bool
		what string
	}{
		{v.Plan != "", "plans are not exported"},
		{len(v.Task.DependsOn) > 0, "dependencies are not exported"},
		{v.Task.Config.ParentUID != "", "parents are not exported"},
		{v.Task.Status.AcceptedPlan != nil, "approvals are not exported"},
		{v.Task.Status.Comments != nil, "comments are not exported"},
		{v.Objective != "" && records.Name(v.Objective, "") != v.Task.Config.Name, "names that differ from the objective are not exported"},
	} {
		if l.is {
			out = append(out, l.what)
		}
	}
	return out
}
