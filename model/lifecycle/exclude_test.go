package lifecycle_test

import (
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
)

const twoSections = "# Plan\n\n## One\n\na\n\n## Two\n\nb\n"

// parted is a task that is accepted without a section.
func (d *desk) parted() model.UID {
	d.Helper()
	uid := d.create("subject", "")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: twoSections}})
	d.wantSummary(d.do(model.Op{Name: model.AcceptPlan, UID: uid, Args: model.Acceptance{Excluded: []string{"Two"}}}),
		`1 part of it is left out: the section "Two"`)
	return uid
}

// approvalOf is the approval that a task is accepted with.
func (d *desk) approvalOf(uid model.UID) review.Approval {
	d.Helper()
	body, ok := d.w.File("tasks/" + string(uid) + "/approvals/" + d.task(uid).Status.AcceptedPlan.Approval)
	if !ok {
		d.Fatal("there is no approval")
	}
	a, err := review.DecodeApproval(body)
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
	uid := d.parted()
	want := []string{"Two"}
	for i, text := range []string{strings.Replace(twoSections, "a\n", "c\n", 1), strings.Replace(twoSections, "## Two", "## Too", 1)} {
		d.w.Edit(uid, model.Plan, text)
		d.do(model.Op{Name: model.Check, UID: uid})
		again := model.Op{Name: model.Revalidate, UID: uid, Actor: ann}
		c := d.do(again)
		d.wantSummary(c, `1 part of it is still left out: the section "Two"`)
		if named := strings.Contains(warnings(c), `leaves out "Two", which its plan no longer has`); named != (i == 1) {
			t.Errorf("%d: warnings %q", i, c.Warnings)
		}
		a := d.approvalOf(uid)
		if got := d.task(uid).Status.AcceptedPlan.Excluded; a.Verdict != "revalidate" || !slices.Equal(got, want) || !slices.Equal(a.Excluded, want) {
			t.Errorf("%d: status.json leaves out %q, the %s %q", i, got, a.Verdict, a.Excluded)
		}
		again.Seen, again.Args = &model.Seen{}, model.Revalidation{Excluded: binding.Excluded(&again, d.task(uid))}
		if said, _ := binding.SignedOp("", &again); !strings.Contains(string(said), `"Two"`) {
			t.Errorf("what is signed says nothing of it: %s", said)
		}
	}
	d.do(model.Op{Name: model.Start, UID: uid, Actor: agent})
}

// A plan that is accepted anew takes in what the acceptance before left out only with a word about it.
func TestAcceptedAnewSaysWhatItTakesIn(t *testing.T) {
	d := newDesk(t)
	uid := d.parted()
	d.w.Put(func() *model.Task { // as after an error
		task := d.task(uid).Clone()
		task.Status.CurrentState = model.PlanDefined
		return task
	}())
	d.w.Edit(uid, model.Plan, twoSections+"more\n")
	d.do(model.Op{Name: model.Check, UID: uid})
	c := d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	if got := warnings(c); got != `this acceptance includes what the previous one left out: the section "Two"` {
		t.Errorf("warnings %q", got)
	}
}

// What an approval leaves out is in status.json too, or nothing starts by it and nothing makes it hold
// again.
func TestPartsOfTheApprovalAndOfTheStatusAreTheSame(t *testing.T) {
	for _, other := range [][]string{nil, {"One"}} {
		d := newDesk(t)
		uid := d.parted()
		task := d.task(uid).Clone()
		task.Status.AcceptedPlan.Excluded = other
		d.w.Put(task)
		if r := d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardApproval, model.CodeConflict); !strings.Contains(r.Why, "different parts") {
			t.Errorf("without %q: %s", other, r.Why)
		}
		d.w.Edit(uid, model.Plan, twoSections+"more\n")
		d.do(model.Op{Name: model.Check, UID: uid})
		again := model.Op{Name: model.Revalidate, UID: uid}
		d.refused(again, model.GuardApproval, model.CodeConflict)
		task = d.task(uid).Clone()
		task.Status.AcceptedPlan.ApprovalHash = model.HashBytes([]byte("another"))
		d.w.Put(task)
		if got, want := warnings(d.do(again)), "by status.json it left out "; !strings.Contains(got, want) || strings.HasSuffix(got, want+"nothing") != (other == nil) {
			t.Errorf("without %q: warnings %q", other, got)
		}
	}
}
