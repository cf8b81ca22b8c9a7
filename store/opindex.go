package store

import (
	"context"
	"maps"
	"slices"
	"sync"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/past"
	"vespe/store/txlog"
)

// opIndex knows what can be told of the entries up to upto beside the tasks that are there:
// which of them holds an operation, by a sorted table of hashes from a checkpoint and what
// came after it, and the tasks that were deleted. It is safe for concurrent use.
type opIndex struct {
	mu      sync.Mutex
	upto    uint64
	table   txlog.OpTable
	recent  map[string]uint64
	deleted deletions
}

// add takes up an entry that was just written, if every one before it is known.
func (x *opIndex) add(e *txlog.Entry, deleted map[model.UID]*model.Task) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.recent == nil || e.Seq != x.upto+1 {
		return
	}
	x.upto = e.Seq
	x.recent[e.OpID] = e.Seq
	for i := range e.Ops {
		x.recent[e.Ops[i].ID] = e.Seq
	}
	x.fold()
	x.deleted.take(e.Seq, deleted)
}

// foldLeast is how many operations stay apart from the table at least: it is copied for others.
const foldLeast = 4096

// fold puts what came after the table into it when that is a good part of it: there it takes 16
// bytes each. It needs mu.
func (x *opIndex) fold() {
	if len(x.recent) > max(foldLeast, x.table.Len()/8) {
		x.table, x.recent = x.table.With(x.recent), map[string]uint64{}
	}
}

// forget drops everything: it was of another log.
func (x *opIndex) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.upto, x.table, x.recent, x.deleted = 0, nil, nil, deletions{}
}

// start begins with what a checkpoint knows, unless more is known already.
func (x *opIndex) start(t txlog.OpTable, deleted *model.Snapshot, upto uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if upto > x.upto {
		x.upto, x.table, x.recent = upto, t, map[string]uint64{}
		x.deleted = deletions{table: deleted, whole: true}
	}
}

// upTo is the table of every operation in the entries up to seq, which must be known.
func (x *opIndex) upTo(seq uint64) txlog.OpTable {
	x.mu.Lock()
	defer x.mu.Unlock()
	table, recent := x.table, x.recent
	if x.upto > seq {
		recent = maps.Clone(recent)
		maps.DeleteFunc(recent, func(_ string, in uint64) bool { return in > seq })
		table = table.Before(seq + 1)
	}
	return table.With(recent)
}

// lookup is the entry that holds an operation; 0 when none does. sure says whether the
// entry is known to hold it, or only likely to.
func (x *opIndex) lookup(id string) (seqs []uint64, sure bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if seq, ok := x.recent[id]; ok {
		return []uint64{seq}, true
	}
	return x.table.Find(id), false
}

// findOps is the entry that holds these operations; 0 when none does. Only the heads of
// entries that were not looked at before are read.
func (s *Store) findOps(ctx context.Context, ops []model.Op, last uint64) (uint64, error) {
	if err := s.indexOps(ctx, last); err != nil {
		return 0, s.unreadable(&ops[0], err)
	}
	var seq uint64
	for i := range ops {
		is, err := s.entryOfOp(ops[i].ID)
		if err != nil {
			return 0, s.unreadable(&ops[i], err)
		}
		if i == 0 {
			seq = is
		}
		if is != seq {
			return 0, failure.New(model.CodeConflict, failure.GuardOpID, &ops[i], nil, "use a new id for each operation; nothing was changed",
				"the id %q was used before, in a different transaction", ops[i].ID)
		}
	}
	return seq, nil
}

// entryOfOp is the entry that holds an operation. What a table says is compared with the
// entry itself: two ids may have one hash.
func (s *Store) entryOfOp(id string) (uint64, error) {
	seqs, sure := s.ops.lookup(id)
	if sure {
		return seqs[0], nil
	}
	for _, seq := range seqs {
		ids, err := s.log.ReadOpIDs(seq)
		if err != nil {
			return 0, err
		}
		// Of an entry that is no longer kept only the hash is left: it is as good as the id.
		if slices.Contains(ids, id) || ids == nil && s.log.WasCompacted(seq) {
			return seq, nil
		}
	}
	return 0, nil
}

// indexOps reads what it has to know of the entries up to last that are not known yet.
func (s *Store) indexOps(ctx context.Context, last uint64) error {
	x := &s.ops
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.recent == nil {
		x.recent = map[string]uint64{}
	}
	if x.upto >= last {
		return nil
	}
	if x.upto == 0 {
		b, err := s.log.OpenBase()
		if err != nil {
			return err
		}
		deleted, err := past.DeletedTable(b.Deleted).Tasks()
		if err != nil {
			return err
		}
		x.upto, x.table, x.deleted = b.Seq, b.Ops, deletions{}
		x.deleted.take(b.Seq, deleted)
		if x.upto >= last {
			return nil
		}
	}
	heads, err := s.log.Heads(ctx, x.upto+1, last, false)
	if err != nil {
		return err
	}
	tell := map[uint64]map[model.UID]*model.Task{}
	for i := range heads {
		if seq := x.upto + 1 + uint64(i); heads[i].Edits {
			e, _, err := s.log.ReadEntry(seq)
			if err != nil && fsys.IsTransient(err) {
				return err
			}
			if err != nil {
				continue // Doctor says so
			}
			if tell[seq], err = s.deletedIn(e); err != nil {
				return err
			}
		}
	}
	for i := range heads {
		seq := x.upto + 1 + uint64(i)
		for _, id := range heads[i].Ids {
			x.recent[id] = seq
		}
		x.deleted.take(seq, tell[seq])
	}
	x.upto = last
	x.fold()
	return nil
}

// areSame refuses operations that are others than those that a compacted entry held under their ids.
func (s *Store) areSame(ops []model.Op, seq uint64) error {
	b, err := s.log.OpenBase()
	if err != nil {
		return s.unreadable(&ops[0], err)
	}
	for i := range ops {
		if k, known := b.Kind(ops[i].ID, seq); known && !k.IsOf(&ops[i]) {
			return failure.New(model.CodeConflict, failure.GuardOpID, &ops[i], nil, "use a new id for each operation; nothing was changed",
				"the id %q was used before, for something else", ops[i].ID)
		}
	}
	return nil
}
