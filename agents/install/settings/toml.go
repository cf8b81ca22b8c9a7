package settings

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"vespe/internal/lazyregexp"
)

// TOML is a text of TOML. What an installer needs can be set: plain keys of tables with a header, and of the whole
// text.
type TOML struct {
	marked bool   // it begins with a byte order mark
	src    []byte // without that
	tree   map[string]any
	lines  []statement
}

// statement is a header or a pair, with the lines that it takes.
type statement struct {
	from, to int      // to is behind the newline, where there is one
	header   bool     // of a table
	array    bool     // of one of an array of tables
	table    []string // that the header opens, or that the pair stands in
	path     []string // of the table or of the pair
	value    [2]int   // where the pair's value is
}

// ParseTOML reads a text. An error says in which line it is no TOML.
func ParseTOML(text []byte) (*TOML, error) {
	d := &TOML{}
	d.src, d.marked = bytes.CutPrefix(text, bom)
	return d, d.parse()
}

// Bytes is the text.
func (d *TOML) Bytes() []byte {
	if d.marked {
		return slices.Concat(bom, d.src)
	}
	return d.src
}

func (d *TOML) parse() error {
	tree := map[string]any{}
	if err := toml.Unmarshal(d.src, &tree); err != nil {
		if bad := (*toml.DecodeError)(nil); errors.As(err, &bad) {
			line, _ := bad.Position()
			return fmt.Errorf("line %d: %s", line, strings.TrimPrefix(err.Error(), "toml: "))
		}
		return err
	}
	d.tree, d.lines = tree, nil
	var table []string
	var p unstable.Parser
	p.Reset(d.src)
	for p.NextExpression() {
		e := p.Expression()
		s := statement{header: e.Kind != unstable.KeyValue, array: e.Kind == unstable.ArrayTable, from: -1}
		for it := e.Key(); it.Next(); {
			at := int(it.Node().Raw.Offset)
			if s.from < 0 {
				s.from = bytes.LastIndexByte(d.src[:at], '\n') + 1
			}
			s.to = at + int(it.Node().Raw.Length)
			s.path = append(s.path, string(it.Node().Data))
		}
		if s.header {
			table = s.path
		} else {
			end := int(e.Raw.Offset + e.Raw.Length)
			s.value = [2]int{end - len(bytes.TrimLeft(d.src[s.to:end], " \t=")), end}
			s.to, s.path = end, slices.Concat(table, s.path)
		}
		s.table = table
		if n := bytes.IndexByte(d.src[s.to:], '\n'); n >= 0 {
			s.to += n + 1
		} else {
			s.to = len(d.src)
		}
		d.lines = append(d.lines, s)
	}
	return p.Error()
}

// change replaces bytes and reads the text anew; a text that no longer is one is not kept.
func (d *TOML) change(from, to int, text string) error {
	was := *d
	d.src = slices.Concat(was.src[:from], []byte(text), was.src[to:])
	err := d.parse()
	if err != nil {
		*d = was
	}
	return err
}

// errorAt is an error with the line in which what has a path, or leads to it, is written.
func (d *TOML) errorAt(path []string, format string, args ...any) error {
	return errorAt(d.src, d.offset(path), format, args...)
}

// Line is the line in which what has a path, or leads to it, is written; the first where nothing is.
func (d *TOML) Line(path ...string) int {
	return 1 + bytes.Count(d.src[:d.offset(path)], []byte("\n"))
}

func (d *TOML) offset(path []string) int {
	for k := len(path); k > 0; k-- {
		if i := slices.IndexFunc(d.lines, func(s statement) bool { return s.leads(path[:k]) }); i >= 0 {
			return d.lines[i].from
		}
	}
	return 0
}

// leads reports that a statement is at a path or below it.
func (s *statement) leads(path []string) bool {
	return len(s.path) >= len(path) && slices.Equal(s.path[:len(path)], path)
}

// Get is the value at a path, as go-toml decodes it.
func (d *TOML) Get(path ...string) (any, bool, error) {
	var v any = d.tree
	for _, key := range path {
		m, _ := v.(map[string]any)
		var ok bool
		if v, ok = m[key]; !ok {
			return nil, false, nil
		}
	}
	return v, true, nil
}

// Set makes sure that a key has a value, a text, a number, a truth or a list of texts, and makes its table.
func (d *TOML) Set(value any, path ...string) error {
	is, ok, _ := d.Get(path...)
	if _, isTable := is.(map[string]any); ok && !isTable && Same(is, value) {
		return nil
	}
	if ok {
		s := d.pair(path)
		if s == nil {
			return d.inAnotherForm(path)
		}
		return d.change(s.value[0], s.value[1], valueText(value))
	}
	table := path[:len(path)-1]
	is, ok, _ = d.Get(table...)
	if _, isTable := is.(map[string]any); ok && !isTable {
		return d.errorAt(table, "%s is not a table", pathText(table))
	}
	if !ok {
		nl, before := Newline(d.src), ""
		switch n := len(d.src); {
		case n > 0 && d.src[n-1] != '\n':
			before = nl + nl
		case n > 0:
			before = nl
		}
		if err := d.change(len(d.src), len(d.src), before+"["+pathText(table)+"]"+nl); err != nil {
			return d.errorAt(table, "can't add %s: its parent has an unsupported form (%v)", pathText(table), err)
		}
	}
	return d.addPair(value, path)
}

// addPair puts a pair behind the last one of its table, or behind the table's header; of the whole text, before
// everything where there is none.
func (d *TOML) addPair(value any, path []string) error {
	table, nl := path[:len(path)-1], Newline(d.src)
	text := pathText(path[len(path)-1:]) + " = " + valueText(value)
	at := -1
	for i := range d.lines {
		if s := &d.lines[i]; !s.array && slices.Equal(s.table, table) && (s.header || len(table) == 0 || at >= 0) {
			at = s.to
		}
	}
	switch {
	case at > 0 && d.src[at-1] != '\n':
		text = nl + text
	case at < 0 && len(table) == 0 && len(d.src) > 0:
		text += nl + nl
	default:
		text += nl
	}
	if at < 0 && len(table) > 0 || d.change(max(at, 0), max(at, 0), text) != nil {
		return d.inAnotherForm(path)
	}
	if is, _, _ := d.Get(path...); !Same(is, value) {
		return d.inAnotherForm(path)
	}
	return nil
}

func (d *TOML) inAnotherForm(path []string) error {
	return d.errorAt(path, "%s is not a table with a header. Write it as one, or set %s by hand",
		pathText(path[:len(path)-1]), pathText(path))
}

// pair is the statement that gives a path its value; nil for one in another form.
func (d *TOML) pair(path []string) *statement {
	if i := slices.IndexFunc(d.lines, func(s statement) bool { return !s.header && slices.Equal(s.path, path) }); i >= 0 {
		return &d.lines[i]
	}
	return nil
}

var bareKey = lazyregexp.New(`^[A-Za-z0-9_-]+$`)

func pathText(path []string) string {
	parts := slices.Clone(path)
	for i, key := range parts {
		if !bareKey.Get().MatchString(key) {
			parts[i] = valueText(key)
		}
	}
	return strings.Join(parts, ".")
}

// valueText is a value as it is written: a text of JSON is one of TOML, but for one character.
func valueText(v any) string {
	return strings.ReplaceAll(layout{}.text(plain(v), ""), "\x7f", `\u007F`)
}

// Delete takes away what is at a path and below it, but for comments; a table goes with the empty line before it.
func (d *TOML) Delete(path ...string) error {
	was := *d
	for i := len(d.lines) - 1; i >= 0; i-- { // the last first: what is left stands in a table still
		s := d.lines[i]
		if !s.leads(path) {
			continue
		}
		nl := Newline(d.src)
		if s.header && bytes.HasSuffix(d.src[:s.from], []byte(nl+nl)) {
			s.from -= len(nl)
		}
		if err := d.change(s.from, s.to, ""); err != nil {
			*d = was
			return err
		}
	}
	return nil
}
