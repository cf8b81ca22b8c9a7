package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// family is a task and some below it.
type family struct{ top, first, second, left model.UID }

// newFamily is a task with tasks below it whose plans wait for a verdict, and the operations that accept
// them as they are on the screen.
func newFamily(t *testing.T) (*Store, family, []model.Op) {
	t.Helper()
	s := newStore(t)
	var f family
	for _, m := range []struct {
		uid    *model.UID
		name   string
		parent *model.UID
	}{{&f.top, "top", nil}, {&f.first, "first", &f.top}, {&f.second, "second", &f.top}, {&f.left, "left", &f.second}} {
		n := &model.NewTask{Name: m.name, Objective: "objective of " + m.name + "\n"}
		if m.parent != nil {
			n.Parent = *m.parent
		}
		*m.uid = do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: *n}).Change.Tasks[0].UID
		do(t, s, model.Op{Name: model.DefinePlan, UID: *m.uid, Actor: robot, Args: model.NewPlan{Text: "# Plan\n\n## One\n\n## Two\n"}})
	}
	do(t, s, model.Op{Name: model.AddDependency, UID: f.second, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{f.first}}})
	var ops []model.Op
	for uid, without := range map[model.UID][]string{f.top: nil, f.first: {"Two"}, f.second: {"Two"}} {
		seen, _ := seenNow(t, s, uid, model.AcceptPlan)
		ops = append(ops, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Seen: seen, Args: model.Acceptance{Excluded: without}})
	}
	slices.SortFunc(ops, func(a, b model.Op) int {
		return slices.Index([]model.UID{f.top, f.first, f.second}, a.UID) - slices.Index([]model.UID{f.top, f.first, f.second}, b.UID)
	})
	return s, f, ops
}

func (f family) accepted(t *testing.T, s *Store) (n int) {
	t.Helper()
	snap := load(t, s)
	for _, uid := range []model.UID{f.top, f.first, f.second, f.left} {
		if task(t, snap, uid).Status.AcceptedPlan != nil {
			n++
		}
	}
	return n
}

// The plans of a task and of those below it are accepted in one transaction, each bound to what was on
// the screen. One byte of one of them that is another by then, and none is accepted.
func TestPlansAreAcceptedTogetherOrNotAtAll(t *testing.T) {
	t.Parallel()
	t.Run("unchanged", func(t *testing.T) {
		s, f, ops := newFamily(t)
		before := load(t, s).Seq()
		a := do(t, s, ops...)
		if n := f.accepted(t, s); n != 3 || a.Snapshot.Seq() != before+1 {
			t.Fatalf("%d are accepted in %d transactions", n, a.Snapshot.Seq()-before)
		}
		if p := task(t, load(t, s), f.second).Status.AcceptedPlan; len(p.Excluded) != 1 {
			t.Errorf("left out are %q", p.Excluded)
		}
		if _, err := s.Do(t.Context(), model.Op{Name: model.Start, UID: f.first, Actor: robot}); err != nil {
			t.Errorf("it does not start: %v", err)
		}
		healthy(t, s)
	})
	for name, edit := range map[string]func(s *Store, f family) (path, body string){
		"the parent's plan": func(s *Store, f family) (string, string) {
			return vespe(s, layout.TaskFile(f.top, "plan.md")), "other\n"
		},
		"a child's plan": func(s *Store, f family) (string, string) {
			return vespe(s, layout.TaskFile(f.second, "plan.md")), "other\n"
		},
		"a child's objective": func(s *Store, f family) (string, string) {
			return vespe(s, layout.TaskFile(f.first, "objective.md")), "other\n"
		},
		"the terms of a child": func(s *Store, f family) (string, string) {
			return vespe(s, layout.TaskFile(f.first, layout.SpecFile)), `{"risk": "high"}`
		},
		"the policy": func(s *Store, f family) (string, string) { return vespe(s, layout.PolicyFile), `{"max_attempts": 9}` },
		"what a child depends on": func(s *Store, f family) (string, string) {
			return vespe(s, layout.TaskFile(f.second, "dependencies.json")), `{"depends_on": []}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, f, ops := newFamily(t)
			before := load(t, s).Seq()
			must(t, swapped(edit(s, f)))
			_, err := s.DoAll(t.Context(), ops)
			var r *model.Refusal
			if !errors.As(err, &r) || r.Code != model.CodeConflict || len(r.Changed) == 0 {
				t.Fatalf("got %v", err)
			}
			if snap, err := s.Refresh(t.Context()); err != nil || snap.Seq() != before {
				t.Errorf("entry %d after %d: %v", snap.Seq(), before, err)
			}
			wantEqual(t, "are accepted", f.accepted(t, s), 0)
		})
	}
	t.Run("at the same moment", func(t *testing.T) {
		for range 25 {
			s, f, ops := newFamily(t)
			var wg sync.WaitGroup
			wg.Go(func() { _ = swapped(vespe(s, layout.TaskFile(f.second, "plan.md")), "other\n") })
			_, err := s.DoAll(context.Background(), ops)
			wg.Wait()
			switch n := f.accepted(t, s); {
			case err != nil && (!asConflict(err) || n != 0):
				t.Fatalf("%d are accepted: %v", n, err)
			case err == nil:
				snap := load(t, s)
				if p := task(t, snap, f.second).Status.AcceptedPlan; p != nil && p.PlanHash != ops[2].Seen.PlanHash {
					t.Fatalf("other bytes are accepted: %+v", p)
				}
			}
		}
	})
}
