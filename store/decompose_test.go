package store

import (
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/store/layout"
)

// A decomposition is one entry of the log: parts, their texts, who waited for the task, and the list of its milestone.
// Taken back, the files say what they said.
func TestDecomposeIsOneTransaction(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "ledger")
	after := planned(t, s, "after")
	set := func(key, value string) model.Op {
		return model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: key, Value: value}}}}
	}
	last := do(t, s, set("files_to_create", "models/a.go,views/b.go"), set("acceptance_criteria", "one of them,another"), stone("m1", "First"), into(uid, "m1"),
		model.Op{Name: model.AddDependency, UID: after, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{uid}}})
	deps, stones := read(t, vespe(s, layout.TaskFile(after, layout.DependenciesFile))), read(t, vespe(s, layout.MilestonesFile))
	task, _ := last.Snapshot.Task(uid)
	split := decompose.Divide(task, complexity.ByLayers).Decomposition()
	op := model.Op{ID: "split", Name: model.Decompose, UID: uid, Actor: ann, Args: split}
	a := do(t, s, op)
	if a.Seq != last.Seq+1 {
		t.Errorf("the log went from %d to %d", last.Seq, a.Seq)
	}
	var parts []model.UID
	for _, c := range a.Change.Tasks {
		if c.SplitFrom() == uid {
			parts = append(parts, c.UID)
		}
	}
	if len(parts) != 2 {
		t.Fatalf("parts %v", parts)
	}
	// Another process reads it from the files.
	snap := load(t, open(t, s.Root(), testOptions()))
	if d, _ := snap.Task(after); len(d.DependsOn) != 1 || d.DependsOn[0] != parts[1] {
		t.Errorf("who waited for the task waits for %v", d.DependsOn)
	}
	for _, p := range parts {
		if milestoneOf(snap, p) != "m1" || !strings.Contains(read(t, vespe(s, layout.MilestonesFile)), string(p)) {
			t.Errorf("a part is in milestone %q", milestoneOf(snap, p))
		}
		if text := read(t, vespe(s, "tasks/"+string(p)+"/objective.md")); !strings.Contains(text, `of "ledger"`) {
			t.Errorf("the objective of a part: %s", text)
		}
	}
	if again := do(t, s, op); !again.Replayed || again.Seq != a.Seq {
		t.Errorf("repeated, it was done again: %+v", again)
	}
	// In parts that are not all of it nothing is split.
	bad := op
	bad.ID, bad.Args = "bad", model.Decomposition{Subtasks: split.Subtasks[:1]}
	if _, err := s.Do(t.Context(), bad); err == nil {
		t.Error("one part alone was made")
	}
	do(t, s, model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	if got := read(t, vespe(s, layout.TaskFile(after, layout.DependenciesFile))); got != deps {
		t.Errorf("dependencies.json is\n%s\nand was\n%s", got, deps)
	}
	if got := read(t, vespe(s, layout.MilestonesFile)); got != stones {
		t.Errorf("milestones.json is\n%s\nand was\n%s", got, stones)
	}
}
