package lifecycle_test

import (
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/review"
	"vespe/model/snapshot"
)

// What goes on while the work does voids nothing; everything else does, at once and visibly, and
// what is again as it was accepted is accepted again.
func TestTermsAndBookkeeping(t *testing.T) {
	d := newDesk(t)
	uid := d.planned("x", "")
	set := func(key, value string) {
		d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: key, Value: value}}}})
	}
	set("acceptance_criteria", "it works")
	set("steps", "first,second")
	d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	for key, value := range map[string]string{
		"priority": "high", "labels": "a,b", "milestone_id": "m1", "estimated_complexity": "3", "external.linear_issue_id": "L-1",
	} {
		set(key, value)
		if got := d.status(uid); got != "ready" {
			t.Errorf("%s makes it %s", key, got)
		}
	}
	done := d.task(uid).Clone()
	done.Spec.Steps[0].Done, done.Spec.AcceptanceCriteria[0].State, done.Spec.AcceptanceCriteria[0].Evidence = true, "met", "seen"
	d.w.Put(done)
	if got := d.status(uid); got != "ready" {
		t.Errorf("a step that is done makes it %s", got)
	}
	for key, value := range map[string]string{
		"description": "other", "user_story": "x", "goal_type": "bugfix", "constraints": "c", "acceptance_criteria": "it works,it is fast",
		"steps": "first", "source": "s", "context.why": "w", "requester": "r", "risk": "high", "requires_hitl": "true",
		"files_to_create": "f", "files_to_modify": "f", "test_files": "f", "verify": "go test", "max_attempts": "9", "intent": "i",
	} {
		was := d.task(uid).Clone()
		set(key, value)
		why := d.task(uid).Status.ChangedBecause
		if got := d.status(uid); got != "changed" || len(why) != 1 || why[0].File != "spec.json" || why[0].Old == why[0].New {
			t.Errorf("%s makes it %s, because of %+v", key, got, why)
		}
		d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardNotChanged, model.CodeRefused)
		was.Status.Revision = d.task(uid).Status.Revision
		was.Status.ChangedBecause = why
		d.w.Put(was)
		d.do(model.Op{Name: model.Check, UID: uid})
		if got := d.status(uid); got != "ready" {
			t.Errorf("with %s as it was it is %s", key, got)
		}
	}
	d.do(model.Op{Name: model.Start, UID: uid})
}

// Another policy makes whatever was accepted with the old one changed, in every view and in a start,
// though nothing was written into any task; its name, and how git records, do not.
func TestAnotherPolicyChangesWhatWasAccepted(t *testing.T) {
	d := newDesk(t)
	uid, open := d.accepted("x", ""), d.planned("y", "")
	p := d.w.Policy()
	p.Name, p.Extra = "another", model.Extra{{Key: "git", Value: []byte(`{"mode":"ref"}`)}}
	d.w.SetPolicy(p)
	if got := d.status(uid); got != "ready" {
		t.Errorf("another name makes it %s", got)
	}
	strict := p
	strict.MaxAttempts = 7
	for _, amended := range []bool{false, true} {
		d.w.SetPolicy(strict)
		snap := d.w.Snapshot()
		if amended {
			d.w.SetPolicy(p)
			snap = d.w.Snapshot().Amend(snapshot.Amendment{Policy: &strict})
			d.w.SetPolicy(strict)
		}
		i, _ := snap.Index(uid)
		k, _ := snap.Index(open)
		why := snap.Why(i)
		if snap.Status(i).String() != "changed" || snap.Status(k).String() != "review plan" || len(why) == 0 || !strings.Contains(why[0].Text, "config.json") {
			t.Errorf("%s and %s, why %+v", snap.Status(i), snap.Status(k), why)
		}
	}
	d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardNotChanged, model.CodeRefused)
	d.w.SetPolicy(p)
	if got := d.status(uid); got != "ready" {
		t.Errorf("with the old policy it is %s", got)
	}
	d.w.SetPolicy(strict)
	d.do(model.Op{Name: model.Revalidate, UID: uid})
	d.do(model.Op{Name: model.Start, UID: uid})
}

// keysOf is an attestor that believes nobody, or everybody, and asks for a level by risk.
type keysOf struct {
	level review.Level
	need  map[string]review.Level
}

func (k keysOf) Attest(review.Approval) review.Attested     { return review.Attested{Level: k.level} }
func (k keysOf) Required(risk string) (review.Level, error) { return k.need[risk], nil }

// What a risk asks for holds at the verdict and at the start, whatever the approval says of itself.
func TestTheLevelThatARiskAsksFor(t *testing.T) {
	d := newDesk(t)
	uid := d.planned("x", "")
	d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "high"}}}})
	need := map[string]review.Level{"high": review.LevelSigned}
	d.w.SetAttestor(keysOf{review.LevelClaimed, need})
	d.refused(model.Op{Name: model.AcceptPlan, UID: uid}, model.GuardLevel, model.CodeDenied)
	d.w.SetAttestor(keysOf{review.LevelTouched, need})
	d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	d.w.SetAttestor(keysOf{review.LevelClaimed, need})
	d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardLevel, model.CodeDenied)
	d.w.SetAttestor(keysOf{review.LevelSigned, need})
	d.do(model.Op{Name: model.Start, UID: uid})
}
