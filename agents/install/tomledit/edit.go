package tomledit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// The kinds of Edit.
const (
	Table   = "table"   // a table with its pairs, at the end
	Pair    = "pair"    // a key in a table that was there, or of the whole text
	Replace = "replace" // another value of a key
)

// Edit is one change that was made to a text.
type Edit struct {
	Kind  string   `json:"kind"`
	Path  []string `json:"path"`
	Value any      `json:"value,omitempty"` // of Pair and Replace
	Was   string   `json:"was,omitempty"`   // what the value took the place of, as it was written
	// What was written around it.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// KeyValue is a key with what it is to be.
type KeyValue struct {
	Key   string
	Value any // a text, a number, a truth, or a list of texts
	// Default is only written with a table that is new: whoever has the table may set it otherwise.
	Default bool
}

// SetTable makes sure that the table at a path has pairs. Other keys of it stay. No edits: it was so.
func (d *Doc) SetTable(pairs []KeyValue, path ...string) (edits []Edit, err error) {
	is, ok := d.Get(path...)
	if !ok {
		return d.addTable(pairs, path)
	}
	table, isTable := is.(map[string]any)
	if !isTable {
		return nil, &Error{Line: d.Line(path...), Why: pathText(path) + " is no table"}
	}
	for _, p := range pairs {
		at := append(slices.Clone(path), p.Key)
		switch has, there := table[p.Key]; {
		case there && (p.Default || same(has, p.Value)), !there && p.Default:
			continue
		case there:
			e, err := d.replace(at, p.Value)
			if err != nil {
				return edits, err
			}
			edits = append(edits, e)
		default:
			e, err := d.addPair(path, p)
			if err != nil {
				return edits, err
			}
			edits = append(edits, e)
		}
	}
	return edits, nil
}

func (d *Doc) addTable(pairs []KeyValue, path []string) ([]Edit, error) {
	nl := d.newline()
	var b strings.Builder
	b.WriteString("[" + pathText(path) + "]" + nl)
	for _, p := range pairs {
		b.WriteString(keyText(p.Key) + " = " + valueText(p.Value) + nl)
	}
	e := Edit{Kind: Table, Path: slices.Clone(path)}
	switch n := len(d.src); {
	case n == 0:
	case d.src[n-1] != '\n':
		e.Before = nl + nl
	default:
		e.Before = nl
	}
	if err := d.change(len(d.src), len(d.src), e.Before+b.String()); err != nil {
		return nil, &Error{Line: d.Line(path...), Why: fmt.Sprintf("what leads to %s is written in a way that nothing can be added to (%v)", pathText(path), err)}
	}
	return []Edit{e}, nil
}

// Set makes sure that a key of the whole text has a value.
func (d *Doc) Set(value any, key string) ([]Edit, error) {
	is, ok := d.Get(key)
	if ok && same(is, value) {
		return nil, nil
	}
	var e Edit
	var err error
	if ok {
		e, err = d.replace([]string{key}, value)
	} else {
		e, err = d.addPair(nil, KeyValue{Key: key, Value: value})
	}
	if err != nil {
		return nil, err
	}
	return []Edit{e}, nil
}

// addPair puts a pair behind the last one of a table, or behind the table's header; of the whole text, before
// everything where there is none.
func (d *Doc) addPair(table []string, p KeyValue) (Edit, error) {
	path := append(slices.Clone(table), p.Key)
	nl := d.newline()
	e := Edit{Kind: Pair, Path: path, Value: p.Value}
	text := keyText(p.Key) + " = " + valueText(p.Value)
	last := -1
	for i := range d.lines {
		if s := &d.lines[i]; !s.array && slices.Equal(s.table, table) && (s.header || len(table) == 0 || last >= 0) {
			last = i
		}
	}
	at := 0
	switch {
	case last >= 0:
		at = d.lines[last].to
		if d.src[at-1] != '\n' {
			e.Before = nl
		} else {
			text += nl
		}
	case len(table) > 0:
		return e, d.inAnotherForm(path)
	default:
		text += nl
		if len(d.src) > 0 {
			e.After = nl
		}
	}
	if err := d.change(at, at, e.Before+text+e.After); err != nil {
		return e, d.inAnotherForm(path)
	}
	if is, _ := d.Get(path...); !same(is, p.Value) {
		return e, d.inAnotherForm(path)
	}
	return e, nil
}

func (d *Doc) inAnotherForm(path []string) error {
	return &Error{
		Line: d.Line(path...),
		Why:  fmt.Sprintf("%s is not written as a table with a header; write it so, or set %s by hand", pathText(path[:len(path)-1]), pathText(path)),
	}
}

// pair is the statement that gives a path its value; nil for one in another form.
func (d *Doc) pair(path []string) *statement {
	for i := range d.lines {
		if s := &d.lines[i]; !s.header && slices.Equal(slices.Concat(s.table, s.key), path) {
			return s
		}
	}
	return nil
}

func (d *Doc) replace(path []string, value any) (Edit, error) {
	s := d.pair(path)
	if s == nil {
		return Edit{}, d.inAnotherForm(path)
	}
	from, to := valueSpan(d.src, s.from)
	e := Edit{Kind: Replace, Path: slices.Clone(path), Value: value, Was: string(d.src[from:to])}
	return e, d.change(from, to, valueText(value))
}

// valueSpan is the place of the value of the pair at from.
func valueSpan(src []byte, from int) (start, end int) {
	depth := 0
	i := from
	for ; i < len(src) && src[i] != '='; i++ {
		if src[i] == '"' || src[i] == '\'' {
			i = endOfString(src, i)
		}
	}
	for i++; i < len(src) && (src[i] == ' ' || src[i] == '\t'); i++ {
	}
	start, end = i, i
	for ; i < len(src); i++ {
		switch src[i] {
		case '#':
			i = endOfComment(src, i)
			continue
		case '"', '\'':
			i = endOfString(src, i)
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '\n':
			if depth <= 0 {
				return start, end
			}
			continue
		case ' ', '\t', '\r':
			continue
		}
		end = i + 1
	}
	return start, end
}

// Undo takes an edit back, and says whether there was anything to take: what somebody has changed or taken
// away since stays as it is. A table goes with all that is in it and below it, but for comments. The edits of
// a text are undone the last one first.
func (d *Doc) Undo(e Edit) (bool, error) {
	switch e.Kind {
	case Table:
		return d.removeTable(e)
	case Pair:
		s := d.pair(e.Path)
		if is, _ := d.Get(e.Path...); s == nil || !same(is, e.Value) {
			return false, nil
		}
		return true, d.cut(s.from, s.to, e)
	case Replace:
		s := d.pair(e.Path)
		if is, _ := d.Get(e.Path...); s == nil || !same(is, e.Value) {
			return false, nil
		}
		from, to := valueSpan(d.src, s.from)
		return true, d.change(from, to, e.Was)
	}
	return false, nil
}

// RemoveTable takes away a table of which there is no record.
func (d *Doc) RemoveTable(path ...string) (bool, error) {
	return d.removeTable(Edit{Kind: Table, Path: path, Before: d.newline()})
}

// RemoveKey takes away a key of the whole text.
func (d *Doc) RemoveKey(key string) (bool, error) {
	s := d.pair([]string{key})
	if s == nil {
		return false, nil
	}
	return true, d.cut(s.from, s.to, Edit{})
}

func (d *Doc) removeTable(e Edit) (bool, error) {
	was, tree, lines := d.src, d.tree, d.lines
	done := false
	for {
		i := -1
		for k := range d.lines {
			full := slices.Concat(d.lines[k].table, d.lines[k].key)
			if len(full) >= len(e.Path) && slices.Equal(full[:len(e.Path)], e.Path) {
				i = k // the last first: what is left stands in a table still
			}
		}
		if i < 0 {
			return done, nil
		}
		s := d.lines[i]
		around := Edit{}
		if s.header && !s.array && slices.Equal(s.table, e.Path) {
			around = e
		}
		if err := d.cut(s.from, s.to, around); err != nil {
			d.src, d.tree, d.lines = was, tree, lines
			return false, err
		}
		done = true
	}
}

// cut takes lines away, with the white space that an edit wrote around them.
func (d *Doc) cut(from, to int, e Edit) error {
	if e.After != "" && bytes.HasPrefix(d.src[to:], []byte(e.After)) {
		to += len(e.After)
	}
	text := ""
	if before := d.src[:from]; e.Before != "" && bytes.HasSuffix(before, []byte(e.Before)) {
		from -= len(e.Before)
		rest, left := d.src[to:], d.src[:from]
		whole := len(left) == 0 || left[len(left)-1] == '\n'
		if len(rest) > 0 && !whole && !startsLine(rest) {
			text = d.newline()
		}
	}
	return d.change(from, to, text)
}

func startsLine(b []byte) bool {
	return bytes.HasPrefix(bytes.TrimPrefix(b, []byte("\r")), []byte("\n"))
}
