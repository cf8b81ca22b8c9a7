package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vespe/engine/proc"
	"vespe/engine/verify"
	"vespe/engine/worktree"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
)

// maxPatch is how much of the difference is kept as changes.patch, in bytes.
const maxPatch = 8 << 20

// The questions that the loop asks a person about a run, by the beginning of their keys, and the choices.
const (
	askUntested  = "untested:"
	askIntegrate = "integrate:"

	chooseUntested = "integrate it as it is"
	chooseBack     = "send it back to a worker"
	chooseAgain    = "try again on what is there now"
	chooseMine     = "I resolved it in the worktree: check it"
	chooseGiveUp   = "give up on the task"
)

// snapshot commits what is in the worktree.
func (l *Loop) snapshot(ctx context.Context, r *run) (step, error) {
	r.phase(l.now(), runlog.PhaseSnapshot, "")
	if _, _, err := proc.Reap(ctx, l.turnDir(r), r.Run); err != nil { // nothing may write to it anymore
		return "", err
	}
	if err := l.reopen(ctx, r); err != nil {
		return "", l.gitFailure(r, "the worktree is missing", err)
	}
	res, err := l.repo.Snapshot(ctx, r.tree, l.message(r))
	if err != nil {
		return "", l.gitFailure(r, "can't commit the worker's changes", err)
	}
	for _, said := range res.Notes {
		r.note(l.now(), said)
	}
	for _, f := range res.Refused {
		r.note(l.now(), "left out: "+f)
	}
	if res.Empty && r.Hand { // the checks of it would be those of what was there before; what the worker left stays the last result
		return "", failed("no changes were made by hand: press W t on a run to open its work. Make your changes there, then choose by hand again")
	}
	r.result(res)
	if err := l.writePatch(ctx, r); err != nil {
		return "", err
	}
	r.Empty = res.Empty
	if res.Empty && !r.Parts {
		if len(res.Refused) > 0 {
			return "", failed("none of its changes can be committed: %s", strings.Join(res.Refused, "; "))
		}
		files, err := l.s.Results(ctx, r.Task)
		if err != nil {
			return "", err
		}
		t, ok := l.snap().Task(r.Task)
		if len(files) == 0 && !(ok && t.Phase() == model.PhaseSubtasks) { // whose result are tasks
			return "", failed("the worker changed no file and left no result")
		}
		r.note(l.now(), "no files changed; its findings are in result/")
	}
	r.note(l.now(), changedWords(res.Files))
	return stepSnapshot, nil
}

// result is the commit of a run. Where somebody merged in the worktree it stands on what they merged: else the
// difference would not show that it takes back what others did.
func (r *run) result(res worktree.Result) {
	r.Result, r.res = res.Commit, res
	if res.Base != "" && res.Base != r.tree.Base {
		r.Base = res.Base
	}
}

// changedWords are one line about the files of a commit.
func changedWords(files []worktree.Changed) string {
	if len(files) == 0 {
		return "no files changed"
	}
	added, removed := 0, 0
	for _, f := range files {
		added, removed = added+f.Added, removed+f.Deleted
	}
	return fmt.Sprintf("%s changed, +%d -%d", count(len(files), "file", "files"), added, removed)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// writePatch keeps the difference beside the run.
func (l *Loop) writePatch(ctx context.Context, r *run) error {
	if r.Result == "" || r.Base == "" {
		return nil
	}
	patch, err := l.repo.Patch(ctx, r.Base, r.Result, maxPatch)
	if err != nil && !errors.Is(err, worktree.ErrTruncated) {
		return err
	}
	if err := l.s.WriteRunFile(ctx, r.Task, r.Run, "changes.patch", patch); err != nil {
		return err
	}
	r.Patch = model.HashBytes(patch)
	return nil
}

// keep saves what a run that does not continue has done so far, so that nothing is lost and the next
// attempt, or a person, can look at it.
func (l *Loop) keep(r *run) {
	if r.Path == "" || r.Result != "" {
		return
	}
	ctx, cancel := l.aside()
	defer cancel()
	if l.reopen(ctx, r) != nil {
		return
	}
	res, err := l.repo.Snapshot(ctx, r.tree, l.message(r))
	if err != nil && ctx.Err() == nil { // a git that somebody has killed is tried once more, as in remove
		res, err = l.repo.Snapshot(ctx, r.tree, l.message(r))
	}
	if err != nil {
		r.note(l.now(), "its work so far can't be committed: "+err.Error())
		return
	}
	if res.Empty && r.Hand {
		return
	}
	r.result(res)
	if err := l.writePatch(ctx, r); err != nil {
		r.note(l.now(), "its diff can't be saved: "+err.Error())
	}
}

// verify checks the commit in a tree of its own, where nothing lies that was not committed.
func (l *Loop) verify(ctx context.Context, r *run) (step, error) {
	r.phase(l.now(), runlog.PhaseVerify, "")
	report, err := l.check(ctx, r, r.Result, "check")
	if err != nil {
		return "", err
	}
	return l.passed(ctx, r, report, stepVerified)
}

// passed says what a report means for a run.
func (l *Loop) passed(ctx context.Context, r *run, report runlog.Report, next step) (step, error) {
	if !report.OK {
		return "", failed("%s", reportWords(&report))
	}
	r.Verified, r.Tested = true, report.Tested
	if report.Tested || l.set.Untested == model.UntestedAccept || l.chosen(r, askUntested+r.Run) == chooseUntested {
		return next, nil
	}
	_, err := l.do(ctx, model.Op{
		ID: r.Run + ".untested", Name: model.Escalate, UID: r.Task, Actor: Actor,
		Args: model.NewRequest{
			Key: askUntested + r.Run, Title: fmt.Sprintf("%q: no test covers the work", r.name),
			Detail: "Nothing failed, but nothing was tested: " + report.Why + ".\n\nThe changes are in `changes.patch` of " + r.Run +
				". Integrate them as they are, or send the work back and say what is missing.",
			Options: []string{chooseUntested, chooseBack}, Holds: true,
		},
	})
	if err != nil {
		return "", err
	}
	return "", &waiting{after: next, question: askUntested + r.Run}
}

// reportWords say what failed, with the end of what it printed: what the next attempt has to know.
func reportWords(rep *runlog.Report) string {
	var b strings.Builder
	b.WriteString(rep.Why)
	if len(rep.Missing) > 0 {
		b.WriteString("\nmissing: " + strings.Join(rep.Missing, ", "))
	}
	for _, c := range rep.Checks {
		if c.Status != runlog.Fail {
			continue
		}
		how := fmt.Sprintf("%s: exit code %d", c.Name, c.Exit)
		if c.Why != "" {
			how += ", " + c.Why
		}
		if how != rep.Why {
			b.WriteString("\n" + how)
		}
		if c.Output != "" {
			b.WriteString("\n" + runlog.Tail(c.Output, 6<<10))
		}
	}
	return b.String()
}

// check verifies a commit in a clean tree and keeps the report.
func (l *Loop) check(ctx context.Context, r *run, commit, name string) (runlog.Report, error) {
	tree, err := l.repo.Checkout(ctx, r.Run, commit)
	if err != nil {
		return runlog.Report{}, fmt.Errorf("%s could not be checked out: %w", commit, err)
	}
	defer func() {
		aside, cancel := l.aside()
		defer cancel()
		if kept, err := l.remove(aside, tree); err != nil || kept != "" {
			r.note(l.now(), "kept the worktree of the checks: "+tree.Path)
		}
	}()
	report, err := l.checkIn(ctx, r, tree.Path, commit, name)
	if err != nil {
		return report, err
	}
	b := report.Encode()
	if err := l.s.WriteRunFile(ctx, r.Task, r.Run, "verify.json", b); err != nil {
		return report, err
	}
	r.Evidence = model.HashBytes(b)
	return report, nil
}

// checkIn verifies a commit that is checked out in dir.
func (l *Loop) checkIn(ctx context.Context, r *run, dir, commit, name string) (runlog.Report, error) {
	snap, err := l.refresh(ctx)
	if err != nil {
		return runlog.Report{}, err
	}
	t, ok := snap.Task(r.Task)
	if !ok {
		return runlog.Report{}, errGone
	}
	if !asAccepted(snap, t) { // what would be run is nothing that a person has accepted
		return runlog.Report{}, &waiting{after: r.Step, changed: true}
	}
	files := r.res.Files
	if r.Base != r.res.Base || commit != r.res.Commit {
		if files, err = l.repo.Changed(ctx, r.Base, commit); err != nil {
			return runlog.Report{}, err
		}
	}
	var changed []string
	for _, f := range files {
		changed = append(changed, f.Path)
	}
	report, err := verify.Run(ctx, verify.Input{
		Run: r.Run, Dir: dir, Commit: commit, Task: t, Env: l.env(r), Limits: l.commandLimits(), Setup: l.set.Setup, Changed: changed,
		State: filepath.Join(l.place.run(r.Run), name), Guard: l.opt.Guard, Emit: r.log,
	})
	if cause := context.Cause(ctx); cause != nil {
		return report, cause
	}
	if report.Outside = outside(t, changed); len(report.Outside) > 0 {
		r.note(l.now(), "changed, but not named by the task: "+strings.Join(report.Outside[:min(len(report.Outside), maxOutside)], ", "))
	}
	return report, err
}

// maxOutside is how many files are named that the task does not name.
const maxOutside = 50

// outside are the changed files that a task does not name, where it names any.
func outside(t *model.Task, changed []string) (out []string) {
	named := writes(t)
	if len(named) == 0 {
		return nil
	}
	for _, f := range changed {
		if !slices.ContainsFunc(named, func(n string) bool { return covers(n, f) }) && len(out) < maxOutside {
			out = append(out, f)
		}
	}
	return out
}

// integrate brings the commit onto the integration branch, once: a run that an earlier process brought
// there is found by its trailer.
func (l *Loop) integrate(ctx context.Context, r *run) error {
	if r.Empty {
		r.phase(l.now(), runlog.PhaseIntegrate, "there is nothing to integrate")
		return nil
	}
	r.phase(l.now(), runlog.PhaseIntegrate, "")
	done, err := l.repo.Integrate(ctx, worktree.Integration{
		Run: r.Run, Result: r.Result, Base: r.Base, Message: l.message(r),
	}, func(ctx context.Context, dir, commit string) error {
		r.note(l.now(), "other work was integrated in the meantime; verifying both together")
		report, err := l.checkIn(ctx, r, dir, commit, "again")
		if err == nil && !report.OK {
			err = failed("verified together with work that was integrated in the meantime: %s", reportWords(&report))
		}
		return err
	})
	var conflict *worktree.Conflict
	if errors.As(err, &conflict) {
		return l.askConflict(ctx, r, conflict)
	}
	var wait *waiting
	if errors.As(err, &wait) {
		return wait
	}
	if err != nil {
		return l.gitFailure(r, "can't integrate the work", err)
	}
	r.Integrated = done.Commit
	if cause := context.Cause(ctx); cause != nil && !done.Already {
		r.note(l.now(), "stopped after its work was integrated") // which cannot be taken back here
	}
	r.note(l.now(), "integrated into "+l.repo.Branch+" as "+short(done.Commit))
	return nil
}

func short(commit string) string { return commit[:min(len(commit), 10)] }

// askConflict asks a person about a commit that does not go together with what was integrated meanwhile.
func (l *Loop) askConflict(ctx context.Context, r *run, c *worktree.Conflict) error {
	key := askIntegrate + r.Run + ":" + short(r.Result) // another result is another question
	detail := "Its changes conflict with work that was integrated in the meantime:\n\n"
	for _, f := range c.Files {
		detail += "- `" + strings.ReplaceAll(f, "`", "'") + "`\n"
	}
	detail += "\nNothing was merged. Its work is commit " + short(r.Result) + " (refs/vespe/" + r.Run + "/result), in the worktree `" + r.Path +
		"`. To resolve it yourself, merge `" + l.repo.Branch + "` there and resolve the conflicts. You don't have to commit."
	_, err := l.do(ctx, model.Op{
		ID: r.Run + ".conflict." + short(r.Result), Name: model.Escalate, UID: r.Task, Actor: Actor,
		Args: model.NewRequest{
			Key: key, Title: fmt.Sprintf("%q conflicts in %s", r.name, count(len(c.Files), "file", "files")), Detail: detail,
			Options: []string{chooseAgain, chooseMine, chooseGiveUp}, Holds: true,
		},
	})
	if err != nil {
		return err
	}
	return &waiting{after: stepIntegrate, question: key}
}

// message is what the commits of a run say.
func (l *Loop) message(r *run) worktree.Message {
	return worktree.Message{Subject: r.name, Task: string(r.Task)}
}

// reopen takes over the worktree of a run that an earlier process made.
func (l *Loop) reopen(ctx context.Context, r *run) (err error) {
	if r.tree == nil {
		r.tree, err = l.repo.Reopen(ctx, r.Run)
	}
	return err
}

// question is the newest request with a key that the loop itself filed about a run.
func (l *Loop) question(snap *snapshot.Snapshot, r *run, key string) (model.Request, bool) {
	list := snap.Requests()
	for _, q := range slices.Backward(list) {
		if q.Key == key && q.TaskUID == r.Task && q.CreatedBy == Actor {
			return q, true
		}
	}
	return model.Request{}, false
}

// chosen is what a person chose of a question; "" before that.
func (l *Loop) chosen(r *run, key string) string {
	if q, ok := l.question(l.snap(), r, key); ok && q.Answer != nil {
		return q.Answer.Choice
	}
	return ""
}

// decide is what a run continues with that a person was asked about. It returns a failure where that is
// the end of the attempt.
func (l *Loop) decide(r *run, q model.Request) (step, error) {
	words := ""
	if q.Answer != nil {
		words = strings.TrimSpace(q.Answer.Text)
		if q.Answer.Choice != "" {
			words = strings.TrimSpace(q.Answer.Choice + ": " + words)
		}
	}
	switch {
	case q.Answer == nil:
		return r.After, nil // its cause has gone
	case q.Answer.Choice == chooseUntested:
		return r.After, nil
	case q.Answer.Choice == chooseMine:
		return stepWorked, nil
	case q.Answer.Choice == chooseAgain:
		return "", failed("it conflicts with work that was integrated in the meantime. Redo it on top of that. %s", words)
	case q.Answer.Choice == chooseGiveUp:
		return "", &failure{why: "a person gave up on it. " + words}
	}
	return "", failed("a person sent it back: %s", words)
}

// waitsFor says what a run waits for, in a sentence.
func (l *Loop) waitsFor(r *run) string {
	snap := l.snap()
	if r.Question != "" {
		if q, ok := l.question(snap, r, r.Question); ok {
			return q.Title
		}
	}
	if r.Changed {
		return "it has changed since it was accepted: revalidate or replan it"
	}
	for _, q := range l.askedBy(snap, r) {
		if q.IsOpen() {
			return q.Title
		}
	}
	if t, ok := snap.Task(r.Task); ok && t.Status.PauseReason != "" {
		return t.Status.PauseReason
	}
	return "a person"
}
