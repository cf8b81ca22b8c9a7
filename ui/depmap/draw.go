package depmap

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/layout"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// marks are the signs of the map.
type marks struct {
	layout.Glyphs
	moreLeft, moreRight string // at a label: neighbours that the map does not show
	tangled             rune   // in place of Turned, where only groups close the ring
}

func marksFor(ascii bool) marks {
	if ascii {
		return marks{layout.ASCII(), "(", ")", '~'}
	}
	return marks{layout.Unicode(), "‹", "›", '⇠'}
}

// lit is how a line stands to the node under the cursor.
type lit uint8

const (
	dark   lit = 0
	upward lit = 1 << iota // to a dependency of it
	downward
	ring    // a dependency cycle
	tangled // a ring that only groups close
)

// View draws the window: h lines of w cells, which are not to be changed.
func (m *Map) View(w, h int) []string {
	if !m.dirty && m.lineW == w && len(m.lines) == h {
		return m.lines
	}
	m.resize(w, h)
	lines := make([]string, max(0, h))
	m.placed = m.placed[:0]
	if m.Len() == 0 {
		rows.Notice(lines, w, m.st, m.nothing())
	} else {
		m.draw(lines, w)
	}
	m.lines, m.lineW, m.dirty = lines, w, false
	return lines
}

// resize takes the size that is drawn now. A node that was in the window stays in it.
func (m *Map) resize(w, h int) {
	if w == m.w && h == m.h && m.centred {
		return
	}
	seen := m.w == 0 || m.node() != nil && m.sees(m.lay.Place(m.cur))
	wider := w != m.w
	m.w, m.h = w, h
	if wider && m.shown != nil {
		m.refit()
	}
	if !m.centred {
		m.centre()
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
	case m.snap.Len() == 0 && len(m.empty) > 0:
		return m.empty
	case m.snap.Len() == 0:
		return []string{"No tasks yet."}
	case m.test != nil && len(m.unmatched) > 0:
		return m.unmatched
	}
	if m.ask.mode == Critical {
		return []string{"There is no critical path:", "no open task can be finished as things are."}
	}
	return []string{"No task was found."}
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
			m.line.Add(m.st.Key, s.text)
			x += s.width
			continue
		}
		c := row[x]
		if c.Node < 0 {
			m.line.Add(m.edgeInk(c), string(m.runeOf(c)))
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

// runeOf is what is drawn in a cell of a line.
func (m *Map) runeOf(c layout.Cell) rune {
	if c.Line >= 0 && (c.Rune == m.marks.Turned || c.Rune == m.marks.BothWays) && m.light[c.Line]&ring == 0 {
		return m.marks.tangled
	}
	return c.Rune
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
		return m.st.EdgeCycle
	case l&upward != 0:
		return m.st.EdgeUp
	case l&downward != 0:
		return m.st.EdgeDown
	}
	return m.st.Edge
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
			switch {
			case m.lay.State(e) != layout.Turned:
			case edge.Cycle:
				m.light[k] |= ring
			default:
				m.light[k] |= tangled
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
	g := &m.st.Glyph
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
			s.text = side.arrow + plural(side.n.Nodes, "task")
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

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return text.Count(n) + " " + word + "s"
}

// headLine says what the map shows.
func (m *Map) headLine(w int) string {
	l := &m.line
	l.Reset(w, style.Ink{})
	tail := m.headTail()
	before, after := m.headWords()
	room := w - 1 - text.Width(before) - text.Width(after) - text.Width(tail)
	l.Space(1).Add(m.st.Muted, before)
	if name := m.headName(); name != "" {
		l.Add(m.st.Bold, text.Truncate(name, max(8, room)))
	}
	return l.Add(m.st.Muted, after).Add(m.st.Faint, tail).String()
}

// headName is what the map is of.
func (m *Map) headName() string {
	i, ok := m.snap.Index(m.ask.root)
	if !ok || m.ask.mode >= Critical {
		return ""
	}
	if m.ask.mode == Milestone {
		if k := m.milestone(); k >= 0 {
			x := &m.snap.Milestones()[k]
			return text.SafeLine(cmp.Or(x.Name, x.ID))
		}
	}
	if p := m.snap.Parent(i); m.ask.mode == Subtree && p >= 0 && len(m.snap.Children(i)) == 0 {
		i = int(p) // whose subtree it is
	}
	return m.name(&model.MapNode{Task: int32(i)})
}

// milestone is the index of the root's milestone; -1 for none.
func (m *Map) milestone() int {
	if i, ok := m.snap.Index(m.ask.root); ok {
		return m.snap.MilestoneOf(i)
	}
	return -1
}

// headWords are what stands before the root's name and after it.
func (m *Map) headWords() (before, after string) {
	switch m.ask.mode {
	case Upstream:
		return "what ", " needs"
	case Downstream:
		return "what needs ", ""
	case Blocked:
		return "what holds up ", ""
	case Subtree:
		return "", " and what is below it"
	case Milestone:
		if m.milestone() < 0 {
			return "", " is in no milestone"
		}
		return "milestone ", ""
	case Critical:
		return "the critical path", ""
	case Found:
		return "", ""
	}
	return "around ", ""
}

func (m *Map) headTail() string {
	var parts []string
	switch {
	case m.ask.mode == Found && m.ask.text != "" && m.test != nil:
		parts = append(parts, fmt.Sprintf("what the filter selects with %q", m.ask.text))
	case m.ask.mode == Found && m.ask.text != "":
		parts = append(parts, fmt.Sprintf("tasks with %q", m.ask.text))
	case m.ask.mode == Found:
		parts = append(parts, "what the filter selects")
	case m.ask.mode == Critical:
		parts = append(parts, model.Lasting(m.snap.Schedule().Total)+" of work at least")
	case !m.Ranged():
	case m.ask.radius == 0:
		parts = append(parts, "any distance")
	default:
		parts = append(parts, plural(m.ask.radius, "edge")+" far")
	}
	n := 0
	for k := range m.shown.Nodes {
		n += m.shown.Nodes[k].Count
	}
	parts = append(parts, plural(n, "task"))
	if m.redundant {
		parts = append(parts, "every edge")
	}
	if m.shown.Left > 0 {
		what := " left out by the filter"
		if m.hideDone && m.test == nil {
			what = " done, hidden"
		} else if m.hideDone {
			what = " done or left out by the filter"
		}
		parts = append(parts, text.Count(m.shown.Left)+what)
	}
	sep := " " + m.st.Glyph.Dot + " "
	if m.ask.mode == Found {
		return text.SafeLine(strings.Join(parts, sep))
	}
	return sep + strings.Join(parts, sep)
}

// factLine says what the node under the cursor is.
func (m *Map) factLine(w int) string {
	l := &m.line
	l.Reset(w, style.Ink{})
	n := m.node()
	if n == nil {
		return l.String()
	}
	var facts []string
	ink := m.st.Muted
	switch n.Kind {
	case model.MapFold:
		facts = append(facts, m.foldMeans(n))
	case model.MapGroup:
		facts = append(facts, plural(n.Count, "task")+" drawn as one")
	default:
		_, ink = m.st.Status(n.Worst)
		facts = append(facts, m.snap.StatusWord(int(n.Task)))
		if effort, how := m.effort(n); how != model.FromNothing {
			facts = append(facts, "takes "+model.Lasting(effort))
		}
		if n.Cycle {
			facts = append(facts, "in a dependency cycle")
		}
	}
	rest := ""
	for _, f := range append(facts[1:], m.needs(n)...) {
		rest += " " + m.st.Glyph.Dot + " " + f
	}
	room := w - 3 - text.Width(facts[0]) - text.Width(rest)
	l.Space(1)
	if n.Kind != model.MapFold {
		l.AddMax(m.st.Bold, m.name(n), max(min(12, w/3), room)).Space(2)
	}
	return l.Add(ink, facts[0]).Add(m.st.Muted, rest).String()
}

// effort is how long a task takes, where the map is about that.
func (m *Map) effort(n *model.MapNode) (time.Duration, model.Source) {
	if m.ask.mode != Critical {
		return 0, model.FromNothing
	}
	return m.snap.Schedule().Effort(int(n.Task))
}

func (m *Map) foldMeans(n *model.MapNode) string {
	switch {
	case n.Of < 0 && n.Up:
		return plural(n.Count, "more task") + " without a dependency here"
	case n.Of < 0:
		return plural(n.Count, "more task")
	case n.Up:
		return plural(n.Count, "more task") + " that " + m.name(&m.shown.Nodes[n.Of]) + " needs"
	}
	return plural(n.Count, "more task") + " that " + needWord(n.Count) + " " + m.name(&m.shown.Nodes[n.Of])
}

func needWord(n int) string {
	if n == 1 {
		return "needs"
	}
	return "need"
}

// needs says how many tasks the one under the cursor needs and how many need it, and how many
// of these are not shown.
func (m *Map) needs(n *model.MapNode) []string {
	if n.Kind != model.MapTask {
		return nil
	}
	say := func(what string, all, hidden int) string {
		s := what + " " + text.Count(all)
		if hidden > 0 {
			s += fmt.Sprintf(" (%s not shown)", text.Count(hidden))
		}
		return s
	}
	i := int(n.Task)
	return []string{
		say("needs", len(m.snap.DependsOn(i)), n.HiddenUp), say("needed by", len(m.snap.Dependants(i)), n.HiddenDown),
	}
}

// legendLine explains the signs that are in the map.
func (m *Map) legendLine(w int) string {
	l := &m.line
	l.Reset(w, style.Ink{})
	g := &m.marks
	var folds, groups, more, rings, tangles, joins bool
	for k := range m.shown.Nodes {
		n := &m.shown.Nodes[k]
		folds = folds || n.Kind == model.MapFold
		groups = groups || n.Kind == model.MapGroup
		more = more || n.HiddenUp+n.HiddenDown > 0
	}
	for _, li := range m.light {
		rings, tangles = rings || li&ring != 0, tangles || li&tangled != 0
	}
	for k := range m.shown.Nodes {
		joins = joins || len(m.lay.After(k)) > 1 || len(m.lay.Before(k)) > 1
	}
	line := string(g.Lines[0b1100])
	type entry struct {
		ink  style.Ink
		sign string
		text string
		on   bool
	}
	for _, e := range []entry{
		{m.st.Edge, line + string(g.Arrow), "is needed by", len(m.shown.Edges) > 0},
		{m.st.EdgeCycle, string(g.Turned), "cycle", rings},
		{m.st.Edge, string(g.tangled), "groups that need each other", tangles},
		{m.st.Faint, g.moreLeft + " " + g.moreRight, "more not shown", more},
		{m.st.Muted, "+N", "folded", folds},
		{m.st.Muted, m.st.Glyph.Folded, "group", groups},
		{m.st.Edge, string(g.Cross), "crosses", m.lay.Crossings > 0},
		{m.st.Edge, string([]rune{g.Lines[0b1110], g.Lines[0b1111]}), "join", joins},
	} {
		if !e.on || l.Left() < text.Width(e.sign)+text.Width(e.text)+3 {
			continue
		}
		if l.Used() > 0 {
			l.Space(1)
		}
		l.Space(1).Add(e.ink, e.sign).Space(1).Add(m.st.Faint, e.text)
	}
	return l.String()
}

func (m *Map) addName(ink style.Ink, k int, part string) {
	hit := m.st.Match
	if k == m.cur {
		hit = m.st.MatchNow
	}
	m.line.AddMatches(ink, hit, part, rows.Occurrences(part, m.find.Query()))
}
