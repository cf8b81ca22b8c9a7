package outline

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/ui/style"
)

// However the ends of a range move, Marked is what it is when it is asked for the first time, and
// what it was asked for before stays as it was.
func TestARangeThatMoves(t *testing.T) {
	o := New(viewtest.Styles(style.Options{Dark: true}))
	o.SetSnapshot(viewtest.Snapshot(viewtest.Large(60, 1)))
	o.UnfoldAll()
	stretched := 0
	rapid.Check(t, func(t *rapid.T) {
		o.ClearMarks()
		var was, copies [][]model.UID
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 12).Draw(t, "step") {
			case 0:
				o.ToggleRange()
			case 1, 2:
				o.ClearMarks()
			case 3:
				o.ToggleMark()
			case 4:
				o.Toggle()
			default:
				o.Move(rapid.IntRange(-12, 12).Draw(t, "by"))
			}
			if from, to := o.span(); o.anchor != "" && (from != o.marked.from || to != o.marked.to) {
				if _, ok := o.stretched(from, to); ok {
					stretched++
				}
			}
			got := o.Marked()
			var want []model.UID
			if len(o.marks) > 0 || o.anchor != "" {
				want = o.collectMarked(o.span())
			}
			if !slices.Equal(got, want) {
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
	if stretched == 0 {
		t.Error("no range was ever stretched")
	}
}
