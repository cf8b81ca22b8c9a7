package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vespe/engine/worker"
	"vespe/model"
	"vespe/model/runlog"
)

// parked is a run whose worker asks before it is done, with the question answered.
func (d *desk) parked(spec *model.Spec) model.UID {
	d.t.Helper()
	uid := d.task("asks", "do@1 write a.txt good\ndo@1 ask which one\ndo@2 say done", spec)
	if sum := d.run(); sum.Waiting != 1 {
		d.t.Fatalf("%+v%s", sum, d.lines())
	}
	for _, q := range d.snap().Requests() {
		if q.TaskUID == uid {
			d.do(model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: q.ID, Decision: model.DecideRespond, Text: "the second one"}})
		}
	}
	return uid
}

// What is run to verify work is what a person accepted: a worker that changes it has to wait for one.
func TestAWorkerThatChangesHowItIsVerified(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.parked(&model.Spec{Verify: [][]string{{"false"}}, MaxAttempts: 1})
	verify := `[["touch","` + d.dir + `/pwned"]]`
	set := model.Op{Name: model.SetFields, UID: uid, Actor: robot, Args: model.FieldEdit{Set: []model.Assignment{{Key: "verify", Mode: '=', Value: verify}}}}
	if _, err := d.s.Do(context.Background(), set); err == nil {
		t.Error("an agent took away a command that verifies its work")
	}
	d.file(".vespe/tasks/"+string(uid)+"/spec.json", `{"verify": `+verify+`, "max_attempts": 1}`) // past vespe
	if sum := d.run(); sum.Waiting != 1 || sum.Completed+sum.Failed != 0 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if len(d.commits()) != 0 || strings.Contains(d.git("status", "--porcelain"), "pwned") {
		t.Fatalf("what nobody accepted was run, or came onto the branch: %v %s", d.commits(), d.git("status", "--porcelain"))
	}
	if v, log := d.view(uid, d.runs(uid)[0].ID); v.Phase != runlog.PhaseWaiting || !strings.Contains(log, "revalidate") {
		t.Errorf("it does not say what it waits for: %s", log)
	}
	d.do(model.Op{Name: model.Revalidate, UID: uid, Actor: ann})
	if sum := d.run(); sum.Completed != 1 || len(d.runs(uid)) != 1 {
		t.Fatalf("%+v %+v%s", sum, d.runs(uid), d.lines())
	}
	if !strings.Contains(d.git("status", "--porcelain"), "pwned") {
		t.Error("what a person let stand was not run")
	}
	d.clean()
}

// A plan that was edited by hand while its worker worked is found out before anything is integrated.
func TestAPlanThatIsEditedMeanwhile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.parked(nil)
	d.file(".vespe/tasks/"+string(uid)+"/plan.md", "# another one\n")
	if sum := d.run(); sum.Waiting != 1 || len(d.commits()) != 0 {
		t.Fatalf("%+v %v%s", sum, d.commits(), d.lines())
	}
	d.do(model.Op{Name: model.Replan, UID: uid, Actor: ann, Reason: "as it says now"})
	if sum := d.run(); sum.Waiting != 0 {
		t.Errorf("%+v%s", sum, d.lines())
	}
	if list := d.runs(uid); len(list) != 1 || list[0].Outcome != model.RunReplanned {
		t.Errorf("its runs are %+v", list)
	}
	d.clean()
}

// What is on the integration branch and no work of a task is brought to nobody without a word from a person.
func TestACommitThatNobodyAccepted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.task("first", "do write a.txt good", nil)
	d.run()
	d.do(model.Op{Name: model.ReviewAccepted, UID: first, Actor: ann})
	d.run()
	d.git("checkout", "-q", "vespe/integration")
	d.file("sneak.txt", "good\n")
	d.git("add", "sneak.txt")
	d.git("commit", "-qm", "sneak")
	d.git("checkout", "-q", "main")
	before := d.git("rev-parse", "main")
	second := d.task("second", "do write b.txt good", nil)
	d.run()
	d.do(model.Op{Name: model.ReviewAccepted, UID: second, Actor: ann})
	d.run()
	d.run()
	if d.git("rev-parse", "main") != before || d.open(targetKey) != 1 {
		t.Fatalf("main is at %s, %d are asked%s", d.git("log", "-1", "--format=%s", "main"), d.open(targetKey), d.lines())
	}
	for _, q := range d.snap().Requests() {
		if q.IsOpen() && !strings.Contains(q.Detail, "integrate --all") {
			t.Errorf("it does not say what to do: %s", q.Detail)
		}
	}
	if err := d.loop().Deliver(context.Background(), "vespe/integration"); err != nil { // as with --all
		t.Fatal(err)
	}
	d.run()
	if n := d.open(targetKey); n != 0 {
		t.Errorf("%d are still asked", n)
	}
}

// Files are the same however they are spelt.
func TestFilesThatMeet(t *testing.T) {
	t.Parallel()
	of := func(f string) *model.Task { return &model.Task{Spec: &model.Spec{FilesToModify: []string{f}}} }
	for _, c := range []struct {
		a, b string
		meet bool
	}{
		{"src/a.go", "src/a.go", true},
		{"src/a.go", "./src//a.go", true},
		{"src/a.go", "lib/../src/a.go", true},
		{"src/a.go", "SRC/A.go", true},
		{"src/a.go", `src\a.go`, true},
		{"src/a.go", "src", true},
		{"src/a.go", "src/", true},
		{"src/a.go", ".", true},
		{"src/a.go", "src/*.go", true},
		{"src/b/a.go", "src/**", true},
		{"src/b/a.go", "**/*.go", true},
		{"src/b", "src/b/*.go", true},
		{"src/*.go", "src/a*", true},
		{"src/a.go", "src/a.golden", false},
		{"src/a.go", "src/b.go", false},
		{"src/a.go", "src/*.md", false},
		{"src/a.go", "lib/**", false},
		{"src/a.go", "srcs", false},
		{"src/*.go", "lib/*.go", false},
	} {
		for _, two := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			busy := taken{}
			busy.add(of(two[0]))
			if _, file := overlap(busy, of(two[1])); (file != "") != c.meet {
				t.Errorf("%q while %q is written: %q", two[1], two[0], file)
			}
		}
	}
}

// forget loses what this machine knows of a run, a while ago.
func (d *desk) forget(run string) {
	d.t.Helper()
	if err := d.loop().place.forget(run); err != nil {
		d.t.Fatal(err)
	}
	d.opt.Now = func() time.Time { return time.Now().Add(time.Minute) }
}

// A task whose run is known to nobody here is not in `running` for ever: a person is asked, and decides.
func TestARunThatIsLost(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("lost", "do@1 ask which one\ndo@2 write a.txt good", nil)
	hand := d.task("by hand", "do nothing", nil)
	d.do(model.Op{Name: model.Start, UID: hand, Actor: ann})
	d.run()
	run := d.runs(uid)[0].ID
	for _, q := range d.snap().Requests() {
		d.do(model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: q.ID, Decision: model.DecideRespond, Text: "go on"}})
	}
	d.forget(run)
	for range 2 {
		d.run()
		if n := d.open(lostKey); n != 1 {
			t.Fatalf("%d are asked%s", n, d.lines())
		}
	}
	d.choose(uid, lostKey, chooseLive)
	d.run()
	if list := d.runs(uid); len(list) != 1 || !list[0].Ended.IsZero() {
		t.Fatalf("it was not left: %+v", list)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	d.choose(uid, lostKey, chooseLost)
	if sum := d.run(); sum.Completed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	list := d.runs(uid)
	if len(list) != 2 || list[0].Outcome != model.RunCanceled || list[1].Report.Attempt != 1 {
		t.Errorf("its runs are %+v", list)
	}
	if d.status(hand) != model.StatusRunning {
		t.Errorf("what a person works on is %s", d.status(hand))
	}
}

// What another machine's loop begins meanwhile is its own.
func TestARunOfAnotherLoop(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("elsewhere", "do nothing", nil)
	l := d.loop()
	l.rounds.began = time.Now()
	r := &run{record: record{Run: "run-x", Task: uid, Worker: "w"}}
	if err := l.open(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if _, err := l.claim(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if l.lost(context.Background(), l.snap()); d.open(lostKey) != 0 {
		t.Error("a person is asked about what was begun just now")
	}
	l.rounds.began = time.Now().Add(2 * time.Second)
	if l.lost(context.Background(), l.snap()); d.open(lostKey) != 1 {
		t.Error("nobody is asked about what was there before")
	}
}

// What was asked about a lost run is taken back when somebody ended it otherwise.
func TestALostRunThatIsEnded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.parked(nil)
	d.forget(d.runs(uid)[0].ID)
	d.run()
	d.do(model.Op{Name: model.Abort, UID: uid, Actor: ann, Reason: "not needed"})
	d.run()
	if n := d.open(lostKey); n != 0 {
		t.Errorf("%d are still asked", n)
	}
}

// What a name, a worker or a check brings into a question is made to fit: nobody would be asked otherwise.
func TestQuestionsAlwaysFit(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.git("rm", "-q", "Makefile")
	d.git("commit", "-qm", "no tests")
	d.task(strings.Repeat("ü", 200), "do write a.txt good", nil)
	if sum := d.run(); sum.Waiting != 1 || d.open(askUntested) != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	d.opt.Settings.Worker.Format = worker.FormatClaude
	uid := d.task("defers", "do nothing", nil)
	d.replanScript(uid, `do say {"type":"result","subtype":"success","is_error":false,"terminal_reason":"tool_deferred","session_id":"s","deferred_tool_use":{"id":"`+
		strings.Repeat("i", 400)+`","name":"Write","input":{"file_path":"a.txt","content":"`+strings.Repeat("x", 100<<10)+`"}}}`)
	if sum := d.run(); sum.Waiting != 2 || d.open("deferred:") != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
}

// What a worker had done when its task was replanned is kept, and its worktree is not.
func TestWhatWasDoneBeforeAReplanIsKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("asks", "do write a.txt good\ndo ask which one", nil)
	d.run()
	run := d.runs(uid)[0].ID
	d.do(model.Op{Name: model.Replan, UID: uid, Actor: ann, Reason: "another way"})
	d.run()
	if got := d.git("show", "refs/vespe/"+run+"/result:a.txt"); got != "good" {
		t.Errorf("a.txt is %q", got)
	}
	d.clean()
}

// A snapshot that was read before a run was claimed says nothing of it: its worker is not taken for one whose
// task somebody ended.
func TestALookFromBeforeTheClaim(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("claimed", "do nothing", nil)
	l, before, stopped := d.loop(), d.snap(), error(nil)
	r := &run{record: record{Run: "run-x", Task: uid, Worker: "w"}, events: &events{}, stop: func(why error) { stopped = why }}
	l.runs.live[r.Run] = r
	l.know(before)
	if _, err := l.claim(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if l.lookAfter(before); stopped != nil {
		t.Errorf("it was stopped: %v", stopped)
	}
	d.do(model.Op{Name: model.Abort, UID: uid, Actor: ann, Reason: "not needed"})
	if l.lookAfter(d.snap()); !errors.Is(stopped, errGone) {
		t.Errorf("it goes on without its task: %v", stopped)
	}
}

// What a worker writes in place of evidence is none.
func TestEvidenceOfAWorker(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	spec := &model.Spec{MaxAttempts: 1, AcceptanceCriteria: []model.Criterion{{Text: "it works"}}}
	uid := d.task("claims", "do evidence\ndo write a.txt good\ndo exit 3", spec)
	if sum := d.run(); sum.Failed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	list := d.runs(uid)
	b, _, err := d.s.ReadRunFile(context.Background(), uid, list[0].ID, "verify.json", 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if rep, err := runlog.DecodeReport(b); err != nil || rep.OK || rep.Tested || len(rep.Criteria) > 0 || !strings.Contains(rep.Why, "never verified") {
		t.Errorf("%v %s", err, b)
	}
	if len(list[0].Report.Criteria) > 0 {
		t.Errorf("its criteria are %+v", list[0].Report.Criteria)
	}
	task, _ := d.snap().Task(uid)
	if c := task.Spec.AcceptanceCriteria[0]; c.State == "passed" {
		t.Errorf("its criterion is %+v", c)
	}
}

// What somebody writes over the patch and the evidence of a run that waits is neither: the run keeps the hashes of
// what it left, and what stands there since is refused.
func TestFilesOfARunThatWaitsAreChanged(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.git("rm", "-q", "Makefile")
	d.git("commit", "-qm", "no tests")
	spec := &model.Spec{AcceptanceCriteria: []model.Criterion{{Text: "it works"}}}
	uid := d.task("untested", "do write a.txt good", spec)
	if sum := d.run(); sum.Waiting != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	ctx, run := context.Background(), d.runs(uid)[0].ID
	forged := runlog.Report{OK: true, Tested: true, Criteria: []runlog.Criterion{{Text: "it works", Status: runlog.Pass, By: "make test"}}}
	was := map[string]string{}
	for name, b := range map[string][]byte{"changes.patch": []byte("nothing of it\n"), "verify.json": forged.Encode()} {
		left, _, err := d.s.ReadRunFile(ctx, uid, run, name, 0, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		was[name] = model.HashBytes(left)
		if err := d.s.WriteRunFile(ctx, uid, run, name, b); err != nil {
			t.Fatal(err)
		}
	}
	d.choose(uid, askUntested, chooseUntested)
	if sum := d.run(); sum.Completed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	rep := d.runs(uid)[0].Report
	if rep.Patch != was["changes.patch"] || rep.Evidence != was["verify.json"] {
		t.Errorf("the run left %v, its report has %s and %s", was, rep.Patch, rep.Evidence)
	}
	for _, c := range rep.Criteria {
		if c.State == "passed" {
			t.Errorf("a forged file decided on %+v", c)
		}
	}
	for name := range was {
		if _, _, err := d.s.ReadRunFile(ctx, uid, run, name, 0, 1<<20); err == nil || !strings.Contains(err.Error(), "has been changed since") {
			t.Errorf("%s is read: %v", name, err)
		}
	}
}

// A worker that kills its guard ends with it, and its attempt says so.
func TestAWorkerThatKillsItsGuard(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("kills", "do write a.txt good\ndo kill\ndo hang", &model.Spec{MaxAttempts: 1})
	if sum := d.run(); sum.Failed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if list := d.runs(uid); !strings.Contains(list[0].Report.Why, "its guard process was killed") {
		t.Errorf("it says %q", list[0].Report.Why)
	}
	d.nothingRuns()
	d.clean()
}

// What is asked of a run that is about to end, or about to wait, is not lost when it gets there.
func TestAskedWhileARunIsEnding(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("long", "do hang", nil)
	for _, c := range []struct {
		name    string
		arrives end // of the run, after it was canceled
		again   bool
	}{
		{"cancelled", end{what: ended, stopped: true, hold: true}, false},
		{"canceled and asked for again", end{what: ended, stopped: true, hold: true}, true},
		{"canceled as it began to wait", end{what: waits}, false},
		{"canceled as it could not continue", end{what: crashed, err: errors.New("no room")}, false},
	} {
		l := d.loop()
		l.soft, l.hard = t.Context(), t.Context()
		if _, err := l.refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := &run{record: record{Run: "run-" + l.opt.NewID(), Task: uid, Worker: "scripted", Step: stepWork, Started: l.now()}, name: "long"}
		if err := l.open(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		l.drives(r, func(ctx context.Context, r *run) end {
			<-ctx.Done()
			e := c.arrives
			e.run = r
			return e
		})
		l.cancel(r.Run)
		if c.again {
			l.wish(l.snap(), uid)
		}
		l.took(<-l.runs.results)
		if _, ok := l.runs.later[r.Run]; ok {
			l.opt.Now = func() time.Time { return time.Now().Add(time.Hour) }
			l.lookAfter(l.snap())
		}
		if !errors.Is(context.Cause(r.ctx), errCanceled) || len(l.runs.waiting)+len(l.runs.later) > 0 {
			t.Errorf("%s: the run continues: %v; %d wait", c.name, context.Cause(r.ctx), len(l.runs.waiting))
		}
		l.await()
		if _, rests := l.queue.stopped[uid]; c.arrives.what == ended && rests == c.again {
			t.Errorf("%s: the task rests: %v", c.name, rests)
		}
	}
}
