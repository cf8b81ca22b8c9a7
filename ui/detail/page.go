package detail

import (
	"strings"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// page is a list of drawn rows with places that the cursor can stop at. On a list the
// cursor is always at one of them; on a page for reading it goes from one to the next while
// they are in view, and otherwise the page scrolls.
type page struct {
	valid bool
	w     int // the width that the rows were drawn for
	list  bool
	rows  []prow
	stops []stop

	win rows.Window
	cur int // index in stops, -1 for none
	// kept is where the cursor's row is in the window, which stays there when the page is
	// drawn next; nil when the page keeps its own place.
	kept *int
	hit  int // the row of the match that the reader is at, from 1; 0 for none
}

// prow is one row: styled, at most w-1 cells.
type prow struct {
	s    string
	stop int  // index in stops, -1 for none
	more bool // an unfolded part of its stop: not under the cursor's bar
}

// stop is where the cursor can be: rows first to last.
type stop struct{ first, last int }

// add appends a row that belongs to no stop.
func (p *page) add(s string) { p.rows = append(p.rows, prow{s: s, stop: -1}) }

// addStop appends rows that are one stop.
func (p *page) addStop(lines ...string) {
	n := len(p.stops)
	p.stops = append(p.stops, stop{len(p.rows), len(p.rows) + len(lines) - 1})
	for _, l := range lines {
		p.rows = append(p.rows, prow{s: l, stop: n})
	}
}

// unfold appends rows to the last stop.
func (p *page) unfold(lines ...string) {
	n := len(p.stops) - 1
	for _, l := range lines {
		p.rows = append(p.rows, prow{s: l, stop: n, more: true})
	}
	p.stops[n].last += len(lines)
}

// reset empties the page for drawing; the place stays.
func (p *page) reset(w int, list bool) {
	p.rows, p.stops = p.rows[:0], p.stops[:0]
	p.w, p.list, p.valid = w, list, true
}

// keep makes the cursor's row stay where it is on the screen, whatever comes above it.
// Where following, a page that shows its beginning goes on to show it.
func (p *page) keep(following bool) {
	if p.kept != nil || p.cur < 0 || p.cur >= len(p.stops) || following && p.win.Top == 0 {
		return
	}
	at := p.stops[p.cur].first - p.win.Top
	p.kept = &at
}

// settle keeps cursor and window inside after drawing.
func (p *page) settle() {
	p.cur = min(p.cur, len(p.stops)-1)
	if p.list && p.cur < 0 && len(p.stops) > 0 {
		p.cur = 0
	}
	if p.kept != nil && p.cur >= 0 && p.cur < len(p.stops) {
		p.win.Top = p.stops[p.cur].first - *p.kept
	}
	p.kept = nil
	p.clamp()
}

func (p *page) clamp() { p.win.Clamp(len(p.rows)) }

// resize takes the height of the window; a cursor in view stays in view.
func (p *page) resize(h int) {
	if h == p.win.Height {
		return
	}
	seen := p.cur >= 0 && p.cur < len(p.stops) && p.sees(p.stops[p.cur])
	p.win.Height = h
	if seen {
		p.follow()
	}
	p.clamp()
}

func (p *page) sees(s stop) bool { return p.win.Sees(s.first) && p.win.Sees(s.last) }

// follow scrolls as little as it must so that the cursor's rows are in view, the first at least.
func (p *page) follow() {
	if p.cur >= 0 && p.cur < len(p.stops) {
		s := p.stops[p.cur]
		p.win.Follow(min(s.last, s.first+p.win.Height-1), len(p.rows))
		p.win.Follow(s.first, len(p.rows))
	}
}

// Move goes n stops or rows down.
func (p *page) Move(n int) {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	for range n {
		switch {
		case !p.list:
			p.browse(step)
		case p.beneath(step), p.above(step):
			p.ScrollBy(step)
		default:
			p.cur = max(0, min(p.cur+step, len(p.stops)-1))
			p.follow()
		}
	}
}

// beneath reports whether moving is reading what stands beneath the list: down from its last
// stop, or up while that is out of view.
func (p *page) beneath(step int) bool {
	last := len(p.stops) - 1
	if last < 0 || p.cur != last || p.stops[last].last == len(p.rows)-1 {
		return false
	}
	return step > 0 || p.stops[last].first < p.win.Top
}

// above reports whether moving is reading what stands above the list: up from its first stop, down until that is in
// view, or anywhere on a page that has none.
func (p *page) above(step int) bool {
	if len(p.stops) == 0 {
		return true
	}
	return p.cur == 0 && (step < 0 || p.stops[0].first >= p.win.Top+p.win.Height)
}

// browse goes to the next stop when it is in view, and else scrolls by a row.
func (p *page) browse(step int) {
	next := p.nextStop(step)
	if next >= 0 && p.sees(p.stops[next]) {
		p.cur = next
		return
	}
	before := p.win.Top
	p.ScrollBy(step)
	if next >= 0 && p.sees(p.stops[next]) {
		p.cur = next
	} else if p.win.Top == before && next >= 0 {
		p.cur = next
	}
}

// nextStop is the stop after the cursor in a direction; without a cursor the first in view
// from the edge that it comes from. -1 when there is none.
func (p *page) nextStop(step int) int {
	if p.cur >= 0 {
		if n := p.cur + step; n >= 0 && n < len(p.stops) {
			return n
		}
		return -1
	}
	if step > 0 {
		for i, s := range p.stops {
			if s.first >= p.win.Top {
				return i
			}
		}
		return -1
	}
	for i := len(p.stops) - 1; i >= 0; i-- {
		if p.stops[i].last < p.win.Top+p.win.Height {
			return i
		}
	}
	return -1
}

// ScrollBy moves the window; on a page for reading a cursor that leaves it is gone.
func (p *page) ScrollBy(n int) {
	p.win.Scroll(n, len(p.rows))
	if !p.list && p.cur >= 0 && p.cur < len(p.stops) && !p.sees(p.stops[p.cur]) {
		p.cur = -1
	}
}

// Leap moves by rows: the window on a page for reading, the cursor on a list.
func (p *page) Leap(n int) {
	if !p.list || p.beneath(n) || p.above(n) {
		p.ScrollBy(n)
		return
	}
	p.to(p.stops[max(0, p.cur)].first + n)
}

// to puts the cursor of a list on the stop at or after a row, or the last.
func (p *page) to(row int) {
	p.cur = len(p.stops) - 1
	for i, s := range p.stops {
		if s.last >= row {
			p.cur = i
			break
		}
	}
	p.follow()
}

// Top goes to the beginning.
func (p *page) Top() {
	p.win.Top, p.cur = 0, -1
	if p.list {
		p.cur = min(0, len(p.stops)-1)
	}
}

// Bottom goes to the end.
func (p *page) Bottom() {
	p.win.Top, p.cur = len(p.rows), -1
	if p.list {
		p.cur = len(p.stops) - 1
	}
	p.clamp()
}

// click puts the cursor on the stop at a row of the window.
func (p *page) click(y int) bool {
	if y += p.win.Top; y < 0 || y >= len(p.rows) || p.rows[y].stop < 0 {
		return false
	}
	p.cur = p.rows[y].stop
	return true
}

// reader is the row that a search begins at, and continues from.
func (p *page) reader() int {
	if p.hit > 0 {
		return p.hit - 1
	}
	return p.win.Top
}

// matches are the rows that have a folded text in them.
func (p *page) matches(query string) []int {
	var all []int
	for y := range p.rows {
		if query != "" && strings.Contains(p.folded(y), query) {
			all = append(all, y)
		}
	}
	return all
}

func (p *page) folded(y int) string { return rows.Fold(text.Strip(p.rows[y].s)) }

// show goes to a row that a search has found.
func (p *page) show(y int) {
	p.hit = y + 1
	if s := p.rows[y].stop; s >= 0 {
		p.cur = s
		p.follow()
	} else if p.list {
		p.cur = max(0, p.cur)
	}
	if !p.win.Sees(y) {
		p.win.Put(y, p.win.Height/3, len(p.rows))
	}
}

// place remembers where the page is, and returns what brings it back.
func (p *page) place() func() {
	cur, back := p.cur, p.win.Place(func() int { return len(p.rows) })
	return func() {
		p.cur, p.hit = cur, 0
		back()
	}
}

// view draws the window, with the matches of a search.
func (p *page) view(st *style.Styles, w, h int, focused bool, query string) []string {
	p.resize(h)
	out := make([]string, 0, h)
	for y := p.win.Top; y < len(p.rows) && len(out) < h; y++ {
		r := p.rows[y]
		on := focused && !r.more && r.stop >= 0 && r.stop == p.cur
		out = append(out, st.Row(rows.Highlight(st, r.s, query, y == p.hit-1), w, style.Row{Cursor: on, Focused: true}))
	}
	return text.Fit(out, w, h)
}
