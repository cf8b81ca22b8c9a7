// Package current holds the snapshot that a store goes by, with the entry of the log that it stands for, and what is known
// of the files since. Its lock calls nothing: no file is accessed under it. Who takes the snapshot and puts the next in its
// place holds the store's turn to look.
package current

import (
	"sync"

	"vespe/model/snapshot"
	"vespe/store/txlog"
)

// Snapshot is the current one. The zero value is for a store before its first read. It is safe for concurrent use.
type Snapshot struct {
	mu        sync.Mutex
	snap      *snapshot.Snapshot
	tip       txlog.Tip // that snap stands for
	unswept   bool      // snap came from a checkpoint, and was not compared with every task's files
	names     int64     // mtime of tasks/ when its names were those of the tasks in snap; 0: unknown
	projected uint64    // every entry up to this one is known to be projected
}

// Get is the snapshot and the entry that it stands for; nil for none.
func (c *Snapshot) Get() (*snapshot.Snapshot, txlog.Tip) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.snap, c.tip
}

// Put makes a snapshot the current one, unless a newer one is there already, and returns the one that is.
func (c *Snapshot) Put(snap *snapshot.Snapshot, at txlog.Tip) *snapshot.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.snap != nil && c.tip.Seq > at.Seq {
		return c.snap
	}
	c.snap, c.tip = snap, at
	return snap
}

// Drop forgets the snapshot, Forget everything: it is of another log.
func (c *Snapshot) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.snap, c.tip = nil, txlog.Tip{}
}

// Forget forgets everything that was known from a log.
func (c *Snapshot) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.snap, c.tip, c.projected, c.names = nil, txlog.Tip{}, 0, 0
}

// Repack makes p, a packed copy of from, the memory of the snapshot, whatever it has become since.
func (c *Snapshot) Repack(from, p *snapshot.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.snap == from {
		requests := from.Requests() // the file has only those that the log knows
		c.snap = p.Amend(snapshot.Amendment{Requests: &requests})
	} else if c.snap != nil {
		c.snap = c.snap.PackedLike(p, from)
	}
}

// Read remembers how the files were read that the next snapshot is of. newest says that none of a later entry than seq is
// there.
func (c *Snapshot) Read(seq uint64, names int64, unswept bool) (newest bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names, c.unswept = names, unswept
	return c.snap == nil || c.tip.Seq <= seq
}

// Unswept says whether it came from a checkpoint, and was not compared with every task's files. Swept ends that.
func (c *Snapshot) Unswept() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unswept
}

// Swept remembers that it was compared with every task's files.
func (c *Snapshot) Swept() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unswept = false
}

// Names is the mtime of tasks/ when its names were those of the tasks, in nanoseconds; 0: unknown.
func (c *Snapshot) Names() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names
}

// SetNames remembers it.
func (c *Snapshot) SetNames(mtime int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names = mtime
}

// Installed is told the mtime of tasks/ before and after names were added to it. If until then every name was the
// log's, it is so afterwards too: then nobody needs to list them to know.
func (c *Snapshot) Installed(before, after int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names != before {
		after = 0
	}
	c.names = after
}

// Known is the entry that the snapshot stands for, and the last that is known to be projected.
func (c *Snapshot) Known() (at txlog.Tip, projected uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tip, c.projected
}

// SetProjected remembers that every entry up to one is projected.
func (c *Snapshot) SetProjected(seq uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.projected = max(c.projected, seq)
}
