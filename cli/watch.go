package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vespe/store"
)

// watchWait is how long one wait for a change of the store lasts.
const watchWait = time.Minute

// watch prints a view again whenever it has become another, until it is interrupted: in
// place on a terminal, as one block after the other elsewhere, and with --json as one object
// a line. It writes nothing to the store.
func (a *app) watch(ctx context.Context, args []string, run viewFunc) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	s, err := a.open()
	if err != nil {
		return err
	}
	snap, err := s.Load(ctx, nil)
	if err != nil {
		return err
	}
	s.Follow(ctx, store.FollowOptions{LookOnly: true})
	var shown []byte
	for {
		var answer bytes.Buffer
		to := a.Stdout
		a.Stdout = &answer
		today, err := s.Today(ctx, snap, nil)
		if err == nil {
			_, err = run(ctx, s, today, args)
		}
		a.Stdout = to
		if err != nil {
			return err
		}
		if !bytes.Equal(answer.Bytes(), shown) {
			if err := a.showAgain(shown, answer.Bytes()); err != nil {
				return err
			}
			shown = answer.Bytes()
		}
		if _, err = s.Wait(ctx, watchWait); err == nil {
			snap, err = s.Refresh(ctx)
		}
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// showAgain puts an answer where the one before it was, or after it.
func (a *app) showAgain(before, now []byte) error {
	switch {
	case a.json:
		var line bytes.Buffer
		if err := json.Compact(&line, now); err != nil {
			return err
		}
		now = append(bytes.TrimSpace(line.Bytes()), '\n')
	case before == nil:
	case a.IsTerminal && !a.dumb():
		fmt.Fprintf(a.Stdout, "\x1b[%dA\x1b[J", bytes.Count(before, []byte("\n")))
	default:
		fmt.Fprintln(a.Stdout)
	}
	if _, err := a.Stdout.Write(now); err != nil {
		return err
	}
	return a.out.Flush()
}
