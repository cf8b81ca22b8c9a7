package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// The keys of escalations: the same key is the same question, so that it is asked once.
func depFailedKey(uid UID) string     { return "dep-failed:" + string(uid) }
func attemptsKey(uid UID) string      { return "attempts:" + string(uid) }
func subtaskFailedKey(uid UID) string { return subtaskFailed + string(uid) }

const (
	subtaskFailed    = "subtask-failed:"
	subtaskHeld      = " is held: its subtask " // in the title, between the names
	escalationPrefix = "esc-"                   // of the ids of what vespe itself escalates
)

// pending is the open escalation with a key.
func (x *tx) pending(key string) (Request, bool) {
	for _, r := range x.w.Requests() {
		if r.Key == key && !r.Holds() && r.IsOpen() {
			return r, true
		}
	}
	return Request{}, false
}

// file asks a person, unless the same is being asked already, or was answered: then somebody
// knows. anew: it has come about once more, and what was answered then is no answer to it.
func (x *tx) file(r Request, anew bool) {
	for _, q := range x.w.Requests() {
		if q.Key == r.Key && !q.Holds() && q.State != RequestSuperseded && (q.IsOpen() || !anew) {
			return
		}
	}
	sum := sha256.Sum256([]byte(r.Key + "\x00" + x.op.ID))
	r.ID = escalationPrefix + hex.EncodeToString(sum[:8])
	r.Kind, r.State = "escalation", RequestPending
	r.CreatedAt, r.CreatedBy = x.op.At, systemActor
	x.put(r)
	x.also("a person is asked what to do")
}

func (x *tx) put(r Request) {
	if i := slices.IndexFunc(x.requests, func(q Request) bool { return q.ID == r.ID }); i >= 0 {
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
// task together with all its dependants asks nothing.
func (x *tx) settleRequests() {
	if x.op.Name == ImportTask {
		return // history of another system: nobody waits for an answer
	}
	var deps []UID
	for _, uid := range slices.Clone(x.order) {
		h := x.touched[uid]
		var had []UID
		x.settleAsked(uid)
		if h.orig != nil {
			x.settleHeld(h)
			x.settleReopened(h)
			had = h.orig.DependsOn
			if h.orig.state() == h.task.state() && slices.Equal(had, h.task.DependsOn) {
				continue
			}
		}
		deps = append(deps, uid)
		deps = append(deps, had...)
		deps = append(deps, h.task.DependsOn...)
	}
	seen := map[UID]bool{}
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
	uid, was, is := h.task.UID, h.orig.state(), h.task.state()
	if was == is {
		return
	}
	if was == Failed {
		x.supersede(attemptsKey(uid))
	}
	if (was == Failed || was == Aborted) && is != Failed && is != Aborted {
		x.supersede(depFailedKey(uid))
	}
	if is != Aborted && is != Replanned {
		return
	}
	for _, r := range x.w.Requests() {
		if r.TaskUID == uid && r.IsOpen() && r.isEscalated() && !r.Holds() {
			x.close(r)
		}
	}
}

// settleFailed keeps one escalation for a failed or aborted task open as long as some
// task waits for it in vain.
func (x *tx) settleFailed(uid UID) {
	t, ok := x.w.Task(uid)
	if !ok || !t.ended() || t.Status.CurrentState == Completed {
		return
	}
	var waiting []UID
	if !x.policy.met(t) {
		for _, d := range x.w.DependantUIDs(uid) {
			if x.isOpen(d) {
				waiting = append(waiting, d)
			}
		}
	}
	if len(waiting) == 0 {
		x.supersede(depFailedKey(uid))
		return
	}
	anew := false
	if h := x.touched[uid]; h != nil && h.orig != nil {
		anew = !h.orig.ended() && x.op.Name != UndoVerdict
	}
	options := optionsOf(depFailedChoices)
	if t.Status.CurrentState == Aborted {
		options = options[:len(options)-1] // nothing leads out of it
	}
	x.file(Request{
		TaskUID: uid, Key: depFailedKey(uid), Options: options,
		Title: fmt.Sprintf("%s %s; %s %s for it", quoted(t), endedHow(t),
			plural(len(waiting), "task", "tasks"), verb(len(waiting), "waits", "wait")),
		Detail: "It is blocked: " + x.listed(waiting) + ". Remove the dependency, replan what waits, or abort it.",
	}, anew)
}

// settleHeld closes the escalation of a parent that was held for a failed subtask and is
// not held any more.
func (x *tx) settleHeld(h *touch) {
	if h.orig.Status.PauseKind() != "hitl" || h.task.Status.PauseKind() == "hitl" {
		return
	}
	for _, r := range x.w.Requests() {
		if r.TaskUID == h.task.UID && r.IsOpen() && strings.HasPrefix(r.Key, subtaskFailed) {
			x.supersede(r.Key)
		}
	}
}
