package lifecycle_test

import (
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/schedule"
)

const twoSections = "# Plan\n\n## One\n\na\n\n## Two\n\nb\n"

// parted is a task that is accepted without a section and a subtask, and that subtask.
func (d *desk) parted() (uid, child model.UID) {
	d.Helper()
	uid = d.create("parent", "")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: twoSections}})
	child = d.accepted("child", uid)
	d.wantSummary(d.do(model.Op{Name: model.AcceptPlan, UID: uid, Args: model.Acceptance{Excluded: []string{"Two", string(child)}}}),
		`2 parts of it are left out: the section "Two" and the subtask "child"`)
	return uid, child
}

// approvalOf is the approval that a task is accepted with.
func (d *desk) approvalOf(uid model.UID) review.Approval {
	d.Helper()
	body, ok := d.w.File("tasks/" + string(uid) + "/approvals/" + d.task(uid).Status.AcceptedPlan.Approval)
	if !ok {
		d.Fatal("there is no approval")
	}
	a, err := review.DecodeApproval(body)
	if err != nil {
		d.Fatal(err)
	}
	return a
}

func warnings(c *model.Change) string { return strings.Join(c.Warnings, "\n") }

// An acceptance in part that is made to hold again is one in part: in status.json, in the approval and
// in what is said of it. A section that the plan has no more stays left out, and is named.
func TestRevalidateKeepsWhatIsLeftOut(t *testing.T) {
	d := newDesk(t)
	uid, child := d.parted()
	want := []string{"Two", string(child)}
	for i, text := range []string{strings.Replace(twoSections, "a\n", "c\n", 1), strings.Replace(twoSections, "## Two", "## Too", 1)} {
		d.w.Edit(uid, model.Plan, text)
		d.do(model.Op{Name: model.Check, UID: uid})
		again := model.Op{Name: model.Revalidate, UID: uid, Actor: ann}
		c := d.do(again)
		d.wantSummary(c, `2 parts of it are still left out: the section "Two" and the subtask "child"`)
		if named := strings.Contains(warnings(c), `leaves out "Two", which its plan no longer has`); named != (i == 1) {
			t.Errorf("%d: warnings %q", i, c.Warnings)
		}
		a := d.approvalOf(uid)
		if got := d.task(uid).Status.AcceptedPlan.Excluded; a.Verdict != "revalidate" || !slices.Equal(got, want) || !slices.Equal(a.Excluded, want) {
			t.Errorf("%d: status.json leaves out %q, the %s %q", i, got, a.Verdict, a.Excluded)
		}
		again.Seen, again.Args = &model.Seen{}, model.Revalidation{Excluded: binding.Excluded(&again, d.task(uid))}
		if said, _ := binding.SignedOp("", &again); !strings.Contains(string(said), `"Two"`) {
			t.Errorf("what is signed says nothing of it: %s", said)
		}
	}
	d.refused(model.Op{Name: model.Start, UID: child, Actor: agent}, model.GuardNotPaused, model.CodeRefused)
	d.do(model.Op{Name: model.Start, UID: uid, Actor: agent})
}

// A plan that is accepted anew takes in what the acceptance before left out only with a word about it.
func TestAcceptedAnewSaysWhatItTakesIn(t *testing.T) {
	d := newDesk(t)
	uid, child := d.parted()
	d.w.Put(func() *model.Task { // as after an error
		task := d.task(uid).Clone()
		task.Status.CurrentState = model.PlanDefined
		return task
	}())
	d.w.Edit(uid, model.Plan, twoSections+"more\n")
	d.do(model.Op{Name: model.Check, UID: uid})
	c := d.do(model.Op{Name: model.AcceptPlan, UID: uid, Args: model.Acceptance{Excluded: []string{string(child)}}})
	if got := warnings(c); got != `this acceptance includes what the previous one left out: the section "Two"` {
		t.Errorf("warnings %q", got)
	}
}

// What an approval leaves out is in status.json too, or nothing starts by it and nothing makes it hold
// again.
func TestPartsOfTheApprovalAndOfTheStatusAreTheSame(t *testing.T) {
	for _, other := range [][]string{nil, {"Two"}, {"One"}} {
		d := newDesk(t)
		uid, _ := d.parted()
		task := d.task(uid).Clone()
		task.Status.AcceptedPlan.Excluded = other
		d.w.Put(task)
		if r := d.refused(model.Op{Name: model.Start, UID: uid}, model.GuardApproval, model.CodeConflict); !strings.Contains(r.Why, "different parts") {
			t.Errorf("without %q: %s", other, r.Why)
		}
		d.w.Edit(uid, model.Plan, twoSections+"more\n")
		d.do(model.Op{Name: model.Check, UID: uid})
		again := model.Op{Name: model.Revalidate, UID: uid}
		d.refused(again, model.GuardApproval, model.CodeConflict)
		task = d.task(uid).Clone()
		task.Status.AcceptedPlan.ApprovalHash = model.HashBytes([]byte("another"))
		d.w.Put(task)
		if got, want := warnings(d.do(again)), "by status.json it left out "; !strings.Contains(got, want) || strings.HasSuffix(got, want+"nothing") != (other == nil) {
			t.Errorf("without %q: warnings %q", other, got)
		}
	}
}

// What is below a subtask that is left out waits like it, also what comes there later, and goes on with
// it: as it was, save for what ended meanwhile.
func TestWhatIsBelowALeftOutTaskWaitsToo(t *testing.T) {
	d := newDesk(t)
	uid := d.create("parent", "")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: twoSections}})
	child := d.planned("child", uid)
	ready, running, held := d.accepted("ready", child), d.running("running", child), d.accepted("held", child)
	deep, asking, asked := d.accepted("deep", ready), d.running("asking", child), d.running("asked", child)
	own := d.accepted("own", child)
	done, waiting := d.completed("done", child), d.planned("waiting", child)
	d.do(model.Op{Name: model.Pause, UID: held, Reason: "until the release"})
	d.do(model.Op{Name: model.Pause, UID: asking, Reason: "hitl: which one?"})
	id := d.asks(asked, model.NewRequest{})
	below := []model.UID{ready, running, held, deep, asking, asked, waiting, own}
	accept := model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Args: model.Acceptance{Excluded: []string{string(child)}}}
	d.do(accept)
	for _, b := range append(below, child) {
		if st := d.task(b).Status; !st.IsPaused || !strings.HasPrefix(st.PauseReason, "excluded: ") || d.status(b) != "paused" {
			t.Errorf("%q is %s: %q", d.task(b).Config.Name, d.status(b), st.PauseReason)
		}
	}
	if r := d.refused(model.Op{Name: model.Start, UID: deep, Actor: agent}, model.GuardNotPaused, model.CodeRefused); !strings.Contains(r.Why, "which was left out") {
		t.Errorf("why: %s", r.Why)
	}
	d.refused(model.Op{Name: model.WorkCompleted, UID: running, Actor: agent, Args: model.Completion{Summary: "x"}}, model.GuardNotPaused, model.CodeRefused)
	d.refused(model.Op{Name: model.Resume, UID: deep, Actor: ann}, model.GuardNotPaused, model.CodeRefused)
	if d.task(done).Status.IsPaused {
		t.Error("what has ended is paused")
	}
	late := d.accepted("late", child)
	if r := d.refused(model.Op{Name: model.Start, UID: late, Actor: agent}, model.GuardNotPaused, model.CodeRefused); !strings.Contains(r.Why, `it is part of "child", which is paused`) {
		t.Errorf("why: %s", r.Why)
	}
	snap := d.w.Snapshot()
	i, _ := snap.Index(late)
	if slices.Contains(schedule.Next(snap, -1), int32(i)) {
		t.Error("what cannot be started is offered")
	}
	if why := snap.Why(i); d.status(late) != "blocked" || len(why) != 1 || !strings.Contains(why[0].Text, `part of "child", which is paused`) {
		t.Errorf("it is %s; why: %+v", d.status(late), why)
	}
	d.do(answer(id, model.Answering{Decision: model.DecideRespond, Text: "80"}))
	d.do(model.Op{Name: model.Resume, UID: child, Actor: ann})
	for b, want := range map[model.UID]string{
		ready: "subtasks", running: "", held: "until the release", deep: "", asking: "hitl: which one?", asked: "", waiting: "", own: "", late: "",
	} {
		if got := d.task(b).Status.PauseReason; got != want || d.task(b).Status.IsPaused != (want != "") {
			t.Errorf("%q is paused as %q, want %q", d.task(b).Config.Name, got, want)
		}
	}
	if d.status(late) != "ready" {
		t.Errorf("taken in it is %s", d.status(late))
	}
	d.do(model.Op{Name: model.Start, UID: deep, Actor: agent})
	d.do(model.Op{Name: model.Start, UID: late, Actor: agent})
}

// A later acceptance takes in what it does not leave out: what only the one before had paused goes on, and
// what a person paused or left out of another plan does not. Taking that acceptance back pauses it again.
func TestALaterAcceptanceTakesIn(t *testing.T) {
	d := newDesk(t)
	uid := d.create("parent", "")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: twoSections}})
	kept, child, waits, held := d.accepted("kept", uid), d.create("child", uid), d.running("waits", uid), d.accepted("held", uid)
	d.do(model.Op{Name: model.DefinePlan, UID: child, Args: model.NewPlan{Text: twoSections}})
	inner, deep := d.accepted("inner", child), d.accepted("deep", child)
	lowest := d.accepted("lowest", inner)
	d.running("below", waits)
	d.do(model.Op{Name: model.AcceptPlan, UID: child, Args: model.Acceptance{Excluded: []string{string(inner)}}})
	d.do(model.Op{Name: model.AcceptPlan, UID: uid, Args: model.Acceptance{Excluded: []string{string(kept), string(child), string(waits)}}})
	d.do(model.Op{Name: model.Pause, UID: held, Reason: "excluded: from the release"})
	if got := d.task(waits).Status.PauseReason; got != `excluded: the plan of "parent" was accepted without it; it was paused before: subtasks` {
		t.Errorf("its pause is %q", got)
	}
	d.do(model.Op{Name: model.Replan, UID: uid, Actor: ann, Reason: "more"})
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: twoSections + "more\n"}})
	before := d.task(child).Status.PauseReason
	c := d.do(model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Args: model.Acceptance{Excluded: []string{string(kept)}}})
	d.wantSummary(c, `included again: the subtask "child" and the subtask "waits"`)
	for b, want := range map[model.UID]string{
		kept: `excluded: the plan of "parent" was accepted without it`, child: "", deep: "", waits: "subtasks",
		held: "excluded: from the release", inner: `excluded: the plan of "child" was accepted without it; it was paused before: subtasks`,
		lowest: `excluded: it is part of "inner", which was left out`,
	} {
		if got := d.task(b).Status.PauseReason; got != want || d.task(b).Status.IsPaused != (want != "") {
			t.Errorf("%q is paused as %q, want %q", d.task(b).Config.Name, got, want)
		}
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	if got := d.task(child).Status.PauseReason; got != before || !d.task(deep).Status.IsPaused {
		t.Errorf("taken back it is paused as %q, want %q", got, before)
	}
}

// What has ended can no longer be left out, nor anything twice.
func TestWhatCannotBeLeftOut(t *testing.T) {
	d := newDesk(t)
	uid := d.create("parent", "")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: twoSections}})
	done, given, open := d.completed("done", uid), d.planned("given up", uid), d.planned("open", uid)
	d.abort(given)
	for _, ended := range []model.UID{done, given} {
		if r := d.refused(model.Op{Name: model.AcceptPlan, UID: uid, Args: model.Acceptance{Excluded: []string{string(ended)}}}, model.GuardExcluded, model.CodeRefused); r.Hint != "it can no longer be left out" {
			t.Errorf("hint %q", r.Hint)
		}
	}
	for _, twice := range []string{"Two", string(open)} {
		r := d.refused(model.Op{Name: model.AcceptPlan, UID: uid, Args: model.Acceptance{Excluded: []string{twice, twice}}}, model.GuardExcluded, model.CodeInvalid)
		if !strings.Contains(r.Why, "is left out twice") {
			t.Errorf("why %q", r.Why)
		}
	}
}

// A comment on a task that an acceptance has left out, or on one below it, takes no right to undo.
func TestACommentBelowALeftOutTaskKeepsUndo(t *testing.T) {
	for _, deep := range []bool{false, true} {
		d := newDesk(t)
		uid := d.create("parent", "")
		d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: twoSections}})
		child := d.planned("child", uid)
		about := child
		if deep {
			about = d.planned("deep", d.planned("middle", child))
		}
		d.do(model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Args: model.Acceptance{Excluded: []string{string(child)}}})
		d.do(model.Op{Name: model.AddComment, UID: about, Actor: ann, Args: model.Remarks{Text: "x"}})
		d.do(model.Op{Name: model.RenameTask, UID: about, Actor: ann, Args: model.NewName{Name: "another"}})
		d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
		if st := d.task(about).Status; st.IsPaused || st.Comments == nil || st.Comments.Open != 1 {
			t.Errorf("taken back it is %+v", st)
		}
		d.do(model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Args: model.Acceptance{Excluded: []string{string(child)}}})
		d.do(model.Op{Name: model.DefinePlan, UID: about, Args: model.NewPlan{Text: "another\n", Answers: []model.CommentAnswer{{Comment: d.review(about).Comments[0].ID, Resolution: model.CommentAddressed, Text: "y"}}}})
		d.refused(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann}, model.GuardUndo, model.CodeRefused)
	}
}
