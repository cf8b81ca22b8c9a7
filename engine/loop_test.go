package engine

import (
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/runlog"
)

func TestALoopDoesWhatIsReady(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.task("first", "do write a.txt good", nil)
	b := d.task("second", "do write b.txt good, after a", nil, a)
	sum := d.run()
	if sum.Completed != 2 || sum.Failed != 0 || sum.Started != 2 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	for _, uid := range []model.UID{a, b} {
		if st := d.status(uid); st != model.StatusReviewWork {
			t.Errorf("%s is %s", uid, st)
		}
		list := d.runs(uid)
		if len(list) != 1 || list[0].Outcome != model.RunCompleted || list[0].Report == nil || list[0].Report.Integrated == "" || !list[0].Report.Tested {
			t.Fatalf("its runs are %+v", list)
		}
		v, log := d.view(uid, list[0].ID)
		if v.Phase != runlog.PhaseEnded || v.Ended != "completed" || len(v.Checks) == 0 {
			t.Errorf("its events: %s", log)
		}
		for _, p := range runlog.Phases() {
			if v.Begun[p].IsZero() {
				t.Errorf("there is no phase %s in %s", p, log)
			}
		}
	}
	if got := d.commits(); strings.Join(got, ",") != "first,second" {
		t.Errorf("integrated: %v", got)
	}
	if d.onBranch("a.txt") != "good" || d.onBranch("b.txt") != "good, after a" {
		t.Error("the files are not what the workers wrote")
	}
	if out := d.git("status", "--porcelain"); out != "" {
		t.Errorf("the person's checkout has changed: %s", out)
	}
	d.clean()
}

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
