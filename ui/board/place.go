package board

import (
	"vespe/model/board"
	"vespe/ui/text"
)

const (
	leastColumn = 9  // cells of a column
	goodColumn  = 22 // from which on all have the same width
	cursorWidth = 32 // of the cursor's column where the others have less, if there is room
	ownWidth    = 26 // of the cursor's column where the others have the width of their heads
	twoLines    = 13 // lines from which on a card has two
	headRule    = 8  // lines from which on a rule stands below the heads
)

// placed is a column as it is drawn.
type placed struct {
	st   board.Column
	x, w int
}

// lay places the columns in w cells: all of the same width, or the cursor's wider where that would be too narrow to
// read. The others are then as wide as their heads, where that leaves enough.
func (b *Board) lay(w int) {
	b.placed = b.placed[:0]
	n := int(board.NumColumns)
	room := max(0, w-(n-1))
	var widths [board.NumColumns]int
	free, left := room, n
	set := func(c board.Column, w int) {
		widths[c] = w
		free, left = free-w, left-1
	}
	if room/n < goodColumn {
		heads := 0
		for c := range board.NumColumns {
			if c != b.col {
				heads += b.headWidth(c)
			}
		}
		if own := min(cursorWidth, room-heads); own >= ownWidth {
			set(b.col, own)
			for range board.NumColumns { // a head that needs more than an equal share leaves less to the others
				for c := range board.NumColumns {
					if need := b.headWidth(c); widths[c] == 0 && need*left > free {
						set(c, need)
					}
				}
			}
		} else {
			set(b.col, max(room/n, min(cursorWidth, room-(n-1)*leastColumn)))
		}
	}
	x := 0
	for c := range board.NumColumns {
		if widths[c] == 0 {
			set(c, free/max(1, left))
		}
		b.placed = append(b.placed, placed{st: c, x: x, w: widths[c]})
		x += widths[c] + 1
	}
}

// headWidth is the width of a column that does not cut its head.
func (b *Board) headWidth(c board.Column) int {
	return text.Width(c.Label()) + text.Width(b.count(c)) + 2
}
