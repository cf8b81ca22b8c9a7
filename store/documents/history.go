package documents

import (
	"context"
	"errors"
	"slices"

	"vespe/model"
	"vespe/model/progress"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/history"
	"vespe/store/layout"
	"vespe/store/view"
)

// WorkReport is the report on the work of a task as it stands (progress.ReportOf); nil where there is none. It reads
// only the events that can hold it, so that a list of finished work can have the report of each.
func (s *Reader) WorkReport(ctx context.Context, t *model.Task) (*progress.WorkReport, error) {
	if t.Status.CurrentState != model.Completed {
		return nil, nil
	}
	v, err := s.viewOf(ctx, t.UID)
	if err != nil {
		return nil, err
	}
	names, err := v.EventFiles(t.UID)
	if err != nil {
		if errors.Is(err, view.ErrNoTask) {
			err = nil
		}
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		_, event, ok := model.ParseEventFile(name)
		return ok && !progress.MayReport(event)
	})
	h := history.Reader{Read: v.ReadFile, UID: t.UID}
	if err := h.Files(ctx, layout.PersistentDir, names); err != nil {
		return nil, err
	}
	events, err := history.InOrder(s.log, h.Events)
	if err != nil {
		return nil, err
	}
	return progress.ReportOf(t, events), nil
}

// History is what happened to a task: every event file in its persistent/, those of older
// systems too, and the messages that the original wrote into its memory/, in the order of the log, and where it does not know them by time and then by
// file name. A file that is no readable event is a problem; the others are still there.
func (s *Reader) History(ctx context.Context, uid model.UID) ([]model.Event, []model.Problem, error) {
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
	events, err := history.InOrder(s.log, h.Events)
	return events, h.Problems, err
}
