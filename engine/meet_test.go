package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/runlog"
	"vespe/store/trust"
)

// conflict makes two tasks that write the same file and do not say so. The first that comes to be
// integrated wins.
func (d *desk) conflict() (first, second model.UID) {
	d.t.Helper()
	return d.task("one", "do write same.txt good by one", nil), d.task("two", "do write same.txt good by two", nil)
}

// waiting is the one of two tasks that did not come to be integrated.
func (d *desk) waitingOf(a, b model.UID) model.UID {
	d.t.Helper()
	for _, q := range d.snap().Requests() {
		if strings.HasPrefix(q.Key, askIntegrate) && q.IsOpen() && (q.TaskUID == a || q.TaskUID == b) {
			return q.TaskUID
		}
	}
	d.t.Fatalf("nobody was asked about a conflict%s", d.lines())
	return ""
}

func TestAConflictWaitsForAPerson(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, b := d.conflict()
	if sum := d.run(); sum.Completed != 1 || sum.Waiting != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	lost := d.waitingOf(a, b)
	run := d.runs(lost)[0]
	if v, _ := d.view(lost, run.ID); !strings.Contains(v.Action, "conflicts in 1 file") {
		t.Errorf("the last that is said of it is %q", v.Action)
	}
	if got := waitWords(d.snap()); !slices.Contains(got, "1 waits for an answer") {
		t.Errorf("what is left is %q", got)
	}
	d.git("rev-parse", "refs/vespe/"+run.ID+"/result") // it is kept
	if got := d.commits(); len(got) != 1 {
		t.Errorf("integrated: %v", got)
	}
	d.choose(lost, askIntegrate, chooseAgain)
	d.replanScript(lost, "do append same.txt good too")
	if sum := d.run(); sum.Completed != 1 || sum.Waiting != 0 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if got := d.onBranch("same.txt"); strings.Count(got, "good") != 2 {
		t.Errorf("same.txt is %q", got)
	}
	d.clean()
}

// What was asked about the work of a run is taken back when somebody stopped the run: nothing would come of the answer.
func TestAConflictOfARunThatIsStopped(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, b := d.conflict()
	d.run()
	lost := d.waitingOf(a, b)
	if st := d.status(lost); st != model.StatusWaiting {
		t.Errorf("it waits for a person, and is %s", st)
	}
	d.do(model.Op{Name: model.StopRun, UID: lost, Actor: ann, Reason: "later"})
	desk, err := NewDesk(d.getenv, d.s.StoreID())
	if err == nil {
		err = desk.Pause(true)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.run()
	if st := d.status(lost); st != model.StatusReady {
		t.Errorf("nothing is asked any more, and it is %s", st)
	}
	if n := d.open(askIntegrate); n != 0 {
		t.Errorf("%d are still asked%s", n, d.lines())
	}
	d.clean()
}

// replanScript leaves what the worker does in its next attempt beside the store, where a plan cannot be
// changed without another acceptance.
func (d *desk) replanScript(uid model.UID, line string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.getenv("TEST_STATE"), "instead-"+string(uid)), []byte(line+"\n"), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func TestAPersonResolvesAConflict(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, b := d.conflict()
	d.run()
	lost := d.waitingOf(a, b)
	setup := d.setup()
	dir, err := setup.Worktree(context.Background(), d.s, d.runs(lost)[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	d.gitIn(dir, "reset", "-q", "--hard", "vespe/integration")
	if err := os.WriteFile(filepath.Join(dir, "same.txt"), []byte("good by both\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.choose(lost, askIntegrate, chooseMine)
	if sum := d.run(); sum.Completed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if got := d.onBranch("same.txt"); got != "good by both" {
		t.Errorf("same.txt is %q", got)
	}
	d.clean()
}

func TestAPersonGivesUp(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, b := d.conflict()
	d.run()
	lost := d.waitingOf(a, b)
	d.choose(lost, askIntegrate, chooseGiveUp)
	d.run()
	if st := d.status(lost); st != model.StatusFailed {
		t.Errorf("it is %s%s", st, d.lines())
	}
	d.clean()
}

// What others did meanwhile is checked together with it.
func TestWhatGoesTogetherByNameButNotByTests(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.file("check.sh", "[ $(ls *.txt 2>/dev/null | wc -l) -lt 2 ] || { echo 'no two'; exit 1; }\n")
	d.git("commit", "-qam", "only one of them")
	a := d.task("one", "do write a.txt good", &model.Spec{MaxAttempts: 1})
	b := d.task("two", "do write b.txt good", &model.Spec{MaxAttempts: 1})
	if sum := d.run(); sum.Completed != 1 || sum.Failed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	for _, uid := range []model.UID{a, b} {
		run := d.runs(uid)[0]
		if _, log := d.view(uid, run.ID); run.Outcome == model.RunErrored && !strings.Contains(log, "no two") {
			t.Errorf("it does not say what failed: %s", log)
		}
	}
	d.clean()
}

// setup makes loops as the command line does.
func (d *desk) setup() *Setup {
	o := d.opt
	if err := trust.Open(d.getenv).Add(trust.Store{Root: d.dir, ID: d.s.StoreID(), At: o.Now(), How: "init"}); err != nil {
		d.t.Fatal(err)
	}
	return &Setup{Environ: func() []string { return d.env }, Getenv: d.getenv, Now: o.Now, Vespe: o.Vespe, Guard: o.Guard}
}

func (d *desk) gitIn(dir string, args ...string) {
	d.t.Helper()
	was := d.dir
	d.dir = dir
	defer func() { d.dir = was }()
	d.git(args...)
}

// A person does the work where a worker could not, in a worktree with what it had done.
func TestByHand(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("hard", "do write part.txt good\ndo write a.txt bad", &model.Spec{MaxAttempts: 1})
	if sum := d.run(); sum.Failed != 1 || d.status(uid) != model.StatusFailed {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	dir, err := d.setup().Worktree(context.Background(), d.s, d.runs(uid)[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "part.txt")); err != nil || string(b) != "good\n" {
		t.Fatalf("what the worker had done is not there: %q %v", b, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("good by ann\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.choose(uid, "attempts:", lifecycle.ChoiceByHand)
	if sum := d.run(); sum.Completed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if d.onBranch("a.txt") != "good by ann" || d.onBranch("part.txt") != "good" {
		t.Error("what ann did is not integrated")
	}
	list := d.runs(uid)
	if len(list) != 2 || list[1].Outcome != model.RunCompleted || list[1].Worker.Kind() == model.Agent {
		t.Errorf("its runs are %+v", list)
	}
	d.clean()
}

// Work by hand of which there is nothing would pass every check of what was there before: it is no work, and the
// person is asked again.
func TestByHandWithNothingDone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("hard", "do write a.txt bad", &model.Spec{MaxAttempts: 1})
	d.run()
	d.choose(uid, "attempts:", lifecycle.ChoiceByHand)
	if sum := d.run(); sum.Completed != 0 || d.status(uid) != model.StatusFailed {
		t.Fatalf("%+v, it is %v%s", sum, d.status(uid), d.lines())
	}
	if n := d.open("attempts:"); n != 1 {
		t.Errorf("%d questions are open", n)
	}
	last := d.runs(uid)[1]
	dir, err := d.setup().Worktree(context.Background(), d.s, last.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err != nil {
		t.Error("who takes over then does not find what the worker had done")
	}
	if last.Report == nil || !strings.Contains(last.Report.Why, "no changes were made by hand") {
		t.Errorf("the run ended with %+v", last.Report)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("good by ann\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.choose(uid, "attempts:", lifecycle.ChoiceByHand)
	if d.run(); d.onBranch("a.txt") != "good by ann" {
		t.Errorf("what was done then is not integrated%s", d.lines())
	}
	d.clean()
}

// Tasks that say that they write the same file are never worked on at once; others are.
func TestFilesAreDisjoint(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.opt.Settings.Parallel, d.opt.Workers = 3, 3
	a := d.task("one", "do hang", &model.Spec{FilesToModify: []string{"same.go"}, Priority: "high"})
	b := d.task("two", "do hang", &model.Spec{TestFiles: []string{"same.go"}})
	c := d.task("three", "do hang", &model.Spec{FilesToModify: []string{"other.go"}})
	done, stop := d.beside()
	d.awaitRun(a, runlog.PhaseWork, "hanging")
	d.awaitRun(c, runlog.PhaseWork, "hanging")
	if list := d.runs(b); len(list) != 0 {
		t.Errorf("two write same.go: %+v", list)
	}
	plan := d.loop().Plan(d.snap())
	if len(plan) != 1 || plan[0].UID != b || plan[0].Start || !strings.Contains(plan[0].Why, "same.go") {
		t.Errorf("it plans %+v", plan)
	}
	stop()
	<-done
}

// A task that somebody else ends is left at once.
func TestATaskThatIsAborted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("long", "do hang", nil)
	done, _ := d.beside()
	d.awaitRun(uid, runlog.PhaseWork, "hanging")
	d.do(model.Op{Name: model.Abort, UID: uid, Actor: ann, Reason: "not needed"})
	<-done
	if list := d.runs(uid); len(list) != 1 || list[0].Outcome != model.RunAborted {
		t.Errorf("its runs are %+v", list)
	}
	d.nothingRuns()
	d.clean()
}

// What cannot continue by itself is said once, with its cause, and taken back when the cause has gone.
func TestADeadlock(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.task("fails", "do exit 1", nil)
	b := d.task("waits", "do write b.txt good", nil, a)
	d.spoil(a)
	d.do(model.Op{Name: model.Ask, UID: b, Actor: robot, Args: model.NewRequest{Title: "which way"}})
	d.run()
	d.run()
	if n := d.open(lifecycle.DeadlockKey); n != 1 {
		t.Fatalf("%d requests say that nothing can go on%s", n, d.lines())
	}
	for _, q := range d.snap().Requests() {
		if q.TaskUID == b && q.IsOpen() {
			d.do(model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: q.ID, Decision: model.DecideRespond, Text: "this"}})
		}
		if strings.HasPrefix(q.Key, lifecycle.DeadlockKey) && !(strings.Contains(q.Detail, "fails") && strings.Contains(q.Detail, "which way")) {
			t.Errorf("it does not name the cause: %s", q.Detail)
		}
	}
	d.do(model.Op{Name: model.RemoveDependency, UID: b, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{a}}}, model.Op{Name: model.AcceptPlan, UID: b, Actor: ann})
	if n := d.open(lifecycle.DeadlockKey); n != 0 {
		t.Errorf("%d requests still say that nothing can go on, and no loop has to run for that", n)
	}
}

// spoil makes a task unreadable: what waits for it waits for something that does not pass by itself.
func (d *desk) spoil(uid model.UID) {
	d.t.Helper()
	d.file(filepath.Join(".vespe", "tasks", string(uid), "status.json"), "{")
}

// A task that failed for good, and for which another one waits, is one request: no other says that nothing can continue,
// and none is left once it is answered.
func TestAFailureIsOneRequest(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.task("fails", "do@1 exit 1\ndo>1 write a.txt good", &model.Spec{MaxAttempts: 1})
	d.task("waits", "do write b.txt good", nil, a)
	for range 2 {
		d.run()
		if n := d.open(""); n != 1 {
			t.Fatalf("%d requests%s", n, d.lines())
		}
	}
	d.choose(a, "attempts:", lifecycle.ChoiceReset)
	if n := d.open(""); n != 0 {
		t.Errorf("%d requests are left", n)
	}
	if sum := d.run(); sum.Completed != 2 {
		t.Errorf("%+v%s", sum, d.lines())
	}
}

// What a loop is told by other processes: to take a task next, to pause, to end with what runs.
func TestWords(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.opt.Idle, d.opt.Settings.Parallel = false, 1
	desk, err := NewDesk(d.getenv, d.s.StoreID())
	if err != nil {
		t.Fatal(err)
	}
	if err := desk.Want("tsk-1"); !errors.Is(err, ErrNoLoop) {
		t.Errorf("nobody is there, and yet: %v", err)
	}
	if err := desk.Pause(true); err != nil {
		t.Fatal(err)
	}
	var all []model.UID
	for i := range 3 {
		all = append(all, d.task(fmt.Sprint("task ", i), fmt.Sprintf("do write f%d.txt good", i), nil))
	}
	done, _ := d.beside()
	d.until(func() bool { in, runs := desk.Loop(); return runs && strings.Contains(in.Says, "paused") })
	if err := desk.Want(all[2]); err != nil {
		t.Fatal(err)
	}
	d.until(func() bool { return len(d.loop().place.said()) == 0 })
	if len(d.runs(all[0]))+len(d.runs(all[2])) != 0 {
		t.Error("a paused loop started something")
	}
	if err := desk.Pause(false); err != nil {
		t.Fatal(err)
	}
	d.until(func() bool {
		return !slices.ContainsFunc(all, func(uid model.UID) bool { return d.status(uid) != model.StatusReviewWork })
	})
	if err := desk.Stop(false); err != nil {
		t.Fatal(err)
	}
	if sum := <-done; sum.Completed != 3 {
		t.Errorf("%+v", sum)
	}
	if got := d.commits(); len(got) != 3 || got[0] != "task 2" { // git fails beside a loop that removes worktrees
		t.Errorf("integrated: %v", got)
	}
	d.clean()
}

// A task that was decomposed is no worker's: once its subtasks have ended, all of it is checked together.
func TestATaskThatItsSubtasksDo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	plan := "# whole\n\n- [ ] T1: one part\n- [ ] T2: other part\n"
	uid := d.task("whole", plan, &model.Spec{Verify: [][]string{{"test", "-f", "f1.txt", "-a", "-f", "f2.txt"}}})
	task, _ := d.snap().Task(uid)
	hash := task.Status.AcceptedPlan.PlanHash
	made := d.do(model.Op{Name: model.Decompose, UID: uid, Actor: ann, Args: model.Decomposition{Plan: hash, Subtasks: []model.Subtask{
		{Key: "T1", Name: "one part", Objective: "make it\n", Plan: "do write f1.txt good\n"},
		{Key: "T2", Name: "other part", Objective: "make it\n", Plan: "do write f2.txt good\n"},
	}}})
	for _, part := range made.Change.Tasks {
		if part.Config.ParentUID == uid {
			d.do(model.Op{Name: model.AcceptPlan, UID: part.UID, Actor: ann})
		}
	}
	if sum := d.run(); sum.Completed != 3 || sum.Failed != 0 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	list := d.runs(uid)
	if d.status(uid) != model.StatusReviewWork || len(list) != 1 || list[0].Report == nil || !list[0].Report.Verified || list[0].Report.Integrated != "" {
		t.Errorf("it is %s, its runs are %+v%s", d.status(uid), list, d.lines())
	}
	if got := d.commits(); len(got) != 2 {
		t.Errorf("integrated: %v", got)
	}
	d.clean()
}

// A task with open subtasks is not begun, though its plan is accepted and what it depends on is completed.
func TestATaskWithOpenSubtasks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	dep := d.task("before", "do write b.txt good", nil)
	uid := d.task("whole", "do write a.txt good", nil, dep)
	d.do(model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "part", Parent: uid, Objective: "make it\n"}})
	if sum := d.run(); sum.Started != 1 || sum.Completed != 1 {
		t.Errorf("%+v, it is %s%s", sum, d.status(uid), d.lines())
	}
}
