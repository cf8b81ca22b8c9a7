package overlay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// diffLine is one line on the screen: a part of a row, on one side or on both.
type diffLine struct {
	row      int
	old, new part
}

// part is a piece of one side's text; from is -1 when there is nothing.
type part struct{ from, to int }

var nothing = part{-1, -1}

// layout wraps every row for a width. It costs one pass over the texts, once per width.
func (d *Diff) layout(w int, split bool) {
	keep := 0 // the row at the top of the window stays there
	if len(d.lines) > 0 && d.width >= 0 {
		keep = d.lines[min(d.win.Top, len(d.lines)-1)].row
	}
	d.width, d.split = w, split
	d.lines = d.lines[:0]
	d.at = make([]int, len(d.cmp.rows))
	d.measure()
	for r := 0; r < len(d.cmp.rows); {
		row := &d.cmp.rows[r]
		d.at[r] = len(d.lines)
		switch {
		case row.kind == gap:
			d.lines = append(d.lines, diffLine{row: r, old: nothing, new: nothing})
		case split:
			d.beside(r)
		case row.kind == equal:
			for _, p := range wrapAt(row.new.text, d.room) {
				d.lines = append(d.lines, diffLine{row: r, old: nothing, new: p})
			}
		default:
			r = d.above(r)
			continue
		}
		r++
	}
	d.win.Top = 0
	if keep < len(d.at) {
		d.win.Top = d.at[keep]
	}
}

// beside lays out a row in two columns.
func (d *Diff) beside(r int) {
	row := &d.cmp.rows[r]
	a, b := d.parts(row, true), d.parts(row, false)
	for k := range max(len(a), len(b)) {
		l := diffLine{row: r, old: nothing, new: nothing}
		if k < len(a) {
			l.old = a[k]
		}
		if k < len(b) {
			l.new = b[k]
		}
		d.lines = append(d.lines, l)
	}
}

// above lays out a run of rows that differ in one column: what was above what is. It
// returns the row after the run.
func (d *Diff) above(r int) (end int) {
	for end = r + 1; end < len(d.cmp.rows); end++ {
		if _, starts := slices.BinarySearch(d.cmp.hunks, end); starts {
			break
		}
		if k := d.cmp.rows[end].kind; k == equal || k == gap {
			break
		}
	}
	for k := r; k < end; k++ {
		d.at[k] = len(d.lines)
		for _, p := range d.parts(&d.cmp.rows[k], true) {
			d.lines = append(d.lines, diffLine{row: k, old: p, new: nothing})
		}
	}
	for k := r; k < end; k++ {
		for _, p := range d.parts(&d.cmp.rows[k], false) {
			d.lines = append(d.lines, diffLine{row: k, old: nothing, new: p})
		}
	}
	return end
}

// parts wraps one side of a row; nil when the row has none.
func (d *Diff) parts(row *diffRow, old bool) []part {
	switch {
	case old && row.kind != inserted:
		return wrapAt(row.old.text, d.room)
	case !old && row.kind != deleted:
		return wrapAt(row.new.text, d.room)
	}
	return nil
}

// measure finds the width of the line numbers and the room beside them and the sign.
func (d *Diff) measure() {
	most := 1
	for i := range d.cmp.rows {
		most = max(most, d.cmp.rows[i].old.no, d.cmp.rows[i].new.no)
	}
	d.numW = len(strconv.Itoa(most))
	if d.split {
		d.room = max(1, (d.width-3)/2-d.numW-3)
	} else {
		d.room = max(1, d.width-2*d.numW-4)
	}
}

// wrapAt breaks a safe line into parts of at most w cells: after blanks where it can,
// inside a word where it must. The parts hold the whole line, but for blanks at the end of
// a part. A single character wider than w is a part of its own.
func wrapAt(s string, w int) []part {
	if text.Width(s) <= w {
		return []part{{0, len(s)}}
	}
	var out []part
	start, col := 0, 0
	brk, brkCol := -1, 0 // after the last blank, and the width up to there
	for i := 0; i < len(s); {
		c, cw := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
		if col+cw > w && i > start {
			end := i
			if brk > start {
				end = brk
			}
			out = append(out, part{start, start + len(strings.TrimRight(s[start:end], " "))})
			if brk > start {
				col -= brkCol
			} else {
				col = 0
			}
			start, brk = end, -1
			for start < i && s[start] == ' ' {
				start, col = start+1, col-1
			}
		}
		i += len(c)
		if c == " " && i-1 == start && len(out) > 0 {
			start = i // blanks at a break belong to no part
			continue
		}
		col += cw
		if c == " " && strings.TrimLeft(s[start:i], " ") != "" {
			brk, brkCol = i, col
		}
	}
	return append(out, part{start, len(s)})
}

// titles names the two texts.
func (d *Diff) titles(w int) string {
	l := oneLine(w)
	minus, plus := text.SafeLine(d.o.OldTitle), text.SafeLine(d.o.NewTitle)
	if d.split {
		half := (w - 3) / 2
		l.AddMax(d.st.Bad, "- "+minus, half)
		return l.To(half+3).Add(d.st.Good, "+ "+plus).String()
	}
	return l.AddMax(d.st.Bad, "- "+minus, max(0, w/2-1)).Space(2).Add(d.st.Good, "+ "+plus).String()
}

func (d *Diff) draw(at diffLine, w int) string {
	row := &d.cmp.rows[at.row]
	l := oneLine(w)
	n := d.numW
	if row.kind == gap {
		return l.Add(d.st.DiffHunk, fmt.Sprintf("%s %d equal lines", d.st.Glyph.Ellipsis, row.hidden)).String()
	}
	if d.split {
		half := (w - 3) / 2
		d.half(l, row, at.old, true, n, half)
		l.Add(d.st.Border, " "+d.bar()+" ")
		d.half(l, row, at.new, false, n, w-half-3)
		return l.String()
	}
	switch {
	case at.old.from >= 0:
		d.number(l, row.old.no, n, at.old.from == 0)
		l.Space(n + 1)
		d.text(l, row, at.old, true, l.Left())
	default:
		if row.kind == equal {
			d.number(l, row.old.no, n, at.new.from == 0)
		} else {
			l.Space(n)
		}
		l.Space(1)
		d.number(l, row.new.no, n, at.new.from == 0)
		d.text(l, row, at.new, false, l.Left())
	}
	return l.String()
}

func (d *Diff) bar() string {
	if d.st.Options.ASCII {
		return "|"
	}
	return "│"
}

func (d *Diff) number(l *rows.Line, no, n int, show bool) {
	if !show || no == 0 {
		l.Space(n)
		return
	}
	l.Add(d.st.Faint, text.PadLeft(strconv.Itoa(no), n))
}

// half draws one side of a row in exactly w cells.
func (d *Diff) half(l *rows.Line, row *diffRow, p part, old bool, n, w int) {
	end := l.Used() + w
	if p.from >= 0 {
		no := row.new.no
		if old {
			no = row.old.no
		}
		d.number(l, no, n, p.from == 0)
		d.text(l, row, p, old, w-n)
	}
	l.To(end)
}

// text draws the sign and a part of the text, with the words that differ marked.
func (d *Diff) text(l *rows.Line, row *diffRow, p part, old bool, w int) {
	s, ink, word, sign := row.new, d.st.DiffAdd, d.st.DiffAddWord, "+"
	if old {
		s, ink, word, sign = row.old, d.st.DiffDel, d.st.DiffDelWord, "-"
	}
	if row.kind == equal {
		ink, word, sign = d.st.Muted, d.st.Muted, " "
	}
	from := l.Used()
	l.Add(style.Ink{}, " ").Add(ink, sign+" ")
	body := s.text[p.from:p.to]
	room := max(0, w-3)
	if text.Width(body) > room { // a single cluster wider than the line
		body = text.Truncate(body, room)
	}
	l.AddMatches(ink, word, body, within(s.words, p.from, p.to-p.from))
	if row.kind != equal { // the background reaches to the edge
		l.Add(ink, text.Spaces(w-(l.Used()-from)))
	}
}
