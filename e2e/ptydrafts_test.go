package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// eventually waits for something beside the screen: a file, another process.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	limit, look := time.After(stuck), time.NewTicker(10*time.Millisecond)
	defer look.Stop()
	for !ok() {
		select {
		case <-look.C:
		case <-limit:
			t.Fatalf("no %s", what)
		}
	}
}

// keptIn waits for a text among the drafts of a person, and checks that they alone can read it.
func keptIn(t *testing.T, state, text string) {
	t.Helper()
	kept := ""
	eventually(t, "draft with "+text, func() bool {
		files, _ := filepath.Glob(filepath.Join(state, "vespe", "drafts", "*", "*.json"))
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), text) {
				kept = f
			}
		}
		return kept != ""
	})
	if in, err := os.Stat(kept); err != nil || in.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v (%v)", in.Mode(), err)
	}
}

// kill ends the program as nothing can be told beforehand.
func (x *terminal) kill() {
	x.t.Helper()
	if err := x.cmd.Process.Kill(); err != nil {
		x.t.Fatal(err)
	}
	_ = x.cmd.Wait() // killed
}

// What is being typed outlives the program: a comment that was not sent is on disk a moment after
// its last key, and is in its place when the plan is opened again.
func TestPtyADraftSurvivesAKill(t *testing.T) {
	t.Parallel()
	bin := binary(t)
	state := t.TempDir()
	dir := filepath.Join(t.TempDir(), "demo")
	demo := exec.Command(bin, "demo", dir, "--no-open")
	demo.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	if out, err := demo.CombinedOutput(); err != nil {
		t.Fatalf("demo: %v: %s", err, out)
	}
	open := func() *terminal {
		x := openStore(t, bin, dir, 120, 40, "XDG_STATE_HOME="+state)
		x.tasks()
		x.search("Parse OFX")
		x.see("Waits for a person")
		return x
	}
	x := open()
	x.press("]]\t")
	x.see("plan, revision")
	x.press("jj") // nothing on the screen tells which line it is: the box says that
	x.press("c")
	x.see("On line")
	x.press("is the rate the day's, or ")
	keptIn(t, state, "the day's, or ")
	x.kill()
	y := open()
	y.press("]]\t")
	y.see("is the rate the day's, or")
	y.see("draft comment")
}

// deny opens the box for the denial of a request of the inbox, as soon as it takes a key.
func (x *terminal) deny(title string) {
	x.t.Helper()
	x.see("Requests")
	x.search(title)
	x.see("asked by")
	const box, early = "the agent reads this", "just appeared"
	for {
		x.press("x")
		s := x.until("answer to the key", func(s string) bool {
			return strings.Contains(s, box) || strings.Contains(s, "Your draft") || strings.Contains(s, early)
		})
		if !strings.Contains(s, early) {
			return
		}
		x.press("d")
		x.until("another try", func(s string) bool { return !strings.Contains(s, early) })
	}
}

// Half a denial outlives the program like half a comment: the same key continues with it.
func TestPtyADenialSurvivesAKill(t *testing.T) {
	t.Parallel()
	bin, dir, id, _ := desk(t, "remove the build?")
	state := t.TempDir()
	open := func() *terminal { return openStore(t, bin, dir, 120, 40, "XDG_STATE_HOME="+state, "USER=ann") }
	x := open()
	x.deny("remove the")
	x.press("not on a Fri")
	keptIn(t, state, "not on a Fri")
	x.kill()
	y := open()
	y.deny("remove the")
	y.see("Your draft, not sent")
	y.see("not on a Fri")
	y.press("day")
	y.see("not on a Friday")
	y.press("\x13")
	y.see("Denied")
	if code, out := exit(t, bin, dir, "wait", id); code != 6 || strings.TrimSpace(out) != "not on a Friday" {
		t.Errorf("wait ends with %d and says %q", code, out)
	}
	eventually(t, "end of the draft", func() bool {
		files, _ := filepath.Glob(filepath.Join(state, "vespe", "drafts", "*", "*.json"))
		return len(files) == 0
	})
}

// exit runs a verb as an agent and returns its exit code and what it says.
func exit(t *testing.T, bin, dir string, args ...string) (int, string) {
	t.Helper()
	out, err := exec.Command(bin, append([]string{"-C", dir, "--as", "agent:claude"}, args...)...).Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	if ended != nil {
		return ended.ExitCode(), string(out)
	}
	return 0, string(out)
}

// An agent's patience ends while the person is still typing: that is no answer. What was typed goes
// on, is sent, and reaches anyone who asks again.
func TestPtyTimeoutDuringAHalfTypedRejection(t *testing.T) {
	t.Parallel()
	bin, dir, id, run := desk(t, "remove the build?")
	run("new", "Planned")
	run("define-objective", "Planned", "Make it.")
	run("define-plan", "Planned", "1. Make it.")
	x := openStore(t, bin, dir, 120, 40, "XDG_STATE_HOME="+t.TempDir(), "USER=ann")
	patience := func(what string) {
		t.Helper()
		if code, out := exit(t, bin, dir, "wait", what, "--timeout", "1s"); code != 5 || strings.Contains(out, "Friday") {
			t.Errorf("waiting for %s ends with %d and says %q", what, code, out)
		}
	}
	again := func(what, want string) {
		t.Helper()
		if code, out := exit(t, bin, dir, "wait", what, "--timeout", "5m"); code != 6 || !strings.Contains(out, want) {
			t.Errorf("waiting again for %s ends with %d and says %q", what, code, out)
		}
	}
	x.deny("remove the")
	x.press("not on")
	x.see("not on")
	patience(id)
	x.see("not on")
	x.press(" a Friday")
	x.see("not on a Friday")
	x.press("\x13")
	x.see("Denied")
	again(id, "not on a Friday")

	x.see("plan, revision 1") // the next item
	x.press("r")
	x.see("Reject plan")
	x.press("it does not")
	x.see("it does not")
	patience("Planned")
	x.see("it does not")
	x.press(" say how")
	x.see("it does not say how")
	x.press("\x13")
	x.see("ejected the plan")
	again("Planned", "it does not say how")
}
