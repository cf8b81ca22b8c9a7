package inbox

import (
	"slices"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/rows"
	"vespe/ui/style"
)

// Inbox is the inbox view. Build it with New; it is for one goroutine.
type Inbox struct {
	rows.List
	now   time.Time
	asked func(request string) bool // the same for requests
	clock time.Time
	next  time.Time // when the next request expires; zero: none does

	snap  *snapshot.Snapshot
	items []snapshot.InboxItem // all there are, and the held one
	shown int                  // how many the filter leaves
	total int                  // of how many
	count [kinds]int
	rows  []int32 // an index into items, or ^kind for a header
	held  int32   // the item of a task that has left the inbox under the cursor; -1 for none
	stay  bool
	line  rows.Line
}

const kinds = int(snapshot.InboxAsked) + 1

// New makes an empty inbox.
func New(st *style.Styles) *Inbox {
	b := &Inbox{held: -1}
	b.Init(st, rows.Rows{
		Len: func() int { return len(b.rows) }, Head: func(r int) bool { return b.rows[r] < 0 },
		Folded: b.folded, Draw: b.draw, Filtered: func() { b.refresh(b.snap) }, Free: b.release,
	})
	return b
}

// SetMarkedRequests says which requests are selected. They are selected by themselves: a task
// may have several.
func (b *Inbox) SetMarkedRequests(test func(id string) bool) { b.asked, b.Dirty = test, true }

// isMarked reports whether an item is selected.
func (b *Inbox) isMarked(row int32) bool {
	if row >= 0 && b.items[row].Request != "" {
		return b.asked != nil && b.asked(b.items[row].Request)
	}
	return row >= 0 && b.items[row].Task >= 0 && b.IsMarked(b.snap.UID(int(b.items[row].Task)))
}

// SetNow says what time it is, for the ages.
func (b *Inbox) SetNow(t time.Time) {
	if !b.now.Equal(t) {
		b.now, b.Dirty = t, true
	}
}

// SetClock says what time it is, for what expires. It reports whether something has.
func (b *Inbox) SetClock(t time.Time) bool {
	b.clock = t
	if b.snap == nil || b.next.IsZero() || t.Before(b.next) {
		return false
	}
	b.refresh(b.snap)
	return true
}

// SetSnapshot shows another moment of the store. The cursor stays on its item, on the same
// line of the screen; when that is gone, on the one nearest to it.
func (b *Inbox) SetSnapshot(s *snapshot.Snapshot) {
	if s != b.snap {
		b.refresh(s)
	}
}

// Key is what makes an item the same in two snapshots; the zero Key is that of no item.
type Key struct {
	kind    snapshot.InboxKind
	uid     model.UID
	request string
	problem model.Problem
}

func keyOf(s *snapshot.Snapshot, it *snapshot.InboxItem) Key {
	if it.Request != "" { // it is the same when it has expired
		return Key{request: it.Request}
	}
	k := Key{kind: it.Kind}
	if it.Task >= 0 {
		k.uid = s.UID(int(it.Task))
	}
	if it.Problem >= 0 {
		k.problem = s.Problems()[it.Problem]
	}
	return k
}

func (b *Inbox) refresh(s *snapshot.Snapshot) {
	b.Dirty = true
	if s == nil {
		return
	}
	old, oldItems, oldRows, cur := b.snap, b.items, b.rows, b.Cur
	var keep *snapshot.InboxItem
	var key Key
	if b.stay || b.onHeld() {
		keep, key = b.leaving(s)
	}
	hold, offset := b.Win.Anchor(cur)
	if hold+1 < len(oldRows) && oldRows[hold] < 0 { // a header is no item
		hold, offset = hold+1, offset+1
	}
	b.snap = s
	b.flatten()
	b.hold(keep, key, cur)
	b.Forget()
	b.Cur = 0
	if old != nil && len(oldRows) > 0 && len(b.rows) > 0 {
		places := b.places()
		place := func(r int) (int, bool) {
			if oldRows[r] < 0 {
				return 0, false
			}
			return places(keyOf(old, &oldItems[oldRows[r]]))
		}
		b.Cur = nearest(cur, len(oldRows), place, min(cur, len(b.rows)-1))
		if _, same := place(cur); keep != nil && !same {
			b.Cur = b.rowOf(s.UID(int(keep.Task)))
		}
		if hold != cur && hold < len(oldRows) {
			row := nearest(hold, len(oldRows), place, b.Cur)
			b.Settle(1)
			b.Win.Put(row, offset, len(b.rows))
			return
		}
	}
	b.Settle(1)
	if b.Win.Put(b.Cur, offset, len(b.rows)); !b.Win.Sees(b.Cur) {
		b.Win.Follow(b.Cur, len(b.rows))
	}
}

// places finds rows by the keys of their items. The first few are searched for, as nearly always no more are asked for;
// then all rows are gone through once.
func (b *Inbox) places() func(Key) (int, bool) {
	const few = 4
	var now map[Key]int
	asked := 0
	return func(k Key) (int, bool) {
		if asked++; asked <= few {
			r := b.rowOfKey(k)
			return r, r >= 0
		}
		if now == nil {
			now = make(map[Key]int, len(b.items))
			for r, it := range b.rows {
				if it >= 0 {
					now[keyOf(b.snap, &b.items[it])] = r
				}
			}
		}
		r, ok := now[k]
		return r, ok
	}
}

// nearest asks for the new place of row r, then of those around it.
func nearest(r, n int, place func(int) (int, bool), fallback int) int {
	for d := range n {
		for _, q := range []int{r + d, r - d} {
			if q < 0 || q >= n {
				continue
			}
			if now, ok := place(q); ok {
				return now
			}
		}
	}
	return fallback
}

// flatten lists the items under the headers of their kinds.
func (b *Inbox) flatten() {
	all := b.snap.InboxAt(b.clock)
	b.shown, b.total, b.next = 0, len(all), time.Time{}
	b.rows, b.count, b.held = make([]int32, 0, len(all)+kinds), [kinds]int{}, -1
	b.items = slices.Clip(all) // what is added goes into a copy
	for k := range all {
		if it := &all[k]; b.Test == nil || it.Task < 0 || b.Test(b.snap, int(it.Task)) {
			if int(it.Kind) >= kinds {
				continue
			}
			if e := it.Expires; it.Kind == snapshot.InboxWaiting && !e.IsZero() && (b.next.IsZero() || e.Before(b.next)) {
				b.next = e
			}
			if b.count[it.Kind]++; b.count[it.Kind] == 1 {
				b.rows = append(b.rows, ^int32(it.Kind))
			}
			b.rows = append(b.rows, int32(k))
			b.shown++
		}
	}
}

// Len is the number of items.
func (b *Inbox) Len() int {
	n, _ := b.Counted()
	return n
}

// Counted is how many items the filter leaves, of how many.
func (b *Inbox) Counted() (shown, total int) { return b.shown, b.total }

// Item is the item under the cursor.
func (b *Inbox) Item() (snapshot.InboxItem, bool) {
	if b.Cur >= len(b.rows) || b.rows[b.Cur] < 0 {
		return snapshot.InboxItem{}, false
	}
	return b.items[b.rows[b.Cur]], true
}

// Selected is the task under the cursor.
func (b *Inbox) Selected() (model.UID, bool) {
	it, ok := b.Item()
	if !ok || it.Task < 0 {
		return "", false
	}
	return b.snap.UID(int(it.Task)), true
}

// InView are the tasks of the rows in view.
func (b *Inbox) InView() (uids []model.UID) {
	from, to := b.Win.Span(len(b.rows))
	for _, row := range b.rows[from:to] {
		if row >= 0 && b.items[row].Task >= 0 {
			uids = append(uids, b.snap.UID(int(b.items[row].Task)))
		}
	}
	return uids
}

// Problem is the problem under the cursor.
func (b *Inbox) Problem() (model.Problem, bool) {
	it, ok := b.Item()
	if !ok || it.Problem < 0 {
		return model.Problem{}, false
	}
	return b.snap.Problems()[it.Problem], true
}

// Key is the key of the item under the cursor.
func (b *Inbox) Key() Key {
	it, ok := b.Item()
	if !ok {
		return Key{}
	}
	return keyOf(b.snap, &it)
}
