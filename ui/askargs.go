package ui

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// argField is one member of the arguments of a request.
type argField struct {
	name string
	raw  []byte        // its value as it was written
	kind jsontext.Kind // of the value: '"', '0', 't', 'f' or 'n'
	text string        // the value as it is typed: without quotes
}

// flatArgs are the members of a JSON object in which nothing is nested, in their order; false
// for any other.
func flatArgs(args []byte) ([]argField, bool) {
	members, err := argMembers(args)
	if err != nil {
		return nil, false
	}
	for _, m := range members {
		if m.kind == '{' || m.kind == '[' {
			return nil, false
		}
	}
	return members, true
}

var errNoObject = errors.New("it isn't a JSON object")

// argMembers are the members of a JSON object.
func argMembers(args []byte) ([]argField, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(args))
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	if tok.Kind() != '{' {
		return nil, errNoObject
	}
	var out []argField
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		f := argField{name: name.String()}
		val, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		f.raw, f.kind = bytes.Clone(val), val.Kind()
		f.text = string(f.raw)
		if f.kind == '"' {
			plain, err := jsontext.AppendUnquote(nil, f.raw)
			if err != nil {
				return nil, err
			}
			f.text = string(plain)
		}
		out = append(out, f)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errNoObject // something follows it
	}
	return out, nil
}

// isLine reports whether the value can be typed in one line.
func (f *argField) isLine() bool { return f.kind != '"' || !strings.ContainsAny(f.text, "\n\r") }

// what says which type a value has.
func (f *argField) what() string {
	switch f.kind {
	case '"':
		return "text"
	case '0':
		return "number"
	case 't', 'f':
		return "true or false"
	}
	return "null"
}

// typed is the value for what was typed; its type stays what it is, and what was not changed
// stays as it was written.
func (f *argField) typed(s string) ([]byte, error) {
	if s == f.text {
		return f.raw, nil
	}
	if f.kind == '"' {
		return jsontext.AppendQuote(nil, s)
	}
	v := jsontext.Value(strings.TrimSpace(s))
	ok := v.IsValid()
	switch f.kind {
	case '0':
		ok = ok && v.Kind() == '0'
	case 't', 'f':
		ok = ok && (v.Kind() == 't' || v.Kind() == 'f')
	default:
		ok = ok && v.Kind() == 'n'
	}
	if !ok {
		return nil, sentence("It must be " + map[bool]string{true: "a number", false: f.what()}[f.kind == '0'] + ".")
	}
	return v, nil
}

// joinArgs is the object of members with other values.
func joinArgs(fields []argField, values [][]byte) ([]byte, error) {
	out := []byte{'{'}
	for i := range fields {
		if i > 0 {
			out = append(out, ',', ' ')
		}
		var err error
		if out, err = jsontext.AppendQuote(out, fields[i].name); err != nil {
			return nil, err
		}
		out = append(out, ':', ' ')
		out = append(out, values[i]...)
	}
	return append(out, '}'), nil
}

// sameArgs reports whether two objects say the same but for blanks.
func sameArgs(a, b []byte) bool {
	x, y := jsontext.Value(bytes.Clone(a)), jsontext.Value(bytes.Clone(b))
	if x.Compact() != nil || y.Compact() != nil {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(x, y)
}

func (s *askSheet) options() {
	if len(s.q.Options) == 0 {
		return
	}
	note := ""
	if slices.Contains(s.q.Allowed(), model.DecideChoose) {
		note = "the number chooses"
		if s.v.box == nil && !(s.v.picked && s.v.fits) {
			note = strings.TrimSpace(s.a.keyHint(keymap.Open, "opens it, and") + " the number chooses")
		}
		if len(s.q.Options) > len(s.a.chooseKeys()) {
			note += "; " + s.a.keyHint(keymap.RequestOptions, "lists all")
		}
	}
	s.head("Options", note)
	keys := s.a.chooseKeys()
	for i, o := range s.q.Options {
		label := strconv.Itoa(i + 1)
		if i < len(keys) {
			label = keymap.KeyLabel(keys[i])
		}
		lead := s.st.Key.Render(text.PadLeft(label, 3)) + "  "
		for _, l := range text.Wrap(text.SafeLine(o), max(4, s.w-5)) {
			s.add(lead + s.st.Text.Render(l))
			lead = text.Spaces(5)
		}
		s.does(o)
	}
}

// does says what an option does by itself, or why it cannot now.
func (s *askSheet) does(option string) {
	c, ok := lifecycle.ChoiceOf(s.q, option)
	if !ok || !s.q.IsOpen() || s.v.gone {
		return
	}
	say := func(ink style.Ink, words string) {
		for _, l := range text.Wrap(text.SafeLine(words), max(4, s.w-5)) {
			s.add(text.Spaces(5) + ink.Render(l))
		}
	}
	words := c.Does
	if c.Words {
		words += " You give a reason."
	}
	say(s.st.Muted, words)
	if _, err := c.Preview(sight{s.a.snap, s.a.sheets()}, s.q, s.a.deps.Actor); err != nil {
		say(s.st.Warn, "not now: "+s.a.refused(s.a.title(model.AnswerRequest), err).why)
	}
}

// command adds what would run, with the words marked that destroy things or get around a check, and named below it.
func (s *askSheet) command(ink style.Ink, body string) {
	found := dangersIn(body)
	s.drawn(body, func(l string) string {
		var marks [][2]int
		for _, w := range found {
			marks = append(marks, rows.Occurrences(l, w)...)
		}
		slices.SortFunc(marks, func(x, y [2]int) int { return cmp.Compare(x[0], y[0]) })
		return rows.NewLine(text.Width(l), style.Ink{}).AddMatches(ink, s.st.Bad, l, marks).String()
	})
	if len(found) == 0 {
		return
	}
	for _, line := range text.Wrap(s.st.Glyph.Warning+" "+text.SafeLine(strings.Join(found, ", ")), s.w) {
		s.add(s.st.Bad.Render(line))
	}
}

// dangerWords are the words that a request marks, in lower case. docs/guide.md lists them.
func dangerWords() []string {
	return []string{
		"rm -rf", "rm -fr", "rm -r", "--force", "--hard", "--no-verify", "--delete", "--mirror", "--privileged", "--no-preserve-root",
		"git clean", "git push -f", "sudo", "mkfs", "dd if=", "chmod -r", "chown -r", "shred", "> /dev/", "drop table", "drop database",
		"drop schema", "truncate", "delete from", "| sh", "| bash", "|sh", "|bash", "eval ", "kubectl delete", "terraform destroy",
	}
}

// dangersIn are the dangerous words of a text, however it is spaced; of two that say the same the longer one.
func dangersIn(body string) (out []string) {
	body = " " + strings.ToLower(strings.Join(strings.Fields(body), " ")) + " "
	for _, w := range dangerWords() {
		if strings.Contains(body, w) && !slices.ContainsFunc(out, func(o string) bool { return strings.Contains(o, w) }) {
			out = append(out, w)
		}
	}
	return out
}
