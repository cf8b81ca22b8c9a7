package documents

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/taskfiles"
)

// AllToday is Today for every task.
func (s *Reader) AllToday(ctx context.Context, snap *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	return s.Today(ctx, snap, taskfiles.UIDsIn(snap, nil))
}

// Today is a snapshot in which accepted tasks are changed whose documents or approvals are other
// bytes than the accepted ones, though no transaction has taken that over yet: they cannot be started, and
// a list must not offer them. uids are the tasks that are looked at. The snapshot is for
// showing: the store continues with its own.
func (s *Reader) Today(ctx context.Context, snap *snapshot.Snapshot, uids []model.UID) (*snapshot.Snapshot, error) {
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var changed []*model.Task
	var wrong []model.Problem
	err = parallel.Each(ctx, len(uids), func(i int) error {
		t, ok := snap.Task(uids[i])
		if !ok {
			return nil
		}
		ps, err := v.Tampered(t)
		if err != nil {
			return err
		}
		now, err := binding.Marked(t, func(file string) (string, error) {
			b, err := v.ReadFile(layout.TaskFile(t.UID, file), layout.MaxDocument)
			if fsys.Missing(err) {
				return "", nil
			}
			return model.HashBytes(b), err
		})
		switch {
		case err != nil && (fsys.IsAboutFile(err) || errors.Is(err, fs.ErrPermission)):
			now = t // a problem of the task, which the load has named
		case err != nil:
			return err
		}
		if now != t || len(ps) > 0 {
			mu.Lock()
			wrong = append(wrong, ps...)
			if now != t {
				changed = append(changed, now)
			}
			mu.Unlock()
		}
		return nil
	})
	if err != nil {
		return snap, err
	}
	if snap = withTampered(snap, wrong); len(changed) == 0 {
		return snap, nil
	}
	return snap.With(snap.Seq(), snap.Head(), changed, nil), nil
}

// withTampered is a snapshot with the problems of the approvals of some tasks, for showing.
func withTampered(snap *snapshot.Snapshot, found []model.Problem) *snapshot.Snapshot {
	now := snap.StoreProblems()
	for _, p := range found {
		if !slices.ContainsFunc(now, func(q model.Problem) bool { return q.Path == p.Path && q.Code == p.Code }) {
			now = append(slices.Clone(now), p)
		}
	}
	if len(now) == len(snap.StoreProblems()) {
		return snap
	}
	return snap.Amend(snapshot.Amendment{Problems: &now})
}
