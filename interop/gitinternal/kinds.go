package gitinternal

import (
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

func is(f form, name string) member            { return member{form: f, name: name} }
func word(name string, words ...string) member { return member{form: isWord, name: name, words: words} }
func nested(name string, in ...member) member  { return member{form: isObject, name: name, in: in} }
func (m member) needed() member                { m.need = true; return m }
func (m member) many() member                  { m.list = true; return m }
func (m member) formerly(alias string) member  { m.alias = alias; return m }

// kinds are the types that git-internal 0.6 has. Of those that nothing is made of here only what they refer to is
// known.
var kinds = []*kind{
	{"intent", "intent", []member{is(isID, "parent"), is(isID, "plan")}},
	{"context_snapshot", "snapshot", nil},
	{"context_pipeline", "pipeline", nil},
	{"plan", "plan", []member{
		is(isID, "previous"), is(isID, "pipeline"), is(isCount, "fwindow").many(),
		nested("steps", is(isText, "description").formerly("intent").needed(), is(isID, "task"),
			is(isAny, "inputs"), is(isAny, "outputs"), is(isAny, "checks"),
			is(isCount, "iframes").many(), is(isCount, "oframes").many(),
			nested("statuses", word("status", "pending", "progressing", "completed", "failed", "skipped").needed(),
				is(isTime, "changed_at").needed(), is(isText, "reason")).many(),
		).many(),
	}},
	{"run", "run", []member{
		is(isID, "task").needed(), is(isID, "plan"), is(isID, "snapshot"), is(isID, "patchsets").many(),
		is(isCommit, "commit").needed(),
		word("status", "created", "patching", "validating", "completed", "failed").needed(), is(isText, "error"),
		is(isAny, "metrics"),
		nested("environment", is(isText, "os").needed(), is(isText, "arch").needed(), is(isText, "cwd").needed()),
	}},
	{"patch_set", "patchset", []member{
		is(isID, "run").needed(), is(isCommit, "commit").needed(), artifact("artifact").formerly("diff_artifact"),
		is(isText, "rationale"),
		word("format", "unified_diff", "git_diff").formerly("diff_format").needed(),
		word("apply_status", "proposed", "applied", "rejected").needed(),
		nested("touched", is(isText, "path").needed(), word("change_type", "add", "modify", "delete", "rename", "copy").needed(),
			is(isCount, "lines_added").needed(), is(isCount, "lines_deleted").needed()).many().formerly("touched_files"),
	}},
	{"evidence", "evidence", []member{
		ofRun, is(isID, "patchset_id"), is(isText, "kind").needed(), is(isText, "tool").needed(), is(isText, "command"),
		is(isWhole, "exit_code"), is(isText, "summary"), artifact("report_artifacts").many(),
	}},
	{"tool_invocation", "invocation", []member{
		ofRun, is(isText, "tool_name").needed(), is(isAny, "args"), word("status", "ok", "error").needed(),
		is(isText, "result_summary"),
		nested("io_footprint", is(isText, "paths_read").many(), is(isText, "paths_written").many()), artifact("artifacts").many(),
	}},
	{"provenance", "provenance", []member{
		ofRun, is(isText, "provider").needed(), is(isText, "model").needed(), is(isAny, "parameters"),
		is(isNumber, "temperature"), is(isCount, "max_tokens"),
		nested("token_usage", is(isCount, "input_tokens").needed(), is(isCount, "output_tokens").needed(),
			is(isCount, "total_tokens").needed(), is(isNumber, "cost_usd")),
	}},
	{"decision", "decision", []member{
		ofRun, is(isText, "decision_type").needed(), is(isID, "chosen_patchset_id"), is(isCommit, "result_commit_sha"),
		is(isText, "checkpoint_id"), is(isText, "rationale"),
	}},
}

var ofRun = is(isID, "run_id").needed()

func artifact(name string) member {
	return nested(name, is(isText, "store").needed(), is(isText, "key").needed(), is(isText, "content_type"),
		is(isCount, "size_bytes"),
		is(isCommit, "hash"), is(isTime, "expires_at"))
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
	text, isString := str(raw)
	var n *float64
	ok, code, is, hint := isString, "wrong-type", "not a text", "write a JSON string"
	switch m.form {
	case isAny:
		ok = true
	case isWord:
		if isString && !slices.Contains(m.words, text) {
			c.odd("have a " + m.name + " that git-internal 0.6 does not know, kept as it is")
		}
	case isID:
		_, ok = uuid(text)
		code, is, hint = "bad-id", "no UUID", "write one, or null"
	case isCommit:
		_, ok = commit(text)
		is, hint = "no hash", "write 64 hexadecimal digits; behind the 40 of a SHA-1 put zeros"
		if ok && len(text) == 40 {
			c.odd("name a commit by 40 digits, which git-internal itself does not read")
		}
	case isNumber, isWhole, isCount:
		ok = json.Unmarshal(raw, &n) == nil && n != nil
		is, hint = "no number", "write one"
		if m.form != isNumber {
			ok = ok && *n == math.Trunc(*n) && (m.form == isWhole || *n >= 0)
			is = "no whole number"
		}
	case isTime:
		_, ok = model.ParseTime(text)
		code, is, hint = "bad-time", "no time", "write it like 2025-06-23T03:15:00Z"
	case isTexts:
		var texts map[string]string
		ok = json.Unmarshal(raw, &texts) == nil
		is, hint = "no object of texts", `write it like {"key": "value"}`
	case isObject:
		fields, problems := model.DecodeFields("", raw)
		if ok = raw[0] == '{'; ok && len(problems) > 0 {
			c.bad(problems[0].Code, at+": "+problems[0].Reason, problems[0].Hint)
			return
		}
		is, hint = "no object", "write a JSON object"
		if ok {
			c.members(fields, m.in, at+".")
		}
	}
	if !ok {
		c.bad(code, at+" is "+is, hint)
	}
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
	addAll := func(raw []byte) {
		text, _ := str(raw)
		ids := []any{text}
		_ = json.Unmarshal(raw, &ids) // where it is a list
		for _, id := range ids {
			text, _ := id.(string)
			if d, ok := uuid(text); ok {
				out = append(out, d)
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
