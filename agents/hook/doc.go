// Package hook answers the hooks of agents' clients: `vespe hook claude-code EVENT` and
// `vespe hook codex EVENT`, and the decision that the permission_prompt tool of the MCP server gives.
//
// A hook is a program that a client runs at an event of a session: it reads the event as JSON on its
// standard input and answers with JSON on its standard output. What is written down is the truth, and the
// hook a view of it: a plan becomes a revision of a task's plan, a question and a call that is to be
// permitted become requests, and the answer of the hook is what a person decided on them. A hook that was
// killed while it waited is asked again, or not: the record stands, and the same call finds it.
//
// # What becomes what
//
//	ExitPlanMode     a revision of the plan of the session's task, and a review of it
//	AskUserQuestion  a request for each question: a choice, or words where several may be chosen
//	a gated call     a request of kind action, with all of its input
//	Elicitation      a request, in a run that has nobody at its terminal
//	SessionStart     what an agent should know
//	PostToolUse      what was said with a yes; a yes at the client's own dialog
//	UserPromptSubmit what was decided meanwhile, to the agent
//	Stop             one or two reminders of what is still owed to the task
//
// A session belongs to a task: to the one that VESPE_TASK names, else to the one that its last plan made.
// The first plan of a session without a task makes one, named by the plan's title; the next plan is its
// next revision, unless the task went on meanwhile.
//
// # Who waits, and where
//
// Where a person sits at the session, PermissionRequest waits for the decision while the client shows its
// own dialog: the first answer counts, and one that is given there is a decision too (dialog.go). Where nobody does, PreToolUse puts the call off (defer):
// the client ends, the slot is free, and the call comes again with the same id once the session is
// resumed. A client keeps one call that was put off; a second one is denied until the first is decided.
// Codex can only be denied (CodexEvents), so there the hook waits.
//
// That a time is over is never an answer.
//
// # Failing closed
//
// Clients take a hook that fails for one that has nothing to say, and go on. So every way out of Run is an
// exit code of 0 and an answer: of a panic, of an input that cannot be read, of a store that cannot be
// opened. For what might be gated that answer is a denial with the reason; where there is no store at all
// the answer is empty, and the client goes on as if there were no vespe: a hook that is set for all of a
// person's projects runs in those without a store, too. A denial always has a text, and that is an order:
// agents take bare feedback for a remark.
//
// # The gate
//
// Policy says which calls wait for a person: by tool, by command, by path, by risk. Nothing does by
// default, but what changes the files in which clients read their hooks; and no tool writes into .vespe past vespe,
// or into the person's settings of it: that is denied. A person says so in [gate] of
// config.toml, a store in gate of its config.json, and of both everything counts: a store can only ask for
// more. Commands are read with a shell's own grammar; one that cannot be surely read is gated where there
// is any rule that it might fall under. It is a rail and no wall: what a program that is allowed does is
// not seen. The wall is the sandbox.
package hook
