package snapshot_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/board"
	"vespe/model/lifecycle"
	"vespe/model/schedule"
	"vespe/model/snapshot"
)

func TestBoardHasEveryTaskOnce(t *testing.T) {
	if order := board.Order(); len(order) != model.NumStatuses || len(slices.Compact(slices.Sorted(slices.Values(order)))) != model.NumStatuses {
		t.Fatalf("the board has the columns %v", order)
	}
	s := snapshot.New(snapshot.Input{Tasks: snapshot.BenchTasks(2000)})
	seen := make([]int, s.Len())
	for st, list := range board.Of(s, nil) {
		for _, i := range list {
			seen[i]++
			if s.Status(int(i)) != model.Status(st) {
				t.Errorf("task %d is %v and in column %v", i, s.Status(int(i)), model.Status(st))
			}
		}
	}
	if i := slices.IndexFunc(seen, func(n int) bool { return n != 1 }); i >= 0 {
		t.Errorf("task %d is on the board %d times", i, seen[i])
	}
	ready := board.Of(s, nil)[model.StatusReady]
	next := slices.DeleteFunc(slices.Clone(schedule.Next(s, -1)), func(i int32) bool { return !slices.Contains(ready, i) })
	if len(next) < 10 || !slices.Equal(ready[:len(next)], next) {
		t.Errorf("what is ready begins with %v, next is %v", ready[:min(9, len(ready))], next[:min(9, len(next))])
	}
	done := board.Of(s, func(_ *snapshot.Snapshot, i int) bool { return i%2 == 0 })[model.StatusDone]
	if len(done) < 10 || !slices.IsSortedFunc(done, func(a, b int32) int { return int(b - a) }) || done[0]%2 != 0 {
		t.Errorf("what is done begins with %v", done[:min(9, len(done))])
	}
}

// What a move says that it leads to is where the transition leads, and there is a reason where
// there is no move.
func TestMovesLeadToTheirColumns(t *testing.T) {
	s := snapshot.New(snapshot.Input{Tasks: snapshot.BenchTasks(400)})
	found := map[model.Name]int{}
	for i := range s.Len() {
		for to := range board.NumColumns {
			m, err := board.StepTo(s, i, to, "human:ann")
			var r *model.Refusal
			if err != nil {
				if !errors.As(err, &r) || r.Why == "" || r.UID != s.UID(i) {
					t.Fatalf("from %v to %v: %#v", s.Status(i), to.Label(), err)
				}
				continue
			}
			found[m.Name]++
			op := model.Op{Name: m.Name, UID: s.UID(i), Actor: "human:ann", Reason: "x"}
			lifecycle.FillText(&op, "x")
			ch, err := lifecycle.Apply(s, op)
			if err != nil {
				t.Fatalf("from %v to %v: %v", s.Status(i), to.Label(), err)
			}
			if got := s.With(1, "", ch.Tasks, ch.Requests).Status(i); board.ColumnOf(got) != to || m.To != got {
				t.Fatalf("%s of a task that is %v leads to %v, said was %v, asked for %v", m.Name, s.Status(i), got, m.To, to.Label())
			}
		}
	}
	for _, n := range []model.Name{model.AcceptPlan, model.DefinePlan, model.Start, model.StopRun, model.ReviewAccepted, model.ReviewRejected, model.Replan, model.Skip, model.WorkCompleted} {
		if found[n] == 0 {
			t.Errorf("no move is made by %s: %v", n, found)
		}
	}
}

func TestMovesOnAndBack(t *testing.T) {
	tasks := map[model.Status]*model.Task{}
	s := snapshot.New(snapshot.Input{Tasks: snapshot.BenchTasks(3000)})
	for i := range s.Len() {
		if tasks[s.Status(i)] == nil && len(s.DependsOn(i)) == 0 && s.Parent(i) < 0 {
			tasks[s.Status(i)] = s.At(i)
		}
	}
	for _, c := range []struct {
		from           model.Status
		on, back       model.Name
		onWhy, backWhy string // where it is refused
	}{
		{model.StatusCreated, model.DefineObjective, "", "", "nothing moves it back"},
		{model.StatusReady, model.Start, model.Replan, "", ""},
		{model.StatusReviewWork, model.ReviewAccepted, model.ReviewRejected, "", ""},
		{model.StatusError, model.Retry, model.Replan, "", ""},
		{model.StatusDone, "", "", "nothing moves it forward", "it has changed since"},
	} {
		task := tasks[c.from]
		if task == nil {
			t.Errorf("no task is %v", c.from)
			continue
		}
		one := snapshot.New(snapshot.Input{Tasks: []*model.Task{task}})
		for _, way := range []struct {
			step func(*snapshot.Snapshot, int, model.Actor) (board.Move, error)
			want model.Name
			why  string
		}{{board.StepOn, c.on, c.onWhy}, {board.StepBack, c.back, c.backWhy}} {
			m, err := way.step(one, 0, "human:ann")
			switch {
			case way.want != "" && (err != nil || m.Name != way.want):
				t.Errorf("from %v: %v, %v, want %s", c.from, m, err, way.want)
			case way.want == "" && (err == nil || !strings.Contains(err.Error(), way.why)):
				t.Errorf("from %v: %v, %v, want the reason %q", c.from, m, err, way.why)
			}
		}
	}
	blocked := -1
	for i := range s.Len() {
		if s.Status(i) == model.StatusBlocked {
			blocked = i
		}
	}
	var r *model.Refusal
	if _, err := board.StepOn(s, blocked, "human:ann"); !errors.As(err, &r) || r.Guard != model.GuardDependencies {
		t.Errorf("a blocked task goes on: %v", err)
	}
	if _, err := board.StepTo(s, blocked, board.Ended, "human:ann"); !errors.As(err, &r) || !strings.Contains(r.Why, `nothing moves a task from "blocked" to "Done"`) {
		t.Errorf("from blocked to done: %v", err)
	}
}

func BenchmarkBoard(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		s := snapshot.New(snapshot.Input{Tasks: snapshot.BenchTasks(n)})
		b.Run(map[int]string{100: "100", 10_000: "10k"}[n], func(b *testing.B) {
			for b.Loop() {
				board.Of(s, nil)
			}
		})
	}
}
