package engine

import (
	"context"
	"fmt"

	"vespe/model"
	"vespe/model/snapshot"
)

// do fires one operation.
func (l *Loop) do(ctx context.Context, op model.Op) (snapshot.Applied, error) {
	return l.doAll(ctx, []model.Op{op})
}

func (l *Loop) doAll(ctx context.Context, ops []model.Op) (snapshot.Applied, error) {
	fitting := make([]model.Op, len(ops))
	for i, op := range ops {
		fitting[i] = fits(op)
	}
	applied, err := l.s.DoAll(ctx, fitting)
	if applied.Snapshot != nil {
		l.know(applied.Snapshot)
	}
	return applied, err
}

// refresh is the store as it is.
func (l *Loop) refresh(ctx context.Context) (*snapshot.Snapshot, error) {
	snap, err := l.s.Refresh(ctx)
	if err != nil {
		return nil, fmt.Errorf("can't read the store: %w", err)
	}
	l.know(snap)
	return snap, nil
}

// know keeps a snapshot as what is known, unless another goroutine knows more already.
func (l *Loop) know(snap *snapshot.Snapshot) {
	for {
		was := l.current.Load()
		if was != nil && was.Seq() > snap.Seq() || l.current.CompareAndSwap(was, snap) {
			return
		}
	}
}
