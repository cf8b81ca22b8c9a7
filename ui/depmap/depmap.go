package depmap

import (
	"vespe/model"
	"vespe/model/layout"
	"vespe/model/snapshot"
	"vespe/model/taskmap"
	"vespe/ui/rows"
	"vespe/ui/style"
)

// Map is the view. Build it with New; it is for one goroutine.
type Map struct {
	rows.Search
	rows.Pane

	snap     *snapshot.Snapshot
	test     func(s *snapshot.Snapshot, i int) bool
	ask      question
	hideDone bool
	trail    []place
	wide     int // of names, as last chosen
	siblings int // shown one by one, likewise; 0: as many as usual

	plan
	cur    int // node under the cursor, where shown has any
	branch map[turn]string
	names  []string // folded, by row; nil until something is searched
	window
	painted
}

// plan is the graph as it was laid out.
type plan struct {
	shown  *taskmap.Map // nil until there is something to show
	lay    *layout.Layout
	graph  layout.Graph   // that lay is of
	at     map[string]int // key → node
	rows   []int          // nodes by column, each from top to bottom
	row    []int          // node → its place in rows
	dimmed map[int]bool   // nodes that the filter leaves out
	uids   []model.UID    // of the nodes, "" for none
}

// window is what of the drawing is on the screen.
type window struct {
	w, h     int // of the whole view, as last drawn; 0 before
	x, y     int // the drawing's cell at the window's corner; less than 0 where it is smaller
	centered bool
}

// painted is the drawing as lines, and what is put over them.
type painted struct {
	lines      []string
	lineW      int
	marks      marks
	line       rows.Line
	placed     []sign // at the borders, as last drawn
	light      []lit  // by line
	lightFresh bool
}

// turn is a way out of a node: towards its dependencies or its dependents.
type turn struct {
	key string
	up  bool
}

// New makes an empty map.
func New(st *style.Styles) *Map {
	m := &Map{Pane: rows.NewPane(st), branch: map[turn]string{}}
	m.ask = question{radius: startRadius}
	m.Search = rows.NewSearch(m.searched, func() { m.Dirty = true })
	m.SetStyles(st)
	return m
}

// SetStyles changes the theme.
func (m *Map) SetStyles(st *style.Styles) {
	m.Styles, m.marks, m.Dirty = st, marksFor(st.Options.ASCII), true
}

// SetSnapshot shows another moment of the store. What stays shown stays where it is.
func (m *Map) SetSnapshot(s *snapshot.Snapshot) {
	if s == m.snap {
		return
	}
	m.snap, m.Dirty = s, true
	m.rebuild(true)
}

// SetFilter dims the tasks that don't pass a test; nil dims none.
func (m *Map) SetFilter(test func(s *snapshot.Snapshot, i int) bool) {
	if test == nil && m.test == nil {
		return
	}
	m.test = test
	m.Dirty = true
	m.dim()
}

// dim finds the nodes that the filter leaves out.
func (m *Map) dim() {
	m.dimmed = map[int]bool{}
	if m.test == nil {
		return
	}
	for k, uid := range m.uids {
		if i, ok := m.snap.Index(uid); ok && !m.test(m.snap, i) {
			m.dimmed[k] = true
		}
	}
}

// Len is the number of nodes.
func (m *Map) Len() int {
	if m.shown == nil {
		return 0
	}
	return len(m.shown.Nodes)
}

// node is the node under the cursor; nil for none.
func (m *Map) node() *taskmap.Node {
	if m.cur < 0 || m.cur >= m.Len() {
		return nil
	}
	return &m.shown.Nodes[m.cur]
}

// Selected is the task under the cursor.
func (m *Map) Selected() (model.UID, bool) {
	if n := m.node(); n != nil && n.Task >= 0 {
		return m.snap.UID(int(n.Task)), true
	}
	return "", false
}

// InView are the tasks of the nodes in the window.
func (m *Map) InView() (uids []model.UID) {
	for k := range m.Len() {
		if n := &m.shown.Nodes[k]; n.Task >= 0 && m.sees(m.lay.Place(k)) {
			uids = append(uids, m.snap.UID(int(n.Task)))
		}
	}
	return uids
}

// Scroll says where the window is in the whole, for a scrollbar.
func (m *Map) Scroll() style.Scroll {
	if m.lay == nil {
		return style.Scroll{}
	}
	_, h := m.room()
	return style.Scroll{Top: max(0, m.y), Visible: h, Total: m.lay.Height}
}

// Whole reports whether all of the drawing fits into the window.
func (m *Map) Whole() bool {
	w, h := m.room()
	return m.lay == nil || m.lay.Width <= w && m.lay.Height <= h
}

// Keep remembers what is shown, the cursor and the window, and returns what brings them back.
func (m *Map) Keep() (restore func()) {
	p := m.here()
	return func() { m.goTo(p) }
}
