package lifecycle_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"vespe/model"
)

// readsBack fails when a file of the task, as it is written, has anything wrong.
func readsBack(t testing.TB, task *model.Task) {
	t.Helper()
	_, problems := model.DecodeConfig("config.json", model.EncodeConfig(task.Config))
	_, more := model.DecodeStatus("status.json", model.EncodeStatus(task.Status))
	problems = append(problems, more...)
	_, _, more = model.DecodeDependencies("dependencies.json", model.EncodeDependencies(task.DependsOn, task.DepsExtra))
	problems = append(problems, more...)
	if task.Spec != nil {
		_, more = model.DecodeSpec("spec.json", model.EncodeSpec(task.Spec))
		problems = append(problems, more...)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Path, p.Reason)
	}
}

func TestWhatCouldNotBeReadAgainIsRefused(t *testing.T) {
	d := newDesk(t)
	uid := d.running("x", "")
	huge, odd := strings.Repeat("x", model.MaxJSON), "a\xffb"
	for _, c := range []struct {
		op    model.Op
		guard model.Guard
	}{
		{model.Op{Name: model.Pause, Reason: huge}, model.GuardReason},
		{model.Op{Name: model.Pause, Reason: odd}, model.GuardReason},
		{model.Op{Name: model.RaiseError, Args: model.ErrorReport{Details: huge}}, model.GuardText},
		{model.Op{Name: model.RaiseError, Args: model.ErrorReport{Details: odd}}, model.GuardText},
		{model.Op{Name: model.WorkCompleted, Args: model.Completion{Summary: huge}}, model.GuardText},
		{model.Op{Name: model.WorkCompleted, Args: model.Completion{Summary: odd}}, model.GuardText},
		{model.Op{Name: model.SetFields, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: huge}}}}, model.GuardValue},
		{model.Op{Name: model.Pause, ID: odd}, model.GuardOperation},
		{model.Op{Name: model.Pause, ID: huge}, model.GuardOperation},
	} {
		c.op.UID = uid
		d.refused(c.op, c.guard, model.CodeInvalid)
	}
	d.refused(model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "y", Spec: &model.Spec{Description: huge}}},
		model.GuardValue, model.CodeInvalid)
	d.refused(model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "y", Spec: &model.Spec{Priority: "urgent"}}},
		model.GuardValue, model.CodeInvalid)
	planned := d.planned("z", "")
	d.refused(model.Op{Name: model.DefinePlan, UID: planned, Args: model.NewPlan{Text: strings.Repeat("x", 17<<20)}}, model.GuardText, model.CodeInvalid)
	d.do(model.Op{Name: model.DefinePlan, UID: planned, Args: model.NewPlan{Text: strings.Repeat("x", 1<<20)}}) // a plan may be long
}

// TestTheLargestTextsAreReadBack: several of them together, each character of which needs
// six in JSON.
func TestTheLargestTextsAreReadBack(t *testing.T) {
	d := newDesk(t)
	most := strings.Repeat("\x01", 64<<10)
	uid := d.running("x", "")
	d.do(model.Op{Name: model.RaiseError, UID: uid, Args: model.ErrorReport{Details: most}})
	d.do(model.Op{Name: model.Pause, UID: uid, Reason: most})
	d.do(model.Op{Name: model.Replan, UID: uid, Reason: most})
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "again\n"}})
	d.do(model.Op{Name: model.RejectPlan, UID: uid, Reason: most})
	readsBack(t, d.task(uid))
}

func TestSetMayRepairWhatSomebodyElseWrote(t *testing.T) {
	d := newDesk(t)
	uid := d.planned("x", "")
	odd := d.task(uid).Clone()
	odd.Spec = &model.Spec{Priority: "urgent", Risk: "some"}
	d.w.Put(odd)
	d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "priority", Value: "high"}}}})
}

func TestAnImportIsReadBack(t *testing.T) {
	d := newDesk(t)
	result := map[string]string{"a/b": "1", "a/c/d": "2", strings.Repeat("a", 255): "3"}
	c := d.do(model.Op{Name: model.ImportTask, Args: model.Imported{
		Task: &model.Task{
			UID: "tsk-0001", Config: model.Config{Name: "x"}, Status: model.StatusFile{CurrentState: model.Created},
			DependsOn: []model.UID{"tsk-gone"},
		},
		Result: result,
	}})
	readsBack(t, c.Tasks[0])
	var names []string
	for _, f := range c.Files {
		names = append(names, strings.TrimPrefix(f.Path, "tasks/tsk-0001/result/"))
	}
	if !slices.Equal(names, slices.Sorted(maps.Keys(result))) {
		t.Errorf("files %q", names)
	}
}

func TestAPhaseThatReachesNobodyIsNotFinished(t *testing.T) {
	d := newDesk(t)
	c := d.do(model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "parent", Phases: true}})
	parent, phase := c.Tasks[0], c.Tasks[1].UID
	d.do(model.Op{Name: model.DefinePlan, UID: phase, Args: model.NewPlan{Text: "ask around\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: phase})
	r := d.refused(model.Op{Name: model.WorkCompleted, UID: phase}, model.GuardPhase, model.CodeInvalid)
	if !strings.Contains(r.Hint, "result/objective.md") {
		t.Errorf("hint %q", r.Hint)
	}
	broken := parent.Clone()
	broken.Problems = []model.Problem{{Severity: model.Error, Path: "config.json", Reason: "is torn"}}
	d.w.Put(broken)
	r = d.refused(model.Op{Name: model.WorkCompleted, UID: phase, Args: model.Completion{Summary: "the objective"}}, model.GuardPhase, model.CodeRefused)
	if !strings.Contains(r.Why, "parent") || !strings.Contains(r.Why, "torn") {
		t.Errorf("why %q", r.Why)
	}
}

func TestAPausedTaskCanBeReviewed(t *testing.T) {
	d := newDesk(t)
	uid := d.completed("x", "")
	waits := d.accepted("waits", "", uid)
	d.do(model.Op{Name: model.Pause, UID: uid, Reason: "lunch"})
	if got := d.status(uid); got != "paused" {
		t.Errorf("status %q, want paused", got)
	}
	snap := d.w.Snapshot()
	if i, _ := snap.Index(uid); snap.Unfinished(i) {
		t.Error("its work is done, and yet it counts as unfinished")
	}
	if got := d.status(waits); got != "ready" {
		t.Errorf("the dependent is %q, want ready", got)
	}
	d.do(model.Op{Name: model.ReviewAccepted, UID: uid})
	d.wantPause(uid, "")
	d.do(model.Op{Name: model.UndoVerdict, UID: uid})
	d.wantPause(uid, "other")
}

func TestACreateBelowAParentCycleEnds(t *testing.T) {
	d := newDesk(t)
	a, b := d.create("a", ""), d.create("b", "")
	link := func(uid, parent model.UID) {
		t := d.task(uid).Clone()
		t.Config.ParentUID = parent
		d.w.Put(t)
	}
	link(a, b)
	link(b, a)
	d.create("child", a)
	orphan := model.UID("tsk-orphan")
	d.w.Put(&model.Task{
		UID: orphan, Config: model.Config{UID: orphan, Name: "orphan", ParentUID: "tsk-late"}, HasStatus: true,
		Status: model.StatusFile{CurrentState: model.Created, Revision: 1},
	})
	r := d.refused(model.Op{Name: model.CreateTask, Args: model.NewTask{UID: "tsk-late", Name: "late", Parent: orphan}},
		model.GuardParent, model.CodeRefused)
	if len(r.Cycle) == 0 || r.Cycle[0] != r.Cycle[len(r.Cycle)-1] {
		t.Errorf("cycle %v", r.Cycle)
	}
}

func TestVerdictsOnWorkAreKept(t *testing.T) {
	d := newDesk(t)
	good, bad := d.completed("good", ""), d.completed("bad", "")
	d.do(model.Op{Name: model.ReviewAccepted, UID: good, Reason: "well done"})
	d.do(model.Op{Name: model.ReviewRejected, UID: bad, Reason: "once more"})
	for uid, words := range map[model.UID][]string{good: {`"accepted"`, `"well done"`}, bad: {`"rejected"`, `"once more"`}} {
		_, review := d.file("tasks/" + string(uid) + "/reviews/work-0001-*.json")
		for _, w := range append(words, `"human:ann"`) {
			if !strings.Contains(string(review), w) {
				t.Errorf("the review lacks %s: %s", w, review)
			}
		}
	}
}

func TestUndoNeedsWhatItPutsBack(t *testing.T) {
	for before, allowed := range map[string]bool{
		`{"current_state":"plan_defined","retry_count":"x"}`: true, // odd, but no more than it was
		`{"current_state":"planned"}`:                        false,
		`{}`:                                                 false,
		`{`:                                                  false,
	} {
		d := newDesk(t)
		uid := d.accepted("x", "")
		torn := d.task(uid).Clone()
		torn.Status.Undo.Tasks[0].Before = []byte(before)
		d.w.Put(torn)
		op := model.Op{Name: model.UndoVerdict, UID: uid}
		if allowed {
			d.do(op)
			d.wantState(uid, model.PlanDefined)
			continue
		}
		if r := d.refused(op, model.GuardUndo, model.CodeRefused); !strings.Contains(r.Why, "can't read the state") {
			t.Errorf("%s: %s", before, r.Why)
		}
	}
}
