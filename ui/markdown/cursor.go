package markdown

import (
	"strings"

	"vespe/ui/text"
)

// cursor is the place in a document that a reader is at: a row of the screen, and of a row that
// shows several source lines one of them.
type cursor struct {
	on, focused bool
	unit, row   int
	line        int
}

// margin is how many rows stay in view beyond the cursor.
const margin = 2

// SetCursor gives the document a cursor and a gutter with the numbers of its lines.
func (d *Doc) SetCursor(on bool) {
	if d.cursor.on != on {
		d.cursor = cursor{on: on, line: 1}
		d.near, d.insetRows, d.warm = nil, map[string][]string{}, 0
		d.enter()
	}
}

// SetFocused says whether the cursor is drawn.
func (d *Doc) SetFocused(on bool) { d.cursor.focused = on }

// SetMarked marks a range of lines; 0 for none.
func (d *Doc) SetMarked(from, to int) { d.marked = [2]int{min(from, to), max(from, to)} }

// Cursor is where the reader is: a source line, and the inset under the cursor, "" for none.
func (d *Doc) Cursor() (line int, inset string) {
	f := d.flow()
	if !d.cursor.on || f.n == 0 {
		return 0, ""
	}
	if slots := f.laid(d.cursor.unit).slots; d.cursor.row < len(slots) && slots[d.cursor.row].kind == slotInset {
		return max(1, slots[d.cursor.row].under), d.insets[slots[d.cursor.row].inset].ID
	}
	return d.cursor.line, ""
}

// CursorBy moves the cursor by n stops: the first row of every source line that says something, and of every inset. Where a
// row shows several lines, it goes through them. It rests on no blank row, no rule and no continuation.
func (d *Doc) CursorBy(n int) {
	for ; n > 0; n-- {
		was := d.cursor
		if d.down(); d.cursor == was { // what is left to see below the last stop
			d.ScrollBy(1)
			return
		}
	}
	for ; n < 0; n++ {
		was := d.cursor
		if d.up(); d.cursor == was {
			d.ScrollBy(-1)
			return
		}
	}
	d.follow()
}

func (d *Doc) down() { d.toStop(d.stepDown) }
func (d *Doc) up()   { d.toStop(d.stepUp) }

// toStop takes steps until there is a stop, and none where there is no other. What is taller than the window is gone through
// by nearly a window at a time, so that none of it is passed unseen.
func (d *Doc) toStop(step func()) {
	f, c := d.flow(), &d.cursor
	if f.n == 0 {
		return
	}
	from := *c
	for range max(1, f.h-1-margin) {
		was := *c
		if step(); *c == was {
			*c = from
			return
		}
		if d.atStop() {
			return
		}
	}
}

// atStop reports that the cursor is where it may rest.
func (d *Doc) atStop() bool {
	f, c := d.flow(), &d.cursor
	laid := f.laid(c.unit)
	switch s := laid.slots[c.row]; s.kind {
	case slotInset:
		return s.at == 0
	case slotRow:
		return c.line > d.lastBefore(c.unit, s.at) && laid.rows[s.at].says() && says(d.doc.src.line(c.line))
	}
	return false
}

// stepDown goes to the next source line that begins on the row, or else to the next row.
func (d *Doc) stepDown() {
	f, c := d.flow(), &d.cursor
	_, last := f.sourceOf(c.unit, c.row)
	if f.laid(c.unit).slots[c.row].kind != slotInset && c.line < last {
		c.line++
		return
	}
	unit, row := f.moved(c.unit, c.row, 1)
	if unit == c.unit && row == c.row {
		return // the last row
	}
	a, b := f.sourceOf(unit, row)
	c.unit, c.row = unit, row
	switch s := f.laid(unit).slots[row]; s.kind {
	case slotRow:
		c.line = min(max(a, d.lastBefore(unit, s.at)+1), b)
	case slotGap:
		c.line = a
	}
}

// stepUp goes to the source line before that begins on the row, or else to the end of the row above.
func (d *Doc) stepUp() {
	f, c := d.flow(), &d.cursor
	first, _ := f.sourceOf(c.unit, c.row)
	switch s := f.laid(c.unit).slots[c.row]; {
	case s.kind == slotInset:
	case s.kind == slotRow && c.line > max(first, d.lastBefore(c.unit, s.at)+1), s.kind == slotGap && c.line > first:
		c.line--
		return
	}
	unit, row := f.moved(c.unit, c.row, -1)
	if unit == c.unit && row == c.row {
		return // the first row
	}
	c.unit, c.row = unit, row
	if _, b := f.sourceOf(unit, row); f.laid(unit).slots[row].kind != slotInset {
		c.line = b
	}
}

// follow moves the window so that the cursor is in it, and a little of what lies beyond.
func (d *Doc) follow() {
	f, c := d.flow(), &d.cursor
	if !c.on || f.n == 0 {
		return
	}
	room := min(margin, (f.h-1)/2)
	at, ok := f.distance(c.unit, c.row)
	switch {
	case !ok && (c.unit < f.unit || c.unit == f.unit && c.row < f.row), ok && at < room:
		f.unit, f.row = f.moved(c.unit, c.row, -room)
	case !ok || at > f.h-1-room:
		f.unit, f.row = f.moved(c.unit, c.row, -(f.h - 1 - room))
	}
	f.clamp()
}

// enter brings the cursor into the window.
func (d *Doc) enter() {
	f, c := d.flow(), &d.cursor
	if !c.on || f.n == 0 {
		return
	}
	c.unit = min(c.unit, f.n-1)
	c.row = min(c.row, f.height(c.unit)-1)
	if at, ok := f.distance(c.unit, c.row); ok && at < f.h {
		d.settleLine()
		return
	}
	if c.unit < f.unit || c.unit == f.unit && c.row < f.row {
		c.unit, c.row = f.unit, f.row
	} else {
		c.unit, c.row = f.moved(f.unit, f.row, f.h-1)
	}
	d.settleLine()
}

// settleLine makes the cursor's line one that its row shows.
func (d *Doc) settleLine() {
	a, b := d.flow().sourceOf(d.cursor.unit, d.cursor.row)
	d.cursor.line = min(max(d.cursor.line, a), b)
}

// CursorLeap moves window and cursor by rows.
func (d *Doc) CursorLeap(n int) {
	f, c := d.flow(), &d.cursor
	if f.n == 0 {
		return
	}
	c.unit, c.row = f.moved(c.unit, c.row, n)
	f.scroll(n)
	d.settleLine()
	d.follow()
}

// Move moves by n rows: the cursor where there is one, or else the window.
func (d *Doc) Move(n int) {
	if d.cursor.on {
		d.CursorBy(n)
		return
	}
	d.ScrollBy(n)
}

// Leap moves the window by n rows, and a cursor with it.
func (d *Doc) Leap(n int) {
	if d.cursor.on {
		d.CursorLeap(n)
		return
	}
	d.ScrollBy(n)
}

// CursorTo puts the cursor on a source line.
func (d *Doc) CursorTo(line int) {
	f, c := d.flow(), &d.cursor
	if f.n == 0 {
		return
	}
	c.unit, c.row = f.find(line)
	c.line = line
	d.settleLine()
	f.show(c.unit, c.row)
	d.follow()
}

// CursorToInset puts the cursor on an inset; false when there is none such.
func (d *Doc) CursorToInset(id string) bool {
	unit, row, ok := d.insetAt(id)
	if !ok {
		return false
	}
	d.cursor.unit, d.cursor.row = unit, row
	d.settleLine()
	d.flow().show(unit, row)
	d.follow()
	return true
}

// CursorRow puts the cursor on a row of the window; false below the end.
func (d *Doc) CursorRow(y int) bool {
	f := d.flow()
	if a, _ := f.sourceAt(y); a == 0 {
		return false
	}
	d.cursor.unit, d.cursor.row = f.moved(f.unit, f.row, y)
	d.settleLine()
	return true
}

// here reports that the cursor is drawn on a row.
func (d *Doc) here(unit, row int) bool {
	c := &d.cursor
	return c.on && c.focused && c.unit == unit && c.row == row
}

// besideCursor draws the cursor in the gutter alone: a row that changes whole would be sent whole with each key.
func (d *Doc) besideCursor(gutter string) string {
	st := d.look.st
	s := st.Marker.Render(st.Glyph.Cursor) + strings.Replace(gutter, " ", "", 1)
	if st.Select.Sole() { // it is reversed, and colors would be backgrounds
		s = text.Strip(s)
	}
	return text.Paint(s, d.gutter(), d.look.selected)
}

// gutterText is what stands before a row: the number of the line that begins on it, or that
// the cursor is on, what changed in it, and a mark.
func (d *Doc) gutterText(unit, row int, s slot) string {
	g := d.gutter()
	if g == 0 {
		return ""
	}
	f := d.flow()
	a, b := f.sourceOf(unit, row)
	n, sgr := 0, d.look.number
	switch {
	case s.kind == slotInset:
		return d.gutterOf(0, g, sgr, Mark{}, d.insets[s.inset].Mark)
	case d.here(unit, row):
		n, sgr = d.cursor.line, d.look.here
	case s.kind == slotRow:
		if before := d.lastBefore(unit, s.at); b > before {
			n = max(a, before+1)
		}
	}
	mark := d.markOn(unit, s, a, b)
	change := d.changeOn(unit, row, s)
	if mark.Glyph == "" {
		mark = change.Flag
	}
	return d.gutterOf(n, g, sgr, change.Sign, mark)
}

// markOn is the mark beside a row that shows the lines a to b: that of the first with one. A gap has
// that of its blank lines; one that stands for none continues with what is on both sides of it.
func (d *Doc) markOn(unit int, s slot, a, b int) Mark {
	if s.kind == slotGap {
		first, _ := d.flow().lines(unit)
		if b = min(b, first-1); b < a {
			above, below := d.markOf(d.lastBefore(unit, 0)), d.markOf(first)
			if above == below {
				return below
			}
			return Mark{}
		}
	}
	for l := a; l <= b; l++ {
		if m := d.markOf(l); m.Glyph != "" {
			return m
		}
	}
	return Mark{}
}

// markOf is the mark of a source line.
func (d *Doc) markOf(line int) Mark {
	m := d.marks[line]
	if m.Glyph == "" && d.marked[0] > 0 && line >= d.marked[0] && line <= d.marked[1] {
		return Mark{d.look.quoteBar, d.look.here}
	}
	return m
}

// lastBefore is the last source line that the row before a row of a unit shows.
func (d *Doc) lastBefore(unit, at int) int {
	f := d.flow()
	a, _ := f.lines(unit)
	if at > 0 {
		return a + f.laid(unit).rows[at-1].last
	}
	if unit > 0 {
		_, b := f.lines(unit - 1)
		return b
	}
	return 0
}

// underCursor marks, of several lines that a row shows, the words of the one that is meant.
func (d *Doc) underCursor(s string, r *line, lead int) string {
	if r == nil || len(r.turns) == 0 {
		return s
	}
	first, _ := d.flow().lines(d.cursor.unit)
	from, to := 0, r.width()
	for _, t := range r.turns {
		switch line := first + t.line; {
		case line <= d.cursor.line:
			from = t.at
		case line > d.cursor.line:
			to = min(to, t.at)
		}
	}
	if from >= to {
		return s
	}
	return text.Highlight(s, [][2]int{{lead + from, lead + to}}, underlined)
}

const underlined = "\x1b[4m"
