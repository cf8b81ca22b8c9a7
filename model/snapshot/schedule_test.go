package snapshot_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/schedule"
	"vespe/model/snapshot"
)

// What two snapshots say of their schedules is compared wherever all that they say is.
func TestMain(m *testing.M) {
	snapshot.PictureAbove(func(s *snapshot.Snapshot) any {
		c := schedule.Of(s)
		said := []any{schedule.Next(s, -1), c.Deadlocks(), c.Total, c.Path, c.Open, c.Stuck, c.Scale, c.Known}
		for i := range s.Len() {
			start, finish, slack, ok := c.Span(i)
			effort, source := c.Effort(i)
			said = append(said, start, finish, slack, ok, c.Behind(i), effort, source)
		}
		return said
	})
	os.Exit(m.Run())
}

func uids(s *snapshot.Snapshot, list []int32) (out []model.UID) {
	for _, i := range list {
		out = append(out, s.UID(int(i)))
	}
	return out
}

func TestScheduleFindsTheCriticalPathAndSlack(t *testing.T) {
	open := func(seconds int) func(*model.Task) {
		return snapshot.InState(model.PlanDefined, snapshot.Accepted, snapshot.Takes(seconds))
	}
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{
		snapshot.Node("a", open(60)),
		snapshot.Node("b", open(300), "a"),
		snapshot.Node("c", open(120), "a"),
		snapshot.Node("d", open(60), "b", "c", "past"),
		snapshot.Node("lone", open(30)),
		snapshot.Node("past", snapshot.InState(model.Completed, snapshot.Takes(9000))),
		snapshot.Node("dead", snapshot.InState(model.Failed)),
		snapshot.Node("never", open(5000), "dead"),
	}})
	c := schedule.Of(s)
	if c.Total != 7*time.Minute || fmt.Sprint(uids(s, c.Path)) != "[a b d]" {
		t.Errorf("%s along %v", c.Total, uids(s, c.Path))
	}
	if c.Open != 5 || c.Stuck != 1 {
		t.Errorf("%d open, %d stuck", c.Open, c.Stuck)
	}
	for uid, want := range map[model.UID]string{
		"a": "0s–1m0s slack 0s, 7m0s behind", "b": "1m0s–6m0s slack 0s, 6m0s behind",
		"c": "1m0s–3m0s slack 3m0s, 3m0s behind", "d": "6m0s–7m0s slack 0s, 1m0s behind",
		"lone": "0s–30s slack 6m30s, 30s behind", "past": "not in it", "never": "not in it",
	} {
		i, _ := s.Index(uid)
		got := "not in it"
		if start, finish, slack, ok := c.Span(i); ok {
			got = fmt.Sprintf("%s–%s slack %s, %s behind", start, finish, slack, c.Behind(i))
			if c.Critical(i) != (slack == 0) {
				t.Errorf("%s: critical is %v", uid, c.Critical(i))
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", uid, got, want)
		}
	}
	d, _ := s.Index("c")
	if got := fmt.Sprint(uids(s, c.PathTo(d))); got != "[a c]" {
		t.Errorf("what decides when c ends is %s", got)
	}
}

// Completed tasks that took twice as long as their complexity says make everything else look
// twice as long, but not what has runs of its own.
func TestEstimatesAreMeasuredByWhatRunsTook(t *testing.T) {
	files := func(n int) func(*model.Task) {
		return func(t *model.Task) { t.Spec = &model.Spec{FilesToCreate: make([]string, n)} }
	}
	tasks := []*model.Task{
		snapshot.Node("one", snapshot.InState(model.Created)), snapshot.Node("four", snapshot.InState(model.Created, files(4))), snapshot.Node("tried", snapshot.InState(model.Created, files(4), snapshot.Takes(7))),
		snapshot.Node("d1", snapshot.InState(model.Completed, snapshot.Takes(120))), snapshot.Node("d2", snapshot.InState(model.Completed, snapshot.Takes(1))),
	}
	effort := func(s *snapshot.Snapshot, uid model.UID) string {
		i, _ := s.Index(uid)
		d, how := schedule.Of(s).Effort(i)
		return fmt.Sprint(d, " ", how)
	}
	s := snapshot.New(snapshot.Input{Tasks: tasks})
	if got := effort(s, "four"); got != "2m0s complexity" || schedule.Of(s).Scale != 1 || schedule.Of(s).Known != 2 {
		t.Errorf("with two completed tasks: %s, %+v", got, schedule.Of(s).Scale)
	}
	s = snapshot.New(snapshot.Input{Tasks: append(tasks, snapshot.Node("d3", snapshot.InState(model.Completed, snapshot.Takes(5000))))})
	for uid, want := range map[model.UID]string{"one": "2m0s complexity", "four": "4m0s complexity", "tried": "7s runs", "d1": "0s none"} {
		if got := effort(s, uid); got != want {
			t.Errorf("%s takes %s, want %s", uid, got, want)
		}
	}
}

func TestDeadlocksNameTheirCause(t *testing.T) {
	blocked := snapshot.InState(model.PlanDefined, snapshot.Accepted)
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{
		snapshot.Node("top", blocked), snapshot.Under("part", "top", blocked, "top"), // its parent waits for it
		snapshot.Node("r1", blocked, "r2"), snapshot.Node("r2", blocked, "r1"), snapshot.Node("behind", blocked, "r1"), snapshot.Node("more", blocked, "behind"),
		snapshot.Node("self", blocked, "self"),
		snapshot.Node("f", snapshot.InState(model.Failed)), snapshot.Node("uf", blocked, "f"), snapshot.Node("uf2", blocked, "f"),
		snapshot.Node("ab", snapshot.InState(model.Aborted)), snapshot.Node("uab", blocked, "ab"),
		snapshot.Node("um", blocked, "ghost"),
		snapshot.Node("sick", snapshot.InState(model.Created, snapshot.BrokenFile)), snapshot.Node("usick", blocked, "sick"),
		snapshot.Node("fine", blocked, "begun"), snapshot.Node("begun", snapshot.InState(model.Working, snapshot.Accepted, snapshot.Running)),
		snapshot.Node("old", snapshot.InState(model.Completed), "older"), snapshot.Node("older", snapshot.InState(model.Completed), "old"),
	}})
	var b strings.Builder
	for _, d := range schedule.Of(s).Deadlocks() {
		fmt.Fprintf(&b, "%s %d %v: %s (%s)\n", d.Kind, d.All, uids(s, d.Held), d.Text, d.Hint)
	}
	want := `cycle 4 [r1 r2]: dependency cycle: "R1" → "R2" → "R1" (remove one of these dependencies)
failed 2 [uf uf2]: "F" failed (remove the dependency on it, or depend on another task)
unreadable 2 [sick]: "SICK" cannot be read: bad (repair its files: vespe doctor)
cycle 2 [part top]: dependency cycle: "PART" → "TOP" → "PART"; "PART" is a subtask of "TOP" (remove one of these dependencies)
aborted 1 [uab]: "AB" was aborted (remove the dependency on it, or depend on another task)
missing 1 [um]: ghost is not in this store (remove the dependency on it, or restore the task)
cycle 1 [self]: "SELF" depends on itself (remove that dependency)
`
	got := strings.Split(b.String(), "\n")
	exp := strings.Split(want, "\n")
	slices.Sort(got)
	slices.Sort(exp)
	if !slices.Equal(got, exp) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(exp, "\n"))
	}
	if c := schedule.Of(s); c.Stuck != 13 || c.Open != 2 {
		t.Errorf("%d stuck, %d open", c.Stuck, c.Open)
	}
}

// A task is stuck exactly when no order of completing tasks ever gets to it, and each stuck task
// has a cause.
func TestStuckIsWhatNoOrderReaches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := snapshot.New(snapshot.GenInput(rt))
		done := make([]bool, s.Len())
		for i := range done {
			done[i] = !s.Unfinished(i)
		}
		for again := true; again; {
			again = false
			for i := range done {
				if !done[i] && canEnd(s, int32(i), done) {
					done[i], again = true, true
				}
			}
		}
		held := make([]bool, s.Len())
		for _, d := range schedule.Of(s).Deadlocks() {
			for _, v := range d.Held {
				held[v] = true
			}
		}
		c := schedule.Of(s)
		for again := true; again; {
			again = false
			for i := range held {
				for _, d := range c.WaitsFor(i) {
					if held[d] && !held[i] {
						held[i], again = true, true
					}
				}
			}
		}
		for i := range done {
			if c.IsStuck(i) == done[i] || held[i] == done[i] {
				rt.Fatalf("%s (%s): stuck %v, held by a cause %v, can end %v", s.UID(i), s.Status(i), c.IsStuck(i), held[i], done[i])
			}
		}
	})
}

// canEnd is whether an open task can be completed once those that are done are.
func canEnd(s *snapshot.Snapshot, v int32, done []bool) bool {
	t := s.At(int(v))
	if s.Status(int(v)) == model.StatusProblem {
		return false
	}
	for _, uid := range t.DependsOn {
		d, ok := s.Index(uid)
		if !ok || d == int(v) || s.Unfinished(d) && !done[d] || !s.Unfinished(d) && !s.Policy().Met(s.At(d)) {
			return false
		}
	}
	for _, k := range s.Children(int(v)) {
		if !done[k] {
			return false
		}
	}
	return true
}

// Slack is what it says: a task that takes so much longer delays nothing, and a second more
// delays everything by a second.
func TestSlackIsHowMuchATaskMayBeLate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := snapshot.GenInput(rt)
		for _, task := range in.Tasks {
			task.Status.Runs, task.Status.RunSeconds = 1, rapid.IntRange(1, 300).Draw(rt, "took")
		}
		s := snapshot.New(in)
		c := schedule.Of(s)
		if got := longest(s); got != c.Total {
			rt.Fatalf("it takes %s, the longest way %s", c.Total, got)
		}
		for i := range s.Len() {
			_, _, slack, ok := c.Span(i)
			if effort, _ := c.Effort(i); !ok || effort == 0 {
				continue
			}
			for late, want := range map[time.Duration]time.Duration{slack: c.Total, slack + time.Second: c.Total + time.Second} {
				t := s.At(i).Clone()
				t.Status.RunSeconds += int(late / time.Second)
				if got := schedule.Of(s.With(2, "", []*model.Task{t}, nil)).Total; got != want {
					rt.Fatalf("%s %s later: all of it takes %s, want %s", t.UID, late, got, want)
				}
			}
		}
		sum := time.Duration(0)
		for _, v := range c.Path {
			effort, _ := c.Effort(int(v))
			sum += effort
			if !c.Critical(int(v)) {
				rt.Fatalf("%s is on the critical path, and not critical", s.UID(int(v)))
			}
		}
		if sum != c.Total {
			rt.Fatalf("the critical path %v takes %s, all of it %s", uids(s, c.Path), sum, c.Total)
		}
	})
}

// longest goes along every way through the tasks that are not stuck.
func longest(s *snapshot.Snapshot) time.Duration {
	c := schedule.Of(s)
	var ends func(v int) time.Duration
	ends = func(v int) time.Duration {
		if _, _, _, ok := c.Span(v); !ok {
			return 0
		}
		begin := time.Duration(0)
		for _, list := range [][]int32{s.DependsOn(v), s.Children(v)} {
			for _, d := range list {
				if s.Unfinished(int(d)) && !s.Policy().Met(s.At(int(d))) {
					begin = max(begin, ends(int(d)))
				}
			}
		}
		effort, _ := c.Effort(v)
		return begin + effort
	}
	most := time.Duration(0)
	for i := range s.Len() {
		most = max(most, ends(i))
	}
	return most
}

// Runs that took longer than a time.Duration holds together leave the order of things as it is.
func TestSchedulesOfVeryLongTimes(t *testing.T) {
	const n = 60
	var tasks []*model.Task
	for i := range n {
		var on []model.UID
		if i > 0 {
			on = []model.UID{model.UID(fmt.Sprint("t", i-1))}
		}
		tasks = append(tasks, snapshot.Node(model.UID(fmt.Sprint("t", i)), snapshot.InState(model.PlanDefined, snapshot.Accepted, snapshot.Takes(1<<50)), on...))
	}
	tasks = append(tasks, snapshot.Node("lone", snapshot.InState(model.PlanDefined, snapshot.Accepted, snapshot.Takes(60))))
	s := snapshot.New(snapshot.Input{Tasks: tasks})
	c := schedule.Of(s)
	if c.Total != math.MaxInt64 || len(c.Path) != n {
		t.Errorf("all of it takes %s, along %d tasks", c.Total, len(c.Path))
	}
	for i := range s.Len() {
		start, finish, slack, ok := c.Span(i)
		if !ok || start < 0 || finish <= 0 || slack < 0 || c.Behind(i) <= 0 || c.Critical(i) != (s.UID(i) != "lone") {
			t.Errorf("%s: %s–%s, slack %s, %s behind, critical %v", s.UID(i), start, finish, slack, c.Behind(i), c.Critical(i))
		}
	}
}

// The next task has the highest priority of those left, then the longest chain behind it, then it is the oldest.
func TestNextGoesBySchedule(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := snapshot.New(snapshot.GenInput(rt))
		list, c := schedule.Next(s, -1), schedule.Of(s)
		if len(list) != int(s.Total()[model.StatusReady]) {
			rt.Fatalf("%d tasks are next, %d are ready", len(list), s.Total()[model.StatusReady])
		}
		for k := 1; k < len(list); k++ {
			a, b := int(list[k-1]), int(list[k])
			if order := cmp.Or(cmp.Compare(s.Rank(a), s.Rank(b)), cmp.Compare(c.Behind(b), c.Behind(a))); order > 0 {
				rt.Fatalf("%s comes before %s: ranks %d and %d, %s and %s behind them",
					s.UID(a), s.UID(b), s.Rank(a), s.Rank(b), c.Behind(a), c.Behind(b))
			}
		}
	})
}

func TestNext(t *testing.T) {
	ready := func(more ...func(*model.Task)) func(*model.Task) {
		return snapshot.InState(model.PlanDefined, append(more, snapshot.Accepted)...)
	}
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{
		snapshot.Node("young", ready(snapshot.Since(5))),
		snapshot.Node("old", ready(snapshot.Since(1))),
		snapshot.Node("ageless", ready()),
		snapshot.Node("key", ready(snapshot.Since(9))), snapshot.Node("b", snapshot.InState(model.Created), "key"), snapshot.Node("c", snapshot.InState(model.Created), "b"),
		snapshot.Node("wide", ready(snapshot.Since(9))), snapshot.Node("d", snapshot.InState(model.Created), "wide"), snapshot.Node("e", snapshot.InState(model.Created), "wide"),
		snapshot.Node("low", ready(snapshot.Since(0), snapshot.Prio(model.Low))),
		snapshot.Node("high", ready(snapshot.Since(9), snapshot.Prio(model.High))),
		snapshot.Node("stuck", ready(snapshot.Prio(model.Critical)), "low"),
		snapshot.Node("run", snapshot.InState(model.Working, snapshot.Accepted, snapshot.Running, snapshot.Prio(model.Critical))),
	}})
	want := []model.UID{"high", "key", "wide", "old", "young", "ageless", "low"}
	if got := uids(s, schedule.Next(s, -1)); !slices.Equal(got, want) {
		t.Errorf("next is %v, want %v", got, want)
	}
	if got := uids(s, schedule.Next(s, 2)); !slices.Equal(got, want[:2]) {
		t.Errorf("the next two are %v", got)
	}
}

// Of two ready tasks of one priority the one in the earlier milestone comes first, whatever waits
// behind the other; the reasons say so.
func TestTheOrderOfMilestonesCountsForNext(t *testing.T) {
	ready := snapshot.InState(model.PlanDefined, snapshot.Accepted)
	old, long, behind, high := snapshot.Node("tsk-aaaa1", ready), snapshot.Node("tsk-bbbb1", ready), snapshot.Node("tsk-cccc1", ready, "tsk-bbbb1"), snapshot.Node("tsk-dddd1", ready)
	below := snapshot.Node("tsk-eeee1", ready)
	below.Config.ParentUID = "tsk-top01"
	top := snapshot.Node("tsk-top01", snapshot.InState(model.Working, snapshot.Accepted, snapshot.Paused("subtasks")))
	high.Spec = &model.Spec{Priority: model.High, PriorityBy: &model.PriorityBy{Priority: model.High, Rule: "default"}}
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{old, long, behind, high, below, top}, Milestones: model.Milestones{List: []model.Milestone{
		{ID: "m1", TaskIDs: []model.UID{"tsk-top01"}}, {ID: "m2", TaskIDs: []model.UID{"tsk-aaaa1"}},
	}}})
	got := ""
	for _, i := range schedule.Next(s, -1) {
		got += string(s.UID(int(i))[4])
	}
	if got != "deab" {
		t.Errorf("the order is %s", got)
	}
	i, _ := s.Index("tsk-aaaa1")
	st, _ := schedule.Of(s).WhyNext(i)
	if words := strings.Join(st.Reasons, "; "); !strings.Contains(words, "it is in milestone m2, the 2nd of 2") || !strings.Contains(words, "is in the earlier milestone") {
		t.Errorf("%s", words)
	}
	i, _ = s.Index("tsk-dddd1")
	if st, _ := schedule.Of(s).WhyNext(i); st.Reasons[0] != "its priority is high, by the rule default" || st.Reasons[1] != "it has no milestone" {
		t.Errorf("%q", st.Reasons)
	}
}

// BenchmarkSchedule makes what is kept of a schedule, against one look at every dependency.
func BenchmarkSchedule(b *testing.B) {
	sink := 0
	for _, n := range []int{100, 10_000, 100_000} {
		s := snapshot.New(snapshot.Input{Tasks: snapshot.BenchTasks(n)})
		for name, make := range map[string]func(*snapshot.Snapshot) int{
			"next":      func(s *snapshot.Snapshot) int { return len(schedule.Next(s, 10)) },
			"schedule":  func(s *snapshot.Snapshot) int { return schedule.Of(s).Open },
			"waves":     func(s *snapshot.Snapshot) int { return len(schedule.Of(s).Waves(0)) },
			"deadlocks": func(s *snapshot.Snapshot) int { return len(schedule.Of(s).Deadlocks()) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				base := snapshot.PerRun(b, func() {
					for i := range n {
						sink += len(s.DependsOn(i))
					}
				})
				for b.Loop() {
					sink += make(s.Aside())
				}
				snapshot.ReportRatio(b, base)
				if name == "schedule" && n == 100_000 {
					b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms≤50")
				}
			})
		}
	}
}
