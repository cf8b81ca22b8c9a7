package inbox

import (
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/viewtest"
)

// Whatever others do to the store, the cursor stays on what waits for the person while it
// waits, and on its line of the screen, as far as the list reaches.
func TestNothingJumps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := viewtest.NewWorld(rt)
		b := New(viewtest.Plain())
		b.SetNow(viewtest.Now())
		b.SetSnapshot(w.Snapshot())
		h := rapid.IntRange(4, 14).Draw(rt, "height")
		for range rapid.IntRange(1, 8).Draw(rt, "rounds") {
			b.View(60, h)
			for range rapid.IntRange(0, 4).Draw(rt, "keys") {
				if rapid.IntRange(0, 3).Draw(rt, "key") == 0 {
					b.Wheel(rapid.IntRange(-9, 9).Draw(rt, "wheel"))
				} else {
					b.Move(rapid.IntRange(-20, 20).Draw(rt, "move"))
				}
			}
			b.View(60, h)
			_, had := b.Item()
			was := keyAt(b, b.Cur)
			hold, line := b.Cur, b.Cur-b.Win.Top
			if !b.Win.Sees(b.Cur) {
				for hold, line = b.Win.Top, 0; hold+1 < len(b.rows) && b.rows[hold] < 0; hold, line = hold+1, line+1 {
				}
			}
			held := keyAt(b, hold)

			w.Change(rt)
			b.SetSnapshot(w.Snapshot())
			b.View(60, h)

			if !had || rowWith(b, was) < 0 {
				continue
			}
			if now := keyAt(b, b.Cur); now != was {
				rt.Fatalf("the cursor went from %+v to %+v\n%s", was, now, viewtest.Text(b, 60, 60))
			}
			row := rowWith(b, held)
			if want := max(0, min(row-line, len(b.rows)-h)); row >= 0 && b.Win.Top != want {
				rt.Fatalf("%+v was on line %d, and is on %d of %d rows\n%s", held, line, row-b.Win.Top, len(b.rows), viewtest.Text(b, 60, 60))
			}
		}
	})
}

// keyAt says what is on a row.
func keyAt(b *Inbox, row int) Key {
	if row >= len(b.rows) || b.rows[row] < 0 {
		return Key{}
	}
	return keyOf(b.snap, &b.items[b.rows[row]])
}

func rowWith(b *Inbox, k Key) int {
	for row := range b.rows {
		if b.rows[row] >= 0 && keyAt(b, row) == k {
			return row
		}
	}
	return -1
}
