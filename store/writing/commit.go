package writing

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"path"
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// errTaken: someone else has the number of the log that we wanted.
var errTaken = errors.New("the number in the log is taken")

// CommitAndProject writes a transaction: the entry, then the files it is about.
func (s *Writer) CommitAndProject(t *Transaction, base txlog.Tip, warnings []string) (applied snapshot.Applied, again bool, err error) {
	op := &t.ops[t.main]
	e, err := s.entryOf(t, base)
	if err != nil {
		return applied, s.isOvertaken(base), err
	}
	if err := s.Disk.FS.Named(); err != nil {
		return applied, false, s.unreadable(op, err)
	}
	at, err := s.commit(e, op)
	if errors.Is(err, errTaken) {
		return applied, true, nil
	}
	var f *failure.Error
	if err != nil && !(errors.As(err, &f) && f.Refusal.Code == model.CodeNotDurable) {
		return applied, false, err
	}
	inDoubt := err
	s.Ops.Add(e)

	files := make([]*txlog.FileImage, len(e.Files))
	for i := range e.Files {
		files[i] = &e.Files[i]
	}
	files = slices.DeleteFunc(files, func(f *txlog.FileImage) bool { return f.Edited })
	more, refused, err := s.Pending.Project(e.Seq, files)
	warnings = append(warnings, more...)
	if err == nil {
		err = s.Pending.Note(e.Seq, refused, false)
	}
	if err != nil {
		warnings = append(warnings, fmt.Sprintf("it is committed, but not yet written to all files (%v); the next command finishes this", err))
	} else if inDoubt == nil {
		warnings = append(warnings, s.Reflections.Write(e)...)
		s.markProjected(at)
	} else {
		s.Current.SetProjected(at.Seq) // here alone: others make it durable first
	}
	projected := err == nil
	snap := s.Loader.Adopt(base, at, t.snapshot, func(from *snapshot.Snapshot) *snapshot.Snapshot {
		s.takenOver(t, from)
		return s.after(t, from, at, projected)
	})
	if inDoubt == nil && len(refused) > 0 {
		inDoubt = s.Pending.Still(e.Seq, op)
	}
	return snapshot.Applied{Seq: at.Seq, Change: t.change, Snapshot: snap, Warnings: warnings}, false, inDoubt
}

// entryOf is the entry that a transaction becomes after base.
func (s *Writer) entryOf(t *Transaction, base txlog.Tip) (*txlog.Entry, error) {
	c := t.change
	e := &txlog.Entry{
		Format: txlog.EntryFormat, Seq: base.Seq + 1, Prev: base.Head,
		OpID: t.ops[t.main].ID, Actor: t.ops[t.main].Actor, At: t.ops[t.main].At,
		Summary: c.Summary, Warnings: c.Warnings,
	}
	for i := range t.ops {
		e.Ops = append(e.Ops, txlog.RecordOp(&t.ops[i]))
	}
	for _, task := range c.Tasks {
		revision := 0
		if was, ok := t.snapshot.Task(task.UID); ok {
			revision = was.Status.Revision
		}
		e.Tasks = append(e.Tasks, task.UID)
		e.Expect = append(e.Expect, txlog.Expectation{UID: task.UID, Revision: revision})
	}
	var err error
	e.Files, err = s.files(t, e.Seq)
	return e, err
}

// commit gives an entry its number. Until the link nothing has happened; after it the
// entry is there for everyone, and only its durability may be in doubt.
func (s *Writer) commit(e *txlog.Entry, op *model.Op) (txlog.Tip, error) {
	nothing := func(err error) error {
		return failure.New(model.CodeRefused, failure.GuardWritable, op, err, "check space and permissions; nothing was changed", "the transaction could not be written")
	}
	if err := s.Disk.Unconfirmed(layout.LogDir); err != nil {
		return txlog.Tip{}, failure.New(model.CodeRefused, failure.GuardDurable, op, err, "check the disk, then restart vespe; nothing was changed",
			"the disk did not confirm an earlier transaction, so vespe can't write another")
	}
	if err := s.writeObjects(e); err != nil {
		return txlog.Tip{}, s.unlessCleaned(nothing(err))
	}
	tmp := s.Disk.TempName("entry")
	at, err := s.writeEntry(tmp, e)
	var large *fsys.TooLargeError
	if errors.As(err, &large) {
		return txlog.Tip{}, failure.New(model.CodeRefused, failure.GuardFiles, op, nil, "split it; nothing was changed", "the transaction is larger than %d MB", large.Limit>>20)
	}
	if err != nil {
		return txlog.Tip{}, s.unlessCleaned(nothing(err))
	}
	in, err := s.Disk.FS.Stat(tmp)
	if err != nil {
		return txlog.Tip{}, s.unlessCleaned(nothing(err))
	}
	switch still, err := s.Log.IsStill(txlog.Tip{Seq: e.Seq - 1, Head: e.Prev}); {
	case err != nil:
		_ = s.Disk.FS.Remove(tmp) // best effort; Doctor reports what is left
		return txlog.Tip{}, nothing(err)
	case !still:
		_ = s.Disk.FS.Remove(tmp)
		return txlog.Tip{}, errTaken
	}
	if err := s.Disk.FS.Link(tmp, layout.EntryFile(e.Seq)); err != nil {
		switch ours, known := s.isOurs(tmp, at); {
		case !known:
			return at, failure.New(model.CodeNotDurable, failure.GuardDurable, op, err, "check the disk, then repeat it with the same operation id", "the transaction may or may not be committed")
		case !ours:
			_ = s.Disk.FS.Remove(tmp) // best effort; Doctor reports what is left
			if errors.Is(err, fs.ErrExist) {
				return txlog.Tip{}, errTaken
			}
			return txlog.Tip{}, nothing(err)
		}
		// The answer was lost, not the link.
	}
	if s.isOrphaned(e.Seq) {
		_ = s.Disk.FS.Remove(layout.EntryFile(e.Seq)) // best effort, both: nobody reads what is after a gap
		_ = s.Disk.FS.Remove(tmp)
		s.Loader.Forget()
		return txlog.Tip{}, errTaken
	}
	s.Log.Saw(at, in)
	err = s.syncLog(at.Seq, op)
	_ = s.Disk.FS.Remove(tmp) // best effort; recovery removes it otherwise
	return at, err
}

// entryBuffer is the most of an entry that is written at once: most entries are smaller.
const entryBuffer = 1 << 16

// writeEntry writes an entry durably under a temporary name. It is encoded into the file:
// one of a large import would not fit into memory once more.
func (s *Writer) writeEntry(tmp string, e *txlog.Entry) (txlog.Tip, error) {
	f, err := s.Disk.FS.Create(tmp)
	if err != nil {
		return txlog.Tip{}, err
	}
	sum := sha256.New()
	w := bufio.NewWriterSize(&entryWriter{f: f, sum: sum, name: tmp}, entryBuffer)
	if err = txlog.EncodeEntry(w, e); err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = s.Disk.FS.Remove(tmp) // best effort; what is left in tmp/ is reported by Doctor
		return txlog.Tip{}, fmt.Errorf("write %s: %w", layout.Shown(tmp), err)
	}
	return txlog.Tip{Seq: e.Seq, Head: layout.HashPrefix + hex.EncodeToString(sum.Sum(nil))}, nil
}

// entryWriter writes what is hashed, as far as it can be read back.
type entryWriter struct {
	f    fsys.File
	sum  hash.Hash
	name string
	n    int64
}

func (w *entryWriter) Write(b []byte) (int, error) {
	if w.n += int64(len(b)); w.n > layout.MaxEntry {
		return 0, &fsys.TooLargeError{Path: w.name, Size: w.n, Limit: layout.MaxEntry}
	}
	w.sum.Write(b)
	return w.f.Write(b)
}

// isOrphaned says, after a link, whether the number was free only because the log was deleted since we looked for its
// end.
func (s *Writer) isOrphaned(seq uint64) bool {
	if seq == 1 {
		return false
	}
	_, err := s.Disk.FS.Stat(layout.EntryFile(seq - 1))
	return fsys.Missing(err)
}

// unlessCleaned is errTaken where what is to be written cannot be because the directories of the
// machinery went: they are made anew, and it is tried again.
func (s *Writer) unlessCleaned(err error) error {
	if fsys.Missing(err) && s.Log.Ready.Swap(false) {
		return errTaken
	}
	return err
}

// isOurs says, after a link that failed, whether the entry is ours all the same.
func (s *Writer) isOurs(tmp string, at txlog.Tip) (ours, known bool) {
	there, err := s.Disk.FS.Stat(layout.EntryFile(at.Seq))
	if fsys.Missing(err) {
		return false, true
	}
	if err != nil {
		return false, false
	}
	if mine, err := s.Disk.FS.Stat(tmp); err == nil {
		return mine.Ino == there.Ino && mine.Dev == there.Dev, true
	}
	b, err := s.Disk.FS.ReadFile(layout.EntryFile(at.Seq), layout.MaxEntry)
	return err == nil && model.HashBytes(b) == at.Head, err == nil
}

// writeObjects writes the bodies that do not fit into the entry, durably and before it.
func (s *Writer) writeObjects(e *txlog.Entry) error {
	dirs := map[string]bool{}
	for _, o := range e.Inline() {
		name := layout.ObjectFile(o.Hash)
		dir := path.Dir(name)
		if err := s.Disk.FS.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		// Also for what is there: anyone who made it may have been killed before it was durable.
		dirs[layout.ObjectsDir], dirs[dir] = true, true
		if there, err := s.Disk.Hash(name); err == nil && there == o.Hash {
			continue
		}
		tmp := s.Disk.TempName("object")
		if err := s.Disk.WriteFile(tmp, o.Bytes, true); err != nil {
			return err
		}
		if err := s.Disk.FS.Rename(tmp, name); err != nil {
			return err
		}
	}
	for _, dir := range durable.ChildrenFirst(dirs) {
		if err := s.Disk.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// after is the snapshot after a transaction. Tasks that had problems are read again: what
// was written may have solved them.
func (s *Writer) after(t *Transaction, from *snapshot.Snapshot, at txlog.Tip, projected bool) *snapshot.Snapshot {
	tasks := make([]*model.Task, len(t.change.Tasks))
	for i, task := range t.change.Tasks {
		tasks[i] = s.Pending.With(t.withFiles(task, t.change.Touched[i]))
	}
	if projected {
		if d, err := s.Disk.FS.OpenDir(layout.TasksDir); err == nil {
			for i, task := range tasks {
				if len(task.Problems) == 0 {
					continue
				}
				if now, err := s.Pending.ReadTask(d, task.UID, nil); err == nil && now != nil {
					tasks[i] = now.Split(task)
				}
			}
			_ = d.Close() // only read from
		}
	}
	snap := from.With(at.Seq, at.Head, tasks, t.change.Requests)
	if t.change.Milestones != nil {
		snap = snap.Amend(snapshot.Amendment{Milestones: t.change.Milestones})
	}
	return snap
}

// withFiles is a task with the flags that say which of its files exist.
func (t *Transaction) withFiles(task *model.Task, touched model.Touched) *model.Task {
	objective := t.writes(layout.TaskFile(task.UID, layout.DocFile(model.Objective)))
	plan := t.writes(layout.TaskFile(task.UID, layout.DocFile(model.Plan)))
	status := touched.Status && !task.HasStatus
	if !status && (!objective || task.HasObjective) && (!plan || task.HasPlan) {
		return task
	}
	c := task.Clone()
	c.HasStatus = c.HasStatus || status
	c.HasObjective = c.HasObjective || objective
	c.HasPlan = c.HasPlan || plan
	return c
}

// writes says whether a file is there after the transaction because of it.
func (t *Transaction) writes(name string) bool {
	k, ok := t.fileAt[name]
	return ok && t.change.Files[k].Body != nil
}

// takenOver forgets edits that are in the log now. from is the snapshot before.
func (s *Writer) takenOver(t *Transaction, from *snapshot.Snapshot) {
	known, taken := map[model.UID]*model.Task{}, map[model.UID]*model.External{}
	for i := range t.ops {
		if x, ok := t.ops[i].Args.(model.External); ok {
			uid := t.ops[i].UID
			if taken[uid], known[uid] = &x, x.Now; x.Gone {
				known[uid] = taskfiles.Blank(uid)
			}
		}
	}
	for i, task := range t.change.Tasks {
		known[task.UID] = t.withFiles(task, t.change.Touched[i])
	}
	s.Edits.TakenOver(known, taken, from)
}
