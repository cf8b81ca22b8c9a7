package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// A directory that refuses to be written, just when a transition of its task is committed: the transition counts for
// every reader, nothing follows it, and who wants to write is told where it is stuck. Once the directory can be written
// its files follow; once it is taken away nobody makes it anew, and the others go on.
func TestADirectoryThatRefusesAfterTheCommit(t *testing.T) {
	for _, away := range []bool{false, true} {
		t.Run(fmt.Sprint("away=", away), func(t *testing.T) {
			s := newStore(t)
			uid, other := planned(t, s, "one"), planned(t, s, "other")
			checkpointed(t, s)
			q := &seal{uid: uid}
			watcher, w := open(t, s.Root(), q.options()), open(t, s.Root(), q.options())
			load(t, watcher)
			load(t, w)
			q.onEntry.Store(true)
			plan := model.Op{ID: "plan", Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}}
			accept := model.Op{ID: "accept", Name: model.AcceptPlan, UID: uid, Actor: ann}
			rename := model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "renamed"}}
			a, err := w.DoAll(t.Context(), []model.Op{plan, accept})
			if err != nil || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "not yet written to all files") {
				t.Fatalf("%q, %v", a.Warnings, err)
			}
			came := open(t, s.Root(), q.options())
			for name, r := range map[string]*Store{"the writer": w, "who was there": watcher, "who comes": came} {
				seesCommitted(t, name, r, uid)
				if _, err := r.Do(t.Context(), rename); err == nil || !strings.Contains(err.Error(), layout.TaskDir(uid)) {
					t.Errorf("%s is told %v", name, err)
				}
			}
			dir, aside := vespe(s, layout.TaskDir(uid)), filepath.Join(s.Root(), "aside")
			if away {
				must(t, os.Rename(dir, aside))
				do(t, came, rename)
				if _, err := os.Stat(dir); err == nil {
					t.Fatal("its directory was made anew")
				}
				if a, err := came.ImportEdits(t.Context(), nil); err != nil || a.Change == nil || !strings.Contains(a.Change.Summary, "was removed") {
					t.Errorf("told %+v, %v", a.Change, err)
				}
				wantClean(t, came)
				return
			}
			q.closed.Store(false)
			n := open(t, s.Root(), q.options())
			if want := load(t, n); len(want.Problems()) > 0 { // a reader is enough
				t.Errorf("problems %+v", want.Problems())
			}
			projectionHolds(t, n)
			a = mustGet(w.DoAll(t.Context(), []model.Op{plan, accept}))(t)
			if !a.Replayed {
				t.Error("it was applied a second time")
			}
			do(t, w, rename)
			want := load(t, w)
			same(t, "who was there", dump(want), dump(load(t, watcher)))
			same(t, "who comes", dump(want), dump(load(t, open(t, w.Root(), testOptions()))))
			wantClean(t, n)
			healthy(t, n)
		})
	}
}

// seesCommitted: the transaction on a task whose files can't be written is there for a reader.
func seesCommitted(t *testing.T, name string, r *Store, uid model.UID) {
	t.Helper()
	if p := task(t, load(t, r), uid).Status; p.AcceptedPlan == nil || p.PlanRevision != 2 {
		t.Errorf("%s: the task is %+v", name, p)
	}
	if len(r.Edited()) > 0 {
		t.Errorf("%s: taken for an edit: %v", name, r.Edited())
	}
	if c, err := r.Content(t.Context(), uid, model.Plan); err != nil || string(c.Body) != "another plan\n" || c.Revision != 2 {
		t.Errorf("%s: the plan is %q of revision %d, %v", name, c.Body, c.Revision, err)
	}
	if c, err := r.Revision(t.Context(), uid, model.Plan, 2); err != nil || string(c.Body) != "another plan\n" {
		t.Errorf("%s: revision 2 is %q, %v", name, c.Body, err)
	}
	events, ps, err := r.History(t.Context(), uid)
	if err != nil || len(ps) > 0 || !slices.ContainsFunc(events, func(e model.Event) bool { return e.Name == model.AcceptPlan }) {
		t.Errorf("%s: the history is %+v, %v, %v", name, events, ps, err)
	}
}

// Where a disk is full or fails after the commit, nothing follows until the next to come has written all of it.
func TestADiskThatFailsAfterTheCommit(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EIO, syscall.EDQUOT, syscall.EMFILE} {
		t.Run(errno.Error(), func(t *testing.T) {
			s := newStore(t)
			uid := planned(t, s, "one")
			opt := testOptions()
			opt.Rand = nil
			opt.FS = (&hookFS{before: func(call, name string) error {
				if (call == callExchange || call == callRename) && strings.HasPrefix(name, layout.TaskDir(uid)+"/") {
					return &os.PathError{Op: call, Path: name, Err: errno}
				}
				return nil
			}}).system
			w := open(t, s.Root(), opt)
			load(t, w)
			a, err := w.Do(t.Context(), model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}})
			if err != nil || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "not yet written to all files") {
				t.Errorf("%q, %v", a.Warnings, err)
			}
			n := open(t, s.Root(), testOptions())
			load(t, n)
			wantEqual(t, "plan.md", read(t, vespe(s, layout.TaskFile(uid, "plan.md"))), "another plan\n")
			wantClean(t, n)
			projectionHolds(t, n)
		})
	}
}

// removeCheckpoints makes the next process read every file.
func removeCheckpoints(t testing.TB, s *Store) {
	t.Helper()
	es := mustGet(os.ReadDir(vespe(s, layout.LogDir)))(t)
	for _, e := range es {
		if strings.HasSuffix(e.Name(), ".ck") {
			must(t, os.Remove(vespe(s, layout.LogDir+"/"+e.Name())))
		}
	}
}

// setBack makes the files of an entry what they were before it, where an older one wrote them,
// and removes them where it made them.
func setBack(t *testing.T, s *Store, e *txlog.Entry) {
	t.Helper()
	before := map[string][]byte{}
	for n := uint64(1); n < e.Seq; n++ {
		old, _, err := s.log.ReadEntry(n)
		if fsys.Missing(err) {
			continue // compacted
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range old.Files {
			if before[old.Files[i].Path], err = s.log.BodyOf(&old.Files[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range e.Files {
		path := vespe(s, e.Files[i].Path)
		if b, ok := before[e.Files[i].Path]; ok {
			write(t, path, string(b))
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// An edit past vespe that cannot be taken over, because the task cannot be written, keeps no
// other edit from being taken over.
func TestAnUnwritableTaskKeepsNoEditWaiting(t *testing.T) {
	s := newStore(t)
	var uids []model.UID
	for i := range 3 {
		uids = append(uids, planned(t, s, fmt.Sprint("task ", i)))
	}
	checkpointed(t, s)
	q := &seal{uid: uids[1]}
	for _, uid := range uids {
		write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "by hand\n")
	}
	q.closed.Store(true)
	n := open(t, s.Root(), q.options())
	load(t, n)
	if a, err := n.ImportEdits(t.Context(), nil); err != nil || len(a.Warnings) != 1 {
		t.Fatalf("took over with %q, %v", a.Warnings, err)
	}
	if left := n.Edited(); !slices.Equal(left, uids[1:2]) {
		t.Errorf("still edited are %v", left)
	}
	q.closed.Store(false)
	if _, err := n.ImportEdits(t.Context(), nil); err != nil || len(n.Edited()) > 0 {
		t.Errorf("still edited are %v, %v", n.Edited(), err)
	}
	wantClean(t, n)
}
