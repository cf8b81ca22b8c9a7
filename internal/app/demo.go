package app

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vespe/interop/demo"
	"vespe/store"
)

// gitInit makes a directory a repository and commits what is in it but for the store, without a look at what the
// person has set for repositories of their own.
func gitInit(ctx context.Context, environ []string, dir string) error {
	if _, err := exec.LookPath("git"); err != nil {
		return fmt.Errorf("the live demo works in a git repository: %w", err)
	}
	for _, args := range [][]string{
		{"init", "-q", "--template="}, {"symbolic-ref", "HEAD", "refs/heads/main"}, {"add", "-A", ":!" + store.Name}, {"commit", "-q", "-m", "ledgerline: amounts and journals"},
	} {
		what := args[0]
		args = append([]string{
			"-C", dir, "-c", "user.name=ann", "-c", "user.email=ann@vespe.invalid", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null",
			"-c", "core.autocrlf=false", "-c", "core.excludesFile=", "-c", "core.fsmonitor=false",
		}, args...)
		cmd := exec.CommandContext(ctx, "git", args...)
		for _, kv := range environ {
			if !strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, "GIT_CONFIG") {
				cmd.Env = append(cmd.Env, kv)
			}
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w %s", what, err, bytes.TrimSpace(out))
		}
	}
	info := filepath.Join(dir, ".git", "info") // so that what the loop does to the store is not what git status is about
	if err := os.MkdirAll(info, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(info, "exclude"), []byte("/"+store.Name+"/\n"), 0o644)
}

// maxDemoPrompt is how much of its prompt the scripted worker reads, in bytes.
const maxDemoPrompt = 1 << 20

// demoWorker is the scripted worker of the live demo, in a run of it.
func demoWorker(args []string) int {
	set := flag.NewFlagSet(demo.WorkerVerb, flag.ContinueOnError)
	pace := set.Float64("pace", 1, "")
	self, err := os.Executable()
	prompt, rerr := io.ReadAll(io.LimitReader(os.Stdin, maxDemoPrompt))
	if err = errors.Join(err, rerr, set.Parse(args)); err == nil && os.Getenv("VESPE_RUN_ID") == "" {
		err = errors.New("this worker runs only for `vespe demo --live`")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err == nil {
		w := demo.Worker{
			Prompt: prompt, Dir: os.Getenv("VESPE_WORKTREE"), Vespe: self, Task: os.Getenv("VESPE_TASK"), Out: os.Stdout, Pace: *pace,
			Wait: pauseFor, Exec: runIn(os.Getenv("VESPE_WORKTREE")),
		}
		err = errors.Join(w.Work(ctx), ctx.Err())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "vespe "+demo.WorkerVerb+":", err)
		return 1
	}
	return 0
}

// pauseFor waits.
func pauseFor(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// runIn runs commands in a directory.
func runIn(dir string) func(context.Context, []string) (string, int, error) {
	return func(ctx context.Context, argv []string) (string, int, error) {
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // what the script of the demo says
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return string(out), exit.ExitCode(), nil
		}
		return string(out), 0, err
	}
}
