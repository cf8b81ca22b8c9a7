package lifecycle_test

import (
	"strings"
	"testing"

	"vespe/model"
)

func TestDependentsAreMarkedChanged(t *testing.T) {
	d := newDesk(t)
	first := d.planned("first", "")
	second := d.accepted("second", "", first)
	third := d.accepted("third", "", second)
	undecided := d.planned("undecided", "", first)
	c := d.do(model.Op{Name: model.DefinePlan, UID: first, Args: model.NewPlan{Text: "another plan\n"}})
	d.wantSummary(c, "1 dependent is changed because of it")
	got := d.task(second).Status.ChangedBecause
	if len(got) != 1 || got[0].File != string(first)+"/plan.md" || got[0].New != model.HashBytes([]byte("another plan\n")) {
		t.Errorf("changed because %+v", got)
	}
	for _, uid := range []model.UID{third, undecided} {
		if got := d.task(uid).Status.ChangedBecause; len(got) > 0 {
			t.Errorf("%q is changed, too: %+v", d.task(uid).Config.Name, got)
		}
	}
	accepted, another := model.HashBytes([]byte("plan of first\n")), model.HashBytes([]byte("another plan\n"))
	said := func(e model.Event, is string) {
		t.Helper()
		if e.Name != model.Check || e.UID != second || e.Cause != first || e.Actor != vespe {
			t.Errorf("event %+v", e)
		}
		if e.Text("file") != string(first)+"/plan.md" || e.Text("old") != accepted || e.Text("new") != is {
			t.Errorf("it says of %q that it was %s and is %s; want %s and %s", e.Text("file"), e.Text("old"), e.Text("new"), accepted, is)
		}
	}
	said(c.Events[1], another)
	c = d.do(model.Op{Name: model.DefinePlan, UID: first, Args: model.NewPlan{Text: "plan of first\n"}})
	said(c.Events[1], accepted)
	if got := d.task(second).Status.ChangedBecause; len(got) > 0 {
		t.Errorf("the plan is the accepted one again, still changed: %+v", got)
	}
	if strings.Contains(c.Summary, "changed because of it") {
		t.Errorf("summary %q", c.Summary)
	}
	d.do(model.Op{Name: model.DefinePlan, UID: first, Args: model.NewPlan{Text: "a third\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: second})
	if got := d.task(second).Status.ChangedBecause; len(got) > 0 {
		t.Errorf("accepted again, still changed: %+v", got)
	}
}

func TestResultOfARedoneDependency(t *testing.T) {
	d := newDesk(t)
	first := d.running("first", "")
	d.w.PutResult(first, "draft.txt", "half")
	second := d.accepted("second", "", first)
	for _, h := range d.task(second).Status.ParentContentHashes {
		if strings.HasSuffix(h.Key, "_result") {
			t.Errorf("the result of running work is recorded: %+v", h)
		}
	}
	undo := d.task(second).Status.Undo
	d.w.PutResult(first, "draft.txt", "whole")
	d.complete(first, "done")
	if got := d.task(second).Status; len(got.ChangedBecause) > 0 || len(got.ParentContentHashes) != 3 {
		t.Errorf("after the first completion: %+v", got)
	}
	if got := d.task(second).Status.Undo; got == nil || got.Tasks[0].Revision != undo.Tasks[0].Revision+1 {
		t.Errorf("recording a hash consumed the verdict: %+v", got)
	}
	d.do(model.Op{Name: model.ReviewRejected, UID: first, Reason: "wrong"})
	d.do(model.Op{Name: model.DefinePlan, UID: first, Args: model.NewPlan{Text: "right\n"}})
	d.do(model.Op{Name: model.Revalidate, UID: second}) // the plan of first is another
	d.do(model.Op{Name: model.AcceptPlan, UID: first})
	d.do(model.Op{Name: model.Start, UID: first})
	d.complete(first, "done")
	if got := d.task(second).Status.ChangedBecause; len(got) != 0 {
		t.Errorf("revalidated while first was open, changed because of its result: %+v", got)
	}
	d.do(model.Op{Name: model.ReviewRejected, UID: first, Reason: "wrong again"})
	d.do(model.Op{Name: model.DefinePlan, UID: first, Args: model.NewPlan{Text: "right\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: first})
	d.w.PutResult(first, "draft.txt", "different")
	c := d.complete(first, "done")
	if got := d.task(second).Status.ChangedBecause; len(got) != 1 || got[0].File != string(first)+"/result" {
		t.Errorf("changed because %+v", got)
	}
	d.wantSummary(c, "1 dependent is changed because of it")
}

func TestRevalidateNeedsAPlan(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("parse", "")
	d.w.Edit(uid, model.Plan, "\n")
	d.do(model.Op{Name: model.Check, UID: uid})
	d.refused(model.Op{Name: model.Revalidate, UID: uid}, model.GuardPlan, model.CodeRefused)
	d.w.Edit(uid, model.Plan, "other plan\n")
	d.do(model.Op{Name: model.Check, UID: uid})
	d.do(model.Op{Name: model.Revalidate, UID: uid})
	if a := d.task(uid).Status.AcceptedPlan; a.PlanRevision != 2 || a.PlanHash != model.HashBytes([]byte("other plan\n")) {
		t.Errorf("accepted %+v", a)
	}
	d.do(model.Op{Name: model.Start, UID: uid})
}

func TestCriteriaMakeAnAcceptedTaskChanged(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("parse", "")
	set := func(value string, mode byte) {
		t.Helper()
		d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "acceptance_criteria", Value: value, Mode: mode}}}})
	}
	set("it works", '+')
	if got := d.task(uid).Status.ChangedBecause; len(got) != 1 || got[0].File != "spec.json" {
		t.Fatalf("changed because %+v", got)
	}
	old := d.task(uid).Status.ChangedBecause[0].Old
	set("it is fast", '+')
	if got := d.task(uid).Status.ChangedBecause; len(got) != 1 || got[0].Old != old {
		t.Errorf("changed because %+v", got)
	}
	set("it works,it is fast", '-')
	if got := d.task(uid).Status.ChangedBecause; len(got) != 0 {
		t.Errorf("the criteria are the accepted ones again: %+v", got)
	}
	set("it works", '=')
	d.do(model.Op{Name: model.Replan, UID: uid, Actor: agent, Reason: "criteria"})
	d.wantState(uid, model.Replanned)
}
