package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/failure"
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

// writtenIn does an operation while somebody writes a file: just before it is replaced, or between the
// commit and the projection.
func writtenIn(t *testing.T, s *Store, name, body string, during bool, op model.Op) (warnings []string) {
	t.Helper()
	if !during {
		killed := open(t, s.Root(), Options{Now: s.opt.Now, Rand: s.opt.Rand, FS: unprojected().system})
		if a, err := killed.Do(t.Context(), op); err != nil || len(a.Warnings) == 0 {
			t.Fatalf("a transaction that could not be projected: %v %q", err, a.Warnings)
		}
		write(t, vespe(s, name), body)
		a := mustGet(open(t, s.Root(), Options{Now: s.opt.Now, Rand: s.opt.Rand}).Do(t.Context(), labeled(op.UID, "", "next")))(t)
		return a.Warnings
	}
	f := &hookFS{before: only(callExchange, func(n string) {
		if n == name {
			write(t, vespe(s, name), body)
		}
	})}
	a, err := open(t, s.Root(), Options{Now: s.opt.Now, Rand: s.opt.Rand, FS: f.system}).Do(t.Context(), op)
	if err != nil || len(a.Warnings) != 1 {
		t.Fatalf("%v, warnings %q", err, a.Warnings)
	}
	return a.Warnings
}

// The same bytes are kept once, however often somebody writes them, and other bytes of the same file
// are kept too.
func TestTheSameBytesAreKeptOnce(t *testing.T) {
	t.Parallel()
	for _, during := range []bool{true, false} {
		s := newStore(t)
		uid := planned(t, s, "one")
		name := layout.TaskFile(uid, "plan.md")
		for i, body := range []string{"mine\n", "mine\n", "mine too\n", "mine\n", "mine too\n"} {
			op := model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: fmt.Sprintf("plan %d\n", i)}}
			writtenIn(t, s, name, body, during, op)
			load(t, open(t, s.Root(), testOptions()))
		}
		kept, err := filepath.Glob(vespe(s, name+layout.TheirsMark+"*"))
		if err != nil || len(kept) != 2 || read(t, kept[0]) == read(t, kept[1]) {
			t.Errorf("during %v, kept are %q, %v", during, kept, err)
		}
		if left := left(t, s); len(left) > 0 {
			t.Errorf("left are %q", left)
		}
	}
}

// What a recorded revision holds needs no copy: the warning names the revision.
func TestARevisionIsNotKeptAgain(t *testing.T) {
	t.Parallel()
	for _, during := range []bool{true, false} {
		s := newStore(t)
		uid := planned(t, s, "one")
		name := layout.TaskFile(uid, "plan.md")
		old := read(t, vespe(s, name))
		do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "second\n"}})
		warnings := writtenIn(t, s, name, old, during, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "third\n"}})
		if kept := globs(t, s, name+layout.TheirsMark+"*"); len(kept) > 0 {
			t.Errorf("during %v, kept are %q", during, kept)
		}
		if !strings.Contains(strings.Join(warnings, "\n"), layout.Shown(revisionAt(s, uid, model.Plan, 1))) {
			t.Errorf("warned of %q", warnings)
		}
	}
}

// doctor lists every copy, and --fix removes none.
func TestDoctorListsEveryCopy(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	uid := planned(t, s, "one")
	event := filepath.Base(globs(t, s, layout.TaskFile(uid, layout.PersistentDir+"/*.json"))[0])
	copies := []string{
		layout.TaskFile(uid, "plan.md"+layout.TheirsMark+"3"),
		layout.TaskFile(uid, layout.PersistentDir+"/"+event+layout.TheirsMark+"4"),
		layout.TaskFile(uid, layout.ResultDir+"/a/b.txt"+layout.TheirsMark+"4"),
		layout.RequestsDir + "/req-1.json" + layout.TheirsMark + "4",
		layout.PolicyFile + layout.TheirsMark + "4",
	}
	write(t, vespe(s, layout.TaskFile(uid, layout.ResultDir+"/a/b.txt")), "b")
	for _, name := range copies {
		write(t, vespe(s, name), "b")
	}
	for range 2 {
		ps := doctor(t, s)
		for _, name := range copies {
			wantProblem(t, ps, failure.Theirs, filepath.Base(name))
		}
		repair(t, s)
	}
}

// A file that is restored from a backup with the time that it had then (cp -p, tar, rsync -t), or
// after the clock was set back, is an edit like any other: no writer comes late where the lock
// keeps others out.
func TestRestoredWithItsTime(t *testing.T) {
	for _, name := range []string{layout.SpecFile, "plan.md", layout.DependenciesFile} {
		for _, fresh := range []bool{false, true} {
			s := newStore(t)
			uid, other, third := planned(t, s, "one"), planned(t, s, "other"), planned(t, s, "third")
			change := func(text string, dep model.UID) {
				do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: text}}}},
					model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: text + "\n"}},
					model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}})
			}
			path := vespe(s, layout.TaskFile(uid, name))
			change("one", other)
			backup := read(t, path)
			in := mustGet(os.Stat(path))(t)
			change("two", third)
			load(t, s)
			write(t, path, backup)
			past := in.ModTime().AddDate(0, 0, -1)
			must(t, os.Chtimes(path, past, past))
			if fresh {
				checkpointed(t, s)
				s = open(t, s.Root(), testOptions())
			}
			load(t, s)
			a, err := s.ImportEdits(t.Context(), nil)
			if err != nil || strings.Contains(strings.Join(a.Warnings, "\n"), "late") {
				t.Errorf("%s: %v, %q", name, err, a.Warnings)
			}
			if read(t, path) != backup {
				t.Errorf("%s: what was restored is undone", name)
			}
			if len(externalEvents(t, s, uid)) != 1 {
				t.Errorf("%s: no event tells of it", name)
			}
			snap := load(t, s)
			if n := task(t, snap, uid).Status.PlanRevision; (n == 4) != (name == "plan.md") {
				t.Errorf("%s: the plan is at revision %d", name, n)
			}
			load(t, s)
			wantClean(t, s)
			do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "goes on"}})
			if read(t, path) != backup {
				t.Errorf("%s: what was restored is undone later", name)
			}
		}
	}
}
