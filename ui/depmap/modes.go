package depmap

import (
	"maps"

	"vespe/model"
	"vespe/model/layout"
	"vespe/model/snapshot"
	"vespe/model/taskmap"
)

// Mode is which tasks the map shows.
type Mode int

// The modes.
const (
	Around     Mode = iota // what the task needs, and what needs it
	Upstream               // what it needs
	Downstream             // what needs it
	Blocked                // what holds it back
	Critical               // the longest chain of open work in the store
)

// startRadius is the radius of a new map.
const startRadius = 2

// farthest is the largest radius; the next one is without end.
const farthest = 9

// question is what a map shows, but for the tasks that the filter and the toggle leave out.
type question struct {
	mode   Mode
	root   model.UID
	radius int            // 0: without end
	more   map[string]int // what folds let out
}

// place is a map with its cursor and its window, to be brought back.
type place struct {
	ask   question
	cur   string // key
	x, y  int
	lay   *layout.Layout
	graph layout.Graph
	wide  int // of names, for a window of so many cells
	w, h  int
	// siblings is how many were shown one by one; 0: as many as usual.
	siblings int
}

// keptPlaces is how far back the way leads.
const keptPlaces = 100

func (m *Map) here() place {
	p := place{ask: m.ask, x: m.x, y: m.y, lay: m.lay, graph: m.graph, wide: m.wide, siblings: m.siblings, w: m.w, h: m.h}
	if n := m.node(); n != nil {
		p.cur = n.Key
	}
	return p
}

// goTo brings an earlier map back, as far as the store still has it.
func (m *Map) goTo(p place) {
	if m.snap == nil {
		m.ask = p.ask
		return
	}
	m.ask, m.lay, m.graph, m.wide, m.siblings = p.ask, p.lay, p.graph, p.wide, p.siblings
	m.shown = nil
	m.rebuild(false)
	if at, ok := m.at[p.cur]; ok {
		m.cur = at
	}
	if m.Len() > 0 && (p.w != m.w || p.h != m.h && m.tight()) {
		m.refit()
		return
	}
	m.x, m.y = p.x, p.y
	m.clamp()
	m.follow()
}

// push remembers the map before it becomes another.
func (m *Map) push() {
	if m.shown == nil {
		return
	}
	m.trail = append(m.trail, m.here())
	if over := len(m.trail) - keptPlaces; over > 0 {
		m.trail = append([]place(nil), m.trail[over:]...)
	}
}

// Back brings the map before this one, with its cursor; false when there is none.
func (m *Map) Back() bool {
	for n := len(m.trail); n > 0; n = len(m.trail) {
		p := m.trail[n-1]
		m.trail = m.trail[:n-1]
		if _, ok := m.snap.Index(p.ask.root); ok {
			m.goTo(p)
			return true
		}
	}
	return false
}

// CanBack reports whether Back leads anywhere.
func (m *Map) CanBack() bool { return len(m.trail) > 0 }

// Root is the task that the map is around.
func (m *Map) Root() model.UID { return m.ask.root }

// Reroot makes the map around another task; the one before is on the way back.
func (m *Map) Reroot(uid model.UID) {
	if uid == m.ask.root && m.shown != nil && m.ask.mode != Critical {
		return
	}
	m.push()
	m.around(uid)
}

// around shows the map around a task, and puts the cursor on it. From the critical path it goes
// to what is around the task.
func (m *Map) around(uid model.UID) {
	m.ask.root, m.ask.more = uid, nil
	if m.ask.mode == Critical {
		m.ask.mode = Around
	}
	m.anew()
}

// anew makes a map in which nothing has to stay, with the cursor on the root.
func (m *Map) anew() {
	m.shown, m.lay = nil, nil
	m.rebuild(false)
}

// Mode is which tasks are shown.
func (m *Map) Mode() Mode { return m.ask.mode }

// SetMode shows other tasks, seen from one of them.
func (m *Map) SetMode(mode Mode, root model.UID) {
	m.push()
	m.ask.mode, m.ask.root, m.ask.more = mode, root, nil
	m.anew()
}

// Show makes the map of a snapshot around a task, in both directions, unless its cursor was left there; the way back
// begins here.
func (m *Map) Show(s *snapshot.Snapshot, uid model.UID) {
	if m.node() != nil && m.uids[m.cur] == uid {
		m.SetSnapshot(s)
		return
	}
	m.snap, m.trail, m.ask.mode = s, nil, Around
	m.around(uid)
}

// Ranged reports whether the radius matters.
func (m *Map) Ranged() bool { return m.ask.mode <= Downstream }

// Radius is how many edges far the map goes from its root; 0: as far as they lead.
func (m *Map) Radius() int { return m.ask.radius }

// Widen changes the radius by d; beyond the largest one it is without end. It reports whether
// it has changed.
func (m *Map) Widen(d int) bool {
	was := m.ask.radius
	switch r := was + d; {
	case was == 0 && d > 0:
		m.ask.radius = 1
	case was == 0:
		m.ask.radius = farthest
	case r > farthest:
		m.ask.radius = 0
	default:
		m.ask.radius = max(1, r)
	}
	if m.ask.radius == was {
		return false
	}
	m.siblings = 0
	m.rebuild(true)
	if m.tight() && m.Len() > 0 {
		m.refit()
	}
	return true
}

// tight reports whether what is shown depends on the height of the window: a map of one edge is made
// to fit.
func (m *Map) tight() bool {
	return m.Ranged() && m.ask.radius == 1 && (m.siblings != 0 || !m.Whole())
}

// ToggleDone hides what is done or aborted, or shows it again; it returns whether it is
// hidden now.
func (m *Map) ToggleDone() bool {
	m.hideDone = !m.hideDone
	m.rebuild(true)
	return m.hideDone
}

// stepMore is how many more tasks a fold lets out at a time.
const stepMore = 24

// Unfold lets out more of what the node under the cursor stands for; false for a task.
func (m *Map) Unfold() bool {
	n := m.node()
	if n == nil || n.Kind == taskmap.Task {
		return false
	}
	was := m.at
	key := n.Key
	more := maps.Clone(m.ask.more)
	if more == nil {
		more = map[string]int{}
	}
	more[key] += stepMore
	m.ask.more = more
	m.rebuild(true)
	for _, k := range m.rows { // the cursor goes to what came out, unless the fold is still there
		if _, old := was[m.shown.Nodes[k].Key]; !old && m.cur != m.at[key] {
			m.cur = k
			m.follow()
			break
		}
	}
	return true
}
