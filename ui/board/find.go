package board

import (
	"vespe/model"
	"vespe/ui/rows"
)

// A search goes through the cards of all columns, the first column first: its rows are the cards
// in that order.

// flat is the row of a search for the cursor.
func (b *Board) flat() int {
	n := 0
	for _, st := range b.order {
		if st == b.col {
			return n + b.row
		}
		n += len(b.lists[st])
	}
	return 0
}

// card is the card of a row.
func (b *Board) card(flat int) (st model.Status, row int) {
	for _, st := range b.order {
		if n := len(b.lists[st]); flat >= n {
			flat -= n
			continue
		}
		return st, flat
	}
	return b.col, b.row
}

func (b *Board) goFlat(flat int) {
	st, row := b.card(flat)
	if len(b.lists[st]) == 0 {
		return
	}
	b.folded[st], b.col = false, st
	b.moveTo(row)
	b.followColumn()
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

// SearchStart begins a search: from here, and back to here when it is cancelled.
func (b *Board) SearchStart() {
	b.find.Start(b.flat(), b.win[b.col].Top)
	b.dirty = true
}

// SearchType looks for another text and goes to its first match at or after the place where the
// search began. It returns the number of matches.
func (b *Board) SearchType(query string) int {
	if b.snap == nil {
		return 0
	}
	if !b.find.Typing() {
		b.SearchStart()
	}
	row, total, _ := b.find.Type(query, b.Len(), b.foldedName)
	b.goFlat(row)
	return total
}

// SearchAccept ends typing and stays at the match.
func (b *Board) SearchAccept() { b.find.Accept(); b.dirty = true }

// SearchCancel ends the search and goes back to where it began.
func (b *Board) SearchCancel() {
	if b.find.Typing() {
		row, top := b.find.Origin()
		b.goFlat(row)
		b.win[b.col].Top = top
		b.win[b.col].Clamp(len(b.lists[b.col]))
	}
	b.SearchClear()
}

// SearchClear ends the search and its highlights; the cursor stays.
func (b *Board) SearchClear() { b.find.Clear(); b.dirty = true }

// SearchNext goes to the next match (1) or the previous one (-1), around the end if it must. ok is
// false when nothing matches.
func (b *Board) SearchNext(d int) (wrapped, ok bool) {
	if b.snap == nil {
		return false, false
	}
	row, wrapped, ok := b.find.Next(d, b.flat(), b.Len(), b.foldedName)
	if ok {
		b.goFlat(row)
	}
	return wrapped, ok
}

// Searching is what is looked for, and which of how many matches the cursor is on.
func (b *Board) Searching() (query string, at, total int) {
	if b.snap == nil {
		return "", 0, 0
	}
	at, total = b.find.At(b.flat(), b.Len(), b.foldedName)
	return b.find.Query(), at, total
}
