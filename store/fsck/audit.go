package fsck

import (
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
	"vespe/store/view"
)

// Others write while a store is audited. What a newer entry wrote is not what the log said when it
// was read: nobody is to blame for that. So once the files were compared the chain is followed to its end. What was said
// of tasks that the newer entries name is asked again, of them alone, until nothing more comes.

const maxTries = 1000 // times that others may write while files are compared

// files holds all files against the log. mutable is how bad it is when one that may change was
// changed past vespe.
func (d *auditor) files(snap *snapshot.Snapshot, mutable model.Severity) error {
	before := len(d.problems)
	if err := d.compare(snap, mutable); err != nil {
		return err
	}
	counted := d.seen
	for range maxTries {
		named, err := d.catchUp()
		if err != nil {
			return err
		}
		d.only = map[string]bool{}
		about := func(p model.Problem) bool {
			of := p.Path
			if p.UID != "" {
				of = string(p.UID)
			}
			if named[of] {
				d.only[of] = true
			}
			return named[of]
		}
		if d.problems = append(d.problems[:before], slices.DeleteFunc(d.problems[before:], about)...); len(d.only) == 0 {
			d.seen.Files, d.seen.Objects, d.seen.Approvals = counted.Files, counted.Objects, counted.Approvals
			d.only, d.seen.Unlogged = nil, 0
			for name := range d.foreign {
				if _, logged := d.last[name]; !logged {
					d.seen.Unlogged++
				}
			}
			return nil
		}
		if err := d.compare(snap, mutable); err != nil {
			return err
		}
	}
	return failure.ErrRestless
}

func (d *auditor) compare(snap *snapshot.Snapshot, mutable model.Severity) error {
	for _, step := range []func() error{
		d.findPending,
		func() error { return d.projections(mutable) },
		d.objects,
		func() error { return d.approvals(snap) },
		func() error { return d.unknownFiles(snap) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// passesOver says whether a file is not asked about this time.
func (d *auditor) passesOver(name string) bool {
	return d.only != nil && !d.only[topicOf(name)]
}

// topicOf is what a problem of a file is about: its task, or the file itself.
func topicOf(name string) string {
	if uid, _, ok := layout.TaskOf(name); ok {
		return string(uid)
	}
	return layout.Shown(name)
}

// findPending remembers the files of the last entry, unless it is known to be projected: anyone who
// committed it may just be writing them.
func (d *auditor) findPending() error {
	d.pending = nil
	if d.seen.Last == 0 || d.s.Hint().Seq >= d.seen.Last {
		return nil
	}
	e, _, err := d.s.Log.ReadEntry(d.seen.Last)
	if err != nil {
		if fsys.IsTransient(err) {
			return err
		}
		return nil // that it cannot be read is a problem already, or the next walk's
	}
	d.pending = map[string]*txlog.FileImage{}
	for i := range e.Files {
		if f := &e.Files[i]; !f.Edited {
			d.pending[f.Path] = f
		}
	}
	return nil
}

// isPending says whether a file is what it was before the last entry, which is not known to be
// projected.
func (d *auditor) isPending(name, hash string) bool {
	f := d.pending[name]
	return f != nil && f.Was == hash
}

// catchUp follows the chain to its end, and says what the entries since are about.
func (d *auditor) catchUp() (named map[string]bool, err error) {
	last, err := d.s.Log.Tail(d.seen.Last)
	if err != nil {
		return nil, err
	}
	named = map[string]bool{}
	for seq := d.seen.Last + 1; seq <= last; seq++ {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		e, head, err := d.link(false, seq, d.seen.Head, seq)
		if err != nil {
			return nil, err
		}
		d.seen.Last, d.seen.Head = seq, head
		d.seen.First = max(d.seen.First, 1)
		if e == nil {
			continue
		}
		d.sawEntry(head)
		d.images(e)
		for i := range e.Files {
			named[topicOf(e.Files[i].Path)] = true
		}
	}
	return named, nil
}

// isUnrecorded says whether a document is one of which no revision was ever made, as of a task that
// came with it: then it is read as it is, no matter who writes it.
func (d *auditor) isUnrecorded(uid model.UID, name string) bool {
	_, rest, _ := layout.TaskOf(name)
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		if rest != layout.DocFile(doc) {
			continue
		}
		st, ok, _ := d.status(uid) // a load says what is wrong with it
		return ok && view.CurrentOf(&st, doc).N == 0
	}
	return false
}

// status is a task's status.json as it is; ok says that it can be read. An error is one of this moment.
func (d *auditor) status(uid model.UID) (st model.StatusFile, ok bool, err error) {
	name := layout.TaskFile(uid, layout.StatusFile)
	b, err := d.s.Disk.FS.ReadFile(name, layout.MaxJSON)
	if err != nil {
		if !fsys.IsTransient(err) {
			err = nil // a load has said so
		}
		return st, false, err
	}
	st, ps := model.DecodeStatus(layout.Shown(name), b)
	return st, !model.HasError(ps), nil
}
