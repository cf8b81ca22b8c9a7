// Package gitinternal reads and writes the Task object of git-internal 0.6 as JSON, its header
// among its members (DESIGN §13). Its other objects are refused.
//
// # What becomes what
//
//	object_id                        uid: its 128 bits
//	title                            name
//	description                      objective.md
//	goal                             spec.goal_type; {"other": "x"} is x
//	constraints, acceptance_criteria the same of the spec
//	requester, intent                spec.requester as KIND:ID, spec.intent
//	parent, dependencies             parent_uid, depends_on
//	created_by                       created_by; a kind that is none of ours is system:git-internal
//	created_at, updated_at           created_at, last_updated_at; without updated_at it is created_at
//	the whole record                 spec.external.git_internal: runs, versions, visibility, tags, external_ids, checksum are there alone
//
// # Statuses
//
// done is completed with its review accepted, failed is failed, cancelled is aborted. draft and
// running arrive as the texts put them, because an import brings no approval. What is exported is
// the column of DESIGN §4.
//
// # Checksum
//
// A checksum is the SHA-256 of the object as compact JSON with all keys sorted and checksum null.
// One that does not match is reported and kept: git-internal itself writes updated_at after it.
// An object that was made or changed here is written with the checksum of what is written.
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
)

const (
	key    = "git_internal"
	system = model.Actor("system:git-internal")
)

// Format is git-internal's Task.
func Format() *records.Format {
	f := &records.Format{
		Name: "git-internal", Key: key, IDKey: "object_id", System: system, Words: model.VocabularyGitInternal,
		UID: uidOf, ID: idOf, Lost: lost, Seal: seal,
		Help: []string{"its Task objects as JSON"},
	}
	f.Convert = func(c *records.Converted, fields model.Extra) { convert(f, c, fields) }
	f.Fields = func(v records.View) model.Extra { return fieldsOf(f, v) }
	return f
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

func convert(f *records.Format, c *records.Converted, fields model.Extra) {
	header(c, fields)
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
		c.Bad("bad-id", "intent is no UUID", "write one, or null")
	}
	title := c.Text(fields, "title")
	if _, ok := fields.Text("title"); !ok {
		c.Bad("missing-key", "it has no title", "give it one")
	}
	c.Imported.Objective = records.Body(c.Text(fields, "description"))
	at := records.First(c.Time(fields, "created_at"), c.Now)
	t.Config = model.Config{Name: records.Name(title, c.ID), CreatedBy: system, CreatedAt: at}
	if by, ok := actor(c, fields, "created_by"); ok && slices.Contains([]string{model.Human, model.Agent, model.System, model.MCPClient}, by.Kind) {
		t.Config.CreatedBy = f.Actor(by.Kind, by.ID)
	}
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
		c.Note("are running; they arrive with no plan accepted, because a task object holds no approval")
	case "done":
		h.Done(&t.Status, end, system, "", "done in git-internal")
	case "failed":
		h.Add(model.RaiseError, end, system, model.Failed, "failed in git-internal")
	case "cancelled":
		h.Add(model.Abort, end, system, model.Aborted, "cancelled in git-internal")
	default:
		c.Bad("bad-status", "its status is none", "write draft, running, done, failed or cancelled")
	}
	h.End(c.Imported, updated)
}

func links(c *records.Converted, fields model.Extra) {
	t := c.Imported.Task
	target := func(id, member string) (model.UID, bool) {
		if _, ok := uuid(id); !ok {
			c.Bad("bad-id", member+" holds what is no UUID", "write UUIDs")
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

// header checks what comes before the task's own members.
func header(c *records.Converted, fields model.Extra) {
	if _, ok := uuid(c.ID); !ok {
		c.Bad("bad-id", "object_id is no UUID", "write one, like 01234567-89ab-cdef-0123-456789abcdef")
	}
	switch kind := c.Text(fields, "object_type"); kind {
	case "task":
	case "":
		c.Bad("missing-key", "it has no object_type", `write "object_type": "task"`)
	default:
		c.Bad("wrong-type", "it is a "+visible.Line(kind)+", and only tasks are read", "remove it")
	}
	for _, member := range []string{"header_version", "schema_version"} {
		raw, ok := fields.Get(member)
		if !ok {
			continue // objects older than the member have version 1
		}
		var n uint32
		switch err := json.Unmarshal(raw, &n); {
		case err != nil || n == 0:
			c.Bad("bad-version", member+" is no version", "write a whole number from 1")
		case n > 1:
			c.Note("have a " + member + " above 1, which vespe reads as 1")
		}
	}
	if v := c.Text(fields, "visibility"); v != "" && v != "private" && v != "public" {
		c.Bad("wrong-type", "visibility is neither private nor public", "write one of the two")
	}
	if sum := c.Text(fields, "checksum"); sum != "" && sum != checksum(fields) {
		c.Note("have a checksum that does not match, kept in spec.external." + key)
	}
	if _, ok := fields.Get("created_by"); !ok {
		c.Bad("missing-key", "it has no created_by", "say who made it")
	}
}

type actorRef struct {
	Kind        string  `json:"kind"`
	ID          string  `json:"id"`
	DisplayName *string `json:"display_name"`
	AuthContext *string `json:"auth_context"`
}

func actor(c *records.Converted, fields model.Extra, member string) (actorRef, bool) {
	var ref actorRef
	raw, ok := fields.Get(member)
	if !ok || string(raw) == "null" {
		return ref, false
	}
	if err := json.Unmarshal(raw, &ref); err != nil || strings.TrimSpace(ref.ID) == "" || ref.Kind == "" {
		c.Bad("wrong-type", member+" is nobody", `write it like {"kind": "human", "id": "jackie"}`)
		return ref, false
	}
	return ref, true
}

func goal(c *records.Converted, fields model.Extra) string {
	raw, ok := fields.Get("goal")
	if !ok || string(raw) == "null" {
		return ""
	}
	if g, ok := fields.Text("goal"); ok && slices.Contains(goals(), g) {
		return g
	}
	var other struct {
		Other *string `json:"other"`
	}
	if err := json.Unmarshal(raw, &other); err != nil || other.Other == nil {
		c.Bad("wrong-type", "goal is none", `write one of `+strings.Join(goals(), ", ")+`, or {"other": "…"}`)
		return ""
	}
	return *other.Other
}
