package store

import (
	"os"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// verifiedWhole fails when Verify finds anything.
func verifiedWhole(t *testing.T, s *Store) {
	t.Helper()
	v, _ := verified(t, s, "")
	for _, p := range v.Problems {
		t.Errorf("verify: %+v", p)
	}
}

// A task that somebody removed has left the store: anyone who writes next says so in the log,
// whichever task it writes to.
func TestATaskIsTakenAway(t *testing.T) {
	for name, unknown := range map[string]bool{"noticed": false, "noticed by nobody": true} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			one, two := planned(t, s, "one"), planned(t, s, "two")
			do(t, s, model.Op{Name: model.AcceptPlan, UID: two, Actor: ann})
			do(t, s, model.Op{Name: model.Pause, UID: one, Actor: ann, Reason: "lunch"})
			checkpointed(t, s)
			must(t, s.Close())
			must(t, os.RemoveAll(vespe(s, layout.TaskDir(two))))
			if unknown { // anyone who comes knows of no task but those that are there
				for _, dir := range []string{layout.CacheDir, layout.LogDir} {
					_ = walkFiles(vespe(s, dir), func(path string, _ []byte) {
						if dir == layout.CacheDir || strings.HasSuffix(path, ".ck") {
							must(t, os.Remove(path))
						}
					})
				}
			}
			s = open(t, s.Root(), testOptions())
			ps := doctor(t, s)
			for _, p := range ps {
				if p.UID != two || strings.Contains(p.Hint, "restore it from git, or with") {
					t.Errorf("doctor: %+v", p)
				}
			}
			if len(ps) != 1 {
				t.Errorf("one task is gone, and %d problems tell so", len(ps))
			}
			do(t, s, model.Op{Name: model.RenameTask, UID: one, Actor: ann, Args: model.NewName{Name: "uno"}})
			if unknown {
				done, err := s.Fsck().Repair(t.Context(), true)
				if err != nil || len(done) != 1 || done[0].UID != two {
					t.Errorf("would repair %+v, %v", done, err)
				}
				if done, err = s.Fsck().Repair(t.Context(), false); err != nil || len(done) != 1 {
					t.Errorf("repaired %+v, %v", done, err)
				}
			}
			verifiedWhole(t, s)
			healthy(t, s)
			lookNow(t, "after it was told", s)
			if p, err := s.Past().AtSeq(t.Context(), 5); err != nil || p.Snapshot.Len() != 2 {
				t.Errorf("before that there were two: %v", err)
			}
		})
	}
}

// Who writes the same into a file again, after vespe has written it anew, is taken over again: the bytes
// are kept from the first time, so nothing is put beside the file for somebody to compare.
func TestTheSameEditTwice(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	for range 2 {
		write(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)), `{"current_state": "created"}`+"\n")
		load(t, s)
		a, err := s.ImportEdits(t.Context(), nil)
		if err != nil || a.Change == nil {
			t.Fatalf("%+v, %v", a, err)
		}
		if ps := task(t, load(t, s), uid).Problems; len(ps) > 0 {
			t.Errorf("problems: %+v", ps)
		}
	}
	if es, err := os.ReadDir(vespe(s, layout.TaskDir(uid))); err != nil || slices.ContainsFunc(es, func(e os.DirEntry) bool { return strings.Contains(e.Name(), layout.TheirsMark) }) {
		t.Errorf("%v, %v", es, err)
	}
}
