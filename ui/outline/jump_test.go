package outline

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
)

// rowOf is the row of a task; -1 when it is not shown.
func rowOf(o *Outline, uid model.UID) int {
	return slices.IndexFunc(o.rows, func(row int32) bool { return row >= 0 && o.snap.UID(int(row)) == uid })
}

// person does what a person does to the view between two changes.
func person(rt *rapid.T, o *Outline) {
	for range rapid.IntRange(0, 5).Draw(rt, "keys") {
		switch rapid.IntRange(0, 5).Draw(rt, "key") {
		case 0:
			o.Left()
		case 1:
			o.Right()
		case 2:
			o.ToggleMark()
		case 3:
			o.Wheel(rapid.IntRange(-9, 9).Draw(rt, "wheel"))
		default:
			o.Move(rapid.IntRange(-20, 20).Draw(rt, "move"))
		}
	}
}

// folds are the tasks with children that are folded, and those that are not.
func folds(o *Outline) map[model.UID]bool {
	out := map[model.UID]bool{}
	for i := range o.snap.Len() {
		if len(o.snap.Children(i)) > 0 {
			out[o.snap.UID(i)] = o.open[i]
		}
	}
	return out
}

// Whatever others do to the store, the cursor stays on its task, folds and selection are what
// they were, and the row that is looked at stays on its line of the screen, as far as the list
// reaches. One exception: what is above a task that was moved below a folded one is unfolded,
// for the cursor to stay on it.
func TestNothingJumps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := viewtest.NewWorld(rt)
		o := New(viewtest.Plain())
		o.SetSnapshot(w.Snapshot())
		h := rapid.IntRange(4, 14).Draw(rt, "height")
		for range rapid.IntRange(1, 8).Draw(rt, "rounds") {
			o.View(60, h)
			person(rt, o)
			o.View(60, h)
			was := o.snap
			on, _ := o.Selected()
			onRow := o.Cur < len(o.rows) && o.rows[o.Cur] >= 0
			hold, line := o.Cur, o.Cur-o.Win.Top
			if !o.Win.Sees(o.Cur) {
				hold, line = o.Win.Top, 0
			}
			held := model.UID("")
			if hold < len(o.rows) && o.rows[hold] >= 0 {
				held = was.UID(int(o.rows[hold]))
			}
			folded, marked := folds(o), maps.Clone(o.marks)

			w.Change(rt)
			o.SetSnapshot(w.Snapshot())
			o.View(60, h)

			now, _ := o.Selected()
			if _, there := o.snap.Index(on); there && onRow && now != on {
				rt.Fatalf("the cursor went from %s to %s\n%s", on, now, shape(o))
			}
			above := map[model.UID]bool{} // what had to be unfolded
			if i, there := o.snap.Index(now); there {
				for p := o.snap.Parent(i); p >= 0; p = o.snap.Parent(int(p)) {
					above[o.snap.UID(int(p))] = true
				}
			}
			for uid, open := range folds(o) {
				if before, had := folded[uid]; had && before != open && !(open && above[uid]) {
					rt.Fatalf("%s was open: %v, and is: %v", uid, before, open)
				}
			}
			for uid := range marked {
				if _, there := o.snap.Index(uid); there != o.IsMarked(uid) {
					rt.Fatalf("%s is there: %v, and selected: %v", uid, there, o.IsMarked(uid))
				}
			}
			if len(o.marks) > len(marked) {
				rt.Fatalf("selected are %v, and were %v", o.marks, marked)
			}
			if r := rowOf(o, held); held != "" && r >= 0 {
				want := max(0, min(r-line, len(o.rows)-h))
				if o.Win.Top != want {
					rt.Fatalf("%s was on line %d, and is on %d of %d rows\n%s", held, line, r-o.Win.Top, len(o.rows), shape(o))
				}
			}
		}
	})
}
