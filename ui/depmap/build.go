package depmap

import (
	"slices"

	"vespe/model"
	"vespe/model/layout"
	"vespe/model/schedule"
	"vespe/model/taskmap"
)

// query is what the model is asked.
func (m *Map) query(keep bool) taskmap.Query {
	q := taskmap.Query{
		Root: m.ask.root, Show: m.shows(), More: m.ask.more, Siblings: m.siblings,
	}
	if keep {
		stays := make(map[model.UID]bool, len(m.uids))
		for _, uid := range m.uids {
			stays[uid] = true
		}
		q.Stay = func(uid model.UID) bool { return stays[uid] }
	}
	if m.Ranged() {
		q.Radius = m.ask.radius
	}
	switch m.ask.mode {
	case Around:
		q.Extent = taskmap.Around
	case Upstream:
		q.Extent = taskmap.Upstream
	case Downstream:
		q.Extent = taskmap.Downstream
	case Blocked:
		q.Extent = taskmap.Blocked
	case Critical:
		q.Extent = taskmap.Critical
	}
	return q
}

// shows is the test that a task has to pass; nil when all do. What the filter leaves out is there, dimmed.
func (m *Map) shows() func(i int) bool {
	if !m.hideDone {
		return nil
	}
	s := m.snap
	return func(i int) bool {
		st := s.Status(i)
		return st != model.StatusDone && st != model.StatusAborted
	}
}

// stand is what must stay where it is on the screen when the map is made anew.
type stand struct {
	cur    model.UID // of the node under the cursor
	key    string
	around []string // keys of all nodes, the nearest to the cursor first
	hold   string   // key of the node that stays
	x, y   int      // its place in the window
	seen   bool     // the cursor was in the window
}

func (m *Map) stand() (s stand) {
	n := m.node()
	if n == nil {
		return s
	}
	s.cur, s.key = m.uids[m.cur], n.Key
	at := m.row[m.cur]
	for d := range len(m.rows) {
		for _, r := range []int{at + d, at - d} {
			if r >= 0 && r < len(m.rows) && (d > 0 || r == at) {
				s.around = append(s.around, m.shown.Nodes[m.rows[r]].Key)
			}
		}
	}
	p := m.lay.Place(m.cur)
	s.seen, s.hold = m.sees(p), n.Key
	if !s.seen {
		for _, r := range m.rows {
			if q := m.lay.Place(r); m.sees(q) {
				p, s.hold = q, m.shown.Nodes[r].Key
				break
			}
		}
	}
	s.x, s.y = p.X-m.x, p.Y-m.y
	return s
}

// rebuild asks the model again and lays out what it says. keep: what was shown stays shown
// where there is a choice, and the window stays on it.
func (m *Map) rebuild(keep bool) {
	m.Dirty, m.names, m.lightFresh = true, nil, false
	m.Forget()
	if m.snap == nil || m.snap.Len() == 0 {
		m.shown, m.lay, m.graph, m.at, m.uids, m.rows = nil, nil, layout.Graph{}, nil, nil, nil
		return
	}
	keep = keep && m.shown != nil
	var was stand
	if keep {
		was = m.stand()
	}
	m.findRoot()
	fresh := !keep && m.lay == nil
	if fresh {
		m.siblings = 0
	}
	shown := taskmap.Of(m.snap, m.query(keep))
	if fresh {
		shown = m.fit(shown, false)
	}
	m.lay = m.laid(shown)
	m.shown = shown
	m.index()
	m.settle(was, keep)
}

// laid is the layout of what is shown, with what it has in common with the last one in its
// place; that one when it is the same.
func (m *Map) laid(shown *taskmap.Map) *layout.Layout {
	g := m.drawing(shown)
	if m.lay != nil && slices.Equal(g.Nodes, m.graph.Nodes) && slices.Equal(g.Edges, m.graph.Edges) {
		return m.lay
	}
	m.graph = g
	return layout.New(g, layout.Options{Reduce: true, Before: m.lay})
}

// refit lays what is shown out for another size of the window.
func (m *Map) refit() {
	was := m.stand()
	shown := m.shown
	if m.siblings != 0 {
		m.siblings = 0
		shown = taskmap.Of(m.snap, m.query(true))
	}
	shown = m.fit(shown, true)
	m.lay, m.shown = m.laid(shown), shown
	m.Dirty, m.names, m.lightFresh = true, nil, false
	m.Forget()
	m.index()
	m.settle(was, true)
}

// findRoot finds another root when that of the map is no longer in the store.
func (m *Map) findRoot() {
	if _, ok := m.snap.Index(m.ask.root); ok {
		return
	}
	if m.node() != nil {
		list := []model.UID{m.uids[m.cur]}
		for _, r := range m.rows {
			list = append(list, m.uids[r])
		}
		for _, uid := range list {
			if _, ok := m.snap.Index(uid); ok {
				m.ask.root = uid
				return
			}
		}
	}
	first := 0
	if next := schedule.Next(m.snap, 1); len(next) > 0 {
		first = int(next[0])
	}
	m.ask.root = m.snap.UID(first)
}

// drawing is what the layout is asked for.
func (m *Map) drawing(shown *taskmap.Map) layout.Graph {
	g := layout.Graph{Nodes: make([]layout.Node, len(shown.Nodes)), Edges: make([]layout.Edge, len(shown.Edges))}
	for k := range shown.Nodes {
		g.Nodes[k] = layout.Node{ID: shown.Nodes[k].Key, Width: m.labelWidth(&shown.Nodes[k])}
	}
	for k, e := range shown.Edges {
		g.Edges[k] = layout.Edge{From: int(e.From), To: int(e.To)}
	}
	return g
}

// index makes the ways to find a node.
func (m *Map) index() {
	n := m.Len()
	m.at, m.rows, m.row, m.uids = make(map[string]int, n), m.rows[:0], make([]int, n), make([]model.UID, n)
	for k := range m.shown.Nodes {
		node := &m.shown.Nodes[k]
		m.at[node.Key] = k
		if node.Task >= 0 {
			m.uids[k] = m.snap.UID(int(node.Task))
		}
	}
	for col := range m.lay.Columns {
		m.rows = append(m.rows, m.lay.Column(col)...)
	}
	for r, k := range m.rows {
		m.row[k] = r
	}
	m.dim()
}

// settle puts the cursor and the window where they were.
func (m *Map) settle(was stand, keep bool) {
	if m.Len() == 0 {
		m.cur = 0
		return
	}
	if !keep {
		m.cur = max(0, m.shown.Root)
		if m.shown.Root < 0 {
			m.cur = m.rows[0]
		}
		m.center()
		return
	}
	m.cur = m.heir(was)
	hold := m.cur
	if was.hold != was.key {
		if k, ok := m.at[was.hold]; ok {
			hold = k
		}
	}
	p := m.lay.Place(hold)
	m.x, m.y = p.X-was.x, p.Y-was.y
	m.clamp()
	if was.seen {
		m.follow()
	}
}

// heir is the node that the cursor goes to: its own, else the nearest that is left.
func (m *Map) heir(was stand) int {
	if k, ok := m.at[was.key]; ok {
		return k
	}
	for _, key := range was.around {
		if k, ok := m.at[key]; ok {
			return k
		}
	}
	return max(0, m.shown.Root)
}
