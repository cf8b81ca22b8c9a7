package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// An entry may be committed and not projected to one of its tasks. A file in log/owed, named for the
// entry and the task, says so. There are two reasons.
//
// The task's directory refuses to be written. The file is durable before the entry counts as projected,
// so that the next may follow. Until the projection is done, readers take the task's files from the
// entry, and no transaction changes the task. So the files of one entry are pending, the last one.
//
// The task's directory was not there. That holds up nobody. Once it is back, the next writer writes the
// events, revisions and approvals that the task has missed; also reviews and results, if they are as they
// were and no later entry wrote them. The task's own files are read by every load, like an edit.

const (
	pendingDir  = layout.LogDir + "/owed"
	deletedMark = ".away" // ends the name where the directory was not there
)

// codePending is the code of the problem that a task's files are not what the log says.
const codePending = "not-written"

// mostLater is how many later entries are searched for a task that was not there. Beyond that one of
// them is taken to be about it.
const mostLater = 256

// pending is an entry that is not projected to one task.
type pending struct {
	seq     uint64
	uid     model.UID
	deleted bool // its directory was not there
}

func (p pending) file() string {
	name := fmt.Sprintf("%s/%012d.%s", pendingDir, p.seq, p.uid)
	if p.deleted {
		name += deletedMark
	}
	return name
}

func parsePending(name string) (pending, bool) {
	rest, deleted := strings.CutSuffix(name, deletedMark)
	digits, uid, _ := strings.Cut(rest, ".")
	seq, err := strconv.ParseUint(digits, 10, 64)
	p := pending{seq, model.UID(uid), deleted}
	return p, err == nil && seq > 0 && p.uid.Valid() && p.file() == pendingDir+"/"+name
}

// listPending is every pending projection, the oldest first.
func (s *Store) listPending() (list []pending, err error) {
	es, err := fsys.List(s.fs, pendingDir)
	var notPlain *fsys.NotRegularError
	if fsys.Missing(err) || errors.As(err, &notPlain) { // readers continue; writers ask (pendingUsable)
		return nil, nil
	}
	for _, e := range es {
		if p, ok := parsePending(e.Name); ok && e.Type == 0 {
			list = append(list, p)
		}
	}
	return list, err
}

// blockingOf are those that hold up other transactions on the task.
func blockingOf(list []pending) []pending {
	return slices.DeleteFunc(list, func(p pending) bool { return p.deleted })
}

// pendingProblem says that something else lies where pending projections are noted.
func (s *Store) pendingProblem() []model.Problem {
	in, err := s.fs.Stat(pendingDir)
	if err != nil || in.Type == fs.ModeDir {
		return nil
	}
	return []model.Problem{{
		Path: layout.Shown(pendingDir), Severity: model.Error, Code: "not-regular",
		Reason: "is " + fsys.Describe(in.Type) + " where one of vespe's directories belongs, so nothing can be written",
		Hint:   hintPending,
	}}
}

const hintPending = "run `vespe store doctor --fix`: it moves it aside"

func isPendingProblem(p model.Problem) bool { return p.Path == layout.Shown(pendingDir) }

// pendingUsable is nil where pending projections can be read and noted.
func (s *Store) pendingUsable() error {
	if ps := s.pendingProblem(); len(ps) > 0 {
		return failure.New(model.CodeInvalid, failure.GuardStore, nil, nil, hintPending, "nothing was changed: %s %s", ps[0].Path, ps[0].Reason)
	}
	return nil
}

// readPending remembers which tasks refuse to be written.
func (s *Store) readPending() error {
	list, err := s.listPending()
	if list = blockingOf(list); err != nil {
		return err
	}
	if len(list) == 0 {
		s.edits.SetPending(nil, nil)
		return nil
	}
	entries, images := map[model.UID]uint64{}, map[string]*txlog.FileImage{}
	for _, p := range list {
		entries[p.uid] = p.seq
		e, _, err := s.log.ReadEntry(p.seq)
		if err != nil {
			if fsys.IsTransient(err) {
				return err
			}
			continue // Doctor says what is wrong with it
		}
		for _, f := range filesOf(e, p.uid) {
			if before := images[f.Path]; before != nil {
				f.Was = before.Was
			}
			images[f.Path] = f
		}
	}
	s.edits.SetPending(entries, images)
	return nil
}

// filesOf are the files that an entry writes of one task.
func filesOf(e *txlog.Entry, uid model.UID) []*txlog.FileImage {
	var files []*txlog.FileImage
	for i := range e.Files {
		f := e.Files[i]
		if of, _, ok := layout.TaskOf(f.Path); ok && of == uid && !f.Edited && f.Hash != "" {
			files = append(files, &f)
		}
	}
	return files
}

// readTask reads a task through what is pending. An error is one of this moment.
func (s *Store) readTask(tasks fsys.Dir, uid model.UID, over taskfiles.Images) (*model.Task, error) {
	return s.readTaskUnless(tasks, uid, over, fsys.IsTransient)
}

// readTaskUnless is readTask where other errors are no problem of the task but end it.
func (s *Store) readTaskUnless(tasks fsys.Dir, uid model.UID, over taskfiles.Images, ends func(error) bool) (*model.Task, error) {
	images := s.edits.Images()
	if s.edits.Pending(uid) == 0 {
		return taskfiles.Read(tasks, uid, over, ends)
	}
	all := taskfiles.Images{}
	for name, f := range images {
		of, rest, _ := layout.TaskOf(name)
		if of != uid || !taskfiles.IsOwn(rest) {
			continue
		}
		if now, err := s.disk.Hash(name); err == nil && now == f.Was || errors.Is(err, fs.ErrPermission) {
			body, err := s.log.BodyOf(f)
			if err != nil {
				return nil, err
			}
			all[rest] = body
		} else if err != nil && ends(err) {
			return nil, err
		}
	}
	for name, body := range over {
		all[name] = body
	}
	if _, err := tasks.Stat(string(uid)); fsys.Missing(err) && len(over) == 0 {
		all = nil // somebody deleted it
	}
	t, err := taskfiles.Read(tasks, uid, all.OrNil(), ends)
	if err != nil || t == nil {
		return nil, err
	}
	return s.withPending(t), nil
}

// withPending is a task with the problem that its files are pending.
func (s *Store) withPending(t *model.Task) *model.Task {
	seq := s.edits.Pending(t.UID)
	if seq == 0 || slices.ContainsFunc(t.Problems, isPending) {
		return t
	}
	t = t.Clone()
	t.Problems = append(t.Problems, model.Problem{
		UID: t.UID, Path: layout.Shown(layout.TaskDir(t.UID)), Severity: model.Warning, Code: codePending,
		Reason: fmt.Sprintf("wasn't writable when entry %d of the log was committed; vespe shows what the log has", seq),
		Hint:   "make it writable; the next command writes the files",
	})
	return t
}

// installed is told the mtime of tasks/ before and after names were added to it. If until then every name was the
// log's, it is so afterwards too: then nobody needs to list them to know.
func (s *Store) installed(before, after int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names != before {
		after = 0
	}
	s.names = after
}

// project writes files of an entry, and notes the tasks that are not there.
func (s *Store) project(seq uint64, files []*txlog.FileImage) (warnings []string, refused []model.UID, err error) {
	did, err := s.projector.At(seq).Write(files)
	if err == nil {
		_ = s.notePending(seq, did.Missing, true)
	}
	return did.Warnings, did.Refused, err
}

// notePending remembers, durably, that an entry is not projected to some tasks.
func (s *Store) notePending(seq uint64, uids []model.UID, deleted bool) error {
	if len(uids) == 0 {
		return nil
	}
	switch err := s.fs.Mkdir(pendingDir); {
	case err == nil:
		if err := s.disk.SyncDir(layout.LogDir); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	for _, uid := range uids {
		if err := s.disk.WriteNew(pending{seq, uid, deleted}.file(), nil); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := s.disk.SyncDir(pendingDir); err != nil || deleted {
		return err
	}
	return s.readPending()
}

// projectPending writes what is pending as far as it can be written now, under the lock. last is the
// last entry.
func (s *Store) projectPending(last uint64) (done []model.UID, warnings []string, err error) {
	if err := s.pendingUsable(); err != nil {
		return nil, nil, err
	}
	list, err := s.listPending()
	if err != nil || len(list) == 0 && !s.edits.AnyPending() {
		return nil, nil, err
	}
	stuck := map[model.UID]bool{}
	for _, p := range list {
		if stuck[p.uid] {
			continue // in the order of the log
		}
		written, more, err := s.projectLate(p, last)
		warnings = append(warnings, more...)
		if err != nil {
			return done, warnings, err
		}
		if !written {
			stuck[p.uid] = !p.deleted
			continue
		}
		if err := durable.IgnoreMissing(s.fs.Remove(p.file())); err != nil {
			return done, warnings, err
		}
		done = append(done, p.uid)
	}
	if len(done) > 0 {
		// Best effort: one that a power cut brings back is done, or out of date.
		_ = s.disk.SyncDir(pendingDir)
	}
	return done, warnings, s.readPending()
}

// projectLate writes an entry's files of one task. done says that nothing more can be.
func (s *Store) projectLate(p pending, last uint64) (done bool, warnings []string, err error) {
	if p.deleted && s.isStillDeleted(p) {
		return false, nil, nil
	}
	e, _, err := s.log.ReadEntry(p.seq)
	if err != nil {
		if fsys.IsTransient(err) {
			return false, nil, err
		}
		return p.deleted || fsys.Missing(err) && s.log.WasCompacted(p.seq), nil, nil // Doctor says what is wrong
	}
	files := filesOf(e, p.uid)
	if s.anyUnwritable(files) != nil {
		return p.deleted, nil, nil // `vespe store doctor --fix` writes history later, too
	}
	later, err := s.isWrittenLater(p, last)
	if err != nil || later && !p.deleted {
		return err == nil, nil, err // also that it was deleted
	}
	if _, err := s.fs.Stat(layout.TaskDir(p.uid)); err != nil && !p.deleted {
		return false, nil, durable.IgnoreMissing(err) // it may be back
	}
	todo, err := s.lateFiles(p, files, later)
	if err != nil {
		return false, nil, err
	}
	warnings, refused, err := s.project(last, todo)
	switch {
	case err != nil:
		return false, warnings, err
	case p.deleted:
		return !s.isStillDeleted(p), warnings, nil
	case len(refused) > 0:
		return false, warnings, nil
	}
	dirs := map[string]bool{}
	for _, f := range files {
		addAbove(dirs, f.Path) // anyone who began may have been killed
	}
	return true, warnings, s.disk.SyncDirs(dirs)
}

// isStillDeleted says whether a task's directory is not there, and may come back.
func (s *Store) isStillDeleted(p pending) bool {
	_, err := s.fs.Stat(layout.TaskDir(p.uid))
	return err != nil && !s.log.WasCompacted(p.seq)
}

// isWrittenLater says whether an entry after the pending one writes to the task.
func (s *Store) isWrittenLater(p pending, last uint64) (bool, error) {
	if p.deleted && last-p.seq > mostLater {
		return true, nil
	}
	for seq := p.seq + 1; seq <= last; seq++ {
		e, _, err := s.log.ReadEntry(seq)
		if err != nil {
			if p.deleted && !fsys.IsTransient(err) {
				return true, nil
			}
			return false, err
		}
		if slices.ContainsFunc(e.Files, func(f txlog.FileImage) bool { uid, _, _ := layout.TaskOf(f.Path); return uid == p.uid }) {
			return true, nil
		}
	}
	return false, nil
}

// lateFiles are the files that are to be written late. A task's own that somebody has written or removed
// since the entry was committed are an edit: the log has what is pending.
func (s *Store) lateFiles(p pending, files []*txlog.FileImage, later bool) (todo []*txlog.FileImage, err error) {
	for _, f := range files {
		now, err := s.disk.Hash(f.Path)
		if err != nil && !fsys.IsAboutFile(err) {
			return nil, err
		}
		_, rest, _ := layout.TaskOf(f.Path)
		own := taskfiles.IsOwn(rest)
		write := false
		switch {
		case err == nil && now == f.Hash:
		case !p.deleted:
			write = err != nil || !own || now == f.Was
		case err != nil:
		case f.Immutable:
			write = now == ""
		default:
			write = !own && !later && now == f.Was
		}
		if write {
			todo = append(todo, f)
		}
	}
	return todo, nil
}

// unwritableError says which directory cannot be written to, and why.
type unwritableError struct {
	dir string
	err error
}

// anyUnwritable is why one of files could not be written; nil when all can be.
func (s *Store) anyUnwritable(files []*txlog.FileImage) *unwritableError {
	var dirs []string
	asked := map[string]bool{}
	for _, f := range files {
		if dir := path.Dir(f.Path); !asked[dir] {
			asked[dir] = true
			dirs = append(dirs, dir)
		}
	}
	refused := make([]*unwritableError, len(dirs))
	_ = parallel.EachIf(len(dirs) > s.projector.Many, len(dirs), func(i int) error {
		for dir := dirs[i]; ; dir = path.Dir(dir) {
			err := s.fs.Writable(dir)
			if !fsys.Missing(err) || dir == "." { // else it is made in the one above
				if err != nil {
					refused[i] = &unwritableError{dir, err}
				}
				return err
			}
		}
	}) // it is in refused
	for _, r := range refused {
		if r != nil {
			return r
		}
	}
	return nil
}

// stillPending is the error of a transaction that is committed, but not written to the files of
// tasks; nil when it is.
func (s *Store) stillPending(seq uint64, op *model.Op) error {
	uids := s.edits.PendingOf(seq)
	if len(uids) == 0 {
		return nil
	}
	f := failure.New(model.CodeNotDurable, failure.GuardWritable, op, nil, "make it writable; the next command writes the files",
		"it is applied as entry %d, but %s can't be written", seq, layout.Shown(layout.TaskDir(uids[0])))
	f.Refusal.UID = uids[0]
	return f
}

func isPending(p model.Problem) bool { return p.Code == codePending }
