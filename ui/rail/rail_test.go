package rail

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/style"
)

func project() *Rail {
	r := New(viewtest.Plain())
	r.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
	r.View(100, 40)
	return r
}

func selected(t *testing.T, r *Rail, want int) {
	t.Helper()
	if uid, ok := r.Selected(); !ok || uid != viewtest.UID(want) {
		t.Errorf("the cursor is on %q, want %q\n%s", uid, viewtest.UID(want), viewtest.Text(r, 100, 40))
	}
}

func TestGolden(t *testing.T) {
	snaps := map[string]*snapshot.Snapshot{
		"project": viewtest.Snapshot(viewtest.Project()),
		"large":   viewtest.Snapshot(viewtest.Large(300, 4)),
	}
	for _, look := range viewtest.Looks() {
		for name, snap := range snaps {
			for _, size := range []struct {
				name string
				w, h int
			}{{"narrow", 38, 20}, {"wide", 110, 36}} {
				r := New(viewtest.Styles(look.Opt))
				r.SetSnapshot(snap)
				r.View(size.w, size.h)
				r.Move(7)
				viewtest.Golden(t, name+"-"+size.name+"-"+look.Name, r.View(size.w, size.h), size.w, size.h)
			}
		}
	}
}

func TestEmptyPlacesSaySo(t *testing.T) {
	r := New(viewtest.Plain())
	if got := strings.TrimSpace(viewtest.Text(r, 40, 5)); got != "" {
		t.Errorf("before the first snapshot it says %q", got)
	}
	r.Move(1)
	r.Follow(true)
	r.Alternative(1)
	r.ToggleLoose()
	r.SearchType("x")
	r.SearchNext(1)
	r.Click(1, 1)
	r.ToggleDone()
	r.ToggleDone()
	r.SetSnapshot(viewtest.Snapshot(nil))
	r.SetEmpty("No tasks yet.", "n creates one.")
	if got := viewtest.Text(r, 40, 9); !strings.Contains(got, "n creates one.") {
		t.Errorf("an empty store shows\n%s", got)
	}
	r.SetSnapshot(viewtest.Snapshot([]viewtest.Seed{{Name: "over", Parent: -1, Status: model.StatusDone}}))
	r.ToggleDone()
	if got := viewtest.Text(r, 40, 9); !strings.Contains(got, "Done tasks are hidden.") {
		t.Errorf("with everything done it shows\n%s", got)
	}
}

func TestWalkingAlongEdges(t *testing.T) {
	r := project()
	if !r.Jump(viewtest.UID(16)) { // depends on 3, 7, 11, 13
		t.Fatal("not found")
	}
	var seen []model.UID
	if !r.Follow(true) {
		t.Fatal("no dependency")
	}
	for range 4 {
		uid, _ := r.Selected()
		seen = append(seen, uid)
		r.Alternative(1)
	}
	slices.Sort(seen)
	if want := []model.UID{viewtest.UID(3), viewtest.UID(7), viewtest.UID(11), viewtest.UID(13)}; !slices.Equal(seen, want) {
		t.Errorf("cycling went through %v, want %v", seen, want)
	}
	r.Jump(viewtest.UID(16))
	r.Follow(true)
	r.Alternative(1)
	at, _ := r.Selected()
	r.Follow(false) // back to where it came from
	selected(t, r, 16)
	r.Follow(true) // and to the branch that was taken last
	if uid, _ := r.Selected(); uid != at {
		t.Errorf("it forgot the branch: %q, want %q", uid, at)
	}
	r.Move(1)
	if r.Alternative(1) {
		t.Error("after a step between rows there is no alternative")
	}
	r.Jump(viewtest.UID(14))
	if r.Follow(true) || r.Follow(false) {
		t.Error("a task without edges leads somewhere")
	}
}

func TestCyclesAreFlagged(t *testing.T) {
	r := project()
	got := viewtest.Text(r, 110, 40)
	for _, name := range []string{"Rate limits", "Quotas per customer", "Usage metering"} {
		i := slices.IndexFunc(strings.Split(got, "\n"), func(s string) bool { return strings.Contains(s, "↺ "+name) })
		if i < 0 {
			t.Errorf("%s has no ↺:\n%s", name, got)
		}
	}
	if !strings.Contains(got, "↺╌▸") || !strings.Contains(got, "↺◂╌") {
		t.Errorf("the back edge has no stubs:\n%s", got)
	}
	r.Jump(viewtest.UID(19))
	for range 3 { // around the cycle
		if !r.Follow(false) {
			t.Fatal("the cycle cannot be walked")
		}
	}
	selected(t, r, 19)
}

// Every edge is a line or has a stub at both ends; clicking the stub leads to the other end, and
// where there is no room for it the number of those leads to the choice.
func TestStubsAreAtBothEndsAndLeadThere(t *testing.T) {
	for _, w := range []int{240, 60} {
		seen, more := stubsAt(t, w)
		if w == 240 && seen < 50 || w == 60 && more < 20 {
			t.Fatalf("at width %d only %d stubs, and %d behind numbers: nothing was tested", w, seen, more)
		}
	}
}

func stubsAt(t *testing.T, w int) (seen, more int) {
	r := New(viewtest.Plain())
	r.SetSnapshot(viewtest.Snapshot(viewtest.Large(200, 9)))
	r.View(w, 10)
	r.lay.recap(2)
	for e := range int32(len(r.lay.to)) {
		from, to := int(r.lay.from[e]), int(r.lay.to[e])
		for _, end := range []struct {
			at, other int
			up        bool
		}{{from, to, false}, {to, from, true}} {
			_, stubs := r.text(end.at, w)
			k := slices.IndexFunc(stubs, func(s piece) bool { return s.to == end.other && s.up == end.up })
			if r.lay.drawn(e) {
				if k >= 0 {
					t.Fatalf("edge %d>%d is a line and a stub", from, to)
				}
				continue
			}
			if k < 0 {
				if last := len(stubs) - 1; last >= 0 && strings.HasPrefix(stubs[last].text, "+") { // more than fit
					r.MoveTo(end.at, 0)
					if hit := r.Click(stubs[last].x, end.at-r.Win.Top); hit != HitMore || !slices.Contains(r.Unnamed(), r.uid(end.other)) {
						t.Fatalf("edge %d>%d is not behind the number on row %d (%v)", from, to, end.at, hit)
					}
					more++
					continue
				}
				t.Fatalf("edge %d>%d has no stub on row %d", from, to, end.at)
			}
			seen++
			r.MoveTo(end.at, 0)
			if hit := r.Click(stubs[k].x, end.at-r.Win.Top); hit != HitStub || r.Cur != end.other {
				t.Fatalf("a click on the stub of %d>%d led to row %d (%v)", from, to, r.Cur, hit)
			}
		}
	}
	return seen, more
}

func TestHidingDone(t *testing.T) {
	r := project()
	before, total := r.Shown()
	r.Jump(viewtest.UID(3))
	r.View(100, 10)
	if !r.ToggleDone() {
		t.Fatal("not hidden")
	}
	after, _ := r.Shown()
	if before != total || after >= before || strings.Contains(viewtest.Text(r, 100, 40), "Parse CAMT") {
		t.Errorf("%d tasks shown of %d, before %d", after, total, before)
	}
	selected(t, r, 3)
	r.ToggleDone()
	selected(t, r, 3)
	r.SetFilter(func(s *snapshot.Snapshot, i int) bool { return s.Status(i) == model.StatusBlocked })
	if n, _ := r.Shown(); n != int(r.snap.Total()[model.StatusBlocked]) {
		t.Errorf("%d tasks pass the filter, want the blocked ones", n)
	}
}

func TestSnapshotsMoveNothing(t *testing.T) {
	seeds := viewtest.Large(400, 5)
	r := New(viewtest.Plain())
	r.SetSnapshot(viewtest.Snapshot(seeds))
	r.View(90, 20)
	r.Move(150)
	r.View(90, 20)
	uid, _ := r.Selected()
	line := r.Cur - r.Win.Top
	lay := r.lay
	seeds[7].Status = model.StatusReady
	r.SetSnapshot(viewtest.Snapshot(seeds))
	if r.lay != lay {
		t.Error("the layout was made anew although no edge changed")
	}
	seeds = append(seeds, viewtest.Seed{Name: "new", Parent: -1, Deps: []int{0}})
	r.SetSnapshot(viewtest.Snapshot(seeds))
	if got, _ := r.Selected(); got != uid {
		t.Errorf("the cursor went from %q to %q", uid, got)
	}
	if got := r.Cur - r.Win.Top; got != line {
		t.Errorf("the cursor went from line %d to %d", line, got)
	}
}

func TestLooseTasks(t *testing.T) {
	r := project()
	r.End()
	if _, ok := r.Selected(); !ok {
		t.Fatal("the last row should be a task without edges")
	}
	r.ToggleLoose()
	if !r.OnHead() {
		t.Errorf("folded, the cursor should be on the head")
	}
	if got := viewtest.Text(r, 80, 40); !strings.Contains(got, "tasks without dependencies") || strings.Contains(got, "Status page") {
		t.Errorf("not folded:\n%s", got)
	}
	if !r.Jump(viewtest.UID(22)) {
		t.Error("a folded task cannot be jumped to")
	}
	selected(t, r, 22)
	r.SetFilter(func(s *snapshot.Snapshot, i int) bool { return s.UID(i) == viewtest.UID(5) })
	if got := viewtest.Text(r, 80, 40); !strings.Contains(got, "1 task without dependencies among the tasks shown") {
		t.Errorf("one of several:\n%s", got)
	}
}

// A task that is renamed while a search is typed is found by its new name.
func TestSearchAfterARename(t *testing.T) {
	r := New(viewtest.Plain())
	s := viewtest.Snapshot(viewtest.Project())
	r.SetSnapshot(s)
	r.SearchStart()
	r.SearchType("cust")
	was := r.SearchType("customs union")
	i := 0
	for strings.Contains(strings.ToLower(s.Name(i)), "cust") {
		i++
	}
	renamed := s.At(i).Clone()
	renamed.Config.Name = "Customs union"
	r.SearchType("cust")
	r.SetSnapshot(s.With(s.Seq()+1, "", []*model.Task{renamed}, nil))
	if n := r.SearchType("customs union"); was != 0 || n != 1 {
		t.Errorf("%d matches, before %d", n, was)
	}
}

func TestSearch(t *testing.T) {
	r := project()
	r.Jump(viewtest.UID(7))
	if n := r.SearchType("customer"); n != 3 {
		t.Errorf("%d matches, want 3", n)
	}
	uid, _ := r.Selected()
	r.SearchAccept()
	r.SearchNext(1)
	if now, _ := r.Selected(); now == uid {
		t.Error("the next match is the same")
	}
	q, at, total := r.Searching()
	if q != "customer" || at == 0 || total != 3 {
		t.Errorf("Searching = %q, %d of %d", q, at, total)
	}
	r.SearchStart()
	r.Home()
	r.SearchType("zzz")
	r.SearchCancel()
	if _, _, total := r.Searching(); total != 0 {
		t.Error("a canceled search goes on")
	}
}

func TestFramesAreExact(t *testing.T) {
	hostile := []viewtest.Seed{
		{Name: "👩‍👩‍👧‍👦 ⚠️ हिन्दी", Parent: -1},
		{Name: "", Parent: -1, Deps: []int{0}},
		{Name: strings.Repeat("界", 60), Parent: -1, Deps: []int{0, 1}},
		{Name: "a\tb\x1b[2J", Parent: -1, Deps: []int{0, 4}},
		{Name: "cycle", Parent: -1, Deps: []int{3, 2}},
	}
	snaps := []*snapshot.Snapshot{
		viewtest.Snapshot(viewtest.Project()), viewtest.Snapshot(viewtest.Large(150, 3)),
		viewtest.Snapshot(nil), viewtest.Snapshot(hostile),
	}
	rapid.Check(t, func(t *rapid.T) {
		look := rapid.SampledFrom(viewtest.Looks()).Draw(t, "look")
		r := New(viewtest.Styles(look.Opt))
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			act(t, r, snaps)
			w, h := rapid.IntRange(1, 210).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")
			if err := viewtest.Check(r.View(w, h), w, h); err != nil {
				t.Fatal(err)
			}
			if r.Cur < 0 || r.Cur > 0 && r.Cur >= r.Len() {
				t.Fatalf("the cursor is on row %d of %d", r.Cur, r.Len())
			}
			again := slices.Clone(r.View(w, h))
			r.Dirty = true
			if !slices.Equal(again, r.View(w, h)) {
				t.Fatal("the frame is not a function of the state")
			}
		}
	})
}

func act(t *rapid.T, r *Rail, snaps []*snapshot.Snapshot) {
	d := rapid.IntRange(-9, 9).Draw(t, "d")
	uid := viewtest.UID(rapid.IntRange(0, 150).Draw(t, "uid"))
	text := rapid.SampledFrom([]string{"", "a", "part 1", "界", "zzz", "E"}).Draw(t, "text")
	actions := []func(){
		func() { r.SetSnapshot(rapid.SampledFrom(snaps).Draw(t, "snap")) },
		func() { r.Move(d) }, func() { r.Page(d) }, func() { r.HalfPage(d) }, r.Home, r.End,
		func() { r.Jump(uid) }, func() { r.Follow(d > 0) }, func() { r.Alternative(d) },
		func() { r.Wheel(d) }, func() { r.Click(10*max(0, d), max(0, d)) }, func() { r.SetFocused(d > 0) },
		func() { r.ToggleDone() }, r.ToggleLoose, r.SearchStart,
		func() { r.SearchType(text) }, r.SearchAccept, r.SearchCancel, func() { r.SearchNext(d) }, r.SearchClear,
		func() { r.Searching() }, func() { r.SetFilter(nil) },
		func() {
			r.SetFilter(func(s *snapshot.Snapshot, i int) bool { return strings.Contains(s.At(i).Config.Name, text) })
		},
	}
	actions[rapid.IntRange(0, len(actions)-1).Draw(t, "action")]()
}

func benchRail(n int) *Rail {
	r := New(viewtest.Styles(style.Options{Dark: true}))
	r.SetSnapshot(viewtest.Snapshot(viewtest.Large(n, 1)))
	r.View(100, 50)
	r.Move(r.Len() / 2)
	r.View(100, 50)
	return r
}

// A key that moves the cursor, with the frame after it.
func BenchmarkKeypress(b *testing.B) {
	press := func(r *Rail) func(int) {
		return func(n int) {
			r.Move(1 - n%2*2)
			r.View(100, 50)
		}
	}
	viewtest.Ratio(b, press(benchRail(100)), press(benchRail(100_000)))
}

// A snapshot with another edge: the whole layout is made anew, with the frame after it.
func BenchmarkSnapshotStructure(b *testing.B) {
	r := benchRail(100_000)
	t := r.snap.At(77_000).Clone()
	t.DependsOn = append(t.DependsOn, viewtest.UID(4))
	now, next := r.snap, r.snap.With(2, "h", []*model.Task{t}, nil)
	var times []time.Duration
	for b.Loop() {
		now, next = next, now
		start := time.Now()
		r.SetSnapshot(now)
		r.View(100, 50)
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms≤100")
}

// What View draws is the picture that is traced.
func TestViewDrawsThePicture(t *testing.T) {
	r := New(viewtest.Styles(style.Options{Dark: true}))
	r.SetSnapshot(viewtest.Snapshot(viewtest.Large(150, 6)))
	n := 0
	for _, w := range []int{60, 100, 200} {
		r.View(w, 40)
		want := picture(r.lay, unicodeGlyphs())
		for top := 0; top < r.lay.len(); top += 33 {
			r.Win.Top, r.Dirty = top, true
			for y, line := range r.View(w, 40) {
				row := r.Win.Top + y
				if row >= r.lay.len() {
					break
				}
				cells := []rune(ansi.Strip(line))[1 : 2*r.lay.cols]
				cells[2*r.lay.col[row]] = '●'
				if string(cells) != want[row] {
					t.Fatalf("row %d at width %d is %q, want %q", row, w, string(cells), want[row])
				}
				n++
			}
		}
	}
	if n < 300 {
		t.Fatalf("only %d rows were compared", n)
	}
}
