package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
)

// childEnded tells the parent that a child completed or failed.
func childEnded(x *machine.Tx, t *model.Task, success bool) *model.Refusal {
	p := x.Parent(t)
	if p == nil || p.IsFinal() {
		return nil
	}
	keepProgress(x, p.UID)
	if p.Ended() {
		return nil
	}
	waits := slices.Contains(p.Status.SubtaskUIDs, t.UID)
	if !waits && (success || p.Status.CurrentState != model.Working) {
		return nil
	}
	return x.Fire(model.Op{
		ID: x.Op.ID, At: x.Op.At, Name: model.HandleSubtaskCompletion, Actor: model.SystemActor,
		UID: p.UID, Args: model.SubtaskEnd{Subtask: t.UID, Success: success},
	}, t.UID)
}

// keepProgress rewrites a parent's progress: how many of its children ended well. Aborted
// children are no longer part of the work.
func keepProgress(x *machine.Tx, uid model.UID) {
	p, _ := x.World.Task(uid)
	done, total := x.CountChildren(uid)
	if word := fmt.Sprintf("%d/%d", done, total); word != p.Status.Progress {
		x.Note(uid).Status.Progress = word
	}
}

func doHandleSubtask(s *machine.Step) *model.Refusal {
	t := s.Edit(s.Op.UID)
	st := &t.Status
	end := model.ArgsOf[model.SubtaskEnd](&s.Op)
	child, _ := s.World.Task(end.Subtask)
	s.Detail(model.TextField("subtask", string(end.Subtask)))
	s.Detail(model.BoolField("success", end.Success))
	st.SubtaskUIDs = slices.DeleteFunc(st.SubtaskUIDs, func(c model.UID) bool {
		return c == end.Subtask || !s.IsOpen(c)
	})
	if end.Success {
		s.Deed.Object = fmt.Sprintf("%s has ended under %s", model.Quoted(child), model.Quoted(t))
		resumeParent(s, t)
		return nil
	}
	s.Deed.Object = fmt.Sprintf("%s has failed under %s", model.Quoted(child), model.Quoted(t))
	if s.Policy.OnSubtaskFailure == model.SubtaskFailureHold || s.Policy.Unread != "" || s.Policy.IsSpoilt("on_subtask_failure") {
		holdFor(t, fmt.Sprintf("subtask %s failed", child.Config.Name))
		s.Say(machine.Held, "It")
		s.Also(machine.Held, t)
		file(s.Tx, model.Request{
			TaskUID: t.UID, Key: model.SubtaskFailedKey(child.UID),
			Title:  model.Quoted(t) + subtaskHeld + model.Quoted(child) + " failed",
			Detail: "The subtask's last error was: " + orNone(child.Status.ErrorDetails) + hangsOn(s.Tx, child.UID), Options: optionsOf(subtaskChoices),
		}, true)
		return nil
	}
	s.Also(machine.FailsWithIt, t)
	st.FailedBy = child.UID
	return fail(s, t, strings.TrimSuffix(fmt.Sprintf("subtask %s failed: %s", model.Quoted(child), child.Status.ErrorDetails), ": "))
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
		case asked != "" && len(asked) < machine.MaxNote:
			what = asked + "; " + what
		}
	}
	st.IsPaused, st.PauseReason = true, "hitl: "+what
}

// resumeParent lets a parent go on when it waits for no subtask any more.
func resumeParent(s *machine.Step, t *model.Task) {
	left := len(t.Status.SubtaskUIDs)
	switch {
	case left > 0:
		s.Say(machine.SubtasksOpen, model.Plural(left, "subtask is", "subtasks are"))
	case t.Status.PauseKind() == "subtasks":
		unpause(t)
		s.Say(machine.Resumes, "It")
		s.Also(machine.Resumes, t)
	}
}

func doSpawnSubtask(s *machine.Step) *model.Refusal {
	subtask := model.ArgsOf[model.SubtaskRef](&s.Op).Subtask
	await(s.Edit(s.Op.UID), subtask)
	s.Deed = model.Deed{Verb: "spawn", Object: s.Named(subtask) + " under " + model.Quoted(s.Task)}
	s.Say(machine.WaitsForSubtasks)
	s.Detail(model.TextField("subtask", string(subtask)))
	return nil
}

// await makes a working task wait for a child. A pause for another reason stays what it
// is until it is resumed.
func await(t *model.Task, child model.UID) {
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
func reopened(s *machine.Step, t *model.Task) *model.Refusal {
	p := s.Parent(t)
	if p == nil || p.IsFinal() {
		return nil
	}
	if p.Status.CurrentState == model.Working {
		await(s.Edit(p.UID), t.UID)
		s.Also(machine.WaitsAgain, p)
	}
	keepProgress(s.Tx, p.UID)
	return nil
}

// doAbort ends a task and everything open below it.
func doAbort(s *machine.Step) *model.Refusal {
	t := s.Edit(s.Op.UID)
	abortOne(s, t)
	below := s.OpenBelow(t.UID)
	for _, uid := range below {
		child := s.Edit(uid)
		from := child.Status.CurrentState
		abortOne(s, child)
		s.Emit(model.Event{
			Name: model.Abort, UID: uid, Actor: s.Op.Actor, From: from, To: model.Aborted, Cause: t.UID,
			Reason: s.Op.Reason, Summary: fmt.Sprintf("Aborted %s: %s above it was aborted", model.Quoted(child), model.Quoted(t)),
		})
	}
	if len(below) > 0 {
		s.Deed = model.Abort.Deed(fmt.Sprintf("%s and its %s %s", model.Quoted(t),
			model.VerbFor(len(below), "subtask", model.Plural(len(below), "", "subtasks")), s.Listed(below)))
	}
	if n := binding.OpenDependents(s.Tx, t.UID); n > 0 && !s.Policy.Met(t) {
		s.Say(machine.StayBlocked, model.Plural(n, "dependent stays", "dependents stay"))
	}
	return childAborted(s, t)
}

func abortOne(s *machine.Step, t *model.Task) {
	endRun(s, t, model.RunAborted)
	clearFlags(t)
	t.Status.ChangedBecause = nil
	s.To(t, model.Aborted)
}

// childAborted takes an aborted child out of its parent's books. It counts neither as a
// success nor as a failure.
func childAborted(s *machine.Step, t *model.Task) *model.Refusal {
	p := s.Parent(t)
	if p == nil || p.IsFinal() {
		return nil
	}
	keepProgress(s.Tx, p.UID)
	if p.Ended() || !slices.Contains(p.Status.SubtaskUIDs, t.UID) {
		return nil
	}
	p = s.Edit(p.UID)
	p.Status.SubtaskUIDs = slices.DeleteFunc(p.Status.SubtaskUIDs, func(c model.UID) bool {
		return c == t.UID || !s.IsOpen(c)
	})
	if len(p.Status.SubtaskUIDs) > 0 || p.Status.PauseKind() != "subtasks" {
		return nil
	}
	unpause(p)
	s.Also(machine.Resumes, p)
	s.Emit(model.Event{
		Name: model.Resume, UID: p.UID, Actor: model.SystemActor, Cause: t.UID,
		From: p.Status.CurrentState, To: p.Status.CurrentState,
		Summary: fmt.Sprintf("%s resumes: its subtask %s was aborted", model.Quoted(p), model.Quoted(t)),
	})
	return nil
}
