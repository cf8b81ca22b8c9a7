package history

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// Reader reads the event files of a task.
type Reader struct {
	Read     func(name string, limit int64) ([]byte, error)
	UID      model.UID
	Events   []model.Event
	Problems []model.Problem
}

// Files reads some files in a directory of the task. One that is no readable event is a problem.
func (h *Reader) Files(ctx context.Context, dir string, names []string) error {
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		file := layout.TaskFile(h.UID, dir+"/"+name)
		b, err := h.Read(file, layout.MaxJSON)
		if fsys.Missing(err) {
			continue
		}
		if err != nil {
			if fsys.IsTransient(err) {
				return err
			}
			h.Problems = append(h.Problems, Problem(h.UID, dir, name, err))
			continue
		}
		ev, more := model.DecodeEvent(layout.Shown(file), b)
		for _, p := range more {
			p.UID = h.UID
			h.Problems = append(h.Problems, p)
		}
		if model.HasError(more) {
			continue
		}
		ev.UID, ev.File = h.UID, name
		if dir == layout.MemoryDir {
			ev.File, ev.Seq = layout.MemoryDir+"/"+name, 0 // the log writes nothing there
		}
		h.Events = append(h.Events, ev)
	}
	return nil
}

func byTime(a, b model.Event) int {
	if c := a.At.Compare(b.At); c != 0 {
		return c
	}
	return strings.Compare(a.File, b.File)
}

// InOrder puts a task's events into the order of the log, and not only of their times:
// clocks go back. Events that it does not hold, those of older systems or of the log of another
// clone, go by their times.
func InOrder(log *txlog.Log, events []model.Event) ([]model.Event, error) {
	slices.SortStableFunc(events, byTime)
	last := uint64(0)
	for i := range events {
		if e := &events[i]; e.Seq > 0 && e.Seq < last {
			return mergeLogged(log, events)
		}
		last = max(last, events[i].Seq)
	}
	return events, nil
}

func mergeLogged(log *txlog.Log, events []model.Event) ([]model.Event, error) {
	var logged, others []model.Event
	for i := range events {
		ours, err := isLogged(log, &events[i])
		if err != nil {
			return nil, err
		}
		if ours {
			logged = append(logged, events[i])
		} else {
			others = append(others, events[i])
		}
	}
	slices.SortStableFunc(logged, func(a, b model.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	all := make([]model.Event, 0, len(events))
	for len(logged) > 0 && len(others) > 0 {
		from := &logged
		if byTime(others[0], logged[0]) < 0 {
			from = &others
		}
		all, *from = append(all, (*from)[0]), (*from)[1:]
	}
	return append(append(all, logged...), others...), nil
}

// isLogged says whether an event is in the entry of the log that it names.
func isLogged(log *txlog.Log, ev *model.Event) (bool, error) {
	if ev.Seq == 0 {
		return false, nil
	}
	name := layout.TaskFile(ev.UID, layout.PersistentDir+"/"+ev.File)
	e, _, err := log.ReadEntry(ev.Seq)
	if err != nil {
		if fsys.IsTransient(err) {
			return false, err
		}
		return false, nil // Verify says so
	}
	return slices.ContainsFunc(e.Files, func(f txlog.FileImage) bool { return f.Path == name && f.Immutable && !f.Edited }), nil
}

// Problem is that events of a task cannot be read.
func Problem(uid model.UID, dir, name string, err error) model.Problem {
	p := failure.OfFile(strings.TrimSuffix(layout.Shown(layout.TaskFile(uid, dir+"/"+name)), "/"), err)
	p.UID, p.Severity = uid, model.Warning
	return p
}

// NameFiles gives each event of a task the name of a file that is not taken, and that
// sorts after those of the same moment: a name that would not is moved on by
// milliseconds. taken are the names in the task's persistent/.
func NameFiles(events []*model.Event, taken []string) {
	stamps := make(map[string]bool, len(taken)+len(events))
	for _, name := range taken {
		stamps[eventStamp(name)] = true
	}
	for _, e := range events {
		at := *e
		name := model.EventFile(at)
		for stamps[eventStamp(name)] {
			at.At = at.At.Add(1e6) // a millisecond
			name = model.EventFile(at)
		}
		stamps[eventStamp(name)] = true
		e.File = name
	}
}

// eventStamp is the time in an event file's name, "YYYYMMDDhhmmss_mmm".
func eventStamp(name string) string { return name[:min(len(name), len("20060102150405_000"))] }
