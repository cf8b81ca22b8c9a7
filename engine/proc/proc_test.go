package proc

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func guardArgv() []string { return []string{os.Args[0], "__guard"} }

// program is a worker that does what args say.
func program(t testing.TB, args ...string) Spec {
	t.Helper()
	dir := t.TempDir()
	return Spec{
		Run: "run-" + filepath.Base(dir) + strconv.Itoa(os.Getpid()) + strings.ReplaceAll(t.Name(), "/", "-"), Argv: append([]string{os.Args[0], "__worker"}, args...), Dir: dir,
		Env: os.Environ(), Out: filepath.Join(dir, "out"), Err: filepath.Join(dir, "err"), State: filepath.Join(dir, "state"),
		Limits: Limits{Wall: time.Minute, Grace: 20 * time.Second}, Guard: guardArgv(),
	}
}

func start(t testing.TB, spec Spec) *Process {
	t.Helper()
	p, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		p.Exit()
	})
	return p
}

func run(t testing.TB, spec Spec) Exit {
	t.Helper()
	return start(t, spec).Exit()
}

// hung is how long a test waits before it reports that something never came. It says nothing about speed.
const hung = 3 * time.Minute

// eventually waits for what must come to be.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(hung); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came to that: %s", what)
		}
	}
}

// pids waits until a file names n processes, and returns them.
func pids(t testing.TB, path string, n int) (ps []process) {
	t.Helper()
	eventually(t, fmt.Sprintf("%s names %d processes", path, n), func() bool {
		ps = nil
		for _, line := range strings.SplitAfter(read(t, path), "\n") {
			if word, ok := strings.CutPrefix(line, "pid "); ok && strings.HasSuffix(word, "\n") {
				pid, err := strconv.Atoi(strings.TrimSpace(word))
				if err != nil {
					t.Fatal(err)
				}
				ps = append(ps, identify(pid))
			}
		}
		return len(ps) == n
	})
	return ps
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}

// gone checks that none of the processes lives.
func gone(t testing.TB, ps []process) {
	t.Helper()
	for _, p := range ps {
		if lives(p) {
			t.Errorf("process %d still lives", p.PID)
		}
	}
}

func TestProgramEndsByItself(t *testing.T) {
	t.Parallel()
	spec := program(t, "say=hello", "warn=careful", "env="+RunVar, "env=TWICE", "env=PWD", "dir", "cat", "exit=3")
	spec.Env = append(spec.Env, RunVar+"=another", "TWICE=1", "TWICE=2")
	spec.Stdin = []byte("a prompt\nof two lines\n")
	e := run(t, spec)
	if e.Code != 3 || e.Signal != "" || e.Why != "" || e.Detail != "" || e.OK() || e.Left != 0 || e.Dropped != 0 {
		t.Errorf("ended as %+v", e)
	}
	if e.Started.IsZero() || e.Ended.Before(e.Started) {
		t.Errorf("from %v to %v", e.Started, e.Ended)
	}
	want := "hello\n" + spec.Run + "\n2\n" + spec.Dir + "\n" + spec.Dir + " <nil>\na prompt\nof two lines\n"
	if got := read(t, spec.Out); got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	if got := read(t, spec.Err); got != "careful\n" {
		t.Errorf("said %q", got)
	}
	if e.Bytes != int64(len(want)+len("careful\n")) {
		t.Errorf("%d bytes", e.Bytes)
	}
	got, found, err := Reap(context.Background(), spec.State, spec.Run)
	if err != nil || !found || got.Code != 3 || !got.Started.Equal(e.Started) {
		t.Errorf("afterwards: %+v, %v, %v", got, found, err)
	}
	left, err := os.ReadDir(spec.State)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		if strings.HasPrefix(f.Name(), ".") {
			t.Errorf("%s is left behind", f.Name())
		}
	}
	// Another program in the same place adds to what is there, and ends in its own way.
	spec.Argv, spec.Stdin = append(spec.Argv[:2:2], "say=again"), nil
	if e := run(t, spec); !e.OK() {
		t.Errorf("the second ended as %+v", e)
	}
	if got := read(t, spec.Out); got != want+"again\n" {
		t.Errorf("after the second: %q", got)
	}
}

func TestProgramHasNoTerminalAndNoInput(t *testing.T) {
	spec := program(t, "cat", "tty")
	spec.Err = spec.Out
	if e := run(t, spec); !e.OK() {
		t.Errorf("ended as %+v", e)
	}
	if got := read(t, spec.Out); !strings.Contains(got, "/dev/tty") {
		t.Errorf("printed %q, want that /dev/tty cannot be opened", got)
	}
}

func TestProgramThatNeverReadsItsInput(t *testing.T) {
	t.Parallel()
	spec := program(t, "say=done")
	spec.Stdin = bytes.Repeat([]byte("x"), 4<<20)
	if e := run(t, spec); !e.OK() {
		t.Errorf("ended as %+v", e)
	}
}

func TestProgramThatCannotBeStarted(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"unknown":   func(s *Spec) { s.Argv = []string{"vespe-no-such-program"} },
		"directory": func(s *Spec) { s.Argv = []string{s.Dir} },
		"plain file": func(s *Spec) {
			s.Argv = []string{"./text"}
			if err := os.WriteFile(filepath.Join(s.Dir, "text"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"no directory":          func(s *Spec) { s.Dir = filepath.Join(s.Dir, "none") },
		"output is a directory": func(s *Spec) { s.Out = s.Dir },
		"output is a pipe": func(s *Spec) {
			if err := syscall.Mkfifo(s.Out, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := program(t, "say=hello")
			change(&spec)
			if e := run(t, spec); e.Why != NotStarted || e.Detail == "" || e.Code != -1 {
				t.Errorf("ended as %+v", e)
			}
		})
	}
}

func TestSpecsThatAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"no run":        func(s *Spec) { s.Run = "" },
		"no argv":       func(s *Spec) { s.Argv = nil },
		"no guard":      func(s *Spec) { s.Guard = nil },
		"guard unknown": func(s *Spec) { s.Guard = []string{"/vespe-no-such-guard"} },
		"no state":      func(s *Spec) { s.State = "" },
		"relative":      func(s *Spec) { s.Dir = "here" },
	} {
		spec := program(t, "say=hello")
		change(&spec)
		if p, err := Start(context.Background(), spec); err == nil {
			t.Errorf("%s: started, ended as %+v", name, p.Exit())
		}
	}
}

func TestGuardThatIsNone(t *testing.T) {
	spec := program(t, "say=hello")
	spec.Guard = []string{"sh", "-c", "echo I am no guard >&2; exit 7"}
	e := run(t, spec)
	if e.Why != Lost || !strings.Contains(e.Detail, "exit status 7") || !strings.Contains(e.Detail, "I am no guard") {
		t.Errorf("ended as %+v", e)
	}
}

func TestProgramEndedByASignal(t *testing.T) {
	e := run(t, program(t, "die="+strconv.Itoa(int(syscall.SIGKILL))))
	if e.Code != -1 || e.Signal != "killed" || e.Why != "" {
		t.Errorf("ended as %+v", e)
	}
}

func TestLimits(t *testing.T) {
	soon, now := 200*time.Millisecond, time.Duration(0)
	for _, c := range []struct {
		name   string
		args   []string
		limits Limits
		why    string
		signal string
	}{
		{"wall", []string{"say=hello", "hang"}, Limits{Wall: soon, Grace: time.Minute}, WallLimit, "terminated"},
		{"wall, without an output", []string{"mute", "hang"}, Limits{Wall: soon, Grace: time.Minute}, WallLimit, "terminated"},
		{"wall, deaf", []string{"deaf", "hang"}, Limits{Wall: soon, Grace: soon}, WallLimit, "killed"},
		{"wall, no grace", []string{"hang"}, Limits{Wall: soon, Grace: now}, WallLimit, "killed"},
		{"wall, stopped", []string{"stopped", "hang"}, Limits{Wall: soon, Grace: time.Minute}, WallLimit, "terminated"},
		{"wall, floods", []string{"flood"}, Limits{Wall: soon, Grace: time.Minute}, WallLimit, "terminated"},
		{"silence", []string{"say=hello", "hang"}, Limits{Silence: soon, Grace: time.Minute}, SilenceLimit, "terminated"},
		{"output", []string{"flood"}, Limits{Output: 100_000, Grace: time.Minute}, OutputLimit, "terminated"},
		{"output, deaf", []string{"deaf", "flood"}, Limits{Output: 100_000, Grace: soon}, OutputLimit, "killed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var spec Spec
			var e Exit
			for wall := c.limits.Wall; ; wall *= 2 {
				spec = program(t, c.args...)
				spec.Limits = c.limits
				spec.Limits.Wall = wall
				if strings.HasSuffix(c.name, "floods") {
					spec.Out = ""
				}
				e = run(t, spec)
				// A program that had no time to become deaf is given more.
				if c.args[0] != "deaf" || e.Why != WallLimit || e.Signal == c.signal || wall > hung {
					break
				}
			}
			if e.Why != c.why || e.Detail == "" || e.Code != -1 || e.Signal != c.signal {
				t.Errorf("ended as %+v", e)
			}
			if n := int64(len(read(t, spec.Out))); c.limits.Output > 0 && (n != c.limits.Output || e.Bytes-e.Dropped != n || e.Dropped == 0) {
				t.Errorf("kept %d bytes: %+v", n, e)
			}
		})
	}
}

func TestOutputKeepsSilenceAway(t *testing.T) {
	t.Parallel()
	// On a busy machine even a program that ticks may be silent for a second or two.
	for silence := time.Second; ; silence *= 2 {
		spec := program(t, fmt.Sprint("tick=", 4*silence/3/(20*time.Millisecond)))
		spec.Limits.Silence = silence
		if e := run(t, spec); e.OK() {
			return
		} else if e.Why != SilenceLimit || silence > 16*time.Second {
			t.Fatalf("ended as %+v", e)
		}
	}
}

func TestOutputWithinItsLimitIsWhole(t *testing.T) {
	t.Parallel()
	spec := program(t, "flood=1000", "warn=end")
	spec.Err = spec.Out
	spec.Limits.Output = 1000<<10 + 4
	if e := run(t, spec); !e.OK() || e.Dropped != 0 {
		t.Errorf("ended as %+v", e)
	}
	if got := read(t, spec.Out); len(got) != 1000<<10+4 || !strings.HasSuffix(got, "e\nend\n") {
		t.Errorf("%d bytes", len(got))
	}
}

// Somebody who cannot be ended holds the pipe.
func TestOutputThatIsHeldOpen(t *testing.T) {
	t.Parallel()
	spec := program(t)
	path := filepath.Join(spec.Dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	given := make(chan *net.UnixConn, 1)
	go func() {
		c, err := l.AcceptUnix()
		if err != nil {
			t.Error(err)
		}
		given <- c
	}()
	spec.Argv = []string{os.Args[0], "__worker", "say=hello", "give=" + path}
	p := start(t, spec)
	c := <-given
	defer c.Close()
	rights := make([]byte, syscall.CmsgSpace(4))
	_, n, _, _, err := c.ReadMsgUnix(make([]byte, 1), rights)
	if err != nil || n == 0 {
		t.Fatalf("%d, %v: %s", n, err, read(t, spec.Out))
	}
	if e := p.Exit(); e.Code != 0 || e.Why != "" || !strings.Contains(e.Detail, "holds its output") {
		t.Errorf("ended as %+v", e)
	}
	if got := read(t, spec.Out); got != "hello\n" {
		t.Errorf("printed %q", got)
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:n])
	if err != nil {
		t.Fatal(err)
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		syscall.Close(fd)
	}
}

func TestOutputThatCannotBeKept(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil || runtime.GOOS != "linux" {
		t.Skip("no full device here")
	}
	o := newOutput(0)
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	o.take(f, []byte("hello"))
	o.take(f, []byte("hello"))
	select {
	case why := <-o.over:
		if !strings.Contains(why, "no space") {
			t.Errorf("said %q", why)
		}
	default:
		t.Error("nothing was said")
	}
	if o.bytes != 10 || o.dropped != 10 {
		t.Errorf("%d bytes, %d dropped", o.bytes, o.dropped)
	}
}
