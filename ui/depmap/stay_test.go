package depmap

import (
	"math/rand/v2"
	"testing"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/taskmap"
)

// Nothing that stays changes its column or its order, and the node under the cursor stays on
// its cell as long as the window can.
func TestSnapshotsMoveNothing(t *testing.T) {
	seeds := viewtest.Large(400, 5)
	m := around(seeds, 200, 90, 20)
	m.Widen(1)
	m.View(90, 20)
	m.Follow(true)
	m.View(90, 20)
	lay := m.lay
	seeds[200].Status = model.StatusReady
	m.SetSnapshot(viewtest.Snapshot(seeds))
	if m.lay != lay {
		t.Error("the layout was made anew although no edge changed")
	}
	uid, _ := m.Selected()
	before := orders(m)
	p := m.lay.Place(m.cur)
	x, y := p.X-m.x, p.Y-m.y
	seeds = append(seeds, viewtest.Seed{Name: "new", Parent: -1, Deps: []int{200}}, viewtest.Seed{Name: "newer", Parent: -1, Deps: []int{400, 200}})
	m.SetSnapshot(viewtest.Snapshot(seeds))
	m.View(90, 20)
	if got, _ := m.Selected(); got != uid {
		t.Errorf("the cursor went from %q to %q", uid, got)
	}
	if _, ok := m.at[taskmap.KeyOf(viewtest.UID(401))]; !ok {
		t.Error("the new task is not there")
	}
	if kept(t, before, orders(m)) == 0 {
		t.Error("nothing was compared")
	}
	if p = m.lay.Place(m.cur); p.X-m.x != x || p.Y-m.y != y {
		t.Errorf("it went from %d,%d to %d,%d on the screen", x, y, p.X-m.x, p.Y-m.y)
	}
}

// orders are the keys of each column.
func orders(m *Map) (out [][]string) {
	for col := range m.lay.Columns {
		var keys []string
		for _, k := range m.lay.Column(col) {
			keys = append(keys, m.shown.Nodes[k].Key)
		}
		out = append(out, keys)
	}
	return out
}

// kept checks that two nodes of one column that are in one again have their order, and counts them.
func kept(t interface{ Fatalf(string, ...any) }, before, after [][]string) (pairs int) {
	at := map[string][2]int{}
	for c, keys := range after {
		for r, k := range keys {
			at[k] = [2]int{c, r}
		}
	}
	for _, keys := range before {
		for a := range keys {
			for b := a + 1; b < len(keys); b++ {
				p, ok := at[keys[a]]
				q, also := at[keys[b]]
				if !ok || !also || p[0] != q[0] {
					continue
				}
				if pairs++; p[1] > q[1] {
					t.Fatalf("%s and %s changed their order", keys[a], keys[b])
				}
			}
		}
	}
	return pairs
}

// busy is a map that is much larger than its window.
func busy(w, h int) *Map {
	seeds := viewtest.Large(600, 8)
	degree := make([]int, len(seeds))
	root := 0
	for k, s := range seeds {
		for _, d := range s.Deps {
			degree[k]++
			degree[d]++
		}
	}
	for k := range degree {
		if degree[k] > degree[root] {
			root = k
		}
	}
	m := around(seeds, root, w, h)
	for range 4 {
		m.Widen(1)
	}
	m.View(w, h)
	return m
}

// The window moves only when the cursor would leave it.
func TestTheWindowFollowsOnlyWhatLeavesIt(t *testing.T) {
	m := busy(60, 14)
	m.View(60, 14)
	rng := rand.New(rand.NewPCG(1, 2))
	stayed, moved := 0, 0
	for range 300 {
		x, y := m.x, m.y
		switch rng.IntN(4) {
		case 0:
			m.Follow(true)
		case 1:
			m.Follow(false)
		default:
			m.Move(rng.IntN(3) - 1)
		}
		p := m.lay.Place(m.cur)
		w, h := m.room()
		in := max(0, p.X-offX) >= x && min(m.lay.Width, p.X+p.W+offX) <= x+w &&
			max(0, p.Y-offY) >= y && min(m.lay.Height, p.Y+1+offY) <= y+h
		switch {
		case in && (m.x != x || m.y != y):
			t.Fatalf("it moved from %d,%d to %d,%d for a node that was in it", x, y, m.x, m.y)
		case in:
			stayed++
		default:
			moved++
		}
		if p.W <= w && (p.X < m.x || p.X+p.W > m.x+w) || p.Y < m.y || p.Y >= m.y+h {
			t.Fatalf("the node at %v is not in the window at %d,%d of %d,%d", p, m.x, m.y, w, h)
		}
	}
	if stayed < 20 || moved < 20 {
		t.Errorf("only %d steps in the window, %d beyond", stayed, moved)
	}
}
