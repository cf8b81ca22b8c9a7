package store

import (
	"os"
	"path"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

func hintOf(t *testing.T, s *Store, suffix string) model.Problem {
	t.Helper()
	ps := doctor(t, s)
	p, ok := findProblem(ps, "foreign-change", suffix)
	if !ok {
		t.Fatalf("nothing is said of %s: %+v", suffix, ps)
	}
	return p
}

// A hint that names doctor --fix is kept by it.
func TestWhatIsGoneAndHowToGetItBack(t *testing.T) {
	for name, fixed := range map[string]bool{
		"plan.md": false, "objective.md": false, layout.SpecFile: false, layout.StatusFile: true, layout.ConfigFile: true, layout.RevisionsDir: true,
	} {
		t.Run(name, func(t *testing.T) {
			s, uid := decided(t)
			do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "priority", Value: "high"}}}})
			must(t, s.Close())
			file := layout.TaskFile(uid, name)
			if name == layout.RevisionsDir {
				file = revisionAt(s, uid, model.Plan, 1)
			}
			must(t, os.Remove(vespe(s, file)))
			s = open(t, s.Root(), testOptions())
			if p := hintOf(t, s, path.Base(file)); strings.Contains(p.Hint, "doctor --fix") != fixed || p.Hint == "" {
				t.Errorf("the hint is %q", p.Hint)
			}
			repair(t, s)
			if _, err := os.Stat(vespe(s, file)); fixed != (err == nil) {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

func TestATaskThatIsGoneIsOneProblem(t *testing.T) {
	s, uid := decided(t)
	planned(t, s, "other")
	must(t, os.Rename(vespe(s, layout.TaskDir(uid)), vespe(s, "away")))
	count := func() (n int) {
		ps := doctor(t, s)
		for _, p := range ps {
			if p.Code == "foreign-change" {
				n++
			}
		}
		return n
	}
	if p := hintOf(t, s, string(uid)); !strings.Contains(p.Hint, "git checkout -- .vespe/"+layout.TaskDir(uid)) || p.UID != uid || count() != 1 {
		t.Errorf("%d problems, with %+v", count(), p)
	}
	must(t, os.Rename(vespe(s, layout.TasksDir), vespe(s, "all")))
	ps := doctor(t, s)
	if p, ok := findProblem(ps, "missing-directory", "/"+layout.TasksDir); !ok || !strings.Contains(p.Reason, "3 tasks") || p.Severity != model.Error || count() != 0 {
		t.Errorf("%d problems, with %+v", count(), p)
	}
	wantProblem(t, load(t, open(t, s.Root(), testOptions())).Problems(), "missing-directory", "/"+layout.TasksDir)
}

// Nothing of a conflict is taken over, so nothing says that it would be.
func TestAConflictIsNoEdit(t *testing.T) {
	s, uid := decided(t)
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n")
	ps := doctor(t, s)
	wantProblem(t, ps, model.CodeConflictMarks, "plan.md")
	if p, found := findProblem(ps, "foreign-change", "plan.md"); found {
		t.Errorf("besides: %+v", p)
	}
}
