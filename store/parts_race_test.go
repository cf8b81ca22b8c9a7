package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/checkpoint"
	"vespe/store/follow"
	"vespe/store/layout"
)

// TestAllPartsAtOnce drives every part of one open store side by side, and another process beside it. The race
// detector watches. In the end nothing is wrong and no transaction is lost.
func TestAllPartsAtOnce(t *testing.T) {
	s := newStore(t)
	s.checkpoints.Least = 1
	uids := []model.UID{planned(t, s, "one"), planned(t, s, "two"), create(t, s, "three", "x\n")}
	other := open(t, s.Root(), Options{Now: newClock().now, Rand: entropy(2)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.Follow(ctx, follow.Options{})
	rounds := 8
	if testing.Short() {
		rounds = 3
	}
	var done sync.WaitGroup
	part := func(name string, act func(i int) error) {
		done.Go(func() {
			for i := range rounds {
				if err := act(i); err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
			}
		})
	}
	rename := func(by *Store, uid model.UID, name string) error {
		_, err := by.Do(ctx, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: name}})
		return err
	}
	snap := load(t, s)
	part("transactions", func(i int) error { return rename(s, uids[0], fmt.Sprint("a", i)) })
	part("another process", func(i int) error { return rename(other, uids[1], fmt.Sprint("b", i)) })
	part("an editor", func(i int) error {
		write(t, vespe(s, layout.TaskFile(uids[2], layout.DocFile(model.Objective))), fmt.Sprintf("edit %d\n", i))
		_, err := s.ImportEdits(ctx, uids[2:])
		return err
	})
	part("a load", func(int) error { _, err := s.Load(ctx, nil); return err })
	part("a look", func(int) error { _, err := s.Refresh(ctx); return err })
	part("a few tasks", func(int) error { _, err := s.Freshen(ctx, uids); return err })
	part("waiting", func(int) error { _, err := s.Wait(ctx, time.Millisecond); return err })
	part("checkpoint", func(int) error { // what is behind is left to the next
		if err := s.checkpoints.Write(ctx); err != nil && !errors.Is(err, checkpoint.ErrBehind) {
			return err
		}
		_, _, err := s.Warm(ctx)
		return err
	})
	part("history", func(int) error {
		_, err := s.Journal(ctx, nil, nil)
		_, feed := s.Events(ctx, 0, 0)
		_, past := s.Past().Present(ctx)
		return errors.Join(err, feed, past)
	})
	part("checks", func(int) error {
		_, err := s.Fsck().Doctor(ctx)
		_, audit := s.Fsck().Verify(ctx, "")
		return errors.Join(err, audit)
	})
	part("results", func(int) error {
		_, err := s.Outdated(ctx, uids)
		_, today := s.AllToday(ctx, snap)
		return errors.Join(err, today)
	})
	done.Wait()
	takeOver(t, s)
	now := load(t, open(t, s.Root(), testOptions()))
	for i, want := range []string{fmt.Sprint("a", rounds-1), fmt.Sprint("b", rounds-1)} {
		if got := task(t, now, uids[i]).Config.Name; got != want {
			t.Errorf("the name of task %d is %q, want %q", i, got, want)
		}
	}
	if v, err := s.Fsck().Verify(t.Context(), ""); err != nil || model.HasError(v.Problems) {
		t.Errorf("verify says %v, %v", v.Problems, err)
	}
}

// A transaction reads a snapshot again that another part of the process has dropped.
func TestTransactionsBesideAForgottenSnapshot(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	over := make(chan struct{})
	var dropping sync.WaitGroup
	dropping.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				s.loader.Drop()
				runtime.Gosched()
			}
		}
	})
	for i := range 20 {
		do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: fmt.Sprint("name ", i)}})
	}
	close(over)
	dropping.Wait()
	wantEqual(t, "the name", task(t, load(t, s), uid).Config.Name, "name 19")
}
