package desk

import (
	"strings"
	"testing"

	"vespe/model"
)

func TestTasksAreMadeTogetherOrNotAtAll(t *testing.T) {
	f := newFixture(t)
	parent := f.create("parent")
	batch := NewTasks{Key: "k", Items: []NewItem{
		{Ref: "api", Name: "The API", Objective: "o\n", Parent: string(parent), Criteria: []string{"it answers"}, Priority: "high", Risk: "low", Verify: [][]string{{"go", "test"}}},
		{Ref: "ui", Name: "The UI", Parent: "api", DependsOn: []string{"api", parent.Short()}},
		{Name: "The rest", DependsOn: []string{"ui", "ui"}},
	}}
	made, err := f.d.Create(t.Context(), batch)
	if err != nil || len(made.Tasks) != 3 || made.NextAction == "" {
		t.Fatalf("%+v, %v", made, err)
	}
	api, ui, rest := f.task(model.UID(made.Tasks[0].ID)), f.task(model.UID(made.Tasks[1].ID)), f.task(model.UID(made.Tasks[2].ID))
	if api.Config.ParentUID != parent || api.Config.CreatedBy != claude || api.Spec.Priority != model.High || api.Spec.Risk != "" || api.Spec.AcceptanceCriteria[0].Text != "it answers" || api.Status.CurrentState != model.ObjectiveDefined {
		t.Errorf("it is %+v", api)
	}
	if ui.Config.ParentUID != api.UID || len(ui.DependsOn) != 2 || len(rest.DependsOn) != 1 || rest.DependsOn[0] != ui.UID {
		t.Errorf("it is %+v, %+v", ui, rest)
	}
	again, err := f.d.Create(t.Context(), batch)
	if err != nil || len(again.Tasks) != 3 {
		t.Fatalf("%+v, %v", again, err)
	}
	for i := range again.Tasks {
		if again.Tasks[i] != made.Tasks[i] {
			t.Errorf("repeated it is %+v, was %+v", again.Tasks[i], made.Tasks[i])
		}
	}
	count := func() int {
		snap, _ := f.s.Refresh(t.Context())
		return snap.Len()
	}
	if n := count(); n != 4 {
		t.Errorf("there are %d tasks", n)
	}
	for name, other := range map[string][]NewItem{
		"another name":      {{Name: "x"}, batch.Items[1], batch.Items[2]},
		"another objective": {{Ref: "api", Name: "The API", Objective: "p\n", Parent: string(parent), Criteria: []string{"it answers"}, Priority: "high", Risk: "low", Verify: [][]string{{"go", "test"}}}, batch.Items[1], batch.Items[2]},
		"fewer":             batch.Items[:2],
		"more":              append(batch.Items[:3:3], NewItem{Name: "y"}),
	} {
		if name == "another name" {
			other[1].Parent, other[1].DependsOn = "", nil
			other[2].DependsOn = nil
		}
		_, err := f.d.Create(t.Context(), NewTasks{Key: "k", Items: other})
		e := refused(t, err, CodeKey)
		if t.Failed() {
			t.Fatal(name, e)
		}
		batch.Items[1].Parent, batch.Items[1].DependsOn, batch.Items[2].DependsOn = "api", []string{"api", parent.Short()}, []string{"ui", "ui"}
	}
	for _, c := range []struct {
		code  Code
		words string
		items []NewItem
	}{
		{CodeInvalid, "no items", nil},
		{CodeTooLarge, "200", make([]NewItem, MaxItems+1)},
		{CodeInvalid, "", []NewItem{{Name: "good"}, {Name: " "}}},
		{CodeNotFound, "item 2", []NewItem{{Name: "good"}, {Name: "bad", Parent: "nowhere"}}},
		{CodeNotFound, "item 1", []NewItem{{Name: "good", DependsOn: []string{"later"}}, {Ref: "later", Name: "later"}}},
		{CodeInvalid, "twice", []NewItem{{Ref: "x", Name: "good"}, {Ref: "x", Name: "bad"}}},
		{CodeInvalid, "priority", []NewItem{{Name: "good"}, {Name: "bad", Priority: "now"}}},
		{CodeInvalid, "", []NewItem{{Name: "good"}, {Name: "bad", Risk: "now"}}},
		{CodeTooLarge, "objective", []NewItem{{Name: "good"}, {Name: "bad", Objective: strings.Repeat("x", MaxText+1)}}},
	} {
		_, err := f.d.Create(t.Context(), NewTasks{Items: c.items})
		refused(t, err, c.code, c.words)
	}
	if n := count(); n != 4 {
		t.Errorf("there are %d tasks", n)
	}
}

func TestWhatAnAgentMayChange(t *testing.T) {
	f := newFixture(t)
	first := f.create("first")
	uid := f.as(ann, model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "a", Objective: "o", Spec: &model.Spec{
		Risk: "medium", Steps: []model.Step{{Step: "one"}, {Step: "two"}}, AcceptanceCriteria: []model.Criterion{{Text: "it builds"}},
	}}}).Change.Tasks[0].UID
	rev := func() int { return f.task(uid).Status.Revision }
	change := Change{TaskID: string(uid), Rev: rev(), Patch: Patch{
		Name: pointer("b"), Labels: &[]string{"x"}, Description: pointer("d"), Risk: pointer("high"), StepsDone: []int{2}, AddCriteria: []string{"it runs"}, AddDepends: []string{string(first)},
	}}
	for range 2 { // the second call is the first, repeated
		u, err := f.d.Update(t.Context(), change)
		if err != nil || u.Task.Name != "b" || u.Task.Rev != rev() || !strings.Contains(u.NextAction, "rev") {
			t.Fatalf("%+v, %v", u, err)
		}
	}
	task := f.task(uid)
	if task.Config.Name != "b" || task.Spec.Labels[0] != "x" || task.Spec.Risk != "high" || task.Spec.Steps[0].Done || !task.Spec.Steps[1].Done || len(task.Spec.AcceptanceCriteria) != 2 || len(task.DependsOn) != 1 {
		t.Errorf("it is %+v, %+v", task, task.Spec)
	}
	_, err := f.d.Update(t.Context(), Change{TaskID: string(uid), Rev: rev() - 1, Patch: Patch{Name: pointer("c")}})
	refused(t, err, CodeStale, "again")
	_, err = f.d.Update(t.Context(), Change{TaskID: string(uid), Patch: Patch{Name: pointer("c")}})
	refused(t, err, CodeInvalid, "rev")
	_, err = f.d.Update(t.Context(), Change{TaskID: string(uid), Rev: rev()})
	refused(t, err, CodeInvalid, "empty")
	_, err = f.d.Update(t.Context(), Change{TaskID: string(uid), Rev: rev(), Patch: Patch{Risk: pointer("low")}})
	refused(t, err, CodeDenied, "only a person can lower its risk")
	_, err = f.d.Update(t.Context(), Change{TaskID: string(uid), Rev: rev(), Patch: Patch{StepsDone: []int{3}}})
	refused(t, err, CodeInvalid, "2 steps")
	_, err = f.d.Update(t.Context(), Change{TaskID: string(first), Rev: f.task(first).Status.Revision, Patch: Patch{AddDepends: []string{string(uid)}}})
	refused(t, err, CodeRefused, "wait for itself")

	f.submit(Plan{TaskID: string(uid), PlanMD: "one"})
	f.accept(uid)
	for _, p := range []Patch{{Risk: pointer("high")}, {Description: pointer("e")}, {AddCriteria: []string{"x"}}, {RemoveDepends: []string{string(first)}}, {FilesToModify: &[]string{"a"}}} {
		_, err = f.d.Update(t.Context(), Change{TaskID: string(uid), Rev: rev(), Patch: p})
		refused(t, err, CodeDenied, "accepted")
	}
	if _, err = f.d.Update(t.Context(), Change{TaskID: string(uid), Rev: rev(), Patch: Patch{StepsDone: []int{1}, Labels: &[]string{}}}); err != nil {
		t.Error(err)
	}
	if f.task(uid).Status.AcceptedPlan == nil || len(f.task(uid).Status.ChangedBecause) > 0 {
		t.Error("the acceptance is void")
	}
}
