// Package writing does transactions: it takes the lock, finishes what the last writer left, computes a change from what the
// files say now, commits it as an entry of the log and brings it to its files. The order of the steps is that of the
// package store. Start with Writer.Do; commit is where an entry gets its number, recoverTail where one is finished.
package writing

import (
	"context"

	"vespe/model"
	"vespe/model/review"
	"vespe/store/checkpoint"
	"vespe/store/current"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/loading"
	"vespe/store/lockqueue"
	"vespe/store/opindex"
	"vespe/store/parallel"
	"vespe/store/pending"
	"vespe/store/reflections"
	"vespe/store/requests"
	"vespe/store/reviews"
	"vespe/store/rules"
	"vespe/store/txlog"
)

// Source is where a Writer gets at a store.
type Source struct {
	Disk     *durable.Files
	Log      *txlog.Log
	Pending  *pending.List
	Edits    *edits.Table
	Comparer *edits.Comparer
	Current  *current.Snapshot
	Ops      *opindex.Index
	Reviews  *reviews.Reader
	Rules    *rules.Reader
	Requests *requests.Queue
	Loader   *loading.Loader

	Checkpoints *checkpoint.Keeper

	Writable  func(op *model.Op) error                                             // why nothing can be written; nil when it can be
	Prepare   func() error                                                         // makes what a store needs before a transaction, under the lock
	Identify  func() error                                                         // reads whose store it is
	Fill      func(ops []model.Op) []model.Op                                      // completes operations
	Committed func(ctx context.Context, paths []string) (map[string]string, error) // what git has committed
	History   func(ctx context.Context, uid model.UID) ([]model.Event, []model.Problem, error)

	StartConsent func() string          // what the person asks for beside the policy
	Attestor     func() review.Attestor // of the person, nil for none
}

// Writer writes transactions. It is safe for concurrent use.
type Writer struct {
	Source

	// Writing serializes transactions and recoveries of this process.
	Writing     parallel.Turn
	LockQueue   lockqueue.Queue
	Reflections reflections.Book // guarded by Writing
}

// New is a writer of a store.
func New(of Source) *Writer {
	return &Writer{
		Source: of, Writing: parallel.NewTurn(), LockQueue: lockqueue.Queue{Disk: of.Disk, OutOfTurn: outOfTurn},
		Reflections: reflections.Book{Disk: of.Disk, Log: of.Log},
	}
}
