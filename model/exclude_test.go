package model_test

import (
	"slices"
	"strings"
	"testing"

	"vespe/model"
)

const twoSections = "# Plan\n\n## One\n\na\n\n## Two\n\nb\n"

// parted is a task that is accepted without a section and a subtask, and that subtask.
func (d *desk) parted() (uid, child model.UID) {
	d.Helper()
	uid = d.create("parent", "")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Text: twoSections})
	child = d.accepted("child", uid)
	d.wantSummary(d.do(model.Op{Name: model.AcceptPlan, UID: uid, Excluded: []string{"Two", string(child)}}),
		`2 parts of it are left out: the section "Two" and the subtask "child"`)
	return uid, child
}

// approvalOf is the approval that a task is accepted with.
func (d *desk) approvalOf(uid model.UID) model.Approval {
	d.Helper()
	body, ok := d.w.File("tasks/" + string(uid) + "/approvals/" + d.task(uid).Status.AcceptedPlan.Approval)
	if !ok {
		d.Fatal("there is no approval")
	}
	a, err := model.DecodeApproval(body)
	if err != nil {
		d.Fatal(err)
	}
	return a
}

func warnings(c *model.Change) string { return strings.Join(c.Warnings, "\n") }

// An acceptance in part that is made to hold again is one in part: in status.json, in the approval and
// in what is said of it. A section that the plan has no more stays left out, and is named.
func TestRevalidateKeepsWhatIsLeftOut(t *testing.T) {
	d := newDesk(t)
	uid, child := d.parted()
	want := []string{"Two", string(child)}
	for i, text := range []string{strings.Replace(twoSections, "a\n", "c\n", 1), strings.Replace(twoSections, "## Two", "## Too", 1)} {
		d.w.Edit(uid, model.Plan, text)
		d.do(model.Op{Name: model.Check, UID: uid})
		again := model.Op{Name: model.Revalidate, UID: uid, Actor: ann}
		c := d.do(again)
		d.wantSummary(c, `2 parts of it are still left out: the section "Two" and the subtask "child"`)
		if named := strings.Contains(warnings(c), `leaves out "Two", and its plan has no such section any more`); named != (i == 1) {
			t.Errorf("%d: warnings %q", i, c.Warnings)
		}
		a := d.approvalOf(uid)
		if got := d.task(uid).Status.AcceptedPlan.Excluded; a.Verdict != "revalidate" || !slices.Equal(got, want) || !slices.Equal(a.Excluded, want) {
			t.Errorf("%d: status.json leaves out %q, the %s %q", i, got, a.Verdict, a.Excluded)
		}
		again.Seen, again.Excluded = &model.Seen{}, model.Excluded(&again, d.task(uid))
		if said, _ := model.SignedOp("", &again); !strings.Contains(string(said), `"Two"`) {
			t.Errorf("what is signed says nothing of it: %s", said)
		}
	}
	d.refused(model.Op{Name: model.Start, UID: child, Actor: agent}, model.GuardNotPaused, model.CodeRefused)
	d.do(model.Op{Name: model.Start, UID: uid, Actor: agent})
}

// A plan that is accepted anew takes in what the acceptance before left out only with a word about it.
func TestAcceptedAnewSaysWhatItTakesIn(t *testing.T) {
	d := newDesk(t)
	uid, child := d.parted()
	d.w.Put(func() *model.Task { // as after an error
		task := d.task(uid).Clone()
		task.Status.CurrentState = model.PlanDefined
		return task
	}())
	d.w.Edit(uid, model.Plan, twoSections+"more\n")
	d.do(model.Op{Name: model.Check, UID: uid})
	c := d.do(model.Op{Name: model.AcceptPlan, UID: uid, Excluded: []string{string(child)}})
	if got := warnings(c); got != `the acceptance before it left out what this one accepts: the section "Two"` {
		t.Errorf("warnings %q", got)
	}
}

// What an approval leaves out is in status.json too, or nothing starts by it and nothing makes it hold
// again.
func TestPartsOfTheApprovalAndOfTheStatusAreTheSame(t *testing.T) {
	for _, other := range [][]string{nil, {"Two"}, {"One"}} {
		d := newDesk(t)
		uid, _ := d.parted()
		task := d.task(uid).Clone()
		task.Status.AcceptedPlan.Excluded = other
		d.w.Put(task)
		if r := d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardApproval, model.CodeConflict); !strings.Contains(r.Why, "other parts") {
			t.Errorf("without %q: %s", other, r.Why)
		}
		d.w.Edit(uid, model.Plan, twoSections+"more\n")
		d.do(model.Op{Name: model.Check, UID: uid})
		d.refused(model.Op{Name: model.Revalidate, UID: uid}, model.GuardApproval, model.CodeConflict)
	}
}
