package lifecycle_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/model/lifecycle"
)

// big gives a task files in three directories and three criteria.
func (d *desk) big(uid model.UID) model.UID {
	d.Helper()
	for _, kv := range [][2]string{
		{"files_to_create", "models/account.go,models/posting.go,views/list.go"},
		{"files_to_modify", "services/post.go,services/sum.go,models/base.go"},
		{"test_files", "models/account_test.go"},
		{"acceptance_criteria", "Accounts are exact,The list is sorted,Posts add up to nothing"},
		{"milestone_id", "m1"},
		{"priority", "high"},
		{"user_story", "As a clerk"},
		{"labels", "core"},
		{"risk", "low"},
		{"verify", "make test"},
		{"external.linear_issue_id", "L-1"},
		{"steps", "first,second"},
	} {
		d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: kv[0], Value: kv[1]}}}})
	}
	return uid
}

func (d *desk) pieces(uid model.UID, by complexity.Way) model.Decomposition {
	return decompose.Divide(d.task(uid), by).Decomposition()
}

// split decomposes a task by layers and says which parts came of it.
func (d *desk) split(uid model.UID) (parts []model.UID, c *model.Change) {
	d.Helper()
	c = d.do(model.Op{Name: model.Decompose, UID: uid, Actor: ann, Args: d.pieces(uid, complexity.ByLayers)})
	for _, t := range c.Tasks {
		if t.Config.ParentUID == uid && t.SplitFrom() == uid {
			parts = append(parts, t.UID)
		}
	}
	if len(parts) != 3 {
		d.Fatalf("%d parts, want data, business and presentation", len(parts))
	}
	return parts, c
}

// worked takes a task with an objective to its end.
func (d *desk) worked(uid model.UID) {
	d.Helper()
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "plan\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	d.do(model.Op{Name: model.Start, UID: uid, Actor: agent})
	d.complete(uid, "done")
}

func (d *desk) wantDeps(uid model.UID, want ...model.UID) {
	d.Helper()
	if got := d.task(uid).DependsOn; !slices.Equal(got, want) {
		d.Errorf("%s depends on %v, want %v", d.task(uid).Config.Name, got, want)
	}
}

func TestSplit(t *testing.T) {
	d := newDesk(t)
	before := d.create("before", "")
	uid := d.big(d.planned("ledger", "", before))
	after := d.create("after", "", uid, before)
	was := d.task(uid).Clone()
	parts, c := d.split(uid)
	d.wantSummary(c, `Decomposed "ledger" into 3 subtasks. "after" waits for the last of them`)

	is := d.task(uid).Clone()
	if was.Status.Revision+1 != is.Status.Revision {
		t.Errorf("revision %d after %d", is.Status.Revision, was.Status.Revision)
	}
	is.Status.Revision, is.Status.LastUpdatedAt = was.Status.Revision, was.Status.LastUpdatedAt
	if !reflect.DeepEqual(was, is) {
		t.Errorf("the task was\n%+v\nand is\n%+v", was, is)
	}
	d.wantDeps(parts[0], before)
	d.wantDeps(parts[1], parts[0])
	d.wantDeps(parts[2], parts[1])
	d.wantDeps(after, before, parts[2])

	data := d.task(parts[0])
	want := &model.Spec{
		UserStory: "As a clerk", Priority: model.High, Risk: "low", MilestoneID: "m1", Labels: []string{"core"},
		AcceptanceCriteria: []model.Criterion{{Text: "Accounts are exact"}},
		FilesToCreate:      []string{"models/account.go", "models/posting.go"}, FilesToModify: []string{"models/base.go"},
		TestFiles: []string{"models/account_test.go"}, Context: data.Spec.Context,
	}
	if !reflect.DeepEqual(data.Spec, want) {
		t.Errorf("spec of a part\n%+v\nwant\n%+v", data.Spec, want)
	}
	for _, p := range parts {
		d.wantState(p, model.ObjectiveDefined)
		if got := d.task(p).Spec.MilestoneID; got != "m1" {
			t.Errorf("a part is of the milestone %q", got)
		}
	}
	text, err := d.w.Content(parts[0], model.Objective)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`Part 1 of 3 of "ledger".`, "Files to create:", "- models/account.go", "- models/base.go", "- Accounts are exact", "do ledger"} {
		if !strings.Contains(string(text.Body), line) {
			t.Errorf("the objective of a part lacks %q:\n%s", line, text.Body)
		}
	}
	if e := d.w.Events(parts[1]); e[0].Name != model.CreateTask || e[0].Cause != uid || e[0].Summary != `Created "ledger (b: business layer)", part 2 of 3 of "ledger"` {
		t.Errorf("the first event of a part: %+v", e[0])
	}
}

// Nobody waits for a task for ever because it was split: the parts in turn, then who waited for it.
func TestDependentsOfASplitTaskGoOn(t *testing.T) {
	d := newDesk(t)
	uid := d.big(d.create("ledger", ""))
	after := d.accepted("after", "", uid)
	parts, c := d.split(uid)
	d.wantSummary(c, `"after" waits for the last of them`, `What "after" was accepted with no longer holds, so it is changed`)
	if got := d.status(after); got != "changed" {
		t.Errorf("who was accepted with other dependencies is %s", got)
	}
	d.do(model.Op{Name: model.Revalidate, UID: after, Actor: ann})
	for _, p := range parts {
		if got := d.status(after); got != "blocked" {
			t.Fatalf("after is %s", got)
		}
		d.worked(p)
	}
	if got := d.status(after); got != "ready" {
		t.Errorf("after is %s", got)
	}
}

// A task that is worked on waits for its parts, and goes on after the last, or when they are taken back.
func TestSplitOfWorkingTask(t *testing.T) {
	d := newDesk(t)
	uid := d.big(d.accepted("ledger", ""))
	d.split(uid)
	d.wantPause(uid, "subtasks")
	d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	d.wantPause(uid, "")
	d.wantState(uid, model.Working)
	d.do(model.Op{Name: model.Revalidate, UID: uid, Actor: ann})
	d.do(model.Op{Name: model.Start, UID: uid, Actor: agent})
	parts, c := d.split(uid)
	d.wantPause(uid, "subtasks")
	if !slices.Equal(d.task(uid).Status.SubtaskUIDs, parts) {
		t.Errorf("it waits for %v", d.task(uid).Status.SubtaskUIDs)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "is working on") {
		t.Errorf("warnings %q", c.Warnings)
	}
	for _, p := range parts {
		d.worked(p)
	}
	d.wantPause(uid, "")
	d.wantState(uid, model.Working)
}

func TestSplitRefusals(t *testing.T) {
	d := newDesk(t)
	small := d.create("small", "")
	d.do(model.Op{Name: model.SetFields, UID: small, Args: model.FieldEdit{Set: []model.Assignment{{Key: "files_to_create", Value: "a.go"}}}})
	r := d.refused(model.Op{Name: model.Decompose, UID: small, Args: model.Decomposition{}}, model.GuardDecompose, model.CodeRefused)
	if !strings.Contains(r.Why, "fewer than two") {
		t.Error(r.Why)
	}
	uid := d.big(d.create("ledger", ""))
	op := model.Op{Name: model.Decompose, UID: uid}
	d.refused(op, model.GuardDecompose, model.CodeInvalid)
	good := d.pieces(uid, complexity.ByLayers)
	with := func(change func(s *model.Decomposition)) model.Op {
		s := &model.Decomposition{Subtasks: slices.Clone(good.Subtasks)}
		change(s)
		return model.Op{Name: model.Decompose, UID: uid, Args: *s}
	}
	r = d.refused(with(func(s *model.Decomposition) { s.Subtasks = s.Subtasks[:2] }), model.GuardDecompose, model.CodeInvalid)
	if r.Why != "the file to create \"views/list.go\" is missing from the parts" {
		t.Error(r.Why)
	}
	d.refused(with(func(s *model.Decomposition) { s.Subtasks = append(s.Subtasks, model.Subtask{}) }), model.GuardDecompose, model.CodeInvalid)
	d.refused(with(func(s *model.Decomposition) { s.Subtasks[0].Name = "a\x1bb" }), model.GuardName, model.CodeInvalid)
	d.refused(with(func(s *model.Decomposition) { s.Subtasks[0].UID = small }), model.GuardUID, model.CodeRefused)
	d.refused(with(func(s *model.Decomposition) { s.Subtasks[0].UID, s.Subtasks[1].UID = "tsk-x", "tsk-x" }), model.GuardUID, model.CodeInvalid)

	child := d.create("child", uid)
	r = d.refused(op, model.GuardDecompose, model.CodeRefused)
	if !strings.Contains(r.Why, `as "child"`) {
		t.Error(r.Why)
	}
	if err := lifecycle.Allowed(d.w.Snapshot(), model.Op{Name: model.Decompose, UID: uid, Actor: ann}); err == nil {
		t.Error("a trial does not look at subtasks")
	}
	d.abort(child)
	if err := lifecycle.Allowed(d.w.Snapshot(), model.Op{Name: model.Decompose, UID: uid, Actor: ann}); err != nil {
		t.Errorf("a trial needs no parts: %v", err)
	}
	d.split(uid)
	d.refused(op, model.GuardDecompose, model.CodeRefused)
	done := d.big(d.completed("done", ""))
	d.refused(model.Op{Name: model.Decompose, UID: done}, model.GuardDecompose, model.CodeRefused)
}

// Paths may have what names may not.
func TestSplitNamesOfHiddenPaths(t *testing.T) {
	d := newDesk(t)
	uid := d.create("odd", "")
	files := `["a\u202eb/1.go","a\u202eb/2.go","c/1.go","c/2.go","c/3.go"]`
	d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "files_to_create", Value: files}}}})
	c := d.do(model.Op{Name: model.Decompose, UID: uid, Args: d.pieces(uid, complexity.ByFiles)})
	if got := c.Tasks[1].Config.Name; got != "odd (a)" {
		t.Errorf("the part is named %q", got)
	}
}

func TestUndoSplit(t *testing.T) {
	d := newDesk(t)
	uid := d.big(d.create("ledger", ""))
	after := d.create("after", "", uid)
	parts, _ := d.split(uid)
	late := d.create("late", "", parts[1])
	c := d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	d.wantSummary(c, `Undid the decomposition of "ledger" into 3 subtasks. "after" waits for it again. "late" waits for it again`)
	for _, p := range parts {
		d.wantState(p, model.Aborted)
	}
	d.wantDeps(after, uid)
	d.wantDeps(late, uid)
	if n := len(d.w.Requests()); n != 0 {
		t.Errorf("%d requests were filed: somebody waited for an aborted part", n)
	}
	d.refused(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann}, model.GuardUndo, model.CodeRefused)
	d.split(uid)
	d.refused(model.Op{Name: model.UndoVerdict, UID: uid, Actor: agent}, model.GuardActor, model.CodeDenied)
}

// A split is taken back as long as work has begun on none of its parts, whatever was written and decided
// about them.
func TestUndoSplitUntilWorkBegins(t *testing.T) {
	d := newDesk(t)
	uid := d.big(d.create("ledger", ""))
	parts, _ := d.split(uid)
	d.do(model.Op{Name: model.DefinePlan, UID: parts[0], Args: model.NewPlan{Text: "plan\n"}})
	if err := lifecycle.Allowed(d.w.Snapshot(), model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann}); err != nil {
		t.Fatalf("a plan is no work: %v", err)
	}
	below := d.create("below", parts[1])
	d.do(model.Op{Name: model.AcceptPlan, UID: parts[0], Actor: ann})
	r := d.refused(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann}, model.GuardUndo, model.CodeRefused)
	if !strings.Contains(r.Why, `work has begun on "ledger (a: data layer)"`) {
		t.Error(r.Why)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: parts[0], Actor: ann})
	d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	d.wantState(below, model.Aborted)
}

// The last comes first: a verdict that came after the split, then the split. A verdict from before is taken back when
// the split cannot be any more.
func TestUndoOfVerdictsAroundASplit(t *testing.T) {
	d := newDesk(t)
	uid := d.big(d.planned("ledger", ""))
	d.do(model.Op{Name: model.DeferPlan, UID: uid, Actor: ann, Reason: "later"})
	parts, _ := d.split(uid)
	d.do(model.Op{Name: model.RejectPlan, UID: uid, Actor: ann, Reason: "no"})
	d.wantState(uid, model.ObjectiveDefined)
	undo := func() { d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann}) }
	undo()
	d.wantState(uid, model.PlanDefined)
	d.wantState(parts[0], model.ObjectiveDefined)
	undo()
	d.wantState(parts[0], model.Aborted)
	d.do(model.Op{Name: model.RejectPlan, UID: uid, Actor: ann, Reason: "no"})
	parts, _ = d.split(uid)
	d.do(model.Op{Name: model.DefinePlan, UID: parts[0], Args: model.NewPlan{Text: "plan\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: parts[0], Actor: ann})
	undo()
	d.wantState(uid, model.PlanDefined)
	d.wantState(parts[0], model.Working)
}

// Who has ended waits for nobody, and who is at work is left alone and named.
func TestSplitLeavesAloneWhoIsAtWork(t *testing.T) {
	d := newDesk(t)
	uid := d.big(d.create("ledger", ""))
	over := d.create("over", "", uid)
	d.abort(over)
	busy := d.running("busy", "")
	task := d.task(busy).Clone()
	task.DependsOn = []model.UID{uid} // written past vespe
	d.w.Put(task)
	_, c := d.split(uid)
	d.wantDeps(over, uid)
	d.wantDeps(busy, uid)
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], `"busy" still depends on "ledger"`) {
		t.Errorf("warnings %q", c.Warnings)
	}
}

// Parts are in the milestone of their task: in its list, or by their own word.
func TestSplitKeepsTheMilestone(t *testing.T) {
	d := newDesk(t)
	name := "First"
	d.do(model.Op{Name: model.CreateMilestone, Actor: ann, Args: model.MilestoneEdit{ID: "listed", Name: &name}})
	before := d.create("before", "")
	uid := d.big(d.create("ledger", ""))
	for _, u := range []model.UID{uid, before} {
		d.do(model.Op{Name: model.AssignMilestone, UID: u, Actor: ann, Args: model.MilestoneEdit{ID: "listed"}})
	}
	list := func() []model.UID { return d.w.Snapshot().MilestoneFile().List[0].TaskIDs }
	parts, _ := d.split(uid)
	if want := []model.UID{uid, parts[0], parts[1], parts[2], before}; !slices.Equal(list(), want) {
		t.Errorf("the milestone lists %v, want %v", list(), want)
	}
	for _, p := range parts {
		if got := d.task(p).Spec.MilestoneID; got != "" {
			t.Errorf("a part that is listed names %q, too", got)
		}
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	if want := []model.UID{uid, before}; !slices.Equal(list(), want) {
		t.Errorf("taken back, the milestone lists %v, want %v", list(), want)
	}
	d.do(model.Op{Name: model.AssignMilestone, UID: uid, Actor: ann, Args: model.MilestoneEdit{}})
	d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "milestone_id", Value: "other"}}}})
	parts, _ = d.split(uid)
	if got := d.task(parts[2]).Spec.MilestoneID; got != "other" {
		t.Errorf("a part is of the milestone %q", got)
	}
}
