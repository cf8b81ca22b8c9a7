package lifecycle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/lifecycle"
)

func TestDefinePlanMakesRevisions(t *testing.T) {
	d := newDesk(t)
	uid := d.create("parse", "")
	c := d.do(model.Op{Name: model.DefinePlan, UID: uid, Actor: agent, Args: model.NewPlan{Text: "one\n"}})
	d.wantSummary(c, `Defined the plan of "parse". Revision 1 waits for review`)
	d.refused(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "one\n"}}, model.GuardTextNew, model.CodeRefused)
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "two\n"}})
	if rev := d.task(uid).Status.PlanRevision; rev != 2 {
		t.Errorf("plan revision %d, want 2", rev)
	}
	for n, want := range map[int]string{1: "one\n", 2: "two\n"} {
		b, ok := d.w.File(fmt.Sprintf("tasks/%s/persistent/revisions/%s", uid, model.RevisionName(model.Plan, n, model.HashBytes([]byte(want)))))
		if !ok || string(b) != want {
			t.Errorf("revision %d is %q, %v", n, b, ok)
		}
	}
	d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	d.refused(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "three\n"}}, model.GuardState, model.CodeRefused)
	d.do(model.Op{Name: model.Replan, UID: uid, Reason: "no"})
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "two\n"}}) // the same text anew, after a rejection
	if a := d.task(uid).Status.AcceptedPlan; a != nil {
		t.Errorf("a new plan is accepted already: %+v", a)
	}
}

func TestNewPlanVoidsAcceptance(t *testing.T) {
	d := newDesk(t)
	first := d.planned("first", "")
	uid := d.accepted("second", "", first)
	c := d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "another\n"}})
	d.wantSummary(c, "acceptance of the previous plan is void")
	st := d.task(uid).Status
	if st.AcceptedPlan != nil || len(st.ParentContentHashes) > 0 || st.Review != nil {
		t.Errorf("the acceptance left traces: %+v", st)
	}
}

func TestAcceptBindsToBytesAndDependencies(t *testing.T) {
	d := newDesk(t)
	first := d.completed("first", "")
	uid := d.planned("second", "", first)
	later := d.create("later", "", uid)
	c := d.do(model.Op{Name: model.AcceptPlan, UID: uid, ID: "op-accept", Reason: "with notes"})
	d.wantSummary(c, `Accepted the plan of "second". It can start. 1 task waits directly for it`)
	d.wantState(uid, model.Working)
	if got := d.status(uid); got != "ready" {
		t.Errorf("status %q, want ready", got)
	}
	st := d.task(uid).Status
	plan, _ := d.w.Content(uid, model.Plan)
	a := st.AcceptedPlan
	if a == nil || a.PlanHash != plan.Hash || a.PlanRevision != 1 || a.ObjectiveRevision != 1 || a.By != ann {
		t.Fatalf("accepted plan %+v", a)
	}
	result, _ := d.w.ResultHash(first)
	want := map[string]string{string(first) + "_result": result}
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		c, _ := d.w.Content(first, doc)
		want[string(first)+"_"+string(doc)] = c.Hash
	}
	if len(st.ParentContentHashes) != len(want) {
		t.Errorf("hashes %+v, want %v", st.ParentContentHashes, want)
	}
	for _, h := range st.ParentContentHashes {
		if want[h.Key] != h.Hash {
			t.Errorf("hash %+v, want %s", h, want[h.Key])
		}
	}
	file, ok := d.w.File("tasks/" + string(uid) + "/approvals/" + a.Approval)
	fields, problems := model.DecodeFields("approval", file)
	if !ok || len(problems) > 0 {
		t.Fatalf("approval %s: %v, %v", a.Approval, ok, problems)
	}
	for key, want := range map[string]string{
		"store_id": "store-of-tests", "task": string(uid), "verdict": "accept", "approver": "human:ann",
		"level_name": "claimed", "nonce": "op-accept", "reason": "with notes",
	} {
		if got, _ := fields.Text(key); got != want {
			t.Errorf("approval: %s is %q, want %q", key, got, want)
		}
	}
	for _, key := range []string{"level", "time", "head", "objective", "plan", "spec", "depends_on", "dependencies", "policy"} {
		if _, ok := fields.Get(key); !ok {
			t.Errorf("approval lacks %s", key)
		}
	}
	_, review := d.file("tasks/" + string(uid) + "/reviews/plan-0001-*.json")
	if !strings.Contains(string(review), `"verdict": "accepted"`) || !strings.Contains(string(review), `"comments": []`) {
		t.Errorf("review: %s", review)
	}
	d.refused(model.Op{Name: model.DefineObjective, UID: later, Args: model.NewObjective{Text: "do later\n"}}, model.GuardTextNew, model.CodeRefused)
}

func TestAcceptWaitsForDependencies(t *testing.T) {
	d := newDesk(t)
	first, other := d.running("first", ""), d.create("other", "")
	uid := d.planned("second", "", first, other)
	c := d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	d.wantSummary(c, `waits for "first" and "other"`)
	d.wantState(uid, model.PlanDefined)
	if got := d.status(uid); got != "blocked" {
		t.Errorf("status %q, want blocked", got)
	}
	r := d.refused(model.Op{Name: model.AcceptPlan, UID: uid}, model.GuardUndecided, model.CodeRefused)
	if !strings.Contains(r.Why, "human:ann") {
		t.Errorf("why: %s", r.Why)
	}
	r = d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardDependencies, model.CodeRefused)
	if !strings.Contains(r.Why, `"first" and "other"`) {
		t.Errorf("why: %s", r.Why)
	}
	d.do(model.Op{Name: model.RemoveDependency, UID: uid, Args: model.DependencyEdit{DependsOn: []model.UID{other}}})
	d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardDependencies, model.CodeRefused)
	d.do(model.Op{Name: model.Revalidate, UID: uid})
	c = d.complete(first, "")
	d.wantSummary(c, "1 task becomes ready")
	if got := d.status(uid); got != "ready" {
		t.Errorf("status %q, want ready", got)
	}
	d.do(model.Op{Name: model.Start, UID: uid, Args: model.NewRun{Worker: agent, ID: "run-7"}})
	d.wantState(uid, model.Working)
	if st := d.task(uid).Status; st.CurrentRun != "run-7" || st.AssignedAgentUID != agent || st.RunStartedAt.IsZero() {
		t.Errorf("run %q by %q since %v", st.CurrentRun, st.AssignedAgentUID, st.RunStartedAt)
	}
}

// Work that somebody did without a run is completed from the state that an acceptance leads to. A plan that was accepted
// before its dependencies were met is not in that state: its task is started first.
func TestWorkIsCompletedWithoutAStart(t *testing.T) {
	d := newDesk(t)
	first := d.accepted("first", "")
	second := d.accepted("second", "", first)
	d.wantState(first, model.Working)
	d.wantState(second, model.PlanDefined)
	d.complete(first, "by hand")
	d.wantState(first, model.Completed)
	if got := d.status(second); got != "ready" {
		t.Errorf("status %q, want ready", got)
	}
	r := d.refused(model.Op{Name: model.WorkCompleted, UID: second, Actor: agent}, model.GuardState, model.CodeRefused)
	if r.Hint != "start it first" {
		t.Errorf("hint %q", r.Hint)
	}
	d.do(model.Op{Name: model.Start, UID: second, Actor: agent})
	d.complete(second, "")
	d.wantState(second, model.Completed)
}

func TestSeenMustBeWhatIsThere(t *testing.T) {
	d := newDesk(t)
	uid := d.planned("parse", "")
	objective, _ := d.w.Content(uid, model.Objective)
	plan, _ := d.w.Content(uid, model.Plan)
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Actor: agent, Args: model.NewPlan{Text: "sneaky\n"}})
	seen := &model.Seen{ObjectiveHash: objective.Hash, PlanHash: plan.Hash}
	for _, n := range []model.Name{model.AcceptPlan, model.RejectPlan, model.DefinePlan} {
		op := model.Op{Name: n, UID: uid, Seen: seen, Reason: "r"}
		lifecycle.FillText(&op, "mine\n")
		r := d.refused(op, model.GuardSeen, model.CodeConflict)
		if len(r.Changed) != 1 || r.Changed[0].Doc != model.Plan || r.Changed[0].Seen != plan.Hash || string(r.Changed[0].Now.Body) != "sneaky\n" {
			t.Errorf("%s: changed %+v", n, r.Changed)
		}
	}
	now, _ := d.w.Content(uid, model.Plan)
	d.do(model.Op{Name: model.AcceptPlan, UID: uid, Seen: &model.Seen{ObjectiveHash: objective.Hash, PlanHash: now.Hash}})
}

func TestBytesEditedOutsideBecomeARevisionBeforeTheVerdict(t *testing.T) {
	d := newDesk(t)
	uid := d.planned("parse", "")
	d.w.Edit(uid, model.Plan, "by hand\n")
	before := d.task(uid).Clone()
	c := d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	a := d.task(uid).Status.AcceptedPlan
	if a.PlanRevision != 2 || a.PlanHash != model.HashBytes([]byte("by hand\n")) {
		t.Errorf("accepted %+v, want revision 2", a)
	}
	if len(c.Events) != 2 || c.Events[0].Name != model.AcceptPlan || c.Events[1].Name != model.ExternalEdit || c.Events[1].Actor != "system:external" {
		t.Errorf("events %+v", c.Events)
	}
	if b, _ := d.w.File("tasks/" + string(uid) + "/persistent/revisions/" + model.RevisionName(model.Plan, 2, model.HashBytes([]byte("by hand\n")))); string(b) != "by hand\n" {
		t.Errorf("revision 2 is %q", b)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: uid})
	st := d.task(uid).Status
	if st.PlanRevision != 2 || st.AcceptedPlan != nil || st.CurrentState != before.Status.CurrentState {
		t.Errorf("after undo: %+v", st)
	}
	d.w.Edit(uid, model.Plan, "by hand again\n")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "by vespe\n"}})
	if b, _ := d.w.File("tasks/" + string(uid) + "/persistent/revisions/" + model.RevisionName(model.Plan, 3, model.HashBytes([]byte("by hand again\n")))); string(b) != "by hand again\n" {
		t.Errorf("what was written over is not kept: %q", b)
	}
	if rev := d.task(uid).Status.PlanRevision; rev != 4 {
		t.Errorf("plan revision %d, want 4", rev)
	}
}

func TestBlankPlanIsNotAccepted(t *testing.T) {
	d := newDesk(t)
	uid := d.planned("parse", "")
	d.w.Edit(uid, model.Plan, " \n")
	d.refused(model.Op{Name: model.AcceptPlan, UID: uid}, model.GuardPlan, model.CodeRefused)
}

func TestStartComparesWithWhatWasAccepted(t *testing.T) {
	d := newDesk(t)
	first := d.completed("first", "")
	uid := d.accepted("second", "", first)

	d.w.Edit(uid, model.Plan, "something else\n")
	r := d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardApproval, model.CodeConflict)
	if len(r.Changed) != 1 || r.Changed[0].Doc != model.Plan {
		t.Errorf("changed %+v", r.Changed)
	}
	d.do(model.Op{Name: model.Check, UID: uid})
	if got := d.task(uid).Status.ChangedBecause; len(got) != 1 || got[0].File != "plan.md" || got[0].Old != r.Changed[0].Seen {
		t.Errorf("changed because %+v", got)
	}
	if got := d.status(uid); got != "changed" {
		t.Errorf("status %q", got)
	}
	d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardNotChanged, model.CodeRefused)
	d.w.Edit(uid, model.Plan, "plan of second\n")
	d.do(model.Op{Name: model.Check, UID: uid}) // the bytes are back
	if got := d.task(uid).Status.ChangedBecause; len(got) != 0 {
		t.Errorf("still changed: %+v", got)
	}

	d.w.PutResult(first, "more.txt", "more")
	r = d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardNotChanged, model.CodeRefused)
	if !strings.Contains(r.Why, `result of "first"`) {
		t.Errorf("why: %s", r.Why)
	}
	c := d.do(model.Op{Name: model.Check, UID: uid})
	d.wantSummary(c, "/result differs from what was accepted")
	d.do(model.Op{Name: model.Revalidate, UID: uid})
	c = d.do(model.Op{Name: model.Check, UID: uid})
	d.wantSummary(c, "Nothing has changed")
	if len(c.Tasks)+len(c.Events)+len(c.Files) > 0 {
		t.Errorf("a check that finds nothing writes %+v", c)
	}
	d.do(model.Op{Name: model.Start, UID: uid})
	d.refused(model.Op{Name: model.Start, UID: uid, Args: model.NewRun{ID: "../x"}}, model.GuardNoRun, model.CodeRefused)
}

func TestRunNamesAndWorkers(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("parse", "")
	for _, run := range []string{"../x", "a/b", strings.Repeat("r", 65), ".hidden"} {
		d.refused(model.Op{Name: model.Start, UID: uid, Args: model.NewRun{ID: run}}, model.GuardRunName, model.CodeInvalid)
	}
	d.refused(model.Op{Name: model.Start, UID: uid, Args: model.NewRun{Worker: "claude"}}, model.GuardRunName, model.CodeInvalid)
	d.do(model.Op{Name: model.Start, UID: uid, ID: "an id / no directory"})
	if run := d.task(uid).Status.CurrentRun; !strings.HasPrefix(run, "run-") || strings.ContainsAny(run, "/ ") {
		t.Errorf("run %q", run)
	}
}

func TestWorkingFromOutsideIsNeverStarted(t *testing.T) {
	d := newDesk(t)
	uid := d.planned("parse", "")
	forged := d.task(uid).Clone()
	forged.Status.CurrentState = model.Working
	d.w.Put(forged)
	r := d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardAccepted, model.CodeRefused)
	if !strings.Contains(r.Why, "accepted in this clone") {
		t.Errorf("why: %s", r.Why)
	}
	r = d.refused(model.Op{Name: model.RejectPlan, UID: uid, Reason: "no"}, model.GuardState, model.CodeRefused)
	if !strings.Contains(r.Hint, "replan") || strings.Contains(r.Hint, "accepted already") {
		t.Errorf("hint: %s", r.Hint)
	}
	snap := d.w.Snapshot()
	i, _ := snap.Index(uid)
	if why := snap.Why(i); len(why) != 1 || !strings.Contains(why[0].Text, "replan it") {
		t.Errorf("why: %+v", why)
	}
	accepted := newDesk(t)
	accepted.w.Put(forged)
	accepted.do(model.Op{Name: model.AcceptPlan, UID: uid})
	if got := accepted.task(uid).Status; got.CurrentState != model.Working || got.AcceptedPlan == nil {
		t.Errorf("accepted here it is %+v", got)
	}
	accepted.do(model.Op{Name: model.Start, UID: uid})
	d.do(model.Op{Name: model.Replan, UID: uid, Reason: "written by hand"})
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "a plan\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: uid})
}

// TestNothingInACycleBegins: not even when all that it depends on is completed.
func TestNothingInACycleBegins(t *testing.T) {
	d := newDesk(t)
	a, b := d.planned("a", ""), d.completed("b", "")
	alone := d.planned("alone", "")
	link := func(uid model.UID, deps ...model.UID) {
		t := d.task(uid).Clone()
		t.DependsOn = deps
		d.w.Put(t)
	}
	link(a, b)
	link(b, a)
	link(alone, b) // behind the cycle, not in it
	c := d.do(model.Op{Name: model.AcceptPlan, UID: a})
	d.wantSummary(c, "in a dependency cycle")
	d.wantState(a, model.PlanDefined)
	if got := d.status(a); got != "blocked" {
		t.Errorf("status %q", got)
	}
	for name, w := range map[string]model.World{"bytes": d.w, "no bytes": d.w.Snapshot()} {
		_, err := lifecycle.Apply(w, model.Op{Name: model.Start, UID: a, Actor: ann})
		r := asRefusal(t, err)
		if r.Guard != model.GuardDependencies || !slices.Equal(r.Cycle, []model.UID{a, b, a}) || !strings.Contains(r.Why, `"a" → "b" → "a"`) {
			t.Errorf("%s: %s: %s, cycle %v", name, r.Guard, r.Why, r.Cycle)
		}
	}
	d.do(model.Op{Name: model.RaiseError, UID: a, Args: model.ErrorReport{Details: "so it does not begin"}})
	d.do(model.Op{Name: model.Retry, UID: a})
	d.wantState(a, model.PlanDefined)
	d.do(model.Op{Name: model.AcceptPlan, UID: alone})
	d.wantState(alone, model.Working)
	c = d.do(model.Op{Name: model.RemoveDependency, UID: a, Args: model.DependencyEdit{DependsOn: []model.UID{b}}})
	d.wantSummary(c, "it is changed")
	d.do(model.Op{Name: model.Revalidate, UID: a})
	d.do(model.Op{Name: model.Start, UID: a})

	itself := d.completed("itself", "")
	_, err := lifecycle.Apply(d.w, model.Op{Name: model.Replan, UID: itself, Actor: ann, Reason: "x"})
	if r := asRefusal(t, err); r.Guard != model.GuardChanged {
		t.Errorf("%+v", r)
	}
	link(itself, itself)
	d.do(model.Op{Name: model.ReviewRejected, UID: itself, Reason: "again"})
	d.do(model.Op{Name: model.DefinePlan, UID: itself, Args: model.NewPlan{Text: "again\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: itself})
	r := d.refused(model.Op{Name: model.Start, UID: itself}, model.GuardDependencies, model.CodeRefused)
	if !slices.Equal(r.Cycle, []model.UID{itself, itself}) {
		t.Errorf("cycle %v", r.Cycle)
	}
}

func TestPreviewHasTheSameSummaryAsTheReport(t *testing.T) {
	d := newDesk(t)
	first := d.completed("first", "")
	uid := d.planned("second", "", first)
	op := model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}
	preview, err := lifecycle.Apply(d.w.Snapshot(), op)
	if err != nil {
		t.Fatal(err)
	}
	if c := d.do(op); c.Summary != preview.Summary {
		t.Errorf("preview %q, report %q", preview.Summary, c.Summary)
	}
}

var _ model.World = (*modeltest.World)(nil)

func TestAnAgentReportsOnlyItsOwnRun(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("w", "")
	d.do(model.Op{Name: model.Start, UID: uid, Actor: "agent:one"})
	r := d.refused(model.Op{Name: model.WorkCompleted, UID: uid, Actor: "agent:two", Args: model.Completion{Summary: "mine"}}, model.GuardOwnRun, model.CodeRefused)
	if !strings.Contains(r.Hint, "agent:one") {
		t.Errorf("the hint does not say who may: %q", r.Hint)
	}
	d.do(model.Op{Name: model.WorkCompleted, UID: uid, Actor: "agent:one", Args: model.Completion{Summary: "done"}})

	byHand := d.accepted("h", "")
	d.do(model.Op{Name: model.Start, UID: byHand, Actor: ann})
	d.do(model.Op{Name: model.WorkCompleted, UID: byHand, Actor: "agent:two", Args: model.Completion{Summary: "asked to"}})

	cleared := d.accepted("c", "")
	d.do(model.Op{Name: model.Start, UID: cleared, Actor: "agent:one"})
	d.do(model.Op{Name: model.WorkCompleted, UID: cleared, Actor: ann, Args: model.Completion{Summary: "it died after the work was done"}})
}

func TestAnAnswerStandsInTheHistory(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("w", "")
	d.do(model.Op{Name: model.Pause, UID: uid, Actor: "agent:one", Reason: "hitl: which port?"})
	d.do(model.Op{Name: model.Resume, UID: uid, Actor: ann, Reason: "8080"})
	events := d.w.Events(uid)
	if e := events[len(events)-1]; e.Name != model.Resume || e.Reason != "8080" {
		t.Errorf("the last event is %s with the reason %q", e.Name, e.Reason)
	}
}
