package store

import (
	"errors"
	"testing"

	"vespe/model"
)

// What only a person may take away is not taken away by writing status.json: the mark that an
// accepted task is changed, the bytes of others that it was accepted with, a question that it
// is paused for. Another process, and the transaction that takes the edit over, say so.
func TestAForgedRelease(t *testing.T) {
	start := func(s *Store, uid model.UID) error {
		_, err := s.Do(t.Context(), model.Op{Name: model.Start, UID: uid, Actor: robot, Worker: robot, Run: "run-1"})
		return err
	}
	criteria := func(actor model.Actor, value string) model.Op {
		return model.Op{Name: model.SetFields, Actor: actor, Set: []model.Assignment{{Key: "acceptance_criteria", Value: value, Mode: '+'}}}
	}
	on := func(op model.Op, uid model.UID) model.Op {
		op.UID = uid
		return op
	}
	accept := model.Op{Name: model.AcceptPlan, Actor: ann}
	for name, tt := range map[string]struct {
		prepare func(s *Store, uid, dep model.UID)
		forge   func(st *model.StatusFile)
	}{
		"changed criteria": {
			func(s *Store, uid, _ model.UID) {
				do(t, s, on(criteria(ann, "tests pass"), uid))
				do(t, s, on(accept, uid))
				do(t, s, on(criteria(robot, "delete the tests"), uid))
			},
			func(st *model.StatusFile) { st.ChangedBecause = nil },
		},
		"a changed dependency, its hashes forged": {
			func(s *Store, uid, dep model.UID) {
				do(t, s, model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Deps: []model.UID{dep}})
				do(t, s, on(accept, uid))
				do(t, s, model.Op{Name: model.DefinePlan, UID: dep, Actor: robot, Text: "another plan\n"})
			},
			func(st *model.StatusFile) {
				for _, r := range st.ChangedBecause {
					for i := range st.ParentContentHashes {
						if st.ParentContentHashes[i].Hash == r.Old {
							st.ParentContentHashes[i].Hash = r.New
						}
					}
				}
				st.ChangedBecause = nil
			},
		},
		"a question": {
			func(s *Store, uid, _ model.UID) {
				do(t, s, on(accept, uid))
				do(t, s, model.Op{Name: model.Pause, UID: uid, Actor: ann, Reason: "hitl: which of the two?"})
			},
			func(st *model.StatusFile) { st.IsPaused, st.PauseReason = false, "" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			dep, uid := planned(t, s, "dep"), planned(t, s, "one")
			tt.prepare(s, uid, dep)
			checkpointed(t, s)
			was := task(t, load(t, s), uid)
			st := was.Clone().Status
			tt.forge(&st)
			write(t, vespe(s, taskFile(uid, statusFile)), string(model.EncodeStatus(st)))

			r := open(t, s.Root(), testOptions())
			snap := load(t, r)
			wantProblem(t, snap.Problems(), "not-believed", statusFile)
			if err := start(r, uid); err == nil {
				t.Error("it could be started")
			} else if refused := (*model.Refusal)(nil); !errors.As(err, &refused) {
				t.Error(err)
			}
			a, err := r.ImportEdits(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			now := task(t, load(t, r), uid)
			if len(now.Status.ChangedBecause) != len(was.Status.ChangedBecause) || now.Status.PauseReason != was.Status.PauseReason {
				t.Errorf("it was %+v, and is %+v; %v", was.Status, now.Status, a.Warnings)
			}
			if err := start(r, uid); err == nil {
				t.Error("it could be started after that")
			}
			wantClean(t, r)
		})
	}
}

// A mark goes by hand, too, when the bytes are the accepted ones again: as when git brings
// all files back.
func TestAMarkGoesWithItsReason(t *testing.T) {
	s := newStore(t)
	dep, uid := planned(t, s, "dep"), planned(t, s, "one")
	do(t, s, model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Deps: []model.UID{dep}})
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	files := map[string]string{}
	for _, name := range []string{taskFile(uid, statusFile), taskFile(dep, statusFile), taskFile(dep, "plan.md")} {
		files[name] = read(t, vespe(s, name))
	}
	do(t, s, model.Op{Name: model.DefinePlan, UID: dep, Actor: robot, Text: "another plan\n"})
	if got := task(t, load(t, s), uid).Status.ChangedBecause; len(got) != 1 {
		t.Fatalf("changed because of %v", got)
	}
	for name, body := range files {
		write(t, vespe(s, name), body)
	}
	r := open(t, s.Root(), testOptions())
	load(t, r)
	if _, err := r.ImportEdits(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := task(t, load(t, r), uid).Status; len(got.ChangedBecause) > 0 || got.AcceptedPlan == nil {
		t.Errorf("with all files as they were: %+v", got)
	}
	wantClean(t, r)
}
