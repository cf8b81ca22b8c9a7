package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"vespe/internal/lookpath"
)

// Time bounds what git may take for one question.
const Time = 30 * time.Second

// ErrNoGit says that the PATH has no git that may be run.
var ErrNoGit = errors.New("git is not on the PATH")

// Error is a run of git that failed.
type Error struct {
	Command string // the subcommand
	Stderr  string // what git said, as it said it
	Err     error
}

func (e *Error) Error() string {
	if said := firstLine(e.Stderr); said != "" {
		return fmt.Sprintf("git %s: %s", e.Command, said)
	}
	return fmt.Sprintf("git %s: %v", e.Command, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// firstLine is the first line that says what is wrong.
func firstLine(s string) string {
	var first string
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			return rest
		}
		if first == "" {
			first = line
		}
	}
	return first
}

// runner runs git in one directory.
type runner struct {
	bin string // absolute
	dir string // absolute
	env []string
}

// refWait is how long git waits for the lock of a reference, in milliseconds.
const refWait = "100"

// options come before every subcommand. What they turn off could run a program that the
// repository names, or take the terminal.
var options = []string{
	"--no-pager",
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.pager=cat",
	"-c", "core.askPass=",
	"-c", "credential.helper=",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
	"-c", "protocol.allow=never",
	"-c", "safe.bareRepository=explicit",
	"-c", "submodule.recurse=false",
	// Every command waits for as long when a git that was killed left the lock.
	"-c", "core.filesRefLockTimeout=" + refWait,
	"-c", "core.packedRefsTimeout=" + refWait,
	// Not in batches: git moves a batch into place without looking whether that worked.
	"-c", "core.fsync=committed,reference",
	"-c", "core.fsyncMethod=fsync",
}

// kept are the variables of git that choose configuration or bound the search for a
// repository. Every other GIT_ variable is taken out.
var kept = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
}

// newRunner finds git, but none that a project brings: see lookpath.
func newRunner(environ []string, root string) (*runner, error) {
	r := &runner{dir: root}
	var path string
	for _, kv := range environ {
		key, value, _ := strings.Cut(kv, "=")
		switch {
		case key == "PATH":
			path = value
		case strings.HasPrefix(key, "GIT_") && !slices.Contains(kept, key):
			continue
		case strings.HasPrefix(key, "LC_"), key == "LANG", key == "LANGUAGE":
			continue
		}
		r.env = append(r.env, kv)
	}
	r.env = append(r.env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_OPTIONAL_LOCKS=0",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_ATTR_NOSYSTEM=1")
	if r.bin = lookpath.Find("git", path, root); r.bin == "" {
		return nil, ErrNoGit
	}
	return r, nil
}

// below reports whether a path is dir or lies below it.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// command is a run of git that is not started yet.
func (r *runner) command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.bin, append(slices.Clone(options), args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(slices.Clone(r.env), env...)
	// git removes its lock files when it is asked to end, not when it is killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// run gives git its input and returns what it printed.
func (r *runner) run(ctx context.Context, env []string, in io.Reader, args ...string) (string, error) {
	cmd := r.command(ctx, env, args...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &limited{w: &said}
	if err := cmd.Run(); err != nil {
		return out.String(), failure(ctx, args[0], said.String(), err)
	}
	return out.String(), nil
}

func failure(ctx context.Context, command, said string, err error) error {
	if ctx.Err() != nil {
		err, said = ctx.Err(), ""
	}
	return &Error{command, said, err}
}

// maxSaid is how much of what git complains about is kept.
const maxSaid = 16 << 10

// limited drops what is written after the first bytes.
type limited struct{ w *bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	l.w.Write(p[:min(len(p), maxSaid-l.w.Len())])
	return len(p), nil
}
