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
	"vespe/store/opindex"
	"vespe/store/past"
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
	var r GCReport
	if err := s.writable(nil); err != nil {
		return r, err
	}
	release, err := s.alone(ctx)
	if err != nil {
		return r, err
	}
	defer release()
	g := collector{s: s, ctx: ctx, opt: o, report: &r}
	for _, step := range []func() error{g.compact, g.objects, g.leftovers, g.results} {
		if err := step(); err != nil {
			return r, s.gcFailed(err)
		}
	}
	return r, nil
}

func (s *Store) gcFailed(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return failure.New(model.CodeRefused, failure.GuardStore, nil, err, "run `vespe doctor`; no task was changed, and it can be repeated", "the log could not be compacted")
}

type collector struct {
	s      *Store
	ctx    context.Context //nolint:containedctx // it lives as long as one GC
	opt    GCOptions
	report *GCReport
	last   uint64
	known  map[string]bool // hashes of what the log made files last
}

// compact writes a base that stands for the entries to go, durably, and removes them.
func (g *collector) compact() error {
	s := g.s
	old, err := s.log.OpenBase()
	if err != nil {
		return err
	}
	g.report.Through = old.Seq
	if g.last, err = s.log.Tail(0); err != nil {
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
		if file.Hash != "" && isApproval(path) {
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
		now, err := s.Refresh(g.ctx)
		if err == nil {
			err = s.past().Keep(g.ctx, next, now)
		}
		if err != nil {
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
	s := g.s
	before := s.now().Add(-g.opt.Keep)
	log, err := s.fs.OpenDir(layout.LogDir)
	if err != nil {
		return err
	}
	defer log.Close()
	for at.Seq+1+uint64(s.gcLeast) <= g.last && len(s.edits.PendingOf(at.Seq+1)) == 0 {
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
		if uid, _, _ := layout.TaskOf(path); deletedTasks[uid] && isApproval(path) {
			at.approvals[path] = im.Hash
		}
	}
	forgetTasks(at.images, deletedTasks)
	e, _, err := g.s.log.ReadEntry(seq)
	if err != nil {
		return err
	}
	deleted, err := opindex.DeletedIn(&g.s.log, e)
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

// writeBase makes the base durable. A checkpoint comes first where the last one would need
// an entry that goes: without it the next to come would read every file.
func (g *collector) writeBase(next *folded) error {
	s := g.s
	if o, _ := s.findCheckpoint(); o != nil && o.Seq <= next.Seq {
		if _, err := s.Refresh(g.ctx); err == nil {
			_ = s.writeCheckpoint(g.ctx) // derived
		}
	}
	if err := s.ops.Update(g.ctx, next.Seq); err != nil {
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
	ops := s.ops.UpTo(next.Seq)
	c := sections.Content{
		Magic: txlog.BaseMagic, Version: txlog.BaseVersion, Head: next.HeadOf, Sync: true,
		Sections: [][]byte{txlog.BaseOps: ops, txlog.BasePaths: paths, txlog.BaseDeleted: deleted, txlog.BaseKinds: ops.Kinds(next.kinds)},
	}
	if err := c.Replace(s.fs, s.disk.TempName("base"), txlog.BaseFile); err != nil {
		return err
	}
	s.log.SetFloor(next.Seq)
	return nil
}

// removeEntries removes entries up to one, the oldest first: a number that is free has none
// before it.
func (g *collector) removeEntries(through uint64) error {
	es, err := g.s.log.LogEntries()
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
			if err := g.s.disk.SyncDir(layout.LogDir); err != nil {
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
	return g.s.disk.SyncDir(layout.LogDir)
}

func (g *collector) remove(name string, count *int) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	in, err := g.s.fs.Stat(name)
	if fsys.Missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !g.opt.DryRun {
		if err := durable.IgnoreMissing(g.s.fs.Remove(name)); err != nil {
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
	log, err := g.s.fs.OpenDir(layout.LogDir)
	if err != nil {
		return err
	}
	defer log.Close()
	top, err := g.s.fs.OpenDir(layout.ObjectsDir)
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
			if named[layout.HashPrefix+e.Name] || !g.s.leftovers().IsOld(name) {
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
	return g.s.results.Prune()
}

// removePasts removes what was kept for the bases before one.
func (g *collector) removePasts(through uint64) error {
	es, err := g.s.log.LogEntries()
	if err != nil {
		return err
	}
	for _, e := range es {
		if seq, ok := past.ParseName(e.Name); ok && seq != through {
			if err := durable.IgnoreMissing(g.s.fs.Remove(layout.LogDir + "/" + e.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// leftovers removes what interrupted writers left in tmp/.
func (g *collector) leftovers() error {
	left := g.s.leftovers()
	busy := func(e fsys.Entry) bool { return !left.IsOld(layout.TmpDir + "/" + e.Name) }
	return left.Drop(left.Logged(g.ctx, g.known), busy, func(name string) error { return g.remove(name, &g.report.Leftovers) })
}
