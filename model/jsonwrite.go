package model

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// writer writes one JSON file in its canonical form: two-space indent, one
// member a line, nothing escaped that need not be, a final newline.
type writer struct {
	buf   []byte
	depth int
	some  bool // the open object or list has a member
	// extra are the unknown keys of the outermost object. One with the name of a known
	// key is a value that could not be read; it is written in that key's place as long
	// as nothing else has been set there.
	extra Extra
}

func (w *writer) open(bracket byte) {
	w.buf = append(w.buf, bracket)
	w.depth++
	w.some = false
}

func (w *writer) close(bracket byte) {
	w.depth--
	if w.some {
		w.line()
	}
	w.buf = append(w.buf, bracket)
	w.some = true
}

// nested opens an object with unknown keys of its own, or a list; endNested closes it and
// takes back the unknown keys of the object around it.
func (w *writer) nested(bracket byte, extra Extra) (outer Extra) {
	outer, w.extra = w.extra, extra
	w.open(bracket)
	return outer
}

func (w *writer) endNested(bracket byte, outer Extra) {
	w.close(bracket)
	w.extra = outer
}

func (w *writer) line() {
	w.buf = append(w.buf, '\n')
	for range w.depth {
		w.buf = append(w.buf, "  "...)
	}
}

// item begins the next element of a list.
func (w *writer) item() {
	if w.some {
		w.buf = append(w.buf, ',')
	}
	w.some = true
	w.line()
}

// name begins the next member of an object.
func (w *writer) name(key string) {
	w.item()
	w.buf = appendQuoted(w.buf, key)
	w.buf = append(w.buf, ": "...)
}

// member begins a known key of the outermost object and reports whether its value is
// still to be written. A zero value is left out, unless it is written always.
func (w *writer) member(key string, zero, always bool) bool {
	if zero {
		if raw, ok := w.extra.Get(key); ok {
			w.name(key)
			w.raw(raw)
			return false
		}
		if !always {
			return false
		}
	}
	w.name(key)
	return true
}

// timeValue writes null for no time.
func (w *writer) timeValue(t time.Time) {
	if t.IsZero() {
		w.buf = append(w.buf, "null"...)
		return
	}
	w.buf = append(w.buf, '"')
	w.buf = appendTime(w.buf, t)
	w.buf = append(w.buf, '"')
}

func list[T ~string](w *writer, items []T) {
	w.open('[')
	for _, s := range items {
		w.item()
		w.buf = appendQuoted(w.buf, string(s))
	}
	w.close(']')
}

// raw writes a value as it is. A value that is not JSON cannot have come from a file; it
// is written as a string, so that the file can be read again.
func (w *writer) raw(value []byte) {
	value = bytes.Trim(value, " \t\r\n")
	if !jsontext.Value(value).IsValid() {
		value = appendQuoted(nil, string(value))
	}
	w.buf = append(w.buf, value...)
}

// reindented writes a whole value with its lines indented to where it stands.
func (w *writer) reindented(value []byte) {
	out, err := jsontext.AppendFormat(nil, value, append(indentOptions("  "), jsontext.WithIndentPrefix(string(bytes.Repeat([]byte("  "), w.depth))))...)
	if err != nil {
		w.raw(value)
		return
	}
	w.buf = append(w.buf, out...)
}

// indentOptions ask for a formatting that changes white space only.
func indentOptions(indent string) []jsontext.Options {
	return []jsontext.Options{jsontext.WithIndent(indent), jsontext.PreserveRawStrings(true)}
}

// fields writes an object of values that no file prescribes the layout of. Of several
// with one key the first is written.
func (w *writer) fields(fields Extra) {
	w.open('{')
	w.others(fields, nil, w.reindented)
	w.close('}')
}

// verbatim is fields with every value as its file had it.
func (w *writer) verbatim(fields Extra) {
	w.open('{')
	w.others(fields, nil, w.raw)
	w.close('}')
}

func hasKey(fields Extra, key string) bool {
	_, ok := fields.Get(key)
	return ok
}

// rest writes the unknown keys: those that are none of known.
func (w *writer) rest(known []string) {
	w.others(w.extra, known, w.raw)
}

// others writes fields whose keys are none of known, the first of each key.
func (w *writer) others(fields Extra, known []string, value func([]byte)) {
	if len(fields) == 0 {
		return
	}
	done := make(map[string]bool, len(known))
	for _, key := range known {
		done[key] = true
	}
	for _, f := range fields {
		if !done[f.Key] {
			done[f.Key] = true
			w.name(f.Key)
			value(f.Value)
		}
	}
}

// file closes the outermost object.
func (w *writer) file() []byte {
	w.close('}')
	return append(w.buf, '\n')
}

// appendQuoted appends s as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendQuoted(buf []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			buf, _ = jsontext.AppendQuote(buf, s) // the error only says that bytes were replaced
			return buf
		}
	}
	buf = append(buf, '"')
	buf = append(buf, s...)
	return append(buf, '"')
}
