package depmap

import (
	"vespe/model/layout"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// marks are the signs of the map.
type marks struct {
	layout.Glyphs
	moreLeft, moreRight string // at a label: neighbors that the map does not show
}

func marksFor(ascii bool) marks {
	if ascii {
		return marks{layout.ASCII(), "(", ")"}
	}
	return marks{layout.Unicode(), "‹", "›"}
}

// lit is how a line stands to the node under the cursor.
type lit uint8

const (
	dark   lit = 0
	upward lit = 1 << iota // to a dependency of it
	downward
	ring // a cycle
)

// View draws the window: h lines of w cells, which are not to be changed.
func (m *Map) View(w, h int) []string {
	if !m.Dirty && m.lineW == w && len(m.lines) == h {
		return m.lines
	}
	m.resize(w, h)
	lines := make([]string, max(0, h))
	m.placed = m.placed[:0]
	if m.Len() == 0 {
		rows.Notice(lines, w, m.Styles, m.nothing())
	} else {
		m.draw(lines, w)
	}
	m.lines, m.lineW, m.Dirty = lines, w, false
	return lines
}

// resize takes the size that is drawn now. A node that was in the window stays in it.
func (m *Map) resize(w, h int) {
	if w == m.w && h == m.h && m.centered {
		return
	}
	seen := m.w == 0 || m.node() != nil && m.sees(m.lay.Place(m.cur))
	wider, higher := w != m.w, h != m.h
	m.w, m.h = w, h
	if m.shown != nil && (wider || higher && m.tight()) {
		m.refit()
	}
	if !m.centered {
		m.center()
		return
	}
	m.clamp()
	if seen {
		m.follow()
	}
	m.balance()
}

func (m *Map) nothing() []string {
	switch {
	case m.snap == nil:
		return nil
	case m.snap.Len() == 0:
		return m.Empty
	}
	return []string{"There is no critical path:", "no open task can be finished as it stands."}
}

// bars are how many lines stand above the window and below it.
func (m *Map) bars() (top, bottom int) {
	switch {
	case m.h >= 10:
		return 1, 2
	case m.h >= 6:
		return 1, 1
	}
	return 0, 0
}

func (m *Map) draw(lines []string, w int) {
	top, bottom := m.bars()
	h := len(lines) - top - bottom
	view := layout.Rect{X: m.x, Y: m.y, W: w, H: h}
	grid := m.lay.Draw(view, m.marks.Glyphs)
	m.shine()
	m.signs(view, grid, top)
	for y, row := range grid {
		m.line.Reset(w, style.Ink{})
		m.drawRow(row, top+y)
		lines[top+y] = m.line.String()
	}
	if top > 0 {
		lines[0] = m.headLine(w)
	}
	if bottom > 0 {
		lines[len(lines)-bottom] = m.factLine(w)
	}
	if bottom > 1 {
		lines[len(lines)-1] = m.legendLine(w)
	}
}

func (m *Map) drawRow(row []layout.Cell, y int) {
	for x := 0; x < len(row); {
		if s := m.signAt(x, y); s != nil {
			m.line.Add(m.Styles.Key, s.text)
			x += s.width
			continue
		}
		c := row[x]
		if c.Node < 0 {
			m.line.Add(m.edgeInk(c), string(c.Rune))
			x++
			continue
		}
		end := x + 1
		for end < len(row) && row[end].Node == c.Node && m.signAt(end, y) == nil {
			end++
		}
		from := m.x + x - m.lay.Place(int(c.Node)).X
		m.drawLabel(int(c.Node), from, from+end-x)
		x = end
	}
}

func (m *Map) edgeInk(c layout.Cell) style.Ink {
	if c.Line < 0 {
		return style.Ink{}
	}
	l := m.light[c.Line]
	if c.Cross >= 0 && m.light[c.Cross]&(upward|downward) != 0 {
		l = m.light[c.Cross]
	}
	switch {
	case l&ring != 0 && (c.Rune == m.marks.Turned || c.Rune == m.marks.BothWays):
		return m.Styles.EdgeCycle
	case l&upward != 0:
		return m.Styles.EdgeUp
	case l&downward != 0:
		return m.Styles.EdgeDown
	}
	return m.Styles.Edge
}

// shine finds how each line stands to the node under the cursor.
func (m *Map) shine() {
	if m.lightFresh {
		return
	}
	m.lightFresh = true
	m.light = append(m.light[:0], make([]lit, m.lay.Lines())...)
	for k := range m.light {
		for _, e := range m.lay.Edges(k) {
			edge := m.shown.Edges[e]
			if int(edge.To) == m.cur {
				m.light[k] |= upward
			}
			if int(edge.From) == m.cur {
				m.light[k] |= downward
			}
			if m.lay.State(e) == layout.Turned {
				m.light[k] |= ring
			}
		}
	}
}

// sign says at a border what lies beyond it.
type sign struct {
	x, y, width int
	dx, dy      int
	text        string
}

func (m *Map) signAt(x, y int) *sign {
	for k := range m.placed {
		if s := &m.placed[k]; s.y == y && s.x == x {
			return s
		}
	}
	return nil
}

// signs places what lies beyond the borders where it hides least.
func (m *Map) signs(view layout.Rect, grid [][]layout.Cell, top int) {
	b := m.lay.Beyond(view)
	g := &m.Styles.Glyph
	for _, side := range []struct {
		n      layout.Count
		arrow  string
		dx, dy int
	}{{b.Left, g.Left, -1, 0}, {b.Right, g.Right, 1, 0}, {b.Above, g.Up, 0, -1}, {b.Below, g.Down, 0, 1}} {
		if side.n == (layout.Count{}) {
			continue
		}
		s := sign{dx: side.dx, dy: side.dy, text: side.arrow + text.Count(side.n.Edges)}
		if side.n.Edges == 0 {
			s.text = side.arrow + text.Plural(side.n.Nodes, "task")
		}
		s.width = text.Width(s.text)
		if s.width > view.W || view.H < 1 {
			continue
		}
		m.settleSign(&s, view, grid)
		s.y += top
		m.placed = append(m.placed, s)
	}
}

// settleSign looks along a border, from its middle outwards, for the place with the fewest
// cells that are not blank.
func (m *Map) settleSign(s *sign, view layout.Rect, grid [][]layout.Cell) {
	n := view.H
	if s.dy != 0 {
		n = view.W - s.width + 1
	}
	best := -1
	for d := range n {
		at := n/2 + (d+1)/2*(1-d%2*2)
		if at < 0 || at >= n {
			continue
		}
		x, y := at, 0
		switch {
		case s.dx < 0:
			x, y = 0, at
		case s.dx > 0:
			x, y = view.W-s.width, at
		case s.dy > 0:
			y = view.H - 1
		}
		cost := m.hidden(s, x, y, grid)
		if best < 0 || cost < best {
			best, s.x, s.y = cost, x, y
		}
		if best == 0 {
			return
		}
	}
}

func (m *Map) hidden(s *sign, x, y int, grid [][]layout.Cell) (cells int) {
	for _, c := range grid[y][x : x+s.width] {
		switch {
		case int(c.Node) == m.cur:
			cells += 100
		case c.Node >= 0 || c.Rune != ' ':
			cells++
		}
	}
	for k := range m.placed {
		if p := &m.placed[k]; p.y == y && x < p.x+p.width && p.x < x+s.width {
			cells += 1000
		}
	}
	return cells
}
