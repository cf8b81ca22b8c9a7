package panes

import (
	"fmt"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
)

// A filter of the panes says what the model says, also of a task that is named by a word, and
// selects once for each snapshot.
func TestChosenIsWhatTheFilterSelects(t *testing.T) {
	in := snapshot.Input{Seq: 1, StoreID: "chosen"}
	for i := range 300 {
		uid := model.UID(fmt.Sprintf("tsk-%032x", i+1))
		t := &model.Task{UID: uid, HasStatus: true, Config: model.Config{UID: uid, Name: fmt.Sprintf("task number %d", i+1)}, Status: model.StatusFile{CurrentState: model.Created}}
		if i >= 10 {
			t.Config.ParentUID = model.UID(fmt.Sprintf("tsk-%032x", i/10))
		}
		in.Tasks = append(in.Tasks, t)
	}
	all := snapshot.New(in)
	f, err := snapshot.ParseFilter(`under:"task number 2"`)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := all.Bind(f)
	if err != nil {
		t.Fatal(err)
	}
	task := all.At(25).Clone()
	task.Config.ParentUID = ""
	for _, s := range []*snapshot.Snapshot{all, all.With(2, "", []*model.Task{task}, nil)} {
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
