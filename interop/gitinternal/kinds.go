package gitinternal

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vespe/model"
	"vespe/model/visible"
)

// kind is a type of object beside the task.
type kind struct {
	name    string // as object_type
	dir     string // as trees and directories name it
	members []member
}

// form is what a member's value has to be.
type form int

const (
	isAny form = iota
	isText
	isWord   // one of a list; another one is kept, and said
	isID     // a UUID
	isCommit // 64 hexadecimal digits; the 40 of a SHA-1 with zeros behind them
	isWhole  // a whole number
	isCount  // a whole number from 0
	isNumber
	isTime
	isObject
	isTexts // an object whose values are texts
)

// member is a member of an object. Where list is set it is a list of what the rest says.
type member struct {
	name  string
	alias string // how older versions called it
	form  form
	list  bool
	need  bool
	words []string
	in    []member // of isObject
}

var artifact = []member{
	{name: "store", form: isText, need: true},
	{name: "key", form: isText, need: true},
	{name: "content_type", form: isText},
	{name: "size_bytes", form: isCount},
	{name: "hash", form: isCommit},
	{name: "expires_at", form: isTime},
}

func statuses(words ...string) []member {
	return []member{
		{name: "status", form: isWord, need: true, words: words}, {name: "changed_at", form: isTime, need: true}, {name: "reason", form: isText},
	}
}

// runOf are the members of what belongs to a run.
func runOf(more ...member) []member {
	return append([]member{{name: "run_id", form: isID, need: true}}, more...)
}

var kinds = []*kind{
	{"intent", "intent", []member{
		{name: "prompt", form: isText, need: true},
		{name: "content", form: isText},
		{name: "parent", form: isID},
		{name: "commit", form: isCommit},
		{name: "plan", form: isID},
		{name: "statuses", form: isObject, list: true, need: true, in: statuses("draft", "active", "completed", "cancelled")},
	}},
	{"plan", "plan", []member{
		{name: "previous", form: isID},
		{name: "pipeline", form: isID},
		{name: "fwindow", form: isCount, list: true},
		{name: "steps", form: isObject, list: true, in: []member{
			{name: "description", alias: "intent", form: isText, need: true},
			{name: "inputs"},
			{name: "outputs"},
			{name: "checks"},
			{name: "iframes", form: isCount, list: true},
			{name: "oframes", form: isCount, list: true},
			{name: "task", form: isID},
			{name: "statuses", form: isObject, list: true, in: statuses("pending", "progressing", "completed", "failed", "skipped")},
		}},
	}},
	{"run", "run", []member{
		{name: "task", form: isID, need: true},
		{name: "plan", form: isID},
		{name: "commit", form: isCommit, need: true},
		{name: "status", form: isWord, need: true, words: []string{"created", "patching", "validating", "completed", "failed"}},
		{name: "snapshot", form: isID},
		{name: "patchsets", form: isID, list: true},
		{name: "metrics"},
		{name: "error", form: isText},
		{name: "environment", form: isObject, in: []member{
			{name: "os", form: isText, need: true}, {name: "arch", form: isText, need: true}, {name: "cwd", form: isText, need: true},
		}},
	}},
	{"context_snapshot", "snapshot", []member{
		{name: "selection_strategy", form: isWord, need: true, words: []string{"explicit", "heuristic"}},
		{name: "summary", form: isText},
		{name: "items", form: isObject, list: true, in: []member{
			{name: "kind", need: true}, {name: "path", form: isText, need: true}, {name: "preview", form: isText}, {name: "blob"},
		}},
	}},
	{"patch_set", "patchset", []member{
		{name: "run", form: isID, need: true},
		{name: "commit", form: isCommit, need: true},
		{name: "format", alias: "diff_format", form: isWord, need: true, words: []string{"unified_diff", "git_diff"}},
		{name: "artifact", alias: "diff_artifact", form: isObject, in: artifact},
		{name: "touched", alias: "touched_files", form: isObject, list: true, in: []member{
			{name: "path", form: isText, need: true},
			{name: "change_type", form: isWord, need: true, words: []string{"add", "modify", "delete", "rename", "copy"}},
			{name: "lines_added", form: isCount, need: true},
			{name: "lines_deleted", form: isCount, need: true},
		}},
		{name: "rationale", form: isText},
		{name: "apply_status", form: isWord, need: true, words: []string{"proposed", "applied", "rejected"}},
	}},
	{"evidence", "evidence", runOf(
		member{name: "patchset_id", form: isID}, member{name: "kind", form: isText, need: true}, member{name: "tool", form: isText, need: true},
		member{name: "command", form: isText}, member{name: "exit_code", form: isWhole}, member{name: "summary", form: isText},
		member{name: "report_artifacts", form: isObject, list: true, in: artifact},
	)},
	{"tool_invocation", "invocation", runOf(
		member{name: "tool_name", form: isText, need: true}, member{name: "args"},
		member{name: "io_footprint", form: isObject, in: []member{
			{name: "paths_read", form: isText, list: true}, {name: "paths_written", form: isText, list: true},
		}},
		member{name: "status", form: isWord, need: true, words: []string{"ok", "error"}}, member{name: "result_summary", form: isText},
		member{name: "artifacts", form: isObject, list: true, in: artifact},
	)},
	{"provenance", "provenance", runOf(
		member{name: "provider", form: isText, need: true}, member{name: "model", form: isText, need: true}, member{name: "parameters"},
		member{name: "temperature", form: isNumber}, member{name: "max_tokens", form: isCount},
		member{name: "token_usage", form: isObject, in: []member{
			{name: "input_tokens", form: isCount, need: true},
			{name: "output_tokens", form: isCount, need: true},
			{name: "total_tokens", form: isCount, need: true},
			{name: "cost_usd", form: isNumber},
		}},
	)},
	{"decision", "decision", runOf(
		member{name: "decision_type", form: isText, need: true}, member{name: "chosen_patchset_id", form: isID},
		member{name: "result_commit_sha", form: isCommit}, member{name: "checkpoint_id", form: isText}, member{name: "rationale", form: isText},
	)},
	{"context_pipeline", "pipeline", []member{
		{name: "frames", form: isObject, list: true, in: []member{
			{name: "frame_id", form: isCount, need: true},
			{name: "kind", need: true},
			{name: "summary", form: isText, need: true},
			{name: "data"},
			{name: "created_at", form: isTime, need: true},
			{name: "token_estimate", form: isCount},
		}},
		{name: "next_frame_id", form: isCount},
		{name: "max_frames", form: isCount},
		{name: "global_summary", form: isText},
	}},
}

// kindOf is the kind of an object_type; nil for one that git-internal 0.6 does not have.
func kindOf(name string) *kind {
	i := slices.IndexFunc(kinds, func(k *kind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return kinds[i]
}

// dirOf is the directory of a type of object.
func dirOf(name string) string {
	if k := kindOf(name); k != nil {
		return k.dir
	}
	return name
}

// checker looks at the members of one object.
type checker struct {
	bad func(code, why, hint string)
	odd func(what string) // a word that nobody knows
}

func (c checker) members(fields model.Extra, members []member, at string) {
	for _, m := range members {
		raw, ok := get(fields, m)
		if !ok {
			if m.need {
				c.bad("missing-key", "it has no "+at+m.name, "write one")
			}
			continue
		}
		if !m.list {
			c.value(raw, m, at+m.name)
			continue
		}
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			c.bad("wrong-type", at+m.name+" is no list", "write a JSON list")
			continue
		}
		for i, item := range items {
			c.value(item, m, fmt.Sprintf("%s%s[%d]", at, m.name, i))
		}
	}
}

// get is a member by one of its names; one that is null is none.
func get(fields model.Extra, m member) ([]byte, bool) {
	for _, name := range []string{m.name, m.alias} {
		if raw, ok := fields.Get(name); ok && name != "" {
			return raw, string(raw) != "null"
		}
	}
	return nil, false
}

func (c checker) value(raw []byte, m member, at string) {
	wrong := func(is, hint string) { c.bad("wrong-type", at+" is "+is, hint) }
	text, isString := str(raw)
	var n float64
	number := json.Unmarshal(raw, &n) == nil && string(raw) != "null"
	switch m.form {
	case isText, isWord:
		switch {
		case !isString:
			wrong("not a text", "write a JSON string")
		case m.form == isWord && !slices.Contains(m.words, text):
			c.odd("have a " + m.name + " that git-internal 0.6 does not know, kept as it is")
		}
	case isID:
		if _, ok := uuid(text); !isString || !ok {
			c.bad("bad-id", at+" is no UUID", "write one, or null")
		}
	case isCommit:
		if _, err := hex.DecodeString(text); !isString || err != nil || (len(text) != 64 && len(text) != 40) {
			wrong("no hash", "write 64 hexadecimal digits; behind the 40 of a SHA-1 put zeros")
		} else if len(text) == 40 {
			c.odd("name a commit by 40 digits, which git-internal itself does not read")
		}
	case isWhole, isCount:
		if !number || n != math.Trunc(n) || m.form == isCount && n < 0 {
			wrong("no whole number", "write one")
		}
	case isNumber:
		if !number {
			wrong("no number", "write one")
		}
	case isTime:
		if _, ok := model.ParseTime(text); !isString || !ok {
			c.bad("bad-time", at+" is no time", "write it like 2025-06-23T03:15:00Z")
		}
	case isObject:
		c.object(raw, m, at)
	case isTexts:
		var texts map[string]string
		if json.Unmarshal(raw, &texts) != nil {
			wrong("no object of texts", `write it like {"key": "value"}`)
		}
	}
}

func (c checker) object(raw []byte, m member, at string) {
	if len(raw) == 0 || raw[0] != '{' {
		c.bad("wrong-type", at+" is no object", "write a JSON object")
		return
	}
	fields, problems := model.DecodeFields("", raw)
	if len(problems) > 0 {
		c.bad(problems[0].Code, at+": "+problems[0].Reason, problems[0].Hint)
		return
	}
	c.members(fields, m.in, at+".")
}

func str(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return model.ExtraField{Value: raw}.Text(), true
}

// refs are the ids of other objects that one names, as digits.
func refs(fields model.Extra) []string {
	var out []string
	add := func(raw []byte) {
		if s, ok := str(raw); ok {
			if d, ok := uuid(s); ok {
				out = append(out, d)
			}
		}
	}
	addAll := func(raw []byte) {
		var items []json.RawMessage
		if add(raw); len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &items) == nil {
			for _, item := range items {
				add(item)
			}
		}
	}
	if d := madeFor(fields); d != "" {
		out = append(out, d) // a plan names no task by itself
	}
	k := kindOf(text(fields, "object_type"))
	if k == nil { // whatever looks like one
		for _, f := range fields {
			if f.Key != "object_id" {
				addAll(f.Value)
			}
		}
		return out
	}
	for _, m := range k.members {
		raw, ok := get(fields, m)
		switch {
		case !ok:
		case m.form == isID:
			addAll(raw)
		case m.name == "steps":
			for _, s := range stepsOf(fields) {
				if s.Task != "" {
					out = append(out, s.Task)
				}
			}
		}
	}
	return out
}

// float is a number as the JSON of git-internal has it, so that its checksums are ours: the shortest
// digits that mean it, and a fraction where there is none.
func float(v float64) []byte {
	if a := math.Abs(v); a != 0 && (a < 1e-5 || a >= 1e16) {
		b := strconv.AppendFloat(nil, v, 'e', -1, 64)
		mantissa, exp, _ := strings.Cut(string(b), "e")
		n, _ := strconv.Atoi(exp)
		return []byte(mantissa + "e" + strconv.Itoa(n))
	}
	b := strconv.AppendFloat(nil, v, 'f', -1, 64)
	if !strings.Contains(string(b), ".") {
		b = append(b, ".0"...)
	}
	return b
}

// typeLine names a type of object that nobody has to know, for people.
func typeLine(name string) string { return visible.Line(name) }
