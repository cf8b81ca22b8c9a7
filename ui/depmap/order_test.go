package depmap

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model/snapshot"
)

func act(t *rapid.T, m *Map, snaps []*snapshot.Snapshot, keep *func()) {
	d := rapid.IntRange(-9, 9).Draw(t, "d")
	uid := viewtest.UID(rapid.IntRange(0, 150).Draw(t, "uid"))
	text := rapid.SampledFrom([]string{"", "a", "part 1", "界", "zzz", "E"}).Draw(t, "text")
	actions := []func(){
		func() { m.SetSnapshot(snaps[rapid.IntRange(0, len(snaps)-1).Draw(t, "snap")]) },
		func() { m.Move(d) }, func() { m.Page(d) }, func() { m.HalfPage(d) }, m.Home, m.End,
		func() { m.Jump(uid) }, func() { m.Show(snaps[rapid.IntRange(0, len(snaps)-1).Draw(t, "snap")], uid) }, func() { m.Follow(d > 0) }, func() { m.Enter() }, func() { m.Back() },
		func() { m.Wheel(d) }, func() { m.WheelSideways(d) },
		func() { m.Click(10*max(0, d), max(0, d)) }, func() { m.SetFocused(d > 0) },
		func() { m.ToggleDone() }, func() { m.Widen(d) },
		func() { m.SetMode(Mode(max(0, d)%int(Critical+1)), m.Root()) }, func() { m.Unfold() },
		m.SearchStart, func() { m.SearchType(text) }, m.SearchAccept, m.SearchCancel, func() { m.SearchNext(d) }, m.SearchClear,
		func() { m.Searching() }, func() { m.SetFilter(nil) }, func() { m.InView() }, func() { m.Scroll() },
		func() {
			m.SetFilter(func(s *snapshot.Snapshot, i int) bool { return strings.Contains(s.At(i).Config.Name, text) })
		},
		func() { *keep = m.Keep() }, func() {
			if *keep != nil {
				(*keep)()
			}
		},
	}
	actions[rapid.IntRange(0, len(actions)-1).Draw(t, "action")]()
}

// Whatever others do to the store, and whatever is let out, hidden or farther away, what
// stays shown keeps its order.
func TestTheOrderSurvives(t *testing.T) {
	compared := 0
	rapid.Check(t, func(rt *rapid.T) {
		w := viewtest.NewWorld(rt)
		for range 60 { // it begins without dependencies
			w.Change(rt)
		}
		s := w.Snapshot()
		if s.Len() == 0 {
			return
		}
		root := 0
		for i := range s.Len() {
			if len(s.DependsOn(i))+len(s.Dependents(i)) > len(s.DependsOn(root))+len(s.Dependents(root)) {
				root = i
			}
		}
		m := New(viewtest.Plain())
		m.ask.radius = 0
		m.Show(s, s.UID(root))
		m.View(80, 20)
		for range 6 {
			if m.Len() == 0 {
				return
			}
			before, root := orders(m), m.Root()
			switch rapid.IntRange(0, 5).Draw(rt, "what") {
			case 0:
				m.Widen(rapid.SampledFrom([]int{-1, 1}).Draw(rt, "by"))
			case 1:
				m.Move(rapid.IntRange(-3, 3).Draw(rt, "row"))
				m.Unfold()
			case 2:
				m.ToggleDone()
			default:
				w.Change(rt)
				m.SetSnapshot(w.Snapshot())
			}
			m.View(80, 20)
			if m.Len() == 0 || m.Root() != root {
				return
			}
			compared += kept(rt, before, orders(m))
		}
	})
	if compared < 5 {
		t.Errorf("only %d pairs were compared", compared)
	}
}

// The map around one task with what is one edge away fits on a small screen, for nearly every
// task: here with the folds that it has, and names as short as they get.
func TestWhatIsNextToATaskFitsTheScreen(t *testing.T) {
	for _, n := range []int{200, 1000, 10_000} {
		m := New(viewtest.Plain())
		m.SetSnapshot(viewtest.Snapshot(viewtest.Large(n, 7)))
		m.View(78, 20) // in its frame, with the head and the foot of the screen: 80×24
		m.ask.radius = 1
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		const sample = 300
		fit := 0
		for range sample {
			m.Show(m.snap, viewtest.UID(rng.IntN(n)))
			m.View(78, 20)
			if w, h := m.room(); m.lay.Width <= w && m.lay.Height <= h {
				fit++
			}
		}
		if fit*100 < sample*99 {
			t.Errorf("of %d tasks %d of %d fit", n, fit, sample)
		}
	}
}
