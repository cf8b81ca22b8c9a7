// Package desk is what an agent may do with one store, whatever it came by: the MCP server, the hooks of its
// client and the command line all ask here, so that they keep one record and give one answer.
//
// What is stored is the truth, and each call a view of it. A plan is a revision of the task's plan, a question
// is a request: both are written before anybody waits, and a call that was killed finds them again. Nothing here
// knows of protocols; nothing here decides for a person, and New refuses to act as one.
//
// # Reviews
//
// A Review is the one envelope of what a person decides on. Its ReviewID says what it is of:
//
//	plan-UID-N   the verdict on revision N of the task's plan
//	work-UID-N   the verdict on the work that was done by revision N of its plan
//	req-…, esc-… a request
//
// Its State is pending until a person has decided. That time is over is never a decision: a request beyond its
// expiry is expired, which waits on. A plan that was replaced, or whose task has ended, is superseded; one that was
// accepted and is not what it was since is changed, and nobody may start by it; what is no longer there is orphaned.
// Whoever reads a decision as an agent is written down as having read it, once.
//
// # Calls that are repeated
//
// A Key makes two calls one. Of a plan, a report and new tasks it is the actor's own; of a question it is the
// task's, since the loop, a hook and a tool may all ask the same for the same call. The same key with anything
// else in it is refused (CodeKey): an answer that was given to one command is never handed to another. The
// same plan handed in twice is one revision with or without a key. A key is known from the call that made the record:
// of a plan that stood already nothing is written.
//
// Reports, changes and the reading of a verdict need no key: the same report on the same revision is one.
//
// # What an agent cannot do
//
// All that a desk writes goes through do, which knows a list of operations (mayDo). None of them is a person's: it
// accepts, answers, resumes, takes back and ends nothing. What it says of acceptance criteria is kept as what it says;
// only a check of vespe's own makes one pass. Once a plan is accepted Update leaves alone what was accepted with it.
// The worker of a run of the loop completes nothing: its report is kept with the run, and the loop checks what is there.
//
// # What a plan becomes
//
// plan.md is what the agent wrote, and after it, where Steps or Commands are given, a section each: the steps
// as a `tasks` block, which model/breakdown reads exactly (ids, names, files, criteria, risk, dependencies), so that
// accepted steps can become subtasks; the commands as a list. They are in the plan and not in spec.json because
// the person accepts the bytes of the plan: nothing that was not on screen is accepted with it. A step that cannot be
// undone says so in its objective, and has the label "irreversible".
//
// # Errors
//
// Every error of a Desk is an *Error: a stable code, what is so, and what the agent is to do next. Text of others in
// it is made visible; the fields of results hold it as it is, for that is what has to be read.
//
// # Files
//
//	desk.go errors.go actor.go             New, the store, mayDo; errors as agents read them; who acts
//	review.go look.go advise.go wait.go    reviews: the envelope, what a snapshot says, what to do now, waiting
//	awaited.go planreview.go               what waiting came to and what was said about a plan, for the command line, too
//	types.go plan.go steps.go ask.go       plans and questions handed in
//	next.go task.go views.go list.go       looking and claiming
//	report.go create.go update.go          reporting, making, changing
//
// json.RawMessage in a struct is any JSON object. The other types have schemas as they are.
package desk
