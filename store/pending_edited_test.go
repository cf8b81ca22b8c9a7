package store

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/pending"
)

// What somebody writes into a file while it is pending is an edit: the projection leaves it where it is, and it is
// taken over like any other.
func TestPayingLeavesWhatWasEditedSince(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	checkpointed(t, s)
	q := &seal{uid: uid}
	w := open(t, s.Root(), q.options())
	load(t, w)
	q.onEntry.Store(true)
	_, err := w.Do(t.Context(), model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}})
	wantCode(t, err, model.CodeNotDurable)
	plan := vespe(s, layout.TaskFile(uid, "plan.md"))
	write(t, plan, "by hand\n") // the file may be written where its directory may not
	q.open()
	n := open(t, s.Root(), testOptions())
	load(t, n)
	wantEqual(t, "plan.md", read(t, plan), "by hand\n")
	if kept := globs(t, s, layout.TaskFile(uid, "plan.md*")); len(kept) != 1 {
		t.Errorf("there are %v", kept)
	}
	if ds, err := n.loader.Pending.All(); err != nil || len(pending.Blocking(ds)) > 0 {
		t.Errorf("still pending is %v, %v", ds, err)
	}
	takeOver(t, n)
	for rev, want := range map[int]string{2: "another plan\n", 3: "by hand\n"} {
		if c, err := n.Revision(t.Context(), uid, model.Plan, rev); err != nil || string(c.Body) != want {
			t.Errorf("revision %d is %q, %v", rev, c.Body, err)
		}
	}
	wantClean(t, n)
}

// Only a directory that refuses makes a task pending. A disk that is full or fails is no matter of one
// task: nothing follows until the next to come has written all of it.
func TestAFailingDiskOwesNothing(t *testing.T) {
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
			if ds, err := w.loader.Pending.All(); err != nil || len(pending.Blocking(ds)) > 0 {
				t.Errorf("pending is %v, %v", ds, err)
			}
			n := open(t, s.Root(), testOptions())
			load(t, n)
			wantEqual(t, "plan.md", read(t, vespe(s, layout.TaskFile(uid, "plan.md"))), "another plan\n")
			wantClean(t, n)
			projectionHolds(t, n)
		})
	}
}
