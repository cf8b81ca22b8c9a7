package records

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/visible"
)

// Text is a member that is a text; "" where it is absent or null.
func (c *Converted) Text(fields model.Extra, key string) string {
	raw, ok := fields.Get(key)
	if !ok || string(raw) == "null" {
		return ""
	}
	s, ok := fields.Text(key)
	if !ok {
		c.Bad("wrong-type", key+" is not a string", "write a JSON string, or null")
	}
	return s
}

// Time is a member that is a time; zero where it is absent or null.
func (c *Converted) Time(fields model.Extra, key string) time.Time {
	s := c.Text(fields, key)
	if s == "" {
		return time.Time{}
	}
	at, ok := model.ParseTime(s)
	if !ok {
		c.Bad("bad-time", key+" is not a time", "write it like 2025-06-23T03:15:00Z")
	}
	return at
}

// Texts is a member that is a list of texts; nil where it is absent or null.
func (c *Converted) Texts(fields model.Extra, key string) []string {
	raw, ok := fields.Get(key)
	if !ok {
		return nil
	}
	var out []string
	if err := json.Unmarshal(raw, &out); err != nil {
		c.Bad("wrong-type", key+" is not a list of strings", "write a JSON list of strings, or null")
	}
	return out
}

// Spec reads members of a record as members of spec.json: keys are ours, values members of the
// record. One that is absent or null is left out.
func (c *Converted) Spec(fields model.Extra, keys [][2]string) {
	var spec model.Extra
	for _, k := range keys {
		if raw, ok := fields.Get(k[1]); ok && string(raw) != "null" {
			spec = append(spec, model.ExtraField{Key: k[0], Value: raw})
		}
	}
	sp, problems := model.DecodeSpec("", model.EncodeFields(spec))
	for _, p := range problems {
		c.Bad(p.Code, p.Reason, p.Hint)
	}
	c.Imported.Task.Spec = sp
}

// Priority gives the task the priority that a word names in any of its spellings.
func (c *Converted) Priority(word string) {
	if word == "" {
		return
	}
	p, ok := model.ParsePriority(word)
	if !ok {
		c.Note("unknown priority " + word + "; imported without one")
	}
	c.Imported.Task.Spec.Priority = p
}

// Rest notes the members that a task has no place for.
func (c *Converted) Rest(f *Format, fields model.Extra, known ...string) {
	for _, m := range fields {
		var empty bool
		switch string(m.Value) {
		case "null", `""`, "[]", "{}":
			empty = true
		}
		if !empty && !slices.Contains(known, m.Key) {
			c.Note(m.Key + ", saved in spec.external." + f.Key)
		}
	}
}

// maxName is how long a task's name is made of a longer text, in characters.
const maxName = 100

// Name makes a task's name of a text: its first line that is not blank, as far as it can be
// seen; instead where there is none.
func Name(text, instead string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(visible.Line(strings.TrimSpace(line))); line != "" {
			return Cut(line, maxName)
		}
	}
	return Cut(strings.TrimSpace(visible.Line(instead)), maxName)
}

// Cut is at most so many characters of a text.
func Cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most-1])) + "…"
}

// Body ends a text with one newline; a blank one is empty.
func Body(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return strings.TrimRight(s, "\n") + "\n"
}

// Actor is who a name without a kind means; System where it cannot be one.
func (f *Format) Actor(kind, name string) model.Actor {
	if name = strings.TrimSpace(name); name == "" || visible.Line(name) != name {
		return f.System
	}
	return model.Actor(kind + ":" + name)
}

// Raw is a value as JSON.
func Raw(key string, v any) model.ExtraField {
	b, err := json.Marshal(v)
	if err != nil {
		b = []byte("null")
	}
	return model.ExtraField{Key: key, Value: b}
}

// Null is a member that is null.
func Null(key string) model.ExtraField { return model.ExtraField{Key: key, Value: []byte("null")} }

// TextOrNull is a member that is a text, or null where there is none.
func TextOrNull(key, text string) model.ExtraField {
	if text == "" {
		return Null(key)
	}
	return model.TextField(key, text)
}
