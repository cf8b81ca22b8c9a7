package store

import (
	"context"
	"errors"
	"time"

	"vespe/model"
	modelhistory "vespe/model/history"
	"vespe/model/reflection"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/history"
	"vespe/store/layout"
	"vespe/store/view"
)

// Feed is what a part of the log says happened.
type Feed = history.Feed

// Events is what the log's entries after the one with that number say happened. With a limit
// it is the last ones only. Entries that are no longer kept are left out, as are events of
// older systems, which no entry tells of. An entry that cannot be read hides no other.
func (s *Store) Events(ctx context.Context, after uint64, limit int) (Feed, error) {
	head, err := s.Head(ctx)
	if err != nil {
		return Feed{Head: max(head, after)}, err
	}
	return history.Events(ctx, &s.log, head, after, limit)
}

func (s *Store) journals() *history.Journals {
	return &history.Journals{
		Disk: &s.disk, Log: &s.log, ReadOnly: func() bool { return s.ReadOnly() != "" }, Head: s.Head, History: s.History,
		Tasks: s.taskNames,
	}
}

// Journal is what happened to all tasks up to now. With one that is known already it costs what happened since.
// progress, in tasks, may be nil; it is called from one goroutine at a time.
//
// An event file that cannot be read is left out, and counted in the task's chronicle; History says
// what is wrong with it.
func (s *Store) Journal(ctx context.Context, was *modelhistory.Journal, progress func(done, total int)) (*modelhistory.Journal, error) {
	return s.journals().Read(ctx, was, progress)
}

// JournalFresh is Journal from every task's files, whatever was written down.
func (s *Store) JournalFresh(ctx context.Context, progress func(done, total int)) (*modelhistory.Journal, error) {
	return s.journals().Fresh(ctx, progress)
}

// History is what happened to a task: every event file in its persistent/, those of older
// systems too, and the messages that the original wrote into its memory/, in the order of the log, and where it does not know them by time and then by
// file name. A file that is no readable event is a problem; the others are still there.
func (s *Store) History(ctx context.Context, uid model.UID) ([]model.Event, []model.Problem, error) {
	v, err := s.viewOf(ctx, uid)
	if err != nil {
		return nil, nil, err
	}
	names, err := v.EventFiles(uid)
	if errors.Is(err, view.ErrNoTask) {
		return nil, nil, failure.New(model.CodeNotFound, failure.GuardStore, nil, nil, "`vespe ls` lists the tasks", "there is no task %s", uid)
	}
	if err != nil {
		if fsys.IsTransient(err) {
			return nil, nil, err
		}
		return nil, []model.Problem{history.Problem(uid, layout.PersistentDir, "", err)}, nil
	}
	h := history.Reader{Read: v.ReadFile, UID: uid}
	if err := h.Files(ctx, layout.PersistentDir, names); err != nil {
		return nil, nil, err
	}
	if names, err = v.Messages(uid); err != nil {
		return nil, nil, err
	}
	if err := h.Files(ctx, layout.MemoryDir, names); err != nil {
		return nil, nil, err
	}
	events, err := history.InOrder(&s.log, h.Events)
	return events, h.Problems, err
}

// Reflections are the lines of reflections/ since a time, the oldest first. Lines that are none, and files that
// cannot be read, are problems and hide no other.
func (s *Store) Reflections(ctx context.Context, since time.Time) ([]reflection.Line, []model.Problem, error) {
	return s.reflections.Read(ctx, since)
}
