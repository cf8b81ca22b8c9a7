package viewtest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/style"
)

// List is what can be done to every view of the left.
type List interface {
	Viewer
	Move(d int)
	Home()
	End()
	HalfPage(n int)
	Page(n int)
	Wheel(d int)
	Click(x, y int) bool
	Jump(uid model.UID) bool
	Keep() (restore func())
	SetSnapshot(s *snapshot.Snapshot)
	SetFocused(on bool)
	SetFilter(test func(s *snapshot.Snapshot, i int) bool)
	SearchStart()
	SearchType(text string) (found int)
	SearchAccept()
	SearchCancel()
	SearchClear()
	SearchNext(d int) (wrapped, ok bool)
}

// Stores are what a view has to be able to draw: a project, a large store, names that do harm, and nothing.
func Stores() []*snapshot.Snapshot {
	return []*snapshot.Snapshot{
		Snapshot(Project()), Snapshot(Large(120, 3)), Snapshot(nil),
		Snapshot([]Seed{{Name: "👩‍👩‍👧 हिन्दी\x1b[2J\u202e", Parent: -1, Status: model.StatusReviewPlan}, {Name: "", Parent: 0, Status: model.StatusWaiting}}),
	}
}

// Subject is a view that is tested.
type Subject struct {
	List
	More  func(t *rapid.T, d int) []func() // what can be done to it besides; d is from -9 to 9
	Wrong func() string                    // what is wrong with it after a step; "" for nothing
}

// Frames does anything to a view, in any order and size, and checks every frame that it draws.
func Frames(t *testing.T, stores []*snapshot.Snapshot, begin func(st *style.Styles) Subject) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		look := rapid.SampledFrom(Looks()).Draw(t, "look")
		l := begin(Styles(look.Opt))
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			d := rapid.IntRange(-9, 9).Draw(t, "d")
			text := rapid.SampledFrom([]string{"", "a", "plan", "zzz"}).Draw(t, "text")
			actions := slices.Concat([]func(){
				func() { l.SetSnapshot(rapid.SampledFrom(stores).Draw(t, "snap")) },
				func() { l.Move(d) }, func() { l.Page(d) }, func() { l.HalfPage(d) }, l.Home, l.End,
				func() { l.Jump(UID(d + 9)) }, func() { l.Wheel(d) }, func() { l.Click(3*d+30, max(0, d)) }, func() { l.Click(3, max(0, d)) },
				func() { l.SetFocused(d > 0) }, l.SearchStart, func() { l.SearchType(text) }, l.SearchAccept,
				l.SearchCancel, func() { l.SearchNext(d) }, l.SearchClear, func() { l.Keep()() }, func() { l.SetFilter(nil) },
				func() { l.SetFilter(func(_ *snapshot.Snapshot, i int) bool { return i%3 == 0 }) },
			}, l.More(t, d))
			actions[rapid.IntRange(0, len(actions)-1).Draw(t, "action")]()
			w, h := rapid.IntRange(1, 200).Draw(t, "w"), rapid.IntRange(1, 50).Draw(t, "h")
			if err := Check(l.View(w, h), w, h); err != nil {
				t.Fatal(err)
			}
			if wrong := l.Wrong(); wrong != "" {
				t.Fatal(wrong)
			}
		}
	})
}
