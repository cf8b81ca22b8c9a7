package inbox

import (
	"slices"

	"vespe/model/snapshot"
)

// SetStay says whether the cursor stays on its task when that moves to another kind, or leaves the
// inbox: anyone who reads it elsewhere must not find another one in its place. The row of a task that
// has left goes when the cursor does.
func (b *Inbox) SetStay(on bool) { b.stay = on }

func (b *Inbox) onHeld() bool {
	return b.held >= 0 && b.Cur < len(b.rows) && b.rows[b.Cur] == b.held
}

// Leave takes the cursor off a row that is only held, to the item that follows; false when it is on no such row.
func (b *Inbox) Leave() bool {
	if !b.onHeld() {
		return false
	}
	if b.Move(1); b.onHeld() {
		b.Move(-1)
	}
	return true
}

// leaving is the item under the cursor as it is in another snapshot, with the key that it has in this one; nil when its
// task is not there.
func (b *Inbox) leaving(s *snapshot.Snapshot) (*snapshot.InboxItem, Key) {
	uid, ok := b.Selected()
	if !ok {
		return nil, Key{}
	}
	i, ok := s.Index(uid)
	if !ok {
		return nil, Key{}
	}
	it, _ := b.Item()
	key := keyOf(b.snap, &it)
	it.Task = int32(i)
	return &it, key
}

// hold makes sure that there is a row of a task: where none is left, one that says that it waits for nothing, in the place
// of the last.
func (b *Inbox) hold(it *snapshot.InboxItem, key Key, was int) {
	if it == nil || b.rowOfKey(key) >= 0 || b.rowOf(b.snap.UID(int(it.Task))) >= 0 {
		return
	}
	it.Request, it.Title, it.Behind, it.Problem = "", "", 0, -1
	head := slices.Index(b.rows, ^int32(it.Kind))
	if head < 0 { // its kind has gone along
		head = slices.IndexFunc(b.rows, func(row int32) bool { return row < ^int32(it.Kind) })
		if head < 0 {
			head = len(b.rows)
		}
		b.rows = slices.Insert(b.rows, head, ^int32(it.Kind))
	}
	at := head + 1
	for at < was && at < len(b.rows) && b.rows[at] >= 0 {
		at++
	}
	b.held = int32(len(b.items))
	b.items = append(b.items, *it)
	b.rows = slices.Insert(b.rows, at, b.held)
}

// release takes the row of a task that has left away, for a cursor that goes to row r. It returns
// where that is then.
func (b *Inbox) release(r int) int {
	if b.held < 0 || b.Typing() || r < len(b.rows) && r >= 0 && b.rows[r] == b.held {
		return r
	}
	at := slices.Index(b.rows, b.held)
	from, n := at, 1
	if at > 0 && b.rows[at-1] < 0 && (at+1 == len(b.rows) || b.rows[at+1] < 0) {
		from, n = at-1, 2 // with the head that it alone was under
	}
	b.rows = slices.Delete(b.rows, from, from+n)
	b.items, b.held = b.items[:b.held], -1 // it is the last item
	b.Forget()
	if r > from {
		r = max(from, r-n)
	}
	return r
}

// rowOfKey is the row of an item; -1 when there is none.
func (b *Inbox) rowOfKey(k Key) int {
	task := int32(-1)
	if k.uid != "" {
		i, ok := b.snap.Index(k.uid)
		if !ok {
			return -1
		}
		task = int32(i)
	}
	return slices.IndexFunc(b.rows, func(row int32) bool {
		if row < 0 {
			return false
		}
		it := &b.items[row] // most of them differ in what is cheap to compare
		return (k.request != "" || it.Kind == k.kind && it.Task == task) && keyOf(b.snap, it) == k
	})
}
