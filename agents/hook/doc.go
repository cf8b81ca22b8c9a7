// Package hook answers the hooks of agents' clients: `vespe agent hook claude-code EVENT` and
// `vespe agent hook codex EVENT`. It also gives the decision of the MCP server's permission_prompt tool.
//
// A client runs a hook at an event of a session. The hook reads the event as JSON on standard input
// and answers with JSON on standard output. The stored record is the truth: a plan becomes a
// revision, a question or a gated call becomes a request, and the answer is a person's decision on
// it. If a hook is killed while it waits, the record stays, and the same call finds it.
//
// # Events
//
//	ExitPlanMode     a revision of the plan of the session's task, and its review
//	AskUserQuestion  a request for each question: a choice, or words if several can be chosen
//	a gated call     a request of kind action, with all of its input
//	SessionStart     what an agent should know
//	PostToolUse      the words of a yes; a yes at the client's own dialog
//	UserPromptSubmit new decisions, for the agent
//	Stop             one or two reminders of open comments or a missing report
//
// A session belongs to the task in VESPE_TASK, or else to the task of its last plan. The first plan
// of a session without a task creates one, named after the plan's title. The next plan is its next
// revision, unless the task has moved on.
//
// # Who waits
//
// With a person at the session, PermissionRequest waits while the client shows its own dialog. The
// first answer counts, also one at the dialog (dialog.go). Without a person, PreToolUse defers the
// call. The client ends, the slot is free, and the resumed session repeats the call with the same
// id. A client keeps one deferred call, so others are denied until a decision. Codex accepts only a
// denial (CodexEvents), so its hook waits. A timeout is never an answer.
//
// # Failing closed
//
// Clients treat a failed hook as silent and continue. So Run always exits with 0 and an answer:
// also after a panic, an unreadable input, or a store that doesn't open. If the call could be
// gated, the answer is a denial with the reason. Without any store the answer is empty, because a
// hook can be set for all of a person's projects. A denial always has a text in the form of an
// instruction: agents take bare feedback for a remark.
//
// # The gate
//
// Policy decides which calls wait for a person: by tool, command, path or risk. The rules of the
// person ([gate] in config.toml) and of the store (gate in config.json) add up. Without rules, only
// changes of the files with clients' hooks wait. Writes into .vespe without vespe, and into the
// person's settings of it, are always denied. A shell grammar parses commands. A command that can't
// be parsed for certain waits if any rule could match it. The gate is a guardrail: it doesn't see
// what an allowed program does. The sandbox does.
//
// # Where to start reading
//
// Start with run.go, then the file of an event: plan.go, questions.go, call.go, turns.go. policy.go
// is the gate.
package hook
