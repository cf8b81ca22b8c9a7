package hook

import (
	"strings"
	"time"
)

// The names of the clients, as `vespe agent hook` takes them.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
)

// The events, as both clients call them; PostToolUseFailure is of Claude Code alone.
const (
	PreToolUse         = "PreToolUse"
	PermissionRequest  = "PermissionRequest"
	PostToolUse        = "PostToolUse"
	PostToolUseFailure = "PostToolUseFailure"
	UserPromptSubmit   = "UserPromptSubmit"
	SessionStart       = "SessionStart"
	Stop               = "Stop"
)

// LongWait is how long a client is to let a hook wait for a person; the hook itself ends a little before.
const LongWait = 24 * time.Hour

// shortWait is the timeout of hooks that wait for no person.
const shortWait = time.Minute

// Event is a hook that a client is to be set up with.
type Event struct {
	Name string
	// Matcher says for which tools, in the client's own form; "" where the event takes none. The gate is asked about every
	// tool: its rules may change after the set-up.
	Matcher string
	// Timeout is how long the client lets the hook run.
	Timeout time.Duration
	// Blocks says that nothing may continue if the hook fails: of a client that can be told so.
	Blocks bool
}

// Args are the arguments of vespe for an event of a client.
func (e Event) Args(client string) []string { return []string{"hook", client, e.Name} }

// Command is the line by which a client's shell runs vespe, called so, for an event.
func (e Event) Command(vespe, client string) string {
	return shellWord(vespe) + " " + strings.Join(e.Args(client), " ")
}

// Entry is the event's entry in the settings of a client, which all write alike.
func (e Event) Entry(vespe, client string) map[string]any {
	h := map[string]any{"type": "command", "command": e.Command(vespe, client), "timeout": int(e.Timeout.Seconds())}
	if e.Blocks && client == ClaudeCode {
		h["onFailure"] = "block"
	}
	entry := map[string]any{"hooks": []any{h}}
	if e.Matcher != "" {
		entry["matcher"] = e.Matcher
	}
	return entry
}

// shellWord is a word as a POSIX shell takes it.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ClaudeEvents are the hooks that Claude Code is to be set up with.
func ClaudeEvents() []Event {
	return []Event{
		{Name: PreToolUse, Matcher: "*", Timeout: LongWait, Blocks: true}, // gated calls, and plans and questions of unattended runs
		{Name: PermissionRequest, Matcher: "*", Timeout: LongWait},        // plans, questions and gated calls of a session with a person
		{Name: PostToolUse, Matcher: "*", Timeout: shortWait},             // decisions in the client's own dialog, and notes on allowed calls
		{Name: PostToolUseFailure, Matcher: "*", Timeout: shortWait},      // the same, for a failed call
		{Name: UserPromptSubmit, Timeout: shortWait},                      // decisions in the meantime
		{Name: SessionStart, Timeout: shortWait},                          // what an agent should know about the store
		{Name: Stop, Timeout: shortWait},                                  // a reminder of a missing report or answer
	}
}

// CodexEvents are the hooks that Codex is to be set up with. Codex skips hooks that the person has not
// trusted, and runs a call when one fails. Its exec never asks for a permission: PreToolUse waits there until a person
// has decided.
func CodexEvents() []Event {
	return []Event{
		{Name: PreToolUse, Matcher: "*", Timeout: LongWait},        // calls that wait for a person
		{Name: PermissionRequest, Matcher: "*", Timeout: LongWait}, // gated calls of a session with a person
		{Name: PostToolUse, Matcher: "*", Timeout: shortWait},      // notes on allowed calls
		{Name: UserPromptSubmit, Timeout: shortWait},               // decisions in the meantime
		{Name: SessionStart, Timeout: shortWait},                   // what an agent should know about the store
		{Name: Stop, Timeout: shortWait},                           // a reminder of a missing report or answer
	}
}
