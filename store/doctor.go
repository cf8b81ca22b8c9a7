package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vespe/model"
)

// Doctor reports everything that is wrong with the store and changes nothing: what Load
// reports, what no load needs to look at (documents, revisions, events), what was left
// behind in tmp/, the chain of the log, and files that are not what the log last wrote.
func (s *Store) Doctor(ctx context.Context) ([]model.Problem, error) {
	snap, err := s.load(ctx, nil)
	if err != nil {
		return nil, err
	}
	d := doctor{s: s, ctx: ctx, problems: slices.Clone(snap.Problems())}
	for _, step := range []func() error{
		func() error { return d.tasks(snap) },
		d.leftovers,
		d.log,
		func() error { return d.checkpoint(snap) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return d.problems, nil
}

type doctor struct {
	s        *Store
	ctx      context.Context
	problems []model.Problem
}

func (d *doctor) add(sev model.Severity, uid model.UID, name, code, hint, reason string, args ...any) {
	d.problems = append(d.problems, model.Problem{
		UID: uid, Path: shown(name), Severity: sev, Code: code, Reason: fmt.Sprintf(reason, args...), Hint: hint,
	})
}

// tasks looks at the files below each task that a load passes over.
func (d *doctor) tasks(snap *model.Snapshot) error {
	for i := range snap.Len() {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		uid := snap.At(i).UID
		dir, err := d.s.fs.OpenDir(taskDir(uid))
		if err != nil {
			continue // Load has said so
		}
		err = d.walk(dir, uid, "", 0)
		if err != nil {
			return err
		}
		_, ps, err := d.s.History(d.ctx, uid)
		if err != nil {
			return err
		}
		d.problems = append(d.problems, ps...)
	}
	return nil
}

// walk reports what is no plain file, and closes the directory.
func (d *doctor) walk(dir Dir, uid model.UID, prefix string, depth int) error {
	defer dir.Close()
	es, err := dir.Entries()
	if err != nil {
		return nil //nolint:nilerr // an unreadable directory: reported by its parent's reader
	}
	for _, e := range es {
		rel := prefix + e.Name
		if e.Type == fs.ModeDir {
			if depth >= maxResultDepth {
				d.add(model.Warning, uid, taskFile(uid, rel), "too-deep", "flatten it", "lies more than %d directories deep", depth)
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
		if prefix == "" && (readByLoad(e.Name) && !strings.HasSuffix(e.Name, ".md")) {
			continue // Load has read it
		}
		limit := int64(maxDocument)
		if strings.HasPrefix(rel, resultDir+"/") || strings.HasPrefix(rel, persistentDir+"/runs/") {
			limit = maxResult
		}
		in, err := dir.Stat(e.Name)
		if err == nil {
			err = checkReadable(taskFile(uid, rel), in, limit)
		}
		if err != nil && !missing(err) && (prefix != "" || e.Type == 0) {
			d.fileError(uid, rel, err)
		}
		if prefix != "" && strings.Contains(e.Name, theirsMark) {
			d.add(model.Warning, uid, taskFile(uid, rel), codeTheirs, "compare it with the file beside it, then remove it",
				"holds bytes that someone else wrote while vespe replaced the file")
		}
	}
	return nil
}

func (d *doctor) fileError(uid model.UID, rel string, err error) {
	p := fileProblem(shown(taskFile(uid, rel)), err)
	p.UID = uid
	d.problems = append(d.problems, p)
}

// leftovers reports what interrupted writers left.
func (d *doctor) leftovers() error {
	// Someone who is writing right now has files there.
	l, err := d.s.fs.TryLock(lockFile)
	if err != nil {
		return nil //nolint:nilerr // busy or read-only: then nothing can be said about them
	}
	defer l.Close()
	dir, err := d.s.fs.OpenDir(tmpDir)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	es, err := dir.Entries()
	if err != nil {
		return err
	}
	for _, e := range es {
		d.add(model.Warning, "", tmpDir+"/"+e.Name, "leftover", "remove it when no vespe is running", "was left behind by a write that did not come to its end")
	}
	return nil
}

// log walks the chain and remembers what each file was last made.
func (d *doctor) log() error {
	seqs, err := d.s.listLog()
	if err != nil {
		return err
	}
	last := map[string]lastImage{}
	b, err := d.s.openBase()
	if err == nil {
		err = b.paths.into(last)
	}
	var damage *baseError
	prev, expected := b.head, b.seq+1
	switch {
	case errors.As(err, &damage), errors.Is(err, errDamaged):
		d.add(model.Error, "", baseFile, "log-broken", "restore the file from a backup", "cannot be read: %v", err)
		if expected = 0; len(seqs) > 0 {
			prev, expected = "", seqs[0]
		}
	case err != nil:
		return err
	}
	for i, seq := range seqs {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		name := entryFile(seq)
		if seq != expected {
			d.add(model.Error, "", name, "log-broken", "restore the missing entries from a backup", "follows entry %d: %d entries are missing", expected-1, seq-expected)
		}
		e, head, err := d.s.readEntry(seq)
		if err != nil {
			p := fileProblem(shown(name), err)
			p.Code, p.Hint = "log-broken", "restore the file from a backup"
			if errors.Is(err, fs.ErrPermission) {
				p.Hint = "check its permissions"
			}
			d.problems = append(d.problems, p)
			prev, expected = "", seq+1
			continue
		}
		if seq == expected && prev != "" && e.Prev != prev {
			d.add(model.Error, "", name, "log-broken", "one of the two was changed: compare with a backup", "does not follow from the entry before it: it names %.16s…, that one is %.16s…", e.Prev, prev)
		}
		if i == 0 && seq == 1 && e.Prev != "" {
			d.add(model.Error, "", name, "log-broken", "compare with a backup", "is the first entry, but names one before it")
		}
		for k := range e.Files {
			f := &e.Files[k]
			last[f.Path] = lastImage{f.Hash, f.Immutable}
		}
		prev, expected = head, seq+1
	}
	return d.projections(last)
}

// checkpoint compares what a reading through the checkpoint says with what the files say.
func (d *doctor) checkpoint(snap *model.Snapshot) error {
	o, ps := d.s.findCheckpoint()
	d.problems = append(d.problems, ps...)
	if o == nil {
		return nil
	}
	opt := d.s.opt
	opt.ReadOnly = true
	r, err := Open(d.s.root, opt)
	if err != nil {
		return err
	}
	defer r.Close()
	seen, err := r.Load(d.ctx, nil)
	if err != nil {
		return err
	}
	if seen.Seq() != snap.Seq() {
		return nil // someone is writing: then the two may differ
	}
	for i := range seen.Len() {
		is := seen.At(i)
		was, ok := snap.Task(is.UID)
		if !ok || !sameTask(was, is) {
			d.add(model.Warning, is.UID, checkpointFile(o.seq), "checkpoint-differs", "remove the file: the next command makes another",
				"says something else of %s than its files do", is.UID)
		}
	}
	return nil
}

// projections compares files with what the log last made them.
func (d *doctor) projections(last map[string]lastImage) error {
	names := make([]string, 0, len(last))
	for name := range last {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		now, err := d.s.hashOf(name)
		if err != nil || now == last[name].hash {
			continue // an unreadable one is reported above
		}
		uid, _, _ := taskOf(name)
		if now == "" {
			d.add(model.Warning, uid, name, "foreign-change", "restore it from git or objects/, if that was not meant", "is gone; the log last wrote it")
			continue
		}
		sev := model.Warning
		hint := "if that was not meant, restore it from git"
		if last[name].immutable {
			sev, hint = model.Error, "it may never change: restore it from git"
		}
		d.add(sev, uid, name, "foreign-change", hint, "was changed by someone else since the log last wrote it")
	}
	return nil
}
