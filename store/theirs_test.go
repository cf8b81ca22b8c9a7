package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// rewriting is an operation for each of a task's own files that rewrites it.
func rewriting(uid, other model.UID) map[string]model.Op {
	return map[string]model.Op{
		layout.StatusFile:       {Name: model.Pause, UID: uid, Actor: ann, Reason: "later"},
		layout.ConfigFile:       {Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}},
		"plan.md":               {Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another\n"}},
		"objective.md":          {Name: model.DefineObjective, UID: other, Actor: robot, Args: model.NewObjective{Text: "another\n"}},
		layout.DependenciesFile: {Name: model.RemoveDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{other}}},
		layout.SpecFile:         {Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "y", Mode: '='}}}},
	}
}

// furnished is a store with a task that has every file, and another.
func furnished(t *testing.T) (s *Store, uid, other model.UID) {
	t.Helper()
	s = newStore(t)
	other = create(t, s, "other", "objective\n")
	uid = planned(t, s, "one")
	do(t, s, model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{other}}},
		model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "x", Mode: '='}}}})
	return s, uid, other
}

// Bytes that someone writes between a commit and its projection, or in the very moment in
// which the file is replaced, are kept beside it and told of, whichever file it is.
func TestBytesWrittenMeanwhileAreKeptBeside(t *testing.T) {
	const foreign = "{\n  \"labels\": [\"by hand\"]\n}\n"
	for name := range rewriting("", "") {
		check := func(t *testing.T, root string, uid model.UID) {
			t.Helper()
			after := open(t, root, testOptions())
			snap := load(t, after)
			kept, err := filepath.Glob(vespe(after, layout.TaskFile(uid, name+layout.TheirsMark+"*")))
			if err != nil || len(kept) != 1 || read(t, kept[0]) != foreign {
				t.Fatalf("kept: %q, %v", kept, err)
			}
			if read(t, vespe(after, layout.TaskFile(uid, name))) == foreign {
				t.Error("the transaction's file was not written")
			}
			wantProblem(t, task(t, snap, uid).Problems, "theirs", filepath.Base(kept[0]))
			if len(after.Edited()) > 0 {
				t.Errorf("edited are %v", after.Edited())
			}
			do(t, after, model.Op{Name: model.RaiseError, UID: uid, Actor: ann, Args: model.ErrorReport{Details: "work goes on"}})
		}
		t.Run(name+" between", func(t *testing.T) {
			s, uid, other := furnished(t)
			op := rewriting(uid, other)[name]
			path := vespe(s, layout.TaskFile(op.UID, name))
			r := open(t, s.Root(), Options{Now: newClock().now, Rand: entropy(9), FS: unprojected().system})
			if a, err := r.Do(t.Context(), op); err != nil || len(a.Warnings) == 0 {
				t.Fatalf("a transaction that could not be projected: %v %q", err, a.Warnings)
			}
			write(t, path, foreign)
			check(t, s.Root(), op.UID)
		})
		t.Run(name+" during", func(t *testing.T) {
			s, uid, other := furnished(t)
			op := rewriting(uid, other)[name]
			path := vespe(s, layout.TaskFile(op.UID, name))
			f := &hookFS{before: only(callExchange, func(n string) {
				if n == layout.TaskFile(op.UID, name) {
					write(t, path, foreign)
				}
			})}
			r := open(t, s.Root(), Options{Now: newClock().now, Rand: entropy(9), FS: f.system})
			a, err := r.Do(t.Context(), op)
			if err != nil || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], layout.TheirsMark) {
				t.Fatalf("%v, warnings %q", err, a.Warnings)
			}
			check(t, s.Root(), op.UID)
		})
	}
}

// lateWriter is stopped just before it replaces a file, while others continue without a lock, and killed
// before it notes that it is done.
type lateWriter struct {
	hookFS
	held func() // what happens then, once
}

func newLateWriter(name string, noExchange bool) *lateWriter {
	f := &lateWriter{}
	f.hookFS.before = func(call, n string) error {
		switch {
		case call == callOverwrite:
			return errDead
		case call == callExchange && noExchange:
			return errors.ErrUnsupported
		case (call == callExchange || call == callRename) && n == name && f.held != nil:
			do := f.held
			f.held = nil
			do()
		}
		return nil
	}
	return f
}

// late is a store in which one writer, held up before it replaced a file, came after
// another, where locks do not work. The other's transaction is what counts.
func late(t *testing.T, name string, ops func(uid model.UID) (slow, quick model.Op), noExchange bool) (s *Store, uid model.UID) {
	t.Helper()
	s, uid, _ = furnished(t)
	f := newLateWriter(layout.TaskFile(uid, name), noExchange)
	slowOp, quickOp := ops(uid)
	slow := open(t, s.Root(), Options{FS: f.unlocked})
	quick := open(t, s.Root(), Options{FS: unlocked})
	f.held = func() { do(t, quick, quickOp) }
	mustGet(slow.Do(t.Context(), slowOp))(t)
	if f.held != nil {
		t.Fatal("nobody came in between")
	}
	return s, uid
}

// withoutLocks are options of a process on a file system without locks.
func withoutLocks() Options {
	opt := testOptions()
	opt.FS = unlocked
	return opt
}

func pauseThenResume(uid model.UID) (slow, quick model.Op) {
	return model.Op{Name: model.Pause, UID: uid, Actor: ann, Reason: "later"}, model.Op{Name: model.Resume, UID: uid, Actor: ann}
}

func planTwice(uid model.UID) (slow, quick model.Op) {
	return model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "slow\n"}}, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "quick\n"}}
}

// A writer that finds that it came late puts back what it replaced.
func TestALateWriterPutsBackWhatItReplaced(t *testing.T) {
	for name, ops := range map[string]func(model.UID) (model.Op, model.Op){layout.StatusFile: pauseThenResume, "plan.md": planTwice} {
		t.Run(name, func(t *testing.T) {
			s, uid := late(t, name, ops, false)
			r := open(t, s.Root(), testOptions())
			snap := load(t, r)
			if task(t, snap, uid).Status.IsPaused || len(r.Edited()) > 0 || len(r.edits.ToImport()) > 0 {
				t.Errorf("%+v, edited %v, late %v", task(t, snap, uid).Status, r.Edited(), r.edits.ToImport())
			}
			projectionHolds(t, r)
			wantClean(t, r)
			if kept, _ := filepath.Glob(vespe(s, layout.TaskFile(uid, "*"+layout.TheirsMark+"*"))); len(kept) > 0 {
				t.Errorf("kept %q", kept)
			}
		})
	}
}

// What writers without a lock do to each other is nobody's edit, in whichever order they come:
// nothing of it is kept beside, and the file is what the last of them wrote.
func TestLateWritersAreNobodysEdit(t *testing.T) {
	other := func(t *testing.T, root string) *Store {
		return open(t, root, Options{FS: unlocked})
	}
	label := func(t *testing.T, s *Store, uid model.UID) {
		t.Helper()
		a := mustGet(s.Do(t.Context(), model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: s.randomHex(4), Mode: '+'}}}}))(t)
		for _, w := range a.Warnings {
			if !strings.Contains(w, "a late writer") {
				t.Errorf("warning: %s", w)
			}
		}
	}
	// What the others do before the writer that is held up replaces the file, and before it
	// puts back what it replaced.
	for name, steps := range map[string][]func(t *testing.T, s *Store, uid model.UID){
		"finished by another": {func(t *testing.T, s *Store, _ model.UID) { load(t, s) }},
		"one more meanwhile":  {label, label},
		"more meanwhile":      {label, func(t *testing.T, s *Store, uid model.UID) { label(t, s, uid); label(t, s, uid) }, label},
	} {
		t.Run(name, func(t *testing.T) {
			s, uid, _ := furnished(t)
			checkpointed(t, s)
			f := newLateWriter(layout.TaskFile(uid, layout.StatusFile), false)
			slow := open(t, s.Root(), Options{FS: f.unlocked})
			next := 0
			var before func()
			before = func() {
				step := steps[next]
				if next++; next < len(steps) {
					f.held = before
				}
				step(t, other(t, s.Root()), uid)
			}
			f.held = before
			label(t, slow, uid)
			if next < len(steps) {
				t.Fatal("the writer was not held up")
			}
			if kept, _ := filepath.Glob(vespe(s, layout.TaskFile(uid, "*"+layout.TheirsMark+"*"))); len(kept) > 0 {
				t.Errorf("kept %q", kept)
			}
			r := open(t, s.Root(), testOptions())
			do(t, r, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
			if len(externalEvents(t, r, uid)) > 0 {
				t.Error("it was taken for an edit")
			}
			projectionHolds(t, r)
			wantClean(t, r)
		})
	}
}

// A projection that finds what a late writer has set back writes the file, and keeps nothing.
func TestWhatALateWriterSetBackIsNotKept(t *testing.T) {
	s, uid, _ := furnished(t)
	path := vespe(s, layout.TaskFile(uid, layout.StatusFile))
	was := read(t, path)
	slow, quick := pauseThenResume(uid)
	do(t, s, slow)
	killed := open(t, s.Root(), Options{FS: unprojected().unlocked})
	if a, err := killed.Do(t.Context(), quick); err != nil || len(a.Warnings) == 0 {
		t.Fatalf("%v, %q", err, a.Warnings)
	}
	write(t, path, was) // a moment after the entry that should have replaced it
	r := open(t, s.Root(), withoutLocks())
	load(t, r)
	projectionHolds(t, r)
	wantClean(t, r)
}

// Where files cannot be exchanged it does not find out. Then the file that it set back is
// no edit: nobody believes it, and the next transaction writes it again.
func TestAFileThatALateWriterSetBack(t *testing.T) {
	for name, ops := range map[string]func(model.UID) (model.Op, model.Op){layout.StatusFile: pauseThenResume, "plan.md": planTwice} {
		t.Run(name, func(t *testing.T) {
			s, uid := late(t, name, ops, true)
			checkpointed(t, s)
			r := open(t, s.Root(), withoutLocks())
			snap := load(t, r)
			if task(t, snap, uid).Status.IsPaused || len(r.Edited()) > 0 {
				t.Errorf("%+v, edited %v", task(t, snap, uid).Status, r.Edited())
			}
			if len(r.edits.ToImport()) != 1 {
				t.Fatal("nobody noticed the late writer")
			}
			a, err := r.ImportEdits(t.Context(), nil)
			if err != nil || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], name) {
				t.Fatalf("%v, warnings %q", err, a.Warnings)
			}
			if len(externalEvents(t, r, uid)) > 0 {
				t.Error("it was taken for an edit")
			}
			projectionHolds(t, r)
			wantClean(t, r)
		})
	}
}

// A person who sets a file back does it after what stood there was written: that is an edit.
func TestAFileThatAPersonSetBack(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	path := vespe(s, layout.TaskFile(uid, layout.StatusFile))
	was := read(t, path)
	do(t, s, model.Op{Name: model.Pause, UID: uid, Actor: ann, Reason: "later"})
	checkpointed(t, s)
	write(t, path, was)
	later := time.Now().Add(time.Second) // the file system's clock has a grain
	must(t, os.Chtimes(path, later, later))
	r := open(t, s.Root(), testOptions())
	if snap := load(t, r); task(t, snap, uid).Status.IsPaused || len(r.Edited()) != 1 {
		t.Errorf("edited %v", r.Edited())
	}
	takeOver(t, r)
	if len(externalEvents(t, r, uid)) != 1 {
		t.Error("no event tells of it")
	}
	wantClean(t, r)
}

// Bytes that say what vespe knows, in other words, are no edit; when the file is written
// anew they are kept in the log all the same.
func TestReplacedBytesAreInTheLog(t *testing.T) {
	s, uid, other := furnished(t)
	big := strings.Repeat(" ", txlog.MaxInline+1)
	for name, op := range rewriting(uid, other) {
		path := vespe(s, layout.TaskFile(op.UID, name))
		body := " \n" + read(t, path) + "\n"
		if name == layout.SpecFile {
			body = read(t, path) + big
		}
		if strings.HasSuffix(name, ".md") {
			body = " \n" // nothing that could be a revision
		}
		write(t, path, body)
		do(t, s, op)
		if !holds(t, s, body) {
			t.Errorf("the bytes of %s are lost", name)
		}
	}
	projectionHolds(t, s)
	wantClean(t, s)
}
