package ui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/visible"
)

// What is copied is what is seen: it presses no keys where it is pasted, hides nothing, and
// what has no lines stays one line, so that it runs no command.
func TestWhatIsCopiedIsPlainVisibleText(t *testing.T) {
	in := hostileInput()
	in.Tasks = in.Tasks[:1]
	uid := in.Tasks[0].UID
	s := uitest.StoreOf(in)
	const body = "rm -rf\x1b[8m /\u202e\nsecond line\n"
	s.Edit(uid, model.Plan, body)
	uitest.Run(t, uitest.Options{Store: s, KeepUnread: true}, func(d *uitest.Driver) {
		d.Press(keymap.ViewTree, keymap.MoveTop)
		if !strings.Contains(d.Screen(), "0.0 ") {
			t.Fatalf("no task:\n%s", d.Screen())
		}
		for range 5 { // past the problems of the store, to the task
			if strings.Contains(d.Line(0), "0.0 ") {
				break
			}
			d.Press(keymap.MoveDown)
		}
		d.Press(keymap.CopyName, keymap.CopyID, keymap.CopyPath, keymap.TabPlan).Sleep(time.Second).Press(keymap.CopyText)
		want := []string{
			visible.Line(in.Tasks[0].Config.Name), string(uid), ".vespe/tasks/" + string(uid),
			"rm -rf␛[8m /⟨U+202E⟩\nsecond line\n",
		}
		got := d.Copied()
		if !slices.Equal(got, want) {
			t.Errorf("copied %q, want %q", got, want)
		}
		if strings.ContainsAny(got[0], "\n\r\x1b") {
			t.Errorf("the name is copied as %q", got[0])
		}
	})
}
