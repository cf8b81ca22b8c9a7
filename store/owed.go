package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// A task's directory may refuse to be written just when a transaction of it is committed.
// Everything else of the entry is written then, and what is not is owed: an empty file in
// log/owed, named for the entry and the task, says so. It is durable before the entry counts
// as projected, so that the next may follow. Until it is paid readers take the task's files
// from the entry, and no transaction changes the task; hence a task is owed the files of one
// entry, and of the last that wrote it. Every writer, and every load that nobody keeps from
// it, tries to pay.

const owedDir = layout.LogDir + "/owed"

// codeOwed is the code of the problem that a task's files are not what the log says.
const codeOwed = "not-written"

// debt is an entry that is not written to the files of one task.
type debt struct {
	seq uint64
	uid model.UID
}

func (d debt) file() string { return fmt.Sprintf("%s/%012d.%s", owedDir, d.seq, d.uid) }

func parseDebt(name string) (debt, bool) {
	digits, uid, _ := strings.Cut(name, ".")
	seq, err := strconv.ParseUint(digits, 10, 64)
	d := debt{seq, model.UID(uid)}
	return d, err == nil && seq > 0 && d.uid.Valid() && d.file() == owedDir+"/"+name
}

// debts are what is owed, the oldest first.
func (s *Store) debts() ([]debt, error) {
	es, err := s.entries(owedDir)
	var notPlain *fsys.NotRegularError
	if fsys.Missing(err) || errors.As(err, &notPlain) { // readers go on; writers ask (owedUsable)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ds []debt
	for _, e := range es {
		if debt, ok := parseDebt(e.Name); ok && e.Type == 0 {
			ds = append(ds, debt)
		}
	}
	return ds, nil
}

// owedProblem is what to say of something else that lies where debts are noted.
func (s *Store) owedProblem() []model.Problem {
	in, err := s.fs.Stat(owedDir)
	if err != nil || in.Type == fs.ModeDir {
		return nil
	}
	return []model.Problem{{
		Path: layout.Shown(owedDir), Severity: model.Error, Code: "not-regular",
		Reason: "is " + fsys.Describe(in.Type) + " where a directory of vespe's own belongs, so nothing can be written",
		Hint:   hintOwed,
	}}
}

const hintOwed = "run `vespe doctor --fix`: it moves it aside"

func isOwedProblem(p model.Problem) bool { return p.Path == layout.Shown(owedDir) }

// owedUsable is nil where debts can be read and noted.
func (s *Store) owedUsable() error {
	if ps := s.owedProblem(); len(ps) > 0 {
		return fail(model.CodeInvalid, guardStore, nil, nil, hintOwed, "nothing was changed: %s %s", ps[0].Path, ps[0].Reason)
	}
	return nil
}

// owed is what a process knows of debts. Its methods take a nil one.
type owed struct {
	tasks map[model.UID]uint64  // the entries
	files map[string]*fileImage // after-images
}

// lookAtDebts remembers what is owed now.
func (s *Store) lookAtDebts() error {
	ds, err := s.debts()
	if err != nil || len(ds) == 0 {
		if err == nil {
			s.owed.Store(nil)
		}
		return err
	}
	o := &owed{tasks: map[model.UID]uint64{}, files: map[string]*fileImage{}}
	for _, d := range ds {
		o.tasks[d.uid] = d.seq
		e, _, err := s.readEntry(d.seq)
		if err != nil {
			if fsys.IsTransient(err) {
				return err
			}
			continue // Doctor says what is wrong with it
		}
		for _, f := range filesOf(e, d.uid) {
			if before := o.files[f.Path]; before != nil {
				f.Was = before.Was
			}
			o.files[f.Path] = f
		}
	}
	s.owed.Store(o)
	return nil
}

// filesOf are the files that an entry writes of one task.
func filesOf(e *entry, uid model.UID) []*fileImage {
	var files []*fileImage
	for i := range e.Files {
		f := e.Files[i]
		if of, _, ok := layout.TaskOf(f.Path); ok && of == uid && !f.Edited && f.Hash != "" {
			files = append(files, &f)
		}
	}
	return files
}

func (o *owed) of(uid model.UID) (seq uint64, ok bool) {
	if o == nil {
		return 0, false
	}
	seq, ok = o.tasks[uid]
	return seq, ok
}

// needs says whether an entry is owed.
func (o *owed) needs(seq uint64) bool {
	if o == nil {
		return false
	}
	for _, n := range o.tasks {
		if n == seq {
			return true
		}
	}
	return false
}

func (o *owed) images() map[string]*fileImage {
	if o == nil {
		return nil
	}
	return o.files
}

// readTask reads a task through what it is owed. An error is one of this moment.
func (s *Store) readTask(tasks fsys.Dir, uid model.UID, over images) (*model.Task, error) {
	return s.readTaskUnless(tasks, uid, over, fsys.IsTransient)
}

// readTaskUnless is readTask where other errors are no problem of the task but end it.
func (s *Store) readTaskUnless(tasks fsys.Dir, uid model.UID, over images, ends func(error) bool) (*model.Task, error) {
	o := s.owed.Load()
	if _, ok := o.of(uid); !ok {
		return readTaskUnless(tasks, uid, over, ends)
	}
	all := images{}
	for name, f := range o.files {
		of, rest, _ := layout.TaskOf(name)
		if of != uid || !readByLoad(rest) {
			continue
		}
		if now, err := s.hashOf(name); err == nil && now == f.Was || errors.Is(err, fs.ErrPermission) {
			body, err := s.bodyOf(f)
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
		all = nil // somebody took it away
	}
	t, err := readTaskUnless(tasks, uid, all.orNil(), ends)
	if err != nil || t == nil {
		return nil, err
	}
	return s.withDebt(t), nil
}

// withDebt is a task with what is to be said of files that it is owed.
func (s *Store) withDebt(t *model.Task) *model.Task {
	seq, ok := s.owed.Load().of(t.UID)
	if !ok || slices.ContainsFunc(t.Problems, isOwed) {
		return t
	}
	t = t.Clone()
	t.Problems = append(t.Problems, model.Problem{
		UID: t.UID, Path: layout.Shown(layout.TaskDir(t.UID)), Severity: model.Warning, Code: codeOwed,
		Reason: fmt.Sprintf("refused to be written when entry %d of the log was committed; what you see is from the log", seq),
		Hint:   "give yourself the permission to write there: the next command writes the files",
	})
	return t
}

func isOwed(p model.Problem) bool { return p.Code == codeOwed }

// refuses says whether an error is that the directory of the task that a file is of cannot be
// written: then nothing more of that task is.
func (p *projection) refuses(name string, err error) bool {
	uid, _, ok := layout.TaskOf(name)
	if err == nil || !ok || fsys.Missing(err) || !fsys.IsAboutFile(err) || errors.Is(err, errOvertaken) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused == nil {
		p.refused = map[model.UID]bool{}
	}
	p.refused[uid] = true
	return true
}

// drop removes a temporary file that is not needed.
func (p *projection) drop(tmp string) {
	if tmp != "" {
		_ = p.s.fs.Remove(tmp) // best effort; Doctor reports what is left
	}
}

// owe remembers that an entry is not written to the files of some tasks, durably.
func (s *Store) owe(seq uint64, uids []model.UID) error {
	if len(uids) == 0 {
		return nil
	}
	switch err := s.fs.Mkdir(owedDir); {
	case err == nil:
		if err := s.syncDir(layout.LogDir); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	for _, uid := range uids {
		if err := s.writeNew(debt{seq, uid}.file(), nil); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := s.syncDir(owedDir); err != nil {
		return err
	}
	return s.lookAtDebts()
}

// payDebts writes what is owed as far as it can be written now, under the lock. last is the
// last entry.
func (s *Store) payDebts(last uint64) (paid []model.UID, warnings []string, err error) {
	if err := s.owedUsable(); err != nil {
		return nil, nil, err
	}
	paid, warnings, err = s.writeMissed(last)
	if err != nil {
		return paid, warnings, err
	}
	ds, err := s.debts()
	if err != nil || len(ds) == 0 && s.owed.Load() == nil {
		return paid, warnings, err
	}
	stuck := map[model.UID]bool{}
	for _, d := range ds {
		if stuck[d.uid] {
			continue // in the order of the log
		}
		done, more, err := s.pay(d, last)
		warnings = append(warnings, more...)
		if err != nil {
			return paid, warnings, err
		}
		if !done {
			stuck[d.uid] = true
			continue
		}
		if err := removed(s.fs.Remove(d.file())); err != nil {
			return paid, warnings, err
		}
		paid = append(paid, d.uid)
	}
	if len(paid) > 0 {
		// Best effort: one that a power cut brings back is paid, or out of date.
		_ = s.syncDir(owedDir)
	}
	return paid, warnings, s.lookAtDebts()
}

func (s *Store) pay(d debt, last uint64) (done bool, warnings []string, err error) {
	e, _, err := s.readEntry(d.seq)
	if err != nil {
		if fsys.IsTransient(err) {
			return false, nil, err
		}
		return fsys.Missing(err) && s.wasCompacted(d.seq), nil, nil
	}
	files := filesOf(e, d.uid)
	if s.anyUnwritable(files) != nil {
		return false, nil, nil
	}
	for seq := d.seq + 1; seq <= last; seq++ {
		newer, _, err := s.readEntry(seq)
		if err != nil {
			return false, nil, err
		}
		if slices.ContainsFunc(newer.Files, func(f fileImage) bool { uid, _, _ := layout.TaskOf(f.Path); return uid == d.uid }) {
			return true, nil, nil // also that it was taken away
		}
	}
	if _, err := s.fs.Stat(layout.TaskDir(d.uid)); err != nil {
		return false, nil, removed(err) // it may be back
	}
	todo, err := s.differing(files)
	if err != nil {
		return false, nil, err
	}
	if todo, err = s.notEdited(todo); err != nil {
		return false, nil, err
	}
	warnings, refused, err := s.project(last, todo)
	if err != nil || len(refused) > 0 {
		return false, warnings, err
	}
	dirs := map[string]bool{}
	for _, f := range files {
		addAbove(dirs, f.Path) // whoever began to pay may have been killed
	}
	return true, warnings, s.syncDirs(dirs)
}

// unwritableError says which directory cannot be written to, and why.
type unwritableError struct {
	dir string
	err error
}

// notEdited leaves out of files those of a task's own that somebody has written or removed
// since the entry was committed. The log has what they owe; what they hold is an edit, to be
// taken over like any other.
func (s *Store) notEdited(files []*fileImage) (out []*fileImage, err error) {
	for _, f := range files {
		_, rest, _ := layout.TaskOf(f.Path)
		now, err := s.hashOf(f.Path)
		if err != nil && !fsys.IsAboutFile(err) {
			return nil, err
		}
		if !readByLoad(rest) || err != nil || now == f.Was {
			out = append(out, f)
		}
	}
	return out, nil
}

// anyUnwritable is why one of files could not be written; nil when all can be.
func (s *Store) anyUnwritable(files []*fileImage) *unwritableError {
	var dirs []string
	asked := map[string]bool{}
	for _, f := range files {
		if dir := path.Dir(f.Path); !asked[dir] {
			asked[dir] = true
			dirs = append(dirs, dir)
		}
	}
	refused := make([]*unwritableError, len(dirs))
	_ = someAtOnce(len(dirs) > s.many, len(dirs), func(i int) error {
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

// stillOwed is the error of a transaction that is committed, but not written to the files of
// tasks; nil when it is.
func (s *Store) stillOwed(seq uint64, op *model.Op) error {
	o := s.owed.Load()
	if o == nil {
		return nil
	}
	for _, uid := range slices.Sorted(maps.Keys(o.tasks)) {
		if o.tasks[uid] == seq {
			f := fail(model.CodeNotDurable, guardWritable, op, nil, "give yourself the permission to write there: the next command writes the files",
				"it is applied as entry %d, but %s refuses to be written", seq, layout.Shown(layout.TaskDir(uid)))
			f.Refusal.UID = uid
			return f
		}
	}
	return nil
}
