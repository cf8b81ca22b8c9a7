package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vespe/model"
	"vespe/model/runlog"
)

// processes are the processes of this desk whose command line has a word.
func (d *desk) processes(word string) (pids []int) {
	d.t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		d.t.Fatalf("this test looks for processes in /proc: %v", err)
	}
	mark := "TEST_STATE=" + d.getenv("TEST_STATE")
	for _, e := range entries {
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		cmd, err2 := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		var pid int
		if _, err3 := fmt.Sscan(e.Name(), &pid); errors.Join(err, err2, err3) == nil && strings.Contains(string(env), mark) &&
			slices.Contains(strings.Split(string(cmd), "\x00"), word) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// However vespe ends, alone or with all that it started, the run ends as canceled, and the only attempt that the task
// has is still there for the next loop.
func TestTheEndOfVespeUsesUpNoAttempt(t *testing.T) {
	endVespe(t, []ending{
		{"vespe is killed", syscall.SIGKILL, []string{"__loop"}},
		{"vespe is interrupted", syscall.SIGINT, []string{"__loop"}},
		{"all are terminated, the worker first", syscall.SIGTERM, []string{"__worker", "__guard", "__loop"}},
	})
}

// An ending sends a signal to processes.
type ending struct {
	name string
	by   syscall.Signal
	what []string
}

func endVespe(t *testing.T, ways []ending) {
	t.Helper()
	t.Parallel()
	for _, how := range ways {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			uid := d.task("one", "do@1 write a.txt half\ndo@1 hang\ndo>1 write a.txt good", &model.Spec{MaxAttempts: 1})
			c, out := d.process()
			run := d.awaitRun(uid, runlog.PhaseWork, "hanging")
			for _, word := range how.what {
				for _, pid := range d.processes(word) {
					if err := syscall.Kill(pid, how.by); err != nil && !errors.Is(err, syscall.ESRCH) {
						t.Error(err)
					}
				}
			}
			_ = c.Wait()
			sum := d.run()
			list := d.runs(uid)
			if len(list) != 2 || list[0].ID != run || list[0].Outcome != model.RunCanceled {
				t.Fatalf("its runs: %+v\n%s%s", list, out, d.lines())
			}
			if task, _ := d.snap().Task(uid); sum.Completed != 1 || task.Status.RetryCount != 0 || list[1].Report.Attempt != 1 {
				t.Errorf("%+v %+v %+v\n%s%s", sum, task.Status, list[1].Report, out, d.lines())
			}
			d.nothingRuns()
			d.clean()
		})
	}
}

// A guard that somebody ends costs no attempt. This loop does not start the task again, as the worker may have done it.
func TestAGuardThatIsTerminated(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("one", "do hang", &model.Spec{MaxAttempts: 1})
	c, out := d.process()
	d.awaitRun(uid, runlog.PhaseWork, "hanging")
	for _, pid := range d.processes("__guard") {
		_ = syscall.Kill(pid, syscall.SIGTERM)
	}
	if err := c.Wait(); err != nil {
		t.Fatal(err, out)
	}
	if list := d.runs(uid); len(list) != 1 || list[0].Outcome != model.RunCanceled || d.status(uid) != model.StatusReady {
		t.Errorf("%+v %s\n%s", list, d.status(uid), out)
	}
	d.nothingRuns()
	d.clean()
}

// A worker that ended badly by itself has failed, although the vespe that started it saw nothing of it.
func TestAWorkerThatFailedUnseen(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("one", "do hang", &model.Spec{MaxAttempts: 1})
	run := d.left(uid)
	d.until(func() bool { return len(d.processes("__guard")) == 0 })
	exit := filepath.Join(d.loop().place.run(run), "work-1", "exit.json")
	if err := os.WriteFile(exit, []byte(`{"format": 1, "run": "`+run+`", "code": 3, "ended": "2026-01-02T03:04:05Z"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if sum := d.run(); sum.Failed != 1 || d.runs(uid)[0].Outcome != model.RunErrored {
		t.Errorf("%+v %+v%s", sum, d.runs(uid), d.lines())
	}
	d.clean()
}
