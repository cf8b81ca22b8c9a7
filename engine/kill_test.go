package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vespe/engine/worktree"
	"vespe/model"
	"vespe/store"
)

// loopProcess is the loop of a desk as a process that can be killed. It ends when nothing is left to do.
func loopProcess(dir string) int {
	s, err := store.Open(dir, store.Options{Scratch: true})
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
	d.opt.Settings.Wall = 10 * time.Second // make test of a project takes some of it on a busy machine
	l := d.loop()
	fmt.Println(begins)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	sum, err := l.Run(ctx, context.Background())
	fmt.Printf("%+v\n", sum)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

const begins = "the loop begins" // from here on what it starts may be killed

// output is what a process has printed so far.
type output struct {
	mu sync.Mutex
	b  strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// process is a loop in a process of its own.
func (d *desk) process() (c *exec.Cmd, out *output) {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	out = &output{}
	c = exec.Command(self, "__loop", d.dir)
	c.Env, c.Stdout, c.Stderr = d.env, out, out
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	return c, out
}

// project makes n tasks, of which each third waits for earlier ones. Some fail at first, some take a while or hang, some
// ask, some commit, and some write to one file, so that they conflict when they are worked on at once.
func (d *desk) project(n int, rng *rand.Rand) []model.UID {
	var all []model.UID
	for i := range n {
		file := fmt.Sprintf("f%02d.txt", i)
		good := "do write " + file + " good"
		script := good
		switch i % 10 {
		case 1:
			script = "do spin 200000\n" + good
		case 3:
			script = "do@1 write " + file + " bad\ndo>1 write " + file + " good"
		case 4, 9:
			script = fmt.Sprintf("%s\ndo append shared.txt good %02d", good, i)
		case 5:
			script = "do@1 fifo\n" + good
		case 6:
			script = good + "\ndo@1 ask which one"
		case 7:
			script = "do commit " + file + " good"
		case 8:
			script = good + "\ndo fork"
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

// answer answers what is asked, as a person would who has seen it before somebody took it back.
func (d *desk) answer() {
	d.t.Helper()
	// As the loop says of a branch, which other gits may be moving, too.
	_ = os.Remove(filepath.Join(d.dir, ".git", "refs", "heads", worktree.DefaultBranch+".lock"))
	for _, q := range d.snap().Requests() {
		if !q.IsOpen() {
			continue
		}
		with := model.Answering{Request: q.ID, Decision: model.DecideRespond, Text: "the second one"}
		if strings.HasPrefix(q.Key, askIntegrate) {
			with = model.Answering{Request: q.ID, Decision: model.DecideChoose, Choice: chooseAgain}
		}
		_, err := d.s.DoAll(context.Background(), []model.Op{{Name: model.AnswerRequest, Actor: ann, Args: with}})
		var no *model.Refusal
		if err != nil && !errors.As(err, &no) {
			d.t.Error(err)
		}
	}
}

// Whatever kills the loop, its guards, workers and gits, alone or together, and whenever: every task is integrated
// exactly once, no process is left, and the tests of what came out pass.
func TestALoopThatIsKilled(t *testing.T) {
	killLoops(t, 6, 3)
}

// killLoops lets a loop work on n tasks, and kills it again and again.
func killLoops(t *testing.T, n, kills int) {
	t.Helper()
	d := newDesk(t)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1)) //nolint:gosec // a clock is no negative number
	all := d.project(n, rng)
	var killed int
	var said strings.Builder
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(said.String())
		}
	})
	for range kills {
		c, out := d.process()
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		killed += d.hunt(rng, c, ended, out)
		said.WriteString(out.String() + "--\n")
		d.answer()
	}
	t.Logf("killed %d of %d; taken up: %d; failed: %d", killed, kills, strings.Count(said.String(), "resumes at"), strings.Count(said.String(), "failed"))
	for _, st := range []step{stepClaim, stepSetup, stepWork, stepWorked, stepSnapshot, stepVerified, stepIntegrate} {
		t.Logf("%s %d", st, strings.Count(said.String(), "resumes at "+string(st)+"\n"))
	}
	for range n {
		c, out := d.process()
		if err := c.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		said.WriteString(out.String())
		if d.finished(all) {
			break
		}
		d.answer()
	}
	for i, uid := range all {
		if st := d.status(uid); st != model.StatusReviewWork {
			t.Errorf("task %02d is %s", i, st)
		}
	}
	d.once(n)
	d.nothingRuns()
	d.clean()
}

// hunt kills what a loop has started while it continues, and then most often the loop, too. It says how many loops it killed.
func (d *desk) hunt(rng *rand.Rand, c *exec.Cmd, ended <-chan error, out *output) int {
	d.t.Helper()
	alone := rng.IntN(6) // are killed while the loop continues
	for {
		select {
		case err := <-ended:
			if err != nil {
				d.t.Fatalf("the loop ended with %v:\n%s", err, out)
			}
			return 0
		case <-time.After(time.Duration(50+rng.IntN(900/(1+alone))) * time.Millisecond): // whenever that is
		}
		if alone > 0 && strings.Contains(out.String(), begins) {
			d.killSome(rng, 1, c.Process.Pid)
			alone--
			continue
		}
		if rng.IntN(3) > 0 {
			d.killSome(rng, 1+rng.IntN(2), 0)
		}
		_ = c.Process.Kill()
		if <-ended != nil {
			return 1
		}
		return 0
	}
}

// finished says whether all tasks have come to their end.
func (d *desk) finished(all []model.UID) bool {
	d.t.Helper()
	for _, uid := range all {
		if d.status(uid) != model.StatusReviewWork {
			return false
		}
	}
	return true
}

// once says that each of n tasks of a project is integrated once, and that the tests of all of it pass.
func (d *desk) once(n int) {
	d.t.Helper()
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("task %02d", i))
	}
	got := d.commits()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		d.t.Errorf("integrated: %v", got)
	}
	tree := filepath.Join(d.t.TempDir(), "out")
	d.git("worktree", "add", "-q", "--detach", tree, "vespe/integration")
	check := exec.Command("make", "test")
	check.Dir = tree
	if said, err := check.CombinedOutput(); err != nil {
		d.t.Errorf("what came out fails: %v\n%s", err, said)
	}
	shared, err := os.ReadFile(filepath.Join(tree, "shared.txt"))
	lines := strings.Split(strings.TrimSpace(string(shared)), "\n")
	if distinct := slices.Compact(slices.Sorted(slices.Values(lines))); err != nil || len(lines) != n/5 || len(distinct) != n/5 {
		d.t.Errorf("the file that several write holds %q, %v", shared, err)
	}
	d.git("worktree", "remove", "--force", tree)
}

// killSome kills processes of the desk's runs: workers, guards, gits; not the one that is to be spared.
func (d *desk) killSome(rng *rand.Rand, most, spared int) {
	mark := "TEST_STATE=" + d.getenv("TEST_STATE")
	entries, _ := os.ReadDir("/proc")
	rng.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	for _, e := range entries {
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !strings.Contains(string(env), mark) {
			continue
		}
		var pid int
		if _, err := fmt.Sscan(e.Name(), &pid); err == nil && pid != os.Getpid() && pid != spared {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				d.t.Log(err)
			}
			if most--; most == 0 {
				return
			}
		}
	}
}
