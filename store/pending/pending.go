// Package pending remembers which entries of the log are not projected to a task, and finishes that. An entry may be
// committed and not projected to one of its tasks. A file in log/owed, named for the
// entry and the task, says so. There are two reasons.
//
// The task's directory refuses to be written. The file is durable before the entry counts as projected,
// so that the next may follow. Until the projection is done, readers take the task's files from the
// entry, and no transaction changes the task. So the files of one entry are pending, the last one.
//
// The task's directory was not there. That holds up nobody. Once it is back, the next writer writes the
// events, revisions and approvals that the task has missed; also its other files, if they are as they
// were before the entry and no later entry wrote to the task. A file that somebody edited meanwhile stays an edit.
package pending

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
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/project"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// Dir is where that is remembered.
const Dir = layout.LogDir + "/owed"

const deletedMark = ".away" // ends the name of a file where the directory was not there

// Code is the code of the problem that a task's files are not what the log says.
const Code = "not-written"

// Projection is an entry that is not projected to one task.
type Projection struct {
	Seq     uint64
	UID     model.UID
	Deleted bool // its directory was not there
}

// File is the name of the file that says so.
func (p Projection) File() string {
	name := fmt.Sprintf("%s/%012d.%s", Dir, p.Seq, p.UID)
	if p.Deleted {
		name += deletedMark
	}
	return name
}

// Parse is the inverse of File for a bare file name.
func Parse(name string) (Projection, bool) {
	rest, deleted := strings.CutSuffix(name, deletedMark)
	digits, uid, _ := strings.Cut(rest, ".")
	seq, err := strconv.ParseUint(digits, 10, 64)
	p := Projection{seq, model.UID(uid), deleted}
	return p, err == nil && seq > 0 && p.UID.Valid() && p.File() == Dir+"/"+name
}

// List is the pending projections of a store. What it reads is remembered in the table of edits.
type List struct {
	Disk      *durable.Files
	Log       *txlog.Log
	Edits     *edits.Table
	Projector *project.Projector
}

// All is every pending projection, the oldest first.
func (s *List) All() (list []Projection, err error) {
	es, err := fsys.List(s.Disk.FS, Dir)
	var notPlain *fsys.NotRegularError
	if fsys.Missing(err) || errors.As(err, &notPlain) { // readers continue; writers ask (usable)
		return nil, nil
	}
	for _, e := range es {
		if p, ok := Parse(e.Name); ok && e.Type == 0 {
			list = append(list, p)
		}
	}
	return list, err
}

// Blocking are those that hold up other transactions on the task.
func Blocking(list []Projection) []Projection {
	return slices.DeleteFunc(list, func(p Projection) bool { return p.Deleted })
}

// AnyDue says whether one of them may be finished now.
func (s *List) AnyDue(list []Projection) bool {
	return slices.ContainsFunc(list, func(p Projection) bool { return !p.Deleted || !s.isStillDeleted(p) })
}

// Problem says that something else lies where pending projections are noted.
func (s *List) Problem() []model.Problem {
	in, err := s.Disk.FS.Stat(Dir)
	if err != nil || in.Type == fs.ModeDir {
		return nil
	}
	return []model.Problem{{
		Path: layout.Shown(Dir), Severity: model.Error, Code: "not-regular",
		Reason: "is " + fsys.Describe(in.Type) + " where one of vespe's directories belongs, so nothing can be written",
		Hint:   hintPending,
	}}
}

const hintPending = "run `vespe store doctor --fix`: it moves it aside"

// IsProblem says whether a problem is one that Problem says.
func IsProblem(p model.Problem) bool { return p.Path == layout.Shown(Dir) }

// usable is nil where pending projections can be read and noted.
func (s *List) usable() error {
	if ps := s.Problem(); len(ps) > 0 {
		return failure.New(model.CodeInvalid, failure.GuardStore, nil, nil, hintPending, "nothing was changed: %s %s", ps[0].Path, ps[0].Reason)
	}
	return nil
}

// Read remembers which tasks refuse to be written.
func (s *List) Read() error {
	list, err := s.All()
	if list = Blocking(list); err != nil {
		return err
	}
	if len(list) == 0 {
		s.Edits.SetPending(nil, nil)
		return nil
	}
	entries, images := map[model.UID]uint64{}, map[string]*txlog.FileImage{}
	for _, p := range list {
		entries[p.UID] = p.Seq
		e, _, err := s.Log.ReadEntry(p.Seq)
		if err != nil {
			if fsys.IsTransient(err) {
				return err
			}
			continue // Doctor says what is wrong with it
		}
		for _, f := range filesOf(e, p.UID) {
			if before := images[f.Path]; before != nil {
				f.Was = before.Was
			}
			images[f.Path] = f
		}
	}
	s.Edits.SetPending(entries, images)
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

// ReadTask reads a task through what is pending. An error is one of this moment.
func (s *List) ReadTask(tasks fsys.Dir, uid model.UID, over taskfiles.Images) (*model.Task, error) {
	return s.ReadTaskUnless(tasks, uid, over, fsys.IsTransient)
}

// ReadTaskUnless is ReadTask where other errors are no problem of the task but end it.
func (s *List) ReadTaskUnless(tasks fsys.Dir, uid model.UID, over taskfiles.Images, ends func(error) bool) (*model.Task, error) {
	images := s.Edits.Images()
	if s.Edits.Pending(uid) == 0 {
		return taskfiles.Read(tasks, uid, over, ends)
	}
	all := taskfiles.Images{}
	for name, f := range images {
		of, rest, _ := layout.TaskOf(name)
		if of != uid || !taskfiles.IsOwn(rest) {
			continue
		}
		if now, err := s.Disk.Hash(name); err == nil && now == f.Was || errors.Is(err, fs.ErrPermission) {
			body, err := s.Log.BodyOf(f)
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
	return s.With(t), nil
}

// With is a task with the problem that its files are pending.
func (s *List) With(t *model.Task) *model.Task {
	seq := s.Edits.Pending(t.UID)
	if seq == 0 || slices.ContainsFunc(t.Problems, Is) {
		return t
	}
	t = t.Clone()
	t.Problems = append(t.Problems, model.Problem{
		UID: t.UID, Path: layout.Shown(layout.TaskDir(t.UID)), Severity: model.Warning, Code: Code,
		Reason: fmt.Sprintf("wasn't writable when entry %d of the log was committed; vespe shows what the log has", seq),
		Hint:   "make it writable; the next command writes the files",
	})
	return t
}

// Project writes files of an entry, and notes the tasks that are not there.
func (s *List) Project(seq uint64, files []*txlog.FileImage) (warnings []string, refused []model.UID, err error) {
	did, err := s.Projector.At(seq).Write(files)
	if err == nil {
		err = s.Note(seq, did.Missing, true)
	}
	return did.Warnings, did.Refused, err
}

// Note remembers, durably, that an entry is not projected to some tasks.
func (s *List) Note(seq uint64, uids []model.UID, deleted bool) error {
	if len(uids) == 0 {
		return nil
	}
	switch err := s.Disk.FS.Mkdir(Dir); {
	case err == nil:
		if err := s.Disk.SyncDir(layout.LogDir); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	for _, uid := range uids {
		if err := s.Disk.WriteNew(Projection{seq, uid, deleted}.File(), nil); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := s.Disk.SyncDir(Dir); err != nil || deleted {
		return err
	}
	return s.Read()
}

// Finish writes what is pending as far as it can be written now, under the lock. last is the
// last entry.
func (s *List) Finish(last uint64) (done []model.UID, warnings []string, err error) {
	if err := s.usable(); err != nil {
		return nil, nil, err
	}
	list, err := s.All()
	if err != nil || len(list) == 0 && !s.Edits.AnyPending() {
		return nil, nil, err
	}
	stuck := map[model.UID]bool{}
	for _, p := range list {
		if stuck[p.UID] {
			continue // in the order of the log
		}
		written, more, err := s.projectLate(p, last)
		warnings = append(warnings, more...)
		if err != nil {
			return done, warnings, err
		}
		if !written {
			stuck[p.UID] = !p.Deleted
			continue
		}
		if err := durable.IgnoreMissing(s.Disk.FS.Remove(p.File())); err != nil {
			return done, warnings, err
		}
		done = append(done, p.UID)
	}
	if len(done) > 0 {
		// Best effort: one that a power cut brings back is done, or out of date.
		_ = s.Disk.SyncDir(Dir)
	}
	return done, warnings, s.Read()
}

// projectLate writes an entry's files of one task. done says that nothing more can be.
func (s *List) projectLate(p Projection, last uint64) (done bool, warnings []string, err error) {
	if p.Deleted && s.isStillDeleted(p) {
		return false, nil, nil
	}
	e, _, err := s.Log.ReadEntry(p.Seq)
	if err != nil {
		if fsys.IsTransient(err) {
			return false, nil, err
		}
		return p.Deleted, nil, nil // Doctor says what is wrong
	}
	files := filesOf(e, p.UID)
	if s.Unwritable(files) != nil {
		return p.Deleted, nil, nil // `vespe store doctor --fix` writes history later, too
	}
	later, err := s.isWrittenLater(p, last)
	if err != nil || later && !p.Deleted {
		return err == nil, nil, err // also that it was deleted
	}
	if _, err := s.Disk.FS.Stat(layout.TaskDir(p.UID)); err != nil && !p.Deleted {
		return false, nil, durable.IgnoreMissing(err) // it may be back
	}
	todo, err := s.lateFiles(p, files, later)
	if err != nil {
		return false, nil, err
	}
	warnings, refused, err := s.Project(last, todo)
	switch {
	case err != nil:
		return false, warnings, err
	case p.Deleted:
		return !s.isStillDeleted(p), warnings, nil
	case len(refused) > 0:
		return false, warnings, nil
	}
	dirs := map[string]bool{}
	for _, f := range files {
		AddAbove(dirs, f.Path) // anyone who began may have been killed
	}
	return true, warnings, s.Disk.SyncDirs(dirs)
}

// isStillDeleted says whether a task's directory is not there, and may come back.
func (s *List) isStillDeleted(p Projection) bool {
	_, err := s.Disk.FS.Stat(layout.TaskDir(p.UID))
	return err != nil
}

// isWrittenLater says whether an entry after the pending one writes to the task. That one says that the directory is
// gone changes nothing about what a task missed.
func (s *List) isWrittenLater(p Projection, last uint64) (bool, error) {
	for seq := p.Seq + 1; seq <= last; seq++ {
		e, _, err := s.Log.ReadEntry(seq)
		if err != nil {
			if p.Deleted && !fsys.IsTransient(err) {
				return true, nil
			}
			return false, err
		}
		if slices.ContainsFunc(e.Files, func(f txlog.FileImage) bool {
			uid, _, _ := layout.TaskOf(f.Path)
			return uid == p.UID && (f.Hash != "" || !p.Deleted)
		}) {
			return true, nil
		}
	}
	return false, nil
}

// lateFiles are the files that are to be written late. A task's own that somebody has written or removed
// since the entry was committed are an edit: the log has what is pending.
func (s *List) lateFiles(p Projection, files []*txlog.FileImage, later bool) (todo []*txlog.FileImage, err error) {
	for _, f := range files {
		now, err := s.Disk.Hash(f.Path)
		if err != nil && !fsys.IsAboutFile(err) {
			return nil, err
		}
		_, rest, _ := layout.TaskOf(f.Path)
		own := taskfiles.IsOwn(rest)
		write := false
		switch {
		case err == nil && now == f.Hash:
		case !p.Deleted:
			write = err != nil || !own || now == f.Was
		case err != nil:
		case f.Immutable:
			write = now == ""
		default:
			write = !later && now == f.Was
		}
		if write {
			todo = append(todo, f)
		}
	}
	return todo, nil
}

// UnwritableError says which directory cannot be written to, and why.
type UnwritableError struct {
	Dir string
	Err error
}

// Unwritable is why one of files could not be written; nil when all can be.
func (s *List) Unwritable(files []*txlog.FileImage) *UnwritableError {
	var dirs []string
	asked := map[string]bool{}
	for _, f := range files {
		if dir := path.Dir(f.Path); !asked[dir] {
			asked[dir] = true
			dirs = append(dirs, dir)
		}
	}
	refused := make([]*UnwritableError, len(dirs))
	_ = parallel.EachIf(len(dirs) > s.Projector.Many, len(dirs), func(i int) error {
		for dir := dirs[i]; ; dir = path.Dir(dir) {
			err := s.Disk.FS.Writable(dir)
			if !fsys.Missing(err) || dir == "." { // else it is made in the one above
				if err != nil {
					refused[i] = &UnwritableError{dir, err}
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

// Still is the error of a transaction that is committed, but not written to the files of
// tasks; nil when it is.
func (s *List) Still(seq uint64, op *model.Op) error {
	uids := s.Edits.PendingOf(seq)
	if len(uids) == 0 {
		return nil
	}
	f := failure.New(model.CodeNotDurable, failure.GuardWritable, op, nil, "make it writable; the next command writes the files",
		"it is applied as entry %d, but %s can't be written", seq, layout.Shown(layout.TaskDir(uids[0])))
	f.Refusal.UID = uids[0]
	return f
}

// Is says whether a problem is that the files of a task are pending.
func Is(p model.Problem) bool { return p.Code == Code }

// AddAbove adds the directories above a name.
func AddAbove(dirs map[string]bool, name string) {
	for d := path.Dir(name); d != "."; d = path.Dir(d) {
		dirs[d] = true
	}
}

// Hint is what is written down of the last entry that was projected; zero when there is none, or one of another log.
func (l *List) Hint() txlog.Hint {
	h := l.Log.Hinted()
	// Asked after it: what an entry owes is known before it counts as projected.
	if err := l.Read(); err != nil {
		return txlog.Hint{}
	}
	return h
}
