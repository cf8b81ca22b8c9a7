package follow

import (
	"slices"
	"sort"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
)

// roster numbers the tasks that are followed, so that what is remembered of each is bits
// and not names. It holds its own copy of the names: those of a snapshot keep all that the
// snapshot was read from. The numbers of tasks that went are kept for them.
type roster struct {
	text string   // the names of the first tasks, in order, without anything between them
	ends []uint32 // where each ends
	more []model.UID
	at   map[model.UID]int32 // the numbers of those in more

	here, watched   bits
	nHere, nWatched int // nWatched counts those that are here
}

// bits is a set of numbers.
type bits []uint64

func (b bits) has(i int32) bool { return int(i/64) < len(b) && b[i/64]&(1<<(i%64)) != 0 }

// set says whether that changed anything.
func (b *bits) set(i int32, on bool) bool {
	if b.has(i) == on {
		return false
	}
	for int(i/64) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i/64] ^= 1 << (i % 64)
	return true
}

// len is one more than the highest number.
func (r *roster) len() int32 { return int32(len(r.ends) + len(r.more)) }

func (r *roster) uid(i int32) model.UID {
	if int(i) >= len(r.ends) {
		return r.more[int(i)-len(r.ends)]
	}
	from := uint32(0)
	if i > 0 {
		from = r.ends[i-1]
	}
	return model.UID(r.text[from:r.ends[i]])
}

// number is the number of a task; false for one that is not here.
func (r *roster) number(uid model.UID) (int32, bool) {
	i := int32(sort.Search(len(r.ends), func(i int) bool { return r.uid(int32(i)) >= uid }))
	if int(i) >= len(r.ends) || r.uid(i) != uid {
		var ok bool
		if i, ok = r.at[uid]; !ok {
			return 0, false
		}
	}
	return i, r.here.has(i)
}

// update makes the tasks of a snapshot those that are here.
func (r *roster) update(snap *snapshot.Snapshot) {
	if r.len() == 0 {
		r.begin(snap)
		return
	}
	missing := slices.Clone(r.here)
	k := int32(0)
	for i := range snap.Len() {
		uid := snap.UID(i)
		for int(k) < len(r.ends) && r.uid(k) < uid {
			k++
		}
		n := k
		if int(k) >= len(r.ends) || r.uid(k) != uid {
			n = r.add(uid)
		}
		r.setHere(n, true)
		missing.set(n, false)
	}
	for i := range r.len() {
		if missing.has(i) {
			r.setWatched(i, false)
			r.setHere(i, false)
		}
	}
}

// begin numbers the tasks of a first snapshot in their order.
func (r *roster) begin(snap *snapshot.Snapshot) {
	var text strings.Builder
	r.ends = make([]uint32, snap.Len())
	size := 0
	for i := range snap.Len() {
		size += len(snap.UID(i))
	}
	text.Grow(size)
	for i := range snap.Len() {
		text.WriteString(string(snap.UID(i)))
		r.ends[i] = uint32(text.Len())
		r.setHere(int32(i), true)
	}
	r.text = text.String()
}

// add is the number of a task that was not there at first.
func (r *roster) add(uid model.UID) int32 {
	i, ok := r.at[uid]
	if !ok {
		if r.at == nil {
			r.at = map[model.UID]int32{}
		}
		uid = model.UID(strings.Clone(string(uid)))
		i = r.len()
		r.more, r.at[uid] = append(r.more, uid), i
	}
	return i
}

func (r *roster) setHere(i int32, on bool) {
	if r.here.set(i, on) {
		r.nHere += sign(on)
	}
}

// setWatched is for a task that is here.
func (r *roster) setWatched(i int32, on bool) {
	if r.watched.set(i, on) {
		r.nWatched += sign(on)
	}
}

// unwatched is how many tasks are not watched.
func (r *roster) unwatched() int { return r.nHere - r.nWatched }

func (r *roster) unwatchAll() { r.watched, r.nWatched = nil, 0 }

func sign(on bool) int {
	if on {
		return 1
	}
	return -1
}
