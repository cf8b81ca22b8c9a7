package hook

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// reply is what a hook answers: nothing, a decision, or something to know.
type reply struct {
	kind  replyKind
	text  string         // why, for the agent; of replyTell what it should know
	input jsontext.Value // what the call is to be made with; nil: as it is
	note  string         // for the person at the client, besides
	with  string         // of replyAllow: what the agent is told with it, where the event can say so
	read  []string       // the reviews whose decisions the agent has, once the client has this
}

type replyKind int

const (
	replyNone  replyKind = iota // the client continues by its own rules
	replyAllow                  // the call may be made
	replyDeny                   // it may not
	replyAsk                    // the person at the client is to be asked, whatever its rules
	replyDefer                  // it waits: the client ends and is resumed
	replyBlock                  // of Stop: the turn continues
	replyTell                   // nothing is decided, but the agent is told something
)

func nothing() reply                    { return reply{} }
func allow(input jsontext.Value) reply  { return reply{kind: replyAllow, input: input} }
func deny(text string) reply            { return reply{kind: replyDeny, text: text} }
func block(text string) reply           { return reply{kind: replyBlock, text: text} }
func tell(text string) reply            { return reply{kind: replyTell, text: text} }
func (r reply) noted(note string) reply { r.note = note; return r }
func (r reply) is(kind replyKind) bool  { return r.kind == kind }

// tells is a reply that tells the agent what was decided on some reviews.
func (r reply) tells(ids ...string) reply { r.read = append(r.read, ids...); return r }

// output is a reply as the clients read it.
type output struct {
	Decision string    `json:"decision,omitzero"`
	Reason   string    `json:"reason,omitzero"`
	Message  string    `json:"systemMessage,omitzero"`
	Specific *specific `json:"hookSpecificOutput,omitzero"`
}

type specific struct {
	Event      string         `json:"hookEventName"`
	Permission string         `json:"permissionDecision,omitzero"`
	Reason     string         `json:"permissionDecisionReason,omitzero"`
	Input      jsontext.Value `json:"updatedInput,omitzero"`
	Decision   *behavior      `json:"decision,omitzero"`
	Context    string         `json:"additionalContext,omitzero"`
}

type behavior struct {
	Behavior string         `json:"behavior"`
	Input    jsontext.Value `json:"updatedInput,omitzero"`
	Message  string         `json:"message,omitzero"`
}

// encode writes a reply to an event of a client. What a client does not understand is never sent to it: a
// reply that it cannot read counts as none, and the call continues.
func (r reply) encode(client, event string) []byte {
	out := output{Message: r.note}
	s := specific{Event: event}
	switch event {
	case PreToolUse:
		r.preToolUse(client, &s)
	case PermissionRequest:
		switch r.kind {
		case replyAllow:
			s.Decision = &behavior{Behavior: "allow", Input: r.input}
		case replyDeny:
			s.Decision = &behavior{Behavior: "deny", Message: r.text}
		}
		if s.Decision != nil && client == Codex {
			s.Decision.Input = nil // it takes one that is there for a fault
		}
	case SessionStart, UserPromptSubmit, PostToolUse, PostToolUseFailure:
		if r.is(replyTell) {
			s.Context = r.text
		}
	case Stop:
		if r.is(replyBlock) {
			out.Decision, out.Reason = "block", r.text
		}
	}
	if s.Permission != "" || s.Decision != nil || s.Context != "" {
		out.Specific = &s
	}
	b, err := json.Marshal(out, jsontext.AllowInvalidUTF8(true))
	if err != nil { // of what was read as JSON there is none that cannot be written
		return []byte("{}\n")
	}
	return append(b, '\n')
}

func (r reply) preToolUse(client string, s *specific) {
	switch r.kind {
	case replyAllow:
		if client == Codex {
			return // it knows no allow: saying nothing lets the call continue by its own rules
		}
		s.Permission, s.Input, s.Context = "allow", r.input, r.with
	case replyDeny:
		s.Permission, s.Reason = "deny", r.text
	case replyAsk:
		if client == Codex {
			s.Permission, s.Reason = "deny", r.text
			return
		}
		s.Permission, s.Reason = "ask", r.text
	case replyDefer:
		if client == Codex {
			s.Permission, s.Reason = "deny", r.text
			return
		}
		s.Permission = "defer"
	}
}
