// Package args takes the arguments of a request apart: what is in them stays as it was written.
package args

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

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

var errNoObject = errors.New("write a JSON object in braces")

// Members are the members of a JSON object. The error says what is wrong with it, and on which line.
func Members(args []byte) ([]Field, error) {
	out, err := members(jsontext.NewDecoder(bytes.NewReader(args)))
	var bad *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return nil, errNoObject
	case errors.As(err, &bad):
		args = bytes.TrimRight(args, " \t\r\n") // what ends too early does so on the last line that says something
		at := min(int(bad.ByteOffset), len(args))
		return nil, fmt.Errorf("line %d isn't valid JSON: %s", 1+bytes.Count(args[:at], []byte("\n")), wrong(bad, args[at:]))
	}
	return out, err
}

// wrong says in words why a JSON text is wrong where its rest begins.
func wrong(bad *jsontext.SyntacticError, rest []byte) string {
	at, _ := utf8.DecodeRune(rest)
	switch {
	case errors.Is(bad, jsontext.ErrDuplicateName):
		return fmt.Sprintf("the name %q appears twice", bad.JSONPointer.LastToken())
	case errors.Is(bad, jsontext.ErrNonStringName):
		return "a name must be in quotes"
	case errors.Is(bad, io.ErrUnexpectedEOF):
		return "the text ends too early; a quote or a bracket is missing"
	case at == '\n':
		return "it ends too early; a quote may be missing"
	case at == '\\':
		return `\ begins no known escape; write \\ for a backslash`
	case strings.Contains(bad.Err.Error(), "expecting ','"):
		return fmt.Sprintf("a comma or a bracket is missing before %q", at)
	}
	return fmt.Sprintf("unexpected %q", at)
}

func members(dec *jsontext.Decoder) ([]Field, error) {
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
	switch _, err := dec.ReadToken(); {
	case err == nil: // something follows it
		return nil, errNoObject
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return out, nil
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
