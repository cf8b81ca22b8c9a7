package proc

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
)

// What a starter says to a guard after the spec.
const (
	askStop = 's'
	askKill = 'k'
)

const (
	stuck    = 5 * time.Second // that a process may take to end after SIGKILL before it is given up
	leftover = time.Second     // the most of Grace that those have which were left behind
)

// GuardVerb is the argument with which vespe runs as the guard of a worker. Nobody types it: it is no verb of the
// command line.
const GuardVerb = "__guard"

// guard is one program's.
type guard struct {
	spec    Spec
	rec     record
	out     *output
	began   time.Time
	exited  chan syscall.WaitStatus // of the program
	reaped  chan struct{}           // a process has ended, whichever; told at least once after each
	none    chan struct{}           // closed when there is no child left
	ask     chan byte
	why     string
	detail  string
	killing bool // SIGKILL was sent
	ended   bool // the program has, and its number may be another's
}

// GuardMain is the guard of one program. It is run as Spec.Guard says, with the run's id as its argument,
// which only tells people what it is there for; everything else is read from standard input. It must be
// called before anything else is done, and what it returns is the exit code of the process.
func GuardMain(args []string) int {
	// The program dies with the thread that started it.
	runtime.LockOSThread()
	syscall.CloseOnExec(3) // the lock: nobody else may hold it
	r := bufio.NewReader(os.Stdin)
	g := &guard{
		exited: make(chan syscall.WaitStatus, 1), reaped: make(chan struct{}, 1), none: make(chan struct{}),
		ask: make(chan byte, 1),
	}
	if err := gob.NewDecoder(r).Decode(&g.spec); err != nil { // and reads no byte more, as r is buffered
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // the process that started it is gone already
			return 0
		}
		fmt.Fprintln(os.Stderr, "the guard of", args, "got invalid input:", err)
		return 1
	}
	// What ends the machine, or everything of a terminal's session, asks first.
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		for {
			b, err := r.ReadByte()
			if err != nil {
				close(g.ask)
				return
			}
			g.ask <- b
		}
	}()
	e := g.run(asked)
	if err := writeExit(g.spec.State, g.spec.Run, e); err != nil {
		e.add(exitFile + " can't be written: " + err.Error())
	}
	if err := json.MarshalWrite(os.Stdout, e); err != nil { // nobody is there any more to be told
		return 1
	}
	return 0
}

// run runs the program and everything after it.
func (g *guard) run(asked <-chan os.Signal) Exit {
	g.began = time.Now()
	g.rec = record{Run: g.spec.Run, Machine: machine(), Guard: identify(os.Getpid()), Grace: int64(g.spec.Limits.Grace)}
	if err := g.start(); err != nil {
		return Exit{Code: -1, Why: NotStarted, Detail: err.Error(), Started: g.began, Ended: time.Now()}
	}
	go g.reap()
	g.out.read()
	status, ok := g.watch(asked)
	ended := time.Now()
	left, remain := g.sweep()
	whole := g.out.finish(leftover)
	e := Exit{Code: -1, Why: g.why, Detail: g.detail, Left: left, Started: g.began, Ended: ended, Bytes: g.out.bytes, Dropped: g.out.dropped}
	switch {
	case !ok:
		e.add("it can't be stopped")
	case status.Signaled():
		e.Signal = status.Signal().String()
	default:
		e.Code = status.ExitStatus()
	}
	if remain > 0 {
		e.add(fmt.Sprintf("can't stop %d processes that it started", remain))
	} else if !whole {
		e.add("a process that it started still holds its output open")
	}
	return e
}

func (e *Exit) add(more string) {
	if e.Detail != "" {
		e.Detail += "; "
	}
	e.Detail += more
}

// start starts the program.
func (g *guard) start() error {
	if err := adopt(); err != nil {
		return fmt.Errorf("can't adopt the processes that the program leaves behind: %w", err)
	}
	if err := g.rec.note(g.spec.State); err != nil {
		return err
	}
	path, err := LookPath(g.spec.Argv[0], g.spec.Dir, g.spec.Env)
	if err != nil {
		return err
	}
	in, err := g.stdin()
	if err != nil {
		return err
	}
	defer in.Close()
	g.out = newOutput(g.spec.Limits.Output)
	theirs, err := g.out.open(g.spec.Out, g.spec.Err)
	defer func() { closeAll(theirs) }()
	if err != nil {
		return err
	}
	pid, err := syscall.ForkExec(path, g.spec.Argv, &syscall.ProcAttr{
		Dir: g.spec.Dir, Env: withRun(append(g.spec.Env, "PWD="+g.spec.Dir), g.spec.Run),
		Files: []uintptr{in.Fd(), theirs[0].Fd(), theirs[len(theirs)-1].Fd()},
		Sys:   attributes(),
	})
	if err != nil {
		return &os.PathError{Op: "run", Path: path, Err: err}
	}
	g.rec.Worker, g.rec.Session = identify(pid), session(pid)
	if err := g.rec.note(g.spec.State); err != nil {
		g.detail = "can't write guard.json: " + err.Error()
	}
	return nil
}

// stdin is a file without a name: one takes what is written to it whether or not the program ever reads.
func (g *guard) stdin() (*os.File, error) {
	if len(g.spec.Stdin) == 0 {
		return os.Open(os.DevNull)
	}
	f, err := os.CreateTemp(g.spec.State, ".stdin-*")
	if err != nil {
		return nil, err
	}
	_, err = f.Write(g.spec.Stdin)
	g.spec.Stdin = nil
	in, e := os.Open(f.Name())
	if err = errors.Join(err, e, os.Remove(f.Name()), f.Close()); err != nil && in != nil {
		in.Close()
	}
	return in, err
}

// reap takes note of every process that ends below the guard: those that it adopted, too.
func (g *guard) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			close(g.none)
			return
		case pid == g.rec.Worker.PID:
			g.exited <- status
		}
		select {
		case g.reaped <- struct{}{}:
		default:
		}
	}
}

// watch waits for the end of the program, and brings it about when a limit is reached.
func (g *guard) watch(asked <-chan os.Signal) (status syscall.WaitStatus, ok bool) {
	limits := g.spec.Limits
	var wall, silence, grace <-chan time.Time
	if limits.Wall > 0 {
		wall = time.After(limits.Wall)
	}
	if limits.Silence > 0 {
		silence = time.After(limits.Silence)
	}
	end := func(why, detail string) {
		if g.why != "" {
			return // it is being ended already
		}
		g.why = why
		if detail != "" {
			g.detail = detail
		}
		if grace = time.After(limits.Grace); limits.Grace == 0 {
			return
		}
		signalGroup(g.rec.Worker.PID, syscall.SIGTERM)
		signalGroup(g.rec.Worker.PID, syscall.SIGCONT) // one that is stopped would not hear of it
	}
	for ask := g.ask; ; {
		select {
		case status := <-g.exited:
			g.ended = true
			return status, true
		case b, open := <-ask:
			switch {
			case !open:
				ask = nil
				end(Orphaned, "the process that started it is gone")
			case b == askKill:
				limits.Grace = 0
				end(Stopped, "")
				if !g.killing {
					grace = time.After(0) // also of what was asked to end before
				}
			default:
				end(Stopped, "")
			}
		case s := <-asked:
			end(Stopped, "its guard process got the signal "+s.String())
		case why := <-g.out.over:
			end(OutputLimit, why)
		case <-wall:
			end(WallLimit, fmt.Sprintf("it took longer than %s", limits.Wall))
		case <-silence:
			if idle := g.out.idle(); idle < limits.Silence {
				silence = time.After(limits.Silence - idle)
			} else {
				end(SilenceLimit, fmt.Sprintf("it printed nothing for %s", limits.Silence))
			}
		case <-grace:
			if g.killing { // also that did not end it
				return 0, false
			}
			g.killing = true
			g.killAll()
			grace = time.After(stuck)
		}
	}
}
