package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/edits"
	"vespe/model/lifecycle/internal/machine"
)

func doStart(s *machine.Step) *model.Refusal {
	if waits, r := askConsent(s); waits || r != nil {
		return r
	}
	giveConsent(s)
	t := s.Edit(s.Op.UID)
	st := &t.Status
	st.AssignedAgentUID = model.ArgsOf[model.NewRun](&s.Op).Worker
	if st.AssignedAgentUID == "" {
		st.AssignedAgentUID = s.Op.Actor
	}
	st.CurrentRun = runOf(&s.Op)
	st.RunStartedAt = s.Op.At
	if _, subtasks := s.CountChildren(t.UID); subtasks == 0 {
		st.Progress = "" // what was said of an earlier attempt
	}
	s.To(t, model.Working)
	s.WriteRun(t, "", nil)
	s.Detail(model.TextField("run", st.CurrentRun))
	s.Detail(model.TextField("worker", string(st.AssignedAgentUID)))
	s.Say(machine.WorkedOn, st.AssignedAgentUID)
	return nil
}

// runOf is the run's id: the given one, or one made from the operation's.
func runOf(op *model.Op) string {
	switch id := model.ArgsOf[model.NewRun](op).ID; {
	case id != "":
		return id
	case model.ValidRun("run-" + op.ID):
		return "run-" + op.ID
	}
	return "run-" + model.HashBytes([]byte(op.ID))[len(model.HashPrefix):][:16]
}

// endRun closes the live run, if there is one.
func endRun(s *machine.Step, t *model.Task, outcome string) {
	st := &t.Status
	if st.CurrentRun == "" {
		return
	}
	var report *model.RunReport
	if r := reportOf(&s.Op); r != nil && s.Op.UID == t.UID {
		report = machine.BoundedReport(r)
	}
	s.WriteRun(t, outcome, report)
	s.Tick(t, report)
	s.Detail(model.TextField("run", st.CurrentRun))
	st.EndRun(s.Op.At, outcome == model.RunCompleted || outcome == model.RunErrored || outcome == model.RunFailed)
}

// clearFlags is what every end of a task does.
func clearFlags(t *model.Task) {
	st := &t.Status
	st.IsPaused, st.PauseReason, st.PausedBy, st.PreviousState = false, "", "", ""
	st.AssignedAgentUID = ""
	st.SubtaskUIDs = nil
}

func doWorkCompleted(s *machine.Step) *model.Refusal {
	t := s.Edit(s.Op.UID)
	endRun(s, t, model.RunCompleted)
	clearFlags(t)
	t.Status.ErrorDetails, t.Status.ByHand = "", ""
	t.Status.Review = nil
	s.To(t, model.Completed)
	s.Say(machine.WorkWaits)
	edits.WarnOfSteps(s, t)
	if r := recordResult(s, t, s.Op.Text()); r != nil {
		return r
	}
	if r := phaseEnded(s, t); r != nil {
		return r
	}
	if r := binding.ResultSpread(s, t, true); r != nil {
		return r
	}
	return childEnded(s.Tx, t, true)
}

// recordResult notes what result/ holds. A summary becomes result/summary.md only where
// result/ has no other file, so that whoever consumes the result finds something: a
// worker that leaves files has said it all, and its summary is in the history.
func recordResult(s *machine.Step, t *model.Task, summary string) *model.Refusal {
	const name = "summary.md"
	hash, known, r := s.ResultHash(t)
	if r != nil || !known {
		return r
	}
	if text := strings.TrimSpace(summary); text != "" {
		s.Detail(model.TextField("summary", text))
		old, err := s.World.ResultFile(t.UID, name)
		alone := err == nil && model.HashResult([]model.ResultFile{{Path: name, Hash: model.HashBytes(old)}}) == hash
		if hash == "" || alone {
			s.Write(model.TaskFile(t.UID, "result/"+name), []byte(text+"\n"), false)
			if hash, _, r = s.ResultHash(t); r != nil {
				return r
			}
		}
	}
	s.Detail(model.TextField("result_sha256", hash))
	return nil
}

func doReviewAccepted(s *machine.Step) *model.Refusal {
	objective, plan, r := recordBoth(s)
	if r != nil {
		return r
	}
	warnOfWork(s, s.Task)
	edits.WarnOfSteps(s, s.Task)
	t := s.Edit(s.Op.UID)
	t.Status.ChangedBecause = nil
	t.Status.IsPaused, t.Status.PauseReason, t.Status.PausedBy = false, "", "" // it is final: nothing could take a pause back
	t.Status.Review = verdict(s, "work", "accepted", t.Status.PlanRevision)
	if r := comment(s, t, objective, plan, s.Op.Comments()); r != nil {
		return r
	}
	binding.WriteReview(s, t, plan.Hash)
	_, file, hash, r := binding.WriteApproval(s, t, objective, plan)
	if r != nil {
		return r
	}
	t.Status.Review.Approval, t.Status.Review.ApprovalHash = file, hash
	s.Say(machine.IsDone)
	return nil
}

// warnOfWork says what a person may not know who judges finished work: that it was done while the plan
// was not the accepted one, and what of the plan was not to be done.
func warnOfWork(s *machine.Step, t *model.Task) {
	a := t.Status.AcceptedPlan
	if a == nil {
		return
	}
	if reasons, r := binding.Staleness(s, t); r == nil && len(reasons) > 0 {
		var files []string
		for i, c := range reasons {
			if i == 5 {
				files = append(files, fmt.Sprintf("%d more", len(reasons)-i))
				break
			}
			files = append(files, model.FileOf(s.World, c.File))
		}
		s.Warnings = append(s.Warnings, "what was accepted has changed since, so the work may follow either version: "+strings.Join(files, ", "))
	}
	if len(a.Excluded) > 0 {
		s.Warnings = append(s.Warnings, "the plan was accepted without "+partNames(a.Excluded))
	}
}

func doReviewRejected(s *machine.Step) *model.Refusal {
	objective, plan, r := recordBoth(s)
	if r != nil {
		return r
	}
	t := s.Edit(s.Op.UID)
	again := model.ArgsOf[model.Rejection](&s.Op).Again
	if !again {
		unaccept(t)
	}
	t.Status.Review = verdict(s, "work", "rejected", t.Status.PlanRevision)
	if r := comment(s, t, objective, plan, s.Op.Comments()); r != nil {
		return r
	}
	to := model.Replanned
	if again {
		t.Status.RetryCount, t.Status.ByHand = 0, ""
		if to, r = retryState(s, t); r != nil {
			return r
		}
		s.Detail(model.BoolField("again", true))
	}
	s.To(t, to)
	binding.WriteReview(s, t, plan.Hash)
	switch {
	case to == model.Working:
		s.Say(machine.CanRetry)
	case t.Status.AcceptedPlan != nil:
		s.Say(machine.PlanStillAccepted)
	default:
		s.Say(machine.NeedsNewPlan)
	}
	sayWaits(s, t, " again")
	return reopened(s, t)
}

func doRaiseError(s *machine.Step) *model.Refusal {
	by := model.ArgsOf[model.ErrorReport](&s.Op)
	details := strings.TrimSpace(by.Details)
	t := s.Edit(s.Op.UID)
	if by.Failure {
		s.Deed = model.Deed{Verb: "fail", Object: model.Quoted(t)}
		return fail(s, t, details)
	}
	if t.Status.CurrentState != model.Errored {
		t.Status.PreviousState = t.Status.CurrentState
	}
	t.Status.ErrorDetails = details
	endRun(s, t, model.RunErrored)
	s.To(t, model.Errored)
	s.Say(machine.CanBeRetried)
	return nil
}

// fail ends a task without success and tells whoever waited for it.
func fail(s *machine.Step, t *model.Task, details string) *model.Refusal {
	endRun(s, t, model.RunFailed)
	clearFlags(t)
	t.Status.ErrorDetails, t.Status.ByHand = details, ""
	s.To(t, model.Failed)
	s.Say(machine.FailedForGood)
	return childEnded(s.Tx, t, false)
}

func doRetry(s *machine.Step) *model.Refusal {
	t := s.Edit(s.Op.UID)
	st := &t.Status
	st.RetryCount++
	most := model.AttemptsOf(t, s.Policy)
	s.Detail(model.IntField("retry_count", st.RetryCount))
	if st.RetryCount >= most {
		last := st.ErrorDetails
		s.Say(machine.LastAttempt, st.RetryCount, most)
		if r := fail(s, t, last); r != nil {
			return r
		}
		if _, held := pending(s.Tx, model.SubtaskFailedKey(t.UID)); held {
			return nil // the question about its parent is the question about it
		}
		file(s.Tx, model.Request{
			TaskUID: t.UID, Key: model.AttemptsKey(t.UID),
			Title:  fmt.Sprintf("%s failed after %s%s", model.Quoted(t), model.Plural(most, "attempt", "attempts"), howManyWait(s.Tx, t.UID)),
			Detail: "The last error was: " + orNone(last) + hangsOn(s.Tx, t.UID), Options: optionsOf(attemptsChoices),
		}, true)
		return nil
	}
	to, r := retryState(s, t)
	if r != nil {
		return r
	}
	st.ErrorDetails = ""
	st.PreviousState = ""
	s.To(t, to)
	s.Say(machine.Attempt, st.RetryCount+1, most)
	switch {
	case to == model.Working:
		s.Say(machine.CanStart)
	case st.AcceptedPlan != nil:
		s.Say(machine.PlanStillAccepted)
	default:
		s.SayState(to)
	}
	return nil
}

// retryState is the furthest state that a task's files support. A plan that was rejected
// supports nothing, and an acceptance that no longer matches the bytes is void.
func retryState(s *machine.Step, t *model.Task) (model.State, *model.Refusal) {
	st := &t.Status
	if st.AcceptedPlan != nil {
		diffs, r := binding.ApprovalDiffs(s.Tx, t)
		switch {
		case r != nil:
			return "", r
		case len(diffs) > 0:
			unaccept(t)
		case len(binding.Changes(s.Tx, t)) == 0 && binding.MayBegin(s.Tx, t):
			return model.Working, nil
		default:
			return model.PlanDefined, nil
		}
	}
	rejected := st.Review != nil && st.Review.Verdict == "rejected" && st.Review.Revision == st.PlanRevision
	switch {
	case t.HasPlan && !rejected:
		return model.PlanDefined, nil
	case t.HasObjective:
		return model.ObjectiveDefined, nil
	}
	return model.Created, nil
}

func orNone(s string) string {
	if s == "" {
		return "none was given"
	}
	return s
}

func doPause(s *machine.Step) *model.Refusal {
	t := s.Edit(s.Op.UID)
	t.Status.IsPaused = true
	t.Status.PauseReason, t.Status.PausedBy = strings.TrimSpace(s.Op.Reason), s.Op.Actor
	if t.Status.PauseKind() == "hitl" {
		s.Say(machine.OnlyPersonResumes)
	}
	return nil
}

// doResume takes a pause back. The task still waits for open requests, then for open subtasks.
func doResume(s *machine.Step) *model.Refusal {
	if resumeAnswering(s) {
		return nil
	}
	t := s.Edit(s.Op.UID)
	st := &t.Status
	st.SubtaskUIDs = slices.DeleteFunc(st.SubtaskUIDs, func(c model.UID) bool { return !s.IsOpen(c) })
	open := model.HeldTitles(s.OpenOn(t.UID))
	switch {
	case open != "":
		st.PauseReason, st.PausedBy = "hitl: "+open, ""
		s.Say(machine.StillWaitsForPerson, "It")
	case len(st.SubtaskUIDs) > 0:
		st.PauseReason = "subtasks"
		s.Say(machine.StillWaitsFor, "It", st.SubtaskUIDs)
	default:
		unpause(t)
	}
	return nil
}

func unpause(t *model.Task) {
	t.Status.IsPaused, t.Status.PauseReason, t.Status.PausedBy = false, "", ""
	if t.Status.CurrentState != model.Errored {
		t.Status.PreviousState = ""
	}
}

// reportOf is what is known of the live run, by the operation that ends it. It goes into run.json, and what it says of the
// acceptance criteria into spec.json.
func reportOf(op *model.Op) *model.RunReport {
	switch args := op.Args.(type) {
	case model.Completion:
		return args.Report
	case model.ErrorReport:
		return args.Report
	case model.RunEnd:
		return args.Report
	}
	return nil
}

// doCheck compares everything that a task was accepted with to what is there. It
// leaves reasons alone that it cannot look at.
func doCheck(s *machine.Step) *model.Refusal {
	reasons := s.Task.Status.ChangedBecause
	if s.Task.HasStandingAcceptance() {
		var r *model.Refusal
		if reasons, r = binding.Staleness(s, s.Task); r != nil {
			return r
		}
	}
	files := make([]string, len(reasons))
	for i, c := range reasons {
		files[i] = c.File
	}
	differ := strings.Join(files, ", ") + model.VerbFor(len(files), " differs", " differ")
	if slices.Equal(reasons, s.Task.Status.ChangedBecause) {
		s.Quiet = true
		if len(reasons) > 0 {
			s.Say(machine.DifferAsRecorded, differ)
			return nil
		}
		s.Say(machine.NothingChanged)
		return nil
	}
	t := s.Edit(s.Op.UID)
	t.Status.ChangedBecause = reasons
	if len(reasons) == 0 {
		s.Say(machine.MatchesAgain)
		return nil
	}
	s.Say(machine.Differ, differ)
	s.Detail(model.ListField("files", files))
	return nil
}
