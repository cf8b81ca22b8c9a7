package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vespe/engine/verify"
	"vespe/engine/worktree"
	"vespe/model"
	"vespe/model/snapshot"
)

// The beginnings of the keys of the requests that say why the target branch cannot follow, and why no run can begin.
const (
	targetKey = "target:"
	apartKey  = "apart:"
)

// UpTo is the last commit of the integration branch that the target may be brought to, by policy, and how many
// commits that are. "" where it may not be moved. What is no work of a task, such as a commit that somebody made
// on the branch, is nothing that a person has accepted.
func UpTo(pending []worktree.Integrated, snap *snapshot.Snapshot, policy string) (commit string, n int) {
	if policy == model.IntegrateNever {
		return "", 0
	}
	last := map[string]int{} // of each task: what a person accepted is all of its commits, not the first of them
	for k, c := range pending {
		last[c.Task] = k
	}
	least := 0
	for k, c := range pending {
		if policy == model.IntegrateReviewed {
			i, ok := snap.Index(model.UID(c.Task))
			if !ok || snap.Status(i) != model.StatusDone {
				break
			}
			least = max(least, last[c.Task])
		}
		if k >= least {
			commit, n = c.Commit, k+1
		}
	}
	return commit, n
}

// advance brings the target branch to where the policy lets it be, when the store has changed. It does not
// wait for that: what the target has gained may have to be checked together with the work.
func (l *Loop) advance(ctx context.Context, snap *snapshot.Snapshot) {
	if l.set.Integrate == model.IntegrateNever || l.target.advancing.Load() || !l.target.outdated(snap, l.now()) {
		return
	}
	l.target.advancing.Store(true)
	l.target.seq, l.target.at, l.target.due = snap.Seq(), l.now(), false
	l.target.moving.Go(func() {
		defer func() {
			l.target.advancing.Store(false)
			select {
			case l.target.moved <- struct{}{}:
			default:
			}
		}()
		if err := l.moveTarget(ctx, snap); err != nil && ctx.Err() == nil {
			if said := err.Error(); said != l.target.held {
				l.target.held = said
				l.tell(l.targetName() + " could not be moved: " + said + ". The loop tries again")
			}
		}
	})
}

// target is how the target branch was last looked at. While that continues, waits and held belong to the goroutine that does it.
type target struct {
	advancing atomic.Bool
	moving    sync.WaitGroup
	moved     chan struct{} // told when it was looked at
	apart     string        // why no run can begin: the target and the integration branch do not go together

	seq   uint64 // of the snapshot; 0 before the first time
	at    time.Time
	due   bool    // something was integrated since
	waits []aimed // the tasks whose work the target does not have
	held  string  // what is in the way
}

type aimed struct {
	uid    model.UID
	status model.Status
}

// outdated says whether another look may find something else: it asks git, which is not to be done for each
// transition of whatever task.
func (a *target) outdated(snap *snapshot.Snapshot, now time.Time) bool {
	changed, later := snap.Seq() != a.seq, now.Sub(a.at) >= lookAgain
	switch {
	case a.seq == 0, a.due, later && (changed || a.held != ""), changed && a.held != "":
		return true
	}
	return changed && slices.ContainsFunc(a.waits, func(w aimed) bool { return statusOf(snap, w.uid) != w.status })
}

func statusOf(snap *snapshot.Snapshot, uid model.UID) model.Status {
	if i, ok := snap.Index(uid); ok {
		return snap.Status(i)
	}
	return model.StatusProblem // which is no reason to move anything
}

func (l *Loop) moveTarget(ctx context.Context, snap *snapshot.Snapshot) error {
	pending, err := l.repo.Pending(ctx)
	if err != nil {
		return err
	}
	l.target.waits = nil
	for _, c := range pending {
		l.target.waits = append(l.target.waits, aimed{model.UID(c.Task), statusOf(snap, model.UID(c.Task))})
	}
	upTo, n := UpTo(pending, snap, l.set.Integrate)
	if upTo == "" {
		return l.holdsUp(ctx, snap, pending)
	}
	err = l.Deliver(ctx, upTo)
	var (
		no       *worktree.Refused
		conflict *worktree.Conflict
		fail     *failure // of the check
	)
	switch {
	case err == nil:
		l.target.held = ""
		l.settle(ctx, l.snap(), targetKey, "")
		l.tell(fmt.Sprintf("%s moved by %s to %s", l.targetName(), count(n, "commit", "commits"), short(upTo)))
		return l.holdsUp(ctx, snap, pending[n:])
	case errors.As(err, &no), errors.As(err, &conflict), errors.As(err, &fail):
		if said := err.Error(); said != l.target.held {
			l.target.held = said
			l.tell(l.targetName() + " was not moved: " + said)
			return l.askTarget(ctx, snap, targetKey, upTo, said)
		}
		return nil
	}
	return err
}

// holdsUp asks a person about a commit of the integration branch that is no work of a task: everything after it
// waits for them.
func (l *Loop) holdsUp(ctx context.Context, snap *snapshot.Snapshot, pending []worktree.Integrated) error {
	known := len(pending) == 0
	if !known { // the review of a task is in the inbox
		_, known = snap.Index(model.UID(pending[0].Task))
	}
	if known { // nothing is to be moved, so that nothing is in the way
		l.target.held = ""
		l.settle(ctx, l.snap(), targetKey, "")
		return nil
	}
	c := pending[0]
	why := fmt.Sprintf("%s (%s) on %s belongs to no task here, and no one has accepted it. Review it. Then take it with `vespe integrate --all`, or remove it from the branch.",
		short(c.Commit), c.Subject, l.repo.Branch)
	if why == l.target.held {
		return nil
	}
	l.target.held = why
	l.tell(l.targetName() + " was not moved: " + why)
	return l.askTarget(ctx, snap, targetKey, c.Commit, why)
}

// Deliver brings the target branch to a commit of the integration branch, as worktree.Repo.Deliver does. What the
// target has gained is checked together with the work, by the tests that the project has.
func (l *Loop) Deliver(ctx context.Context, upTo string) error {
	return l.repo.Deliver(ctx, upTo, l.checkTarget)
}

func (l *Loop) checkTarget(ctx context.Context, dir, commit string) error {
	report, err := verify.Run(ctx, verify.Input{
		Run: "target", Dir: dir, Commit: commit, Task: &model.Task{Spec: &model.Spec{}}, Env: l.opt.Environ, Limits: l.commandLimits(), Setup: l.set.Setup,
		State: filepath.Join(l.place.dir, "target"), Guard: l.opt.Guard,
	})
	if err == nil && !report.OK {
		err = failed("%s", reportWords(&report))
	}
	return err
}

// askTarget tells a person why the target branch could not follow, or does not go together with the work so far.
// Nothing of theirs was touched.
func (l *Loop) askTarget(ctx context.Context, snap *snapshot.Snapshot, prefix, upTo, why string) error {
	key := prefix + model.HashBytes([]byte(upTo + why))[len("sha256-"):][:16]
	l.settle(ctx, snap, prefix, key)
	title := l.targetName() + " cannot follow " + l.repo.Branch
	detail := why + "\n\nNone of your changes were touched. "
	if upTo != "" {
		detail += "The work is on `" + l.repo.Branch + "`, up to " + short(upTo) + ". Remove what blocks it and the loop continues, or move it yourself with `vespe integrate`."
	} else {
		title = l.targetName() + " and " + l.repo.Branch + " conflict"
		detail += "No run starts until they are merged: merge one into the other."
	}
	if prior, ok := snap.Keyed("", key); ok && prior.State != model.RequestSuperseded {
		return nil
	}
	_, err := l.do(ctx, model.Op{
		Name: model.Escalate, Actor: Actor,
		Args: model.NewRequest{Key: key, Title: title, Detail: detail, Options: []string{"I removed the blocker", "leave it on " + l.repo.Branch}},
	})
	return err
}

func (l *Loop) tell(text string) { l.opt.tell(Said{At: l.now(), Text: text}) }

func (o *Options) tell(s Said) {
	if o.Say != nil {
		o.Say(s)
	}
}

// targetName is what the target branch is called.
func (l *Loop) targetName() string {
	if l.repo.Target == "" {
		return "the checked-out branch"
	}
	return l.repo.Target
}
