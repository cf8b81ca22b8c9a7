package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// isOpen reports that a task exists and has not ended.
func (x *tx) isOpen(uid model.UID) bool {
	t, ok := x.w.Task(uid)
	return ok && !t.Ended()
}

// openSubtasks are the tasks that keep t from being completed: those it waits for and
// those below it, once each.
func (x *tx) openSubtasks(t *model.Task) []model.UID {
	var out []model.UID
	awaited := asSet(t.Status.SubtaskUIDs)
	for _, c := range t.Status.SubtaskUIDs {
		if x.isOpen(c) {
			out = append(out, c)
		}
	}
	for _, c := range x.w.ChildUIDs(t.UID) {
		if c != t.UID && x.isOpen(c) && !awaited[c] {
			out = append(out, c)
		}
	}
	return out
}

// parent is the task above t that a cascade may write; nil when there is none.
func (x *tx) parent(t *model.Task) *model.Task {
	p, ok := x.w.Task(t.Config.ParentUID)
	if t.Config.ParentUID == "" || !ok || p.UID == t.UID || p.Unreadable() {
		return nil
	}
	return p
}

// childEnded tells the parent that a child completed or failed.
func (x *tx) childEnded(t *model.Task, success bool) *model.Refusal {
	p := x.parent(t)
	if p == nil || p.IsFinal() {
		return nil
	}
	x.keepProgress(p.UID)
	if p.Ended() {
		return nil
	}
	waits := slices.Contains(p.Status.SubtaskUIDs, t.UID)
	if !waits && (success || p.Status.CurrentState != model.Working) {
		return nil
	}
	return x.fire(model.Op{
		ID: x.op.ID, At: x.op.At, Name: model.HandleSubtaskCompletion, Actor: SystemActor,
		UID: p.UID, Args: model.SubtaskEnd{Subtask: t.UID, Success: success},
	}, t.UID)
}

// keepProgress rewrites a parent's progress: how many of its children ended well. Aborted
// children are no longer part of the work.
func (x *tx) keepProgress(uid model.UID) {
	p, _ := x.w.Task(uid)
	done, total := x.countChildren(uid)
	if word := fmt.Sprintf("%d/%d", done, total); word != p.Status.Progress {
		x.note(uid).Status.Progress = word
	}
}

func (x *tx) countChildren(uid model.UID) (done, total int) {
	for _, c := range x.w.ChildUIDs(uid) {
		child, ok := x.w.Task(c)
		if !ok || child.Status.CurrentState == model.Aborted {
			continue
		}
		total++
		if child.Status.CurrentState == model.Completed {
			done++
		}
	}
	return done, total
}

func doHandleSubtask(s *step) *model.Refusal {
	t := s.edit(s.op.UID)
	st := &t.Status
	end := model.ArgsOf[model.SubtaskEnd](&s.op)
	child, _ := s.w.Task(end.Subtask)
	s.detail(model.TextField("subtask", string(end.Subtask)))
	s.detail(model.BoolField("success", end.Success))
	st.SubtaskUIDs = slices.DeleteFunc(st.SubtaskUIDs, func(c model.UID) bool {
		return c == end.Subtask || !s.isOpen(c)
	})
	if end.Success {
		s.head = fmt.Sprintf("%s has ended under %s", model.Quoted(child), model.Quoted(t))
		s.resumeParent(t)
		return nil
	}
	s.head = fmt.Sprintf("%s has failed under %s", model.Quoted(child), model.Quoted(t))
	if holdsOnFailure(s.policy) {
		holdFor(t, fmt.Sprintf("subtask %s failed", child.Config.Name))
		s.say("it is held until a person decides")
		s.also(model.Quoted(t) + " is held until a person decides")
		s.file(model.Request{
			TaskUID: t.UID, Key: model.SubtaskFailedKey(child.UID),
			Title:  model.Quoted(t) + subtaskHeld + model.Quoted(child) + " failed",
			Detail: "The subtask's last error was: " + orNone(child.Status.ErrorDetails) + s.hangsOn(child.UID), Options: optionsOf(subtaskChoices),
		}, true)
		return nil
	}
	s.also(model.Quoted(t) + " fails with it")
	st.FailedBy = child.UID
	return s.fail(t, strings.TrimSuffix(fmt.Sprintf("subtask %s failed: %s", model.Quoted(child), child.Status.ErrorDetails), ": "))
}

// holdFor makes a task wait for a person. What a person was asked before stays asked.
func holdFor(t *model.Task, what string) {
	st := &t.Status
	if st.PauseKind() == "hitl" {
		_, asked, _ := strings.Cut(st.PauseReason, ":")
		asked = strings.TrimSpace(asked)
		switch {
		case slices.Contains(strings.Split(asked, "; "), what):
			return // another failure keeps the words of one that was decided
		case asked != "" && len(asked) < maxNote:
			what = asked + "; " + what
		}
	}
	st.IsPaused, st.PauseReason = true, "hitl: "+what
}

// resumeParent lets a parent go on when it waits for no subtask any more.
func (s *step) resumeParent(t *model.Task) {
	left := len(t.Status.SubtaskUIDs)
	switch {
	case left > 0:
		s.say(fmt.Sprintf("%s still open", model.Plural(left, "subtask", "subtasks")))
	case t.Status.PauseKind() == "subtasks":
		unpause(t)
		s.say("it resumes")
		s.also(model.Quoted(t) + " resumes")
	}
}

func doSpawnSubtask(s *step) *model.Refusal {
	subtask := model.ArgsOf[model.SubtaskRef](&s.op).Subtask
	s.await(s.edit(s.op.UID), subtask)
	s.head = fmt.Sprintf("spawn %s under %s", s.named(subtask), model.Quoted(s.task))
	s.say("it waits for its subtasks")
	s.detail(model.TextField("subtask", string(subtask)))
	return nil
}

// await makes a working task wait for a child. A pause for another reason stays what it
// is until it is resumed.
func (x *tx) await(t *model.Task, child model.UID) {
	st := &t.Status
	if !slices.Contains(st.SubtaskUIDs, child) {
		st.SubtaskUIDs = append(st.SubtaskUIDs, child)
	}
	if !st.IsPaused {
		st.IsPaused, st.PauseReason, st.PreviousState = true, "subtasks", st.CurrentState
	}
}

// reopened tells a parent that a child which had ended well is open again: one that is
// still working waits for it once more.
func (s *step) reopened(t *model.Task) *model.Refusal {
	p := s.parent(t)
	if p == nil || p.IsFinal() {
		return nil
	}
	if p.Status.CurrentState == model.Working {
		s.await(s.edit(p.UID), t.UID)
		s.also(model.Quoted(p) + " waits for it again")
	}
	s.keepProgress(p.UID)
	return nil
}

// doAbort ends a task and everything open below it.
func doAbort(s *step) *model.Refusal {
	t := s.edit(s.op.UID)
	s.abortOne(t)
	below := s.openBelow(t.UID)
	for _, uid := range below {
		child := s.edit(uid)
		from := child.Status.CurrentState
		s.abortOne(child)
		s.emit(model.Event{
			Name: model.Abort, UID: uid, Actor: s.op.Actor, From: from, To: model.Aborted, Cause: t.UID,
			Reason: s.op.Reason, Summary: fmt.Sprintf("abort %s: %s above it was aborted", model.Quoted(child), model.Quoted(t)),
		})
	}
	if len(below) > 0 {
		s.head = fmt.Sprintf("abort %s and its %s %s", model.Quoted(t),
			model.VerbFor(len(below), "subtask", model.Plural(len(below), "", "subtasks")), s.listed(below))
	}
	if n := s.openDependents(t.UID); n > 0 && !s.policy.Met(t) {
		s.say(fmt.Sprintf("%s %s blocked", model.Plural(n, "dependent", "dependents"), model.VerbFor(n, "stays", "stay")))
	}
	return s.childAborted(t)
}

func (s *step) abortOne(t *model.Task) {
	s.endRun(t, model.RunAborted)
	clearFlags(t)
	t.Status.ChangedBecause = nil
	s.to(t, model.Aborted)
}

// openBelow are the open tasks anywhere below one, top down. Completed ones keep their
// result, and an unreadable one is left alone: nothing may be written over it.
func (x *tx) openBelow(uid model.UID) []model.UID {
	seen := map[model.UID]bool{uid: true}
	queue, out := []model.UID{uid}, []model.UID(nil)
	for len(queue) > 0 {
		next := x.w.ChildUIDs(queue[0])
		queue = queue[1:]
		for _, c := range next {
			t, ok := x.w.Task(c)
			if !ok || seen[c] {
				continue
			}
			seen[c] = true
			queue = append(queue, c)
			if !t.Ended() && !t.Unreadable() {
				out = append(out, c)
			}
		}
	}
	return out
}

// childAborted takes an aborted child out of its parent's books. It counts neither as a
// success nor as a failure.
func (s *step) childAborted(t *model.Task) *model.Refusal {
	p := s.parent(t)
	if p == nil || p.IsFinal() {
		return nil
	}
	s.keepProgress(p.UID)
	if p.Ended() || !slices.Contains(p.Status.SubtaskUIDs, t.UID) {
		return nil
	}
	p = s.edit(p.UID)
	p.Status.SubtaskUIDs = slices.DeleteFunc(p.Status.SubtaskUIDs, func(c model.UID) bool {
		return c == t.UID || !s.isOpen(c)
	})
	if len(p.Status.SubtaskUIDs) > 0 || p.Status.PauseKind() != "subtasks" {
		return nil
	}
	unpause(p)
	s.also(model.Quoted(p) + " resumes")
	s.emit(model.Event{
		Name: model.Resume, UID: p.UID, Actor: SystemActor, Cause: t.UID,
		From: p.Status.CurrentState, To: p.Status.CurrentState,
		Summary: fmt.Sprintf("%s resumes: its subtask %s was aborted", model.Quoted(p), model.Quoted(t)),
	})
	return nil
}

// stateOf is the stored state; a task without status.json is created.
func stateOf(t *model.Task) model.State {
	if t.Status.CurrentState == "" {
		return model.Created
	}
	return t.Status.CurrentState
}

// holdsOnFailure says that a parent whose child failed waits for a person.
func holdsOnFailure(p model.Policy) bool {
	return p.OnSubtaskFailure == model.SubtaskFailureHold || p.Unread != "" || p.IsSpoilt("on_subtask_failure")
}
