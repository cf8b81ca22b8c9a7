package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/pending"
	"vespe/store/txlog"
)

// A task whose directory can no longer be written, just when a transition of it is
// committed, holds up nobody who works on another; the transition counts for every reader;
// and once the directory can be written its files follow.
func TestOneUnwritableTaskHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	for _, warm := range []bool{true, false} {
		for _, hidden := range []bool{false, true} {
			t.Run(fmt.Sprintf("checkpoint=%v, hidden=%v", warm, hidden), func(t *testing.T) {
				s := newStore(t)
				uid, other := planned(t, s, "one"), planned(t, s, "other")
				if warm {
					checkpointed(t, s)
				}
				q := &seal{uid: uid, hidden: hidden}
				watcher := open(t, s.Root(), q.options())
				load(t, watcher)
				w := open(t, s.Root(), q.options())
				load(t, w)
				q.onEntry.Store(true)
				unwritable(t, w, watcher, q, other)
				if !warm {
					removeCheckpoints(t, s)
				}
				q.closed.Store(false)
				checkProjected(t, w, watcher, q)
			})
		}
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

func unwritable(t *testing.T, w, watcher *Store, q *seal, other model.UID) {
	t.Helper()
	accept := model.Op{ID: "accept", Name: model.AcceptPlan, UID: q.uid, Actor: ann}
	plan := model.Op{ID: "plan", Name: model.DefinePlan, UID: q.uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}}
	a, err := w.DoAll(t.Context(), []model.Op{plan, accept})
	wantCode(t, err, model.CodeNotDurable)
	if a.Seq == 0 || a.Change == nil || a.Replayed {
		t.Fatalf("applied %+v", a)
	}
	a, err = w.DoAll(t.Context(), []model.Op{plan, accept})
	wantCode(t, err, model.CodeNotDurable)
	if !a.Replayed {
		t.Error("it was applied a second time")
	}
	do(t, w, model.Op{Name: model.AcceptPlan, UID: other, Actor: ann})
	n := open(t, w.Root(), q.options())
	do(t, n, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "renamed"}})
	create(t, n, "a third", "objective\n")
	_, err = n.Do(t.Context(), model.Op{Name: model.RenameTask, UID: q.uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
	wantCode(t, err, model.CodeRefused)
	if !strings.Contains(fmt.Sprint(err), string(q.uid)) {
		t.Errorf("the refusal names no task: %v", err)
	}
	for name, r := range map[string]*Store{"the writer": w, "who was there": watcher, "who came since": n, "who comes": open(t, w.Root(), q.options())} {
		t.Run(name, func(t *testing.T) { seesCommitted(t, r, q) })
	}
}

// seesCommitted: the transaction on the sealed task is there for a reader.
func seesCommitted(t *testing.T, r *Store, q *seal) {
	t.Helper()
	snap := load(t, r)
	got := task(t, snap, q.uid)
	if p := got.Status.AcceptedPlan; p == nil || got.Status.PlanRevision != 2 {
		t.Errorf("the task is %+v", got.Status)
	}
	wantProblem(t, snap.Problems(), pending.Code, string(q.uid))
	if len(r.Edited()) > 0 {
		t.Errorf("taken for an edit: %v", r.Edited())
	}
	if a, err := r.ImportEdits(t.Context(), nil); err != nil || a.Change != nil {
		t.Errorf("took over %+v, %v", a.Change, err)
	}
	if c, err := r.Content(t.Context(), q.uid, model.Plan); err != nil || string(c.Body) != "another plan\n" || c.Revision != 2 {
		t.Errorf("the plan is %q of revision %d, %v", c.Body, c.Revision, err)
	}
	if c, err := r.Revision(t.Context(), q.uid, model.Plan, 2); err != nil || string(c.Body) != "another plan\n" {
		t.Errorf("revision 2 is %q, %v", c.Body, err)
	}
	if q.hidden {
		return
	}
	events, ps, err := r.History(t.Context(), q.uid)
	if err != nil || len(ps) > 0 || !slices.ContainsFunc(events, func(e model.Event) bool { return e.Name == model.AcceptPlan }) {
		t.Errorf("the history is %+v, %v, %v", events, ps, err)
	}
	ps = mustGet(r.Fsck().Doctor(t.Context()))(t)
	for _, p := range ps {
		if p.Code != pending.Code {
			t.Errorf("doctor: %+v", p)
		}
	}
}

// checkProjected: once the directory can be written everything is as if it always had been.
func checkProjected(t *testing.T, w, watcher *Store, q *seal) {
	t.Helper()
	n := open(t, w.Root(), q.options())
	want := load(t, n) // a reader is enough
	if len(want.Problems()) > 0 {
		t.Errorf("problems %+v", want.Problems())
	}
	projectionHolds(t, n)
	plan := vespe(n, layout.TaskFile(q.uid, "plan.md"))
	write(t, plan, "by hand\n")
	load(t, n)
	if read(t, plan) != "by hand\n" {
		t.Error("an edit was written over")
	}
	takeOver(t, n)
	do(t, w, model.Op{Name: model.RenameTask, UID: q.uid, Actor: ann, Args: model.NewName{Name: "again"}})
	want = load(t, w)
	same(t, "who was there", dump(want), dump(load(t, watcher)))
	same(t, "who comes", dump(want), dump(load(t, open(t, w.Root(), testOptions()))))
	wantClean(t, n)
	healthy(t, n)
}

// Anyone who finds the last transaction unfinished, because its writer was killed, and cannot
// finish it for one task, continues with the others too.
func TestRecoveryGoesOnPastAnUnwritableTask(t *testing.T) {
	s := newStore(t)
	uid, other := planned(t, s, "one"), planned(t, s, "other")
	seq := do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "x"}},
		model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "y"}}).Seq
	e := entryAt(t, s, seq)
	setBack(t, s, e)
	must(t, os.Remove(vespe(s, layout.ProjectedTip)))
	q := &seal{uid: uid}
	q.closed.Store(true)
	n := open(t, s.Root(), q.options())
	snap := load(t, n)
	wantProblem(t, snap.Problems(), pending.Code, string(uid))
	if a, b := task(t, snap, uid), task(t, snap, other); a.Config.Name != "x" || b.Config.Name != "y" {
		t.Errorf("the tasks are %q and %q", a.Config.Name, b.Config.Name)
	}
	do(t, n, model.Op{Name: model.Pause, UID: other, Actor: ann, Reason: "later"})
	q.closed.Store(false)
	n = open(t, s.Root(), q.options())
	if ps := load(t, n).Problems(); len(ps) > 0 {
		t.Errorf("problems %+v", ps)
	}
	projectionHolds(t, n)
	healthy(t, n)
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

// Anyone who is killed while something becomes pending, or while it is projected, at whichever call: the
// transaction is there as a whole or not at all, the others continue, and in the end the files
// are what the log says.
func TestEveryStepOfOwingMayFail(t *testing.T) {
	t.Parallel()
	template := initIn(t, fastDir(t), testOptions())
	uid, other := planned(t, template, "one"), planned(t, template, "other")
	checkpointed(t, template)
	before := load(t, template).Seq()
	var f *faultFS
	faulty := func(q *seal, at int) Options {
		opt := testOptions()
		opt.Rand = nil
		opt.FS = func(root string) (fsys.FS, error) {
			disk, err := fsys.OpenFS(root)
			f = &faultFS{at: at, dead: true, err: errDead}
			return f.on(q.on(disk)), err
		}
		return opt
	}
	accept := model.Op{ID: "accept", Name: model.AcceptPlan, UID: uid, Actor: ann}
	var half string // a store in which everything is pending
	outer := t
	t.Run("owing", func(t *testing.T) {
		for k, ended := 1, false; !ended; k++ {
			half = cloneStore(outer, template)
			q := &seal{uid: uid}
			q.onEntry.Store(true)
			w := open(t, half, faulty(q, k))
			a, err := w.Do(t.Context(), accept)
			ended = f.calls < k
			acknowledged := err == nil
			var r *model.Refusal
			if errors.As(err, &r) && r.Code == model.CodeNotDurable {
				acknowledged = true
			}
			_ = w.Close()
			n := open(t, half, q.options())
			snap := load(t, n)
			wrote := snap.Seq() > before
			if acknowledged && !wrote || a.Seq > before && !wrote {
				t.Fatalf("killed at call %d: an acknowledged transaction is lost", k)
			}
			if has := task(t, snap, uid).Status.AcceptedPlan != nil; has != wrote {
				t.Fatalf("killed at call %d: accepted=%v, committed=%v", k, has, wrote)
			}
			do(t, n, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "renamed"}})
			if ended {
				return
			}
			q.closed.Store(false)
			n = open(t, half, testOptions())
			do(t, n, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "again"}})
			projectionHolds(t, n)
			wantClean(t, n)
		}
	})
	t.Run("projecting", func(t *testing.T) {
		for k, ended := 1, false; !ended; k++ {
			root := cloneStore(t, &Store{identity: identity{root: half}})
			q := &seal{uid: uid}
			n := open(t, root, faulty(q, k))
			snap, err := n.Load(t.Context(), nil)
			if err != nil || task(t, snap, uid).Status.AcceptedPlan == nil || len(n.Edited()) > 0 {
				t.Fatalf("killed at call %d: %v, edited %v", k, err, n.Edited())
			}
			if ended = f.calls < k; ended && k < 10 {
				t.Fatalf("it has only %d calls", k-1)
			}
			n = open(t, root, testOptions())
			do(t, n, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "again"}})
			projectionHolds(t, n)
			wantClean(t, n)
		}
	})
}

// A task that is taken away while its files are pending is gone: nobody makes its directory anew,
// that it went is told, and what is pending is forgotten; one that is back before gets it.
func TestAnUnwritableTaskIsTakenAway(t *testing.T) {
	for _, back := range []bool{false, true} {
		t.Run(fmt.Sprint("back=", back), func(t *testing.T) {
			s := newStore(t)
			uid, other := planned(t, s, "one"), planned(t, s, "other")
			checkpointed(t, s)
			q := &seal{uid: uid}
			w := open(t, s.Root(), q.options())
			load(t, w)
			q.onEntry.Store(true)
			_, err := w.Do(t.Context(), model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "x", Mode: '='}}}})
			wantCode(t, err, model.CodeNotDurable)
			aside, dir := filepath.Join(s.Root(), "aside"), vespe(s, layout.TaskDir(uid))
			must(t, os.Rename(dir, aside))
			q.open()
			n := open(t, s.Root(), testOptions())
			if snap := load(t, n); snap.Len() != 1 {
				t.Errorf("there are %d tasks", snap.Len())
			}
			do(t, n, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "renamed"}})
			if _, err := os.Stat(dir); err == nil {
				t.Fatal("its directory was made anew")
			}
			if back {
				must(t, os.Rename(aside, dir))
				n = open(t, s.Root(), testOptions())
				if got := task(t, load(t, n), uid).Spec; got == nil || got.Description != "x" {
					t.Errorf("it came back as %+v", got)
				}
				projectionHolds(t, n)
				wantClean(t, n)
				healthy(t, n)
				return
			}
			if a, err := n.ImportEdits(t.Context(), nil); err != nil || a.Change == nil || !strings.Contains(a.Change.Summary, "was removed") {
				t.Fatalf("told %+v, %v", a.Change, err)
			}
			do(t, n, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "again"}})
			if ds, err := n.loader.Pending.All(); err != nil || len(pending.Blocking(ds)) > 0 {
				t.Errorf("still pending is %v, %v", ds, err)
			}
			wantClean(t, n)
		})
	}
}
