package jsontree

import (
	"encoding/json"
	"strconv"
	"strings"
)

// A change is itself a JSON object with one key: what became of the value.
const (
	replaced = "="  // by this value; null: it was taken away
	inside   = "."  // an object: changes by key
	items    = "[]" // a list: changes by the name of the item
	added    = "+"  // a number: what was added
)

// Diff is the change from a to b; nil where they are the same. counters are the keys of a's numbers that count:
// of these the difference is what counts.
func Diff(a, b Value, counters ...string) Value {
	switch {
	case same(a, b):
		return nil
	case isObject(a) && isObject(b):
		changes := map[string]any{}
		for _, k := range keysOf(a, b) {
			if n, ok := difference(at(a, k), at(b, k), k, counters); ok {
				changes[k] = map[string]any{added: n}
			} else if c := Diff(at(a, k), at(b, k)); c != nil {
				changes[k] = c
			}
		}
		return map[string]any{inside: changes}
	case either(isList, a, b):
		ls, ok := named(a, b)
		if !ok {
			break
		}
		was, now := ls[0], ls[1]
		changes := map[string]any{}
		for _, name := range append(was.names, now.names...) {
			if c := Diff(was.items[name], now.items[name]); c != nil {
				changes[name] = c
			}
		}
		if len(changes) > 0 { // else only their order differs
			return map[string]any{items: changes}
		}
	}
	return map[string]any{replaced: b}
}

func difference(a, b Value, key string, counters []string) (json.Number, bool) {
	for _, c := range counters {
		if c == key {
			return json.Number(strconv.Itoa(number(b) - number(a))), number(a) != number(b)
		}
	}
	return "", false
}

func number(v Value) int {
	s, _ := v.(json.Number)
	n, _ := strconv.Atoi(string(s)) // 0 where it is none
	return n
}

// Apply repeats a change on a value. Where skip says so of a path, what the change does there is left out; nil
// skips nothing. A change of another form changes nothing.
func Apply(v, change Value, skip func(path string) bool) Value {
	return apply(v, change, "", skip)
}

func apply(v, change Value, path string, skip func(string) bool) Value {
	in, _ := change.(map[string]any)
	for kind, what := range in {
		switch kind {
		case replaced:
			if skip == nil || !skip(path) {
				v = what
			}
		case added:
			v = json.Number(strconv.Itoa(max(0, number(v)+number(what)))) // both sides may have set it back to 0
		case inside:
			next := map[string]any{}
			for _, k := range keysOf(v) {
				next[k] = at(v, k)
			}
			for _, k := range keysOf(what) {
				if n := apply(next[k], at(what, k), path+"/"+k, skip); n != nil {
					next[k] = n
				} else {
					delete(next, k)
				}
			}
			v = next
		case items:
			v = applyItems(v, what, path, skip)
		}
	}
	return v
}

func applyItems(v, what Value, path string, skip func(string) bool) Value {
	kinds := []Value{v}
	for _, name := range keysOf(what) {
		if c := at(at(what, name), replaced); c != nil {
			kinds = append(kinds, []any{c})
		}
	}
	ls, ok := named(kinds...)
	if !ok {
		return v
	}
	l := ls[0]
	for _, name := range keysOf(what) {
		l.put(name, apply(l.items[name], at(what, name), path+"/"+name, skip))
	}
	return l.value()
}

// Without is a change of an object without what it says of some keys; nil where nothing is left.
func Without(change Value, keys ...string) Value {
	changes, _ := at(change, inside).(map[string]any)
	left := map[string]any{}
	for k, c := range changes {
		if !strings.Contains("\x00"+strings.Join(keys, "\x00")+"\x00", "\x00"+k+"\x00") {
			left[k] = c
		}
	}
	if changes == nil || len(left) == len(changes) {
		return change
	}
	if len(left) == 0 {
		return nil
	}
	return map[string]any{inside: left}
}
