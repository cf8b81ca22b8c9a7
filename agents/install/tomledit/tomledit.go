// Package tomledit changes TOML texts that people keep by hand, by position: whatever is not changed stays as
// it is byte for byte, comments, order, line ends, a byte order mark and a missing last newline too.
//
// It can do what an installer needs: a table of plain keys, and plain keys of the whole text. Each change is
// an Edit, which says enough to be taken back: Undo of the edits of a text, the last one first, gives the
// text from before. Where somebody has changed the text in between, Undo takes what was written and leaves
// the rest.
//
// go-toml decides what a text means and whether it is one; the places of its statements are found here.
package tomledit

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

const maxSize = 16 << 20 // bytes

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

// Doc is a text.
type Doc struct {
	src    []byte // without the byte order mark
	marked bool   // there was one
	tree   map[string]any
	lines  []statement
}

// statement is a header or a pair, with the lines that it takes.
type statement struct {
	from, to int      // to is behind the newline, where there is one
	header   bool     // of a table
	array    bool     // of one of an array of tables
	table    []string // that the header opens, or that the pair stands in
	key      []string // of the pair, below the table
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
	tree := map[string]any{}
	if err := toml.Unmarshal(d.src, &tree); err != nil {
		e := &Error{Why: strings.TrimPrefix(err.Error(), "toml: ")}
		if bad := (*toml.DecodeError)(nil); errors.As(err, &bad) {
			e.Line, _ = bad.Position()
		}
		return e
	}
	lines, err := statements(d.src)
	if err != nil {
		return err
	}
	d.tree, d.lines = tree, lines
	return nil
}

// statements are those of a text that is TOML.
func statements(src []byte) (out []statement, err error) {
	var table []string
	for at := 0; at < len(src); {
		end := endOfStatement(src, at)
		text := bytes.TrimSpace(src[at:end])
		if len(text) == 0 || text[0] == '#' {
			at = end
			continue
		}
		var p unstable.Parser
		p.Reset(src[at:end])
		if !p.NextExpression() {
			return nil, &Error{Line: 1 + bytes.Count(src[:at], []byte("\n")), Why: "it cannot be read"}
		}
		e := p.Expression()
		s := statement{from: at, to: end, header: e.Kind != unstable.KeyValue, array: e.Kind == unstable.ArrayTable}
		var key []string
		for it := e.Key(); it.Next(); {
			key = append(key, string(it.Node().Data))
		}
		if s.header {
			table = key
		} else {
			s.key = key
		}
		s.table = table
		out = append(out, s)
		at = end
	}
	return out, nil
}

// endOfStatement is the offset behind the line in which the statement at from ends.
func endOfStatement(src []byte, from int) int {
	depth := 0
	for i := from; i < len(src); i++ {
		switch src[i] {
		case '"', '\'':
			i = endOfString(src, i)
		case '#':
			i = endOfComment(src, i)
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '\n':
			if depth <= 0 {
				return i + 1
			}
		}
	}
	return len(src)
}

// endOfComment is the offset of the last byte of the comment at i.
func endOfComment(src []byte, i int) int {
	if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
		return i + n - 1
	}
	return len(src) - 1
}

// endOfString is the offset of the last quote of the string at i.
func endOfString(src []byte, i int) int {
	quote := src[i]
	three := bytes.Repeat([]byte{quote}, 3)
	long := bytes.HasPrefix(src[i:], three)
	step := 1
	if long {
		step = 3
	}
	for k := i + step; k < len(src); k++ {
		switch {
		case src[k] == '\\' && quote == '"':
			k++
		case src[k] != quote:
		case !long:
			return k
		case bytes.HasPrefix(src[k:], three):
			for k += 2; k+1 < len(src) && src[k+1] == quote; k++ { // quotes that stand before the last three
			}
			return k
		}
	}
	return len(src) - 1
}

// Get is the value at a path, as go-toml decodes it.
func (d *Doc) Get(path ...string) (any, bool) {
	var v any = d.tree
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[key]; !ok {
			return nil, false
		}
	}
	return v, true
}

// Line is the line in which what has a path, or leads to it, is written; 0 for none.
func (d *Doc) Line(path ...string) int {
	for k := len(path); k > 0; k-- {
		for i := range d.lines {
			s := &d.lines[i]
			full := slices.Concat(s.table, s.key)
			if len(full) >= k && slices.Equal(full[:k], path[:k]) {
				return 1 + bytes.Count(d.src[:s.from], []byte("\n"))
			}
		}
	}
	return 0
}

func same(a, b any) bool { return reflect.DeepEqual(plain(a), plain(b)) }

// plain is a value as go-toml decodes it.
func plain(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case float64:
		if v == float64(int64(v)) { // from a record in JSON
			return int64(v)
		}
		return v
	case []string:
		out := make([]any, len(v))
		for i := range v {
			out[i] = v[i]
		}
		return out
	}
	return v
}

// change replaces bytes and reads the text anew; a text that is none any more is not kept.
func (d *Doc) change(from, to int, text string) error {
	was, tree, lines := d.src, d.tree, d.lines
	d.src = slices.Concat(was[:from], []byte(text), was[to:])
	if err := d.parse(); err != nil {
		d.src, d.tree, d.lines = was, tree, lines
		return err
	}
	return nil
}

func (d *Doc) newline() string {
	if i := bytes.IndexByte(d.src, '\n'); i > 0 && d.src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// keyText is a key as it is written.
func keyText(key string) string {
	bare := key != "" && strings.IndexFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
	if bare {
		return key
	}
	return quote(key)
}

func pathText(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = keyText(p)
	}
	return strings.Join(parts, ".")
}

// valueText is a value as it is written: a text, a number, a truth, or a list of texts.
func valueText(v any) string {
	switch v := plain(v).(type) {
	case string:
		return quote(v)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = valueText(v[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		return fmt.Sprint(v)
	}
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
