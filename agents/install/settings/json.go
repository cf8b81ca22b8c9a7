package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"vespe/internal/lazyregexp"
)

const (
	maxDepth = 200
	space    = " \t\r\n"
)

// JSON is a text whose value is an object, or that has no value yet. Comments and commas too many may be in it.
type JSON struct {
	marked bool         // it begins with a byte order mark
	src    []byte       // without that, and with a newline more, which ends a comment in the last line
	root   hujson.Value // src; without a Value where it has none
}

// ParseJSON reads a text. An error says in which line it is no JSON.
func ParseJSON(text []byte) (*JSON, error) {
	d := &JSON{}
	text, d.marked = bytes.CutPrefix(text, bom)
	d.src = slices.Concat(text, []byte("\n"))
	if at := tooDeep(d.src); at >= 0 {
		return nil, errorAt(d.src, at, "it is nested more than %d deep", maxDepth)
	}
	var err error
	if d.root, err = hujson.Parse(d.src); err != nil {
		if _, blank := hujson.Parse(slices.Concat(d.src, []byte("null"))); blank != nil {
			line, column := 0, 0
			_, _ = fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column)
			return nil, fmt.Errorf("line %d: column %d: %w", line, column, errors.Unwrap(err))
		}
		d.root = hujson.Value{BeforeExtra: d.src}
	} else if _, ok := d.root.Value.(*hujson.Object); !ok {
		return nil, d.errorAt(&d.root, "it is not a JSON object")
	}
	return d, nil
}

var jsonToken = lazyregexp.New(`(?s)"(?:\\.|[^"\\])*"?|//[^\n]*|/\*.*?(?:\*/|\z)|[][{}]`)

// tooDeep is where the nesting passes maxDepth, before a parser that calls itself does; -1 for nowhere.
func tooDeep(src []byte) int {
	depth, at := 0, 0
	for {
		token := jsonToken.Get().FindIndex(src[at:])
		if token == nil {
			return -1
		}
		switch src[at+token[0]] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return at + token[0]
			}
		case '}', ']':
			depth--
		}
		at += token[1]
	}
}

// NotPlain is the line of the first thing for which a text is no plain JSON, a comment or a comma too many; 0 for one
// that is, a byte order mark apart.
func NotPlain(text []byte) (line int) {
	text = bytes.TrimPrefix(text, bom)
	var v any
	if bad := (*json.SyntaxError)(nil); errors.As(json.Unmarshal(text, &v), &bad) {
		return 1 + bytes.Count(text[:min(int(bad.Offset), len(text))], []byte("\n"))
	}
	return 0
}

// Bytes is the text.
func (d *JSON) Bytes() []byte {
	if src := d.src[:len(d.src)-1]; !d.marked {
		return src
	}
	return slices.Concat(bom, d.src[:len(d.src)-1])
}

// changed brings the text to what the values are.
func (d *JSON) changed() {
	d.root.UpdateOffsets()
	d.src = d.root.Pack()
}

func (d *JSON) errorAt(v *hujson.Value, format string, args ...any) error {
	return errorAt(d.src, v.StartOffset, format, args...)
}

func name(path []string) string {
	if len(path) == 0 {
		return "the whole"
	}
	return strings.Join(path, ".")
}

// Get is the value at a path, as encoding/json decodes it with numbers kept as they are written.
func (d *JSON) Get(path ...string) (value any, ok bool, err error) {
	v, err := d.find(path)
	if v == nil || err != nil {
		return nil, false, err
	}
	return decode(v), true, nil
}

// decode is a value without its comments.
func decode(v *hujson.Value) any {
	c := v.Clone()
	c.Standardize()
	return unmarshal(c.Pack())
}

// find is the value at a path; nil for none.
func (d *JSON) find(path []string) (*hujson.Value, error) {
	if d.root.Value == nil {
		return nil, nil
	}
	v := &d.root
	for k, key := range path {
		switch t := v.Value.(type) {
		case *hujson.Array:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(t.Elements) {
				return nil, d.errorAt(v, "%s is a list", name(path[:k]))
			}
			v = &t.Elements[i]
		case *hujson.Object:
			v = nil
			for i := range t.Members {
				if m := &t.Members[i]; m.Name.Value.(hujson.Literal).String() != key {
					continue
				} else if v != nil {
					return nil, d.errorAt(&m.Name, "%s appears twice, first in line %d. Remove one of them",
						name(path[:k+1]), 1+bytes.Count(d.src[:v.StartOffset], []byte("\n")))
				} else {
					v = &m.Value
				}
			}
			if v == nil {
				return nil, nil
			}
		default:
			return nil, d.errorAt(v, "%s is not an object", name(path[:k]))
		}
	}
	return v, nil
}

// Set makes sure that there is a value at a path. Members of objects that are there already stay.
func (d *JSON) Set(value any, path ...string) error {
	v, err := d.find(path)
	switch {
	case err != nil:
		return err
	case v == nil:
		return d.reach(path, value)
	case Same(decode(v), value):
		return nil
	}
	spread := bytes.ContainsRune(d.src[v.StartOffset:v.EndOffset], '\n') || !d.inline()
	v.Value = d.value(value, d.indent(v), spread)
	d.changed()
	return nil
}

// Add makes sure that the list at a path has an element, and makes the list where there is none.
func (d *JSON) Add(value any, path ...string) error {
	if err := d.reach(path, []any{}); err != nil {
		return err
	}
	v, _ := d.find(path)
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return d.errorAt(v, "%s is not a list", name(path))
	}
	if !slices.ContainsFunc(list.Elements, func(e hujson.Value) bool { return Same(decode(&e), value) }) {
		d.insert(path, "", value)
	}
	return nil
}

// reach makes the objects that lead to a path where they are missing, and a last value there.
func (d *JSON) reach(path []string, last any) (err error) {
	if d.root.Value == nil {
		nl, text := Newline(d.src), d.src[:len(d.src)-1]
		object := "{}" + nl
		if n := len(text); n > 0 && text[n-1] != '\n' {
			object = nl + object
		}
		d.src = slices.Concat(text, []byte(object+"\n"))
		if d.root, err = hujson.Parse(d.src); err != nil {
			return err
		}
	}
	for k, key := range path {
		v, err := d.find(path[:k+1])
		switch {
		case err != nil:
			return err
		case v != nil:
		case k == len(path)-1:
			d.insert(path[:k], key, last)
		default:
			d.insert(path[:k], key, map[string]any{})
		}
	}
	return nil
}

// items are the members of an object, or the elements of a list as members without a name.
func items(v *hujson.Value) (list []hujson.ObjectMember, tail hujson.Extra) {
	switch t := v.Value.(type) {
	case *hujson.Object:
		return t.Members, t.AfterExtra
	case *hujson.Array:
		for _, e := range t.Elements {
			list = append(list, hujson.ObjectMember{Value: e})
		}
		return list, t.AfterExtra
	}
	return nil, nil
}

func (d *JSON) setItems(v *hujson.Value, list []hujson.ObjectMember, tail hujson.Extra) {
	switch t := v.Value.(type) {
	case *hujson.Object:
		t.Members, t.AfterExtra = list, tail
	case *hujson.Array:
		t.Elements, t.AfterExtra = nil, tail
		for _, m := range list {
			t.Elements = append(t.Elements, m.Value)
		}
	}
	d.changed()
}

// first is what an item begins with.
func first(m *hujson.ObjectMember) *hujson.Value {
	if m.Name.Value != nil {
		return &m.Name
	}
	return &m.Value
}

// position is the index of an item; -1 where there is none.
func position(list []hujson.ObjectMember, key string) int {
	for i := range list {
		if n := list[i].Name.Value; n == nil && strconv.Itoa(i) == key || n != nil && n.(hujson.Literal).String() == key {
			return i
		}
	}
	return -1
}

// insert puts a member, or an element where there is no key, behind all others and behind the comments there.
func (d *JSON) insert(path []string, key string, value any) {
	v, _ := d.find(path) // reach has been there
	list, tail := items(v)
	comments := hujson.Extra(bytes.TrimRight(tail, space))
	tail = tail[len(comments):]
	base := d.indent(v)
	indent, spread := base+d.unit(), !d.inline()
	if len(list) > 0 {
		if spread = bytes.ContainsRune(first(&list[0]).BeforeExtra, '\n'); spread {
			indent = d.indent(first(&list[0]))
		}
	}
	nl, before := Newline(d.src), ""
	switch {
	case spread || openComment(comments):
		before = nl + indent
		if len(list) == 0 && !bytes.ContainsRune(tail, '\n') {
			tail = slices.Concat(hujson.Extra(nl+base), tail)
		}
	case len(list) > 0:
		before = " "
	}
	m := hujson.ObjectMember{Value: hujson.Value{Value: d.value(value, indent, spread)}}
	if key != "" {
		m.Name.Value, m.Value.BeforeExtra = hujson.String(key), hujson.Extra(" ")
	}
	first(&m).BeforeExtra = slices.Concat(comments, hujson.Extra(before))
	if len(list) > 0 && list[len(list)-1].Value.AfterExtra != nil { // a comma ends the list
		m.Value.AfterExtra = hujson.Extra{}
	}
	d.setItems(v, append(list, m), tail)
}

// openComment reports that a comment ends only with the line.
func openComment(b hujson.Extra) bool {
	_, err := hujson.Parse(slices.Concat(b, []byte("0")))
	return err != nil
}

// value is a value to be put into the text.
func (d *JSON) value(value any, indent string, spread bool) hujson.ValueTrimmed {
	v, _ := hujson.Parse([]byte(layout{spread, Newline(d.src), d.unit()}.text(plain(value), indent)))
	return v.Value
}

// inline reports that the whole value stands in one line, and is not empty.
func (d *JSON) inline() bool {
	list, _ := items(&d.root)
	return len(list) > 0 && !bytes.ContainsRune(d.src[d.root.StartOffset:d.root.EndOffset], '\n')
}

// unit is the indentation of one level.
func (d *JSON) unit() string {
	if list, _ := items(&d.root); len(list) > 0 && bytes.ContainsRune(first(&list[0]).BeforeExtra, '\n') {
		if in := d.indent(first(&list[0])); in != "" {
			return in
		}
	}
	return "  "
}

// indent is the white space that the line of a value begins with.
func (d *JSON) indent(v *hujson.Value) string {
	line := d.src[bytes.LastIndexByte(d.src[:v.StartOffset], '\n')+1 : v.StartOffset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// bare reports an object or a list in which there is nothing, no comment either.
func bare(v *hujson.Value) bool {
	list, tail := items(v)
	_, isLiteral := v.Value.(hujson.Literal)
	return !isLiteral && len(list) == 0 && len(bytes.TrimSpace(tail)) == 0
}

// Remove takes the elements out of the list at a path that drop says yes to, each as it is decoded. With the last one
// what held them alone goes.
func (d *JSON) Remove(drop func(value any) bool, path ...string) error {
	for {
		v, err := d.find(path)
		if v == nil || err != nil {
			return err
		}
		list, _ := v.Value.(*hujson.Array)
		if list == nil {
			return nil
		}
		i := slices.IndexFunc(list.Elements, func(e hujson.Value) bool { return drop(decode(&e)) })
		if i < 0 {
			return nil
		}
		if d.remove(v, i); bare(v) {
			return d.Delete(path...)
		}
	}
}

// Delete takes away the member at a path, and the objects that held it alone.
func (d *JSON) Delete(path ...string) error {
	v, err := d.find(path)
	for up := v; up != nil && err == nil && len(path) > 0 && (up == v || bare(up)); {
		key := path[len(path)-1]
		path = path[:len(path)-1]
		if up, err = d.find(path); err == nil {
			list, _ := items(up)
			d.remove(up, position(list, key))
		}
	}
	return err
}

// remove takes an item away, with the white space before it.
func (d *JSON) remove(v *hujson.Value, i int) {
	list, tail := items(v)
	before, after := first(&list[i]).BeforeExtra, list[i].Value.AfterExtra
	kept := hujson.Extra(bytes.TrimRight(before, space))
	next := &tail
	if i+1 < len(list) {
		next = &first(&list[i+1]).BeforeExtra
	}
	rest := *next
	if len(bytes.TrimSpace(after)) > 0 {
		rest = slices.Concat(after, rest)
	}
	if len(list) == 1 && len(kept)+len(bytes.TrimSpace(rest)) == 0 {
		rest = nil
	}
	if openComment(kept) && !startsLine(rest) {
		kept = before // else the comment would take in what follows
	}
	rest = slices.Concat(kept, rest)
	if i > 0 && i == len(list)-1 {
		switch last := &list[i-1].Value.AfterExtra; {
		case after == nil: // no comma ends the list
			rest, *last = slices.Concat(*last, rest), nil
		case *last == nil:
			*last = hujson.Extra{}
		}
	}
	*next = rest
	d.setItems(v, slices.Delete(list, i, i+1), tail)
}
