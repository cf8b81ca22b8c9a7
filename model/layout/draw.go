package layout

import "strings"

// Glyphs are the runes of lines. Lines has one for each set of directions in which a line leaves a
// cell: 1 up, 2 down, 4 left, 8 right.
type Glyphs struct {
	Lines     [16]rune
	Cross     rune // two lines that do not meet
	Arrow     rune // before a label
	TailArrow rune // before a label that lines only leave on its left
	Turned    rune // an edge that runs back along its line
	BothWays  rune // two edges on one line, one each way
}

const (
	armUp = 1 << iota
	armDown
	armLeft
	armRight
)

// Unicode are box-drawing characters with round corners.
func Unicode() Glyphs {
	return Glyphs{[16]rune([]rune(" ╵╷│╴╯╮┤╶╰╭├─┴┬╋")), '┼', '▸', '◂', '↺', '⇄'}
}

// ASCII is for terminals without box-drawing characters.
func ASCII() Glyphs {
	return Glyphs{[16]rune([]rune(" ''|-'.+-'.+-+++")), '|', '>', '<', '@', '='}
}

// Cell is one cell of a drawing. Part of a label when Node is not -1, and then Rune is 0: what
// stands there is the caller's. Else Rune is what to draw, a blank where no line is. Line is the
// line that is there, with all edges that join or fork in the cell, and Cross the upright one that
// crosses it; each is -1 when there is none.
type Cell struct {
	Rune        rune
	Node        int32
	Line, Cross int32
}

// seen is what has been found of a cell.
type seen struct {
	arms                  uint8
	flat, upright         int32 // lines, or -1
	flatTree, uprightTree int32
}

// Draw is a part of the drawing, row by row. What of the part lies outside the drawing is blank.
func (l *Layout) Draw(view Rect, g Glyphs) [][]Cell {
	view.W, view.H = max(0, view.W), max(0, view.H)
	cells := make([]seen, view.W*view.H)
	for i := range cells {
		cells[i].flat, cells[i].upright = -1, -1
	}
	for y := max(0, view.Y); y < min(l.Height, view.Y+view.H); y++ {
		row := cells[(y-view.Y)*view.W:][:view.W]
		for _, k := range l.rows[y] {
			r := &l.runs[k]
			for x := max(r.from, view.X); x <= min(r.to, view.X+view.W-1); x++ {
				row[x-view.X].add(l, r, x, armLeft, armRight)
			}
		}
	}
	for x := max(0, view.X); x < min(l.Width, view.X+view.W); x++ {
		for _, k := range l.uprights[x] {
			r := &l.runs[k]
			for y := max(r.from, view.Y); y <= min(r.to, view.Y+view.H-1); y++ {
				cells[(y-view.Y)*view.W+x-view.X].add(l, r, y, armUp, armDown)
			}
		}
	}
	flat := make([]Cell, len(cells))
	for i := range cells {
		flat[i] = l.cell(&cells[i], &g)
	}
	out := make([][]Cell, view.H)
	for y := range out {
		out[y] = flat[y*view.W:][:view.W:view.W]
	}
	l.drawSigns(view, out, &g)
	l.drawLabels(view, out)
	return out
}

// add notes that a run passes the cell at k along it.
func (s *seen) add(l *Layout, r *run, k int, back, ahead uint8) {
	if k > r.from {
		s.arms |= back
	}
	if k < r.to {
		s.arms |= ahead
	}
	line, tree := &s.flat, &s.flatTree
	if r.upright {
		line, tree = &s.upright, &s.uprightTree
	}
	if *line < 0 || len(l.lines[r.line]) > len(l.lines[*line]) {
		*line, *tree = r.line, r.tree
	}
}

func (l *Layout) cell(s *seen, g *Glyphs) Cell {
	c := Cell{Rune: g.Lines[s.arms], Node: -1, Line: s.flat, Cross: -1}
	switch {
	case s.upright < 0:
	case s.arms == armUp|armDown|armLeft|armRight && s.flatTree != s.uprightTree:
		c.Rune, c.Cross = g.Cross, s.upright
	case s.flat < 0 || len(l.lines[s.upright]) > len(l.lines[s.flat]):
		c.Line = s.upright
	}
	return c
}

func (l *Layout) drawSigns(view Rect, out [][]Cell, g *Glyphs) {
	runes := [...]rune{arrow: g.Arrow, tailArrow: g.TailArrow, turnedSign: g.Turned, bothWays: g.BothWays}
	for y := max(0, view.Y); y < min(l.Height, view.Y+view.H); y++ {
		for _, s := range l.signs[y] {
			if x := s.x - view.X; x >= 0 && x < view.W {
				out[y-view.Y][x] = Cell{runes[s.kind], -1, s.line, -1}
			}
		}
	}
}

func (l *Layout) drawLabels(view Rect, out [][]Cell) {
	for _, nodes := range l.column {
		for _, v := range nodes {
			p := l.place[v]
			if y := p.Y - view.Y; y >= 0 && y < view.H {
				for x := max(p.X, view.X); x < min(p.X+p.W, view.X+view.W); x++ {
					out[y][x-view.X] = Cell{0, int32(v), -1, -1}
				}
			}
		}
	}
}

// Text is the whole drawing as lines of text, with what label gives in the place of each node: it
// must be as wide as the graph says. Blanks at the ends of lines are cut.
func (l *Layout) Text(label func(node int) string, g Glyphs) []string {
	out := make([]string, 0, l.Height)
	for y, row := range l.Draw(Rect{0, 0, l.Width, l.Height}, g) {
		var b strings.Builder
		for x, c := range row {
			switch {
			case c.Node < 0:
				b.WriteRune(c.Rune)
			case x == l.place[c.Node].X && y == l.place[c.Node].Y:
				b.WriteString(label(int(c.Node)))
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// Beyond is what lies outside a part of the drawing.
func (l *Layout) Beyond(view Rect) Beyond {
	var b Beyond
	right, below := view.X+view.W, view.Y+view.H
	for _, p := range l.place {
		switch {
		case p.X+p.W <= view.X:
			b.Left.Nodes++
		case p.X >= right:
			b.Right.Nodes++
		case p.Y < view.Y:
			b.Above.Nodes++
		case p.Y >= below:
			b.Below.Nodes++
		}
	}
	b.Left.Edges = l.crossing(view.Y, below, view.X, l.rows)
	b.Right.Edges = l.crossing(view.Y, below, right, l.rows)
	b.Above.Edges = l.crossing(view.X, right, view.Y, l.uprights)
	b.Below.Edges = l.crossing(view.X, right, below, l.uprights)
	return b
}

// crossing counts the edges of the runs in some rows or columns that go from before a border to
// behind it.
func (l *Layout) crossing(first, end, border int, runs [][]int32) int {
	edges := map[int]bool{}
	for k := max(0, first); k < min(len(runs), end); k++ {
		for _, i := range runs[k] {
			if r := &l.runs[i]; r.from < border && r.to >= border {
				for _, e := range l.lines[r.line] {
					edges[e] = true
				}
			}
		}
	}
	return len(edges)
}
