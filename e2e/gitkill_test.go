package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A program that is killed while git records leaves a history that the next one completes:
// every transition once, in order, and a repository in which nothing looks changed.
func TestKilledWhileGitRecords(t *testing.T) { killWhileGitRecords(t, 3) }

func killWhileGitRecords(t *testing.T, rounds int) {
	t.Helper()
	for _, mode := range []string{"ref", "branch"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			env := append(os.Environ(), "HOME="+t.TempDir(), "USER=ann", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
				"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=b")
			run := func(name string, args ...string) string {
				t.Helper()
				cmd := exec.Command(name, args...)
				cmd.Env, cmd.Dir = env, dir
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s %q: %v\n%s", name, args, err, out)
				}
				return strings.TrimSpace(string(out))
			}
			run("git", "init", "-q", "-b", "main")
			run("git", "commit", "-q", "--allow-empty", "-m", "first")
			vespe := binary(t)
			run(vespe, "init")
			config := filepath.Join(dir, ".vespe", "config.json")
			if err := os.WriteFile(config, []byte(`{"git":{"mode":"`+mode+`"}}`), 0o644); err != nil {
				t.Fatal(err)
			}
			const objective = "o.md"
			if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte(objective+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, objective), []byte("o\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			run(vespe, "new", "A", "--objective", objective)
			whole := time.Since(began)
			killed := 0
			for i := range rounds {
				cmd := exec.Command(vespe, "set", "A", fmt.Sprint("labels+=l", i))
				cmd.Env, cmd.Dir = env, dir
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				// Spread over the whole of a run: the moment of the kill is the test.
				timer := time.AfterFunc(whole*3/2*time.Duration(i)/time.Duration(rounds), func() { _ = cmd.Process.Kill() })
				if cmd.Wait() != nil {
					killed++
				}
				timer.Stop()
			}
			if killed == 0 {
				t.Fatal("nobody was killed")
			}
			if out := run(vespe, "set", "A", "labels+=last"); strings.Contains(out, "warning") {
				t.Errorf("it ends with %s", out)
			}
			recordedWhole(t, dir, mode, run)
			t.Logf("%d of %d were killed", killed, rounds)
		})
	}
}

// recordedWhole expects every entry of the log as a commit, in order, and nothing left lying about.
func recordedWhole(t *testing.T, dir, mode string, run func(name string, args ...string) string) {
	t.Helper()
	ref := map[string]string{"ref": "refs/vespe/history", "branch": "main"}[mode]
	last := 0
	for _, text := range strings.Fields(run("git", "log", "--reverse", "--format=%(trailers:key=Vespe-Seq,valueonly)", ref)) {
		n, err := strconv.Atoi(text)
		if err != nil || n != last+1 && last+n > 0 {
			t.Fatalf("entry %s follows entry %d", text, last)
		}
		last = n
	}
	logged, err := filepath.Glob(filepath.Join(dir, ".vespe", "log", "*.json"))
	if err != nil || last != len(logged) {
		t.Fatalf("%d of %d entries are recorded: %v", last, len(logged), err)
	}
	run("git", "fsck", "--strict")
	for _, name := range []string{"index.lock", "vespe-index-*"} {
		if left, err := filepath.Glob(filepath.Join(dir, ".git", name)); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
	if mode == "branch" {
		if out := run("git", "status", "--porcelain"); out != "" {
			t.Errorf("the status is\n%s", out)
		}
	}
}
