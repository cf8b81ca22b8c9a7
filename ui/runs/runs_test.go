package runs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/ui/style"
)

func ago(d time.Duration) time.Time { return viewtest.Now().Add(-d) }

// project is viewtest.Project with runs under way: one works, one waits for a person.
func project() *snapshot.Snapshot {
	in := snapshot.Input{StoreID: "test"}
	for k, s := range viewtest.Project() {
		t := s.Task(k)
		t.Status.CurrentRun = ""
		switch k {
		case 5:
			t.Status.CurrentRun, t.Status.RunStartedAt, t.Status.AssignedAgentUID = "run-letters", ago(754*time.Second), "agent:claude"
			t.Status.RetryCount = 1
		case 9:
			t.Status.CurrentRun, t.Status.RunStartedAt, t.Status.AssignedAgentUID = "run-pdf", ago(3*time.Hour), "agent:codex"
		}
		in.Tasks = append(in.Tasks, t)
	}
	return snapshot.New(in)
}

// past are runs that have ended, and one that the snapshot says to be under way.
func past() []Run {
	run := func(id string, task int, began, took time.Duration, outcome string, r *model.RunReport) Run {
		x := Run{Run: model.Run{ID: id, Task: viewtest.UID(task), Worker: "agent:claude", Started: ago(began), Outcome: outcome, Report: r}, Attempt: 1}
		if took > 0 {
			x.Ended = x.Started.Add(took)
		}
		return x
	}
	return []Run{
		run("run-a", 2, 30*time.Hour, 11*time.Minute, "completed", &model.RunReport{Cost: 1.24, Verified: true, Tested: true, Why: "7 checks passed"}),
		run("run-b", 7, 5*time.Hour, 95*time.Second, "error", &model.RunReport{Cost: 0.31, Why: "go test ./mail failed with \x1b[31mexit 1\nFAIL"}),
		run("run-c", 6, 4*time.Hour, time.Hour, "completed", &model.RunReport{Cost: 12.5, Verified: true, Why: "no test was found"}),
		run("run-d", 15, 50*time.Hour, 3*time.Minute, "aborted", nil),
		run("run-e", 900, 60*time.Hour, 3*time.Second, "something_new", nil),
		run("run-letters", 5, 754*time.Second, 0, "", nil),
	}
}

func seen(l *List) *List {
	l.SetNow(viewtest.Now())
	l.SetSnapshot(project())
	l.SetPast(l.snap, past())
	var v runlog.View
	v.Add(runlog.Event{At: ago(10 * time.Minute), Kind: runlog.KindPhase, Phase: runlog.PhaseWork})
	v.Add(runlog.Event{At: ago(9 * time.Minute), Kind: runlog.KindCost, Cost: 0.42})
	v.Add(runlog.Event{At: ago(9 * time.Minute), Kind: runlog.KindTool, Tool: "Edit", ID: "1", Text: "letters/dunning.go"})
	l.SetLive("run-letters", &v)
	return l
}

func shown(w, h int) *List {
	l := seen(New(viewtest.Plain()))
	l.View(w, h)
	return l
}

func plain(l *List, w, h int) string { return viewtest.Text(l, w, h) }

func TestGolden(t *testing.T) {
	for _, look := range viewtest.Looks() {
		for _, size := range []struct {
			name string
			w, h int
		}{{"narrow", 34, 14}, {"pane", 60, 14}, {"wide", 120, 14}} {
			l := seen(New(viewtest.Styles(look.Opt)))
			viewtest.Golden(t, size.name+"-"+look.Name, l.View(size.w, size.h), size.w, size.h)
		}
	}
}

// Those under way come first, then those that wait, then the others, the newest first; a run that is
// under way is not listed again for what its file says.
func TestOrder(t *testing.T) {
	l := shown(120, 20)
	var got []string
	for range 7 {
		r, _ := l.Run()
		got = append(got, r.ID)
		l.Move(1)
	}
	if want := "run-letters run-pdf run-c run-b run-a run-d run-e"; strings.Join(got, " ") != want {
		t.Errorf("the runs are %s, want %s", got, want)
	}
	if shown, total := l.Counted(); shown != 7 || total != 7 {
		t.Errorf("%d of %d are counted", shown, total)
	}
	l.Home()
	if live, waits := l.Group(); !live || waits {
		t.Error("the first one does not run")
	}
	l.Move(1)
	if live, waits := l.Group(); !live || !waits {
		t.Error("the second one does not wait")
	}
}

// A run whose work conflicts waits for a person while its task is not paused: only its log says so.
func TestARunThatWaitsByItsLogIsNotAmongThoseUnderWay(t *testing.T) {
	l := shown(120, 20)
	l.Home()
	var v runlog.View
	v.Add(runlog.Event{At: ago(time.Minute), Kind: runlog.KindPhase, Phase: runlog.PhaseWaiting})
	l.SetLive("run-letters", &v)
	if got := plain(l, 120, 20); strings.Contains(got, "Running") || !strings.Contains(got, "Waiting 2") {
		t.Errorf("it stands among those under way:\n%s", got)
	}
	if r, ok := l.Run(); !ok || r.ID != "run-letters" {
		t.Errorf("the cursor has left it for %v", r)
	}
	l.SetSnapshot(project())
	if live, waits := l.Group(); !live || !waits {
		t.Error("the next snapshot forgets that it waits")
	}
	v.Add(runlog.Event{At: ago(time.Second), Kind: runlog.KindPhase, Phase: runlog.PhaseVerify})
	l.SetLive("run-letters", &v)
	if got := plain(l, 120, 20); !strings.Contains(got, "Running 1") {
		t.Errorf("it has gone on, and stands among those that wait:\n%s", got)
	}
}

// The last column does not touch the frame, whichever columns there is room for.
func TestRowsLeaveABlankAtTheEnd(t *testing.T) {
	for w := 40; w <= 160; w++ {
		l := shown(w, 20)
		for _, s := range l.View(w, 20) {
			if s = ansi.Strip(s); !strings.HasSuffix(s, " ") {
				t.Fatalf("at %d: %q", w, s)
			}
		}
	}
}

func TestWhatIsListedCanBeSearchedAndFiltered(t *testing.T) {
	l := shown(120, 20)
	if n := l.SearchType("codex"); n != 1 {
		t.Errorf("%d matches", n)
	}
	l.SearchCancel()
	if n := l.SearchType("no test was"); n != 1 {
		t.Errorf("%d matches", n)
	}
	if r, _ := l.Run(); r.ID != "run-c" {
		t.Errorf("the search is on %s", r.ID)
	}
	l.SearchClear()
	l.SetFilter(func(s *snapshot.Snapshot, i int) bool { return s.UID(i) == viewtest.UID(7) })
	if shown, total := l.Counted(); shown != 1 || total != 7 || !strings.Contains(plain(l, 120, 20), "Send by e-mail") {
		t.Errorf("%d of %d are listed:\n%s", shown, total, plain(l, 120, 20))
	}
	l.SetUnmatched("No task matches")
	l.SetFilter(func(*snapshot.Snapshot, int) bool { return false })
	if !strings.Contains(plain(l, 120, 20), "No task matches") {
		t.Errorf("an empty list says nothing:\n%s", plain(l, 120, 20))
	}
}

func TestEmptyPlacesSayWhy(t *testing.T) {
	l := New(viewtest.Plain())
	l.SetEmpty("Nothing has run yet.", "x starts the loop")
	l.SetSnapshot(viewtest.Snapshot(viewtest.Project()[:4]))
	l.SetReading("Reading the runs")
	if !strings.Contains(plain(l, 60, 10), "Reading the runs") {
		t.Error("nobody says that they are being read")
	}
	l.SetPast(l.snap, nil)
	if s := plain(l, 60, 10); !strings.Contains(s, "Nothing has run yet.") || !strings.Contains(s, "x starts the loop") {
		t.Errorf("an empty view says nothing:\n%s", s)
	}
}

// Whatever comes and goes, the cursor stays on its run as long as that is listed, and every frame is
// whole.
func TestTheCursorStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New(viewtest.Styles(style.Options{Dark: true}))
		w, h := rapid.IntRange(1, 130).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h")
		l.SetNow(viewtest.Now())
		for range 6 {
			l.Move(rapid.IntRange(-3, 5).Draw(t, "move"))
			was, on := l.Run()
			var list []Run
			there := false
			for _, k := range rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 0, 30, rapid.ID).Draw(t, "runs") {
				r := Run{Run: model.Run{ID: fmt.Sprint("past-", k), Task: viewtest.UID(k), Started: ago(time.Hour), Ended: ago(time.Duration(k) * time.Minute), Outcome: "completed"}}
				there = there || on && was.ID == r.ID // those under way may end
				list = append(list, r)
			}
			if rapid.Bool().Draw(t, "live") {
				l.SetSnapshot(project())
			} else {
				l.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
			}
			l.SetPast(l.snap, list)
			if now, ok := l.Run(); there && (!ok || now.ID != was.ID) {
				t.Fatalf("the cursor went from %s to %v", was.ID, now)
			}
			if err := viewtest.Check(l.View(w, h), w, h); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Anyone who watches a run sees how it ends: between the snapshot that says so and what its file says,
// the cursor stays on it.
func TestARunThatEndsKeepsTheCursor(t *testing.T) {
	l := shown(120, 20)
	before := l.snap
	in := snapshot.Input{StoreID: "test"}
	for i := range before.Len() {
		t := *before.At(i)
		t.Status.CurrentRun = ""
		in.Tasks = append(in.Tasks, &t)
	}
	after := snapshot.New(in)
	is := func(when string, live bool) {
		t.Helper()
		r, _ := l.Run()
		if got, _ := l.Group(); r == nil || r.ID != "run-letters" || got != live {
			t.Errorf("%s: the cursor is on %v, under way: %v", when, r, got)
		}
	}
	is("at first", true)
	l.SetSnapshot(after)
	is("before its end is read", true)
	l.SetPast(before, past())
	is("with what was read before it ended", true)
	list := past()
	r := &list[len(list)-1]
	r.Ended, r.Outcome = viewtest.Now(), "completed"
	l.SetPast(after, list)
	is("with its end", false)
	if shown, total := l.Counted(); shown != 6 || total != 6 {
		t.Errorf("%d of %d are counted", shown, total)
	}
	l.SetSnapshot(before)
	l.SetSnapshot(after)
	l.SetPast(after, nil)
	if n := l.Live(); n != 0 {
		t.Errorf("%d are under way without a file", n)
	}
}

func TestTimesAndSumsFit(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m01s", 3*time.Hour + 7*time.Minute: "3h07m", 30 * time.Hour: "1d06h", 5000 * time.Hour: "208d",
	} {
		if got := Span(d); got != want || len(got) > tookWidth {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
	for c, want := range map[float64]string{0: "", 0.001: "<$0.01", 1.239: "$1.24", 1234.5: "$1234", 1e9: ">$100k"} {
		if got := Dollars(c); got != want || len(got) > costWidth {
			t.Errorf("%f is %q, want %q", c, got, want)
		}
	}
}

// many is a list of n runs that have ended.
func many(n int) *List {
	l := New(viewtest.Styles(style.Options{Dark: true}))
	l.SetNow(viewtest.Now())
	l.SetSnapshot(project())
	list := make([]Run, n)
	for k := range list {
		list[k] = Run{Attempt: 1, Run: model.Run{
			ID: fmt.Sprint("run-", k), Task: viewtest.UID(k % 26), Worker: "agent:claude", Started: ago(time.Duration(k+2) * time.Minute),
			Ended: ago(time.Duration(k+1) * time.Minute), Outcome: "completed", Report: &model.RunReport{Tested: true, Why: "7 checks passed"},
		}}
	}
	l.SetPast(l.snap, list)
	l.View(100, 40)
	return l
}

// A key costs what is in view, however many runs there are.
func BenchmarkMove(b *testing.B) {
	small, large := many(100), many(10_000)
	move := func(l *List) func(n int) {
		return func(n int) {
			l.Move(1 - 2*(n&1))
			l.View(100, 40)
		}
	}
	viewtest.Ratio(b, move(small), move(large))
}

// So does another moment of the store, but for one pass over the runs.
func BenchmarkFollow(b *testing.B) {
	l := many(10_000)
	a, c := project(), project()
	for n := 0; b.Loop(); n++ {
		if n&1 == 0 {
			l.SetSnapshot(a)
		} else {
			l.SetSnapshot(c)
		}
		l.View(100, 40)
	}
}

// Beside the detail of a terminal of 120 columns there is room for the attempt, by which the runs of one task differ.
func TestAttemptsOfATaskDiffer(t *testing.T) {
	if text := plain(shown(44, 30), 44, 30); !strings.Contains(text, "1/3") {
		t.Errorf("no attempt is named:\n%s", text)
	}
}

// What stands above the runs is wrapped, takes a third of the rows at most, and says when there is more.
func TestTheBannerLeavesRoomForTheRuns(t *testing.T) {
	l := shown(60, 12)
	l.SetBanner(Line{Text: "The loop is off."}, Line{Text: strings.Repeat("no worker is \x1b[31mset ", 40)}, Line{Text: "do it"})
	s := strings.Split(plain(l, 60, 12), "\n")
	if err := viewtest.Check(l.View(60, 12), 60, 12); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s[0], "The loop is off.") || !strings.Contains(s[1], "␛[31m") || !strings.HasSuffix(strings.TrimRight(s[3], " "), " …") || !strings.Contains(s[4], "Running 1") {
		t.Errorf("it is\n%s", strings.Join(s, "\n"))
	}
	if !l.Click(5, 7) {
		t.Error("a click below the banner hits nothing")
	}
	if r, _ := l.Run(); r.ID != "run-pdf" {
		t.Errorf("it is on %s", r.ID)
	}
}
