package hook

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"vespe/agents/desk"
	"vespe/model"
)

// Where somebody sits at a session, Claude Code shows a dialog of its own while PermissionRequest waits, and takes the
// answer that comes first. It tells nobody of an answer at the dialog: a yes is seen by the call's being made
// (PostToolUse), a no by the hook's being stopped (SIGTERM). Both are written down as decisions of the account's person,
// with the channel "dialog", where the client itself wrote the event (client.go). They are signed by nobody, so that
// their level is claimed, whatever the person's keys.

// dialog is what is remembered of a dialog that the client shows about a review.
type dialog struct {
	// Hook is the process that waits beside it, and Client the client that shows it; nobody where that is not known.
	Hook   process `json:"hook,omitzero"`
	Client process `json:"client,omitzero"`
	// Closed says that it was closed without a yes.
	Closed bool `json:"closed,omitzero"`
}

const (
	dialogChannel = "dialog"
	// dialogStep is how long a hook waits at most until it sees that the dialog beside it is over.
	dialogStep = 2 * time.Second
)

// errOver: the dialog beside the hook is over, so that the client listens to the hook no longer.
var errOver = errors.New("the client's own dialog is closed")

// shows reports an event beside which the client shows a dialog.
func (h *session) shows() bool {
	return h.client == ClaudeCode && h.event == PermissionRequest && !h.alone
}

// show remembers, with what was asked, that the client shows a dialog about it.
func (h *session) show(n *notes, r *desk.Review) {
	if h.shows() && r.ReviewID != "" {
		d := dialog{}
		d.Hook, _, _ = h.process(h.PID)
		d.Client, _ = h.sentBy()
		n.Dialogs[r.ReviewID] = d
	}
}

// over reports a dialog that no longer is one: its hook was killed, or another client shows it.
func (h *session) over(d dialog) bool {
	client, err := h.sentBy()
	return h.ended(d.Hook) || err == nil && client != d.Client
}

// awaitAll waits for the decisions on some reviews of one call, whose key is base; "" for a plan.
func (h *session) awaitAll(ctx context.Context, base string, all []desk.Review) error {
	for i := range all {
		r, err := h.await(ctx, all[i])
		if err != nil {
			if ctx.Err() != nil {
				h.left(ctx, base, all[i:])
			}
			return err
		}
		all[i] = r
	}
	if !h.shows() {
		return nil
	}
	return h.forgetDialogs(all)
}

func (h *session) forgetDialogs(all []desk.Review) error {
	return h.locked(func(n *notes) error {
		for i := range all {
			delete(n.Dialogs, all[i].ReviewID)
		}
		return nil
	})
}

// dialogOver reports that the dialog about a review is over, as another hook of the session has seen.
func (h *session) dialogOver(id string) bool {
	_, shown := h.remembered().Dialogs[id]
	return h.shows() && !shown
}

// left is done where the hook has to end before there is a decision: the client was killed, and what waits stays for the
// same call that comes again; or nobody needs to answer anymore.
func (h *session) left(ctx context.Context, base string, all []desk.Review) {
	cause := context.Cause(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawWait)
	defer cancel()
	switch {
	case errors.Is(cause, ErrGone):
		return
	case !errors.Is(cause, ErrStopped), !h.shows(), h.Person == "", !h.sent():
		for i := range all {
			h.withdraw(ctx, &all[i])
		}
		return
	}
	_ = h.locked(func(n *notes) error { // the next event of the session only knows less
		for i := range all {
			delete(n.Dialogs, all[i].ReviewID)
			if all[i].Kind == desk.KindPlan {
				n.Dialogs[all[i].ReviewID] = dialog{Closed: true}
			}
		}
		return nil
	})
	for i := range all {
		r := &all[i]
		if r.Kind == desk.KindPlan || !r.Waits() {
			continue // what a plan's author is to do the person types next
		}
		no := model.Answering{Request: r.ReviewID, Decision: model.DecideDeny, Text: "The dialog in " + clientName(h.client) + " was closed without an approval."}
		if h.decide(ctx, model.Op{Name: model.AnswerRequest, UID: model.UID(r.TaskID), Args: no}) != nil {
			h.withdraw(ctx, r)
			continue
		}
		_ = h.desk.Read(ctx, r.ReviewID) // the client tells the agent
	}
	if base != "" {
		_, _ = h.claimed(base, "", false) // else the same call finds this denial, and is not asked about anew
	}
}

// decide does what the person decided at the client's own dialog, if it is the client that reports it.
func (h *session) decide(ctx context.Context, op model.Op) error {
	if _, err := h.sentBy(); err != nil {
		return err
	}
	op.Actor, op.Channel = h.Person, dialogChannel
	_, err := h.s.Do(ctx, op)
	return err
}

// saidYes writes down that a call which waited for a review was allowed at the client's dialog, and names the review
// that this decides.
func (h *session) saidYes(ctx context.Context, r *desk.Review, c *Call) (reviewID string, err error) {
	if _, err := h.sentBy(); err != nil {
		return "", err
	}
	// First, so that the hook that waits does not take the decision for its own.
	if _, err := h.claimed(h.callKey(c), "", true); err != nil {
		return "", err
	}
	uid := model.UID(r.TaskID)
	yes := model.Answering{Decision: model.DecideAccept}
	switch r.Kind {
	case desk.KindPlan:
		return h.saidYesToPlan(ctx, uid, r.Version)
	case desk.KindChoice, desk.KindQuestion:
		if yes = h.chosen(r, c); yes.Choice+yes.Text == "" {
			return "", fmt.Errorf("the client doesn't report the answer")
		}
	}
	yes.Request = r.ReviewID
	return r.ReviewID, h.decide(ctx, model.Op{Name: model.AnswerRequest, UID: uid, Args: yes})
}

// saidYesToPlan accepts the plan that the client showed. A person can change it there: then theirs is a revision of
// its own, and that is accepted.
func (h *session) saidYesToPlan(ctx context.Context, uid model.UID, revision int) (reviewID string, err error) {
	shown := parseObject(h.p.Result).text("plan")
	if strings.TrimSpace(shown) == "" {
		return "", fmt.Errorf("the client doesn't report which plan was accepted")
	}
	plan, err := h.s.Content(ctx, uid, model.Plan)
	if err == nil && plan.Revision != revision {
		err = fmt.Errorf("the plan has changed")
	}
	if err == nil && string(plan.Body) != shown {
		if err = h.decide(ctx, model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: shown}}); err == nil {
			plan, err = h.s.Content(ctx, uid, model.Plan)
		}
	}
	if err == nil && string(plan.Body) != shown {
		err = fmt.Errorf("the plan has changed")
	}
	if err != nil {
		return "", err
	}
	objective, err := h.s.Content(ctx, uid, model.Objective)
	if err != nil {
		return "", err
	}
	return desk.PlanReviewID(uid, plan.Revision), h.decide(ctx, model.Op{
		Name: model.AcceptPlan, UID: uid,
		Seen: &model.Seen{ObjectiveHash: objective.Hash, PlanHash: plan.Hash},
	})
}

// chosen is what the person answered at the client's dialog to the question of a review.
func (h *session) chosen(r *desk.Review, c *Call) model.Answering {
	answers := parseObject(parseObject(h.p.Result)["answers"])
	if answers == nil {
		answers = parseObject(parseObject(h.p.Input)["answers"])
	}
	for _, q := range questionsOf(c.Input) {
		given := answers.text(q.text)
		if title(q.text, maxTitle) != r.Title || given == "" {
			continue
		}
		for _, label := range q.labels {
			if r.Kind == desk.KindChoice && label == given {
				return model.Answering{Decision: model.DecideChoose, Choice: given}
			}
		}
		return model.Answering{Decision: model.DecideRespond, Text: given}
	}
	return model.Answering{}
}

// dialogsClosed is done when the person types: a plan whose dialog they closed without a yes is rejected with that. The
// dialog of another agent of the session may be open still.
func (h *session) dialogsClosed(ctx context.Context, typed string) {
	over := h.remembered().Dialogs
	maps.DeleteFunc(over, func(_ string, d dialog) bool { return !d.Closed })
	if len(over) == 0 {
		return
	}
	for id := range over {
		r, err := h.desk.Look(ctx, id)
		if err != nil || !r.Waits() || r.Kind != desk.KindPlan || h.Person == "" {
			continue
		}
		if h.decide(ctx, model.Op{Name: model.RejectPlan, UID: model.UID(r.TaskID), Reason: typed}) == nil {
			_ = h.desk.Read(ctx, id) // it is what they type
		}
	}
	_ = h.locked(func(n *notes) error { // they are seen again with the next prompt
		for id := range over {
			delete(n.Dialogs, id)
		}
		return nil
	})
}

// clientName is what people call a client.
func clientName(client string) string {
	if client == Codex {
		return "Codex"
	}
	return "Claude Code"
}
