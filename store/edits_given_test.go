package store

import (
	"os"
	"testing"

	"vespe/model"
)

// A verdict that vespe was given counts again when the file that it wrote comes back, whoever
// looked at the store in between; one that was taken back since does not.
func TestAGivenVerdictComesBack(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	name := vespe(s, taskFile(uid, statusFile))
	before := read(t, name)
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	after := read(t, name)
	closed(t, s)

	write(t, name, before) // git checks out the commit before
	look := func(what func(s *Store)) {
		t.Helper()
		s := open(t, s.Root(), testOptions())
		what(s)
		closed(t, s)
	}
	look(func(s *Store) {
		if _, err := s.Doctor(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	look(func(s *Store) { // nobody knows what was believed before
		for _, c := range globs(t, s, "log/*.ck") {
			if err := os.Remove(c); err != nil {
				t.Fatal(err)
			}
		}
		load(t, s)
	})
	write(t, name, after) // and this one again
	look(func(s *Store) {
		snap := load(t, s)
		if got := task(t, snap, uid); got.Status.AcceptedPlan == nil || len(snap.Problems()) > 0 {
			t.Errorf("it is %+v, with %v", got.Status, snap.Problems())
		}
		do(t, s, model.Op{Name: model.Replan, UID: uid, Actor: ann, Reason: "another way"})
	})
	write(t, name, after)
	look(func(s *Store) {
		snap := load(t, s)
		if got := task(t, snap, uid); got.Status.AcceptedPlan != nil {
			t.Error("an acceptance that was taken back counts again")
		}
		wantProblem(t, snap.Problems(), "not-believed", statusFile)
	})
}

// Doctor believes nothing that others then have to believe, and writes nothing.
func TestDoctorWritesNothing(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	closed(t, s)
	if err := os.WriteFile(vespe(s, taskFile(uid, statusFile)), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	was := tree(t, s.Root())
	d := open(t, s.Root(), testOptions())
	if ps, err := d.Doctor(t.Context()); err != nil || len(ps) == 0 {
		t.Errorf("%v, %v", ps, err)
	}
	closed(t, d)
	if tree(t, s.Root()) != was {
		t.Error("it left other files than it found")
	}
}

func closed(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
