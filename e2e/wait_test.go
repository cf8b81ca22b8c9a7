package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// waiter is one `vespe wait` in a process of its own.
type waiter struct {
	*exec.Cmd
	out bytes.Buffer
}

func startWaiter(t *testing.T, bin, dir string, args ...string) *waiter {
	t.Helper()
	w := &waiter{Cmd: exec.Command(bin, append([]string{"-C", dir, "--as", "agent:claude"}, args...)...)}
	w.Stdout = &w.out
	said, err := w.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Process.Kill() }) // one that has ended no longer is one
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || !strings.HasPrefix(line, "waiting for ") {
		t.Fatalf("it says %q, %v", line, err)
	}
	return w
}

// ended is the exit code and the answer of a waiter that has to end by itself.
func (w *waiter) ended(t *testing.T) (int, string) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- w.Wait() }()
	select {
	case <-done:
	case <-time.After(stuck):
		t.Fatal("it waits for ever")
	}
	return w.ProcessState.ExitCode(), w.out.String()
}

// desk is a store with a task about which something was asked.
func desk(t *testing.T, title string) (bin, dir, id string, run func(args ...string) string) {
	t.Helper()
	bin, dir = binary(t), filepath.Join(t.TempDir(), "store")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run = func(args ...string) string {
		t.Helper()
		cmd := exec.Command(bin, append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "USER=ann")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("vespe %q: %v", args, err)
		}
		return string(out)
	}
	run("init")
	run("new", "T")
	id, _, _ = strings.Cut(run("ask", "T", "--title", title, "--key", "k"), " ")
	return bin, dir, id, run
}

// Any number may wait, one that was killed begins again, and all get the answer.
func TestWaiters(t *testing.T) {
	bin, dir, id, run := desk(t, "which port?")
	killed := startWaiter(t, bin, dir, "wait", id)
	var waiters []*waiter
	for _, args := range [][]string{{"wait", id}, {"wait", "T"}, {"wait", id, "--timeout", "5m", "--json"}, {"ask", "T", "--title", "which port?", "--key", "k", "--wait"}} {
		waiters = append(waiters, startWaiter(t, bin, dir, args...))
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if code, _ := killed.ended(t); code != -1 {
		t.Errorf("the killed one ended with %d", code)
	}
	run("answer", id, "respond", "-m", "8080")
	if out := run("wait", id); strings.TrimSpace(out) != "8080" {
		t.Errorf("begun again it says %q", out)
	}
	for i, w := range waiters {
		if code, out := w.ended(t); code != 0 || !strings.Contains(out, "8080") {
			t.Errorf("waiter %d: exit code %d, %q", i, code, out)
		}
	}
	var got struct {
		Request struct {
			Answer struct {
				FetchedBy string `json:"fetched_by"`
			}
		}
	}
	if err := json.Unmarshal([]byte(run("requests", id, "--json")), &got); err != nil || got.Request.Answer.FetchedBy != "agent:claude" {
		t.Errorf("%+v, %v", got, err)
	}
	run("undo", id) // that it was read does not take that away
}

// A store that is moved away takes the waiting with it; anyone who waits finds it when it is back,
// also when it is another copy of it.
func TestWaitingForAMovedStore(t *testing.T) {
	for name, back := range map[string]func(from, to string) error{
		"moved back": os.Rename,
		"copied back": func(from, to string) error {
			return os.CopyFS(to, os.DirFS(from))
		},
	} {
		t.Run(name, func(t *testing.T) {
			bin, dir, id, run := desk(t, "which port?")
			w := startWaiter(t, bin, dir, "wait", id)
			far := dir + "-far"
			if err := os.Rename(dir, far); err != nil {
				t.Fatal(err)
			}
			away := exec.Command(bin, "-C", far, "wait", id, "--timeout", "10ms")
			if err := away.Run(); err == nil || away.ProcessState.ExitCode() != 5 {
				t.Errorf("nobody has answered, and it ended with %v", err)
			}
			if err := back(far, dir); err != nil {
				t.Fatal(err)
			}
			run("answer", id, "respond", "-m", "8080")
			if code, out := w.ended(t); code != 0 || strings.TrimSpace(out) != "8080" {
				t.Errorf("exit code %d, %q", code, out)
			}
		})
	}
}

// Two people decide at once in two terminals: one wins, the other is told by whom and what.
func TestTwoTerminalsDecide(t *testing.T) {
	bin, dir, id, run := desk(t, "which port?")
	for round := range 5 {
		type outcome struct {
			who  string
			code int
			said string
		}
		done := make(chan outcome, 2)
		for _, who := range []string{"ann", "bob"} {
			go func() {
				cmd := exec.Command(bin, "-C", dir, "--as", "human:"+who, "answer", id, "respond", "-m", "says "+who)
				out, _ := cmd.CombinedOutput() // its exit code tells
				done <- outcome{who, cmd.ProcessState.ExitCode(), string(out)}
			}()
		}
		a, b := <-done, <-done
		if a.code != 0 {
			a, b = b, a
		}
		if a.code != 0 || b.code != 4 || !strings.Contains(b.said, "responded by human:"+a.who) || !strings.Contains(b.said, "says "+a.who) {
			t.Fatalf("round %d: %+v and %+v", round, a, b)
		}
		if got := strings.TrimSpace(run("wait", id)); got != "says "+a.who {
			t.Errorf("round %d: the answer is %q", round, got)
		}
		run("undo", id)
	}
}
