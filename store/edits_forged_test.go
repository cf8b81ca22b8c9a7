package store

import (
	"os"
	"testing"

	"vespe/model"
)

// forged writes a plan over an accepted one, and over the revision that was accepted too.
func forged(t testing.TB, dir string) {
	t.Helper()
	for _, name := range []string{"/plan.md", "/" + revisionFile(model.Plan, 1)} {
		write(t, dir+name, "another plan\n")
	}
}

// noLongerAccepted expects that a forged plan is a revision of its own, that its task is
// changed and cannot be started.
func noLongerAccepted(t *testing.T, s *Store, uid model.UID) {
	t.Helper()
	c, err := s.Content(t.Context(), uid, model.Plan)
	if err != nil || c.Revision != 0 {
		t.Errorf("the plan is revision %d, %v", c.Revision, err)
	}
	if _, err := s.ImportEdits(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	snap := load(t, s)
	if i, _ := snap.Index(uid); snap.Status(i) != model.StatusChanged {
		t.Errorf("it is %s", snap.Status(i))
	}
	if n := task(t, snap, uid).Status.PlanRevision; n != 2 {
		t.Errorf("the plan is at revision %d, want 2", n)
	}
	if _, err := s.Do(t.Context(), model.Op{Name: model.Start, UID: uid, Actor: robot, Worker: robot, Run: "r1"}); err == nil {
		t.Error("started with a plan that nobody accepted")
	}
	load(t, s)
	wantClean(t, s)
}

// Who rewrites a plan together with the revision that was accepted makes no accepted plan of
// it: the acceptance says which bytes it is for.
func TestForgedRevision(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	load(t, s)
	forged(t, vespe(s, taskDir(uid)))
	snap := load(t, s)
	if e := s.Edited(); len(e) != 1 {
		t.Errorf("edited are %v", e)
	}
	snap, err := s.Today(t.Context(), snap, nil)
	if err != nil {
		t.Fatal(err)
	}
	if i, _ := snap.Index(uid); snap.Status(i) != model.StatusChanged {
		t.Errorf("it is shown as %s", snap.Status(i))
	}
	noLongerAccepted(t, s, uid)
}

// So it is where the task was taken away and came back with them.
func TestForgedRevisionOfATaskThatCameBack(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	away := s.Root() + "/away"
	if err := os.Rename(vespe(s, taskDir(uid)), away); err != nil {
		t.Fatal(err)
	}
	load(t, s)
	if _, err := s.ImportEdits(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	forged(t, away)
	if err := os.Rename(away, vespe(s, taskDir(uid))); err != nil {
		t.Fatal(err)
	}
	load(t, s)
	noLongerAccepted(t, s, uid)
}
