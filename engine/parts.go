package engine

import (
	"iter"
	"slices"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

// runs are the runs of a loop, by their ids.
type runs struct {
	live    map[string]*run // that hold a slot
	waiting map[string]*run
	later   map[string]*run // that the machine could not continue with
	results chan end
}

func (r *runs) all() iter.Seq[*run] {
	return func(yield func(*run) bool) {
		for _, list := range []map[string]*run{r.live, r.waiting, r.later} {
			for _, x := range list {
				if !yield(x) {
					return
				}
			}
		}
	}
}

// of reports that a task has a run, whether or not its claim is in the store yet.
func (r *runs) of(uid model.UID) bool {
	for x := range r.all() {
		if x.Task == uid {
			return true
		}
	}
	return false
}

// take is a run that holds no slot, which leaves its list.
func (r *runs) take(id string) (*run, bool) {
	x, ok := r.waiting[id]
	if !ok {
		x, ok = r.later[id]
	}
	delete(r.waiting, id)
	delete(r.later, id)
	return x, ok
}

// leave gives up the files of the runs that wait, for the next loop to take over.
func (r *runs) leave() {
	for x := range r.all() {
		if r.live[x.Run] == nil {
			x.close()
		}
	}
}

// queue is what decides which tasks are started.
type queue struct {
	want    []model.UID       // before all others
	refused map[model.UID]int // could not be started: the revision of status.json then
	// stopped are tasks whose run a person canceled, with the approval that it had: they are not begun again
	// before somebody asks for it, or accepts another plan.
	stopped map[model.UID]string
}

// stop keeps a task back whose run was canceled.
func (q *queue) stop(t *model.Task) { q.stopped[t.UID] = approvalOf(t) }

// wish puts a task before all others.
func (q *queue) wish(snap *snapshot.Snapshot, uid model.UID) {
	if _, ok := snap.Task(uid); ok && !slices.Contains(q.want, uid) {
		q.want = append(q.want, uid)
	}
	delete(q.refused, uid)
	delete(q.stopped, uid)
}

// rounds is what a loop remembers from round to round.
type rounds struct {
	began time.Time
	drain bool   // nothing more is started
	says  string // what was written down of what it does
	// The last round, and whether something happened since that neither the store nor a word tells.
	seen    sight
	acted   time.Time
	stirred bool
}
