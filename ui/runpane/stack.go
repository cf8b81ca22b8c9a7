package runpane

import (
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// stack is a column of items with a cursor. How high an item is, is known only where somebody looks:
// the window is the item at its top and how many rows of that are above it. So a log of any length
// costs what is in view.
type stack struct {
	n      int
	draw   func(i, w int) []string // at least one row, each of at most w cells
	folded func(i int) string      // what is searched of an item
	unfold func(i int)             // shows all of an item; nil where nothing is ever folded
	w, h   int
	cur    int
	top    int // the first item in view, and
	off    int // how many of its rows are above the window
	follow bool
	seen   int // items that there were when following ended

	drawn map[int][]string // by item, for w
}

func newStack(draw func(i, w int) []string, folded func(i int) string) *stack {
	return &stack{draw: draw, folded: folded, w: 80, h: 20, drawn: map[int][]string{}}
}

// redo forgets what was drawn.
func (s *stack) redo() { s.drawn = map[int][]string{} }

// redraw forgets what was drawn of one item.
func (s *stack) redraw(i int) { delete(s.drawn, i) }

// set says how many items there are. A stack that follows its end goes on to.
func (s *stack) set(n int) {
	s.n = n
	s.settle()
}

// size takes the size of the window.
func (s *stack) size(w, h int) {
	if w == s.w && h == s.h {
		return
	}
	seen := s.sees(s.cur)
	if w != s.w {
		s.redo()
	}
	s.w, s.h = w, h
	s.settle()
	if seen {
		s.ensure()
	}
}

func (s *stack) settle() {
	s.cur = max(0, min(s.cur, s.n-1))
	if s.follow && s.n > 0 {
		s.cur = s.n - 1
		s.bottom()
		return
	}
	if s.top >= s.n {
		s.top, s.off = max(0, s.n-1), 0
	}
	if s.n > 0 {
		s.off = min(s.off, len(s.rows(s.top))-1)
	}
	s.clamp()
}

// rows are those of an item.
func (s *stack) rows(i int) []string {
	if r, ok := s.drawn[i]; ok {
		return r
	}
	if len(s.drawn) > 4*s.h+200 { // what was looked at long ago
		s.redo()
	}
	r := s.draw(i, max(1, s.w-1))
	if len(r) == 0 {
		r = []string{""}
	}
	s.drawn[i] = r
	return r
}

// bottom puts the last row of the last item at the end of the window.
func (s *stack) bottom() { s.endAt(s.n - 1) }

// endAt puts the last row of an item at the end of the window.
func (s *stack) endAt(i int) {
	room := s.h
	for ; i >= 0; i-- {
		n := len(s.rows(i))
		if n >= room {
			s.top, s.off = i, n-room
			return
		}
		room -= n
	}
	s.top, s.off = 0, 0
}

// clamp keeps the window from showing anything beyond the last item.
func (s *stack) clamp() {
	if s.n > 0 && s.below(s.h) < s.h {
		s.bottom()
	}
}

// below counts the rows from the top of the window on, up to most.
func (s *stack) below(most int) int {
	n := -s.off
	for i := s.top; i < s.n && n < most; i++ {
		n += len(s.rows(i))
	}
	return min(n, most)
}

// atEnd reports whether the last row is in view.
func (s *stack) atEnd() bool { return s.below(s.h+1) <= s.h }

// sees reports whether some of an item is in view.
func (s *stack) sees(i int) bool {
	if i < s.top || i >= s.n {
		return false
	}
	y := -s.off
	for k := s.top; k < i && y < s.h; k++ {
		y += len(s.rows(k))
	}
	return y < s.h
}

// ensure brings the item under the cursor into view, as little as it takes.
func (s *stack) ensure() {
	if s.n == 0 {
		return
	}
	if s.cur < s.top || s.cur == s.top && s.off > 0 && len(s.rows(s.cur)) <= s.h {
		s.top, s.off = s.cur, 0
		s.clamp()
		return
	}
	y := -s.off
	for k := s.top; k <= s.cur && y <= s.h; k++ {
		y += len(s.rows(k))
	}
	if y > s.h {
		if len(s.rows(s.cur)) >= s.h {
			s.top, s.off = s.cur, 0
		} else {
			s.endAt(s.cur)
		}
	}
}

// mind says whether the end is followed from here on: where it is in view with the cursor on it.
func (s *stack) mind() {
	was := s.follow
	s.follow = s.n > 0 && s.cur == s.n-1 && s.atEnd()
	if was && !s.follow {
		s.seen = s.n
	}
}

// fresh is how many items came in at the end since it was followed; 0 while it is.
func (s *stack) fresh() int {
	if s.follow || s.seen == 0 || s.atEnd() {
		return 0
	}
	return max(0, s.n-s.seen)
}

// move goes d items down. An item that is higher than the window is gone through by rows first.
func (s *stack) move(d int) {
	step := 1
	if d < 0 {
		step = -1
	}
	for ; d != 0; d -= step {
		switch {
		case s.n == 0:
		case step > 0 && s.cur == s.top && len(s.rows(s.cur))-s.off > s.h:
			s.off++
		case step < 0 && s.cur == s.top && s.off > 0:
			s.off--
		default:
			s.cur = max(0, min(s.cur+step, s.n-1))
			s.ensure()
			if step < 0 && s.cur == s.top && len(s.rows(s.cur)) > s.h { // from below its end comes first
				s.off = len(s.rows(s.cur)) - s.h
			}
		}
	}
	s.mind()
}

// scroll moves the window by d rows. A cursor that it leaves behind goes along.
func (s *stack) scroll(d int) {
	for ; d > 0 && !s.atEnd(); d-- {
		if s.off++; s.off >= len(s.rows(s.top)) {
			s.top, s.off = s.top+1, 0
		}
	}
	for ; d < 0 && (s.top > 0 || s.off > 0); d++ {
		if s.off--; s.off < 0 {
			s.top--
			s.off = len(s.rows(s.top)) - 1
		}
	}
	if s.cur < s.top {
		s.cur = s.top
	}
	for s.cur > s.top && !s.sees(s.cur) {
		s.cur--
	}
	if s.atEnd() && s.n > 0 && d >= 0 {
		s.cur = max(s.cur, s.lastSeen())
	}
	s.mind()
}

// lastSeen is the last item of which something is in view.
func (s *stack) lastSeen() int {
	i, y := s.top, -s.off
	for ; i < s.n; i++ {
		if y += len(s.rows(i)); y >= s.h {
			break
		}
	}
	return min(i, s.n-1)
}

// leap moves window and cursor by d rows.
func (s *stack) leap(d int) {
	at, atOff := s.top, s.off
	s.scroll(d)
	switch {
	case s.n == 0:
	case at != s.top || atOff != s.off: // the cursor stays on its line of the window, about
		if d > 0 {
			s.cur = s.lastSeen()
		} else {
			s.cur = s.top
		}
	case d > 0:
		s.cur = s.n - 1
	default:
		s.cur = 0
	}
	s.mind()
}

func (s *stack) home() {
	s.cur, s.top, s.off = 0, 0, 0
	s.mind()
}

func (s *stack) end() {
	s.cur = max(0, s.n-1)
	s.bottom()
	s.mind()
}

func (s *stack) goTo(i int) {
	s.cur = max(0, min(i, s.n-1))
	s.ensure()
	s.mind()
}

// goFound goes to an item in which a search has found something, and unfolds it where that is folded.
func (s *stack) goFound(i int, query string) {
	s.goTo(i)
	if s.unfold == nil || query == "" {
		return
	}
	for _, r := range s.rows(s.cur) {
		if len(rows.Occurrences(text.Strip(r), query)) > 0 {
			return
		}
	}
	s.unfold(s.cur)
	s.redraw(s.cur)
	s.ensure()
}

// place remembers where the window is, and returns what brings it back.
func (s *stack) place() (back func()) {
	top, off, follow := s.top, s.off, s.follow
	return func() {
		s.top, s.off, s.follow = top, off, follow
		s.settle()
	}
}

// click puts the cursor on the item at a row of the window; ok is false where there is none.
func (s *stack) click(y int) (i int, ok bool) {
	at := -s.off
	for i = s.top; i < s.n; i++ {
		if at += len(s.rows(i)); y < at {
			s.cur = i
			s.mind()
			return i, true
		}
	}
	return 0, false
}

// scrolled is where the window stands, by items.
func (s *stack) scrolled() style.Scroll {
	visible := 0
	y := -s.off
	for i := s.top; i < s.n && y < s.h; i++ {
		if y += len(s.rows(i)); y <= s.h {
			visible++
		}
	}
	if s.n > 0 && visible == 0 {
		visible = 1
	}
	top := s.top
	if s.atEnd() {
		top = s.n - visible
	}
	return style.Scroll{Top: top, Visible: visible, Total: s.n}
}

// view draws the window, with what a search finds: exactly h lines of w cells.
func (s *stack) view(st *style.Styles, w, h int, focused bool, query string) []string {
	s.size(w, h)
	out := make([]string, 0, h)
	for i := s.top; i < s.n && len(out) < h; i++ {
		for k, r := range s.rows(i) {
			if i == s.top && k < s.off {
				continue
			}
			if len(out) == h {
				break
			}
			out = append(out, st.Row(rows.Highlight(st, r, query, i == s.cur), w, style.Row{Cursor: i == s.cur && (k == 0 || i == s.top && k == s.off), Focused: focused}))
		}
	}
	return text.Fit(out, w, h)
}
