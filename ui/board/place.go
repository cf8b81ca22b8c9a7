package board

import (
	"slices"

	"vespe/model"
)

const (
	leastColumn = 19 // cells of a column with cards
	emptyColumn = 16 // of one without, where it is drawn whole
	mostColumn  = 48
	stripWidth  = 4  // of one that is folded or has none
	edgeWidth   = 3  // cells at an edge that has columns outside of it
	leastEdges  = 26 // cells from which on the edges are drawn
	twoLines    = 13 // lines from which on a card has two, and three
	threeLines  = 26
	headRule    = 8 // lines from which on a rule stands below the heads
)

// placed is a column as it is drawn.
type placed struct {
	st    model.Status
	x, w  int
	strip bool
}

// isStrip reports whether a column is drawn as a strip: it is folded, or it has no card and the others
// need the room.
func (b *Board) isStrip(st model.Status) bool {
	if len(b.lists[st]) == 0 {
		return !b.roomy
	}
	return b.folded[st]
}

// need is how many cells a column takes at least.
func (b *Board) need(st model.Status, w int) int {
	switch {
	case b.isStrip(st):
		return stripWidth
	case len(b.lists[st]) == 0:
		return emptyColumn
	}
	return min(leastColumn, w)
}

// drawn are the columns that are drawn in w cells: those without cards whole where all fit so, as
// strips where all fit with these, and else not at all.
func (b *Board) drawn(w int) []model.Status {
	for _, b.roomy = range []bool{true, false} {
		sum := -1
		for _, st := range b.order {
			sum += b.need(st, w) + 1
		}
		if sum <= w {
			return b.order
		}
	}
	return slices.DeleteFunc(slices.Clone(b.order), func(st model.Status) bool { return len(b.lists[st]) == 0 })
}

// followColumn brings the cursor's column into view at the next drawing.
func (b *Board) followColumn() { b.Dirty = true }

// lay places the columns in w cells. It returns how many are outside of the view at either edge.
func (b *Board) lay(w int) (before, after int) {
	if b.edge = 0; w >= leastEdges {
		b.edge = edgeWidth
	}
	cols := b.drawn(w)
	at := max(0, slices.Index(cols, b.col))
	b.first = max(0, min(b.first, len(cols)-1))
	if at < b.first {
		b.first = at
	}
	n := b.fitting(cols, w)
	for at >= b.first+n {
		b.first++
		n = b.fitting(cols, w)
	}
	for b.first > 0 { // no room is left over that an earlier column could have
		b.first--
		if m := b.fitting(cols, w); b.first+m < len(cols) || at >= b.first+m {
			b.first++
			break
		}
		n = b.fitting(cols, w)
	}
	before, after = b.first, len(cols)-b.first-n
	b.spread(cols[b.first:b.first+n], w, before > 0, after > 0)
	return before, after
}

// fitting is how many columns from the first in view on fit into w cells, one at least.
func (b *Board) fitting(cols []model.Status, w int) int {
	room := w
	if b.first > 0 {
		room -= b.edge
	}
	n, sum := 0, -1
	for k, st := range cols[b.first:] {
		sum += b.need(st, w) + 1
		left := room
		if b.first+k+1 < len(cols) {
			left -= b.edge
		}
		if sum > left && n > 0 {
			break
		}
		n = k + 1
	}
	return max(n, min(1, len(cols)))
}

// spread gives the room that is left to the columns with cards.
func (b *Board) spread(cols []model.Status, w int, before, after bool) {
	b.placed = b.placed[:0]
	x, room := 0, w
	if before {
		x, room = b.edge, room-b.edge
	}
	if after {
		room -= b.edge
	}
	open, spare := 0, room+1
	for _, st := range cols {
		spare -= b.need(st, w) + 1
		if !b.isStrip(st) {
			open++
		}
	}
	spare = max(0, spare)
	for _, st := range cols {
		p := placed{st: st, x: x, w: b.need(st, w), strip: b.isStrip(st)}
		if !p.strip {
			more := min(spare/open, mostColumn-p.w)
			if more > 0 {
				p.w += more
				spare -= more
			}
			open--
		}
		p.w = min(p.w, max(0, w-x))
		b.placed = append(b.placed, p)
		x += p.w + 1
	}
}
