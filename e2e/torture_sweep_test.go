//go:build torture && linux && amd64

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// faults are what becomes of a call. The process is killed before it; the one after it being
// carried out is the next call's.
var faults = []struct {
	name string
	verdict
}{
	{"KILL", verdict{kill: true}},
	{"EIO", verdict{errno: syscall.EIO}},
	{"ENOSPC", verdict{errno: syscall.ENOSPC}},
	{"EROFS", verdict{errno: syscall.EROFS}},
	{"EMFILE", verdict{errno: syscall.EMFILE}},
	{"EACCES", verdict{errno: syscall.EACCES}},
	{"EDQUOT", verdict{errno: syscall.EDQUOT}},
	{"EINTR", verdict{errno: syscall.EINTR}},
}

// sweep makes each call of a command fail in each way.
type sweep struct {
	name string
	bin  string
	args []string
	env  []string
	// make makes the store that each run begins with.
	make func(t testing.TB, dir string)
	// may are what a reader may see while the command runs, in their order: what was there
	// before, and what was there after it.
	may []string
	// keep are bytes that must be found in some file, whatever happens.
	keep string

	// inherits: the last entry may not be synced.
	inherits bool

	calls []string // in the order of a run without faults

	jobs, runs, killed, refused, unsure, done, putOff, missed, left atomic.Int64
	mu                                                              sync.Mutex
	bad                                                             []string
}

func (s *sweep) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bad = append(s.bad, fmt.Sprintf(format, args...))
}

// places name the calls of a run: how often each was made before.
type places struct {
	dir  string
	seen map[string]int
}

func (p *places) name(c *fileCall) string {
	l := c.label(p.dir)
	p.seen[l]++
	return fmt.Sprintf("%s #%d", l, p.seen[l])
}

// learn finds out which calls the command makes. A few depend on how old files are, so on how
// busy the machine was: what one run did counts when another has nearly all of the same calls.
func (s *sweep) learn(t *testing.T) {
	t.Helper()
	var before []string
	for range 5 {
		if s.learnOnce(t); len(s.bad) > 0 || alike(before, s.calls) {
			return
		}
		before = s.calls
	}
}

// alike says whether two runs made the same calls but for one in fifty.
func alike(a, b []string) bool {
	both := 0
	for _, c := range b {
		if slices.Contains(a, c) {
			both++
		}
	}
	return both*50 >= 49*max(len(a), len(b))
}

// learnOnce runs the command without faults. A reader looks at the store at each stop, and what
// is linked or renamed must have been synced.
func (s *sweep) learnOnce(t *testing.T) {
	t.Helper()
	s.calls = nil
	dir := filepath.Join(memoryDir(t), "store")
	s.make(t, dir)
	before, _ := mustHold(t, dir)
	s.may = []string{before}
	at, ord := &places{dir, map[string]int{}}, newOrder(dir)
	ord.pending[filepath.Join(dir, ".vespe", "log")] = s.inherits
	var seen []string
	o := stopped(t, s.command(dir), nil, func(c *fileCall) verdict {
		if !c.ours() {
			return verdict{}
		}
		s.calls = append(s.calls, at.name(c))
		ord.look(c)
		now, _, err := holding(dir)
		if err != nil {
			s.fail("%s: a reader at %s: %v", s.name, c, err)
		}
		if len(seen) == 0 || seen[len(seen)-1] != now {
			seen = append(seen, now)
		}
		for _, torn := range tornFiles(dir) {
			s.fail("%s: %s is torn at %s", s.name, torn, c)
		}
		return verdict{}
	})
	if o.code != 0 || o.err != "" {
		t.Fatalf("%s without faults: %s", s.name, o)
	}
	after, _ := mustHold(t, dir)
	if after != before {
		s.may = append(s.may, after)
	}
	if !slices.Equal(seen, s.may) && !slices.Equal(append(seen, after), s.may) {
		for i, text := range seen[1:] {
			s.fail("%s: readers saw %d states: %s", s.name, len(seen), firstDifference(seen[i], text))
		}
	}
	for _, bad := range ord.bad {
		s.fail("%s: %s", s.name, bad)
	}
	if ord.placed == 0 && after != before {
		t.Fatalf("%s: no call that commits was seen", s.name)
	}
}

func (s *sweep) command(dir string) *exec.Cmd {
	cmd := exec.Command(s.bin, append([]string{"-C", dir}, s.args...)...)
	cmd.Env = append(vespeEnv(os.Getenv("XDG_STATE_HOME")), append(s.env, "GOGC=off")...)
	return cmd
}

// job is one call that fails in one way.
type job struct {
	call  string
	fault int
}

// thorough are the transitions whose reading calls fail in every way.
var thorough = []string{"new", "accept", "take over an edit"}

// jobs are what is done to calls. Each that changes something fails in every way. One that only
// reads fails in one way, the ways in turn: before it the disk is as before the next that changes
// something, so being killed there is the same, and most errors go one way.
func jobs(calls []string, all bool) []job {
	var todo []job
	for i, call := range calls {
		for f := range faults {
			if all || changes(call) || i%len(faults) == f {
				todo = append(todo, job{call, f})
			}
		}
	}
	return todo
}

// sampled are one in twenty-three of its jobs, and so each way to fail in turn, and fewer where a command
// makes thousands of calls; all with TORTURE=full.
func (s *sweep) sampled(all bool) (some []job) {
	every := sized(23, 1)
	if len(s.calls) > 1500 {
		every = sized(101, 1)
	}
	todo := jobs(s.calls, all)
	for i := every / 2; i < len(todo); i += every {
		some = append(some, todo[i])
	}
	return some
}

// changing are the calls that change something, from the first that makes something durable.
func changing(calls []string) (some []string) {
	begun := false
	for _, call := range calls {
		name, _, _ := strings.Cut(call, " ")
		begun = begun || (strings.HasPrefix(name, "rename") || name == "linkat") && strings.Contains(call, "→ /.vespe/log/")
		if begun && changes(call) {
			some = append(some, call)
		}
	}
	return some
}

// interrupted runs the command with one call of it failing.
func (s *sweep) interrupted(t testing.TB, dir string, j job) (o outcome, hit bool) {
	at := &places{dir, map[string]int{}}
	broken := "" // the open file whose fsync failed
	name, _, _ := strings.Cut(j.call, " ")
	o = stopped(t, s.command(dir), []string{name, "fsync", "fdatasync"}, func(c *fileCall) verdict {
		if !c.ours() {
			return verdict{}
		}
		if broken != "" && c.file == broken && (c.name == "fsync" || c.name == "fdatasync") {
			s.fail("%s: %s: an fsync that failed is repeated", s.name, j)
		}
		if hit || c.name != name || at.name(c) != j.call {
			return verdict{}
		}
		hit = true
		// An interrupted call has said nothing about the file yet.
		if f := faults[j.fault]; c.name == "fsync" && f.errno != 0 && f.errno != syscall.EINTR {
			broken = c.file
		}
		return faults[j.fault].verdict
	})
	return o, hit
}

func (j job) String() string { return faults[j.fault].name + " at " + j.call }

// run makes one call fail and looks at what is left. It reports whether that is exactly what was
// there before, and whether the call was made.
func (s *sweep) run(t testing.TB, dir string, j job) (untouched, hit bool) {
	before := stamp(dir)
	o, hit := s.interrupted(t, dir, j)
	s.runs.Add(1)
	killed := hit && faults[j.fault].kill && o.code == -1
	if (killed || refusal(o.code)) && stamp(dir) == before {
		s.count(o.code)
		return true, hit
	}
	s.check(t, fmt.Sprintf("%s: %s", s.name, j), dir, o, killed)
	return false, hit
}

// refusal: nothing happened, says the exit code.
func refusal(code int) bool {
	return code == 1 || code == 3 || code == 4 || code == 6 || code == 64
}

func (s *sweep) count(code int) {
	switch {
	case code == -1:
		s.killed.Add(1)
	case code == 0:
		s.done.Add(1)
	case code == 7:
		s.unsure.Add(1)
	default:
		s.refused.Add(1)
	}
}

// putOff is in the text of a store in which an edited plan is no revision yet.
const putOff = `plan 0 "# Plan`

// all makes every call fail, side by side. It stops early when enough is wrong.
func (s *sweep) all(t *testing.T, todo []job) {
	t.Helper()
	next := make(chan job)
	base := memoryDir(t)
	var wg sync.WaitGroup
	for w := range 2 * runtime.GOMAXPROCS(0) { // each waits for its process most of the time
		dir := filepath.Join(base, fmt.Sprint(w))
		wg.Go(func() {
			made := false
			for j := range next {
				s.jobs.Add(1)
				// A few calls depend on how old files are: a store that was left as it was, or was made slowly, may be
				// too old for them. So they get a store of their own, twice.
				for tries := 3; ; tries-- {
					used := made
					if !made {
						s.make(t, dir)
					}
					var hit bool
					if made, hit = s.run(t, dir, j); !made || used && !hit {
						made = false
						if err := os.RemoveAll(dir); err != nil {
							t.Error(err)
						}
					}
					if hit {
						break
					}
					if tries == 1 {
						s.missed.Add(1)
						break
					}
				}
			}
		})
	}
	for _, j := range todo {
		s.mu.Lock()
		enough := len(s.bad) >= 10
		s.mu.Unlock()
		if enough {
			break
		}
		next <- j
	}
	close(next)
	wg.Wait()
}

// TestTortureSweep makes each file system call of each transition of the built program fail
// in each way, and the process be killed before it. Then the same is done to what comes after
// a process that was killed in the middle: the repetition, which first has to finish what it
// finds.
func TestTortureSweep(t *testing.T) {
	bin := binary(t)
	began, total := time.Now(), int64(0)
	for _, tr := range append(transitions(t), others(t)...) {
		t.Run(tr.name, func(t *testing.T) {
			s := &sweep{name: tr.name, bin: bin, args: tr.once(), keep: tr.keep, make: func(t testing.TB, dir string) { prepared(t, tr, dir) }}
			s.learn(t)
			s.all(t, s.sampled(slices.Contains(thorough, tr.name)))
			s.report(t)
			total += s.runs.Load()
			some := changing(s.calls)
			for _, at := range []struct {
				name string
				call int
			}{{"committed", 1}, {"half written", len(some) / 2}} {
				r := s.recovery(at.name, job{some[at.call], 0})
				r.learn(t)
				r.all(t, r.sampled(false))
				r.report(t)
				total += r.runs.Load()
			}
		})
	}
	t.Logf("%d runs in %v", total, time.Since(began).Round(time.Second))
}

// recovery is the sweep of the same command, after it was killed once.
func (s *sweep) recovery(name string, kill job) *sweep {
	r := &sweep{name: s.name + ", " + name, bin: s.bin, args: s.args, env: s.env, keep: s.keep, inherits: true}
	r.make = func(t testing.TB, dir string) {
		s.make(t, dir)
		if o, hit := s.interrupted(t, dir, kill); !hit || o.code != -1 {
			t.Errorf("%s: it was not killed at %s: %v", r.name, kill.call, o)
		}
	}
	return r
}

// report fails with what is wrong, and when too many calls were not met again.
func (s *sweep) report(t *testing.T) {
	t.Helper()
	for _, bad := range s.bad {
		t.Error(bad)
	}
	t.Logf("%s: %d calls, %d runs: %d killed, %d refused, %d in doubt, %d done, %d with an edit put off; %d without the call; %d leftovers, all reported",
		s.name, len(s.calls), s.runs.Load(), s.killed.Load(), s.refused.Load(), s.unsure.Load(), s.done.Load(), s.putOff.Load(), s.missed.Load(), s.left.Load())
	if len(s.bad) == 0 && s.missed.Load() > s.jobs.Load()/int64(sized(8, 20)) { // some depend on how old files are; in a sample a few weigh more
		t.Errorf("%s: %d of %d calls that were to fail were never made", s.name, s.missed.Load(), s.jobs.Load())
	}
}
