package lifecycle_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/staged"
)

func refusedBy(t *testing.T, w model.World, op model.Op) *model.Refusal {
	t.Helper()
	_, err := lifecycle.Apply(w, op)
	var r *model.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("%s was not refused: %v", op.Name, err)
	}
	return r
}

func text(s string) *string { return &s }

func TestEditsOfMilestones(t *testing.T) {
	w := staged.New(milestoneWorld())
	step := func(op model.Op, summary string) *model.Change {
		t.Helper()
		op.Actor = "human:ann"
		c, err := lifecycle.Apply(w, op)
		if err != nil {
			t.Fatal(err)
		}
		if c.Summary != summary {
			t.Errorf("%q, want %q", c.Summary, summary)
		}
		w.Absorb(c)
		return c
	}
	ids := func() (out []string) {
		for _, m := range w.MilestoneFile().List {
			out = append(out, fmt.Sprintf("%s%d", m.ID, len(m.TaskIDs)))
		}
		return out
	}
	step(model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{Name: text("Über: the top, now"), Before: text("m2")}},
		`Created milestone ber-the-top-now "Über: the top, now"`)
	step(model.Op{Name: model.EditMilestone, Args: model.MilestoneEdit{ID: "m3", Name: text("Third"), Description: text("c"), Before: text("m1")}},
		`Edited milestone m3 "Third". Changed: name, description, place.`)
	step(model.Op{Name: model.EditMilestone, Args: model.MilestoneEdit{ID: "m3", Name: text("Third")}}, `Edited milestone m3 "Third". Nothing would change.`)
	if got := ids(); !slices.Equal(got, []string{"m30", "m13", "ber-the-top-now0", "m21"}) {
		t.Errorf("%v", got)
	}
	// Listed in two: it is taken out of both.
	step(model.Op{Name: model.AssignMilestone, UID: "tsk-aaaa1", Args: model.MilestoneEdit{ID: "m3"}}, `Assigned "TSK-AAAA1" to milestone m3 "Third"`)
	// Named by its own spec.json: that goes.
	c := step(model.Op{Name: model.AssignMilestone, UID: "tsk-bbbb1", Args: model.MilestoneEdit{ID: "m3"}}, `Assigned "TSK-BBBB1" to milestone m3 "Third"`)
	if c.Tasks[0].Spec.MilestoneID != "" || !c.Touched[0].Spec || len(c.Events) != 1 || c.Events[0].Name != model.AssignMilestone {
		t.Errorf("%+v", c)
	}
	if c := step(model.Op{Name: model.AssignMilestone, UID: "tsk-bbbb1", Args: model.MilestoneEdit{ID: "m3"}},
		`Assigned "TSK-BBBB1" to milestone m3 "Third". It is already in it.`); len(c.Tasks) > 0 || c.Milestones != nil {
		t.Errorf("%+v", c)
	}
	if got := ids(); !slices.Equal(got, []string{"m32", "m12", "ber-the-top-now0", "m20"}) {
		t.Errorf("%v", got)
	}
	// `set` names another: it leaves the list.
	step(model.Op{Name: model.SetFields, UID: "tsk-bbbb1", Args: model.FieldEdit{Set: []model.Assignment{{Key: "milestone_id", Value: "m2"}}}}, `Set milestone_id of "TSK-BBBB1"`)
	if got := ids(); !slices.Equal(got, []string{"m31", "m12", "ber-the-top-now0", "m20"}) {
		t.Errorf("%v", got)
	}
	step(model.Op{Name: model.RemoveMilestone, Args: model.MilestoneEdit{ID: "m2"}}, `Removed milestone m2 "Second". 2 tasks have no milestone now.`)
	if got := w.NamedIn("m2"); len(got) > 0 {
		t.Errorf("still named by %v", got)
	}
	step(model.Op{Name: model.AssignMilestone, UID: "tsk-aaaa1", Args: model.MilestoneEdit{}}, `Unassigned "TSK-AAAA1" from milestone m3`)
	step(model.Op{Name: model.AssignMilestone, UID: "tsk-dddd1", Args: model.MilestoneEdit{}}, `Unassigned "TSK-DDDD1" from milestone typo`)
	if got := ids(); !slices.Equal(got, []string{"m30", "m12", "ber-the-top-now0"}) {
		t.Errorf("%v", got)
	}
}

func TestRefusalsOfMilestones(t *testing.T) {
	w := milestoneWorld()
	broken := staged.New(w)
	broken.Absorb(&model.Change{Milestones: &model.Milestones{Broken: true}})
	for name, tt := range map[string]struct {
		w     model.World
		op    model.Op
		guard model.Guard
		hint  string
	}{
		"no name":     {w, model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{}}, model.GuardMilestone, "one"},
		"bad id":      {w, model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{ID: "a/b", Name: text("x")}}, model.GuardMilestone, "letters"},
		"taken":       {w, model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{ID: "M1", Name: text("x")}}, model.GuardMilestone, "another"},
		"taken name":  {w, model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{Name: text(" second ")}}, model.GuardMilestone, "another name"},
		"name is id":  {w, model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{Name: text("M3")}}, model.GuardMilestone, "another name"},
		"id is name":  {w, model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{ID: "Second", Name: text("x")}}, model.GuardMilestone, "another id"},
		"renamed":     {w, model.Op{Name: model.EditMilestone, Args: model.MilestoneEdit{ID: "m1", Name: text("SECOND")}}, model.GuardMilestone, "another name"},
		"bad name":    {w, model.Op{Name: model.EditMilestone, Args: model.MilestoneEdit{ID: "m2", Name: text("a\nb")}}, model.GuardName, "name"},
		"bad place":   {w, model.Op{Name: model.EditMilestone, Args: model.MilestoneEdit{ID: "m2", Before: text("m9")}}, model.GuardMilestone, "lists"},
		"unknown":     {w, model.Op{Name: model.AssignMilestone, UID: "tsk-aaaa1", Args: model.MilestoneEdit{ID: "m22"}}, model.GuardMilestone, "did you mean m2"},
		"undefined":   {w, model.Op{Name: model.AssignMilestone, UID: "tsk-aaaa1", Args: model.MilestoneEdit{ID: "typo"}}, model.GuardMilestone, "m1, m2, m3"},
		"by its name": {w, model.Op{Name: model.AssignMilestone, UID: "tsk-aaaa1", Args: model.MilestoneEdit{ID: "Second"}}, model.GuardMilestone, "id"},
		"no task":     {w, model.Op{Name: model.AssignMilestone, UID: "tsk-zzzz1", Args: model.MilestoneEdit{ID: "m1"}}, model.GuardExists, "ls"},
		"broken":      {broken, model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{Name: text("x")}}, model.GuardReadable, "doctor"},
	} {
		tt.op.Actor = "human:ann"
		r := refusedBy(t, tt.w, tt.op)
		if r.Guard != tt.guard || !strings.Contains(r.Hint, tt.hint) {
			t.Errorf("%s: %s %q (%q)", name, r.Guard, r.Why, r.Hint)
		}
	}
}

// milestoneWorld has a task in a milestone by its list, one by its own word, one below that, and one
// whose milestone nobody has defined.
func milestoneWorld() *snapshot.Snapshot {
	listed := modeltest.Node("tsk-aaaa1", modeltest.InState(model.Completed, func(t *model.Task) { t.Status.Review = &model.Review{Of: "work", Verdict: "accepted"} }))
	named := modeltest.Node("tsk-bbbb1", modeltest.InState(model.Working, modeltest.Accepted))
	named.Spec = &model.Spec{MilestoneID: "m2"}
	below := modeltest.Node("tsk-cccc1", modeltest.InState(model.PlanDefined))
	below.Config.ParentUID = "tsk-bbbb1"
	stray := modeltest.Node("tsk-dddd1", modeltest.InState(model.Created))
	stray.Spec = &model.Spec{MilestoneID: "typo"}
	both := modeltest.Node("tsk-eeee1", modeltest.InState(model.Aborted))
	both.Spec = &model.Spec{MilestoneID: "m2"}
	none := modeltest.Node("tsk-ffff1", modeltest.InState(model.Failed))
	return snapshot.New(snapshot.Input{Tasks: []*model.Task{listed, named, below, stray, both, none}, Milestones: model.Milestones{List: []model.Milestone{
		{ID: "m1", Name: "First one", TaskIDs: []model.UID{"tsk-eeee1", "tsk-aaaa1", "tsk-ghost"}},
		{ID: "m2", Name: "Second", TaskIDs: []model.UID{"tsk-aaaa1"}},
		{ID: "m3"},
	}}})
}
