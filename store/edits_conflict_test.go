package store

import (
	"fmt"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// both is a body with both sides of a merge in the middle of it.
func both(body string) string {
	lines := strings.SplitAfter(body, "\n")
	k := len(lines) / 2
	head, line, rest := strings.Join(lines[:k], ""), lines[k], strings.Join(lines[k+1:], "")
	return head + "<<<<<<< HEAD\n" + line + "=======\n" + line + ">>>>>>> their/branch\n" + rest
}

// Whichever file a merge leaves both sides in is named, with the sides, by a load and by the
// doctor, beside a checkpoint and without one; it stays as it is, and everybody else's work
// continues.
func TestConflictMarksInEveryFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		layout.ConfigFile, layout.StatusFile, layout.DependenciesFile, layout.SpecFile, "plan.md", "objective.md", "revision", "event", "request", "policy", "milestones",
	} {
		for _, cold := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, checkpoint=%v", name, !cold), func(t *testing.T) { conflictIn(t, name, cold) })
		}
	}
}

func conflictIn(t *testing.T, name string, cold bool) {
	s := newStore(t)
	uid, other := planned(t, s, "one"), planned(t, s, "other")
	do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "a b", Mode: '='}}}},
		model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{other}}})
	write(t, vespe(s, layout.RequestFile("req-1")), string(model.EncodeRequest(model.Request{ID: "req-1", TaskUID: uid, Title: "which?"})))
	write(t, vespe(s, layout.PolicyFile), "{\n  \"name\": \"a project\",\n  \"max_attempts\": 3\n}\n")
	do(t, s, stone("m1", "First"), stone("m2", "Second"))
	events := eventsOf(t, s, uid)
	file := layout.TaskFile(uid, name)
	switch name {
	case "revision":
		file = revisionAt(s, uid, model.Plan, 1)
	case "event":
		file = layout.TaskFile(uid, layout.PersistentDir+"/"+events[0].File)
	case "request":
		file = layout.RequestFile("req-1")
	case "policy":
		file = layout.PolicyFile
	case "milestones":
		file = layout.MilestonesFile
	}
	if checkpointed(t, s); cold {
		removeCheckpoints(t, s)
	}
	path := vespe(s, file)
	body := both(read(t, path))
	write(t, path, body)
	n := open(t, s.Root(), testOptions())
	snap := load(t, n)
	byLoad := name != "revision" && name != "event" && !(cold && strings.HasSuffix(name, ".md"))
	if byLoad {
		namesConflict(t, snap.Problems(), file)
	}
	ps := doctor(t, n)
	namesConflict(t, ps, file)
	takeOver(t, n)
	do(t, n, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "goes on"}})
	if read(t, path) != body {
		t.Error("the file was written over")
	}
	repair(t, n)
	if immutable := !byLoad && !strings.HasSuffix(name, ".md"); (read(t, path) != body) != immutable {
		t.Errorf("resolved by the doctor: %v", read(t, path) != body)
	}
	if !holds(t, n, body) {
		t.Error("the bytes of the conflict are lost")
	}
}

func namesConflict(t *testing.T, ps []model.Problem, name string) {
	t.Helper()
	p, ok := findProblem(ps, model.CodeConflictMarks, name)
	if !ok {
		t.Errorf("no problem names the conflict in %s:\n%+v", name, ps)
		return
	}
	if p.Line == 0 || p.Hint == "" || !strings.Contains(p.Reason, "HEAD") || !strings.Contains(p.Reason, "their/branch") {
		t.Errorf("the problem is %+v", p)
	}
}

// Without store.json nothing is known of the store, so it does not open; it says why.
func TestAConflictInTheIdentity(t *testing.T) {
	s := newStore(t)
	path := vespe(s, layout.StoreFile)
	write(t, path, both(read(t, path)))
	_, err := Open(s.Root(), testOptions())
	r := wantCode(t, err, model.CodeInvalid)
	if !strings.Contains(r.Why, "HEAD and their/branch") || !strings.Contains(r.Hint, "resolve the conflict") {
		t.Errorf("%s (%s)", r.Why, r.Hint)
	}
}

// A plan that was handed in with such lines in it, about git for example, is a plan.
func TestAPlanAboutConflictsIsAPlan(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: both("# How to merge\nlook for\nthese lines\n")}})
	checkpointed(t, s)
	n := open(t, s.Root(), testOptions())
	load(t, n)
	must(t, n.loader.Sweep(t.Context(), []model.UID{uid}, nil))
	wantClean(t, n)
	healthy(t, n)
	do(t, n, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
}
