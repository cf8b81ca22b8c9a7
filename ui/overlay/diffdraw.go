package overlay

import (
	"fmt"
	"strconv"

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
	room := d.textWidth()
	for r := range d.cmp.rows {
		row := &d.cmp.rows[r]
		d.at[r] = len(d.lines)
		switch {
		case row.kind == gap:
			d.lines = append(d.lines, diffLine{row: r, old: nothing, new: nothing})
		case split:
			a, b := d.parts(row, true, room), d.parts(row, false, room)
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
		case row.kind == equal:
			for _, p := range wrapAt(row.new.text, room) {
				d.lines = append(d.lines, diffLine{row: r, old: nothing, new: p})
			}
		}
		if !split && row.kind != equal && row.kind != gap {
			r = d.block(r, room)
		}
	}
	d.win.Top = 0
	if keep < len(d.at) {
		d.win.Top = d.at[keep]
	}
}

// block lays out the old side of a row and, at the end of a run of changed rows, is called
// row by row: in one column what went stands above what came.
func (d *Diff) block(r, room int) int {
	// Only the first row of a run lays the run out; the others have been.
	if r > 0 {
		if k := d.cmp.rows[r-1].kind; k != equal && k != gap && !d.startsHunk(r) {
			return r
		}
	}
	end := r
	for end < len(d.cmp.rows) && (end == r || !d.startsHunk(end)) {
		if k := d.cmp.rows[end].kind; k == equal || k == gap {
			break
		}
		end++
	}
	for k := r; k < end; k++ {
		d.at[k] = len(d.lines)
		if d.cmp.rows[k].kind != inserted {
			for _, p := range wrapAt(d.cmp.rows[k].old.text, room) {
				d.lines = append(d.lines, diffLine{row: k, old: p, new: nothing})
			}
		}
	}
	for k := r; k < end; k++ {
		if d.cmp.rows[k].kind != deleted {
			for _, p := range wrapAt(d.cmp.rows[k].new.text, room) {
				d.lines = append(d.lines, diffLine{row: k, old: nothing, new: p})
			}
		}
	}
	return r
}

func (d *Diff) startsHunk(r int) bool {
	for _, h := range d.cmp.hunks {
		if h == r {
			return true
		}
	}
	return false
}

func (d *Diff) parts(row *diffRow, old bool, room int) []part {
	if old {
		if row.kind == inserted {
			return nil
		}
		return wrapAt(row.old.text, room)
	}
	if row.kind == deleted {
		return nil
	}
	return wrapAt(row.new.text, room)
}

// numberWidth is the width of the line numbers.
func (d *Diff) numberWidth() int {
	most := 1
	for i := len(d.cmp.rows) - 1; i >= 0; i-- {
		if r := &d.cmp.rows[i]; r.kind != gap {
			most = max(most, r.old.no, r.new.no)
			if r.old.no > 0 && r.new.no > 0 {
				break
			}
		}
	}
	return len(strconv.Itoa(most))
}

// textWidth is the room for the text on one side: beside it are numbers and a sign.
func (d *Diff) textWidth() int {
	n := d.numberWidth()
	if d.split {
		return max(1, (d.width-3)/2-n-3)
	}
	return max(1, d.width-2*n-4)
}

// wrapAt breaks a safe line into parts of at most w cells, at blanks where it can.
func wrapAt(s string, w int) []part {
	var out []part
	at := 0
	for _, line := range text.Wrap(s, w) {
		// Wrap drops the blanks at which it breaks, and what is wider than the line becomes
		// an ellipsis: find each line again from where the last one ended.
		from := at
		for from < len(s) && line != "" && s[from] == ' ' && line[0] != ' ' {
			from++
		}
		n := common(s[from:], line)
		if n < len(line) && from+n < len(s) { // the ellipsis of a cluster that does not fit
			c, _ := ansi.FirstGraphemeCluster(s[from+n:], ansi.GraphemeWidth)
			n += len(c)
		}
		out = append(out, part{from, from + n})
		at = from + n
	}
	return out
}

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// titles names the two texts.
func (d *Diff) titles(w int) string {
	l := oneLine(w)
	minus, plus := text.SafeLine(d.o.OldTitle), text.SafeLine(d.o.NewTitle)
	if d.split {
		half := (w - 3) / 2
		l.AddMax(d.st.DiffDel, "- "+minus, half)
		return l.To(half+3).Add(d.st.DiffAdd, "+ "+plus).String()
	}
	return l.AddMax(d.st.DiffDel, "- "+minus, max(0, w/2-1)).Space(2).Add(d.st.DiffAdd, "+ "+plus).String()
}

func (d *Diff) draw(at diffLine, w int) string {
	row := &d.cmp.rows[at.row]
	l := oneLine(w)
	n := d.numberWidth()
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
