package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

func doStart(s *step) *model.Refusal {
	if waits, r := askConsent(s); waits || r != nil {
		return r
	}
	giveConsent(s)
	t := s.edit(s.op.UID)
	st := &t.Status
	st.AssignedAgentUID = model.ArgsOf[model.NewRun](&s.op).Worker
	if st.AssignedAgentUID == "" {
		st.AssignedAgentUID = s.op.Actor
	}
	st.CurrentRun = runOf(&s.op)
	st.RunStartedAt = s.op.At
	if _, subtasks := s.countChildren(t.UID); subtasks == 0 {
		st.Progress = "" // what was said of an earlier attempt
	}
	s.to(t, model.Working)
	s.writeRun(t, "", nil)
	s.detail(model.TextField("run", st.CurrentRun))
	s.detail(model.TextField("worker", string(st.AssignedAgentUID)))
	s.say(fmt.Sprintf("%s works on it", st.AssignedAgentUID))
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
func (s *step) endRun(t *model.Task, outcome string) {
	st := &t.Status
	if st.CurrentRun == "" {
		return
	}
	var report *model.RunReport
	if r := reportOf(&s.op); r != nil && s.op.UID == t.UID {
		report = boundedReport(r)
	}
	s.writeRun(t, outcome, report)
	s.tick(t, report)
	s.detail(model.TextField("run", st.CurrentRun))
	st.EndRun(s.op.At, outcome == model.RunCompleted || outcome == model.RunErrored || outcome == model.RunFailed)
}

// clearFlags is what every end of a task does.
func clearFlags(t *model.Task) {
	st := &t.Status
	st.IsPaused, st.PauseReason, st.PausedBy, st.PreviousState = false, "", "", ""
	st.AssignedAgentUID = ""
	st.SubtaskUIDs = nil
}

func doWorkCompleted(s *step) *model.Refusal {
	t := s.edit(s.op.UID)
	s.endRun(t, model.RunCompleted)
	clearFlags(t)
	t.Status.ErrorDetails, t.Status.ByHand = "", ""
	t.Status.Review = nil
	s.to(t, model.Completed)
	s.say("its work waits for review")
	warnOfSteps(s, t)
	if r := s.recordResult(t, s.op.Text()); r != nil {
		return r
	}
	if r := s.phaseEnded(t); r != nil {
		return r
	}
	if r := s.resultSpread(t, true); r != nil {
		return r
	}
	return s.childEnded(t, true)
}

// recordResult notes what result/ holds. A summary becomes result/summary.md only where
// result/ has no other file, so that whoever consumes the result finds something: a
// worker that leaves files has said it all, and its summary is in the history.
func (s *step) recordResult(t *model.Task, summary string) *model.Refusal {
	const name = "summary.md"
	hash, known, r := s.resultHash(t)
	if r != nil || !known {
		return r
	}
	if text := strings.TrimSpace(summary); text != "" {
		s.detail(model.TextField("summary", text))
		old, err := s.w.ResultFile(t.UID, name)
		alone := err == nil && model.HashResult([]model.ResultFile{{Path: name, Hash: model.HashBytes(old)}}) == hash
		if hash == "" || alone {
			s.write(model.TaskFile(t.UID, "result/"+name), []byte(text+"\n"), false)
			if hash, _, r = s.resultHash(t); r != nil {
				return r
			}
		}
	}
	s.detail(model.TextField("result_sha256", hash))
	return nil
}

func doReviewAccepted(s *step) *model.Refusal {
	objective, plan, r := s.recordBoth()
	if r != nil {
		return r
	}
	warnOfWork(s, s.task)
	warnOfSteps(s, s.task)
	t := s.edit(s.op.UID)
	t.Status.ChangedBecause = nil
	t.Status.IsPaused, t.Status.PauseReason, t.Status.PausedBy = false, "", "" // it is final: nothing could take a pause back
	t.Status.Review = s.verdict("work", "accepted", t.Status.PlanRevision)
	if r := s.comment(t, objective, plan, s.op.Comments()); r != nil {
		return r
	}
	s.writeReview(t, plan.Hash)
	_, file, hash, r := s.writeApproval(t, objective, plan)
	if r != nil {
		return r
	}
	t.Status.Review.Approval, t.Status.Review.ApprovalHash = file, hash
	s.say("done")
	return nil
}

// warnOfWork says what a person may not know who judges finished work: that it was done while the plan
// was not the accepted one, and what of the plan was not to be done.
func warnOfWork(s *step, t *model.Task) {
	a := t.Status.AcceptedPlan
	if a == nil {
		return
	}
	if reasons, r := s.stalenessOf(t); r == nil && len(reasons) > 0 {
		var files []string
		for i, c := range reasons {
			if i == 5 {
				files = append(files, fmt.Sprintf("%d more", len(reasons)-i))
				break
			}
			files = append(files, model.FileOf(s.w, c.File))
		}
		s.warnings = append(s.warnings, "what was accepted has changed since, so the work may follow either version: "+strings.Join(files, ", "))
	}
	if len(a.Excluded) > 0 {
		s.warnings = append(s.warnings, "the plan was accepted without "+s.partNames(a.Excluded))
	}
}

func doReviewRejected(s *step) *model.Refusal {
	objective, plan, r := s.recordBoth()
	if r != nil {
		return r
	}
	t := s.edit(s.op.UID)
	again := model.ArgsOf[model.Rejection](&s.op).Again
	if !again {
		s.unaccept(t)
	}
	t.Status.Review = s.verdict("work", "rejected", t.Status.PlanRevision)
	if r := s.comment(t, objective, plan, s.op.Comments()); r != nil {
		return r
	}
	to := model.Replanned
	if again {
		t.Status.RetryCount, t.Status.ByHand = 0, ""
		if to, r = s.retryState(t); r != nil {
			return r
		}
		s.detail(model.BoolField("again", true))
	}
	s.to(t, to)
	s.writeReview(t, plan.Hash)
	switch {
	case to == model.Working:
		s.say("it is ready for another attempt")
	case t.Status.AcceptedPlan != nil:
		s.say("its accepted plan is still valid")
	default:
		s.say("it needs a new plan")
	}
	if n := s.openDependents(t.UID); n > 0 {
		s.say(fmt.Sprintf("%s %s for it again", model.Plural(n, "dependent", "dependents"), model.VerbFor(n, "waits", "wait")))
	}
	return s.reopened(t)
}

func doRaiseError(s *step) *model.Refusal {
	by := model.ArgsOf[model.ErrorReport](&s.op)
	details := strings.TrimSpace(by.Details)
	t := s.edit(s.op.UID)
	if by.Failure {
		s.head = "fail " + model.Quoted(t)
		return s.fail(t, details)
	}
	if t.Status.CurrentState != model.Errored {
		t.Status.PreviousState = t.Status.CurrentState
	}
	t.Status.ErrorDetails = details
	s.endRun(t, model.RunErrored)
	s.to(t, model.Errored)
	s.say("it can be retried")
	return nil
}

// fail ends a task without success and tells whoever waited for it.
func (s *step) fail(t *model.Task, details string) *model.Refusal {
	s.endRun(t, model.RunFailed)
	clearFlags(t)
	t.Status.ErrorDetails, t.Status.ByHand = details, ""
	s.to(t, model.Failed)
	s.say("it has failed for good")
	return s.childEnded(t, false)
}

func doRetry(s *step) *model.Refusal {
	t := s.edit(s.op.UID)
	st := &t.Status
	st.RetryCount++
	most := model.AttemptsOf(t, s.policy)
	s.detail(model.IntField("retry_count", st.RetryCount))
	if st.RetryCount >= most {
		last := st.ErrorDetails
		s.say(fmt.Sprintf("attempt %d of %d was the last", st.RetryCount, most))
		if r := s.fail(t, last); r != nil {
			return r
		}
		if _, held := s.pending(model.SubtaskFailedKey(t.UID)); held {
			return nil // the question about its parent is the question about it
		}
		s.file(model.Request{
			TaskUID: t.UID, Key: model.AttemptsKey(t.UID),
			Title:  fmt.Sprintf("%s failed after %s%s", model.Quoted(t), model.Plural(most, "attempt", "attempts"), s.howManyWait(t.UID)),
			Detail: "The last error was: " + orNone(last) + s.hangsOn(t.UID), Options: optionsOf(attemptsChoices),
		}, true)
		return nil
	}
	to, r := s.retryState(t)
	if r != nil {
		return r
	}
	st.ErrorDetails = ""
	st.PreviousState = ""
	s.to(t, to)
	s.say(fmt.Sprintf("attempt %d of %d", st.RetryCount+1, most))
	switch {
	case to == model.Working:
		s.say("ready to start")
	case st.AcceptedPlan != nil:
		s.say("its accepted plan is still valid")
	default:
		s.say("it is " + strings.ReplaceAll(string(to), "_", " "))
	}
	return nil
}

// retryState is the furthest state that a task's files support. A plan that was rejected
// supports nothing, and an acceptance that no longer matches the bytes is void.
func (s *step) retryState(t *model.Task) (model.State, *model.Refusal) {
	st := &t.Status
	if st.AcceptedPlan != nil {
		diffs, r := s.approvalDiffs(t)
		switch {
		case r != nil:
			return "", r
		case len(diffs) > 0:
			s.unaccept(t)
		case len(s.changes(t)) == 0 && s.mayBegin(t):
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

func doPause(s *step) *model.Refusal {
	t := s.edit(s.op.UID)
	t.Status.IsPaused = true
	t.Status.PauseReason, t.Status.PausedBy = strings.TrimSpace(s.op.Reason), s.op.Actor
	if t.Status.PauseKind() == "hitl" {
		s.say("only a person can resume it")
	}
	return nil
}

// doResume takes a pause back. The task still waits for open requests, then for open subtasks.
func doResume(s *step) *model.Refusal {
	if s.resumeAnswering() {
		return nil
	}
	t := s.edit(s.op.UID)
	st := &t.Status
	if t.IsLeftOut() {
		s.takeInBelow(t)
	}
	st.SubtaskUIDs = slices.DeleteFunc(st.SubtaskUIDs, func(c model.UID) bool { return !s.isOpen(c) })
	open := model.HeldTitles(s.openOn(t.UID))
	switch {
	case open != "":
		st.PauseReason, st.PausedBy = "hitl: "+open, ""
		s.say("it still waits for a person")
	case len(st.SubtaskUIDs) > 0:
		st.PauseReason = "subtasks"
		s.say("it still waits for " + s.listed(st.SubtaskUIDs))
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
