package proc

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"
)

// reapPause is how often it is looked whether a guard has ended.
const reapPause = 5 * time.Millisecond

// Reap ends whatever still lives of a run whose starter is gone: the guard, which it waits for, the group
// of the program, and processes of this user with the run in their environment, but none that this process
// is a child of. It returns how the program ended if its guard could still say that; otherwise the Exit is
// that of a program that is Lost. To do it again changes nothing. The end of ctx ends the waiting for a
// guard, and is then the error.
func Reap(ctx context.Context, state, run string) (Exit, bool, error) {
	lost := Exit{Code: -1, Why: Lost}
	lock, err := awaitGuard(ctx, state, run)
	switch {
	case errors.Is(err, fs.ErrNotExist): // nothing was started, as far as anybody has noted
	case err != nil:
		return lost, false, err
	default:
		defer lock.Close()
	}
	r, ok, err := readRecord(state, run)
	if err != nil || !ok || r.Machine != machine() {
		r.Worker = process{} // its numbers say nothing
	}
	// One that is ending has lost its environment before its files and locks, so what was found counts until it has ended.
	found := map[process]bool{}
	left := func() []process {
		maps.DeleteFunc(found, func(p process, _ bool) bool { return !lives(p) })
		for _, p := range append(r.group(), marked(run)...) {
			found[p] = true
		}
		return slices.Collect(maps.Keys(found))
	}
	s := sweeper{
		grace: min(time.Duration(r.Grace), leftover),
		left:  left,
		empty: func() bool { return len(left()) == 0 },
		kill: func() {
			if len(r.group()) > 0 { // as long as one of ours is in it, its number is that of the group
				signalGroup(r.Worker.PID, syscall.SIGKILL)
			}
		},
	}
	ended, remain := s.run()
	if remain > 0 {
		err = errors.Join(err, errors.New("can't stop processes of the run"))
	}
	lost.Left = ended
	e, exited, e2 := readExit(state, run)
	if !exited {
		e = lost
	}
	return e, exited, errors.Join(err, e2)
}

// awaitGuard takes the lock of a State, after it has asked the guard to end, and has ended it if it does
// not.
func awaitGuard(ctx context.Context, state, run string) (*os.File, error) {
	if _, err := os.Lstat(state); err != nil {
		return nil, err
	}
	var asked, killed time.Time
	for {
		lock, err := tryLock(state)
		if err != nil && !errors.Is(err, ErrLive) {
			return nil, err
		}
		r, found, e := readRecord(state, run)
		guards := e == nil && found && r.Machine == machine() && lives(r.Guard)
		if lock != nil && !guards {
			return lock, nil
		}
		if lock != nil {
			lock.Close()
		}
		switch limit := time.Duration(r.Grace) + leftover + 3*stuck; {
		case asked.IsZero():
			asked = time.Now()
			if guards {
				signalProcess(r.Guard, syscall.SIGTERM)
			}
		case killed.IsZero() && time.Since(asked) > limit:
			killed = time.Now()
			if guards {
				signalProcess(r.Guard, syscall.SIGKILL)
			}
		case !killed.IsZero() && time.Since(killed) > stuck:
			return nil, ErrLive
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

// pause waits a little.
func pause(ctx context.Context) error {
	t := time.NewTimer(reapPause)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// group are the processes of the recorded group that still live. While its leader is there, it is known by
// when it started; once it is gone its number may be another's, and those count that are known by
// themselves.
func (r *record) group() []process {
	if r.Worker.PID <= 1 || r.Worker.Start == "" {
		return nil
	}
	ps := members(r.Worker.PID)
	if leader := identify(r.Worker.PID); leader.Start != "" {
		if leader != r.Worker {
			return nil
		}
		return ps
	}
	return slices.DeleteFunc(ps, func(p process) bool {
		return !hasRun(p.PID, r.Run) && (r.Session == "" || session(p.PID) != r.Session)
	})
}
