package depmap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/layout"
	"vespe/model/snapshot"
	"vespe/model/taskmap"
	"vespe/ui/text"
)

// around is a map of some tasks around one of them.
func around(seeds []viewtest.Seed, root, w, h int) *Map {
	m := New(viewtest.Plain())
	m.Show(viewtest.Snapshot(seeds), viewtest.UID(root))
	m.View(w, h)
	return m
}

func selected(t *testing.T, m *Map, want int) {
	t.Helper()
	if uid, ok := m.Selected(); !ok || uid != viewtest.UID(want) {
		t.Errorf("the cursor is on %q, want %q\n%s", uid, viewtest.UID(want), viewtest.Text(m, m.w, m.h))
	}
}

func TestGolden(t *testing.T) {
	for _, look := range viewtest.Looks() {
		for _, c := range []struct {
			name  string
			seeds []viewtest.Seed
			root  int
			w, h  int
		}{
			{"project-narrow", viewtest.Project(), 3, 44, 16},
			{"project-wide", viewtest.Project(), 3, 110, 30},
			{"cycle", viewtest.Project(), 19, 78, 12},
			{"large-narrow", viewtest.Large(300, 4), 150, 44, 20},
			{"large-wide", viewtest.Large(300, 4), 150, 150, 40},
		} {
			m := New(viewtest.Styles(look.Opt))
			m.Show(viewtest.Snapshot(c.seeds), viewtest.UID(c.root))
			m.View(c.w, c.h)
			viewtest.Golden(t, c.name+"-"+look.Name, m.View(c.w, c.h), c.w, c.h)
		}
	}
}

func TestWalkingAlongLines(t *testing.T) {
	m := around(viewtest.Project(), 3, 110, 30)
	if !m.Follow(true) {
		t.Fatal("no dependency")
	}
	selected(t, m, 2)
	m.Follow(false)
	selected(t, m, 3) // where it came from
	m.Follow(false)
	was, _ := m.Selected()
	m.Move(1)
	m.Move(-2)
	m.Move(1)
	now, _ := m.Selected()
	if now == was {
		m.Move(-1)
		now, _ = m.Selected()
	}
	if now == was {
		t.Fatal("j and k stay in place")
	}
	m.Follow(true)
	selected(t, m, 3)
	m.Follow(false) // the last branch is that to the other one, which was left by a line
	if uid, _ := m.Selected(); uid != now {
		t.Errorf("it went to %q, not back to %q", uid, now)
	}
	m.Jump(viewtest.UID(14))
	if m.Follow(true) || m.Follow(false) {
		t.Error("a task without edges leads somewhere")
	}
}

// The way back brings the earlier neighborhood, its cursor and its place.
func TestEnterAndBack(t *testing.T) {
	m := around(viewtest.Large(300, 4), 150, 70, 14)
	m.Widen(2)
	m.Follow(true)
	m.View(70, 14)
	frame, at := viewtest.Text(m, 70, 14), m.ask
	uid, _ := m.Selected()
	if !m.Enter() || m.Root() != uid {
		t.Fatalf("enter did not make the map around %q", uid)
	}
	if m.Enter() {
		t.Error("on its root enter does nothing here: it opens the task")
	}
	m.Widen(-3)
	m.SetMode(Downstream, uid)
	m.View(70, 14)
	for m.CanBack() {
		m.Back()
	}
	if got := viewtest.Text(m, 70, 14); got != frame || m.ask.root != at.root || m.ask.radius != at.radius {
		t.Errorf("back shows\n%s\nwant\n%s", got, frame)
	}
	if m.Back() {
		t.Error("there is nothing before the first map")
	}
}

func TestModes(t *testing.T) {
	m := around(viewtest.Project(), 16, 120, 30)
	names := func() (out []string) {
		for k := range m.shown.Nodes {
			out = append(out, m.name(&m.shown.Nodes[k]))
		}
		slices.Sort(out)
		return out
	}
	say := func(what string, want ...string) {
		t.Helper()
		want = slices.Sorted(slices.Values(want))
		if got := names(); !slices.Equal(got, want) {
			t.Errorf("%s shows %q, want %q", what, got, want)
		}
	}
	up := []string{
		"Release 1.0", "Match payments to invoices", "Send by e-mail", "Embed fonts", "Continuous integration",
		"Parse CAMT.053 files", "Templates in German and 日本語", "Choose a PDF library",
	}
	m.SetMode(Upstream, viewtest.UID(16))
	say("upstream", up...)
	if !strings.Contains(viewtest.Text(m, 120, 30), "what Release 1.0 needs") {
		t.Error(viewtest.Text(m, 120, 30))
	}
	m.Widen(-1)
	say("upstream by one", up[:5]...)
	if m.Widen(-1) {
		t.Error("there is a radius of none")
	}
	for range farthest {
		m.Widen(1)
	}
	if m.Radius() != 0 || !m.Widen(1) || m.Radius() != 1 {
		t.Errorf("behind everything comes %d", m.Radius())
	}
	for range farthest {
		m.Widen(1)
	}
	m.Widen(-1)
	if m.Radius() != farthest {
		t.Errorf("and less than that %d", m.Radius())
	}
	m.SetMode(Downstream, viewtest.UID(2))
	say("downstream", "Parse CAMT.053 files", "Match payments to invoices", "Show unmatched payments to a person", "Dunning letters", "Release 1.0")
	m.SetMode(Blocked, viewtest.UID(4))
	say("what blocks", "Show unmatched payments to a person", "Match payments to invoices")
	m.SetMode(Critical, viewtest.UID(17))
	if n := m.Len(); n == 0 || !strings.Contains(viewtest.Text(m, 120, 30), "the critical path") {
		t.Errorf("%d tasks on the critical path", n)
	}
	uid, _ := m.Selected()
	if m.Enter(); m.Mode() != Around || m.Root() != uid {
		t.Error("from the critical path, enter goes to what is around the task")
	}
}

func TestHidingDone(t *testing.T) {
	m := around(viewtest.Project(), 3, 110, 30)
	if !m.ToggleDone() {
		t.Fatal("not hidden")
	}
	if got := viewtest.Text(m, 110, 30); strings.Contains(got, "Parse CAMT") || !strings.Contains(got, "1 done, hidden") {
		t.Errorf("what is done is hidden, and that is said:\n%s", got)
	}
	selected(t, m, 3)
	m.ToggleDone()
	if got := viewtest.Text(m, 110, 30); !strings.Contains(got, "Parse CAMT") {
		t.Error(got)
	}
}

// hub is a task with n dependents.
func hub(n int) []viewtest.Seed {
	seeds := []viewtest.Seed{{Name: "hub", Parent: -1}}
	for k := range n {
		seeds = append(seeds, viewtest.Seed{Name: fmt.Sprintf("leaf %d", k+1), Parent: -1, Deps: []int{0}})
	}
	return seeds
}

func TestFoldedSiblingsComeOut(t *testing.T) {
	m := around(hub(40), 0, 80, 20)
	if got := viewtest.Text(m, 80, 20); !strings.Contains(got, "+32") || m.Len() != 10 {
		t.Fatalf("%d nodes\n%s", m.Len(), got)
	}
	m.Follow(false)
	m.End()
	if n := m.node(); n.Kind != taskmap.Fold {
		m.Home()
	}
	for range m.Len() { // the fold is somewhere in the column
		if m.node().Kind == taskmap.Fold {
			break
		}
		m.Move(1)
	}
	if uid, ok := m.Selected(); ok {
		t.Fatalf("the fold is the task %q", uid)
	}
	if got := viewtest.Text(m, 80, 20); !strings.Contains(got, "32 more tasks that need hub") {
		t.Error(got)
	}
	m.Follow(true)
	selected(t, m, 0) // a line leads back from what is no task
	m.Follow(false)
	if !m.Enter() || m.Len() != 10+stepMore {
		t.Errorf("%d nodes after the fold was opened", m.Len())
	}
	m.Enter()
	if m.Len() != 41 {
		t.Errorf("%d nodes after it was reopened", m.Len())
	}
	if _, ok := m.Selected(); !ok {
		t.Error("the cursor is on nothing")
	}
}

func TestSignsAtTheBorders(t *testing.T) {
	m := busy(60, 14)
	if len(m.placed) == 0 {
		t.Fatalf("it all fits:\n%s", viewtest.Text(m, 60, 14))
	}
	w, h := m.room()
	b := m.lay.Beyond(layout.Rect{X: m.x, Y: m.y, W: w, H: h})
	for _, s := range m.placed {
		n := map[[2]int]layout.Count{{-1, 0}: b.Left, {1, 0}: b.Right, {0, -1}: b.Above, {0, 1}: b.Below}[[2]int{s.dx, s.dy}]
		want := fmt.Sprint(n.Edges)
		if n.Edges == 0 {
			want = text.Plural(n.Nodes, "task")
		}
		if !strings.HasSuffix(s.text, want) {
			t.Errorf("%+v for %+v", s, n)
		}
		line := ansi.Strip(m.lines[s.y])
		if !strings.Contains(line, s.text) {
			t.Errorf("%q is not in %q", s.text, line)
		}
	}
	s := m.placed[0]
	x, y := m.x, m.y
	if hit := m.Click(s.x, s.y); hit != HitBorder || m.x == x && m.y == y {
		t.Errorf("a click on %+v did %v", s, hit)
	}
	if (m.x-x)*s.dx < 0 || (m.y-y)*s.dy < 0 {
		t.Error("it went the other way")
	}
}

// Each sign of a cycle that is drawn is explained, and no other.
func TestTheSignsOfCyclesAreExplained(t *testing.T) {
	seeds := []viewtest.Seed{{Name: "one", Parent: -1, Deps: []int{1}}, {Name: "two", Parent: -1, Deps: []int{0}}}
	for _, c := range []struct{ in, out string }{{"⇄ each needs the other", "↺ cycle"}, {"↺ cycle", "⇄"}} {
		shown := viewtest.Text(around(seeds, 0, 78, 12), 78, 12)
		sign, _, _ := strings.Cut(c.in, " ")
		if strings.Count(shown, sign) != 2 || !strings.Contains(shown, c.in) || strings.Contains(shown, c.out) {
			t.Errorf("it is to say %q and not %q:\n%s", c.in, c.out, shown)
		}
		seeds[1].Deps = []int{2}
		seeds = append(seeds, viewtest.Seed{Name: "three", Parent: -1, Deps: []int{0}})
	}
}

func TestClicks(t *testing.T) {
	m := around(viewtest.Project(), 3, 110, 30)
	k := m.at[taskmap.KeyOf(viewtest.UID(16))]
	p := m.lay.Place(k)
	if hit := m.Click(p.X-m.x+2, p.Y-m.y+1); hit != HitNode {
		t.Errorf("a click on a label is %v", hit)
	}
	selected(t, m, 16)
	if hit := m.Click(0, 0); hit != HitNothing {
		t.Errorf("a click on the head is %v", hit)
	}
	if m.Click(500, 500) != HitNothing || m.Click(1, 4) != HitNothing {
		t.Error("a click on nothing does something")
	}
}

func TestSearch(t *testing.T) {
	m := around(viewtest.Project(), 3, 110, 30)
	if n := m.SearchType("payments"); n != 2 {
		t.Errorf("%d matches, want 2", n)
	}
	m.SearchAccept()
	a, _ := m.Selected()
	m.SearchNext(1)
	if b, _ := m.Selected(); a == b {
		t.Error("the next match is the same")
	}
	if q, at, total := m.Searching(); q != "payments" || at == 0 || total != 2 {
		t.Errorf("Searching = %q, %d of %d", q, at, total)
	}
	m.SearchClear()
	m.Jump(viewtest.UID(2))
	m.SearchStart()
	m.SearchType("release")
	selected(t, m, 16)
	m.SearchCancel()
	selected(t, m, 2)
}

func TestEmptyPlacesSaySo(t *testing.T) {
	m := New(viewtest.Plain())
	if got := strings.TrimSpace(viewtest.Text(m, 40, 5)); got != "" {
		t.Errorf("before the first snapshot it says %q", got)
	}
	m.Move(1)
	m.Follow(true)
	m.Enter()
	m.Widen(1)
	m.Unfold()
	m.SearchType("x")
	m.SearchNext(1)
	m.Click(1, 1)
	m.ToggleDone()
	m.ToggleDone()
	m.SetSnapshot(viewtest.Snapshot(nil))
	m.SetEmpty("No tasks yet.", "n creates one.")
	if got := viewtest.Text(m, 40, 9); !strings.Contains(got, "n creates one.") {
		t.Errorf("an empty store shows\n%s", got)
	}
	m.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
	full := m.Len()
	m.SetFilter(func(*snapshot.Snapshot, int) bool { return false })
	if got := viewtest.Text(m, 120, 9); m.Len() != full || !strings.Contains(got, "dimmed by the filter") {
		t.Errorf("a filter leaves %d of %d tasks:\n%s", m.Len(), full, got)
	}
}

// A task that goes leaves the cursor on what is near, and a root that goes the map around that.
func TestWhatIsGoneIsLeft(t *testing.T) {
	seeds := viewtest.Project()
	m := around(seeds, 16, 110, 30)
	m.Follow(true)
	near, _ := m.Selected()
	var tasks []*model.Task
	for k, s := range seeds {
		if k != 16 {
			tasks = append(tasks, s.Task(k))
		}
	}
	m.SetSnapshot(snapshot.New(snapshot.Input{Tasks: tasks}))
	if uid, _ := m.Selected(); uid != near || m.Root() != near {
		t.Errorf("the cursor is on %q, the map around %q; it was on %q", uid, m.Root(), near)
	}
}

func TestFramesAreExact(t *testing.T) {
	hostile := []viewtest.Seed{
		{Name: "👩‍👩‍👧‍👦 ⚠️ हिन्दी", Parent: -1},
		{Name: "", Parent: -1, Deps: []int{0}},
		{Name: strings.Repeat("界", 60), Parent: 0, Deps: []int{0, 1}},
		{Name: "a\tb\x1b[2J", Parent: 0, Deps: []int{0, 4}},
		{Name: "cycle", Parent: -1, Deps: []int{3, 2}},
	}
	snaps := []*snapshot.Snapshot{
		viewtest.Snapshot(viewtest.Project()), viewtest.Snapshot(viewtest.Large(150, 3)), viewtest.Snapshot(hub(60)),
		viewtest.Snapshot(nil), viewtest.Snapshot(hostile),
	}
	rapid.Check(t, func(t *rapid.T) {
		look := rapid.SampledFrom(viewtest.Looks()).Draw(t, "look")
		m := New(viewtest.Styles(look.Opt))
		var keep func()
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			act(t, m, snaps, &keep)
			w, h := rapid.IntRange(1, 210).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")
			if err := viewtest.Check(m.View(w, h), w, h); err != nil {
				t.Fatal(err)
			}
			again := slices.Clone(m.lines)
			m.Dirty = true
			if !slices.Equal(again, m.View(w, h)) {
				t.Fatal("the frame is not a function of the state")
			}
			if _, ok := m.Selected(); m.Len() > 0 && !ok && m.node().Kind == taskmap.Task {
				t.Fatal("the cursor is on no node")
			}
		}
	})
}
