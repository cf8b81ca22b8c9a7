package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Layout is a comparison laid out for a width: lines that are wrapped, never cut. The zero
// value holds nothing.
type Layout struct {
	st    *style.Styles
	cmp   *Comparison
	lines []layoutLine
	at    []int // row of cmp → its first line
	width int
	split bool
	numW  int // of a line number
	room  int // for the text of one side

	list    []Note
	notes   map[[2]int][]int // side and line → indices in list
	flagged func(Hunk) bool
	label   string
	marked  [2]int // lines, from 1; 0 for none
}

// Lay lays a comparison out, with the two texts beside each other or in one column. It costs
// one pass over the texts; where nothing has changed it costs nothing.
func (d *Layout) Lay(st *style.Styles, cmp *Comparison, w int, split bool) {
	d.st = st
	if !d.IsLaid(cmp, w, split) {
		d.cmp = cmp
		d.layout(w, split)
	}
}

// IsLaid reports whether a comparison has been laid out so.
func (d *Layout) IsLaid(cmp *Comparison, w int, split bool) bool {
	return cmp == d.cmp && w == d.width && split == d.split && d.lines != nil
}

// Len is how many lines there are.
func (d *Layout) Len() int { return len(d.lines) }

// Row is the row of the comparison that a line belongs to, -1 when there is no such line.
// Rows stay when the width changes, and lines do not.
func (d *Layout) Row(line int) int {
	if line < 0 || len(d.lines) == 0 {
		return -1
	}
	return d.lines[min(line, len(d.lines)-1)].row
}

// Line is the first line of a row; 0 when there is no such row.
func (d *Layout) Line(row int) int {
	if row < 0 || row >= len(d.at) {
		return 0
	}
	return d.at[row]
}

// Hunk is the line at which the next (1) or the previous (-1) difference begins, seen from a
// line. ok is false when there is none.
func (d *Layout) Hunk(n, from int) (line int, ok bool) {
	if d.cmp == nil {
		return 0, false
	}
	if n > 0 {
		for _, h := range d.cmp.hunks {
			if d.Line(h) > from {
				return d.Line(h), true
			}
		}
		return 0, false
	}
	for _, h := range slices.Backward(d.cmp.hunks) {
		if d.Line(h) < from {
			return d.Line(h), true
		}
	}
	return 0, false
}

// layoutLine is one line on the screen: a part of a row, on one side or on both.
type layoutLine struct {
	row      int
	old, new text.Part

	note    string // a row of a note
	head    bool   // its first
	id      string // of the note
	left    bool   // it is on the old text
	isLabel bool
	free    bool // a label that says nothing: a row is left free
}

// nothing stands where a side has no text.
var nothing = text.Part{From: -1, To: -1}

// layout wraps every row for a width.
func (d *Layout) layout(w int, split bool) {
	d.width, d.split = w, split
	d.lines = d.lines[:0]
	d.at = make([]int, len(d.cmp.rows))
	d.measure()
	hunk := 0
	for r := 0; r < len(d.cmp.rows); {
		row := &d.cmp.rows[r]
		d.at[r] = len(d.lines)
		if hunk < len(d.cmp.hunks) && d.cmp.hunks[hunk] == r {
			d.labelLine(r, hunk)
			hunk++
		}
		switch {
		case row.kind == heading && r > 0:
			d.lines = append(d.lines, layoutLine{row: r, old: nothing, new: nothing, isLabel: true, free: true})
			d.at[r] = len(d.lines)
			fallthrough
		case row.kind.stands():
			d.lines = append(d.lines, layoutLine{row: r, old: nothing, new: nothing})
			if row.kind == heading {
				d.noteLines(r, false)
			}
		case split:
			d.beside(r)
			d.noteLines(r, true)
			d.noteLines(r, false)
		case row.kind == equal:
			for _, p := range text.WrapParts(row.new.text, d.room) {
				d.lines = append(d.lines, layoutLine{row: r, old: nothing, new: p})
			}
			d.noteLines(r, true)
			d.noteLines(r, false)
		default:
			r = d.above(r)
			continue
		}
		r++
	}
}

// beside lays out a row in two columns.
func (d *Layout) beside(r int) {
	row := &d.cmp.rows[r]
	a, b := d.parts(row, true), d.parts(row, false)
	for k := range max(len(a), len(b)) {
		l := layoutLine{row: r, old: nothing, new: nothing}
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
func (d *Layout) above(r int) (end int) {
	for end = r + 1; end < len(d.cmp.rows); end++ {
		if _, starts := slices.BinarySearch(d.cmp.hunks, end); starts {
			break
		}
		if k := d.cmp.rows[end].kind; k == equal || k.stands() {
			break
		}
	}
	for k := r; k < end; k++ {
		if k > r {
			d.at[k] = len(d.lines)
		}
		for _, p := range d.parts(&d.cmp.rows[k], true) {
			d.lines = append(d.lines, layoutLine{row: k, old: p, new: nothing})
		}
		d.noteLines(k, true)
	}
	for k := r; k < end; k++ {
		for _, p := range d.parts(&d.cmp.rows[k], false) {
			d.lines = append(d.lines, layoutLine{row: k, old: nothing, new: p})
		}
		d.noteLines(k, false)
	}
	return end
}

// parts wraps one side of a row; nil when the row has none.
func (d *Layout) parts(row *diffRow, old bool) []text.Part {
	switch {
	case old && row.kind != inserted:
		return text.WrapParts(row.old.text, d.room)
	case !old && row.kind != deleted:
		return text.WrapParts(row.new.text, d.room)
	}
	return nil
}

// measure finds the width of the line numbers and the room beside them and the sign.
func (d *Layout) measure() {
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

// Draw is a line, at most as wide as it was laid out for.
func (d *Layout) Draw(line int) string {
	at, w := d.lines[line], d.width
	if at.isLabel || at.note != "" || at.head {
		return d.drawExtra(&at)
	}
	row := &d.cmp.rows[at.row]
	l := rows.NewLine(w, style.Ink{})
	n := d.numW
	switch row.kind {
	case gap:
		return l.Add(d.st.DiffHunk, fmt.Sprintf("%s %d equal lines", d.st.Glyph.Ellipsis, row.hidden)).String()
	case heading:
		return d.fileHead(l, &d.cmp.files[row.hidden], d.isMarked(line))
	case part:
		return l.Add(d.st.DiffHunk, text.SafeLine(strings.TrimSpace(fmt.Sprintf("%s %d %s", d.st.Glyph.Ellipsis, row.new.no, row.new.text)))).String()
	}
	if d.split {
		half := (w - 3) / 2
		on := d.isMarked(line)
		d.half(l, row, at.old, true, n, half, on && row.new.no == 0)
		l.Add(d.st.Border, " "+d.bar()+" ")
		d.half(l, row, at.new, false, n, w-half-3, on)
		return l.String()
	}
	switch {
	case at.old.From >= 0:
		d.number(l, row.old.no, n, at.old.From == 0)
		l.Space(n + 1)
		d.text(l, row, at.old, true, l.Left(), d.isMarked(line))
	default:
		if row.kind == equal {
			d.number(l, row.old.no, n, at.new.From == 0)
		} else {
			l.Space(n)
		}
		l.Space(1)
		d.number(l, row.new.no, n, at.new.From == 0)
		d.text(l, row, at.new, false, l.Left(), d.isMarked(line))
	}
	return l.String()
}

// fileHead draws the head of a file of a patch.
func (d *Layout) fileHead(l *rows.Line, f *File, on bool) string {
	if on {
		l.Add(d.st.Marker, d.markBar())
	}
	counts := fmt.Sprintf("+%d -%d", f.Added, f.Taken)
	path := text.SafeLine(f.Path)
	if room := l.Left() - len(counts) - 2; text.Width(path) > room && room > 4 { // its end tells more than its beginning
		path = d.st.Glyph.Ellipsis + text.Slice(path, text.Width(path)-room+1, text.Width(path))
	}
	l.Add(d.st.Heading, path).Space(2).Add(d.st.Muted, counts)
	if f.What != "" {
		l.Space(2).Add(d.st.Warn, text.SafeLine(f.What))
	}
	return l.String()
}

func (d *Layout) bar() string {
	if d.st.Options.ASCII {
		return "|"
	}
	return "│"
}

func (d *Layout) markBar() string {
	if d.st.Options.ASCII {
		return "|"
	}
	return "▎"
}

func (d *Layout) number(l *rows.Line, no, n int, show bool) {
	if !show || no == 0 {
		l.Space(n)
		return
	}
	l.Add(d.st.Faint, text.PadLeft(strconv.Itoa(no), n))
}

// half draws one side of a row in exactly w cells.
func (d *Layout) half(l *rows.Line, row *diffRow, p text.Part, old bool, n, w int, on bool) {
	end := l.Used() + w
	if p.From >= 0 {
		no := row.new.no
		if old {
			no = row.old.no
		}
		d.number(l, no, n, p.From == 0)
		d.text(l, row, p, old, w-n, on)
	}
	l.To(end)
}

// text draws the sign and a part of the text, with the words that differ marked, and a bar before
// it where the line is.
func (d *Layout) text(l *rows.Line, row *diffRow, p text.Part, old bool, w int, on bool) {
	s, ink, word, sign := row.new, d.st.DiffAdd, d.st.DiffAddWord, "+"
	if old {
		s, ink, word, sign = row.old, d.st.DiffDel, d.st.DiffDelWord, "-"
	}
	if row.kind == equal {
		ink, word, sign = d.st.Muted, d.st.Muted, " "
	}
	from := l.Used()
	if on {
		l.Add(d.st.Marker, d.markBar())
	} else {
		l.Add(style.Ink{}, " ")
	}
	l.Add(ink, sign+" ")
	body := s.text[p.From:p.To]
	room := max(0, w-3)
	if text.Width(body) > room { // a single cluster wider than the line
		body = text.Truncate(body, room)
	}
	l.AddMatches(ink, word, body, rows.Within(s.words, p.From, p.To-p.From))
	if row.kind != equal { // the background reaches to the edge
		l.Add(ink, text.Spaces(w-(l.Used()-from)))
	}
}
