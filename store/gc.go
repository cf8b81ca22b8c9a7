package store

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
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/leftovers"
	"vespe/store/opindex"
	"vespe/store/past"
	"vespe/store/results"
	"vespe/store/sections"
	"vespe/store/txlog"
)

const (
	gcLeast = 100 // entries that are always kept
)

// DefaultKeep is how long the log keeps entries when nobody says otherwise.
const DefaultKeep = 90 * 24 * time.Hour

// GCOptions say what GC may take away.
type GCOptions struct {
	Keep   time.Duration // entries younger than this are kept, and always the last hundred
	DryRun bool          // only say what would go
}

// GCReport is what GC removed, or would remove.
type GCReport struct {
	Entries   int    // of the log
	Through   uint64 // the last of them; 0 when none ever went
	Objects   int    // bodies that only those entries named
	Leftovers int    // of interrupted writers, in tmp/
	Bytes     int64  // of all of them
}

// GC compacts the log: old entries are replaced by a base, which knows the operations in
// them and what each file was last made. Bodies that only they had are gone then, and
// nothing can be looked up as it was before the base. It may be interrupted at any point
// and be repeated; readers that miss an entry read the tasks' files instead.
func (s *Store) GC(ctx context.Context, o GCOptions) (GCReport, error) {
	if err := s.writable(nil); err != nil {
		return GCReport{}, err
	}
	release, err := s.alone(ctx)
	if err != nil {
		return GCReport{}, err
	}
	defer release()
	g := collector{
		disk: &s.disk, log: &s.log, ops: &s.ops, hashes: s.results, least: s.gcLeast, now: s.now, pending: s.edits.PendingOf,
		keepPast: s.keepPast, checkpoint: s.checkpointBefore,
	}
	r, err := g.run(ctx, o)
	if err != nil {
		err = gcFailed(err)
	}
	return r, err
}

// keepPast writes down how the store was after the last entry of a base.
func (s *Store) keepPast(ctx context.Context, b txlog.Base) error {
	now, err := s.Refresh(ctx)
	if err != nil {
		return err
	}
	return s.past().Keep(ctx, b, now)
}

// checkpointBefore writes a checkpoint where the last one would need an entry that is to go: without it the next to
// come would read every file.
func (s *Store) checkpointBefore(ctx context.Context, through uint64) {
	if o, _ := s.findCheckpoint(); o != nil && o.Seq <= through {
		if _, err := s.Refresh(ctx); err == nil {
			_ = s.writeCheckpoint(ctx) // derived
		}
	}
}

func gcFailed(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return failure.New(model.CodeRefused, failure.GuardStore, nil, err, "run `vespe doctor`; no task was changed, and it can be repeated", "the log could not be compacted")
}

// collector compacts a log.
type collector struct {
	disk   *durable.Files
	log    *txlog.Log
	ops    *opindex.Index
	hashes *results.Reader
	least  int // entries that are always kept

	now        func() time.Time
	pending    func(seq uint64) []model.UID                  // tasks that an entry is not projected to
	keepPast   func(ctx context.Context, b txlog.Base) error // writes down how the store was after the base's entry
	checkpoint func(ctx context.Context, through uint64)     // sees to it that no checkpoint needs the entries that go

	ctx    context.Context //nolint:containedctx // it lives as long as one GC
	opt    GCOptions
	report GCReport
	last   uint64
	known  map[string]bool // hashes of what the log made files last
}

// run is all of it.
func (g *collector) run(ctx context.Context, o GCOptions) (GCReport, error) {
	g.ctx, g.opt = ctx, o
	for _, step := range []func() error{g.compact, g.objects, g.leftovers, g.results} {
		if err := step(); err != nil {
			return g.report, err
		}
	}
	return g.report, nil
}

// compact writes a base that stands for the entries to go, durably, and removes them.
func (g *collector) compact() error {
	old, err := g.log.OpenBase()
	if err != nil {
		return err
	}
	g.report.Through = old.Seq
	if g.last, err = g.log.Tail(0); err != nil {
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
		if err := g.keepPast(g.ctx, next); err != nil {
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
func (g *collector) fold(at *folded) error {
	before := g.now().Add(-g.opt.Keep)
	log, err := g.disk.FS.OpenDir(layout.LogDir)
	if err != nil {
		return err
	}
	defer log.Close()
	for at.Seq+1+uint64(g.least) <= g.last && len(g.pending(at.Seq+1)) == 0 {
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
func (g *collector) keepDeleted(at *folded, seq uint64, deletedTasks map[model.UID]bool) error {
	if !slices.Contains(slices.Collect(maps.Values(deletedTasks)), true) {
		return nil
	}
	for path, im := range at.images {
		if uid, _, _ := layout.TaskOf(path); deletedTasks[uid] && layout.IsApproval(path) {
			at.approvals[path] = im.Hash
		}
	}
	forgetTasks(at.images, deletedTasks)
	e, _, err := g.log.ReadEntry(seq)
	if err != nil {
		return err
	}
	deleted, err := opindex.DeletedIn(g.log, e)
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
func (g *collector) writeBase(next *folded) error {
	g.checkpoint(g.ctx, next.Seq)
	if err := g.ops.Update(g.ctx, next.Seq); err != nil {
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
	ops := g.ops.UpTo(next.Seq)
	c := sections.Content{
		Magic: txlog.BaseMagic, Version: txlog.BaseVersion, Head: next.HeadOf, Sync: true,
		Sections: [][]byte{txlog.BaseOps: ops, txlog.BasePaths: paths, txlog.BaseDeleted: deleted, txlog.BaseKinds: ops.Kinds(next.kinds)},
	}
	if err := c.Replace(g.disk.FS, g.disk.TempName("base"), txlog.BaseFile); err != nil {
		return err
	}
	g.log.SetFloor(next.Seq)
	return nil
}

// removeEntries removes entries up to one, the oldest first: a number that is free has none
// before it.
func (g *collector) removeEntries(through uint64) error {
	es, err := g.log.LogEntries()
	if err != nil {
		return err
	}
	for _, e := range es {
		seq, ok := layout.ParseEntryName(e.Name)
		if !ok || seq > through {
			continue
		}
		// Also where the base was there: whoever wrote it may have been killed before its name was
		// durable. Not repeated when it fails: what it lost then, no later one would bring back.
		if g.report.Entries == 0 && !g.opt.DryRun {
			if err := g.disk.SyncDir(layout.LogDir); err != nil {
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
	return g.disk.SyncDir(layout.LogDir)
}

func (g *collector) remove(name string, count *int) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	in, err := g.disk.FS.Stat(name)
	if fsys.Missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !g.opt.DryRun {
		if err := durable.IgnoreMissing(g.disk.FS.Remove(name)); err != nil {
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
func (g *collector) objects() error {
	log, err := g.disk.FS.OpenDir(layout.LogDir)
	if err != nil {
		return err
	}
	defer log.Close()
	top, err := g.disk.FS.OpenDir(layout.ObjectsDir)
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
	left := leftovers.Files{Disk: g.disk, Log: g.log}
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

// results drops the remembered hashes of results of tasks that are not there.
func (g *collector) results() error {
	if g.opt.DryRun {
		return nil
	}
	return g.hashes.Prune()
}

// removePasts removes what was kept for the bases before one.
func (g *collector) removePasts(through uint64) error {
	es, err := g.log.LogEntries()
	if err != nil {
		return err
	}
	for _, e := range es {
		if seq, ok := past.ParseName(e.Name); ok && seq != through {
			if err := durable.IgnoreMissing(g.disk.FS.Remove(layout.LogDir + "/" + e.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// leftovers removes what interrupted writers left in tmp/.
func (g *collector) leftovers() error {
	left := leftovers.Files{Disk: g.disk, Log: g.log}
	busy := func(e fsys.Entry) bool { return !left.IsOld(layout.TmpDir + "/" + e.Name) }
	return left.Drop(left.Logged(g.ctx, g.known), busy, func(name string) error { return g.remove(name, &g.report.Leftovers) })
}
