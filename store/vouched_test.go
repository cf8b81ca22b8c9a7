package store

import (
	"os"
	"path/filepath"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/layout"
)

// pulled are two clones with a task that a person accepted in the second, which the first has merged.
func pulled(t *testing.T, signed bool) (first *Store, uid, own model.UID) {
	t.Helper()
	roots, stores := clones(t, func(s *Store) { uid, own = planned(t, s, "theirs"), planned(t, s, "own") })
	for _, s := range stores {
		s.opt.Attestor = seals{}
	}
	stores[1].opt.Attestor = nil
	if signed {
		stores[1].opt.Attestor = seals{}
		acceptSealed(t, stores[1], uid, ann)
	} else {
		do(t, stores[1], model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	}
	do(t, stores[0], model.Op{Name: model.RenameTask, UID: own, Actor: ann, Args: model.NewName{Name: "other"}})
	load(t, stores[0])
	checkpointed(t, stores[0]) // what the log of this clone knows of the task is known
	if conflicts := mergeClones(t, roots); len(conflicts) > 0 {
		t.Fatal(conflicts)
	}
	for range 10 { // as long as it took
		stores[0].now()
	}
	return stores[0], uid, own
}

func startsBy(t *testing.T, s *Store, uid model.UID) error {
	t.Helper()
	_, err := s.Do(t.Context(), model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-1"}})
	return err
}

// What a person signed elsewhere counts where it is pulled as in a fresh clone, and what nobody signed does not.
func TestAnAcceptanceThatIsPulled(t *testing.T) {
	for _, signed := range []bool{true, false} {
		s, uid, _ := pulled(t, signed)
		snap := looked(t, s)
		got := task(t, snap, uid)
		if accepted := got.Status.AcceptedPlan != nil; accepted != signed {
			t.Errorf("signed %v: accepted %v, %+v", signed, accepted, got.Problems)
		}
		if words := got.ElsewhereWords(); (words == "accepted by ann elsewhere, unsigned") == signed {
			t.Errorf("signed %v: it reads %q", signed, words)
		}
		mustGet(s.ImportEdits(t.Context(), []model.UID{uid}))(t)
		if err := startsBy(t, s, uid); (err == nil) != signed {
			t.Errorf("signed %v: it starts: %v", signed, err)
		}
	}
}

// An acceptance that was taken back does not come again by its files, whether it was given here or elsewhere.
func TestATakenBackAcceptanceIsNoNews(t *testing.T) {
	for name, give := range map[string]func() (*Store, model.UID){
		"elsewhere": func() (*Store, model.UID) {
			s, uid, _ := pulled(t, true)
			if got := task(t, looked(t, s), uid); got.Status.AcceptedPlan == nil {
				t.Fatal("it is not accepted")
			}
			mustGet(s.ImportEdits(t.Context(), []model.UID{uid}))(t)
			return s, uid
		},
		"here": func() (*Store, model.UID) {
			s := newStore(t)
			s.opt.Attestor = seals{}
			uid := planned(t, s, "one")
			acceptSealed(t, s, uid, ann)
			return s, uid
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, uid := give()
			status := vespe(s, layout.TaskFile(uid, layout.StatusFile))
			given := read(t, status)
			do(t, s, model.Op{Name: model.Replan, UID: uid, Actor: ann, Reason: "no"})
			write(t, status, given)
			if got := task(t, looked(t, s), uid); got.Status.AcceptedPlan != nil {
				t.Error("it is accepted again")
			}
			if err := startsBy(t, s, uid); err == nil {
				t.Error("it starts")
			}
		})
	}
}

// looked is a store as it is for who comes just then.
func looked(t *testing.T, s *Store) *snapshot.Snapshot {
	t.Helper()
	comes := open(t, s.Root(), Options{Now: s.opt.Now, Rand: entropy(5), Attestor: s.opt.Attestor})
	snap := today(t, comes, load(t, comes))
	return snap
}

// When a task was last changed is not known where the log's last entry on it is missing or torn, and that is no error: it
// would keep the store from opening.
func TestALastEntryThatIsGone(t *testing.T) {
	for _, torn := range []bool{false, true} {
		s := newStore(t)
		uid := planned(t, s, "its entry is gone")
		do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "another"}})
		load(t, s)
		checkpointed(t, s)
		seqs, err := s.comparer.Writes.Ops.EntriesOf(t.Context(), uid)
		if err != nil || len(seqs) == 0 {
			t.Fatal(seqs, err)
		}
		name := filepath.Join(s.Root(), ".vespe", filepath.FromSlash(layout.EntryFile(seqs[len(seqs)-1])))
		body, err := os.ReadFile(name)
		if err == nil {
			err = os.Remove(name)
		}
		if err == nil && torn {
			err = os.WriteFile(name, body[:40], 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		again := open(t, s.Root(), s.opt)
		load(t, again)
		if _, known, err := again.comparer.Writes.LastNamed(uid); known || err != nil {
			t.Errorf("torn %v: known %v, %v", torn, known, err)
		}
	}
}
