package rows

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Steps count what is below heads only, and a cursor is never put on a head.
func TestStepsPassHeads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []int32
		var below []int
		for g := range rapid.IntRange(0, 4).Draw(t, "heads") {
			list = append(list, ^int32(g))
			for range rapid.IntRange(1, 4).Draw(t, "below") {
				below, list = append(below, len(list)), append(list, int32(len(below)))
			}
		}
		d := rapid.IntRange(-9, 9).Draw(t, "d")
		var l List
		l.Init(nil, Rows{Len: func() int { return len(list) }, Head: func(r int) bool { return list[r] < 0 }})
		if len(list) == 0 {
			if l.MoveTo(d, d); l.Cur != 0 {
				t.Fatalf("in an empty list the cursor is on %d", l.Cur)
			}
			return
		}
		from := rapid.IntRange(0, len(below)-1).Draw(t, "from")
		l.Cur = below[from]
		l.Move(d)
		if want := below[max(0, min(from+d, len(below)-1))]; l.Cur != want {
			t.Fatalf("%d steps from %d of %v lead to %d, want %d", d, below[from], list, l.Cur, want)
		}
		near := below[from] + d
		l.MoveTo(near, d)
		at := l.Cur
		if !slices.Contains(below, at) || max(at-near, near-at) > 1 && near >= 0 && near < len(list) {
			t.Fatalf("put on %d of %v the cursor is on %d", near, list, at)
		}
	})
}

func TestRowsUnderTheMouse(t *testing.T) {
	v := Window{Top: 3, Height: 4}
	for _, c := range []struct {
		x, y, n, row int
		ok           bool
	}{
		{0, 0, 9, 3, true}, {70, 3, 9, 6, true}, {0, 4, 9, 7, false}, {-1, 0, 9, 3, false}, {0, -1, 9, 2, false}, {0, 2, 5, 5, false},
	} {
		if row, ok := v.RowAt(c.x, c.y, c.n); row != c.row || ok != c.ok {
			t.Errorf("at %d,%d of %d rows: %d %v", c.x, c.y, c.n, row, ok)
		}
	}
}
