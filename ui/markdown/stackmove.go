package markdown

// spot is the row that the cursor is on.
func (s *Stack) spot() spot {
	if d := s.doc(s.cur); d != nil && !s.onHead && d.flow().n > 0 {
		return spot{s.cur, d.cursor.unit, d.cursor.row}
	}
	return spot{s.cur, -1, min(s.headRow, s.height(s.cur, -1)-1)}
}

// put sets the cursor on a row.
func (s *Stack) put(a spot) {
	s.toHead(a.part)
	s.onHead, s.headRow = a.unit < 0, a.row
	if d := s.doc(a.part); !s.onHead && d != nil {
		d.cursor.unit, d.cursor.row = a.unit, a.row
		d.settleLine()
	}
}

func (s *Stack) toHead(part int) { s.cur, s.onHead, s.headRow = part, true, 0 }

// follow moves the window so that the cursor is in it, and a little of what lies beyond.
func (s *Stack) follow() {
	if len(s.parts) == 0 {
		return
	}
	room := min(margin, (s.h-1)/2)
	c := s.spot()
	at := -1
	if !c.before(s.at) {
		at = s.below(s.at, c, s.h)
	}
	switch {
	case at < room:
		s.at = s.moved(c, -room)
	case at > s.h-1-room:
		s.at = s.moved(c, -(s.h - 1 - room))
	}
	s.clamp()
}

// enter brings the cursor into the window.
func (s *Stack) enter() {
	c := s.spot()
	if c.before(s.at) {
		s.put(s.at)
	} else if s.below(s.at, c, s.h) >= s.h {
		s.put(s.moved(s.at, s.h-1))
	}
}

// Move moves the cursor by n stops.
func (s *Stack) Move(n int) {
	if len(s.parts) == 0 {
		return
	}
	for ; n > 0; n-- {
		s.down()
	}
	for ; n < 0; n++ {
		s.up()
	}
	s.follow()
}

func (s *Stack) down() {
	d := s.doc(s.cur)
	if s.onHead && d != nil && d.flow().n > 0 {
		s.onHead = false
		d.cursor.unit, d.cursor.row, d.cursor.line = 0, 0, 1
		d.settleLine()
		return
	}
	if !s.onHead && d != nil {
		was := d.cursor
		if d.down(); d.cursor != was {
			return
		}
	}
	if s.cur+1 < len(s.parts) {
		s.toHead(s.cur + 1)
	}
}

func (s *Stack) up() {
	d := s.doc(s.cur)
	if !s.onHead {
		was := d.cursor
		if d.up(); d.cursor == was {
			s.toHead(s.cur)
		}
		return
	}
	if s.cur == 0 {
		return
	}
	s.toHead(s.cur - 1)
	if d = s.doc(s.cur); d != nil && d.flow().n > 0 {
		s.onHead = false
		f := d.flow()
		d.cursor.unit, d.cursor.row, d.cursor.line = f.n-1, f.height(f.n-1)-1, d.Lines()
		d.settleLine()
		if !d.atStop() {
			d.up()
		}
	}
}

// ScrollBy moves the window by rows; the cursor stays in it.
func (s *Stack) ScrollBy(n int) {
	if len(s.parts) == 0 {
		return
	}
	s.at = s.moved(s.at, n)
	s.clamp()
	s.enter()
}

// Leap moves window and cursor by rows.
func (s *Stack) Leap(n int) {
	if len(s.parts) == 0 {
		return
	}
	s.put(s.moved(s.spot(), n))
	s.at = s.moved(s.at, n)
	s.clamp()
	s.follow()
}

// Top goes to the beginning, Bottom to the end.
func (s *Stack) Top() {
	s.at = spot{unit: -1}
	s.toHead(0)
}

// Bottom goes to the end.
func (s *Stack) Bottom() {
	if len(s.parts) == 0 {
		return
	}
	s.put(s.last())
	s.follow()
}

// To puts the cursor on the head of a part, near the top of the window.
func (s *Stack) To(part int) {
	if part < 0 || part >= len(s.parts) {
		return
	}
	s.toHead(part)
	s.at = spot{part, -1, 0}
	s.clamp()
}

// Show brings the cursor of a part's document, as somebody else has set it, into view.
func (s *Stack) Show(part int) {
	s.toHead(part)
	s.onHead = s.units(part) == 0
	c := s.spot()
	if c.before(s.at) || s.below(s.at, c, s.h) >= s.h {
		s.at = s.moved(c, -s.h/3)
		s.clamp()
	}
	s.follow()
}

// CursorAt are the rows of the window from the first of what the cursor is in to that which it is on.
func (s *Stack) CursorAt() (from, to int) {
	if len(s.parts) == 0 {
		return 0, 0
	}
	at := s.spot()
	to = s.below(s.at, at, s.h)
	return max(0, to-at.row), to
}

// CursorRow puts the cursor on a row of the window; false below the end.
func (s *Stack) CursorRow(y int) bool {
	if y < 0 || y >= s.h || len(s.parts) == 0 || y > s.below(s.at, s.last(), s.h) {
		return false
	}
	s.put(s.moved(s.at, y))
	return true
}
