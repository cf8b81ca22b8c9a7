// Package jsonedit changes JSON texts that people keep by hand, with comments and trailing commas (JSONC),
// by position: whatever is not changed stays as it is byte for byte, comments, order, indentation, line ends,
// a byte order mark and a missing last newline too.
//
// Each change is an Edit, which says enough to be taken back: Undo of the edits of a text, the last one
// first, gives the text from before. Where somebody has changed the text in between, Undo takes what was
// written and leaves the rest.
//
// The syntax tree is hujson's, which keeps the offsets of everything.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

const (
	maxSize  = 64 << 20 // bytes
	maxDepth = 200
)

var bom = []byte("\xef\xbb\xbf")

// Error is why a text is left alone.
type Error struct {
	Line int // from 1; 0 where it is of no line
	Why  string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Why
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Why)
}

// Doc is a text whose value is an object, or that has no value yet.
type Doc struct {
	src    []byte // without the byte order mark
	marked bool   // there was one
	root   hujson.Value
	empty  bool // there is no value
}

// Parse reads a text. An error is an *Error.
func Parse(text []byte) (*Doc, error) {
	d := &Doc{}
	d.src, d.marked = bytes.CutPrefix(text, bom)
	return d, d.parse()
}

// Bytes is the text.
func (d *Doc) Bytes() []byte {
	if d.marked {
		return slices.Concat(bom, d.src)
	}
	return d.src
}

func (d *Doc) parse() error {
	if len(d.src) > maxSize {
		return &Error{Why: fmt.Sprintf("it has %d bytes, which is too much for settings", len(d.src))}
	}
	if line := tooDeep(d.src); line > 0 {
		return &Error{Line: line, Why: fmt.Sprintf("it is nested more than %d deep", maxDepth)}
	}
	// A comment in the last line needs an end.
	v, err := hujson.Parse(slices.Concat(d.src, []byte("\n")))
	if err != nil {
		if _, bare := hujson.Parse(slices.Concat(d.src, []byte("\nnull"))); bare == nil {
			d.empty, d.root = true, hujson.Value{}
			return nil
		}
		return syntaxError(err)
	}
	d.root, d.empty = v, false
	if _, ok := v.Value.(*hujson.Object); !ok {
		return &Error{Line: d.lineAt(v.StartOffset), Why: "it is no JSON object"}
	}
	return nil
}

// syntaxError is hujson's error with its line apart.
func syntaxError(err error) *Error {
	e := &Error{Why: strings.TrimPrefix(err.Error(), "hujson: ")}
	var column int
	if n, _ := fmt.Sscanf(e.Why, "line %d, column %d:", &e.Line, &column); n == 2 {
		_, e.Why, _ = strings.Cut(e.Why, ": ")
		e.Why = fmt.Sprintf("%s (column %d)", e.Why, column)
	}
	return e
}

// tooDeep is the line in which the nesting passes maxDepth, before a parser that calls itself does; 0 for none.
func tooDeep(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '/':
			i = skipComment(b, i)
		case '{', '[':
			if depth++; depth > maxDepth {
				return 1 + bytes.Count(b[:i], []byte("\n"))
			}
		case '}', ']':
			depth--
		}
	}
	return 0
}

// skipComment is the offset of the last byte of the comment at i; i where there is none.
func skipComment(b []byte, i int) int {
	rest := b[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			return i + n - 1
		}
		return len(b) - 1
	case bytes.HasPrefix(rest, []byte("/*")):
		if n := bytes.Index(rest[2:], []byte("*/")); n >= 0 {
			return i + n + 3
		}
		return len(b) - 1
	}
	return i
}

func (d *Doc) lineAt(offset int) int { return 1 + bytes.Count(d.src[:offset], []byte("\n")) }

// Get is the value at a path of keys, and of numbers from 0 for the elements of lists, as encoding/json decodes it with numbers kept as they are written.
// An error says that the path leads through something that is no object, or through a key that stands twice.
func (d *Doc) Get(path ...string) (value any, ok bool, err error) {
	v, err := d.find(path)
	if v == nil || err != nil {
		return nil, false, err
	}
	return decode(*v), true, nil
}

// Line is the line of the value at a path; 0 where there is none.
func (d *Doc) Line(path ...string) int {
	v, err := d.find(path)
	if v == nil || err != nil {
		return 0
	}
	return d.lineAt(v.StartOffset)
}

// find is the value at a path; nil for none.
func (d *Doc) find(path []string) (*hujson.Value, error) {
	if d.empty {
		return nil, nil
	}
	v := &d.root
	for k, key := range path {
		if list, ok := v.Value.(*hujson.Array); ok {
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(list.Elements) {
				return nil, d.errorAt(v, "%s is a list", name(path[:k]))
			}
			v = &list.Elements[i]
			continue
		}
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil, d.errorAt(v, "%s is no object", name(path[:k]))
		}
		at, err := d.member(obj, path[:k], key)
		if at < 0 || err != nil {
			return nil, err
		}
		v = &obj.Members[at].Value
	}
	return v, nil
}

// member is the index of a member; -1 for none.
func (d *Doc) member(obj *hujson.Object, path []string, key string) (int, error) {
	found := -1
	for i := range obj.Members {
		if obj.Members[i].Name.Value.(hujson.Literal).String() != key {
			continue
		}
		if found >= 0 {
			first, second := &obj.Members[found].Name, &obj.Members[i].Name
			return -1, d.errorAt(second, "%s stands twice, first in line %d: which of them counts?", name(append(slices.Clone(path), key)), d.lineAt(first.StartOffset))
		}
		found = i
	}
	return found, nil
}

func (d *Doc) errorAt(v *hujson.Value, format string, args ...any) error {
	return &Error{Line: d.lineAt(v.StartOffset), Why: fmt.Sprintf(format, args...)}
}

func name(path []string) string {
	if len(path) == 0 {
		return "the whole"
	}
	return strings.Join(path, ".")
}

// decode is a value without its comments.
func decode(v hujson.Value) any {
	v = v.Clone()
	v.Standardize()
	return unmarshal(v.Pack())
}

func unmarshal(b []byte) (out any) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if dec.Decode(&out) != nil {
		return nil
	}
	return out
}

// Same reports whether two values, decoded or of Go types, are the same JSON; the order of keys does not matter.
func Same(a, b any) bool { return reflect.DeepEqual(plain(a), plain(b)) }

func plain(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return unmarshal(b)
}

// change replaces bytes of the text and reads it anew. A change that breaks the text is a mistake of this
// package and is not made.
func (d *Doc) change(patches ...patch) error {
	slices.SortStableFunc(patches, func(a, b patch) int { return a.from - b.from })
	was, wasEmpty, wasRoot := d.src, d.empty, d.root
	var out []byte
	at := 0
	for _, p := range patches {
		if p.from < at || p.to < p.from || p.to > len(was) {
			return errors.New("jsonedit: patches overlap")
		}
		out = append(append(out, was[at:p.from]...), p.text...)
		at = p.to
	}
	d.src = append(out, was[at:]...)
	if err := d.parse(); err != nil {
		d.src, d.empty, d.root = was, wasEmpty, wasRoot
		return err
	}
	return nil
}

// patch replaces src[from:to].
type patch struct {
	from, to int
	text     string
}

// NotPlain is the line of the first thing for which a text is no plain JSON, a comment or a comma too many; 0
// for one that is, a byte order mark apart.
func NotPlain(text []byte) (line int) {
	text = bytes.TrimPrefix(text, bom)
	var v any
	err := json.Unmarshal(text, &v)
	if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) {
		return 1 + bytes.Count(text[:min(int(bad.Offset), len(text))], []byte("\n"))
	}
	return 0
}
