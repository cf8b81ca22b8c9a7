package feed

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/ui/style"
)

// happened is a chronicle of a task of viewtest.Project: one event each given number of hours before
// viewtest.Now.
func happened(k int, name string, hours ...int) *history.Chronicle {
	steps := []model.Event{
		{Name: model.CreateTask, To: model.Created, Actor: "human:ann", Summary: "create %q"},
		{Name: model.DefineObjective, From: model.Created, To: model.ObjectiveDefined, Actor: "agent:claude", Summary: "define objective of %q: revision 1"},
		{Name: model.DefinePlan, From: model.ObjectiveDefined, To: model.PlanDefined, Actor: "agent:claude", Summary: "define plan of %q: revision 1 waits for review"},
		{Name: model.AcceptPlan, From: model.PlanDefined, To: model.Working, Actor: "human:ann", Summary: "accept plan of %q: ready to start"},
		{Name: model.Start, From: model.Working, To: model.Working, Actor: "mcp_client:cursor", Summary: "start %q: mcp_client:cursor works on it"},
		{Name: model.RaiseError, From: model.Working, To: model.Errored, Actor: "agent:claude", Summary: "report error of %q", Reason: "the tests fail\nin the parser \x1b[31m"},
		{Name: "something_else", Actor: "system:vespe", Summary: "nothing that is known"},
	}
	var events []model.Event
	for n, h := range hours {
		e := steps[n]
		e.UID, e.At, e.Seq = viewtest.UID(k), viewtest.Now().Add(-time.Duration(h)*time.Hour), uint64(1000-h)
		if strings.Contains(e.Summary, "%q") {
			e.Summary = fmt.Sprintf(e.Summary, name)
		}
		events = append(events, e)
	}
	return history.NewChronicle(viewtest.UID(k), events)
}

func project() *history.Journal {
	return history.New(1000, []*history.Chronicle{
		happened(5, "Dunning letters", 60, 59, 50, 30, 28, 3, 2),
		happened(6, "Templates in German and 日本語", 40, 39, 38, 1),
		happened(500, "Gone by now", 9000, 8000),
	})
}

func shown(w, h int) *Feed {
	f := New(viewtest.Plain())
	f.SetNow(viewtest.Now())
	f.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
	f.SetJournal(project())
	f.View(w, h)
	return f
}

func TestGolden(t *testing.T) {
	sizes := []viewtest.Size{{Name: "narrow", W: 34, H: 18}, {Name: "pane", W: 60, H: 22}, {Name: "wide", W: 120, H: 22}}
	viewtest.Goldens(t, sizes, func(st *style.Styles, _ viewtest.Size) viewtest.Viewer {
		f := New(st)
		f.SetNow(viewtest.Now())
		f.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
		f.SetJournal(project())
		f.Move(1)
		return f
	})
}

// What happens comes in at the top while that is in view; else the rows stay where they are, and it is
// counted. The cursor stays on its event either way.
func TestNewEventsMoveNothing(t *testing.T) {
	f := shown(80, 6)
	f.Move(1)
	c, m, _ := f.Moment()
	was := *m
	grow := func(hours ...int) {
		f.SetJournal(f.j.With(f.j.Head()+1, []*history.Chronicle{happened(9, "Invoices as PDF", hours...)}, nil))
		f.View(80, 6)
	}
	grow(0)
	if !strings.Contains(viewtest.Text(f, 80, 6), "Invoices as PDF") {
		t.Errorf("what is new is not at the top:\n%s", viewtest.Text(f, 80, 6))
	}
	if d, now, _ := f.Moment(); d.UID != c.UID || *now != was {
		t.Errorf("the cursor went to %s %v", d.UID, now)
	}
	f.End()
	line := f.Cur - f.Win.Top
	c, m, _ = f.Moment()
	grow(1, 0)
	grow(2, 1, 0)
	if d, now, _ := f.Moment(); d.UID != c.UID || now.When() != m.When() || f.Cur-f.Win.Top != line {
		t.Errorf("the cursor went to %s %v on line %d", d.UID, now, f.Cur-f.Win.Top)
	}
	if _, _, fresh := f.Counted(); fresh != 2 {
		t.Errorf("%d events came in above", fresh)
	}
	f.Home()
	if _, _, fresh := f.Counted(); fresh != 0 {
		t.Errorf("%d events are still counted", fresh)
	}
}

func TestNarrowing(t *testing.T) {
	f := shown(100, 40)
	_, total, _ := f.Counted()
	f.Narrow("agent", nil)
	if got := viewtest.Text(f, 100, 40); strings.Contains(got, "ann") || !strings.Contains(got, "claude") {
		t.Errorf("what agents did is\n%s", got)
	}
	work := history.KindWork
	f.Narrow("claude", &work)
	if n, all, _ := f.Counted(); n != 1 || all != total {
		t.Errorf("%d of %d", n, all)
	}
	if got := viewtest.Text(f, 100, 40); !strings.Contains(got, "Reported error") || !strings.Contains(got, "the tests fail in the parser ␛[31m") {
		t.Errorf("the error is\n%s", got)
	}
	f.Narrow("nobody", &work)
	if got := viewtest.Text(f, 100, 40); !strings.Contains(got, `Nothing of the kind "work" was done by nobody.`) {
		t.Errorf("with nothing it says\n%s", got)
	}
	f.Narrow("", nil)
	f.SetFilter(func(s *snapshot.Snapshot, i int) bool { return s.UID(i) == viewtest.UID(6) })
	if n, _, _ := f.Counted(); n != 4 {
		t.Errorf("%d events of the task", n)
	}
}

func TestDaysAndJumps(t *testing.T) {
	f := shown(100, 40)
	var heads []string
	for line := range strings.SplitSeq(viewtest.Text(f, 100, 40), "\n") {
		if !strings.Contains(line, ":") && strings.TrimSpace(line) != "" {
			heads = append(heads, strings.TrimSpace(line))
		}
	}
	if want := []string{"Today", "Yesterday", "Wed 18 Nov", "Mon 22 Dec 2025", "Mon 10 Nov 2025"}; !slices.Equal(heads, want) {
		t.Errorf("the days are %q, want %q", heads, want)
	}
	if !f.Jump(viewtest.UID(500)) {
		t.Error("the task is not found")
	}
	if _, ok := f.Selected(); ok {
		t.Error("a task that has gone is selected")
	}
	if f.Jump(viewtest.UID(7)) {
		t.Error("a task to which nothing happened is found")
	}
	f.Home()
	_, first, _ := f.Moment()
	f.Group(9) // one group, however far
	if _, m, _ := f.Moment(); !m.When().Before(viewtest.Now().Add(-12 * time.Hour)) {
		t.Errorf("the day before begins with %v", m.When())
	}
	f.Group(-1)
	if _, m, _ := f.Moment(); *m != *first {
		t.Errorf("back is %v", m)
	}
}

func TestEmptyPlacesSaySo(t *testing.T) {
	f := New(viewtest.Plain())
	f.Move(1)
	f.Group(1)
	f.Group(-1)
	f.SearchType("x")
	f.SearchNext(1)
	f.Click(1, 1)
	f.SetReading("Reading the history")
	if got := viewtest.Text(f, 60, 9); !strings.Contains(got, "Reading the history") {
		t.Errorf("before the first journal it says %q", got)
	}
	f.SetJournal(history.New(0, nil))
	if got := viewtest.Text(f, 60, 9); !strings.Contains(got, "No activity yet.") {
		t.Errorf("empty it shows\n%s", got)
	}
}

func TestFramesAreExact(t *testing.T) {
	js := []*history.Journal{project(), history.New(1, nil)}
	js = append(js, js[0].With(1001, []*history.Chronicle{happened(3, "👩‍👩‍👧 हिन्दी\x1b[2J\u202e", 9, 8, 7, 6, 5, 4)}, []model.UID{viewtest.UID(6)}))
	viewtest.Frames(t, viewtest.Stores(), func(st *style.Styles) viewtest.Subject {
		f := New(st)
		f.SetNow(viewtest.Now())
		f.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
		more := func(t *rapid.T, d int) []func() {
			kind := history.EventKind(rapid.IntRange(0, int(history.NumEventKinds)-1).Draw(t, "kind"))
			return []func(){
				func() { f.SetJournal(rapid.SampledFrom(js).Draw(t, "journal")) }, func() { f.Group(1 - 2*(d&1)) },
				func() { f.Narrow("agent", nil) }, func() { f.Narrow("", &kind) }, func() { f.Narrow("", nil) },
				func() { f.SetNow(viewtest.Now().Add(time.Duration(d) * 9 * time.Hour)) },
			}
		}
		wrong := func() string {
			if _, _, ok := f.Moment(); !ok && len(f.found) > 0 {
				return "the cursor is on no event"
			}
			return ""
		}
		return viewtest.Subject{List: f, More: more, Wrong: wrong}
	})
}

// A key that moves the cursor, with the frame after it, over the events of thousands of tasks; and an
// event that comes in.
func BenchmarkKeypress(b *testing.B) {
	press := func(n int) func(int) {
		f := big(n)
		f.Page(1000)
		f.Page(-1)
		return func(n int) {
			f.Move(1 - n%2*2)
			f.View(100, 50)
		}
	}
	viewtest.Ratio(b, press(40), press(10_000))
}

func BenchmarkEvent(b *testing.B) {
	f := big(10_000)
	for b.Loop() {
		f.SetJournal(f.j.With(f.j.Head()+1, []*history.Chronicle{happened(9, "Invoices as PDF", 1, 0)}, nil))
		f.View(100, 50)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms≤50")
	b.ReportMetric(0, "ns/op")
}

// big is a feed of n tasks with seven events each.
func big(n int) *Feed {
	f := New(viewtest.Styles(style.Options{Dark: true}))
	f.SetNow(viewtest.Now())
	f.SetSnapshot(viewtest.Snapshot(viewtest.Large(n, 1)))
	var all []*history.Chronicle
	for k := range n {
		all = append(all, happened(k, "a task", k%900+7, k%900+6, k%900+5, k%900+4, k%900+3, k%900+2, k%900+1))
	}
	f.SetJournal(history.New(1, all))
	f.View(100, 50)
	return f
}

func TestWhatAnEventSaysBesides(t *testing.T) {
	for summary, want := range map[string]string{
		`accept plan of "Parse": waits for "Lex"`:             `waits for "Lex"`,
		`assign "Parse" to milestone M1 "Books that balance"`: `to milestone M1 "Books that balance"`,
		`rename "Parse"`: "",
	} {
		if got := detail(&history.Moment{Summary: summary}); got != want {
			t.Errorf("%s: %q, want %q", summary, got, want)
		}
	}
	// In a narrow row, what comes of a question would leave no room for it.
	ask := model.Event{
		Name: model.Ask, UID: viewtest.UID(5), At: viewtest.Now(), Actor: "agent:claude",
		Summary: `ask "Which port?" about "Parse": it still waits for a person`, Details: model.Extra{model.TextField("title", "Which port?")},
	}
	_, m := history.New(1, []*history.Chronicle{history.NewChronicle(ask.UID, []model.Event{ask})}).At(0)
	if got := detail(m); got != "Which port?" {
		t.Errorf("of a question it says %q", got)
	}
	answer := model.Event{
		Name: model.AnswerRequest, UID: viewtest.UID(5), At: viewtest.Now(), Actor: "human:ann",
		Summary: `choose for "Which \"port\"?" about "Parse": chose "80"; it resumes`,
		Details: model.Extra{model.TextField("title", `Which "port"?`), model.TextField("decision", "choose"), model.TextField("choice", "80")},
	}
	_, m = history.New(1, []*history.Chronicle{history.NewChronicle(answer.UID, []model.Event{answer})}).At(0)
	if got := detail(m); got != `"Which 'port'?": 80` {
		t.Errorf("of an answer it says %q", got)
	}
}
