package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

// lostKey and a run's id are the key of the question about a run of which nothing is known on this machine.
const lostKey = "lost:"

// The choices are stored in questions that are open: their words stay.
const (
	chooseLost = "nobody works on it: it may be started again"
	chooseLive = "leave it: it is worked on elsewhere"
)

// lost looks for tasks that a loop has begun a run of, by the store, and of which this machine knows nothing: what
// was written down is gone or cannot be read, or it was begun on another machine or from another account. Whether
// somebody still works on it only a person can tell, who is asked once. It says whether it changed the store.
func (l *Loop) lost(ctx context.Context, snap *snapshot.Snapshot) (changed bool) {
	gone := map[string]bool{}
	for i := range snap.Len() {
		if snap.Status(i) != model.StatusRunning {
			continue
		}
		t := snap.At(i)
		run := t.Status.CurrentRun
		if run == "" || l.runs.of(t.UID) || !t.Status.RunStartedAt.Before(l.rounds.began.Truncate(time.Second)) { // of the last somebody knew just now
			continue
		}
		if _, ok, _ := l.place.read(run); ok {
			continue
		}
		gone[lostKey+run] = true
		did, err := l.askLost(ctx, snap, t)
		if err != nil {
			l.tell(fmt.Sprintf("%s of %s: %v", run, t.Config.Name, err))
		}
		changed = changed || did
	}
	for _, q := range snap.Requests() {
		if q.CreatedBy == Actor && q.IsOpen() && strings.HasPrefix(q.Key, lostKey) && !gone[q.Key] {
			l.settle(ctx, snap, q.Key, "")
		}
		if run := runAsked(q.Key); run != "" && q.CreatedBy == Actor && q.IsOpen() {
			if t, ok := snap.Task(q.TaskUID); ok && t.Status.CurrentRun != run { // it was stopped: nothing would come of the answer
				l.settle(ctx, snap, q.Key, "")
			}
		}
	}
	return changed
}

// runAsked is the run that a question about its work is of; "" of any other question.
func runAsked(key string) string {
	for _, prefix := range []string{askUntested, askIntegrate} {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			run, _, _ := strings.Cut(rest, ":")
			return run
		}
	}
	return ""
}

// askLost asks about the run of a task, or does what a person has decided about it.
func (l *Loop) askLost(ctx context.Context, snap *snapshot.Snapshot, t *model.Task) (changed bool, err error) {
	r := &run{record: record{Run: t.Status.CurrentRun, Task: t.UID}}
	key := lostKey + r.Run
	if q, ok := l.question(snap, r, key); ok {
		if q.Answer == nil || q.Answer.Choice != chooseLost {
			return false, nil
		}
		_, err := l.do(ctx, model.Op{
			ID: r.Run + ".lost", Name: model.StopRun, UID: t.UID, Actor: Actor, Reason: "it is unknown here, and a person reported that no one works on it",
		})
		return err == nil, err
	}
	// Only loops write events: anyone who started it by hand ends it by hand.
	if _, _, err := l.s.ReadRunFile(ctx, t.UID, r.Run, "output.jsonl", 0, 1); err != nil {
		if errors.Is(err, model.ErrNoContent) {
			err = nil
		}
		return false, err
	}
	title := fmt.Sprintf("%q is marked as running, but this machine has no record of its run", t.Config.Name)
	l.tell(title + ": asking a person")
	_, err = l.do(ctx, model.Op{
		ID: r.Run + ".asklost", Name: model.Escalate, UID: t.UID, Actor: Actor,
		Args: model.NewRequest{
			Key: key, Title: title,
			Detail: "A loop began " + r.Run + ", but this machine has no record of it: its state directory was removed, or the loop belongs to another " +
				"machine or account.\n\nIf it still runs somewhere, leave it. If it doesn't, allow a new start, or use `vespe stop " + t.UID.Short() +
				"`: it doesn't count as an attempt. `git worktree list` may still list its worktree. Its commits, if any, are in refs/vespe/" + r.Run + "/result.",
			Options: []string{chooseLost, chooseLive},
		},
	})
	return err == nil, err
}
