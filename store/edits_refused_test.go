package store

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/follow"
	"vespe/store/layout"
)

// oversized makes a document larger than what is read.
func oversized(t testing.TB, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err == nil {
		err = errors.Join(f.Truncate(100<<20), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// takenOverBeside edits a task by hand and expects that to be taken over, whatever is wrong
// with others.
func takenOverBeside(t *testing.T, s *Store, uid model.UID) {
	t.Helper()
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "by hand\n")
	load(t, s)
	a, err := s.ImportEdits(t.Context(), nil)
	if err != nil {
		t.Fatalf("taking over edits: %v", err)
	}
	if n := task(t, load(t, s), uid).Status.PlanRevision; n != 2 {
		t.Errorf("the plan of %s is at revision %d, want 2 (%q)", uid, n, a.Warnings)
	}
}

// A document that nobody can read holds up neither the edits of other tasks nor the changes
// of its own that need no bytes of it; it is a problem of its task, and there is no verdict on
// it.
func TestAnUnreadableDocument(t *testing.T) {
	for _, c := range []struct {
		what         string
		first, large bool // there was no plan before; it is too large, else it may not be read
		status       bool // the status is edited as well
	}{
		{"a first plan that is too large", true, true, false},
		{"a plan that is too large", false, true, false},
		{"a plan that is too large, and the status", false, true, true},
		{"a plan that may not be read", false, false, false},
		{"a plan that may not be read, and the status", false, false, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := newStore(t)
			a := create(t, s, "a", "x\n")
			if !c.first {
				do(t, s, model.Op{Name: model.DefinePlan, UID: a, Actor: robot, Args: model.NewPlan{Text: "a plan\n"}})
			}
			b := planned(t, s, "b")
			st := task(t, load(t, s), a).Status
			name := layout.TaskFile(a, "plan.md")
			if c.large {
				oversized(t, vespe(s, name))
			} else {
				s.setFS(&hookFS{FS: s.disk.FS, before: refusing(name, fs.ErrPermission, callRead)})
				if err := os.Chmod(vespe(s, name), 0); err != nil { // root may read it all the same
					t.Fatal(err)
				}
			}
			if c.status {
				st.Progress = "half"
				write(t, vespe(s, layout.TaskFile(a, layout.StatusFile)), string(model.EncodeStatus(st)))
			}
			takenOverBeside(t, s, b)
			snap := load(t, s)
			i, _ := snap.Index(a)
			code := "too-large"
			if !c.large {
				code = failure.Unreadable
			}
			wantProblem(t, snap.ProblemsOf(i), code, name)
			f, err := snapshot.ParseFilter("status:problem")
			if err != nil {
				t.Fatal(err)
			}
			if found := snap.Select(f); len(found) != 1 || int(found[0]) != i {
				t.Errorf("status:problem finds %d", found)
			}
			if c.status && task(t, snap, a).Status.Progress != "half" {
				t.Error("the edited status is not believed")
			}
			if !c.first {
				_, err := s.Do(t.Context(), model.Op{Name: model.AcceptPlan, UID: a, Actor: ann})
				if r := wantCode(t, err, model.CodeRefused); r.Guard != model.GuardReadable {
					t.Errorf("a verdict on a plan that can't be read: %v", err)
				}
			}
			do(t, s, model.Op{Name: model.SetFields, UID: a, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "one"}}}})
			do(t, s, model.Op{Name: model.Abort, UID: a, Actor: ann, Reason: "no"})
			if ps := load(t, s).ProblemsOf(i); len(ps) != 1 {
				t.Errorf("problems of the task: %+v", ps)
			}
		})
	}
}

// Once it can be read again, it is no problem anymore, and an edit like any other.
func TestADocumentThatBecomesReadable(t *testing.T) {
	s := newStore(t)
	a, b := planned(t, s, "a"), planned(t, s, "b")
	load(t, s)
	name := vespe(s, layout.TaskFile(a, "plan.md"))
	oversized(t, name)
	takenOverBeside(t, s, b)
	write(t, name, "short\n")
	if ps := load(t, s).Problems(); len(ps) != 0 {
		t.Errorf("problems: %+v", ps)
	}
	takeOver(t, s)
	if n := task(t, load(t, s), a).Status.PlanRevision; n != 2 {
		t.Errorf("the plan is at revision %d, want 2", n)
	}
}

// The name under which the bytes of an edited status.json are to be kept may be taken.
func TestNamesOfKeptEditsAreTaken(t *testing.T) {
	s := newStore(t)
	a, b := planned(t, s, "a"), planned(t, s, "b")
	st := task(t, load(t, s), a).Status
	st.Progress = "half"
	body := model.EncodeStatus(st)
	write(t, vespe(s, layout.TaskFile(a, layout.StatusFile)), string(body))
	taken := vespe(s, layout.EditFile(a, layout.StatusFile, model.HashBytes(body)))
	write(t, taken, "somebody's")
	write(t, strings.TrimSuffix(taken, ".json")+"-2.json", "somebody's too")
	takenOverBeside(t, s, b)
	wantEqual(t, "the progress", task(t, load(t, s), a).Status.Progress, "half")
	if read(t, taken) != "somebody's" || read(t, strings.TrimSuffix(taken, ".json")+"-3.json") != string(body) {
		t.Error("the bytes of the edit are not kept, or others are written over")
	}
	do(t, s, model.Op{Name: model.Abort, UID: a, Actor: ann, Reason: "no"})
}

// An edit that cannot be taken over because of a task that it touches beside its own is said
// to be so, and holds up no other.
func TestAnEditThatTouchesAnUnwritableTask(t *testing.T) {
	s := newStore(t)
	dep, other, last := planned(t, s, "dep"), planned(t, s, "other"), planned(t, s, "last")
	uid := planned(t, s, "needs it")
	do(t, s, model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}})
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	load(t, s)
	s.setFS(&hookFS{FS: s.disk.FS, before: refusing(layout.TaskDir(uid), fs.ErrPermission, callAccess)})
	write(t, vespe(s, layout.TaskFile(dep, "plan.md")), "by hand too\n") // marks the other as changed
	write(t, vespe(s, layout.TaskFile(last, "plan.md")), "by hand too\n")
	takenOverBeside(t, s, other)
	snap := load(t, s)
	if n := task(t, snap, last).Status.PlanRevision; n != 2 {
		t.Errorf("the plan of the last is at revision %d, want 2", n)
	}
	if n := task(t, snap, dep).Status.PlanRevision; n != 1 {
		t.Errorf("the plan of what it needs is at revision %d, want 1", n)
	}
}

// Who follows a store sees such a problem come and go, and is not told that it cannot be
// followed.
func TestFollowingBesideAnUnreadableDocument(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	a, b := planned(t, s, "a"), planned(t, s, "b")
	r := following(t, s, follow.Options{})
	name := vespe(s, layout.TaskFile(a, "plan.md"))
	plan := read(t, name)
	oversized(t, name)
	write(t, vespe(s, layout.TaskFile(b, "plan.md")), "by hand\n")
	until(t, r, "problem, and edit beside it", func(snap *snapshot.Snapshot, u model.Update) bool {
		if u.Stale != "" {
			t.Fatal(u.Stale)
		}
		_, told := findProblem(snap.Problems(), "too-large", "plan.md")
		return told && task(t, snap, b).Status.PlanRevision == 2
	})
	write(t, name, plan)
	until(t, r, "end of the problem", func(snap *snapshot.Snapshot, _ model.Update) bool { return len(snap.Problems()) == 0 })
}
