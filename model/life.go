package model

import (
	"slices"
	"strings"
)

// Life is what the events of one task say of its state, one after the other: what status.json held
// after each, as far as events tell. The zero value is a task to which nothing has happened.
type Life struct {
	Status StatusFile
	asked  []lifeAsk // requests that wait for an answer
	// before is what was there before the last verdict, which an undo brings back.
	before  *StatusFile
	waited  []lifeAsk // requests, by then
	verdict Name
	// chosen is what was there before the last event that may have come of an answer.
	chosen lifeChosen
}

// lifeChosen is a task before what came of an answer: of one operation, which has a time.
type lifeChosen struct {
	op     string
	at     string
	status *StatusFile
	asked  []lifeAsk
}

type lifeAsk struct{ id, title string }

// Add takes the next event.
func (l *Life) Add(e *Event) {
	st := &l.Status
	if row, ok := Lookup(e.Name); ok && row.Verdict && e.Name != UndoVerdict && e.Name != AnswerRequest {
		l.before, l.waited, l.verdict = l.kept(), slices.Clone(l.asked), e.Name
	}
	switch e.Name {
	case AnswerRequest, Abort, Reopen, Skip, Replan:
		if e.OpID != "" && e.OpID != l.chosen.op {
			l.chosen = lifeChosen{e.OpID, FormatTime(e.At), l.kept(), slices.Clone(l.asked)}
		}
	}
	if e.Name == UndoVerdict {
		l.takeBack(e)
	}
	if e.To != "" {
		st.CurrentState = e.To
	}
	st.LastUpdatedAt = e.At
	verdict := func(of, word string) *Review {
		return &Review{Of: of, Verdict: word, By: e.Actor, At: e.At, Reason: e.Reason, Revision: st.PlanRevision}
	}
	switch e.Name {
	case DefineObjective:
		st.ObjectiveRevision = max(st.ObjectiveRevision, e.Number("revision"))
	case DefinePlan:
		st.PlanRevision, st.AcceptedPlan, st.Review = max(st.PlanRevision, e.Number("revision")), nil, nil
		st.ChangedBecause = nil
	case AcceptPlan:
		st.PlanRevision = max(st.PlanRevision, e.Number("revision"))
		st.Review, st.ChangedBecause = verdict("plan", VerdictAccepted), nil
		st.AcceptedPlan = &AcceptedPlan{PlanRevision: st.PlanRevision, ObjectiveRevision: st.ObjectiveRevision, By: e.Actor, At: e.At}
	case RejectPlan:
		st.AcceptedPlan, st.ChangedBecause, st.Review = nil, nil, verdict("plan", VerdictRejected)
	case ReviewAccepted, Skip:
		st.ChangedBecause, st.Review = nil, verdict("work", VerdictAccepted)
	case StopRun:
		st.EndRun(e.At, false)
	case ReviewRejected:
		st.AcceptedPlan, st.ChangedBecause, st.Review = nil, nil, verdict("work", VerdictRejected)
	case Replan:
		st.AcceptedPlan, st.ChangedBecause, st.Review = nil, nil, nil
	case ExternalEdit:
		st.ObjectiveRevision = max(st.ObjectiveRevision, e.Number("objective_revision"))
		st.PlanRevision = max(st.PlanRevision, e.Number("plan_revision"))
	case Start:
		st.CurrentRun, st.RunStartedAt, st.AssignedAgentUID = e.Text("run"), e.At, Actor(e.Text("worker"))
	case WorkCompleted:
		st.Review = nil
		if e.From == ObjectiveDefined { // a phase: what it drafted is reviewed with its parent
			st.Review = verdict("work", VerdictAccepted)
		}
	case Abort:
		st.ChangedBecause = nil
	case RaiseError:
		st.PreviousState, st.ErrorDetails = e.From, e.Reason
	}
	l.flags(e)
	if e.Name != Start && (st.CurrentState != Working || e.Name == Replan) {
		st.EndRun(e.At, e.Name == WorkCompleted || e.Name == RaiseError)
	}
	if st.CurrentState != Errored && st.PauseKind() != "subtasks" {
		st.PreviousState, st.ErrorDetails = "", ""
	}
}

// kept is a copy of the status that later events leave alone.
func (l *Life) kept() *StatusFile {
	was := l.Status
	was.SubtaskUIDs, was.ChangedBecause = slices.Clone(was.SubtaskUIDs), slices.Clone(was.ChangedBecause)
	return &was
}

// takeBack is what undo does: to the last verdict, or to an answer, which then waits again.
func (l *Life) takeBack(e *Event) {
	st := &l.Status
	switch of := Name(e.Text("transition")); {
	case e.Text("request") != "":
		l.ask(e)
	case of == SplitTask: // no verdict: its parts are gone again, and the acceptance stands
	case (of == AnswerRequest || e.Cause != "") && l.chosen.status != nil && l.chosen.at == e.Text("decided_at"):
		*st, l.asked, l.chosen = *l.chosen.status, l.chosen.asked, lifeChosen{}
	case l.before != nil && of == l.verdict:
		*st, l.before = *l.before, nil
		for _, a := range l.waited { // it has ended what was asked, too
			if !slices.Contains(l.asked, a) {
				l.asked = append(l.asked, a)
			}
		}
		if !st.IsPaused {
			l.hold("")
		}
	default:
		st.AcceptedPlan, st.Review = nil, nil
	}
}

// ask notes a request that waits.
func (l *Life) ask(e *Event) {
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
	pause, changed := HeldPause(st, before, l.titles())
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
func (l *Life) flags(e *Event) {
	st := &l.Status
	waits := func(uid UID) {
		if uid != "" && !slices.Contains(st.SubtaskUIDs, uid) {
			st.SubtaskUIDs = append(st.SubtaskUIDs, uid)
		}
		if !st.IsPaused {
			st.IsPaused, st.PauseReason, st.PreviousState = true, "subtasks", st.CurrentState
		}
	}
	switch e.Name {
	case Pause:
		st.IsPaused, st.PauseReason = true, e.Reason
	case Resume:
		if e.Text("request") != "" {
			break // it is an answer
		}
		st.IsPaused, st.PauseReason = len(st.SubtaskUIDs) > 0, ""
		if st.IsPaused {
			st.PauseReason = "subtasks"
		} else if len(l.asked) > 0 {
			st.IsPaused, st.PauseReason = true, "hitl: "+l.titles()
		}
	case ReviewAccepted:
		st.IsPaused, st.PauseReason, l.asked = false, "", nil
	case WorkCompleted, Skip, Abort:
		st.IsPaused, st.PauseReason, st.SubtaskUIDs = false, "", nil
	case Reopen:
		if uid := UID(e.Text("subtask")); uid != "" {
			waits(uid)
		}
	case SpawnSubtask:
		waits(UID(e.Text("subtask")))
	case HandleSubtaskCompletion:
		st.SubtaskUIDs = slices.DeleteFunc(st.SubtaskUIDs, func(uid UID) bool { return uid == UID(e.Text("subtask")) })
		if len(st.SubtaskUIDs) == 0 && st.PauseKind() == "subtasks" {
			st.IsPaused, st.PauseReason = false, ""
		}
	case Check:
		if file, was, is := e.Text("file"), e.Text("old"), e.Text("new"); file != "" {
			st.ChangedBecause = slices.DeleteFunc(st.ChangedBecause, func(c ChangeReason) bool { return c.File == file })
			if was != is {
				st.ChangedBecause = append(st.ChangedBecause, ChangeReason{File: file, Old: was, New: is})
			}
		}
	case Revalidate:
		st.ChangedBecause = nil
	}
	l.requests(e)
	if e.To == Failed || e.To == Aborted { // nobody waits for it, and it for nobody
		st.IsPaused, st.PauseReason, st.SubtaskUIDs, l.asked = false, "", nil, nil
	}
}

// requests is what an event says of what a person has to answer.
func (l *Life) requests(e *Event) {
	switch id := e.Text("request"); {
	case id == "":
	case e.Name == Ask, e.Name == Escalate && !IsEscalation(id):
		l.ask(e)
	case e.Name == Settle || (e.Name == AnswerRequest || e.Name == Resume) && Decision(e.Text("decision")) != DecideDefer:
		before := l.titles()
		l.asked = slices.DeleteFunc(l.asked, func(r lifeAsk) bool { return r.id == id })
		l.hold(before)
	}
}

// Word is the status that a task of this state has by itself: one that is blocked is "ready", since
// no event of its own says whether what it depends on is done.
func (l *Life) Word() Status {
	return StatusOf(&Task{Status: l.Status, HasPlan: l.Status.PlanRevision > 0}, len(l.Status.ChangedBecause) > 0)
}
