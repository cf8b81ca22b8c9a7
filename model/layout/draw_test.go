package layout

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAPartIsCutFromTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := anyGraph(t)
		l := New(g, Options{})
		all := l.Draw(Rect{0, 0, l.Width, l.Height}, Unicode())
		draw := func(name string) int { return rapid.IntRange(-5, 60).Draw(t, name) }
		view := Rect{draw("x"), draw("y"), max(0, draw("w")), max(0, draw("h"))}
		part := l.Draw(view, Unicode())
		if len(part) != view.H {
			t.Fatalf("%d rows, asked for %d", len(part), view.H)
		}
		for y, row := range part {
			if len(row) != view.W {
				t.Fatalf("%d cells, asked for %d", len(row), view.W)
			}
			for x, c := range row {
				want := Cell{' ', -1, -1, -1}
				if y, x := y+view.Y, x+view.X; y >= 0 && y < l.Height && x >= 0 && x < l.Width {
					want = all[y][x]
				}
				if c != want {
					t.Fatalf("cell %d,%d of %v is %v, and %v in the whole", x, y, view, c, want)
				}
			}
		}
	})
}

// The cells along an edge's way are those, and no others, that say that the edge passes.
func TestCellsKnowTheirEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := anyGraph(t)
		l := New(g, Options{Reduce: rapid.Bool().Draw(t, "reduce")})
		said := make([]map[Point]bool, len(g.Edges))
		for e := range said {
			said[e] = map[Point]bool{}
		}
		for y, row := range l.Draw(Rect{0, 0, l.Width, l.Height}, Unicode()) {
			for x, c := range row {
				for _, line := range []int32{c.Line, c.Cross} {
					if line < 0 {
						continue
					}
					if int(line) >= l.Lines() {
						t.Fatalf("there is no line %d", line)
					}
					for _, e := range l.Edges(int(line)) {
						said[e][Point{x, y}] = true
					}
				}
				if (c.Node >= 0) != (l.At(x, y) >= 0) || c.Node >= 0 && l.At(x, y) != int(c.Node) {
					t.Fatalf("at %d,%d stands %d, At says %d", x, y, c.Node, l.At(x, y))
				}
			}
		}
		for e, x := range g.Edges {
			way := map[Point]bool{}
			for k, p := range l.Way(e) {
				way[p] = true
				if k > 0 {
					for q := l.Way(e)[k-1]; q != p; {
						q.X += min(1, max(-1, p.X-q.X))
						q.Y += min(1, max(-1, p.Y-q.Y))
						way[q] = true
					}
				}
			}
			if drawn := l.State(e) == Drawn || l.State(e) == Turned; drawn != (len(way) > 0) {
				t.Fatalf("edge %v is %v, its way %v", x, l.State(e), l.Way(e))
			}
			for p := range way {
				if !said[e][p] {
					t.Fatalf("edge %v passes %v, and the cell does not say so", x, p)
				}
			}
			for p := range said[e] {
				if !way[p] {
					t.Fatalf("edge %v does not pass %v, and the cell says so", x, p)
				}
			}
		}
	})
}

func TestWhatLiesBeyondABorderIsCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := anyGraph(t)
		l := New(g, Options{})
		draw := func(name string, most int) int { return rapid.IntRange(0, max(0, most)).Draw(t, name) }
		view := Rect{X: draw("x", l.Width), Y: draw("y", l.Height)}
		view.W, view.H = draw("w", l.Width-view.X), draw("h", l.Height-view.Y)
		var want Beyond
		inside := 0
		for v := range g.Nodes {
			switch p := l.Place(v); {
			case p.X+p.W <= view.X:
				want.Left.Nodes++
			case p.X >= view.X+view.W:
				want.Right.Nodes++
			case p.Y < view.Y:
				want.Above.Nodes++
			case p.Y >= view.Y+view.H:
				want.Below.Nodes++
			default:
				inside++
			}
		}
		for e := range g.Edges {
			crosses := func(cross func(a, b Point) bool) int {
				way := slices.Clone(l.Way(e))
				if len(way) > 0 { // from label to label
					first, last := way[0], way[len(way)-1]
					way = append(slices.Insert(way, 0, Point{first.X - 1, first.Y}), Point{last.X + 1, last.Y})
				}
				for k := 1; k < len(way); k++ {
					a, b := way[k-1], way[k]
					if a.X > b.X || a.Y > b.Y {
						a, b = b, a
					}
					if cross(a, b) {
						return 1
					}
				}
				return 0
			}
			flat := func(x int) func(a, b Point) bool {
				return func(a, b Point) bool { return a.Y >= view.Y && a.Y < view.Y+view.H && a.X < x && b.X >= x }
			}
			upright := func(y int) func(a, b Point) bool {
				return func(a, b Point) bool { return a.X >= view.X && a.X < view.X+view.W && a.Y < y && b.Y >= y }
			}
			want.Left.Edges += crosses(flat(view.X))
			want.Right.Edges += crosses(flat(view.X + view.W))
			want.Above.Edges += crosses(upright(view.Y))
			want.Below.Edges += crosses(upright(view.Y + view.H))
		}
		if got := l.Beyond(view); got != want {
			t.Fatalf("beyond %v is %+v, counted %+v\n%s", view, got, want, picture(l.Text(nameOf(g), Unicode())))
		}
	})
}

func TestNeighborsAreThoseThatLinesLeadTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := anyGraph(t)
		l := New(g, Options{})
		after, before := make([][]int, len(g.Nodes)), make([][]int, len(g.Nodes))
		for e, x := range g.Edges {
			switch l.State(e) {
			case Drawn:
				after[x.From], before[x.To] = append(after[x.From], x.To), append(before[x.To], x.From)
			case Turned:
				after[x.To], before[x.From] = append(after[x.To], x.From), append(before[x.From], x.To)
			}
		}
		for v := range g.Nodes {
			for _, pair := range [][2][]int{{l.After(v), after[v]}, {l.Before(v), before[v]}} {
				got, want := slices.Clone(pair[0]), pair[1]
				if !slices.IsSortedFunc(got, func(a, b int) int { return comparePlaces(l.Place(a), l.Place(b)) }) {
					t.Fatalf("the neighbors %v of %d are not from top to bottom", got, v)
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, slices.Compact(want)) {
					t.Fatalf("neighbors of %d are %v, should be %v", v, got, want)
				}
			}
		}
		seen := 0
		for col := range l.Columns {
			for k, v := range l.Column(col) {
				if p := l.Place(v); p.Col != col || p.Rank != k {
					t.Fatalf("%d is at %+v, and in column %d at %d", v, p, col, k)
				}
				seen++
			}
		}
		if seen != len(g.Nodes) {
			t.Fatalf("%d nodes stand in columns, of %d", seen, len(g.Nodes))
		}
	})
}

func TestASCIIHasTheSameShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := anyGraph(t)
		l := New(g, Options{})
		whole := Rect{0, 0, l.Width, l.Height}
		plain := l.Draw(whole, ASCII())
		for y, row := range l.Draw(whole, Unicode()) {
			for x, c := range row {
				p := plain[y][x]
				if p.Rune > '~' || (p.Rune == ' ') != (c.Rune == ' ') || p.Node != c.Node || p.Line != c.Line || p.Cross != c.Cross {
					t.Fatalf("at %d,%d stands %q, and in ASCII %q", x, y, c.Rune, p.Rune)
				}
			}
		}
	})
}
