// Package lifecycle is what operations do to tasks: the table of transitions with their guards and
// effects, and the edits beside it. It is pure: Apply reads a model.World and an operation, and returns
// the change, or a refusal.
//
// Start with rows.go (the table), then internal/machine/step.go (one operation and what it sets off). Guards are in
// guards*.go, effects in effects_*.go. Three packages are below it: internal/machine runs rows and has the guards that
// they share, binding is what an acceptance is bound to, and internal/edits has the operations beside the table.
//
// # The lifecycle
//
// Table is the lifecycle as data. Apply(World, Op) finds the row, runs its guards in their
// order, runs its effect on a staged.World, and returns a Change: the after-images of every
// task concerned, the files, requests and events to write, and a Summary of one line that
// reads well before and after. Cascades are in it, because an effect fires further rows on
// the same overlay: a child that ends reaches its parent, the parent's parent, and the
// dependents, all in one Change. The error is always a *Refusal, which names the guard, why
// it failed and what would satisfy it; nothing has then happened. Allowed runs the guards
// alone. Apply costs what is affected, never the number of tasks.
//
// A World without bytes, such as a Snapshot, gives a preview: guards on bytes are passed
// over and hashes stay empty. The store fires the same operation on a World with bytes.
// What a preview allows the store may still refuse; the one thing that a preview refuses and
// the store would allow is to accept a plan again which was edited without vespe and has not been
// marked changed yet (guard undecided).
//
// Only the rows of the table (by machine.Step.To), create, import and undo assign a state.
//
// # What the lifecycle decides where the design leaves room
//
// Running. `start` opens a run: current_run, run_started_at and assigned_agent_uid of
// status.json. A task runs while it is working, has a current_run and is not paused. Every
// way out of a run (work_completed, error, stop, abort, replan) closes persistent/runs/<run>/run.json
// with an outcome, and with the report of the loop or agent that ran the worker (RunReport), which brings state and
// evidence of acceptance criteria into spec.json; that is bookkeeping. `stop` counts no attempt and leaves the
// task working, to be started again. A run stays the current one while its task waits for a person or for
// subtasks that it made: nobody works meanwhile, the loop gives the slot to another task, and the same run
// continues with the answer or once the subtasks have ended. So a current run without a process is only to be
// cleared up where its task is not paused. Failed, aborted and completed clear the pause, the run, the assigned agent
// and the subtasks; error keeps a pause.
//
// Acceptance. accept_plan makes the task working when its dependencies are met; else it
// stays plan_defined with accepted_plan set, until `start` moves it. A plan that is accepted
// and unchanged is not accepted twice; one that has become changed may be. Accepting sets
// retry_count back to 0: a new plan has all its attempts. The approval is
// approvals/accept-<hash>.json; revalidate and review_accepted write one,
// too. Verdicts on a plan go to reviews/plan-<revision>-<hash>.json, those on work to
// reviews/work-<plan revision>-<hash>.json (model/filenames.go). Bytes that no operation wrote (Content.Revision 0) are
// first recorded as a new revision by system:external, whoever reads them for a verdict or
// is about to write over them; undo does not take that record back.
//
// Terms. An acceptance binds to both texts, to the terms in spec.json, dependencies.json and the
// policy (model/terms.go says what is bookkeeping and binds nothing), and to what the dependencies were.
// accepted_plan has the hashes of the terms and of the approval, so that a snapshot without bytes can
// tell: a task whose terms are others is changed (Snapshot.Changes), whether or not anybody has
// written that down. `start` reads the approval itself and holds it against status.json, and a World
// that knows an Attestor says how far to believe its signature. Seen names what was on the screen:
// what it names is what is compared, what is compared is what is bound (binding.Bound). A verdict that
// came between is told by name (Seen.Verdict). Two things are not bound: comments once the plan is
// accepted, and a result that a dependency had only afterwards.
//
// Comments. reviews/plan-<revision>-<hash>.json holds the comments on a plan and its verdict; status.json
// has their number and the file's hash, so that guards and the inbox know without bytes. The file
// counts as vespe wrote it (World may be a Reviewed). A new revision carries what is not settled
// into its own file, at the places that model/anchor finds. An agent answers each open comment of
// a person with its next plan; a person, and who edits the file, leaves them open. A comment that
// blocks holds the acceptance while it is open, and after it was declined until a person resolves
// it. Only a person's blocks. Comments keep books: they take no right to undo, and undo of a
// verdict leaves them. Of a status.json that somebody else wrote new comments and answers are
// taken over and marked (Via), since nobody gave them to vespe: they hold what they would hold, and
// whoever they are said to be of is shown as what a file says. Never is it taken over that one which blocks
// is settled, nor other words of one that is known. Comments on finished work (Changes) are about lines of the
// patch of a run, which nobody writes anew: they lie in the same file, go with a verdict on the work, and the
// next plan has to answer those that are open.
//
// Undecided. question_plan and defer_plan are verdicts that leave the plan undecided; the reason of
// the first is a question itself unless one is sent along. Such plans are parked in the inbox,
// the first until every open comment is answered.
//
// Parts. accept_plan may leave sections out (Acceptance.Excluded). They are named in the approval.
// revalidate leaves out what the acceptance did (Excluded); an approval and an accepted_plan that leave out different parts start nothing. A
// section reaches to the next heading of its level or above (plantext.Sections), so that those below it are
// left out with it (plantext.LeftOut), and one title that two sections have means both. All of a plan is not
// left out: that is a rejection.
//
// Read. fetch_verdict and fetch_answer write down that whoever it is for has read it. It takes no
// right to undo; whoever takes it back is told.
//
// Same text. define_objective and define_plan refuse to repeat the standing text, so that
// saving a file unchanged never voids an acceptance. A plan that was rejected may be handed
// in again as it was.
//
// Retry. The attempt that reaches max_attempts (spec.json, else the policy, else 3) fails
// the task and files an escalation. Else the state is the furthest that the files support:
// previous_state is for people. An accepted plan holds when its bytes are the accepted ones;
// with unmet dependencies or as a changed task it goes back to plan_defined, still accepted.
// A plan whose last verdict is a rejection supports nothing.
//
// After the last attempt. failed is final but for a person, who may re-open the task, skip it or abort it.
// `reopen` goes to where `retry` would, with all attempts, or with by_hand
// with one, which is for the person's own work in the files of the last run (ByHand): whoever runs workers only
// verifies and integrates then. It takes a parent along that failed because of the task (failed_by), and those above; the
// parent waits for it. `skip` is work and review in one, by the word of the person. Choosing an option of
// what vespe escalated fires these rows, and others, inside the answer (effects_choices.go); `undo` of the
// request takes back all of it, while nothing has come of it. An option of any other request, and of what the
// loop escalates (`escalate`, `settle`), only answers: whoever asked reads it (Snapshot.Keyed) and acts.
//
// Children. For its parent a child has ended when it is completed (whatever its review),
// failed or aborted. Completed resumes a parent that waits for it and for no other. Failed
// fails a parent that is working or waits for it, and so on upwards; with the policy `hold`
// the parent stays paused as "hitl: subtask NAME failed" and a person is asked. Aborted takes
// the child out of subtask_uids and counts neither way. review_rejected, and replan of a
// completed task, re-open it: a parent that is still working waits for it again. `create`
// below a working parent fires spawn_subtask; `abort` ends every open task below, and leaves
// completed ones as they are. `progress` of the direct parent says how many of its children
// Ended well, of those not aborted; it is kept in the books when one ends or is re-opened.
//
// Pauses. A task is paused once. Resuming one that was paused for another reason while
// subtasks are open leaves it waiting for these. A reason that begins with "hitl" waits for
// a person, and only a person resumes it; a parent that is held for a failed subtask is still
// asked what it was asked before. Finished work may be paused, too, until it is reviewed.
//
// Cycles. Nothing in a dependency cycle begins, not even when all that it depends on has been
// completed. Failing, like acceptance, goes by parent_uid and depends_on as the files have
// them; the tree that people see has parent cycles cut.
//
// Sizes. Reasons, summaries and error details are bounded, and so is what `set`, `create` and
// `import` bring: an operation that was done can always be read again. Whatever a file's
// name or text would keep from being written or read is refused before anything happens.
//
// Staleness. accept_plan and revalidate record hashes of each dependency's objective and
// plan, and of its result once it is completed: a result still growing is nothing to rely
// on. A dependency that completes adds its result to the hashes of accepted dependents that
// have none of it, and makes those changed that were accepted with another. Every new
// objective or plan does the same to the hashes recorded of it. Changed is told one edge
// far. `start` compares anew; `check` does that without starting, marks the task or takes
// marks back where the bytes are as accepted again, and writes nothing when all is as before.
// Other acceptance criteria make an accepted task changed; removing a dependency takes its
// hashes away, never the mark.
//
// Undo. A verdict (accept_plan, reject_plan, question_plan, defer_plan, review_accepted,
// review_rejected, revalidate, replan, by a person) keeps in `undo` of its task what every task that it moved was
// before, and at which revision it left them. It can be taken back while all are at that
// revision. Bookkeeping (progress, recorded hashes, rename, set) counts a revision up but
// takes the right along. Undo restores the files exactly, save `revision`; approvals, reviews
// and events stay, and an event says what was taken back. What was said is not taken back: a comment stays,
// and resolve_comment is answered by reopen_comment.
//
// Decompositions. `decompose` makes subtasks of a task (model/decompose proposes them): parts of its own files and
// criteria, or the tasks that its accepted plan lists. Subtasks that wait for no other of them wait for what the task
// waits for, and a working task waits for them all. Undo aborts them, the last first, as long as work has begun on none;
// it knows them by split_from in their context, also after other verdicts. Older logs call it split and break_down.
//
// Parts are done in turn and are still to be planned. Tasks that waited for the task wait for the last part, unless somebody
// works on it just then; where that was accepted, it is changed. The task stays what it is, with all its files and
// criteria, and takes no other parts while a subtask is open. Files that tasks name suggest dependencies (FileOverlaps);
// nothing writes those by itself.
//
// Only a person makes the tasks of a plan, bound to the hash of that plan. Each gets the objective and the part of the plan
// that it has there, as plan_defined: an acceptance of the whole is none of its parts, which have
// verdicts of their own. Who waited for the task still does: it is completed after them. spec.source names plan and key
// (PlannedBy), so that nothing is made twice.
//
// Requests. `ask` and `answer` are rows, though they are about requests: Op.Request names one,
// the task of which may be gone. What holds a task is not kept anywhere but in its pause: "hitl: "
// and the titles of the open requests, then whatever else it was paused for a person for; so each
// request adds its own to the pause and takes it away again (HeldPause). A pause for another
// reason goes first, and is replaced by that of the requests when it is resumed. Both rows, and
// the fetching of an answer, keep books: a verdict before them can still be taken back. The same
// key with the same content is the same request while it waits, and until something has come of
// its answer, so that an agent that was killed asks again and finds it; expires_at is no content.
// Expiry is the clock's (StateAt, InboxAt), never stored, and never an answer. An answer can be
// taken back while its task has it in `answered`: every operation that moves the task takes that
// away, and writes into the answer who it was. Undo takes back the last answer, else the last
// verdict. What was asked about a task that ends is superseded; taking back the review that ended it
// lets it wait again, as it did.
//
// Consent. start by anybody but a person, of a task whose spec, policy or user asks for it
// (NeedsConsent), files a request in place of the run (Change.Waits), with the hash of the
// accepted plan as its key: consent holds for those bytes. A voided acceptance supersedes it.
//
// Escalations. One request per failed or aborted dependency that an open task waits for
// (key dep-failed:UID), one per task out of attempts (attempts:UID), one per held parent
// (subtask-failed:UID of the child). One failure is one request: the first of these that fits names what waits, what
// failed with it and what is open below that; below a failed task nothing starts. A key that is pending or was answered is not filed again. When nobody
// waits any more, or the held parent goes on, the request becomes superseded. Imports file
// none: theirs is history.
//
// Phases. A child whose spec.context.phase is define_objective or create_plan fires the
// parent's define_objective or define_plan when it is completed, with result/objective.md or
// result/plan.md, else with its summary; where the parent refuses, the child is refused. It ends
// without a review of its own once the parent has that text. create_subtasks gets the plan of every
// such phase with the parent's plan, and is accepted with it while it is as vespe made it: the hashes
// of its texts are among those that the parent's acceptance binds to. It ends once there is a subtask,
// and makes a working parent wait for its open children that are no phases.
//
// Results. The summary of work_completed is in its event, and becomes result/summary.md
// where result/ holds nothing else.
//
// Revisions. Every operation counts `revision` of every status.json that it touches, renames
// and other edits included, so that one number tells whether a task is what was seen.
package lifecycle
