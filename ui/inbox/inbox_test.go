package inbox

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/model"
	"vespe/ui/style"
	"vespe/ui/viewtest"
)

func files() viewtest.Files {
	return viewtest.Files{
		Read: os.ReadFile, Write: os.WriteFile,
		Update: os.Getenv("UPDATE_GOLDEN") != "", Dump: os.Getenv("VESPE_DUMP"),
	}
}

func plainStyles() *style.Styles { return viewtest.Styles(style.Options{Dark: true, NoColor: true}) }

func store(seeds []viewtest.Seed) *model.Snapshot {
	now := viewtest.Now()
	in := model.Input{StoreID: "test", Requests: []model.Request{
		{ID: "r1", TaskUID: viewtest.UID(9), Kind: "question", Title: "Which paper size for letters to the US?", State: "pending", CreatedAt: now.Add(-26 * time.Hour)},
		{ID: "r2", TaskUID: viewtest.UID(16), Kind: "escalation", Title: "\"Archive for ten years\" failed; \"Release 1.0\" waits for it", State: "pending", CreatedAt: now.Add(-20 * 24 * time.Hour)},
		{ID: "r3", Kind: "action", Title: "Renew the certificate", State: "pending", CreatedAt: now.Add(-3 * time.Minute)},
	}}
	for k, s := range seeds {
		in.Tasks = append(in.Tasks, s.Task(k))
	}
	return model.NewSnapshot(in)
}

func project() *Inbox {
	b := New(plainStyles())
	b.SetNow(viewtest.Now())
	b.SetSnapshot(store(viewtest.Project()))
	b.View(100, 40)
	return b
}

func plain(b *Inbox, w, h int) string { return ansi.Strip(strings.Join(b.View(w, h), "\n")) }

func TestGolden(t *testing.T) {
	for _, look := range viewtest.Looks() {
		for _, size := range []struct {
			name string
			w, h int
		}{{"narrow", 34, 18}, {"pane", 60, 22}, {"wide", 120, 22}} {
			b := New(viewtest.Styles(look.Opt))
			b.SetNow(viewtest.Now())
			b.SetSnapshot(store(viewtest.Project()))
			b.Move(1)
			files().Golden(t, size.name+"-"+look.Name, b.View(size.w, size.h), size.w, size.h)
		}
	}
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
	first, _ := b.Item()
	b.Group(1)
	second, _ := b.Item()
	if first.Kind == second.Kind {
		t.Error("the next group is the same kind")
	}
	b.Group(-1)
	if it, _ := b.Item(); it.Kind != first.Kind {
		t.Error("back is not the first kind")
	}
	b.End()
	if it, _ := b.Item(); it.Kind != model.InboxProblem {
		t.Errorf("the last item is a %v", it.Kind)
	}
	if _, ok := b.Problem(); !ok {
		t.Error("the last item has no problem")
	}
	// A problem is found by its task, and then says what it is.
	it, _ := b.Item()
	row := b.View(120, len(b.rows))[b.cur]
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
	line := b.cur - b.win.Top
	seeds[11].Status, seeds[12].Status = model.StatusReviewPlan, model.StatusReviewPlan
	b.SetSnapshot(store(seeds))
	if uid, _ := b.Selected(); uid != viewtest.UID(8) {
		t.Errorf("the cursor went to %q", uid)
	}
	if got := b.cur - b.win.Top; got != line {
		t.Errorf("the cursor went from line %d of the screen to %d", line, got)
	}
	seeds[8].Status = model.StatusDone // decided: it leaves
	b.SetSnapshot(store(seeds))
	if _, ok := b.Item(); !ok {
		t.Error("the cursor is on no item")
	}
}

func TestEmptyPlacesSaySo(t *testing.T) {
	b := New(plainStyles())
	b.Move(1)
	b.Group(1)
	b.Group(-1)
	b.SearchType("x")
	b.SearchNext(1)
	b.Click(1, 1)
	if got := strings.TrimSpace(plain(b, 60, 4)); got != "" {
		t.Errorf("before the first snapshot it says %q", got)
	}
	b.SetSnapshot(viewtest.Snapshot(nil))
	if got := plain(b, 60, 9); !strings.Contains(got, "Nothing waits for you.") {
		t.Errorf("empty it shows\n%s", got)
	}
	b.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
	b.SetFilter(func(*model.Snapshot, int) bool { return false })
	if got := plain(b, 60, 9); !strings.Contains(got, "matches the filter") {
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
	snaps := []*model.Snapshot{
		store(viewtest.Project()), viewtest.Snapshot(viewtest.Large(120, 3)), viewtest.Snapshot(nil),
		store([]viewtest.Seed{{Name: "👩‍👩‍👧 हिन्दी\x1b[2J\u202e", Parent: -1, Status: model.StatusReviewPlan}, {Name: "", Parent: 0, Status: model.StatusWaiting}}),
	}
	rapid.Check(t, func(t *rapid.T) {
		look := rapid.SampledFrom(viewtest.Looks()).Draw(t, "look")
		b := New(viewtest.Styles(look.Opt))
		b.SetNow(viewtest.Now())
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			d := rapid.IntRange(-9, 9).Draw(t, "d")
			text := rapid.SampledFrom([]string{"", "a", "plan", "zzz"}).Draw(t, "text")
			actions := []func(){
				func() { b.SetSnapshot(rapid.SampledFrom(snaps).Draw(t, "snap")) },
				func() { b.Move(d) }, func() { b.Page(d) }, func() { b.HalfPage(d) }, b.Home, b.End, func() { b.Group(d) },
				func() { b.Jump(viewtest.UID(d + 9)) }, func() { b.Wheel(d) }, func() { b.Click(3, max(0, d)) },
				func() { b.SetFocused(d > 0) }, b.SearchStart, func() { b.SearchType(text) }, b.SearchAccept,
				b.SearchCancel, func() { b.SearchNext(d) }, b.SearchClear, func() { b.SetFilter(nil) },
				func() { b.SetFilter(func(_ *model.Snapshot, i int) bool { return i%3 == 0 }) },
			}
			actions[rapid.IntRange(0, len(actions)-1).Draw(t, "action")]()
			w, h := rapid.IntRange(1, 140).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")
			if err := viewtest.Check(b.View(w, h), w, h); err != nil {
				t.Fatal(err)
			}
			if _, ok := b.Item(); !ok && b.Len() > 0 {
				t.Fatal("the cursor is on no item")
			}
		}
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
	in := model.Input{StoreID: "test", Requests: []model.Request{
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
	b := New(plainStyles())
	b.SetNow(now)
	b.SetClock(now)
	b.SetSnapshot(model.NewSnapshot(in))
	b.View(100, 40)
	b.SearchType("two")
	b.SearchAccept()
	if b.SetClock(now.Add(59 * time.Second)) {
		t.Error("it expired too soon")
	}
	if !b.SetClock(now.Add(time.Minute)) || b.SetClock(now.Add(2*time.Minute)) {
		t.Error("it did not expire once")
	}
	if it, _ := b.Item(); it.Request != "r2" || it.Kind != model.InboxExpired {
		t.Errorf("the cursor is on %+v", it)
	}
	got := plain(b, 100, 40)
	for _, want := range []string{"Expired, not answered  1", "Put off"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not there:\n%s", want, got)
		}
	}
}
