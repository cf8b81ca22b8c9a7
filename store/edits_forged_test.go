package store

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/layout"
)

// forged writes a plan over an accepted one, and over the revision that was accepted too.
func forged(t testing.TB, dir string) {
	t.Helper()
	revisions, err := filepath.Glob(dir + "/" + layout.RevisionsDir + "/plan-0001-*.md")
	if err != nil || len(revisions) != 1 {
		t.Fatal(revisions, err)
	}
	for _, name := range []string{dir + "/plan.md", revisions[0]} {
		write(t, name, "another plan\n")
	}
}

// noLongerAccepted expects that a forged plan is a revision of its own, that its task is
// changed and cannot be started.
func noLongerAccepted(t *testing.T, s *Store, uid model.UID) {
	t.Helper()
	c, err := s.Content(t.Context(), uid, model.Plan)
	if err != nil || c.Revision != 0 {
		t.Errorf("the plan is revision %d, %v", c.Revision, err)
	}
	takeOver(t, s)
	snap := load(t, s)
	if i, _ := snap.Index(uid); snap.Status(i) != model.StatusChanged {
		t.Errorf("it is %s", snap.Status(i))
	}
	if n := task(t, snap, uid).Status.PlanRevision; n != 2 {
		t.Errorf("the plan is at revision %d, want 2", n)
	}
	if _, err := s.Do(t.Context(), model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{Worker: robot, ID: "r1"}}); err == nil {
		t.Error("started with a plan that nobody accepted")
	}
	load(t, s)
	wantClean(t, s)
}

// Who rewrites a plan together with the revision that was accepted makes no accepted plan of
// it: the acceptance says which bytes it is for. So it is where the task comes back with them.
func TestForgedRevision(t *testing.T) {
	for _, gone := range []bool{false, true} {
		s := newStore(t)
		uid := planned(t, s, "one")
		do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
		load(t, s)
		dir, away := vespe(s, layout.TaskDir(uid)), s.Root()+"/away"
		if gone {
			must(t, os.Rename(dir, away))
			load(t, s)
			takeOver(t, s)
			forged(t, away)
			must(t, os.Rename(away, dir))
		} else {
			forged(t, dir)
		}
		snap := load(t, s)
		if e := s.Edited(); len(e) != 1 {
			t.Errorf("edited are %v", e)
		}
		snap, err := s.AllToday(t.Context(), snap)
		if i, _ := snap.Index(uid); err != nil || snap.Status(i) != model.StatusChanged {
			t.Errorf("it is shown as %s, %v", snap.Status(i), err)
		}
		noLongerAccepted(t, s, uid)
	}
}

// A task of which some file could not be read for a while is no stranger after that: what was
// known of it is still what an edit is compared with.
func TestLosingSightBelievesNothing(t *testing.T) {
	for _, name := range []string{layout.SpecFile, layout.DependenciesFile, layout.StatusFile, layout.ConfigFile} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid := planned(t, s, "one")
			do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "x"}}}})
			checkpointed(t, s)
			r := open(t, s.Root(), testOptions())
			blind := true
			r.setFS(&hookFS{FS: r.disk.FS, deep: true, before: func(call, n string) error {
				if blind && call == callRead && path.Base(n) == name {
					return &fs.PathError{Op: "open", Path: n, Err: unix.EACCES}
				}
				return nil
			}})
			look := func() *snapshot.Snapshot {
				t.Helper()
				load(t, r)
				snap := freshened(t, r, uid)
				must(t, r.checkpoints.Write(t.Context()))
				return snap
			}
			touch := vespe(s, layout.TaskFile(uid, name)) // what nobody wrote is not looked at
			if name != layout.DependenciesFile {
				write(t, touch, read(t, touch)+"\n")
			} else {
				write(t, touch, "{\"depends_on\": []}\n")
			}
			look()
			forge(t, s, uid)
			blind = false
			snap := look()
			if got := task(t, snap, uid).Status; got.AcceptedPlan != nil {
				t.Errorf("it is read as %+v", got)
			}
			n := open(t, s.Root(), testOptions())
			if got := task(t, load(t, n), uid).Status; got.AcceptedPlan != nil {
				t.Errorf("a new process reads it as %+v", got)
			}
		})
	}
}
