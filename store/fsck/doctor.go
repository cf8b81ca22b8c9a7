package fsck

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/results"
	"vespe/store/taskfiles"
	"vespe/store/view"
)

// Doctor reports everything that is wrong with the store and changes nothing: what Load
// reports, what no load needs to look at (documents, revisions, events), what was left
// behind in tmp/, and what Verify finds.
func (s *Checker) Doctor(ctx context.Context) ([]model.Problem, error) {
	d := doctor{auditor{s: s, ctx: ctx}}
	snap, err := s.LoadFiles(ctx)
	if err != nil {
		for _, step := range []func() error{func() error { return d.logAlone(err) }, d.leftovers, d.copies, d.attributes} {
			if err := step(); err != nil {
				return nil, err
			}
		}
		return d.problems, nil
	}
	defer s.Forget() // it believes the files alone: no checkpoint is to be made of that
	d.problems = slices.Clone(snap.Problems())
	for _, step := range []func() error{
		func() error { return d.tasks(snap) },
		d.leftovers,
		d.copies,
		d.attributes,
		d.chain,
		func() error { return d.files(snap, model.Warning) },
		d.identity,
		func() error { return d.checkpoint(snap) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return d.problems, nil
}

// lockBrief is how long Doctor waits for who is just writing.
const lockBrief = 300 * time.Millisecond

type doctor struct{ auditor }

// tasks looks at the files below each task that a load passes over.
func (d *doctor) tasks(snap *snapshot.Snapshot) error {
	for i := range snap.Len() {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		uid := snap.At(i).UID
		dir, err := d.s.Disk.FS.OpenDir(layout.TaskDir(uid))
		if err != nil {
			continue // Load has said so
		}
		err = d.walk(dir, uid, "", 0)
		if err != nil {
			return err
		}
		if err := d.documents(snap.At(i)); err != nil {
			return err
		}
		ps, err := d.s.History(d.ctx, uid)
		if err != nil {
			return err
		}
		d.problems = append(d.problems, ps...)
	}
	return nil
}

// documents looks for both sides of a merge in a task's documents.
func (d *doctor) documents(t *model.Task) error {
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		_, conflicts, err := d.s.Comparer.Document(t.UID, doc, view.CurrentOf(&t.Status, doc))
		if err != nil && !errors.Is(err, edits.ErrIncomparable) {
			return err
		}
		d.conflicts(conflicts)
	}
	return nil
}

// walk reports what is not a regular file, and closes the directory.
func (d *doctor) walk(dir fsys.Dir, uid model.UID, prefix string, depth int) error {
	defer dir.Close()
	es, err := dir.Entries()
	if err != nil {
		return nil //nolint:nilerr // an unreadable directory: reported by its parent's reader
	}
	for _, e := range es {
		rel := prefix + e.Name
		if fsys.IsEditors(e) {
			continue
		}
		if e.Type == fs.ModeDir {
			if depth >= results.MaxDepth {
				d.add(model.Warning, uid, layout.TaskFile(uid, rel), "too-deep", "flatten it", "is more than %d directories deep", depth)
				continue
			}
			sub, err := dir.OpenDir(e.Name)
			if err != nil {
				d.fileError(uid, rel, err)
				continue
			}
			if err := d.walk(sub, uid, rel+"/", depth+1); err != nil {
				return err
			}
			continue
		}
		if prefix == "" && (taskfiles.IsOwn(e.Name) && !strings.HasSuffix(e.Name, ".md")) {
			continue // Load has read it
		}
		limit := int64(layout.MaxDocument)
		if strings.HasPrefix(rel, layout.ResultDir+"/") || strings.HasPrefix(rel, layout.PersistentDir+"/runs/") {
			limit = layout.MaxResult
		}
		in, err := dir.Stat(e.Name)
		if strings.Contains(e.Name, layout.TheirsMark) {
			if prefix != "" {
				p := failure.TheirsProblem(layout.Shown(layout.TaskFile(uid, rel)))
				p.UID = uid
				d.problems = append(d.problems, p)
			}
			continue // whatever it is: nobody reads it
		}
		if err == nil {
			err = fsys.CheckReadable(layout.TaskFile(uid, rel), in, limit)
		}
		if err != nil && !fsys.Missing(err) && (prefix != "" || e.Type == 0) {
			d.fileError(uid, rel, err)
		}
	}
	return nil
}

func (d *doctor) fileError(uid model.UID, rel string, err error) {
	p := failure.OfFile(layout.Shown(layout.TaskFile(uid, rel)), err)
	p.UID = uid
	d.problems = append(d.problems, p)
}

// leftovers reports what interrupted writers left.
func (d *doctor) leftovers() error {
	if d.s.Writable() != nil {
		return nil // the lock may have to be made
	}
	// Someone who is writing right now has files there. Most are soon done.
	l, err := d.s.LockQueue.TryFor(d.ctx, lockBrief)
	if err != nil {
		return nil //nolint:nilerr // busy or read-only: then nothing can be said about them
	}
	defer l.Close()
	es, err := d.s.leftovers().List()
	if err != nil {
		return err
	}
	for _, e := range es {
		if durable.TempPrefix(e) == "" {
			d.add(model.Warning, "", layout.TmpDir+"/"+e.Name, "leftover", "move or remove it: this directory is for files that vespe is writing", "wasn't made by vespe")
			continue
		}
		d.add(model.Warning, "", layout.TmpDir+"/"+e.Name, "leftover", "`vespe store doctor --fix` removes it if its content is saved elsewhere; otherwise look at it, and remove it when no vespe is running", "was left by an interrupted write")
	}
	return nil
}

// checkpoint compares what a reading through the checkpoint says with what the files say.
func (d *auditor) checkpoint(snap *snapshot.Snapshot) error {
	o, ps := d.s.Checkpoints.Find()
	d.problems = append(d.problems, ps...)
	if o == nil {
		return nil
	}
	seen, err := d.s.LoadApart(d.ctx)
	if err != nil {
		return err
	}
	if seen.Seq() != snap.Seq() {
		return nil // someone is writing: then the two may differ
	}
	for i := range seen.Len() {
		is := seen.At(i)
		was, ok := snap.Task(is.UID)
		if !ok || !taskfiles.SameTask(was, is) {
			d.add(model.Warning, is.UID, checkpoint.File(o.Seq), "checkpoint-differs", "remove the file: the next command writes a new one",
				"doesn't agree with the files of %s", is.UID)
		}
	}
	return nil
}
