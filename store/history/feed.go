// Package history reads what happened to tasks: from the entries of the log (Events), from the event files of a
// task (Reader), and of all tasks at once (Journals).
package history

import (
	"context"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// Feed is what a part of the log says happened.
type Feed struct {
	Events   []model.Event   // the oldest first
	Problems []model.Problem // entries that cannot be read: what they did is not among the events
	Head     uint64          // the last entry that was read
}

// Of are the events of one task; of all with no uid.
func (f *Feed) Of(uid model.UID) []model.Event {
	if uid == "" {
		return f.Events
	}
	return slices.DeleteFunc(slices.Clone(f.Events), func(e model.Event) bool { return e.UID != uid })
}

// Events is what the log's entries after the one with that number say happened. With a limit
// it is the last ones only. Events of older systems, which no entry tells of, are left out. An entry that cannot be read
// hides no other.
func (r *Journals) Events(ctx context.Context, after uint64, limit int) (Feed, error) {
	head, err := r.of.Head(ctx)
	if err != nil {
		return Feed{Head: max(head, after)}, err
	}
	return events(ctx, r.of.Log, head, after, limit)
}

// events is Events up to head.
func events(ctx context.Context, log *txlog.Log, head, after uint64, limit int) (Feed, error) {
	f := Feed{Head: max(head, after)}
	for seq := head; seq > after && (limit <= 0 || len(f.Events) < limit); seq-- { // the latest first
		if err := ctx.Err(); err != nil {
			return f, err
		}
		e, _, err := log.ReadEntry(seq)
		var events []model.Event
		if err == nil {
			events, err = eventsOf(log, e)
		}
		if err != nil {
			if fsys.IsTransient(err) {
				return f, err
			}
			f.Problems = append(f.Problems, EntryProblem(seq, err))
			continue
		}
		slices.Reverse(events)
		f.Events = append(f.Events, events...)
	}
	if limit > 0 && len(f.Events) > limit {
		f.Events = f.Events[:limit]
	}
	slices.Reverse(f.Events)
	return f, nil
}

// EntryProblem is what is wrong with an entry.
func EntryProblem(seq uint64, err error) model.Problem {
	p := failure.OfFile(layout.Shown(layout.EntryFile(seq)), err)
	p.Reason = strings.TrimPrefix(p.Reason, p.Path+": ")
	p.Hint = "`vespe store verify` shows what else is affected"
	if fsys.Missing(err) {
		p.Code, p.Reason = "log-broken", "is missing, so its events aren't shown"
		p.Hint = "restore it from a backup; " + p.Hint
	}
	return p
}

// ofNoTask are the operations of an entry on milestones, and on requests without a task, as events of no task: nothing
// but the entry tells of them.
func ofNoTask(e *txlog.Entry) (events []model.Event) {
	for i := range e.Ops {
		op := &e.Ops[i]
		switch op.Name {
		case model.CreateMilestone, model.EditMilestone, model.RemoveMilestone:
		case model.Ask, model.AnswerRequest, model.FetchAnswer, model.UndoVerdict:
			if len(e.Tasks) > 0 {
				continue // the task's event tells of it
			}
		default:
			continue
		}
		ev := model.Event{
			Name: op.Name, At: op.At, Actor: op.Actor, Channel: op.Channel, OpID: op.ID, Seq: e.Seq, Reason: op.Reason,
			Summary: strings.ReplaceAll(string(op.Name), "_", " ") + " " + op.Milestone,
		}
		if len(e.Ops) == 1 {
			ev.Summary = e.Summary
		}
		events = append(events, ev)
	}
	return events
}

// eventsOf are the events that an entry wrote, in its order.
func eventsOf(log *txlog.Log, e *txlog.Entry) ([]model.Event, error) {
	events := ofNoTask(e)
	for i := range e.Files {
		f := &e.Files[i]
		rest, ok := strings.CutPrefix(f.Path, "tasks/")
		uid, rest, _ := strings.Cut(rest, "/")
		name, in := strings.CutPrefix(rest, layout.PersistentDir+"/")
		if !ok || !in || !f.Immutable || f.Edited || strings.Contains(name, "/") || !strings.HasSuffix(name, ".json") {
			continue
		}
		body, err := log.BodyOf(f)
		if err != nil {
			return nil, err
		}
		ev, problems := model.DecodeEvent(layout.Shown(f.Path), body)
		if model.HasError(problems) {
			continue // Doctor says so
		}
		ev.UID, ev.File = model.UID(uid), name
		events = append(events, ev)
	}
	return events, nil
}
