package store

import (
	"os"
	"path/filepath"
	"testing"

	"vespe/model"
	"vespe/store/edits"
	"vespe/store/layout"
)

// tasks/ itself may go, with everything in it, and come back: git does both.
func TestAllTasksAreTakenAway(t *testing.T) {
	s := newStore(t)
	uids := []model.UID{planned(t, s, "one"), planned(t, s, "two")}
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uids[0], Actor: ann})
	checkpointed(t, s)
	there := open(t, s.Root(), testOptions())
	load(t, there)
	aside := filepath.Join(s.Root(), "aside")
	must(t, os.Rename(vespe(s, layout.TasksDir), aside))
	n := open(t, s.Root(), testOptions())
	for name, p := range map[string]*Store{"who was there": there, "who comes": n} {
		if snap := load(t, p); snap.Len() > 0 || len(p.Edited()) != 2 {
			t.Errorf("%s sees %d tasks, edited %v", name, snap.Len(), p.Edited())
		}
	}
	if a, err := n.ImportEdits(t.Context(), nil); err != nil || a.Change == nil || len(n.Edited()) > 0 {
		t.Fatalf("%+v, %v; still edited are %v", a.Change, err, n.Edited())
	}
	if a, err := there.ImportEdits(t.Context(), nil); err != nil || a.Change != nil || len(there.Edited()) > 0 {
		t.Errorf("told once more: %+v, %v; edited %v", a.Change, err, there.Edited())
	}
	wantClean(t, n)
	healthyBut(t, n, "foreign-change")
	if err := os.Remove(vespe(s, layout.TasksDir)); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	must(t, os.Rename(aside, vespe(s, layout.TasksDir)))
	for name, p := range map[string]*Store{"who was there": there, "who comes": open(t, s.Root(), testOptions())} {
		if snap := load(t, p); snap.Len() != 2 || task(t, snap, uids[0]).Status.AcceptedPlan == nil {
			t.Errorf("%s sees %d tasks when they are back", name, snap.Len())
		}
	}
	takeOver(t, there)
	wantClean(t, there)
	healthy(t, there)
}

// healthyBut fails when Doctor finds anything but problems with a code.
func healthyBut(t *testing.T, s *Store, code string) {
	t.Helper()
	ps := doctor(t, s)
	for _, p := range ps {
		if p.Code != code {
			t.Errorf("doctor: %+v", p)
		}
	}
}

// An edit of nothing is none, no matter who asks for it and whatever became of the task meanwhile.
func TestAnEditOfNothing(t *testing.T) {
	none := func(uid model.UID) model.Op {
		return model.Op{Name: model.ExternalEdit, UID: uid, Actor: edits.ActorExternal, Args: model.External{}}
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, s *Store, dir string)
		code   model.Code // "": there is nothing to do, or an edit that the store sees by itself
		entry  bool
	}{
		"untouched": {func(*testing.T, *Store, string) {}, "", false},
		"removed": {func(t *testing.T, _ *Store, dir string) {
			must(t, os.RemoveAll(dir))
		}, "", true},
		"emptied": {func(t *testing.T, _ *Store, dir string) {
			must(t, os.RemoveAll(dir))
			must(t, os.Mkdir(dir, 0o755))
		}, "", false},
		"edited": {func(t *testing.T, _ *Store, dir string) { write(t, dir+"/plan.md", "by hand\n") }, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid, other := planned(t, s, "one"), planned(t, s, "two")
			checkpointed(t, s)
			n := open(t, s.Root(), testOptions())
			before := load(t, n).Seq()
			c.change(t, s, vespe(s, layout.TaskDir(uid)))
			a, err := n.Do(t.Context(), none(uid))
			if err != nil || (a.Seq > before) != c.entry {
				t.Fatalf("entry %d after %d, %v", a.Seq, before, err)
			}
			// Beside something else that is asked for, and of a task that nobody knows.
			a, err = n.DoAll(t.Context(), []model.Op{none(uid), none("tsk-nobody"), {Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "renamed"}}})
			if err != nil || a.Change.Op.Name != model.RenameTask {
				t.Fatalf("applied %+v, %v", a.Change, err)
			}
			last := lastEntry(t, n)
			for seq := uint64(1); seq <= last; seq++ {
				if e, _, err := n.log.ReadEntry(seq); err != nil || len(e.Files) == 0 {
					t.Errorf("entry %d holds %+v, %v", seq, e, err)
				}
			}
			if left := n.Edited(); len(left) > 0 && name != "emptied" {
				t.Errorf("still edited are %v", left)
			}
		})
	}
}
