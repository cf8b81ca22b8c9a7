package lifecycle_test

import (
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
)

// One failure is one request: it names what waits, what failed with it and what is open below that. It goes when it is
// answered, and what the answer leaves blocked is asked about then.
func TestOneFailureIsOneRequest(t *testing.T) {
	for _, policy := range []string{model.SubtaskFailureFail, model.SubtaskFailureHold} {
		d := newDesk(t)
		d.w.SetPolicy(model.Policy{OnSubtaskFailure: policy})
		parent := d.accepted("parent", "")
		sibling := d.accepted("sibling", parent)
		uid := d.accepted("subject", parent)
		waits, waitsAbove := d.accepted("waits", "", uid), d.accepted("waits above", "", parent)
		for range 3 {
			d.do(model.Op{Name: model.Start, UID: uid, Actor: loop, Args: model.NewRun{Worker: agent}})
			d.do(model.Op{Name: model.RaiseError, UID: uid, Actor: loop, Args: model.ErrorReport{Details: "the tests fail"}})
			d.do(model.Op{Name: model.Retry, UID: uid, Actor: loop})
		}
		key := "attempts:" + string(uid)
		if policy == model.SubtaskFailureHold {
			key = "subtask-failed:" + string(uid)
		}
		d.wantPending(key)
		q := d.escalation(key)
		for _, part := range []string{"the tests fail", `"waits"`} {
			if !strings.Contains(q.Detail, part) {
				t.Errorf("%s: it says nothing of %s: %q", policy, part, q.Detail)
			}
		}
		if policy == model.SubtaskFailureFail {
			for _, part := range []string{`"waits above"`, `Failed with it: "parent"`, `Still open below: "sibling"`} {
				if !strings.Contains(q.Detail, part) {
					t.Errorf("it says nothing of %s: %q", part, q.Detail)
				}
			}
			if got := d.status(sibling); got != "blocked" {
				t.Errorf("below what failed it is %s", got)
			}
			snap := d.w.Snapshot()
			i, _ := snap.Index(sibling)
			if why := snap.Why(i); len(why) != 1 || !strings.Contains(why[0].Text, `is part of "parent", which failed`) {
				t.Errorf("why: %+v", why)
			}
			d.refused(model.Op{Name: model.Start, UID: sibling, Actor: loop}, model.GuardParent, model.CodeRefused)
		}
		d.choose(q, lifecycle.ChoiceReset, "")
		d.wantPending()
		if got := d.status(sibling); got != "ready" {
			t.Errorf("once it is tried again: %s", got)
		}
		d.do(model.Op{Name: model.UndoVerdict, UID: q.TaskUID, Args: model.RequestRef{Request: q.ID}})
		d.wantPending(key)
		if policy == model.SubtaskFailureHold {
			d.choose(q, lifecycle.ChoiceGoOn, "")
			d.wantPending("dep-failed:" + string(uid)) // the subtask stays failed, and something waits for it
			continue
		}
		d.choose(q, lifecycle.ChoiceAbort, "")
		d.wantPending("dep-failed:"+string(uid), "dep-failed:"+string(parent))
		_, _ = waits, waitsAbove
	}
}
