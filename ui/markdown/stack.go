package markdown

import (
	"vespe/ui/text"
)

// Stack is documents below each other in one window, each under a head. A document is made and
// rendered when the window comes near it, so that the length of the whole does not matter. It has a
// cursor, which stops at every head and at every source line, and knows what of each document has
// been in the window.
type Stack struct {
	parts   []*stacked
	w, h    int
	at      spot // the first row in the window
	cur     int  // the part that the cursor is in
	onHead  bool
	headRow int // the row of the head that the cursor is on
	focused bool
	warm    int // the parts before this one have been prerendered
}

// StackPart is one document of a Stack, or a head alone.
type StackPart struct {
	// Head draws what stands above the document, in rows of at most w cells; at least one.
	Head func(w int, cursor bool) []string
	// Doc makes the document; nil for none. It is asked again after Drop.
	Doc func() *Doc
}

type stacked struct {
	StackPart
	doc  *Doc
	made bool
	head int // how many rows the head has at the width
	seen Seen
}

// spot is a row: of a unit of a part, or of its head, which is unit -1.
type spot struct{ part, unit, row int }

func (a spot) before(b spot) bool {
	switch {
	case a.part != b.part:
		return a.part < b.part
	case a.unit != b.unit:
		return a.unit < b.unit
	}
	return a.row < b.row
}

// NewStack makes a stack with the cursor on the first head.
func NewStack(parts []StackPart) *Stack {
	s := &Stack{w: 80, h: 24, onHead: true, at: spot{unit: -1}}
	for _, p := range parts {
		s.parts = append(s.parts, &stacked{StackPart: p})
	}
	return s
}

// Len is how many parts there are.
func (s *Stack) Len() int { return len(s.parts) }

// doc is the document of a part, sized; nil for none.
func (s *Stack) doc(i int) *Doc {
	p := s.parts[i]
	if !p.made {
		p.made = true
		if p.Doc != nil {
			p.doc = p.Doc()
		}
		if p.doc != nil {
			p.doc.SetCursor(true)
		}
	}
	if p.doc != nil {
		p.doc.SetSize(s.w, s.h)
		p.doc.SetFocused(s.focused && !s.onHead && s.cur == i)
	}
	return p.doc
}

// units is how many units a part has, without its head.
func (s *Stack) units(i int) int {
	if d := s.doc(i); d != nil {
		return d.flow().n
	}
	return 0
}

func (s *Stack) height(part, unit int) int {
	if unit < 0 {
		p := s.parts[part]
		if p.head == 0 {
			p.head = max(1, len(p.Head(s.w, false)))
		}
		return p.head
	}
	return s.doc(part).flow().height(unit)
}

// next is the unit after a unit, and prev the one before; false at the ends.
func (s *Stack) next(a spot) (spot, bool) {
	if a.unit+1 < s.units(a.part) {
		return spot{a.part, a.unit + 1, 0}, true
	}
	if a.part+1 < len(s.parts) {
		return spot{a.part + 1, -1, 0}, true
	}
	return a, false
}

func (s *Stack) prev(a spot) (spot, bool) {
	switch {
	case a.unit >= 0:
		return spot{a.part, a.unit - 1, 0}, true
	case a.part > 0:
		return spot{a.part - 1, s.units(a.part-1) - 1, 0}, true
	}
	return a, false
}

// moved is the place n rows from a place; it stops at both ends.
func (s *Stack) moved(a spot, n int) spot {
	row := a.row + n
	for row < 0 {
		p, ok := s.prev(a)
		if !ok {
			return spot{a.part, a.unit, 0}
		}
		a = p
		row += s.height(a.part, a.unit)
	}
	for {
		h := s.height(a.part, a.unit)
		if row < h {
			return spot{a.part, a.unit, row}
		}
		n, ok := s.next(a)
		if !ok {
			return spot{a.part, a.unit, max(0, h-1)}
		}
		row -= h
		a = n
	}
}

// last is the last row of all.
func (s *Stack) last() spot {
	i := len(s.parts) - 1
	u := s.units(i) - 1
	return spot{i, u, s.height(i, u) - 1}
}

// below is how many rows b is below a, of at most limit.
func (s *Stack) below(a, b spot, limit int) int {
	n := -a.row
	for a.part != b.part || a.unit != b.unit {
		if n += s.height(a.part, a.unit); n > limit {
			return limit + 1
		}
		next, ok := s.next(a)
		if !ok {
			return n
		}
		a = next
	}
	return n + b.row
}

// clamp keeps the window inside.
func (s *Stack) clamp() {
	if len(s.parts) == 0 {
		return
	}
	s.at.part = min(max(0, s.at.part), len(s.parts)-1)
	s.at.unit = min(max(-1, s.at.unit), s.units(s.at.part)-1)
	s.at.row = min(max(0, s.at.row), s.height(s.at.part, s.at.unit)-1)
	if s.atEnd() {
		s.at = s.moved(s.last(), -(s.h - 1))
	}
}

// atEnd reports whether the last row is in the window, or above its end.
func (s *Stack) atEnd() bool {
	n := s.h + s.at.row
	for a, ok := s.at, true; ok; a, ok = s.next(a) {
		if n -= s.height(a.part, a.unit); n < 0 {
			return false
		}
	}
	return true
}

// Cursor is the part that the cursor is in, and whether it is on its head.
func (s *Stack) Cursor() (part int, onHead bool) { return s.cur, s.onHead || s.units(s.cur) == 0 }

// SetFocused says whether the cursor is drawn.
func (s *Stack) SetFocused(on bool) { s.focused = on }

// Redo draws the heads anew: they say something else.
func (s *Stack) Redo() {
	for _, p := range s.parts {
		p.head = 0
	}
	s.clamp()
}

// Keep does something to the document of a part, and lets the row at the top of the window stay there.
func (s *Stack) Keep(part int, do func()) {
	p := s.parts[part]
	if p.doc == nil || s.at.part != part || s.at.unit < 0 {
		do()
		if p.doc != nil {
			p.seen.forget()
			s.clamp()
		}
		return
	}
	top := p.doc.ref(s.at.unit, s.at.row)
	do()
	p.seen.forget()
	s.at.unit, s.at.row = p.doc.locate(top)
	s.clamp()
}

// Drop forgets a document: another text takes its place, of which nothing has been seen.
func (s *Stack) Drop(part int) {
	p := s.parts[part]
	p.doc, p.made, p.seen, p.head = nil, false, Seen{}, 0
	if s.at.part == part {
		s.at.unit, s.at.row = min(s.at.unit, s.units(part)-1), 0
	}
	if s.cur == part && !s.onHead {
		s.onHead = s.units(part) == 0
	}
	s.clamp()
}

// SetRaw switches the documents between their rendering and their source. The cursor stays on its
// line.
func (s *Stack) SetRaw(raw bool) {
	for _, p := range s.parts {
		if p.doc != nil {
			p.doc.SetRaw(raw)
			p.seen.forget()
		}
	}
	if len(s.parts) == 0 {
		return
	}
	s.at = s.spot()
	s.at = s.moved(s.at, -s.h/3)
	s.clamp()
	s.follow()
}

// SetStyles changes theme or profile.
func (s *Stack) SetStyles() {
	s.warm = 0
	s.Redo()
}

// SetSize sets the window, in cells. What is at the cursor stays in view.
func (s *Stack) SetSize(w, h int) {
	w, h = max(1, w), max(1, h)
	if w == s.w && h == s.h {
		return
	}
	wider := w != s.w
	s.w, s.h = w, h
	if len(s.parts) == 0 {
		return
	}
	if wider {
		s.warm = 0
		for i, p := range s.parts {
			p.head = 0
			p.seen.forget()
			if p.doc != nil {
				s.doc(i)
			}
		}
		s.at.unit = min(s.at.unit, s.units(s.at.part)-1)
		s.at.row = min(s.at.row, s.height(s.at.part, s.at.unit)-1)
	}
	s.clamp()
	s.follow()
}

// View draws the window: exactly h lines of exactly w cells. read says that somebody can read it.
func (s *Stack) View(w, h int, read bool) []string {
	if w <= 0 || h <= 0 {
		return text.Fit(nil, w, h)
	}
	s.SetSize(w, h)
	out := make([]string, 0, h)
	if len(s.parts) == 0 {
		return text.Fit(out, w, h)
	}
	if read {
		s.look()
	}
	a := s.at
	for ok := true; ok && len(out) < h; a, ok = s.next(a) {
		p := s.parts[a.part]
		var lines []string
		if a.unit < 0 {
			lines = p.Head(s.w, s.focused && s.onHead && s.cur == a.part)
			p.head = max(1, len(lines))
			for i := range lines {
				lines[i] = text.Pad(lines[i], w)
			}
		} else {
			lines = s.doc(a.part).composed(a.unit)
		}
		from := min(a.row, len(lines))
		out = append(out, lines[from:min(len(lines), from+h-len(out))]...)
	}
	return text.Fit(out, w, h)
}

// look notes what is in the window.
func (s *Stack) look() {
	a, ok := s.at, true
	for left := s.h; ok && left > 0; a, ok = s.next(a) {
		n := s.height(a.part, a.unit)
		to := min(n, a.row+left)
		if a.unit >= 0 {
			s.parts[a.part].seen.add(s.doc(a.part), a.unit, a.row, to, n)
		}
		left -= to - a.row
	}
}

// Prerender makes and renders what is below, a little at a time, for idle moments. It reports whether
// any is left.
func (s *Stack) Prerender(budget int) (more bool) {
	for s.warm < len(s.parts) {
		d := s.doc(s.warm)
		if d == nil {
			s.warm++
			continue
		}
		if d.Prerender(budget) {
			return true
		}
		s.warm++
		return s.warm < len(s.parts)
	}
	return false
}

// StackPlace is where a stack stands.
type StackPlace struct{ at, cur spot }

// Place returns where the stack stands, for Return.
func (s *Stack) Place() StackPlace {
	if len(s.parts) == 0 {
		return StackPlace{}
	}
	return StackPlace{s.at, s.spot()}
}

// Return goes back to a place.
func (s *Stack) Return(p StackPlace) {
	if p.cur.part >= len(s.parts) || p.at.part >= len(s.parts) {
		return
	}
	p.cur.unit = min(p.cur.unit, s.units(p.cur.part)-1)
	s.put(p.cur)
	s.at = p.at
	s.clamp()
	s.follow()
}

// DocOf is the document of a part; nil for none.
func (s *Stack) DocOf(part int) *Doc { return s.doc(part) }

// Read is how much of a part's document has been in the window, in percent; 100 where there is none.
func (s *Stack) Read(part int) int {
	p := s.parts[part]
	if p.Doc == nil {
		return 100
	}
	if !p.made {
		return 0
	}
	if p.doc == nil || p.doc.Empty() {
		return 100
	}
	return p.seen.percent(p.doc)
}

// Take takes the document of a part of another stack, and what of it has been in the window.
func (s *Stack) Take(part int, from *Stack, old int) {
	p, was := s.parts[part], from.parts[old]
	p.doc, p.made, p.seen = was.doc, was.made, was.seen
	if s.w != from.w {
		p.seen.forget()
	}
}

// Resume puts the cursor and the window where they were in another stack, of which the part with the
// cursor has been taken.
func (s *Stack) Resume(part int, from *Stack) {
	s.toHead(part)
	s.onHead, s.headRow = from.onHead || s.units(part) == 0, from.headRow
	s.at = s.spot()
	if c := from.spot(); !c.before(from.at) {
		s.at = s.moved(s.at, -min(s.h-1, from.below(from.at, c, from.h)))
	}
	s.clamp()
	s.follow()
}
