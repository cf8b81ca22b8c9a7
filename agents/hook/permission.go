package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/agents/desk"
	"vespe/model"
)

// promptEvent is what the permission_prompt tool is called for: no event of a hook.
const promptEvent = "permission_prompt"

// Prompter decides for the permission_prompt tool, which Claude Code asks where it would ask its person.
type Prompter struct {
	Getenv func(string) string
	Rules  model.GateRules // the person's own
	Own    []string        // as Deps.Own
	Dir    string          // of the session
	Now    func() time.Time
}

// PromptedCall is what the permission_prompt tool is given.
type PromptedCall struct {
	Tool      string          // tool_name
	Input     json.RawMessage // input
	ToolUseID string          // tool_use_id
}

// Decision is what the tool answers with.
type Decision struct {
	Behavior     string          `json:"behavior"`               // allow or deny
	UpdatedInput json.RawMessage `json:"updatedInput,omitempty"` // of allow, always: older clients refuse an allow without
	Message      string          `json:"message,omitempty"`      // of deny, always
}

// Text is the decision as the client reads it: one block of text.
func (d Decision) Text() string {
	b, err := json.Marshal(d)
	if err != nil { // an input that is no JSON, which is not to be allowed
		b, _ = json.Marshal(Decision{Behavior: "deny", Message: brokenText(err)})
	}
	return string(b)
}

// Permission decides on a call: a plan by its review, questions by their answers, and anything else by a request,
// also what the gate says nothing of, for the client asks. It waits for a person, and tells progress meanwhile; in a
// run of the loop not for long: then the call is denied with the order to end the turn, and the same call finds the
// decision. There is no error: what cannot be found out is denied.
func (p *Prompter) Permission(ctx context.Context, d *desk.Desk, c PromptedCall, progress func(time.Duration)) (out Decision) {
	defer func() {
		if fault := recover(); fault != nil {
			out = Decision{Behavior: "deny", Message: brokenText(fmt.Errorf("internal error: %v", fault))}
		}
	}()
	d = d.Peeking()
	defer d.Close()
	h, err := p.session(d, c, progress)
	if err != nil {
		return Decision{Behavior: "deny", Message: brokenText(err)}
	}
	r := h.prompt(ctx)
	h.hasRead(ctx, r.read)
	switch r.kind {
	case replyAllow:
		input := r.input
		if input == nil {
			input = jsontext.Value("{}")
		}
		return Decision{Behavior: "allow", UpdatedInput: json.RawMessage(input)}
	case replyDeny:
		return Decision{Behavior: "deny", Message: r.text}
	}
	return Decision{Behavior: "deny", Message: brokenText(fmt.Errorf("no decision"))}
}

func (p *Prompter) session(d *desk.Desk, c PromptedCall, progress func(time.Duration)) (*session, error) {
	deps := &Deps{Getenv: p.Getenv, Dir: p.Dir, Now: p.Now, Rules: p.Rules}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	h := &session{
		Deps: deps, client: ClaudeCode, event: promptEvent, s: d.Store(), desk: d, run: p.Getenv("VESPE_RUN_ID"), alone: true, progress: progress,
		p: Payload{Tool: c.Tool, Input: jsontext.Value(c.Input), ToolUse: c.ToolUseID, Session: p.Getenv("CLAUDE_CODE_SESSION_ID"), CWD: p.Dir},
	}
	if h.p.Input.Kind() != '{' {
		h.p.Input = nil
	}
	h.places = PlacesIn(p.Dir, h.s.Root(), p.Getenv, p.Own...)
	if h.owner = h.run; h.owner == "" {
		h.owner = ClaudeCode + ":" + h.p.Session
	}
	policy, err := h.s.Policy()
	h.policy = Policy{Own: p.Rules, Store: policy.Gate()}
	return h, err
}

// prompt is the answer to the permission_prompt tool.
func (h *session) prompt(ctx context.Context) reply {
	c := h.call()
	switch {
	case c.Tool == "":
		return deny(brokenText(fmt.Errorf("the call names no tool")))
	case isOwnTool(c.Tool):
		return h.allowed(c, nil) // they ask for themselves
	case c.Tool == exitPlanMode:
		return h.plan(ctx, c, true)
	case c.Tool == askUserQuestion:
		return h.questions(ctx, c, true)
	}
	v := h.policy.Judge(c)
	if v.Level == Denied {
		return deny(v.Why[0])
	}
	if v.Level == Free {
		v.Why = []string{"the client asks first"}
	}
	return h.waitFor(ctx, c, &v)
}
