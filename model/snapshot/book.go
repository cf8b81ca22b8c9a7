package snapshot

import (
	"cmp"
	"math"
	"slices"
	"time"

	"vespe/model"
	"vespe/model/graph"
)

// book is the tasks of a snapshot by index. A task is either a value of its own, or a
// record of a pack that is decoded when somebody asks for the task; what whole walks over
// the store ask for is answered from the pack's columns.
type book struct {
	n    int
	recs *records                 // nil: none
	at   []int32                  // the record of each task, -1 for none; nil: the first recs.n tasks are the records
	own  graph.Pages[*model.Task] // nil where the record is the task

	loose int   // tasks that are values of their own
	memo  *memo // of these
}

// newBook is a book of tasks as they are.
func newBook(tasks []*model.Task) book {
	b := book{n: len(tasks), own: graph.NewPages[*model.Task](len(tasks)), loose: len(tasks), memo: new(memo)}
	for i, t := range tasks {
		*b.own.At(int32(i)) = t
	}
	return b
}

// record is the place of task i in recs, or -1.
func (b *book) record(i int32) int32 {
	switch {
	case b.recs == nil:
		return -1
	case b.at != nil:
		return b.at[i]
	case int(i) < b.recs.n:
		return i
	}
	return -1
}

// value is task i when it is a value of its own.
func (b *book) value(i int32) *model.Task { return *b.own.At(i) }

// task is task i, for as long as anybody wants to keep it.
func (b *book) task(i int32) *model.Task {
	if t := b.value(i); t != nil {
		return t
	}
	return b.recs.task(b.record(i))
}

// peek is task i for a walk over many: it is not remembered.
func (b *book) peek(i int32) *model.Task {
	if t := b.value(i); t != nil {
		return t
	}
	return b.recs.peek(b.record(i))
}

func (b *book) uid(i int32) model.UID {
	if t := b.value(i); t != nil {
		return t.UID
	}
	return b.recs.uid(b.record(i))
}

func (b *book) name(i int32) string {
	if t := b.value(i); t != nil {
		return t.Config.Name
	}
	return b.recs.name(b.record(i))
}

// rank is the rank of the task's priority.
func (b *book) rank(i int32) int {
	if t := b.value(i); t != nil {
		return priority(t).Rank()
	}
	return int(b.recs.rank[b.record(i)])
}

// priority is the one in spec.json; "" when nobody set one.
func priority(t *model.Task) model.Priority {
	if t.Spec == nil {
		return ""
	}
	return t.Spec.Priority
}

// planned is how long task i should take, in seconds (effort.go). It is not known of one
// whose work is over and that has no taken.
func (b *book) planned(i int32) uint32 {
	if t := b.value(i); t != nil {
		return b.memo.of(t, b.loose)
	}
	return b.recs.planned[b.record(i)]
}

// taken is how long a run of task i took, in seconds (effort.go).
func (b *book) taken(i int32) uint32 {
	if t := b.value(i); t != nil {
		return takenSeconds(t)
	}
	return b.recs.taken[b.record(i)]
}

// born is when the task was created.
func (b *book) born(i int32) time.Time {
	if t := b.value(i); t == nil {
		k := b.record(i)
		if at, ok := fromNanos(b.recs.born[k]); ok {
			return at
		}
	}
	return b.task(i).Config.CreatedAt
}

// since is when the task's status last changed.
func (b *book) since(i int32) time.Time {
	if t := b.value(i); t == nil {
		k := b.record(i)
		if at, ok := fromNanos(b.recs.since[k]); ok {
			return at
		}
	}
	return b.task(i).Status.LastUpdatedAt
}

// searched is the texts of task i that a search looks at, without the rest of it.
func (b *book) searched(i int32) searched {
	t := b.value(i)
	if t == nil {
		return b.recs.searched(b.record(i))
	}
	x := searched{name: t.Config.Name}
	if t.Spec != nil {
		x.description, x.labels = t.Spec.Description, t.Spec.Labels
	}
	return x
}

// head is what filters look at of task i, beside texts.
func (b *book) head(i int32) head {
	t := b.value(i)
	if t == nil {
		return b.recs.head(b.record(i))
	}
	if t.Spec == nil {
		return filtered(t, &model.Spec{})
	}
	return filtered(t, t.Spec)
}

// contains looks for low, which is lower case, in what a person would search of task i.
func (b *book) contains(i int32, low string) bool {
	if containsFold(string(b.uid(i)), low) {
		return true
	}
	if b.value(i) == nil {
		return b.recs.contains(b.record(i), low)
	}
	x := b.searched(i)
	return x.contains(low)
}

// lookup finds a task by its whole uid.
func (b *book) lookup(uid model.UID) (int32, bool) {
	i := b.search(string(uid))
	return i, int(i) < b.n && b.uid(i) == uid
}

// search is the first task whose uid is not before text.
func (b *book) search(text string) int32 {
	lo, hi := int32(0), int32(b.n)
	for lo < hi {
		mid := lo + (hi-lo)/2
		if string(b.uid(mid)) < text {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// with is the book with some tasks replaced.
func (b *book) with(at []int32, tasks []*model.Task) book {
	n := *b
	own := b.own.Edit()
	for k, i := range at {
		t := own.Change(i)
		if *t == nil {
			n.loose++
		}
		*t = tasks[k]
	}
	n.own = own.Pages
	return n
}

// packedSize is about how many bytes the records of all tasks take.
func (b *book) packedSize() int {
	size := b.loose * looseSize
	if b.recs != nil {
		size += len(b.recs.body)
	}
	return size
}

// looseSize is more bytes than most tasks take in a pack.
const looseSize = 512

// packed is the book with the records of p, which is a packed copy of from, in place of
// tasks that are the same in from. false for a book that has nothing to do with from.
func (b *book) packed(p, from *book) (n book, ok bool) {
	if b.recs != from.recs {
		return n, false
	}
	n = book{n: b.n, recs: p.recs, memo: new(memo)}
	own := graph.ZeroPages[*model.Task](b.n)
	edit := own.Edit()
	at := make([]int32, b.n)
	k, straight := int32(0), b.n >= p.n
	for i := range int32(b.n) {
		uid := b.uid(i)
		for int(k) < p.n && p.uid(k) < uid {
			k++
		}
		at[i] = -1
		if int(k) < p.n && p.uid(k) == uid {
			at[i] = p.record(k)
		}
		straight = straight && at[i] == n.record(i)
		if at[i] >= 0 && from.value(k) == b.value(i) {
			continue
		}
		*edit.Change(i) = b.peek(i)
		n.loose++
	}
	if !straight {
		n.at = at
	}
	n.own = edit.Pages
	return n, true
}

// grown is the book with new tasks in it, which are sorted by uid and not in it yet. moved
// says where an old index has gone; nil: nowhere.
func (b *book) grown(added []*model.Task) (n book, moved []int32) {
	first := b.search(string(added[0].UID))
	if int(first) == b.n {
		n = *b
		n.n += len(added)
		n.loose += len(added)
		n.own = b.own.Longer(n.n)
		if b.at != nil {
			n.at = slices.Clone(b.at)
			for range added {
				n.at = append(n.at, -1)
			}
		}
		for k, t := range added {
			*n.own.At(int32(b.n + k)) = t
		}
		return n, nil
	}
	n = book{n: b.n + len(added), recs: b.recs, own: graph.NewPages[*model.Task](b.n + len(added)), loose: b.loose + len(added), memo: b.memo}
	if b.recs != nil {
		n.at = make([]int32, n.n)
	}
	moved = make([]int32, b.n)
	k := 0
	for i := range int32(b.n) {
		for k < len(added) && added[k].UID < b.uid(i) {
			n.put(i+int32(k), added[k], -1)
			k++
		}
		moved[i] = i + int32(k)
		n.put(moved[i], b.value(i), b.record(i))
	}
	for ; k < len(added); k++ {
		n.put(int32(b.n+k), added[k], -1)
	}
	return n, moved
}

// without is the book without some tasks, ascending. moved says where an old index has gone.
func (b *book) without(gone []int32) (n book, moved []int32) {
	n = book{n: b.n - len(gone), recs: b.recs, own: graph.NewPages[*model.Task](b.n - len(gone)), memo: b.memo}
	if b.recs != nil {
		n.at = make([]int32, n.n)
	}
	moved = make([]int32, b.n)
	to := int32(0)
	for i := range int32(b.n) {
		if len(gone) > 0 && gone[0] == i {
			moved[i], gone = wentAway, gone[1:]
			continue
		}
		t := b.value(i)
		if t != nil {
			n.loose++
		}
		n.put(to, t, b.record(i))
		moved[i] = to
		to++
	}
	return n, moved
}

func (b *book) put(i int32, t *model.Task, record int32) {
	*b.own.At(i) = t
	if b.at != nil {
		b.at[i] = record
	}
}

// A time in a column, for those that nanoseconds since 1970 can hold.
const (
	noNanos    = math.MinInt64
	otherNanos = math.MinInt64 + 1 // the record has it
)

var (
	minNanos = time.Unix(0, math.MinInt64+2)
	maxNanos = time.Unix(0, math.MaxInt64)
)

func toNanos(t time.Time) int64 {
	switch {
	case t.IsZero():
		return noNanos
	case t.Before(minNanos) || t.After(maxNanos):
		return otherNanos
	}
	return t.UnixNano()
}

func fromNanos(n int64) (time.Time, bool) {
	switch n {
	case noNanos:
		return time.Time{}, true
	case otherNanos:
		return time.Time{}, false
	}
	return time.Unix(0, n).UTC(), true
}

func byUID(a, b *model.Task) int { return cmp.Compare(a.UID, b.UID) }
