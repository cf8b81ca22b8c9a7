package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

const (
	subtaskHeld = " is held: its subtask " // in the title, between the names
)

// pending is the open escalation with a key.
func (x *tx) pending(key string) (model.Request, bool) {
	for _, r := range x.w.Requests() {
		if r.Key == key && !r.Holds() && r.IsOpen() {
			return r, true
		}
	}
	return model.Request{}, false
}

// file asks a person, unless the same is being asked already, or was answered: then somebody
// knows. anew: it has come about once more, and what was answered then is no answer to it.
func (x *tx) file(r model.Request, anew bool) {
	for _, q := range x.w.Requests() {
		if q.Key == r.Key && !q.Holds() && q.State != model.RequestSuperseded && (q.IsOpen() || !anew) {
			return
		}
	}
	sum := sha256.Sum256([]byte(r.Key + "\x00" + x.op.ID))
	r.ID = model.EscalationPrefix + hex.EncodeToString(sum[:8])
	r.Kind, r.State = "escalation", model.RequestPending
	r.CreatedAt, r.CreatedBy = x.op.At, SystemActor
	x.put(r)
	x.also("a person is asked what to do")
}

func (x *tx) put(r model.Request) {
	if i := slices.IndexFunc(x.requests, func(q model.Request) bool { return q.ID == r.ID }); i >= 0 {
		x.requests[i] = r
	} else {
		x.requests = append(x.requests, r)
	}
	x.o.putRequest(r)
}

// supersede closes the open request with a key, if there is one.
func (x *tx) supersede(key string) {
	if r, ok := x.pending(key); ok {
		x.close(r)
	}
}

// settleRequests files the escalations whose cause this operation brought about and
// closes those whose cause it took away. It comes last, so that an operation which ends a
// task together with all its dependents asks nothing.
func (x *tx) settleRequests() {
	if x.op.Name == model.ImportTask {
		return // history of another system: nobody waits for an answer
	}
	var deps []model.UID
	for _, uid := range slices.Clone(x.order) {
		h := x.touched[uid]
		var had []model.UID
		x.settleAsked(uid)
		if h.orig != nil {
			x.settleHeld(h)
			x.settleReopened(h)
			had = h.orig.DependsOn
			if stateOf(h.orig) == stateOf(h.task) && slices.Equal(had, h.task.DependsOn) {
				continue
			}
			deps = append(deps, h.orig.Status.FailedBy) // of one failure, which has now come to an end or to another
		}
		deps = append(deps, uid, h.task.Config.ParentUID)
		deps = append(deps, had...)
		deps = append(deps, h.task.DependsOn...)
	}
	for i := range x.requests {
		// Closed: it may have failed still, and nobody is asked. Open again: another request about it goes, or nothing
		// waits for it any more.
		if uid, ok := failureOf(&x.requests[i]); ok {
			deps = append(deps, uid)
		} else if uid, ok := strings.CutPrefix(x.requests[i].Key, model.DepFailedKey("")); ok && !x.requests[i].Holds() {
			deps = append(deps, model.UID(uid))
		}
	}
	x.settleDeadlock()
	seen := map[model.UID]bool{}
	for _, uid := range deps {
		if !seen[uid] {
			seen[uid] = true
			x.settleFailed(uid)
		}
	}
}

// settleReopened closes what was asked about a task that had failed or was aborted and is not any more,
// and what the loop asked about work that is not wanted any more.
func (x *tx) settleReopened(h *touch) {
	uid, was, is := h.task.UID, stateOf(h.orig), stateOf(h.task)
	if was == is {
		return
	}
	if was == model.Failed {
		x.supersede(model.AttemptsKey(uid))
	}
	if (was == model.Failed || was == model.Aborted) && is != model.Failed && is != model.Aborted {
		x.supersede(model.DepFailedKey(uid))
	}
	if is != model.Aborted && is != model.Replanned {
		return
	}
	for _, r := range x.w.Requests() {
		if r.TaskUID == uid && r.IsOpen() && isEscalated(&r) && !r.Holds() {
			x.close(r)
		}
	}
}

// settleFailed keeps one escalation for a failed or aborted task open as long as some
// task waits for it in vain.
//
// One failure is one request: where a person is asked about the failure already, that request names what waits,
// and of tasks that failed one because of the other the first is asked about.
func (x *tx) settleFailed(uid model.UID) {
	t, ok := x.w.Task(uid)
	if !ok || !t.Ended() || t.Status.CurrentState == model.Completed {
		return
	}
	if cause := x.causeOf(t); cause != t {
		x.supersede(model.DepFailedKey(uid))
		uid, t = cause.UID, cause
	}
	var waiting []model.UID
	if !x.policy.Met(t) {
		waiting = x.waitInVain(uid)
	}
	if len(waiting) == 0 || x.askedAbout(uid) {
		x.supersede(model.DepFailedKey(uid))
		return
	}
	anew := false
	if h := x.touched[uid]; h != nil && h.orig != nil {
		anew = !h.orig.Ended() && x.op.Name != model.UndoVerdict
	}
	options := optionsOf(depFailedChoices)
	if t.Status.CurrentState == model.Aborted {
		options = options[:len(options)-1] // nothing leads out of it
	}
	x.file(model.Request{
		TaskUID: uid, Key: model.DepFailedKey(uid), Options: options,
		Title: fmt.Sprintf("%s %s; %s %s for it", model.Quoted(t), endedHow(t),
			model.Plural(len(waiting), "task", "tasks"), model.VerbFor(len(waiting), "waits", "wait")),
		Detail: "It is blocked: " + x.listed(waiting) + ". Remove the dependency, or replan or abort the waiting task." + x.failedWith(uid),
	}, anew)
}

// DeadlockKey begins the key of what the loop asks when nothing can be started and that does not pass by itself.
const DeadlockKey = "deadlock:"

// settleDeadlock closes what the loop asked about a deadlock once its cause may be gone: a dependency was changed, or a
// task was aborted. A loop that finds the same again asks again.
func (x *tx) settleDeadlock() {
	gone := slices.ContainsFunc(x.order, func(uid model.UID) bool {
		h := x.touched[uid]
		return h.orig != nil && (!slices.Equal(h.orig.DependsOn, h.task.DependsOn) || stateOf(h.orig) != model.Aborted && stateOf(h.task) == model.Aborted)
	})
	if !gone {
		return
	}
	for _, r := range x.w.Requests() {
		if r.TaskUID == "" && r.IsOpen() && isEscalated(&r) && strings.HasPrefix(r.Key, DeadlockKey) {
			x.close(r)
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
func (x *tx) askedAbout(uid model.UID) bool {
	_, attempts := x.pending(model.AttemptsKey(uid))
	_, held := x.pending(model.SubtaskFailedKey(uid))
	return attempts || held
}

// causeOf is the task because of which t failed: the subtask of a subtask of it, or t itself.
func (x *tx) causeOf(t *model.Task) *model.Task {
	for seen := map[model.UID]bool{}; t.Status.CurrentState == model.Failed && t.Status.FailedBy != "" && !seen[t.UID]; {
		seen[t.UID] = true
		child, ok := x.w.Task(t.Status.FailedBy)
		if !ok || child.Status.CurrentState != model.Failed {
			break
		}
		t = child
	}
	return t
}

// failedAbove are the tasks that failed because one below them did, from the bottom up.
func (x *tx) failedAbove(uid model.UID) (out []model.UID) {
	t, ok := x.w.Task(uid)
	for ok && t.Status.CurrentState == model.Failed {
		p := x.parent(t)
		if p == nil || p.Status.CurrentState != model.Failed || p.Status.FailedBy != t.UID || slices.Contains(out, p.UID) {
			break
		}
		out = append(out, p.UID)
		t = p
	}
	return out
}

// waitInVain are the open tasks that depend on one that has ended without success, or on one that failed with it.
func (x *tx) waitInVain(uid model.UID) (out []model.UID) {
	for _, failed := range append([]model.UID{uid}, x.failedAbove(uid)...) {
		for _, d := range x.w.DependentUIDs(failed) {
			if x.isOpen(d) && !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// howManyWait ends the title of a request about a failure.
func (x *tx) howManyWait(uid model.UID) string {
	n := len(x.waitInVain(uid))
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %s %s for it", model.Plural(n, "task", "tasks"), model.VerbFor(n, "waits", "wait"))
}

// hangsOn says in paragraphs what a failure does to other tasks.
func (x *tx) hangsOn(uid model.UID) string {
	out := ""
	if waiting := x.waitInVain(uid); len(waiting) > 0 {
		out = "\n\nBlocked by it: " + x.listed(waiting) + "."
	}
	return out + x.failedWith(uid)
}

// failedWith says which tasks failed because one did, and what becomes of what is still open below them.
func (x *tx) failedWith(uid model.UID) string {
	above := x.failedAbove(uid)
	if len(above) == 0 {
		return ""
	}
	out := "\n\nFailed with it: " + x.listed(above) + "."
	if open := x.openBelow(above[len(above)-1]); len(open) > 0 {
		out += "\n\nStill open below: " + x.listed(open) + ". None of them starts until the task above it is reopened; running ones are not stopped. Retrying the " +
			"failed task reopens all of them."
	}
	return out
}

// settleHeld closes the escalation of a parent that was held for a failed subtask and is
// not held any more.
func (x *tx) settleHeld(h *touch) {
	if h.orig.Status.PauseKind() != "hitl" || h.task.Status.PauseKind() == "hitl" {
		return
	}
	for _, r := range x.w.Requests() {
		if r.TaskUID == h.task.UID && r.IsOpen() && strings.HasPrefix(r.Key, model.SubtaskFailed) {
			x.supersede(r.Key)
		}
	}
}
