package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"vespe/model"
	"vespe/store"
)

// feedObject is an event that is not told as part of its task's history.
type feedObject struct {
	UID string `json:"uid"`
	eventObject
}

func feedOf(e model.Event) feedObject { return feedObject{string(e.UID), eventOf(e)} }

// feed prints what happened in the whole store lately, and with follow what happens from
// then on, until it is interrupted.
func (a *app) feed(ctx context.Context, limit int, follow bool) error {
	if limit < 1 {
		return usagef("--limit is %d; it must be 1 or more", limit)
	}
	s, err := a.open()
	if err != nil {
		return err
	}
	events, at, err := s.Events(ctx, 0, limit)
	if err != nil {
		return err
	}
	if follow {
		return a.follow(ctx, s, events, at)
	}
	if a.json {
		out := make([]feedObject, len(events))
		for i, e := range events {
			out[i] = feedOf(e)
		}
		return writeJSON(a.Stdout, struct {
			Events []feedObject `json:"events"`
		}{out})
	}
	if len(events) == 0 {
		fmt.Fprintln(a.Stdout, "No history.")
	}
	a.printFeed(events)
	return nil
}

func (a *app) printFeed(events []model.Event) {
	for _, e := range events {
		fmt.Fprint(a.Stdout, pad(e.UID.Short(), 8)+"  ")
		a.printHistory([]model.Event{e})
	}
}

// printNews prints events for a reader that takes one line at a time.
func (a *app) printNews(events []model.Event) error {
	if !a.json {
		a.printFeed(events)
		return nil
	}
	for _, e := range events {
		b, err := json.Marshal(feedOf(e))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(a.Stdout, escapeHidden(string(b))); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) follow(ctx context.Context, s *store.Store, events []model.Event, at uint64) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	s.Follow(ctx, store.FollowOptions{LookOnly: true})
	for {
		if err := a.printNews(events); err != nil {
			return err
		}
		if err := a.out.Flush(); err != nil {
			return err
		}
		_, err := s.Wait(ctx, watchWait)
		if err == nil {
			events, at, err = s.Events(ctx, at, 0)
		}
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
