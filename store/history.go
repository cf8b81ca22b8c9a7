package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// History is what happened to a task: every event file in its persistent/, those of older
// systems too, and the messages that the original wrote into its memory/, in the order of the log, and where it does not know them by time and then by
// file name. A file that is no readable event is a problem; the others are still there.
func (s *Store) History(ctx context.Context, uid model.UID) ([]model.Event, []model.Problem, error) {
	if err := s.checkTask(ctx, uid); err != nil {
		return nil, nil, err
	}
	v, err := s.view()
	if err != nil {
		return nil, nil, err
	}
	names, err := v.eventFiles(uid)
	if errors.Is(err, errNoTask) {
		return nil, nil, failure.New(model.CodeNotFound, failure.GuardStore, nil, nil, "`vespe ls` lists the tasks", "there is no task %s", uid)
	}
	if err != nil {
		if fsys.IsTransient(err) {
			return nil, nil, err
		}
		return nil, []model.Problem{eventProblem(uid, layout.PersistentDir, "", err)}, nil
	}
	h := historyReader{v: v, uid: uid}
	if err := h.read(ctx, layout.PersistentDir, names); err != nil {
		return nil, nil, err
	}
	if names, err = v.messages(uid); err != nil {
		return nil, nil, err
	}
	if err := h.read(ctx, layout.MemoryDir, names); err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(h.events, byTime)
	events, err := s.inOrder(h.events)
	return events, h.problems, err
}

// historyReader reads the event files of a task.
type historyReader struct {
	v        view
	uid      model.UID
	events   []model.Event
	problems []model.Problem
}

func (h *historyReader) read(ctx context.Context, dir string, names []string) error {
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		file := layout.TaskFile(h.uid, dir+"/"+name)
		b, err := h.v.readFile(file, layout.MaxJSON)
		if fsys.Missing(err) {
			continue
		}
		if err != nil {
			if fsys.IsTransient(err) {
				return err
			}
			h.problems = append(h.problems, eventProblem(h.uid, dir, name, err))
			continue
		}
		ev, more := model.DecodeEvent(layout.Shown(file), b)
		for _, p := range more {
			p.UID = h.uid
			h.problems = append(h.problems, p)
		}
		if failure.HasError(more) {
			continue
		}
		ev.UID, ev.File = h.uid, name
		if dir == layout.MemoryDir {
			ev.File, ev.Seq = layout.MemoryDir+"/"+name, 0 // the log writes nothing there
		}
		h.events = append(h.events, ev)
	}
	return nil
}

func byTime(a, b model.Event) int {
	if c := a.At.Compare(b.At); c != 0 {
		return c
	}
	return strings.Compare(a.File, b.File)
}

// inOrder puts a task's events, which are in the order of their times, into that of the log:
// clocks go back. Events that it does not hold, those of older systems or of the log of another
// clone, go by their times.
func (s *Store) inOrder(events []model.Event) ([]model.Event, error) {
	last := uint64(0)
	for i := range events {
		if e := &events[i]; e.Seq > 0 && e.Seq < last {
			return s.mergeLogged(events)
		}
		last = max(last, events[i].Seq)
	}
	return events, nil
}

func (s *Store) mergeLogged(events []model.Event) ([]model.Event, error) {
	var logged, others []model.Event
	for i := range events {
		ours, err := s.logged(&events[i])
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

// logged says whether an event is in the entry of the log that it names.
func (s *Store) logged(ev *model.Event) (bool, error) {
	if ev.Seq == 0 {
		return false, nil
	}
	name := layout.TaskFile(ev.UID, layout.PersistentDir+"/"+ev.File)
	e, _, err := s.log.ReadEntry(ev.Seq)
	if fsys.Missing(err) && s.log.WasCompacted(ev.Seq) {
		b, err := s.log.OpenBase()
		if err != nil {
			return false, err
		}
		images := map[string]txlog.LastImage{}
		if err := b.Paths.Into(images); err != nil {
			return false, err
		}
		_, ours := images[name]
		return ours, nil
	}
	if err != nil {
		if fsys.IsTransient(err) {
			return false, err
		}
		return false, nil // Verify says so
	}
	return slices.ContainsFunc(e.Files, func(f txlog.FileImage) bool { return f.Path == name && f.Immutable && !f.Edited }), nil
}

func eventProblem(uid model.UID, dir, name string, err error) model.Problem {
	p := failure.OfFile(strings.TrimSuffix(layout.Shown(layout.TaskFile(uid, dir+"/"+name)), "/"), err)
	p.UID, p.Severity = uid, model.Warning
	return p
}

// nameEvents gives each event of a task the name of a file that is not taken, and that
// sorts after those of the same moment: a name that would not is moved on by
// milliseconds. taken are the names in the task's persistent/.
func nameEvents(events []*model.Event, taken []string) {
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
