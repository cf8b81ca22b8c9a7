package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

const (
	subtaskHeld = " is held: its subtask " // in the title, between the names
)

// pending is the open escalation with a key.
func pending(x *machine.Tx, key string) (model.Request, bool) {
	for _, r := range x.World.Requests() {
		if r.Key == key && !r.Holds() && r.IsOpen() {
			return r, true
		}
	}
	return model.Request{}, false
}

// file asks a person, unless the same is being asked already, or was answered: then somebody
// knows. anew: it has come about once more, and what was answered then is no answer to it.
func file(x *machine.Tx, r model.Request, anew bool) {
	for _, q := range x.World.Requests() {
		if q.Key == r.Key && !q.Holds() && q.State != model.RequestSuperseded && (q.IsOpen() || !anew) {
			return
		}
	}
	sum := sha256.Sum256([]byte(r.Key + "\x00" + x.Op.ID))
	r.ID = model.EscalationPrefix + hex.EncodeToString(sum[:8])
	r.Kind, r.State = "escalation", model.RequestPending
	r.CreatedAt, r.CreatedBy = x.Op.At, model.SystemActor
	put(x, r)
	x.Also(machine.AsksPerson)
}

func put(x *machine.Tx, r model.Request) {
	if i := slices.IndexFunc(x.Requests, func(q model.Request) bool { return q.ID == r.ID }); i >= 0 {
		x.Requests[i] = r
	} else {
		x.Requests = append(x.Requests, r)
	}
	x.Staged.PutRequest(r)
}

// supersede closes the open request with a key, if there is one.
func supersede(x *machine.Tx, key string) {
	if r, ok := pending(x, key); ok {
		close(x, r)
	}
}

// settleRequests files the escalations whose cause this operation brought about and
// closes those whose cause it took away. It comes last, so that an operation which ends a
// task together with all its dependents asks nothing.
func settleRequests(x *machine.Tx) {
	if x.Op.Name == model.ImportTask {
		return // history of another system: nobody waits for an answer
	}
	var deps []model.UID
	for _, uid := range slices.Clone(x.Order) {
		h := x.Touched[uid]
		var had []model.UID
		settleAsked(x, uid)
		if h.Orig != nil {
			settleHeld(x, h)
			settleReopened(x, h)
			had = h.Orig.DependsOn
			if machine.StateOf(h.Orig) == machine.StateOf(h.Task) && slices.Equal(had, h.Task.DependsOn) {
				continue
			}
			deps = append(deps, h.Orig.Status.FailedBy) // of one failure, which has now come to an end or to another
		}
		deps = append(deps, uid, h.Task.Config.ParentUID)
		deps = append(deps, had...)
		deps = append(deps, h.Task.DependsOn...)
	}
	for i := range x.Requests {
		// Closed: it may have failed still, and nobody is asked. Open again: another request about it goes, or nothing
		// waits for it any more.
		if uid, ok := failureOf(&x.Requests[i]); ok {
			deps = append(deps, uid)
		} else if uid, ok := strings.CutPrefix(x.Requests[i].Key, model.DepFailedKey("")); ok && !x.Requests[i].Holds() {
			deps = append(deps, model.UID(uid))
		}
	}
	settleDeadlock(x)
	seen := map[model.UID]bool{}
	for _, uid := range deps {
		if !seen[uid] {
			seen[uid] = true
			settleFailed(x, uid)
		}
	}
}

// settleReopened closes what was asked about a task that had failed or was aborted and is not any more,
// and what the loop asked about work that is not wanted any more.
func settleReopened(x *machine.Tx, h *machine.Touch) {
	uid, was, is := h.Task.UID, machine.StateOf(h.Orig), machine.StateOf(h.Task)
	if was == is {
		return
	}
	if was == model.Failed {
		supersede(x, model.AttemptsKey(uid))
	}
	if (was == model.Failed || was == model.Aborted) && is != model.Failed && is != model.Aborted {
		supersede(x, model.DepFailedKey(uid))
	}
	if is != model.Aborted && is != model.Replanned {
		return
	}
	for _, r := range x.World.Requests() {
		if r.TaskUID == uid && r.IsOpen() && isEscalated(&r) && !r.Holds() {
			close(x, r)
		}
	}
}

// settleFailed keeps one escalation for a failed or aborted task open as long as some
// task waits for it in vain.
//
// One failure is one request: where a person is asked about the failure already, that request names what waits,
// and of tasks that failed one because of the other the first is asked about.
func settleFailed(x *machine.Tx, uid model.UID) {
	t, ok := x.World.Task(uid)
	if !ok || !t.Ended() || t.Status.CurrentState == model.Completed {
		return
	}
	if cause := causeOf(x, t); cause != t {
		supersede(x, model.DepFailedKey(uid))
		uid, t = cause.UID, cause
	}
	var waiting []model.UID
	if !x.Policy.Met(t) {
		waiting = waitInVain(x, uid)
	}
	if len(waiting) == 0 || askedAbout(x, uid) {
		supersede(x, model.DepFailedKey(uid))
		return
	}
	anew := false
	if h := x.Touched[uid]; h != nil && h.Orig != nil {
		anew = !h.Orig.Ended() && x.Op.Name != model.UndoVerdict
	}
	options := optionsOf(depFailedChoices)
	if t.Status.CurrentState == model.Aborted {
		options = options[:len(options)-1] // nothing leads out of it
	}
	file(x, model.Request{
		TaskUID: uid, Key: model.DepFailedKey(uid), Options: options,
		Title: fmt.Sprintf("%s %s; %s %s for it", model.Quoted(t), machine.EndedHow(t),
			model.Plural(len(waiting), "task", "tasks"), model.VerbFor(len(waiting), "waits", "wait")),
		Detail: "It is blocked: " + x.Listed(waiting) + ". Remove the dependency, or replan or abort the waiting task." + failedWith(x, uid),
	}, anew)
}

// DeadlockKey begins the key of what the loop asks when nothing can be started and that does not pass by itself.
const DeadlockKey = "deadlock:"

// settleDeadlock closes what the loop asked about a deadlock once its cause may be gone: a dependency was changed, or a
// task was aborted. A loop that finds the same again asks again.
func settleDeadlock(x *machine.Tx) {
	gone := slices.ContainsFunc(x.Order, func(uid model.UID) bool {
		h := x.Touched[uid]
		return h.Orig != nil && (!slices.Equal(h.Orig.DependsOn, h.Task.DependsOn) || machine.StateOf(h.Orig) != model.Aborted && machine.StateOf(h.Task) == model.Aborted)
	})
	if !gone {
		return
	}
	for _, r := range x.World.Requests() {
		if r.TaskUID == "" && r.IsOpen() && isEscalated(&r) && strings.HasPrefix(r.Key, DeadlockKey) {
			close(x, r)
		}
	}
}

// failureOf is the task about whose failure a request asks, for itself and for what hangs on it; false of any other.
func failureOf(q *model.Request) (model.UID, bool) {
	switch {
	case q.Holds():
		return "", false
	case q.Key == model.AttemptsKey(q.TaskUID):
		return q.TaskUID, true
	}
	uid, ok := strings.CutPrefix(q.Key, model.SubtaskFailed)
	return model.UID(uid), ok
}

// askedAbout reports that a person is asked about the failure of a task already.
func askedAbout(x *machine.Tx, uid model.UID) bool {
	_, attempts := pending(x, model.AttemptsKey(uid))
	_, held := pending(x, model.SubtaskFailedKey(uid))
	return attempts || held
}

// causeOf is the task because of which t failed: the subtask of a subtask of it, or t itself.
func causeOf(x *machine.Tx, t *model.Task) *model.Task {
	for seen := map[model.UID]bool{}; t.Status.CurrentState == model.Failed && t.Status.FailedBy != "" && !seen[t.UID]; {
		seen[t.UID] = true
		child, ok := x.World.Task(t.Status.FailedBy)
		if !ok || child.Status.CurrentState != model.Failed {
			break
		}
		t = child
	}
	return t
}

// failedAbove are the tasks that failed because one below them did, from the bottom up.
func failedAbove(x *machine.Tx, uid model.UID) (out []model.UID) {
	t, ok := x.World.Task(uid)
	for ok && t.Status.CurrentState == model.Failed {
		p := x.Parent(t)
		if p == nil || p.Status.CurrentState != model.Failed || p.Status.FailedBy != t.UID || slices.Contains(out, p.UID) {
			break
		}
		out = append(out, p.UID)
		t = p
	}
	return out
}

// waitInVain are the open tasks that depend on one that has ended without success, or on one that failed with it.
func waitInVain(x *machine.Tx, uid model.UID) (out []model.UID) {
	for _, failed := range append([]model.UID{uid}, failedAbove(x, uid)...) {
		for _, d := range x.World.DependentUIDs(failed) {
			if x.IsOpen(d) && !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// howManyWait ends the title of a request about a failure.
func howManyWait(x *machine.Tx, uid model.UID) string {
	n := len(waitInVain(x, uid))
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %s %s for it", model.Plural(n, "task", "tasks"), model.VerbFor(n, "waits", "wait"))
}

// hangsOn says in paragraphs what a failure does to other tasks.
func hangsOn(x *machine.Tx, uid model.UID) string {
	out := ""
	if waiting := waitInVain(x, uid); len(waiting) > 0 {
		out = "\n\nBlocked by it: " + x.Listed(waiting) + "."
	}
	return out + failedWith(x, uid)
}

// failedWith says which tasks failed because one did, and what becomes of what is still open below them.
func failedWith(x *machine.Tx, uid model.UID) string {
	above := failedAbove(x, uid)
	if len(above) == 0 {
		return ""
	}
	out := "\n\nFailed with it: " + x.Listed(above) + "."
	if open := x.OpenBelow(above[len(above)-1]); len(open) > 0 {
		out += "\n\nStill open below: " + x.Listed(open) + ". None of them starts until the task above it is reopened; running ones are not stopped. Retrying the " +
			"failed task reopens all of them."
	}
	return out
}

// settleHeld closes the escalation of a parent that was held for a failed subtask and is
// not held any more.
func settleHeld(x *machine.Tx, h *machine.Touch) {
	if h.Orig.Status.PauseKind() != "hitl" || h.Task.Status.PauseKind() == "hitl" {
		return
	}
	for _, r := range x.World.Requests() {
		if r.TaskUID == h.Task.UID && r.IsOpen() && strings.HasPrefix(r.Key, model.SubtaskFailed) {
			supersede(x, r.Key)
		}
	}
}
