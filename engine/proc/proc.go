package proc

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"vespe/model/visible"
)

// RunVar is the variable that names the run in the environment of everything that belongs to it.
const RunVar = "VESPE_RUN_ID"

// Limits are what a program may use. 0 means that there is no limit, and of Grace that there is none.
type Limits struct {
	Wall    time.Duration // from its start to its end
	Silence time.Duration // without a byte on stdout or stderr
	Output  int64         // bytes on both together; what is beyond is dropped
	// Grace is the time between SIGTERM and SIGKILL. What the program leaves behind has no more than a
	// second of it.
	Grace time.Duration
}

// Spec is a program to be run. All paths are absolute.
type Spec struct {
	Run   string   // the run's id; also in the environment, as RunVar
	Argv  []string // found as by LookPath
	Dir   string
	Env   []string // all of it but RunVar and PWD
	Stdin []byte
	// Out and Err are the files that stdout and stderr are appended to; they may be the same, and "" keeps
	// nothing.
	Out string
	Err string
	// State is the directory of the guard: its lock, guard.json, exit.json. One program at a time has it.
	State  string
	Limits Limits
	// Guard is the argv prefix that runs GuardMain.
	Guard []string

	patience time.Duration // with a guard that does nothing; 0: backstop
}

// Why a program ended that did not end by itself: Exit.Why.
const (
	WallLimit    = "wall"
	SilenceLimit = "silence"
	OutputLimit  = "output"
	Stopped      = "stopped"  // by Stop, Kill or the end of the context
	Orphaned     = "orphaned" // the process that started it is gone
	NotStarted   = "start"    // it could not be started
	Lost         = "lost"     // its guard process was killed: nobody knows how it would have ended
)

// Exit is how a program ended.
type Exit struct {
	Code    int       `json:"code"`             // -1 where a signal ended it, or it never ran
	Signal  string    `json:"signal,omitzero"`  // as the system calls it: "killed"
	Why     string    `json:"why,omitzero"`     // one of the words above; "" where it ended by itself
	Detail  string    `json:"detail,omitzero"`  // more about Why, and what else is to be known
	Bytes   int64     `json:"bytes,omitzero"`   // what it printed in all,
	Dropped int64     `json:"dropped,omitzero"` // and how much of that was not kept
	Left    int       `json:"left,omitzero"`    // processes that it left behind, which were ended
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended"`
}

// OK reports whether the program ended by itself, with 0.
func (e Exit) OK() bool { return e.Why == "" && e.Signal == "" && e.Code == 0 }

// ErrLive says that a program of this State still runs, or has only just ended.
var ErrLive = errors.New("its guard process is still running")

// backstop is how long after its limits a guard may live: longer than it takes it to give up on processes
// that cannot be ended.
const backstop = 15 * time.Second

// Process is a program that was started, with its guard.
type Process struct {
	spec    Spec
	cmd     *exec.Cmd
	control *os.File
	told    bytes.Buffer // by the guard at its end: exit
	asks    chan byte
	done    chan struct{}
	exit    Exit // once done is closed
	once    [2]sync.Once
}

// Start starts a program. The end of ctx stops it. An error means that nothing was started; that the
// program itself cannot be run is told by Exit.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	lock, err := takeState(ctx, spec.State)
	if err != nil {
		return nil, err
	}
	defer lock.Close() // the guard has one of its own by then
	var head bytes.Buffer
	if err := gob.NewEncoder(&head).Encode(spec); err != nil {
		return nil, err
	}
	log, err := create(filepath.Join(spec.State, guardLog), os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := exec.Command(spec.Guard[0], append(slices.Clone(spec.Guard[1:]), spec.Run)...) //nolint:gosec // vespe itself
	if spec.patience == 0 {
		spec.patience = backstop
	}
	p := &Process{spec: spec, cmd: cmd, control: ours, asks: make(chan byte, 2), done: make(chan struct{})}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, &p.told, log
	cmd.ExtraFiles = []*os.File{lock}
	// Reap looks for the run's processes by RunVar. What vespe loads before it finds out that it is a guard
	// is garbage at once and not worth collecting.
	cmd.Env = append(withRun(os.Environ(), ""), "GOGC=off", "GOMEMLIMIT=64MiB")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	go p.follow(ctx, head.Bytes())
	return p, nil
}

// check says what of a spec cannot be.
func (s *Spec) check() error {
	switch {
	case s.Run == "" || strings.ContainsAny(s.Run, "\x00\n"):
		return fmt.Errorf("proc: no id of a run: %q", s.Run)
	case len(s.Argv) == 0 || s.Argv[0] == "":
		return errors.New("proc: no program is named")
	case len(s.Guard) == 0:
		return errors.New("proc: no guard is named")
	}
	for _, path := range []string{s.Dir, s.State, s.Out, s.Err} {
		if path != "" && !filepath.IsAbs(path) {
			return fmt.Errorf("proc: %s is not an absolute path", path)
		}
	}
	if s.Dir == "" || s.State == "" {
		return errors.New("proc: a directory is missing")
	}
	return nil
}

// withRun is an environment that names a run, and no other; "" names none. Of a variable that is there
// twice the last one counts, whatever a program makes of that.
func withRun(env []string, run string) (out []string) {
	seen := map[string]bool{RunVar: true}
	for _, kv := range slices.Backward(env) {
		if name, _, ok := strings.Cut(kv, "="); ok && !seen[name] {
			seen[name] = true
			out = append(out, kv)
		}
	}
	slices.Reverse(out)
	if run != "" {
		out = append(out, RunVar+"="+run)
	}
	return out
}

// Done is closed when the program and all that belongs to it have ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit is how it ended; it waits for that.
func (p *Process) Exit() Exit {
	<-p.done
	return p.exit
}

// Stop asks the program to end, and ends it after Limits.Grace. It does not wait.
func (p *Process) Stop() { p.once[0].Do(func() { p.asks <- askStop }) }

// Kill ends the program, with all that belongs to it. It does not wait.
func (p *Process) Kill() { p.once[1].Do(func() { p.asks <- askKill }) }

// follow gives the guard its spec and what it is asked for, until it has ended.
func (p *Process) follow(ctx context.Context, head []byte) {
	var told, gone sync.WaitGroup
	said, ended := make(chan struct{}), make(chan struct{})
	told.Go(func() { // a guard that does not read must not keep anybody waiting
		defer close(said)
		_, _ = p.control.Write(head) // where it has ended, what is known of that is read below
	})
	gone.Go(func() {
		defer close(ended)
		_ = p.cmd.Wait() // exit.json says what happened
	})
	var limit <-chan time.Time
	within := func(d time.Duration) {
		limit = time.After(d + p.spec.Limits.Grace + p.spec.patience)
	}
	if wall := p.spec.Limits.Wall; wall > 0 {
		within(wall)
	}
	why, stop := "", ctx.Done()
	var pending []byte
	for live := true; live; {
		select {
		case <-stop:
			stop = nil
			pending, why = append(pending, askStop), Stopped
			within(0)
		case ask := <-p.asks:
			pending, why = append(pending, ask), Stopped
			if ask == askKill {
				limit = time.After(p.spec.patience)
			} else {
				within(0)
			}
		case <-limit: // it stands still
			limit = nil
			_ = p.cmd.Process.Kill()
		case <-said:
			said = nil
		case <-ended:
			live = false
		}
		if said == nil && live && len(pending) > 0 {
			_, _ = p.control.Write(pending) // into a pipe with room for it, or to nobody
			pending = nil
		}
	}
	p.control.Close() // which also ends a write that nobody reads
	told.Wait()
	gone.Wait()
	p.exit = p.end(why)
	close(p.done)
}

// end is what is known of the end, after making sure of it where the guard did not.
func (p *Process) end(why string) Exit {
	var e Exit
	if err := json.Unmarshal(p.told.Bytes(), &e); err == nil {
		return e
	}
	e, found, err := Reap(context.Background(), p.spec.State, p.spec.Run)
	if found {
		return e
	}
	if why != "" {
		e.Why = why
	}
	e.Detail = "its guard process was killed"
	if s := p.cmd.ProcessState; s == nil || !s.Sys().(syscall.WaitStatus).Signaled() {
		e.Detail = "its guard process exited without a report: " + s.String()
	}
	if said := visible.Line(strings.Join(strings.Fields(Tail(filepath.Join(p.spec.State, guardLog), 2<<10)), " ")); said != "" {
		e.add(said)
	}
	if err != nil {
		e.add(err.Error())
	}
	return e
}
