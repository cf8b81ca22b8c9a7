package ui_test

import (
	"context"
	"strings"
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui"
)

const newerFormat = "the store has format 2 and this vespe writes format 1"

// A store that cannot be written says so on every frame, why, and refuses each key that would
// change something before anything is asked.
func TestAStoreThatIsOnlyRead(t *testing.T) {
	s := uitest.NewSmall()
	seq := s.Snapshot().Seq()
	o := uitest.Options{Store: s.Store, KeepUnread: true, Change: func(d *ui.Deps) { d.ReadOnly = newerFormat }}
	uitest.Run(t, o, func(d *uitest.Driver) {
		d.See("READ ONLY", "open for reading only", newerFormat)
		for _, action := range []keymap.Action{
			keymap.Accept, keymap.Reject, keymap.Pause, keymap.Abort, keymap.Start, keymap.Retry, keymap.RaiseError,
			keymap.New, keymap.NewSubtask, keymap.EditObjective, keymap.EditPlan, keymap.Undo,
		} {
			goTo(d, "lexer tokens")
			d.Press(action)
			for _, question := range []string{"y Accept", "Why", "Name", "enter Send"} {
				if strings.Contains(d.Screen(), question) {
					t.Fatalf("%s asks something:\n%s", action, d.Screen())
				}
			}
			d.See("READ ONLY").Key("esc")
		}
		d.Resize(80, 24).See("READ ONLY")
	})
	if now := s.Snapshot().Seq(); now != seq {
		t.Errorf("the store went from %d to %d", seq, now)
	}
}

// unsure is a store whose disk does not confirm what was done.
type unsure struct{ ui.Store }

func (s unsure) Do(ctx context.Context, op model.Op) (snapshot.Applied, error) {
	a, err := s.Store.Do(ctx, op)
	if err == nil {
		err = &model.Refusal{Code: model.CodeNotDurable, Op: op.Name, UID: op.UID, Guard: "writable", Why: "it is applied, but .vespe/tasks/one refuses to be written", Hint: "give yourself the permission"}
	}
	return a, err
}

// What is done, but not certainly durable, is shown as done, with what is the matter.
func TestDoneButNotDurable(t *testing.T) {
	s := uitest.NewSmall()
	o := uitest.Options{Store: s.Store, KeepUnread: true, Change: func(d *ui.Deps) { d.Store = unsure{d.Store} }}
	uitest.Run(t, o, func(d *uitest.Driver) {
		goTo(d, "error messages")
		d.Press(keymap.Pause).Type("lunch").Press(keymap.PromptSubmit)
		d.Status(s.Run, model.StatusPaused)
		d.See("Done, but it may not be on the disk yet", "refuses to be written", "Paused")
		if strings.Contains(d.Screen(), "Can't ") {
			t.Errorf("it looks as if it was refused:\n%s", d.Screen())
		}
	})
}
