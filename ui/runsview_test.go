package ui_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui"
	"vespe/ui/runview"
)

// withLoop is a workbench over a store with a loop.
func withLoop(s *uitest.Store, l *uitest.Loop) uitest.Options {
	return uitest.Options{Store: s, Change: func(d *ui.Deps) { d.Loop = l }}
}

// worked makes a task whose work has ended once with an error and once well.
func worked(s *uitest.Store, name string) model.UID {
	uid := s.Working(name, "")
	s.Must(model.Op{Name: model.RaiseError, UID: uid, Actor: "system:loop", Args: model.ErrorReport{Details: "tests failed", Report: &model.RunReport{
		Attempt: 1, Why: "go test failed, exit 1", Cost: 0.4, Tested: true,
	}}})
	s.Must(
		model.Op{Name: model.Retry, UID: uid, Actor: "system:loop"},
		model.Op{Name: model.Start, UID: uid, Actor: uitest.Robot, Args: model.NewRun{Worker: uitest.Robot, ID: "run-second"}},
		model.Op{Name: model.WorkCompleted, UID: uid, Actor: "system:loop", Args: model.Completion{Summary: "done", Report: &model.RunReport{
			Attempt: 2, Why: "no test was found", Cost: 1.1, Verified: true,
		}}},
	)
	return uid
}

func TestTheRunsAreListed(t *testing.T) {
	s := uitest.NewSmall()
	worked(s.Store, "parse OFX")
	run := s.Snapshot()
	live, _ := run.Task(s.Run)
	s.LogRun(s.Run, live.Status.CurrentRun,
		runlog.Event{Kind: runlog.KindPhase, Phase: runlog.PhaseWork},
		runlog.Event{Kind: runlog.KindCost, Cost: 0.25},
		runlog.Event{Kind: runlog.KindTool, Tool: "Read", ID: "1", Text: "lexer.go"},
	)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewRuns).Sleep(2*time.Second).See("Running 1", "error messages", "Finished 3", "not tested", "parse OFX")
		d.See("1 running · $0.25")
		if shown := d.Screen(); strings.Index(shown, "not tested") > strings.Index(shown, "error      ") {
			t.Errorf("the newest run is not first:\n%s", shown)
		}
		// What a worker does shows without a key.
		d.Store.LogRun(s.Run, live.Status.CurrentRun, runlog.Event{Kind: runlog.KindPhase, Phase: runlog.PhaseVerify}, runlog.Event{Kind: runlog.KindCost, Cost: 0.75})
		d.Sleep(2*time.Second).See("verify", "1 running · $0.75")
		d.Press(keymap.FilterStart).Type("parse").Key("enter").See("2 of 4").Hidden("error messages ")
		d.Press(keymap.Back).See("error messages")
	})
}

// Of a log that grows only what is new is read.
func TestALogIsReadOnce(t *testing.T) {
	s := uitest.NewSmall()
	live, _ := s.Snapshot().Task(s.Run)
	run := live.Status.CurrentRun
	s.LogRun(s.Run, run, runlog.Event{Kind: runlog.KindMessage, Text: strings.Repeat("words ", 1000)})
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Sleep(5 * time.Second)
		before := s.RunBytes()
		d.Sleep(10 * time.Second)
		if n := s.RunBytes() - before; n != 0 {
			t.Errorf("%d bytes were read again of a log that did not grow", n)
		}
		s.LogRun(s.Run, run, runlog.Event{Kind: runlog.KindNote, Text: "more"})
		d.Sleep(3 * time.Second)
		if n := s.RunBytes() - before; n == 0 || n > 200 {
			t.Errorf("%d bytes were read of a log that grew by one short event", n)
		}
	})
}

func TestNothingHasRunYet(t *testing.T) {
	l := &uitest.Loop{}
	s := uitest.NewStore()
	s.Task("idea", "")
	uitest.Run(t, withLoop(s, l), func(d *uitest.Driver) {
		d.Press(keymap.ViewRuns).See("No worker has worked on anything yet.", "No task is ready", "1 shows the plans that wait", "The loop is off.")
		ready := s.Planned("lexer", "")
		s.Accept(ready)
		d.Sleep(2*time.Second).See("s starts the loop", ":run task runs one task")
		l.Set(runview.LoopState{Stops: []runview.LoopStop{{Why: "the store is not trusted", Hint: "`vespe trust` says that it may run what it names"}}})
		d.Sleep(2*time.Second).See("No run can start: the store is not trusted", "`vespe trust` says")
		d.Press(keymap.LoopToggle).See("Start/stop loop: the store is not trusted")
		if calls := l.Calls(); len(calls) > 0 {
			t.Errorf("the loop was asked to %q", calls)
		}
	})
}

func TestTheLoopIsSteered(t *testing.T) {
	l := &uitest.Loop{}
	l.Set(runview.LoopState{Workers: 2})
	s := uitest.NewSmall()
	live, _ := s.Snapshot().Task(s.Run)
	run := live.Status.CurrentRun
	uitest.Run(t, withLoop(s.Store, l), func(d *uitest.Driver) {
		asked := func(want ...string) {
			t.Helper()
			if got := l.Calls(); !slices.Equal(got, want) {
				t.Errorf("the loop was asked to %q, want %q", got, want)
			}
		}
		d.Press(keymap.ViewRuns, keymap.LoopToggle).See("Workers start on 1 ready task")
		asked()
		d.Press(keymap.ConfirmYes).See("The loop is running: 2 workers at a time", "process")
		asked("start")
		d.Press(keymap.LoopPause).Sleep(time.Second).See("paused", "no new run starts").Press(keymap.LoopPause).Sleep(time.Second)
		asked("hold", "go on")
		d.Press(keymap.RunCancel).See("Stop the worker on \"error messages\"").Press(keymap.ConfirmNo)
		asked()
		d.Press(keymap.RunCancel, keymap.ConfirmYes)
		asked("cancel " + run)
		d.Press(keymap.LoopToggle).See("The loop ends after")
		asked("stop")
		d.Press(keymap.LoopToggle).See("Stop the workers of 1 run now", "error messages").Press(keymap.ConfirmNo)
		asked()
		d.Press(keymap.LoopToggle, keymap.ConfirmYes)
		asked("stop now")

		d.Sleep(time.Second).Off(keymap.RunCancel, "no loop is running to stop it")
		d.Off(keymap.LoopRun, "robot is already working on it")

		d.Press(keymap.ViewTree)
		goTo(d, "fuzz targets")
		d.Press(keymap.LoopRun).See("A worker starts on")
		asked("run " + string(s.Ready))
		goTo(d, "lexer tokens")
		d.Off(keymap.LoopRun, "its plan is not accepted")
		asked()
		l.Fail = &model.Refusal{Code: model.CodeRefused, Why: "another loop has it", Hint: "wait for it"}
		goTo(d, "fuzz targets")
		d.Press(keymap.LoopRun).See("Can't run the task", "another loop has it", "wait for it").Press(keymap.Back)
		l.Fail = errors.New("git is not there")
		d.Press(keymap.LoopRun).See("git is not there").Press(keymap.Back)
	})
}

// The log of the run on screen grows as its worker writes; who has gone up is told what came in below.
func TestTheLogIsFollowed(t *testing.T) {
	s := uitest.NewSmall()
	live, _ := s.Snapshot().Task(s.Run)
	run := live.Status.CurrentRun
	log := func(events ...runlog.Event) { s.LogRun(s.Run, run, events...) }
	log(runlog.Event{Kind: runlog.KindPhase, Phase: runlog.PhaseWork})
	for range 60 {
		log(runlog.Event{Kind: runlog.KindMessage, Text: "I look at another file."})
	}
	log(
		runlog.Event{Kind: runlog.KindCommand, ID: "1", Text: "go test ./..."},
		runlog.Event{Kind: runlog.KindCommand, ID: "1", Done: true, Exit: 2, Text: "FAIL \x1b[31mlexer"},
	)
	uitest.Run(t, uitest.Options{Store: s.Store, H: 30}, func(d *uitest.Driver) {
		d.Press(keymap.ViewRuns).Sleep(time.Second).See("go test ./...", "exit 2", "▸ work", "following").Hidden("lexer\n", "␛[31m")
		log(runlog.Event{Kind: runlog.KindMessage, Text: "That is the lexer."})
		d.Sleep(300 * time.Millisecond).See("That is the lexer.")
		d.Press(keymap.FocusNext, keymap.MoveUp, keymap.RunUnfold).See("FAIL ␛[31mlexer")
		log(runlog.Event{Kind: runlog.KindMessage, Text: "one"}, runlog.Event{Kind: runlog.KindMessage, Text: "two"})
		d.Sleep(time.Second)
		d.Press(keymap.MoveTop).See("↓ 2 new below").Press(keymap.MoveBottom).See("two", "following").Hidden("new below")
		d.Press(keymap.RunUnfolds).Press(keymap.RunFold).Hidden("FAIL ␛")
		d.Press(keymap.SearchStart).Type("␛").Key("esc")
		d.Press(keymap.SearchStart).Type("lexer").Key("enter").See("match").Press(keymap.Back)
		// Half a line is no event before the rest of it is there.
		line := string(runlog.Event{Kind: runlog.KindNote, Text: "in two halves"}.Line())
		s.AppendRun(s.Run, run, "output.jsonl", line[:20])
		d.Press(keymap.MoveBottom).Sleep(time.Second).Hidden("in two halves", `"kind"`)
		s.AppendRun(s.Run, run, "output.jsonl", line[20:])
		d.Sleep(time.Second).See("in two halves")
		frames := d.App.Drawn()
		d.Key("2").Sleep(5 * time.Second)
		if n := d.App.Drawn() - frames; n > 4 {
			t.Errorf("%d frames were drawn with the run off the screen", n)
		}
	})
}

func TestTheTabsOfARun(t *testing.T) {
	s := uitest.NewSmall()
	uid := worked(s.Store, "parse OFX")
	report := runlog.Report{OK: true, Commit: "90b1c2e4", Why: "no test was found", Checks: []runlog.Evidence{
		{Name: "go vet", Argv: []string{"go", "vet", "./..."}, Source: "verify", Status: runlog.Pass, Output: "all is well\n", Millis: 1500},
	}}
	s.PutRun(uid, "run-second", "verify.json", string(report.Encode()))
	s.PutRun(uid, "run-second", "prompt.md", "# Task\n\nParse \x1b[31mOFX.\n")
	s.PutRun(uid, "run-second", "changes.patch", "diff --git a/ofx.go b/ofx.go\n--- a/ofx.go\n+++ b/ofx.go\n@@ -1 +1 @@\n-old\n+new \x1b[31m\n")
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Press(keymap.ViewRuns, keymap.MoveDown).Sleep(time.Second).See("No log.", "Not tested: no test was found")
		d.Press(keymap.FocusNext, keymap.TabNext).See("Not tested", "go vet", "exit 0", "Nothing shows that it works")
		d.Press(keymap.SearchStart).Type("all is").Key("enter").See("all is well").Press(keymap.Back)
		d.Press(keymap.TabNext).See("ofx.go  +1 -1", "- old", "+ new ␛[31m")
		d.Press(keymap.TabNext).See("# Task", "Parse ␛[31mOFX.")
		d.Press(keymap.TabNext).See("attempt 2", "attempt 1", "go test failed, exit 1")
		d.Press(keymap.MoveDown, keymap.Open).See("attempt 1 of 3", "error")
		d.Press(keymap.TabPlan).See("Plan", "parse OFX").Press(keymap.Back).See("attempt 1 of 3")
		d.Press(keymap.JumpParent, keymap.Back)
	})
}

func TestAWorktreeIsTakenOver(t *testing.T) {
	s := uitest.NewSmall()
	worked(s.Store, "parse OFX")
	l := &uitest.Loop{Trees: map[string]string{"run-second": "/work/\x1b[31mtrees/run-second"}}
	sh := &uitest.Shell{}
	o := withLoop(s.Store, l)
	change := o.Change
	o.Change = func(d *ui.Deps) { change(d); d.Shell = sh }
	uitest.Run(t, o, func(d *uitest.Driver) {
		d.Press(keymap.ViewRuns, keymap.MoveDown).Sleep(time.Second)
		d.Press(keymap.RunTakeOver).Sleep(time.Second).See("back from /work/␛[31mtrees/run-second")
		if want := []string{"/work/\x1b[31mtrees/run-second"}; !slices.Equal(sh.Opened, want) {
			t.Errorf("shells were opened in %q", sh.Opened)
		}
		d.Press(keymap.MoveDown, keymap.RunTakeOver).See("There is no worktree to take over", "on the integration branch").Press(keymap.Back)
	})
	sh.Fail = errors.New("$SHELL is not set")
	uitest.Run(t, o, func(d *uitest.Driver) {
		d.Press(keymap.ViewRuns, keymap.MoveDown).Sleep(time.Second)
		d.Press(keymap.RunTakeOver).See("The worktree is at /work/", "$SHELL is not set", "copied").Press(keymap.Back)
		if got := d.Copied(); len(got) != 1 || strings.Contains(got[0], "\x1b") {
			t.Errorf("what was copied is %q", got)
		}
	})
}

// A loop that ends with the workbench is not ended by a stray key.
func TestQuittingAsksWhereTheLoopEndsWithIt(t *testing.T) {
	s := uitest.NewSmall()
	l := &uitest.Loop{}
	l.Set(runview.LoopState{Running: true, Here: true, Workers: 2})
	uitest.Run(t, withLoop(s.Store, l), func(d *uitest.Driver) {
		for _, leave := range []string{"q", "ctrl+c"} {
			d.Key(leave).See("The loop ends with the workbench", "error messages").Press(keymap.ConfirmNo)
		}
		if d.Ended() {
			t.Fatal("it ended")
		}
		l.Set(runview.LoopState{})
		d.Sleep(2 * time.Second).Press(keymap.Quit).Quits()
	})
}

// Nothing that a worker, a check or a file of a run says reaches the terminal as more than text, in any tab
// and any size. The driver checks every frame.
func TestHostileRunsStayText(t *testing.T) {
	s := uitest.NewSmall()
	uid := reviewed(s.Store, false)
	bad := "x" + hostile + "\n\ty"
	s.Must(
		model.Op{Name: model.ReviewRejected, UID: uid, Actor: uitest.Ann, Reason: "again"},
		model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\nagain\n"}},
		model.Op{Name: model.AcceptPlan, UID: uid, Actor: uitest.Ann},
		model.Op{Name: model.Start, UID: uid, Actor: uitest.Robot, Args: model.NewRun{Worker: uitest.Robot, ID: "run-bad"}},
	)
	file, err := json.Marshal(map[string]any{
		"run": "run-file", "worker": "agent:w" + hostile, "started_at": "2000-01-01T00:00:00Z", "ended_at": "2000-01-01T01:00:00Z", "outcome": bad,
		"report": map[string]any{"why": bad, "phase": bad, "template": bad, "result": bad, "cost_usd": 1e300},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.PutRun(uid, "run-file", "run.json", string(file))
	var events []runlog.Event
	for _, k := range []runlog.Kind{
		runlog.KindPhase, runlog.KindMessage, runlog.KindTool, runlog.KindEdit, runlog.KindCommand, runlog.KindAsk, runlog.KindSpawn,
		runlog.KindProgress, runlog.KindNote, runlog.KindError, runlog.KindRaw, runlog.KindCheck, "later",
	} {
		e := runlog.Event{Kind: k, Phase: runlog.Phase(bad), Text: bad, Tool: bad, ID: string(k), Path: bad}
		if k == runlog.KindCheck {
			e.Check = &runlog.Evidence{Name: bad, Argv: []string{bad}, Status: runlog.Fail, Output: bad, Why: bad, Source: bad}
		}
		done := e
		done.Done, done.Exit = true, 3
		events = append(events, e, done)
	}
	s.LogRun(uid, "run-bad", events...)
	s.AppendRun(uid, "run-bad", "output.jsonl", "no JSON "+hostile+"\n\xff\xfe\n\n{\n")
	report := runlog.Report{
		Commit: bad, Why: bad, Missing: []string{bad}, Criteria: []runlog.Criterion{{Text: bad, Status: runlog.Status(bad), By: bad, Why: bad}},
		Checks: []runlog.Evidence{{Name: bad, Argv: []string{bad}, Status: runlog.Status(bad), Output: bad, Why: bad, Source: bad}},
	}
	s.PutRun(uid, "run-bad", "verify.json", string(report.Encode()))
	s.PutRun(uid, "run-bad", "prompt.md", bad)
	s.PutRun(uid, "run-bad", "changes.patch", "diff --git a/"+hostile+" b/"+hostile+"\n--- a/x\n+++ b/x"+hostile+"\nrename from "+hostile+"\n@@ -1 +1 @@ "+hostile+"\n-"+hostile+"\n+new "+hostile+"\n")
	l := &uitest.Loop{Trees: map[string]string{}}
	l.Set(runview.LoopState{Stops: []runview.LoopStop{{Why: bad, Hint: bad}}})
	o := withLoop(s.Store, l)
	o.KeepUnread, o.Bare = true, true
	uitest.Run(t, o, func(d *uitest.Driver) {
		for _, size := range [][2]int{{120, 40}, {200, 50}, {60, 24}, {33, 12}} {
			d.Resize(size[0], size[1]).Press(keymap.ViewTree, keymap.MoveBottom, keymap.ViewRuns).Sleep(2 * time.Second)
			for range 6 {
				d.Press(keymap.FocusNext, keymap.RunUnfolds).Key("pgdown", "pgup").Press(keymap.SearchStart).Type("x").Key("enter", "n", "esc")
				d.Press(keymap.RunPatch).Sleep(300*time.Millisecond).Key("pgdown", "s", "esc")
				d.Press(keymap.TabNext).Sleep(300 * time.Millisecond)
				d.Press(keymap.FocusNext)
			}
			d.Press(keymap.RunCancel).Sleep(300 * time.Millisecond).Key("esc")
			d.Press(keymap.RunTakeOver, keymap.LoopToggle, keymap.LoopRun).Sleep(300*time.Millisecond).Key("esc", "esc")
			d.Press(keymap.TabRuns).Sleep(300*time.Millisecond).Press(keymap.TabOverview, keymap.Back, keymap.Back)
		}
		s.FailWith(func(string) error { return errors.New("err " + hostile) })
		d.Press(keymap.ViewTree, keymap.MoveBottom, keymap.ViewRuns, keymap.MoveDown).Sleep(3 * time.Second)
	})
}

// A verdict on work in the view of runs is one on the run under the cursor, never on another attempt's work.
func TestAnotherAttemptIsNotAccepted(t *testing.T) {
	s := uitest.NewStore()
	worked(s, "parse OFX")
	uitest.Run(t, uitest.Options{Store: s, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewRuns).Sleep(2*time.Second).See("Finished 2", "1/3", "2/3")
		d.Press(keymap.MoveBottom).See("go test failed")
		for _, verdict := range []keymap.Action{keymap.Accept, keymap.Reject} {
			d.Press(verdict).See("attempt 1 did not do the work under review; attempt 2 did").Press(keymap.Back)
		}
		d.Press(keymap.MoveUp).Press(keymap.Accept).See("Accept the work on")
	})
}
