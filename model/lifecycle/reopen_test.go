package lifecycle_test

import (
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
)

// exhausted is a task whose last attempt has failed, and the request about that.
func (d *desk) exhausted(name string, parent model.UID, deps ...model.UID) (model.UID, model.Request) {
	d.Helper()
	uid := d.accepted(name, parent, deps...)
	for range 3 {
		d.do(model.Op{Name: model.Start, UID: uid, Actor: loop, Args: model.NewRun{Worker: agent}})
		d.do(model.Op{Name: model.RaiseError, UID: uid, Actor: loop, Args: model.ErrorReport{Details: "the tests fail"}})
		d.do(model.Op{Name: model.Retry, UID: uid, Actor: loop})
	}
	d.wantState(uid, model.Failed)
	return uid, d.escalation("attempts:" + string(uid))
}

// escalation is the newest request under a key.
func (d *desk) escalation(key string) model.Request {
	d.Helper()
	for _, r := range slices.Backward(d.w.Requests()) {
		if r.Key == key {
			return r
		}
	}
	d.Fatalf("nothing was asked about %s", key)
	return model.Request{}
}

// choose answers a request by an option.
func (d *desk) choose(q model.Request, option, words string) *model.Change {
	d.Helper()
	return d.do(chosen(q, option, words))
}

func chosen(q model.Request, option, words string) model.Op {
	return model.Op{
		Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: q.ID, Decision: model.DecideChoose, Choice: option, Text: words, Seen: q.ContentHash()},
	}
}

// Each choice after the last attempt does what it says, in one transaction, and is taken back whole.
func TestChoicesAfterTheLastAttempt(t *testing.T) {
	for _, c := range []struct {
		option, words string
		status        string
		after         func(d *desk, uid model.UID)
	}{
		{lifecycle.ChoiceByHand, "", "ready", func(d *desk, uid model.UID) {
			if by := lifecycle.ByHand(d.task(uid)); by != ann || d.task(uid).Status.RetryCount != 2 {
				d.Errorf("by hand of %q, %d retries", by, d.task(uid).Status.RetryCount)
			}
			d.do(model.Op{Name: model.Start, UID: uid, Actor: loop})
			d.do(model.Op{Name: model.RaiseError, UID: uid, Actor: loop, Args: model.ErrorReport{Details: "still red"}})
			if lifecycle.ByHand(d.task(uid)) != ann {
				d.Error("an error ends it")
			}
			d.do(model.Op{Name: model.Retry, UID: uid, Actor: loop})
			d.wantState(uid, model.Failed)
			if lifecycle.ByHand(d.task(uid)) != "" {
				d.Error("it failed, and is done by hand")
			}
			d.wantPending("attempts:" + string(uid)) // asked anew
		}},
		{lifecycle.ChoiceSkip, "done in 4f2c1d", "done", func(d *desk, uid model.UID) {
			if r := d.task(uid).Status.Review; r == nil || r.By != ann || r.Reason != "done in 4f2c1d" || r.Verdict != model.VerdictAccepted {
				d.Errorf("review %+v", r)
			}
			if b, err := d.w.ResultFile(uid, "summary.md"); err != nil || string(b) != "done in 4f2c1d\n" {
				d.Errorf("summary %q, %v", b, err)
			}
		}},
		{lifecycle.ChoiceReset, "", "ready", func(d *desk, uid model.UID) {
			if n := d.task(uid).Status.RetryCount; n != 0 {
				d.Errorf("%d retries", n)
			}
		}},
		{lifecycle.ChoiceReplan, "the library is gone", "replan", func(d *desk, uid model.UID) {
			if d.task(uid).Status.AcceptedPlan != nil {
				d.Error("its plan is still accepted")
			}
		}},
		{lifecycle.ChoiceAbort, "", "aborted", func(*desk, model.UID) {}},
	} {
		t.Run(c.option, func(t *testing.T) {
			d := newDesk(t)
			uid, q := d.exhausted("subject", "")
			dep := d.accepted("dependent", "", uid)
			does, ok := lifecycle.ChoiceOf(&q, c.option)
			if !ok || does.Does == "" || does.Words != (c.option == lifecycle.ChoiceSkip) {
				t.Fatalf("choice %+v", does)
			}
			if does.Words {
				d.refused(chosen(q, c.option, " "), model.GuardReason, model.CodeInvalid)
			}
			before := d.image()
			preview, err := lifecycle.Apply(d.w.Snapshot(), chosen(q, c.option, c.words))
			if err != nil {
				t.Fatal(err)
			}
			ch := d.choose(q, c.option, c.words)
			if preview.Summary != ch.Summary {
				t.Errorf("the preview says %q, it was %q", preview.Summary, ch.Summary)
			}
			if got := d.status(uid); got != c.status {
				t.Fatalf("it is %s, want %s: %s", got, c.status, ch.Summary)
			}
			if q := d.request(q.ID); q.Answer.ActedBy != ann || q.State != model.RequestAccepted {
				t.Errorf("the answer is %+v", q.Answer)
			}
			undo := d.do(model.Op{Name: model.UndoVerdict, UID: uid, Args: model.RequestRef{Request: q.ID}})
			if d.request(q.ID).State != model.RequestPending || d.request(q.ID).Answer != nil {
				t.Errorf("after undo it is %+v", d.request(q.ID))
			}
			for _, was := range before {
				if now := d.task(was.UID); now.Status.CurrentState != was.Status.CurrentState || now.Status.RetryCount != was.Status.RetryCount {
					t.Errorf("after undo %s is %s: %s", was.UID, now.Status.CurrentState, undo.Summary)
				}
			}
			d.choose(q, c.option, c.words)
			if got, want := d.status(dep), map[string]string{"done": "ready"}[c.status]; want != "" && got != want {
				t.Errorf("the dependent is %s", got)
			}
			c.after(d, uid)
		})
	}
}

// What somebody has done because of a choice stands: it is not taken back.
func TestChoiceThatWasConsumed(t *testing.T) {
	d := newDesk(t)
	uid, q := d.exhausted("subject", "")
	d.choose(q, lifecycle.ChoiceReset, "")
	d.do(model.Op{Name: model.Start, UID: uid, Actor: loop})
	r := d.refused(model.Op{Name: model.UndoVerdict, UID: uid, Args: model.RequestRef{Request: q.ID}}, model.GuardUndo, model.CodeRefused)
	if !strings.Contains(r.Why, "acted on it") {
		t.Errorf("it says %q", r.Why)
	}
	d.refused(chosen(q, lifecycle.ChoiceReset, ""), model.GuardUnanswered, model.CodeConflict)
}

// What depends on a task that was skipped may have been begun: then it stays done.
func TestSkippingThatSomebodyReliesOn(t *testing.T) {
	d := newDesk(t)
	uid, q := d.exhausted("subject", "")
	dep := d.accepted("dependent", "", uid)
	d.choose(q, lifecycle.ChoiceSkip, "done elsewhere")
	d.do(model.Op{Name: model.Start, UID: dep, Actor: loop})
	r := d.refused(model.Op{Name: model.UndoVerdict, UID: uid, Args: model.RequestRef{Request: q.ID}}, model.GuardUndo, model.CodeRefused)
	if !strings.Contains(r.Why, `"dependent"`) {
		t.Errorf("it says %q", r.Why)
	}
	d.do(model.Op{Name: model.StopRun, UID: dep})
	d.do(model.Op{Name: model.UndoVerdict, UID: uid, Args: model.RequestRef{Request: q.ID}})
	d.wantState(uid, model.Failed)
}

// Who chooses too late is told what is so.
func TestChoiceThatDoesNotFitAnyMore(t *testing.T) {
	d := newDesk(t)
	uid, q := d.exhausted("subject", "")
	d.do(model.Op{Name: model.Reopen, UID: uid})
	if d.request(q.ID).State != model.RequestSuperseded {
		t.Errorf("it is %s", d.request(q.ID).State)
	}
	d.refused(chosen(q, lifecycle.ChoiceReset, ""), model.GuardUnanswered, model.CodeConflict)
	for _, who := range []model.Actor{agent, loop} {
		op := model.Op{Name: model.Skip, UID: uid, Actor: who, Reason: "x"}
		d.refused(op, model.GuardActor, model.CodeDenied)
	}
	// An option that somebody wrote into the file does nothing but answer.
	_, q = d.exhausted("another", "")
	q.Options = append(slices.Clone(q.Options), "rm -rf /")
	d.w.PutRequest(q)
	if c := d.choose(q, "rm -rf /", ""); len(c.Events) != 1 {
		t.Errorf("it did %s", c.Summary)
	}
}

// A parent that failed because of a child is open again with it, and those above it.
func TestReopeningGoesUp(t *testing.T) {
	d := newDesk(t)
	top := d.accepted("top", "")
	middle := d.accepted("middle", top)
	uid, q := d.exhausted("leaf", middle)
	other := d.accepted("needs it", "", middle)
	for _, u := range []model.UID{middle, top} {
		d.wantState(u, model.Failed)
	}
	d.wantPending("attempts:" + string(uid))
	c := d.choose(q, lifecycle.ChoiceReset, "")
	for _, u := range []model.UID{middle, top} {
		d.wantState(u, model.Working)
		d.wantPause(u, "subtasks")
	}
	d.wantPending()
	if got := d.status(other); got != "blocked" {
		t.Errorf("the dependent is %s", got)
	}
	d.wantSummary(c, `"middle", which failed with it, is open again, and waits for it`, `"top"`)
	d.do(model.Op{Name: model.UndoVerdict, UID: uid})
	for _, u := range []model.UID{uid, middle, top} {
		d.wantState(u, model.Failed)
	}
	d.wantPending("attempts:" + string(uid))
	d.choose(q, lifecycle.ChoiceSkip, "done elsewhere")
	for _, u := range []model.UID{middle, top} {
		d.wantState(u, model.Working)
	}
	d.wantPause(middle, "")
	d.wantPause(top, "subtasks")
	// Under one that is over for good nothing is open again.
	leaf, _ := d.exhausted("late", "")
	x := d.task(leaf).Clone()
	x.Config.ParentUID = d.completed("over", "")
	d.w.Put(x)
	d.do(model.Op{Name: model.ReviewAccepted, UID: x.Config.ParentUID})
	d.refused(model.Op{Name: model.Reopen, UID: leaf}, model.GuardParent, model.CodeRefused)
}

// A parent that is held for a failed subtask has the choices of that.
func TestChoicesOfAHeldParent(t *testing.T) {
	for option, want := range map[string]string{
		lifecycle.ChoiceGoOn: "ready", lifecycle.ChoiceReset: "subtasks", lifecycle.ChoiceByHand: "subtasks", lifecycle.ChoiceSkip: "ready", lifecycle.ChoiceReplan: "replan", lifecycle.ChoiceAbort: "aborted",
	} {
		d := newDesk(t)
		d.w.SetPolicy(model.Policy{OnSubtaskFailure: model.SubtaskFailureHold})
		parent := d.accepted("parent", "")
		child := d.running("child", parent)
		d.fail(child, "broken")
		q := d.escalation("subtask-failed:" + string(child))
		d.choose(q, option, map[string]string{lifecycle.ChoiceSkip: "done elsewhere"}[option])
		if got := d.status(parent); got != want {
			t.Errorf("%s: it is %s, want %s", option, got, want)
		}
		d.do(model.Op{Name: model.UndoVerdict, UID: parent, Args: model.RequestRef{Request: q.ID}})
		if got := d.status(parent); got != "waiting" || d.state(child) != model.Failed {
			t.Errorf("%s, taken back: it is %s, and the child %s", option, got, d.state(child))
		}
	}
}

// What waits for a task that failed is let go, planned anew or ended, all of it at once.
func TestChoicesOfAFailedDependency(t *testing.T) {
	for option, want := range map[string]string{
		lifecycle.ChoiceUndepend: "changed", lifecycle.ChoiceReplanWaiting: "replan", lifecycle.ChoiceAbortWaiting: "aborted", lifecycle.ChoiceReset: "blocked",
	} {
		d := newDesk(t)
		uid := d.running("subject", "")
		first, second := d.accepted("first", "", uid), d.accepted("second", "", uid)
		bare := d.create("bare", "", uid)
		d.fail(uid, "broken")
		q := d.escalation("dep-failed:" + string(uid))
		d.choose(q, option, "")
		for _, u := range []model.UID{first, second} {
			if got := d.status(u); got != want {
				t.Errorf("%s: %s is %s, want %s", option, u, got, want)
			}
		}
		if option == lifecycle.ChoiceUndepend {
			d.wantDeps(bare)
			d.refused(model.Op{Name: model.UndoVerdict, UID: uid, Args: model.RequestRef{Request: q.ID}}, model.GuardUndo, model.CodeRefused)
			continue
		}
		d.do(model.Op{Name: model.UndoVerdict, UID: uid, Args: model.RequestRef{Request: q.ID}})
		for _, u := range []model.UID{first, second, bare} {
			if got := d.state(u); got == model.Aborted || got == model.Replanned {
				t.Errorf("%s, taken back: %s is %s", option, u, got)
			}
		}
		d.wantPending("dep-failed:" + string(uid))
	}
}

// A run that somebody stops counts as no attempt, and the task can be started at once.
func TestStopRun(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("subject", "")
	d.refused(model.Op{Name: model.StopRun, UID: uid}, model.GuardRun, model.CodeRefused)
	d.do(model.Op{Name: model.Start, UID: uid, Actor: loop, Args: model.NewRun{Worker: agent, ID: "run-1"}})
	d.refused(model.Op{Name: model.StopRun, UID: uid, Actor: agent}, model.GuardActor, model.CodeDenied)
	d.do(model.Op{Name: model.StopRun, UID: uid, Actor: loop, Args: model.RunEnd{Report: &model.RunReport{Why: "ctrl-c"}}})
	st := d.task(uid).Status
	if got := d.status(uid); got != "ready" || st.RetryCount != 0 || st.Runs != 0 || st.AssignedAgentUID != "" {
		t.Errorf("it is %s: %+v", got, st)
	}
	if r := d.run(uid, "run-1"); r.Outcome != model.RunCanceled || r.Report.Why != "ctrl-c" || r.Live() {
		t.Errorf("%+v", r)
	}
	d.do(model.Op{Name: model.Start, UID: uid, Actor: loop})
}

// While a worker's question waits, and while subtasks that it made are open, its run stays: the same
// run goes on afterwards.
func TestRunIsKeptWhileItWaits(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("subject", "")
	d.do(model.Op{Name: model.Start, UID: uid, Actor: loop, Args: model.NewRun{Worker: agent, ID: "run-1"}})
	kept := func(status string) {
		t.Helper()
		if got := d.status(uid); got != status || d.task(uid).Status.CurrentRun != "run-1" || d.task(uid).Status.AssignedAgentUID != agent {
			t.Errorf("it is %s with the run %q, want %s", got, d.task(uid).Status.CurrentRun, status)
		}
	}
	c := d.do(model.Op{Name: model.Ask, UID: uid, Actor: agent, Args: model.NewRequest{Title: "Which port?"}})
	kept("waiting")
	d.refused(model.Op{Name: model.Start, UID: uid, Actor: loop}, model.GuardNotPaused, model.CodeRefused)
	d.refused(model.Op{Name: model.WorkCompleted, UID: uid, Actor: loop}, model.GuardNotPaused, model.CodeRefused)
	d.do(model.Op{Name: model.AnswerRequest, Args: model.Answering{Request: c.Request, Decision: model.DecideRespond, Text: "80"}})
	kept("running")
	child := d.create("child", uid) // below a working task it is waited for
	kept("subtasks")
	d.do(model.Op{Name: model.Abort, UID: child, Reason: "not needed"})
	kept("running")
	d.do(model.Op{Name: model.WorkCompleted, UID: uid, Actor: loop})
}

// The loop asks once for a key, in a way that holds the task or not, and takes it back.
func TestEscalateAndSettle(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("subject", "")
	op := model.Op{Name: model.Escalate, UID: uid, Actor: loop, Args: model.NewRequest{
		Key: "integrate:run-1", Title: "It does not merge", Detail: "a.go", Options: []string{"again", "by hand"},
	}}
	for who, code := range map[model.Actor]model.Code{ann: model.CodeDenied, agent: model.CodeDenied} {
		bad := op
		bad.Actor = who
		d.refused(bad, model.GuardActor, code)
	}
	for _, key := range []string{"", "attempts:x", "dep-failed:x", "subtask-failed:x", "start:x"} {
		bad, ask := op, model.ArgsOf[model.NewRequest](&op)
		ask.Key = key
		bad.Args = ask
		d.refused(bad, model.GuardKey, model.CodeInvalid)
	}
	first := d.do(op)
	if again := d.do(op); again.Request != first.Request || len(again.Requests) > 0 {
		t.Errorf("asked twice: %+v", again)
	}
	q, ok := d.w.Snapshot().Keyed(uid, "integrate:run-1")
	if !ok || q.ID != first.Request || q.Kind != model.KindEscalation || q.Holds() || d.status(uid) != "ready" {
		t.Fatalf("%+v, the task is %s", q, d.status(uid))
	}
	c := d.choose(q, "again", "with care")
	if len(c.Events) != 1 || d.status(uid) != "ready" {
		t.Errorf("it did %s", c.Summary)
	}
	q, _ = d.w.Snapshot().Keyed(uid, "integrate:run-1")
	if q.IsOpen() || q.Answer.Choice != "again" || q.Answer.By != ann || q.Answer.Text != "with care" {
		t.Errorf("%+v", q)
	}
	if again := d.do(op); again.Request != first.Request { // somebody knows
		t.Errorf("asked anew: %+v", again)
	}
	op.Args = model.NewRequest{Key: "untested:run-1", Title: "No tests", Holds: true}
	held := d.do(op)
	if got := d.status(uid); got != "waiting" {
		t.Errorf("it is %s", got)
	}
	d.do(model.Op{Name: model.Settle, UID: uid, Actor: loop, Args: model.Settlement{Key: "untested:run-1"}})
	if got := d.status(uid); got != "ready" || d.request(held.Request).State != model.RequestSuperseded {
		t.Errorf("settled it is %s, and the request %s", got, d.request(held.Request).State)
	}
	d.refused(model.Op{Name: model.Settle, UID: uid, Actor: loop, Args: model.Settlement{Key: "untested:run-1"}}, model.GuardRequest, model.CodeNotFound)
	// About no task, and about work that is not wanted any more.
	all := d.do(model.Op{Name: model.Escalate, Actor: loop, Args: model.NewRequest{Key: "deadlock:1", Title: "Nothing can go on"}})
	d.do(model.Op{Name: model.Settle, Actor: loop, Args: model.Settlement{Request: all.Request}})
	op.Args = model.NewRequest{Key: "integrate:run-2", Title: "It does not merge"}
	last := d.do(op)
	d.do(model.Op{Name: model.Replan, UID: uid, Reason: "other way"})
	if got := d.request(last.Request).State; got != model.RequestSuperseded {
		t.Errorf("its cause has gone, and it is %s", got)
	}
}

// A right to undo that names no task, as only a hand edit makes one, takes nothing back.
func TestAnUndoOfNothingIsRefused(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("subject", "")
	was := d.task(uid).Clone()
	was.Status.Undo.Tasks = nil
	d.w.Put(was)
	d.refused(model.Op{Name: model.UndoVerdict, UID: uid}, model.GuardUndo, model.CodeRefused)
}
