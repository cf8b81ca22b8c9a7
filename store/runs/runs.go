// Package runs keeps the files of attempts at tasks: what a worker was told, what it said, what it changed. They are no
// part of transactions, but for run.json.
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"

	"vespe/internal/lazyregexp"
	"vespe/model"
	"vespe/model/reflection"
	"vespe/model/runlog"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/gitfiles"
	"vespe/store/layout"
	"vespe/store/view"
)

const (
	// maxFile bounds a file that is written as a whole, and what one call reads, in bytes.
	maxFile = layout.MaxDocument
	// maxLog bounds a file that grows while a worker runs, in bytes.
	maxLog = 256 << 20
)

// fileName is what a file of a run may be called.
var fileName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// unrecorded are the files of runs that are too large, and too much of one machine, for git.
var unrecorded = []string{"stream.log", "stderr.log"}

// Files are the files of the runs of a store. It is safe for concurrent use.
type Files struct {
	disk     *durable.Files
	view     func() (view.View, error)
	writable func() error
	ignored  atomic.Bool // .gitignore has what it needs
}

// New is the files of runs on a disk. view is what is there now; writable says why nothing may be written.
func New(disk *durable.Files, view func() (view.View, error), writable func() error) *Files {
	return &Files{disk: disk, view: view, writable: writable}
}

// Ignored is what of runs is too large for git, and of one machine.
const Ignored = "tasks/*/persistent/runs/*/stream.log\ntasks/*/persistent/runs/*/stderr.log\ntasks/*/persistent/runs/*/.*\n"

// check is a run's file as a path below .vespe.
func (r *Files) check(ctx context.Context, uid model.UID, run, name string) (string, error) {
	if err := view.CheckTask(ctx, uid); err != nil {
		return "", err
	}
	path := layout.RunDir(uid, run) + "/" + name
	if !model.ValidRun(run) || !fileName.Get().MatchString(name) || layout.CheckTarget(path) != nil {
		return "", failure.New(model.CodeUsage, failure.GuardStore, nil, nil, "use letters, digits, `.`, `_` and `-`", "%q of %q isn't a file of a run", name, run)
	}
	return path, nil
}

// open is check for who is about to write, and makes the run's directory.
func (r *Files) open(ctx context.Context, uid model.UID, run, name string) (string, error) {
	path, err := r.check(ctx, uid, run, name)
	if err != nil {
		return "", err
	}
	if name == layout.RunFile {
		return "", failure.New(model.CodeUsage, failure.GuardStore, nil, nil, "start the run, or end it", "%s may only be written by transactions", layout.RunFile)
	}
	if err := r.writable(); err != nil {
		return "", err
	}
	if _, err := r.disk.FS.Stat(layout.TaskDir(uid)); fsys.Missing(err) {
		return "", failure.New(model.CodeNotFound, failure.GuardStore, nil, err, "`vespe ls` lists the tasks", "there is no task %s", uid)
	}
	for _, dir := range []string{layout.TaskFile(uid, layout.PersistentDir), layout.TaskFile(uid, layout.RunsDir), layout.RunDir(uid, run)} {
		if err := r.disk.FS.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	if slices.Contains(unrecorded, name) {
		return path, r.ignore()
	}
	return path, nil
}

// WriteRunFile writes a file of a run, in place of one that is there: readers see the one or the other.
// It is durable when this returns. run.json is none that can be written so. It is no transaction,
// and takes no lock.
func (r *Files) WriteRunFile(ctx context.Context, uid model.UID, run, name string, b []byte) error {
	path, err := r.open(ctx, uid, run, name)
	if err != nil {
		return err
	}
	if len(b) > maxFile {
		return &fsys.TooLargeError{Path: path, Size: int64(len(b)), Limit: maxFile}
	}
	if in, err := r.disk.FS.Stat(path); err == nil && in.Type != 0 {
		return &fsys.NotRegularError{Path: path, What: fsys.Describe(in.Type)}
	}
	// Beside its place and not in tmp/, which anyone who holds the lock cleans up.
	tmp := layout.RunDir(uid, run) + "/." + name + "-" + r.disk.Random(12)
	if err := r.disk.WriteFile(tmp, b, true); err != nil {
		return err
	}
	if err := r.disk.FS.Rename(tmp, path); err != nil {
		return errors.Join(err, durable.IgnoreMissing(r.disk.FS.Remove(tmp)))
	}
	return r.disk.SyncDir(layout.RunDir(uid, run))
}

// AppendRunFile opens a file of a run to write at its end; it is made when it is absent. Each Write is
// one append, so that writers of several processes do not tear each other's lines. A Write that would
// make the file larger than 256 MB writes nothing and gives a *TooLargeError. What was written is not
// durable before the system makes it so.
func (r *Files) AppendRunFile(ctx context.Context, uid model.UID, run, name string) (io.WriteCloser, error) {
	path, err := r.open(ctx, uid, run, name)
	if err != nil {
		return nil, err
	}
	f, size, err := r.disk.FS.Append(path)
	if err != nil {
		return nil, err
	}
	return &logFile{f: f, name: path, size: size}, nil
}

type logFile struct {
	f    fsys.File
	name string
	size int64 // as far as this writer knows
}

func (l *logFile) Write(b []byte) (int, error) {
	if l.size+int64(len(b)) > maxLog {
		return 0, &fsys.TooLargeError{Path: l.name, Size: l.size + int64(len(b)), Limit: maxLog}
	}
	n, err := l.f.Write(b)
	l.size += int64(n)
	return n, err
}

func (l *logFile) Close() error { return l.f.Close() }

// The files of a run whose hashes its report has.
const (
	patchFile    = "changes.patch"
	evidenceFile = "verify.json"
)

// ReadRunFile reads a part of a run's file and says how large the whole is, in bytes. A negative offset
// counts from the end, and stops at the beginning; at or beyond the end nothing is read. At most 32 MB are read at once. errors.Is finds
// model.ErrNoContent when there is no such file. A patch or evidence that is not what its run left is refused where it
// is read from its beginning.
func (r *Files) ReadRunFile(ctx context.Context, uid model.UID, run, name string, offset int64, limit int) (b []byte, size int64, err error) {
	path, err := r.check(ctx, uid, run, name)
	if err != nil {
		return nil, 0, err
	}
	limit = max(0, min(limit, maxFile))
	if name == layout.RunFile { // the log knows it before it is there
		v, err := r.view()
		if err != nil {
			return nil, 0, err
		}
		b, err := v.RunFile(uid, run)
		if err != nil {
			return nil, 0, err
		}
		from := fsys.ClampOffset(offset, int64(len(b)))
		return b[from:min(from+int64(limit), int64(len(b)))], int64(len(b)), nil
	}
	b, size, err = r.disk.FS.ReadPart(path, offset, limit)
	if fsys.Missing(err) {
		return nil, 0, model.ErrNoContent
	}
	if err == nil && offset == 0 {
		err = r.asLeft(uid, run, name, path, b, size)
	}
	if err != nil {
		return nil, 0, err
	}
	return b, size, nil
}

// asLeft refuses a patch or evidence of a run that is over and that is not what the run left: a person decides by
// what these say.
func (r *Files) asLeft(uid model.UID, run, name, path string, b []byte, size int64) error {
	if name != patchFile && name != evidenceFile {
		return nil
	}
	v, err := r.view()
	if err != nil {
		return err
	}
	body, err := v.RunFile(uid, run)
	if errors.Is(err, model.ErrNoContent) {
		return nil
	}
	if err != nil {
		return err
	}
	known, _ := model.DecodeRun(path, body)
	if known.Report == nil {
		return nil
	}
	want := known.Report.Patch
	if name == evidenceFile {
		want = known.Report.Evidence
	}
	if want == "" {
		return nil
	}
	if int64(len(b)) < size {
		if b, _, err = r.disk.FS.ReadPart(path, 0, maxFile); err != nil {
			return err
		}
	}
	if model.HashBytes(b) == want {
		return nil
	}
	return &model.Refusal{
		Code: model.CodeConflict, UID: uid, Guard: "run", Why: name + " of " + run + " has been changed since the run",
		Hint: "its commits have the changes: git diff " + known.Report.Base + " " + known.Report.Result,
	}
}

// Runs are the attempts at a task, the oldest first, one that is under way included. One whose run.json cannot
// be read is there by its id alone.
func (r *Files) Runs(ctx context.Context, uid model.UID) ([]model.Run, error) {
	if err := view.CheckTask(ctx, uid); err != nil {
		return nil, err
	}
	v, err := r.view()
	if err != nil {
		return nil, err
	}
	ids, err := v.RunIDs(uid)
	if err != nil {
		return nil, err
	}
	var runs []model.Run
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		run := model.Run{ID: id, Task: uid}
		b, err := v.RunFile(uid, id)
		switch {
		case err == nil:
			run, _ = model.DecodeRun(layout.TaskFile(uid, layout.RunsDir+"/"+id+"/"+layout.RunFile), b)
			run.ID = id // what the file calls it leads nowhere
		case errors.Is(err, model.ErrNoContent):
			continue // its files came before its start, which never did
		case fsys.IsTransient(err):
			return nil, err
		}
		runs = append(runs, run)
	}
	slices.SortStableFunc(runs, func(a, b model.Run) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.ID, b.ID))
	})
	return runs, nil
}

// ignore adds to .gitignore what older stores lack. A store without one is left so.
func (r *Files) ignore() error {
	if r.ignored.Load() {
		return nil
	}
	b, err := r.disk.FS.ReadFile(layout.IgnoreFile, layout.MaxJSON)
	if fsys.Missing(err) {
		r.ignored.Store(true)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", layout.Shown(layout.IgnoreFile), err)
	}
	if more := gitfiles.Missing(Ignored, b); len(more) > 0 {
		if err := gitfiles.Append(r.disk.FS, layout.IgnoreFile, b, more); err != nil {
			return err
		}
	}
	r.ignored.Store(true)
	return nil
}

// FailedChecks are the commands that failed in the verification of runs, by the run's id: of the runs of some
// reflections that did not come to an end as they should. What cannot be read is left out.
func (r *Files) FailedChecks(ctx context.Context, all []reflection.Line) (map[string][][]string, error) {
	out := map[string][][]string{}
	for i := range all {
		of := &all[i]
		if of.Kind != reflection.OfRun || of.Run == "" || of.Outcome == model.RunCompleted {
			continue
		}
		argvs, err := r.failedChecks(ctx, of.Task, of.Run)
		if err != nil && (ctx.Err() != nil || fsys.IsTransient(err)) {
			return nil, err
		}
		if len(argvs) > 0 {
			out[of.Run] = argvs
		}
	}
	return out, nil
}

// mostReport bounds a report that is read, in bytes.
const mostReport = 1 << 20

// failedChecks are the commands that failed in the verification of one run.
func (r *Files) failedChecks(ctx context.Context, uid model.UID, run string) ([][]string, error) {
	b, size, err := r.ReadRunFile(ctx, uid, run, "verify.json", 0, mostReport)
	if err != nil || size > int64(len(b)) {
		return nil, err
	}
	report, err := runlog.DecodeReport(b)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for _, c := range report.Checks {
		if c.Status == runlog.Fail && len(c.Argv) > 0 {
			out = append(out, c.Argv)
		}
	}
	return out, nil
}
