package store

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/marks"
)

// A file that is no longer there is an edit like any other: it is told, taken over once,
// and holds nobody up.
func TestADocumentThatIsRemoved(t *testing.T) {
	for _, name := range []string{"plan.md", "objective.md", layout.DependenciesFile, layout.SpecFile} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			dep := create(t, s, "dep", "first\n")
			uid := planned(t, s, "one")
			do(t, s, model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}},
				model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "x", Mode: '='}}}})
			checkpointed(t, s)
			other := open(t, s.Root(), testOptions())
			load(t, other)
			must(t, os.Remove(vespe(s, layout.TaskFile(uid, name))))
			r := open(t, s.Root(), testOptions())
			load(t, r)
			if !slices.Equal(r.Edited(), []model.UID{uid}) {
				t.Fatalf("edited are %v", r.Edited())
			}
			do(t, r, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
			found := externalEvents(t, r, uid)
			if len(found) != 1 || !strings.Contains(found[0].Summary, name) {
				t.Errorf("events %+v", found)
			}
			wantClean(t, r)
			// Anyone who looked on knows it from the log, and finds nothing more.
			if load(t, other); len(other.Edited()) > 0 {
				t.Errorf("another process finds %v", other.Edited())
			}
			if a, err := other.ImportEdits(t.Context(), []model.UID{uid}); err != nil || a.Change != nil {
				t.Errorf("took over %+v, %v", a.Change, err)
			}
		})
	}
}

// What is only a warning about a task, as a file that was kept aside beside its own, is no
// edit and keeps nobody from working.
func TestAWarningIsNoEdit(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	checkpointed(t, s)
	write(t, vespe(s, layout.TaskFile(uid, layout.StatusFile+layout.TheirsMark+"7")), "{}\n")
	load(t, s)
	if len(s.Edited()) > 0 {
		t.Errorf("edited are %v", s.Edited())
	}
	a := do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	wantProblem(t, task(t, a.Snapshot, uid).Problems, "theirs", layout.TheirsMark+"7")
}

// An edit that another process has taken over, after which a person decided, is nothing to
// be taken over again: the verdict stands.
func TestAnEditThatSomeoneElseTookOver(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	checkpointed(t, s)
	path := vespe(s, layout.TaskFile(uid, layout.StatusFile))
	late := open(t, s.Root(), testOptions())
	load(t, late)
	write(t, path, strings.Replace(read(t, path), `"current_state"`, `"progress": "half", "current_state"`, 1))
	load(t, late)
	if len(late.Edited()) != 1 {
		t.Fatalf("edited are %v", late.Edited())
	}
	load(t, s)
	takeOver(t, s)
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})

	a := takeOver(t, late)
	if task(t, a.Snapshot, uid).Status.AcceptedPlan == nil {
		t.Error("the acceptance is gone")
	}
	if len(late.Edited()) > 0 || len(externalEvents(t, s, uid)) != 1 {
		t.Errorf("still edited %v; %d events", late.Edited(), len(externalEvents(t, s, uid)))
	}
	load(t, s)
	wantClean(t, s)
}

// A task that nobody can read now holds up nobody who works on another.
func TestAnUnreadableNeighborHoldsNobodyUp(t *testing.T) {
	s := newStore(t)
	dep := planned(t, s, "dep")
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}})
	checkpointed(t, s)
	body := "{ this is no JSON"
	write(t, vespe(s, layout.TaskFile(dep, layout.StatusFile)), body)
	r := open(t, s.Root(), testOptions())
	do(t, r, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	if read(t, vespe(s, layout.TaskFile(dep, layout.StatusFile))) != body {
		t.Error("what could not be read was written over")
	}
	snap := load(t, r)
	wantProblem(t, snap.Problems(), "bad-json", layout.StatusFile)
	if a, err := r.ImportEdits(t.Context(), nil); err != nil || a.Change != nil {
		t.Errorf("took over %+v, %v", a.Change, err)
	}
	if len(externalEvents(t, r, dep)) > 0 {
		t.Error("what can't be read was taken over")
	}
	// Repaired by hand, to something else than it was: that is the edit.
	write(t, vespe(s, layout.TaskFile(dep, layout.StatusFile)), `{"current_state": "working", "accepted_plan": {"plan_revision": 1, "by": "human:mallory"}}`)
	if got := task(t, load(t, r), dep).Status; got.AcceptedPlan != nil {
		t.Error("the acceptance counts that came with the repair")
	}
	takeOver(t, r)
	if len(externalEvents(t, r, dep)) != 1 {
		t.Error("no event tells of the repair")
	}
	wantClean(t, r)
}

// Both sides of a merge in a document are no revision, whatever is done to the task, and
// not acceptable; a new plan keeps them.
func TestConflictsAreNoRevisions(t *testing.T) {
	const both = "# A\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n"
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		t.Run(string(doc), func(t *testing.T) {
			s := newStore(t)
			uid := planned(t, s, "one")
			checkpointed(t, s)
			write(t, vespe(s, layout.TaskFile(uid, layout.DocFile(doc))), both)
			r := open(t, s.Root(), testOptions())
			wantProblem(t, load(t, r).Problems(), model.CodeConflictMarks, layout.DocFile(doc))
			_, err := r.Do(t.Context(), model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
			wantCode(t, err, model.CodeRefused)
			_, err = r.Do(t.Context(), model.Op{Name: model.RejectPlan, UID: uid, Actor: ann, Reason: "no"})
			wantCode(t, err, model.CodeRefused)
			do(t, r, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
			if _, err := r.Revision(t.Context(), uid, doc, 2); err == nil {
				t.Error("the conflict became a revision")
			}
			if doc == model.Objective {
				return
			}
			do(t, r, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "resolved\n"}})
			if c, err := r.Revision(t.Context(), uid, doc, 2); err != nil || string(c.Body) != "resolved\n" {
				t.Errorf("revision 2 is %q, %v", c.Body, err)
			}
			if !holds(t, s, both) {
				t.Error("the bytes of the conflict are lost")
			}
			wantClean(t, r)
			do(t, r, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
		})
	}
}

// holds says whether bytes are anywhere in a store: in a file, or in the log.
func holds(t *testing.T, s *Store, body string) bool {
	t.Helper()
	hash := model.HashBytes([]byte(body))
	found := false
	must(t, walkFiles(vespe(s, "."), func(path string, b []byte) {
		found = found || model.HashBytes(b) == hash
	}))
	if found {
		return true
	}
	last := lastEntry(t, s)
	for n := uint64(1); n <= last; n++ {
		e := entryAt(t, s, n)
		for i := range e.Files {
			if f := e.Files[i]; f.Hash == hash && f.Body != nil || f.Was == hash && f.Kept != nil {
				return true
			}
		}
	}
	return false
}

// Files that are again as they were before somebody edited them look as they did then, to the file
// system too. What was found of the edit is gone with it.
func TestAnEditThatWasTakenBack(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	old := time.Now().Add(-time.Hour)
	for _, name := range marks.Files {
		must(t, removedOS(os.Chtimes(vespe(s, layout.TaskFile(uid, name)), old, old)))
	}
	checkpointed(t, s)
	load(t, s) // the task looks as it is known
	if s.edits.Marks.Of(uid) == 0 {
		t.Fatal("nothing is remembered of how the task looks")
	}
	spec := vespe(s, layout.TaskFile(uid, layout.SpecFile))
	for _, body := range []string{"<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n", `{"description": "by hand"}`} {
		write(t, spec, body)
		if load(t, s); !slices.Equal(s.Edited(), []model.UID{uid}) {
			t.Fatalf("edited are %v", s.Edited())
		}
		must(t, os.Remove(spec))
		snap := load(t, s)
		if len(s.Edited()) > 0 {
			t.Errorf("edited are still %v", s.Edited())
		}
		if ps := snap.Problems(); len(ps) > 0 {
			t.Errorf("problems %+v", ps)
		}
	}
}

// The same where somebody else writes of the task in between: it is then read apart from any sweep.
func TestAnEditThatWasTakenBackMeanwhile(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	old := time.Now().Add(-time.Hour)
	for _, name := range marks.Files {
		must(t, removedOS(os.Chtimes(vespe(s, layout.TaskFile(uid, name)), old, old)))
	}
	checkpointed(t, s)
	load(t, s)
	spec := vespe(s, layout.TaskFile(uid, layout.SpecFile))
	write(t, spec, "<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n")
	snap := freshened(t, s, uid)
	wantProblem(t, snap.Problems(), "merge-conflict", layout.SpecFile)
	s.edits.ForgetEdit(uid)
	must(t, os.Remove(spec))
	if ps := load(t, s).Problems(); len(ps) > 0 {
		t.Errorf("problems %+v", ps)
	}
}
