package store

import (
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
