// Package loading keeps the snapshot of a store in step with the log and with the tasks' files. It reads everything (Load),
// begins with a checkpoint (Warm), follows the log (Refresh), reads some tasks again (Freshen) and looks for what was
// edited past vespe (Sweep). What is read while entries are committed is brought forward by their after-images
// (replayer). It writes no file of a task. Start with Loader.
package loading

import (
	"context"
	"sync"
	"sync/atomic"

	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/current"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/follow"
	"vespe/store/opindex"
	"vespe/store/pending"
	"vespe/store/requests"
	"vespe/store/results"
	"vespe/store/rules"
	"vespe/store/taskcache"
	"vespe/store/txlog"
)

// Source is where a Loader gets at a store.
type Source struct {
	Disk     *durable.Files
	Log      *txlog.Log
	Pending  *pending.List
	Edits    *edits.Table
	Comparer *edits.Comparer
	Current  *current.Snapshot
	Ops      *opindex.Index
	Rules    *rules.Reader
	Requests *requests.Queue
	Results  *results.Reader

	Checkpoints *checkpoint.Keeper
	Cache       func() *taskcache.Cache   // for a store without a checkpoint; it may return nil
	Follower    func() *follow.Follower   // nil where nobody follows the store
	Recover     func(ctx context.Context) // finishes what is committed and not projected, if nobody is writing
	Background  *sync.WaitGroup

	StoreID  func() string
	ReadOnly func() string          // why nothing can be written; "" when it can be
	Attestor func() review.Attestor // of the person, nil for none
}

// Loader keeps the current snapshot. It is safe for concurrent use.
type Loader struct {
	Source

	// Looking is held from taking the current snapshot to putting the next one in its place,
	// so that what is found on the way, in edits and conflicts, belongs to it.
	Looking  sync.Mutex
	partial  atomic.Pointer[partial] // what a load under way has read; nil when none is
	lackings lackings
}

// New is a loader of a store.
func New(of Source) *Loader { return &Loader{Source: of} }

// Latest is the current snapshot, and the entry that it stands for; nil where nothing was read yet.
func (s *Loader) Latest() (*snapshot.Snapshot, txlog.Tip) { return s.Current.Get() }

// Drop forgets the current snapshot, without waiting for who looks.
func (s *Loader) Drop() { s.Current.Drop() }

// Adopt makes what a transaction did after an entry, base, the current snapshot. What others of this process have found
// meanwhile in other tasks stays. Where one of them has gone on to its entry, at, already, or beyond, all is known from
// that: what the transaction began with, computed, is older. next lays what it did over a snapshot.
func (s *Loader) Adopt(base, at txlog.Tip, computed *snapshot.Snapshot, next func(from *snapshot.Snapshot) *snapshot.Snapshot) *snapshot.Snapshot {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	from, there := s.Current.Get()
	if from != nil && there.Seq >= at.Seq {
		return from
	}
	if from == nil || there != base {
		from = computed
	}
	return s.Keep(next(from), at)
}

// Forget drops the current snapshot: the next to need one reads anew.
func (s *Loader) Forget() {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	s.Current.Drop()
}
