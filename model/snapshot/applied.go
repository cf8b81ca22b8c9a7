package snapshot

import "vespe/model"

// Applied is what the store answers to an operation that is on disk.
type Applied struct {
	Seq      uint64
	Change   *model.Change
	Snapshot *Snapshot // the store just after it
	Replayed bool      // the op's ID had been applied before; nothing was written now
	Warnings []string  // committed, but something afterwards went wrong
}
