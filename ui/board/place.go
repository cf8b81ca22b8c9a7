package board

import (
	"vespe/model/board"
)

const (
	leastColumn = 9  // cells of a column
	goodColumn  = 22 // from which on all have the same width
	cursorWidth = 32 // of the cursor's column where the others have less
	twoLines    = 13 // lines from which on a card has two, and three
	threeLines  = 26
	headRule    = 8 // lines from which on a rule stands below the heads
)

// placed is a column as it is drawn.
type placed struct {
	st   board.Column
	x, w int
}

// lay places the columns in w cells: all of the same width, or the cursor's wider where that would be too narrow to
// read.
func (b *Board) lay(w int) {
	b.placed = b.placed[:0]
	n := int(board.NumColumns)
	room := max(0, w-(n-1))
	own := room / n
	if own < goodColumn {
		own = max(own, min(cursorWidth, room-(n-1)*leastColumn))
	}
	x, rest, others := 0, room, n-1
	for c := range board.NumColumns {
		p := placed{st: c, x: x, w: own}
		if c != b.col {
			free := rest
			if c < b.col {
				free -= own
			}
			p.w = free / others
			others--
		}
		if c == board.NumColumns-1 {
			p.w = rest
		}
		p.w = max(0, p.w)
		rest -= p.w
		b.placed = append(b.placed, p)
		x += p.w + 1
	}
}
