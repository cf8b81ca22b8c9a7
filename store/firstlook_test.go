package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"vespe/model"
)

// withoutCheckpoint removes what is only a cache.
func withoutCheckpoint(t *testing.T, s *Store) {
	t.Helper()
	names, err := filepath.Glob(vespe(s, "log/snap-*.ck"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, vespe(s, checkpointHint)) {
		if err := removedOS(os.Remove(name)); err != nil {
			t.Fatal(err)
		}
	}
}

// Who has no checkpoint has the log: no verdict in a file that it wrote otherwise is believed.
func TestVerdictsAreComparedWithTheLog(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(t *testing.T, s *Store){
		"at once": func(*testing.T, *Store) {},
		"the log goes on": func(t *testing.T, s *Store) {
			t.Helper()
			other := create(t, s, "other", "x\n")
			for i := range scanAtOnce + 8 {
				do(t, s, model.Op{Name: model.RenameTask, UID: other, Actor: ann, NewName: fmt.Sprint("other ", i)})
			}
		},
		"compacted": func(t *testing.T, s *Store) {
			t.Helper()
			create(t, s, "other", "x\n")
			create(t, s, "another", "x\n")
			s.gcLeast = 1
			if _, err := s.GC(t.Context(), GCOptions{}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			true1, false1 := planned(t, s, "accepted"), planned(t, s, "not")
			do(t, s, model.Op{Name: model.AcceptPlan, UID: true1, Actor: ann})
			between(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			forge(t, s, false1)
			withoutCheckpoint(t, s)
			for range 2 { // with the checkpoint of the first, too
				r := open(t, s.Root(), testOptions())
				snap := load(t, r)
				if task(t, snap, true1).Status.AcceptedPlan == nil {
					t.Error("a true acceptance is lost")
				}
				if task(t, snap, false1).Status.AcceptedPlan != nil {
					t.Error("a forged one is believed")
				}
				if e := r.Edited(); len(e) != 1 || e[0] != false1 {
					t.Errorf("edited are %v", e)
				}
				wantProblem(t, snap.Problems(), "not-believed", statusFile)
				if _, err := r.Do(t.Context(), model.Op{Name: model.Start, UID: false1, Actor: robot, Worker: robot, Run: "r1"}); err == nil {
					t.Error("work was begun without an acceptance")
				}
				if err := r.Close(); err != nil {
					t.Fatal(err)
				}
			}
			r := open(t, s.Root(), testOptions())
			load(t, r)
			if _, err := r.ImportEdits(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			withoutCheckpoint(t, s)
			n := open(t, s.Root(), testOptions())
			if task(t, load(t, n), false1).Status.AcceptedPlan != nil {
				t.Error("it is believed once it was taken over")
			}
			if e := n.Edited(); len(e) != 0 {
				t.Errorf("edited are %v", e)
			}
		})
	}
}

// What the log never wrote is believed at a first look, as after a clone.
func TestVerdictsThatCameWithTheFilesAreBelieved(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "accepted")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{logDir, cacheDir} {
		if err := os.RemoveAll(vespe(s, dir)); err != nil {
			t.Fatal(err)
		}
	}
	r := open(t, s.Root(), testOptions())
	create(t, r, "other", "x\n")
	withoutCheckpoint(t, r)
	n := open(t, s.Root(), testOptions())
	if task(t, load(t, n), uid).Status.AcceptedPlan == nil {
		t.Error("the acceptance is lost")
	}
}
