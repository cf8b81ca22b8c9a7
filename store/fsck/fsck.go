// Package fsck holds a store against its own record, and repairs what needs nobody's judgement.
//
// Verify walks the log and compares each file with what the log last made it. Doctor does that, too, and looks at all that
// no load needs to look at. Both go by an auditor, which knows what the log made each file (chain) before it looks at
// any. Others may write meanwhile: see audit.go. Repair puts things right with what an auditor knows, under the lock.
package fsck

import (
	"context"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/gitfiles"
	"vespe/store/leftovers"
	"vespe/store/lockqueue"
	"vespe/store/pending"
	"vespe/store/project"
	"vespe/store/txlog"
)

// Parts are the parts of a store that are looked at.
type Parts struct {
	Root        string
	Disk        *durable.Files
	Log         *txlog.Log
	Edits       *edits.Table
	Comparer    *edits.Comparer
	Projector   *project.Projector
	Pending     *pending.List
	Checkpoints checkpoint.Files
	LockQueue   *lockqueue.Queue
	Git         gitfiles.Head
}

// Checker checks a store, and repairs it.
type Checker struct {
	Parts

	Writable func() error                // why nothing can be written; nil when it can be
	Hint     func() txlog.Hint           // the last entry that is known to be projected
	Names    func() ([]model.UID, error) // the names in tasks/, sorted
	Forget   func()                      // what was read
	// ForgetLog forgets all that is known from the log.
	ForgetLog func() error
	// Load reads the store, LoadFiles all files and nothing else, LoadApart what another process would see.
	Load, LoadFiles, LoadApart func(ctx context.Context) (*snapshot.Snapshot, error)
	// History is what is wrong with the events of a task.
	History func(ctx context.Context, uid model.UID) ([]model.Problem, error)
	// Alone takes the lock, does first, and then sees to it that the last entry is in its files.
	Alone func(ctx context.Context, first func() error) (release func(), err error)
	// Record tells the log of tasks that were deleted, and of those whose files say more than it does.
	Record func(ctx context.Context, deleted []*model.Task, strayed []Strayed) error
}

func (s *Checker) leftovers() leftovers.Files { return leftovers.Files{Disk: s.Disk, Log: s.Log} }
