package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
)

// settleUndo keeps the right to undo. Tasks of which only books were kept are still where
// their verdict left them; the subject of a person's verdict gets a new right.
func settleUndo(x *machine.Tx) {
	for i := 0; i < len(x.Order); i++ { // grows while it runs
		if h := x.Touched[x.Order[i]]; !h.Moved {
			carryUndo(x, h)
		}
	}
	if !x.Root.Row.Verdict || x.Op.Name == model.AnswerRequest && (!x.Acted || x.Bound) || x.Op.Actor.Kind() != model.Human {
		return
	}
	subject, ok := x.Touched[x.Op.UID]
	if !ok {
		return
	}
	u := &model.Undo{Transition: x.Op.Name, By: x.Op.Actor, At: x.Op.At, Requests: x.Closed}
	for _, uid := range x.Order {
		h := x.Touched[uid]
		if !h.Judged || h.Before == nil {
			continue
		}
		before := h.Before.Status
		before.Undo, before.Elsewhere = nil, nil
		e := model.UndoTask{UID: uid, Revision: h.Task.Status.Revision, Before: model.EncodeStatus(before)}
		if uid == x.Op.UID {
			u.Tasks = slices.Insert(u.Tasks, 0, e)
		} else {
			u.Tasks = append(u.Tasks, e)
		}
	}
	subject.Task.Status.Undo = u
}

// carryUndo lets rights to undo that name a task at its old revision name it at its new
// one. They are the task's own, those of its children, a verdict on which moves it, and those of the
// tasks above it, what was decided about which may have ended it.
func carryUndo(x *machine.Tx, h *machine.Touch) {
	uid, was, is := h.Task.UID, h.Orig.Status.Revision, h.Task.Status.Revision
	if u := h.Task.Status.Undo; u != nil {
		for i := range u.Tasks {
			if e := &u.Tasks[i]; e.UID == uid && e.Revision == was {
				e.Revision, e.Before = is, booksBefore(x, h, u, e.Before, h.Task.Status.Progress)
			}
		}
	}
	above := h.Task.Config.ParentUID
	for seen := map[model.UID]bool{uid: true}; above != "" && !seen[above]; {
		seen[above] = true
		p, ok := x.World.Task(above)
		if !ok {
			break
		}
		above = p.Config.ParentUID
		if i := undoes(p, uid, was); i >= 0 {
			u := x.Note(p.UID).Status.Undo
			u.Tasks[i].Revision, u.Tasks[i].Before = is, booksBefore(x, h, u, u.Tasks[i].Before, h.Task.Status.Progress)
		}
	}
	for _, c := range x.World.ChildUIDs(uid) {
		child, ok := x.World.Task(c)
		if !ok || c == uid || child.Status.Undo == nil || child.Unreadable() {
			continue
		}
		i := undoes(child, uid, was)
		if i < 0 {
			continue
		}
		u := x.Note(c).Status.Undo
		e := &u.Tasks[i]
		e.Revision, e.Before = is, booksBefore(x, h, u, e.Before, progressBefore(x, uid, child))
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
func progressBefore(x *machine.Tx, parent model.UID, child *model.Task) string {
	done, total := x.CountChildren(parent)
	if child.Status.CurrentState != model.Completed {
		done++ // only a verdict that reopened it names its parent
	}
	return fmt.Sprintf("%d/%d", done, total)
}

// booksBefore is what undo restores of a task whose books were kept since the verdict: the
// same, with what they say now. A hash counts only for a task that was accepted then, and
// never replaces the one that it was accepted with.
func booksBefore(x *machine.Tx, h *machine.Touch, u *model.Undo, before []byte, progress string) []byte {
	newPause := h.Orig.Status.IsPaused != h.Task.Status.IsPaused || h.Orig.Status.PauseReason != h.Task.Status.PauseReason
	newAnswers := !slices.Equal(h.Orig.Status.Answered, h.Task.Status.Answered)
	newProgress := h.Orig.Status.Progress != h.Task.Status.Progress
	newHashes := !slices.Equal(h.Orig.Status.ParentContentHashes, h.Task.Status.ParentContentHashes)
	if !newProgress && !newHashes && !newPause && !newAnswers {
		return before
	}
	st, problems := model.DecodeStatus("", before)
	if model.HasError(problems) {
		return before
	}
	if newProgress {
		st.Progress = progress
	}
	if newPause && !(&model.Task{Status: st}).IsFinal() { // what has ended waits for nobody
		st.IsPaused, st.PauseReason = pauseWith(x, h.Task, u.Requests)
		if !st.IsPaused && len(st.SubtaskUIDs) > 0 { // what it was paused for too has been answered since
			st.IsPaused, st.PauseReason = true, "subtasks"
		}
	}
	if newAnswers {
		st.Answered = booksAnswered(h, st.Answered)
	}
	if newHashes && st.AcceptedPlan != nil {
		for _, now := range h.Task.Status.ParentContentHashes {
			if _, known := binding.HashAt(st.ParentContentHashes, now.Key); !known {
				st.ParentContentHashes = binding.PutHash(st.ParentContentHashes, now.Key, now.Hash)
			}
		}
	}
	return model.EncodeStatus(st)
}

// pauseWith is the pause of a task as it would be if requests waited that are superseded.
func pauseWith(x *machine.Tx, t *model.Task, reopened []model.UndoRequest) (paused bool, reason string) {
	var all []model.Request
	for _, r := range x.World.Requests() {
		again := r.State == model.RequestSuperseded && slices.ContainsFunc(reopened, func(u model.UndoRequest) bool { return u.ID == r.ID })
		if r.TaskUID == t.UID && r.Holds() && (r.IsOpen() || again) {
			all = append(all, r)
		}
	}
	before, after := model.HeldTitles(x.OpenOn(t.UID)), model.HeldTitles(all)
	if pause, changed := HeldPause(&t.Status, before, after); before != after && changed && pause != "" {
		return true, pause
	}
	return t.Status.IsPaused, t.Status.PauseReason
}

// booksAnswered are the answers that nothing came of before the verdict, with those since.
func booksAnswered(h *machine.Touch, before []string) []string {
	was, is := h.Orig.Status.Answered, h.Task.Status.Answered
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
func undoable(s *machine.Step) *model.Refusal {
	if q, ok := undoAnswer(s); ok {
		return undoableAnswer(s, q)
	}
	if parts := lastDecompose(s); len(parts) > 0 {
		return undoableDecompose(s, parts)
	}
	u := s.Task.Status.Undo
	if u == nil {
		return s.Refuse(model.CodeRefused, model.GuardUndo, consumed(s.Task), "decide again: reject, replan or abort it")
	}
	if len(u.Tasks) == 0 && u.Transition != model.AnswerRequest { // vespe writes at least the task itself
		return s.Refuse(model.CodeRefused, model.GuardUndo, "its status.json doesn't record its state before the verdict", "decide again: reject, replan or abort it")
	}
	for _, e := range u.Tasks {
		t, ok := s.World.Task(e.UID)
		switch {
		case !ok:
			return s.Refuse(model.CodeRefused, model.GuardUndo,
				fmt.Sprintf("%s, which the verdict also changed, is gone", e.UID), "decide again")
		case t.Unreadable():
			return machine.RefuseUnreadable(s, t)
		case t.Status.Revision != e.Revision:
			why := consumed(t)
			if t.UID != s.Task.UID {
				why = fmt.Sprintf("%s, which the verdict also changed, has changed since: %s", model.Quoted(t), why)
			}
			return s.Refuse(model.CodeRefused, model.GuardUndo, why, "decide again: reject, replan or abort it")
		}
		st, problems := model.DecodeStatus("", e.Before)
		if model.HasError(problems) || st.CurrentState == "" {
			return s.Refuse(model.CodeRefused, model.GuardUndo,
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

// LastDecision is who made the decision on a task that undo would take back there, and when; nobody where that is an answer
// to a request, or where there is none.
func LastDecision(w model.World, t *model.Task) (model.Actor, time.Time) {
	op := model.Op{Name: model.UndoVerdict, UID: t.UID}
	s := &machine.Step{Tx: machine.Begin(lifecycle(), w, op, true), Op: op, Task: t}
	_, answer := undoAnswer(s)
	u := t.Status.Undo
	switch parts := lastDecompose(s); {
	case answer || u != nil && u.Transition == model.AnswerRequest:
		return "", time.Time{}
	case len(parts) > 0:
		return parts[0].Config.CreatedBy, parts[0].Config.CreatedAt
	case u == nil:
		return "", time.Time{}
	}
	return u.By, u.At
}

// refuseRelied refuses to take back that a task is completed once somebody has begun with what depends on it.
func refuseRelied(s *machine.Step, t *model.Task, since time.Time) *model.Refusal {
	for _, uid := range s.World.DependentUIDs(t.UID) {
		d, ok := s.World.Task(uid)
		if !ok {
			continue
		}
		st := &d.Status
		if st.CurrentRun != "" && !st.RunStartedAt.Before(since) || st.CurrentState == model.Completed && st.LastUpdatedAt.After(since) {
			return s.Refuse(model.CodeRefused, model.GuardUndo, fmt.Sprintf("%s, which depends on it, has been started since", model.Quoted(d)), "stop it first, or keep the verdict")
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
		return "it " + machine.EndedHow(t) + " since"
	case len(st.ChangedBecause) > 0:
		return "it has changed since: " + st.ChangedBecause[0].File
	case st.IsPaused:
		return "since then it is " + machine.PausedHow(t)
	}
	when := ""
	if !st.LastUpdatedAt.IsZero() {
		when = ", " + model.FormatTime(st.LastUpdatedAt)
	}
	return fmt.Sprintf("it has changed since (%s%s)", st.CurrentState, when)
}

// unjudge makes the verdict in the plan's review file the one that stands after a verdict was
// taken back: none, or one that a replan had taken away.
func unjudge(s *machine.Step, t *model.Task, verdict model.Name) *model.Refusal {
	if !slices.Contains([]model.Name{model.AcceptPlan, model.RejectPlan, model.QuestionPlan, model.DeferPlan}, verdict) && t.Status.Comments == nil {
		return nil
	}
	plan, _, r := s.Doc(t, model.Plan)
	if r != nil {
		return r
	}
	d, r := s.Discussion(t)
	if r != nil {
		return r
	}
	onRevision(d, t, plan)
	d.File.SetVerdict(t.Status.Review)
	d.Dirty = true
	return nil
}

// reopen lets requests wait again that a verdict has superseded. One that was asked anew since, under
// the same key, stays what it is: the new one waits. So does one about a failure that is over. The pauses
// of their tasks are in the files that are put back.
func reopen(s *machine.Step, list []model.UndoRequest) {
	for _, was := range list {
		q, ok := s.RequestOf(was.ID)
		answered := ok && q.Answer != nil && q.State != model.RequestSuperseded && s.Op.Name == model.UndoVerdict && choiceStands(s)
		if !ok || q.State != model.RequestSuperseded && !answered || !(&model.Request{State: was.State}).IsOpen() || askedAnew(s.Tx, &q) || failureOver(s, &q) {
			continue
		}
		q = q.Clone()
		q.State = was.State
		if answered {
			q.Answer = nil
		}
		put(s.Tx, q)
		s.Also(machine.AsksAgain, model.Quote(q.Title))
	}
}

// failureOver reports that a request asks what to do because a task ended without success, and that has
// passed.
func failureOver(s *machine.Step, q *model.Request) bool {
	uid, ok := strings.CutPrefix(q.Key, model.DepFailedKey(""))
	if !ok || q.Holds() {
		return false
	}
	t, ok := s.World.Task(model.UID(uid))
	return !ok || !t.Ended() || t.Status.CurrentState == model.Completed
}

// emitUndone tells of a task that an undo moved which is not its own.
func emitUndone(s *machine.Step, was, is *model.Task, u *model.Undo) {
	if machine.StateOf(was) != machine.StateOf(is) || (was.Status.AcceptedPlan == nil) != (is.Status.AcceptedPlan == nil) {
		s.Emit(model.Event{
			Name: model.UndoVerdict, UID: is.UID, Actor: s.Op.Actor, From: machine.StateOf(was), To: machine.StateOf(is), Cause: s.Op.UID,
			Summary: fmt.Sprintf("%s is %s again: the verdict that changed it was undone", model.Quoted(is), strings.ReplaceAll(string(machine.StateOf(is)), "_", " ")),
			Details: model.Extra{model.TextField("transition", string(u.Transition)), model.TextField("decided_at", model.FormatTime(u.At))},
		})
	}
	for _, c := range was.Status.ChangedBecause {
		if slices.ContainsFunc(is.Status.ChangedBecause, func(d model.ChangeReason) bool { return d.File == c.File }) {
			continue
		}
		s.Emit(model.Event{
			Name: model.Check, UID: is.UID, Actor: model.SystemActor, Cause: s.Op.UID, From: machine.StateOf(is), To: machine.StateOf(is),
			Summary: fmt.Sprintf("%s: %s matches its acceptance again", model.Quoted(is), s.FileOf(c.File)),
			Details: model.Extra{model.TextField("file", c.File), model.TextField("old", c.Old), model.TextField("new", c.Old)},
		})
	}
}

// choiceStands says whether the right to undo is that of an answer which did something by itself.
func choiceStands(s *machine.Step) bool {
	return s.Task != nil && s.Task.Status.Undo != nil && s.Task.Status.Undo.Transition == model.AnswerRequest
}

// undoesChoice says whether an undo takes back such an answer.
func undoesChoice(s *machine.Step) bool {
	return s.Op.Request() != "" && choiceStands(s) &&
		slices.ContainsFunc(s.Task.Status.Undo.Requests, func(u model.UndoRequest) bool { return u.ID == s.Op.Request() })
}

// askedAnew says whether another request under the same key waits.
func askedAnew(x *machine.Tx, q *model.Request) bool {
	return q.Key != "" && slices.ContainsFunc(x.World.Requests(), func(r model.Request) bool {
		return r.ID != q.ID && r.TaskUID == q.TaskUID && r.Key == q.Key && r.Holds() == q.Holds() && r.IsOpen()
	})
}

// doUndo puts back the status files from before the verdict; only their revision counts on.
// The approval, the review and the events stay, and the event of this operation says
// that they were taken back.
func doUndo(s *machine.Step) *model.Refusal {
	if q, ok := undoAnswer(s); ok {
		takeBackAnswer(s, q)
		return nil
	}
	if parts := lastDecompose(s); len(parts) > 0 {
		return takeBackDecompose(s, parts)
	}
	u, read := s.Task.Status.Undo, s.Task.Status.Review
	wasEnded := s.Task.Ended()
	for _, e := range u.Tasks {
		was, _ := s.World.Task(e.UID)
		was = was.Clone()
		t := s.Edit(e.UID)
		rev, comments := t.Status.Revision, t.Status.Comments
		t.Status, _ = model.DecodeStatus("", e.Before)
		t.Status.Revision, t.Status.Comments = rev, comments // what was said stays said
		t.Status.Undo = nil
		if t.Status.CurrentRun != "" {
			s.WriteRun(t, "", nil) // it is not over after all
		}
		if e.UID != s.Op.UID {
			emitUndone(s, was, t, u)
		}
	}
	reopen(s, u.Requests)
	s.Note(s.Op.UID).Status.Undo = nil // of a choice it may be the only thing that was kept there
	t, _ := s.World.Task(s.Op.UID)
	if r := unjudge(s, s.Note(t.UID), u.Transition); r != nil {
		return r
	}
	s.Deed = model.Deed{Verb: "undo", Object: verdictNoun(u.Transition) + " " + model.Quoted(t)}
	sayWhoDecided(s, u.By)
	if b := t.Status.Comments; b != nil && b.Open > 0 {
		s.Say(machine.Comments, model.Plural(b.Open, "open comment stays", "open comments stay"))
	}
	if read != nil && read.FetchedBy != "" {
		s.Say(machine.WasRead, read.FetchedBy)
		s.Detail(model.TextField("fetched_at", model.FormatTime(read.FetchedAt)))
		s.Detail(model.TextField("fetched_by", string(read.FetchedBy)))
	}
	s.Detail(model.TextField("transition", string(u.Transition)))
	s.Detail(model.TextField("decided_at", model.FormatTime(u.At)))
	if wasEnded || !t.Ended() {
		return nil
	}
	if t.Status.CurrentState != model.Completed {
		if p := s.Parent(t); p != nil && s.Touched[p.UID] == nil {
			return childEnded(s.Tx, t, false)
		}
		return nil
	}
	// It is completed again. Whoever began to wait for it meanwhile need not; that somebody
	// has written into its result is not this operation's to find.
	if r := binding.ResultSpread(s, t, false); r != nil {
		return r
	}
	if p := s.Parent(t); p != nil && s.Touched[p.UID] != nil {
		return nil // restored, too
	}
	return childEnded(s.Tx, t, true)
}

// verdictNoun is a verdict as that which an undo undoes.
func verdictNoun(name model.Name) string {
	switch name {
	case model.AcceptPlan:
		return "the acceptance of the plan of"
	case model.RejectPlan:
		return "the rejection of the plan of"
	case model.ReviewAccepted:
		return "the acceptance of the work on"
	case model.ReviewRejected:
		return "the rejection of the work on"
	case model.QuestionPlan:
		return "the question about the plan of"
	case model.DeferPlan:
		return "the deferral of the plan of"
	case model.Revalidate:
		return "the revalidation of"
	case model.Replan:
		return "the request for a new plan for"
	case model.Reopen:
		return "the reopening of"
	case model.Skip:
		return "the skip of"
	default:
		return "the verdict on"
	}
}

// sayWhoDecided names the person whose decision is undone, if it is someone else.
func sayWhoDecided(s *machine.Step, by model.Actor) {
	if by != s.Op.Actor {
		s.Say(machine.DecidedByOther, by)
	}
}
