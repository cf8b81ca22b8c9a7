package history

import (
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle"
)

// Life is what the events of one task say of its state, one after the other: what status.json held
// after each, as far as events tell. The zero value is a task to which nothing has happened.
type Life struct {
	Status model.StatusFile
	asked  []lifeAsk // requests that wait for an answer
	// before is what was there before the last verdict, which an undo brings back.
	before  *model.StatusFile
	waited  []lifeAsk // requests, by then
	verdict model.Name
	// chosen is what was there before the last event that may have come of an answer.
	chosen lifeChosen
}

// lifeChosen is a task before what came of an answer: of one operation, which has a time.
type lifeChosen struct {
	op     string
	at     string
	status *model.StatusFile
	asked  []lifeAsk
}

type lifeAsk struct{ id, title string }

// Add takes the next event.
func (l *Life) Add(e *model.Event) {
	st := &l.Status
	if row, ok := lifecycle.Lookup(e.Name); ok && row.Verdict && e.Name != model.UndoVerdict && e.Name != model.AnswerRequest {
		l.before, l.waited, l.verdict = l.kept(), slices.Clone(l.asked), e.Name
	}
	switch e.Name {
	case model.AnswerRequest, model.Abort, model.Reopen, model.Skip, model.Replan:
		if e.OpID != "" && e.OpID != l.chosen.op {
			l.chosen = lifeChosen{e.OpID, model.FormatTime(e.At), l.kept(), slices.Clone(l.asked)}
		}
	}
	if e.Name == model.UndoVerdict {
		l.takeBack(e)
	}
	if e.To != "" {
		st.CurrentState = e.To
	}
	st.LastUpdatedAt = e.At
	verdict := func(of, word string) *model.Review {
		return &model.Review{Of: of, Verdict: word, By: e.Actor, At: e.At, Reason: e.Reason, Revision: st.PlanRevision}
	}
	switch e.Name {
	case model.DefineObjective:
		st.ObjectiveRevision = max(st.ObjectiveRevision, e.Number("revision"))
	case model.DefinePlan:
		st.PlanRevision, st.AcceptedPlan, st.Review = max(st.PlanRevision, e.Number("revision")), nil, nil
		st.ChangedBecause = nil
	case model.AcceptPlan:
		st.PlanRevision = max(st.PlanRevision, e.Number("revision"))
		st.Review, st.ChangedBecause = verdict("plan", model.VerdictAccepted), nil
		st.AcceptedPlan = &model.AcceptedPlan{PlanRevision: st.PlanRevision, ObjectiveRevision: st.ObjectiveRevision, By: e.Actor, At: e.At}
	case model.RejectPlan:
		st.AcceptedPlan, st.ChangedBecause, st.Review = nil, nil, verdict("plan", model.VerdictRejected)
	case model.ReviewAccepted, model.Skip:
		st.ChangedBecause, st.Review = nil, verdict("work", model.VerdictAccepted)
	case model.StopRun:
		st.EndRun(e.At, false)
	case model.ReviewRejected:
		st.Review = verdict("work", model.VerdictRejected)
		if e.To == model.Replanned { // else it is tried again
			st.AcceptedPlan, st.ChangedBecause = nil, nil
		}
	case model.Replan:
		st.AcceptedPlan, st.ChangedBecause, st.Review = nil, nil, nil
	case model.ExternalEdit:
		st.ObjectiveRevision = max(st.ObjectiveRevision, e.Number("objective_revision"))
		st.PlanRevision = max(st.PlanRevision, e.Number("plan_revision"))
	case model.Start:
		st.CurrentRun, st.RunStartedAt, st.AssignedAgentUID = e.Text("run"), e.At, model.Actor(e.Text("worker"))
	case model.WorkCompleted:
		st.Review = nil
		if e.From == model.ObjectiveDefined { // a phase: what it drafted is reviewed with its parent
			st.Review = verdict("work", model.VerdictAccepted)
		}
	case model.Abort:
		st.ChangedBecause = nil
	case model.RaiseError:
		st.PreviousState, st.ErrorDetails = e.From, e.Reason
	}
	l.flags(e)
	if e.Name != model.Start && (st.CurrentState != model.Working || e.Name == model.Replan) {
		st.EndRun(e.At, e.Name == model.WorkCompleted || e.Name == model.RaiseError)
	}
	if st.CurrentState != model.Errored && st.PauseKind() != "subtasks" {
		st.PreviousState, st.ErrorDetails = "", ""
	}
}

// kept is a copy of the status that later events leave alone.
func (l *Life) kept() *model.StatusFile {
	was := l.Status
	was.SubtaskUIDs, was.ChangedBecause = slices.Clone(was.SubtaskUIDs), slices.Clone(was.ChangedBecause)
	return &was
}

// takeBack is what undo does: to the last verdict, or to an answer, which then waits again.
func (l *Life) takeBack(e *model.Event) {
	st := &l.Status
	ended := !l.Word().Open() // what was asked since does not hold it
	switch of := model.Name(e.Text("transition")); {
	case e.Text("request") != "":
		l.ask(e)
	case model.IsDecompose(of): // no verdict: its subtasks are gone again, and the acceptance stands
	case (of == model.AnswerRequest || e.Cause != "") && l.chosen.status != nil && l.chosen.at == e.Text("decided_at"):
		*st, l.asked, l.chosen = *l.chosen.status, l.chosen.asked, lifeChosen{}
	case l.before != nil && of == l.verdict:
		*st, l.before = *l.before, nil
		for _, a := range l.waited { // it has ended what was asked, too
			if !slices.Contains(l.asked, a) {
				l.asked = append(l.asked, a)
			}
		}
		if !st.IsPaused && !ended {
			l.hold("")
		}
	default:
		st.AcceptedPlan, st.Review = nil, nil
	}
}

// ask notes a request that waits.
func (l *Life) ask(e *model.Event) {
	before, title := l.titles(), e.Text("title")
	if title == "" { // an undo names the request only
		title = "a question"
	}
	l.asked = append(l.asked, lifeAsk{e.Text("request"), title})
	l.hold(before)
}

// titles are those of the requests that wait.
func (l *Life) titles() string {
	var out []string
	for _, a := range l.asked {
		out = append(out, a.title)
	}
	return strings.Join(out, "; ")
}

// hold is the pause of a task that waited for other requests before.
func (l *Life) hold(before string) {
	st := &l.Status
	pause, changed := lifecycle.HeldPause(st, before, l.titles())
	switch {
	case !changed:
	case pause != "":
		st.IsPaused, st.PauseReason = true, pause
	case len(st.SubtaskUIDs) > 0:
		st.IsPaused, st.PauseReason = true, "subtasks"
	default:
		st.IsPaused, st.PauseReason = false, ""
	}
}

// flags is what an event says of what holds a task.
func (l *Life) flags(e *model.Event) {
	st := &l.Status
	waits := func(uid model.UID) {
		if uid != "" && !slices.Contains(st.SubtaskUIDs, uid) {
			st.SubtaskUIDs = append(st.SubtaskUIDs, uid)
		}
		if !st.IsPaused {
			st.IsPaused, st.PauseReason, st.PreviousState = true, "subtasks", st.CurrentState
		}
	}
	switch e.Name {
	case model.Pause:
		st.IsPaused, st.PauseReason = true, e.Reason
	case model.Resume:
		if e.Text("request") != "" {
			break // it is an answer
		}
		st.IsPaused, st.PauseReason = len(st.SubtaskUIDs) > 0, ""
		if st.IsPaused {
			st.PauseReason = "subtasks"
		} else if len(l.asked) > 0 {
			st.IsPaused, st.PauseReason = true, "hitl: "+l.titles()
		}
	case model.ReviewAccepted:
		st.IsPaused, st.PauseReason, l.asked = false, "", nil
	case model.WorkCompleted, model.Skip, model.Abort:
		st.IsPaused, st.PauseReason, st.SubtaskUIDs = false, "", nil
	case model.Reopen:
		if uid := model.UID(e.Text("subtask")); uid != "" {
			waits(uid)
		}
	case model.SpawnSubtask:
		waits(model.UID(e.Text("subtask")))
	case model.HandleSubtaskCompletion:
		st.SubtaskUIDs = slices.DeleteFunc(st.SubtaskUIDs, func(uid model.UID) bool { return uid == model.UID(e.Text("subtask")) })
		if len(st.SubtaskUIDs) == 0 && st.PauseKind() == "subtasks" {
			st.IsPaused, st.PauseReason = false, ""
		}
	case model.Check:
		if file, was, is := e.Text("file"), e.Text("old"), e.Text("new"); file != "" {
			st.ChangedBecause = slices.DeleteFunc(st.ChangedBecause, func(c model.ChangeReason) bool { return c.File == file })
			if was != is {
				st.ChangedBecause = append(st.ChangedBecause, model.ChangeReason{File: file, Old: was, New: is})
			}
		}
	case model.Revalidate:
		st.ChangedBecause = nil
	}
	l.requests(e)
	if e.To == model.Failed || e.To == model.Aborted { // nobody waits for it, and it for nobody
		st.IsPaused, st.PauseReason, st.SubtaskUIDs, l.asked = false, "", nil, nil
	}
}

// requests is what an event says of what a person has to answer.
func (l *Life) requests(e *model.Event) {
	switch id := e.Text("request"); {
	case id == "":
	case e.Name == model.Ask, e.Name == model.Escalate && !model.IsEscalation(id):
		l.ask(e)
	case e.Name == model.Settle || (e.Name == model.AnswerRequest || e.Name == model.Resume) && model.Decision(e.Text("decision")) != model.DecideDefer:
		before := l.titles()
		l.asked = slices.DeleteFunc(l.asked, func(r lifeAsk) bool { return r.id == id })
		l.hold(before)
	}
}

// Word is the status that a task of this state has by itself: one that is blocked is "ready", since
// no event of its own says whether what it depends on is done.
func (l *Life) Word() model.Status {
	return model.StatusOf(&model.Task{Status: l.Status, HasPlan: l.Status.PlanRevision > 0}, len(l.Status.ChangedBecause) > 0)
}
