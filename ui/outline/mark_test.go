package outline

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/ui/style"
)

// Whatever is done, Marked is what it is when it is asked for the first time, and what it was asked
// for before stays as it was.
func TestWhatIsMarked(t *testing.T) {
	o := New(viewtest.Styles(style.Options{Dark: true}))
	o.SetSnapshot(viewtest.Snapshot(viewtest.Large(60, 1)))
	o.UnfoldAll()
	rapid.Check(t, func(t *rapid.T) {
		o.ClearMarks()
		var was, copies [][]model.UID
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 12).Draw(t, "step") {
			case 0:
				o.ClearMarks()
			case 1, 2, 3:
				o.ToggleMark()
			case 4, 5:
				toggle(o)
			default:
				o.Move(rapid.IntRange(-12, 12).Draw(t, "by"))
			}
			got := o.Marked()
			if want := o.collectMarked(); !slices.Equal(got, want) {
				t.Fatalf("marked are %q, want %q", got, want)
			}
			was, copies = append(was, got), append(copies, slices.Clone(got))
		}
		for i := range was {
			if !slices.Equal(was[i], copies[i]) {
				t.Fatalf("what was given out as %q is %q", copies[i], was[i])
			}
		}
	})
}

// toggle folds or unfolds the task under the cursor.
func toggle(o *Outline) {
	switch {
	case o.Cur >= len(o.rows) || !o.canFold(o.Cur):
	case o.isOpen(o.Cur):
		o.Left()
	default:
		o.Right()
	}
}
