package store

import (
	"context"
	"slices"
	"sync"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/store/parallel"
)

// Outdated are those of some tasks, nil for all, that check would mark as changed or whose marks it
// would take back: what they were accepted with is compared with what is there now. Nothing is
// written.
func (s *Store) Outdated(ctx context.Context, uids []model.UID) ([]model.UID, error) {
	snap, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	uids = uidsIn(snap, uids)
	var mu sync.Mutex
	var out []model.UID
	err = parallel.Each(ctx, len(uids), func(i int) error {
		if at, ok := snap.Index(uids[i]); !ok || !snap.MayBeChanged(at) {
			return nil
		}
		ch, err := lifecycle.Apply(peek{snap, v}, model.Op{Name: model.Check, UID: uids[i], Actor: systemExternal, ID: "outdated"})
		if err != nil || len(ch.Tasks) == 0 {
			return nil //nolint:nilerr // it cannot be checked now, and a problem of the task says so
		}
		mu.Lock()
		defer mu.Unlock()
		out = append(out, uids[i])
		return nil
	})
	slices.Sort(out)
	return out, err
}

// CheckAll lets check mark what Outdated finds, in one transaction. applied is zero where nothing
// is outdated.
func (s *Store) CheckAll(ctx context.Context, uids []model.UID, actor model.Actor) (found []model.UID, applied snapshot.Applied, err error) {
	if found, err = s.Outdated(ctx, uids); err != nil || len(found) == 0 {
		return found, applied, err
	}
	ops := make([]model.Op, len(found))
	for i, uid := range found {
		ops[i] = model.Op{Name: model.Check, UID: uid, Actor: actor}
	}
	applied, err = s.DoAll(ctx, ops)
	return found, applied, err
}
