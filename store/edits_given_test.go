package store

import (
	"os"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// A verdict that vespe was given counts again when the file that it wrote comes back, no matter who
// looked at the store in between; one that was taken back since does not.
func TestAGivenVerdictComesBack(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	name := vespe(s, layout.TaskFile(uid, layout.StatusFile))
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
		mustGet(s.Fsck().Doctor(t.Context()))(t)
	})
	look(func(s *Store) { // nobody knows what was believed before
		for _, c := range globs(t, s, "log/*.ck") {
			must(t, os.Remove(c))
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
		wantProblem(t, snap.Problems(), "not-believed", layout.StatusFile)
	})
}

// Doctor believes nothing that others then have to believe, and writes nothing.
func TestDoctorWritesNothing(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	closed(t, s)
	must(t, os.WriteFile(vespe(s, layout.TaskFile(uid, layout.StatusFile)), []byte("garbage"), 0o600))
	was := tree(t, s.Root())
	d := open(t, s.Root(), testOptions())
	if ps, err := d.Fsck().Doctor(t.Context()); err != nil || len(ps) == 0 {
		t.Errorf("%v, %v", ps, err)
	}
	closed(t, d)
	if tree(t, s.Root()) != was {
		t.Error("it left other files than it found")
	}
}

func closed(t *testing.T, s *Store) {
	t.Helper()
	must(t, s.Close())
}

// A task that the log knows to be changed is so no more for anybody who looks when git has set all of
// its files back to what was accepted; and it is while one of them is still another.
func TestChangedIsOverWhenAllIsAsAccepted(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(t *testing.T, s *Store, uid, dep model.UID)
		back []string // of what was edited, besides status.json; TASK and DEP
	}{
		"the plan": {func(t *testing.T, s *Store, uid, _ model.UID) {
			write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "by hand\n")
			do(t, s, model.Op{Name: model.Check, UID: uid, Actor: ann})
		}, []string{"TASK/plan.md"}},
		"the spec": {func(t *testing.T, s *Store, uid, _ model.UID) {
			do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "other"}}}})
		}, []string{"TASK/spec.json"}},
		"the policy": {func(t *testing.T, s *Store, uid, _ model.UID) {
			write(t, vespe(s, layout.PolicyFile), "{\"max_attempts\": 9}\n")
			do(t, s, model.Op{Name: model.Check, UID: uid, Actor: ann})
		}, []string{layout.PolicyFile}},
		"the approval": {func(t *testing.T, s *Store, uid, _ model.UID) {
			write(t, vespe(s, globName(t, s, layout.TaskFile(uid, "approvals/*.json"))), "{}\n")
			do(t, s, model.Op{Name: model.Check, UID: uid, Actor: ann})
		}, []string{"TASK/approvals/*.json"}},
		"a plan that it depends on": {func(t *testing.T, s *Store, uid, dep model.UID) {
			write(t, vespe(s, layout.TaskFile(dep, "plan.md")), "by hand\n")
			do(t, s, model.Op{Name: model.Check, UID: uid, Actor: ann})
		}, []string{"DEP/plan.md"}},
		"a result that it depends on": {func(t *testing.T, s *Store, uid, dep model.UID) {
			write(t, vespe(s, layout.TaskFile(dep, "result/summary.md")), "by hand\n")
			do(t, s, model.Op{Name: model.Check, UID: uid, Actor: ann})
		}, []string{"DEP/result/summary.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid, dep := approvedTask(t, s)
			files := map[string]string{}
			for _, pattern := range append(tt.back, "TASK/status.json") {
				file := globName(t, s, strings.NewReplacer("TASK", layout.TaskDir(uid), "DEP", layout.TaskDir(dep)).Replace(pattern))
				files[file] = read(t, vespe(s, file))
			}
			look := func() (*model.Task, []model.Problem) {
				t.Helper()
				s := open(t, s.Root(), testOptions())
				defer closed(t, s)
				snap := load(t, s)
				today := today(t, s, snap)
				it := task(t, today, uid).Clone()
				it.Status.ChangedBecause = today.Changes(it)
				return it, today.Problems()
			}
			tt.edit(t, s, uid, dep)
			closed(t, s)
			if is, _ := look(); len(is.Status.ChangedBecause) == 0 {
				t.Fatal("it is not changed by that")
			}
			status := layout.TaskFile(uid, layout.StatusFile)
			write(t, vespe(s, status), files[status])
			if is, ps := look(); len(is.Status.ChangedBecause) == 0 {
				t.Errorf("it is not changed while one file is another: %v", ps)
			}
			for file, body := range files {
				write(t, vespe(s, file), body)
			}
			if is, ps := look(); len(is.Status.ChangedBecause) > 0 || len(ps) > 0 {
				t.Errorf("it is changed by %v, with %v", is.Status.ChangedBecause, ps)
			}
			s = open(t, s.Root(), testOptions())
			do(t, s, model.Op{Name: model.Start, UID: uid, Actor: robot})
		})
	}
}
