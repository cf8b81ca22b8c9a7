package model

import (
	"bytes"
	"fmt"
	"slices"
)

// The guards of single rows; GuardInfo says what each is about.
var (
	needPlan = check{GuardInfo{GuardPlan, "a plan that is not blank"}, func(s *step) *Refusal {
		c, known, r := s.doc(s.task, Plan)
		switch {
		case r != nil:
			return r
		case known && len(bytes.TrimSpace(c.Body)) == 0:
			return s.refuse(CodeRefused, GuardPlan, "there is no plan, or it is blank", "define a plan first")
		}
		return nil
	}}
	needSettled = check{GuardInfo{GuardSettled, "no unresolved merge conflict in objective or plan"}, func(s *step) *Refusal {
		for _, d := range []Doc{Objective, Plan} {
			c, _, r := s.doc(s.task, d)
			if r == nil {
				c.Doc = d
				r = s.refuseUnsettled(c)
			}
			if r != nil {
				return r
			}
		}
		return nil
	}}
	needStandingPlan = check{GuardInfo{GuardPlan, "if the task is accepted: a plan that is not blank"}, func(s *step) *Refusal {
		if s.task.Status.AcceptedPlan == nil {
			return nil
		}
		return needPlan.run(s)
	}}
	// A task can be working by the word of another clone: the verdict was given there, and
	// whoever wants it to count here gives it, too.
	needUnaccepted = check{GuardInfo{GuardState, "if it is working: a plan that isn't accepted in this clone"}, func(s *step) *Refusal {
		if s.task.Status.CurrentState == Working && s.task.Status.AcceptedPlan != nil && s.lacks() == "" {
			return s.refuseState()
		}
		return nil
	}}
	needUndecided = check{GuardInfo{GuardUndecided, "a plan that isn't already accepted as it is"}, func(s *step) *Refusal {
		a := s.task.Status.AcceptedPlan
		if a == nil || len(s.changes(s.task)) > 0 || s.lacks() != "" {
			return nil
		}
		diffs, r := s.approvalDiffs(s.task)
		if r != nil || len(diffs) > 0 {
			return r
		}
		if file, known, r := s.approvalReason(s.task); r != nil || known && file.Old != file.New {
			return r
		}
		why := fmt.Sprintf("its plan was already accepted by %s", OrSomebody(a.By))
		if unmet := s.unmet(s.task); len(unmet) > 0 {
			return s.refuse(CodeRefused, GuardUndecided, why, "it starts when "+s.listed(unmet)+" "+
				VerbFor(len(unmet), "is", "are")+" completed")
		}
		if cycle := s.cycleOf(s.task); cycle != nil {
			return s.refuse(CodeRefused, GuardUndecided, why, "it is in a dependency cycle: "+s.spelled(cycle)+"; remove one of these dependencies")
		}
		return s.refuse(CodeRefused, GuardUndecided, why, "start it")
	}}
	needAccepted = check{GuardInfo{GuardAccepted, "a plan that a person accepted"}, func(s *step) *Refusal {
		if s.task.Status.AcceptedPlan != nil {
			return nil
		}
		if words := s.task.ElsewhereWords(); words != "" {
			return s.refuse(CodeRefused, GuardAccepted, "its plan was "+words, "a person must confirm it: `vespe plan confirm "+s.task.UID.Short()+"`")
		}
		if s.task.Status.CurrentState == Working {
			return s.refuse(CodeRefused, GuardAccepted, "it is working, but its plan isn't accepted in this clone",
				"ask a person to accept its plan in this clone, or replan it")
		}
		return s.refuse(CodeRefused, GuardAccepted, "its plan is not accepted", "ask a person to accept its plan first")
	}}
	needDeps = check{GuardInfo{GuardDependencies, "every dependency completed, and no dependency cycle"}, func(s *step) *Refusal {
		if r := s.refuseCycle(s.cycleOf(s.task)); r != nil {
			return r
		}
		unmet := s.unmet(s.task)
		if len(unmet) == 0 {
			return nil
		}
		return s.refuse(CodeRefused, GuardDependencies, "it waits for "+s.listed(unmet), s.unmetHint(unmet))
	}}
	needUnchanged = check{GuardInfo{GuardNotChanged, "no change since it was accepted"}, func(s *step) *Refusal {
		const hint = "a person can revalidate it; or replan it"
		if c := s.changes(s.task); len(c) > 0 {
			return s.refuse(CodeRefused, GuardNotChanged, s.fileOf(c[0].File)+" has changed since its plan was accepted", hint)
		}
		diffs, r := s.depDiffs(s.task)
		if r != nil {
			return r
		}
		for _, d := range diffs {
			if d.Old != d.New {
				return s.refuse(CodeRefused, GuardNotChanged, s.fileOf(d.File)+" has changed since its plan was accepted",
					"check it; then "+hint)
			}
		}
		return nil
	}}
	needNoRun = check{GuardInfo{GuardNoRun, "no live run"}, func(s *step) *Refusal {
		st := &s.task.Status
		if st.CurrentRun == "" {
			return nil
		}
		return s.refuse(CodeRefused, GuardNoRun,
			fmt.Sprintf("%s is already working on it (%s)", OrSomebody(st.AssignedAgentUID), st.CurrentRun),
			"wait for that run, or report an error")
	}}
	// An agent's live run is its own: another agent that reports it as done has taken a
	// name wrong, or somebody's work. People and vespe itself may, to clear up; and what a
	// person started, any agent may have been asked to do.
	needOwnRun = check{GuardInfo{GuardOwnRun, "for an agent: its own live run, if it has one"}, func(s *step) *Refusal {
		st := &s.task.Status
		byAgent := func(a Actor) bool { return a.Kind() == Agent || a.Kind() == MCPClient }
		if st.CurrentRun == "" || st.AssignedAgentUID == s.op.Actor || !byAgent(st.AssignedAgentUID) || !byAgent(s.op.Actor) {
			return nil
		}
		return s.refuse(CodeRefused, GuardOwnRun,
			fmt.Sprintf("%s is working on it (%s), not %s", st.AssignedAgentUID, st.CurrentRun, s.op.Actor),
			fmt.Sprintf("ask %s or a person to report it", st.AssignedAgentUID))
	}}
	needApproval = check{GuardInfo{GuardApproval, "an approval that is unchanged, like everything it covers"}, func(s *step) *Refusal {
		if s.task.Status.AcceptedPlan.IsElsewhere() {
			return s.refuse(CodeRefused, GuardApproval, "its plan was accepted elsewhere and isn't confirmed here",
				"a person must read and accept the plan once: `vespe plan accept "+s.task.UID.Short()+"`")
		}
		if w, ok := s.w.(Approvals); !ok || !w.HasBytes() { // in a preview, what is known already has to do
			if why := s.lacks(); why != "" {
				return s.refuse(CodeDenied, GuardLevel, why, "accept it again")
			}
		}
		diffs, r := s.approvalDiffs(s.task)
		switch {
		case r != nil:
			return r
		case len(diffs) == 0:
			return s.checkApproval()
		}
		r = s.refuse(CodeConflict, GuardApproval, s.diffNames(diffs)+" "+VerbFor(len(diffs), "is", "are")+" not what was accepted",
			"check it; then a person can revalidate it, or replan it")
		r.Changed = diffs
		return r
	}}
	needRunName = check{GuardInfo{GuardRunName, "a run id that is a valid directory name"}, func(s *step) *Refusal {
		run := ArgsOf[NewRun](&s.op)
		if run.Worker != "" {
			if _, err := ParseActor(string(run.Worker)); err != nil {
				return s.refuse(CodeInvalid, GuardRunName, "the worker: "+err.Error(), "name the worker, for example agent:claude")
			}
		}
		if run.ID == "" || ValidRun(run.ID) {
			return nil
		}
		return s.refuse(CodeInvalid, GuardRunName, fmt.Sprintf("the run id %q isn't a valid directory name", run.ID),
			"use at most 64 letters, digits, `.`, `_` and `-`")
	}}
	needNoSubtask = check{GuardInfo{GuardSubtasks, "no open subtask"}, func(s *step) *Refusal {
		open := s.openSubtasks(s.task)
		if len(open) == 0 {
			return nil
		}
		return s.refuse(CodeRefused, GuardSubtasks,
			fmt.Sprintf("%s still open: %s", Plural(len(open), "subtask is", "subtasks are"), s.listed(open)),
			"complete or abort "+VerbFor(len(open), "it", "them")+" first")
	}}
	needPaused = check{GuardInfo{GuardPaused, "a paused task"}, func(s *step) *Refusal {
		if s.task.Status.IsPaused {
			return nil
		}
		return s.refuse(CodeRefused, GuardPaused, "it is not paused", "there is nothing to do")
	}}
	needNoWait = check{GuardInfo{GuardSubtasks, "no open subtask, if it only waits for subtasks"}, func(s *step) *Refusal {
		if s.task.Status.PauseKind() != "subtasks" {
			return nil
		}
		var open []UID
		for _, c := range s.task.Status.SubtaskUIDs {
			if s.isOpen(c) {
				open = append(open, c)
			}
		}
		if len(open) == 0 {
			return nil
		}
		return s.refuse(CodeRefused, GuardSubtasks, "it waits for "+s.listed(open),
			"complete or abort "+VerbFor(len(open), "it", "them")+"; then it resumes by itself")
	}}
	// What a person paused waits for a person; of a pause that nobody is known to have made one is taken for theirs.
	needOwnPause = check{GuardInfo{GuardOwnPause, "for an agent: its own pause"}, func(s *step) *Refusal {
		st := &s.task.Status
		if s.op.Actor.Kind() == Human || st.PauseKind() != "other" || st.PausedBy == s.op.Actor {
			return nil
		}
		return s.refuse(CodeDenied, GuardOwnPause, fmt.Sprintf("%s paused it, and %s can resume only its own pauses", OrSomebody(st.PausedBy), s.op.Actor),
			"ask a person to resume it")
	}}
	needChild   = check{GuardInfo{GuardSubtask, "an open child that the task does not wait for yet"}, (*step).checkChild}
	needAwaited = check{GuardInfo{GuardAwaits, "a subtask that the task waits for, and that ended as reported"}, (*step).checkAwaits}
	needChanged = check{GuardInfo{GuardChanged, "a change since it was accepted"}, func(s *step) *Refusal {
		if len(s.changes(s.task)) > 0 {
			return nil
		}
		return s.refuse(CodeRefused, GuardChanged, "it is not changed", "check it if you expect a change")
	}}
	needChangedWork = check{GuardInfo{GuardChanged, "if it is completed: a change since it was accepted"}, func(s *step) *Refusal {
		if s.task.Status.CurrentState != Completed || len(s.changes(s.task)) > 0 {
			return nil
		}
		return s.refuse(CodeRefused, GuardChanged, "it is completed and unchanged", "reject the work instead")
	}}
)

// refuseCycle refuses to begin a task that depends on itself, which no order allows,
// whatever has been completed of what it depends on.
func (s *step) refuseCycle(cycle []UID) *Refusal {
	if cycle == nil {
		return nil
	}
	r := s.refuse(CodeRefused, GuardDependencies, "it is in a dependency cycle: "+s.spelled(cycle),
		"remove one of these dependencies")
	r.Cycle = cycle
	return r
}

// unmetHint tells a dependency that may still complete from one that will not.
func (s *step) unmetHint(unmet []UID) string {
	for _, uid := range unmet {
		t, ok := s.w.Task(uid)
		switch {
		case !ok:
			return fmt.Sprintf("%s is not in this store: remove the dependency, or restore the task", uid)
		case t.Status.CurrentState == Failed, t.Status.CurrentState == Aborted:
			return fmt.Sprintf("%s %s: remove the dependency, or replan", Quoted(t), endedHow(t))
		}
	}
	return "complete " + VerbFor(len(unmet), "it", "them") + " first, or remove the " + VerbFor(len(unmet), "dependency", "dependencies")
}

// fileOf says which file a ChangeReason means.
func (x *tx) fileOf(file string) string { return FileOf(x.w, file) }

func (s *step) checkChild() *Refusal {
	uid := ArgsOf[SubtaskRef](&s.op).Subtask
	if s.trial && uid == "" {
		return nil
	}
	child, ok := s.w.Task(uid)
	switch {
	case !ok:
		return s.refuse(CodeNotFound, GuardSubtask, fmt.Sprintf("unknown task %q", uid), "create the subtask first")
	case uid == s.task.UID, child.Config.ParentUID != s.task.UID:
		return s.refuse(CodeRefused, GuardSubtask, Quoted(child)+" isn't a child of it", "set the parent when you create a task")
	case child.Ended():
		return s.refuse(CodeRefused, GuardSubtask, Quoted(child)+" "+endedHow(child), "there is nothing to wait for")
	case slices.Contains(s.task.Status.SubtaskUIDs, uid):
		return s.refuse(CodeRefused, GuardSubtask, "it already waits for "+Quoted(child), "there is nothing to do")
	}
	return nil
}

func (s *step) checkAwaits() *Refusal {
	end := ArgsOf[SubtaskEnd](&s.op)
	uid := end.Subtask
	if s.trial && uid == "" {
		return nil
	}
	child, ok := s.w.Task(uid)
	switch {
	case !ok:
		return s.refuse(CodeNotFound, GuardAwaits, fmt.Sprintf("unknown task %q", uid), "name a subtask")
	case !slices.Contains(s.task.Status.SubtaskUIDs, uid) &&
		(s.task.Status.CurrentState != Working || child.Config.ParentUID != s.task.UID):
		return s.refuse(CodeRefused, GuardAwaits, "it does not wait for "+Quoted(child), "there is nothing to do")
	case end.Success && child.Status.CurrentState != Completed, !end.Success && child.Status.CurrentState != Failed:
		return s.refuse(CodeRefused, GuardAwaits, Quoted(child)+" "+endedHow(child),
			"vespe does this itself when "+Quoted(child)+" completes or fails")
	}
	return nil
}
