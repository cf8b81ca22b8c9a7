package lifecycle_test

import (
	"testing"

	"vespe/model"
)

// An agent makes a task stricter, and never less strict: neither one key after another nor the whole spec at once.
func TestAnAgentOnlyRaisesWhatIsAskedOfATask(t *testing.T) {
	const agent = model.Actor("agent:claude-code")
	d := newDesk(t)
	spec := func() *model.Spec {
		return &model.Spec{
			Risk: "high", RequiresHITL: true, MaxAttempts: 2, Verify: [][]string{{"go", "test"}, {"go", "vet"}},
			AcceptanceCriteria: []model.Criterion{{Text: "it answers"}},
			TestFiles:          []string{"a_test.go", "b_test.go"}, FilesToCreate: []string{"a.go", "b.go"},
		}
	}
	set := func(key, value string, mode byte) model.Op {
		return model.Op{Name: model.SetFields, Args: model.FieldEdit{Set: []model.Assignment{{Key: key, Value: value, Mode: mode}}}}
	}
	whole := func(change func(*model.Spec)) model.Op {
		sp := spec()
		change(sp)
		return model.Op{Name: model.SetFields, Args: model.FieldEdit{Spec: sp}}
	}
	for name, op := range map[string]model.Op{
		"risk": set("risk", "medium", 0), "no risk": set("risk", "", 0), "start": set("requires_hitl", "false", 0), "attempts": set("max_attempts", "3", 0), "no attempts": set("max_attempts", "", 0),
		"a check less": set("verify", "go vet", '-'), "other checks": set("verify", "true", 0), "no criterion": set("acceptance_criteria", "x", 0),
		"a test less": set("test_files", "a_test.go", 0), "no test": set("test_files", "", 0), "a file less": set("files_to_create", "b.go", '-'),
		"whole tests":    whole(func(sp *model.Spec) { sp.TestFiles = sp.TestFiles[1:] }),
		"whole files":    whole(func(sp *model.Spec) { sp.FilesToCreate[0] = "x.go" }),
		"whole risk":     whole(func(sp *model.Spec) { sp.Risk = "low" }),
		"whole start":    whole(func(sp *model.Spec) { sp.RequiresHITL = false }),
		"whole checks":   whole(func(sp *model.Spec) { sp.Verify = nil }),
		"whole criteria": whole(func(sp *model.Spec) { sp.AcceptanceCriteria[0].Text = "it does not" }),
		"whole attempts": whole(func(sp *model.Spec) { sp.MaxAttempts = 9 }),
	} {
		for _, by := range []model.Actor{agent, "mcp_client:x", "system:loop"} {
			uid := d.create(name+string(by), "")
			d.do(model.Op{Name: model.SetFields, UID: uid, Actor: "human:ann", Args: model.FieldEdit{Spec: spec()}})
			op.UID, op.Actor = uid, by
			d.refused(op, model.GuardSafer, model.CodeDenied)
			op.Actor = "human:ann"
			d.do(op)
		}
	}
	uid := d.create("unnamed", "")
	for _, op := range []model.Op{
		set("risk", "low", 0),            // what nobody named counts as medium
		set("verify", `[["true"]]`, 0),   // the test runners that are found would not run
		set("verify", `[["true"]]`, '+'), // the same
	} {
		op.UID, op.Actor = uid, agent
		d.refused(op, model.GuardSafer, model.CodeDenied)
	}
	for _, op := range []model.Op{
		set("risk", "medium", 0), set("risk", "high", 0), set("requires_hitl", "true", 0), set("max_attempts", "2", 0), set("max_attempts", "1", 0), set("test_files", "a_test.go", '+'), set("files_to_create", "a.go", '+'), set("acceptance_criteria", "it answers", '+'), set("labels", "x", 0),
	} {
		op.UID, op.Actor = uid, agent
		d.do(op)
	}
}

// An agent names the first command of a task that an agent made, as it may when it makes it, and adds to those of a person.
func TestAnAgentAddsCommandsThatVerify(t *testing.T) {
	d := newDesk(t)
	own, hers := d.w.NewUID(), d.create("hers", "")
	d.do(model.Op{Name: model.CreateTask, Actor: "agent:codex", Args: model.NewTask{UID: own, Name: "own"}})
	d.do(model.Op{Name: model.SetFields, UID: hers, Actor: "human:ann", Args: model.FieldEdit{Spec: &model.Spec{Verify: [][]string{{"go", "test"}}}}})
	for uid, want := range map[model.UID]int{own: 1, hers: 2} {
		d.do(model.Op{Name: model.SetFields, UID: uid, Actor: "agent:claude-code", Args: model.FieldEdit{Set: []model.Assignment{{Key: "verify", Value: `[["go","vet"]]`, Mode: '+'}}}})
		if task, _ := d.w.Task(uid); len(task.Spec.Verify) != want {
			t.Errorf("%s: %v", task.Config.Name, task.Spec.Verify)
		}
	}
}

func TestAnAgentNamesNoLowRiskForATaskThatItMakes(t *testing.T) {
	d := newDesk(t)
	for by, want := range map[model.Actor]string{"agent:claude-code": "", "mcp_client:x": "", "human:ann": "low"} {
		uid := d.w.NewUID()
		c := d.do(model.Op{Name: model.CreateTask, Actor: by, UID: "", Args: model.NewTask{UID: uid, Name: "x", Spec: &model.Spec{Risk: "low"}}})
		task, _ := d.w.Task(uid)
		if task.Spec.Risk != want || (want == "") != (len(c.Warnings) == 1) {
			t.Errorf("by %s its risk is %q, with the warnings %q", by, task.Spec.Risk, c.Warnings)
		}
	}
}

// An agent lifts its own pause, and nobody else's.
func TestAnAgentResumesOnlyWhatItPausedItself(t *testing.T) {
	for by, may := range map[model.Actor]map[model.Actor]bool{
		"human:ann":         {"human:bob": true, "agent:claude-code": false, "mcp_client:x": false, "system:loop": false},
		"agent:claude-code": {"human:bob": true, "agent:claude-code": true, "agent:codex": false, "mcp_client:x": false},
	} {
		for who, ok := range may {
			d := newDesk(t)
			uid := d.create("x", "")
			d.do(model.Op{Name: model.Pause, UID: uid, Actor: by, Reason: "until the release is out"})
			op := model.Op{Name: model.Resume, UID: uid, Actor: who}
			if !ok {
				d.refused(op, model.GuardOwnPause, model.CodeDenied)
				continue
			}
			d.do(op)
			if task, _ := d.w.Task(uid); task.Status.IsPaused || task.Status.PausedBy != "" {
				t.Errorf("%s resumed what %s had paused, and it is %+v", who, by, task.Status)
			}
		}
	}
}
