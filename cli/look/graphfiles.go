package look

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/layout"
)

// What is written for other programs is text from files between quotes. Each format escapes all that
// means something in it; line breaks and control characters are visible characters by then.

// statusColor is a status in sRGB, readable on white and on black.
func statusColor(s model.Status) string {
	switch s {
	case model.StatusProblem, model.StatusFailed, model.StatusError:
		return "#d13438"
	case model.StatusChanged, model.StatusReplan, model.StatusPaused, model.StatusSubtasks, model.StatusBlocked:
		return "#b8860b"
	case model.StatusWaiting, model.StatusReviewPlan, model.StatusReviewWork:
		return "#b146c2"
	case model.StatusDone:
		return "#2e8b57"
	case model.StatusRunning, model.StatusReady:
		return "#1e90b0"
	}
	return "#808080"
}

// cycleColor is that of edges that close a cycle.
const cycleColor = "#d13438"

// text is a node for a file: glyph and name.
func (g *taskGraph) text(k int) string {
	s := g.name(k)
	if g.Nodes[k].Task >= 0 {
		s = g.Nodes[k].Worst.Glyph(false) + " " + s + core.Beside(g.snap, int(g.Nodes[k].Task))
	}
	if g.loop(k) {
		s += " ↺"
	}
	return s
}

// about is what is said of a node where there is room.
func (g *taskGraph) about(k int) string {
	n := &g.Nodes[k]
	if n.Task < 0 {
		return fmt.Sprintf("%s: %s", core.Counted(n.Count, "task", "tasks"), n.Worst)
	}
	word := cmp.Or(g.snap.StatusReason(int(n.Task)), n.Worst.Label())
	return g.name(k) + " · " + word + " · " + string(g.snap.UID(int(n.Task)))
}

// dotQuoted is a string of the DOT language. A backslash would begin an escape such as \N or \l.
func dotQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func (g *taskGraph) dot(to io.Writer, redundant bool) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, "digraph vespe {")
	fmt.Fprintln(w, "  rankdir=LR;")
	fmt.Fprintln(w, `  node [shape=box, style=rounded, fontname="sans-serif"];`)
	id := func(k int32) string {
		if n := &g.Nodes[k]; n.Task >= 0 {
			return dotQuoted(string(g.snap.UID(int(n.Task))))
		}
		return dotQuoted(g.Nodes[k].Key)
	}
	for k := range g.Nodes {
		more := ""
		if k == g.Root {
			more = ", penwidth=2"
		}
		fmt.Fprintf(w, "  %s [label=%s, tooltip=%s, color=%q%s];\n",
			id(int32(k)), dotQuoted(g.text(k)), dotQuoted(g.about(k)), statusColor(g.Nodes[k].Worst), more)
	}
	for e, x := range g.Edges {
		if !g.shows(e, redundant) {
			continue
		}
		var with []string
		if x.Cycle || g.state[e] == layout.Turned {
			with = append(with, fmt.Sprintf("color=%q", cycleColor))
		}
		if g.state[e] == layout.Turned {
			with = append(with, "constraint=false")
		}
		if x.Waits {
			with = append(with, "style=dashed")
		}
		fmt.Fprintf(w, "  %s -> %s", id(x.From), id(x.To))
		if len(with) > 0 {
			fmt.Fprintf(w, " [%s]", strings.Join(with, ", "))
		}
		fmt.Fprintln(w, ";")
	}
	fmt.Fprintln(w, "}")
	return w.Flush()
}

// mermaidQuoted is a label of a Mermaid flowchart. What would be markup, an entity, a directive or
// Markdown is written by its number.
func mermaidQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case strings.ContainsRune("\"#&<>%{}[]()`\\;|*_~$:/@", r):
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (g *taskGraph) mermaid(to io.Writer, redundant bool) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, "flowchart LR")
	for k := range g.Nodes {
		fmt.Fprintf(w, "  n%d[%s]\n", k, mermaidQuoted(g.text(k)))
	}
	var cycles []string
	shown := 0
	for e, x := range g.Edges {
		if !g.shows(e, redundant) {
			continue
		}
		arrow := "-->"
		if x.Waits {
			arrow = "-.->"
		}
		fmt.Fprintf(w, "  n%d %s n%d\n", x.From, arrow, x.To)
		if x.Cycle {
			cycles = append(cycles, fmt.Sprint(shown))
		}
		shown++
	}
	for k, n := range g.Nodes {
		wide := ""
		if k == g.Root {
			wide = ",stroke-width:3px"
		}
		fmt.Fprintf(w, "  style n%d stroke:%s%s\n", k, statusColor(n.Worst), wide)
	}
	if len(cycles) > 0 {
		fmt.Fprintf(w, "  linkStyle %s stroke:%s\n", strings.Join(cycles, ","), cycleColor)
	}
	return w.Flush()
}

// The size of a cell of the drawing in an SVG, in its own units, and the space around all.
const (
	cellWide, cellHigh = 9, 26
	svgBorder          = 12
)

const svgStyle = `<style>
svg{background:#fff}
text{font:15px ui-monospace,monospace;fill:#222}
.node{fill:#fff;stroke-width:1.5}
.root{stroke-width:3}
.edge{fill:none;stroke:#888;stroke-width:1.3;stroke-linejoin:round}
.head{fill:#888}
.waits{stroke-dasharray:4 3}
.cycle{stroke:#d13438}
.head.cycle{fill:#d13438;stroke:none}
@media (prefers-color-scheme:dark){svg{background:#1b1b1f}text{fill:#ddd}.node{fill:#1b1b1f}}
</style>
`

// svg is the drawing with the same places, as boxes and lines. It has no script and refers to nothing.
func (g *taskGraph) svg(to io.Writer, redundant bool) error {
	w := bufio.NewWriter(to)
	l, labels := g.layout(mostCells, 1, redundant)
	x := func(cell int) int { return svgBorder + cell*cellWide }
	middle := func(row int) int { return svgBorder + row*cellHigh + cellHigh/2 }
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d">`+"\n",
		x(l.Width)+svgBorder, svgBorder*2+l.Height*cellHigh)
	fmt.Fprintf(w, "<title>%s</title>\n%s", xmlText("Dependencies of "+core.Counted(len(g.Nodes), "task", "tasks")), svgStyle)
	for e := range g.Edges {
		if l.Way(e) != nil {
			g.svgEdge(w, l, e, x, middle)
		}
	}
	for k := range g.Nodes {
		p := l.Place(k)
		class := "node"
		if k == g.Root {
			class = "node root"
		}
		fmt.Fprintf(w, `<g><title>%s</title><rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="5" stroke="%s"/>`,
			xmlText(g.about(k)), class, x(p.X), middle(p.Y)-cellHigh/2+3, p.W*cellWide, cellHigh-6, statusColor(g.Nodes[k].Worst))
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle" xml:space="preserve">%s</text></g>`+"\n",
			x(p.X)+p.W*cellWide/2, middle(p.Y)+5, xmlText(labels[k]))
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// svgEdge is the line of one edge, with its arrow at the end that it leads to.
func (g *taskGraph) svgEdge(w io.Writer, l *layout.Layout, e int, x, middle func(int) int) {
	edge := g.Edges[e]
	left, right := l.Place(int(edge.From)), l.Place(int(edge.To))
	turned := l.State(e) == layout.Turned
	if turned {
		left, right = right, left
	}
	line := []layout.Point{{X: x(left.X + left.W), Y: middle(left.Y)}}
	for _, p := range l.Way(e) {
		line = append(line, layout.Point{X: x(p.X) + cellWide/2, Y: middle(p.Y)})
	}
	line = append(line, layout.Point{X: x(right.X), Y: middle(right.Y)})
	class, waits := "", ""
	if edge.Cycle || turned {
		class = " cycle"
	}
	if edge.Waits {
		waits = " waits"
	}
	fmt.Fprintf(w, `<path class="edge%s%s" d="%s"/>`, class, waits, rounded(line))
	head, back := x(right.X), -7
	row := middle(right.Y)
	if turned {
		head, back, row = x(left.X+left.W), 7, middle(left.Y)
	}
	fmt.Fprintf(w, `<path class="head%s" d="M%d %dl%d -4v8z"/>`+"\n", class, head, row, back)
}

// cornerSize is how far from a corner a line begins to turn.
const cornerSize = 4

// rounded is a path with round corners: where lines fork they part in a curve, and where they cross
// they are straight.
func rounded(line []layout.Point) string {
	var d strings.Builder
	towards := func(from, to layout.Point) layout.Point {
		step := func(from, to int) int { return from + min(cornerSize, max(-cornerSize, (to-from)/2)) }
		return layout.Point{X: step(from.X, to.X), Y: step(from.Y, to.Y)}
	}
	fmt.Fprintf(&d, "M%d %d", line[0].X, line[0].Y)
	for k := 1; k < len(line)-1; k++ {
		if a, b, c := line[k-1], line[k], line[k+1]; (a.X == b.X) != (b.X == c.X) {
			in, out := towards(b, a), towards(b, c)
			fmt.Fprintf(&d, "L%d %dQ%d %d %d %d", in.X, in.Y, b.X, b.Y, out.X, out.Y)
		}
	}
	end := line[len(line)-1]
	fmt.Fprintf(&d, "L%d %d", end.X, end.Y)
	return d.String()
}

// xmlText is text between tags or quotes. What XML cannot hold becomes U+FFFD.
func xmlText(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r == 0xFFFE || r == 0xFFFF || r < ' ' {
			return 0xFFFD
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}
