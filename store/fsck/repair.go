package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/marks"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// Repair is one thing that Repair put right, or would.
type Repair struct {
	UID  model.UID
	Path string // relative to the root
	What string // was done: "restored from the log"
	Kept string // where the bytes are that were there, relative to the root; "" when somebody has them anyway
}

// Repair repairs what needs nobody's judgement, and returns what it did; with dryRun what it
// would do. Files that may never change, and those of a task's own that cannot be read, are
// made what the log last made them, whose bytes it takes from the log or from wherever they
// are; damaged bodies and checkpoints likewise, and leftovers of interrupted writers go. What
// was in a file is kept beside it as *.theirs-N.
//
// A last entry that cannot be read is made again, or moved aside (see repairTail).
//
// It does not touch what somebody may have meant: an edit that can be read, a file that was
// removed, both sides of a merge, a gap in the log. That a task was removed as a whole it tells
// the log.
func (s *Checker) Repair(ctx context.Context, dryRun bool) ([]Repair, error) {
	f := repairer{auditor: auditor{s: s, ctx: ctx}, dryRun: dryRun}
	deleted, err := f.run()
	if err != nil || len(deleted)+len(f.strayed) == 0 || dryRun {
		return f.done, err
	}
	return f.done, s.Record(ctx, deleted, f.strayed)
}

// run is Repair but for what is to be told the log: it returns the deleted tasks.
func (f *repairer) run() (deleted []*model.Task, err error) {
	s := f.s
	if err := s.Writable(); err != nil {
		return nil, err
	}
	_, err = s.Disk.FS.Stat(layout.StoreFile)
	last, lerr := s.Log.Tail(0)
	nameless := fsys.Missing(err) && lerr == nil && last > 0
	release, err := s.Alone(f.ctx, f.repairTail)
	if errors.Is(err, errTailUnread) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer release()
	if nameless {
		f.done = append(f.done, Repair{Path: layout.Shown(layout.StoreFile), What: "restored, with the identity from the log if it has one"})
	}
	if f.tip, err = s.Log.Tail(0); err != nil {
		return nil, err
	}
	for _, step := range []func() error{f.chain, f.findDeleted, f.stray, f.files, f.objects, f.checkpoints, f.leftovers, f.attributes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if len(f.done) > 0 && !f.dryRun {
		s.Forget()
	}
	for _, uid := range slices.Sorted(maps.Keys(f.deleted)) {
		if f.deleted[uid] || f.broken {
			continue
		}
		was, err := f.asLogged(uid)
		if err != nil {
			return nil, err
		}
		deleted = append(deleted, was)
		f.done = append(f.done, Repair{UID: uid, Path: layout.Shown(layout.TaskDir(uid)), What: "recorded in the log that it was removed"})
	}
	return deleted, nil
}

// asLogged is a task as the log last had it, as far as its bytes are there: with an identity in
// any case.
func (f *repairer) asLogged(uid model.UID) (*model.Task, error) {
	over := taskfiles.Images{}
	for _, rest := range marks.Files {
		image, ok := f.last[layout.TaskFile(uid, rest)]
		if !ok || image.Hash == "" {
			continue
		}
		over[rest] = []byte{}
		if path.Ext(rest) == ".json" {
			b, err := f.body(layout.TaskFile(uid, rest), image)
			if err != nil {
				return nil, err
			}
			if delete(over, rest); b != nil {
				over[rest] = b
			}
		}
	}
	was := taskfiles.LaidOver(taskfiles.Blank(uid), over).Clone()
	was.Config.UID = uid
	return f.s.Comparer.CountingByLog(was)
}

type repairer struct {
	auditor
	tip    uint64
	dryRun bool
	done   []Repair

	lost    uint64 // the first entry that was moved aside; 0: none
	strayed []Strayed
}

// isForgedReview says whether a file of what was said about a plan was written by somebody else, and
// status.json does not speak of it: then nobody is going to take it over.
func (f *repairer) isForgedReview(name, hash string) bool {
	if !isReview(name) {
		return false
	}
	uid, _, _ := layout.TaskOf(name)
	st, ok, _ := f.status(uid) // a load says what is wrong with it
	return ok && (st.Comments == nil || st.Comments.Hash != hash)
}

// files writes those again that are not what they must be.
func (f *repairer) files() error {
	forged := map[string]string{} // reviews, with their hashes
	for _, name := range slices.Sorted(maps.Keys(f.last)) {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		image := f.last[name]
		if image.Hash == "" || f.broken && !image.Immutable {
			continue
		}
		uid, _, ok := layout.TaskOf(name)
		if f.s.Edits.Pending(uid) > 0 {
			continue // it cannot be written
		}
		if ok {
			if in, err := f.s.Disk.FS.Stat(layout.TaskDir(uid)); fsys.Missing(err) || err == nil && in.Type != fs.ModeDir {
				continue // the whole task is gone: that was somebody's doing
			}
		}
		now, err := f.s.Disk.Hash(name)
		if err != nil && fsys.IsTransient(err) {
			return err
		}
		var notPlain *fsys.NotRegularError
		switch {
		case err == nil && now == image.Hash:
			continue
		case errors.As(err, &notPlain), image.Immutable && err == nil && now != "":
		case err == nil && now != "" && f.isForgedReview(name, now):
			forged[name] = now
			continue
		case err == nil && now == "":
			if !isRestored(image, name) {
				continue
			}
		case err != nil || !f.unreadable(name):
			continue
		}
		if err := f.again(name); err != nil {
			return err
		}
	}
	head, unasked, err := f.inHead(slices.Sorted(maps.Keys(forged)))
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(forged)) {
		if (unasked != nil || head[name] == forged[name]) && !f.unreadable(name) {
			continue // another clone's, or merged of theirs and ours; it may be
		}
		if err := f.again(name); err != nil {
			return err
		}
	}
	return nil
}

// again writes a file as the log last wrote it, if anybody has that: else Doctor keeps saying so.
func (f *repairer) again(name string) error {
	body, err := f.body(name, f.last[name])
	if body == nil || err != nil {
		return err
	}
	uid, _, _ := layout.TaskOf(name)
	return f.restore(uid, name, body, "restored as the log last wrote it")
}

// unreadable: a JSON file that cannot be decoded, and is no open merge.
func (f *repairer) unreadable(name string) bool {
	if path.Ext(name) != ".json" {
		return false
	}
	b, err := f.s.Disk.FS.ReadFile(name, layout.MaxJSON)
	if err != nil {
		var large *fsys.TooLargeError
		return errors.As(err, &large)
	}
	if _, _, _, merging := model.Conflict(b); merging {
		return false
	}
	var ps []model.Problem
	_, rest, ok := layout.TaskOf(name)
	switch {
	case !ok && name == layout.PolicyFile:
		_, ps = model.DecodePolicy(name, b)
	case !ok && name == layout.MilestonesFile:
		_, ps = model.DecodeMilestones(name, b)
	case !ok:
		_, ps = model.DecodeRequest(name, b)
	case rest == layout.ConfigFile:
		_, ps = model.DecodeConfig(name, b)
	case rest == layout.StatusFile:
		_, ps = model.DecodeStatus(name, b)
	case rest == layout.DependenciesFile:
		_, _, ps = model.DecodeDependencies(name, b)
	case rest == layout.SpecFile:
		_, ps = model.DecodeSpec(name, b)
	}
	return model.HasError(ps)
}

// body is what the log made a file; nil when nobody has it anymore.
func (f *repairer) body(name string, image txlog.LastImage) ([]byte, error) {
	if image.Seq > 0 {
		e, _, err := f.s.Log.ReadEntry(image.Seq)
		if err != nil {
			return nil, err
		}
		for i := range e.Files {
			if im := &e.Files[i]; im.Path == name {
				if body, err := f.s.Log.BodyOf(im); err == nil {
					return body, nil
				}
			}
		}
	}
	if b, err := taskfiles.Bytes(f.s.Disk, name, image.Hash); b != nil || err != nil {
		return b, err
	}
	// The document that a revision is of, and the other way round.
	uid, _, ok := layout.TaskOf(name)
	if !ok {
		return nil, nil
	}
	for other, im := range f.last {
		if u, _, _ := layout.TaskOf(other); u == uid && im.Hash == image.Hash && other != name {
			if b, err := taskfiles.Bytes(f.s.Disk, other, image.Hash); b != nil || err != nil {
				return b, err
			}
		}
	}
	return nil, nil
}

// restore puts bytes where they belong, and keeps what was there.
func (f *repairer) restore(uid model.UID, name string, body []byte, what string) error {
	r := Repair{UID: uid, Path: layout.Shown(name), What: what}
	p := f.s.Projector.At(f.tip)
	if _, err := f.s.Disk.FS.Stat(name); err == nil {
		r.Kept = layout.Shown(name) + layout.TheirsMark + "…"
	}
	if !f.dryRun {
		im := &txlog.FileImage{Path: name, Hash: model.HashBytes(body), Bytes: body}
		if refused, err := p.Restore(im); refused || err != nil {
			return err // Doctor keeps saying that it refuses
		}
		if r.Kept = p.Kept(); r.Kept != "" {
			r.Kept = layout.Shown(r.Kept)
		}
	}
	f.done = append(f.done, r)
	return nil
}

// objects writes damaged and missing bodies again, where a file still has their bytes.
func (f *repairer) objects() error {
	holds := map[string]string{}
	for name, im := range f.last {
		holds[im.Hash] = name
	}
	for _, hash := range slices.Sorted(maps.Keys(f.bodies)) {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		now, err := f.s.Disk.Hash(layout.ObjectFile(hash))
		if err == nil && now == hash || holds[hash] == "" {
			continue
		}
		b, err := f.s.Disk.ReadHashed(holds[hash], hash)
		if err != nil {
			return err
		}
		if b == nil {
			continue // Doctor keeps saying that it is missing
		}
		if err := f.restore("", layout.ObjectFile(hash), b, "restored from "+layout.Shown(holds[hash])); err != nil {
			return err
		}
	}
	return nil
}

// checkpoints removes those that cannot be read, or that say something else than the files:
// they are only a short way.
func (f *repairer) checkpoints() error {
	ck := auditor{s: f.s, ctx: f.ctx}
	snap, err := f.s.LoadFiles(f.ctx)
	if err != nil {
		return err
	}
	if err := ck.checkpoint(snap); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, p := range ck.problems {
		names[strings.TrimPrefix(p.Path, layout.Name+"/")] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := f.remove(name, "removed: the next command writes a new one"); err != nil {
			return err
		}
	}
	return nil
}

func (f *repairer) remove(name, what string) error {
	if !f.dryRun {
		if err := durable.IgnoreMissing(f.s.Disk.FS.Remove(name)); err != nil {
			return fmt.Errorf("remove %s: %w", layout.Shown(name), err)
		}
	}
	f.done = append(f.done, Repair{Path: layout.Shown(name), What: what})
	return nil
}

// leftovers removes what interrupted writers left in tmp/. Anyone who holds the lock knows that
// nobody else is writing there, except what is written without it.
func (f *repairer) leftovers() error {
	left := f.s.leftovers()
	alone := f.s.Disk.LocksWork(layout.LockFile)
	known := map[string]bool{}
	for _, im := range f.last {
		known[im.Hash] = true
	}
	busy := func(e fsys.Entry) bool { return left.MayBeInUse(e, alone) }
	return left.Drop(left.Logged(f.ctx, known), busy, func(name string) error {
		return f.remove(name, "removed: an interrupted write left it")
	})
}
