package outline

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/snapshot"
)

func project(t testing.TB) *Outline {
	t.Helper()
	o := New(viewtest.Plain())
	o.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
	return o
}

// shape is the visible tree as indented names, the cursor's marked.
func shape(o *Outline) string {
	var b strings.Builder
	for r, row := range o.rows {
		b.WriteString(strings.Repeat("  ", o.depth(row)))
		switch {
		case row == storeRow:
			b.WriteString("(store)")
		case row < 0:
			b.WriteString("(problem)")
		default:
			b.WriteString(o.snap.At(int(row)).Config.Name)
		}
		if r == o.Cur {
			b.WriteString(" <")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func selected(t testing.TB, o *Outline, want int) {
	t.Helper()
	if uid, ok := o.Selected(); !ok || uid != viewtest.UID(want) {
		t.Errorf("the cursor is on %q, want %q\n%s", uid, viewtest.UID(want), shape(o))
	}
}

func TestGolden(t *testing.T) {
	snap := viewtest.Snapshot(viewtest.Project())
	for _, look := range viewtest.Looks() {
		for _, size := range []struct {
			name string
			w, h int
		}{{"narrow", 28, 16}, {"pane", 46, 24}, {"wide", 96, 32}} {
			o := New(viewtest.Styles(look.Opt))
			o.SetSnapshot(snap)
			o.View(size.w, size.h)
			o.Move(3)
			viewtest.Golden(t, size.name+"-"+look.Name, o.View(size.w, size.h), size.w, size.h)
		}
		o := New(viewtest.Styles(look.Opt))
		o.SetSnapshot(snap)
		o.View(60, 16)
		o.Jump(viewtest.UID(9))
		toggle(o)
		for range 4 {
			o.ToggleMark()
		}
		o.Move(-1)
		o.SetFocused(false)
		viewtest.Golden(t, "marked-"+look.Name, o.View(60, 16), 60, 16)

		o = New(viewtest.Styles(look.Opt))
		o.SetSnapshot(snap)
		o.SetFilter(func(s *snapshot.Snapshot, i int) bool { return s.Status(i) == model.StatusBlocked })
		viewtest.Golden(t, "filter-"+look.Name, o.View(60, 12), 60, 12)

		o = New(viewtest.Styles(look.Opt))
		o.SetSnapshot(snap)
		o.View(60, 12)
		o.SearchStart()
		o.SearchType("customer")
		viewtest.Golden(t, "search-"+look.Name, o.View(60, 12), 60, 12)
	}
}

func TestEmptyPlacesSaySo(t *testing.T) {
	o := New(viewtest.Plain())
	if got := strings.TrimSpace(strings.Join(o.View(40, 5), "")); got != "" {
		t.Errorf("before the first snapshot it says %q", got)
	}
	o.SetSnapshot(viewtest.Snapshot(nil))
	o.SetEmpty("No tasks yet.", "n creates one.")
	if got := strings.Join(o.View(40, 9), "\n"); !strings.Contains(got, "No tasks yet.") || !strings.Contains(got, "n creates one.") {
		t.Errorf("an empty store shows\n%s", got)
	}
	o.Move(1)
	toggle(o)
	o.Left()
	o.Right()
	o.SearchType("x")
	if _, ok := o.Selected(); ok {
		t.Error("something is selected in an empty tree")
	}
	o.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
	o.SetFilter(func(*snapshot.Snapshot, int) bool { return false })
	if got := strings.Join(o.View(40, 9), "\n"); !strings.Contains(got, "Nothing matches the filter.") {
		t.Errorf("a filter that nothing matches shows\n%s", got)
	}
}

func TestFoldsAtFirst(t *testing.T) {
	o := project(t)
	if got := shape(o); strings.Contains(got, "Cache modules") || !strings.Contains(got, "Parse CAMT.053 files") {
		t.Errorf("what is done should be folded, what is open not:\n%s", got)
	}
	big := New(viewtest.Plain())
	big.SetSnapshot(viewtest.Snapshot(viewtest.Large(5000, 1)))
	for _, row := range big.rows {
		if d := big.depth(row); d > openDepth {
			t.Fatalf("a large store opens %d levels deep, want at most %d", d, openDepth)
		}
	}
}

func TestFoldingKeepsTheCursorSensible(t *testing.T) {
	o := project(t)
	o.Jump(viewtest.UID(3))
	o.Left() // a leaf: to the parent
	selected(t, o, 1)
	o.Left() // folds
	selected(t, o, 1)
	if strings.Contains(shape(o), "Parse CAMT") {
		t.Fatalf("not folded:\n%s", shape(o))
	}
	o.Right() // unfolds
	o.Right() // goes in
	selected(t, o, 2)
	o.FoldAll()
	selected(t, o, 0)
	if strings.Contains(shape(o), "  ") {
		t.Fatalf("not all folded:\n%s", shape(o))
	}
	o.UnfoldAll()
	selected(t, o, 0)
	if !strings.Contains(shape(o), "Cache modules") {
		t.Fatalf("not all unfolded:\n%s", shape(o))
	}
	o.Jump(viewtest.UID(11))
	o.FoldAll()
	selected(t, o, 0)
	if !o.Jump(viewtest.UID(12)) {
		t.Fatal("a task under a fold cannot be jumped to")
	}
	selected(t, o, 12)
}

// Folding and unfolding by splices gives the same rows as building them all.
func TestSplicesAgreeWithFlatten(t *testing.T) {
	snap := viewtest.Snapshot(viewtest.Large(300, 2))
	rapid.Check(t, func(t *rapid.T) {
		o := New(viewtest.Plain())
		o.SetSnapshot(snap)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			o.Cur = rapid.IntRange(0, len(o.rows)-1).Draw(t, "row")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				toggle(o)
			case 1:
				o.Left()
			case 2:
				o.Right()
			case 3:
				o.Jump(viewtest.UID(rapid.IntRange(0, 299).Draw(t, "task")))
			}
			got, at := slices.Clone(o.rows), o.rows[o.Cur]
			o.flatten()
			if !slices.Equal(got, o.rows) {
				t.Fatalf("rows by splices %v, by flatten %v", got, o.rows)
			}
			if o.rows[o.Cur] != at {
				t.Fatal("the cursor's row changed")
			}
		}
	})
}

func TestSnapshotsMoveNothing(t *testing.T) {
	seeds := viewtest.Project()
	o := New(viewtest.Plain())
	o.SetSnapshot(viewtest.Snapshot(seeds))
	o.View(60, 8)
	o.Jump(viewtest.UID(11))

	o.View(60, 8)

	// A status changes: the rows are the same slice.
	seeds[11].Status = model.StatusRunning
	rows := &o.rows[0]
	o.SetSnapshot(viewtest.Snapshot(seeds))
	if &o.rows[0] != rows {
		t.Error("rows were built again although only a status changed")
	}
	if got := strings.Join(o.View(60, 8), "\n"); !strings.Contains(got, "Running") {
		t.Errorf("the new status is not shown:\n%s", got)
	}

	// Tasks appear above the cursor: it stays on its task and on its line.
	o.Jump(viewtest.UID(12))
	before := o.Cur - o.Win.Top
	seeds[8].Parent = 1
	seeds = append(seeds, viewtest.Seed{Name: "New subtask", Parent: 1, Status: model.StatusReady})
	o.SetSnapshot(viewtest.Snapshot(seeds))
	selected(t, o, 12)
	if got := o.Cur - o.Win.Top; got != before {
		t.Errorf("the cursor moved from line %d of the screen to %d", before, got)
	}

	// Its task vanishes: the nearest one that is left.
	var left []*model.Task
	for k, s := range seeds {
		if k != 12 {
			left = append(left, s.Task(k))
		}
	}
	o.SetSnapshot(snapshot.New(snapshot.Input{Tasks: left}))
	if uid, ok := o.Selected(); !ok || uid != viewtest.UID(13) && uid != viewtest.UID(11) {
		t.Errorf("the cursor went to %q, not to a neighbor\n%s", uid, shape(o))
	}
	if got := o.Cur - o.Win.Top; got < before-1 || got > before+1 {
		t.Errorf("the cursor moved from line %d of the screen to %d", before, got)
	}
}

func TestFoldsSurviveNewTasks(t *testing.T) {
	seeds := viewtest.Project()
	o := New(viewtest.Plain())
	o.SetSnapshot(viewtest.Snapshot(seeds))
	o.Jump(viewtest.UID(5))
	o.Left()
	o.Left() // to the parent, and fold it
	if uid, _ := o.Selected(); uid != viewtest.UID(0) {
		o.Jump(viewtest.UID(5))
	}
	want := shape(o)
	// A task whose uid sorts first shifts every index.
	first := viewtest.Seed{Name: "First", Parent: -1, Status: model.StatusReady}.Task(0)
	first.UID, first.Config.UID = "tsk-00000000", "tsk-00000000"
	tasks := []*model.Task{first}
	for k, s := range seeds {
		tasks = append(tasks, s.Task(k))
	}
	o.SetSnapshot(snapshot.New(snapshot.Input{Tasks: tasks}))
	if got := shape(o); got != "First\n"+want {
		t.Errorf("folds changed:\n%s\nwant First and\n%s", got, want)
	}
}

func TestFilterKeepsContext(t *testing.T) {
	o := project(t)
	o.Jump(viewtest.UID(22))
	o.SetFilter(func(s *snapshot.Snapshot, i int) bool { return strings.Contains(s.At(i).Config.Name, "Match") })
	if n, total, on := o.Filtered(); n != 1 || total != 26 || !on {
		t.Errorf("Filtered = %d of %d, %v", n, total, on)
	}
	want := "Billing service\n  Import bank statements\n    Match payments to invoices <\n"
	if got := shape(o); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	o.Left()
	o.Left() // folding under a filter leaves the real folds alone
	o.Jump(viewtest.UID(3))
	o.SetFilter(nil)
	selected(t, o, 3)
	if _, _, on := o.Filtered(); on {
		t.Error("still filtered")
	}
	// It follows what happens.
	o.SetFilter(func(s *snapshot.Snapshot, i int) bool { return s.Status(i) == model.StatusRunning })
	n, _, _ := o.Filtered()
	seeds := viewtest.Project()
	seeds[11].Status = model.StatusRunning
	o.SetSnapshot(viewtest.Snapshot(seeds))
	if m, _, _ := o.Filtered(); m != n+1 || !strings.Contains(shape(o), "Embed fonts") {
		t.Errorf("%d matches after a task began to run, %d before\n%s", m, n, shape(o))
	}
}

// Others may add tasks while a search is typed: giving it up, or a text that nothing has, leads back to the task that
// it began at.
func TestSearchComesBackToItsTask(t *testing.T) {
	seeds := viewtest.Project()
	first := viewtest.Seed{Name: "First", Parent: -1, Status: model.StatusReady}.Task(0)
	first.UID, first.Config.UID = "tsk-00000000", "tsk-00000000"
	tasks := []*model.Task{first}
	for k, s := range seeds {
		tasks = append(tasks, s.Task(k))
	}
	for _, typed := range []string{"", "zzzz", "cust"} {
		o := project(t)
		o.View(60, 10)
		o.Jump(viewtest.UID(16))
		o.SearchStart()
		o.SearchType(typed)
		o.SetSnapshot(snapshot.New(snapshot.Input{Tasks: tasks}))
		if typed == "cust" {
			o.SearchType("customerz")
			selected(t, o, 16)
			o.SearchType("cust")
		}
		o.SearchCancel()
		selected(t, o, 16)
	}
}

func TestSearch(t *testing.T) {
	o := project(t)
	o.View(60, 10)
	o.Jump(viewtest.UID(16))
	before := shape(o)
	o.SearchStart()
	if n := o.SearchType("cac"); n != 1 {
		t.Errorf("%d matches, want 1", n)
	}
	selected(t, o, 14) // under a fold
	o.SearchType("cache x")
	if got := shape(o); got != before {
		t.Errorf("without a match it should be as before:\n%s\nwant\n%s", got, before)
	}
	o.SearchType("cust")
	selected(t, o, 20) // the first one after the start
	if wrapped, ok := o.SearchNext(1); !ok || wrapped {
		t.Error("there are more after it")
	}
	o.SearchCancel()
	if got := shape(o); got != before {
		t.Errorf("canceled, it should be as before:\n%s\nwant\n%s", got, before)
	}
	o.SearchType("CUSTOMER")
	o.SearchAccept()
	if q, at, total := o.Searching(); q != "customer" || at != 2 || total != 3 {
		t.Errorf("Searching = %q, %d of %d", q, at, total)
	}
	o.SearchNext(1)
	if wrapped, _ := o.SearchNext(1); !wrapped {
		t.Error("it should have gone around")
	}
	selected(t, o, 8)
	o.SearchNext(-1)
	selected(t, o, 23)
	o.SearchClear()
	if _, ok := o.SearchNext(1); ok {
		t.Error("a cleared search still goes somewhere")
	}
}

func TestSelection(t *testing.T) {
	o := project(t)
	o.Jump(viewtest.UID(2))
	o.ToggleMark()
	o.ToggleMark()
	if got := o.Marked(); !slices.Equal(got, []model.UID{viewtest.UID(2), viewtest.UID(3)}) {
		t.Errorf("marked %v", got)
	}
	o.Jump(viewtest.UID(6))
	o.ToggleMark()
	o.Home()
	o.FoldAll()
	if got := o.Marked(); len(got) != 3 || got[2] != viewtest.UID(6) {
		t.Errorf("folding lost some: %v", got)
	}
	if !o.ClearMarks() || len(o.Marked()) != 0 || o.ClearMarks() {
		t.Error("not cleared")
	}
}

func TestMouse(t *testing.T) {
	o := project(t)
	lines := o.View(60, 20)
	at := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "Import bank") })
	x := ansi.StringWidth(lines[at][:strings.Index(lines[at], "▾")])
	if hit := o.Click(x, at); hit != HitFold {
		t.Errorf("a click on the fold mark at %d,%d is %v", x, at, hit)
	}
	if strings.Contains(shape(o), "Parse CAMT") {
		t.Errorf("not folded:\n%s", shape(o))
	}
	if hit := o.Click(12, at); hit != HitRow {
		t.Errorf("a click on the name is %v", hit)
	}
	selected(t, o, 1)
	if hit := o.Click(12, 1000); hit != HitNothing {
		t.Errorf("a click on nothing is %v", hit)
	}
	o.View(60, 8)
	cur := o.Cur
	o.Wheel(5)
	if o.Cur != cur || o.Win.Top == 0 {
		t.Error("the wheel should scroll and leave the cursor")
	}
	o.Move(1)
	if !o.Win.Sees(o.Cur) {
		t.Error("a key should bring the cursor back into view")
	}
}

// Any operations at any size give exact frames.
func TestFramesAreExact(t *testing.T) {
	snaps := []*snapshot.Snapshot{
		viewtest.Snapshot(viewtest.Project()), viewtest.Snapshot(viewtest.Large(120, 3)),
		viewtest.Snapshot(nil), viewtest.Snapshot(hostile()),
	}
	rapid.Check(t, func(t *rapid.T) {
		look := rapid.SampledFrom(viewtest.Looks()).Draw(t, "look")
		o := New(viewtest.Styles(look.Opt))
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			act(t, o, snaps)
			w, h := rapid.IntRange(1, 130).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")
			if err := viewtest.Check(o.View(w, h), w, h); err != nil {
				t.Fatal(err)
			}
			if o.Cur < 0 || o.Cur > 0 && o.Cur >= len(o.rows) {
				t.Fatalf("the cursor is on row %d of %d", o.Cur, len(o.rows))
			}
		}
	})
}

func hostile() []viewtest.Seed {
	seeds := []viewtest.Seed{
		{Name: "👩‍👩‍👧‍👦 family ⚠️ and हिन्दी", Parent: -1},
		{Name: "", Parent: 0},
		{Name: "\x1b]0;x\a\u009b31m", Parent: 1},
		{Name: strings.Repeat("界", 80), Parent: 2},
		{Name: "tab\tnew\nline\u200b", Parent: 3},
	}
	for k := 5; k < 40; k++ { // deeper than any screen is wide
		seeds = append(seeds, viewtest.Seed{Name: "deep", Parent: k - 1, Status: model.StatusReady})
	}
	return seeds
}

func act(t *rapid.T, o *Outline, snaps []*snapshot.Snapshot) {
	d := rapid.IntRange(-9, 9).Draw(t, "d")
	uid := viewtest.UID(rapid.IntRange(0, 130).Draw(t, "uid"))
	text := rapid.SampledFrom([]string{"", "a", "part 1", "界", "deep", "zzz", "E"}).Draw(t, "text")
	actions := []func(){
		func() { o.SetSnapshot(rapid.SampledFrom(snaps).Draw(t, "snap")) },
		func() { o.Move(d) }, func() { o.Page(d) }, func() { o.HalfPage(d) }, o.Home, o.End, func() { toggle(o) },
		o.Left, o.Right, o.Parent, o.FirstChild, o.FoldAll, o.UnfoldAll,
		func() { o.Jump(uid) }, o.ToggleMark,
		func() { o.ClearMarks() }, func() { o.Wheel(d) }, func() { o.Click(d+9, max(0, d)) },
		func() { o.SetFocused(d > 0) }, o.SearchStart, func() { o.SearchType(text) }, o.SearchAccept,
		o.SearchCancel, func() { o.SearchNext(sign(d)) }, o.SearchClear, func() { o.Searching() },
		func() {
			o.SetFilter(func(s *snapshot.Snapshot, i int) bool { return strings.Contains(s.At(i).Config.Name, text) })
		},
		func() { o.SetFilter(nil) }, func() { o.Marked() },
	}
	actions[rapid.IntRange(0, len(actions)-1).Draw(t, "action")]()
}

func sign(d int) int {
	if d < 0 {
		return -1
	}
	return 1
}

// A problem is a mark on the row of its task, which does not look like a parent for it; a
// task that cannot be read has a row, and its status says so.
func TestAProblemIsAMark(t *testing.T) {
	o := project(t)
	seen := 0
	for y, line := range o.View(60, o.Len()) {
		row := ansi.Strip(line)
		for _, name := range []string{"Rate limits", "Broken task"} {
			if !strings.Contains(row, name) {
				continue
			}
			seen++
			if strings.Count(row, "▲") != 1 {
				t.Errorf("no mark, or two: %q", row)
			}
			if o.canFold(y) || strings.ContainsAny(row, "▸▾") {
				t.Errorf("it looks like a parent: %q", row)
			}
		}
	}
	if seen != 2 || strings.Contains(shape(o), "(problem)") {
		t.Errorf("%d of two rows:\n%s", seen, shape(o))
	}
}

// The name gives way before the word of the status does.
func TestTheWordOutlivesTheName(t *testing.T) {
	o := project(t)
	for _, line := range o.View(38, 6) {
		row := strings.TrimSpace(ansi.Strip(line))
		if !slices.ContainsFunc(model.Statuses(), func(st model.Status) bool { return strings.HasSuffix(row, " "+st.Label()) }) {
			t.Errorf("no status: %q", row)
		}
	}
}
