package rail

import (
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
)

// Whatever others do to the store, the cursor stays on its task while the graph shows it, and
// the row that is looked at stays on its line of the screen, as far as the list reaches.
func TestNothingJumps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := viewtest.NewWorld(rt)
		r := New(viewtest.Plain())
		r.SetSnapshot(w.Snapshot())
		h := rapid.IntRange(4, 14).Draw(rt, "height")
		if rapid.Bool().Draw(rt, "hide done") {
			r.ToggleDone()
		}
		for range rapid.IntRange(1, 8).Draw(rt, "rounds") {
			r.View(60, h)
			for range rapid.IntRange(0, 4).Draw(rt, "keys") {
				switch rapid.IntRange(0, 3).Draw(rt, "key") {
				case 0:
					r.Wheel(rapid.IntRange(-9, 9).Draw(rt, "wheel"))
				case 1:
					r.ToggleLoose()
				default:
					r.Move(rapid.IntRange(-20, 20).Draw(rt, "move"))
				}
			}
			r.View(60, h)
			uidOf := func(row int) model.UID {
				if row < 0 || row >= r.Len() || r.task(row) < 0 {
					return ""
				}
				return r.snap.UID(int(r.task(row)))
			}
			on := uidOf(r.Cur)
			hold, line := r.Cur, r.Cur-r.Win.Top
			if !r.Win.Sees(r.Cur) {
				hold, line = r.Win.Top, 0
			}
			held := uidOf(hold)

			w.Change(rt)
			r.SetSnapshot(w.Snapshot())
			r.View(60, h)

			shown := func(uid model.UID) bool {
				i, there := r.snap.Index(uid)
				return there && r.keep[i]
			}
			if now := uidOf(r.Cur); on != "" && shown(on) && now != on {
				rt.Fatalf("the cursor went from %s to %s\n%s", on, now, viewtest.Text(r, 60, 60))
			}
			if held == "" || !shown(held) {
				continue
			}
			i, _ := r.snap.Index(held)
			row := r.rowOf(int32(i))
			if row < 0 {
				continue // among the loose ones, which are folded
			}
			if want := max(0, min(row-line, r.Len()-h)); r.Win.Top != want {
				rt.Fatalf("%s was on line %d, and is on %d of %d rows\n%s", held, line, row-r.Win.Top, r.Len(), viewtest.Text(r, 60, 60))
			}
		}
	})
}
