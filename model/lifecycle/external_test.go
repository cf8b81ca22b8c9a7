package lifecycle_test

import (
	"slices"
	"strings"
	"testing"

	"vespe/model"
)

// edited is an external_edit of a task's status.json from was to what the world has now.
func edited(d *desk, was *model.Task, names ...string) *model.Change {
	d.Helper()
	x := &model.External{Was: was}
	for _, n := range names {
		body := []byte("bytes of " + n + "\n")
		x.Files = append(x.Files, model.FileEdit{Name: n, Old: "sha256-old", New: model.HashBytes(body), Body: body})
	}
	return d.do(model.Op{Name: model.ExternalEdit, UID: was.UID, Actor: "system:external", Args: *x})
}

// A state written by hand is believed; the acceptance beside it is not, so nobody starts
// what nobody approved. The bytes of the file are kept.
func TestExternalEditNeverAccepts(t *testing.T) {
	d := newDesk(t)
	uid := d.planned("subject", "")
	was := d.task(uid).Clone()
	forged := was.Clone()
	forged.Status.CurrentState = model.Working
	forged.Status.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1, PlanHash: "sha256-x", By: "human:mallory"}
	forged.Status.Review = &model.Review{Of: "plan", Verdict: "accepted", By: "human:mallory"}
	d.w.Put(forged)

	c := edited(d, was, "status.json")
	now := d.task(uid)
	d.wantState(uid, model.Working)
	if now.Status.AcceptedPlan != nil || now.Status.Review != nil {
		t.Errorf("the forged verdict counts: %+v", now.Status)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "mallory") {
		t.Errorf("warnings %q", c.Warnings)
	}
	d.refused(model.Op{Name: model.Start, UID: uid, Actor: agent}, model.GuardAccepted, model.CodeRefused)
	if !slices.ContainsFunc(c.Files, func(f model.FileChange) bool {
		return strings.Contains(f.Path, "/persistent/edits/status-") && string(f.Body) == "bytes of status.json\n" && f.Immutable
	}) {
		t.Errorf("the bytes of status.json are not kept: %+v", c.Files)
	}
}

// What stood before stays: an acceptance that vespe was given, and its removal.
func TestExternalEditKeepsWhatWasAccepted(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("subject", "")
	was := d.task(uid).Clone()
	now := was.Clone()
	now.Status.Progress = "half"
	d.w.Put(now)
	edited(d, was, "status.json")
	if d.task(uid).Status.AcceptedPlan == nil {
		t.Error("an acceptance that stood before is gone")
	}
	was = d.task(uid).Clone()
	now = was.Clone()
	now.Status.AcceptedPlan = nil
	d.w.Put(now)
	edited(d, was, "status.json")
	if d.task(uid).Status.AcceptedPlan != nil {
		t.Error("an acceptance that was removed by hand still counts")
	}
}

// An accepted task whose own plan was edited is changed, and the edit is a revision.
func TestExternalEditOfAnAcceptedPlan(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("subject", "")
	was := d.task(uid).Clone()
	d.w.Edit(uid, model.Plan, "another plan\n")
	edited(d, was, "plan.md")
	now := d.task(uid)
	if now.Status.PlanRevision != was.Status.PlanRevision+1 || len(now.Status.ChangedBecause) == 0 {
		t.Errorf("revision %d, changed %+v", now.Status.PlanRevision, now.Status.ChangedBecause)
	}
	d.refused(model.Op{Name: model.Start, UID: uid, Actor: agent}, model.GuardNotChanged, model.CodeRefused)
}

// A status.json that was set back, as git checkout does, never counts revisions anew.
func TestExternalEditNeverCountsBack(t *testing.T) {
	d := newDesk(t)
	uid := d.planned("subject", "")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Actor: agent, Args: model.NewPlan{Text: "second\n"}})
	was := d.task(uid).Clone()
	back := was.Clone()
	back.Status.PlanRevision, back.Status.Revision = 1, 1
	d.w.Put(back)
	edited(d, was, "status.json")
	now := d.task(uid).Status
	if now.PlanRevision < was.Status.PlanRevision || now.Revision <= was.Status.Revision {
		t.Errorf("plan revision %d, revision %d; were %d, %d", now.PlanRevision, now.Revision, was.Status.PlanRevision, was.Status.Revision)
	}
}
