package board

import (
	"vespe/model"
	"vespe/model/board"
)

func (b *Board) moveTo(row int) {
	b.Dirty = true
	b.row = max(0, min(row, len(b.lists[b.col])-1))
	b.win[b.col].Follow(b.row, len(b.lists[b.col]))
}

// Move moves the cursor by d cards.
func (b *Board) Move(d int) {
	b.moveTo(b.row + d)
}

// Page moves by n pages of what is seen of the column.
func (b *Board) Page(n int) { b.Move(n * b.win[b.col].Page()) }

// HalfPage moves by n half pages.
func (b *Board) HalfPage(n int) { b.Move(n * max(1, b.win[b.col].Page()/2)) }

// Home goes to the first card of the column.
func (b *Board) Home() { b.Move(-len(b.lists[b.col])) }

// End goes to the last card of the column.
func (b *Board) End() { b.Move(len(b.lists[b.col])) }

// Side goes d columns to the right, past those without cards, to the card on the same line. It
// reports false at the last one.
func (b *Board) Side(d int) bool {
	step := 1
	if d < 0 {
		step = -1
	}
	to := int(b.col)
	for ; d != 0; d -= step {
		k := to + step
		for k >= 0 && k < len(b.lists) && len(b.lists[k]) == 0 {
			k += step
		}
		if k < 0 || k >= len(b.lists) {
			break
		}
		to = k
	}
	if to == int(b.col) {
		return false
	}
	line := b.row - b.win[b.col].Top // of the screen, which stays
	b.col = board.Column(to)
	b.moveTo(b.win[b.col].Top + line)
	return true
}

// Jump puts the cursor on the card of a task; it reports false when there is none.
func (b *Board) Jump(uid model.UID) bool {
	st, row, ok := b.place(uid)
	if !ok {
		return false
	}
	b.col = st
	b.moveTo(row)
	return true
}

// Wheel scrolls the cursor's column by d cards and leaves the cursor where it is.
func (b *Board) Wheel(d int) { b.wheel(b.col, d) }

// WheelAt scrolls the column at a cell of the view.
func (b *Board) WheelAt(x, d int) {
	if st, ok := b.columnAt(x); ok {
		b.wheel(st, d)
	}
}

func (b *Board) wheel(st board.Column, d int) {
	b.Dirty = true
	b.win[st].Scroll(d, len(b.lists[st]))
}

// columnAt is the column at a cell of the view.
func (b *Board) columnAt(x int) (board.Column, bool) {
	for _, p := range b.placed {
		if x >= p.x && x < p.x+p.w {
			return p.st, true
		}
	}
	return 0, false
}

// Click puts the cursor on the card at a cell of the view, from its top left corner, and reports
// whether there is one.
func (b *Board) Click(x, y int) bool {
	st, ok := b.columnAt(x)
	if !ok || y < 0 || y >= b.height || len(b.lists[st]) == 0 {
		return false
	}
	if y < headLines(b.height) {
		return false
	}
	row := b.win[st].Top + (y-headLines(b.height))/max(1, b.cardH)
	if row >= len(b.lists[st]) || row >= b.win[st].Top+b.win[st].Height {
		return false
	}
	b.col = st
	b.moveTo(row)
	return true
}
