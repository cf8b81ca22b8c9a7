// Package lastwrites tells from the log which entry was the last to write something: a task's status.json, an approval, a
// file that a writer came too late to, or anything of a task. It reads entries from the last one back, as far as it takes.
// Start with Index.Statuses.
package lastwrites

import (
	"context"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/opindex"
	"vespe/store/txlog"
)

// Index says what the entries of the log last wrote.
type Index struct {
	Log *txlog.Log
	Ops *opindex.Index
}

// named is the last entry that names a task; 0 where none does.
func (x *Index) named(uid model.UID) (uint64, error) {
	seqs, err := x.Ops.EntriesOf(context.Background(), uid)
	if len(seqs) == 0 || err != nil {
		return 0, err
	}
	return seqs[len(seqs)-1], nil
}

// StatusHash is the hash of what the log last wrote to a task's status.json; "" where it does not
// say.
func (x *Index) StatusHash(uid model.UID) (string, error) {
	seq, err := x.named(uid)
	if err != nil {
		return "", durable.IgnoreMissing(err)
	}
	found, err := x.Statuses(context.Background(), map[model.UID]bool{uid: true}, seq, false, nil)
	return found[uid].Hash, err
}
