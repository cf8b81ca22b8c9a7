package store

import (
	"context"
	"errors"
	"slices"

	"vespe/model"
	"vespe/store/layout"
)

// WorkReport is the report on the work of a task as it stands (model.ReportOf); nil where there is none. It reads
// only the events that can hold it, so that a list of finished work can have the report of each.
func (s *Store) WorkReport(ctx context.Context, t *model.Task) (*model.WorkReport, error) {
	if t.Status.CurrentState != model.Completed {
		return nil, nil
	}
	if err := s.checkTask(ctx, t.UID); err != nil {
		return nil, err
	}
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	names, err := v.eventFiles(t.UID)
	if err != nil {
		if errors.Is(err, errNoTask) {
			err = nil
		}
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		_, event, ok := model.ParseEventFile(name)
		return ok && !model.MayReport(event)
	})
	h := historyReader{v: v, uid: t.UID}
	if err := h.read(ctx, layout.PersistentDir, names); err != nil {
		return nil, err
	}
	slices.SortStableFunc(h.events, byTime)
	events, err := s.inOrder(h.events)
	if err != nil {
		return nil, err
	}
	return model.ReportOf(t, events), nil
}
