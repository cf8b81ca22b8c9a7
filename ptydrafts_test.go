package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
		x.see("Ledger core")
		x.press("/Parse OFX\r")
		x.see("Waits for a person")
		return x
	}
	x := open()
	x.press("\x1b3\t")
	x.see("plan, revision")
	x.press("jjc")
	x.see("On line")
	x.press("is the rate the day's, or ")
	kept := func() string {
		files, _ := filepath.Glob(filepath.Join(state, "vespe", "drafts", "*", "*.json"))
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), "the day's, or ") {
				return f
			}
		}
		return ""
	}
	for limit := time.Now().Add(10 * time.Second); kept() == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("nothing is kept; the screen is\n%s", x.see(""))
		}
	}
	if err := x.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = x.cmd.Wait() // killed
	if in, err := os.Stat(kept()); err != nil || in.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v (%v)", in.Mode(), err)
	}
	y := open()
	y.press("\x1b3\t")
	y.see("is the rate the day's, or")
	y.see("draft comment")
}
