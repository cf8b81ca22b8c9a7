package snapshot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/model"
)

// takes is what one run of a task took.
func takes(seconds int) func(*model.Task) {
	return func(t *model.Task) { t.Status.Runs, t.Status.RunSeconds = 1, seconds }
}

func TestScheduleFindsTheCriticalPathAndSlack(t *testing.T) {
	open := func(seconds int) func(*model.Task) { return inState(model.PlanDefined, accepted, takes(seconds)) }
	s := New(Input{Tasks: []*model.Task{
		node("a", open(60)),
		node("b", open(300), "a"),
		node("c", open(120), "a"),
		node("d", open(60), "b", "c", "past"),
		node("lone", open(30)),
		node("past", inState(model.Completed, takes(9000))),
		node("dead", inState(model.Failed)),
		node("never", open(5000), "dead"),
	}})
	c := s.Schedule()
	if c.Total != 7*time.Minute || fmt.Sprint(s.uids(c.Path)) != "[a b d]" {
		t.Errorf("%s along %v", c.Total, s.uids(c.Path))
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
	if got := fmt.Sprint(s.uids(c.PathTo(d))); got != "[a c]" {
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
		node("one", inState(model.Created)), node("four", inState(model.Created, files(4))), node("tried", inState(model.Created, files(4), takes(7))),
		node("d1", inState(model.Completed, takes(120))), node("d2", inState(model.Completed, takes(1))),
	}
	effort := func(s *Snapshot, uid model.UID) string {
		i, _ := s.Index(uid)
		d, how := s.Schedule().Effort(i)
		return fmt.Sprint(d, " ", how)
	}
	s := New(Input{Tasks: tasks})
	if got := effort(s, "four"); got != "2m0s complexity" || s.Schedule().Scale != 1 || s.Schedule().Known != 2 {
		t.Errorf("with two completed tasks: %s, %+v", got, s.Schedule().Scale)
	}
	s = New(Input{Tasks: append(tasks, node("d3", inState(model.Completed, takes(5000))))})
	for uid, want := range map[model.UID]string{"one": "2m0s complexity", "four": "4m0s complexity", "tried": "7s runs", "d1": "0s none"} {
		if got := effort(s, uid); got != want {
			t.Errorf("%s takes %s, want %s", uid, got, want)
		}
	}
}

func TestDeadlocksNameTheirCause(t *testing.T) {
	blocked := inState(model.PlanDefined, accepted)
	s := New(Input{Tasks: []*model.Task{
		node("top", blocked), under("part", "top", blocked, "top"), // its parent waits for it
		node("r1", blocked, "r2"), node("r2", blocked, "r1"), node("behind", blocked, "r1"), node("more", blocked, "behind"),
		node("self", blocked, "self"),
		node("f", inState(model.Failed)), node("uf", blocked, "f"), node("uf2", blocked, "f"),
		node("ab", inState(model.Aborted)), node("uab", blocked, "ab"),
		node("um", blocked, "ghost"),
		node("sick", inState(model.Created, brokenFile)), node("usick", blocked, "sick"),
		node("plan", blocked), under("out", "plan", inState(model.PlanDefined, accepted, paused(model.ExcludedReason+"not now"))),
		node("fine", blocked, "begun"), node("begun", inState(model.Working, accepted, running)),
		node("old", inState(model.Completed), "older"), node("older", inState(model.Completed), "old"),
	}})
	var b strings.Builder
	for _, d := range s.Deadlocks() {
		fmt.Fprintf(&b, "%s %d %v: %s (%s)\n", d.Kind, d.All, s.uids(d.Held), d.Text, d.Hint)
	}
	want := `cycle 4 [r1 r2]: tasks wait for each other: "R1" → "R2" → "R1" (remove one of these dependencies)
failed 2 [uf uf2]: "F" failed (remove the dependency on it, or depend on another task)
left-out 2 [out]: "OUT" was left out of a plan and is still open (abort it, or resume it to include it)
unreadable 2 [sick]: "SICK" cannot be read: bad (repair its files: vespe doctor)
cycle 2 [part top]: tasks wait for each other: "PART" → "TOP" → "PART"; "PART" is a subtask of "TOP" (remove one of these dependencies)
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
	if c := s.Schedule(); c.Stuck != 15 || c.Open != 2 {
		t.Errorf("%d stuck, %d open", c.Stuck, c.Open)
	}
}

func under(uid, parent model.UID, edit func(*model.Task), on ...model.UID) *model.Task {
	t := node(uid, edit, on...)
	t.Config.ParentUID = parent
	return t
}

// A task is stuck exactly when no order of completing tasks ever gets to it, and each stuck task
// has a cause.
func TestStuckIsWhatNoOrderReaches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := New(genInput(rt))
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
		for _, d := range s.Deadlocks() {
			for _, v := range d.Held {
				held[v] = true
			}
		}
		c := s.Schedule()
		for again := true; again; {
			again = false
			for i := range held {
				for _, d := range c.waits.Out.Of(int32(i)) {
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
func canEnd(s *Snapshot, v int32, done []bool) bool {
	t := s.At(int(v))
	if s.Status(int(v)) == model.StatusProblem || t.IsLeftOut() {
		return false
	}
	for _, uid := range t.DependsOn {
		d, ok := s.Index(uid)
		if !ok || d == int(v) || s.Unfinished(d) && !done[d] || !s.Unfinished(d) && !s.policy.Met(s.At(d)) {
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
		in := genInput(rt)
		for _, task := range in.Tasks {
			task.Status.Runs, task.Status.RunSeconds = 1, rapid.IntRange(1, 300).Draw(rt, "took")
		}
		s := New(in)
		c := s.Schedule()
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
				if got := s.With(2, "", []*model.Task{t}, nil).Schedule().Total; got != want {
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
			rt.Fatalf("the critical path %v takes %s, all of it %s", s.uids(c.Path), sum, c.Total)
		}
	})
}

// longest goes along every way through the tasks that are not stuck.
func longest(s *Snapshot) time.Duration {
	c := s.Schedule()
	var ends func(v int) time.Duration
	ends = func(v int) time.Duration {
		if _, _, _, ok := c.Span(v); !ok {
			return 0
		}
		begin := time.Duration(0)
		for _, list := range [][]int32{s.DependsOn(v), s.Children(v)} {
			for _, d := range list {
				if s.Unfinished(int(d)) && !s.policy.Met(s.At(int(d))) {
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
		tasks = append(tasks, node(model.UID(fmt.Sprint("t", i)), inState(model.PlanDefined, accepted, takes(1<<50)), on...))
	}
	tasks = append(tasks, node("lone", inState(model.PlanDefined, accepted, takes(60))))
	s := New(Input{Tasks: tasks})
	c := s.Schedule()
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

// What is behind a few tasks is found without the rest, and is the same.
func TestBehindOfAFewTasksIsThatOfTheSchedule(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := New(genInput(rt))
		all := make([]int32, s.Len())
		for i := range all {
			all[i] = int32(i)
		}
		some := all[:rapid.IntRange(0, len(all)).Draw(rt, "some")]
		c := s.Schedule()
		for k, got := range s.behindOf(some) {
			if got != c.behind[k] {
				rt.Fatalf("behind %s of %v: %d, in the schedule %d", s.UID(k), s.uids(some), got, c.behind[k])
			}
		}
		for _, v := range all {
			if got := s.behindOf([]int32{v})[0]; got != c.behind[v] {
				rt.Fatalf("behind %s alone: %d, in the schedule %d", s.UID(int(v)), got, c.behind[v])
			}
		}
	})
}
