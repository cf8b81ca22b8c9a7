package merge

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/chain"
	"vespe/model/jsontree"
)

// op is one operation in a task's history.
type op struct {
	id    string
	at    time.Time
	first model.Event // what it was called for, before what it set off in the same task
	after []string
	patch map[string]jsontree.Value
	docs  map[model.Doc]string // hashes of the texts that it recorded
	place int                  // in the order that all clones agree on
}

// part is what an operation changed in one of the task's files.
func (o *op) part(name string) jsontree.Value { return o.patch[name] }

// history is the operations of a task by id, as its event files tell them.
type history map[string]*op

func historyOf(events []model.Event) history {
	h := history{}
	for _, e := range events {
		if e.OpID == "" {
			continue
		}
		o := h[e.OpID]
		if o == nil {
			o = &op{id: e.OpID, at: e.At, first: e}
			h[e.OpID] = o
		}
		if o.first.Cause != "" && e.Cause == "" {
			o.first = e
		}
		o.after = union(o.after, e.After)
		if v, err := jsontree.Parse(e.Patch); err == nil {
			o.patch, _ = v.(map[string]any)
			o.docs = map[model.Doc]string{}
			docs, _ := o.patch[chain.PatchDocs].(map[string]any)
			for doc, hash := range docs {
				o.docs[model.Doc(doc)], _ = hash.(string)
			}
		}
	}
	h.sort()
	return h
}

// sort gives every operation its place: after those before it, and else by time, then by id.
func (h history) sort() {
	left := map[string]int{}
	next := map[string][]string{}
	var ready queue
	for id, o := range h {
		for _, before := range o.after {
			if h[before] != nil {
				left[id]++
				next[before] = append(next[before], id)
			}
		}
		if left[id] == 0 {
			ready = append(ready, o)
		}
	}
	heap.Init(&ready)
	for n := 0; len(ready) > 0; n++ {
		o := heap.Pop(&ready).(*op)
		o.place = n
		for _, id := range next[o.id] {
			if left[id]--; left[id] == 0 {
				heap.Push(&ready, h[id])
			}
		}
	}
}

// queue is a heap of operations, the earliest first.
type queue []*op

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, k int) bool {
	return cmp.Or(q[i].at.Compare(q[k].at), strings.Compare(q[i].id, q[k].id)) < 0
}
func (q queue) Swap(i, k int) { q[i], q[k] = q[k], q[i] }
func (q *queue) Push(o any)   { *q = append(*q, o.(*op)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	o := (*q)[last]
	*q = (*q)[:last]
	return o
}

// behind is some operations and all those before them. whole is false where an event of one of them is not
// there, which older does not excuse: then it is not known what all of them are.
func (h history) behind(heads []string, older map[string]bool) (all map[string]bool, whole bool) {
	all, whole = map[string]bool{}, true
	for todo := slices.Clone(heads); len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if all[id] {
			continue
		}
		all[id] = true
		if o := h[id]; o != nil {
			todo = append(todo, o.after...)
		} else if !older[id] {
			whole = false
		}
	}
	return all, whole
}

// ordered are those of some operations that have an event, in their order.
func (h history) ordered(ids map[string]bool) []*op {
	var out []*op
	for id := range ids {
		if o := h[id]; o != nil {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b *op) int { return cmp.Compare(a.place, b.place) })
	return out
}

// heads are those of some operations that none of the others has behind it. Two that claim to be before each other are
// not behind each other.
func (h history) heads(ids []string) []string {
	ids = union(ids)
	covered := map[string]bool{}
	for todo := slices.Clone(ids); len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		o := h[id]
		if o == nil {
			continue
		}
		for _, before := range o.after {
			if b := h[before]; covered[before] || b != nil && isIn(b.after, id) {
				continue
			}
			covered[before] = true
			todo = append(todo, before)
		}
	}
	return slices.DeleteFunc(ids, func(id string) bool { return covered[id] })
}

// isIn says whether a sorted list has an id.
func isIn(sorted []string, id string) bool {
	_, found := slices.BinarySearch(sorted, id)
	return found
}

// Continues says whether a task's history has all behind it that another state of it had, by its events.
func Continues(events []model.Event, was, now model.StatusFile) bool {
	h := historyOf(events)
	behind, _ := h.behind(now.LastOps, nil)
	for _, id := range now.LastOps {
		if h[id] == nil {
			return false // its event has not come
		}
	}
	for _, id := range slices.Concat(was.LastOps, was.PickedOps) {
		if !behind[id] && !slices.Contains(now.PickedOps, id) {
			return false
		}
	}
	return true
}
