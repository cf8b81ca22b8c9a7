package ui

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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
