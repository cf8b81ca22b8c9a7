package rail

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

type edge struct{ from, to int32 } // nodes

func build(n int, edges []edge) *graph {
	g := &graph{n: n, start: make([]int32, n+1)}
	edges = slices.Clone(edges)
	slices.SortFunc(edges, func(a, b edge) int {
		if a.from != b.from {
			return int(a.from - b.from)
		}
		return int(a.to - b.to)
	})
	edges = slices.Compact(edges)
	for _, e := range edges {
		g.to = append(g.to, e.to)
		g.start[e.from+1]++
	}
	for v := range n {
		g.start[v+1] += g.start[v]
	}
	return g
}

func identity(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// picture draws every row with the given glyphs and no color.
func picture(l *lanes, g glyphs) []string {
	var rows []string
	cols := l.empty()
	var cells []cell
	for r := range int32(l.len()) {
		cells = l.cells(cells, cols, r, light{row: -1})
		var b strings.Builder
		for _, c := range cells {
			if c.arms&node != 0 {
				b.WriteString("●")
			} else {
				b.WriteString(g.of(c.arms))
			}
		}
		rows = append(rows, b.String())
	}
	return rows
}

// meaning is what a character says: where its line continues, and whether lines meet.
type meaning struct {
	arms arms
	join bool
}

func readUnicode(r rune) meaning {
	switch r {
	case '│':
		return meaning{up | down, false}
	case '─':
		return meaning{left | right, false}
	case '┼':
		return meaning{up | down | left | right, false}
	case '╮':
		return meaning{down | left, true}
	case '╭':
		return meaning{down | right, true}
	case '┬':
		return meaning{down | left | right, true}
	case '┤':
		return meaning{up | down | left, true}
	case '├':
		return meaning{up | down | right, true}
	case '╋':
		return meaning{up | down | left | right, true}
	}
	return meaning{}
}

// trace reads the edges back from the characters alone: from every node down and to both
// sides, and from every join down to the next node.
func trace(rows []string) (edges []edge, err error) {
	grid := make([][]rune, len(rows))
	for y, r := range rows {
		grid[y] = []rune(r)
	}
	at := func(y, x int) rune {
		if y < 0 || y >= len(grid) || x < 0 || x >= len(grid[y]) {
			return ' '
		}
		return grid[y][x]
	}
	downTo := func(y, x int) (int32, error) {
		for y++; ; y++ {
			c := at(y, x)
			if c == '●' {
				return int32(y), nil
			}
			if readUnicode(c).arms&(up|down) != up|down {
				return 0, fmt.Errorf("the line down column %d breaks at row %d (%q)", x, y, c)
			}
		}
	}
	for y := range grid {
		x := slices.Index(grid[y], '●')
		if x < 0 || slices.Index(grid[y][x+1:], '●') >= 0 {
			return nil, fmt.Errorf("row %d does not have one node: %q", y, rows[y])
		}
		if below := at(y+1, x); readUnicode(below).arms&up != 0 || below == '●' {
			t, err := downTo(y, x)
			if err != nil {
				return nil, err
			}
			edges = append(edges, edge{int32(y), t})
		}
		for _, d := range []int{-1, 1} {
			back, ahead := left, right
			if d < 0 {
				back, ahead = right, left
			}
			for q := x + d; readUnicode(at(y, q)).arms&back != 0; q += d {
				m := readUnicode(at(y, q))
				if m.join {
					t, err := downTo(y, q)
					if err != nil {
						return nil, err
					}
					edges = append(edges, edge{int32(y), t})
				}
				if m.arms&ahead == 0 {
					break
				}
			}
		}
	}
	return edges, nil
}

// verify traces the picture of g and compares it with the edges; it returns how many of
// them are drawn.
func verify(t interface{ Fatalf(string, ...any) }, name string, g *graph, laneCap int) (drawn, total int) {
	l := newLanes(g, identity(g.n), g.n, laneCap)
	if l.cols > laneCap+spare {
		t.Fatalf("%s: %d columns with a cap of %d", name, l.cols, laneCap)
	}
	rows := picture(l, unicodeGlyphs())
	got, err := trace(rows)
	if err != nil {
		t.Fatalf("%s, cap %d: %v\n%s", name, laneCap, err, strings.Join(rows, "\n"))
	}
	var want []edge
	back := 0
	for e := range int32(len(l.to)) {
		src, dst := l.from[e], l.to[e]
		if (dst <= src) != (l.via[e] == backEdge) {
			t.Fatalf("%s: edge %d>%d is flagged wrongly", name, src, dst)
		}
		if l.via[e] == backEdge {
			back++
		}
		if l.drawn(e) {
			want = append(want, edge{src, dst})
		} else if !slices.Contains(l.into(dst), e) {
			t.Fatalf("%s: edge %d>%d has no stub at its end", name, src, dst)
		}
	}
	less := func(a, b edge) int {
		if a.from != b.from {
			return int(a.from - b.from)
		}
		return int(a.to - b.to)
	}
	slices.SortFunc(got, less)
	slices.SortFunc(want, less)
	if !slices.Equal(got, want) {
		t.Fatalf("%s, cap %d: traced %v\nwant %v\n%s", name, laneCap, got, want, strings.Join(rows, "\n"))
	}
	// The edges of the rows are those of the graph.
	count := 0
	for v := range int32(g.n) {
		for _, w := range g.out(v) {
			first, end := l.out(l.row[v])
			if !slices.Contains(l.to[first:end], l.row[w]) {
				t.Fatalf("%s: edge %d>%d is lost", name, v, w)
			}
			count++
		}
	}
	if count != len(l.to) {
		t.Fatalf("%s: %d edges became %d", name, count, len(l.to))
	}
	if comp, n := g.components(); n == g.n && back > 0 && !selfLoop(g) {
		t.Fatalf("%s: %d back edges without a cycle (%v)", name, back, comp)
	}
	return len(want), count
}

func selfLoop(g *graph) bool {
	for v := range int32(g.n) {
		if slices.Contains(g.out(v), v) {
			return true
		}
	}
	return false
}

func TestTracingReadsTheEdgesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		cyclic := rapid.Bool().Draw(t, "cyclic")
		var edges []edge
		for range rapid.IntRange(0, 3*n).Draw(t, "m") {
			a, b := int32(rapid.IntRange(0, n-1).Draw(t, "a")), int32(rapid.IntRange(0, n-1).Draw(t, "b"))
			if !cyclic {
				if a == b {
					continue
				}
				a, b = min(a, b), max(a, b)
			}
			edges = append(edges, edge{a, b})
		}
		verify(t, "generated", build(n, edges), rapid.IntRange(1, 24).Draw(t, "cap"))
	})
}

// someGraphs are many of different sizes, a line each as the North collection writes them
// (name, nodes, crossings, edges); that collection itself when VESPE_DATA is where it lies.
func someGraphs(t *testing.T) io.Reader {
	t.Helper()
	if dir := os.Getenv("VESPE_DATA"); dir != "" {
		b, err := os.ReadFile(filepath.Join(dir, "north-dags.txt"))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.NewReader(b)
	}
	var out bytes.Buffer
	for seed := range uint64(400) {
		n := 10 + int(seed)%91
		g := synthetic(n, seed)
		fmt.Fprintf(&out, "made.%d %d 0", seed, n)
		for v := range int32(n) {
			for _, w := range g.out(v) {
				fmt.Fprintf(&out, " %d>%d", v, w)
			}
		}
		fmt.Fprintln(&out)
	}
	return &out
}

func TestTracingReadsGraphsOfAllSizesBack(t *testing.T) {
	drawn, total, graphs := 0, 0, 0
	sc := bufio.NewScanner(someGraphs(t))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := strings.Fields(sc.Text())
		if len(line) < 3 || line[0] == "#" {
			continue
		}
		n, err := strconv.Atoi(line[1])
		if err != nil {
			t.Fatalf("%s: %v", line[0], err)
		}
		var edges []edge
		for _, w := range line[3:] {
			var e edge
			if _, err := fmt.Sscanf(w, "%d>%d", &e.from, &e.to); err != nil {
				t.Fatalf("%s: %q: %v", line[0], w, err)
			}
			edges = append(edges, e)
		}
		g := build(n, edges)
		for _, c := range []int{1, 8, 24} {
			d, m := verify(t, line[0], g, c)
			if c == 8 {
				drawn, total = drawn+d, total+m
			}
		}
		graphs++
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	if graphs == 0 {
		t.Fatal("no graph was read")
	}
	t.Logf("%d graphs read back exactly; with 8 lanes %d of %d edges are drawn (%.1f %%)",
		graphs, drawn, total, 100*float64(drawn)/float64(total))
}

func TestOrderIsTopologicalAndRepeatable(t *testing.T) {
	g := synthetic(2000, 1)
	l := newLanes(g, identity(g.n), g.n, 8)
	for e := range l.to {
		if l.to[e] <= l.from[e] {
			t.Fatalf("a dependency lies below its dependent: rows %d and %d", l.from[e], l.to[e])
		}
	}
	again := newLanes(g, identity(g.n), g.n, 8)
	if !slices.Equal(picture(l, unicodeGlyphs()), picture(again, unicodeGlyphs())) {
		t.Fatal("two pictures of one graph differ")
	}
}

func TestCheckpointsAgreeWithAWalkFromTheTop(t *testing.T) {
	g := synthetic(1000, 2)
	l := newLanes(g, identity(g.n), g.n, 12)
	cols := l.empty()
	for r := range int32(l.len()) {
		if got := l.above(r); !slices.Equal(got, cols) {
			t.Fatalf("row %d: %v above it, want %v", r, got, cols)
		}
		l.advance(cols, r)
	}
}

func TestACycleLiesTogetherWithOneBackEdge(t *testing.T) {
	// 0 → 1 → 2 → 3 → 1, and 3 → 4.
	l := newLanes(build(5, []edge{{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}}), identity(5), 5, 8)
	if want := identity(5); !slices.Equal(l.task, want) {
		t.Fatalf("rows %v, want %v", l.task, want)
	}
	var back []edge
	for e := range l.to {
		if l.via[e] == backEdge {
			back = append(back, edge{l.from[e], l.to[e]})
		}
	}
	if !slices.Equal(back, []edge{{3, 1}}) {
		t.Fatalf("back edges %v, want only 3>1", back)
	}
}

// The grammar in small: a lane that starts (╮), one that starts while the line continues (┬),
// a join from the right (├), a node that continues straight down.
func TestPictureSmall(t *testing.T) {
	g := build(6, []edge{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 4}, {3, 5}, {4, 5}})
	for _, c := range []struct {
		name string
		g    glyphs
		want []string
	}{
		{"unicode", unicodeGlyphs(), []string{"●─┬─╮", "● │ │", "├─● │", "●   │", "├───●", "●    "}},
		{"ascii", asciiGlyphs(), []string{"●-+-.", "● | |", "+-● |", "●   |", "+---●", "●    "}},
	} {
		if got := picture(newLanes(g, identity(6), 6, 8), c.g); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// synthetic is a generated project: mostly local dependencies, 8 % of them far.
func synthetic(n int, seed uint64) *graph {
	rng := rand.New(rand.NewPCG(seed, 7))
	var edges []edge
	for v := 1; v < n; v++ {
		for range rng.IntN(3) {
			back := 1 + rng.IntN(min(v, 12))
			if rng.IntN(100) < 8 {
				back = 1 + rng.IntN(v)
			}
			edges = append(edges, edge{int32(v - back), int32(v)})
		}
	}
	return build(n, edges)
}

// The order of the rows and their lanes, made once for each structure: the budget is for the
// median on 100,000 tasks. The baseline is one look at every edge.
func BenchmarkLanePass(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			g := synthetic(n, 3)
			node := identity(n)
			var l *lanes
			var made, looked []time.Duration
			for b.Loop() {
				start := time.Now()
				l = newLanes(g, node, n, 12)
				made = append(made, time.Since(start))
				start = time.Now()
				sum := int32(0)
				for v := range int32(n) {
					for _, w := range g.out(v) {
						sum += w
					}
				}
				looked = append(looked, time.Since(start)+time.Duration(sum&1))
			}
			slices.Sort(made)
			slices.Sort(looked)
			if n == 100_000 {
				b.ReportMetric(float64(made[len(made)/2].Microseconds())/1000, "ms≤100")
			}
			b.ReportMetric(float64(made[len(made)/2])/float64(max(1, looked[len(looked)/2])), "×pass")
			drawn := 0
			for e := range int32(len(l.to)) {
				if l.drawn(e) {
					drawn++
				}
			}
			b.ReportMetric(100*float64(drawn)/float64(len(l.to)), "%drawn")
		})
	}
}
