package documents

import (
	"context"
	"slices"
	"sync"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/store/edits"
	"vespe/store/parallel"
	"vespe/store/taskfiles"
)

// Outdated are those of some tasks, nil for all, that check would mark as changed or whose marks it
// would take back: what they were accepted with is compared with what is there now. Nothing is
// written.
func (s *Reader) Outdated(ctx context.Context, uids []model.UID) ([]model.UID, error) {
	snap, err := s.refresh(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	uids = taskfiles.UIDsIn(snap, uids)
	var mu sync.Mutex
	var out []model.UID
	err = parallel.Each(ctx, len(uids), func(i int) error {
		if at, ok := snap.Index(uids[i]); !ok || !snapshot.MayBeChanged(snap, at) {
			return nil
		}
		ch, err := lifecycle.Apply(peek{snap, v}, model.Op{Name: model.Check, UID: uids[i], Actor: edits.ActorExternal, ID: "outdated"})
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
