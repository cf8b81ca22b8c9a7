package proc

import (
	"syscall"
	"time"
)

const (
	sweepFast  = 100                  // looks without a pause: what forks without end must be outrun
	sweepPause = 2 * time.Millisecond // between looks after that
	maxSeen    = 10_000               // processes that are remembered to have been asked
)

// sweeper ends processes that nobody waits for.
type sweeper struct {
	grace time.Duration
	left  func() []process // that still live
	empty func() bool      // nothing is left, also not what was not listed
	kill  func()           // SIGKILL to all at once, as far as that is possible
	wake  <-chan struct{}  // something has ended; nil where nobody tells
}

// run says how many processes it found and how many of them it could not end. Each is asked first, and
// killed after the grace.
func (s *sweeper) run() (found, remain int) {
	seen := map[process]bool{}
	for began, looks := time.Now(), 0; !s.empty(); looks++ {
		spent := time.Since(began)
		if spent > s.grace+stuck {
			return len(seen), max(1, len(s.left()))
		}
		late := spent >= s.grace
		ps := s.left()
		if late && looks%8 == 0 {
			s.kill()
		}
		for _, p := range ps {
			asked := seen[p]
			if !asked && len(seen) < maxSeen {
				seen[p] = true
			}
			switch {
			case late:
				signalProcess(p, syscall.SIGKILL)
			case !asked:
				signalProcess(p, syscall.SIGTERM)
				signalProcess(p, syscall.SIGCONT) // one that is stopped would not hear of it
			}
		}
		if late && looks < sweepFast {
			continue
		}
		t := time.NewTimer(sweepPause)
		select {
		case <-s.wake:
		case <-t.C:
		}
		t.Stop()
	}
	return len(seen), 0
}

// sweep ends what the program left behind.
func (g *guard) sweep() (found, remain int) {
	s := sweeper{grace: min(g.spec.Limits.Grace, leftover), left: g.left, empty: g.empty, kill: g.killAll, wake: g.reaped}
	if g.killing {
		s.grace = 0
	}
	return s.run()
}

// empty reports whether nothing of the program lives.
func (g *guard) empty() bool {
	select {
	case <-g.none: // where the guard adopts, nothing else can be
		return adopts || !groupLives(g.rec.Worker.PID)
	default:
		return false
	}
}

// left are the processes that live below the guard, or in the group where nobody can tell.
func (g *guard) left() []process {
	if adopts {
		return descendants()
	}
	return members(g.rec.Worker.PID)
}

// killAll ends the group, in which nothing can outrun the signal, and what left it. Once the program has
// ended the number of the group is its own only as long as somebody is in it.
func (g *guard) killAll() {
	if group := g.rec.Worker.PID; !g.ended || !knows || len(members(group)) > 0 {
		signalGroup(group, syscall.SIGKILL)
	}
	for _, p := range g.left() {
		signalProcess(p, syscall.SIGKILL)
	}
}
