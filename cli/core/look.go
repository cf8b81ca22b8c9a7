package core

import (
	"bytes"
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

// Above wideStore tasks a view is answered from the store's checkpoint, and only what it
// prints is compared with the files; above wideAnswer tasks printed it is cheaper to look at
// all of them.
const (
	wideStore  = 2000
	wideAnswer = 500
)

// ViewFunc prints a view of a snapshot, and says which tasks it has printed.
type ViewFunc func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, args []string) (printed []model.UID, err error)

// View makes a verb of a view.
func (a *App) View(c *cobra.Command, run ViewFunc) *cobra.Command {
	var fresh bool
	c.Flags().BoolVar(&fresh, "fresh", false, "check every task's files first, even in a large store")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := a.Open()
		if err != nil {
			return err
		}
		return a.Look(cmd.Context(), s, fresh, args, run)
	}
	return c
}

// ViewTask makes a verb of a view of one task, which its argument names.
func (a *App) ViewTask(c *cobra.Command, run func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, i int) ([]model.UID, error)) *cobra.Command {
	c.Args, c.ValidArgsFunction = Between(1, 1), a.CompleteTask(1)
	return a.View(c, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		uid, err := snap.Find(args[0])
		if err != nil {
			return nil, err
		}
		i, _ := snap.Index(uid)
		return run(ctx, s, snap, i)
	})
}

// Look prints a view. What it prints is what the files say: in a large store the answer is
// made from memory, the tasks in it are read again, and if that shows another picture it is
// made again.
func (a *App) Look(ctx context.Context, s *store.Store, fresh bool, args []string, run ViewFunc) error {
	snap, sound, err := a.Snapshot(ctx, s, fresh)
	if err != nil {
		return err
	}
	var answer bytes.Buffer
	to := a.Stdout
	defer func() {
		a.Stdout = to
		a.PrintWarnings(StoreTrouble(snap))
	}()
	a.Stdout = &answer
	var seen []model.UID // all that was printed: what is not any more may be for what it is now
	shown := snap
	for tries := 0; ; tries++ {
		if sound {
			if shown, err = s.AllToday(ctx, snap); err != nil {
				return err
			}
		}
		before := bytes.Clone(answer.Bytes())
		answer.Reset()
		printed, err := run(ctx, s, shown, args)
		var refused *model.Refusal
		switch {
		case sound, err != nil && !errors.As(err, &refused):
			if _, werr := to.Write(answer.Bytes()); err == nil {
				err = werr
			}
			return err
		case err != nil, len(printed) > wideAnswer, tries > 3:
			// A task that was not found may be one that was renamed by hand.
			if snap, err = s.Load(ctx, nil); err != nil {
				return err
			}
			sound = true
			continue
		}
		seen = append(seen, printed...)
		now, err := s.Freshen(ctx, seen)
		if err != nil {
			return err
		}
		today, err := s.Today(ctx, now, seen)
		if err != nil {
			return err
		}
		if now == snap && (today == now && shown == snap || bytes.Equal(answer.Bytes(), before)) {
			_, err := to.Write(answer.Bytes())
			return err
		}
		snap, shown = now, today
	}
}

// StoreTrouble is what is wrong with the store as a whole, so that an answer may lack something.
func StoreTrouble(snap *snapshot.Snapshot) []string {
	var said []string
	if n := snapshot.Unmerged(snap); n > 0 {
		said = append(said, "git left conflicts in "+model.Plural(n, "file", "files")+" of the store; run `vespe store merge --continue`")
	}
	for _, p := range snap.StoreProblems() {
		if p.Severity == model.Error && p.UID == "" {
			where := p.Path
			if p.Line > 0 {
				where += ":" + strconv.Itoa(p.Line)
			}
			said = append(said, where+": "+p.Reason+"; see `vespe store doctor`")
		}
	}
	return said
}

// Snapshot is the store as far as a command needs it: sound says whether it was compared
// with every file.
func (a *App) Snapshot(ctx context.Context, s *store.Store, fresh bool) (snap *snapshot.Snapshot, sound bool, err error) {
	if !fresh {
		snap, ok, err := s.Warm(ctx)
		if err != nil {
			return nil, false, err
		}
		if ok && snap.Len() > wideStore {
			return snap, false, nil
		}
	}
	snap, err = s.Load(ctx, nil)
	return snap, err == nil, err
}
