package store

import (
	"os"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

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
