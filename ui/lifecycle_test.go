package ui_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
)

func TestPauseAndResume(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "error messages")
		d.Press(keymap.Pause).See("Pause").Type("lunch").Press(keymap.PromptSubmit)
		d.Status(s.Run, model.StatusPaused)
		if got := task(t, s.Store, s.Run).Status.PauseReason; got != "lunch" {
			t.Fatalf("reason %q", got)
		}
		events, _, err := s.History(t.Context(), s.Run)
		if err != nil || events[len(events)-1].Channel != model.ChannelWorkbench {
			t.Fatalf("the way it came in is %q: %v", events[len(events)-1].Channel, err)
		}
		d.Press(keymap.Pause).See("Resume").Press(keymap.ConfirmYes)
		d.Status(s.Run, model.StatusRunning)
	})
}

func TestErrorAndRetry(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "error messages")
		d.Press(keymap.RaiseError).Type("disk full").Press(keymap.ComposeSend)
		d.Status(s.Run, model.StatusError)
		d.Press(keymap.Retry).See("Retry").Press(keymap.ConfirmYes)
		if got := task(t, s.Store, s.Run).Status; got.CurrentState != model.Working || got.RetryCount != 1 {
			t.Fatalf("%s after %d retries", got.CurrentState, got.RetryCount)
		}
		d.Press(keymap.Start, keymap.ConfirmYes)
		d.Status(s.Run, model.StatusRunning)
	})
}

func TestAbortListsTheChildren(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "Build the parser")
		d.Press(keymap.Abort).See("Abort", "lexer tokens", "error messages", "fuzz targets")
		d.Type("another design").Press(keymap.PromptSubmit)
		for _, uid := range []model.UID{s.Root, s.Plan, s.Run, s.Ready} {
			d.Status(uid, model.StatusAborted)
		}
	})
}

func TestARefusalSaysGuardWhyAndHint(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "release")
		d.Status(s.Blocked, model.StatusBlocked)
		d.Press(keymap.Start).See("Can't start", "lexer tokens").Hidden("dependencies_met")
		d.Sleep(time.Minute).See("Can't start") // it stays until it is read
		d.Press(keymap.Back).Hidden("Can't start")
		d.Press(keymap.Log).See("Can't start", "guard dependencies_met").Press(keymap.PagerClose)
	})
}

func TestAFailingStoreIsSaid(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "error messages")
		s.FailWith(func(method string) error {
			if method == "Do" {
				return errors.New("no space left on device")
			}
			return nil
		})
		d.Press(keymap.Pause).Press(keymap.PromptSubmit)
		d.See("no space left on device").Status(s.Run, model.StatusRunning)
		d.Press(keymap.Back)
	})
}

func TestCreateAndRename(t *testing.T) {
	s := uitest.NewStore()
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.See("No tasks", d.Keys.Label(keymap.New))
		d.Press(keymap.New).Type("First").Press(keymap.PromptSubmit)
		first := byName(t, s, "First")
		d.See("First")
		d.Press(keymap.NewSubtask).See("below").Type("Second").Press(keymap.PromptSubmit)
		second := byName(t, s, "Second")
		if second.Config.ParentUID != first.UID {
			t.Fatalf("parent %q", second.Config.ParentUID)
		}
		// The cursor is on what was made; a new task beside it has the same parent.
		d.Press(keymap.New).Type("Third").Press(keymap.PromptSubmit)
		if third := byName(t, s, "Third"); third.Config.ParentUID != first.UID {
			t.Fatalf("parent %q", third.Config.ParentUID)
		}
		d.Press(keymap.Rename).Key("ctrl+u").Type("Fourth").Press(keymap.PromptSubmit)
		byName(t, s, "Fourth")
		// A blank name is refused where it is typed.
		d.Press(keymap.New, keymap.PromptSubmit).Type("  ").Press(keymap.PromptSubmit)
		d.Press(keymap.PromptCancel)
		if s.Snapshot().Len() != 3 {
			t.Fatalf("%d tasks", s.Snapshot().Len())
		}
	})
}

func TestDependenciesAndACycle(t *testing.T) {
	s := uitest.NewStore()
	a := s.Task("alpha", "")
	b := s.Task("beta", "")
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		goTo(d, "beta")
		d.Press(keymap.AddDependency).Type("alpha").Press(keymap.PickerChoose)
		if got := task(t, s, b).DependsOn; len(got) != 1 || got[0] != a {
			t.Fatalf("depends on %v", got)
		}
		goTo(d, "alpha")
		d.Press(keymap.AddDependency).Type("beta").Press(keymap.PickerChoose)
		d.See("cycle", "alpha", "beta", "wait for").Press(keymap.PagerClose)
		d.Hidden("Can't ").Press(keymap.Log).See("Can't ", "guard acyclic").Press(keymap.PagerClose)
		if got := task(t, s, a).DependsOn; len(got) != 0 {
			t.Fatalf("a cycle was written: %v", got)
		}
		// Along the edge and back.
		d.Press(keymap.JumpDependent)
		if !strings.Contains(d.Line(0), "beta") {
			t.Fatalf("not on beta: %s", d.Line(0))
		}
		d.Press(keymap.JumpBack)
		if !strings.Contains(d.Line(0), "alpha") {
			t.Fatalf("not back on alpha: %s", d.Line(0))
		}
		goTo(d, "beta")
		d.Press(keymap.RemoveDependency, keymap.PickerChoose)
		if got := task(t, s, b).DependsOn; len(got) != 0 {
			t.Fatalf("still depends on %v", got)
		}
	})
}

func TestEditorDefinesAPlan(t *testing.T) {
	s := uitest.NewSmall()
	ed := &uitest.Editor{Write: func(body string) (string, error) { return body + "\n4. Document it.\n", nil }}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) { d.Editor = ed }}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		edit(d)
		if got := task(t, s.Store, s.Plan).Status.PlanRevision; got != 2 {
			t.Fatalf("plan revision %d\n%s", got, d.Screen())
		}
		if len(ed.Kept) != 0 {
			t.Fatalf("copies left: %v", ed.Kept)
		}
		d.Press(keymap.TabPlan).See("Document it")
		// Nothing changed, nothing is written.
		ed.Write = func(body string) (string, error) { return body, nil }
		edit(d).See("Nothing was changed")
		// The editor failed.
		ed.Write = func(string) (string, error) { return "", errors.New("exit status 1") }
		edit(d).See("exit status 1").Press(keymap.Back)
		if got := task(t, s.Store, s.Plan).Status.PlanRevision; got != 2 {
			t.Fatalf("plan revision %d\n%s", got, d.Screen())
		}
	})
}

// Somebody else defines the plan while the person writes: nothing of either is lost.
func TestEditorConflictKeepsTheText(t *testing.T) {
	s := uitest.NewSmall()
	ed := &uitest.Editor{Write: func(body string) (string, error) { return body + "\n4. Mine.\n", nil }}
	ed.Before = func() {
		s.Must(model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Theirs\n\nAnother plan.\n"}})
	}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) { d.Editor = ed }}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		edit(d)
		d.See("changed while you were writing", "Mine", "Theirs", "your text is saved").Press(keymap.PagerClose)
		d.Hidden("your text is saved")
		if got := task(t, s.Store, s.Plan).Status.PlanRevision; got != 2 {
			t.Fatalf("plan revision %d: theirs is gone", got)
		}
		// Leaving asks first; the same key opens the draft again.
		d.Press(keymap.Quit).See("A text is not saved").Press(keymap.ConfirmNo)
		ed.Before = nil
		var opened string
		ed.Write = func(body string) (string, error) { opened = body; return body + "\n5. Both.\n", nil }
		edit(d)
		if !strings.Contains(opened, "Mine") {
			t.Fatalf("the draft was not reopened: %q", opened)
		}
		d.Press(keymap.TabPlan).See("Both")
	})
}

// edit opens the plan in the editor and waits until the terminal is handed back, which
// takes the library half a second without an input.
func edit(d *uitest.Driver) *uitest.Driver {
	d.T.Helper()
	return d.Press(keymap.EditPlan).Sleep(time.Second)
}
