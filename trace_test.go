package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// traced runs the program under strace and returns the programs that were started and the
// paths outside root that were opened.
func traced(t *testing.T, root string, env []string, args ...string) (started, opened []string) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	strace := append([]string{"-f", "-qq", "-s", "4096", "-y", "-e", "trace=execve,execveat,open,openat,openat2,connect", "-o", trace, binary(t), "-C", root}, args...)
	cmd := exec.Command("strace", strace...)
	cmd.Env, cmd.Dir = env, root
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() > 64 { //nolint:errorlint // straight from Run
			t.Fatalf("vespe %q: %v\n%s", args, err, &out)
		}
	}
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(b), "\n") {
		m := call.FindStringSubmatch(line)
		switch {
		case m == nil:
		case strings.HasPrefix(m[1], "exec"), m[1] == "connect":
			started = append(started, line)
		case filepath.IsAbs(m[3]):
			opened = append(opened, m[3])
		default: // relative to a descriptor, which -y names
			opened = append(opened, filepath.Join(m[2], m[3]))
		}
	}
	opened = slices.DeleteFunc(opened, func(path string) bool {
		return path == root || strings.HasPrefix(path, root+"/") || strings.HasPrefix(path, "/proc/self/") || strings.HasPrefix(path, "/sys/")
	})
	slices.Sort(opened)
	return started, slices.Compact(opened)
}

// 1234 openat(AT_FDCWD</root>, "name", …
var call = regexp.MustCompile(`^\d+ +(\w+)\((?:\w+<([^>]*)>, )?"([^"]*)"`)

// hostileStore is a clone as an attacker would make it: everything in it that could lead
// outside, or have something run, does.
func hostileStore(t *testing.T, vespe func(args ...string)) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "clone")
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.json")
	put := func(path, body string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(secret, `{"uid":"tsk-1234","name":"secret"}`)
	vespe("init", root)
	put(filepath.Join(root, "o.md"), "objective\n")
	for _, name := range []string{"A", "B", "C", "D"} {
		vespe("-C", root, "new", name, "--objective", filepath.Join(root, "o.md"))
		vespe("-C", root, "define-plan", name, "plan of "+name)
	}
	tasks, err := filepath.Glob(filepath.Join(root, ".vespe", "tasks", "*"))
	if err != nil || len(tasks) != 4 {
		t.Fatal(tasks, err)
	}
	for i, link := range []string{"plan.md", "persistent/evil.json", "result", "status.json"} {
		path := filepath.Join(tasks[i], link)
		_ = os.RemoveAll(path)
		to := secret
		if link == "result" {
			to = outside
		}
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		".vespe/tasks/tsk-linked": outside, ".vespe/hitl_queue/evil.json": secret, ".vespe/reflections": outside,
		".vespe/rules": outside, ".vespe/milestones.json": secret, ".vespe/guidelines.txt": secret, ".project-config.json": secret,
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	evil := filepath.Join(root, "evil")
	put(evil, "#!/bin/sh\ntouch "+filepath.Join(outside, "owned")+"\n")
	put(filepath.Join(root, "bin", "git"), read(t, evil))
	put(filepath.Join(root, ".vespe", "config.json"), `{"git":{"mode":"branch"},"worker":{"argv":["`+evil+`"]},"editor":"`+evil+`","pager":"`+evil+`","hooks":{"post":"`+evil+`"}}`)
	put(filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
	put(filepath.Join(root, ".git", "config"), "[core]\n\tfsmonitor = "+evil+"\n\thooksPath = ..\n\tpager = "+evil+"\n[include]\n\tpath = "+secret+"\n")
	return root
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Until it is trusted a store has nothing started and nothing opened outside its root that
// an empty store of one's own would not.
func TestAHostileCloneReachesNothing(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	mine := append(os.Environ(), "HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir(), "USER=ann")
	vespe := func(args ...string) {
		t.Helper()
		cmd := exec.Command(binary(t), args...)
		cmd.Env = mine
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("vespe %q: %v\n%s", args, err, out)
		}
	}
	hostile := hostileStore(t, vespe)
	empty := filepath.Join(t.TempDir(), "empty")
	vespe("init", empty)
	state := t.TempDir() // where neither is trusted
	env := append(os.Environ(), "HOME="+t.TempDir(), "XDG_STATE_HOME="+state, "USER=ann", "EDITOR=vi", "PATH="+filepath.Join(hostile, "bin")+":"+os.Getenv("PATH"))
	_, usual := traced(t, empty, env, "ls")
	_, writing := traced(t, empty, env, "new", "X", "--objective", "-")
	usual = append(usual, writing...)
	for _, args := range [][]string{
		{},
		{"ls"},
		{"tree"},
		{"show", "A"},
		{"show", "C"},
		{"show", "D"},
		{"history", "B"},
		{"inbox"},
		{"next"},
		{"doctor"},
		{"rename", "A", "A2"},
		{"set", "B", "labels+=x"},
		{"define-plan", "C", "another plan"},
		{"accept-plan", "C"},
		{"import", "beads", "o.md"},
	} {
		started, opened := traced(t, hostile, env, args...)
		if len(started) != 1 {
			t.Errorf("vespe %q started %q", args, started)
		}
		for _, path := range opened {
			if !slices.Contains(usual, path) && !strings.HasPrefix(path, state) {
				t.Errorf("vespe %q opened %s", args, path)
			}
		}
	}
	// The same look sees a file that is opened, and git, when the store is trusted.
	if _, opened := traced(t, empty, env, "import", "beads", filepath.Join(hostile, "o.md")); !slices.Contains(opened, filepath.Join(hostile, "o.md")) {
		t.Errorf("a file that was given is not among %q", opened)
	}
	trusting := append(slices.Clone(mine), "PATH="+os.Getenv("PATH"))
	vespe("-C", empty, "new", "Y", "--objective", filepath.Join(hostile, "o.md"))
	if err := os.WriteFile(filepath.Join(empty, ".vespe", "config.json"), []byte(`{"git":{"mode":"ref"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if started, _ := traced(t, empty, trusting, "rename", "Y", "Z"); len(started) < 2 {
		t.Errorf("a trusted store with git.mode started %q", started)
	}
}
