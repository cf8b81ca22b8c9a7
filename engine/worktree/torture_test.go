//go:build torture

package worktree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const tortureRuns = 40

func init() { helpers["drive"] = driveAll } //nolint:gochecknoinits // TestMain is in a file without the tag

// driveAll drives all runs to their end, beside others that do the same.
func driveAll() int {
	r, err := Open(context.Background(), os.Getenv("WORKTREE_TOP"), os.Getenv("WORKTREE_STATE"), storeID, gitEnv())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	f := &fix{Repo: r}
	for begun := time.Now(); time.Since(begun) < time.Minute; {
		err = nil
		for i := range tortureRuns {
			e := f.drive(context.Background(), fmt.Sprint("run-", i), func() {})
			if e != nil {
				err = fmt.Errorf("run-%d: %w", i, e)
			}
		}
		if err == nil {
			return 0
		}
	}
	fmt.Println(err)
	return 1
}

// TestTortureKilledAtAnyStep is TestKilledAtAnyStep for every step.
func TestTortureKilledAtAnyStep(t *testing.T) { killedAtSteps(t, 1) }

// Two processes that do the same are killed again and again, and leave their gits behind at
// whatever they are: every run is integrated once.
func TestTortureKilledForGood(t *testing.T) {
	f := newFix(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The kills come within three times as long as one run takes here and now.
	begun := time.Now()
	if err := f.drive(t.Context(), "run-measured", func() {}); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(begun)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute+150*whole)
	defer cancel()
	start := func() (*exec.Cmd, *strings.Builder) {
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(f.env, "WORKTREE_TEST=drive", "WORKTREE_TOP="+f.top, "WORKTREE_STATE="+f.state, "GORACE=atexit_sleep_ms=0")
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, &out
	}
	killed, rounds := 0, 0
	for killed < 60 && rounds < 200 {
		rounds++
		var at []*exec.Cmd
		for range 2 {
			cmd, _ := start()
			at = append(at, cmd)
			// The moment of the kill is the test.
			timer := time.AfterFunc(rand.N(3*whole), func() { _ = cmd.Process.Kill() })
			defer timer.Stop()
		}
		if rounds%10 == 0 {
			name := fmt.Sprint("person-", rounds)
			f.write(f.top, name, name)
			for _, args := range [][]string{{"add", name}, {"commit", "-q", "-m", name}} {
				_, _ = f.tryGit(f.top, args...) // one that finds the index locked is done with the next
			}
		}
		for _, cmd := range at {
			if cmd.Wait() != nil {
				killed++
			}
		}
	}
	pending := f.git("log", "--format=%s", "main", DefaultBranch)
	t.Logf("%d of %d were integrated", strings.Count(pending, "Work of run-"), tortureRuns)
	for _, what := range []string{"first", "second"} {
		cmd, out := start()
		if err := cmd.Wait(); err != nil {
			t.Fatalf("the %s that is left alone: %v\n%s", what, err, out)
		}
	}
	if t.Logf("%d were killed in %d rounds", killed, rounds); killed == 0 {
		t.Error("nobody was killed")
	}
	runs := []string{"run-measured"}
	for i := range tortureRuns {
		runs = append(runs, fmt.Sprint("run-", i))
	}
	f.integratedOnce(runs...)
}
