package store

import (
	"context"
	"os"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/follow"
	"vespe/store/layout"
)

// relying is a store in which one accepted task relies on the result of another, and a third on neither.
func relying(t *testing.T) (s *Store, dep, uid, other model.UID) {
	t.Helper()
	s = newStore(t)
	dep = planned(t, s, "dep")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: dep, Actor: ann})
	do(t, s, model.Op{Name: model.Start, UID: dep, Actor: robot})
	do(t, s, model.Op{Name: model.WorkCompleted, UID: dep, Actor: robot, Args: model.Completion{Summary: "made"}})
	uid, other = planned(t, s, "relies"), planned(t, s, "other")
	do(t, s, model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}})
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	do(t, s, model.Op{Name: model.AcceptPlan, UID: other, Actor: ann})
	return s, dep, uid, other
}

// A result that is written over while somebody follows the store makes changed who relies on it, and
// nobody else; one that is put back, or goes, is noticed as well.
func TestFollowComparesResultsThatAreReliedOn(t *testing.T) {
	t.Parallel()
	s, dep, uid, other := relying(t)
	r := following(t, s, follow.Options{})
	name := vespe(s, layout.TaskFile(dep, layout.ResultDir+"/summary.md"))
	was := read(t, name)
	is := func(want model.Status) func(*snapshot.Snapshot, model.Update) bool {
		return func(snap *snapshot.Snapshot, _ model.Update) bool {
			i, _ := snap.Index(uid)
			k, _ := snap.Index(other)
			if snap.Status(k) == model.StatusChanged {
				t.Error("a task that does not rely on it is changed")
			}
			return snap.Status(i) == want
		}
	}
	write(t, name, "another\n")
	until(t, r, "mark of who relies on the result", is(model.StatusChanged))
	write(t, name, was)
	until(t, r, "end of it", is(model.StatusReady))
	must(t, os.RemoveAll(vespe(s, layout.TaskFile(dep, layout.ResultDir))))
	until(t, r, "mark of who relied on a result that is gone", is(model.StatusChanged))
}

// Who only looks on marks nothing. Who follows does so at the second look: at the first, the result may be half written.
func TestWhoOnlyLooksMarksNoResult(t *testing.T) {
	for _, only := range []bool{true, false} {
		s, dep, uid, _ := relying(t)
		write(t, vespe(s, layout.TaskFile(dep, layout.ResultDir+"/summary.md")), "another\n")
		looked := make(chan bool)
		opt := silent(0)
		opt.LookOnly = only
		opt.Rest = func() bool {
			snap, _ := s.loader.Current.Get()
			i, _ := snap.Index(uid)
			select {
			case looked <- snap.Status(i) == model.StatusChanged:
			case <-t.Context().Done():
			}
			return false
		}
		load(t, s)
		ctx, end := context.WithCancel(t.Context())
		s.Follow(ctx, opt)
		for n, want := range []bool{false, !only, !only} {
			if is := <-looked; is != want {
				t.Errorf("look only: %v; at look %d it is marked: %v", only, n+1, is)
			}
		}
		end()
	}
}

// Outdated says what check would mark, and nothing is written by that.
func TestOutdated(t *testing.T) {
	s, dep, uid, other := relying(t)
	if list, err := s.Outdated(t.Context(), nil); err != nil || len(list) > 0 {
		t.Fatalf("%v, %v", list, err)
	}
	write(t, vespe(s, layout.TaskFile(dep, layout.ResultDir+"/more.md")), "more\n")
	list, err := s.Outdated(t.Context(), nil)
	if err != nil || len(list) != 1 || list[0] != uid {
		t.Fatalf("%v, %v", list, err)
	}
	if i, _ := load(t, s).Index(uid); load(t, s).Status(i) != model.StatusReady {
		t.Error("asking marked it")
	}
	if list, err := s.Outdated(t.Context(), []model.UID{other, dep}); err != nil || len(list) > 0 {
		t.Fatalf("of others: %v, %v", list, err)
	}
	found, applied, err := s.CheckAll(t.Context(), nil, ann)
	if err != nil || len(found) != 1 || len(applied.Change.Tasks) != 1 {
		t.Fatalf("%v, %v, %v", found, applied.Change, err)
	}
	if found, _, err := s.CheckAll(t.Context(), nil, ann); err != nil || len(found) > 0 {
		t.Errorf("again: %v, %v", found, err)
	}
}
