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
)

const (
	reflectionsDir = "reflections"
	reflectionsExt = ".jsonl"
	dayLayout      = "2006-01-02"

	// tailRead is how much of the end of a file is looked at for lines that are there already, in bytes.
	tailRead = 64 << 10
	// maxLine is the longest line that is read, in bytes.
	maxLine = 1 << 20
)

func reflectionsFile(at time.Time) string {
	return reflectionsDir + "/" + at.UTC().Format(dayLayout) + reflectionsExt
}

// reflect appends what an entry says of runs and verdicts to reflections/, under the lock and before the
// entry counts as projected: after a crash the next to write does it again. Lines that are there are not written a
// second time, and one that was torn off is completed. It is not worth a transaction: what goes wrong is a
// warning, and this process tries again with the next.
func (s *Store) reflect(e *entry) (warnings []string) {
	lines, err := s.reflections(e)
	if err == nil && len(lines) == 0 && len(s.unreflected) == 0 {
		return nil
	}
	if err == nil {
		lines = append(slices.Clone(s.unreflected), lines...)
		s.unreflected = nil
		for at := 0; at < len(lines); {
			end := at + 1
			for end < len(lines) && reflectionsFile(lines[end].At) == reflectionsFile(lines[at].At) {
				end++
			}
			if err = s.appendReflections(lines[at:end]); err != nil {
				s.unreflected = append(s.unreflected, lines[at:min(len(lines), at+maxUnreflected)]...)
				break
			}
			at = end
		}
	}
	if err != nil {
		return []string{fmt.Sprintf("it is not in %s: %v", shown(reflectionsDir), err)}
	}
	return nil
}

// maxUnreflected bounds the lines that a process keeps because they could not be written.
const maxUnreflected = 1000

// reflections are the lines that an entry stands for. An entry of which none come costs a look at the
// names of its files.
func (s *Store) reflections(e *entry) ([]model.Reflection, error) {
	var lines []model.Reflection
	names := map[model.UID]string{}
	talks := reviewsIn(e)
	for i := range e.Files {
		f := &e.Files[i]
		uid, rest, ok := taskOf(f.Path)
		if !ok || f.Edited || f.Hash == "" || !strings.HasPrefix(rest, persistentDir+"/") {
			continue
		}
		var line model.Reflection
		var err error
		switch {
		case isEventFile(rest) && f.Immutable:
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
func reviewsIn(e *entry) map[model.UID][]*fileImage {
	out := map[model.UID][]*fileImage{}
	for i := range e.Files {
		f := &e.Files[i]
		if uid, rest, ok := taskOf(f.Path); ok && !f.Edited && strings.HasPrefix(rest, reviewsDir+"/plan-") {
			out[uid] = append(out[uid], f)
		}
	}
	return out
}

func (s *Store) reflectOn(e *entry, uid model.UID, f *fileImage, talks []*fileImage) (model.Reflection, bool, error) {
	_, name, _ := model.ParseEventFile(path.Base(f.Path))
	if row, ok := model.Lookup(name); !ok || !row.Verdict && name != model.UndoVerdict {
		return model.Reflection{}, false, nil
	}
	body, err := s.bodyOf(f)
	if err != nil {
		return model.Reflection{}, false, err
	}
	ev, problems := model.DecodeEvent(shown(f.Path), body)
	if hasError(problems) {
		return model.Reflection{}, false, nil
	}
	ev.UID, ev.Seq = uid, e.Seq
	var talk *model.ReviewFile
	for _, g := range talks {
		if body, err := s.bodyOf(g); err == nil {
			talk, _ = model.DecodeReviewFile(body) // it only counts
		}
	}
	line, ok := model.ReflectOn(&ev, talk)
	return line, ok, nil
}

func (s *Store) reflectOnRun(e *entry, uid model.UID, f *fileImage) (model.Reflection, bool, error) {
	body, err := s.bodyOf(f)
	if err != nil {
		return model.Reflection{}, false, err
	}
	run, _ := model.DecodeRun(f.Path, body)
	run.Task, run.ID = uid, path.Base(path.Dir(f.Path))
	op := e.OpID
	for i := range e.Ops { // of several in one entry, the one on this task
		if e.Ops[i].UID == uid {
			op = e.Ops[i].ID
		}
	}
	line, ok := model.ReflectOnRun(&run, e.Seq, op)
	if ok && line.Why == "" {
		line.Why = s.whyEnded(e, uid)
	}
	return line, ok, nil
}

// whyEnded is the reason that an entry's events on a task give, for a run of which nobody reported more.
func (s *Store) whyEnded(e *entry, uid model.UID) string {
	for i := range e.Files {
		f := &e.Files[i]
		of, rest, ok := taskOf(f.Path)
		if !ok || of != uid || !f.Immutable || f.Edited || !isEventFile(rest) {
			continue
		}
		_, name, _ := model.ParseEventFile(path.Base(rest))
		switch name {
		case model.RaiseError, model.StopRun, model.Replan, model.Abort:
		default:
			continue
		}
		if body, err := s.bodyOf(f); err == nil {
			ev, _ := model.DecodeEvent(shown(f.Path), body)
			return model.ReflectedWords(ev.Reason)
		}
	}
	return ""
}

// nameOf is what a task is called in its file; "" where that cannot be read.
func (s *Store) nameOf(uid model.UID) string {
	b, err := s.fs.ReadFile(taskFile(uid, configFile), maxJSON)
	if err != nil {
		return ""
	}
	c, _ := model.DecodeConfig(shown(taskFile(uid, configFile)), b)
	return c.Name
}

// appendReflections appends the lines of one day that are not there yet.
func (s *Store) appendReflections(lines []model.Reflection) error {
	name := reflectionsFile(lines[0].At)
	var all []byte
	for i := range lines {
		all = lines[i].Append(all)
	}
	there, _, err := s.fs.ReadPart(name, -int64(tailRead+2*len(all)), tailRead+2*len(all))
	fresh := missing(err)
	if err != nil && !fresh {
		return err
	}
	more := missingLines(there, lines)
	if len(more) == 0 {
		return nil
	}
	if fresh {
		if err := s.fs.Mkdir(reflectionsDir); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := s.syncDir("."); err != nil {
			return err
		}
	}
	f, _, err := s.fs.Append(name)
	if err != nil {
		return err
	}
	if _, err = f.Write(more); err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil || !fresh {
		return err
	}
	return s.syncDir(reflectionsDir)
}

// missingLines is what to append to a file that ends so, for it to have all lines. What is torn off at its
// end is completed where it is of one of them; else it stays, on a line of its own.
func missingLines(there []byte, lines []model.Reflection) (more []byte) {
	whole, torn := there, []byte(nil)
	if i := bytes.LastIndexByte(there, '\n'); i+1 < len(there) {
		whole, torn = there[:i+1], there[i+1:]
	}
	var known []model.Reflection
	for l := range bytes.Lines(whole) {
		if r, err := model.ParseReflection(l); err == nil {
			known = append(known, r)
		}
	}
	for i := range lines {
		if slices.ContainsFunc(known, func(r model.Reflection) bool { return r.Same(&lines[i]) }) {
			continue
		}
		line := lines[i].Append(nil)
		if len(torn) > 0 && bytes.HasPrefix(line, torn) {
			line, torn = line[len(torn):], nil
		} else if len(torn) > 0 {
			line, torn = append([]byte{'\n'}, line...), nil
		}
		more = append(more, line...)
	}
	return more
}

// Reflections are the lines of reflections/ since a time, the oldest first. Lines that are none, and files that
// cannot be read, are problems and hide no other.
func (s *Store) Reflections(ctx context.Context, since time.Time) ([]model.Reflection, []model.Problem, error) {
	es, err := s.entries(reflectionsDir)
	if missing(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var out []model.Reflection
	var problems []model.Problem
	for _, e := range es { // by name, which is by day
		day, err := time.Parse(dayLayout, strings.TrimSuffix(e.Name, reflectionsExt))
		if err != nil || !strings.HasSuffix(e.Name, reflectionsExt) || day.AddDate(0, 0, 1).Before(since) {
			continue
		}
		more, ps, err := s.reflectionsIn(ctx, reflectionsDir+"/"+e.Name)
		if err != nil {
			if ctx.Err() != nil || isTransient(err) {
				return nil, nil, err
			}
			p := fileProblem(shown(reflectionsDir+"/"+e.Name), err)
			p.Severity = model.Warning
			ps = append(ps, p)
		}
		problems = append(problems, ps...)
		out = append(out, more...)
	}
	out = slices.DeleteFunc(out, func(r model.Reflection) bool { return r.At.Before(since) })
	return out, problems, nil
}

// reflectionsIn are the lines of one file. The same twice counts once: where locks do not work, two may
// have written it.
func (s *Store) reflectionsIn(ctx context.Context, name string) (out []model.Reflection, problems []model.Problem, err error) {
	type key struct {
		seq                uint64
		op, kind, run, doc string
	}
	seen := map[key]bool{}
	var rest []byte
	n, bad := 0, 0
	line := func(l []byte) {
		n++
		if len(bytes.TrimSpace(l)) == 0 {
			return
		}
		r, err := model.ParseReflection(l)
		if err != nil {
			if bad++; bad == 1 {
				problems = append(problems, model.Problem{
					Path: shown(name), Line: n, Severity: model.Warning, Code: "bad-line", Reason: err.Error(),
					Hint: "repair the line, or remove it; the others are read",
				})
			}
			return
		}
		k := key{r.Seq, r.Op, r.Kind, r.Run, string(r.Task) + string(r.Verdict)}
		if !seen[k] {
			seen[k] = true
			out = append(out, r)
		}
	}
	for offset := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return out, problems, err
		}
		b, size, err := s.fs.ReadPart(name, offset, maxLine)
		if err != nil {
			return out, problems, err
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
	return out, problems, nil
}
