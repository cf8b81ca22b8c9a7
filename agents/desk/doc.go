// Package desk is the API of one store for agents. The MCP server, the clients' hooks and the
// command line all use it, so they share one record and give one answer.
//
// The stored record is the truth, and each call is a view of it. A plan is a revision of the task's
// plan, and a question is a request. Both are written before anyone waits, so a call that was
// killed finds them again. The package knows no protocols and decides nothing for a person. New
// refuses to act as a person.
//
// # Reviews
//
// A Review is the envelope for every decision of a person. Its ReviewID names the subject:
//
//	plan-UID-N   the verdict on revision N of the task's plan
//	work-UID-N   the verdict on the work of revision N of its plan
//	req-…, esc-… a request
//
// Its State is pending until a person decides. A timeout is never a decision: a request beyond its
// expiry is expired, and still waits. If the plan was replaced or its task has ended, the review is
// superseded. If an accepted plan has changed, the review is changed, and nobody can start by it.
// If the subject is gone, it is orphaned. The store records once that an agent has read a decision.
//
// # Repeated calls
//
// A Key makes two calls one. The key of a plan, a report or a new task belongs to the actor. The
// key of a question belongs to the task, because the loop, a hook and a tool can all ask for the
// same call. The same key with other content is refused (CodeKey), so an answer to one command
// never reaches another. The same plan is one revision, with or without a key. The same report on
// one revision is one report.
//
// # Limits of an agent
//
// Every write goes through do, which allows a fixed list of operations (mayDo). None of them is a
// person's: a desk accepts, answers, resumes, takes back and ends nothing. An agent's claims about
// acceptance criteria are stored as claims, and only vespe's own checks make one pass. After a plan
// is accepted, Update can't change what was accepted with it. A worker of the loop can't complete
// its task: its report stays with the run, and the loop checks the work.
//
// # Errors
//
// Every error is an *Error: a stable code, the situation, and the agent's next step. Errors make
// text of others visible. Results hold it unchanged.
//
// # Where to start reading
//
// Start with desk.go (New, mayDo) and review.go (the envelope). plan.go and ask.go submit, wait.go
// waits, next.go claims, and report.go reports. A json.RawMessage in a struct is any JSON object.
package desk
