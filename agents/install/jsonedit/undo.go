package jsonedit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Undo takes an edit back, and says whether there was anything to take: what somebody has changed or taken
// away since stays as it is. The edits of a text are undone the last one first.
func (d *Doc) Undo(e Edit) (bool, error) {
	switch e.Kind {
	case Root:
		return d.undoRoot(e)
	case Replace:
		v, err := d.find(e.Path)
		if v == nil || err != nil || !Same(decode(*v), unmarshal(e.Value)) {
			return false, ignoreShape(err)
		}
		return true, d.change(patch{v.StartOffset, v.EndOffset, e.Was})
	}
	v, err := d.find(e.Path)
	if v == nil || err != nil {
		return false, ignoreShape(err)
	}
	switch t := v.Value.(type) {
	case *hujson.Object:
		if e.Kind != Member {
			return false, nil
		}
		i, err := d.member(t, e.Path, e.Key)
		if i < 0 || err != nil || !e.takes(&t.Members[i].Value) {
			return false, ignoreShape(err)
		}
		return true, d.remove(v, i, &e)
	case *hujson.Array:
		i := slices.IndexFunc(t.Elements, func(x hujson.Value) bool { return Same(decode(x), unmarshal(e.Value)) })
		if e.Kind != Element || i < 0 {
			return false, nil
		}
		return true, d.remove(v, i, &e)
	}
	return false, nil
}

// ignoreShape: what is in the way is the user's own, and stays.
func ignoreShape(error) error { return nil }

// takes reports whether what a member has now goes with it: what was made to hold others only when it is
// empty, a number or a text only as it was written, an object of its name however it looks by now.
func (e *Edit) takes(v *hujson.Value) bool {
	if e.Holder {
		return bare(v)
	}
	_, isObject := v.Value.(*hujson.Object)
	return isObject || Same(decode(*v), unmarshal(e.Value))
}

// undoRoot takes back an object that is empty again.
func (d *Doc) undoRoot(e Edit) (bool, error) {
	if d.empty || !bare(&d.root) || !bytes.HasSuffix(d.src, []byte(e.Before)) {
		return false, nil
	}
	at := len(d.src) - len(e.Before)
	return true, d.change(patch{at, len(d.src), ""})
}

// bare reports an object or a list in which there is nothing, no comment either.
func bare(v *hujson.Value) bool {
	switch t := v.Value.(type) {
	case *hujson.Object:
		return len(t.Members) == 0 && len(bytes.TrimSpace(t.AfterExtra)) == 0
	case *hujson.Array:
		return len(t.Elements) == 0 && len(bytes.TrimSpace(t.AfterExtra)) == 0
	}
	return false
}

// Remove takes the elements out of the array at a path that drop says yes to, each as it is decoded, and
// says how many these were.
func (d *Doc) Remove(drop func(value any) bool, path ...string) (n int, err error) {
	for {
		v, err := d.find(path)
		if v == nil || err != nil {
			return n, err
		}
		arr, ok := v.Value.(*hujson.Array)
		if !ok {
			return n, nil
		}
		i := slices.IndexFunc(arr.Elements, func(x hujson.Value) bool { return drop(decode(x)) })
		if i < 0 {
			return n, nil
		}
		if err := d.remove(v, i, nil); err != nil {
			return n, err
		}
		n++
	}
}

// Delete takes away the member at a path.
func (d *Doc) Delete(path ...string) (bool, error) {
	up, key := path[:len(path)-1], path[len(path)-1]
	v, err := d.find(up)
	if v == nil || err != nil {
		return false, err
	}
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return false, nil
	}
	i, err := d.member(obj, up, key)
	if i < 0 || err != nil {
		return false, err
	}
	return true, d.remove(v, i, nil)
}

// Prune takes away the object or the list at a path where there is nothing in it.
func (d *Doc) Prune(path ...string) (bool, error) {
	if v, err := d.find(path); v == nil || err != nil || !bare(v) {
		return false, err
	}
	return d.Delete(path...)
}

// remove takes item i out of a composite, with the white space that was written around it where the edit is
// known, else with that before it.
func (d *Doc) remove(v *hujson.Value, i int, e *Edit) error {
	c := d.composite(v)
	it := c.items[i]
	from, to := it.from, it.to
	known := e != nil && strings.HasSuffix(string(d.src[c.open:from]), e.Before)
	if known {
		from -= len(e.Before)
	} else {
		for from > c.open && isSpace(d.src[from-1]) {
			from--
		}
	}
	var more []patch
	switch last := i == len(c.items)-1; {
	case it.comma >= 0 && len(bytes.TrimSpace(d.src[to:it.comma])) == 0:
		to = it.comma + 1
	case it.comma >= 0:
		more = append(more, patch{it.comma, it.comma + 1, ""})
	case last && i > 0: // the comma before it has nothing left to part
		more = append(more, patch{c.items[i-1].comma, c.items[i-1].comma + 1, ""})
	}
	if len(c.items) == 1 {
		switch rest := d.src[to:c.shut]; {
		case known && bytes.HasPrefix(rest, []byte(e.After)):
			to += len(e.After)
		case !known && from == c.open && len(bytes.TrimSpace(rest)) == 0:
			to = c.shut
		}
	}
	start := c.open
	if i > 0 {
		start = c.items[i-1].to
	}
	if end, line := endOfComments(d.src, start, it.from); line && end == from && !startsLine(d.src[to:]) {
		from = it.from // else the comment in the line above would take in what follows
	}
	return d.change(append(more, patch{from, to, ""})...)
}

// startsLine reports that a line ends before anything else does.
func startsLine(b []byte) bool {
	return bytes.HasPrefix(bytes.TrimPrefix(b, []byte("\r")), []byte("\n"))
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
