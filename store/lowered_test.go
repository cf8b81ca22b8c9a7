package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/strictness"
	"vespe/store/edits"
	"vespe/store/layout"
)

// What an edit of spec.json past vespe lowers is shown to the person who decides, and asked for until that person acts.
func TestWhatIsLoweredOutsideVespeIsAskedFor(t *testing.T) {
	for _, imported := range []bool{true, false} {
		dir := t.TempDir()
		s := initIn(t, dir, Options{})
		do := func(op model.Op) snapshot.Applied {
			t.Helper()
			op.Actor = "human:ann"
			a := mustGet(s.Do(t.Context(), op))(t)
			return a
		}
		uid := do(model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "drop the table", Objective: "Drop it.\n", Spec: &model.Spec{
			Risk: "high", RequiresHITL: true, Verify: [][]string{{"make", "test"}}, AcceptanceCriteria: []model.Criterion{{Text: "it is gone"}},
			TestFiles: []string{"drop_test.sql"}, FilesToCreate: []string{"drop.sql"}, MaxAttempts: 2,
		}}}).Change.Tasks[0].UID
		do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "1. Drop it.\n"}})
		at := filepath.Join(dir, layout.Name, "tasks", string(uid))
		edit := func(name string, change func(string) string) {
			t.Helper()
			b, err := os.ReadFile(filepath.Join(at, name))
			if err == nil {
				err = os.WriteFile(filepath.Join(at, name), []byte(change(string(b))), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			if imported {
				mustGet(s.Do(t.Context(), model.Op{Name: model.ExternalEdit, UID: uid, Actor: edits.ActorExternal, Channel: model.ChannelFiles}))(t)
			}
		}
		edit("spec.json", func(string) string { return `{"risk": "low", "max_attempts": 9}` })
		if imported {
			edit("status.json", func(text string) string { return strings.ReplaceAll(text, `"risk: high",`, "") })
			snap := mustGet(s.Refresh(t.Context()))(t)
			task, _ := snap.Task(uid)
			want := []string{
				"risk lowered from high to low outside vespe", "requires_hitl removed outside vespe", "attempts raised from 2 to 9 outside vespe",
				"verify command removed outside vespe: make test", "acceptance criterion removed outside vespe: it is gone",
				"test file removed outside vespe: drop_test.sql", "file to create removed outside vespe: drop.sql",
			}
			if got := strictness.LoweredWords(task); model.RiskSaid(task) != "high" || !lifecycle.NeedsConsent(snap, uid) || !slices.Equal(got, want) {
				t.Fatalf("its risk is %s, lowered: %q", model.RiskSaid(task), got)
			}
			if n := model.AttemptsOf(task, snap.Policy()); n != 2 {
				t.Errorf("it may take %d attempts", n)
			}
		}
		a := do(model.Op{Name: model.AcceptPlan, UID: uid})
		if w := strings.Join(a.Change.Warnings, "\n"); !strings.Contains(w, "risk lowered from high to low outside vespe") {
			t.Errorf("imported %v: the person is told %q", imported, w)
		}
		task, _ := a.Snapshot.Task(uid)
		if model.RiskSaid(task) != "low" || len(task.Status.Lowered) > 0 || model.AttemptsOf(task, a.Snapshot.Policy()) != 9 {
			t.Errorf("imported %v: after the acceptance it is %+v", imported, task.Status.Lowered)
		}
	}
}

// A person who sets the risk has acted on it.
func TestAPersonMayLowerWhatWasLowered(t *testing.T) {
	s := initIn(t, t.TempDir(), Options{})
	a, err := s.Do(t.Context(), model.Op{Name: model.CreateTask, Actor: "human:ann", Args: model.NewTask{Name: "x", Spec: &model.Spec{Risk: "high"}}})
	if err != nil {
		t.Fatal(err)
	}
	uid := a.Change.Tasks[0].UID
	must(t, os.WriteFile(filepath.Join(s.Root(), layout.Name, "tasks", string(uid), "spec.json"), []byte(`{"risk": "low"}`), 0o644))
	set := []model.Assignment{{Key: "risk", Value: "low", Mode: '='}}
	if a, err = s.Do(t.Context(), model.Op{Name: model.SetFields, UID: uid, Actor: "human:ann", Args: model.FieldEdit{Set: set}}); err != nil {
		t.Fatal(err)
	}
	if task, _ := a.Snapshot.Task(uid); model.RiskSaid(task) != "low" {
		t.Errorf("its risk is %s: %+v", model.RiskSaid(task), task.Status.Lowered)
	}
}
