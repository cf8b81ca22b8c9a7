package lifecycle_test

import (
	"reflect"
	"testing"

	"vespe/model"
)

// Finished work that is sent back may be tried again: its plan stays accepted, and the next attempt may begin.
func TestRejectedWorkIsTriedAgain(t *testing.T) {
	d := newDesk(t)
	uid := d.completed("subject", "")
	accepted := d.task(uid).Status.AcceptedPlan
	d.do(model.Op{Name: model.ReviewRejected, UID: uid, Actor: ann, Reason: "half of it", Args: model.Rejection{Again: true, Comments: []model.NewComment{onWork("who calls it?")}}})
	if st := &d.task(uid).Status; st.CurrentState != model.Working || st.AcceptedPlan == nil || st.CurrentRun != "" || st.RetryCount != 0 {
		t.Fatalf("it is %s, accepted %v, run %q, retries %d", st.CurrentState, st.AcceptedPlan, st.CurrentRun, st.RetryCount)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	if st := &d.task(uid).Status; st.CurrentState != model.Completed || st.AcceptedPlan == nil || !reflect.DeepEqual(st.AcceptedPlan, accepted) || st.Review != nil {
		t.Fatalf("undone it is %s, accepted %v, review %v", st.CurrentState, st.AcceptedPlan, st.Review)
	}
	d.do(model.Op{Name: model.ReviewRejected, UID: uid, Actor: ann, Reason: "half of it", Args: model.Rejection{Again: true}})
	d.do(model.Op{Name: model.Start, UID: uid, Actor: agent})
	d.do(model.Op{Name: model.WorkCompleted, UID: uid, Actor: agent})
	d.do(model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann})
	if st := &d.task(uid).Status; st.CurrentState != model.Completed || st.Review == nil || st.Review.Verdict != model.VerdictAccepted {
		t.Errorf("at the end it is %s, %v", st.CurrentState, st.Review)
	}
}

// Where the task changed meanwhile there is nothing to try again: that has to be accepted first.
func TestChangedTasksAreNotTriedAgain(t *testing.T) {
	d := newDesk(t)
	uid := d.completed("subject", "")
	d.do(model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "acceptance_criteria", Value: "it closes", Mode: '+'}}}})
	d.do(model.Op{Name: model.ReviewRejected, UID: uid, Actor: ann, Reason: "half of it", Args: model.Rejection{Again: true}})
	d.refused(model.Op{Name: model.Start, UID: uid, Actor: agent}, model.GuardNotChanged, model.CodeRefused)
}
