// Package settings changes settings files that people keep by hand, JSON with comments and TOML, by position:
// whatever is not changed stays as it is byte for byte, comments, order, indentation, line ends, a byte order mark
// and a missing last newline too.
//
// hujson keeps what stands between the values of JSON (json.go), and go-toml says where the statements of TOML are
// (toml.go).
package settings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Doc is a text with settings. A path is of keys, in JSON also of numbers from 0 for the elements of lists.
type Doc interface {
	// Bytes is the text.
	Bytes() []byte
	// Get is the value at a path. An error says that the path leads through something else than an object, or
	// through a key that stands twice.
	Get(path ...string) (value any, ok bool, err error)
	// Set makes sure that there is a value at a path, and makes what leads there.
	Set(value any, path ...string) error
	// Delete takes away what is at a path and below it, and what held it alone.
	Delete(path ...string) error
}

var bom = []byte("\xef\xbb\xbf")

// errorAt is why a text is left alone, with the line of an offset.
func errorAt(src []byte, offset int, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", 1+bytes.Count(src[:offset], []byte("\n")), fmt.Sprintf(format, args...))
}

// Newline is how the lines of a text end.
func Newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// startsLine reports that a line ends before anything else is written.
func startsLine(b []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(b, " \t\r"), []byte("\n"))
}

// Same reports whether two values, decoded or of Go types, are the same JSON; the order of keys does not matter.
func Same(a, b any) bool { return reflect.DeepEqual(plain(a), plain(b)) }

func plain(v any) any { return unmarshal(marshal(v)) }

func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

func unmarshal(b []byte) (out any) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if dec.Decode(&out) != nil {
		return nil
	}
	return out
}

// layout is how values are written: in one line, or objects and lists of them over several.
type layout struct {
	spread   bool
	nl, unit string // the end of a line, and the indentation of one level
}

// text is a plain value as it is written, in a line with an indentation.
func (l layout) text(v any, indent string) string {
	var items []string
	left, right := "{", "}"
	switch v := v.(type) {
	case map[string]any:
		for _, k := range orderedKeys(v) {
			items = append(items, string(marshal(k))+": "+l.text(v[k], indent+l.unit))
		}
	case []any:
		left, right = "[", "]"
		l.spread = l.spread && slices.ContainsFunc(v, func(e any) bool { _, is := e.(map[string]any); return is })
		for _, e := range v {
			items = append(items, l.text(e, indent+l.unit))
		}
	default:
		return string(marshal(v))
	}
	if !l.spread || len(items) == 0 {
		return left + strings.Join(items, ", ") + right
	}
	nl := l.nl + indent + l.unit
	return left + nl + strings.Join(items, ","+nl) + l.nl + indent + right
}

// orderedKeys are the keys as people write them: what something is before what it does.
func orderedKeys(m map[string]any) []string {
	last := []string{"hooks", "args", "command", "matcher", "type"}
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(slices.Index(last, b)-slices.Index(last, a), strings.Compare(a, b))
	})
}
