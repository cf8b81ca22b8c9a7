package desk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
)

func TestAPlanIsARevisionAndAReview(t *testing.T) {
	f := newFixture(t)
	uid := f.create("parse the settings")
	r := f.submit(Plan{TaskID: string(uid), PlanMD: "# Plan\n\nRead the file.\n"})
	f.is(r, StatePending)
	if r.ReviewID != PlanReviewID(uid, 1) || r.Version != 1 || r.Kind != KindPlan || r.TaskID != string(uid) || r.Task != "parse the settings" {
		t.Errorf("it is %+v", r)
	}
	if c, err := f.s.Content(t.Context(), uid, model.Plan); err != nil || string(c.Body) != "# Plan\n\nRead the file.\n" {
		t.Errorf("the plan is %q, %v", c.Body, err)
	}
	f.as(ann, model.Op{Name: model.RejectPlan, UID: uid, Reason: "say how errors are told", Args: model.Feedback{Comments: []model.NewComment{{
		Kind: model.Demand, Blocking: true, Text: "which file?", Place: model.Place{From: 3, To: 3},
	}}}})
	r = f.look(r.ReviewID)
	f.is(r, StateChanges)
	if r.Text != "say how errors are told" || len(r.Feedback) != 1 || r.Feedback[0].Text != "which file?" || r.Feedback[0].From != 3 || !r.Feedback[0].Blocking || r.By != string(ann) {
		t.Errorf("it is %+v", r)
	}
	if !strings.HasPrefix(r.NextAction, "YOUR PLAN WAS NOT ACCEPTED.") {
		t.Errorf("the order is %q", r.NextAction)
	}
	if got := f.task(uid).Status.Review.FetchedBy; got != claude {
		t.Errorf("the verdict was read by %q", got)
	}

	// Without an answer to each comment the next plan is none.
	_, err := f.d.SubmitPlan(t.Context(), Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "# Plan\n\nRead .vesperc.\n"})
	refused(t, err, CodeRefused, r.Feedback[0].ID, "responses")
	_, err = f.d.SubmitPlan(t.Context(), Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "x", Responses: []Response{{FeedbackID: "c000000", Resolution: "addressed"}}})
	refused(t, err, CodeNotFound, "c000000")
	_, err = f.d.SubmitPlan(t.Context(), Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "x", Responses: []Response{{FeedbackID: r.Feedback[0].ID, Resolution: "declined"}}})
	refused(t, err, CodeInvalid, "without a text")
	second := f.submit(Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "# Plan\n\nRead .vesperc.\n", Responses: []Response{{FeedbackID: r.Feedback[0].ID, Resolution: "addressed"}}})
	f.is(second, StatePending)
	if second.Version != 2 || len(second.Feedback) != 1 || second.Feedback[0].State != "addressed" {
		t.Errorf("it is %+v", second)
	}
	f.is(f.look(r.ReviewID), StateSuperseded)

	f.as(ann, model.Op{Name: model.AcceptPlan, UID: uid})
	second = f.look(second.ReviewID)
	f.is(second, StateAccepted)

	// What was accepted and is not what it was is no acceptance.
	if err := os.WriteFile(filepath.Join(f.s.Root(), ".vespe", "tasks", string(uid), "plan.md"), []byte("rm -rf /\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.is(f.look(second.ReviewID), StateChanged)
}

func TestAPlanOnAnOldVersionIsStale(t *testing.T) {
	f := newFixture(t)
	uid := f.create("a")
	f.submit(Plan{TaskID: string(uid), PlanMD: "one"})
	f.submit(Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "two"})
	for _, base := range []int{0, 1, 3, -1} {
		_, err := f.d.SubmitPlan(t.Context(), Plan{TaskID: string(uid), BaseVersion: base, PlanMD: "three"})
		refused(t, err, CodeStale, "version 2", "again", "base_version 2")
	}
	if n := f.task(uid).Status.PlanRevision; n != 2 {
		t.Errorf("there are %d revisions", n)
	}
}

func TestTheSamePlanTwiceIsOneRevision(t *testing.T) {
	f := newFixture(t)
	uid := f.create("a")
	for name, plan := range map[string]Plan{"bytes": {PlanMD: "one"}, "key": {PlanMD: "one", Key: "k"}} {
		plan.TaskID = string(uid)
		if r := f.submit(plan); r.Version != 1 {
			t.Errorf("%s: version %d", name, r.Version)
		}
		if r := f.submit(plan); r.Version != 1 {
			t.Errorf("%s: again it is version %d", name, r.Version)
		}
	}
	two := Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "two", Key: "k2"}
	f.submit(two)
	f.as(ann, model.Op{Name: model.RejectPlan, UID: uid, Reason: "no"})
	// The call is repeated after it was decided on: it is told, and nothing is handed in.
	f.is(f.submit(two), StateRejected)
	two.Key = ""
	f.is(f.submit(two), StateRejected)
	f.submit(Plan{TaskID: string(uid), BaseVersion: 2, PlanMD: "three"})
	two.Key = "k2"
	if r := f.submit(two); r.ReviewID != PlanReviewID(uid, 2) || r.State != StateSuperseded || r.Text != "no" {
		t.Errorf("the key gives %+v", r)
	}
	_, err := f.d.SubmitPlan(t.Context(), Plan{TaskID: string(uid), BaseVersion: 3, PlanMD: "four", Key: "k2"})
	refused(t, err, CodeKey, "k2")
	if n := f.task(uid).Status.PlanRevision; n != 3 {
		t.Errorf("there are %d revisions", n)
	}
	// Another agent's key is its own.
	other := deskAt(t, f.s, Options{Actor: "agent:codex"})
	if r, err := other.SubmitPlan(t.Context(), Plan{TaskID: string(uid), BaseVersion: 3, PlanMD: "four", Key: "k2"}); err != nil || r.Version != 4 {
		t.Errorf("codex gets %+v, %v", r, err)
	}
	// Who knows the rejected plan may hand it in as it was.
	f.as(ann, model.Op{Name: model.RejectPlan, UID: uid, Reason: "no"})
	if r := f.submit(Plan{TaskID: string(uid), BaseVersion: 4, PlanMD: "four"}); r.Version != 5 {
		t.Errorf("handed in again it is %+v", r)
	}
}

func TestAPlanInEachState(t *testing.T) {
	f := newFixture(t)
	uid := f.as(ann, model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "bare"}}).Change.Tasks[0].UID
	plan := Plan{TaskID: string(uid), PlanMD: "one"}
	_, err := f.d.SubmitPlan(t.Context(), plan)
	refused(t, err, CodeRefused, "no objective", "objective:")
	plan.Objective = "Parse it.\n"
	f.is(f.submit(plan), StatePending)
	f.is(f.submit(plan), StatePending)
	if c, err := f.s.Content(t.Context(), uid, model.Objective); err != nil || string(c.Body) != "Parse it.\n" {
		t.Errorf("the objective is %q, %v", c.Body, err)
	}
	_, err = f.d.SubmitPlan(t.Context(), Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "two", Objective: "Something else."})
	refused(t, err, CodeRefused, "already has an objective")

	f.as(ann, model.Op{Name: model.AcceptPlan, UID: uid})
	if f.task(uid).Status.CurrentRun != "" {
		t.Fatal("it runs")
	}
	_, err = f.d.SubmitPlan(t.Context(), Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "two"})
	refused(t, err, CodeRefused, "reason", "takes the acceptance back")
	f.as(claude, model.Op{Name: model.Start, UID: uid})
	two := Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "two"}
	_, err = f.d.SubmitPlan(t.Context(), two)
	refused(t, err, CodeRefused, "reason")
	two.Reason = "the library is gone"
	other := deskAt(t, f.s, Options{Actor: "agent:codex"})
	_, err = other.SubmitPlan(t.Context(), two)
	refused(t, err, CodeRefused, "agent:claude-code is working on")
	f.is(f.submit(two), StatePending)
	if st := f.task(uid).Status; st.AcceptedPlan != nil || st.CurrentRun != "" || st.PlanRevision != 2 {
		t.Errorf("its status is %+v", st)
	}
	f.is(f.submit(two), StatePending)

	f.as(ann, model.Op{Name: model.AcceptPlan, UID: uid})
	f.as(claude, model.Op{Name: model.Start, UID: uid}, model.Op{Name: model.WorkCompleted, UID: uid, Args: model.Completion{Summary: "done"}})
	_, err = f.d.SubmitPlan(t.Context(), Plan{TaskID: string(uid), BaseVersion: 2, PlanMD: "three", Reason: "better"})
	refused(t, err, CodeRefused, "finished")
	f.as(ann, model.Op{Name: model.ReviewAccepted, UID: uid})
	_, err = f.d.SubmitPlan(t.Context(), Plan{TaskID: string(uid), BaseVersion: 2, PlanMD: "three"})
	refused(t, err, CodeRefused)
	_, err = f.d.SubmitPlan(t.Context(), Plan{TaskID: "tsk-none", PlanMD: "x"})
	refused(t, err, CodeNotFound, "tsk-none")
	_, err = f.d.SubmitPlan(t.Context(), Plan{PlanMD: "x"})
	refused(t, err, CodeInvalid, "task_id")
}

func TestAnAcceptanceIsTakenBackWithAReason(t *testing.T) {
	f := newFixture(t)
	uid := f.ready("a")
	two := Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "two", Reason: "the library is gone", Key: "k"}
	for range 2 {
		f.is(f.submit(two), StatePending)
	}
	history, _, err := f.s.History(t.Context(), uid)
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	for _, e := range history {
		if e.Name == model.Replan && e.Reason == "the library is gone" && e.Actor == claude {
			said++
		}
	}
	if st := f.task(uid).Status; said != 1 || st.AcceptedPlan != nil || st.PlanRevision != 2 {
		t.Errorf("it was said %d times: %+v", said, st)
	}
}

func TestQuestionsAboutAPlanAreAnsweredWithoutAnother(t *testing.T) {
	f := newFixture(t)
	uid := f.create("a")
	r := f.submit(Plan{TaskID: string(uid), PlanMD: "one"})
	f.as(ann, model.Op{Name: model.QuestionPlan, UID: uid, Args: model.Feedback{Comments: []model.NewComment{{Kind: model.Question, Text: "why so?"}}}})
	r = f.look(r.ReviewID)
	f.is(r, StateChanges)
	answers := []Response{{FeedbackID: r.Feedback[0].ID, Resolution: "answered", Text: "it is shorter"}}
	for range 2 { // the second call is the first, repeated
		f.is(f.submit(Plan{TaskID: string(uid), BaseVersion: 0, PlanMD: "one", Responses: answers}), StatePending)
	}
	if n := f.task(uid).Status.PlanRevision; n != 1 {
		t.Errorf("there are %d revisions", n)
	}
	f.as(ann, model.Op{Name: model.QuestionPlan, UID: uid, Args: model.Feedback{Comments: []model.NewComment{{Kind: model.Question, Text: "and why that?"}}}})
	r = f.look(r.ReviewID)
	open := r.Feedback[len(r.Feedback)-1].ID
	f.is(f.submit(Plan{TaskID: string(uid), BaseVersion: 1, Responses: []Response{{FeedbackID: open, Resolution: "answered", Text: "it is faster"}}}), StatePending)
}

func TestPlansThatAreNoText(t *testing.T) {
	f := newFixture(t)
	uid := string(f.create("a"))
	_, err := f.d.SubmitPlan(t.Context(), Plan{TaskID: uid, PlanMD: "a\xff"})
	refused(t, err, CodeInvalid, "UTF-8")
	_, err = f.d.SubmitPlan(t.Context(), Plan{TaskID: uid, PlanMD: " \n"})
	refused(t, err, CodeInvalid, "blank")
	_, err = f.d.SubmitPlan(t.Context(), Plan{TaskID: uid, PlanMD: strings.Repeat("x", MaxPlan+1)})
	refused(t, err, CodeTooLarge)
}
