package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// The kinds of Edit.
const (
	Root    = "root"    // the text had no value: an empty object
	Member  = "member"  // a member of an object
	Element = "element" // an element of an array
	Replace = "replace" // another value of a member
)

// Edit is one change that was made to a text.
type Edit struct {
	Kind string   `json:"kind"`
	Path []string `json:"path,omitempty"` // of the object or the array; of the value for Replace
	Key  string   `json:"key,omitempty"`
	// Holder is set for an object or an array that was made to hold what is in it: it goes when it is empty.
	Holder bool            `json:"holder,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"` // what was written
	Was    string          `json:"was,omitempty"`   // what it took the place of
	// What was written around it.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Set makes sure that the member at a path has a value, and makes the objects that lead there. Members of
// objects that are there already stay. No edits: it was so.
func (d *Doc) Set(value any, path ...string) (edits []Edit, err error) {
	is, ok, err := d.Get(path...)
	switch {
	case err != nil:
		return nil, err
	case ok && Same(is, value):
		return nil, nil
	case ok:
		e, err := d.replace(path, value)
		return []Edit{e}, err
	}
	up, key := path[:len(path)-1], path[len(path)-1]
	if edits, err = d.holders(up, map[string]any{}); err != nil {
		return edits, err
	}
	e, err := d.addMember(up, key, value)
	if err != nil {
		return edits, err
	}
	return append(edits, e), nil
}

// Add makes sure that the array at a path has an element, and makes the array where there is none.
func (d *Doc) Add(value any, path ...string) (edits []Edit, err error) {
	if edits, err = d.holders(path, []any{}); err != nil {
		return edits, err
	}
	v, err := d.find(path)
	if err != nil {
		return edits, err
	}
	arr, ok := v.Value.(*hujson.Array)
	if !ok {
		return edits, d.errorAt(v, "%s is no list", name(path))
	}
	for i := range arr.Elements {
		if Same(decode(arr.Elements[i]), value) {
			return edits, nil
		}
	}
	before, after, err := d.insert(v, "", value)
	if err != nil {
		return edits, err
	}
	return append(edits, Edit{Kind: Element, Path: path, Value: marshal(value), Before: before, After: after}), nil
}

// holders makes the objects that lead to a path, and there an empty value of the last one's kind.
func (d *Doc) holders(path []string, last any) (edits []Edit, err error) {
	if d.empty {
		nl := "\n"
		if bytes.Contains(d.src, []byte("\r\n")) {
			nl = "\r\n"
		}
		text := "{}" + nl
		if n := len(d.src); n > 0 && d.src[n-1] != '\n' {
			text = nl + text
		}
		if err := d.change(patch{len(d.src), len(d.src), text}); err != nil {
			return nil, err
		}
		edits = append(edits, Edit{Kind: Root, Before: text})
	}
	for k := range path {
		v, err := d.find(path[:k+1])
		if err != nil {
			return edits, err
		}
		if v != nil {
			continue
		}
		empty := any(map[string]any{})
		if k == len(path)-1 {
			empty = last
		}
		e, err := d.addMember(path[:k], path[k], empty)
		if err != nil {
			return edits, err
		}
		e.Holder = true
		edits = append(edits, e)
	}
	return edits, nil
}

func (d *Doc) addMember(up []string, key string, value any) (Edit, error) {
	v, err := d.find(up)
	if err != nil {
		return Edit{}, err
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return Edit{}, d.errorAt(v, "%s is no object", name(up))
	}
	before, after, err := d.insert(v, key, value)
	return Edit{Kind: Member, Path: slices.Clone(up), Key: key, Value: marshal(value), Before: before, After: after}, err
}

func (d *Doc) replace(path []string, value any) (Edit, error) {
	v, err := d.find(path)
	if err != nil {
		return Edit{}, err
	}
	from, to := v.StartOffset, v.EndOffset
	was := string(d.src[from:to])
	text := d.render(value, lineIndent(d.src, from), strings.Contains(was, "\n") || !d.inline())
	return Edit{Kind: Replace, Path: slices.Clone(path), Value: marshal(value), Was: was}, d.change(patch{from, to, text})
}

// span is the place of a member or an element.
type span struct{ from, to, comma int } // comma is its offset, -1 where none follows

// composite is an object or an array by its offsets.
type composite struct {
	open, shut int // the inside
	items      []span
}

func (d *Doc) composite(v *hujson.Value) composite {
	c := composite{open: v.StartOffset + 1, shut: v.EndOffset - 1}
	add := func(from int, last *hujson.Value) {
		s := span{from: from, to: last.EndOffset, comma: -1}
		if at := last.EndOffset + len(last.AfterExtra); at < c.shut && d.src[at] == ',' {
			s.comma = at
		}
		c.items = append(c.items, s)
	}
	switch t := v.Value.(type) {
	case *hujson.Object:
		for i := range t.Members {
			add(t.Members[i].Name.StartOffset, &t.Members[i].Value)
		}
	case *hujson.Array:
		for i := range t.Elements {
			add(t.Elements[i].StartOffset, &t.Elements[i])
		}
	}
	return c
}

// insert puts a member, or an element where key is "" and v an array, behind all others, and says which
// white space it wrote around it.
func (d *Doc) insert(v *hujson.Value, key string, value any) (before, after string, err error) {
	c := d.composite(v)
	from := c.open // behind it are only white space and comments
	last := span{comma: -1}
	if n := len(c.items); n > 0 {
		last = c.items[n-1]
		if from = last.to; last.comma >= 0 {
			from = last.comma + 1
		}
	}
	at, lineComment := endOfComments(d.src, from, c.shut)
	nl, base := d.newline(), lineIndent(d.src, v.StartOffset)
	indent := base + d.indent()
	spread := !d.inline()
	if len(c.items) > 0 {
		head := d.src[c.open:c.items[0].from]
		if spread = bytes.Contains(head, []byte("\n")); spread {
			indent = lineIndent(d.src, c.items[0].from)
		}
	}
	tail := d.src[at:c.shut]
	switch {
	case spread || lineComment:
		before = nl + indent
		if len(c.items) == 0 && !bytes.Contains(tail, []byte("\n")) {
			after = nl + base
		}
	case len(c.items) > 0:
		before = " "
	}
	text := d.render(value, indent, spread)
	if _, isObject := v.Value.(*hujson.Object); isObject {
		text = string(hujson.String(key)) + ": " + text
	}
	patches := []patch{{at, at, before + text + after}}
	switch {
	case last.comma >= 0:
		patches[0].text = before + text + ","
	case len(c.items) > 0 && last.to == at:
		patches[0].text = "," + patches[0].text
	case len(c.items) > 0:
		patches = append(patches, patch{last.to, last.to, ","})
	}
	return before, after, d.change(patches...)
}

// endOfComments is the offset behind the last comment in src[from:to], without the line feed that ends it;
// from where there is none.
func endOfComments(src []byte, from, to int) (end int, line bool) {
	end = from
	for i := from; i < to; i++ {
		if src[i] != '/' {
			continue
		}
		line = src[i+1] == '/'
		last := min(skipComment(src, i), to-1)
		if i = last; line && last >= 0 && src[last] == '\r' {
			last--
		}
		end = last + 1
	}
	return end, line
}

// newline is how lines end here.
func (d *Doc) newline() string {
	if i := bytes.IndexByte(d.src, '\n'); i > 0 && d.src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// inline reports that the whole value stands in one line, and is not empty.
func (d *Doc) inline() bool {
	c := d.composite(&d.root)
	return len(c.items) > 0 && !bytes.Contains(d.src[c.open:c.shut], []byte("\n"))
}

// indent is the indentation of one level.
func (d *Doc) indent() string {
	c := d.composite(&d.root)
	if len(c.items) > 0 {
		if in := lineIndent(d.src, c.items[0].from); in != "" && bytes.Contains(d.src[c.open:c.items[0].from], []byte("\n")) {
			return in
		}
	}
	return "  "
}

// lineIndent is the white space that the line of an offset begins with.
func lineIndent(src []byte, at int) string {
	from := bytes.LastIndexByte(src[:at], '\n') + 1
	to := from
	for to < at && (src[to] == ' ' || src[to] == '\t') {
		to++
	}
	return string(src[from:to])
}

// render writes a value: objects and lists of them over several lines where it is to be spread.
func (d *Doc) render(value any, indent string, spread bool) string {
	var b strings.Builder
	d.write(&b, plain(value), indent, spread)
	return b.String()
}

func (d *Doc) write(b *strings.Builder, v any, indent string, spread bool) {
	nl, deeper := d.newline()+indent, indent+d.indent()
	sep, open := ", ", ""
	put := func(n int, left, right string, item func(i int)) {
		b.WriteString(left)
		for i := range n {
			if i > 0 {
				b.WriteString(sep)
			} else {
				b.WriteString(open)
			}
			item(i)
		}
		if n > 0 && open != "" {
			b.WriteString(nl)
		}
		b.WriteString(right)
	}
	switch v := v.(type) {
	case map[string]any:
		if spread {
			sep, open = ","+d.newline()+deeper, d.newline()+deeper
		}
		keys := orderedKeys(v)
		put(len(keys), "{", "}", func(i int) {
			b.WriteString(string(hujson.String(keys[i])) + ": ")
			d.write(b, v[keys[i]], deeper, spread)
		})
	case []any:
		if spread && slices.ContainsFunc(v, func(e any) bool { _, is := e.(map[string]any); return is }) {
			sep, open = ","+d.newline()+deeper, d.newline()+deeper
		}
		put(len(v), "[", "]", func(i int) { d.write(b, v[i], deeper, spread) })
	case string:
		b.WriteString(string(hujson.String(v)))
	default:
		fmt.Fprint(b, string(marshal(v)))
	}
}

// orderedKeys are the keys as people write them: what something is before what it does.
func orderedKeys(m map[string]any) []string {
	first := []string{"type", "matcher", "command", "args", "hooks"}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	rank := func(k string) int {
		if i := slices.Index(first, k); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return keys
}

func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}
