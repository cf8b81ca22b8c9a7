// Package args takes the arguments of a request apart and puts them together again: what is in them stays as it was
// written.
package args

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Field is one member of the arguments of a request.
type Field struct {
	Name string
	Raw  []byte        // its value as it was written
	Kind jsontext.Kind // of the value: '"', '0', 't', 'f' or 'n'
	Text string        // the value as it is typed: without quotes
}

// Flat are the members of a JSON object in which nothing is nested, in their order; false
// for any other.
func Flat(args []byte) ([]Field, bool) {
	members, err := Members(args)
	if err != nil {
		return nil, false
	}
	for _, m := range members {
		if m.Kind == '{' || m.Kind == '[' {
			return nil, false
		}
	}
	return members, true
}

var errNoObject = errors.New("it isn't a JSON object")

// Members are the members of a JSON object.
func Members(args []byte) ([]Field, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(args))
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	if tok.Kind() != '{' {
		return nil, errNoObject
	}
	var out []Field
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		f := Field{Name: name.String()}
		val, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		f.Raw, f.Kind = bytes.Clone(val), val.Kind()
		f.Text = string(f.Raw)
		if f.Kind == '"' {
			plain, err := jsontext.AppendUnquote(nil, f.Raw)
			if err != nil {
				return nil, err
			}
			f.Text = string(plain)
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

// IsLine reports whether the value can be typed in one line.
func (f *Field) IsLine() bool { return f.Kind != '"' || !strings.ContainsAny(f.Text, "\n\r") }

// What says which type a value has.
func (f *Field) What() string {
	switch f.Kind {
	case '"':
		return "text"
	case '0':
		return "number"
	case 't', 'f':
		return "true or false"
	}
	return "null"
}

// Typed is the value for what was typed; its type stays what it is, and what was not changed
// stays as it was written.
func (f *Field) Typed(s string) ([]byte, error) {
	if s == f.Text {
		return f.Raw, nil
	}
	if f.Kind == '"' {
		return jsontext.AppendQuote(nil, s)
	}
	v := jsontext.Value(strings.TrimSpace(s))
	ok := v.IsValid()
	switch f.Kind {
	case '0':
		ok = ok && v.Kind() == '0'
	case 't', 'f':
		ok = ok && (v.Kind() == 't' || v.Kind() == 'f')
	default:
		ok = ok && v.Kind() == 'n'
	}
	if !ok {
		return nil, errors.New("it must be " + map[bool]string{true: "a number", false: f.What()}[f.Kind == '0'])
	}
	return v, nil
}

// Join is the object of members with other values.
func Join(fields []Field, values [][]byte) ([]byte, error) {
	out := []byte{'{'}
	for i := range fields {
		if i > 0 {
			out = append(out, ',', ' ')
		}
		var err error
		if out, err = jsontext.AppendQuote(out, fields[i].Name); err != nil {
			return nil, err
		}
		out = append(out, ':', ' ')
		out = append(out, values[i]...)
	}
	return append(out, '}'), nil
}

// Same reports whether two objects say the same but for blanks.
func Same(a, b []byte) bool {
	x, y := jsontext.Value(bytes.Clone(a)), jsontext.Value(bytes.Clone(b))
	if x.Compact() != nil || y.Compact() != nil {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(x, y)
}

// Pretty is a JSON object with its members on lines of their own: what is in them is as it
// was written. What is no JSON stays what it is.
func Pretty(args []byte) string {
	v := jsontext.Value(bytes.Clone(args))
	if err := v.Indent(jsontext.WithIndent("  "), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)); err != nil {
		return string(args)
	}
	return string(v)
}

// Compact is a value without blanks between its parts; what is no JSON stays what it is.
func Compact(raw []byte) string {
	v := jsontext.Value(bytes.Clone(raw))
	if v.Compact() != nil {
		return string(raw)
	}
	return string(v)
}
