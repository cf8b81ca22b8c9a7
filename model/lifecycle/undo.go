package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
)

// settleUndo keeps the right to undo. Tasks of which only books were kept are still where
// their verdict left them; the subject of a person's verdict gets a new right.
func (x *tx) settleUndo() {
	for i := 0; i < len(x.order); i++ { // grows while it runs
		if h := x.touched[x.order[i]]; !h.moved {
			x.carryUndo(h)
		}
	}
	if !x.root.row.Verdict || x.op.Name == model.AnswerRequest && (!x.acted || x.bound) || x.op.Actor.Kind() != model.Human {
		return
	}
	subject, ok := x.touched[x.op.UID]
	if !ok {
		return
	}
	u := &model.Undo{Transition: x.op.Name, By: x.op.Actor, At: x.op.At, Requests: x.closed}
	for _, uid := range x.order {
		h := x.touched[uid]
		if !h.judged || h.before == nil {
			continue
		}
		before := h.before.Status
		before.Undo, before.Elsewhere = nil, nil
		e := model.UndoTask{UID: uid, Revision: h.task.Status.Revision, Before: model.EncodeStatus(before)}
		if uid == x.op.UID {
			u.Tasks = slices.Insert(u.Tasks, 0, e)
		} else {
			u.Tasks = append(u.Tasks, e)
		}
	}
	subject.task.Status.Undo = u
}

// carryUndo lets rights to undo that name a task at its old revision name it at its new
// one. They are the task's own, those of its children, a verdict on which moves it, and those of the
// tasks above it, the acceptance of which may have left it out.
func (x *tx) carryUndo(h *touch) {
	uid, was, is := h.task.UID, h.orig.Status.Revision, h.task.Status.Revision
	if u := h.task.Status.Undo; u != nil {
		for i := range u.Tasks {
			if e := &u.Tasks[i]; e.UID == uid && e.Revision == was {
				e.Revision, e.Before = is, x.booksBefore(h, u, e.Before, h.task.Status.Progress)
			}
		}
	}
	above := h.task.Config.ParentUID
	for seen := map[model.UID]bool{uid: true}; above != "" && !seen[above]; {
		seen[above] = true
		p, ok := x.w.Task(above)
		if !ok {
			break
		}
		above = p.Config.ParentUID
		if i := undoes(p, uid, was); i >= 0 {
			u := x.note(p.UID).Status.Undo
			u.Tasks[i].Revision, u.Tasks[i].Before = is, x.booksBefore(h, u, u.Tasks[i].Before, h.task.Status.Progress)
		}
	}
	for _, c := range x.w.ChildUIDs(uid) {
		child, ok := x.w.Task(c)
		if !ok || c == uid || child.Status.Undo == nil || child.Unreadable() {
			continue
		}
		i := undoes(child, uid, was)
		if i < 0 {
			continue
		}
		u := x.note(c).Status.Undo
		e := &u.Tasks[i]
		e.Revision, e.Before = is, x.booksBefore(h, u, e.Before, x.progressBefore(uid, child))
	}
}

// undoes is where the right to undo of t names another task at a revision; -1 where it does not.
func undoes(t *model.Task, uid model.UID, revision int) int {
	if t.Status.Undo == nil || t.Unreadable() {
		return -1
	}
	return slices.IndexFunc(t.Status.Undo.Tasks, func(e model.UndoTask) bool { return e.UID == uid && e.Revision == revision })
}

// progressBefore is the progress of a parent with the child counted as it was before the
// verdict.
func (x *tx) progressBefore(parent model.UID, child *model.Task) string {
	done, total := x.countChildren(parent)
	if child.Status.CurrentState != model.Completed {
		done++ // only a verdict that reopened it names its parent
	}
	return fmt.Sprintf("%d/%d", done, total)
}

// booksBefore is what undo restores of a task whose books were kept since the verdict: the
// same, with what they say now. A hash counts only for a task that was accepted then, and
// never replaces the one that it was accepted with.
func (x *tx) booksBefore(h *touch, u *model.Undo, before []byte, progress string) []byte {
	newPause := h.orig.Status.IsPaused != h.task.Status.IsPaused || h.orig.Status.PauseReason != h.task.Status.PauseReason
	newAnswers := !slices.Equal(h.orig.Status.Answered, h.task.Status.Answered)
	newProgress := h.orig.Status.Progress != h.task.Status.Progress
	newHashes := !slices.Equal(h.orig.Status.ParentContentHashes, h.task.Status.ParentContentHashes)
	if !newProgress && !newHashes && !newPause && !newAnswers {
		return before
	}
	st, problems := model.DecodeStatus("", before)
	if hasError(problems) {
		return before
	}
	if newProgress {
		st.Progress = progress
	}
	if newPause && !(&model.Task{Status: st}).IsFinal() { // what has ended waits for nobody
		st.IsPaused, st.PauseReason = x.pauseWith(h.task, u.Requests)
		if !st.IsPaused && len(st.SubtaskUIDs) > 0 { // what it was paused for too has been answered since
			st.IsPaused, st.PauseReason = true, "subtasks"
		}
	}
	if newAnswers {
		st.Answered = booksAnswered(h, st.Answered)
	}
	if newHashes && st.AcceptedPlan != nil {
		for _, now := range h.task.Status.ParentContentHashes {
			if _, known := hashAt(st.ParentContentHashes, now.Key); !known {
				st.ParentContentHashes = putHash(st.ParentContentHashes, now.Key, now.Hash)
			}
		}
	}
	return model.EncodeStatus(st)
}

// pauseWith is the pause of a task as it would be if requests waited that are superseded.
func (x *tx) pauseWith(t *model.Task, reopened []model.UndoRequest) (paused bool, reason string) {
	var all []model.Request
	for _, r := range x.w.Requests() {
		again := r.State == model.RequestSuperseded && slices.ContainsFunc(reopened, func(u model.UndoRequest) bool { return u.ID == r.ID })
		if r.TaskUID == t.UID && r.Holds() && (r.IsOpen() || again) {
			all = append(all, r)
		}
	}
	before, after := model.HeldTitles(x.openOn(t.UID)), model.HeldTitles(all)
	if pause, changed := HeldPause(&t.Status, before, after); before != after && changed && pause != "" {
		return true, pause
	}
	return t.Status.IsPaused, t.Status.PauseReason
}

// booksAnswered are the answers that nothing came of before the verdict, with those since.
func booksAnswered(h *touch, before []string) []string {
	was, is := h.orig.Status.Answered, h.task.Status.Answered
	before = slices.DeleteFunc(before, func(id string) bool { return slices.Contains(was, id) && !slices.Contains(is, id) })
	for _, id := range is {
		if !slices.Contains(was, id) && !slices.Contains(before, id) {
			before = append(before, id)
		}
	}
	return before
}

// undoable refuses when there is no verdict, or when something has happened because of
// it.
func undoable(s *step) *model.Refusal {
	if q, ok := s.undoAnswer(); ok {
		return s.undoableAnswer(q)
	}
	if parts := s.lastDecompose(); len(parts) > 0 {
		return s.undoableDecompose(parts)
	}
	u := s.task.Status.Undo
	if u == nil {
		return s.refuse(model.CodeRefused, model.GuardUndo, consumed(s.task), "decide again: reject, replan or abort it")
	}
	if len(u.Tasks) == 0 && u.Transition != model.AnswerRequest { // vespe writes at least the task itself
		return s.refuse(model.CodeRefused, model.GuardUndo, "its status.json doesn't record its state before the verdict", "decide again: reject, replan or abort it")
	}
	for _, e := range u.Tasks {
		t, ok := s.w.Task(e.UID)
		switch {
		case !ok:
			return s.refuse(model.CodeRefused, model.GuardUndo,
				fmt.Sprintf("%s, which the verdict also changed, is gone", e.UID), "decide again")
		case t.Unreadable():
			return refuseUnreadable(s, t)
		case t.Status.Revision != e.Revision:
			why := consumed(t)
			if t.UID != s.task.UID {
				why = fmt.Sprintf("%s, which the verdict also changed, has changed since: %s", model.Quoted(t), why)
			}
			return s.refuse(model.CodeRefused, model.GuardUndo, why, "decide again: reject, replan or abort it")
		}
		st, problems := model.DecodeStatus("", e.Before)
		if hasError(problems) || st.CurrentState == "" {
			return s.refuse(model.CodeRefused, model.GuardUndo,
				fmt.Sprintf("can't read the state of %s before the verdict", model.Quoted(t)), "decide again")
		}
		if t.Status.CurrentState == model.Completed && st.CurrentState != model.Completed {
			if r := refuseRelied(s, t, u.At); r != nil {
				return r
			}
		}
	}
	return nil
}

// refuseRelied refuses to take back that a task is completed once somebody has begun with what depends on it.
func refuseRelied(s *step, t *model.Task, since time.Time) *model.Refusal {
	for _, uid := range s.w.DependentUIDs(t.UID) {
		d, ok := s.w.Task(uid)
		if !ok {
			continue
		}
		st := &d.Status
		if st.CurrentRun != "" && !st.RunStartedAt.Before(since) || st.CurrentState == model.Completed && st.LastUpdatedAt.After(since) {
			return s.refuse(model.CodeRefused, model.GuardUndo, fmt.Sprintf("%s, which depends on it, has been started since", model.Quoted(d)), "stop it first, or keep the verdict")
		}
	}
	return nil
}

// consumed says why there is nothing to take back: who has used the verdict, as far as
// the task tells.
func consumed(t *model.Task) string {
	st := &t.Status
	switch {
	case st.CurrentRun != "":
		return fmt.Sprintf("%s has started on it (%s)", model.OrSomebody(st.AssignedAgentUID), st.CurrentRun)
	case st.AcceptedPlan == nil && st.Review == nil:
		return "it has no verdict to undo"
	case st.CurrentState == model.Completed && !t.IsReviewed():
		return "the work has been done since"
	case st.CurrentState == model.Failed, st.CurrentState == model.Aborted:
		return "it " + endedHow(t) + " since"
	case len(st.ChangedBecause) > 0:
		return "it has changed since: " + st.ChangedBecause[0].File
	case st.IsPaused:
		return "since then it is " + pausedHow(t)
	}
	when := ""
	if !st.LastUpdatedAt.IsZero() {
		when = ", " + model.FormatTime(st.LastUpdatedAt)
	}
	return fmt.Sprintf("it has changed since (%s%s)", st.CurrentState, when)
}

// unjudge makes the verdict in the plan's review file the one that stands after a verdict was
// taken back: none, or one that a replan had taken away.
func unjudge(s *step, t *model.Task, verdict model.Name) *model.Refusal {
	if !slices.Contains([]model.Name{model.AcceptPlan, model.RejectPlan, model.QuestionPlan, model.DeferPlan}, verdict) && t.Status.Comments == nil {
		return nil
	}
	plan, _, r := s.doc(t, model.Plan)
	if r != nil {
		return r
	}
	d, r := s.discussion(t)
	if r != nil {
		return r
	}
	s.onRevision(d, t, plan)
	d.file.SetVerdict(t.Status.Review)
	d.dirty = true
	return nil
}

// reopen lets requests wait again that a verdict has superseded. One that was asked anew since, under
// the same key, stays what it is: the new one waits. The pauses of their tasks are in the files that are
// put back.
func (s *step) reopen(list []model.UndoRequest) {
	for _, was := range list {
		q, ok := s.requestOf(was.ID)
		answered := ok && q.Answer != nil && q.State != model.RequestSuperseded && s.op.Name == model.UndoVerdict && choiceStands(s)
		if !ok || q.State != model.RequestSuperseded && !answered || !(&model.Request{State: was.State}).IsOpen() || s.askedAnew(&q) {
			continue
		}
		q = q.Clone()
		q.State = was.State
		if answered {
			q.Answer = nil
		}
		s.put(q)
		s.also("it waits for an answer again: " + model.Quote(q.Title))
	}
}

// emitUndone tells of a task that an undo moved which is not its own.
func emitUndone(s *step, was, is *model.Task, u *model.Undo) {
	if stateOf(was) != stateOf(is) || (was.Status.AcceptedPlan == nil) != (is.Status.AcceptedPlan == nil) {
		s.emit(model.Event{
			Name: model.UndoVerdict, UID: is.UID, Actor: s.op.Actor, From: stateOf(was), To: stateOf(is), Cause: s.op.UID,
			Summary: fmt.Sprintf("%s is %s again: the verdict that changed it was undone", model.Quoted(is), strings.ReplaceAll(string(stateOf(is)), "_", " ")),
			Details: model.Extra{model.TextField("transition", string(u.Transition)), model.TextField("decided_at", model.FormatTime(u.At))},
		})
	}
	for _, c := range was.Status.ChangedBecause {
		if slices.ContainsFunc(is.Status.ChangedBecause, func(d model.ChangeReason) bool { return d.File == c.File }) {
			continue
		}
		s.emit(model.Event{
			Name: model.Check, UID: is.UID, Actor: SystemActor, Cause: s.op.UID, From: stateOf(is), To: stateOf(is),
			Summary: fmt.Sprintf("%s: %s matches its acceptance again", model.Quoted(is), s.fileOf(c.File)),
			Details: model.Extra{model.TextField("file", c.File), model.TextField("old", c.Old), model.TextField("new", c.Old)},
		})
	}
}

// choiceStands says whether the right to undo is that of an answer which did something by itself.
func choiceStands(s *step) bool {
	return s.task != nil && s.task.Status.Undo != nil && s.task.Status.Undo.Transition == model.AnswerRequest
}

// undoesChoice says whether an undo takes back such an answer.
func undoesChoice(s *step) bool {
	return s.op.Request() != "" && choiceStands(s) &&
		slices.ContainsFunc(s.task.Status.Undo.Requests, func(u model.UndoRequest) bool { return u.ID == s.op.Request() })
}

// askedAnew says whether another request under the same key waits.
func (x *tx) askedAnew(q *model.Request) bool {
	return q.Key != "" && slices.ContainsFunc(x.w.Requests(), func(r model.Request) bool {
		return r.ID != q.ID && r.TaskUID == q.TaskUID && r.Key == q.Key && r.Holds() == q.Holds() && r.IsOpen()
	})
}

// doUndo puts back the status files from before the verdict; only their revision counts on.
// The approval, the review and the events stay, and the event of this operation says
// that they were taken back.
func doUndo(s *step) *model.Refusal {
	if q, ok := s.undoAnswer(); ok {
		s.takeBackAnswer(q)
		return nil
	}
	if parts := s.lastDecompose(); len(parts) > 0 {
		return s.takeBackDecompose(parts)
	}
	u, read := s.task.Status.Undo, s.task.Status.Review
	wasEnded := s.task.Ended()
	for _, e := range u.Tasks {
		was, _ := s.w.Task(e.UID)
		was = was.Clone()
		t := s.edit(e.UID)
		rev, comments := t.Status.Revision, t.Status.Comments
		t.Status, _ = model.DecodeStatus("", e.Before)
		t.Status.Revision, t.Status.Comments = rev, comments // what was said stays said
		t.Status.Undo = nil
		if t.Status.CurrentRun != "" {
			s.writeRun(t, "", nil) // it is not over after all
		}
		if e.UID != s.op.UID {
			emitUndone(s, was, t, u)
		}
	}
	s.reopen(u.Requests)
	s.note(s.op.UID).Status.Undo = nil // of a choice it may be the only thing that was kept there
	t, _ := s.w.Task(s.op.UID)
	if r := unjudge(s, s.note(t.UID), u.Transition); r != nil {
		return r
	}
	s.head = fmt.Sprintf("undo %s %s", verdictNoun(u.Transition), model.Quoted(t))
	sayWhoDecided(s, u.By)
	if read != nil && read.FetchedBy != "" {
		s.say(fmt.Sprintf("%s has already read it (%s)", read.FetchedBy, model.FormatTime(read.FetchedAt)))
		s.detail(model.TextField("fetched_by", string(read.FetchedBy)))
	}
	s.detail(model.TextField("transition", string(u.Transition)))
	s.detail(model.TextField("decided_at", model.FormatTime(u.At)))
	if wasEnded || !t.Ended() {
		return nil
	}
	if t.Status.CurrentState != model.Completed {
		if p := s.parent(t); p != nil && s.touched[p.UID] == nil {
			return s.childEnded(t, false)
		}
		return nil
	}
	// It is completed again. Whoever began to wait for it meanwhile need not; that somebody
	// has written into its result is not this operation's to find.
	if r := s.resultSpread(t, false); r != nil {
		return r
	}
	if p := s.parent(t); p != nil && s.touched[p.UID] != nil {
		return nil // restored, too
	}
	return s.childEnded(t, true)
}

// verdictNoun is a verdict as that which an undo undoes.
func verdictNoun(name model.Name) string {
	switch name {
	case model.AcceptPlan:
		return "the acceptance of the plan of"
	case model.RejectPlan:
		return "the rejection of the plan of"
	case model.ReviewAccepted:
		return "the acceptance of the work of"
	case model.ReviewRejected:
		return "the rejection of the work of"
	case model.QuestionPlan:
		return "the question about the plan of"
	case model.DeferPlan:
		return "the deferral of the plan of"
	case model.Revalidate:
		return "the revalidation of"
	case model.Replan:
		return "the request to replan"
	case model.Reopen:
		return "the reopening of"
	case model.Skip:
		return "the skip of"
	default:
		return "the verdict on"
	}
}

// sayWhoDecided names the person whose decision is undone, if it is someone else.
func sayWhoDecided(s *step, by model.Actor) {
	if by != s.op.Actor {
		s.say("it was decided by " + string(by))
	}
}

func hasError(problems []model.Problem) bool {
	return slices.ContainsFunc(problems, func(p model.Problem) bool { return p.Severity == model.Error })
}
