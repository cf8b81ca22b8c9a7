package engine

import (
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/runlog"
)

// What a worker reported is in the report on its work with its last words, also where it left files.
func TestTheWorkersReportIsKept(t *testing.T) {
	d := newDesk(t)
	uid := d.task("first", "do write a.txt good\ndo result notes.txt n\ndo report did a, but NOT b\ndo say Done.", nil)
	if sum := d.run(); sum.Completed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	task, _ := d.snap().Task(uid)
	r, err := d.s.WorkReport(t.Context(), task)
	if err != nil || r == nil || !strings.Contains(r.Text, "> did a, but NOT b") || !strings.Contains(r.Text, "> Done.") {
		t.Fatalf("%v; the report is %+v", err, r)
	}
}

func TestALoopDoesWhatIsReady(t *testing.T) {
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
