package snapshot

import (
	"fmt"
	"testing"

	"vespe/model"
	"vespe/model/graph"

	"pgregory.net/rapid"
)

// Tasks that all create and modify one file make no more suggestions than anybody looks at, and each is told
// of all that are about it.
func TestFileNeedsOfManyTasks(t *testing.T) {
	const n = 200
	tasks := make([]*model.Task, n)
	for i := range tasks {
		tasks[i] = node(model.UID(fmt.Sprintf("t%03d", i)), inState(model.PlanDefined))
		tasks[i].Spec = &model.Spec{FilesToCreate: []string{"all.go"}, FilesToModify: []string{"all.go"}}
	}
	s := New(Input{Tasks: tasks})
	if needs, clashes := s.FileOverlaps(); len(needs) != maxNeeds || len(clashes) != 2 {
		t.Errorf("%d needs, %d clashes", len(needs), len(clashes))
	}
	if needs, clashes := s.FileOverlapsOf(n - 1); len(needs) != 2*(n-1) || len(clashes) != 2 {
		t.Errorf("%d needs of the last, %d clashes", len(needs), len(clashes))
	}
}

// Whether one task waits for another is what a walk along all dependencies finds, whatever was asked before.
func TestReacherFindsWhatAWalkFinds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := New(genInput(rt))
		if s.Len() == 0 {
			return
		}
		walk := func(i, j int32) bool {
			seen, queue := graph.Set{}, []int32{i}
			for k := 0; k < len(queue); k++ {
				for _, d := range s.graph.Out.Of(queue[k]) {
					if seen.Add(d) {
						queue = append(queue, d)
					}
				}
			}
			return seen.Has(j)
		}
		r := (&reacher{s: s})
		task := rapid.Int32Range(0, int32(s.Len()-1))
		for range 3 * fewQuestions {
			i, j := task.Draw(rt, "i"), task.Draw(rt, "j")
			if got, want := r.behind(i, j), walk(i, j); got != want {
				rt.Fatalf("%s waits for %s: %v, want %v", s.UID(int(i)), s.UID(int(j)), got, want)
			}
		}
		some := rapid.SliceOfNDistinct(task, 0, min(4, s.Len()), rapid.ID[int32]).Draw(rt, "some")
		turn := false
		permute(some, 0, func(order []int32) {
			for k := 1; k < len(order); k++ {
				if !walk(order[k], order[k-1]) {
					return
				}
			}
			turn = true
		})
		if got := r.inTurn(some); got != turn {
			rt.Fatalf("%v in turn: %v, want %v", s.uids(some), got, turn)
		}
	})
}

// permute calls visit with each order of a list.
func permute(list []int32, from int, visit func([]int32)) {
	if from >= len(list) {
		visit(list)
		return
	}
	for k := from; k < len(list); k++ {
		list[from], list[k] = list[k], list[from]
		permute(list, from+1, visit)
		list[from], list[k] = list[k], list[from]
	}
}
