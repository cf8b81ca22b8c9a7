package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/runlog"
)

// What a worker may do wrong fails its attempt, and leaves nothing running.
func TestWorkersThatMisbehave(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		set    func(*Options)
		why    string
	}{
		"nothing done":      {"do say done", nil, "changed no file"},
		"hangs":             {"do hang", func(o *Options) { o.Settings.Wall = time.Second }, "exceeded its time limit"},
		"says nothing":      {"do hang", func(o *Options) { o.Settings.Silence = time.Second }, "printed nothing for too long"},
		"does not listen":   {"do deaf", func(o *Options) { o.Settings.Wall = time.Second }, "exceeded its time limit"},
		"floods":            {"do flood 10000000\ndo hang", func(o *Options) { o.Settings.Output = 1 << 20 }, "output limit"},
		"prints no text":    {"do garbage\ndo exit 3", nil, "exit code 3"},
		"breaks the tests":  {"do write a.txt bad", nil, "failed"},
		"only its own word": {"do say all tests pass\ndo write a.txt worse", nil, "failed"},
		"a secret alone":    {"do write id_rsa secret", nil, "id_rsa"},
		"another's store":   {"do write .vespe/tasks/x/status.json {}", nil, "changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			if c.set != nil {
				c.set(&d.opt)
			}
			uid := d.task(name, c.script, &model.Spec{MaxAttempts: 1})
			sum := d.run()
			list := d.runs(uid)
			if sum.Failed != 1 || len(list) != 1 || list[0].Outcome != model.RunErrored {
				t.Fatalf("%+v %+v%s", sum, list, d.lines())
			}
			if v, log := d.view(uid, list[0].ID); !strings.Contains(log, c.why) || v.Ended != "failed" {
				t.Errorf("the log does not say %q:\n%s", c.why, log)
			}
			if got := d.commits(); len(got) != 0 {
				t.Errorf("integrated: %v", got)
			}
			if name == "a secret alone" {
				d.kept(list[0].ID) // it is nowhere else
			} else {
				d.clean()
			}
			d.nothingRuns()
		})
	}
}

// kept says that a run's worktree is still there, and no other.
func (d *desk) kept(run string) {
	d.t.Helper()
	if list := d.git("worktree", "list", "--porcelain"); strings.Count(list, "locked vespe ") != 1 || !strings.HasSuffix(list, "locked vespe "+run) {
		d.t.Errorf("worktrees:\n%s", list)
	}
}

// nothingRuns says that no process of any run of this desk lives.
func (d *desk) nothingRuns() {
	d.t.Helper()
	mark := "TEST_STATE=" + d.getenv("TEST_STATE")
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return // another system: engine/proc tests its own
	}
	for _, e := range entries {
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err == nil && strings.Contains(string(env), mark) {
			cmd, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			d.t.Errorf("process %s still runs: %q", e.Name(), cmd)
		}
	}
}

// What a worker may do beside its work: the work counts, and what it did is ended, gathered or said.
func TestWorkersThatDoMore(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.opt.Settings.Parallel = 1
	log := func(uid model.UID) string { _, log := d.view(uid, d.runs(uid)[0].ID); return log }
	var wide []string
	for _, f := range []string{"a/x.txt", "b.md", "Src/Deep.go", "gen/one/two.go", "doc/x.md", "doc/x.txt", "c/y.md", "**"} {
		wide = append(wide, "do write "+f+" good")
	}
	cases := []struct {
		name, script string
		spec         *model.Spec
		check        func(t *testing.T, uid model.UID)
	}{
		{"leaves a process", "do write left.txt good\ndo fork", nil, func(*testing.T, model.UID) { d.nothingRuns() }},
		{"commits", "do commit a.txt good\ndo write b.txt good too", nil, func(t *testing.T, _ model.UID) {
			if n := strings.Count(strings.Join(d.commits(), "\n")+"\n", "commits\n"); n != 1 || d.onBranch("a.txt") != "good" || d.onBranch("b.txt") != "good too" {
				t.Errorf("integrated: %v", d.commits())
			}
		}},
		// What a terminal would obey is kept as data.
		{"writes escapes", "do say \x1b]0;owned\x07\x1b[2J\ndo write escapes.txt good", nil, func(t *testing.T, uid model.UID) {
			if log := log(uid); strings.ContainsRune(log, '\x1b') || !strings.Contains(log, "owned") {
				t.Errorf("output.jsonl has an escape, or not what was said: %q", log)
			}
		}},
		{"finds out", "do result findings.md it is the cache", nil, func(*testing.T, model.UID) {}},
		{"reports", "do write c.txt good\ndo result notes.txt n\ndo report did a, but NOT b\ndo say Done.", nil, func(t *testing.T, uid model.UID) {
			task, _ := d.snap().Task(uid)
			r, err := d.s.WorkReport(t.Context(), task)
			if err != nil || r == nil || !strings.Contains(r.Text, "> did a, but NOT b") || !strings.Contains(r.Text, "> Done.") {
				t.Errorf("%v; the report is %+v", err, r)
			}
		}},
		// A task names files, directories and patterns, however it spells them; what a worker calls a file is never a
		// pattern. What it changes beyond them is integrated, and said.
		{"edits other files", strings.Join(wide, "\n"), &model.Spec{
			FilesToCreate: []string{"a"}, FilesToModify: []string{"./b.md", `src\deep.go`, "gen/*", "doc/**/*.md"},
		}, func(t *testing.T, uid model.UID) {
			b, _, err := d.s.ReadRunFile(t.Context(), uid, d.runs(uid)[0].ID, "verify.json", 0, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			report, err := runlog.DecodeReport(b)
			if want := []string{"**", "c/y.md", "doc/x.txt"}; err != nil || !slices.Equal(slices.Sorted(slices.Values(report.Outside)), want) {
				t.Errorf("%v: outside are %q, want %q", err, report.Outside, want)
			}
		}},
	}
	var uids []model.UID
	for _, c := range cases {
		uids = append(uids, d.task(c.name, c.script, c.spec))
	}
	if sum := d.run(); sum.Completed != len(cases) || sum.Failed != 0 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.check(t, uids[i]) })
	}
	d.nothingRuns()
	d.clean()
}

// A worker that asks and ends frees its slot; its run continues, in its worktree, once there is an answer.
func TestAWorkerThatAsks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.opt.Settings.Parallel = 1
	uid := d.task("asks", "do@1 write a.txt good\ndo@1 ask which one\ndo@2 answer told.md\ndo@2 append a.txt good still", &model.Spec{Priority: "high"})
	other := d.task("other", "do write b.txt good", nil)
	sum := d.run()
	if sum.Completed != 1 || sum.Waiting != 1 || d.status(other) != model.StatusReviewWork || d.status(uid) != model.StatusWaiting {
		t.Fatalf("%+v %s %s%s", sum, d.status(other), d.status(uid), d.lines())
	}
	run := d.runs(uid)
	if len(run) != 1 || !run[0].Ended.IsZero() {
		t.Fatalf("its runs are %+v", run)
	}
	if v, log := d.view(uid, run[0].ID); v.Phase != runlog.PhaseWaiting || v.Asked == "" {
		t.Errorf("it does not say that it waits: %s", log)
	}
	var id string
	for _, q := range d.snap().Requests() {
		if q.TaskUID == uid {
			id = q.ID
		}
	}
	d.do(model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: id, Decision: model.DecideRespond, Text: "the second one"}})
	if sum := d.run(); sum.Completed != 1 || sum.Waiting != 0 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if list := d.runs(uid); len(list) != 1 || list[0].Outcome != model.RunCompleted {
		t.Errorf("its runs are %+v", list)
	}
	if told := d.onBranch("told.md"); !strings.Contains(told, "the second one") {
		t.Errorf("it was told %q", told)
	}
	d.clean()
}

// A run that is canceled counts no attempt, and its task is ready again.
func TestCancel(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("long", "do write a.txt good\ndo hang", nil)
	done, _ := d.beside()
	run := d.awaitRun(uid, runlog.PhaseWork, "hanging")
	desk, err := NewDesk(d.getenv, d.s.StoreID())
	if err != nil {
		t.Fatal(err)
	}
	if in, runs := desk.Loop(); !runs || in.PID != os.Getpid() {
		t.Errorf("the loop is not seen: %+v %v", in, runs)
	}
	var no *model.Refusal
	if err := desk.Cancel("run-elsewhere"); !errors.As(err, &no) {
		t.Errorf("a run that this loop does not have: %v", err)
	}
	// A record that can't be read keeps nobody from stopping a run.
	if err := os.WriteFile(desk.place.recordFile(run).Name, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := desk.Cancel(run); err != nil {
		t.Fatal(err)
	}
	sum := <-done
	list := d.runs(uid)
	if sum.Canceled != 1 || len(list) != 1 || list[0].Outcome != model.RunCanceled {
		t.Fatalf("%+v %+v%s", sum, list, d.lines())
	}
	task, _ := d.snap().Task(uid)
	if d.status(uid) != model.StatusReady || task.Status.RetryCount != 0 {
		t.Errorf("it is %s after %d retries", d.status(uid), task.Status.RetryCount)
	}
	if patch, _, err := d.s.ReadRunFile(context.Background(), uid, run, "changes.patch", 0, 1<<20); err != nil || !strings.Contains(string(patch), "+good") {
		t.Errorf("what it had done is lost: %v %s", err, patch)
	}
	d.nothingRuns()
	d.clean()
}

// awaitRun waits until the run of a task has come to a phase and has said something.
func (d *desk) awaitRun(uid model.UID, phase runlog.Phase, said string) string {
	d.t.Helper()
	for end := time.Now().Add(stuck); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		list, err := d.s.Runs(context.Background(), uid)
		if err != nil || len(list) == 0 || !list[len(list)-1].Ended.IsZero() {
			continue
		}
		id := list[len(list)-1].ID
		b, _, err := d.s.ReadRunFile(context.Background(), uid, id, "output.jsonl", 0, 1<<20)
		if err == nil && strings.Contains(string(b), said) {
			var v runlog.View
			_, _ = v.Write(b)
			if v.Phase == phase {
				return id
			}
		}
	}
	d.t.Fatalf("no run of %s came to %s%s", uid, phase, d.lines())
	return ""
}

// Work that no test checks waits for a person, and is integrated or not as they say.
func TestUntestedWork(t *testing.T) {
	for choice, want := range map[string]model.Status{chooseUntested: model.StatusReviewWork, chooseBack: model.StatusReviewWork} {
		t.Run(choice, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.git("rm", "-q", "Makefile")
			d.git("commit", "-qm", "no tests")
			uid := d.task("untested", "do write a.txt good\ndo append a.txt again", nil)
			if sum := d.run(); sum.Waiting != 1 || sum.Completed != 0 {
				t.Fatalf("%+v%s", sum, d.lines())
			}
			if got := d.commits(); len(got) != 0 {
				t.Fatalf("integrated: %v", got)
			}
			d.choose(uid, askUntested, choice)
			d.opt.Settings.Untested = model.UntestedAccept // for what comes after it is sent back
			sum := d.run()
			if sum.Completed != 1 || d.status(uid) != want {
				t.Fatalf("%+v %s%s", sum, d.status(uid), d.lines())
			}
			if n := len(d.runs(uid)); n != map[string]int{chooseUntested: 1, chooseBack: 2}[choice] {
				t.Errorf("it took %d runs", n)
			}
			d.clean()
		})
	}
}

// choose answers the open request of a task whose key begins so.
func (d *desk) choose(uid model.UID, key, choice string) {
	d.t.Helper()
	for _, q := range d.snap().Requests() {
		if q.TaskUID == uid && strings.HasPrefix(q.Key, key) && q.IsOpen() {
			d.do(model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: q.ID, Decision: model.DecideChoose, Choice: choice, Text: "because"}})
			return
		}
	}
	d.t.Fatalf("nobody was asked about %s%s%s", uid, key, d.lines())
}

// A worker that asks and waits keeps its slot, and continues by itself.
func TestAWorkerThatAsksAndWaits(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("waits", "do askwait which one\ndo write a.txt good", nil)
	done, _ := d.beside()
	d.awaitRun(uid, runlog.PhaseWork, "waiting")
	for _, q := range d.snap().Requests() {
		if q.TaskUID == uid {
			d.do(model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: q.ID, Decision: model.DecideRespond, Text: "that one"}})
		}
	}
	if sum := <-done; sum.Completed != 1 || sum.Waiting != 0 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if got := d.onBranch("answer.md"); got != "that one" {
		t.Errorf("it was told %q", got)
	}
	v, log := d.view(uid, d.runs(uid)[0].ID)
	if v.Asked == "" && !strings.Contains(log, `"kind":"ask"`) {
		t.Errorf("its question is in no event: %s", log)
	}
	d.clean()
}
