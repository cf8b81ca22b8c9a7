package layout

import "cmp"

// Graph is what is to be drawn.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is one label. Two nodes of a graph have different IDs.
type Node struct {
	ID    string
	Width int // of the label in cells; less than 1 counts as 1
}

// Edge runs from one node to another; both are indexes of Graph.Nodes.
type Edge struct{ From, To int }

// State says what became of an edge of the graph.
type State uint8

const (
	Drawn     State = iota // from left to right
	Turned                 // closes a cycle; drawn from right to left, with ↺
	Redundant              // left out, since a path of drawn edges says the same
	Loop                   // from a node to itself; not drawn
	Repeated               // the same as an earlier edge, whose line stands for both
)

// Options say how a graph is drawn.
type Options struct {
	Reduce bool    // leave out edges that paths of others imply
	Before *Layout // whose order is kept; nil for the best order
}

// Rect is a part of a drawing in cells. X grows to the right and Y down; the drawing itself is
// Rect{0, 0, Width, Height}.
type Rect struct{ X, Y, W, H int }

// Place is where a node's label stands.
type Place struct {
	Col  int // its column, from 0 at the left
	Rank int // how many nodes of its column stand above it
	X, Y int // the label's first cell
	W    int // the label's width in cells
}

// Count is how much there is.
type Count struct{ Nodes, Edges int }

// Beyond is what lies outside a part of a drawing, at each of its borders: nodes of whose label no
// cell is inside, counted at one border, left and right before above and below; and edges whose
// line crosses that border.
type Beyond struct{ Left, Right, Above, Below Count }

// Layout is a graph that has been laid out.
type Layout struct {
	Width, Height int // of the drawing in cells
	Columns       int
	Crossings     int // of lines between columns; those of one source that run together count as one

	edges []Edge
	state []State

	place    []Place
	column   [][]int // by column: its nodes from top to bottom
	after    [][]int // by node
	before   [][]int
	kept     memory
	lines    [][]int // by line: the edges along it
	runs     []run
	rows     [][]int32 // by row: its flat runs
	uprights [][]int32 // by column of cells: its upright runs
	signs    [][]sign  // by row
	ways     [][]Point // by edge: the corners of its line
}

// Point is a cell of the drawing.
type Point struct{ X, Y int }

// Place is where the label of a node stands.
func (l *Layout) Place(node int) Place { return l.place[node] }

// Column is the nodes of a column, from top to bottom. Do not modify it.
func (l *Layout) Column(col int) []int { return l.column[col] }

// After is the nodes that lines lead to from this one, to the right, from top to bottom; those of
// turned edges among them. Do not modify it.
func (l *Layout) After(node int) []int { return l.after[node] }

// Before is the nodes whose lines enter this one, on its left, from top to bottom. Do not modify it.
func (l *Layout) Before(node int) []int { return l.before[node] }

// State says what became of an edge.
func (l *Layout) State(edge int) State { return l.state[edge] }

// Edges is the edges that run along a line. Do not modify it.
func (l *Layout) Edges(line int) []int { return l.lines[line] }

// Lines is the number of lines; they are named from 0 on.
func (l *Layout) Lines() int { return len(l.lines) }

// Way is the corners of an edge's line, from the cell behind the label on its left to the arrow
// before the label on its right; a turned edge's begins at its To. nil when the edge is not drawn.
// Do not modify it.
func (l *Layout) Way(edge int) []Point { return l.ways[edge] }

// At is the node whose label has the cell, or -1.
func (l *Layout) At(x, y int) int {
	for _, nodes := range l.column {
		if len(nodes) == 0 || l.place[nodes[0]].X > x {
			continue
		}
		for _, v := range nodes {
			if p := l.place[v]; p.Y == y && x >= p.X && x < p.X+p.W {
				return v
			}
		}
	}
	return -1
}

// New lays a graph out. It panics when an edge names a node that is not there.
func New(g Graph, o Options) *Layout {
	c := newCanonical(g)
	var mem *memory
	if o.Before != nil {
		mem = &o.Before.kept
	}
	c.breakCycles(mem)
	if o.Reduce {
		c.reduce()
	}
	arcs := c.arcs()
	p := newProper(c, arcs, columns(c, arcs, mem), true)
	p.order(c, mem)
	l := &Layout{
		edges: g.Edges, state: c.state,
		Columns: len(p.layers), Crossings: p.crossings(), kept: p.memory(c),
	}
	(&router{c: c, p: p, place: place(p), from: make([]*wire, len(p.rank)), arcOf: map[[2]int]arc{}}).route(l)
	return l
}

// States is what would become of each edge, without laying the graph out.
func States(g Graph, reduce bool) []State {
	c := newCanonical(g)
	c.breakCycles(nil)
	if reduce {
		c.reduce()
	}
	return c.state
}

func compareArcs(a, b arc) int {
	return cmp.Or(cmp.Compare(a.tail, b.tail), cmp.Compare(a.head, b.head))
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
}
