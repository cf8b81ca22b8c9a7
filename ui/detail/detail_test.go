package detail

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/markdown"
	"vespe/ui/text"
)

func TestGoldens(t *testing.T) {
	sizes := [][2]int{{40, 12}, {80, 24}, {120, 40}}
	for _, profile := range []string{"dark", "mono", "ascii"} {
		for _, sz := range sizes {
			for tab := range Tab(NumTabs) {
				d := shown(t, profile, uidLog, tab)
				d.View(sz[0], sz[1])
				serve(d)
				v := d.View(sz[0], sz[1])
				checkFrame(t, v, sz[0], sz[1])
				golden(t, fmt.Sprintf("%s-%s-%dx%d", tab, profile, sz[0], sz[1]), v)
			}
		}
	}
	for _, uid := range []model.UID{uidRoot, uidSync, uidBad, uidErr, uidChange, uidEmpty} {
		d := shown(t, "dark", uid, Overview)
		golden(t, "overview-"+uid.Short(), d.View(80, 30))
	}
}

// Every frame is whole, at any size, tab and state.
func TestFrames(t *testing.T) {
	for _, profile := range []string{"dark", "ascii"} {
		for _, uid := range []model.UID{"", uidGone, uidRoot, uidLog, uidSync, uidBad, uidErr, uidChange, uidEmpty} {
			for tab := range Tab(NumTabs) {
				for _, sz := range [][2]int{{61, 20}, {1, 1}, {3, 2}, {17, 9}, {30, 8}, {200, 60}, {0, 4}} {
					if profile != "dark" && sz[0] != 61 {
						continue
					}
					d := shown(t, profile, uid, tab)
					frame := func() {
						v := d.View(sz[0], sz[1])
						if sz[0] > 0 {
							checkFrame(t, v, sz[0], sz[1])
						}
					}
					frame()
					d.SetSlow(true)
					frame()
					serve(d)
					frame()
					for _, f := range []func(){
						func() { d.Move(3) },
						d.End,
						func() { d.Open() },
						func() { serve(d) },
						d.ToggleRaw,
						func() { d.HalfPage(-1) },
						func() { d.Page(1) },
						func() { d.Wheel(-2) },
						func() { d.SearchType("the") },
						func() { d.SearchNext(1) },
						func() { d.Click(2, 1) },
						d.Home,
						func() { d.Back() },
					} {
						f()
						frame()
					}
				}
			}
		}
	}
}

func TestNeeds(t *testing.T) {
	d := shown(t, "dark", uidLog, Overview)
	if n := d.Needs(); len(n) != 0 {
		t.Errorf("the overview needs %v", n)
	}
	for tab, kind := range map[Tab]NeedKind{Objective: NeedObjective, Plan: NeedPlan, History: NeedHistory, Result: NeedResults} {
		d.Show(tab)
		if n := d.Needs(); len(n) != 1 || n[0] != (Need{Kind: kind, UID: uidLog}) {
			t.Errorf("%s needs %v", tab, n)
		}
		serve(d)
		if n := d.Needs(); len(n) != 0 {
			t.Errorf("%s still needs %v", tab, n)
		}
	}
	d.Show(Result)
	d.Open()
	if n := d.Needs(); len(n) != 1 || n[0].Kind != NeedFile || n[0].Path != "data/out.bin" {
		t.Errorf("an open file needs %v", n)
	}
	// The same snapshot again wants nothing; a newer one wants it all, and shows what is
	// there meanwhile.
	d.Show(Plan)
	before := d.View(80, 24)
	d.SetTask(d.snap, uidLog)
	if len(d.Needs()) != 0 {
		t.Error("the same snapshot is wanted again")
	}
	d.SetTask(d.snap.With(43, "", nil, nil), uidLog)
	if len(d.Needs()) != 1 {
		t.Error("a newer snapshot wants nothing")
	}
	if !slices.Equal(before, d.View(80, 24)) {
		t.Error("what was on screen is gone while it is read again")
	}
	d.SetTask(d.snap, uidSync)
	if len(d.Needs()) != 1 {
		t.Error("another task wants nothing")
	}
	// An answer about the task before is dropped.
	d.SetContent(uidLog, model.Plan, content(model.Plan, "# late", 1), nil)
	if strings.Contains(strings.Join(d.View(80, 24), ""), "late") {
		t.Error("a late answer is shown for another task")
	}
}

func TestLoadingShowsNothingAtFirst(t *testing.T) {
	for _, tab := range []Tab{Objective, Plan, History, Result} {
		d := shown(t, "dark", uidLog, tab)
		if s := strings.TrimSpace(strings.Join(d.View(60, 10), "")); s != "" {
			t.Errorf("%s shows %q before anything is slow", tab, s)
		}
		d.SetSlow(true)
		if !strings.Contains(strings.Join(d.View(60, 10), ""), "loading…") {
			t.Errorf("%s does not say that it is loading", tab)
		}
	}
}

func TestEmptyPlacesNameAKey(t *testing.T) {
	for tab, want := range map[Tab]string{Objective: "e write the objective", Plan: "e write the objective"} {
		d := shown(t, "dark", uidEmpty, tab)
		d.SetContent(uidEmpty, model.Objective, nil, nil)
		d.SetContent(uidEmpty, model.Plan, nil, nil)
		if s := text.Strip(strings.Join(d.View(60, 12), "\n")); !strings.Contains(s, want) {
			t.Errorf("%s:\n%s\nwants %q", tab, s, want)
		}
	}
	d := shown(t, "dark", uidSync, Plan)
	d.SetContent(uidSync, model.Plan, nil, nil)
	if s := text.Strip(strings.Join(d.View(60, 12), "\n")); !strings.Contains(s, "e write the plan") {
		t.Errorf("no key for a plan:\n%s", s)
	}
	d.Show(History)
	d.SetHistory(uidSync, nil, nil, nil)
	if s := text.Strip(strings.Join(d.View(60, 12), "\n")); !strings.Contains(s, "No activity on this task") {
		t.Errorf("an empty history:\n%s", s)
	}
	d.Show(Result)
	d.SetResults(uidSync, nil, nil)
	if s := text.Strip(strings.Join(d.View(60, 12), "\n")); !strings.Contains(s, "no result yet") {
		t.Errorf("an empty result:\n%s", s)
	}
}

func TestErrorsAreShown(t *testing.T) {
	boom := errors.New("permission denied \x1b[31m")
	for _, tab := range []Tab{Objective, Plan, History, Result} {
		d := shown(t, "dark", uidLog, tab)
		fail := func() {
			d.SetContent(uidLog, model.Objective, nil, boom)
			d.SetContent(uidLog, model.Plan, nil, boom)
			d.SetHistory(uidLog, nil, nil, boom)
			d.SetResults(uidLog, nil, boom)
		}
		fail()
		v := d.View(70, 20)
		checkFrame(t, v, 70, 20)
		if s := text.Strip(strings.Join(v, "\n")); !strings.Contains(s, "permission denied ␛[31m") {
			t.Errorf("%s does not show its error:\n%s", tab, s)
		}
		// What was read before stays beside the error.
		d = shown(t, "dark", uidLog, tab)
		serve(d)
		before := text.Strip(strings.Join(d.View(70, 20)[3:8], "\n"))
		fail()
		after := text.Strip(strings.Join(d.View(70, 20), "\n"))
		if !strings.Contains(after, "permission denied") || !strings.Contains(after, strings.TrimSpace(strings.Split(before, "\n")[0])) {
			t.Errorf("%s after an error:\n%s", tab, after)
		}
	}
}

func TestLinks(t *testing.T) {
	d := shown(t, "dark", uidLog, Overview)
	d.View(80, 20)
	want := []model.UID{uidRoot, uidParse, uidSync, uidChange}
	links := slices.DeleteFunc(slices.Clone(d.overLinks), func(uid model.UID) bool { return uid == "" })
	for _, uid := range want {
		if !slices.Contains(links, uid) {
			t.Errorf("no link to %s in %v", uid, links)
		}
	}
	if _, ok := d.Link(); ok {
		t.Error("a link is chosen before anybody moved")
	}
	// Down and down: every link is reached in order, and each is in view when it is.
	var got []model.UID
	for range 200 {
		d.Move(1)
		uid, ok := d.Link()
		if !ok || len(got) > 0 && got[len(got)-1] == uid {
			continue
		}
		got = append(got, uid)
		if !strings.Contains(strings.Join(d.View(80, 20), ""), d.st.Glyph.Cursor) {
			t.Errorf("the cursor on %s is not in view", uid)
		}
	}
	if !slices.Equal(got, slices.Compact(slices.Clone(links))) {
		t.Errorf("moving down reaches %v, there are %v", got, links)
	}
	if s := d.Scroll(); s.Top+s.Visible < s.Total {
		t.Errorf("moving down ends at %+v", s)
	}
	for range 200 {
		d.Move(-1)
	}
	if s := d.Scroll(); s.Top != 0 {
		t.Errorf("moving up ends at %+v", s)
	}
}

func TestOverviewSaysWhatMatters(t *testing.T) {
	for uid, wants := range map[model.UID][]string{
		uidLog:    {"Plan review", "high", "rejected, ann, 1d ago", "disk is full", "1 of 3 met", "two processes", "is not in this store", "a accept", "store/log.go", "go test -race"},
		uidSync:   {"Blocked", "Blocked by", "review its plan", "revision 1, ann, 2d ago"},
		uidRoot:   {"Subtasks", "1 of 3 leaf tasks", "Waits for its subtask"},
		uidErr:    {"Error", "entry 41", "from working", "2 retries, 3 attempts at most", "what now?", "s retry", "codex (agent)"},
		uidBad:    {"Problem", "status.json:7", "unexpected end", "repair the file", "⟨U+202E⟩", "␛[31m"},
		uidChange: {"Changed", "The plan of \"Write the log", "The specification was changed after the approval.", "a still right"},
	} {
		d := shown(t, "dark", uid, Overview)
		s := text.Strip(strings.Join(d.View(86, 80), "\n"))
		for _, want := range wants {
			if !strings.Contains(s, want) {
				t.Errorf("%s does not say %q:\n%s", uid, want, s)
			}
		}
	}
}

// What a section says of its own comes first, then the keys that answer it.
func TestKeysStandBelowWhatTheyAnswer(t *testing.T) {
	for uid, order := range map[model.UID][2]string{
		uidErr:    {"entry 41", "s retry"},
		uidChange: {"The specification was", "a still right"},
		uidSync:   {"review its plan", "go to dependency"},
	} {
		d := shown(t, "dark", uid, Overview)
		s := text.Strip(strings.Join(d.View(86, 80), "\n"))
		says, keys := strings.Index(s, order[0]), strings.Index(s, order[1])
		if says < 0 || keys < says || strings.Count(s, order[1]) != 1 {
			t.Errorf("%s: %q is not below %q:\n%s", uid, order[1], order[0], s)
		}
	}
}

// Every reason is there, beside the sections that say some of them whole.
func TestOverviewNamesEveryReason(t *testing.T) {
	snap := story()
	i, _ := snap.Index(uidLog)
	log := *snap.At(i)
	log.Status.IsPaused, log.Status.PauseReason = true, "lunch"
	log.Status.ChangedBecause = []model.ChangeReason{{File: "spec.json", Old: "sha256-1", New: "sha256-2"}}
	log.DependsOn = []model.UID{uidErr, uidEmpty}
	tasks := []*model.Task{&log}
	for _, uid := range log.DependsOn {
		k, _ := snap.Index(uid)
		tasks = append(tasks, snap.At(k))
	}
	d := shown(t, "dark", uidLog, Overview)
	d.SetTask(snapshot.New(snapshot.Input{Tasks: tasks}), uidLog)
	s := text.Strip(strings.Join(d.View(86, 120), "\n"))
	for _, want := range []string{"Waits for a person to review its plan", `Blocked by "Run the crash tests on CI"`, `Blocked by "A new idea"`, "Changed since it was accepted", "lunch"} {
		if !strings.Contains(s, want) {
			t.Errorf("it does not say %q:\n%s", want, s)
		}
	}
}

func TestHistoryNewestFirstAndUnfolds(t *testing.T) {
	d := shown(t, "dark", uidLog, History)
	serve(d)
	s := text.Strip(strings.Join(d.View(120, 20), "\n"))
	order := []string{"4m ", "3h ", "1d ", "2d ", "4d ", "5d "}
	last := -1
	for _, o := range order {
		i := strings.Index(s, o)
		if i <= last {
			t.Fatalf("%q is out of order:\n%s", o, s)
		}
		last = i
	}
	if d.Back() {
		t.Error("there was nothing to fold")
	}
	d.Move(2)
	if !d.Open() {
		t.Fatal("an event does not open")
	}
	s = text.Strip(strings.Join(d.View(120, 20), "\n"))
	if strings.Contains(s, "plan_hash") || strings.Contains(s, "log entry") {
		t.Errorf("hashes stand among what happened:\n%s", s)
	}
	d.ToggleRaw()
	s = text.Strip(strings.Join(d.View(120, 20), "\n"))
	d.ToggleRaw()
	for _, want := range []string{"rejected revision 2 of the plan", "ann", "2026-11-19 19:30:00", "plan_hash", "log entry", "not an event"} {
		if !strings.Contains(s, want) {
			t.Errorf("the unfolded event does not say %q:\n%s", want, s)
		}
	}
	// A new event on top does not move the cursor from its event.
	more := append(events(), model.Event{Name: model.Pause, UID: uidLog, At: now, Actor: "human:ann", File: "7.json"})
	d.SetHistory(uidLog, more, nil, nil)
	d.View(120, 20)
	if got := d.history.events[d.history.page.cur].File; got != "4.json" {
		t.Errorf("the cursor went to %s", got)
	}
	if !d.Back() || d.Back() {
		t.Error("Back folds once")
	}
}

func TestResultPreview(t *testing.T) {
	d := shown(t, "dark", uidLog, Result)
	serve(d)
	s := text.Strip(strings.Join(d.View(80, 12), "\n"))
	for _, want := range []string{"data/out.bin", "5.2 MB", "summary.md", "1.2 kB", "3 files"} {
		if !strings.Contains(s, want) {
			t.Errorf("the list does not say %q:\n%s", want, s)
		}
	}
	open := func(n int, wants ...string) {
		t.Helper()
		d.Home()
		d.Move(n)
		if !d.Open() {
			t.Fatal("nothing opens")
		}
		serve(d)
		s := text.Strip(strings.Join(d.View(80, 16), "\n"))
		for _, want := range wants {
			if !strings.Contains(s, want) {
				t.Errorf("file %d does not show %q:\n%s", n, want, s)
			}
		}
		if !d.Back() {
			t.Error("Back does not close the file")
		}
	}
	open(0, "isn't text", "o open it outside")
	open(1, "1 package log", "3 func main")
	open(2, "It works, mostly.", "the first 31 B")
	d.Home()
	d.Move(2)
	d.Open()
	serve(d)
	if p, body, ok := d.File(); !ok || p != "summary.md" || !strings.HasPrefix(string(body), "# Summary") {
		t.Errorf("File is %q %q %v", p, body, ok)
	}
	// The file changes on disk: it is wanted again, and shown meanwhile.
	d.SetResults(uidLog, []model.ResultFile{{Path: "summary.md", Size: 9, Hash: "sha256-other"}}, nil)
	if n := d.Needs(); len(n) != 1 || n[0].Kind != NeedFile {
		t.Errorf("a changed file needs %v", n)
	}
	if !strings.Contains(strings.Join(d.View(80, 16), ""), "works") {
		t.Error("the open file is gone while it is read again")
	}
	d.SetResults(uidLog, nil, nil)
	if d.Back() {
		t.Error("a file that is gone is still open")
	}
}

func TestPlanHead(t *testing.T) {
	d := shown(t, "dark", uidSync, Plan)
	head := func(c *model.Content) string {
		d.SetContent(uidSync, model.Plan, c, nil)
		return text.Strip(d.View(90, 20)[0])
	}
	c := content(model.Plan, planText, 1)
	if s := head(c); !strings.Contains(s, "ann accepted revision 1; this text is different") || !strings.Contains(s, "1 hidden") {
		t.Errorf("another text than the accepted one: %q", s)
	}
	c = content(model.Plan, planText+"\nmore\n", 0)
	if s := head(c); !strings.Contains(s, "edited outside vespe") {
		t.Errorf("an external edit: %q", s)
	}
	c = content(model.Plan, planText, 1)
	c.Hash = "sha256-bb"
	if s := head(c); !strings.Contains(s, "accepted by ann") {
		t.Errorf("the accepted text: %q", s)
	}
}

func TestSearchInPages(t *testing.T) {
	for tab, c := range map[Tab]struct {
		q string
		n int
	}{Overview: {"revision", 3}, History: {"claude", 3}, Result: {"log", 1}, Plan: {"link", 2}} {
		d := shown(t, "dark", uidLog, tab)
		d.View(100, 14)
		serve(d)
		before := d.View(100, 14)
		d.SearchStart()
		if n := d.SearchType(c.q); n != c.n {
			t.Errorf("%s: %d matches of %q, want %d", tab, n, c.q, c.n)
		}
		for range c.n + 1 {
			v := d.View(100, 14)
			checkFrame(t, v, 100, 14)
			if !strings.Contains(strings.Join(v, ""), d.st.MatchNow.Open()) {
				t.Errorf("%s: the match is not in view", tab)
			}
			if _, ok := d.SearchNext(1); !ok {
				t.Errorf("%s: no next match", tab)
			}
		}
		if wrapped, _ := d.SearchNext(-1); c.n == 1 && !wrapped {
			t.Errorf("%s: the only match is not found around the end", tab)
		}
		if _, at, total := d.Searching(); at < 1 || total != c.n {
			t.Errorf("%s: at %d of %d", tab, at, total)
		}
		d.SearchCancel()
		text := before // what has been read stays read
		now := d.View(100, 14)
		if tab == Plan {
			text, now = text[1:], now[1:]
		}
		if !slices.Equal(text, now) {
			t.Errorf("%s: cancelling does not go back:\n%s", tab, strings.Join(d.View(100, 14), "\n"))
		}
		if n := d.SearchType("nowhere at all"); n != 0 {
			t.Errorf("%s: %d matches of nothing", tab, n)
		}
	}
}

// A page that is drawn anew stays at the match that it was at.
func TestAPageDrawnAnewKeepsItsMatch(t *testing.T) {
	d := shown(t, "dark", uidLog, Overview)
	d.View(100, 14)
	serve(d)
	d.View(100, 14)
	if n := d.SearchType("revision"); n != 3 {
		t.Fatalf("%d matches", n)
	}
	d.SearchAccept()
	d.SearchNext(1)
	d.View(52, 14)
	if _, at, total := d.Searching(); at != 2 || total != 3 {
		t.Errorf("narrower, it is at %d of %d", at, total)
	}
	d.SearchNext(1)
	if _, at, _ := d.Searching(); at != 3 {
		t.Errorf("the next one is %d", at)
	}
}

func TestTabs(t *testing.T) {
	d := shown(t, "dark", uidLog, Overview)
	if s := text.Strip(d.Tabs(60)); s != "overview  objective  plan  history  result  runs" {
		t.Errorf("tabs are %q", s)
	}
	if s := text.Strip(d.Tabs(20)); s != "overview" {
		t.Errorf("narrow tabs are %q", s)
	}
	for x, want := range map[int]Tab{0: Overview, 10: Objective, 21: Plan, 27: History, 36: Result, 44: Runs} {
		if got, ok := d.TabAt(x, 60); !ok || got != want {
			t.Errorf("TabAt(%d) is %v %v, want %v", x, got, ok, want)
		}
	}
	if _, ok := d.TabAt(8, 60); ok {
		t.Error("a gap is a tab")
	}
	d.Next(-1)
	if d.Tab() != Runs {
		t.Errorf("before the first tab is %v", d.Tab())
	}
	d.Next(1)
	if d.Tab() != Overview {
		t.Errorf("after the last tab is %v", d.Tab())
	}
}

func TestSameTaskKeepsThePlace(t *testing.T) {
	d := shown(t, "dark", uidLog, Overview)
	d.View(60, 10)
	d.HalfPage(3)
	before := d.View(60, 10)
	d.SetTask(story(), uidLog)
	if !slices.Equal(before, d.View(60, 10)) {
		t.Error("a new snapshot scrolls the overview")
	}
	d.Show(Plan)
	serve(d)
	d.View(60, 10)
	d.Move(4)
	before = d.View(60, 10)
	d.SetContent(uidLog, model.Plan, content(model.Plan, planText, 3), nil)
	if !slices.Equal(before, d.View(60, 10)) {
		t.Error("the same text read again scrolls")
	}
}

// BenchmarkSelect: the cursor moves to another task, and the overview is drawn.
func BenchmarkSelect(b *testing.B) {
	d := shown(b, "dark", uidLog, Overview)
	s := story()
	uids := []model.UID{uidLog, uidRoot, uidErr}
	for i := 0; b.Loop(); i++ {
		d.SetTask(s, uids[i%len(uids)])
		d.View(110, 50)
	}
}

// BenchmarkFrame: a frame in which nothing of the pane has changed.
func BenchmarkFrame(b *testing.B) {
	d := shown(b, "dark", uidLog, Overview)
	for b.Loop() {
		d.View(110, 50)
	}
}

// What was parsed where it was read is not parsed again.
func TestWhatWasParsedIsTaken(t *testing.T) {
	d := shown(t, "dark", uidLog, Result)
	d.View(120, 40)
	serve(d)
	d.SetSummary(d.uid, []byte("here"), markdown.Parse([]byte("parsed beside")))
	if got := text.Strip(strings.Join(d.View(120, 40), "\n")); !strings.Contains(got, "parsed beside") {
		t.Errorf("the summary is parsed again: %s", got)
	}
}
