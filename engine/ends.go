package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vespe/engine/proc"
	"vespe/engine/worktree"
	"vespe/model"
	"vespe/model/runlog"
)

// endWait is how long the end of a run tries to be written down.
const endWait = 30 * time.Second

// aside is a context for what has to be done although the run was stopped.
func (l *Loop) aside() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(l.hard), endWait)
}

// complete says that the work is done: it waits for a person's review.
func (l *Loop) complete(r *run) error {
	ctx, cancel := l.aside()
	defer cancel()
	text := fmt.Sprintf("Done by %s in attempt %d.", r.Worker, r.Attempt)
	switch {
	case r.Hand:
		text = "Done by a person."
	case r.Parts:
		text = "Done by its subtasks, and verified together."
	}
	if r.Integrated != "" {
		text += " Commit " + short(r.Integrated) + " on " + l.repo.Branch + "."
	}
	if !r.Hand && !r.Parts {
		text += l.claims(ctx, r)
	}
	if len(text) > maxCompleted { // a quotation of many short lines is longer than what it quotes
		text = strings.ToValidUTF8(text[:maxCompleted], "") + " …"
	}
	_, err := l.do(ctx, model.Op{
		ID: r.Run + ".done", Name: model.WorkCompleted, UID: r.Task, Actor: Actor, Args: model.Completion{Summary: text, Report: l.report(ctx, r, "")},
	})
	return err
}

// claims are what the worker reported of its work, and its last words where they differ: a report may say what
// was not done, and the words after it "Done."
func (l *Loop) claims(ctx context.Context, r *run) string {
	quote := func(what, said string) string {
		return "\n\n" + what + " (not verified):\n\n> " + strings.ReplaceAll(said, "\n", "\n> ") + "\n"
	}
	out, reported := "", ""
	b, size, err := l.s.ReadRunFile(ctx, r.Task, r.Run, runlog.ReportFile, -maxReported, maxReported)
	switch {
	case err == nil:
		reported = strings.TrimSpace(strings.ToValidUTF8(string(b), "\uFFFD"))
		if int64(len(b)) < size {
			reported = "… " + reported
		}
	case !errors.Is(err, model.ErrNoContent):
		reported = "(Its report can't be read: " + err.Error() + ")"
	}
	if reported != "" {
		out = quote("Its report", reported)
	}
	if r.Said != "" && !strings.Contains(reported, r.Said) {
		out += quote("Its final message", r.Said)
	}
	return out
}

// maxCompleted is how long the words are at most that complete a task, in bytes: longer ones would be refused.
const maxCompleted = 60 << 10

// maxReported is how much of a worker's report goes into that on the work, in bytes.
const maxReported = 16 << 10

// fail ends an attempt and hands the task to the next one, or to a person where it was the last.
func (l *Loop) fail(r *run, why string) error {
	ctx, cancel := l.aside()
	defer cancel()
	ops := []model.Op{
		{ID: r.Run + ".error", Name: model.RaiseError, UID: r.Task, Actor: Actor, Args: model.ErrorReport{Details: clipped(why), Report: l.report(ctx, r, why)}},
		{ID: r.Run + ".retry", Name: model.Retry, UID: r.Task, Actor: Actor},
	}
	_, err := l.doAll(ctx, ops)
	var no *model.Refusal
	if errors.As(err, &no) && no.Op == model.Retry { // it stays in error, for a person
		_, err = l.doAll(ctx, ops[:1])
	}
	return err
}

// release ends a run that was stopped: the task is ready again, and no attempt is counted.
func (l *Loop) release(r *run, cause error) error {
	ctx, cancel := l.aside()
	defer cancel()
	_, err := l.do(ctx, model.Op{
		ID: r.Run + ".stop", Name: model.StopRun, UID: r.Task, Actor: Actor, Reason: cause.Error(), Args: model.RunEnd{Report: l.report(ctx, r, cause.Error())},
	})
	return err
}

// maxDetails is how much of what went wrong is kept in the task, in bytes.
const maxDetails = 8 << 10

func clipped(s string) string {
	if len(s) <= maxDetails {
		return s
	}
	return runlog.FirstLine(s[:min(len(s), 1<<10)]) + "\n…\n" + runlog.Tail(s, maxDetails-2<<10)
}

// report is what run.json keeps of a run that ends.
func (l *Loop) report(ctx context.Context, r *run, why string) *model.RunReport {
	rep := &model.RunReport{
		Template: r.Worker, Session: r.Session, Base: r.Base, Result: r.Result, Integrated: r.Integrated, Phase: string(r.seen().Phase),
		Why: runlog.FirstLine(why), Cost: r.Cost, In: r.In, Out: r.Out, Verified: r.Verified, Tested: r.Tested, Attempt: r.Attempt, Exit: r.Exit,
	}
	if r.Hand || r.Parts {
		rep.Template = ""
	}
	rep.Patch, rep.Evidence = r.Patch, r.Evidence
	b, _, err := l.s.ReadRunFile(ctx, r.Task, r.Run, "verify.json", 0, maxReported)
	switch {
	case err != nil:
		return rep
	case r.Evidence == "": // no matter who wrote it, it is no evidence
		not := runlog.Report{Commit: r.Result, Why: "it was never verified; this file wasn't written by vespe"}
		if err := l.s.WriteRunFile(ctx, r.Task, r.Run, "verify.json", not.Encode()); err != nil {
			r.note(l.now(), "verify.json wasn't written by vespe and can't be replaced: "+err.Error())
		}
		return rep
	case model.HashBytes(b) != r.Evidence:
		r.note(l.now(), "verify.json was changed: its results for the criteria are ignored")
		return rep
	}
	checked, err := runlog.DecodeReport(b)
	if err != nil {
		return rep
	}
	states := map[runlog.Status]string{runlog.Pass: "passed", runlog.Fail: "failed", runlog.NotRun: "not_run"}
	for k, c := range checked.Criteria {
		rep.Criteria = append(rep.Criteria, model.CriterionState{Criterion: k + 1, Text: c.Text, State: states[c.Status], Evidence: c.By})
	}
	return rep
}

// finish cleans up after a run whose end is in the log, or was not to be written.
func (l *Loop) finish(r *run, e end, err error) end {
	var no *model.Refusal
	switch {
	case errors.As(err, &no) && no.Code != model.CodeNotDurable:
		// The task is not what it was: aborted, replanned, paused at the last moment. Its run is over for
		// anyone who ended it, or is looked at again.
		snap, rerr := l.refresh(l.hard)
		if rerr != nil {
			return end{run: r, what: crashed, err: err}
		}
		if t, ok := snap.Task(r.Task); ok && t.Status.CurrentRun == r.Run {
			if t.Status.IsPaused {
				return l.park(r)
			}
			return end{run: r, what: crashed, err: err}
		}
		e = end{run: r, what: gone}
	case err != nil && !(errors.As(err, &no) && no.Code == model.CodeNotDurable):
		return end{run: r, what: crashed, err: err}
	}
	if !e.refused {
		outcome := "ended elsewhere"
		switch {
		case e.done && e.what == ended:
			outcome = "completed"
		case e.stopped:
			outcome = "cancelled"
		case e.what == ended:
			outcome = "failed"
		}
		r.phase(l.now(), runlog.PhaseEnded, outcome)
	}
	l.clean(r, e)
	return e
}

// park lets a run wait that came to its end while its task was paused.
func (l *Loop) park(r *run) end {
	r.After, r.Question, r.Changed = r.Step, "", false
	if err := l.at(r, stepWaiting); err != nil {
		return end{run: r, what: crashed, err: err}
	}
	return end{run: r, what: waits}
}

// remove takes a worktree away. A git that somebody has killed is tried once more.
func (l *Loop) remove(ctx context.Context, tree *worktree.Tree) (kept string, err error) {
	kept, err = l.repo.Remove(ctx, tree)
	if err != nil && !errors.Is(err, worktree.ErrNoTree) && ctx.Err() == nil {
		kept, err = l.repo.Remove(ctx, tree)
	}
	return kept, err
}

// clean takes away what a run that is over needed, as far as nothing is lost by it.
func (l *Loop) clean(r *run, e end) {
	ctx, cancel := l.aside()
	defer cancel()
	if !e.refused {
		l.keepStreams(ctx, r)
	}
	r.events.close()
	err := l.reopen(ctx, r)
	if err == nil {
		var kept string
		if kept, err = l.remove(ctx, r.tree); kept != "" {
			l.say(r, "kept its worktree because "+kept+": "+r.Path)
		}
	}
	if err != nil && !errors.Is(err, worktree.ErrNoTree) {
		l.say(r, "the next loop removes its worktree: "+err.Error())
		if l.at(r, stepOver) == nil {
			return
		}
	}
	if err := l.place.forget(r.Run); err != nil {
		l.say(r, "its record can't be removed: "+err.Error())
	}
}

// maxStream is how much of what a worker printed is kept in the store, in bytes: its end.
const maxStream = 4 << 20

// keepStreams copies what the worker printed, as it was printed, beside the run.
func (l *Loop) keepStreams(ctx context.Context, r *run) {
	for name, from := range map[string]string{"stream.log": "out", "stderr.log": "err"} {
		var all []byte
		for turn := 1; turn <= r.Turn; turn++ {
			all = append(all, proc.Tail(filepath.Join(l.place.run(r.Run), fmt.Sprintf("work-%d", turn), from), maxStream)...)
		}
		if len(all) == 0 {
			continue
		}
		if err := l.s.WriteRunFile(ctx, r.Task, r.Run, name, all[max(0, len(all)-maxStream):]); err != nil && !errors.Is(err, os.ErrNotExist) {
			l.say(r, name+" can't be saved: "+err.Error())
		}
	}
}

// giveUp ends a task for good, because a person said so.
func (l *Loop) giveUp(r *run, why string) error {
	ctx, cancel := l.aside()
	defer cancel()
	_, err := l.do(ctx, model.Op{
		ID: r.Run + ".error", Name: model.RaiseError, UID: r.Task, Actor: Actor, Args: model.ErrorReport{Details: clipped(why), Failure: true, Report: l.report(ctx, r, why)},
	})
	return err
}
