package engine

import (
	"context"
	"errors"
	"fmt"

	"vespe/engine/worktree"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

// byHand is the worktree in which a person works on a task.
func (p place) byHand(uid model.UID) (record, bool) {
	ids, err := p.records()
	if err != nil {
		return record{}, false
	}
	for _, id := range ids {
		if rec, ok, _ := p.read(id); ok && rec.Step == stepHand && rec.Task == uid {
			return rec, true
		}
	}
	return record{}, false
}

// Worktree is the directory in which a run works, or has worked. Of one that has ended it makes a worktree
// with what it had done, for a person: when the person has it tried again "by hand", the next run takes that
// worktree for its own.
func (u *Setup) Worktree(ctx context.Context, s *store.Store, run string) (string, error) {
	p, err := placeOf(u.Getenv, s.StoreID())
	if err != nil {
		return "", err
	}
	if rec, ok, _ := p.read(run); ok && rec.Path != "" {
		return rec.Path, nil
	}
	snap, err := s.Refresh(ctx)
	if err != nil {
		return "", err
	}
	was, t, err := findEnded(ctx, s, snap, run)
	if err != nil {
		return "", err
	}
	if t.Status.CurrentRun != "" {
		if rec, ok, _ := p.read(t.Status.CurrentRun); ok && rec.Path != "" {
			return "", &model.Refusal{
				Code: model.CodeRefused, UID: t.UID, Guard: model.GuardNoRun, Why: t.Status.CurrentRun + " is working on it",
				Hint: "its worktree is " + rec.Path,
			}
		}
	}
	if rec, ok := p.byHand(t.UID); ok {
		return rec.Path, nil
	}
	repo, err := u.Repo(ctx, s)
	if err != nil {
		return "", err
	}
	id := "run-" + newID()
	tree, err := repo.Add(ctx, id, string(t.UID), was.Report.Result)
	if err != nil {
		return "", err
	}
	defer tree.Close()
	rec := record{Run: id, Task: t.UID, Step: stepHand, Started: u.Now(), runCommits: runCommits{Path: tree.Path, Base: was.Report.Base}, Hand: true}
	return tree.Path, p.write(&rec)
}

// findEnded is a run that has ended, and its task.
func findEnded(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, run string) (model.Run, *model.Task, error) {
	for i := range snap.Len() {
		t := snap.At(i)
		list, err := s.Runs(ctx, t.UID)
		if err != nil {
			return model.Run{}, nil, err
		}
		var left *model.Run // the last one before it that left a commit
		for k, r := range list {
			has := r.Report != nil && r.Report.Result != ""
			switch {
			case r.ID != run && has:
				left = &list[k]
			case r.ID != run:
			case !has && left != nil && r.Worker.Kind() == model.System: // nothing was done by hand: it is the worker's that is gone on with
				return *left, t, nil
			case !has:
				return r, t, &model.Refusal{Code: model.CodeNotFound, UID: t.UID, Guard: "run", Why: run + " has no commit", Hint: "there is nothing to take over"}
			default:
				return r, t, nil
			}
		}
	}
	return model.Run{}, nil, &model.Refusal{Code: model.CodeNotFound, Guard: "run", Why: "unknown run " + run, Hint: "`vespe run list` lists them"}
}

// recoverHand keeps the worktree of a person as long as its task may need it.
func (l *Loop) recoverHand(ctx context.Context, r *run) error {
	t, ok := l.snap().Task(r.Task)
	if ok && t.Status.CurrentState != model.Completed && t.Status.CurrentState != model.Aborted {
		return nil
	}
	tree, err := l.repo.Reopen(ctx, r.Run)
	if errors.Is(err, worktree.ErrNoTree) {
		return l.place.forget(r.Run)
	}
	if err != nil {
		return err
	}
	kept, err := l.repo.Remove(ctx, tree)
	if err != nil {
		return err
	}
	if kept != "" {
		l.tell(fmt.Sprintf("kept a worktree that a person took over, because %s: %s", kept, r.Path))
		return nil
	}
	return l.place.forget(r.Run)
}
