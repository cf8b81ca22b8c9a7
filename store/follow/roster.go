package follow

import (
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
)

// roster numbers the tasks that are followed, for the watcher. It holds its own copy of the names: those of a snapshot
// keep all that the snapshot was read from. The numbers of tasks that went are kept for them.
type roster struct {
	uids []model.UID
	at   map[model.UID]int32

	here, watched   []bool // by number
	nHere, nWatched int    // nWatched counts those that are here
}

// len is one more than the highest number.
func (r *roster) len() int32 { return int32(len(r.uids)) } //nolint:gosec // there are fewer tasks

// number is the number of a task; false for one that is not here.
func (r *roster) number(uid model.UID) (int32, bool) {
	i, ok := r.at[uid]
	return i, ok && r.here[i]
}

// update makes the tasks of a snapshot those that are here.
func (r *roster) update(snap *snapshot.Snapshot) {
	if r.at == nil {
		r.at = make(map[model.UID]int32, snap.Len())
	}
	was := slices.Clone(r.here)
	r.nHere = snap.Len()
	clear(r.here)
	for i := range snap.Len() {
		n, ok := r.at[snap.UID(i)]
		if !ok {
			n = r.len()
			uid := model.UID(strings.Clone(string(snap.UID(i))))
			r.uids, r.here, r.watched = append(r.uids, uid), append(r.here, true), append(r.watched, false)
			r.at[uid] = n
		}
		r.here[n] = true
	}
	for i, here := range was {
		if here && !r.here[i] {
			r.setWatched(int32(i), false) //nolint:gosec // a number of the roster
		}
	}
}

func (r *roster) setWatched(i int32, on bool) {
	if r.watched[i] == on {
		return
	}
	if r.watched[i] = on; on {
		r.nWatched++
	} else {
		r.nWatched--
	}
}

// unwatched is how many tasks are not watched.
func (r *roster) unwatched() int { return r.nHere - r.nWatched }

func (r *roster) unwatchAll() {
	clear(r.watched)
	r.nWatched = 0
}
