//go:build clients

package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// patience is how long a client may take for anything. It is far more than any needs, and less than the
// time after which a test run is given up.
const patience = 60 * time.Second

// world is a machine as a person has it who works with agents: a repository with a store that is trusted,
// and a home with the clients set up for a scripted model.
type world struct {
	t    *testing.T
	repo string
	home string
	env  []string
}

// newWorld makes one.
func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	home, err := os.MkdirTemp(install.homes, "home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Logf("a home is left: %v", err)
		}
	})
	w := &world{t: t, repo: filepath.Join(home, "repo"), home: home}
	w.env = []string{
		"PATH=" + install.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + home, "USER=ann", "TERM=xterm", "LANG=C.UTF-8",
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "XDG_STATE_HOME=" + filepath.Join(home, "state"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"TMPDIR=" + filepath.Join(home, "tmp"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES=" + home,
		// Nobody listens there, so what a client asks of the internet fails at once.
		"HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost",
	}
	for _, dir := range []string{w.repo, filepath.Join(home, "tmp")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.write("Makefile", "test:\n\t@test ! -e broken\n")
	w.run("git", "init", "-q", "-b", "main", ".")
	w.run("git", "config", "user.name", "Ann")
	w.run("git", "config", "user.email", "ann@example.org")
	w.vespe("init")
	w.run("git", "add", "-A")
	w.run("git", "commit", "-q", "-m", "begin")
	w.person("trust")
	return w
}

// write writes a file of the repository.
func (w *world) write(name, body string) {
	w.t.Helper()
	w.writeAt(filepath.Join(w.repo, name), body)
}

func (w *world) writeAt(path, body string) {
	w.t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(body), 0o644)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// read is a file of the repository; "" when it is not there.
func (w *world) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.repo, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(b)
}

// ended is how a program ended.
type ended struct {
	out, err string
	code     int
}

// cmd is a program of PATH in the repository. It is killed with everything that it started when the test
// takes too long.
func (w *world) cmd(name string, args ...string) *exec.Cmd {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	w.t.Cleanup(cancel)
	at := name
	for _, dir := range append([]string{install.bin}, filepath.SplitList(os.Getenv("PATH"))...) {
		if p := filepath.Join(dir, name); !strings.Contains(name, "/") && executable(p) {
			at = p
			break
		}
	}
	c := exec.CommandContext(ctx, at, args...) //nolint:gosec // the test's own
	c.Args[0] = name
	c.Dir, c.Env = w.repo, w.env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 5 * time.Second
	return c
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// end runs a program to its end.
func (w *world) end(c *exec.Cmd) ended {
	w.t.Helper()
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%s: %v\n%s%s", c, err, out.Bytes(), errs.Bytes())
	}
	return ended{out.String(), errs.String(), c.ProcessState.ExitCode()}
}

// started is a program that continues beside the test.
type started struct {
	*exec.Cmd
	w         *world
	out, errs *syncBuffer
	done      chan struct{}
}

// syncBuffer is what a program has printed so far.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func (w *world) start(c *exec.Cmd) *started {
	w.t.Helper()
	s := &started{Cmd: c, w: w, out: new(syncBuffer), errs: new(syncBuffer), done: make(chan struct{})}
	c.Stdout, c.Stderr = s.out, s.errs
	if err := c.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(s.done)
		_ = c.Wait()
	}()
	w.t.Cleanup(func() { s.killAll(); <-s.done })
	return s
}

// kill kills it, as a machine does that has no memory left: itself, and not what it started.
func (s *started) kill() {
	s.w.t.Helper()
	if err := s.Process.Kill(); err != nil {
		s.w.t.Fatal(err)
	}
	s.w.until(s.done, "a killed program ends")
}

// killAll kills it with what it started.
func (s *started) killAll() { _ = syscall.Kill(-s.Process.Pid, syscall.SIGKILL) }

// wait waits until it has ended by itself.
func (s *started) wait() ended {
	s.w.t.Helper()
	s.w.until(s.done, s.Args[0]+" ends")
	return ended{s.out.String(), s.errs.String(), s.ProcessState.ExitCode()}
}

// until waits for what another goroutine closes.
func (w *world) until(done <-chan struct{}, what string) {
	w.t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		w.t.Fatalf("it did not come to this in %v: %s", patience, what)
	}
}

// run runs a program that must succeed, and answers with what it printed.
func (w *world) run(name string, args ...string) string {
	w.t.Helper()
	e := w.end(w.cmd(name, args...))
	if e.code != 0 {
		w.t.Fatalf("%s %q: exit code %d\n%s%s", name, args, e.code, e.out, e.err)
	}
	return e.out
}

func (w *world) vespe(args ...string) string {
	w.t.Helper()
	return w.run("vespe", args...)
}

// code runs vespe, which must end with this exit code, and answers with all that it printed.
func (w *world) code(code int, args ...string) string {
	w.t.Helper()
	e := w.end(w.cmd("vespe", args...))
	if e.code != code {
		w.t.Fatalf("vespe %q: exit code %d, want %d\n%s%s", args, e.code, code, e.out, e.err)
	}
	return e.out + e.err
}

// object is what vespe says with --json.
func object[T any](w *world, args ...string) T {
	w.t.Helper()
	var v T
	out := w.vespe(append(slices.Clone(args), "--json")...)
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		w.t.Fatalf("vespe %q: %v\n%s", args, err, out)
	}
	return v
}

// person is a person at a terminal who runs vespe: what only a person may do can only be done so.
func (w *world) person(args ...string) string {
	w.t.Helper()
	c := w.cmd("vespe", args...)
	c.SysProcAttr = nil // the terminal makes a session of its own
	c.Cancel = nil
	term, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		w.t.Fatal(err)
	}
	defer term.Close()
	if _, err := io.WriteString(term, "y\n"); err != nil { // whatever is asked back
		w.t.Fatal(err)
	}
	var screen bytes.Buffer
	_, _ = io.Copy(&screen, term) // it ends with an error when the other side is gone
	if err := c.Wait(); err != nil {
		w.t.Fatalf("vespe %q: %v\n%s", args, err, screen.String())
	}
	return screen.String()
}

// ready makes a task with an accepted plan.
func (w *world) ready(name string) {
	w.t.Helper()
	w.planned(name)
	w.person("accept-plan", name)
}

// planned makes a task with a plan that waits for a verdict.
func (w *world) planned(name string) {
	w.t.Helper()
	w.objective(name)
	w.vespe("define-plan", name, "# Plan\n\n1. Do it.\n")
}

// objective makes a task that has no plan.
func (w *world) objective(name string) {
	w.t.Helper()
	w.writeAt(filepath.Join(w.home, "objective.md"), "Greet whoever comes.\n")
	w.vespe("new", name, "--objective", filepath.Join(w.home, "objective.md"))
}

// uid is a task's.
func (w *world) uid(name string) string {
	w.t.Helper()
	return object[struct{ Task struct{ UID string } }](w, "show", name).Task.UID
}

// config writes the person's config.toml.
func (w *world) config(body string) {
	w.t.Helper()
	w.writeAt(filepath.Join(w.home, "config", "vespe", "config.toml"), body)
}

// claudeModel points Claude Code at a scripted model.
func (w *world) claudeModel(turns ...Turn) *Script {
	w.t.Helper()
	s := Anthropic(w.t, turns...)
	w.env = append(
		w.env, "ANTHROPIC_BASE_URL="+s.URL(), "ANTHROPIC_API_KEY=sk-ant-none", "CLAUDE_CONFIG_DIR="+filepath.Join(w.home, ".claude"),
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	)
	return s
}

// codexModel points Codex at a scripted model.
func (w *world) codexModel(turns ...Turn) *Script {
	w.t.Helper()
	s := OpenAI(w.t, turns...)
	home := filepath.Join(w.home, ".codex")
	w.writeAt(filepath.Join(home, "config.toml"), `# set up by a person
model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "`+s.URL()+`/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`)
	w.env = append(w.env, "CODEX_HOME="+home, "SCRIPTED_KEY=none")
	return s
}

var here = regexp.MustCompile(`(?:working directory: |<cwd>)([^\s<]+)`)

// below is a file in the directory that a client says it is in.
func below(r *Request, name string) string {
	for _, s := range append([]string{r.System}, r.Said...) {
		if m := here.FindStringSubmatch(s); m != nil {
			return filepath.Join(m[1], name)
		}
	}
	return name
}
