// Package lastwrites tells from the log which entry was the last to write something: a task's status.json, an approval, a
// file that a writer came too late to, or anything of a task. It reads entries from the last one back, as far as it takes.
// Start with Index.Statuses.
package lastwrites

import (
	"context"
	"slices"
	"sync"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/txlog"
)

// Index says which entry was the last to name a task, of those that were looked through: from
// the last entry down to one. Where one file is other than it should be, hundreds mostly are.
type Index struct {
	Log *txlog.Log

	mu     sync.Mutex
	last   uint64 // the last entry when they were looked through
	down   uint64 // and the oldest that was
	newest map[model.UID]uint64
}

// Forget drops everything: it was of another log.
func (x *Index) Forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last, x.down, x.newest = 0, 0, nil
}

// manyHeads is how many heads of entries are read at a time.
const manyHeads = 256

// named is the last entry that names a task, 0 where none does. It needs mu.
func (x *Index) named(uid model.UID) (seq uint64, err error) {
	last, err := x.Log.Tail(0)
	if err != nil || last == 0 {
		return 0, err
	}
	if x.last != last {
		x.last, x.down, x.newest = last, last+1, map[model.UID]uint64{}
	}
	for x.newest[uid] == 0 && x.down > 1 {
		first := max(1, x.down-min(x.down, manyHeads))
		heads, err := x.Log.Heads(context.Background(), first, x.down-1, true)
		if err != nil {
			return 0, err
		}
		for i, h := range slices.Backward(heads) {
			for _, named := range h.Uids {
				if x.newest[named] == 0 {
					x.newest[named] = first + uint64(i)
				}
			}
		}
		x.down = first
	}
	return x.newest[uid], nil
}

// StatusHash is the hash of what the log last wrote to a task's status.json; "" where it does not
// say.
func (x *Index) StatusHash(uid model.UID) (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	seq, err := x.named(uid)
	if err != nil {
		return "", durable.IgnoreMissing(err)
	}
	found, err := x.Statuses(context.Background(), map[model.UID]bool{uid: true}, seq, false, nil)
	return found[uid].Hash, err
}
