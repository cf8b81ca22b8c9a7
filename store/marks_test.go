package store

import (
	"os"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/marks"
)

// suspected says whether a task looks other than when it was last known.
func suspected(t testing.TB, s *Store, uid model.UID) bool {
	t.Helper()
	list, _, err := s.loader.Suspects(t.Context(), []model.UID{uid}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return len(list) > 0
}

// dated gives the files of a task a time.
func dated(t testing.TB, s *Store, uid model.UID, at time.Time) {
	t.Helper()
	for _, name := range globs(t, s, layout.TaskFile(uid, "*")) {
		must(t, os.Chtimes(name, at, at))
	}
}

// Files of a time that is yet to come, as after a clock was put right, are not read again each
// time; an edit of them is seen.
func TestMarksOfFilesFromTheFuture(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	load(t, s)
	future := time.Now().AddDate(10, 0, 0)
	dated(t, s, uid, future)
	load(t, s)
	if suspected(t, s, uid) {
		t.Error("its files would be read again")
	}
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "by hand\n")
	if !suspected(t, s, uid) {
		t.Error("an edit is not seen")
	}
}

// An edit in place that leaves the size and puts the time back is seen.
func TestAnEditThatHidesItsTime(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	load(t, s)
	past := time.Now().Add(-time.Hour)
	dated(t, s, uid, past)
	load(t, s)
	if suspected(t, s, uid) {
		t.Fatal("its files would be read again")
	}
	name := vespe(s, layout.TaskFile(uid, "plan.md"))
	before, err := s.disk.FS.Stat(layout.TaskFile(uid, "plan.md"))
	if err != nil {
		t.Fatal(err)
	}
	for { // until the clock of the file system has moved on
		write(t, vespe(s, "tmp/clock"), "x")
		if in, err := s.disk.FS.Stat("tmp/clock"); err != nil || in.Changed.After(before.Changed) {
			break
		}
	}
	must(t, os.Remove(vespe(s, "tmp/clock")))
	write(t, name, strings.ToUpper(read(t, name)))
	dated(t, s, uid, past)
	load(t, s)
	if a, err := s.ImportEdits(t.Context(), nil); err != nil || a.Snapshot == nil {
		t.Fatal(a, err)
	}
	if n := task(t, load(t, s), uid).Status.PlanRevision; n != 2 {
		t.Errorf("the plan is at revision %d, want 2", n)
	}
}

// Who is held up between asking the time and looking at a file does not take one that was
// written since for one from the future.
func TestMarksOfFilesThatWereWrittenSince(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	load(t, s)
	dated(t, s, uid, time.Now().Add(-time.Hour))
	d := mustGet(s.disk.FS.OpenDir(layout.TasksDir))(t)
	defer d.Close()
	asked := time.Now().Add(-time.Minute)
	if marks.Read(d, uid, asked) == 0 {
		t.Error("old files have no mark")
	}
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "by hand\n")
	if marks.Read(d, uid, asked) != 0 {
		t.Error("a file that was just written has a mark")
	}
}
