package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vespe/model"
	"vespe/store"
)

// loopProcess is the loop of a desk as a process that can be killed. It ends when nothing is left to do.
func loopProcess(dir string) int {
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Close()
	if _, err := s.Load(context.Background(), nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	d := &desk{dir: dir, s: s, env: os.Environ(), t: &testing.T{}}
	d.opt = d.options()
	d.opt.Say = func(s Said) { fmt.Println(s.Name + ": " + s.Text) }
	sum, err := d.loop().Run(context.Background(), context.Background())
	fmt.Printf("%+v\n", sum)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// process is a loop in a process of its own.
func (d *desk) process() (c *exec.Cmd, out *strings.Builder) {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	out = &strings.Builder{}
	c = exec.Command(self, "__loop", d.dir)
	c.Env, c.Stdout, c.Stderr = d.env, out, out
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	return c, out
}

// project makes n tasks, of which each third waits for earlier ones, and every seventh fails at first.
func (d *desk) project(n int, rng *rand.Rand) []model.UID {
	var all []model.UID
	for i := range n {
		script := fmt.Sprintf("do write f%02d.txt good", i)
		if i%7 == 3 {
			script = fmt.Sprintf("do@1 write f%02d.txt bad\ndo@2 write f%02d.txt good\ndo@3 write f%02d.txt good\n", i, i, i)
			for k := 4; k < 60; k++ {
				script += fmt.Sprintf("do@%d write f%02d.txt good\n", k, i)
			}
		}
		var deps []model.UID
		if i%3 == 2 {
			for range 1 + rng.IntN(2) {
				if dep := all[rng.IntN(len(all))]; !slices.Contains(deps, dep) {
					deps = append(deps, dep)
				}
			}
		}
		all = append(all, d.task(fmt.Sprintf("task %02d", i), script, &model.Spec{MaxAttempts: 60}, deps...))
	}
	return all
}

// Whatever kills the loop, its workers or both, and whenever: every task is integrated exactly once, no
// process is left, and the tests of what came out pass.
func TestALoopThatIsKilled(t *testing.T) {
	n, kills := 20, 8
	if torture {
		n, kills = 60, 20
	}
	d := newDesk(t)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1)) //nolint:gosec // a clock is no negative number
	all := d.project(n, rng)
	var killed int
	var all2 strings.Builder
	for range kills {
		c, out := d.process()
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("the loop ended with %v:\n%s", err, out)
			}
		case <-time.After(time.Duration(50+rng.IntN(900)) * time.Millisecond): // whenever that is
			switch rng.IntN(3) {
			case 0:
				_ = c.Process.Kill()
			case 1:
				d.killWorkers(rng, 2)
				_ = c.Process.Kill()
			case 2:
				d.killWorkers(rng, 1)
				_ = c.Process.Signal(syscall.SIGKILL)
			}
			if err := <-ended; err != nil {
				killed++
			}
		}
		all2.WriteString(out.String())
	}
	t.Logf("killed %d of %d; taken up: %d", killed, kills, strings.Count(all2.String(), "is taken up"))
	for _, st := range []step{stepClaim, stepSetup, stepWork, stepWorked, stepSnapshot, stepVerified, stepIntegrate} {
		t.Logf("%s %d", st, strings.Count(all2.String(), "is taken up again at "+string(st)+"\n"))
	}
	c, out := d.process()
	if err := c.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := make([]string, 0, n)
	if strings.Contains(out.String(), "could not go on") || strings.Contains(out.String(), "left") {
		t.Log(out.String())
	}
	for i, uid := range all {
		if st := d.status(uid); st != model.StatusReviewWork {
			t.Errorf("task %02d is %s\n%s", i, st, out)
		}
		want = append(want, fmt.Sprintf("task %02d", i))
	}
	got := d.commits()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("integrated: %v", got)
	}
	tree := filepath.Join(t.TempDir(), "out")
	d.git("worktree", "add", "-q", "--detach", tree, "vespe/integration")
	check := exec.Command("make", "test")
	check.Dir = tree
	if said, err := check.CombinedOutput(); err != nil {
		t.Errorf("what came out fails: %v\n%s", err, said)
	}
	d.git("worktree", "remove", "--force", tree)
	d.nothingRuns()
	d.clean()
}

// killWorkers kills processes of the desk's runs: workers, guards, gits.
func (d *desk) killWorkers(rng *rand.Rand, most int) {
	mark := "TEST_STATE=" + d.getenv("TEST_STATE")
	entries, _ := os.ReadDir("/proc")
	rng.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	for _, e := range entries {
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !strings.Contains(string(env), mark) {
			continue
		}
		var pid int
		if _, err := fmt.Sscan(e.Name(), &pid); err == nil && pid != os.Getpid() {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				d.t.Log(err)
			}
			if most--; most == 0 {
				return
			}
		}
	}
}
