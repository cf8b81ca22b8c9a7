// Package gc compacts the log: it writes a base that stands for old entries, and removes these and what only they named.
// Start with Collector.Run.
package gc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/leftovers"
	"vespe/store/opindex"
	"vespe/store/past"
	"vespe/store/results"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// Options say what GC may take away.
type Options struct {
	Keep   time.Duration // entries younger than this are kept, and always the last hundred
	DryRun bool          // only say what would go
}

// Report is what GC removed, or would remove.
type Report struct {
	Entries   int    // of the log
	Through   uint64 // the last of them; 0 when none ever went
	Objects   int    // bodies that only those entries named
	Leftovers int    // of interrupted writers, in tmp/
	Bytes     int64  // of all of them
}

// Collector compacts a log.
type Collector struct {
	Disk    *durable.Files
	Log     *txlog.Log
	Ops     *opindex.Index
	Results *results.Reader
	Least   int // entries that are always kept

	Now        func() time.Time
	Pending    func(seq uint64) []model.UID                  // tasks that an entry is not projected to
	KeepPast   func(ctx context.Context, b txlog.Base) error // writes down how the store was after the base's entry
	Checkpoint func(ctx context.Context, through uint64)     // sees to it that no checkpoint needs the entries that go

	ctx    context.Context //nolint:containedctx // it lives as long as one GC
	opt    Options
	report Report
	last   uint64
	known  map[string]bool // hashes of what the log made files last
}

// Run is all of it.
func (g *Collector) Run(ctx context.Context, o Options) (Report, error) {
	g.ctx, g.opt = ctx, o
	for _, step := range []func() error{g.compact, g.objects, g.leftovers, g.pruneResults} {
		if err := step(); err != nil {
			return g.report, err
		}
	}
	return g.report, nil
}

// compact writes a base that stands for the entries to go, durably, and removes them.
func (g *Collector) compact() error {
	old, err := g.Log.OpenBase()
	if err != nil {
		return err
	}
	g.report.Through = old.Seq
	if g.last, err = g.Log.Tail(0); err != nil {
		return err
	}
	images := map[string]txlog.LastImage{}
	if err := old.Paths.Into(images); err != nil {
		return err
	}
	deleted, err := past.DeletedTable(old.Deleted).Tasks()
	if err != nil {
		return err
	}
	f := folded{Base: old.Base, images: images, deleted: map[model.UID]*model.Task{}, approvals: map[string]string{}, kinds: old.KindsOf()}
	maps.Copy(f.deleted, deleted)
	files, err := past.DeletedTable(old.Deleted).Files()
	if err != nil {
		return err
	}
	for path, file := range files {
		if file.Hash != "" && layout.IsApproval(path) {
			f.approvals[path] = file.Hash
		}
	}
	if err := g.fold(&f); err != nil {
		return err
	}
	next := f.Base
	g.known = make(map[string]bool, len(images))
	for _, im := range images {
		g.known[im.Hash] = true
	}
	if next.Seq > old.Seq && !g.opt.DryRun {
		if err := g.KeepPast(g.ctx, next); err != nil {
			return err
		}
		if err := g.writeBase(&f); err != nil {
			return err
		}
	}
	g.report.Through = next.Seq
	if err := g.removeEntries(next.Seq); err != nil || g.opt.DryRun {
		return err
	}
	return g.removePasts(next.Seq)
}

// folded is what a base knows of the entries up to its own.
type folded struct {
	txlog.Base
	images  map[string]txlog.LastImage
	deleted map[model.UID]*model.Task // deleted tasks

	approvals map[string]string // of deleted tasks, by path: their hashes
	kinds     map[txlog.OpKey]txlog.OpKind
}

// fold follows the chain from a base on, as far as its entries may go, and keeps what they
// made of each file.
func (g *Collector) fold(at *folded) error {
	before := g.Now().Add(-g.opt.Keep)
	log, err := g.Disk.FS.OpenDir(layout.LogDir)
	if err != nil {
		return err
	}
	defer log.Close()
	for at.Seq+1+uint64(g.Least) <= g.last && len(g.Pending(at.Seq+1)) == 0 {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		seq := at.Seq + 1
		found := map[string]txlog.LastImage{}
		e, err := txlog.ScanEntry(g.ctx, log, seq, func(f txlog.ScannedFile) {
			found[f.Path] = txlog.LastImage{Hash: f.Hash, Immutable: f.Immutable}
		})
		if err != nil {
			return err
		}
		if e.Prev != at.Head {
			return &txlog.EntryError{Seq: seq, Err: errors.New("doesn't follow the entry before it")}
		}
		if e.At.After(before) {
			break
		}
		for _, op := range e.Ops {
			at.kinds[txlog.OpKey{Hash: txlog.OpHash(op.ID), Seq: seq}] = txlog.OpKindOf(op.Name, op.UID)
		}
		deletedTasks := map[model.UID]bool{}
		for path, im := range found {
			at.images[path] = im
			uid, rest, _ := layout.TaskOf(path)
			if im.Hash == "" { // a file that was taken away
				delete(at.images, path)
				deletedTasks[uid] = deletedTasks[uid] || rest == layout.ConfigFile
			} else if rest == layout.ConfigFile {
				delete(at.deleted, uid)
			}
		}
		if err := g.keepDeleted(at, seq, deletedTasks); err != nil {
			return err
		}
		at.Base = txlog.Base{Tip: txlog.Tip{Seq: seq, Head: e.Head}, At: e.At}
	}
	return nil
}

// keepDeleted drops all that was ever written to tasks that an entry says were deleted as a
// whole, and keeps what was last known of them.
func (g *Collector) keepDeleted(at *folded, seq uint64, deletedTasks map[model.UID]bool) error {
	if !slices.Contains(slices.Collect(maps.Values(deletedTasks)), true) {
		return nil
	}
	for path, im := range at.images {
		if uid, _, _ := layout.TaskOf(path); deletedTasks[uid] && layout.IsApproval(path) {
			at.approvals[path] = im.Hash
		}
	}
	forgetTasks(at.images, deletedTasks)
	e, _, err := g.Log.ReadEntry(seq)
	if err != nil {
		return err
	}
	deleted, err := opindex.DeletedIn(g.Log, e)
	for uid, t := range deleted {
		if t != nil {
			at.deleted[uid] = t
		}
	}
	return err
}

// forgetTasks drops all that was ever written to tasks that were deleted as a whole.
func forgetTasks(images map[string]txlog.LastImage, deletedTasks map[model.UID]bool) {
	if len(deletedTasks) == 0 {
		return
	}
	maps.DeleteFunc(images, func(name string, _ txlog.LastImage) bool {
		uid, _, ok := layout.TaskOf(name)
		return ok && deletedTasks[uid]
	})
}

// writeBase makes the base durable.
func (g *Collector) writeBase(next *folded) error {
	g.Checkpoint(g.ctx, next.Seq)
	if err := g.Ops.Update(g.ctx, next.Seq); err != nil {
		return err
	}
	paths, err := txlog.EncodeImages(next.images)
	if err != nil {
		return err
	}
	deleted, err := past.EncodeDeleted(next.deleted, next.approvals)
	if err != nil {
		return err
	}
	ops := g.Ops.UpTo(next.Seq)
	c := sections.Content{
		Magic: txlog.BaseMagic, Version: txlog.BaseVersion, Head: next.HeadOf, Sync: true,
		Sections: [][]byte{txlog.BaseOps: ops, txlog.BasePaths: paths, txlog.BaseDeleted: deleted, txlog.BaseKinds: ops.Kinds(next.kinds)},
	}
	if err := c.Replace(g.Disk.FS, g.Disk.TempName("base"), txlog.BaseFile); err != nil {
		return err
	}
	g.Log.SetFloor(next.Seq)
	return nil
}

// removeEntries removes entries up to one, the oldest first: a number that is free has none
// before it.
func (g *Collector) removeEntries(through uint64) error {
	es, err := g.Log.LogEntries()
	if err != nil {
		return err
	}
	for _, e := range es {
		seq, ok := layout.ParseEntryName(e.Name)
		if !ok || seq > through {
			continue
		}
		// Also where the base was there: anyone who wrote it may have been killed before its name was
		// durable. Not repeated when it fails: what it lost then, no later one would bring back.
		if g.report.Entries == 0 && !g.opt.DryRun {
			if err := g.Disk.SyncDir(layout.LogDir); err != nil {
				return fmt.Errorf("the disk did not confirm that %s is durable: %w", layout.Shown(txlog.BaseFile), err)
			}
		}
		if err := g.remove(layout.LogDir+"/"+e.Name, &g.report.Entries); err != nil {
			return err
		}
	}
	if g.opt.DryRun || g.report.Entries == 0 {
		return nil
	}
	return g.Disk.SyncDir(layout.LogDir)
}

func (g *Collector) remove(name string, count *int) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	in, err := g.Disk.FS.Stat(name)
	if fsys.Missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !g.opt.DryRun {
		if err := durable.IgnoreMissing(g.Disk.FS.Remove(name)); err != nil {
			return err
		}
	}
	*count++
	if in.Type == 0 {
		g.report.Bytes += in.Size
	}
	return nil
}

// objects removes bodies that no kept entry names. A young one may belong to a transaction
// that is not committed yet, where locks do not work.
func (g *Collector) objects() error {
	log, err := g.Disk.FS.OpenDir(layout.LogDir)
	if err != nil {
		return err
	}
	defer log.Close()
	top, err := g.Disk.FS.OpenDir(layout.ObjectsDir)
	if fsys.Missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer top.Close()
	dirs, err := top.Entries()
	if err != nil || len(dirs) == 0 {
		return err
	}
	named := map[string]bool{}
	for seq := g.report.Through + 1; seq <= g.last; seq++ {
		if _, err := txlog.ScanEntry(g.ctx, log, seq, func(f txlog.ScannedFile) {
			named[f.Hash] = true
			if f.KeptApart {
				named[f.Was] = true
			}
		}); err != nil {
			return err
		}
	}
	left := leftovers.Files{Disk: g.Disk, Log: g.Log}
	for _, dir := range dirs {
		if dir.Type != fs.ModeDir {
			continue
		}
		d, err := top.OpenDir(dir.Name)
		if err != nil {
			return err
		}
		es, err := d.Entries()
		_ = d.Close() // only read from
		if err != nil {
			return err
		}
		for _, e := range es {
			name := path.Join(layout.ObjectsDir, dir.Name, e.Name)
			if named[layout.HashPrefix+e.Name] || !left.IsOld(name) {
				continue
			}
			if err := g.remove(name, &g.report.Objects); err != nil {
				return err
			}
		}
	}
	return nil
}

// pruneResults drops the remembered hashes of results of tasks that are not there.
func (g *Collector) pruneResults() error {
	if g.opt.DryRun {
		return nil
	}
	return g.Results.Prune()
}

// removePasts removes what was kept for the bases before one.
func (g *Collector) removePasts(through uint64) error {
	es, err := g.Log.LogEntries()
	if err != nil {
		return err
	}
	for _, e := range es {
		if seq, ok := past.ParseName(e.Name); ok && seq != through {
			if err := durable.IgnoreMissing(g.Disk.FS.Remove(layout.LogDir + "/" + e.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// leftovers removes what interrupted writers left in tmp/.
func (g *Collector) leftovers() error {
	left := leftovers.Files{Disk: g.Disk, Log: g.Log}
	busy := func(e fsys.Entry) bool { return !left.IsOld(layout.TmpDir + "/" + e.Name) }
	return left.Drop(left.Logged(g.ctx, g.known), busy, func(name string) error { return g.remove(name, &g.report.Leftovers) })
}
