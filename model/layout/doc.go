// Package layout draws a directed graph as columns of one-line labels, from left to right,
// with lines of box characters between them, so that every edge can be followed by eye.
// It knows nothing of tasks, is pure, and gives the same bytes for the same
// graph, whatever the order of its nodes and edges.
//
// # How to use it
//
//	l := layout.New(layout.Graph{Nodes: nodes, Edges: edges}, layout.Options{Reduce: true, Before: last})
//	grid := l.Draw(layout.Rect{X: x, Y: y, W: w, H: h}, layout.Unicode)
//
// A node is an identity, by which ties are broken and by which a later layout knows it again,
// and the width of its label in cells; the label itself stays with the caller. An edge is drawn
// from its From on the left to its To on the right. Nodes and edges are named by their indexes in
// the Graph, in every answer.
//
// A Layout is never changed once it is made, and may be read from several goroutines. Place says
// where a label stands, Column which nodes stand in a column, After and Before which nodes the
// lines of a node lead to, State what became of an edge, Beyond what lies outside a part of the
// drawing. Draw gives any part of it as cells: a cell is part of a label (Node), or has a rune and
// the lines that pass in it; Edges says which edges run along a line. A caller that lights the
// edges of a selected node asks that once for each line, and then for each cell its one or two
// lines.
//
// # How a drawing is read
//
// A line leaves a label to the right and enters one on the left at ▸. The lines of one source are
// one tree that forks; those of several sources meet only in the column of cells before the label
// that they enter. A T piece, a corner and ╋ join; ┼ never does, there two lines cross. ↺ just
// before a label marks an edge that was turned round to break a cycle: it runs from that label
// back to where the line comes from. ⇄ marks two edges, one each way. A label that only
// turned edges reach has ◂ in place of ▸. A label whose lines enter in several rows takes up as many. The
// ASCII glyphs are less exact where corners of different lines touch: `+` joins, and in a crossing
// the vertical line goes over the horizontal one.
//
// # How it is made
//
// Each step is a function from what the one before gave, in this order.
//
//  1. The graph gets numbers by identity (canonical.go). Edges of a node to itself and repeated
//     ones are set apart.
//  2. Cycles are broken where they are: in each strongly connected component (Tarjan 1972), by the
//     order of Eades, Lin and Smyth (1993); then what was turned round without need is turned back
//     (cycles.go).
//  3. Where asked, edges that another path says are left out (Aho, Garey, Ullman 1972), which on
//     real graphs takes away a sixth of the edges and most crossings (reduce.go). An edge that was
//     turned round is never left out, and never a reason to leave another out.
//  4. Columns: network simplex, the shortest edges in sum (Gansner et al. 1993) (rank.go).
//  5. An edge over several columns gets a place in each between; the edges of one source share
//     it (proper.go).
//  6. Order in the columns: sweeps by medians, then every vertex to its best place given both
//     neighboring columns until none moves, begun from the left and from the right (order.go). The
//     better order is shaken: a line goes to another height, what that disturbs settles, and it
//     is taken back when there are more crossings (shake.go). What is minimized is the number of
//     pairs of lines that cross between columns, where those of one source that run together are one.
//  7. Rows: for each vertex the row that makes its lines straightest, as blocks that push each
//     other (pool adjacent violators, with medians) (place.go).
//  8. Between two columns each source with a bend gets a vertical track; what may not overlap
//     is a constraint, what would cross needlessly a wish. Sources that wait for each other in a
//     ring are parted by a bend in a free row (route.go, tracks.go).
//  9. Runs of cells become runes where they are looked at (draw.go).
//
// Steps 4 and 6 stop at a number of operations that depends on the graph alone, never on a clock.
//
// # What stays as it was
//
// With Options.Before the nodes that were in that layout keep their columns as far as the edges
// allow, and two that were in one column and are so again keep their order. What was turned round
// stays so while it is in a cycle, where that makes no new one. Only new nodes and the bends of lines
// look for better places, and where nothing is new, nothing moves. A layout without Before is the way
// to a drawing that is best by itself (recall.go, and remembered in rank.go).
//
// # What it is held to
//
// Tests read the characters of drawings back and compare the edges: of the 1,277 graphs of the North
// collection where VESPE_DATA says where it lies, of generated ones otherwise, with cycles and wide
// runes. On the North graphs there are at most 1.05 times the crossings of Graphviz dot; one more node
// flips no order and costs at most 1.10 times the crossings of a fresh layout; the neighborhoods of 99
// of 100 nodes fit 80×24 (and the pane of the map there, which ui tests). BenchmarkLayout has the time: 20 ms for 99 of 100 graphs of up to 200 nodes.
package layout
