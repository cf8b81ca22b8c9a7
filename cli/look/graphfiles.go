package look

import (
	"bufio"
	"cmp"
	"fmt"
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
