package store

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
	"vespe/model/reflection"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

const (
	reflectionsDir = "reflections"
	reflectionsExt = ".jsonl"
	dayLayout      = "2006-01-02"

	// maxLine is the longest line that is read, in bytes.
	maxLine = 1 << 20
)

// reflectionsFile is the file of lines of one entry: in a directory for the day, named by the time and by what
// they say.
func reflectionsFile(lines []reflection.Line) string {
	at := lines[0].At.UTC()
	hash := strings.TrimPrefix(model.HashBytes(reflectionLines(lines)), layout.HashPrefix)
	return fmt.Sprintf("%s/%s/%s_%03d-%.16s%s", reflectionsDir, at.Format(dayLayout), at.Format("150405"), at.Nanosecond()/1e6, hash, reflectionsExt)
}

func sameReflectionsFile(a, b *reflection.Line) bool {
	return a.Seq == b.Seq && a.At.UTC().Format(dayLayout) == b.At.UTC().Format(dayLayout)
}

// reflect writes what an entry says of runs and verdicts to reflections/, under the lock and before the
// entry counts as projected: after a crash the next to write does it again, to a file of the same name. It is
// not worth a transaction: what goes wrong is a warning, and this process tries again with the next.
func (s *Store) reflect(e *txlog.Entry) (warnings []string) {
	lines, err := s.reflections(e)
	if err == nil && len(lines) == 0 && len(s.unreflected) == 0 {
		return nil
	}
	if err == nil {
		lines = append(slices.Clone(s.unreflected), lines...)
		s.unreflected = nil
		for at := 0; at < len(lines); {
			end := at + 1
			for end < len(lines) && sameReflectionsFile(&lines[at], &lines[end]) {
				end++
			}
			if err = s.writeReflections(lines[at:end]); err != nil {
				s.unreflected = append(s.unreflected, lines[at:min(len(lines), at+maxUnreflected)]...)
				break
			}
			at = end
		}
	}
	if err != nil {
		return []string{fmt.Sprintf("it is not in %s: %v", layout.Shown(reflectionsDir), err)}
	}
	return nil
}

// maxUnreflected bounds the lines that a process keeps because they could not be written.
const maxUnreflected = 1000

// reflections are the lines that an entry stands for. An entry of which none come costs a look at the
// names of its files.
func (s *Store) reflections(e *txlog.Entry) ([]reflection.Line, error) {
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
			line, ok, err = s.reflectOn(e, uid, f, talks[uid])
		case strings.HasPrefix(rest, runsDir+"/") && path.Base(rest) == runFile:
			line, ok, err = s.reflectOnRun(e, uid, f)
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
			names[uid] = s.nameOf(uid)
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

func (s *Store) reflectOn(e *txlog.Entry, uid model.UID, f *txlog.FileImage, talks []*txlog.FileImage) (reflection.Line, bool, error) {
	_, name, _ := model.ParseEventFile(path.Base(f.Path))
	if row, ok := model.Lookup(name); !ok || !row.Verdict && name != model.UndoVerdict {
		return reflection.Line{}, false, nil
	}
	body, err := s.log.BodyOf(f)
	if err != nil {
		return reflection.Line{}, false, err
	}
	ev, problems := model.DecodeEvent(layout.Shown(f.Path), body)
	if failure.HasError(problems) {
		return reflection.Line{}, false, nil
	}
	ev.UID, ev.Seq = uid, e.Seq
	var talk *model.ReviewFile
	for _, g := range talks {
		if body, err := s.log.BodyOf(g); err == nil {
			talk, _ = model.DecodeReviewFile(body) // it only counts
		}
	}
	line, ok := reflection.On(&ev, talk)
	return line, ok, nil
}

func (s *Store) reflectOnRun(e *txlog.Entry, uid model.UID, f *txlog.FileImage) (reflection.Line, bool, error) {
	body, err := s.log.BodyOf(f)
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
		line.Why = s.whyEnded(e, uid)
	}
	return line, ok, nil
}

// whyEnded is the reason that an entry's events on a task give, for a run of which nobody reported more.
func (s *Store) whyEnded(e *txlog.Entry, uid model.UID) string {
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
		if body, err := s.log.BodyOf(f); err == nil {
			ev, _ := model.DecodeEvent(layout.Shown(f.Path), body)
			return reflection.Words(ev.Reason)
		}
	}
	return ""
}

// nameOf is what a task is called in its file; "" where that cannot be read.
func (s *Store) nameOf(uid model.UID) string {
	b, err := s.fs.ReadFile(layout.TaskFile(uid, layout.ConfigFile), layout.MaxJSON)
	if err != nil {
		return ""
	}
	c, _ := model.DecodeConfig(layout.Shown(layout.TaskFile(uid, layout.ConfigFile)), b)
	return c.Name
}

// writeReflections writes the lines of one entry and day, to a file of their own: clones never write to one
// file, and git merges them without being told how.
func (s *Store) writeReflections(lines []reflection.Line) error {
	name := reflectionsFile(lines)
	dir := path.Dir(name)
	for _, d := range []string{reflectionsDir, dir} {
		if s.reflectedDay == dir {
			break
		}
		if err := s.fs.Mkdir(d); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		// Who made it may have been killed before its name was durable.
		if err := s.disk.SyncDir(path.Dir(d)); err != nil {
			return err
		}
	}
	s.reflectedDay = dir
	if err := s.disk.WriteNew(name, reflectionLines(lines)); err != nil && !errors.Is(err, fs.ErrExist) {
		s.reflectedDay = "" // somebody may have removed it
		return err
	}
	return s.disk.SyncDir(dir)
}

func reflectionLines(lines []reflection.Line) (body []byte) {
	for i := range lines {
		body = lines[i].Append(body)
	}
	return body
}

// Reflections are the lines of reflections/ since a time, the oldest first; older versions wrote one file a day. Lines that
// are none, and files that cannot be read, are problems and hide no other.
func (s *Store) Reflections(ctx context.Context, since time.Time) ([]reflection.Line, []model.Problem, error) {
	es, err := fsys.List(s.fs, reflectionsDir)
	if fsys.Missing(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	r := reflectionsReader{s: s, ctx: ctx, seen: map[reflectionKey]bool{}}
	for _, e := range es { // by name, which is by day
		day, err := time.Parse(dayLayout, strings.TrimSuffix(e.Name, reflectionsExt))
		if err != nil || day.AddDate(0, 0, 1).Before(since) {
			continue
		}
		name := reflectionsDir + "/" + e.Name
		if strings.HasSuffix(e.Name, reflectionsExt) {
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

// reflectionsReader gathers lines. The same twice counts once: where locks do not work, or in two clones, two may
// have written it.
type reflectionsReader struct {
	s        *Store
	ctx      context.Context //nolint:containedctx // it lives as long as one call of Reflections
	seen     map[reflectionKey]bool
	out      []reflection.Line
	problems []model.Problem
}

type reflectionKey struct {
	seq                      uint64 // where there is no operation
	op, kind, run, doc, word string
}

func keyOfReflection(r *reflection.Line) reflectionKey {
	k := reflectionKey{r.Seq, r.Op, r.Kind, r.Run, string(r.Task), string(r.Verdict)}
	if r.Op != "" {
		k.seq = 0 // of the log of one clone
	}
	return k
}

// unread takes note of what cannot be read; an error that may pass is returned.
func (r *reflectionsReader) unread(name string, err error) error {
	if err == nil || r.ctx.Err() != nil || fsys.IsTransient(err) {
		return err
	}
	p := failure.OfFile(layout.Shown(name), err)
	p.Severity = model.Warning
	r.problems = append(r.problems, p)
	return nil
}

// day reads the files of a day.
func (r *reflectionsReader) day(name string) error {
	es, err := fsys.List(r.s.fs, name)
	if err != nil {
		return r.unread(name, err)
	}
	for _, e := range es {
		if strings.HasSuffix(e.Name, reflectionsExt) && !strings.Contains(e.Name, layout.TheirsMark) {
			if err := r.file(name + "/" + e.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// file reads a file.
func (r *reflectionsReader) file(name string) error { return r.unread(name, r.lines(name)) }

// take takes a line.
func (r *reflectionsReader) take(l []byte) error {
	if len(bytes.TrimSpace(l)) == 0 {
		return nil
	}
	line, err := reflection.Parse(l)
	if err != nil {
		return err
	}
	if k := keyOfReflection(&line); !r.seen[k] {
		r.seen[k] = true
		r.out = append(r.out, line)
	}
	return nil
}

// lines are those of one file.
func (r *reflectionsReader) lines(name string) error {
	var rest []byte
	n, bad := 0, 0
	line := func(l []byte) {
		n++
		if err := r.take(l); err != nil {
			if bad++; bad == 1 {
				r.problems = append(r.problems, model.Problem{
					Path: layout.Shown(name), Line: n, Severity: model.Warning, Code: "bad-line", Reason: err.Error(),
					Hint: "repair the line, or remove it; the others are read",
				})
			}
		}
	}
	for offset := int64(0); ; {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		b, size, err := r.s.fs.ReadPart(name, offset, maxLine)
		if err != nil {
			return err
		}
		offset += int64(len(b))
		rest = append(rest, b...)
		for {
			i := bytes.IndexByte(rest, '\n')
			if i < 0 {
				break
			}
			line(rest[:i])
			rest = rest[i+1:]
		}
		if len(b) == 0 || offset >= size {
			break
		}
		if len(rest) > maxLine {
			rest = rest[:0] // nobody's line; what follows of it is none either
			bad++
		}
	}
	if len(rest) > 0 {
		line(rest)
	}
	return nil
}
