package desk

import (
	"fmt"

	"vespe/model"
	"vespe/model/progress"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

const (
	// pollsEnough is after how many waits for one review an agent is told to end its turn: each costs it tokens,
	// and a person who has not answered by then does something else.
	pollsEnough = 3

	pollSoon  = 5   // seconds until another wait makes sense, while a person may be looking
	pollLater = 300 // and when the agent was told to end its turn
)

// advise says what to do now. It is said as an order: what reads as a remark is passed over.
func (d *Desk) advise(r *Review, snap *snapshot.Snapshot, polls int) {
	if r.Waits() {
		r.PollAfter = pollSoon
		if d.o.Run != "" || polls >= pollsEnough {
			r.PollAfter = pollLater
		}
	}
	switch r.Kind {
	case KindPlan:
		r.NextAction = d.advisePlan(r, snap, polls)
	case KindWork:
		r.NextAction = d.adviseWork(r, snap, polls)
	default:
		r.NextAction = d.adviseRequest(r, polls)
	}
}

// waiting is what to do while nobody has decided.
func (d *Desk) waiting(r *Review, polls int, meanwhile string) string {
	switch {
	case d.o.Run != "":
		return "It is recorded and waits for a person. " + meanwhile + " End your turn now: you are called again, with the decision, once there is one."
	case polls >= pollsEnough:
		return fmt.Sprintf("It is recorded and waits for a person, who has not decided yet. This is neither a yes nor a no. %s Stop calling review_wait: end your turn now, and say that %s waits for a decision. "+
			"When you are called again, call review_wait with it once.", meanwhile, r.ReviewID)
	}
	return fmt.Sprintf("No one has decided yet. This is neither a yes nor a no. %s Call review_wait with review_id %q.", meanwhile, r.ReviewID)
}

func (d *Desk) advisePlan(r *Review, snap *snapshot.Snapshot, polls int) string {
	answers := r.open()
	switch r.State {
	case StatePending:
		return d.waiting(r, polls, "Do not start the work, and change nothing in the project for this plan.")
	case StateAccepted:
		left := ""
		if len(r.Excluded) > 0 {
			left = " Skip the parts in excluded."
		}
		if answers > 0 {
			left += " Take the comments in feedback into account: they are notes on the work, and need no new plan."
		}
		return d.accepted(r, snap, left)
	case StateChanges:
		return fmt.Sprintf("YOUR PLAN WAS NOT ACCEPTED. Do not start the work, and do not submit the same plan again. Change the plan as each entry of feedback and text ask, "+
			"then call plan_submit with task_id %q, base_version %d and responses: one for each of the %d open comments.", r.TaskID, r.Version, answers)
	case StateRejected:
		return fmt.Sprintf("YOUR PLAN WAS REJECTED. Do not start the work, and do not submit the same plan again. Write another plan that does what text asks, "+
			"and call plan_submit with task_id %q and base_version %d.", r.TaskID, r.Version)
	case StateChanged:
		if i, ok := snap.Index(model.UID(r.TaskID)); ok && snap.StatusReason(i) != "" {
			return acceptAgain(snap.StatusReason(i))
		}
		return "The plan was accepted, but has changed since. Do not start or continue the work. A person must decide again: end your turn and say so."
	case StateOrphaned:
		return "The task no longer exists. Stop working on it, and ask for other work with task_next."
	}
	return fmt.Sprintf("This version of the plan is no longer valid. Do not follow it. Read the task again with task_get, id %q.", r.TaskID)
}

// accepted is what to do with an accepted plan: it may have to wait for other tasks.
func (d *Desk) accepted(r *Review, snap *snapshot.Snapshot, left string) string {
	i, ok := snap.Index(model.UID(r.TaskID))
	if !ok {
		return "The plan is accepted." + left
	}
	switch status := snap.Status(i); {
	case d.o.Run != "":
		return "The plan is accepted. Do exactly what it says, and nothing else." + left
	case status == model.StatusReady:
		return fmt.Sprintf("The plan is accepted. Call task_next with task_id %q and claim true, then do exactly what the plan says, and nothing else.%s Report with task_report.", r.TaskID, left)
	case snap.StatusReason(i) != "":
		return acceptAgain(snap.StatusReason(i))
	case status == model.StatusBlocked:
		return "The plan is accepted, and the task must wait for other tasks: do not start it yet." + left + " Ask for other work with task_next."
	case status == model.StatusRunning:
		return "The plan is accepted, and work has started. If it is yours, continue: do exactly what the plan says, and nothing else." + left + " Report with task_report. If it is not, leave it alone."
	default:
		return fmt.Sprintf("The plan was accepted; the task is %q now. Read it again with task_get before you do anything.%s", status.String(), left)
	}
}

func (d *Desk) adviseWork(r *Review, snap *snapshot.Snapshot, polls int) string {
	switch r.State {
	case StateVerifying:
		return "The loop now runs its own checks on your work. Make no more changes. End your turn."
	case StatePending:
		if t, ok := snap.Task(model.UID(r.TaskID)); ok && t.Status.CurrentState == model.Working {
			return fmt.Sprintf("The work is not reported yet. If it is yours, finish it and call task_report with id %q and rev %d. Its review comes after that.", t.UID, t.Status.Revision)
		}
		open := ""
		if t, ok := snap.Task(model.UID(r.TaskID)); ok {
			if open = progress.OpenStepsSaid(t); open != "" {
				open = " " + visible.Line(open) + ": the reviewer sees that."
			}
		}
		return d.waiting(r, polls, "Your work waits for its review. It is done when a person accepts it."+open)
	case StateAccepted:
		return "Your work was accepted, and the task is done. Ask for other work with task_next."
	case StateRejected, StateChanges:
		return fmt.Sprintf("YOUR WORK WAS SENT BACK. Do what text and feedback ask: write another plan that says how, and call plan_submit with task_id %q, base_version %d and a response to each open comment. "+
			"Change nothing before that plan is accepted.", r.TaskID, r.Version)
	case StateOrphaned:
		return "The task no longer exists. Ask for other work with task_next."
	}
	return fmt.Sprintf("Your report is no longer valid (%s). Read the task again with task_get, id %q.", visible.Line(r.Text), r.TaskID)
}

func (d *Desk) adviseRequest(r *Review, polls int) string {
	switch r.State {
	case StatePending:
		return d.waiting(r, polls, "Do not do what you asked about.")
	case StateExpired:
		return d.waiting(r, polls, "Your request has expired. Do not do what you asked about.")
	case StateAccepted:
		if r.Choice != "" {
			return "The person chose: do what choice says."
		}
		return "The person said yes. Do exactly what you asked about, once, with args as they are here."
	case StateEdited:
		return "The person said yes to other args. Do it once, with args exactly as they are here; yours were not accepted."
	case StateAnswered:
		return "The person answered. Do what text says. It permits nothing that it does not name."
	case StateDenied:
		return "THE PERSON SAID NO. Do not do it, in this or any other way. Do what text says instead; if it says nothing, continue without it."
	case StateOrphaned:
		return "The request no longer exists. Do not do what you asked about. If you still need an answer, ask again with ask_human and another key."
	}
	return "This no longer needs an answer. Do not do what you asked about. If you still need an answer, ask again with ask_human and another key."
}

// open counts the comments that wait for an answer.
func (r *Review) open() int {
	n := 0
	for i := range r.Feedback {
		if r.Feedback[i].State == string(model.CommentOpen) {
			n++
		}
	}
	return n
}
