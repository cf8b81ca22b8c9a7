package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"vespe/agents/desk"
	"vespe/model"
)

// ErrGone is the cause of a context that ends because nobody reads what the hook answers: the client was killed.
// What waits stays as it is, for the same call that comes again. Without it the hook would take in the decision
// for a call that is never made.
var ErrGone = errors.New("the client is gone")

// ErrStopped is the cause of a context that ends because the client told the hook to: the person has closed the dialog
// that the client shows beside it, without a yes.
var ErrStopped = errors.New("the client has stopped the hook")

// Run answers one event of a client on d.Stdout: always with something that the client can read, whatever happens.
// The exit code is 0. That the agent has read a decision is written down once the client has the answer that says it.
func Run(ctx context.Context, d Deps, client, event string) error {
	if d.Now == nil {
		d.Now = time.Now
	}
	var p Payload
	r, h := d.answer(ctx, client, event, &p)
	defer h.close()
	_, err := d.Stdout.Write(r.encode(client, eventOf(event, &p)))
	if err == nil {
		h.hasRead(ctx, r.read)
	}
	return err
}

// close closes what the session has open; of nil there is nothing.
func (h *session) close() {
	if h == nil {
		return
	}
	if h.desk != nil {
		_ = h.desk.Close() // it was written through
	}
	if h.s != nil {
		_ = h.s.Close()
	}
}

// hasRead writes down that the agent has read what was decided on some reviews. Where that fails the agent is told
// once more.
func (h *session) hasRead(ctx context.Context, ids []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawWait)
	defer cancel()
	for _, id := range ids {
		_ = h.desk.Read(ctx, id)
	}
}

// events are all that an answer is given to.
var events = []string{
	PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure, UserPromptSubmit, SessionStart, Stop,
}

// eventOf is the event that the hook was called for, or, where that is none, the one that the client tells.
func eventOf(event string, p *Payload) string {
	if !slices.Contains(events, event) && slices.Contains(events, p.Event) {
		return p.Event
	}
	return event
}

// answer is the reply to an event, and the session that it is of; nil where there is none.
func (d *Deps) answer(ctx context.Context, client, event string, p *Payload) (r reply, h *session) {
	defer func() {
		if fault := recover(); fault != nil {
			r = closed(d, client, eventOf(event, p), p, fmt.Errorf("internal error: %v", fault))
		}
	}()
	got, wrong := ReadPayload(d.Stdin)
	*p = got
	if !slices.Contains([]string{ClaudeCode, Codex}, client) {
		wrong = fmt.Errorf("unknown client %q: use %s or %s", client, ClaudeCode, Codex)
	}
	if told := eventOf(event, p); told != event {
		wrong, event = fmt.Errorf("the hook is set up for %q, and called for %s", event, told), told
	}
	var ok bool
	var err error
	h, ok, err = d.begin(client, event, *p)
	switch {
	case !ok && err == nil:
		return nothing(), h // no store: not ours
	case err != nil:
		return closed(d, client, event, p, err), h
	case wrong != nil:
		return closed(d, client, event, p, wrong), h
	case p.wrong:
		return closed(d, client, event, p, errors.New("the input of the call is not a JSON object")), h
	}
	return h.answer(ctx), h
}

// closed is the answer where nothing can be found out. The store's rules may be about any call, so none is let through
// but those of vespe's own tools, and where a person sits at the session the client's own questions are as good as vespe's.
func closed(d *Deps, client, event string, p *Payload, err error) reply {
	switch alone := unattended(client, d.Getenv); {
	case event == PreToolUse && isOwnTool(p.Tool):
		return nothing()
	case event == PreToolUse && !alone && client == ClaudeCode && (p.Tool == exitPlanMode || p.Tool == askUserQuestion):
		return nothing()
	case event == PreToolUse, event == PermissionRequest && alone:
		return deny(brokenText(err))
	}
	return nothing().noted("vespe: " + title(err.Error(), 500))
}

func (h *session) answer(ctx context.Context) reply {
	switch h.event {
	case PreToolUse:
		return h.before(ctx)
	case PermissionRequest:
		return h.permission(ctx)
	case PostToolUse, PostToolUseFailure:
		return h.after(ctx)
	case UserPromptSubmit:
		return h.prompted(ctx)
	case SessionStart:
		return h.start(ctx)
	case Stop:
		return h.stop(ctx)
	}
	return nothing() // one that vespe has nothing to say to
}

// before is the answer to PreToolUse.
func (h *session) before(ctx context.Context) reply {
	c := h.call()
	if c.Tool == "" {
		return deny(brokenText(errors.New("the event names no tool")))
	}
	if h.client == ClaudeCode {
		switch c.Tool {
		case exitPlanMode:
			if !h.alone {
				return nothing() // PermissionRequest comes, with the client's own question
			}
			return h.plan(ctx, c, false)
		case askUserQuestion:
			if !h.alone {
				return nothing()
			}
			return h.questions(ctx, c, false)
		}
	}
	return h.judged(ctx, c, h.gated)
}

// judged is the answer to a call by the policy: gated answers one that waits for a person.
func (h *session) judged(ctx context.Context, c *Call, gated func(context.Context, *Call, *Verdict) reply) reply {
	v := h.policy.Judge(c)
	switch v.Level {
	case Denied:
		return deny(v.Why[0])
	case Gated:
		return gated(ctx, c, &v)
	}
	return nothing()
}

// permission is the answer to PermissionRequest.
func (h *session) permission(ctx context.Context) reply {
	c := h.call()
	if h.client == ClaudeCode && c.Tool == exitPlanMode {
		if h.run != "" && h.alone {
			return h.planAllowed(ctx, c)
		}
		return h.plan(ctx, c, !h.alone)
	}
	if h.alone {
		return nothing() // PreToolUse has decided, or the permission_prompt tool is asked
	}
	if h.client == ClaudeCode && c.Tool == askUserQuestion {
		return h.questions(ctx, c, true)
	}
	return h.judged(ctx, c, h.waitFor)
}

// withdraw closes a request that nobody needs to answer anymore: the client has given up waiting, because the
// person answered it there or ended the session. The same call, if it comes again, is asked anew.
func (h *session) withdraw(ctx context.Context, r *desk.Review) {
	if h.alone || !r.Waits() || r.Kind == desk.KindPlan {
		return
	}
	_, _ = h.s.Do(ctx, model.Op{Name: model.Settle, UID: model.UID(r.TaskID), Args: model.Settlement{Request: r.ReviewID}, Actor: hookActor, Channel: "hook"}) // what stays a person can deny
}

const (
	withdrawWait = 2 * time.Second
	hookActor    = model.Actor(model.System + ":hook")
)
