package store

import (
	"fmt"
	"testing"

	"vespe/model"
)

// TestClonesMergeParents: two clones each finish one of two subtasks. Once merged, the parent no longer waits, and
// counts both.
func TestClonesMergeParents(t *testing.T) { mergeParents(t, "cherry-pick") }

func mergeParents(t *testing.T, ways ...string) {
	t.Helper()
	for _, how := range ways {
		t.Run(how, func(t *testing.T) {
			tm := newTeam(t, 21, 2, 1)
			parent := tm.tasks[0]
			one, two := tm.clones[0], tm.clones[1]
			var children [2]model.UID
			tm.in(one, func(s *Store) {
				do(t, s, model.Op{Name: model.AcceptPlan, UID: parent, Actor: ann}, model.Op{Name: model.Start, UID: parent, Actor: robot})
				for i := range children {
					uid := do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: fmt.Sprint(i), Objective: "x\n", Parent: parent}}).Change.Tasks[0].UID
					children[i] = uid
					do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "plan\n"}}, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann},
						model.Op{Name: model.Start, UID: uid, Actor: robot})
				}
			})
			tm.commit(one, "the tree")
			tm.bring(two, one, "merge")
			for i, c := range tm.clones {
				tm.in(c, func(s *Store) {
					do(t, s, model.Op{Name: model.WorkCompleted, UID: children[i], Actor: robot, Args: model.Completion{Summary: "done", Report: &model.RunReport{Attempt: 1}}})
				})
				tm.commit(c, "done")
			}
			tm.bring(two, one, how)
			tm.finish(two)
			tm.in(two, func(s *Store) {
				if st := task(t, load(t, s), parent).Status; st.IsPaused || st.Progress != "2/2" || len(st.SubtaskUIDs) > 0 {
					t.Errorf("paused %v for %q, progress %s, waits for %v", st.IsPaused, st.PauseReason, st.Progress, st.SubtaskUIDs)
				}
			})
			tm.everyone()
			tm.check()
		})
	}
}
