package inbox

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/style"
)

func store(seeds []viewtest.Seed) *snapshot.Snapshot {
	now := viewtest.Now()
	in := snapshot.Input{StoreID: "test", Requests: []model.Request{
		{ID: "r1", TaskUID: viewtest.UID(9), Kind: "question", Title: "Which paper size for letters to the US?", State: "pending", CreatedAt: now.Add(-26 * time.Hour)},
		{ID: "r2", TaskUID: viewtest.UID(16), Kind: "escalation", Title: "\"Archive for ten years\" failed; \"Release 1.0\" waits for it", State: "pending", CreatedAt: now.Add(-20 * 24 * time.Hour)},
		{ID: "r3", Kind: "action", Title: "Renew the certificate", State: "pending", CreatedAt: now.Add(-3 * time.Minute)},
	}}
	for k, s := range seeds {
		in.Tasks = append(in.Tasks, s.Task(k))
	}
	return snapshot.New(in)
}

func project() *Inbox {
	b := New(viewtest.Plain())
	b.SetNow(viewtest.Now())
	b.SetSnapshot(store(viewtest.Project()))
	b.View(100, 40)
	return b
}

func TestGolden(t *testing.T) {
	sizes := []viewtest.Size{{Name: "narrow", W: 34, H: 18}, {Name: "pane", W: 60, H: 22}, {Name: "wide", W: 120, H: 22}}
	viewtest.Goldens(t, sizes, func(st *style.Styles, _ viewtest.Size) viewtest.Viewer {
		b := New(st)
		b.SetNow(viewtest.Now())
		b.SetSnapshot(store(viewtest.Project()))
		b.Move(1)
		return b
	})
}

func TestCursorNeverRestsOnAHeader(t *testing.T) {
	b := project()
	var seen []string
	for range len(b.rows) {
		it, ok := b.Item()
		if !ok {
			t.Fatal("the cursor is on no item")
		}
		seen = append(seen, it.Title)
		b.Move(1)
	}
	distinct := map[string]bool{}
	for _, s := range seen {
		distinct[s] = true
	}
	if len(distinct) != b.Len() {
		t.Errorf("moving down went through %d of %d items", len(distinct), b.Len())
	}
	b.Home()
	b.End()
	if it, _ := b.Item(); it.Kind != snapshot.InboxProblem {
		t.Errorf("the last item is a %v", it.Kind)
	}
	if _, ok := b.Problem(); !ok {
		t.Error("the last item has no problem")
	}
	// A problem is found by its task, and then says what it is.
	it, _ := b.Item()
	row := b.View(120, len(b.rows))[b.Cur]
	name, said := strings.Index(row, "Broken task"), strings.Index(row, it.Title)
	if name < 0 || said < name {
		t.Errorf("the task's name is not before the problem: %q", row)
	}
}

func TestTheCursorStaysOnItsItem(t *testing.T) {
	seeds := viewtest.Project()
	b := project()
	b.View(80, 8)
	if !b.Jump(viewtest.UID(8)) {
		t.Fatal("a changed task is not in the inbox")
	}
	b.View(80, 8)
	line := b.Cur - b.Win.Top
	seeds[11].Status, seeds[12].Status = model.StatusReviewPlan, model.StatusReviewPlan
	b.SetSnapshot(store(seeds))
	if uid, _ := b.Selected(); uid != viewtest.UID(8) {
		t.Errorf("the cursor went to %q", uid)
	}
	if got := b.Cur - b.Win.Top; got != line {
		t.Errorf("the cursor went from line %d of the screen to %d", line, got)
	}
	seeds[8].Status = model.StatusDone // decided: it leaves
	b.SetSnapshot(store(seeds))
	if _, ok := b.Item(); !ok {
		t.Error("the cursor is on no item")
	}
}

func TestEmptyPlacesSaySo(t *testing.T) {
	b := New(viewtest.Plain())
	b.Move(1)
	b.SearchType("x")
	b.SearchNext(1)
	b.Click(1, 1)
	if got := strings.TrimSpace(viewtest.Text(b, 60, 4)); got != "" {
		t.Errorf("before the first snapshot it says %q", got)
	}
	b.SetSnapshot(viewtest.Snapshot(nil))
	if got := viewtest.Text(b, 60, 9); !strings.Contains(got, "Nothing waits for you.") {
		t.Errorf("empty it shows\n%s", got)
	}
	b.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
	b.SetFilter(func(*snapshot.Snapshot, int) bool { return false })
	if got := viewtest.Text(b, 60, 9); !strings.Contains(got, "matches the filter") {
		t.Errorf("filtered away it shows\n%s", got)
	}
	if shown, total := b.Counted(); shown != 0 || total == 0 {
		t.Errorf("%d of %d", shown, total)
	}
}

func TestAge(t *testing.T) {
	now := viewtest.Now()
	for _, c := range []struct {
		ago  time.Duration
		want string
	}{
		{-time.Hour, "now"},
		{59 * time.Second, "now"},
		{time.Minute, "1m"},
		{90 * time.Minute, "1h"},
		{23 * time.Hour, "23h"},
		{24 * time.Hour, "1d"},
		{20 * 24 * time.Hour, "20d"},
		{21 * 24 * time.Hour, "3w"},
		{364 * 24 * time.Hour, "52w"},
		{800 * 24 * time.Hour, "2y"},
	} {
		if got := Age(now, now.Add(-c.ago)); got != c.want {
			t.Errorf("Age of %v is %q, want %q", c.ago, got, c.want)
		}
	}
	if got := Age(now, time.Time{}); got != "" {
		t.Errorf("an unknown time is %q", got)
	}
}

func TestFramesAreExact(t *testing.T) {
	stores := append(viewtest.Stores(), store(viewtest.Project()))
	viewtest.Frames(t, stores, func(st *style.Styles) viewtest.Subject {
		b := New(st)
		b.SetNow(viewtest.Now())
		more := func(_ *rapid.T, d int) []func() { return []func(){func() { b.SetStay(d > 0) }} }
		wrong := func() string {
			if _, ok := b.Item(); !ok && b.Len() > 0 {
				return "the cursor is on no item"
			}
			return ""
		}
		return viewtest.Subject{List: b, More: more, Wrong: wrong}
	})
}

// A key that moves the cursor, with the frame after it, in an inbox of thousands.
func BenchmarkKeypress(b *testing.B) {
	press := func(n int) func(int) {
		in := New(viewtest.Styles(style.Options{Dark: true}))
		in.SetNow(viewtest.Now())
		in.SetSnapshot(viewtest.Snapshot(viewtest.Large(n, 1)))
		in.View(100, 50)
		in.Page(1000)
		in.Page(-1)
		return func(n int) {
			in.Move(1 - n%2*2)
			in.View(100, 50)
		}
	}
	viewtest.Ratio(b, press(400), press(100_000))
}

// A request that expires moves to a group of its own, and the cursor goes with it; what was put
// off is listed.
func TestExpiryAndWhatIsPutOff(t *testing.T) {
	now := viewtest.Now()
	seeds := viewtest.Project()
	in := snapshot.Input{StoreID: "test", Requests: []model.Request{
		{ID: "r1", Kind: "question", Title: "one", State: "pending", CreatedAt: now.Add(-2 * time.Hour)},
		{ID: "r2", Kind: "question", Title: "two", State: "pending", CreatedAt: now.Add(-time.Hour), ExpiresAt: now.Add(time.Minute)},
	}}
	for k, s := range seeds {
		task := s.Task(k)
		if task.Status.CurrentState == model.PlanDefined {
			task.Status.Review = &model.Review{Of: "plan", Revision: task.Status.PlanRevision, Verdict: model.VerdictDeferred}
		}
		in.Tasks = append(in.Tasks, task)
	}
	b := New(viewtest.Plain())
	b.SetNow(now)
	b.SetClock(now)
	b.SetSnapshot(snapshot.New(in))
	b.View(100, 40)
	b.SearchType("two")
	b.SearchAccept()
	if b.SetClock(now.Add(59 * time.Second)) {
		t.Error("it expired too soon")
	}
	if !b.SetClock(now.Add(time.Minute)) || b.SetClock(now.Add(2*time.Minute)) {
		t.Error("it did not expire once")
	}
	if it, _ := b.Item(); it.Request != "r2" || it.Kind != snapshot.InboxExpired {
		t.Errorf("the cursor is on %+v", it)
	}
	got := viewtest.Text(b, 100, 40)
	for _, want := range []string{"Expired without an answer  1", "Deferred"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not there:\n%s", want, got)
		}
	}
}

// After a verdict the cursor leaves the row that was held for it, to the item that follows.
func TestLeaveGoesToTheNextItem(t *testing.T) {
	b := project()
	uid, _ := b.Selected()
	for !b.Jump(viewtest.UID(8)) {
		t.Fatal("a changed task is not in the inbox")
	}
	if b.Leave() {
		t.Error("it left an item that still waits")
	}
	seeds := viewtest.Project()
	seeds[8].Status = model.StatusDone
	b.SetStay(true)
	b.SetSnapshot(store(seeds))
	if got, _ := b.Selected(); got != viewtest.UID(8) {
		t.Fatalf("the row is not held: %q", got)
	}
	if !b.Leave() {
		t.Error("it did not leave")
	}
	if got, ok := b.Selected(); got == viewtest.UID(8) || ok && got == uid {
		t.Errorf("the cursor is on %q", got)
	}
	if _, ok := b.Item(); !ok {
		t.Error("the cursor is on no item")
	}
}

// A problem under a cursor that stays may be gone in the next snapshot, and all others with it.
func TestAProblemThatIsRepairedUnderTheCursor(t *testing.T) {
	broken := model.Problem{Path: ".vespe/tasks/x/status.json", Severity: model.Error, Code: "bad-json", Reason: "isn't JSON"}
	seeds := []viewtest.Seed{{Name: "first", Parent: -1, Problems: []model.Problem{broken, broken}}, {Name: "second", Parent: -1, Problems: []model.Problem{broken}}}
	b := New(viewtest.Styles(viewtest.Looks()[0].Opt))
	b.SetSnapshot(store(seeds))
	b.View(60, 10)
	b.End()
	b.SetStay(true)
	for k := range seeds {
		seeds[k].Problems = nil
	}
	b.SetSnapshot(store(seeds))
	if uid, ok := b.Selected(); !ok || uid != viewtest.UID(1) {
		t.Errorf("the cursor is on %q", uid)
	}
}
