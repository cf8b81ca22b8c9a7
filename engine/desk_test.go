package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vespe/engine/worker"
	"vespe/engine/worktree"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/store"
)

const (
	ann   = model.Actor("human:ann")
	robot = model.Actor("agent:robot")
)

// desk is a store in a git repository whose tests are `make test`, and a loop for it with scripted
// workers.
type desk struct {
	t    testing.TB
	dir  string
	env  []string
	s    *store.Store
	opt  Options
	mu   sync.Mutex
	said []string
}

// makefile checks that every file says what its name says.
const makefile = "test:\n\t@sh check.sh\n"

const checkScript = `for f in *.txt; do
  [ -e "$f" ] || continue
  grep -q "^good" "$f" || { echo "$f is not good"; exit 1; }
done
echo "all good"
`

// environment is the environment of this process without what is a person's own.
func environment(home string) (env []string) {
	for _, kv := range os.Environ() {
		if k, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(k, "GIT_") && !strings.HasPrefix(k, "VESPE_") && k != "HOME" && !strings.HasPrefix(k, "XDG_") {
			env = append(env, kv)
		}
	}
	return append(env, "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
}

// template is the repository that all desks begin with, made once; TestMain removes it.
var template = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "engine-template-")
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{"Makefile": makefile, "check.sh": checkScript, ".gitignore": ".vespe/\n"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "Ann"},
		{"config", "user.email", "ann@example.org"},
		{"config", "maintenance.auto", "false"},
		{"add", "-A"},
		{"commit", "-qm", "begin"},
	} {
		c := exec.Command("git", args...)
		c.Dir, c.Env = dir, environment(dir)
		if out, e := c.CombinedOutput(); e != nil {
			err = errors.Join(err, fmt.Errorf("git %v: %w: %s", args, e, out))
		}
	}
	return dir, err
})

func newDesk(t testing.TB) *desk {
	t.Helper()
	from, err := template()
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, dir: filepath.Join(t.TempDir(), "repo")}
	if err := os.CopyFS(d.dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	d.env = append(environment(t.TempDir()), "TEST_STATE="+t.TempDir())
	if d.s, err = store.Init(d.dir, store.Options{Trusted: true, Scratch: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.s.Close() })
	d.opt = d.options()
	return d
}

func (d *desk) getenv(name string) string {
	for i := len(d.env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(d.env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// options are those of a loop that ends when nothing is left to be done.
func (d *desk) options() Options {
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	return Options{
		Settings: worker.Settings{
			Worker:   worker.Template{Name: "scripted", Format: worker.FormatText, Argv: []string{self, "__worker"}, Prompt: worker.PromptFile},
			Parallel: 2, Branch: worktree.DefaultBranch, Integrate: model.IntegrateReviewed, Untested: model.UntestedAsk,
		},
		Idle: true, Guard: []string{self, "__guard"}, Vespe: self, Environ: d.env, Getenv: d.getenv, Now: time.Now, Grace: 200 * time.Millisecond,
		NewID: func() string {
			var b [8]byte
			_, _ = rand.Read(b[:])
			return fmt.Sprintf("%x", b)
		},
		Say: func(s Said) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.said = append(d.said, s.Name+": "+s.Text)
		},
	}
}

func (d *desk) file(name, text string) {
	d.t.Helper()
	name = filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) git(args ...string) string {
	d.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = d.dir, d.env
	out, err := c.CombinedOutput()
	if err != nil {
		d.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (d *desk) do(ops ...model.Op) snapshot.Applied {
	d.t.Helper()
	a, err := d.s.DoAll(context.Background(), ops)
	if err != nil {
		d.t.Fatal(err)
	}
	return a
}

// task is a task that is ready: its plan is what the worker does, and ann has accepted it.
func (d *desk) task(name, script string, spec *model.Spec, deps ...model.UID) model.UID {
	d.t.Helper()
	if spec == nil {
		spec = &model.Spec{}
	}
	if spec.Risk == "" {
		spec.Risk = model.RiskLow
	}
	uid := d.do(model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: name, Objective: "make " + name + "\n", DependsOn: deps, Spec: spec}}).Change.Tasks[0].UID
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "# " + name + "\n\n" + script + "\n"}},
		model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	return uid
}

// loop is a loop that does not run yet.
func (d *desk) loop() *Loop {
	d.t.Helper()
	repo, err := worktree.Open(context.Background(), d.dir, filepath.Join(d.getenv("XDG_STATE_HOME"), "vespe"), d.s.StoreID(), d.env)
	if err != nil {
		d.t.Fatal(err)
	}
	l, err := New(d.s, repo, d.opt)
	if err != nil {
		d.t.Fatal(err)
	}
	return l
}

// run runs a loop to its end.
func (d *desk) run() Summary {
	d.t.Helper()
	sum, err := d.loop().Run(context.Background(), context.Background())
	if err != nil {
		d.t.Fatal(err, d.lines())
	}
	return sum
}

// beside runs a loop beside the test. stop asks it and its workers to end; with the test all of them end.
func (d *desk) beside() (done <-chan Summary, stop func()) {
	d.t.Helper()
	l, came, over := d.loop(), make(chan Summary, 1), make(chan struct{})
	soft, stop := context.WithCancel(context.Background())
	hard, kill := context.WithCancel(context.Background())
	go func() {
		defer close(over)
		sum, err := l.Run(soft, hard)
		if err != nil {
			d.t.Error(err, d.lines())
		}
		came <- sum
	}()
	d.t.Cleanup(func() {
		stop()
		kill()
		<-over
	})
	return came, stop
}

func (d *desk) lines() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return "\n" + strings.Join(d.said, "\n")
}

func (d *desk) snap() *snapshot.Snapshot {
	d.t.Helper()
	snap, err := d.s.Refresh(context.Background())
	if err != nil {
		d.t.Fatal(err)
	}
	return snap
}

// status is the status of a task.
func (d *desk) status(uid model.UID) model.Status {
	d.t.Helper()
	snap := d.snap()
	i, ok := snap.Index(uid)
	if !ok {
		d.t.Fatalf("there is no task %s", uid)
	}
	return snap.Status(i)
}

func (d *desk) runs(uid model.UID) []model.Run {
	d.t.Helper()
	list, err := d.s.Runs(context.Background(), uid)
	if err != nil {
		d.t.Fatal(err)
	}
	return list
}

// view is what the events of a run come to.
func (d *desk) view(uid model.UID, run string) (v runlog.View, text string) {
	d.t.Helper()
	b, _, err := d.s.ReadRunFile(context.Background(), uid, run, "output.jsonl", 0, 64<<20)
	if err != nil {
		d.t.Fatal(err)
	}
	_, _ = v.Write(b)
	return v, string(b)
}

// onBranch is a file as the integration branch has it.
func (d *desk) onBranch(name string) string {
	d.t.Helper()
	return d.git("show", worktree.DefaultBranch+":"+name)
}

// commits are the subjects on the integration branch that main has not, oldest first.
func (d *desk) commits() []string {
	d.t.Helper()
	if d.git("branch", "--list", worktree.DefaultBranch) == "" {
		return nil
	}
	out := d.git("log", "--reverse", "--format=%s", "main.."+worktree.DefaultBranch)
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// clean says that nothing of a run is left on this machine.
func (d *desk) clean() {
	d.t.Helper()
	l := d.loop()
	if ids, err := l.place.records(); err != nil || len(ids) > 0 {
		d.t.Errorf("runs are still written down: %v %v", ids, err)
	}
	if list := d.git("worktree", "list", "--porcelain"); strings.Count(list, "worktree ") != 1 {
		d.t.Errorf("worktrees are left:\n%s", list)
	}
}

// stuck is how long a test waits before it reports that something never came. It says nothing about speed.
const stuck = 3 * time.Minute

// until waits for something that another goroutine or process does.
func (d *desk) until(is func() bool) {
	d.t.Helper()
	for end := time.Now().Add(stuck); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if is() {
			return
		}
	}
	d.t.Fatalf("it did not come to that%s", d.lines())
}
