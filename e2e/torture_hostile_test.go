//go:build torture && linux

package e2e

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// askedName is how git is asked for the person's name, as strace prints its arguments.
const askedName = `", "-c", "core.hooksPath=/dev/null", "config", "--includes", "--get", "user.name"]`

// trace is what a run of the program did: the programs that it started, connections included,
// and the paths outside the root that it opened.
type trace struct {
	started, opened []string
	out             string
	code            int
}

// straced are the arguments of strace before a program's.
func straced(to string) []string {
	return []string{"-f", "-qq", "-s", "4096", "-y", "-e", "trace=execve,execveat,open,openat,openat2,connect", "-e", "signal=none", "-o", to}
}

// traced runs the program under strace.
func traced(t testing.TB, root string, env []string, args ...string) trace {
	t.Helper()
	to := filepath.Join(t.TempDir(), "trace")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // 10,000 tasks, each call of them traced
	defer cancel()
	limit := []string{"-c", fmt.Sprintf(`ulimit -d %d && exec strace "$@"`, memoryLimit>>10), "sh"}
	cmd := exec.CommandContext(ctx, "sh", append(append(limit, straced(to)...), append([]string{binary(t), "-C", root}, args...)...)...)
	cmd.Env, cmd.Dir = env, root
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("vespe %q: %v %v", args, err, ctx.Err())
	}
	tr := trace{out: string(out), code: cmd.ProcessState.ExitCode()}
	tr.read(t, to, root)
	return tr
}

// read reads what strace wrote.
func (tr *trace) read(t testing.TB, from, root string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(b), "\n") {
		m := call.FindStringSubmatch(line)
		switch {
		case m == nil:
		case strings.Contains(line, askedName) && !strings.Contains(line, root): // of the machine and the person; it reads nothing of a repository
		case strings.HasPrefix(m[1], "exec"), m[1] == "connect":
			tr.started = append(tr.started, line)
		case filepath.IsAbs(m[3]):
			tr.opened = append(tr.opened, filepath.Clean(m[3]))
		default: // relative to a descriptor, which -y names
			tr.opened = append(tr.opened, filepath.Join(m[2], m[3]))
		}
	}
	tr.opened = slices.DeleteFunc(tr.opened, func(path string) bool {
		return path == root || strings.HasPrefix(path, root+"/") || strings.HasPrefix(path, "/proc/self/") || strings.HasPrefix(path, "/sys/")
	})
	slices.Sort(tr.opened)
	tr.opened = slices.Compact(tr.opened)
}

// 1234 openat(AT_FDCWD</root>, "name", …
var call = regexp.MustCompile(`^\d+ +(\w+)\((?:\w+<([^>]*)>, )?"([^"]*)"`)

// tracedWorkbench opens the workbench in a terminal under strace and goes through its views.
func tracedWorkbench(t *testing.T, root string, env []string) trace {
	t.Helper()
	to, wrapper := filepath.Join(t.TempDir(), "trace"), filepath.Join(t.TempDir(), "strace")
	program := filepath.Join(filepath.Dir(binary(t)), part) // which the light one starts in its place
	script := "#!/bin/sh\nulimit -d " + fmt.Sprint(memoryLimit>>10) + "\nexec strace " + strings.Join(straced(to), " ") + " " + program + " \"$@\"\n"
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	x := openStore(t, wrapper, root, 120, 40, env...)
	for _, keys := range []string{"", "j", "\r", "4", "6", "1", "G"} {
		if x.settles(keys) {
			break
		}
	}
	code, raw := x.leave()
	tr := trace{out: raw, code: code}
	tr.read(t, to, root)
	return tr
}

// leave presses ^c until the program ends: what is open in it closes first.
func (x *terminal) leave() (code int, raw string) {
	x.t.Helper()
	for range 5 {
		x.mu.Lock()
		ended := x.eof || strings.Contains(x.raw.String(), "\x1b[?1049l") // it has given the terminal back
		x.mu.Unlock()
		if ended {
			break
		}
		// A program that has ended takes no more keys.
		_, _ = x.tty.WriteString("\x03")
		limit := time.After(3 * time.Second) // another one is a signal, once the program has left
		for waiting := true; waiting; {
			select {
			case <-x.news:
				x.mu.Lock()
				waiting = !x.eof
				x.mu.Unlock()
			case <-limit:
				waiting = false
			}
		}
	}
	return x.end()
}

// settles presses keys and waits until nothing has been drawn for a while. It reports whether
// the program has ended.
func (x *terminal) settles(keys string) (ended bool) {
	x.t.Helper()
	// A program that has ended takes no more keys.
	_, _ = x.tty.WriteString(keys)
	limit := time.After(30 * time.Second)
	for {
		x.mu.Lock()
		screen := ansi.Strip(x.em.Render())
		ended = x.eof
		x.mu.Unlock()
		if ended {
			return true
		}
		quiet := 200 * time.Millisecond
		if strings.TrimSpace(screen) == "" {
			quiet = 20 * time.Second
		}
		select {
		case <-x.news:
		case <-time.After(quiet):
			return false
		case <-limit:
			x.t.Fatalf("it draws without end:\n%s", screen)
		}
	}
}

// untrustedVerbs are what somebody does with a store that they were given.
var untrustedVerbs = [][]string{
	{"ls"},
	{"ls", "--fresh"},
	{"tree"},
	{"show", "Alpha"},
	{"next"},
	{"inbox"},
	{"history"},
	{"history", "Alpha"},
	{"doctor"},
	{"verify"},
	{"set", "Gamma", "labels+=x"},
	{"define-plan", "Alpha", "Another one."},
	{"accept-plan", "Alpha"},
}

// memoryLimit is how much memory that it writes to a process may have. A Go program that wants
// more ends with exit code 2.
const memoryLimit = 256 << 20

// secret stands in what lies outside of the hostile stores.
const secret = "SECRET-6d1f"

// hostileEnv is the environment of a person who trusts none of it.
func hostileEnv(t testing.TB, root string) []string {
	t.Helper()
	home := t.TempDir()
	return []string{
		"HOME=" + home, "XDG_STATE_HOME=" + home + "/state", "XDG_CONFIG_HOME=" + home + "/config", "XDG_CACHE_HOME=" + home + "/cache", "USER=ann", "EDITOR=vi",
		"TERM=xterm-256color", "NO_COLOR=", "TMPDIR=" + os.TempDir(), "PATH=" + filepath.Join(root, "bin") + ":" + os.Getenv("PATH"),
	}
}

// TestTortureHostileTrees gives the program stores in which everything that could lead outside,
// block, or have something run does. Until such a store is trusted nothing is started for it,
// nothing outside is opened that an empty store of one's own does not open too, and nothing of
// what lies outside is shown or changed. It always comes to an end, and it never panics.
func TestTortureHostileTrees(t *testing.T) {
	needRoot(t) // for devices and other owners
	empty := filepath.Join(memoryDir(t), "empty")
	env := hostileEnv(t, empty)
	must(t, filepath.Dir(empty), "init", empty)
	usual := map[string]bool{}
	for _, args := range untrustedVerbs {
		for _, path := range traced(t, empty, env, args...).opened {
			usual[path] = true
		}
	}
	for _, path := range tracedWorkbench(t, empty, env).opened {
		usual[path] = true
	}
	template := hostileTemplate(t)
	var runs atomic.Int64
	t.Run("trees", func(t *testing.T) {
		for _, h := range hostileTrees() {
			t.Run(h.name, func(t *testing.T) {
				t.Parallel()
				base := memoryDir(t)
				root, outside := filepath.Join(base, "clone"), filepath.Join(base, "outside")
				copyStore(t, template, root)
				by := &hand{t: t, root: root, outside: outside, tasks: taskDirs(t, root)}
				by.outsiders()
				h.lay(by)
				before := stampAll(t, outside)
				env := hostileEnv(t, root)
				look := func(args []string, tr trace) {
					runs.Add(1)
					if len(tr.started) != 1 {
						t.Errorf("vespe %q started %q", args, tr.started)
					}
					for _, path := range tr.opened {
						if !usual[path] && !strings.HasPrefix(path, filepath.Dir(env[0][len("HOME="):])) {
							t.Errorf("vespe %q opened %s", args, path)
						}
					}
					if strings.Contains(tr.out, secret) {
						t.Errorf("vespe %q showed what lies outside: %s", args, tr.out)
					}
					if tr.code < 0 || tr.code == 2 || strings.Contains(tr.out, "goroutine ") {
						t.Errorf("vespe %q: exit code %d: %s", args, tr.code, tr.out)
					}
				}
				for _, args := range untrustedVerbs {
					look(args, traced(t, root, env, args...))
				}
				look(nil, tracedWorkbench(t, root, env))
				if after := stampAll(t, outside); after != before {
					t.Errorf("what lies outside has changed:\n%s\n%s", before, after)
				}
			})
		}
	})
	t.Logf("%d trees, %d runs: nothing started, nothing outside opened but %d paths of the system", len(hostileTrees()), runs.Load(), len(usual))
}

// stampAll is what lies below a directory.
func stampAll(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		in, err := d.Info()
		if err != nil {
			return err
		}
		if in.Mode().IsRegular() {
			fmt.Fprintln(&b, path, in.Size(), in.ModTime())
		} else {
			fmt.Fprintln(&b, path, in.Mode())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTortureTracesSee: what the test above looks for it would find: a file that is opened, and git
// where the store is trusted.
func TestTortureTracesSee(t *testing.T) {
	base := memoryDir(t)
	root, elsewhere := filepath.Join(base, "store"), filepath.Join(base, "o.md")
	writeFile(t, elsewhere, "objective\n")
	must(t, base, "init", root)
	env := append(hostileEnv(t, root), "XDG_STATE_HOME="+os.Getenv("XDG_STATE_HOME"), "XDG_CONFIG_HOME="+os.Getenv("XDG_CONFIG_HOME")) // where it is trusted
	if tr := traced(t, root, env, "new", "Y", "--objective", elsewhere); !slices.Contains(tr.opened, elsewhere) {
		t.Errorf("a file that was given is not among %q", tr.opened)
	}
	if out, err := exec.Command("git", "-C", root, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	writeFile(t, filepath.Join(root, ".vespe", "config.json"), `{"git":{"mode":"ref"}}`)
	if tr := traced(t, root, env, "rename", "Y", "Z"); len(tr.started) < 2 {
		t.Errorf("a trusted store with git.mode started %q: %s", tr.started, tr.out)
	}
	if tr := tracedWorkbench(t, root, env); !strings.Contains(tr.out, "Z") || len(tr.started) != 1 {
		t.Errorf("the workbench under strace: %q", tr.started)
	}
}
