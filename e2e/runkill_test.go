package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A loop that is killed with the program leaves a store with which the next one continues: each task is integrated
// once, and nothing of any run lives on. engine has the same test of many more kills, of the loop without the program.
func TestKilledWhileItRuns(t *testing.T) {
	const tasks, kills = 6, 4
	for _, name := range []string{"git", "make"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatal(err)
		}
	}
	dir, home := t.TempDir(), t.TempDir()
	mark := "RUNKILL_TEST=" + home
	env := append(os.Environ(), "HOME="+home, "USER=ann", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"XDG_CONFIG_HOME="+filepath.Join(home, "config"), "XDG_STATE_HOME="+filepath.Join(home, "state"), mark)
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
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := letScriptsDecide(filepath.Join(home, "config")); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(home, "config", "vespe", "config.toml")
	had, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	write(settings, string(had)+"\n[worker]\nuse = \"mine\"\n\n[workers.mine]\nargv = [\"sh\", \""+filepath.Join(home, "agent.sh")+"\"]\n")
	write(filepath.Join(home, "agent.sh"), "echo done > \"$VESPE_TASK.txt\"\n")
	write(filepath.Join(home, "text.md"), "# It\n\nMake it so.\n")
	write(filepath.Join(dir, "Makefile"), ".PHONY: test\ntest:\n\t@! grep -L done *.txt | grep .\n")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.name", "Ann"}, {"config", "user.email", "a@b"}, {"add", "-A"}, {"commit", "-q", "-m", "begin"}} {
		run("git", args...)
	}
	vespe := binary(t)
	run(vespe, "init")
	var want []string
	for i := range tasks {
		name := fmt.Sprint("Task-", i)
		want = append(want, name)
		run(vespe, "new", name, "--objective", filepath.Join(home, "text.md"))
		run(vespe, "define-plan", name, "--file", filepath.Join(home, "text.md"))
		run(vespe, "set", name, "max_attempts=1") // no kill costs one
		run(vespe, "accept-plan", name)
	}
	killed := 0
	for range kills {
		cmd := exec.Command(vespe, "run", "--until-idle")
		cmd.Env, cmd.Dir = env, dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(100+rand.IntN(400))*time.Millisecond, func() { _ = cmd.Process.Kill() }) // whenever that is
		if cmd.Wait() != nil {
			killed++
		}
		timer.Stop()
	}
	t.Logf("killed %d of %d", killed, kills)
	said := exec.Command(vespe, "run", "--until-idle")
	said.Env, said.Dir = env, dir
	out, err := said.CombinedOutput()
	if err != nil {
		t.Errorf("a kill cost an attempt: %v\n%s", err, out)
	}
	got := strings.Fields(run("git", "log", "--format=%s", "main..vespe/integration"))
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("integrated: %v\n%s", got, out)
	}
	if n := strings.Count(run("git", "worktree", "list"), "\n"); n != 0 {
		t.Errorf("%d worktrees are left\n%s", n, out)
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return // another system: engine/proc tests its own
	}
	for _, e := range entries {
		if its, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ")); err == nil && strings.Contains(string(its), mark) {
			cmd, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			t.Errorf("process %s still runs: %q", e.Name(), cmd)
		}
	}
}
