package lifecycle

import (
	"bytes"
	"fmt"
	"slices"

	"vespe/model"
)

// The guards of single rows; GuardInfo says what each is about.
var (
	needPlan = check{GuardInfo{model.GuardPlan, "a plan that is not blank"}, func(s *step) *model.Refusal {
		c, known, r := s.doc(s.task, model.Plan)
		switch {
		case r != nil:
			return r
		case known && len(bytes.TrimSpace(c.Body)) == 0:
			return s.refuse(model.CodeRefused, model.GuardPlan, "there is no plan, or it is blank", "define a plan first")
		}
		return nil
	}}
	needSettled = check{GuardInfo{model.GuardSettled, "no unresolved merge conflict in objective or plan"}, func(s *step) *model.Refusal {
		for _, d := range []model.Doc{model.Objective, model.Plan} {
			c, _, r := s.doc(s.task, d)
			if r == nil {
				c.Doc = d
				r = refuseUnsettled(s, c)
			}
			if r != nil {
				return r
			}
		}
		return nil
	}}
	needStandingPlan = check{GuardInfo{model.GuardPlan, "if the task is accepted: a plan that is not blank"}, func(s *step) *model.Refusal {
		if s.task.Status.AcceptedPlan == nil {
			return nil
		}
		return needPlan.run(s)
	}}
	// A task can be working by the word of another clone: the verdict was given there, and
	// whoever wants it to count here gives it, too.
	needUnaccepted = check{GuardInfo{model.GuardState, "if it is working: a plan that isn't accepted in this clone"}, func(s *step) *model.Refusal {
		if s.task.Status.CurrentState == model.Working && s.task.Status.AcceptedPlan != nil && s.lacks() == "" {
			return refuseState(s)
		}
		return nil
	}}
	needUndecided = check{GuardInfo{model.GuardUndecided, "a plan that isn't already accepted as it is"}, func(s *step) *model.Refusal {
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
		why := fmt.Sprintf("its plan was already accepted by %s", model.OrSomebody(a.By))
		if unmet := s.unmet(s.task); len(unmet) > 0 {
			return s.refuse(model.CodeRefused, model.GuardUndecided, why, "it starts when "+s.listed(unmet)+" "+
				model.VerbFor(len(unmet), "is", "are")+" completed")
		}
		if cycle := s.cycleOf(s.task); cycle != nil {
			return s.refuse(model.CodeRefused, model.GuardUndecided, why, "it is in a dependency cycle: "+s.spelled(cycle)+"; remove one of these dependencies")
		}
		return s.refuse(model.CodeRefused, model.GuardUndecided, why, "start it")
	}}
	needAccepted = check{GuardInfo{model.GuardAccepted, "a plan that a person accepted"}, func(s *step) *model.Refusal {
		if s.task.Status.AcceptedPlan != nil {
			return nil
		}
		if words := s.task.ElsewhereWords(); words != "" {
			return s.refuse(model.CodeRefused, model.GuardAccepted, "its plan was "+words, "a person must confirm it: `vespe plan confirm "+s.task.UID.Short()+"`")
		}
		if s.task.Status.CurrentState == model.Working {
			return s.refuse(model.CodeRefused, model.GuardAccepted, "it is working, but its plan isn't accepted in this clone",
				"ask a person to accept its plan in this clone, or replan it")
		}
		return s.refuse(model.CodeRefused, model.GuardAccepted, "its plan is not accepted", "ask a person to accept its plan first")
	}}
	needDeps = check{GuardInfo{model.GuardDependencies, "every dependency completed, and no dependency cycle"}, func(s *step) *model.Refusal {
		if r := refuseCycle(s, s.cycleOf(s.task)); r != nil {
			return r
		}
		unmet := s.unmet(s.task)
		if len(unmet) == 0 {
			return nil
		}
		return s.refuse(model.CodeRefused, model.GuardDependencies, "it waits for "+s.listed(unmet), s.unmetHint(unmet))
	}}
	needUnchanged = check{GuardInfo{model.GuardNotChanged, "no change since it was accepted"}, func(s *step) *model.Refusal {
		const hint = "a person can revalidate it; or replan it"
		if c := s.changes(s.task); len(c) > 0 {
			return s.refuse(model.CodeRefused, model.GuardNotChanged, s.fileOf(c[0].File)+" has changed since its plan was accepted", hint)
		}
		diffs, r := s.depDiffs(s.task)
		if r != nil {
			return r
		}
		for _, d := range diffs {
			if d.Old != d.New {
				return s.refuse(model.CodeRefused, model.GuardNotChanged, s.fileOf(d.File)+" has changed since its plan was accepted",
					"check it; then "+hint)
			}
		}
		return nil
	}}
	needNoRun = check{GuardInfo{model.GuardNoRun, "no live run"}, func(s *step) *model.Refusal {
		st := &s.task.Status
		if st.CurrentRun == "" {
			return nil
		}
		return s.refuse(model.CodeRefused, model.GuardNoRun,
			fmt.Sprintf("%s is already working on it (%s)", model.OrSomebody(st.AssignedAgentUID), st.CurrentRun),
			"wait for that run, or report an error")
	}}
	// An agent's live run is its own: another agent that reports it as done has taken a
	// name wrong, or somebody's work. People and vespe itself may, to clear up; and what a
	// person started, any agent may have been asked to do.
	needOwnRun = check{GuardInfo{model.GuardOwnRun, "for an agent: its own live run, if it has one"}, func(s *step) *model.Refusal {
		st := &s.task.Status
		byAgent := func(a model.Actor) bool { return a.Kind() == model.Agent || a.Kind() == model.MCPClient }
		if st.CurrentRun == "" || st.AssignedAgentUID == s.op.Actor || !byAgent(st.AssignedAgentUID) || !byAgent(s.op.Actor) {
			return nil
		}
		return s.refuse(model.CodeRefused, model.GuardOwnRun,
			fmt.Sprintf("%s is working on it (%s), not %s", st.AssignedAgentUID, st.CurrentRun, s.op.Actor),
			fmt.Sprintf("ask %s or a person to report it", st.AssignedAgentUID))
	}}
	needApproval = check{GuardInfo{model.GuardApproval, "an approval that is unchanged, like everything it covers"}, func(s *step) *model.Refusal {
		if s.task.Status.AcceptedPlan.IsElsewhere() {
			return s.refuse(model.CodeRefused, model.GuardApproval, "its plan was accepted elsewhere and isn't confirmed here",
				"a person must read and accept the plan once: `vespe plan accept "+s.task.UID.Short()+"`")
		}
		if w, ok := s.w.(model.Approvals); !ok || !w.HasBytes() { // in a preview, what is known already has to do
			if why := s.lacks(); why != "" {
				return s.refuse(model.CodeDenied, model.GuardLevel, why, "accept it again")
			}
		}
		diffs, r := s.approvalDiffs(s.task)
		switch {
		case r != nil:
			return r
		case len(diffs) == 0:
			return checkApproval(s)
		}
		r = s.refuse(model.CodeConflict, model.GuardApproval, s.diffNames(diffs)+" "+model.VerbFor(len(diffs), "is", "are")+" not what was accepted",
			"check it; then a person can revalidate it, or replan it")
		r.Changed = diffs
		return r
	}}
	needRunName = check{GuardInfo{model.GuardRunName, "a run id that is a valid directory name"}, func(s *step) *model.Refusal {
		run := model.ArgsOf[model.NewRun](&s.op)
		if run.Worker != "" {
			if _, err := model.ParseActor(string(run.Worker)); err != nil {
				return s.refuse(model.CodeInvalid, model.GuardRunName, "the worker: "+err.Error(), "name the worker, for example agent:claude")
			}
		}
		if run.ID == "" || model.ValidRun(run.ID) {
			return nil
		}
		return s.refuse(model.CodeInvalid, model.GuardRunName, fmt.Sprintf("the run id %q isn't a valid directory name", run.ID),
			"use at most 64 letters, digits, `.`, `_` and `-`")
	}}
	needNoSubtask = check{GuardInfo{model.GuardSubtasks, "no open subtask"}, func(s *step) *model.Refusal {
		open := s.openSubtasks(s.task)
		if len(open) == 0 {
			return nil
		}
		return s.refuse(model.CodeRefused, model.GuardSubtasks,
			fmt.Sprintf("%s still open: %s", model.Plural(len(open), "subtask is", "subtasks are"), s.listed(open)),
			"complete or abort "+model.VerbFor(len(open), "it", "them")+" first")
	}}
	needPaused = check{GuardInfo{model.GuardPaused, "a paused task"}, func(s *step) *model.Refusal {
		if s.task.Status.IsPaused {
			return nil
		}
		return s.refuse(model.CodeRefused, model.GuardPaused, "it is not paused", "there is nothing to do")
	}}
	needNoWait = check{GuardInfo{model.GuardSubtasks, "no open subtask, if it only waits for subtasks"}, func(s *step) *model.Refusal {
		if s.task.Status.PauseKind() != "subtasks" {
			return nil
		}
		var open []model.UID
		for _, c := range s.task.Status.SubtaskUIDs {
			if s.isOpen(c) {
				open = append(open, c)
			}
		}
		if len(open) == 0 {
			return nil
		}
		return s.refuse(model.CodeRefused, model.GuardSubtasks, "it waits for "+s.listed(open),
			"complete or abort "+model.VerbFor(len(open), "it", "them")+"; then it resumes by itself")
	}}
	// What a person paused waits for a person; of a pause that nobody is known to have made one is taken for theirs.
	needOwnPause = check{GuardInfo{model.GuardOwnPause, "for an agent: its own pause"}, func(s *step) *model.Refusal {
		st := &s.task.Status
		if s.op.Actor.Kind() == model.Human || st.PauseKind() != "other" || st.PausedBy == s.op.Actor {
			return nil
		}
		return s.refuse(model.CodeDenied, model.GuardOwnPause, fmt.Sprintf("%s paused it, and %s can resume only its own pauses", model.OrSomebody(st.PausedBy), s.op.Actor),
			"ask a person to resume it")
	}}
	needChild   = check{GuardInfo{model.GuardSubtask, "an open child that the task does not wait for yet"}, checkChild}
	needAwaited = check{GuardInfo{model.GuardAwaits, "a subtask that the task waits for, and that ended as reported"}, checkAwaits}
	needChanged = check{GuardInfo{model.GuardChanged, "a change since it was accepted"}, func(s *step) *model.Refusal {
		if len(s.changes(s.task)) > 0 {
			return nil
		}
		return s.refuse(model.CodeRefused, model.GuardChanged, "it is not changed", "check it if you expect a change")
	}}
	needChangedWork = check{GuardInfo{model.GuardChanged, "if it is completed: a change since it was accepted"}, func(s *step) *model.Refusal {
		if s.task.Status.CurrentState != model.Completed || len(s.changes(s.task)) > 0 {
			return nil
		}
		return s.refuse(model.CodeRefused, model.GuardChanged, "it is completed and unchanged", "reject the work instead")
	}}
)

// refuseCycle refuses to begin a task that depends on itself, which no order allows,
// whatever has been completed of what it depends on.
func refuseCycle(s *step, cycle []model.UID) *model.Refusal {
	if cycle == nil {
		return nil
	}
	r := s.refuse(model.CodeRefused, model.GuardDependencies, "it is in a dependency cycle: "+s.spelled(cycle),
		"remove one of these dependencies")
	r.Cycle = cycle
	return r
}

// unmetHint tells a dependency that may still complete from one that will not.
func (s *step) unmetHint(unmet []model.UID) string {
	for _, uid := range unmet {
		t, ok := s.w.Task(uid)
		switch {
		case !ok:
			return fmt.Sprintf("%s is not in this store: remove the dependency, or restore the task", uid)
		case t.Status.CurrentState == model.Failed, t.Status.CurrentState == model.Aborted:
			return fmt.Sprintf("%s %s: remove the dependency, or replan", model.Quoted(t), endedHow(t))
		}
	}
	return "complete " + model.VerbFor(len(unmet), "it", "them") + " first, or remove the " + model.VerbFor(len(unmet), "dependency", "dependencies")
}

// fileOf says which file a ChangeReason means.
func (x *tx) fileOf(file string) string { return model.FileOf(x.w, file) }

func checkChild(s *step) *model.Refusal {
	uid := model.ArgsOf[model.SubtaskRef](&s.op).Subtask
	if s.trial && uid == "" {
		return nil
	}
	child, ok := s.w.Task(uid)
	switch {
	case !ok:
		return s.refuse(model.CodeNotFound, model.GuardSubtask, fmt.Sprintf("unknown task %q", uid), "create the subtask first")
	case uid == s.task.UID, child.Config.ParentUID != s.task.UID:
		return s.refuse(model.CodeRefused, model.GuardSubtask, model.Quoted(child)+" isn't a child of it", "set the parent when you create a task")
	case child.Ended():
		return s.refuse(model.CodeRefused, model.GuardSubtask, model.Quoted(child)+" "+endedHow(child), "there is nothing to wait for")
	case slices.Contains(s.task.Status.SubtaskUIDs, uid):
		return s.refuse(model.CodeRefused, model.GuardSubtask, "it already waits for "+model.Quoted(child), "there is nothing to do")
	}
	return nil
}

func checkAwaits(s *step) *model.Refusal {
	end := model.ArgsOf[model.SubtaskEnd](&s.op)
	uid := end.Subtask
	if s.trial && uid == "" {
		return nil
	}
	child, ok := s.w.Task(uid)
	switch {
	case !ok:
		return s.refuse(model.CodeNotFound, model.GuardAwaits, fmt.Sprintf("unknown task %q", uid), "name a subtask")
	case !slices.Contains(s.task.Status.SubtaskUIDs, uid) &&
		(s.task.Status.CurrentState != model.Working || child.Config.ParentUID != s.task.UID):
		return s.refuse(model.CodeRefused, model.GuardAwaits, "it does not wait for "+model.Quoted(child), "there is nothing to do")
	case end.Success && child.Status.CurrentState != model.Completed, !end.Success && child.Status.CurrentState != model.Failed:
		return s.refuse(model.CodeRefused, model.GuardAwaits, model.Quoted(child)+" "+endedHow(child),
			"vespe does this itself when "+model.Quoted(child)+" completes or fails")
	}
	return nil
}
