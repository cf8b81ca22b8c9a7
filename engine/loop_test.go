package engine

import (
	"strings"
	"testing"

	"vespe/model"
)

// A worker that created no subtasks has not done create_subtasks: that is an error of its run, which says why. Where
// there are some, they are its result.
func TestCreateSubtasksNeedsSubtasks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.file(".vespe/config.json", `{"max_attempts": 1}`)
	phase := func(name string) (parent, last model.UID) {
		c := d.do(model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: name, Objective: "Rule.\n", Phases: true}}).Change
		parent, last = c.Tasks[0].UID, c.Tasks[3].UID
		d.do(
			model.Op{Name: model.DefinePlan, UID: parent, Actor: robot, Args: model.NewPlan{Text: "Rule.\n"}},
			model.Op{Name: model.AcceptPlan, UID: parent, Actor: ann},
			model.Op{Name: model.Pause, UID: parent, Actor: ann, Reason: "only its phases run here"},
		)
		return parent, last
	}
	_, none := phase("none")
	big, some := phase("big")
	d.do(model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "sub", Parent: big}})
	sum := d.run()
	task, _ := d.snap().Task(none)
	if !strings.Contains(task.Status.ErrorDetails, `no subtask of "none" was created`) || d.status(some) != model.StatusReviewWork {
		t.Fatalf("%+v; its error: %q%s", sum, task.Status.ErrorDetails, d.lines())
	}
}
