package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	gmtext "github.com/yuin/goldmark/text"

	"vespe/ui/text"
)

// table is what the rows of one table share.
type table struct {
	align []east.Alignment
	rows  []ast.Node

	// Made when the table is first drawn.
	head    []string // texts of the header, for narrow tables
	natural []int    // widths that would need no wrapping
}

const (
	minColumn = 12  // a column is not made narrower; tables that do not fit are stacked
	measured  = 100 // rows whose text is measured; further ones by their source
)

func (b *builder) table(n *east.Table, path []*container) {
	t := &table{align: n.Alignments}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		u := unit{kind: kindRow, table: t, lo: len(t.rows), path: path}
		t.rows = append(t.rows, row)
		at := row.Pos()
		for c := row.FirstChild(); c != nil && at < 0; c = c.NextSibling() {
			if at = c.Pos(); at < 0 && c.Lines().Len() > 0 {
				at = c.Lines().At(0).Start
			}
		}
		if at >= 0 {
			u.first = b.src.lineAt(at)
			u.last = u.first
			end := b.src.starts[u.first-1] + len(b.src.line(u.first))
			u.body = []gmtext.Segment{gmtext.NewSegment(min(at, end), end)}
		}
		b.emit(u)
	}
}

// measure finds how wide the columns would like to be.
func (t *table) measure(src *source) {
	if t.natural != nil {
		return
	}
	t.natural = make([]int, len(t.align))
	for row, n := range t.rows {
		i := 0
		for c := n.FirstChild(); c != nil && i < len(t.natural); c = c.NextSibling() {
			w := 0
			if row < measured {
				lf := compile(src, childrenOf(c), 0, 0, "")
				w = text.Width(lf.plain)
				if row == 0 {
					t.head = append(t.head, lf.plain)
				}
			} else if c.Lines().Len() > 0 {
				seg := c.Lines().At(0)
				w = text.Width(string(seg.Value(src.text)))
			}
			t.natural[i] = max(t.natural[i], w)
			i++
		}
	}
}

// columns shares w cells among the columns, three cells between each two. ok is false when
// there is no room for all of them.
func (t *table) columns(w int) (cols []int, ok bool) {
	n := len(t.natural)
	room := w - 3*(n-1)
	cols = make([]int, n)
	sum, least := 0, 0
	for i, x := range t.natural {
		cols[i] = max(1, x)
		sum += cols[i]
		least += min(cols[i], minColumn)
	}
	if sum <= room {
		return cols, true
	}
	if room < least {
		return nil, false
	}
	// Columns that need less than their share get what they need, and the others share what
	// is left.
	fixed := make([]bool, n)
	for {
		left, open := room, 0
		for i := range cols {
			if fixed[i] {
				left -= cols[i]
			} else {
				open++
			}
		}
		share, again := left/max(1, open), false
		for i, x := range t.natural {
			if !fixed[i] && max(1, x) <= share {
				cols[i], fixed[i], again = max(1, x), true, true
			}
		}
		if again {
			continue
		}
		extra := left - share*open
		for i := range cols {
			if !fixed[i] {
				cols[i] = share
				if extra > 0 {
					cols[i]++
					extra--
				}
			}
		}
		return cols, true
	}
}

// row draws one row of a table; the first is the header.
func (p *pen) row(u *unit, w int) []line {
	cols, ok := u.table.columns(w)
	if !ok {
		return p.stacked(u, w)
	}
	head := u.lo == 0
	cells := make([][]line, len(cols))
	h := 1
	for i := range cols {
		cells[i] = []line{{}}
		if i < len(u.cells) {
			cells[i] = wrap(p.cell(u.cells[i], head), cols[i], i)
		}
		h = max(h, len(cells[i]))
	}
	var out []line
	for y := range h {
		var l line
		for i, c := range cells {
			if i > 0 {
				l.add(deco(p.look.rule, " "+p.look.column+" "))
			}
			var part line
			if y < len(c) {
				part = c[y]
			}
			pad := cols[i] - part.width()
			left := 0
			if i < len(u.table.align) {
				switch u.table.align[i] {
				case east.AlignRight:
					left = pad
				case east.AlignCenter:
					left = pad / 2
				}
			}
			l.add(deco("", text.Spaces(left)))
			for _, s := range part.spans {
				l.add(s)
			}
			if i < len(cells)-1 {
				l.add(deco("", text.Spaces(pad-left)))
			}
		}
		out = append(out, l)
	}
	if head {
		var l line
		for i, c := range cols {
			if i > 0 {
				l.add(deco(p.look.rule, p.look.dash+p.look.cross+p.look.dash))
			}
			l.add(deco(p.look.rule, strings.Repeat(p.look.dash, c)))
		}
		out = append(out, l)
	}
	return out
}

// stacked draws a row one cell below the other, each after the title of its column, for
// panes too narrow for columns.
func (p *pen) stacked(u *unit, w int) []line {
	if u.lo == 0 {
		var out []line
		for i, c := range u.cells {
			out = append(out, wrap(p.cell(c, true), w, i)...)
		}
		return append(out, line{spans: []span{deco(p.look.rule, strings.Repeat(p.look.dash, w))}})
	}
	var out []line
	for i, c := range u.cells {
		label := ""
		if i < len(u.table.head) && u.table.head[i] != "" {
			label = text.Truncate(u.table.head[i], max(1, w/2)) + ": "
		}
		runs := p.cell(c, false)
		indent := text.Width(label)
		for y, l := range wrap(runs, max(1, w-indent), i) {
			var row line
			if y == 0 {
				row.add(deco(p.look.muted, label))
			} else {
				row.add(deco("", text.Spaces(indent)))
			}
			for _, s := range l.spans {
				row.add(s)
			}
			out = append(out, row)
		}
	}
	if len(out) == 0 {
		out = []line{{}}
	}
	out = append(out, line{spans: []span{deco(p.look.rule, strings.Repeat(p.look.dash, min(w, 8)))}})
	return out
}

// cell draws a cell. One that is plain words does not need Glamour.
func (p *pen) cell(lf *leaf, head bool) []run {
	sgr := p.look.text
	if head {
		sgr = p.look.tableHead
	}
	if len(lf.links) == 0 && lf.simple() {
		return p.plainRun(lf, sgr)
	}
	runs := p.draw(lf)
	if head {
		for i := range runs {
			if runs[i].sgr == p.look.text {
				runs[i].sgr = sgr
			}
		}
	}
	return runs
}
