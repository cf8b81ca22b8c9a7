package depmap

import (
	"cmp"
	"slices"

	"vespe/model"
	"vespe/model/layout"
	"vespe/model/taskmap"
)

// Cells around the node under the cursor that stay in view where the drawing continues.
const (
	offX = 3
	offY = 1
)

// room is the size of the window in the drawing.
func (m *Map) room() (w, h int) {
	top, bottom := m.bars()
	return max(1, m.w), max(1, m.h-top-bottom)
}

// sees reports whether a part of a label is in the window.
func (m *Map) sees(p layout.Place) bool {
	w, h := m.room()
	return p.Y >= m.y && p.Y < m.y+h && p.X < m.x+w && p.X+p.W > m.x
}

// follow scrolls as little as it must so that the node under the cursor is in the window.
func (m *Map) follow() {
	m.Dirty, m.lightFresh = true, false
	if m.node() == nil || m.w == 0 {
		return
	}
	p := m.lay.Place(m.cur)
	w, h := m.room()
	m.x = slide(m.x, w, p.X, p.W, offX, m.lay.Width)
	m.y = slide(m.y, h, p.Y, 1, offY, m.lay.Height)
	m.clamp()
}

// slide moves a window of n cells as little as it must to have some cells from at on in it,
// with off more around them where there are so many of all and the window has the room.
func slide(top, n, at, size, off, all int) int {
	if size >= n {
		return at
	}
	off = max(0, min(off, (n-size)/2))
	top = min(top, max(0, at-off))
	return max(top, min(all, at+size+off)-n)
}

// clamp keeps the window on the drawing; one that is larger may be anywhere around it.
func (m *Map) clamp() {
	if m.lay == nil || m.w == 0 {
		return
	}
	w, h := m.room()
	m.x = between(m.x, m.lay.Width, w)
	m.y = between(m.y, m.lay.Height, h)
}

func between(at, total, n int) int {
	return max(min(0, total-n), min(at, max(0, total-n)))
}

// center puts the node under the cursor in the middle of the window, or all of the drawing
// when it fits.
func (m *Map) center() {
	m.Dirty, m.lightFresh, m.centered = true, false, m.w > 0
	if m.node() == nil || m.w == 0 {
		return
	}
	w, h := m.room()
	p := m.lay.Place(m.cur)
	m.x, m.y = p.X+p.W/2-w/2, p.Y-h/2
	m.balance()
	m.clamp()
}

// balance puts a drawing that fits into the middle of the window.
func (m *Map) balance() {
	if m.lay == nil {
		return
	}
	w, h := m.room()
	if m.lay.Width <= w {
		m.x = -(w - m.lay.Width) / 2
	}
	if m.lay.Height <= h {
		m.y = -(h - m.lay.Height) / 2
	}
}

func (m *Map) scroll(dx, dy int) {
	m.x, m.y, m.Dirty = m.x+dx, m.y+dy, true
	m.clamp()
}

// Wheel scrolls by d rows and leaves the cursor where it is.
func (m *Map) Wheel(d int) { m.scroll(0, d) }

// WheelSideways scrolls by d cells to the right, like Wheel.
func (m *Map) WheelSideways(d int) { m.scroll(2*d, 0) }

// column is the column of the cursor, and its place in it.
func (m *Map) column() (nodes []int, rank int) {
	p := m.lay.Place(m.cur)
	return m.lay.Column(p.Col), p.Rank
}

func (m *Map) put(k int) {
	m.cur = k
	m.follow()
}

// Move moves the cursor by d nodes in its column.
func (m *Map) Move(d int) {
	if m.node() == nil {
		return
	}
	nodes, rank := m.column()
	m.put(nodes[max(0, min(rank+d, len(nodes)-1))])
}

// Home goes to the first node of the column.
func (m *Map) Home() { m.Move(-m.Len()) }

// End goes to the last node of the column.
func (m *Map) End() { m.Move(m.Len()) }

// Page moves the cursor in its column by n windows.
func (m *Map) Page(n int) {
	_, h := m.room()
	m.moveRows(n * max(1, h-1))
}

// HalfPage moves the cursor in its column by n halves of the window.
func (m *Map) HalfPage(n int) {
	_, h := m.room()
	m.moveRows(n * max(1, h/2))
}

// moveRows goes to the node of the column that is nearest to d rows on, and to another one
// if there is any that way.
func (m *Map) moveRows(d int) {
	if m.node() == nil || d == 0 {
		return
	}
	nodes, rank := m.column()
	want := m.lay.Place(m.cur).Y + d
	best := rank
	for r, k := range nodes {
		if (r-rank)*d <= 0 {
			continue
		}
		if best == rank || abs(m.lay.Place(k).Y-want) < abs(m.lay.Place(nodes[best]).Y-want) {
			best = r
		}
	}
	m.put(nodes[best])
}

func abs(x int) int { return max(x, -x) }

// neighbors are the nodes that lines lead to from the one under the cursor: its dependencies
// (up) or its dependents, the nearest first.
func (m *Map) neighbors(up bool) []int {
	if m.node() == nil {
		return nil
	}
	var out []int
	for k, e := range m.shown.Edges {
		if s := m.lay.State(k); s != layout.Drawn && s != layout.Turned {
			continue
		}
		switch {
		case up && int(e.To) == m.cur:
			out = append(out, int(e.From))
		case !up && int(e.From) == m.cur:
			out = append(out, int(e.To))
		}
	}
	here := m.lay.Place(m.cur)
	slices.SortFunc(out, func(a, b int) int {
		p, q := m.lay.Place(a), m.lay.Place(b)
		return cmp.Or(cmp.Compare(abs(p.Y-here.Y), abs(q.Y-here.Y)), cmp.Compare(p.Y, q.Y), cmp.Compare(abs(p.X-here.X), abs(q.X-here.X)))
	})
	return out
}

// Follow goes along a line to a dependency (up) or a dependent: to where it led last time, or
// else to the nearest. It reports false when there is no such line.
func (m *Map) Follow(up bool) bool {
	list := m.neighbors(up)
	if len(list) == 0 {
		return false
	}
	way := turn{m.node().Key, up}
	to := list[0]
	if key, ok := m.branch[way]; ok {
		if k, ok := m.at[key]; ok && slices.Contains(list, k) {
			to = k
		}
	}
	m.branch[way] = m.shown.Nodes[to].Key
	m.branch[turn{m.shown.Nodes[to].Key, !up}] = way.key
	m.put(to)
	return true
}

// Jump puts the cursor on a task; when the map does not show it, the map is made around it.
// It reports false when the store does not have it.
func (m *Map) Jump(uid model.UID) bool {
	if m.snap == nil {
		return false
	}
	if _, ok := m.snap.Index(uid); !ok {
		return false
	}
	if k, ok := m.at[taskmap.KeyOf(uid)]; ok {
		m.put(k)
		return true
	}
	m.Reroot(uid)
	return true
}

// Enter continues from the node under the cursor: around a task, or with more of what is folded.
// It reports false when the map is around that task already.
func (m *Map) Enter() bool {
	n := m.node()
	switch {
	case n == nil:
		return false
	case n.Kind == taskmap.Fold:
		return m.Unfold()
	case m.uids[m.cur] == m.ask.root && m.ask.mode != Critical:
		return false
	}
	m.Reroot(m.uids[m.cur])
	return true
}

// opens is what entering the task is called that the map is around.
const opens = "open"

// EnterWord says in a word or two what Enter would do; where it would do nothing, what is left
// to do is to open the task.
func (m *Map) EnterWord() string {
	n := m.node()
	switch {
	case n == nil:
	case n.Kind == taskmap.Fold:
		return "show more"
	case m.uids[m.cur] != m.ask.root || m.ask.mode == Critical:
		return "around it"
	}
	return opens
}

// Hit is what a click was on.
type Hit int

// What a click can be on.
const (
	HitNothing Hit = iota
	HitNode        // the cursor is there now
	HitFold        // more tasks came out
	HitBorder      // the window moved
)

// Click acts on a click at a cell of the view, from its top left corner.
func (m *Map) Click(x, y int) Hit {
	if m.lay == nil || x < 0 || y < 0 || x >= m.w || y >= m.h {
		return HitNothing
	}
	for _, s := range m.placed {
		if y == s.y && x >= s.x && x < s.x+s.width {
			w, h := m.room()
			m.scroll(s.dx*max(1, w/2), s.dy*max(1, h/2))
			return HitBorder
		}
	}
	top, bottom := m.bars()
	if y < top || y >= m.h-bottom {
		return HitNothing
	}
	k := m.lay.At(m.x+x, m.y+y-top)
	if k < 0 {
		return HitNothing
	}
	m.put(k)
	if m.Unfold() {
		return HitFold
	}
	return HitNode
}

// Leads reports whether a line leads on from the node under the cursor.
func (m *Map) Leads(up bool) bool { return len(m.neighbors(up)) > 0 }
