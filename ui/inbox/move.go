package inbox

import (
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/rows"
)

// Jump puts the cursor on the first item of a task; it reports false when there is none.
func (b *Inbox) Jump(uid model.UID) bool {
	r := b.rowOf(uid)
	if r < 0 {
		return false
	}
	b.MoveTo(r, 1)
	return true
}

// JumpToRequest puts the cursor on a request; it reports false when it is not listed.
func (b *Inbox) JumpToRequest(id string) bool {
	r := slices.IndexFunc(b.rows, func(it int32) bool { return it >= 0 && id != "" && b.items[it].Request == id })
	if r < 0 {
		return false
	}
	b.MoveTo(r, 1)
	return true
}

// Click puts the cursor on the item at a cell of the view, from its top left corner; it
// reports false when there is none.
func (b *Inbox) Click(x, y int) bool {
	r, ok := b.RowAt(x, y)
	if ok {
		b.MoveTo(r, 1)
	}
	return ok
}

func (b *Inbox) folded(r int) string {
	if b.rows[r] < 0 {
		return ""
	}
	it := &b.items[b.rows[r]]
	return rows.Fold(it.Title + " " + b.name(it))
}

// name is the name of the item's task.
func (b *Inbox) name(it *snapshot.InboxItem) string {
	if it.Task < 0 {
		return ""
	}
	return b.snap.At(int(it.Task)).Config.Name
}

// rowOf is the row of the first item of a task; -1 when there is none.
func (b *Inbox) rowOf(uid model.UID) int {
	return slices.IndexFunc(b.rows, func(it int32) bool {
		return it >= 0 && b.items[it].Task >= 0 && b.snap.UID(int(b.items[it].Task)) == uid
	})
}

// Keep remembers the cursor and what is in view, and returns what brings them back.
func (b *Inbox) Keep() (restore func()) {
	at, on := b.Item()
	var was Key
	if on {
		was = keyOf(b.snap, &at)
	}
	offset := b.Cur - b.Win.Top
	return func() {
		for r, it := range b.rows {
			if on && it >= 0 && keyOf(b.snap, &b.items[it]) == was {
				b.Cur, b.Dirty = r, true
				b.Win.Top = r - offset
				b.Win.Clamp(len(b.rows))
				return
			}
		}
	}
}
