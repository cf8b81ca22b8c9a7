package proc

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux finds what has left its group")
	}
}

func TestStop(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		stop func(*Process, context.CancelFunc)
		end  func(Exit) bool
	}{
		{"polite", []string{"polite", "exit=4"}, func(p *Process, _ context.CancelFunc) { p.Stop(); p.Stop() }, func(e Exit) bool { return e.Code == 4 }},
		{"by context", []string{"polite", "exit=4"}, func(_ *Process, cancel context.CancelFunc) { cancel() }, func(e Exit) bool { return e.Code == 4 }},
		{"killed", []string{"deaf", "pid", "hang"}, func(p *Process, _ context.CancelFunc) { p.Kill() }, func(e Exit) bool { return e.Signal == "killed" }},
		{"stopped and killed", []string{"deaf", "pid", "hang"}, func(p *Process, _ context.CancelFunc) { p.Stop(); p.Kill(); p.Kill() }, func(e Exit) bool { return e.Signal == "killed" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			spec := program(t, c.args...)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			p, err := Start(ctx, spec)
			if err != nil {
				t.Fatal(err)
			}
			ps := pids(t, spec.Out, 1)
			if c.name == "polite" {
				if _, err := Start(ctx, spec); !errors.Is(err, ErrLive) {
					t.Errorf("a second one beside it: %v", err)
				}
			}
			c.stop(p, cancel)
			if e := p.Exit(); e.Why != Stopped || !c.end(e) {
				t.Errorf("ended as %+v", e)
			}
			gone(t, ps)
		})
	}
}

func TestStoppedBeforeItStarts(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Start(ctx, program(t, "hang")); !errors.Is(err, context.Canceled) {
		t.Errorf("started: %v", err)
	}
	spec := program(t, "hang")
	spec.Limits.Grace = 0
	p := start(t, spec)
	p.Kill() // perhaps before the guard has read what it is to run
	if e := p.Exit(); e.Why != Stopped {
		t.Errorf("ended as %+v", e)
	}
}

// What a program leaves behind ends with it, wherever it went and whatever it holds.
func TestNothingIsLeftBehind(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		n      int
		limits Limits
		linux  bool
	}{
		{"in the group", []string{"spawn", "pid", "hang"}, 1, Limits{Grace: time.Minute}, false},
		{"deaf, in the group", []string{"spawn", "deaf", "pid", "hang"}, 1, Limits{Grace: 50 * time.Millisecond}, false},
		{"in a session of its own", []string{"daemon", "pid", "hang"}, 1, Limits{Grace: time.Minute}, true},
		{"a daemon of a daemon", []string{"daemon", "daemon", "deaf", "pid", "hang"}, 1, Limits{Grace: 50 * time.Millisecond}, true},
		{"without its environment", []string{"daemon", "bare", "daemon", "pid", "hang"}, 1, Limits{Grace: time.Minute}, true},
		{"below a daemon that lives", []string{"daemon", "deaf", "pid", "daemon=hang", "deaf", "pid", "hang"}, 2, Limits{Grace: 50 * time.Millisecond}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.linux {
				onLinux(t)
			}
			// It waits, as a program does that starts a server, until what it started is there.
			spec := program(t)
			spec.Argv = []string{"sh", "-c", `"$@"; while test "$(grep -c pid out)" != ` + string(rune('0'+c.n)) + `; do :; done; exit 5`, "sh", os.Args[0], "__worker"}
			spec.Argv = append(spec.Argv, c.args...)
			spec.Limits = c.limits
			e := run(t, spec)
			ps := pids(t, spec.Out, c.n)
			gone(t, ps)
			if e.Code != 5 || e.Why != "" || e.Left < c.n { // those between them may be counted, too
				t.Errorf("ended as %+v", e)
			}
		})
	}
}

func TestProcessesThatStartOthersWithoutEnd(t *testing.T) {
	t.Parallel()
	t.Run("tree in the group", func(t *testing.T) {
		spec := program(t, "tree=3")
		p := start(t, spec)
		ps := pids(t, spec.Out, 15)
		p.Kill()
		if e := p.Exit(); e.Why != Stopped || e.Signal != "killed" {
			t.Errorf("ended as %+v", e)
		}
		gone(t, ps)
	})
	t.Run("chain of sessions", func(t *testing.T) {
		onLinux(t)
		spec := program(t, "chain=5000")
		spec.Limits.Grace = 0
		if e := run(t, spec); e.Detail != "" || e.Why != "" {
			t.Errorf("ended as %+v", e)
		}
		if left := marked(spec.Run); len(left) > 0 {
			t.Errorf("%v still live", left)
		}
	})
}

// guardOf is the guard of a program that has been started.
func guardOf(t testing.TB, spec Spec) (r record) {
	t.Helper()
	eventually(t, "guard.json names the program", func() bool {
		r, _, _ = readRecord(spec.State, spec.Run)
		return r.Worker.PID != 0
	})
	return r
}

func TestGuardIsKilled(t *testing.T) {
	t.Parallel()
	spec := program(t, "spawn=hang", "deaf", "pid", "daemon=hang", "deaf", "pid", "hang")
	n := 2
	spec.Limits.Grace = 50 * time.Millisecond
	p := start(t, spec)
	ps := pids(t, spec.Out, n)
	r := guardOf(t, spec)
	if err := syscall.Kill(r.Guard.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	e := p.Exit()
	if e.Why != Lost || e.Code != -1 || e.Detail == "" {
		t.Errorf("ended as %+v", e)
	}
	gone(t, append(ps, r.Worker))
}

// A guard that stands still is ended with its program once its limits are long over.
func TestGuardStandsStill(t *testing.T) {
	t.Parallel()
	spec := program(t, "pid", "hang")
	spec.Limits.Grace, spec.patience = 0, 100*time.Millisecond
	p := start(t, spec)
	ps := pids(t, spec.Out, 1)
	if err := syscall.Kill(guardOf(t, spec).Guard.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if e := p.Exit(); e.Why != Stopped || e.Code != -1 {
		t.Errorf("ended as %+v", e)
	}
	gone(t, ps)
}

func TestGuardIsAskedToEnd(t *testing.T) {
	t.Parallel()
	spec := program(t, "polite", "exit=4")
	p := start(t, spec)
	pids(t, spec.Out, 1)
	if err := syscall.Kill(guardOf(t, spec).Guard.PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if e := p.Exit(); e.Why != Stopped || e.Code != 4 || e.Detail == "" {
		t.Errorf("ended as %+v", e)
	}
}

// starter is another process that starts a program and waits.
func starter(t *testing.T, spec Spec) *exec.Cmd {
	t.Helper()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(spec); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "spec")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "__worker", "starter="+path)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if _, _, err := Reap(context.Background(), spec.State, spec.Run); err != nil {
			t.Error(err)
		}
	})
	return cmd
}

func TestStarterIsKilled(t *testing.T) {
	t.Parallel()
	spec := program(t, "daemon=hang", "pid", "daemon=hang", "deaf", "pid", "hang")
	spec.Limits.Grace = 50 * time.Millisecond
	cmd := starter(t, spec)
	ps := pids(t, spec.Out, 2)
	r := guardOf(t, spec)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the guard ends", func() bool { return !lives(r.Guard) })
	if runtime.GOOS == "linux" {
		gone(t, ps)
	}
	gone(t, []process{r.Worker})
	e, found, err := Reap(context.Background(), spec.State, spec.Run)
	if err != nil || !found || e.Why != Orphaned {
		t.Errorf("ended as %+v, %v, %v", e, found, err)
	}
}

// Everything but the processes that left the group is killed at once: who comes afterwards ends those,
// and as often as it likes.
func TestReap(t *testing.T) {
	t.Parallel()
	spec := program(t, "spawn=hang", "deaf", "pid", "daemon=hang", "deaf", "pid", "hang")
	spec.Limits.Grace = 50 * time.Millisecond
	cmd := starter(t, spec)
	ps := pids(t, spec.Out, 2)
	r := guardOf(t, spec)
	for _, pid := range []int{r.Guard.PID, cmd.Process.Pid} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		e, found, err := Reap(context.Background(), spec.State, spec.Run)
		if err != nil || found || e.Why != Lost {
			t.Errorf("%d: ended as %+v, %v, %v", i, e, found, err)
		}
		if (i > 0) != (e.Left == 0) {
			t.Errorf("%d: %d processes were left", i, e.Left)
		}
		gone(t, append(ps, r.Worker))
	}
}

// What has been found is waited for until it has ended. A process that is ending has no memory any more, and so no
// environment, for a moment in which it still has its files and its locks.
func TestReapWaitsForWhatItFound(t *testing.T) {
	t.Parallel()
	onLinux(t)
	spec := program(t, "daemon=hang", "forget")
	spec.Limits.Grace = 50 * time.Millisecond
	p := start(t, spec)
	ps := pids(t, spec.Out, 1)
	if err := syscall.Kill(guardOf(t, spec).Guard.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e := p.Exit(); e.Why != Lost {
		t.Errorf("ended as %+v", e)
	}
	gone(t, ps)
	for _, p := range ps {
		signalProcess(p, syscall.SIGKILL)
	}
}

// A process that has no environment and whose group has lost its leader is known by its session, where the
// system names sessions; and not taken for one of ours where that is another.
func TestReapFindsTheGroup(t *testing.T) {
	t.Parallel()
	spec := program(t, "bare=hang", "deaf", "pid", "hang")
	spec.Limits.Grace = 50 * time.Millisecond
	cmd := starter(t, spec)
	ps := pids(t, spec.Out, 1)
	r := guardOf(t, spec)
	if r.Session == "" {
		t.Skip("sessions have no names here")
	}
	for _, pid := range []int{r.Guard.PID, cmd.Process.Pid} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the program dies with its guard", func() bool { return !lives(r.Worker) })
	for end := time.Now().Add(5 * time.Second); identify(r.Worker.PID) == r.Worker; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Skip("nobody here waits for what has lost its parent: the leader of the group stays")
		}
	}
	other, state := r, t.TempDir()
	other.Session = "/autogroup-0"
	if err := other.note(state); err != nil {
		t.Fatal(err)
	}
	if e, _, err := Reap(context.Background(), state, spec.Run); err != nil || e.Left != 0 || !lives(ps[0]) {
		t.Errorf("of another session: %+v, %v, lives %v", e, err, lives(ps[0]))
	}
	if e, _, err := Reap(context.Background(), spec.State, spec.Run); err != nil || e.Left != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	gone(t, ps)
}

// A guard whose starter was killed is about to end: a new program waits for it.
func TestStartAfterAnotherStarterWasKilled(t *testing.T) {
	t.Parallel()
	spec := program(t, "deaf", "pid", "hang")
	spec.Limits.Grace = 50 * time.Millisecond
	cmd := starter(t, spec)
	ps := pids(t, spec.Out, 1)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	spec.Argv = append(spec.Argv[:2:2], "say=mine")
	if e := run(t, spec); !e.OK() {
		t.Errorf("ended as %+v", e)
	}
	gone(t, ps)
}

// One who reaps does not take the word of a record for a process that started at another moment.
func TestReapLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	other := exec.Command(os.Args[0], "__worker", "hang")
	other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	other.Env = []string{}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	run := program(t).Run // no other's: a run is found by its name, wherever it was started
	them := identify(other.Process.Pid)
	later := them
	later.Start += "1"
	ours := record{Run: run, Machine: machine(), Guard: later, Worker: later}
	elsewhere := record{Run: run, Machine: "another boot", Guard: them, Worker: them}
	another := record{Run: run + "-2", Machine: machine(), Guard: them, Worker: them}
	for name, r := range map[string]record{"another start": ours, "another boot": elsewhere, "another run": another} {
		state := t.TempDir()
		if err := r.note(state); err != nil {
			t.Fatal(err)
		}
		e, found, err := Reap(context.Background(), state, run)
		if found || e.Left != 0 || (err != nil) != (name == "another run") {
			t.Errorf("%s: %+v, %v, %v", name, e, found, err)
		}
		if !lives(them) {
			t.Fatalf("%s: it was ended", name)
		}
	}
	// The same record with the right start ends it, or the above shows nothing.
	state := t.TempDir()
	r := record{Run: run, Machine: machine(), Guard: later, Worker: them}
	if err := r.note(state); err != nil {
		t.Fatal(err)
	}
	if e, _, err := Reap(context.Background(), state, run); err != nil || e.Left != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	if lives(them) {
		t.Error("it was not ended")
	}
}

func TestReapOfNothing(t *testing.T) {
	e, found, err := Reap(context.Background(), filepath.Join(t.TempDir(), "none"), "run-none")
	if found || err != nil || e.Why != Lost || e.Left != 0 {
		t.Errorf("%+v, %v, %v", e, found, err)
	}
}
