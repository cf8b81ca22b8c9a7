package lifecycle_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"vespe/model"
)

func fullReport() *model.RunReport {
	return &model.RunReport{
		Attempt: 2, Template: "claude", Session: "s-1", Phase: "verify", Why: "two tests fail\nsee verify.json", Exit: -1,
		Base: "aaa", Result: "bbb", Integrated: "ccc", Cost: 0.25, In: 5_000_000_000, Out: 7, Tested: true, Verified: true,
		Criteria: []model.CriterionState{{Criterion: 1, Text: "it works", State: "passed", Evidence: "go test, exit 0"}},
	}
}

// What is written is read again, keys that nobody knows included; what is wrong is kept and said.
func TestRunFile(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	run := model.Run{
		ID: "run-1", Task: "tsk-a", Worker: "agent:claude", Started: at, Ended: at.Add(time.Minute), Outcome: model.RunCompleted,
		Report: fullReport(), Extra: model.Extra{model.TextField("theirs", "kept")},
	}
	run.Report.Extra = model.Extra{model.IntField("turns", 3)}
	run.Report.Criteria[0].Extra = model.Extra{model.TextField("by", "us")}
	const path = ".vespe/tasks/tsk-a/persistent/runs/run-1/run.json"
	got, problems := model.DecodeRun(path, model.EncodeRun(run))
	if len(problems) > 0 || !reflect.DeepEqual(got, run) {
		t.Fatalf("%v\n%s\nbecame\n%s", problems, model.EncodeRun(run), model.EncodeRun(got))
	}
	if got.Live() || got.Took() != time.Minute {
		t.Errorf("live %v, took %s", got.Live(), got.Took())
	}
	const odd = `{"worker": "agent:x", "started_at": "2026-03-01T09:00:00Z", "report": {"exit": "one", "cost_usd": 1}}`
	got, problems = model.DecodeRun(path, []byte(odd))
	if got.ID != "run-1" || got.Task != "tsk-a" || !got.Live() || got.Report != nil || len(problems) != 1 {
		t.Errorf("%+v %+v", got, problems)
	}
	if !strings.Contains(string(model.EncodeRun(got)), `"exit": "one"`) {
		t.Errorf("what could not be read is lost: %s", model.EncodeRun(got))
	}
}

// A report goes into run.json and the state of the criteria into spec.json. The task is not changed by it.
func TestReportOfARun(t *testing.T) {
	d := newDesk(t)
	uid := d.planned("x", "")
	d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "acceptance_criteria", Value: "it works,it is fast"}}}})
	d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	d.do(model.Op{Name: model.Start, UID: uid, Actor: vespe, Args: model.NewRun{Worker: agent, ID: "run-1"}})
	r := fullReport()
	r.Criteria = append(r.Criteria, model.CriterionState{Criterion: 2, Text: "another", State: "passed"}, model.CriterionState{Criterion: 3, State: "passed"})
	r.Cost, r.Why = math.NaN(), strings.Repeat("é", 100_000)
	c := d.do(model.Op{Name: model.RaiseError, UID: uid, Actor: vespe, Args: model.ErrorReport{Details: "verification failed", Report: r}})
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "criterion 2") {
		t.Errorf("warnings: %q", c.Warnings)
	}
	run := d.run(uid, "run-1")
	if run.Outcome != model.RunErrored || run.Worker != agent || run.Report == nil || run.Report.Attempt != 2 || run.Report.Exit != -1 || run.Report.Cost != 0 {
		t.Errorf("%+v", run)
	}
	if why := run.Report.Why; len(why) > 64<<10 || !strings.HasSuffix(why, "é…") {
		t.Errorf("%d bytes of why, ending %q", len(why), why[len(why)-8:])
	}
	is := d.task(uid).Spec.AcceptanceCriteria
	if is[0].State != "passed" || is[0].Evidence != "go test, exit 0" || is[1].State != "" {
		t.Errorf("criteria %+v", is)
	}
	d.do(model.Op{Name: model.Retry, UID: uid, Actor: vespe})
	if got := d.status(uid); got != "ready" {
		t.Errorf("after the report it is %s", got)
	}
	d.do(model.Op{Name: model.Start, UID: uid, Actor: vespe, Args: model.NewRun{Worker: agent, ID: "run-2"}})
	d.do(model.Op{Name: model.WorkCompleted, UID: uid, Actor: vespe, Args: model.Completion{Summary: "done", Report: fullReport()}})
	if run := d.run(uid, "run-2"); run.Outcome != model.RunCompleted || !run.Report.Verified {
		t.Errorf("%+v", run)
	}
}

// What others wrote into a run.json survives its end.
func TestRunFileKeepsWhatOthersWrote(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("x", "")
	d.do(model.Op{Name: model.Start, UID: uid, Actor: agent, Args: model.NewRun{ID: "run-1"}})
	run := d.run(uid, "run-1")
	run.Extra = model.Extra{model.TextField("host", "here")}
	d.w.PutFile("tasks/"+string(uid)+"/persistent/runs/run-1/run.json", string(model.EncodeRun(run)))
	d.do(model.Op{Name: model.WorkCompleted, UID: uid, Actor: agent})
	if host, _ := d.run(uid, "run-1").Extra.Text("host"); host != "here" {
		t.Errorf("run.json is %s", model.EncodeRun(d.run(uid, "run-1")))
	}
}
