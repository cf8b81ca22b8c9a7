// Package opindex tells which entry of the log holds an operation, which of them name a task, and which tasks were deleted
// and how they were. It knows that up to an entry, and reads on when it is asked. A checkpoint holds what it knows. Start
// with Index.
package opindex

import (
	"context"
	"maps"
	"slices"
	"sync"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// Index knows the log's entries up to upto: by a sorted table of hashes from a checkpoint, and the later ones. It is safe
// for concurrent use.
type Index struct {
	Log *txlog.Log

	mu      sync.Mutex
	upto    uint64
	table   txlog.OpTable
	recent  map[string][]uint64 // by the id of an operation or the key of a task
	deleted deletions
}

// Add takes up an entry that was just written, if every one before it is known.
func (x *Index) Add(e *txlog.Entry) {
	deleted, err := DeletedIn(x.Log, e)
	if err != nil {
		return // it is read when it is needed
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.recent == nil || e.Seq != x.upto+1 {
		return
	}
	x.upto = e.Seq
	x.hold(e.OpID, e.Seq)
	for i := range e.Ops {
		x.hold(e.Ops[i].ID, e.Seq)
		x.hold(txlog.TaskKey(e.Ops[i].UID), e.Seq)
	}
	for _, uid := range e.Tasks {
		x.hold(txlog.TaskKey(uid), e.Seq)
	}
	x.fold()
	x.deleted.take(e.Seq, deleted)
}

// hold remembers that an entry holds an operation or names a task. It needs mu.
func (x *Index) hold(key string, seq uint64) {
	if seqs := x.recent[key]; len(seqs) == 0 || seqs[len(seqs)-1] != seq {
		x.recent[key] = append(seqs, seq)
	}
}

// foldLeast is how many operations and tasks stay apart from the table at least: it is copied for others.
const foldLeast = 4096

// fold puts what came after the table into it when that is a good part of it: there it takes 16
// bytes each. It needs mu.
func (x *Index) fold() {
	if len(x.recent) > max(foldLeast, x.table.Len()/8) {
		x.table, x.recent = x.table.With(x.recent), map[string][]uint64{}
	}
}

// Forget drops everything: it was of another log.
func (x *Index) Forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.upto, x.table, x.recent, x.deleted = 0, nil, nil, deletions{}
}

// Start begins with what a checkpoint knows of the entries up to its own, unless more is known already. false where it is
// damaged: then it knows nothing of them.
func (x *Index) Start(ops, deleted sections.Section, upto uint64) bool {
	table, err := ops.Checked()
	if err != nil || len(table)%txlog.OpRecordSize != 0 {
		return false
	}
	packed, err := deleted.Checked()
	if err != nil {
		return false
	}
	var snap *snapshot.Snapshot
	if len(packed) > 0 {
		if snap, err = snapshot.Unpack(packed); err != nil {
			return false
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if upto > x.upto {
		x.upto, x.table, x.recent = upto, table, map[string][]uint64{}
		x.deleted = deletions{table: snap, whole: true}
	}
	return true
}

// UpTo is the table of the entries up to seq, which must be known.
func (x *Index) UpTo(seq uint64) txlog.OpTable {
	x.mu.Lock()
	defer x.mu.Unlock()
	table, recent := x.table, x.recent
	if x.upto > seq {
		recent = maps.Clone(recent)
		for key, seqs := range recent {
			recent[key] = upTo(seqs, seq)
		}
		table = table.Before(seq + 1)
	}
	return table.With(recent)
}

// upTo are the entries up to one, of ascending ones.
func upTo(seqs []uint64, last uint64) []uint64 {
	n, _ := slices.BinarySearch(seqs, last+1)
	return seqs[:n:n]
}

// lookup is the entries that may hold an operation or name a task, ascending.
func (x *Index) lookup(key string) []uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append(x.table.Find(key), x.recent[key]...)
}

// EntriesOf are the entries that name a task, ascending, up to the last one of the log. An entry that doesn't may be
// among them.
func (x *Index) EntriesOf(ctx context.Context, uid model.UID) ([]uint64, error) {
	last, err := x.Log.Tail(0)
	if err != nil || last == 0 {
		return nil, err
	}
	if err := x.Update(ctx, last); err != nil {
		return nil, err
	}
	return upTo(x.lookup(txlog.TaskKey(uid)), last), nil
}

// EntryOf is the entry that holds an operation; 0 when none does. What is known is compared with the entry itself: two ids
// may have one hash.
func (x *Index) EntryOf(id string) (uint64, error) {
	for _, seq := range x.lookup(id) {
		ids, err := x.Log.ReadOpIDs(seq)
		if err != nil {
			return 0, err
		}
		if slices.Contains(ids, id) {
			return seq, nil
		}
	}
	return 0, nil
}

// Update reads what it has to know of the entries up to last that are not known yet.
func (x *Index) Update(ctx context.Context, last uint64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.recent == nil {
		x.recent = map[string][]uint64{}
	}
	if x.upto >= last {
		return nil
	}
	heads, err := x.Log.Heads(ctx, x.upto+1, last)
	if err != nil {
		return err
	}
	tell := map[uint64]map[model.UID]*model.Task{}
	for i := range heads {
		if seq := x.upto + 1 + uint64(i); heads[i].Edits {
			e, _, err := x.Log.ReadEntry(seq)
			if err != nil && fsys.IsTransient(err) {
				return err
			}
			if err != nil {
				continue // Doctor says so
			}
			if tell[seq], err = DeletedIn(x.Log, e); err != nil {
				return err
			}
		}
	}
	for i := range heads {
		seq := x.upto + 1 + uint64(i)
		for _, id := range heads[i].Ids {
			x.hold(id, seq)
		}
		for _, uid := range heads[i].Uids {
			x.hold(txlog.TaskKey(uid), seq)
		}
		x.deleted.take(seq, tell[seq])
	}
	x.upto = last
	x.fold()
	return nil
}

// IsWhole says whether every task that the log knows, and that is not there, is known to be deleted.
func (x *Index) IsWhole() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.deleted.whole
}

// SetWhole remembers that it is so.
func (x *Index) SetWhole() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.deleted.whole = true
}

// Deleted is a task as it was when it went last; nil where it never did.
func (x *Index) Deleted(uid model.UID) *model.Task {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.deleted.of(uid)
}

// IsDeleted says whether the log knows that a task is deleted.
func (x *Index) IsDeleted(uid model.UID) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.deleted.isDeleted(uid)
}
