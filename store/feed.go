package store

import (
	"context"
	"slices"
	"strings"

	"vespe/model"
)

// Events is what the log's entries after the one with that number say happened, the oldest
// first, and the number of the last entry that was read. With a limit it is the last ones
// only. Entries that are no longer kept are left out, as are events of older systems, which
// no entry tells of.
func (s *Store) Events(ctx context.Context, after uint64, limit int) ([]model.Event, uint64, error) {
	head, err := s.Head(ctx)
	if err != nil {
		return nil, after, err
	}
	var found []model.Event // the latest first
	for seq := head; seq > after && (limit <= 0 || len(found) < limit); seq-- {
		if err := ctx.Err(); err != nil {
			return nil, after, err
		}
		e, _, err := s.readEntry(seq)
		if missing(err) {
			break // it and those before it are no longer kept
		}
		if err != nil {
			return nil, after, err
		}
		events, err := s.eventsOf(e)
		if err != nil {
			return nil, after, err
		}
		slices.Reverse(events)
		found = append(found, events...)
	}
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	slices.Reverse(found)
	return found, max(head, after), nil
}

// eventsOf are the events that an entry wrote, in its order.
func (s *Store) eventsOf(e *entry) ([]model.Event, error) {
	var events []model.Event
	for i := range e.Files {
		f := &e.Files[i]
		rest, ok := strings.CutPrefix(f.Path, "tasks/")
		uid, rest, _ := strings.Cut(rest, "/")
		name, in := strings.CutPrefix(rest, persistentDir+"/")
		if !ok || !in || !f.Immutable || f.Edited || strings.Contains(name, "/") || !strings.HasSuffix(name, ".json") {
			continue
		}
		body, err := s.bodyOf(f)
		if err != nil {
			return nil, err
		}
		ev, problems := model.DecodeEvent(shown(f.Path), body)
		if hasError(problems) {
			continue // Doctor says so
		}
		ev.UID, ev.File = model.UID(uid), name
		events = append(events, ev)
	}
	return events, nil
}
