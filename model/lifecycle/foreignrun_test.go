package lifecycle_test

import (
	"testing"
	"time"

	"vespe/model"
)

func theirRun(id string, at time.Time) model.ForeignRun {
	return model.ForeignRun{
		Run: model.Run{
			ID: id, Worker: "agent:theirs", Started: at, Ended: at.Add(time.Minute), Outcome: model.RunCompleted,
			Report: &model.RunReport{Why: "elsewhere"}, Extra: model.Extra{model.TextField(model.ForeignKey, "theirs")},
		},
		Files: map[string][]byte{"changes.patch": []byte("diff\n"), "verify.json": []byte("{}\n")},
	}
}

// Runs of another system are written with the task, with hashes of what came along, and never as later than now.
func TestForeignRuns(t *testing.T) {
	d := newDesk(t)
	in := importOf("tsk-1", model.PlanDefined)
	in.Earlier, in.Plan = []string{"first\n"}, "second\n"
	in.Runs = []model.ForeignRun{theirRun("run-1", time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)), theirRun("run-2", time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC))}
	c := d.do(model.Op{Name: model.ImportTask, Args: *in})
	read := func(id string) model.Run {
		t.Helper()
		b, err := d.w.RunFile("tsk-1", id)
		if err != nil {
			t.Fatal(err)
		}
		run, problems := model.DecodeRun("tasks/tsk-1/persistent/runs/"+id+"/run.json", b)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return run
	}
	if r := read("run-1").Report; r.Patch != model.HashBytes([]byte("diff\n")) || r.Evidence != model.HashBytes([]byte("{}\n")) || r.Why != "elsewhere" {
		t.Errorf("%+v", r)
	}
	if r := read("run-2"); r.Started.After(c.Op.At) || r.Ended.After(c.Op.At) {
		t.Errorf("it ends %s, now is %s", r.Ended, c.Op.At)
	}
	task := c.Tasks[0]
	if task.Status.Runs != 2 || task.Status.RunSeconds != 60 || task.Status.PlanRevision != 2 || task.Status.AcceptedPlan != nil {
		t.Errorf("%+v", task.Status)
	}
	set := func(runs ...model.ForeignRun) model.Op {
		return model.Op{Name: model.SetFields, UID: "tsk-1", Args: model.FieldEdit{Spec: new(model.Spec), Runs: runs}}
	}
	again := theirRun("run-1", time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	again.Run.Report.Why = "known better now"
	c = d.do(set(again, theirRun("run-3", c.Op.At)))
	if c.Tasks[0].Status.Runs != 3 || read("run-1").Report.Why != "known better now" || read("run-3").ID != "run-3" {
		t.Errorf("%+v", c.Tasks[0].Status)
	}
	// Where somebody works they would stand among what a person judges.
	d.do(model.Op{Name: model.AcceptPlan, UID: "tsk-1"})
	d.refused(set(theirRun("run-4", c.Op.At)), model.GuardImport, model.CodeRefused)
}

func TestForeignRunsThatClaimToBeOurs(t *testing.T) {
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, spoil := range map[string]func(*model.ForeignRun){
		"path":       func(r *model.ForeignRun) { r.Run.ID = "../run" },
		"from":       func(r *model.ForeignRun) { r.Run.Extra = nil },
		"live":       func(r *model.ForeignRun) { r.Run.Ended, r.Run.Outcome = time.Time{}, "" },
		"commit":     func(r *model.ForeignRun) { r.Run.Report.Result = "abc" },
		"integrated": func(r *model.ForeignRun) { r.Run.Report.Integrated = "abc" },
		"session":    func(r *model.ForeignRun) { r.Run.Report.Session = "abc" },
		"verified":   func(r *model.ForeignRun) { r.Run.Report.Verified = true },
		"tested":     func(r *model.ForeignRun) { r.Run.Report.Tested = true },
		"file":       func(r *model.ForeignRun) { r.Files = map[string][]byte{"run.json": nil} },
		"bytes":      func(r *model.ForeignRun) { r.Files["changes.patch"] = []byte("\xff") },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			in := importOf("tsk-1", model.Created)
			in.Runs = []model.ForeignRun{theirRun("run-1", at)}
			spoil(&in.Runs[0])
			d.refused(model.Op{Name: model.ImportTask, Args: *in}, model.GuardImport, model.CodeRefused)
		})
	}
	d := newDesk(t)
	in := importOf("tsk-1", model.Created)
	in.Runs = []model.ForeignRun{theirRun("run-1", at), theirRun("run-1", at)}
	d.refused(model.Op{Name: model.ImportTask, Args: *in}, model.GuardImport, model.CodeRefused)

	// An attempt made here is not written over.
	uid := d.planned("x", "")
	d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	d.do(model.Op{Name: model.Start, UID: uid, Actor: vespe, Args: model.NewRun{Worker: agent, ID: "run-9"}})
	d.do(model.Op{Name: model.Replan, UID: uid, Reason: "anew"})
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "Another\n"}})
	d.refused(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Spec: new(model.Spec), Runs: []model.ForeignRun{theirRun("run-9", at)}}}, model.GuardImport, model.CodeRefused)
}
