// Package specfields takes a spec.json field by field: the table of all fields with how each is shown to people, and what
// two versions of a file make of each other.
package specfields

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
)

// Kind says how a field of spec.json is shown.
type Kind uint8

// The kinds of field.
const (
	Line   Kind = iota // one line
	Prose              // a text of any length
	List               // items, a line each
	Values             // names and values, a line each
)

// Field describes a field of spec.json. Whatever shows a task goes by this table: the command line, the overview of
// the workbench, prompts, what agents are given, and the documents. A field that is missing in one of them fails a test.
type Field struct {
	Key   string // in spec.json; "" for the keys that vespe does not know
	Title string // for people, with a capital letter
	Kind  Kind
	Form  string // what may stand there, for the documents

	// Lines is the value as text, as it was written by others: one line or text, or an item each. nil where it says nothing.
	Lines func(s *model.Spec) []string
}

// All are all fields of spec.json, in the order in which they are shown.
func All() []Field { return all }

var all = []Field{
	{"description", "Description", Prose, "text", func(s *model.Spec) []string { return said(s.Description) }},
	{"user_story", "User story", Prose, "text", func(s *model.Spec) []string { return said(s.UserStory) }},
	{"intent", "Intent", Prose, "text", func(s *model.Spec) []string { return said(s.Intent) }},
	{
		"goal_type", "Goal type", Line, "`feature`, `bugfix`, `refactor`, `docs`, `perf`, `test`, `chore`, `build`, `ci`, `style`, or any word",
		func(s *model.Spec) []string { return said(s.GoalType) },
	},
	{"acceptance_criteria", "Acceptance criteria", List, "list of texts, or of `{text, state, evidence}`", criterionLines},
	{"constraints", "Constraints", List, "list of texts", func(s *model.Spec) []string { return s.Constraints }},
	{"steps", "Steps", List, "list of `{step, done}`; `vespe task step` ticks them", stepLines},
	{"files_to_create", "Files to create", List, "list of texts", func(s *model.Spec) []string { return s.FilesToCreate }},
	{"files_to_modify", "Files to modify", List, "list of texts", func(s *model.Spec) []string { return s.FilesToModify }},
	{"test_files", "Test files", List, "list of texts", func(s *model.Spec) []string { return s.TestFiles }},
	{
		"verify", "Verified by", List,
		"list of argument lists: commands that run on the commit of a run and must succeed. A criterion that " +
			"names one in backticks is met by it",
		func(s *model.Spec) []string { return CommandLines(s.Verify) },
	},
	{"priority", "Priority", Line, "`critical`, `high`, `medium` (or `med`), `low`", func(s *model.Spec) []string { return said(string(s.Priority)) }},
	{
		"priority_by", "Priority set by", Line,
		"`{priority, rule}`: which [rule](priority.md) set the priority. It counts only with that priority: any " +
			"other was set by hand",
		func(s *model.Spec) []string { return said(s.RuledPriority()) },
	},
	{"risk", "Risk", Line, "`low`, `medium`, `high`", func(s *model.Spec) []string { return said(s.Risk) }},
	{"requires_hitl", "Needs a person", Line, "true or false", func(s *model.Spec) []string { return saidIf(s.RequiresHITL, "yes") }},
	{"labels", "Labels", Line, "list of texts", func(s *model.Spec) []string { return said(strings.Join(s.Labels, ", ")) }},
	{"milestone_id", "Milestone id", Line, "text", func(s *model.Spec) []string { return said(s.MilestoneID) }},
	{"estimated_complexity", "Estimated complexity", Line, "number from 0 to 13", func(s *model.Spec) []string {
		return saidIf(s.EstimatedComplexity > 0, strconv.FormatFloat(s.EstimatedComplexity, 'f', -1, 64))
	}},
	{"max_attempts", "Max attempts", Line, "number", func(s *model.Spec) []string { return saidIf(s.MaxAttempts > 0, strconv.Itoa(s.MaxAttempts)) }},
	{"requester", "Requester", Line, "text", func(s *model.Spec) []string { return said(s.Requester) }},
	{"source", "Source", Line, "text", func(s *model.Spec) []string { return said(s.Source) }},
	{"context", "Context", Values, "object", func(s *model.Spec) []string { return valueLines(s.Context) }},
	{"external", "Elsewhere", Values, "object: ids in other systems", func(s *model.Spec) []string { return idLines(s.External) }},
	{"", "Other keys", Values, "", func(s *model.Spec) []string { return valueLines(s.Extra) }},
}

func said(text string) []string { return saidIf(strings.TrimSpace(text) != "", text) }

func saidIf(is bool, text string) []string {
	if !is {
		return nil
	}
	return []string{text}
}

// criterionLines are the criteria with what is known of each.
func criterionLines(s *model.Spec) (out []string) {
	for _, c := range s.AcceptanceCriteria {
		line := c.Text
		if c.State != "" {
			line += " (" + c.State + ")"
		}
		if c.Evidence != "" {
			line += ": " + c.Evidence
		}
		out = append(out, line)
	}
	return out
}

func stepLines(s *model.Spec) (out []string) {
	for _, step := range s.Steps {
		box := "[ ] "
		if step.Done {
			box = "[x] "
		}
		out = append(out, box+step.Step)
	}
	return out
}

// CommandLines are commands with their words quoted where they need it.
func CommandLines(list [][]string) (out []string) {
	for _, argv := range list {
		words := make([]string, len(argv))
		for i, w := range argv {
			words[i] = w
			if w == "" || strings.ContainsAny(w, " \t\n\"'\\$`*?[]{}()<>|&;#~") {
				words[i] = strconv.Quote(w)
			}
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// deepValues is how deep objects are taken apart; below it they are shown as JSON.
const deepValues = 6

// valueLines are names and values of an object, "name: value" in a line each, those of objects in it with the names of
// both, as "sender.name: ann".
func valueLines(fields []model.ExtraField) (out []string) {
	for _, f := range fields {
		out = appendValue(out, f.Key, f.Value, deepValues)
	}
	return out
}

// mostID is how many bytes a value of external has at most that is shown: ids are short, and what is longer is a record
// that an import keeps for the next one.
const mostID = 200

// idLines are the lines of external, without what is in records.
func idLines(fields []model.ExtraField) (out []string) {
	for _, f := range fields {
		if len(f.Value) > mostID {
			out = append(out, fmt.Sprintf("%s: a record of %d bytes, kept for the next import", f.Key, len(f.Value)))
			continue
		}
		out = appendValue(out, f.Key, f.Value, deepValues)
	}
	return out
}

func appendValue(out []string, name string, raw []byte, deep int) []string {
	raw = bytes.TrimSpace(raw)
	whole := func() []string { return append(out, name+": "+string(raw)) }
	if len(raw) == 0 {
		return append(out, name+":")
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	switch kind := dec.PeekKind(); {
	case kind == '"':
		return append(out, name+": "+model.ExtraField{Value: raw}.Text())
	case kind != '{' && kind != '[' || deep == 0:
		return whole()
	case kind == '{':
		return appendObject(out, name, dec, whole, deep)
	}
	return appendList(out, name, dec, whole, deep)
}

func appendObject(out []string, name string, dec *jsontext.Decoder, whole func() []string, deep int) []string {
	is := out
	if _, err := dec.ReadToken(); err != nil {
		return whole()
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return whole()
		}
		inner := name + "." + key.String()
		value, err := dec.ReadValue()
		if err != nil {
			return whole()
		}
		is = appendValue(is, inner, value, deep-1)
	}
	if len(is) == len(out) {
		return whole()
	}
	return is
}

// appendList is a list of plain values in one line, and any other an item each.
func appendList(out []string, name string, dec *jsontext.Decoder, whole func() []string, deep int) []string {
	var items [][]byte
	plain := true
	if _, err := dec.ReadToken(); err != nil {
		return whole()
	}
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return whole()
		}
		items = append(items, bytes.Clone(v))
		plain = plain && v[0] != '{' && v[0] != '['
	}
	if len(items) == 0 {
		return whole()
	}
	var words []string
	for i, v := range items {
		switch {
		case !plain:
			out = appendValue(out, name+"["+strconv.Itoa(i+1)+"]", v, deep-1)
		case v[0] == '"':
			words = append(words, model.ExtraField{Value: v}.Text())
		default:
			words = append(words, string(v))
		}
	}
	if plain {
		out = append(out, name+": "+strings.Join(words, ", "))
	}
	return out
}
