package lifecycle

import (
	"bytes"
	"fmt"
	"slices"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/review"
	"vespe/model/staged"
)

// The guards of single rows; GuardInfo says what each is about.
var (
	needPlan = machine.Need(model.GuardPlan, "a plan that is not blank", func(s *machine.Step) *model.Refusal {
		c, known, r := s.Doc(s.Task, model.Plan)
		switch {
		case r != nil:
			return r
		case known && len(bytes.TrimSpace(c.Body)) == 0:
			return s.Refuse(model.CodeRefused, model.GuardPlan, "there is no plan, or it is blank", "define a plan first")
		}
		return nil
	})
	needSettled = machine.Need(model.GuardSettled, "no unresolved merge conflict in objective or plan", func(s *machine.Step) *model.Refusal {
		for _, d := range []model.Doc{model.Objective, model.Plan} {
			c, _, r := s.Doc(s.Task, d)
			if r == nil {
				c.Doc = d
				r = refuseUnsettled(s, c)
			}
			if r != nil {
				return r
			}
		}
		return nil
	})
	needStandingPlan = machine.Need(model.GuardPlan, "if the task is accepted: a plan that is not blank", func(s *machine.Step) *model.Refusal {
		if s.Task.Status.AcceptedPlan == nil {
			return nil
		}
		return needPlan.Run(s)
	})
	// A task can be working by the word of another clone: the verdict was given there, and
	// whoever wants it to count here gives it, too.
	needUnaccepted = machine.Need(model.GuardState, "if it is working: a plan that isn't accepted in this clone", func(s *machine.Step) *model.Refusal {
		if s.Task.Status.CurrentState == model.Working && s.Task.Status.AcceptedPlan != nil && binding.Lacking(s) == "" {
			return machine.RefuseState(s)
		}
		return nil
	})
	needUndecided = machine.Need(model.GuardUndecided, "a plan that isn't already accepted as it is", func(s *machine.Step) *model.Refusal {
		a := s.Task.Status.AcceptedPlan
		if a == nil || len(binding.Changes(s.Tx, s.Task)) > 0 || binding.Lacking(s) != "" {
			return nil
		}
		diffs, r := binding.ApprovalDiffs(s.Tx, s.Task)
		if r != nil || len(diffs) > 0 {
			return r
		}
		if file, known, r := binding.ApprovalReason(s.Tx, s.Task); r != nil || known && file.Old != file.New {
			return r
		}
		why := fmt.Sprintf("its plan was already accepted by %s", model.OrSomebody(a.By))
		if unmet := binding.Unmet(s.Tx, s.Task); len(unmet) > 0 {
			return s.Refuse(model.CodeRefused, model.GuardUndecided, why, "it starts when "+s.Listed(unmet)+" "+
				model.VerbFor(len(unmet), "is", "are")+" completed")
		}
		if cycle := staged.Cycle(s.World, s.Task); cycle != nil {
			return s.Refuse(model.CodeRefused, model.GuardUndecided, why, "it is in a dependency cycle: "+s.Spelled(cycle)+"; remove one of these dependencies")
		}
		return s.Refuse(model.CodeRefused, model.GuardUndecided, why, "start it")
	})
	needDeps = machine.Need(model.GuardDependencies, "every dependency completed, and no dependency cycle", func(s *machine.Step) *model.Refusal {
		if r := refuseCycle(s, staged.Cycle(s.World, s.Task)); r != nil {
			return r
		}
		unmet := binding.Unmet(s.Tx, s.Task)
		if len(unmet) == 0 {
			return nil
		}
		return s.Refuse(model.CodeRefused, model.GuardDependencies, "it waits for "+s.Listed(unmet), unmetHint(s, unmet))
	})
	needUnchanged = machine.Need(model.GuardNotChanged, "no change since it was accepted", func(s *machine.Step) *model.Refusal {
		const hint = "a person can revalidate it, or replan it"
		if c := binding.Changes(s.Tx, s.Task); len(c) > 0 {
			return s.Refuse(model.CodeRefused, model.GuardNotChanged, s.FileOf(c[0].File)+" has changed since its plan was accepted", hint)
		}
		diffs, r := binding.DepDiffs(s.Tx, s.Task)
		if r != nil {
			return r
		}
		for _, d := range diffs {
			if d.Old != d.New {
				return s.Refuse(model.CodeRefused, model.GuardNotChanged, s.FileOf(d.File)+" has changed since its plan was accepted",
					"check it; then "+hint)
			}
		}
		return nil
	})
	needNoRun = machine.Need(model.GuardNoRun, "no live run", func(s *machine.Step) *model.Refusal {
		st := &s.Task.Status
		if st.CurrentRun == "" {
			return nil
		}
		return s.Refuse(model.CodeRefused, model.GuardNoRun,
			fmt.Sprintf("%s is already working on it (%s)", model.OrSomebody(st.AssignedAgentUID), st.CurrentRun),
			"wait for that run, or report an error")
	})
	// An agent's live run is its own: another agent that reports it as done has taken a
	// name wrong, or somebody's work. People and vespe itself may, to clear up; and what a
	// person started, any agent may have been asked to do.
	needOwnRun = machine.Need(model.GuardOwnRun, "for an agent: its own live run, if it has one", func(s *machine.Step) *model.Refusal {
		st := &s.Task.Status
		byAgent := func(a model.Actor) bool { return a.Kind() == model.Agent || a.Kind() == model.MCPClient }
		if st.CurrentRun == "" || st.AssignedAgentUID == s.Op.Actor || !byAgent(st.AssignedAgentUID) || !byAgent(s.Op.Actor) {
			return nil
		}
		return s.Refuse(model.CodeRefused, model.GuardOwnRun,
			fmt.Sprintf("%s is working on it (%s), not %s", st.AssignedAgentUID, st.CurrentRun, s.Op.Actor),
			fmt.Sprintf("ask %s or a person to report it", st.AssignedAgentUID))
	})
	needApproval = machine.Need(model.GuardApproval, "an approval that is unchanged, like everything it covers", func(s *machine.Step) *model.Refusal {
		if s.Task.Status.AcceptedPlan.IsElsewhere() {
			return s.Refuse(model.CodeRefused, model.GuardApproval, "its plan was accepted elsewhere and isn't confirmed here",
				"a person must read and accept the plan once: `vespe plan accept "+s.Task.UID.Short()+"`")
		}
		if w, ok := s.World.(review.Approvals); !ok || !w.HasBytes() || w.Attestor() == nil { // in a preview, what is known already has to do
			if why := binding.Lacking(s); why != "" {
				return s.Refuse(model.CodeDenied, model.GuardLevel, why, "accept it again")
			}
		}
		diffs, r := binding.ApprovalDiffs(s.Tx, s.Task)
		switch {
		case r != nil:
			return r
		case len(diffs) == 0:
			return binding.CheckApproval(s)
		}
		r = s.Refuse(model.CodeConflict, model.GuardApproval, s.DiffNames(diffs)+" "+model.VerbFor(len(diffs), "is", "are")+" not what was accepted",
			"check it; then a person can revalidate it, or replan it")
		r.Changed = diffs
		return r
	})
	needRunName = machine.Need(model.GuardRunName, "a run id that is a valid directory name", func(s *machine.Step) *model.Refusal {
		run := model.ArgsOf[model.NewRun](&s.Op)
		if run.Worker != "" {
			if _, err := model.ParseActor(string(run.Worker)); err != nil {
				return s.Refuse(model.CodeInvalid, model.GuardRunName, "the worker: "+err.Error(), "name the worker, for example agent:claude")
			}
		}
		if run.ID == "" || model.ValidRun(run.ID) {
			return nil
		}
		return s.Refuse(model.CodeInvalid, model.GuardRunName, fmt.Sprintf("the run id %q isn't a valid directory name", run.ID),
			"use at most 64 letters, digits, `.`, `_` and `-`")
	})
	needNoSubtask = machine.Need(model.GuardSubtasks, "no open subtask", func(s *machine.Step) *model.Refusal {
		open := s.OpenSubtasks(s.Task)
		if len(open) == 0 {
			return nil
		}
		return s.Refuse(model.CodeRefused, model.GuardSubtasks,
			fmt.Sprintf("%s still open: %s", model.Plural(len(open), "subtask is", "subtasks are"), s.Listed(open)),
			"complete or abort "+model.VerbFor(len(open), "it", "them")+" first")
	})
	needPaused = machine.Need(model.GuardPaused, "a paused task", func(s *machine.Step) *model.Refusal {
		if s.Task.Status.IsPaused {
			return nil
		}
		return s.Refuse(model.CodeRefused, model.GuardPaused, "it is not paused", "there is nothing to do")
	})
	needNoWait = machine.Need(model.GuardSubtasks, "no open subtask, if it only waits for subtasks", func(s *machine.Step) *model.Refusal {
		if s.Task.Status.PauseKind() != "subtasks" {
			return nil
		}
		var open []model.UID
		for _, c := range s.Task.Status.SubtaskUIDs {
			if s.IsOpen(c) {
				open = append(open, c)
			}
		}
		if len(open) == 0 {
			return nil
		}
		return s.Refuse(model.CodeRefused, model.GuardSubtasks, "it waits for "+s.Listed(open),
			"complete or abort "+model.VerbFor(len(open), "it", "them")+", and this task resumes")
	})
	// What a person paused waits for a person; of a pause that nobody is known to have made one is taken for theirs.
	needOwnPause = machine.Need(model.GuardOwnPause, "for an agent: its own pause", func(s *machine.Step) *model.Refusal {
		st := &s.Task.Status
		if s.Op.Actor.Kind() == model.Human || st.PauseKind() != "other" || st.PausedBy == s.Op.Actor {
			return nil
		}
		return s.Refuse(model.CodeDenied, model.GuardOwnPause, fmt.Sprintf("%s paused it, and %s can resume only its own pauses", model.OrSomebody(st.PausedBy), s.Op.Actor),
			"ask a person to resume it")
	})
	needChild   = machine.Need(model.GuardSubtask, "an open child that the task does not wait for yet", checkChild)
	needAwaited = machine.Need(model.GuardAwaits, "a subtask that the task waits for, and that ended as reported", checkAwaits)
	needChanged = machine.Need(model.GuardChanged, "a change since it was accepted", func(s *machine.Step) *model.Refusal {
		if len(binding.Changes(s.Tx, s.Task)) > 0 {
			return nil
		}
		return s.Refuse(model.CodeRefused, model.GuardChanged, "it is not changed", "check it if you expect a change")
	})
	needChangedWork = machine.Need(model.GuardChanged, "if it is completed: a change since it was accepted", func(s *machine.Step) *model.Refusal {
		if s.Task.Status.CurrentState != model.Completed || len(binding.Changes(s.Tx, s.Task)) > 0 {
			return nil
		}
		return s.Refuse(model.CodeRefused, model.GuardChanged, "it is completed and unchanged", "reject the work instead")
	})
)

// refuseCycle refuses to begin a task that depends on itself, which no order allows,
// whatever has been completed of what it depends on.
func refuseCycle(s *machine.Step, cycle []model.UID) *model.Refusal {
	if cycle == nil {
		return nil
	}
	r := s.Refuse(model.CodeRefused, model.GuardDependencies, "it is in a dependency cycle: "+s.Spelled(cycle),
		"remove one of these dependencies")
	r.Cycle = cycle
	return r
}

// unmetHint tells a dependency that may still complete from one that will not.
func unmetHint(s *machine.Step, unmet []model.UID) string {
	for _, uid := range unmet {
		t, ok := s.World.Task(uid)
		switch {
		case !ok:
			return fmt.Sprintf("%s is not in this store: remove the dependency, or restore the task", uid)
		case t.Status.CurrentState == model.Failed, t.Status.CurrentState == model.Aborted:
			return fmt.Sprintf("%s %s: remove the dependency, or replan", model.Quoted(t), machine.EndedHow(t))
		}
	}
	return "complete " + model.VerbFor(len(unmet), "it", "them") + " first, or remove the " + model.VerbFor(len(unmet), "dependency", "dependencies")
}

func checkChild(s *machine.Step) *model.Refusal {
	uid := model.ArgsOf[model.SubtaskRef](&s.Op).Subtask
	if s.Trial && uid == "" {
		return nil
	}
	child, ok := s.World.Task(uid)
	switch {
	case !ok:
		return s.Refuse(model.CodeNotFound, model.GuardSubtask, fmt.Sprintf("unknown task %q", uid), "create the subtask first")
	case uid == s.Task.UID, child.Config.ParentUID != s.Task.UID:
		return s.Refuse(model.CodeRefused, model.GuardSubtask, model.Quoted(child)+" isn't a child of it", "set the parent when you create a task")
	case child.Ended():
		return s.Refuse(model.CodeRefused, model.GuardSubtask, model.Quoted(child)+" "+machine.EndedHow(child), "there is nothing to wait for")
	case slices.Contains(s.Task.Status.SubtaskUIDs, uid):
		return s.Refuse(model.CodeRefused, model.GuardSubtask, "it already waits for "+model.Quoted(child), "there is nothing to do")
	}
	return nil
}

func checkAwaits(s *machine.Step) *model.Refusal {
	end := model.ArgsOf[model.SubtaskEnd](&s.Op)
	uid := end.Subtask
	if s.Trial && uid == "" {
		return nil
	}
	child, ok := s.World.Task(uid)
	switch {
	case !ok:
		return s.Refuse(model.CodeNotFound, model.GuardAwaits, fmt.Sprintf("unknown task %q", uid), "name a subtask")
	case !slices.Contains(s.Task.Status.SubtaskUIDs, uid) &&
		(s.Task.Status.CurrentState != model.Working || child.Config.ParentUID != s.Task.UID):
		return s.Refuse(model.CodeRefused, model.GuardAwaits, "it does not wait for "+model.Quoted(child), "there is nothing to do")
	case end.Success && child.Status.CurrentState != model.Completed, !end.Success && child.Status.CurrentState != model.Failed:
		return s.Refuse(model.CodeRefused, model.GuardAwaits, model.Quoted(child)+" "+machine.EndedHow(child),
			"vespe does this itself when "+model.Quoted(child)+" completes or fails")
	}
	return nil
}
