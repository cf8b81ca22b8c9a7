package fsck

import (
	"path"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// Unknown files are events, revisions and reviews that no entry holds, in places where only vespe writes.
// If the log knows the task from its start, git brought them from another clone, or someone made them.

// identity looks whether the store is still the one that the log was written in.
func (d *auditor) identity() error {
	_, err := d.s.Disk.FS.Stat(layout.StoreFile)
	if err != nil && !fsys.Missing(err) {
		return err
	}
	switch {
	case err == nil:
	case d.seen.Last == 0: // a store of the original, or from before store.json: nothing is wrong with it
		d.add(model.Warning, "", layout.StoreFile, "missing-file", "do nothing: the next change to the store writes it", "is missing")
	default:
		d.add(model.Error, "", layout.StoreFile, "missing-file", "restore it from git or a backup; otherwise the next transaction or `vespe store doctor --fix` rebuilds it from checkpoints and approvals",
			"is missing, so the store has a log but no identity")
	}
	return nil
}

// unknownFiles looks for files that only vespe writes and that it did not write.
func (d *auditor) unknownFiles(snap *snapshot.Snapshot) error {
	if d.broken {
		return nil // nobody knows what the missing entries wrote
	}
	var names []string
	for i := range snap.Len() {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if uid := snap.UID(i); d.made[uid] && !d.passesOver(layout.TaskDir(uid)+"/") {
			more, err := d.unlogged(uid)
			if err != nil {
				return err
			}
			names = append(names, more...)
		}
	}
	if len(names) == 0 {
		return nil
	}
	head, unasked, err := d.inHead(names)
	if err != nil {
		return err
	}
	alone := d.s.Git.NoRepo(d.ctx)
	for _, name := range names {
		b, err := d.s.Disk.FS.ReadFile(name, layout.MaxDocument)
		if err != nil {
			if fsys.IsTransient(err) {
				return err
			}
			continue // deletedTask, or reported as a file that cannot be read
		}
		if head[name] != model.HashBytes(b) {
			d.unknownFile(name, b, alone, unasked)
		}
	}
	return nil
}

// unknownFile reports a file that the log did not write. alone: nor can git have brought it. unasked is why git
// wasn't asked.
func (d *auditor) unknownFile(name string, b []byte, alone bool, unasked error) {
	uid, rest, _ := layout.TaskOf(name)
	hint := withGit("if it came through git, commit it; if you don't know its origin, remove it", unasked)
	if layout.IsEventFile(rest) {
		ev, ps := model.DecodeEvent(layout.Shown(name), b)
		if model.HasError(ps) {
			return // it is a problem already
		}
		if ev.Seq >= max(d.seen.First, 1) && ev.Seq <= d.seen.Last {
			sev := model.Warning
			if alone {
				sev = model.Error
			}
			d.add(sev, uid, name, "not-logged", hint, "names entry %d of the log, which doesn't contain it", ev.Seq)
			return
		}
	}
	d.add(model.Warning, uid, name, "not-logged", hint, "wasn't written by this vespe: the log doesn't have it")
}

// list is what is in a directory; nothing where there is none, or a load has said what is there instead.
func (d *auditor) list(name string) ([]fsys.Entry, error) {
	dir, err := d.s.Disk.FS.OpenDir(name)
	if err != nil {
		if fsys.IsTransient(err) {
			return nil, err
		}
		return nil, nil
	}
	defer dir.Close()
	return dir.Entries()
}

// unlogged is the events, revisions and reviews of a task that no entry holds.
func (d *auditor) unlogged(uid model.UID) (names []string, err error) {
	for _, in := range []string{layout.PersistentDir, layout.RevisionsDir, layout.ReviewsDir} {
		es, err := d.list(layout.TaskFile(uid, in))
		if err != nil {
			return nil, err
		}
		for _, e := range es {
			name := layout.TaskFile(uid, in+"/"+e.Name)
			_, logged := d.last[name]
			ours := path.Ext(e.Name) == ".json"
			if in == layout.RevisionsDir { // others are an editor's
				_, _, _, ours = model.ParseRevisionName(e.Name)
			}
			if e.Type == 0 && ours && !logged && !fsys.IsEditors(e) && !strings.Contains(e.Name, layout.TheirsMark) && layout.CheckTarget(name) == nil {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
