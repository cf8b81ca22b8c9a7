package store

import (
	"context"
	"errors"
	"slices"

	"vespe/model"
	"vespe/model/progress"
	"vespe/store/history"
	"vespe/store/layout"
	"vespe/store/view"
)

// WorkReport is the report on the work of a task as it stands (progress.ReportOf); nil where there is none. It reads
// only the events that can hold it, so that a list of finished work can have the report of each.
func (s *Store) WorkReport(ctx context.Context, t *model.Task) (*progress.WorkReport, error) {
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
	events, err := history.InOrder(&s.log, h.Events)
	if err != nil {
		return nil, err
	}
	return progress.ReportOf(t, events), nil
}
