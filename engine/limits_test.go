package engine

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"vespe/engine/worker"
	"vespe/model"
	"vespe/model/runlog"
)

// claude makes the scripted worker one that speaks as claude does and can be resumed.
func (d *desk) claude() {
	tpl := &d.opt.Settings.Worker
	tpl.Format, tpl.Resume = worker.FormatClaude, append(tpl.Argv[:2:2], "{session}", "{reply}")
}

// A call that the client has put off waits for a person; then the session continues with what they said.
// What a session costs is told with all that it cost before.
func TestACallThatIsPutOff(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.claude()
	uid := d.task("deploy", `do@1 say {"type":"system","subtype":"init","session_id":"s-1"}
do@1 say {"type":"result","subtype":"success","is_error":false,"stop_reason":"tool_deferred","terminal_reason":"tool_deferred","session_id":"s-1","total_cost_usd":0.25,"deferred_tool_use":{"id":"toolu_9","name":"Bash","input":{"command":"make deploy"}},"permission_denials":[]}
do>1 args told.txt
do>1 say {"type":"result","subtype":"success","is_error":false,"session_id":"s-1","total_cost_usd":0.5,"result":"deployed"}`, nil)
	if sum := d.run(); sum.Waiting != 1 || sum.Failed != 0 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	var asked model.Request
	for _, q := range d.snap().Requests() {
		if q.TaskUID == uid && q.IsOpen() {
			asked = q
		}
	}
	if asked.Kind != model.KindAction || !strings.Contains(string(asked.Args), "make deploy") {
		t.Fatalf("a person is asked %+v", asked)
	}
	d.do(model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: asked.ID, Decision: model.DecideDeny, Text: "not on a Friday"}})
	if sum := d.run(); sum.Completed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if got := d.onBranch("told.txt"); !strings.HasPrefix(got, "good s-1 ") || !strings.Contains(got, "not on a Friday") {
		t.Errorf("it was resumed with %q", got)
	}
	list := d.runs(uid)
	if len(list) != 1 || list[0].Report.Session != "s-1" || list[0].Report.Cost != 0.5 {
		t.Errorf("its runs are %+v, %+v", list, list[0].Report)
	}
	d.clean()
}

// Where a hook of vespe has put the call off, the question that it asked is the only one, and the session continues
// without a word: the client makes the call again, and the hook answers.
func TestACallThatAHookPutOff(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.claude()
	uid := d.task("deploy", `do@1 hook toolu_9
do@1 say {"type":"result","subtype":"success","is_error":false,"stop_reason":"tool_deferred","terminal_reason":"tool_deferred","session_id":"s-1","deferred_tool_use":{"id":"toolu_9","name":"Bash","input":{"command":"make deploy"}},"permission_denials":[]}
do>1 args told.txt
do>1 say {"type":"result","subtype":"success","is_error":false,"session_id":"s-1","result":"deployed"}`, nil)
	if sum := d.run(); sum.Waiting != 1 || sum.Failed != 0 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	var asked []model.Request
	for _, q := range d.snap().Requests() {
		if q.TaskUID == uid && q.IsOpen() {
			asked = append(asked, q)
		}
	}
	if len(asked) != 1 || asked[0].Title != "allow it?" {
		t.Fatalf("a person is asked %+v", asked)
	}
	d.do(model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: asked[0].ID, Decision: model.DecideRespond, Text: "yes"}})
	if sum := d.run(); sum.Completed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if got := d.onBranch("told.txt"); got != "good s-1" {
		t.Errorf("it was resumed with %q", got)
	}
	d.clean()
}

// A worker that costs more than it may is stopped, and its attempt has failed.
func TestAWorkerThatCostsTooMuch(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.claude()
	d.opt.Settings.MaxCost = 0.1
	uid := d.task("dear", `do write a.txt good
do say {"type":"result","subtype":"success","is_error":false,"session_id":"s-1","total_cost_usd":0.5,"result":"more to come"}
do hang`, &model.Spec{MaxAttempts: 1})
	if sum := d.run(); sum.Failed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if rep := d.runs(uid)[0].Report; !strings.Contains(rep.Why, "$0.50") || !strings.Contains(rep.Why, "$0.10") || rep.Cost != 0.5 {
		t.Errorf("%+v", rep)
	}
	d.nothingRuns()
	d.clean()
}

// What a project needs before a worker can begin is made in each worktree; where that fails, no worker begins.
func TestSetUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup string
		why   string
	}{
		"works": {"echo good > made.txt", ""},
		"fails": {"echo 'no such package'; exit 3", "no such package"},
		"hangs": {"exec sleep 1000", "exceeded its time limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.opt.Settings.Setup = [][]string{{"sh", "-c", c.setup}}
			if name == "hangs" {
				d.opt.Settings.Wall = time.Second
			}
			uid := d.task(name, "do append made.txt good too", &model.Spec{MaxAttempts: 1})
			sum := d.run()
			run := d.runs(uid)[0]
			_, log := d.view(uid, run.ID)
			switch {
			case c.why == "" && (sum.Completed != 1 || d.onBranch("made.txt") != "good\ngood too"):
				t.Errorf("%+v%s", sum, d.lines())
			case c.why != "" && (sum.Failed != 1 || run.Report.Phase != string(runlog.PhaseSetup) || !strings.Contains(log, c.why)):
				t.Errorf("%+v %+v\n%s", sum, run.Report, log)
			}
			d.nothingRuns()
			d.clean()
		})
	}
}

// What a loop would start is what it starts: of Max only what is started counts, and a task with open subtasks is none.
func TestPlanIsWhatIsStarted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.opt.Max, d.opt.Workers = 2, 5
	top := &model.Spec{FilesToModify: []string{"same.go"}, Priority: "high"}
	whole := d.task("whole", "do write w.txt good", &model.Spec{Priority: "critical"})
	d.do(model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "part", Parent: whole, Objective: "make it\n"}})
	d.task("one", "do write 1.txt good", top)
	d.task("two", "do write 2.txt good", top)
	d.task("three", "do write 3.txt good", &model.Spec{FilesToModify: []string{"other.go"}})
	d.task("four", "do write 4.txt good", nil)
	var would, not []string
	for _, p := range d.loop().Plan(d.snap()) {
		if p.Start {
			would = append(would, p.Name)
		} else {
			not = append(not, p.Name+": "+p.Why)
		}
	}
	if len(would) != 2 || would[1] != "three" || len(not) != 2 || !strings.Contains(not[0], "same.go") || not[1] != "four: the limit of 2 runs is reached" {
		t.Errorf("it would start %q and not %q", would, not)
	}
	if sum := d.run(); sum.Started != len(would) {
		t.Errorf("it would start %q and started %+v%s", would, sum, d.lines())
	}
}

// A start that a person has to allow is asked about once, and begins once they did.
func TestAStartThatAPersonAllows(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("risky", "do write a.txt good", &model.Spec{RequiresHITL: true})
	d.run()
	if sum := d.run(); sum.Started != 0 || sum.Completed != 0 || len(d.runs(uid)) != 0 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	var open []model.Request
	for _, q := range d.snap().Requests() {
		if q.TaskUID == uid && q.IsOpen() {
			open = append(open, q)
		}
	}
	if len(open) != 1 {
		t.Fatalf("a person is asked %+v", open)
	}
	d.do(model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: open[0].ID, Decision: model.DecideAccept}})
	if sum := d.run(); sum.Completed != 1 {
		t.Errorf("%+v%s", sum, d.lines())
	}
	d.clean()
}

// left is a loop that is killed while the worker of a task hangs.
func (d *desk) left(uid model.UID) (run string) {
	d.t.Helper()
	c, _ := d.process()
	run = d.awaitRun(uid, runlog.PhaseWork, "hanging")
	_ = c.Process.Kill()
	_ = c.Wait()
	return run
}

// A loop that was killed before its worker was started costs no attempt.
func TestALoopThatWasKilledBeforeTheWorker(t *testing.T) {
	t.Parallel()
	for _, at := range []step{stepClaim, stepSetup, stepWork} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			uid := d.task("one", "do write a.txt good", nil)
			l, id := d.loop(), "run-"+d.opt.NewID()
			rec := record{Run: id, Task: uid, Worker: "scripted", Attempt: 1, Step: at, Started: time.Now()}
			d.do(model.Op{ID: id + ".start", Name: model.Start, UID: uid, Actor: Actor, Args: model.NewRun{Worker: "agent:scripted", ID: id}})
			if at == stepWork {
				tree, err := l.repo.Add(t.Context(), id, string(uid), "")
				if err != nil {
					t.Fatal(err)
				}
				rec.Path, rec.Base = tree.Path, tree.Base
				tree.Close()
			}
			if err := l.place.write(&rec); err != nil {
				t.Fatal(err)
			}
			sum := d.run()
			if list := d.runs(uid); sum.Completed != 1 || sum.Failed != 0 || len(list) != 1 || list[0].ID != id {
				t.Errorf("%+v %+v%s", sum, list, d.lines())
			}
			d.clean()
		})
	}
}

// A run that a killed loop left can be canceled without another loop.
func TestARunThatWasLeftIsCanceled(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("long", "do hang", nil)
	run := d.left(uid)
	var no *model.Refusal
	if err := d.loop().CancelLeft(context.Background(), "run-unknown"); !errors.As(err, &no) {
		t.Errorf("a run that nobody knows: %v", err)
	}
	desk := &Desk{d.loop().place}
	if err := desk.Cancel("run-unknown"); !errors.As(err, &no) {
		t.Errorf("a run that nobody knows, with no loop: %v", err)
	}
	if err := desk.Cancel(run); !errors.Is(err, ErrNoLoop) {
		t.Errorf("a run of this machine, with no loop: %v", err)
	}
	if err := d.loop().CancelLeft(context.Background(), run); err != nil {
		t.Fatal(err)
	}
	if list := d.runs(uid); len(list) != 1 || list[0].Ended.IsZero() {
		t.Errorf("its runs are %+v", list)
	}
	d.nothingRuns()
	d.clean()
}

// A record that cannot be read, or that a newer vespe wrote, is left as it is, and holds nobody up.
func TestRecordsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.loop().place
	records := map[string]string{
		"run-garbage": "no record", "run-newer": `{"format": 99, "run": "run-newer"}`, "run-other": `{"format": 1, "run": "run-1", "task": "tsk-1"}`,
		"run-elsewhere": `{"format": 1, "run": "run-elsewhere", "task": "../../x"}`,
	}
	for id, text := range records {
		if err := os.MkdirAll(p.run(id), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.recordFile(id).Name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.task("one", "do write a.txt good", nil)
	if sum := d.run(); sum.Completed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	for id, text := range records {
		if b, err := os.ReadFile(p.recordFile(id).Name); err != nil || string(b) != text {
			t.Errorf("%s is %q now, %v", id, b, err)
		}
		if !strings.Contains(d.lines(), "left "+id+" alone") {
			t.Errorf("nobody is told of %s%s", id, d.lines())
		}
	}
}

// A loop that has ended has ended in all its parts, however it came to that.
func TestALoopLeavesNothingRunning(t *testing.T) {
	d := newDesk(t) // and no other test of loops at the same time
	a := d.task("one", "do write a.txt good", nil)
	d.run()
	d.do(model.Op{Name: model.ReviewAccepted, UID: a, Actor: ann})
	b := d.task("two", "do hang", nil)
	_, end := d.going()
	d.awaitRun(b, runlog.PhaseWork, "hanging")
	end()
	stacks := make([]byte, 1<<20)
	d.until(func() bool { // what was told to end may take a moment
		stacks = stacks[:runtime.Stack(stacks[:cap(stacks)], true)]
		for _, of := range []string{"engine.(*Loop)", "engine/proc.(*Process)", "engine/worktree.(*Repo)"} {
			if strings.Contains(string(stacks), of) {
				return false
			}
		}
		return true
	})
	d.nothingRuns()
}
