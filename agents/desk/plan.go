package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

// mostTries is how often a call looks again because somebody else was faster.
const mostTries = 20

// SubmitPlan hands in a plan for review, as the next revision of the task's plan. The same Key, and the same bytes
// handed in again, give the review that there is. A plan that was written without knowledge of the one that stands is
// refused (CodeStale). Responses are the answers to its comments; with responses alone the plan stays as it is.
//
// The transition table says when: a task without an objective needs one, which may be given; where a plan
// is accepted, Reason says why another is needed, which takes the acceptance back and stops the work; finished work is for a person to send back.
func (d *Desk) SubmitPlan(ctx context.Context, p Plan) (Review, error) {
	answers, err := answersOf(p.Responses)
	if err == nil {
		err = checkKey(p.Key)
	}
	if err == nil {
		err = errors.Join(
			tooLarge("plan_md", len(p.PlanMD), MaxPlan, "Shorten the plan: put what is long into files, and name them."),
			tooLarge("objective", len(p.Objective), MaxText, "Shorten it."), tooLarge("reason", len(p.Reason), MaxText, "Shorten it."))
	}
	switch {
	case err != nil:
	case !utf8.ValidString(p.PlanMD):
		err = problem(CodeInvalid, "plan_md is not valid UTF-8", "Send text.")
	case strings.TrimSpace(p.PlanMD) == "" && len(answers) == 0:
		err = problem(CodeInvalid, "the plan is empty: plan_md is blank", "Write the whole plan into plan_md.")
	}
	if err != nil {
		return Review{}, err
	}
	for range mostTries {
		var r Review
		if r, err = d.submit(ctx, &p, answers); err == nil || !retryable(err) {
			return r, told(err)
		}
	}
	return Review{}, told(err)
}

// submit tries once.
func (d *Desk) submit(ctx context.Context, p *Plan, answers []model.CommentAnswer) (Review, error) {
	s, snap, t, err := d.ViewTask(ctx, p.TaskID)
	if err != nil {
		return Review{}, err
	}
	id := ""
	if p.Key != "" {
		id = opID("plan", string(d.o.Actor), string(t.UID), p.Key)
		if r, done, err := d.submitted(ctx, s, t.UID, id, p); done || err != nil {
			return r, err
		}
	}
	if strings.TrimSpace(p.PlanMD) == "" {
		return d.respond(ctx, s, t, p, answers)
	}
	stands, err := d.stands(ctx, s, t, p)
	if err != nil {
		return Review{}, err
	}
	if stands {
		if len(answers) > 0 && openOf(ctx, s, t, answers) {
			return d.respond(ctx, s, t, p, answers)
		}
		return d.seen(ctx, s, snap, subject{kind: KindPlan, uid: t.UID, revision: t.Status.PlanRevision}, d.polls(PlanReviewID(t.UID, t.Status.PlanRevision)))
	}
	ops, err := d.planOps(t, p, answers)
	if err != nil {
		return Review{}, err
	}
	for i := range ops {
		if id != "" {
			ops[i].ID = id
			if ops[i].Name != model.DefinePlan {
				ops[i].ID += "." + string(ops[i].Name)
			}
		}
	}
	ops[0].ExpectRevision = t.Status.Revision
	applied, err := d.do(ctx, s, ops...)
	if err != nil {
		return Review{}, err
	}
	if applied.Replayed {
		r, _, err := d.submitted(ctx, s, t.UID, id, p)
		return r, err
	}
	now, ok := applied.Snapshot.Task(t.UID)
	if !ok {
		return Review{}, problem(CodeFailed, "the task was removed while its plan was sent", orders[CodeFailed])
	}
	return d.seen(ctx, s, applied.Snapshot, subject{kind: KindPlan, uid: t.UID, revision: now.Status.PlanRevision}, 0)
}

// stands reports that the task's plan is this text already, handed in by this call or one like it. A plan that was
// sent back may be handed in again as it was by who says that it knows: BaseVersion is that one then.
func (d *Desk) stands(ctx context.Context, s *store.Store, t *model.Task, p *Plan) (bool, error) {
	st := &t.Status
	if st.PlanRevision == 0 {
		return false, nil
	}
	c, err := s.Content(ctx, t.UID, model.Plan)
	if errors.Is(err, model.ErrNoContent) {
		return false, nil
	}
	if err != nil || c.Revision != st.PlanRevision || string(c.Body) != p.PlanMD {
		return false, err
	}
	decided := st.CurrentState == model.ObjectiveDefined || st.CurrentState == model.Replanned
	return !decided || p.BaseVersion != st.PlanRevision, nil
}

// submitted is the review of a plan that was handed in under a key before. done is false where none was.
func (d *Desk) submitted(ctx context.Context, s *store.Store, uid model.UID, id string, p *Plan) (r Review, done bool, err error) {
	// Without a task it is refused, unless its id was used before.
	applied, err := d.do(ctx, s, model.Op{ID: id, Name: model.DefinePlan})
	if err != nil || !applied.Replayed {
		return r, false, unlessUnknown(err)
	}
	revision := 0
	if c := applied.Change; c != nil {
		for _, f := range c.Files {
			if strings.HasSuffix(f.Path, "/plan.md") && !bytes.Equal(f.Body, []byte(p.PlanMD)) {
				return r, false, problem(CodeKey, fmt.Sprintf("the key %q was used for another plan of this task", visible.Line(p.Key)), "Use another key for another plan.")
			}
		}
		for _, t := range c.Tasks {
			if t.UID == uid {
				revision = t.Status.PlanRevision
			}
		}
	}
	snap, err := s.Refresh(ctx)
	if err != nil {
		return r, false, err
	}
	r, err = d.seen(ctx, s, snap, subject{kind: KindPlan, uid: uid, revision: revision}, d.polls(PlanReviewID(uid, revision)))
	return r, err == nil, err
}

// unlessUnknown is an error, unless it only says that an operation without a task was never done.
func unlessUnknown(err error) error {
	var no *model.Refusal
	if errors.As(err, &no) && (no.Guard == model.GuardExists || no.Guard == model.GuardOperation) {
		return nil
	}
	return err
}

// planOps is what handing in a plan takes in the state that the task is in.
func (d *Desk) planOps(t *model.Task, p *Plan, answers []model.CommentAnswer) ([]model.Op, error) {
	st := &t.Status
	name := visible.Line(t.Config.Name)
	if p.BaseVersion != st.PlanRevision {
		return nil, problem(CodeStale, fmt.Sprintf("the plan of %q is at version %d, and yours was based on version %d", name, st.PlanRevision, p.BaseVersion),
			fmt.Sprintf("Read it again with task_get, id %q, include plan and feedback. Take what changed into account, then send the whole plan again with base_version %d.", t.UID, st.PlanRevision))
	}
	var ops []model.Op
	add := func(op model.Op) { op.UID = t.UID; ops = append(ops, op) }
	switch given := strings.TrimSpace(p.Objective) != ""; {
	case st.CurrentState == model.Created && !given:
		return nil, problem(CodeRefused, fmt.Sprintf("%q has no objective, and a plan needs one", name),
			"Send the plan again with objective: the goal, in the person's words. If you do not know, ask with ask_human.")
	case st.CurrentState == model.Created:
		add(model.Op{Name: model.DefineObjective, Args: model.NewObjective{Text: p.Objective}})
	case given && p.BaseVersion == 0 && st.CurrentState == model.ObjectiveDefined, !given:
	default:
		return nil, problem(CodeRefused, fmt.Sprintf("%q already has an objective", name),
			"Leave objective out. If it is wrong, say so with ask_human: a person decides the objective.")
	}
	switch st.CurrentState {
	case model.Created, model.ObjectiveDefined, model.PlanDefined, model.Replanned, model.Working, model.Errored:
		if st.AcceptedPlan == nil && st.CurrentState != model.Working && st.CurrentState != model.Errored {
			break
		}
		if st.CurrentRun != "" && st.AssignedAgentUID != d.o.Actor && isAgents(st.AssignedAgentUID) && st.CurrentRun != d.o.Run {
			return nil, problem(CodeRefused, fmt.Sprintf("%s is working on %q under its accepted plan", st.AssignedAgentUID, name),
				"Leave the task alone. If its plan is wrong, say so with ask_human.")
		}
		if strings.TrimSpace(p.Reason) == "" {
			return nil, problem(CodeRefused, fmt.Sprintf("the plan of %q was accepted: another plan takes the acceptance back, and stops running work", name),
				"Continue with the accepted plan. Only if that is impossible, send a new plan with reason: why the accepted one does not work.")
		}
		add(model.Op{Name: model.Replan, Reason: p.Reason})
	case model.Completed:
		return nil, problem(CodeRefused, fmt.Sprintf("the work on %q is already reported as finished", name),
			"Wait for its review. Only after a person sends it back does it take another plan.")
	default:
		return nil, problem(CodeRefused, fmt.Sprintf("%q is %s and takes no plan", name, st.CurrentState),
			"Do not work on it. Ask for other work with task_next.")
	}
	add(model.Op{Name: model.DefinePlan, Args: model.NewPlan{Text: p.PlanMD, Answers: answers}})
	return ops, nil
}

// respond answers comments on a plan that stays as it is.
func (d *Desk) respond(ctx context.Context, s *store.Store, t *model.Task, p *Plan, answers []model.CommentAnswer) (Review, error) {
	st := &t.Status
	if st.PlanRevision == 0 || p.BaseVersion != 0 && p.BaseVersion > st.PlanRevision {
		return Review{}, problem(CodeStale, fmt.Sprintf("the plan of %q is at version %d", visible.Line(t.Config.Name), st.PlanRevision), orders[CodeStale])
	}
	applied, err := d.do(ctx, s, model.Op{Name: model.AnswerComments, UID: t.UID, Args: model.CommentAnswers{Answers: answers}, ExpectRevision: st.Revision})
	if err != nil {
		return Review{}, err
	}
	return d.seen(ctx, s, applied.Snapshot, subject{kind: KindPlan, uid: t.UID, revision: st.PlanRevision}, 0)
}

// openOf reports that one of the answers is to a comment that is open: a call that is repeated has answered them.
func openOf(ctx context.Context, s *store.Store, t *model.Task, answers []model.CommentAnswer) bool {
	f, err := s.Review(ctx, t.UID, t.Status.PlanRevision)
	if err != nil || f == nil {
		return true // the lifecycle says what is wrong
	}
	return slices.ContainsFunc(answers, func(a model.CommentAnswer) bool {
		c := f.Find(a.Comment)
		return c == nil || c.State == model.CommentOpen
	})
}

// answersOf are responses as the lifecycle takes them.
func answersOf(responses []Response) ([]model.CommentAnswer, error) {
	var out []model.CommentAnswer
	for _, r := range responses {
		if err := tooLarge("the response to "+visible.Line(r.FeedbackID), len(r.Text), MaxText, "Shorten it."); err != nil {
			return nil, err
		}
		out = append(out, model.CommentAnswer{Comment: r.FeedbackID, Resolution: model.CommentState(r.Resolution), Text: r.Text})
	}
	return out, nil
}
