package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func refusedBy(t *testing.T, w World, op Op) *Refusal {
	t.Helper()
	_, err := Apply(w, op)
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("%s was not refused: %v", op.Name, err)
	}
	return r
}

func text(s string) *string { return &s }

func TestEditsOfMilestones(t *testing.T) {
	w := NewOverlay(milestoneWorld())
	step := func(op Op, summary string) *Change {
		t.Helper()
		op.Actor = "human:ann"
		c, err := Apply(w, op)
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
	step(Op{Name: CreateMilestone, Args: MilestoneEdit{Name: text("Über: the top, now"), Before: text("m2")}},
		`create milestone ber-the-top-now "Über: the top, now"`)
	step(Op{Name: EditMilestone, Args: MilestoneEdit{ID: "m3", Name: text("Third"), Due: text("2026-09-01"), Before: text("m1")}},
		`edit milestone m3 "Third": name, due, place`)
	step(Op{Name: EditMilestone, Args: MilestoneEdit{ID: "m3", Name: text("Third")}}, `edit milestone m3 "Third": nothing would change`)
	if got := ids(); !slices.Equal(got, []string{"m30", "m13", "ber-the-top-now0", "m21"}) {
		t.Errorf("%v", got)
	}
	// Listed in two: it is taken out of both.
	step(Op{Name: AssignMilestone, UID: "tsk-aaaa1", Args: MilestoneEdit{ID: "m3"}}, `assign "TSK-AAAA1" to milestone m3 "Third"`)
	// Named by its own spec.json: that goes.
	c := step(Op{Name: AssignMilestone, UID: "tsk-bbbb1", Args: MilestoneEdit{ID: "m3"}}, `assign "TSK-BBBB1" to milestone m3 "Third"`)
	if c.Tasks[0].Spec.MilestoneID != "" || !c.Touched[0].Spec || len(c.Events) != 1 || c.Events[0].Name != AssignMilestone {
		t.Errorf("%+v", c)
	}
	if c := step(Op{Name: AssignMilestone, UID: "tsk-bbbb1", Args: MilestoneEdit{ID: "m3"}},
		`assign "TSK-BBBB1" to milestone m3 "Third": it is already in it`); len(c.Tasks) > 0 || c.Milestones != nil {
		t.Errorf("%+v", c)
	}
	if got := ids(); !slices.Equal(got, []string{"m32", "m12", "ber-the-top-now0", "m20"}) {
		t.Errorf("%v", got)
	}
	// `set` names another: it leaves the list.
	step(Op{Name: SetFields, UID: "tsk-bbbb1", Args: FieldEdit{Set: []Assignment{{Key: "milestone_id", Value: "m2"}}}}, `set milestone_id of "TSK-BBBB1"`)
	if got := ids(); !slices.Equal(got, []string{"m31", "m12", "ber-the-top-now0", "m20"}) {
		t.Errorf("%v", got)
	}
	step(Op{Name: RemoveMilestone, Args: MilestoneEdit{ID: "m2"}}, `remove milestone m2 "Second": 2 tasks have no milestone now`)
	if got := w.NamedIn("m2"); len(got) > 0 {
		t.Errorf("still named by %v", got)
	}
	step(Op{Name: AssignMilestone, UID: "tsk-aaaa1", Args: MilestoneEdit{}}, `unassign "TSK-AAAA1" from milestone m3`)
	step(Op{Name: AssignMilestone, UID: "tsk-dddd1", Args: MilestoneEdit{}}, `unassign "TSK-DDDD1" from milestone typo`)
	if got := ids(); !slices.Equal(got, []string{"m30", "m12", "ber-the-top-now0"}) {
		t.Errorf("%v", got)
	}
}

func TestRefusalsOfMilestones(t *testing.T) {
	w := milestoneWorld()
	broken := NewOverlay(w)
	broken.Absorb(&Change{Milestones: &Milestones{Broken: true}})
	for name, tt := range map[string]struct {
		w     World
		op    Op
		guard Guard
		hint  string
	}{
		"no name":     {w, Op{Name: CreateMilestone, Args: MilestoneEdit{}}, GuardMilestone, "one"},
		"bad id":      {w, Op{Name: CreateMilestone, Args: MilestoneEdit{ID: "a/b", Name: text("x")}}, GuardMilestone, "letters"},
		"taken":       {w, Op{Name: CreateMilestone, Args: MilestoneEdit{ID: "M1", Name: text("x")}}, GuardMilestone, "another"},
		"taken name":  {w, Op{Name: CreateMilestone, Args: MilestoneEdit{Name: text(" second ")}}, GuardMilestone, "another name"},
		"name is id":  {w, Op{Name: CreateMilestone, Args: MilestoneEdit{Name: text("M3")}}, GuardMilestone, "another name"},
		"id is name":  {w, Op{Name: CreateMilestone, Args: MilestoneEdit{ID: "Second", Name: text("x")}}, GuardMilestone, "another id"},
		"renamed":     {w, Op{Name: EditMilestone, Args: MilestoneEdit{ID: "m1", Name: text("SECOND")}}, GuardMilestone, "another name"},
		"bad day":     {w, Op{Name: EditMilestone, Args: MilestoneEdit{ID: "m1", Due: text("31.12.")}}, GuardValue, "2026-01-31"},
		"backwards":   {w, Op{Name: EditMilestone, Args: MilestoneEdit{ID: "m2", Due: text("2026-02-01")}}, GuardValue, "change the dates"},
		"bad name":    {w, Op{Name: EditMilestone, Args: MilestoneEdit{ID: "m2", Name: text("a\nb")}}, GuardName, "name"},
		"bad place":   {w, Op{Name: EditMilestone, Args: MilestoneEdit{ID: "m2", Before: text("m9")}}, GuardMilestone, "lists"},
		"unknown":     {w, Op{Name: AssignMilestone, UID: "tsk-aaaa1", Args: MilestoneEdit{ID: "m22"}}, GuardMilestone, "did you mean m2"},
		"undefined":   {w, Op{Name: AssignMilestone, UID: "tsk-aaaa1", Args: MilestoneEdit{ID: "typo"}}, GuardMilestone, "m1, m2, m3"},
		"by its name": {w, Op{Name: AssignMilestone, UID: "tsk-aaaa1", Args: MilestoneEdit{ID: "Second"}}, GuardMilestone, "id"},
		"no task":     {w, Op{Name: AssignMilestone, UID: "tsk-zzzz1", Args: MilestoneEdit{ID: "m1"}}, GuardExists, "ls"},
		"broken":      {broken, Op{Name: CreateMilestone, Args: MilestoneEdit{Name: text("x")}}, GuardReadable, "doctor"},
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
func milestoneWorld() *Snapshot {
	listed := node("tsk-aaaa1", inState(Completed, workVerdict("accepted")))
	named := node("tsk-bbbb1", inState(Working, accepted))
	named.Spec = &Spec{MilestoneID: "m2"}
	below := node("tsk-cccc1", inState(PlanDefined))
	below.Config.ParentUID = "tsk-bbbb1"
	stray := node("tsk-dddd1", inState(Created))
	stray.Spec = &Spec{MilestoneID: "typo"}
	both := node("tsk-eeee1", inState(Aborted))
	both.Spec = &Spec{MilestoneID: "m2"}
	none := node("tsk-ffff1", inState(Failed))
	return NewSnapshot(Input{Tasks: []*Task{listed, named, below, stray, both, none}, Milestones: Milestones{List: []Milestone{
		{ID: "m1", Name: "First one", TaskIDs: []UID{"tsk-eeee1", "tsk-aaaa1", "tsk-ghost"}, Due: "2026-03-01"},
		{ID: "m2", Name: "Second", TaskIDs: []UID{"tsk-aaaa1"}, Start: "2026-03-01", Due: "2026-03-10"},
		{ID: "m3"},
	}}})
}
