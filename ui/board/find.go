package board

import (
	"vespe/model/board"
	"vespe/ui/rows"
)

// A search goes through the cards of all columns, the first column first: its rows are the cards
// in that order.

// flat is the row of a search for the cursor.
func (b *Board) flat() int {
	n := 0
	for _, list := range b.lists[:b.col] {
		n += len(list)
	}
	return n + b.row
}

// card is the card of a row.
func (b *Board) card(flat int) (st board.Column, row int) {
	for c, list := range b.lists {
		if flat < len(list) {
			return board.Column(c), flat
		}
		flat -= len(list)
	}
	return b.col, b.row
}

func (b *Board) goFlat(flat int) {
	st, row := b.card(flat)
	if len(b.lists[st]) == 0 {
		return
	}
	b.col = st
	b.moveTo(row)
}

// foldedName is what is searched of a row.
func (b *Board) foldedName(flat int) string {
	if b.names == nil {
		b.names = make([]string, b.snap.Len())
	}
	st, row := b.card(flat)
	if row >= len(b.lists[st]) {
		return ""
	}
	i := b.lists[st][row]
	if b.names[i] == "" {
		b.names[i] = rows.Fold(b.snap.Name(int(i)))
	}
	return b.names[i]
}

// searched is the list as a search needs it.
func (b *Board) searched() rows.Searched {
	return rows.Searched{
		Len: b.Len(), Cursor: b.flat(), Folded: b.foldedName, Go: b.goFlat,
		Place: func() func() {
			col := b.col
			return b.win[col].Place(func() int { return len(b.lists[col]) })
		},
	}
}
