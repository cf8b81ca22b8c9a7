package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
)

// Value is a JSON value: nil for none and for null, or bool, json.Number, string, []any, map[string]any.
type Value = any

// Parse reads one JSON value.
func Parse(b []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v Value
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	if isDeeper(v, maxDepth) {
		return nil, errDeep
	}
	return v, nil
}

// maxDepth bounds how deep values are nested, as for all files of a store.
const maxDepth = 64

var errDeep = errors.New("it is nested too deeply")

func isDeeper(v Value, most int) bool {
	deeper := func(in Value) bool { return isDeeper(in, most-1) }
	switch v := v.(type) {
	case []any:
		return most == 0 || slices.ContainsFunc(v, deeper)
	case map[string]any:
		return most == 0 || slices.ContainsFunc(slices.Collect(maps.Values(v)), deeper)
	}
	return false
}

// Encode writes a value in one line, the keys of objects in order.
func Encode(v Value) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null") // a value of another type, which Parse never gives
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func same(a, b Value) bool { return bytes.Equal(Encode(a), Encode(b)) }

// identities are the keys that tell the items of a list apart, the first that all of them have.
var identities = []string{"id", "text", "step", "key", "file"}

// list is a list of items with names: texts, or objects that one of identities tells apart.
type list struct {
	names []string
	items map[string]Value
}

// named gives the items of lists their names, in the same way for all of them; false where they cannot be told
// apart.
func named(lists ...Value) ([]list, bool) {
	for _, key := range append([]string{""}, identities...) {
		out, ok := make([]list, len(lists)), true
		for i, v := range lists {
			if out[i], ok = namedBy(key, v); !ok {
				break
			}
		}
		if ok {
			return out, true
		}
	}
	return nil, false
}

func namedBy(key string, v Value) (list, bool) {
	l := list{items: map[string]Value{}}
	items, ok := v.([]any)
	if v != nil && !ok {
		return l, false
	}
	for _, item := range items {
		name, ok := item.(string)
		if key != "" {
			in, _ := item.(map[string]any)
			name, ok = in[key].(string)
		}
		if _, twice := l.items[name]; !ok || twice {
			return l, false
		}
		l.names = append(l.names, name)
		l.items[name] = item
	}
	return l, true
}

func (l list) value() Value {
	out := make([]any, 0, len(l.names))
	for _, name := range l.names {
		if item, there := l.items[name]; there {
			out = append(out, item)
		}
	}
	return out
}

func (l *list) put(name string, v Value) {
	_, there := l.items[name]
	switch {
	case v == nil:
		delete(l.items, name) // value leaves its name out
	default:
		if !there {
			l.names = append(l.names, name)
		}
		l.items[name] = v
	}
}

func isObject(v Value) bool { _, ok := v.(map[string]any); return ok }
func isList(v Value) bool   { _, ok := v.([]any); return ok }

// either says whether a pair, or one of it where there is no other, is of a kind.
func either(is func(Value) bool, vs ...Value) bool {
	some := false
	for _, v := range vs {
		if v != nil && !is(v) {
			return false
		}
		some = some || v != nil
	}
	return some
}

// keysOf are the keys of objects, in order.
func keysOf(vs ...Value) []string {
	var keys []string
	for _, v := range vs {
		in, _ := v.(map[string]any)
		for k := range in {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func at(v Value, key string) Value {
	in, _ := v.(map[string]any)
	return in[key]
}
