package look

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
	"vespe/store/follow"
)

// watchWait is how long one wait for a change of the store lasts.
const watchWait = time.Minute

// watch prints a view again whenever it has become another, until it is interrupted: in
// place on a terminal, as one block after the other elsewhere, and with --json as one object
// a line. It writes nothing to the store.
func (a *app) watch(ctx context.Context, args []string, run core.ViewFunc) error {
	ctx, stop := core.Interruptible(ctx)
	defer stop()
	s, snap, err := a.LoadFiles(ctx)
	if err != nil {
		return err
	}
	s.Follow(ctx, follow.Options{LookOnly: true})
	var shown []byte // the answer as a whole
	rows := -1       // of the terminal that it was put into; -1 before there is any
	for {
		answer, err := a.todays(ctx, s, snap, args, run)
		if err != nil {
			return err
		}
		if !bytes.Equal(answer, shown) {
			if rows, err = a.showAgain(rows, answer); err != nil {
				return err
			}
			shown = answer
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

// todays is a view of a snapshot, in which what it shows was compared with its documents.
func (a *app) todays(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, args []string, run core.ViewFunc) ([]byte, error) {
	to := a.Stdout
	defer func() { a.Stdout = to }()
	var seen []model.UID
	for today := snap; ; {
		var answer bytes.Buffer
		a.Stdout = &answer
		printed, err := run(ctx, s, today, args)
		if err != nil {
			return nil, err
		}
		before := len(seen)
		seen = append(seen, printed...)
		slices.Sort(seen)
		if seen = slices.Compact(seen); len(seen) == before {
			return answer.Bytes(), nil
		}
		if today, err = s.Today(ctx, snap, seen); err != nil {
			return nil, err
		}
		if today == snap {
			return answer.Bytes(), nil
		}
	}
}

// showAgain puts an answer where the one before it was, which took rows, or after it. It
// returns how many this one takes.
func (a *app) showAgain(rows int, now []byte) (int, error) {
	switch {
	case a.JSON:
		var line bytes.Buffer
		if err := json.Compact(&line, now); err != nil {
			return rows, err
		}
		now = append(bytes.TrimSpace(line.Bytes()), '\n')
	case a.IsTerminal && !a.Dumb():
		now = a.fitted(now)
		if rows > 0 {
			fmt.Fprintf(a.Stdout, "\x1b[%dA", rows)
		}
		if rows >= 0 {
			fmt.Fprint(a.Stdout, "\x1b[J")
		}
	case rows >= 0:
		fmt.Fprintln(a.Stdout)
	}
	if _, err := a.Stdout.Write(now); err != nil {
		return rows, err
	}
	return bytes.Count(now, []byte("\n")), a.Out.Flush()
}

// fitted cuts an answer to the terminal: only what is on the screen can be drawn over, and a
// line that is wrapped is more rows than one.
func (a *app) fitted(answer []byte) []byte {
	w, h := 0, 0
	if a.Size != nil {
		w, h = a.Size()
	}
	if w <= 0 || h <= 0 {
		return answer
	}
	lines := strings.Split(strings.TrimSuffix(string(answer), "\n"), "\n")
	if most := max(1, h-1); len(lines) > most { // the cursor is in the row after them
		lines = append(lines[:most-1], fmt.Sprintf("… %d more", len(lines)-most+1))
	}
	var out bytes.Buffer
	for _, l := range lines {
		out.WriteString(ansi.Truncate(l, w, "…"))
		out.WriteByte('\n')
	}
	return out.Bytes()
}
