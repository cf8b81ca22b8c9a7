package ui

import (
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
)

// A filter of the panes says what the model says, also of a task that is named by a word, and
// selects once for each snapshot.
func TestChosenIsWhatTheFilterSelects(t *testing.T) {
	a := loaded(300)
	f, err := snapshot.ParseFilter(`under:"task number 2 of the benchmark"`)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := a.snap.Bind(f)
	if err != nil {
		t.Fatal(err)
	}
	task := a.snap.At(25).Clone()
	task.Config.ParentUID = ""
	for _, s := range []*snapshot.Snapshot{a.snap, a.snap.With(2, "", []*model.Task{task}, nil)} {
		c := &chosen{filter: f}
		n := 0
		for i := range s.Len() {
			if got, want := c.has(s, i), s.Match(bound, i); got != want {
				t.Errorf("task %d is chosen: %v", i, got)
			} else if got {
				n++
			}
		}
		if n < 2 || n > 200 {
			t.Errorf("%d tasks are chosen", n)
		}
		was := &c.tasks[0]
		if c.has(s, 1); &c.tasks[0] != was {
			t.Error("it was selected again")
		}
	}
}
