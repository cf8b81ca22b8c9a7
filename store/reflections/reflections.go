// Package reflections writes and reads reflections/: what entries of the log say of runs and verdicts, a line each.
package reflections

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/reflection"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

const (
	// Dir is the directory, below .vespe.
	Dir = "reflections"

	ext       = ".jsonl"
	dayLayout = "2006-01-02"
	maxFile   = 64 << 20 // bytes
)

// Book is the reflections of one store. Only one goroutine may write at a time, as the lock has it.
type Book struct {
	Disk *durable.Files
	Log  *txlog.Log

	day string // the directory whose name is known to be durable
}

// fileOf is the file of lines of one entry: in a directory for the day, named by the time and by what
// they say.
func fileOf(lines []reflection.Line) string {
	at := lines[0].At.UTC()
	hash := strings.TrimPrefix(model.HashBytes(encode(lines)), layout.HashPrefix)
	return fmt.Sprintf("%s/%s/%s_%03d-%.16s%s", Dir, at.Format(dayLayout), at.Format("150405"), at.Nanosecond()/1e6, hash, ext)
}

func sameDay(a, b *reflection.Line) bool {
	return a.At.UTC().Format(dayLayout) == b.At.UTC().Format(dayLayout)
}

// Write writes what an entry says of runs and verdicts to reflections/, under the lock and before the
// entry counts as projected: after a crash the next to write does it again, to a file of the same name. It is
// not worth a transaction: what goes wrong is a warning.
func (b *Book) Write(e *txlog.Entry) (warnings []string) {
	lines, err := b.Of(e)
	for at := 0; at < len(lines) && err == nil; {
		end := at + 1
		for end < len(lines) && sameDay(&lines[at], &lines[end]) {
			end++
		}
		err, at = b.write(lines[at:end]), end
	}
	if err != nil {
		return []string{fmt.Sprintf("it is not in %s: %v", layout.Shown(Dir), err)}
	}
	return nil
}

// Of is the lines that an entry stands for. An entry of which none come costs a look at the
// names of its files.
func (b *Book) Of(e *txlog.Entry) ([]reflection.Line, error) {
	var lines []reflection.Line
	names := map[model.UID]string{}
	talks := reviewsIn(e)
	for i := range e.Files {
		f := &e.Files[i]
		uid, rest, ok := layout.TaskOf(f.Path)
		if !ok || f.Edited || f.Hash == "" || !strings.HasPrefix(rest, layout.PersistentDir+"/") {
			continue
		}
		var line reflection.Line
		var err error
		switch {
		case layout.IsEventFile(rest) && f.Immutable:
			line, ok, err = b.onEvent(e, uid, f, talks[uid])
		case strings.HasPrefix(rest, layout.RunsDir+"/") && path.Base(rest) == layout.RunFile:
			line, ok, err = b.onRun(e, uid, f)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if _, known := names[uid]; !known {
			names[uid] = b.nameOf(uid)
		}
		line.Name = names[uid]
		lines = append(lines, line)
	}
	return lines, nil
}

// reviewsIn are the reviews of plans that an entry writes, by their tasks. They are found once: an import
// has verdicts on as many tasks as it brings.
func reviewsIn(e *txlog.Entry) map[model.UID][]*txlog.FileImage {
	out := map[model.UID][]*txlog.FileImage{}
	for i := range e.Files {
		f := &e.Files[i]
		if uid, rest, ok := layout.TaskOf(f.Path); ok && !f.Edited && strings.HasPrefix(rest, layout.ReviewsDir+"/plan-") {
			out[uid] = append(out[uid], f)
		}
	}
	return out
}

func (b *Book) onEvent(e *txlog.Entry, uid model.UID, f *txlog.FileImage, talks []*txlog.FileImage) (reflection.Line, bool, error) {
	_, name, _ := model.ParseEventFile(path.Base(f.Path))
	if row, ok := lifecycle.Lookup(name); !ok || !row.Verdict && name != model.UndoVerdict {
		return reflection.Line{}, false, nil
	}
	body, err := b.Log.BodyOf(f)
	if err != nil {
		return reflection.Line{}, false, err
	}
	ev, problems := model.DecodeEvent(layout.Shown(f.Path), body)
	if model.HasError(problems) {
		return reflection.Line{}, false, nil
	}
	ev.UID, ev.Seq = uid, e.Seq
	var talk *model.ReviewFile
	for _, g := range talks {
		if body, err := b.Log.BodyOf(g); err == nil {
			talk, _ = model.DecodeReviewFile(body) // it only counts
		}
	}
	line, ok := reflection.On(&ev, talk)
	return line, ok, nil
}

func (b *Book) onRun(e *txlog.Entry, uid model.UID, f *txlog.FileImage) (reflection.Line, bool, error) {
	body, err := b.Log.BodyOf(f)
	if err != nil {
		return reflection.Line{}, false, err
	}
	run, _ := model.DecodeRun(f.Path, body)
	run.Task, run.ID = uid, path.Base(path.Dir(f.Path))
	op := e.OpID
	for i := range e.Ops { // of several in one entry, the one on this task
		if e.Ops[i].UID == uid {
			op = e.Ops[i].ID
		}
	}
	line, ok := reflection.OnRun(&run, e.Seq, op)
	if ok && line.Why == "" {
		line.Why = b.whyEnded(e, uid)
	}
	return line, ok, nil
}

// whyEnded is the reason that an entry's events on a task give, for a run of which nobody reported more.
func (b *Book) whyEnded(e *txlog.Entry, uid model.UID) string {
	for i := range e.Files {
		f := &e.Files[i]
		of, rest, ok := layout.TaskOf(f.Path)
		if !ok || of != uid || !f.Immutable || f.Edited || !layout.IsEventFile(rest) {
			continue
		}
		_, name, _ := model.ParseEventFile(path.Base(rest))
		switch name {
		case model.RaiseError, model.StopRun, model.Replan, model.Abort:
		default:
			continue
		}
		if body, err := b.Log.BodyOf(f); err == nil {
			ev, _ := model.DecodeEvent(layout.Shown(f.Path), body)
			return reflection.Words(ev.Reason)
		}
	}
	return ""
}

// nameOf is what a task is called in its file; "" where that cannot be read.
func (b *Book) nameOf(uid model.UID) string {
	body, err := b.Disk.FS.ReadFile(layout.TaskFile(uid, layout.ConfigFile), layout.MaxJSON)
	if err != nil {
		return ""
	}
	c, _ := model.DecodeConfig(layout.Shown(layout.TaskFile(uid, layout.ConfigFile)), body)
	return c.Name
}

// write writes the lines of one entry and day, to a file of their own: clones never write to one
// file, and git merges them without being told how.
func (b *Book) write(lines []reflection.Line) error {
	name := fileOf(lines)
	dir := path.Dir(name)
	for _, d := range []string{Dir, dir} {
		if b.day == dir {
			break
		}
		if err := b.Disk.FS.Mkdir(d); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		// Who made it may have been killed before its name was durable.
		if err := b.Disk.SyncDir(path.Dir(d)); err != nil {
			return err
		}
	}
	b.day = dir
	if err := b.Disk.WriteNew(name, encode(lines)); err != nil && !errors.Is(err, fs.ErrExist) {
		b.day = "" // somebody may have removed it
		return err
	}
	return b.Disk.SyncDir(dir)
}

func encode(lines []reflection.Line) (body []byte) {
	for i := range lines {
		body = lines[i].Append(body)
	}
	return body
}

// Read is the lines of reflections/ since a time, the oldest first; older versions wrote one file a day. Lines that
// are none, and files that cannot be read, are problems and hide no other.
func (b *Book) Read(ctx context.Context, since time.Time) ([]reflection.Line, []model.Problem, error) {
	es, err := fsys.List(b.Disk.FS, Dir)
	if fsys.Missing(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	r := reader{b: b, ctx: ctx, seen: map[key]bool{}}
	for _, e := range es { // by name, which is by day
		day, err := time.Parse(dayLayout, strings.TrimSuffix(e.Name, ext))
		if err != nil || day.AddDate(0, 0, 1).Before(since) {
			continue
		}
		name := Dir + "/" + e.Name
		if strings.HasSuffix(e.Name, ext) {
			err = r.file(name)
		} else {
			err = r.day(name)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	out := slices.DeleteFunc(r.out, func(r reflection.Line) bool { return r.At.Before(since) })
	slices.SortStableFunc(out, func(a, b reflection.Line) int { return a.At.Compare(b.At) })
	return out, r.problems, nil
}

// reader gathers lines. The same twice counts once: where locks do not work, or in two clones, two may
// have written it.
type reader struct {
	b        *Book
	ctx      context.Context //nolint:containedctx // it lives as long as one call of Read
	seen     map[key]bool
	out      []reflection.Line
	problems []model.Problem
}

type key struct {
	seq                      uint64 // where there is no operation
	op, kind, run, doc, word string
}

func keyOf(r *reflection.Line) key {
	k := key{r.Seq, r.Op, r.Kind, r.Run, string(r.Task), string(r.Verdict)}
	if r.Op != "" {
		k.seq = 0 // of the log of one clone
	}
	return k
}

// unread takes note of what cannot be read; an error that may pass is returned.
func (r *reader) unread(name string, err error) error {
	if err == nil || r.ctx.Err() != nil || fsys.IsTransient(err) {
		return err
	}
	p := failure.OfFile(layout.Shown(name), err)
	p.Severity = model.Warning
	r.problems = append(r.problems, p)
	return nil
}

// day reads the files of a day.
func (r *reader) day(name string) error {
	es, err := fsys.List(r.b.Disk.FS, name)
	if err != nil {
		return r.unread(name, err)
	}
	for _, e := range es {
		if strings.HasSuffix(e.Name, ext) && !strings.Contains(e.Name, layout.TheirsMark) {
			if err := r.file(name + "/" + e.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// file reads a file.
func (r *reader) file(name string) error { return r.unread(name, r.lines(name)) }

// take takes a line.
func (r *reader) take(l []byte) error {
	if len(bytes.TrimSpace(l)) == 0 {
		return nil
	}
	line, err := reflection.Parse(l)
	if err != nil {
		return err
	}
	if k := keyOf(&line); !r.seen[k] {
		r.seen[k] = true
		r.out = append(r.out, line)
	}
	return nil
}

// lines are those of one file.
func (r *reader) lines(name string) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	b, err := r.b.Disk.FS.ReadFile(name, maxFile)
	if err != nil {
		return err
	}
	n, bad := 0, false
	for l := range bytes.Lines(b) {
		n++
		if err := r.take(l); err != nil && !bad {
			bad = true
			r.problems = append(r.problems, model.Problem{
				Path: layout.Shown(name), Line: n, Severity: model.Warning, Code: "bad-line", Reason: err.Error(),
				Hint: "repair or remove the line; vespe reads the others",
			})
		}
	}
	return nil
}
