package depmap

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/layout"
	"vespe/model/schedule"
	"vespe/model/taskmap"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// headLine says what the map shows.
func (m *Map) headLine(w int) string {
	l := &m.line
	l.Reset(w, style.Ink{})
	tail := m.headTail()
	before, after := m.headWords()
	room := w - 1 - text.Width(before) - text.Width(after) - text.Width(tail)
	l.Space(1).Add(m.Styles.Muted, before)
	if name := m.headName(); name != "" {
		l.Add(m.Styles.Bold, text.Truncate(name, max(8, room)))
	}
	return l.Add(m.Styles.Muted, after).Add(m.Styles.Faint, tail).String()
}

// headName is what the map is of.
func (m *Map) headName() string {
	i, ok := m.snap.Index(m.ask.root)
	if !ok || m.ask.mode == Critical {
		return ""
	}
	return m.name(&taskmap.Node{Task: int32(i)})
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
	case Critical:
		return "the critical path", ""
	}
	return "around ", ""
}

// implied is how many edges are left out because a path of others says the same.
func (m *Map) implied() (n int) {
	for e := range m.shown.Edges {
		if m.lay.State(e) == layout.Redundant {
			n++
		}
	}
	return n
}

func (m *Map) headTail() string {
	var parts []string
	switch {
	case m.ask.mode == Critical:
		parts = append(parts, model.Lasting(schedule.Of(m.snap).Total)+" of work at least")
	case !m.Ranged():
	case m.ask.radius == 0:
		parts = append(parts, "any distance")
	default:
		parts = append(parts, "within "+text.Plural(m.ask.radius, "edge"))
	}
	n := 0
	for k := range m.shown.Nodes {
		n += m.shown.Nodes[k].Count
	}
	parts = append(parts, text.Plural(n, "task"))
	if n := m.implied(); n > 0 {
		parts = append(parts, text.Plural(n, "implied edge")+" hidden")
	}
	if m.shown.Left > 0 {
		parts = append(parts, text.Count(m.shown.Left)+" done, hidden")
	}
	if len(m.dimmed) > 0 {
		parts = append(parts, text.Count(len(m.dimmed))+" dimmed by the filter")
	}
	sep := " " + m.Styles.Glyph.Dot + " "
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
	ink := m.Styles.Muted
	if n.Kind == taskmap.Fold {
		facts = append(facts, m.foldMeans(n))
	} else {
		_, ink = m.Styles.Status(n.Worst)
		facts = append(facts, m.snap.StatusWord(int(n.Task)))
		if effort, how := m.effort(n); how != schedule.FromNothing {
			facts = append(facts, "takes "+model.Lasting(effort))
		}
		if n.Cycle {
			facts = append(facts, "in a dependency cycle")
		}
	}
	rest := ""
	for _, f := range append(facts[1:], m.needs(n)...) {
		rest += " " + m.Styles.Glyph.Dot + " " + f
	}
	room := w - 3 - text.Width(facts[0]) - text.Width(rest)
	l.Space(1)
	if n.Kind != taskmap.Fold {
		l.AddMax(m.Styles.Bold, m.name(n), max(min(12, w/3), room)).Space(2)
	}
	return l.Add(ink, facts[0]).Add(m.Styles.Muted, rest).String()
}

// effort is how long a task takes, where the map is about that.
func (m *Map) effort(n *taskmap.Node) (time.Duration, schedule.Source) {
	if m.ask.mode != Critical {
		return 0, schedule.FromNothing
	}
	return schedule.Of(m.snap).Effort(int(n.Task))
}

func (m *Map) foldMeans(n *taskmap.Node) string {
	switch {
	case n.Of < 0:
		return text.Plural(n.Count, "more task")
	case n.Up:
		return text.Plural(n.Count, "more task") + " that " + m.name(&m.shown.Nodes[n.Of]) + " needs"
	}
	return text.Plural(n.Count, "more task") + " that " + model.VerbFor(n.Count, "needs", "need") + " " + m.name(&m.shown.Nodes[n.Of])
}

// needs says how many tasks the one under the cursor needs and how many need it, and how many
// of these are not shown.
func (m *Map) needs(n *taskmap.Node) []string {
	if n.Kind != taskmap.Task {
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
		say("needs", len(m.snap.DependsOn(i)), n.HiddenUp), say("needed by", len(m.snap.Dependents(i)), n.HiddenDown),
	}
}

// legendLine explains the signs that are in the map.
func (m *Map) legendLine(w int) string {
	l := &m.line
	l.Reset(w, style.Ink{})
	g := &m.marks
	var folds, more, rings, joins bool
	for k := range m.shown.Nodes {
		n := &m.shown.Nodes[k]
		folds = folds || n.Kind == taskmap.Fold
		more = more || n.HiddenUp+n.HiddenDown > 0
	}
	for _, li := range m.light {
		rings = rings || li&ring != 0
	}
	pairs := false
	if rings {
		rings, pairs = m.turned()
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
		{m.Styles.Edge, line + string(g.Arrow), "is needed by", len(m.shown.Edges) > 0},
		{m.Styles.EdgeCycle, string(g.Turned), "cycle", rings},
		{m.Styles.EdgeCycle, string(g.BothWays), "each needs the other", pairs},
		{m.Styles.Faint, g.moreLeft + " " + g.moreRight, "more not shown", more},
		{m.Styles.Muted, "+N", "folded", folds},
		{m.Styles.Edge, string(g.Cross), "crosses", m.lay.Crossings > 0},
		{m.Styles.Edge, string([]rune{g.Lines[0b1110], g.Lines[0b1111]}), "join", joins},
	} {
		if !e.on || l.Left() < text.Width(e.sign)+text.Width(e.text)+3 {
			continue
		}
		if l.Used() > 0 {
			l.Space(1)
		}
		l.Space(1).Add(e.ink, e.sign).Space(1).Add(m.Styles.Faint, e.text)
	}
	return l.String()
}

// turned reports which signs of a cycle are drawn: of edges that lead back, and of two tasks that need
// each other, whose edges share a line.
func (m *Map) turned() (back, pair bool) {
	for e, x := range m.shown.Edges {
		if m.lay.State(e) != layout.Turned {
			continue
		}
		if slices.ContainsFunc(m.shown.Edges, func(y taskmap.Edge) bool { return y.From == x.To && y.To == x.From }) {
			pair = true
		} else {
			back = true
		}
	}
	return back || !pair, pair
}

func (m *Map) addName(ink style.Ink, k int, part string) {
	hit := m.Styles.Match
	if k == m.cur {
		hit = m.Styles.MatchNow
	}
	m.line.AddMatches(ink, hit, part, rows.Occurrences(part, m.Query()))
}
