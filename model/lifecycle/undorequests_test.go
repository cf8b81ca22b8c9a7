package lifecycle_test

import (
	"reflect"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
)

// What was asked about a task that a verdict ended waits again when the verdict is taken back: all of
// it, as it waited.
func TestUndoOfAReviewBringsBackWhatWasAsked(t *testing.T) {
	d := newDesk(t)
	uid := d.completed("subject", "")
	pending := d.asks(uid, model.NewRequest{Title: "may I publish it?", Key: "publish"})
	deferred := d.asks(uid, model.NewRequest{Title: "and where?"})
	answered := d.asks(uid, model.NewRequest{Title: "when?"})
	d.do(answer(deferred, model.Answering{Decision: model.DecideDefer}))
	d.do(answer(answered, model.Answering{Decision: model.DecideRespond, Text: "now"}))
	before, was := d.task(uid).Clone(), d.w.Requests()

	d.do(model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann})
	d.wantRequest(pending, model.RequestSuperseded)
	d.wantRequest(deferred, model.RequestSuperseded)
	d.wantPause(uid, "")
	c := d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	d.wantSummary(c, "may I publish it?", "and where?")
	if now := d.w.Requests(); !reflect.DeepEqual(was, now) {
		t.Errorf("it was\n%+v\nand is\n%+v", was, now)
	}
	now := d.task(uid).Clone()
	now.Status.Revision = before.Status.Revision
	if !reflect.DeepEqual(before.Status, now.Status) {
		t.Errorf("it was\n%+v\nand is\n%+v", before.Status, now.Status)
	}
	d.do(answer(pending, model.Answering{Decision: model.DecideRespond, Text: "yes"}))
	d.do(answer(deferred, model.Answering{Decision: model.DecideRespond, Text: "here"}))
	d.wantPause(uid, "")
}

// So does a consent that a new plan made needless. What was asked since the verdict is not forgotten
// over that.
func TestUndoOfAReplanBringsBackAConsent(t *testing.T) {
	for name, tt := range map[string]struct {
		meanwhile func(d *desk, uid model.UID)
		pause     string
	}{
		"at once": {func(*desk, model.UID) {}, "hitl: start \"subject\""},
		"while another question waits": {
			func(d *desk, uid model.UID) { d.asks(uid, model.NewRequest{}) },
			"hitl: start \"subject\"; which port?",
		},
		"after another was answered, and that taken back": {func(d *desk, uid model.UID) {
			d.do(answer(d.asks(uid, model.NewRequest{}), model.Answering{Decision: model.DecideRespond, Text: "80"}))
			d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
		}, "hitl: start \"subject\"; which port?"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			uid := d.accepted("subject", "")
			d.do(model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "requires_hitl", Value: "true"}}}})
			d.do(model.Op{Name: model.Revalidate, UID: uid, Actor: ann})
			id := d.do(model.Op{Name: model.Start, UID: uid, Actor: agent}).Request
			q := d.wantRequest(id, model.RequestPending)
			d.do(model.Op{Name: model.Replan, UID: uid, Actor: ann, Reason: "another way"})
			d.wantRequest(id, model.RequestSuperseded)
			tt.meanwhile(d, uid)
			d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
			if now := d.wantRequest(id, model.RequestPending); !reflect.DeepEqual(q, now) {
				t.Errorf("it was %+v and is %+v", q, now)
			}
			if got := d.task(uid).Status; !got.IsPaused || got.PauseReason != tt.pause {
				t.Errorf("it is paused by %q, want %q", got.PauseReason, tt.pause)
			}
		})
	}
}

// Where another clone has asked the same meanwhile, that waits, and not both.
func TestUndoDoesNotAskTwice(t *testing.T) {
	d := newDesk(t)
	uid := d.completed("subject", "")
	id := d.asks(uid, model.NewRequest{Key: "publish"})
	d.do(model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann})
	other := d.request(id)
	other.ID, other.State = "req-of-another-clone", model.RequestPending
	d.w.PutRequest(other)
	d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	d.wantRequest(id, model.RequestSuperseded)
	d.wantRequest(other.ID, model.RequestPending)
}

// What was asked because a task had failed is not asked again once that task is done.
func TestUndoDoesNotAskAboutAFailureThatIsOver(t *testing.T) {
	d := newDesk(t)
	first := d.running("first", "")
	waiting := d.create("waiting", "", first)
	d.fail(first, "it broke")
	d.do(model.Op{Name: model.RaiseError, UID: waiting, Actor: ann, Args: model.ErrorReport{Details: "stuck"}})
	id := d.escalation(model.DepFailedKey(first)).ID
	d.do(model.Op{Name: model.Skip, UID: waiting, Actor: ann, Reason: "not needed"})
	d.do(model.Op{Name: model.Skip, UID: first, Actor: ann, Reason: "done by hand"})
	d.do(model.Op{Name: model.UndoVerdict, UID: waiting, Actor: ann})
	d.wantRequest(id, model.RequestSuperseded)
	d.wantPending()
}

// The pause of a parent that is held for a failed subtask comes back as it was, also when the subtask has
// another name by then.
func TestUndoOfAnAnswerAboutARenamedSubtask(t *testing.T) {
	for _, name := range []string{"child", `a "quoted" child`} {
		d := newDesk(t)
		p := model.DefaultPolicy()
		p.OnSubtaskFailure = model.SubtaskFailureHold
		d.w.SetPolicy(p)
		parent := d.running("parent", "")
		child := d.running(name, parent)
		d.fail(child, "it broke")
		d.do(model.Op{Name: model.RenameTask, UID: child, Args: model.NewName{Name: "renamed"}})
		id := d.w.Requests()[len(d.w.Requests())-1].ID
		before := d.task(parent).Status.PauseReason
		d.do(answer(id, model.Answering{Decision: model.DecideRespond, Text: "go on without it"}))
		d.do(model.Op{Name: model.UndoVerdict, UID: parent, Actor: ann})
		if got := d.task(parent).Status.PauseReason; got != before {
			t.Errorf("it waited with %q, and waits with %q", before, got)
		}
	}
}

// An answer that did not let the parent go on leaves undo nothing to hold again: a deferral, and one of two.
func TestUndoOfAnAnswerKeepsThePauseThatItLeft(t *testing.T) {
	for _, failures := range []int{1, 2} {
		d := newDesk(t)
		d.w.SetPolicy(model.Policy{OnSubtaskFailure: model.SubtaskFailureHold})
		parent := d.running("parent", "")
		first, second := d.running("first", parent), d.running("second", parent)
		d.fail(first, "it broke")
		decision := model.DecideDefer
		if failures == 2 {
			d.fail(second, "it broke")
			decision = model.DecideRespond
		}
		before := d.task(parent).Status.PauseReason
		q := d.escalation("subtask-failed:" + string(first))
		d.do(answer(q.ID, model.Answering{Decision: decision, Text: "later"}))
		d.do(model.Op{Name: model.UndoVerdict, UID: parent, Actor: ann, Args: model.RequestRef{Request: q.ID}})
		if got := d.task(parent).Status.PauseReason; got != before {
			t.Errorf("it waited with %q, and waits with %q", before, got)
		}
	}
}

// Undo opens a subtask again, and its parent waits for it although the question that held both was answered meanwhile.
func TestUndoHoldsAParentThatWasAnsweredMeanwhile(t *testing.T) {
	d := newDesk(t)
	parent := d.running("parent", "")
	child := d.running("child", parent)
	question := d.asks(parent, model.NewRequest{})
	d.do(model.Op{Name: model.RaiseError, UID: child, Args: model.ErrorReport{Details: "it broke"}})
	d.do(model.Op{Name: model.Skip, UID: child, Actor: ann, Reason: "not needed"})
	d.do(answer(question, model.Answering{Decision: model.DecideRespond, Text: "80"}))
	d.wantPause(parent, "")
	d.do(model.Op{Name: model.UndoVerdict, UID: child, Actor: ann})
	d.wantPause(parent, "subtasks")
}

// Undo asks again about a failure only where it still stands: the subtask that failed its parents was aborted meanwhile.
func TestUndoAsksNothingAboutAFailureThatWasAborted(t *testing.T) {
	d := newDesk(t)
	top := d.running("top", "")
	middle := d.running("middle", top)
	leaf := d.running("leaf", middle)
	d.accepted("dependent", "", top)
	d.fail(leaf, "it broke")
	q := d.escalation("dep-failed:" + string(leaf))
	d.do(model.Op{Name: model.Skip, UID: top, Actor: ann, Reason: "not needed"})
	d.wantRequest(q.ID, model.RequestSuperseded)
	d.abort(leaf)
	d.do(model.Op{Name: model.UndoVerdict, UID: top, Actor: ann})
	d.wantRequest(q.ID, model.RequestSuperseded)
}

// A person is asked about one failure once: the question that an undo asks again takes the place of the one that the
// answer left.
func TestUndoAsksAboutOneFailureOnce(t *testing.T) {
	d := newDesk(t)
	d.w.SetPolicy(model.Policy{OnSubtaskFailure: model.SubtaskFailureHold})
	parent := d.accepted("parent", "")
	child := d.running("child", parent)
	d.accepted("dependent", "", child)
	d.fail(child, "it broke")
	q := d.escalation("subtask-failed:" + string(child))
	d.wantPending(q.Key)
	d.choose(q, lifecycle.ChoiceGoOn, "")
	d.wantPending("dep-failed:" + string(child))
	d.do(model.Op{Name: model.UndoVerdict, UID: parent, Actor: ann, Args: model.RequestRef{Request: q.ID}})
	d.wantPending(q.Key)
}
