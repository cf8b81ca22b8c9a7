package checkpoint

import (
	"context"
	"fmt"
	"sync"

	"vespe/model/snapshot"
	"vespe/store/current"
	"vespe/store/fsys"
	"vespe/store/marks"
	"vespe/store/opindex"
	"vespe/store/parallel"
	"vespe/store/sections"
)

// Every is the number of entries after which the next checkpoint is due.
const Every = 128

// Least is from how many tasks on a store has no checkpoint after every process that wrote.
const Least = 500

// Keeper sees to it that there are checkpoints. Make it with its parts, and give it a turn.
type Keeper struct {
	Files
	Marks      *marks.Table
	Ops        *opindex.Index
	Background *sync.WaitGroup // what continues beside
	Least      int             // tasks; see the constant

	Snapshot *current.Snapshot
	ReadOnly func() string // why nothing can be written; "" when it can be
	// Take fills in a head, and is what is to be written down, as of its entry. whole is the current snapshot where
	// that says no more, else nil.
	Take func(ctx context.Context, c *Head) (written, whole *snapshot.Snapshot, err error)

	Turn   parallel.Turn // for writing one; it is only ever tried, never waited for
	mu     sync.Mutex
	newest uint64 // the entry of the newest usable checkpoint; 0: there is none
}

// Found remembers the newest usable checkpoint.
func (k *Keeper) Found(seq uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.newest = seq
}

// Overdue says whether so much was written since the last checkpoint that there should be
// another: entries is how much.
func (k *Keeper) Overdue(entries uint64) bool {
	if k.ReadOnly() != "" {
		return false
	}
	snap, at := k.Snapshot.Get()
	switch {
	case snap == nil || at.Seq == 0 || at.Head == "":
		return false
	case snap.Len() < k.Least && entries > 1:
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.newest == 0 || at.Seq >= k.newest+entries
}

// Soon writes a checkpoint beside whatever else is going on, once it is well
// Overdue: a process that ends soon writes it when it is closed.
func (k *Keeper) Soon() {
	if !k.Overdue(2*Every) || !k.Turn.TryTake() {
		return
	}
	k.Background.Go(func() {
		defer k.Turn.Give()
		_ = k.Write(context.Background()) // derived: the next one tries again
	})
}

// AtEnd writes a checkpoint where a process that ends should leave one.
func (k *Keeper) AtEnd() {
	every := uint64(Every)
	if snap, _ := k.Snapshot.Get(); snap != nil && snap.Len() < k.Least {
		every = 1 // costs next to nothing, and edits past vespe are told from what it says
	}
	if k.Overdue(every) {
		_ = k.Write(context.Background()) // derived: anyone who comes next does it
	}
}

// PackSoon turns a snapshot of many tasks that are values in memory into one that takes a
// fraction of it, by way of a checkpoint where one can be written: anyone who reads so much
// needs it the next time.
func (k *Keeper) PackSoon() {
	snap, _ := k.Snapshot.Get()
	if snap == nil || snap.Len() < k.Least || !IsLoose(snap) || !k.Turn.TryTake() {
		return
	}
	k.Background.Go(func() {
		defer k.Turn.Give()
		if k.Overdue(Every) && k.Write(context.Background()) == nil {
			return
		}
		k.Repack(snap, snap.Compact())
	})
}

// Repack makes p, a packed copy of from, the memory of the current snapshot, whatever it has become since.
func (k *Keeper) Repack(from, p *snapshot.Snapshot) {
	k.Snapshot.Repack(from, p)
	k.Marks.Move(p)
}

// IsLoose reports whether enough tasks of a snapshot are values of their own for packing to pay. Packing costs memory for
// a while: what was packed before stays as long as texts of its tasks are in use.
func IsLoose(snap *snapshot.Snapshot) bool { return snap.Loose() > max(looseLeast, snap.Len()/16) }

const looseLeast = 256

// Write writes down the current snapshot and removes older checkpoints. It takes
// no lock: of two that race the files have different names or the same meaning.
func (k *Keeper) Write(ctx context.Context) error {
	var c Head
	written, whole, err := k.Take(ctx, &c)
	if err != nil {
		return err
	}
	if err := k.Ops.Update(ctx, c.Seq); err != nil {
		return err
	}
	deleted, known := k.Ops.PackDeleted(c.Seq)
	if !known {
		return ErrBehind
	}
	file := sections.Content{
		Magic: Magic,
		Head: func(in fsys.Info) []byte {
			c.Dev, c.Ino = in.Dev, in.Ino
			return c.Encode()
		},
		Sections: [][]byte{
			Pack: written.Pack(), Marks: k.Marks.Encode(written), Ops: k.Ops.UpTo(c.Seq), Deleted: deleted,
		},
	}
	f := k.Disk.FS
	if err := file.Replace(f, k.Disk.TempName("checkpoint"), File(c.Seq)); err != nil {
		return err
	}
	k.mu.Lock()
	k.newest = max(k.newest, c.Seq)
	k.mu.Unlock()
	if whole != nil && IsLoose(whole) {
		// The same in a fraction of the memory: the file itself.
		if o, err := k.Open(c.Seq); err == nil {
			k.Repack(whole, o.Snap)
		}
	}
	// Best effort from here: without the hint the log is listed, and of several checkpoints
	// the newest counts.
	_ = f.Overwrite(hint, fmt.Appendf(nil, "%0*d\n", hintDigits, c.Seq))
	if seqs, err := k.List(); err == nil {
		for _, seq := range seqs {
			if seq < c.Seq {
				_ = f.Remove(File(seq))
			}
		}
	}
	return nil
}
