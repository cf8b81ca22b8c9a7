package lifecycle_test

import (
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/history"
	"vespe/model/lifecycle/binding"
)

// phased makes a parent with its predefined phases.
func (d *desk) phased() (big, objective, plan, subtasks model.UID) {
	c := d.do(model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "big", Phases: true}})
	return c.Tasks[0].UID, c.Tasks[1].UID, c.Tasks[2].UID, c.Tasks[3].UID
}

func (d *desk) inbox() (names []string) {
	snap := d.w.Snapshot()
	for _, item := range snap.Inbox() {
		if item.Task >= 0 {
			names = append(names, snap.Name(int(item.Task)))
		}
	}
	if n := snap.InboxLen(); n != len(names) {
		d.Errorf("the inbox counts %d, and has %q", n, names)
	}
	return names
}

func TestPhasesAreOneReview(t *testing.T) {
	d := newDesk(t)
	big, a, b, c := d.phased()
	d.do(model.Op{Name: model.DefineObjective, UID: big, Args: model.NewObjective{Text: "rule the world\n"}, Actor: agent})
	d.wantState(a, model.Completed)
	d.wantState(b, model.ObjectiveDefined)
	d.do(model.Op{Name: model.DefinePlan, UID: big, Args: model.NewPlan{Text: "1. rule\n"}, Actor: agent})
	d.wantState(b, model.Completed)
	d.wantState(c, model.PlanDefined)
	if got := d.inbox(); !slices.Equal(got, []string{"big"}) {
		t.Fatalf("to review: %q", got)
	}
	if st := d.status(a) + ", " + d.status(b); st != "done, done" {
		t.Errorf("the phases that drafted are %s", st)
	}
	change := d.do(model.Op{Name: model.AcceptPlan, UID: big})
	d.wantSummary(change, `The plan of "create_subtasks" is accepted`)
	if d.status(c) != "ready" || len(d.inbox()) != 0 {
		t.Errorf("create_subtasks is %s, to review: %q", d.status(c), d.inbox())
	}
	d.do(model.Op{Name: model.Start, UID: c, Actor: agent})

	r := d.refused(model.Op{Name: model.WorkCompleted, UID: c, Actor: agent, Args: model.Completion{Summary: "did it"}}, model.GuardPhase, model.CodeRefused)
	if r.Why != `no subtask of "big" was created` || !strings.Contains(r.Hint, "vespe new NAME --parent") {
		t.Errorf("why %q, hint %q", r.Why, r.Hint)
	}
	d.create("sub", big)
	d.complete(c, "made one")
}

// A phase whose acceptance was taken back with its parent's has that in its own history.
func TestUndoOfAPlanTellsThePhaseThatWasAcceptedWithIt(t *testing.T) {
	d := newDesk(t)
	big, _, _, c := d.phased()
	d.do(model.Op{Name: model.AddDependency, UID: c, Args: model.DependencyEdit{DependsOn: []model.UID{d.create("first", "")}}}) // so that it stays plan_defined
	d.do(model.Op{Name: model.DefineObjective, UID: big, Args: model.NewObjective{Text: "rule the world\n"}, Actor: agent})
	d.do(model.Op{Name: model.DefinePlan, UID: big, Args: model.NewPlan{Text: "1. rule\n"}, Actor: agent})
	d.do(model.Op{Name: model.AcceptPlan, UID: big})
	d.do(model.Op{Name: model.UndoVerdict, UID: big})
	var life history.Life
	events := d.w.Events(c)
	for i := range events {
		life.Add(&events[i])
	}
	if d.status(c) != "review plan" || life.Word() != model.StatusReviewPlan || life.Status.AcceptedPlan != nil {
		t.Errorf("create_subtasks is %s, its events say %v", d.status(c), life.Word())
	}
}

func TestAPhaseNotAsPredefinedNeedsItsOwnReview(t *testing.T) {
	for name, change := range map[string]model.Op{
		"risk":      {Name: model.SetFields, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "high", Mode: '='}}}},
		"files":     {Name: model.SetFields, Args: model.FieldEdit{Set: []model.Assignment{{Key: "files_to_modify", Value: "main.go", Mode: '='}}}},
		"plan":      {Name: model.DefinePlan, Args: model.NewPlan{Text: "another way\n"}},
		"objective": {Name: model.DefineObjective, Args: model.NewObjective{Text: "another\n"}},
		"paused":    {Name: model.Pause, Reason: "not yet"},
	} {
		d := newDesk(t)
		big, _, _, c := d.phased()
		if change.Name == model.DefineObjective {
			change.UID = c
			d.do(change)
		}
		d.do(model.Op{Name: model.DefineObjective, UID: big, Args: model.NewObjective{Text: "rule\n"}})
		d.do(model.Op{Name: model.DefinePlan, UID: big, Args: model.NewPlan{Text: "1. rule\n"}})
		if change.Name != model.DefineObjective {
			change.UID = c
			d.do(change)
		}
		d.do(model.Op{Name: model.AcceptPlan, UID: big})
		if d.task(c).Status.AcceptedPlan != nil {
			t.Errorf("%s: accepted unseen", name)
		}
	}
}

func TestAPhaseIsBoundToWhatWasShown(t *testing.T) {
	d := newDesk(t)
	big, _, _, c := d.phased()
	d.do(model.Op{Name: model.DefineObjective, UID: big, Args: model.NewObjective{Text: "rule\n"}})
	d.do(model.Op{Name: model.DefinePlan, UID: big, Args: model.NewPlan{Text: "1. rule\n"}})
	bound, err := binding.Bound(d.w, model.AcceptPlan, big)
	if err != nil || bound[string(c)+"/plan.md"] == "" || bound[string(c)+"/objective.md"] == "" {
		t.Fatalf("bound to %v, %v", bound, err)
	}
	objective, _ := d.w.Content(big, model.Objective)
	plan, _ := d.w.Content(big, model.Plan)
	seen := &model.Seen{ObjectiveHash: objective.Hash, PlanHash: plan.Hash, Bound: bound}
	d.do(model.Op{Name: model.DefinePlan, UID: c, Args: model.NewPlan{Text: "in another way\n"}, Actor: agent})
	d.refused(model.Op{Name: model.AcceptPlan, UID: big, Seen: seen}, model.GuardSeen, model.CodeConflict)
}

func TestAPhaseThatSomebodyElseMadeIsNotAcceptedUnseen(t *testing.T) {
	d := newDesk(t)
	big, _, _, c := d.phased()
	d.w.Edit(c, model.Objective, "Delete everything.\n")
	d.do(model.Op{Name: model.DefineObjective, UID: big, Args: model.NewObjective{Text: "rule\n"}})
	d.do(model.Op{Name: model.DefinePlan, UID: big, Args: model.NewPlan{Text: "1. rule\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: big})
	if d.task(c).Status.AcceptedPlan != nil {
		t.Error("it was accepted")
	}
}
