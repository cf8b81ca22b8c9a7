package depmap

import (
	"strconv"

	"vespe/model"
	"vespe/model/layout"
	"vespe/model/taskmap"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Cells of a label beside the name: a sign of the cursor, the status and a blank in front of
// it, and what says that more is hidden behind it.
const labelExtra = 4

// Cells of a name: as many as let all columns fit into the window, within these bounds. Where
// even the shortest do not fit there is scrolling anyway, and names get usualName. (The whole name of
// the task under the cursor stands below the map.)
const (
	longestName  = 32
	shortestName = 6
	usualName    = 18
)

// fewerSiblings is how many neighbors of one task are shown one by one, in place of model.MapSiblings,
// where a map of one edge would else be larger than the window.
var fewerSiblings = []int{6, 5, 4}

// fit chooses the width of names, and of a map of one edge how many siblings are shown one by one, so
// that all of it is in the window where that can be. Anyone who let more out wants to see them. What
// stays shown where there is a choice is as in rebuild.
func (m *Map) fit(shown *taskmap.Map, keep bool) *taskmap.Map {
	before := m.lay
	m.siblings = 0
	m.fitNames(shown)
	if m.w == 0 || m.Whole() || !m.Ranged() || m.ask.radius != 1 || len(m.ask.more) > 0 {
		return shown
	}
	for _, m.siblings = range fewerSiblings {
		m.lay, m.graph = before, layout.Graph{}
		less := taskmap.Of(m.snap, m.query(keep))
		m.fitNames(less)
		if m.Whole() {
			return less
		}
	}
	m.siblings, m.lay, m.graph = 0, before, layout.Graph{}
	m.fitNames(shown)
	return shown
}

// fitNames chooses the width of names for the window and lays the map out with it. What is
// shown later keeps it, until the window or the map is another: a map that reached farther
// would else move as a whole.
func (m *Map) fitNames(shown *taskmap.Map) {
	w, _ := m.room()
	m.wide = longestName
	if m.w == 0 {
		return
	}
	for m.wide >= shortestName {
		m.lay = m.laid(shown)
		over := m.lay.Width - w
		if over <= 0 {
			return
		}
		m.wide -= (over + m.lay.Columns - 1) / m.lay.Columns
	}
	m.wide = usualName
}

// name is what a node is called in full.
func (m *Map) name(n *taskmap.Node) string {
	if n.Kind == taskmap.Fold {
		return "+" + strconv.Itoa(n.Count)
	}
	name := text.SafeLine(m.snap.Name(int(n.Task)))
	if name == "" {
		name = string(m.snap.UID(int(n.Task)))
	}
	return name
}

// short is the text of a node's label.
func (m *Map) short(n *taskmap.Node) string { return text.Truncate(m.name(n), m.wide) }

func (m *Map) labelWidth(n *taskmap.Node) int { return labelExtra + text.Width(m.short(n)) }

// drawLabel adds the cells from to … of a node's label to the line.
func (m *Map) drawLabel(k, from, to int) {
	n := &m.shown.Nodes[k]
	base := m.Base(k == m.cur)
	cells, dim := m.label(k, n), k != m.cur && m.dimmed[k]
	at := 0
	for _, c := range cells {
		w := text.Width(c.text)
		a, b := max(from, at), min(to, at+w)
		if a < b {
			part := c.text
			if a > at || b < at+w {
				part = text.Slice(c.text, a-at, b-at)
			}
			ink := c.ink
			if dim {
				ink = m.Styles.Faint
			}
			if base.Open() != "" {
				ink = ink.Over(base)
			}
			if c.name {
				m.addName(ink, k, part)
			} else {
				m.line.Add(ink, part)
			}
		}
		at += w
	}
	if a := max(from, at); a < to { // a label is never narrower than the layout was told
		m.line.Add(base, text.Spaces(to-a))
	}
}

// span is a part of a label.
type span struct {
	ink  style.Ink
	text string
	name bool
}

func (m *Map) label(k int, n *taskmap.Node) []span {
	glyph, ink := m.Styles.StatusNode(n.Worst)
	lead, leadInk := " ", m.Styles.Faint
	switch {
	case m.uids[k] != "" && m.IsMarked(m.uids[k]):
		lead, leadInk = m.Styles.Glyph.Selected, m.Styles.Marker
	case k == m.cur && m.Focused:
		lead, leadInk = m.Styles.Glyph.Cursor, m.Styles.Marker
	case k == m.cur:
		lead = m.Styles.Glyph.Cursor
	case n.HiddenUp > 0:
		lead = m.marks.moreLeft
	}
	tail := " "
	if n.HiddenDown > 0 {
		tail = m.marks.moreRight
	}
	return []span{
		{ink: leadInk, text: lead},
		{ink: ink, text: glyph},
		{text: " "},
		{ink: m.nameInk(k, n), text: m.short(n), name: true},
		{ink: m.Styles.Faint, text: tail},
	}
}

func (m *Map) nameInk(k int, n *taskmap.Node) style.Ink {
	switch {
	case n.Cycle:
		return m.Styles.EdgeCycle
	case k == m.shown.Root:
		return m.Styles.TitleFocus
	case n.Kind == taskmap.Fold:
		return m.Styles.Muted
	case n.Worst == model.StatusDone || n.Worst == model.StatusAborted:
		return m.Styles.Muted
	case k == m.cur && m.Focused:
		return m.Styles.Bold
	}
	return m.Styles.Text
}
