package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"vespe/internal/uitest"
	"vespe/internal/viewtest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui/depmap"
	"vespe/ui/style"
)

// A terminal of 80×24 shows the map of a task and its neighbors as a whole, for 99 of 100 tasks: in the
// pane that the map has there, with its frame, the detail below it, header and footer. The graphs are
// those of the North collection where VESPE_DATA says where it lies.
func TestATaskAndItsNeighborsFitTheMapOfASmallTerminal(t *testing.T) {
	w, h := mapPane(t, 80, 24)
	fresh, nearer, all := 0, 0, 0
	for _, seeds := range projects(t) {
		snap := viewtest.Snapshot(seeds)
		whole := func(m *depmap.Map, i int, widen int) int {
			m.View(w, h)
			m.Show(snap, viewtest.UID(i))
			m.Widen(widen)
			m.View(w, h)
			if m.Whole() {
				return 1
			}
			return 0
		}
		one, two := smallMap(), smallMap()
		one.Widen(-1)
		for i := 0; i < len(seeds); i += 1 + len(seeds)/500 {
			all++
			fresh += whole(one, i, 0)
			nearer += whole(two, i, -1)
			two.Widen(1)
		}
	}
	t.Logf("%d×%d cells: %d of %d fit (%.2f %%), and %d after two edges were shown (%.2f %%)", w, h, fresh, all,
		100*float64(fresh)/float64(all), nearer, 100*float64(nearer)/float64(all))
	if 100*fresh < 99*all || 100*nearer < 99*all {
		t.Errorf("in %d×%d cells %d of %d maps fit, and %d after two edges were shown", w, h, fresh, all, nearer)
	}
}

func smallMap() *depmap.Map {
	return depmap.New(viewtest.Styles(style.Options{Dark: true, NoColor: true}))
}

// mapPane is the size of what the map draws in a terminal.
func mapPane(t *testing.T, cols, rows int) (w, h int) {
	t.Helper()
	s := chainOf("alpha", "beta", "gamma")
	uitest.Run(t, uitest.Options{Store: s, W: cols, H: rows}, func(d *uitest.Driver) {
		goTo(d, "beta")
		d.Press(keymap.ViewMap).See("around beta", "overview")
		w = utf8.RuneCountInString(d.Line(1)) - 2
		for y := 2; !strings.HasPrefix(d.Line(y), "╰"); y++ {
			h++
		}
	})
	return w, h
}

// projects are graphs of tasks that depend on each other.
func projects(t *testing.T) (out [][]viewtest.Seed) {
	t.Helper()
	dir := os.Getenv("VESPE_DATA")
	if dir == "" {
		return [][]viewtest.Seed{viewtest.Large(200, 1), viewtest.Large(1000, 2), viewtest.Large(5000, 3)}
	}
	b, err := os.ReadFile(filepath.Join(dir, "north-dags.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] == "#" {
			continue
		}
		n := 0
		if _, err := fmt.Sscan(f[1], &n); err != nil {
			t.Fatalf("%s: %v", f[0], err)
		}
		seeds := make([]viewtest.Seed, n)
		for i := range seeds {
			seeds[i] = viewtest.Seed{Name: fmt.Sprintf("Task %d of the project", i), Parent: -1, Status: model.StatusReady}
		}
		for _, x := range f[3:] {
			from, to := 0, 0
			if _, err := fmt.Sscanf(x, "%d>%d", &from, &to); err != nil {
				t.Fatalf("%s: %q: %v", f[0], x, err)
			}
			seeds[to].Deps = append(seeds[to].Deps, from)
		}
		out = append(out, seeds)
	}
	return out
}

// An edge that a path of others says is not drawn, and that is said.
func TestTheMapSaysWhatIsImplied(t *testing.T) {
	s := uitest.NewStore()
	first := s.Task("first", "")
	second := s.Task("second", "", first)
	s.Task("last", "", first, second)
	uitest.Run(t, uitest.Options{Store: s, W: 120, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewMap).See("3 tasks · 1 implied edge hidden")
	})
}
