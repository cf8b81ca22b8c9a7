package demo

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/store"
)

// build writes the demo as of a moment.
func build(t testing.TB, now time.Time) (*store.Store, *snapshot.Snapshot) {
	t.Helper()
	s, err := store.Init(t.TempDir(), store.Options{Scratch: true, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	last, total := 0, -1
	count := func(done, all int) {
		if done <= last || done > all {
			t.Errorf("%d of %d written, after %d", done, all, last)
		}
		last, total = done, all
	}
	if err := Build(t.Context(), s, now, count); err != nil {
		t.Fatal(err)
	}
	if last != total {
		t.Errorf("the count ends at %d of %d", last, total)
	}
	snap, err := s.Load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, snap
}

func TestDemo(t *testing.T) {
	now := time.Date(2026, 3, 4, 15, 6, 7, 0, time.UTC)
	s, snap := build(t, now)
	t.Run("tasks", func(t *testing.T) { checkTasks(t, snap) })
	t.Run("history", func(t *testing.T) { checkHistory(t, s, snap, now) })
	t.Run("documents", func(t *testing.T) { checkDocuments(t, s, snap) })
	t.Run("doctor", func(t *testing.T) {
		problems, err := s.Fsck().Doctor(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) != 1 || problems[0].Code != "cycle" {
			t.Errorf("doctor finds %+v, and not just the cycle", problems)
		}
	})
	t.Run("read again", func(t *testing.T) {
		other, err := store.Open(s.Root(), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		again, err := other.Load(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range snap.Len() {
			if again.At(i).UID != snap.At(i).UID || again.Status(i) != snap.Status(i) {
				t.Errorf("%s: %s on disk, %s in memory", snap.At(i).Config.Name, again.Status(i), snap.Status(i))
			}
		}
	})
}

func checkTasks(t *testing.T, snap *snapshot.Snapshot) {
	if n := snap.Len(); n < 36 || n > 44 {
		t.Errorf("%d tasks, want about 40", n)
	}
	// Every status that a task can have but that of one which cannot be read.
	total := snap.Total()
	for _, status := range model.Statuses() {
		if status != model.StatusProblem && total[status] == 0 {
			t.Errorf("no task is %q", status)
		}
	}
	if total[model.StatusProblem] > 0 {
		t.Errorf("%d tasks cannot be read", total[model.StatusProblem])
	}
	if cycles := snap.Cycles(); len(cycles) != 1 || len(cycles[0]) != 2 {
		t.Errorf("cycles: %v", cycles)
	}
	low := slices.DeleteFunc(slices.Clone(snap.Requests()), func(q model.Request) bool { return !q.IsOpen() || q.Risk != model.RiskLow })
	if len(low) < 2 {
		t.Errorf("%d low-risk requests wait, and several are to be approved at once", len(low))
	}
	kinds := map[snapshot.InboxKind]int{}
	for _, item := range snap.Inbox() {
		kinds[item.Kind]++
	}
	for _, kind := range []snapshot.InboxKind{snapshot.InboxPlan, snapshot.InboxWork, snapshot.InboxWaiting, snapshot.InboxChanged} {
		if kinds[kind] == 0 {
			t.Errorf("nothing of the kind %q is in the inbox", kind)
		}
	}
	depth, across, retried, twice := 0, 0, 0, 0
	names := map[string]bool{}
	for i := range snap.Len() {
		task := snap.At(i)
		depth = max(depth, snap.Depth(i))
		if names[task.Config.Name] {
			t.Errorf("two tasks are called %q", task.Config.Name)
		}
		names[task.Config.Name] = true
		for _, d := range snap.DependsOn(i) {
			if snap.Parent(int(d)) != snap.Parent(i) {
				across++
			}
		}
		if task.Status.RetryCount > 0 {
			retried++
		}
		if task.Status.PlanRevision > 1 {
			twice++
		}
		if len(task.Problems) > 0 {
			t.Errorf("%s: %+v", task.Config.Name, task.Problems)
		}
	}
	if depth < 2 || across < 3 || retried == 0 || twice < 2 {
		t.Errorf("depth %d, %d dependencies across branches, %d retried, %d with several plans", depth, across, retried, twice)
	}
}

func checkHistory(t *testing.T, s *store.Store, snap *snapshot.Snapshot, now time.Time) {
	days, actors, names := map[string]bool{}, map[model.Actor]bool{}, map[model.Name]bool{}
	for i := range snap.Len() {
		task := snap.At(i)
		events, problems, err := s.History(t.Context(), task.UID)
		if err != nil || len(problems) > 0 || len(events) == 0 {
			t.Fatalf("%s: %d events, %v, %v", task.Config.Name, len(events), problems, err)
		}
		if !events[0].At.Equal(task.Config.CreatedAt) {
			t.Errorf("%s: made at %s, but its history begins at %s", task.Config.Name, task.Config.CreatedAt, events[0].At)
		}
		for k, e := range events {
			if !e.At.Before(now) {
				t.Errorf("%s: %s happens at %s, in the future", task.Config.Name, e.Name, e.At)
			}
			if k > 0 && e.At.Before(events[k-1].At) {
				t.Errorf("%s: %s is out of order", task.Config.Name, e.Name)
			}
			days[e.At.Format(time.DateOnly)], actors[e.Actor], names[e.Name] = true, true, true
		}
	}
	if len(days) < 5 {
		t.Errorf("it all happens on %d days", len(days))
	}
	for _, actor := range []model.Actor{ann, raj, claude, codex} {
		if !actors[actor] {
			t.Errorf("%s does nothing", actor)
		}
	}
	for _, row := range lifecycle.Table() {
		switch row.Name {
		case model.ReviewRejected, model.RejectPlan, model.Replan, model.RaiseError, model.Retry, model.Pause, model.Abort,
			model.AcceptPlan, model.Start, model.WorkCompleted, model.ReviewAccepted, model.DefinePlan, model.DefineObjective:
			if !names[row.Name] {
				t.Errorf("nobody ever fires %s", row.Name)
			}
		}
	}
}

// checkDocuments: what is said to be there is there, and every acceptance is of the bytes
// that lie in the store.
func checkDocuments(t *testing.T, s *store.Store, snap *snapshot.Snapshot) {
	for i := range snap.Len() {
		task := snap.At(i)
		for _, d := range []struct {
			doc model.Doc
			has bool
			n   int
		}{{model.Objective, task.HasObjective, task.Status.ObjectiveRevision}, {model.Plan, task.HasPlan, task.Status.PlanRevision}} {
			if (d.n > 0) != d.has {
				t.Errorf("%s: revision %d of its %s, which is there: %v", task.Config.Name, d.n, d.doc, d.has)
			}
			for n := 1; n <= d.n; n++ {
				c, err := s.Revision(t.Context(), task.UID, d.doc, n)
				if err != nil || !strings.HasSuffix(string(c.Body), "\n") {
					t.Errorf("%s: revision %d of its %s: %q, %v", task.Config.Name, n, d.doc, c.Body, err)
				}
			}
		}
		if a := task.Status.AcceptedPlan; a != nil {
			c, err := s.Content(t.Context(), task.UID, model.Plan)
			if err != nil || c.Hash != a.PlanHash || a.By.Kind() != model.Human {
				t.Errorf("%s: accepted %+v, there is %s, %v", task.Config.Name, a, c.Hash, err)
			}
		}
		if task.Status.CurrentState == model.Completed {
			results, err := s.Results(t.Context(), task.UID)
			if err != nil || len(results) == 0 {
				t.Errorf("%s is completed and has no result: %v", task.Config.Name, err)
			}
		}
	}
}

// The story can be told at any hour of any day, and is told the same way twice.
func TestStoryAtAnyHour(t *testing.T) {
	for _, now := range []time.Time{
		time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC),
		time.Date(2025, 1, 1, 0, 30, 0, 0, time.UTC),
		time.Date(2025, 3, 30, 1, 59, 59, 999, time.FixedZone("", 2*3600)),
		time.Date(2025, 12, 31, 23, 59, 59, 0, time.FixedZone("", -11*3600)),
	} {
		a, b := tell(now), tell(now)
		if a.err != nil {
			t.Errorf("at %s: %v", now, a.err)
			continue
		}
		last := a.ops[len(a.ops)-1].At
		if !last.Before(now) || now.Sub(last) > 3*time.Hour {
			t.Errorf("at %s the story ends at %s", now, last)
		}
		if !slices.IsSortedFunc(a.ops, func(x, y model.Op) int { return x.At.Compare(y.At) }) {
			t.Errorf("at %s: not in order", now)
		}
		if len(a.ops) != len(b.ops) || !slices.EqualFunc(a.ops, b.ops, func(x, y model.Op) bool {
			return x.UID == y.UID && x.Name == y.Name && x.At.Equal(y.At) && x.Text() == y.Text()
		}) {
			t.Errorf("at %s: told in two ways", now)
		}
	}
	_, snap := build(t, time.Date(2025, 1, 1, 0, 30, 0, 0, time.UTC))
	checkTasks(t, snap)
}

// What the story says of itself that is wrong is an error, not half a store.
func TestStoryMistakes(t *testing.T) {
	start := func() *story {
		return &story{first: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), uids: map[string]model.UID{}}
	}
	for name, mistake := range map[string]func(*story){
		"no such task":    func(s *story) { s.start(ann, "nobody") },
		"no such text":    func(s *story) { s.create(ann, "untold", "Untold", "", task{}) },
		"two of one name": func(s *story) { s.name("a"); s.name("a") },
		"back in time":    func(s *story) { s.at(2, "10:00"); s.at(1, "10:00") },
		"no time":         func(s *story) { s.at(0, "25:00") },
	} {
		s := start()
		mistake(s)
		if s.err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
