package board

import (
	"slices"
	"time"

	"vespe/model"
	"vespe/model/board"
	"vespe/model/snapshot"
	"vespe/ui/rows"
	"vespe/ui/style"
)

// Board is the board view. Build it with New; it is for one goroutine.
type Board struct {
	rows.Search
	rows.Pane
	now  time.Time
	test func(s *snapshot.Snapshot, i int) bool

	snap    *snapshot.Snapshot
	lists   [board.NumColumns][]int32
	blocked int                           // cards beside the ready ones
	win     [board.NumColumns]rows.Window // in cards
	col     board.Column                  // the cursor's column, and its card there
	row     int
	placed  []placed
	cardH   int      // lines of a card, as last drawn
	height  int      // lines of the view, as last drawn
	names   []string // folded, by task; nil until something is searched

	lines []string
	lineW int
	line  rows.Line
}

// New makes an empty board.
func New(st *style.Styles) *Board {
	b := &Board{Pane: rows.NewPane(st), cardH: 1, col: board.NeedsYou}
	b.Search = rows.NewSearch(b.searched, func() { b.Dirty = true })
	return b
}

// SetNow says what time it is, for the ages.
func (b *Board) SetNow(t time.Time) {
	if !b.now.Equal(t) {
		b.now, b.Dirty = t, true
	}
}

// SetFilter shows only the tasks that pass a test; nil shows all.
func (b *Board) SetFilter(test func(s *snapshot.Snapshot, i int) bool) {
	if test == nil && b.test == nil {
		return
	}
	b.test = test
	if b.snap != nil {
		b.refresh(b.snap)
	}
}

// SetSnapshot shows another moment of the store. The cursor stays on its task, on the same line of
// the screen; when that is gone, on the nearest card of its column.
func (b *Board) SetSnapshot(s *snapshot.Snapshot) {
	if s != b.snap && s != nil {
		b.refresh(s)
	}
}

func (b *Board) refresh(s *snapshot.Snapshot) {
	first := b.snap == nil
	uid, on := b.Selected()
	line := b.row - b.win[b.col].Top
	holds := b.holds()
	b.snap, b.names, b.Dirty = s, nil, true
	byStatus := board.Of(s, b.test)
	b.blocked = len(byStatus[model.StatusBlocked])
	for c := range b.lists {
		b.lists[c] = nil
		for _, st := range board.Column(c).Statuses() {
			b.lists[c] = append(b.lists[c], byStatus[st]...)
		}
	}
	b.Forget()
	for c := range b.lists {
		b.keepPlace(board.Column(c), holds[c])
	}
	if first {
		b.col, b.row = board.NeedsYou, 0 // the first card that needs a person, else the first of all
		b.settle()
		return
	}
	if on {
		if st, row, ok := b.place(uid); ok {
			same := st == b.col
			b.col, b.row = st, row
			if same {
				b.win[st].Put(row, line, len(b.lists[st]))
			}
			b.win[st].Follow(row, len(b.lists[st]))
			return
		}
	}
	b.settle()
}

// holds are the first cards in view, of each column whose window has moved: they stay where they are.
func (b *Board) holds() (out [board.NumColumns][]model.UID) {
	for st := range b.lists {
		from, to := b.win[st].Span(len(b.lists[st]))
		if from == 0 {
			continue
		}
		for _, i := range b.lists[st][from:to] {
			out[st] = append(out[st], b.snap.UID(int(i)))
		}
	}
	return out
}

// keepPlace scrolls a column so that the first of some cards that it still has is where it was.
func (b *Board) keepPlace(st board.Column, hold []model.UID) {
	for line, uid := range hold {
		if at, row, ok := b.place(uid); ok && at == st {
			b.win[st].Put(row, line, len(b.lists[st]))
			return
		}
	}
	b.win[st].Clamp(len(b.lists[st]))
}

// place is where the card of a task is.
func (b *Board) place(uid model.UID) (st board.Column, row int, ok bool) {
	if b.snap == nil {
		return 0, 0, false
	}
	i, ok := b.snap.Index(uid)
	if !ok {
		return 0, 0, false
	}
	st = board.ColumnOf(b.snap.Status(i))
	row = slices.Index(b.lists[st], int32(i))
	return st, row, row >= 0
}

// settle puts the cursor on a card that is there: in its column, else in the nearest that has one.
func (b *Board) settle() {
	if len(b.lists[b.col]) == 0 {
		for d := 1; d < int(board.NumColumns); d++ {
			if k := int(b.col) - d; k >= 0 && len(b.lists[k]) > 0 {
				b.col, b.row = board.Column(k), 0
				break
			}
			if k := int(b.col) + d; k < len(b.lists) && len(b.lists[k]) > 0 {
				b.col, b.row = board.Column(k), 0
				break
			}
		}
	}
	b.row = max(0, min(b.row, len(b.lists[b.col])-1))
	b.win[b.col].Follow(b.row, len(b.lists[b.col]))
}

// Len is the number of cards.
func (b *Board) Len() int {
	n := 0
	for _, list := range b.lists {
		n += len(list)
	}
	return n
}

// Counted is how many tasks the filter leaves, of how many.
func (b *Board) Counted() (shown, total int) {
	if b.snap == nil {
		return 0, 0
	}
	return b.Len(), b.snap.Len()
}

// Selected is the task under the cursor.
func (b *Board) Selected() (model.UID, bool) {
	if b.snap == nil || b.row >= len(b.lists[b.col]) {
		return "", false
	}
	return b.snap.UID(int(b.lists[b.col][b.row])), true
}

// InView are the tasks of the cards in view.
func (b *Board) InView() (uids []model.UID) {
	for _, p := range b.placed {
		from, to := b.win[p.st].Span(len(b.lists[p.st]))
		for _, i := range b.lists[p.st][from:to] {
			uids = append(uids, b.snap.UID(int(i)))
		}
	}
	return uids
}

// Scroll says where the cursor's column is in the whole of it, for a scrollbar.
func (b *Board) Scroll() style.Scroll {
	w := &b.win[b.col]
	return style.Scroll{Top: w.Top, Visible: w.Height, Total: len(b.lists[b.col])}
}

// Keep remembers the cursor and what is in view, and returns what brings them back.
func (b *Board) Keep() (restore func()) {
	uid, on := b.Selected()
	win := b.win
	return func() {
		b.Dirty = true
		for c := range win {
			b.win[c].Top = win[c].Top
			b.win[c].Clamp(len(b.lists[c]))
		}
		if c, row, ok := b.place(uid); on && ok {
			b.col, b.row = c, row
			b.win[c].Follow(row, len(b.lists[c]))
		}
	}
}
