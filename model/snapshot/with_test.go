package snapshot

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"

	"vespe/model"
	"vespe/model/graph"

	"pgregory.net/rapid"
)

// However a store came to be, transaction by transaction, it looks as if it had been read
// from scratch; and no snapshot changes when a later one is made.
func TestWithEqualsNewSnapshot(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := genInput(rt)
		s := New(in)
		now := map[model.UID]*model.Task{}
		for _, task := range in.Tasks {
			now[task.UID] = task
		}
		requests := in.Requests
		from := s
		for seq := range uint64(rapid.IntRange(1, 8).Draw(rt, "steps")) {
			before := pictureOf(s)
			changed := genChanges(rt, now)
			var asked []model.Request
			if rapid.Bool().Draw(rt, "asks") {
				asked = append(asked, genRequest(rt))
			}
			requests = append(slices.Clone(requests), asked...)
			next := s.With(seq+2, fmt.Sprint("head", seq), changed, asked)

			scratch := in
			scratch.Seq, scratch.Head = seq+2, fmt.Sprint("head", seq)
			scratch.Tasks = slices.Collect(maps.Values(now))
			scratch.Requests = requests
			want := pictureOf(New(scratch))
			if got := pictureOf(next); !reflect.DeepEqual(got, want) {
				rt.Fatalf("after %d changes:\n got %+v\nwant %+v", len(changed), got, want)
			}
			if again := pictureOf(s); !reflect.DeepEqual(again, before) {
				rt.Fatalf("With changed the snapshot that it was called on:\n was %+v\n now %+v", before, again)
			}
			s = next
			if rapid.Bool().Draw(rt, "packed") {
				s = s.Compact()
				if got := pictureOf(s); !reflect.DeepEqual(got, want) {
					rt.Fatalf("packed:\n got %+v\nwant %+v", got, want)
				}
			}
			switch rapid.IntRange(0, 3).Draw(rt, "packed late") {
			case 0:
				from = s
			case 1:
				s = s.PackedLike(from.Compact(), from)
				if got := pictureOf(s); !reflect.DeepEqual(got, want) {
					rt.Fatalf("packed late:\n got %+v\nwant %+v", got, want)
				}
			}
			if got, want := s.Loose(), looseOf(s); got != want {
				rt.Fatalf("%d tasks count as loose, %d are", got, want)
			}
			if len(now) > 0 && rapid.IntRange(0, 5).Draw(rt, "removes") == 0 {
				gone := rapid.SampledFrom(slices.Sorted(maps.Keys(now))).Draw(rt, "gone")
				delete(now, gone)
				s = s.Amend(Amendment{Gone: []model.UID{gone}})
				scratch.Tasks = slices.Collect(maps.Values(now))
				if got, want := pictureOf(s), pictureOf(New(scratch)); !reflect.DeepEqual(got, want) {
					rt.Fatalf("without %s:\n got %+v\nwant %+v", gone, got, want)
				}
			}
			if rapid.IntRange(0, 5).Draw(rt, "another policy") == 0 {
				in.Policy.DependencyPolicy = rapid.SampledFrom([]string{"completed", "completed_or_aborted"}).Draw(rt, "policy")
				scratch.Policy = in.Policy
				s = s.Amend(Amendment{Policy: &in.Policy})
				if got, want := pictureOf(s), pictureOf(New(scratch)); !reflect.DeepEqual(got, want) {
					rt.Fatalf("policy %s:\n got %+v\nwant %+v", in.Policy.DependencyPolicy, got, want)
				}
			}
		}
	})
}

// looseOf counts the tasks that are values of their own.
func looseOf(s *Snapshot) (n int) {
	for i := range int32(s.Len()) {
		if s.tasks.value(i) != nil {
			n++
		}
	}
	return n
}

// A snapshot that was packed while it changed has only those tasks as values that did.
func TestPackedLateIsPacked(t *testing.T) {
	s := New(Input{Tasks: benchTasks(300)})
	after := *s.At(100)
	after.Status.CurrentState = model.Failed
	fresh := &model.Task{UID: s.UID(7) + "0"}
	p := s.Compact()
	late := s.With(2, "", []*model.Task{&after}, nil).With(3, "", []*model.Task{fresh}, nil).PackedLike(p, s)
	if late.Loose() != 2 {
		t.Errorf("%d tasks are values of their own, want 2", late.Loose())
	}
	other := New(Input{Tasks: benchTasks(300)}).Compact()
	if other.PackedLike(p, s) != other {
		t.Error("a snapshot that was made otherwise is another one")
	}
}

// genChanges draws the next images of some tasks, of one perhaps twice, and puts them into
// now. Mostly they are of tasks that are there and keep their edges, which is the path
// that does not rebuild.
func genChanges(rt *rapid.T, now map[model.UID]*model.Task) []*model.Task {
	stay := len(now) > 0 && rapid.IntRange(0, 4).Draw(rt, "edges stay") > 0
	uids := slices.Sorted(maps.Keys(now))
	if !stay {
		uids = uids[:0]
		for i := range worldSize {
			uids = append(uids, genUID(i))
		}
	}
	var changed []*model.Task
	for range rapid.IntRange(0, 3).Draw(rt, "changes") {
		task := genTask(rt, rapid.SampledFrom(uids).Draw(rt, "changed"))
		if stay {
			old := now[task.UID]
			task.Config.ParentUID, task.DependsOn = old.Config.ParentUID, old.DependsOn
		}
		now[task.UID] = task
		changed = append(changed, task)
	}
	return changed
}

// Of two images of one task in one transaction the later one counts, and only once.
func TestWithTakesTheLaterImage(t *testing.T) {
	s := New(Input{Tasks: []*model.Task{
		node("dep", inState(model.Working, accepted)), node("other", inState(model.Working, accepted)),
		node("task", inState(model.PlanDefined, accepted), "dep", "other"),
	}})
	first, last := node("dep", inState(model.Completed)), node("dep", inState(model.Completed, workVerdict("accepted")))
	next := s.With(2, "", []*model.Task{first, last}, nil)
	if next.At(0) != last || next.Status(2) != model.StatusBlocked {
		t.Errorf("dep is %q and the task behind it and another %q, want done and blocked", next.Status(0), next.Status(2))
	}
}

func TestWithSharesWhatDidNotChange(t *testing.T) {
	s := New(Input{Tasks: benchTasks(2000)})
	after := *s.At(1000)
	after.Status.CurrentState = model.Failed
	next := s.With(2, "", []*model.Task{&after}, nil)
	if next.tree != s.tree || next.graph != s.graph {
		t.Error("a change of state rebuilt the tree or the graph")
	}
	copied := 0
	for i := 0; i < s.tree.inners; i += graph.PageSize {
		if s.rolled.At(int32(i)) != next.rolled.At(int32(i)) {
			copied++
		}
	}
	if limit := 2 + s.Depth(1000) + len(s.Dependents(1000))*4; copied > limit || copied == 0 {
		t.Errorf("%d pages of counts were copied, want 1 to %d", copied, limit)
	}
}

// The parts made on first use are made once, whoever asks at the same time.
func TestSnapshotIsSafeForConcurrentReaders(t *testing.T) {
	s := New(Input{Tasks: benchTasks(500)})
	want := pictureOf(New(Input{Tasks: tasksOf(s)}))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := pictureOf(s); !reflect.DeepEqual(got, want) {
				t.Error("a concurrent reader saw something else")
			}
		})
	}
	wg.Wait()
}

func TestNewSnapshotKeepsOneOfEachUID(t *testing.T) {
	a, b := &model.Task{UID: "tsk-1"}, &model.Task{UID: "tsk-1"}
	s := New(Input{Tasks: []*model.Task{nil, a, b, {UID: "tsk-0"}}})
	if s.Len() != 2 || s.At(1) != a {
		t.Fatalf("%d tasks, want tsk-0 and the first tsk-1", s.Len())
	}
	for _, next := range []*Snapshot{s, s.With(2, "", []*model.Task{{UID: "tsk-2"}}, nil)} {
		if p := next.Problems(); len(p) != 1 || p[0].Code != "duplicate-uid" || p[0].UID != "tsk-1" {
			t.Errorf("problems %v, want one duplicate-uid", p)
		}
	}
}

func TestEmptySnapshot(t *testing.T) {
	s := New(Input{})
	if s.Len() != 0 || len(s.Roots()) != 0 || len(s.graph.Order()) != 0 || len(s.Inbox()) != 0 {
		t.Error("an empty store has something in it")
	}
	if s.Total() != (Counts{}) {
		t.Error("an empty store counts something")
	}
}
