package model

import (
	"fmt"
	"testing"
)

// Tasks that all create and modify one file make no more suggestions than anybody looks at, and each is told
// of all that are about it.
func TestFileNeedsOfManyTasks(t *testing.T) {
	const n = 200
	tasks := make([]*Task, n)
	for i := range tasks {
		tasks[i] = node(UID(fmt.Sprintf("t%03d", i)), inState(PlanDefined))
		tasks[i].Spec = &Spec{FilesToCreate: []string{"all.go"}, FilesToModify: []string{"all.go"}}
	}
	s := NewSnapshot(Input{Tasks: tasks})
	if needs, clashes := s.FileOverlaps(); len(needs) != maxNeeds || len(clashes) != 2 {
		t.Errorf("%d needs, %d clashes", len(needs), len(clashes))
	}
	if needs, clashes := s.FileOverlapsOf(n - 1); len(needs) != 2*(n-1) || len(clashes) != 2 {
		t.Errorf("%d needs of the last, %d clashes", len(needs), len(clashes))
	}
}
