package lifecycle_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/lifecycle"
)

func TestCreateRefusals(t *testing.T) {
	d := newDesk(t)
	there := d.create("there", "")
	over := d.create("over", "")
	d.abort(over)
	for _, tt := range []struct {
		why   string
		n     model.Args
		guard model.Guard
		code  model.Code
	}{
		{"nothing", nil, model.GuardUID, model.CodeInvalid},
		{"blank name", model.NewTask{Name: " \t"}, model.GuardName, model.CodeInvalid},
		{"two lines", model.NewTask{Name: "a\nb"}, model.GuardName, model.CodeInvalid},
		{"hidden", model.NewTask{Name: "a\u202eb"}, model.GuardName, model.CodeInvalid},
		{"escape", model.NewTask{Name: "a\x1b[31mb"}, model.GuardName, model.CodeInvalid},
		{"not UTF-8", model.NewTask{Name: "a\xff"}, model.GuardName, model.CodeInvalid},
		{"long", model.NewTask{Name: strings.Repeat("n", 201)}, model.GuardName, model.CodeInvalid},
		{"objective", model.NewTask{Name: "n", Objective: "\xff"}, model.GuardText, model.CodeInvalid},
		{"bad uid", model.NewTask{Name: "n", UID: "../x"}, model.GuardUID, model.CodeInvalid},
		{"taken uid", model.NewTask{Name: "n", UID: there}, model.GuardUID, model.CodeRefused},
		{"taken phase", model.NewTask{Name: "n", Phases: true, PhaseUIDs: [3]model.UID{there}}, model.GuardUID, model.CodeRefused},
		{"phase twice", model.NewTask{Name: "n", Phases: true, PhaseUIDs: [3]model.UID{"tsk-p", "tsk-p"}}, model.GuardUID, model.CodeInvalid},
		{"no parent", model.NewTask{Name: "n", Parent: "tsk-none"}, model.GuardParent, model.CodeNotFound},
		{"ended parent", model.NewTask{Name: "n", Parent: over}, model.GuardParent, model.CodeRefused},
		{"no dependency", model.NewTask{Name: "n", DependsOn: []model.UID{"tsk-none"}}, model.GuardDependency, model.CodeNotFound},
		{"itself", model.NewTask{Name: "n", UID: "tsk-n", DependsOn: []model.UID{"tsk-n"}}, model.GuardDependency, model.CodeRefused},
		{"twice", model.NewTask{Name: "n", DependsOn: []model.UID{there, there}}, model.GuardEdge, model.CodeRefused},
	} {
		t.Run(tt.why, func(t *testing.T) {
			d := &desk{t, d.w}
			d.refused(model.Op{Name: model.CreateTask, Args: tt.n}, tt.guard, tt.code)
		})
	}
	if err := lifecycle.Allowed(d.w.Snapshot(), model.Op{Name: model.CreateTask, Actor: ann}); err != nil {
		t.Errorf("a trial needs no name: %v", err)
	}
	if err := lifecycle.Allowed(d.w.Snapshot(), model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Parent: over}}); err == nil {
		t.Error("a trial looks at the parent")
	}
}

func TestCreateClosesNoCycleThroughAMissingTask(t *testing.T) {
	d := newDesk(t)
	waits := d.create("waits", "")
	task := d.task(waits).Clone()
	task.DependsOn = []model.UID{"tsk-missing"}
	task.Config.ParentUID = "tsk-missing"
	d.w.Put(task)
	r := d.refused(model.Op{Name: model.CreateTask, Args: model.NewTask{UID: "tsk-missing", Name: "found", DependsOn: []model.UID{waits}}},
		model.GuardAcyclic, model.CodeRefused)
	if !slices.Equal(r.Cycle, []model.UID{"tsk-missing", waits, "tsk-missing"}) || !strings.Contains(r.Why, `"found" → "waits" → "found"`) {
		t.Errorf("cycle %v, why %s", r.Cycle, r.Why)
	}
	r = d.refused(model.Op{Name: model.CreateTask, Args: model.NewTask{UID: "tsk-missing", Name: "found", Parent: waits}},
		model.GuardParent, model.CodeRefused)
	if len(r.Cycle) != 3 {
		t.Errorf("cycle %v", r.Cycle)
	}
	d.do(model.Op{Name: model.CreateTask, Args: model.NewTask{UID: "tsk-missing", Name: "found"}})
}

func TestCreateKeepsWhatItIsGiven(t *testing.T) {
	d := newDesk(t)
	spec := &model.Spec{Priority: model.High, Labels: []string{"ui"}}
	deps := []model.UID{d.create("x", "")}
	c := d.do(model.Op{Name: model.CreateTask, Actor: agent, Args: model.NewTask{Name: "  parse  ", Objective: "o\n", Spec: spec, DependsOn: deps}})
	task := c.Tasks[0]
	if task.Config.Name != "parse" || task.Config.CreatedBy != agent || task.Config.CreatedAt.IsZero() || task.Status.Revision != 1 {
		t.Errorf("%+v", task)
	}
	if want := (model.Touched{Config: true, Status: true, Spec: true, Dependencies: true}); c.Touched[0] != want {
		t.Errorf("touched %+v", c.Touched[0])
	}
	spec.Labels[0], deps[0] = "mine", "tsk-other"
	if task.Spec.Labels[0] != "ui" || task.DependsOn[0] == "tsk-other" {
		t.Error("the task is shared with the caller")
	}
	events := d.w.Events(task.UID)
	if len(events) != 2 {
		t.Fatalf("%d events, want create and define_objective", len(events))
	}
	if e := events[0]; e.Name != model.CreateTask || e.From != "" || e.To != model.Created {
		t.Errorf("first %s from %q to %q", e.Name, e.From, e.To)
	}
	if e := events[1]; e.Name != model.DefineObjective || e.From != model.Created || e.To != model.ObjectiveDefined || e.Cause != task.UID {
		t.Errorf("then %s from %q to %q because of %s", e.Name, e.From, e.To, e.Cause)
	}
}

func TestDependencies(t *testing.T) {
	d := newDesk(t)
	a := d.create("a", "")
	b := d.create("b", "", a)
	c := d.create("c", "", b)
	r := d.refused(model.Op{Name: model.AddDependency, UID: a, Args: model.DependencyEdit{DependsOn: []model.UID{c}}}, model.GuardAcyclic, model.CodeRefused)
	if !slices.Equal(r.Cycle, []model.UID{a, c, b, a}) || !strings.Contains(r.Why, `"a" → "c" → "b" → "a"`) {
		t.Errorf("cycle %v, why %s", r.Cycle, r.Why)
	}
	d.refused(model.Op{Name: model.AddDependency, UID: a, Args: model.DependencyEdit{DependsOn: []model.UID{a}}}, model.GuardAcyclic, model.CodeRefused)
	d.refused(model.Op{Name: model.AddDependency, UID: a, Args: model.DependencyEdit{DependsOn: []model.UID{"tsk-none"}}}, model.GuardDependency, model.CodeNotFound)
	d.refused(model.Op{Name: model.AddDependency, UID: b, Args: model.DependencyEdit{DependsOn: []model.UID{a}}}, model.GuardEdge, model.CodeRefused)
	d.refused(model.Op{Name: model.AddDependency, UID: a}, model.GuardDependency, model.CodeInvalid)
	d.refused(model.Op{Name: model.RemoveDependency, UID: a, Args: model.DependencyEdit{DependsOn: []model.UID{b}}}, model.GuardEdge, model.CodeRefused)
	ch := d.do(model.Op{Name: model.AddDependency, UID: c, Args: model.DependencyEdit{DependsOn: []model.UID{a}}})
	d.wantSummary(ch, `Made "c" depend on "a". It waits for "a"`)
	if !ch.Touched[0].Dependencies || !slices.Equal(d.w.DependentUIDs(a), []model.UID{b, c}) {
		t.Errorf("touched %+v, dependents %v", ch.Touched[0], d.w.DependentUIDs(a))
	}
	d.do(model.Op{Name: model.RemoveDependency, UID: b, Args: model.DependencyEdit{DependsOn: []model.UID{a}}})
	d.do(model.Op{Name: model.RemoveDependency, UID: c, Args: model.DependencyEdit{DependsOn: []model.UID{a}}})
	d.do(model.Op{Name: model.AddDependency, UID: a, Args: model.DependencyEdit{DependsOn: []model.UID{c}}}) // no cycle any more

	chain := d.create("chain 0", "")
	first := chain
	for i := range 8 {
		chain = d.create(fmt.Sprintf("chain %d", i+1), "", chain)
	}
	r = d.refused(model.Op{Name: model.AddDependency, UID: first, Args: model.DependencyEdit{DependsOn: []model.UID{chain}}}, model.GuardAcyclic, model.CodeRefused)
	if len(r.Cycle) != 10 || !strings.Contains(r.Why, "… 5 more …") || !strings.HasSuffix(r.Why, `"chain 0"`) {
		t.Errorf("cycle of %d, why %s", len(r.Cycle), r.Why)
	}
}

func TestDependenciesOfAcceptedTasks(t *testing.T) {
	d := newDesk(t)
	done, open := d.completed("done", ""), d.create("open", "")
	uid := d.running("x", "")
	d.refused(model.Op{Name: model.AddDependency, UID: uid, Args: model.DependencyEdit{DependsOn: []model.UID{open}}}, model.GuardNoRun, model.CodeRefused)
	d.do(model.Op{Name: model.AddDependency, UID: uid, Args: model.DependencyEdit{DependsOn: []model.UID{done}}})
	if n := len(d.task(uid).Status.ParentContentHashes); n != 3 {
		t.Errorf("%d hashes recorded, want 3", n)
	}
	d.do(model.Op{Name: model.RemoveDependency, UID: uid, Args: model.DependencyEdit{DependsOn: []model.UID{done}}})
	if n := len(d.task(uid).Status.ParentContentHashes); n != 0 {
		t.Errorf("%d hashes left, want none", n)
	}
	blocked := d.accepted("blocked", "", open)
	c := d.do(model.Op{Name: model.RemoveDependency, UID: blocked, Args: model.DependencyEdit{DependsOn: []model.UID{open}}})
	d.wantSummary(c, "it is changed")
	if got := d.status(blocked); got != "changed" {
		t.Errorf("status %q", got)
	}
	d.do(model.Op{Name: model.Revalidate, UID: blocked})
	if got := d.status(blocked); got != "ready" {
		t.Errorf("status %q", got)
	}
	final := d.completed("final", "")
	d.do(model.Op{Name: model.ReviewAccepted, UID: final})
	d.refused(model.Op{Name: model.AddDependency, UID: final, Args: model.DependencyEdit{DependsOn: []model.UID{done}}}, model.GuardNotFinal, model.CodeRefused)
	child := d.create("child", uid)
	c = d.do(model.Op{Name: model.AddDependency, UID: child, Args: model.DependencyEdit{DependsOn: []model.UID{uid}}})
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "its ancestor") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestRename(t *testing.T) {
	d := newDesk(t)
	uid := d.completed("x", "")
	d.do(model.Op{Name: model.ReviewAccepted, UID: uid})
	undo := d.task(uid).Status.Undo
	c := d.do(model.Op{Name: model.RenameTask, UID: uid, Args: model.NewName{Name: " y "}})
	d.wantSummary(c, `Renamed "x" to "y"`)
	if !c.Touched[0].Config || d.task(uid).Config.Name != "y" {
		t.Errorf("%+v, %q", c.Touched[0], d.task(uid).Config.Name)
	}
	if now := d.task(uid).Status.Undo; now == nil || now.Tasks[0].Revision != undo.Tasks[0].Revision+1 {
		t.Errorf("a rename consumed the verdict: %+v", now)
	}
	d.refused(model.Op{Name: model.RenameTask, UID: uid, Args: model.NewName{Name: "y"}}, model.GuardName, model.CodeRefused)
	d.refused(model.Op{Name: model.RenameTask, UID: uid, Args: model.NewName{Name: "\u200b"}}, model.GuardName, model.CodeInvalid)
}

func TestSet(t *testing.T) {
	for _, tt := range []struct {
		key, value string
		mode       byte
		want       string // JSON of the key afterwards; "" when it is left out
		refused    model.Guard
	}{
		{"priority", "HIGH", '=', `"high"`, ""},
		{"priority", "med", 0, `"medium"`, ""},
		{"priority", "urgent", '=', "", model.GuardValue},
		{"priority", "low", '+', "", model.GuardValue},
		{"risk", "low", '=', `"low"`, ""},
		{"risk", "none", '=', "", model.GuardValue},
		{"goal_type", "bugfix", '=', `"bugfix"`, ""},
		{"description", "a, b", '=', `"a, b"`, ""},
		{"labels", "ui, api ,ui", '=', `["ui","api"]`, ""},
		{"labels", "b", '+', `["a","b"]`, ""},
		{"labels", "a", '-', "", ""},
		{"labels", `["x,y","z"]`, '=', `["x,y","z"]`, ""},
		{"labels", `[1]`, '=', "", model.GuardValue},
		{"constraints", `a\,b,c`, '=', `["a,b","c"]`, ""},
		{"acceptance_criteria", "one,two", '=', `["one","two"]`, ""},
		{"steps", "one", '=', `[{"step":"one","done":false}]`, ""},
		{"verify", "go test ./..., go vet", '=', `[["go","test","./..."],["go","vet"]]`, ""},
		{"verify", `[["sh","-c","a b"]]`, '=', `[["sh","-c","a b"]]`, ""},
		{"verify", "rm -rf $HOME", '=', "", model.GuardValue},
		{"verify", "[[]]", '=', "", model.GuardValue},
		{"requires_hitl", "yes", '=', "true", ""},
		{"requires_hitl", "maybe", '=', "", model.GuardValue},
		{"estimated_complexity", "4.5", '=', "4.5", ""},
		{"estimated_complexity", "NaN", '=', "", model.GuardValue},
		{"estimated_complexity", "14", '=', "", model.GuardValue},
		{"max_attempts", "5", '=', "5", ""},
		{"max_attempts", "0", '=', "", model.GuardValue},
		{"context.sender", "bank", '=', `{"sender":"bank"}`, ""},
		{"context.", "x", '=', "", model.GuardValue},
		{"external.linear_issue_id", "L-1", '=', `{"linear_issue_id":"L-1"}`, ""},
		{"labels.x", "y", '=', "", model.GuardKey},
		{"prority", "high", '=', "", model.GuardKey},
		{"labels", "\xff", '=', "", model.GuardValue},
		{"labels", "x", '*', "", model.GuardKey},
	} {
		t.Run(tt.key+string(tt.mode)+tt.value, func(t *testing.T) {
			d := newDesk(t)
			c := d.do(model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "x", Spec: &model.Spec{Labels: []string{"a"}}}})
			uid := c.Tasks[0].UID
			op := model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: tt.key, Value: tt.value, Mode: tt.mode}}}}
			if tt.refused != "" {
				code := model.CodeInvalid
				if tt.refused == model.GuardKey {
					code = model.CodeUsage
				}
				d.refused(op, tt.refused, code)
				return
			}
			c = d.do(op)
			key, _, _ := strings.Cut(tt.key, ".")
			fields, _ := model.DecodeFields("spec", model.EncodeSpec(d.task(uid).Spec))
			if got, _ := fields.Get(key); string(got) != tt.want {
				t.Errorf("%s is %s, want %s", key, got, tt.want)
			}
			if !c.Touched[0].Spec {
				t.Error("spec.json is not touched")
			}
			if c = d.do(op); len(c.Tasks) > 0 && tt.mode != '-' {
				t.Errorf("setting it again writes: %s", c.Summary)
			}
		})
	}
}

func TestSetHintsAndFinalTasks(t *testing.T) {
	d := newDesk(t)
	uid := d.completed("x", "")
	for key, hint := range map[string]string{
		"prority": "did you mean priority?", "label": "did you mean labels?", "Criteria": "the keys are", "context": "context.NAME",
	} {
		r := d.refused(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: key, Value: "v"}}}}, model.GuardKey, model.CodeUsage)
		if !strings.Contains(r.Hint, hint) {
			t.Errorf("%s: hint %q, want %q", key, r.Hint, hint)
		}
	}
	d.do(model.Op{Name: model.ReviewAccepted, UID: uid})
	d.refused(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "low"}}}}, model.GuardNotFinal, model.CodeRefused)
	d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "old"}, {Key: "priority", Value: "low"}}}})
	d.refused(model.Op{Name: model.SetFields, UID: uid}, model.GuardKey, model.CodeUsage)
	// One bad assignment refuses them all.
	d.refused(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "new"}, {Key: "priority", Value: "x"}}}}, model.GuardValue, model.CodeInvalid)
}

func TestSetKeepsWhatIsKnownOfCriteriaAndSteps(t *testing.T) {
	d := newDesk(t)
	c := d.do(model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "x", Spec: &model.Spec{
		AcceptanceCriteria: []model.Criterion{{Text: "a", State: "met", Evidence: "e"}},
		Steps:              []model.Step{{Step: "s", Done: true}},
	}}})
	uid := c.Tasks[0].UID
	d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{
		{Key: "acceptance_criteria", Value: "b,a"}, {Key: "steps", Value: "s,t"},
	}}})
	sp := d.task(uid).Spec
	if len(sp.AcceptanceCriteria) != 2 || sp.AcceptanceCriteria[1].Evidence != "e" || !sp.Steps[0].Done || sp.Steps[1].Done {
		t.Errorf("%+v", sp)
	}
}

func TestSpecKeysCanAllBeSet(t *testing.T) {
	d := newDesk(t)
	uid := d.create("x", "")
	for _, key := range model.SpecKeys() {
		if key == "context" || key == "external" {
			key += ".member"
		}
		err := lifecycle.Allowed(d.w, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: key}}}})
		if err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func importOf(uid model.UID, st model.State) *model.Imported {
	return &model.Imported{Task: &model.Task{
		UID: uid, Config: model.Config{UID: uid, Name: "old", CreatedBy: "bob"},
		Status: model.StatusFile{CurrentState: st},
	}, Objective: "o\n", Plan: "p\n"}
}

func TestImport(t *testing.T) {
	d := newDesk(t)
	in := importOf("tsk-1", model.Completed)
	in.Task.Status.Review = &model.Review{Of: "work", Verdict: "accepted", By: "human:bob"}
	in.Task.DependsOn = []model.UID{"tsk-2"} // comes later, or never
	in.Task.Config.ParentUID = "tsk-3"
	in.Result = map[string]string{"notes.md": "n\n", "a/b.txt": "b"}
	in.Events = []model.Event{{Name: "closed", At: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC), Actor: "human:bob", Summary: "closed"}}
	given := in.Task.Clone()
	c := d.do(model.Op{Name: model.ImportTask, Args: *in})
	if !reflect.DeepEqual(given, in.Task) {
		t.Error("the given task was written to")
	}
	task := d.task("tsk-1")
	if task.Status.ObjectiveRevision != 1 || task.Status.PlanRevision != 1 || !task.HasPlan || task.Status.Revision != 1 {
		t.Errorf("%+v", task.Status)
	}
	if got := d.status("tsk-1"); got != "done" {
		t.Errorf("status %q", got)
	}
	if len(c.Events) != 2 || c.Events[1].UID != "tsk-1" || c.Events[1].At.Year() != 2025 {
		t.Errorf("events %+v", c.Events)
	}
	if hash, _ := d.w.ResultHash("tsk-1"); hash == "" {
		t.Error("the result is not there")
	}
	d.refused(model.Op{Name: model.ImportTask, Args: *in}, model.GuardUID, model.CodeRefused)
	d.do(model.Op{Name: model.ImportTask, Args: *importOf("tsk-2", model.Aborted)})
	d.wantPending() // history asks nobody
}

func TestImportRefusals(t *testing.T) {
	for _, st := range []model.State{model.Working, model.Errored, model.Replanned, "odd"} {
		d := newDesk(t)
		d.refused(model.Op{Name: model.ImportTask, Args: *importOf("tsk-1", st)}, model.GuardImport, model.CodeRefused)
	}
	for name, spoil := range map[string]func(*model.Imported){
		"not reviewed":       func(in *model.Imported) { in.Task.Status.CurrentState = model.Completed },
		"approval":           func(in *model.Imported) { in.Task.Status.AcceptedPlan = &model.AcceptedPlan{} },
		"run":                func(in *model.Imported) { in.Task.Status.CurrentRun = "r" },
		"pause":              func(in *model.Imported) { in.Task.Status.IsPaused = true },
		"undo":               func(in *model.Imported) { in.Task.Status.Undo = &model.Undo{} },
		"no plan":            func(in *model.Imported) { in.Plan = " " },
		"escape":             func(in *model.Imported) { in.Result = map[string]string{"../x": "x"} },
		"absolute":           func(in *model.Imported) { in.Result = map[string]string{"/x": "x"} },
		"no name":            func(in *model.Imported) { in.Task.Config.Name = " " },
		"parent":             func(in *model.Imported) { in.Task.Config.ParentUID = "../x" },
		"dependency":         func(in *model.Imported) { in.Task.DependsOn = []model.UID{"../x"} },
		"dependency twice":   func(in *model.Imported) { in.Task.DependsOn = []model.UID{"a", "a"} },
		"details":            func(in *model.Imported) { in.Task.Status.ErrorDetails = strings.Repeat("x", model.MaxJSON) },
		"objective":          func(in *model.Imported) { in.Objective = "a\xffb" },
		"long plan":          func(in *model.Imported) { in.Plan = strings.Repeat("x", 17<<20) },
		"file and directory": func(in *model.Imported) { in.Result = map[string]string{"a/b": "1", "a/b/c/d": "2"} },
		"long name":          func(in *model.Imported) { in.Result = map[string]string{"a/" + strings.Repeat("b", 256): "1"} },
		"deep":               func(in *model.Imported) { in.Result = map[string]string{strings.Repeat("a/", 32) + "b": "1"} },
		"bytes":              func(in *model.Imported) { in.Result = map[string]string{"a\xffb": "1"} },
		"control character":  func(in *model.Imported) { in.Result = map[string]string{"a\x1bb": "1"} },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			in := importOf("tsk-1", model.PlanDefined)
			spoil(in)
			d.refused(model.Op{Name: model.ImportTask, Args: *in}, model.GuardImport, model.CodeRefused)
		})
	}
	d := newDesk(t)
	d.refused(model.Op{Name: model.ImportTask}, model.GuardImport, model.CodeInvalid)
	for _, sp := range []*model.Spec{{Priority: "urgent"}, {MaxAttempts: -1}} {
		in := importOf("tsk-1", model.PlanDefined)
		in.Task.Spec = sp
		d.refused(model.Op{Name: model.ImportTask, Args: *in}, model.GuardImport, model.CodeInvalid)
	}
	d.refused(model.Op{Name: model.ImportTask, Args: *importOf("../x", model.Created)}, model.GuardUID, model.CodeInvalid)
}
