// Package args takes the arguments of a request apart: what is in them stays as it was written.
package args

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Field is one member of the arguments of a request.
type Field struct {
	Name string
	Raw  []byte        // its value as it was written
	Kind jsontext.Kind // of the value
	Text string        // the value as it is read: without quotes
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

var errNoObject = errors.New("write one object in braces")

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
