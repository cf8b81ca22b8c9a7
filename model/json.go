package model

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MaxJSON is the largest JSON file that is read, in bytes. A reader of files need
	// never read more than one byte beyond it.
	MaxJSON = 4 << 20
	// MaxDepth bounds how deep a value may be nested, so that no later walk over kept
	// values can run out of stack.
	MaxDepth = 64
	// maxProblems bounds the problems listed for one file.
	maxProblems = 20
)

// Get is the raw JSON value of key.
func (e Extra) Get(key string) ([]byte, bool) {
	for i := range e {
		if e[i].Key == key {
			return e[i].Value, true
		}
	}
	return nil, false
}

// ByKey is Get for many keys.
func (e Extra) ByKey() map[string][]byte {
	m := make(map[string][]byte, len(e))
	for i := range e {
		if _, twice := m[e[i].Key]; !twice {
			m[e[i].Key] = e[i].Value
		}
	}
	return m
}

// Text is the value of key when it is a JSON string, unquoted.
func (e Extra) Text(key string) (string, bool) {
	raw, ok := e.Get(key)
	if !ok || !isString(raw) {
		return "", false
	}
	return unquote(raw), true
}

// With is a copy of e in which key has the value: in its old place, or at the end.
func (e Extra) With(field ExtraField) Extra {
	c := make(Extra, len(e), len(e)+1)
	copy(c, e)
	for i := range c {
		if c[i].Key == field.Key {
			c[i] = field
			return c
		}
	}
	return append(c, field)
}

// Without is a copy of e that lacks key; nil when nothing is left.
func (e Extra) Without(key string) Extra {
	var c Extra
	for _, f := range e {
		if f.Key != key {
			c = append(c, f)
		}
	}
	return c
}

// Text is the value for people: the string itself when it is a JSON string, and the JSON
// text of anything else.
func (f ExtraField) Text() string {
	if isString(f.Value) {
		return unquote(f.Value)
	}
	return string(f.Value)
}

// TextField is a field whose value is a string.
func TextField(key, text string) ExtraField {
	return ExtraField{Key: key, Value: appendQuoted(nil, text)}
}

// IntField is a field whose value is a whole number.
func IntField(key string, n int) ExtraField {
	return ExtraField{Key: key, Value: strconv.AppendInt(nil, int64(n), 10)}
}

// TimeField is a field whose value is a time as FormatTime writes it; null where there is none.
func TimeField(key string, t time.Time) ExtraField {
	if t.IsZero() {
		return ExtraField{Key: key, Value: []byte("null")}
	}
	return TextField(key, FormatTime(t))
}

// ListField is a field whose value is a list of strings.
func ListField[T ~string](key string, items []T) ExtraField {
	w := writer{}
	list(&w, items)
	return ExtraField{Key: key, Value: CompactJSON(w.buf)}
}

// ObjectField is a field whose value is an object of fields, in their order.
func ObjectField(key string, fields Extra) ExtraField {
	w := writer{}
	w.fields(fields)
	return ExtraField{Key: key, Value: CompactJSON(w.buf)}
}

// EncodeFields writes an object of fields in their order as a file of the store is
// written: two-space indent and a final newline. Of several fields with one key the first
// is written.
func EncodeFields(fields Extra) []byte {
	w := writer{}
	w.fields(fields)
	return append(w.buf, '\n')
}

// DecodeFields reads any JSON object into its fields, in file order, with raw values
// freed of white space.
func DecodeFields(path string, b []byte) (Extra, []Problem) {
	r := reader{path: path, src: b}
	m, ok := r.document()
	if !ok {
		return nil, r.problems
	}
	for m.next() {
		r.keep(m)
	}
	fields := r.kept(nil)
	for i := range fields {
		fields[i].Value = CompactJSON(fields[i].Value)
	}
	return fields, r.problems
}

// CompactJSON is a value without white space; a value that is not JSON is returned as it is.
func CompactJSON(raw []byte) []byte {
	if len(raw) == 0 || (raw[0] != '{' && raw[0] != '[') {
		return raw
	}
	out, err := jsontext.AppendFormat(nil, raw, jsontext.PreserveRawStrings(true))
	if err != nil {
		return raw
	}
	return out
}

// FormatTime writes a time the way every file of the store has it: RFC 3339,
// UTC, with three digits of fraction unless they are all zero. Anything finer than a
// millisecond is cut off.
func FormatTime(t time.Time) string { return string(appendTime(nil, t)) }

func appendTime(buf []byte, t time.Time) []byte {
	t = t.UTC()
	if t.Nanosecond() < int(time.Millisecond) {
		return t.AppendFormat(buf, "2006-01-02T15:04:05Z")
	}
	return t.AppendFormat(buf, "2006-01-02T15:04:05.000Z")
}

// ParseTime reads RFC 3339 with any fraction and offset, and also a space for the T,
// lower-case letters, and no offset at all, which reads as UTC. The result is in UTC and
// cut to milliseconds, so that what is written is what was read.
func ParseTime(s string) (time.Time, bool) {
	if t, ok := parseStamp(s); ok {
		return t, true
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		const date = len("2006-01-02")
		if len(s) <= date+1 || (s[date] != ' ' && s[date] != 't' && s[date] != 'T') {
			return time.Time{}, false
		}
		clock := s[date+1:]
		switch last := clock[len(clock)-1]; {
		case last == 'z':
			clock = clock[:len(clock)-1] + "Z"
		case last != 'Z' && !strings.ContainsAny(clock, "+-"):
			clock += "Z"
		}
		t, err = time.Parse(time.RFC3339, s[:date]+"T"+clock)
		if err != nil {
			return time.Time{}, false
		}
	}
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return time.Time{}, false // an offset moved it out of what RFC 3339 can say
	}
	if ns := t.Nanosecond() % int(time.Millisecond); ns != 0 {
		t = t.Add(-time.Duration(ns))
	}
	return t, true
}

// parseStamp is ParseTime for times as FormatTime writes them, and finer ones: a tenth of
// the cost of the general way, which counts when 100,000 tasks are read.
func parseStamp[T string | []byte](s T) (time.Time, bool) {
	const layout = "0000-00-00T00:00:00"
	if len(s) <= len(layout) || s[len(s)-1] != 'Z' {
		return time.Time{}, false
	}
	var n [6]int // year, month, day, hour, minute, second
	field := 0
	for i := range len(layout) {
		c := s[i]
		if layout[i] != '0' {
			if c != layout[i] {
				return time.Time{}, false
			}
			field++
			continue
		}
		if c < '0' || c > '9' {
			return time.Time{}, false
		}
		n[field] = n[field]*10 + int(c-'0')
	}
	millis := 0
	if fraction := s[len(layout) : len(s)-1]; len(fraction) > 0 {
		if fraction[0] != '.' || len(fraction) == 1 || len(fraction) > 10 {
			return time.Time{}, false
		}
		for i, unit := 1, 100; i < len(fraction); i, unit = i+1, unit/10 {
			if fraction[i] < '0' || fraction[i] > '9' {
				return time.Time{}, false
			}
			millis += unit * int(fraction[i]-'0')
		}
	}
	if n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31 || n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return time.Time{}, false
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], millis*int(time.Millisecond), time.UTC)
	if t.Day() != n[2] {
		return time.Time{}, false // no such day in that month
	}
	return t, true
}

func isString(raw []byte) bool { return len(raw) >= 2 && raw[0] == '"' }

// unquote is the text of a valid JSON string, which it copies.
func unquote(raw []byte) string {
	body := raw[1 : len(raw)-1]
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body)
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return string(body) // not valid: Extra was built by hand
	}
	return string(text)
}

// BoolField is a field with a truth value.
func BoolField(key string, b bool) ExtraField {
	return ExtraField{Key: key, Value: fmt.Append(nil, b)}
}

// SameJSON reports that a and b are one value: white space, the order of members and how
// strings are escaped do not count, the digits of a number do. nil is the same as null.
func SameJSON(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(canonicalJSON(a), canonicalJSON(b))
}

func canonicalJSON(b []byte) []byte {
	if len(b) == 0 {
		return []byte("null")
	}
	v := jsontext.Value(bytes.Clone(b))
	if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return b
	}
	return v
}

// sameKey compares names the way careless readers do: without regard to case, "_" and
// "-". encoding/json for one takes "APPROVED" for "approved".
func sameKey(a, b string) bool {
	i, j := 0, 0
	for {
		for i < len(a) && (a[i] == '_' || a[i] == '-') {
			i++
		}
		for j < len(b) && (b[j] == '_' || b[j] == '-') {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		c, d := a[i], b[j]
		if c >= 0x80 || d >= 0x80 {
			strip := strings.NewReplacer("_", "", "-", "")
			return strings.EqualFold(strip.Replace(a), strip.Replace(b))
		}
		if lower(c) != lower(d) {
			return false
		}
		i, j = i+1, j+1
	}
}

// nearKey reports a name that somebody may have meant for a key: sameKey, or one with a letter added, left
// out, replaced, or two exchanged.
func nearKey(name, key string) bool {
	if sameKey(name, key) {
		return true
	}
	a, b := []byte(strings.ToLower(name)), []byte(key)
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 1:
		return bytes.Equal(a[i:], b[i+1:])
	case 0:
		return bytes.Equal(a[min(i+1, len(a)):], b[min(i+1, len(b)):]) ||
			i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && bytes.Equal(a[i+2:], b[i+2:])
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
