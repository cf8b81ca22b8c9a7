package jsontree

import "bytes"

// Merge is two versions of a value as one, by what became of base in each: what only one of them changed is
// taken over, objects and lists are merged key by key and item by item. Where both put another value in the
// same place, one is chosen by its bytes, a value before none.
func Merge(base, a, b Value) Value {
	switch {
	case same(a, b), same(base, b):
		return a
	case same(base, a):
		return b
	case isObject(a) && isObject(b):
		out := map[string]any{}
		for _, k := range keysOf(a, b) {
			if v := Merge(at(base, k), at(a, k), at(b, k)); v != nil {
				out[k] = v
			}
		}
		return out
	case isList(a) && isList(b):
		if !isList(base) {
			base = nil
		}
		if ls, ok := named(base, a, b); ok {
			return mergeLists(ls[0], ls[1], ls[2]).value()
		}
	}
	return Chosen(a, b)
}

// Chosen is the one of two values that stands where both cannot.
func Chosen(a, b Value) Value {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case bytes.Compare(Encode(a), Encode(b)) > 0:
		return a
	}
	return b
}

func mergeLists(base, a, b list) list {
	if bytes.Compare(Encode(a.value()), Encode(b.value())) > 0 {
		a, b = b, a
	}
	out := list{items: map[string]Value{}}
	for _, names := range [][]string{base.names, a.names, b.names} {
		for _, name := range names {
			if _, there := out.items[name]; !there {
				out.put(name, Merge(base.items[name], a.items[name], b.items[name]))
			}
		}
	}
	return out
}
