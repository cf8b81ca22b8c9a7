package lifecycle_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
)

// walker takes random steps through a small world and holds what must always be true.
type walker struct {
	*rapid.T
	w    *modeltest.World
	uids []model.UID
	n    int
}

func TestRandomWalks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := &walker{T: rt, w: modeltest.New()}
		p := model.DefaultPolicy()
		p.DependencyPolicy = rapid.SampledFrom([]string{model.DependencyCompleted, model.DependencyCompletedOrAborted}).Draw(rt, "dependencies")
		p.OnSubtaskFailure = rapid.SampledFrom([]string{model.SubtaskFailureFail, model.SubtaskFailureHold}).Draw(rt, "failure")
		k.w.SetPolicy(p)
		if rapid.Bool().Draw(rt, "begun") {
			k.begin()
		}
		for range rapid.IntRange(10, 100).Draw(rt, "steps") {
			k.n++
			switch rapid.IntRange(0, 19).Draw(rt, "what") {
			case 0:
				k.edit()
			case 1:
				k.result()
			default:
				k.step()
			}
		}
	})
}

// begin makes a parent that waits for two working children, and a dependent of one.
func (k *walker) begin() {
	k.uids = []model.UID{"tsk-a", "tsk-b", "tsk-c", "tsk-d"}
	for i, uid := range k.uids {
		n := &model.NewTask{
			UID: uid, Name: string(uid), Objective: "objective\n",
			Spec: &model.Spec{FilesToCreate: []string{"models/1", "views/2"}},
		}
		switch i {
		case 1, 2:
			n.Parent = "tsk-a"
		case 3:
			n.DependsOn = []model.UID{"tsk-b"}
		}
		for _, op := range []model.Op{
			{Name: model.CreateTask, Args: *n}, {Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "text 0\n"}}, {Name: model.AcceptPlan, UID: uid},
		} {
			op.ID = fmt.Sprintf("begin-%s-%s", uid, op.Name)
			if _, err := k.w.Do(op); err != nil {
				k.Fatalf("%s: %v", op.Name, err)
			}
		}
	}
	k.hold()
}

func (k *walker) anyUID(label string) model.UID {
	if len(k.uids) == 0 {
		return "tsk-none"
	}
	return rapid.SampledFrom(k.uids).Draw(k.T, label)
}

func (k *walker) edit() {
	if len(k.uids) == 0 {
		return
	}
	doc := rapid.SampledFrom([]model.Doc{model.Objective, model.Plan}).Draw(k.T, "doc")
	k.w.Edit(k.anyUID("edited"), doc, fmt.Sprintf("by hand %d\n", rapid.IntRange(0, 2).Draw(k.T, "text")))
}

func (k *walker) result() {
	if len(k.uids) > 0 {
		k.w.PutResult(k.anyUID("worker"), "out.txt", fmt.Sprint(rapid.IntRange(0, 2).Draw(k.T, "text")))
	}
}

// names are the operations to choose from: mostly those that are allowed, and among them
// more of those that lead on.
func (k *walker) names(uid model.UID) []model.Name {
	edits := []model.Name{
		model.CreateTask, model.CreateTask, model.RenameTask, model.AddDependency, model.RemoveDependency, model.SetFields, model.FetchAnswer,
		model.Decompose, model.Decompose,
	}
	if rapid.IntRange(0, 9).Draw(k.T, "any") == 0 {
		for _, row := range lifecycle.Table() {
			edits = append(edits, row.Name)
		}
		return edits
	}
	names := []model.Name{model.CreateTask, rapid.SampledFrom(edits).Draw(k.T, "edit")}
	snapshot := k.w.Snapshot()
	for _, row := range lifecycle.Table() {
		if lifecycle.Allowed(snapshot, model.Op{Name: row.Name, UID: uid, Actor: ann}) != nil {
			continue
		}
		names = append(names, row.Name)
		switch row.Name {
		case model.DefineObjective, model.DefinePlan, model.AcceptPlan, model.Start, model.WorkCompleted, model.Retry:
			names = append(names, row.Name, row.Name)
		}
	}
	return names
}

// op draws an operation, now and then one that makes no sense.
func (k *walker) op() model.Op {
	uid := k.anyUID("uid")
	op := model.Op{
		ID: fmt.Sprintf("op-%d", k.n), Name: rapid.SampledFrom(k.names(uid)).Draw(k.T, "name"),
		UID:    uid,
		Actor:  rapid.SampledFrom([]model.Actor{ann, ann, ann, ann, ann, ann, agent, vespe}).Draw(k.T, "actor"),
		Reason: rapid.SampledFrom([]string{"because", "because", "hitl: why?", ""}).Draw(k.T, "reason"),
	}
	lifecycle.FillText(&op, fmt.Sprintf("text %d\n", rapid.IntRange(0, 3).Draw(k.T, "text")))
	lifecycle.SetArg(&op, "failure", rapid.IntRange(0, 3).Draw(k.T, "failure") == 0)
	lifecycle.SetArg(&op, "by-hand", rapid.Bool().Draw(k.T, "by hand"))
	lifecycle.SetArg(&op, "subtask", k.anyUID("subtask"))
	lifecycle.SetArg(&op, "success", true)
	switch op.Name {
	case model.RenameTask:
		op.Args = model.NewName{Name: fmt.Sprintf("name %d", k.n)}
	case model.AddDependency, model.RemoveDependency:
		op.Args = model.DependencyEdit{DependsOn: []model.UID{k.anyUID("dependency")}}
	case model.AddComment, model.AcceptPlan, model.RejectPlan, model.QuestionPlan, model.DeferPlan:
		lifecycle.SetArg(&op, "comments", k.comments(op.Actor))
	case model.AnswerComments, model.DefinePlan:
		lifecycle.SetArg(&op, "answers", k.answers(uid))
	case model.ResolveComment, model.ReopenComment:
		op.Args = model.CommentRef{Comment: k.anyComment(uid)}
	case model.HandleSubtaskCompletion:
		op.Actor = ann // only cascades fire it here: by hand it can say what is not so
	case model.SetFields:
		op.Args = model.FieldEdit{Set: []model.Assignment{{
			Key:   rapid.SampledFrom([]string{"acceptance_criteria", "priority", "max_attempts", "files_to_create"}).Draw(k.T, "key"),
			Value: rapid.SampledFrom([]string{"1", "2", "high", "1,2,a/3,a/4,b/5"}).Draw(k.T, "value"),
		}}}
	case model.Decompose:
		parts := k.planned(uid)
		if parts == nil || rapid.Bool().Draw(k.T, "the work") {
			parts = k.parts(uid)
		}
		if parts != nil {
			op.Args = *parts
		}
	case model.CreateTask:
		op.Args = *k.newTask()
	case model.Ask:
		op.Args = *k.newRequest(uid)
	case model.Escalate:
		op.Actor, op.Args = loop, model.NewRequest{Title: "it is stuck", Key: "deadlock:" + string(uid), Holds: rapid.Bool().Draw(k.T, "holds")}
	case model.Settle:
		op.Actor, op.Args = loop, model.Settlement{Key: "deadlock:" + string(uid)}
	case model.AnswerRequest:
		op.Args = k.answering(uid)
	case model.FetchAnswer:
		op.Args = model.RequestRef{Request: k.answering(uid).Request}
	}
	return op
}

// parts are those of a task's work, where it can be divided in the way that was drawn.
func (k *walker) parts(uid model.UID) *model.Decomposition {
	t, ok := k.w.Task(uid)
	if !ok || len(k.uids) > 12 {
		return nil // enough of them
	}
	n := -1
	op := model.Op{Args: decompose.Divide(t, rapid.SampledFrom(complexity.Ways()).Draw(k.T, "way")).Decomposition()}
	op.FillUIDs(func() model.UID {
		n++
		return model.UID(fmt.Sprintf("tsk-%04d-%d", k.n, n))
	})
	parts := model.ArgsOf[model.Decomposition](&op)
	return &parts
}

// planned are two tasks of the accepted plan of a task.
func (k *walker) planned(uid model.UID) *model.Decomposition {
	t, ok := k.w.Task(uid)
	if !ok || t.Status.AcceptedPlan == nil || len(k.uids) > 12 {
		return nil
	}
	b := &model.Decomposition{Plan: t.Status.AcceptedPlan.PlanHash}
	for i := range 2 {
		b.Subtasks = append(b.Subtasks, model.Subtask{
			UID: model.UID(fmt.Sprintf("tsk-%04d-%d", k.n, i)), Key: fmt.Sprint("T", i), Name: fmt.Sprint("part ", i), Objective: "o\n", Plan: "p\n",
		})
	}
	if rapid.Bool().Draw(k.T, "after") {
		b.Subtasks[0].After = []int{1}
	}
	return b
}

func (k *walker) newTask() *model.NewTask {
	n := &model.NewTask{UID: model.UID(fmt.Sprintf("tsk-%04d", k.n)), Name: fmt.Sprintf("task %d", k.n)}
	if rapid.Bool().Draw(k.T, "parent") {
		n.Parent = k.anyUID("parent")
	}
	if rapid.Bool().Draw(k.T, "dependent") {
		n.DependsOn = []model.UID{k.anyUID("first dependency")}
	}
	if rapid.Bool().Draw(k.T, "much") {
		n.Spec = &model.Spec{FilesToCreate: []string{"models/1", "views/2"}, AcceptanceCriteria: []model.Criterion{{Text: "one"}, {Text: "two"}}}
	}
	if rapid.IntRange(0, 3).Draw(k.T, "objective") > 0 {
		n.Objective = "objective\n"
	}
	if len(k.uids) > 7 {
		n.Name = "" // enough of them
	}
	if rapid.IntRange(0, 5).Draw(k.T, "phases") == 0 {
		n.Phases = true
		for i := range n.PhaseUIDs {
			n.PhaseUIDs[i] = model.UID(fmt.Sprintf("%s-%d", n.UID, i))
		}
	}
	return n
}

func (k *walker) image() map[model.UID]*model.Task {
	out := map[model.UID]*model.Task{}
	for _, t := range k.w.Tasks() {
		out[t.UID] = t.Clone()
	}
	return out
}

func (k *walker) step() {
	op := k.op()
	before := k.image()
	requests := slices.Clone(k.w.Requests())
	snapshot := k.w.Snapshot()
	c, err := k.w.Do(op)
	if err != nil {
		r := asRefusal(k, err)
		if r.Guard == "" || r.Why == "" || r.Hint == "" {
			k.Fatalf("a refusal that says nothing: %+v", r)
		}
		if !reflect.DeepEqual(before, k.image()) || !reflect.DeepEqual(requests, k.w.Requests()) {
			k.Fatalf("%s was refused (%s) and changed the world", op.Name, r.Guard)
		}
		return
	}
	checkChange(k, c)
	// A world without bytes allows whatever one with bytes does. It cannot see only that
	// an accepted plan has been edited past vespe, and thinks it decided.
	for _, err := range []error{lifecycle.Allowed(snapshot, op), preview(snapshot, op)} {
		if err != nil && asRefusal(k, err).Guard != model.GuardUndecided {
			k.Fatalf("%s was done, but without bytes it is refused: %v", op.Name, err)
		}
	}
	switch args := op.Args.(type) {
	case model.Decomposition:
		for _, p := range args.Subtasks {
			k.uids = append(k.uids, p.UID)
		}
	case model.NewTask:
		k.uids = append(k.uids, args.UID)
		if args.Phases {
			k.uids = append(k.uids, args.PhaseUIDs[:]...)
		}
	}
	k.compare(op, c, before)
	k.hold()
	if row, ok := lifecycle.Lookup(op.Name); ok && row.Verdict && op.Actor.Kind() == model.Human && rapid.Bool().Draw(k.T, "undo at once") {
		k.undo(op, before, requests)
	}
}

func preview(w model.World, op model.Op) error {
	_, err := lifecycle.Apply(w, op)
	return err
}

// compare holds what is true from one moment to the next.
func (k *walker) compare(op model.Op, c *model.Change, before map[model.UID]*model.Task) {
	inChange := map[model.UID]bool{}
	for _, t := range c.Tasks {
		inChange[t.UID] = true
	}
	for uid, now := range k.image() {
		was := before[uid]
		switch {
		case was == nil:
			if !inChange[uid] {
				k.Fatalf("%s is new and not in the change", uid)
			}
			continue
		case !inChange[uid]:
			if !reflect.DeepEqual(was, now) {
				k.Fatalf("%s changed and is not in the change", uid)
			}
			continue
		}
		if now.Status.Revision <= was.Status.Revision {
			k.Fatalf("%s: revision %d after %d", uid, now.Status.Revision, was.Status.Revision)
		}
		if b := was.Status.Comments; op.Name == model.AcceptPlan && uid == op.UID && b != nil && b.Blocking > 0 {
			k.Fatalf("%s was accepted over %d blocking comments", uid, b.Blocking)
		}
		from, to := was.Status.CurrentState, now.Status.CurrentState
		if (from == model.Failed || from == model.Aborted) && to != from && !k.leads(op, from) {
			k.Fatalf("%s left %s by %s", uid, from, op.Name)
		}
		reviewed := was.Status.Review != nil && was.Status.Review.Of == "work" && was.Status.Review.Verdict == "accepted"
		if from == model.Completed && reviewed && to != from && op.Name != model.UndoVerdict {
			k.Fatalf("%s left completed and reviewed for %s by %s", uid, to, op.Name)
		}
		if (op.Name == model.Pause || op.Name == model.Resume || op.Name == model.Check) && to != from {
			k.Fatalf("%s of %s took it from %s to %s", op.Name, uid, from, to)
		}
	}
	if len(c.Events) > 0 && (c.Events[0].Name != op.Name || c.Events[0].OpID != op.ID) {
		k.Fatalf("the first event is %+v", c.Events[0])
	}
}

// holdComments: what status.json counts is what the review file of its plan has.
func (k *walker) holdComments(t *model.Task) {
	b, f := t.Status.Comments, k.review(t.UID)
	if b == nil {
		return
	}
	open, ids := 0, map[string]bool{}
	for _, c := range f.Comments {
		if ids[c.ID] {
			k.Fatalf("%s: the id %s is listed twice", t.UID, c.ID)
		}
		ids[c.ID] = true
		if c.State == model.CommentOpen && c.OfPerson() {
			open++
		}
	}
	if b.Open != open || b.Revision != f.Revision || b.Revision > t.Status.PlanRevision {
		k.Fatalf("%s: status.json says %+v of %d open comments on revision %d", t.UID, *b, open, f.Revision)
	}
	if v := t.Status.Review; v != nil && v.Of == "plan" && v.Revision == f.Revision && f.Verdict != v.Verdict {
		k.Fatalf("%s: the verdict is %s, its review file says %q", t.UID, v.Verdict, f.Verdict)
	}
}

// hold is what is true of the world at every moment.
func (k *walker) hold() {
	snap := k.w.Snapshot()
	if len(snap.Cycles()) > 0 {
		k.Fatal("there is a cycle")
	}
	for i := range snap.Len() {
		t := snap.At(i)
		st := &t.Status
		k.holdComments(t)
		final := st.CurrentState == model.Failed || st.CurrentState == model.Aborted
		if st.CurrentRun != "" && (st.CurrentState != model.Working || st.AcceptedPlan == nil) {
			k.Fatalf("%s runs, but is %s with the accepted plan %+v", t.UID, st.CurrentState, st.AcceptedPlan)
		}
		if snap.Status(i) == model.StatusRunning && (st.IsPaused || st.CurrentRun == "") {
			k.Fatalf("%s reads as running", t.UID)
		}
		if (final || st.CurrentState == model.Completed) && (st.CurrentRun != "" || st.AssignedAgentUID != "" || len(st.SubtaskUIDs) > 0) {
			k.Fatalf("%s has ended and keeps flags: %+v", t.UID, st)
		}
		if final && st.IsPaused {
			k.Fatalf("%s is %s and paused", t.UID, st.CurrentState)
		}
		if st.CurrentState == model.Working && st.AcceptedPlan == nil {
			k.Fatalf("%s is working, and nobody accepted its plan", t.UID)
		}
		k.holdSubtasks(t)
	}
	k.holdRequests(snap)
}

func (k *walker) holdSubtasks(t *model.Task) {
	st := &t.Status
	if st.PauseKind() == "subtasks" && len(st.SubtaskUIDs) == 0 {
		k.Fatalf("%s waits for subtasks and has none", t.UID)
	}
	if len(st.SubtaskUIDs) > 0 && !st.IsPaused {
		k.Fatalf("%s has open subtasks %v and is not paused", t.UID, st.SubtaskUIDs)
	}
	for i, c := range st.SubtaskUIDs {
		child, ok := k.w.Task(c)
		if !ok || child.Config.ParentUID != t.UID || slices.Contains(st.SubtaskUIDs[:i], c) {
			k.Fatalf("%s waits for %s, which is no child of it", t.UID, c)
		}
		switch child.Status.CurrentState {
		case model.Completed, model.Failed, model.Aborted:
			k.Fatalf("%s waits for %s, which is %s", t.UID, c, child.Status.CurrentState)
		}
	}
}

// holdRequests: one pending escalation for each ended dependency that an open task waits
// for in vain, and for no other.
func (k *walker) holdRequests(snap *snapshot.Snapshot) {
	pending, answered, asked := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, r := range k.w.Requests() {
		k.holdRequest(&r)
		answered[r.Key] = answered[r.Key] || r.Answer != nil
		if r.IsOpen() && r.Key != "" {
			pending[r.Key]++
			// What vespe itself asks has keys of its own.
			if of := fmt.Sprint(r.Key, r.Kind == model.KindEscalation && r.CreatedBy.Kind() == model.System); asked[of] {
				k.Fatalf("%s is asked twice", r.Key)
			} else {
				asked[of] = true
			}
		}
	}
	waiting := map[model.UID]bool{} // by what failed first
	lenient := k.w.Policy().DependencyPolicy == model.DependencyCompletedOrAborted
	for i := range snap.Len() {
		if cause := causeOf(snap, snap.At(i)); waits(snap, i) {
			waiting[cause.UID] = true
		}
	}
	for i := range snap.Len() {
		uid, st := snap.At(i).UID, snap.At(i).Status.CurrentState
		bad := st == model.Failed || st == model.Aborted && !lenient
		asked := pending["attempts:"+string(uid)] + pending["subtask-failed:"+string(uid)]
		key := "dep-failed:" + string(uid)
		if asked+pending[key] > 1 {
			k.Fatalf("the failure of %s is asked about twice: %v", uid, pending)
		}
		if got := pending[key] == 1; got != (bad && waiting[uid] && asked == 0) && !answered[key] {
			k.Fatalf("%s pending: %v; it is %s, somebody waits: %v; asked %d", key, got, st, waiting[uid], asked)
		}
	}
	for key := range pending {
		if uid, ok := strings.CutPrefix(key, "attempts:"); ok {
			if t, _ := k.w.Task(model.UID(uid)); t.Status.CurrentState != model.Failed {
				k.Fatalf("%s is pending, the task is %s", key, t.Status.CurrentState)
			}
		}
	}
}

// causeOf is the task because of which another failed; a task that failed by itself is its own cause.
func causeOf(snap *snapshot.Snapshot, t *model.Task) *model.Task {
	for range snap.Len() {
		child, ok := snap.Task(t.Status.FailedBy)
		if !ok || t.Status.CurrentState != model.Failed || child.Status.CurrentState != model.Failed {
			break
		}
		t = child
	}
	return t
}

// waits reports whether an open task depends on another.
func waits(snap *snapshot.Snapshot, i int) bool {
	return slices.ContainsFunc(snap.Dependents(i), func(d int32) bool {
		switch snap.At(int(d)).Status.CurrentState {
		case model.Completed, model.Failed, model.Aborted:
			return false
		}
		return true
	})
}

// undo takes a verdict back at once: everything is as before, but revisions, what was
// recorded of outside edits, and progress, which is counted anew.
func (k *walker) undo(verdict model.Op, before map[model.UID]*model.Task, asked []model.Request) {
	if verdict.Name == model.AnswerRequest && model.ArgsOf[model.Answering](&verdict).Choice == lifecycle.ChoiceUndepend {
		return // an edge is added again by whoever wants it
	}
	if t, _ := k.w.Task(verdict.UID); t.Status.Undo == nil && verdict.Name != model.AnswerRequest {
		k.Fatalf("%s left no right to undo", verdict.Name)
	}
	for _, e := range k.w.Events("") {
		if e.OpID == verdict.ID && e.Name == model.ExternalEdit {
			return // what was recorded stays
		}
	}
	k.n++
	if _, err := k.w.Do(model.Op{Name: model.UndoVerdict, UID: verdict.UID, Actor: ann, Args: model.RequestRef{Request: verdict.Request()}}); err != nil {
		k.Fatalf("undo of %s: %v", verdict.Name, err)
	}
	for uid, now := range k.image() {
		was := before[uid]
		if verdict.Name == model.AnswerRequest { // the books of it are kept, as of others
			was.Status.LastUpdatedAt = now.Status.LastUpdatedAt
			if len(was.Status.SubtaskUIDs) == 0 { // where it came from to wait for those that have ended
				was.Status.PreviousState = now.Status.PreviousState
			}
		}
		was.Status.Comments = now.Status.Comments // what was said stays said
		if uid != verdict.UID && was.Status.Progress != now.Status.Progress {
			was.Status.Progress = now.Status.Progress
			was.Status.LastUpdatedAt = now.Status.LastUpdatedAt
		}
		if len(was.Status.ParentContentHashes) != len(now.Status.ParentContentHashes) && uid != verdict.UID {
			was.Status.ParentContentHashes = now.Status.ParentContentHashes
		}
		if was.Status.Revision < now.Status.Revision && uid != verdict.UID {
			was.Status.LastUpdatedAt = now.Status.LastUpdatedAt
		}
		if why := differ(was, now); why != "" {
			k.Fatalf("undo of %s: %s: %s", verdict.Name, uid, why)
		}
	}
	k.sameRequests(verdict, asked)
	k.hold()
}
