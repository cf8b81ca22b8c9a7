package look

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/history"
	"vespe/model/visible"
	"vespe/store"
	"vespe/store/follow"
)

// feedObject is an event with its task.
type feedObject struct {
	UID string `json:"uid"`
	core.EventObject
}

// followWait is how long one wait for a change of the store lasts.
const followWait = time.Minute

const feedLimit = 20 // events of the whole store, when nobody says how many

// feed prints what happened in the whole store, the newest first, and with follow what happens from then on, until it is
// interrupted.
func (a *app) feed(ctx context.Context, o historyOptions) error {
	if o.limit == 0 && len(o.since)+len(o.until) == 0 {
		o.limit = feedLimit
	}
	s, err := a.Open()
	if err != nil {
		return err
	}
	read := o.limit
	if len(o.by)+len(o.since)+len(o.until) > 0 {
		read = 0
	}
	f, err := s.Events(ctx, 0, read)
	if err != nil {
		return err
	}
	f.Events = o.chosen(f.Events, o.limit)
	t := teller{a: a, ctx: ctx, s: s, o: o}
	core.WriteProblems(a.Stderr, f.Problems)
	if o.follow {
		return t.follow(f.Events, f.Head, "")
	}
	if a.JSON {
		return t.printAll(f.Events, f.Problems)
	}
	j, err := a.readJournal(ctx, s, false)
	if err != nil {
		return err
	}
	return a.printActivity(nil, j, j.Activity(history.Sieve{Actors: o.by}), o.when, o.limit)
}

// printAll prints events as one JSON object.
func (t *teller) printAll(events []model.Event, problems []model.Problem) error {
	out := make([]feedObject, len(events))
	for i := range events {
		out[i] = feedOf(&events[i])
	}
	return core.WriteJSON(t.a.Stdout, struct {
		Events   []feedObject         `json:"events"`
		Problems []core.ProblemObject `json:"problems,omitempty"`
	}{out, core.ProblemObjects(problems)})
}

func feedOf(e *model.Event) feedObject { return feedObject{string(e.UID), core.EventOf(*e)} }

// news prints events for a reader that takes one line, or one object on a line, at a time.
func (t *teller) news(events []model.Event, whose bool) error {
	for i := range events {
		if !t.a.JSON {
			t.print(&events[i], whose)
			continue
		}
		b, err := json.Marshal(feedOf(&events[i]))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(t.a.Stdout, visible.JSON(string(b))); err != nil {
			return err
		}
	}
	return nil
}

// follow prints events, and then those of the log's entries after at: of one task, or with
// no uid of all.
func (t *teller) follow(events []model.Event, at uint64, uid model.UID) error {
	ctx, stop := core.Interruptible(t.ctx)
	defer stop()
	t.s.Follow(ctx, follow.Options{LookOnly: true})
	for {
		if err := t.news(events, uid == ""); err != nil {
			return err
		}
		if err := t.a.Out.Flush(); err != nil {
			return err
		}
		_, err := t.s.Wait(ctx, followWait)
		if err == nil {
			var f store.Feed
			if f, err = t.s.Events(ctx, at, 0); err == nil {
				at = f.Head
				core.WriteProblems(t.a.Stderr, f.Problems)
			}
			events = t.o.chosen(f.Of(uid), 0)
		}
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
