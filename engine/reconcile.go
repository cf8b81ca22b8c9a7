package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"vespe/engine/proc"
	"vespe/model"
)

// reconcile goes through what earlier loops left. Whatever still lives of their runs is ended first; then
// each run continues from the step that it had certainly come to: what was committed is checked and
// integrated, a run whose worker ended with that loop is canceled, with its log, what waits for a
// person waits on. A run whose task is somebody else's now is only cleaned up after.
func (l *Loop) reconcile(ctx context.Context) error {
	ids, err := l.place.records()
	if err != nil {
		return err
	}
	for _, q := range l.snap().Requests() {
		if q.CreatedBy == Actor && q.IsOpen() && strings.HasPrefix(q.Key, apartKey) {
			l.target.apart = q.Title
		}
	}
	for _, id := range ids {
		if err := l.recover(ctx, id); err != nil && ctx.Err() == nil { // the others continue
			l.tell(fmt.Sprintf("can't continue %s of an earlier loop; the next loop tries again: %v", id, err))
		}
	}
	return nil
}

func (l *Loop) recover(ctx context.Context, id string) error {
	rec, ok, err := l.place.read(id)
	switch {
	case err == nil && rec.Run == "": // it was killed before the record was there, and so before the claim
		return l.place.forget(id)
	case err != nil || !ok:
		if err == nil {
			err = errors.New("it names another run, or an invalid task")
		}
		l.opt.tell(Said{At: l.now(), Text: fmt.Sprintf("left %s alone: its record can't be read (%v)", id, err)})
		return nil
	}
	r := &run{record: rec}
	if r.Step == stepHand {
		return l.recoverHand(ctx, r)
	}
	if r.Step == stepOver {
		r.events = &events{}
		l.clean(r, end{run: r, what: gone, refused: true})
		return nil
	}
	if _, _, err := proc.Reap(ctx, l.turnDir(r), r.Run); err != nil && !errors.Is(err, proc.ErrLive) {
		return err
	}
	t, ok := l.snap().Task(r.Task)
	if !ok {
		return nil
	}
	r.name = t.Config.Name
	if err := l.open(ctx, r); err != nil {
		return err
	}
	switch {
	case r.Step != stepClaim && t.Status.CurrentRun != r.Run:
		l.say(r, "ended elsewhere: cleaned up")
		l.keep(r)
		l.clean(r, end{run: r, what: gone})
	case r.Step == stepWaiting:
		r.claimed.Store(true)
		l.runs.waiting[r.Run] = r
	case r.Step == stepClaim && t.Status.CurrentRun != r.Run:
		// It was killed before the claim, or before it knew: the task is taken anew in its turn.
		l.clean(r, end{run: r, what: gone, refused: true})
	default:
		r.claimed.Store(t.Status.CurrentRun == r.Run)
		l.say(r, "resumes at "+string(r.Step))
		l.drives(r, l.drive)
	}
	return nil
}

// CancelLeft stops a run that a loop left which is no more. Whatever else was left stays for the next loop.
func (l *Loop) CancelLeft(ctx context.Context, id string) error {
	unlock, err := l.place.lock()
	if err != nil {
		return err
	}
	defer unlock()
	l.hard = ctx
	if _, err := l.refresh(ctx); err != nil {
		return err
	}
	rec, err := l.place.startedHere(id)
	if err != nil {
		return err
	}
	r := &run{record: rec}
	if _, _, err := proc.Reap(ctx, l.turnDir(r), r.Run); err != nil {
		return err
	}
	if t, ok := l.snap().Task(r.Task); ok {
		r.name = t.Config.Name
	}
	if err := l.open(ctx, r); err != nil {
		return err
	}
	r.claimed.Store(true)
	l.drives(r, func(ctx context.Context, r *run) end {
		r.stop(errCanceled)
		return l.drive(ctx, r)
	})
	e := <-l.runs.results
	return e.err
}

// startedHere is what is recorded of a run that a loop on this machine started and that has not ended. Any other is
// refused.
func (p place) startedHere(run string) (record, error) {
	rec, ok, err := p.read(run)
	why := run + " was not started by a loop on this machine"
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return rec, fmt.Errorf("can't read the record of %s: %w", run, err)
	case ok && rec.Step != stepOver:
		return rec, nil
	case ok:
		why = run + " has ended on this machine"
	}
	return rec, &model.Refusal{
		Code: model.CodeRefused, Op: model.StopRun, Guard: "run", Why: why,
		Hint: "its worker must end it. Without a worker, `vespe run stop UID` allows a new start",
	}
}
