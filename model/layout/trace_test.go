package layout

import (
	"fmt"
	"slices"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// directions of a reader that follows a line, and what a rune joins.
var joins = map[rune]uint8{
	'│': 3, '─': 12, '╯': 5, '╮': 6, '╰': 9, '╭': 10, '┤': 7, '├': 11, '┴': 13, '┬': 14, '╋': 15, '┼': 15,
	'╴': 4, '╶': 8, '╵': 1, '╷': 2, '↺': 12, '⇄': 12,
}

// reader follows lines in lines of text, as a person would: it knows the runes, and where labels stand.
type reader struct {
	rows  [][]rune // by cell; 0 for the second cell of a wide rune
	label map[[2]int]int
	at    []Place
}

// spread is lines of text as cells.
func spread(lines []string) [][]rune {
	var out [][]rune
	for _, s := range lines {
		var row []rune
		for _, c := range s {
			row = append(row, c)
			for range ansi.StringWidth(string(c)) - 1 {
				row = append(row, 0)
			}
		}
		out = append(out, row)
	}
	return out
}

func (r *reader) rune(x, y int) rune {
	if y < 0 || y >= len(r.rows) || x < 0 || x >= len(r.rows[y]) {
		return ' '
	}
	return r.rows[y][x]
}

// trace is the edges that can be read, sorted.
func trace(lines []string, places []Place) ([]Edge, error) {
	r := &reader{rows: spread(lines), at: places, label: map[[2]int]int{}}
	for v, p := range places {
		for x := range p.W {
			r.label[[2]int{p.X + x, p.Y}] = v
		}
	}
	found := map[Edge]bool{}
	for v, p := range places {
		if err := r.follow(v, p.X+p.W, p.Y, found); err != nil {
			return nil, err
		}
	}
	var out []Edge
	for e := range found {
		out = append(out, e)
	}
	sortEdges(out)
	return out, nil
}

func sortEdges(e []Edge) {
	slices.SortFunc(e, func(a, b Edge) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return a.To - b.To
	})
}

type step struct {
	x, y int
	dir  uint8 // of the move that led here
	sign rune  // of the last sign on the way: 0, ↺ or ⇄
}

// follow walks every branch of the line that begins behind a label. It never goes back to the left.
func (r *reader) follow(v, x, y int, found map[Edge]bool) error {
	opposite := map[uint8]uint8{1: 2, 2: 1, 4: 8, 8: 4}
	queue, been := []step{{x, y, 8, 0}}, map[step]bool{}
	if joins[r.rune(x, y)]&4 == 0 {
		return nil
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if been[s] {
			continue
		}
		been[s] = true
		c := r.rune(s.x, s.y)
		if c == '▸' || c == '◂' {
			w, ok := r.label[[2]int{s.x + 1, s.y}]
			if !ok {
				return fmt.Errorf("the arrow at %d,%d points at no label", s.x, s.y)
			}
			if s.sign != '↺' {
				found[Edge{v, w}] = true
			}
			if s.sign != 0 {
				found[Edge{w, v}] = true
			}
			continue
		}
		arms := joins[c]
		if arms&opposite[s.dir] == 0 {
			return fmt.Errorf("the line of %d ends at %d,%d in %q", v, s.x, s.y, c)
		}
		if _, ok := r.label[[2]int{s.x, s.y}]; ok {
			return fmt.Errorf("the line of %d runs into a label at %d,%d", v, s.x, s.y)
		}
		if c == '↺' || c == '⇄' {
			s.sign = c
		}
		out := arms &^ opposite[s.dir] &^ 4
		if c == '┼' {
			out = s.dir
		}
		if out == 0 && arms&4 != 0 && s.dir != 8 {
			continue // where another line comes from that ends at the same arrow
		}
		if out == 0 {
			return fmt.Errorf("the line of %d leads nowhere at %d,%d in %q", v, s.x, s.y, c)
		}
		for _, d := range []uint8{1, 2, 8} {
			if out&d == 0 {
				continue
			}
			n := step{s.x, s.y, d, s.sign}
			switch d {
			case 1:
				n.y--
			case 2:
				n.y++
			case 8:
				n.x++
			}
			queue = append(queue, n)
		}
	}
	return nil
}

// readable is what a drawing must let a reader see: the edges that are drawn, each once.
func readable(g Graph, l *Layout) []Edge {
	var out []Edge
	for e, x := range g.Edges {
		if s := l.State(e); s == Drawn || s == Turned {
			out = append(out, x)
		}
	}
	sortEdges(out)
	return slices.Compact(out)
}

// verify draws a graph, reads the characters, and compares.
func verify(t interface {
	Helper()
	Fatalf(string, ...any)
}, name string, g Graph, l *Layout, label func(int) string,
) {
	t.Helper()
	lines := l.Text(label, Unicode())
	places := make([]Place, len(g.Nodes))
	for v := range places {
		places[v] = l.Place(v)
	}
	cells := spread(lines)
	for v, p := range places {
		if p.X < 0 || p.Y < 0 || p.X+p.W > l.Width || p.Y >= l.Height {
			t.Fatalf("%s: label %d at %+v is not inside %d×%d", name, v, p, l.Width, l.Height)
		}
		if want := spread([]string{label(v)})[0]; !slices.Equal(cells[p.Y][p.X:min(p.X+p.W, len(cells[p.Y]))], want) {
			t.Fatalf("%s: label %d is not at %+v\n%s", name, v, p, picture(lines))
		}
	}
	got, err := trace(lines, places)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, picture(lines))
	}
	if want := readable(g, l); !slices.Equal(got, want) {
		t.Fatalf("%s: reads as\n%v, and is\n%v\n%s", name, got, want, picture(lines))
	}
}

func picture(lines []string) string {
	out := ""
	for _, s := range lines {
		out += s + "\n"
	}
	return out
}

func TestReaderKnowsEveryRune(t *testing.T) {
	for i, c := range Unicode().Lines {
		if i > 0 && joins[c] != uint8(i) {
			t.Errorf("%q joins %b, the reader thinks %b", c, i, joins[c])
		}
	}
}
