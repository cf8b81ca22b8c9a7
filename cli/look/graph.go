package look

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/cli/core"
	"vespe/model"
	"vespe/model/layout"
	"vespe/model/snapshot"
	"vespe/model/taskmap"
	"vespe/model/visible"
	"vespe/store"
)

// graphFlags are what `vespe task graph` was asked for.
type graphFlags struct {
	extent, filter  string
	radius, limit   int
	redundant, open bool
}

// drawnAtMost is how many tasks are drawn at most: laying out more would take long, and nobody could
// read it.
const drawnAtMost = 3000

// noFold is a limit that no store reaches.
const noFold = 1 << 30

// extents are what --show takes.
func extents() []taskmap.Extent {
	return []taskmap.Extent{taskmap.Around, taskmap.Upstream, taskmap.Downstream, taskmap.Blocked, taskmap.Subtree, taskmap.Milestone, taskmap.Critical}
}

func extentWords() []string {
	return []string{"around", "upstream", "downstream", "blocked", "subtree", "milestone", "critical"}
}

func (a *app) graphVerb() *cobra.Command {
	var f graphFlags
	c := &cobra.Command{
		Use: "graph [UID]", Short: "Draw dependencies",
		Long: "Draw dependencies as columns of tasks. What a task needs is to its left.\n" +
			"With UID it draws the tasks around it, at most --radius edges away, else all that --filter\n" +
			"selects. --show draws something else: what UID needs (upstream), what needs it (downstream),\n" +
			"what blocks it (blocked), its subtree, its milestone, or the critical path.\n\n" +
			"The lines of one task fork. Lines of different tasks cross at ┼ and meet only just before the\n" +
			"task that they lead to. ↺ marks an edge that closes a cycle and is drawn backwards, ⇄ two\n" +
			"tasks that need each other.\n" +
			"Implied dependencies are hidden, except in JSON, where they are marked. --redundant shows\n" +
			"them. Text folds what doesn't fit into +N. An edge in JSON points from a\n" +
			"dependency to the task that depends on it.",
		Example: "  vespe task graph 3f9a1c\n  vespe task graph 3f9a1c --show blocked --radius 0\n  vespe task graph --filter 'is:blocked' --json",
		GroupID: "task", Args: core.Between(0, 1), ValidArgsFunction: a.CompleteTask(1),
	}
	c.Flags().StringVar(&f.extent, "show", "around", strings.Join(extentWords(), ", "))
	c.Flags().StringVar(&f.filter, "filter", "", "only tasks that match, as for ls")
	c.Flags().IntVar(&f.radius, "radius", 2, "maximum distance from UID in edges; 0 means no limit")
	c.Flags().IntVar(&f.limit, "limit", 0, "maximum number of tasks; 0 means 200 in text, else all")
	c.Flags().BoolVar(&f.redundant, "redundant", false, "include dependencies that other ones imply")
	c.Flags().BoolVar(&f.open, "open", false, "hide done and aborted tasks")
	_ = c.RegisterFlagCompletionFunc("show", cobra.FixedCompletions(extentWords(), cobra.ShellCompDirectiveNoFileComp))
	return a.View(c, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		g, err := a.taskGraph(snap, f, args)
		if err != nil {
			return nil, err
		}
		if a.JSON {
			return g.uids(), core.WriteJSON(a.Stdout, g.object())
		}
		a.printMap(g, f)
		return g.uids(), nil
	})
}

// taskGraph is what a map shows, and what of it is drawn.
type taskGraph struct {
	*taskmap.Map
	snap  *snapshot.Snapshot
	root  model.UID // "" for none
	graph layout.Graph
	state []layout.State // by edge, as if dependencies that others imply were left out
}

func (f *graphFlags) check(asJSON bool, args []string) error {
	switch {
	case !slices.Contains(extentWords(), f.extent):
		return core.Usagef("--show is %q; it must be one of %s", f.extent, strings.Join(extentWords(), ", "))
	case f.extent != "around" && f.extent != "critical" && len(args) == 0:
		return core.Usagef("--show %s needs the UID of a task", f.extent)
	case f.radius < 0:
		return core.Usagef("--radius is %d; it must be 0 or more", f.radius)
	case f.limit < 0:
		return core.Usagef("--limit is %d; it must be 0 or more", f.limit)
	case !asJSON && f.limit > drawnAtMost:
		return core.Usagef("--limit is %d; text draws at most %d tasks; JSON has no limit", f.limit, drawnAtMost)
	}
	return nil
}

func (a *app) taskGraph(snap *snapshot.Snapshot, f graphFlags, args []string) (*taskGraph, error) {
	if err := f.check(a.JSON, args); err != nil {
		return nil, err
	}
	filter, err := snapshot.ParseFilter(f.filter)
	if err != nil {
		return nil, err
	}
	if err := checkUnder(snap, strings.Fields(f.filter)); err != nil {
		return nil, err
	}
	chosen := snap.Select(filter)
	q := taskmap.Query{Extent: taskmap.Tasks, Tasks: chosen, Most: f.limit, Siblings: noFold}
	if a.JSON {
		q.Most = cmp.Or(f.limit, noFold)
	} else {
		q.Siblings = taskmap.Siblings
	}
	if f.open || f.filter != "" {
		in := make(map[int32]bool, len(chosen))
		for _, i := range chosen {
			in[i] = true
		}
		q.Show = func(i int) bool {
			return in[int32(i)] && (!f.open || snap.Status(i) != model.StatusDone && snap.Status(i) != model.StatusAborted)
		}
	}
	g := &taskGraph{snap: snap}
	if len(args) > 0 {
		if g.root, err = snap.Find(args[0]); err != nil {
			return nil, err
		}
		q.Root, q.Radius = g.root, f.radius
	}
	if len(args) > 0 || f.extent != "around" {
		q.Extent = extents()[slices.Index(extentWords(), f.extent)]
	}
	g.Map = taskmap.Of(snap, q)
	for k := range g.Nodes {
		g.graph.Nodes = append(g.graph.Nodes, layout.Node{ID: g.Nodes[k].Key})
	}
	for _, e := range g.Edges {
		g.graph.Edges = append(g.graph.Edges, layout.Edge{From: int(e.From), To: int(e.To)})
	}
	g.state = layout.States(g.graph, true)
	return g, nil
}

func (g *taskGraph) uids() []model.UID {
	var out []model.UID
	for _, n := range g.Nodes {
		if n.Task >= 0 {
			out = append(out, g.snap.UID(int(n.Task)))
		}
	}
	return out
}

// name is what a node is called, on one line.
func (g *taskGraph) name(k int) string {
	n := &g.Nodes[k]
	if n.Task < 0 {
		return fmt.Sprintf("+%d", n.Count)
	}
	return core.Title(g.snap.At(int(n.Task)))
}

// loop says whether a node's task depends on itself.
func (g *taskGraph) loop(k int) bool {
	n := &g.Nodes[k]
	return n.Task >= 0 && slices.Contains(g.snap.At(int(n.Task)).DependsOn, g.snap.UID(int(n.Task)))
}

// graphNode is a task of `vespe task graph --json`.
type graphNode struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	desk.TaskStatus
	Cycle bool `json:"cycle,omitempty"` // depends on itself, directly or through others
	// Dependencies and dependents that are not among the nodes.
	HiddenUp   int `json:"hidden_up,omitempty"`
	HiddenDown int `json:"hidden_down,omitempty"`
}

// graphEdge runs from a dependency to what depends on it.
type graphEdge struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Cycle     bool   `json:"cycle,omitempty"`     // part of a dependency cycle
	Turned    bool   `json:"turned,omitempty"`    // drawn the wrong way round, to break one
	Redundant bool   `json:"redundant,omitempty"` // others imply it
	Waits     bool   `json:"waits,omitempty"`     // no dependency: "to" waits for its subtask "from"
}

type graphObject struct {
	Root    string      `json:"root,omitempty"`
	Nodes   []graphNode `json:"nodes"`
	Edges   []graphEdge `json:"edges"`
	More    int         `json:"more,omitempty"`     // tasks beyond the limit
	LeftOut int         `json:"left_out,omitempty"` // tasks that --open or --filter left out
}

func (g *taskGraph) object() graphObject {
	o := graphObject{Root: string(g.root), Nodes: []graphNode{}, Edges: []graphEdge{}, LeftOut: g.Left}
	uid := func(k int32) string { return string(g.snap.UID(int(g.Nodes[k].Task))) }
	for k, n := range g.Nodes {
		if n.Task < 0 {
			o.More += n.Count
			continue
		}
		o.Nodes = append(o.Nodes, graphNode{
			uid(int32(k)), g.snap.Name(int(n.Task)),
			desk.TaskStatus{Status: n.Worst.String(), StatusReason: g.snap.StatusReason(int(n.Task))},
			n.Cycle, n.HiddenUp, n.HiddenDown,
		})
	}
	for e, x := range g.Edges {
		if g.Nodes[x.From].Task >= 0 && g.Nodes[x.To].Task >= 0 {
			o.Edges = append(o.Edges, graphEdge{
				uid(x.From), uid(x.To), x.Cycle, g.state[e] == layout.Turned, g.state[e] == layout.Redundant, x.Waits,
			})
		}
	}
	return o
}

// Cells of a name in a drawing. They are as many as let it fit the terminal; where even the fewest do not,
// they are usualCells, and in a file mostCells.
const (
	mostCells, usualCells, leastCells = 32, 18, 10
)

// layout lays a graph out with names of at most so many cells, and so many more beside each label.
func (g *taskGraph) layout(cells, beside int, redundant bool) (*layout.Layout, []string) {
	drawn := layout.Graph{Nodes: slices.Clone(g.graph.Nodes), Edges: g.graph.Edges}
	labels := make([]string, len(drawn.Nodes))
	for k := range drawn.Nodes {
		labels[k] = g.label(k, cells)
		drawn.Nodes[k].Width = ansi.StringWidth(labels[k]) + beside
	}
	return layout.New(drawn, layout.Options{Reduce: !redundant}), labels
}

// label is what a node looks like: ‹ and › say that more dependencies or dependents are not drawn.
func (g *taskGraph) label(k, cells int) string {
	n := &g.Nodes[k]
	s := ansi.Truncate(g.name(k), cells, "…")
	if n.Task >= 0 {
		s = n.Worst.Glyph(false) + " " + s + core.Beside(g.snap, int(n.Task))
	}
	if g.loop(k) {
		s += " ↺"
	}
	if k == g.Root {
		s = "[" + s + "]"
	}
	if n.HiddenUp > 0 {
		s = "‹" + s
	}
	if n.HiddenDown > 0 {
		s += "›"
	}
	return s
}

// printMap draws the graph as text.
func (a *app) printMap(g *taskGraph, f graphFlags) {
	switch {
	case g.snap.Len() == 0:
		fmt.Fprintln(a.Stdout, a.NoTasks())
		return
	case len(g.Nodes) == 0:
		fmt.Fprintln(a.Stdout, "No tasks match.")
		return
	}
	width := 0
	if a.IsTerminal {
		width = a.Columns()
	}
	cells := mostCells
	l, labels := g.layout(cells, 0, f.redundant)
	for width > 0 && l.Width > width && cells > leastCells {
		cells = max(leastCells, cells-max(1, (l.Width-width)/l.Columns))
		l, labels = g.layout(cells, 0, f.redundant)
	}
	if width > 0 && l.Width > width {
		l, labels = g.layout(usualCells, 0, f.redundant)
	}
	for _, line := range l.Text(func(k int) string {
		if g.Nodes[k].Task < 0 {
			return labels[k]
		}
		return a.Paint(g.Nodes[k].Worst, labels[k])
	}, layout.Unicode()) {
		fmt.Fprintln(a.Stdout, line)
	}
	a.printMapNotes(g, l, f.redundant)
}

// printMapNotes says what the drawing does not show.
func (a *app) printMapNotes(g *taskGraph, l *layout.Layout, redundant bool) {
	var notes []string
	turned, mutual, hidden, implied, folded := false, false, false, 0, 0
	for e, x := range g.Edges {
		switch {
		case l.State(e) == layout.Turned && slices.ContainsFunc(g.Edges, func(y taskmap.Edge) bool { return y.From == x.To && y.To == x.From }):
			mutual = true
		case l.State(e) == layout.Turned:
			turned = true
		case g.state[e] == layout.Redundant && !redundant:
			implied++
		}
	}
	for k, n := range g.Nodes {
		hidden = hidden || n.HiddenUp > 0 || n.HiddenDown > 0
		if n.Task < 0 {
			folded += n.Count
		}
		turned = turned || g.loop(k)
	}
	if turned {
		notes = append(notes, "↺ closes a dependency cycle")
	}
	if mutual {
		notes = append(notes, "⇄ each needs the other")
	}
	if hidden {
		notes = append(notes, "‹ › more before or after it")
	}
	if implied > 0 {
		notes = append(notes, fmt.Sprintf("%s hidden, implied by other ones (--redundant shows them)", model.Plural(implied, "dependency", "dependencies")))
	}
	if folded > 0 {
		notes = append(notes, fmt.Sprintf("+N: %s folded", model.Plural(folded, "task", "tasks")))
	}
	if g.Left > 0 {
		notes = append(notes, fmt.Sprintf("%s left out", model.Plural(g.Left, "task", "tasks")))
	}
	if len(notes) > 0 {
		fmt.Fprintf(a.Stdout, "\n%s\n", visible.Line(strings.Join(notes, " · ")))
	}
}
