package snapshot

import (
	"sync/atomic"

	"vespe/model"
	"vespe/model/packing"
)

// records are the tasks of a pack, encoded. Nothing of it changes but what is remembered
// of decoding.
type records struct {
	n           int
	uidEnds     []uint32 // where each uid ends in uids
	uids        []byte
	rank        []byte
	born, since []int64 // nanoseconds since 1970; see nanos
	ends        []uint64
	body        []byte

	planned, taken []uint32 // seconds

	decoded atomic.Pointer[decoded]
}

// decoded remembers tasks that were asked for, up to a number, after which it starts anew:
// so that who looks at one task often pays once, and who looks at all of them once does
// not keep them.
type decoded struct {
	tasks []atomic.Pointer[model.Task]
	left  atomic.Int32
}

const maxDecoded = 4096

func newDecoded(n int) *decoded {
	d := &decoded{tasks: make([]atomic.Pointer[model.Task], n)}
	d.left.Store(maxDecoded)
	return d
}

func (r *records) uid(k int32) model.UID {
	from := uint32(0)
	if k > 0 {
		from = r.uidEnds[k-1]
	}
	return model.UID(packing.Shared(r.uids[from:r.uidEnds[k]]))
}

func (r *records) record(k int32) []byte {
	from := uint64(0)
	if k > 0 {
		from = r.ends[k-1]
	}
	return r.body[from:r.ends[k]:r.ends[k]]
}

// region is the bytes that a search looks at: texts, and their lengths between them.
func (r *records) region(k int32) string {
	c := packing.Coder{Bytes: r.record(k)}
	var n uint64
	c.Uint(&n)
	return packing.Shared(c.Next(n))
}

// contains is searched.contains without making the list of labels.
func (r *records) contains(k int32, low string) bool {
	// Nearly every record can be passed over without telling its texts apart.
	if !containsFold(r.region(k), low) {
		return false
	}
	c := packing.Coder{Bytes: r.record(k)}
	var (
		n, labels uint64
		text      string
	)
	c.Uint(&n)
	c.Bytes = c.Next(n)
	for range 2 { // name, description
		if packing.Word(&c, &text); containsFold(text, low) {
			return true
		}
	}
	for c.Uint(&labels); labels > 1 && !c.Bad; labels-- { // 1 + how many; 0 for none
		if packing.Word(&c, &text); containsFold(text, low) {
			return true
		}
	}
	return false
}

func (r *records) head(k int32) (h head) {
	c := packing.Coder{Bytes: r.record(k)}
	var n uint64
	c.Uint(&n)
	c.Next(n)
	packFiltered(&c, &h)
	return h
}

// searched is the texts in a region; those before the first that cannot be read.
func (r *records) searched(k int32) searched {
	var x searched
	c := packing.Coder{Bytes: r.record(k)}
	packSearched(&c, &x.name, &x.description, &x.labels)
	return x
}

func (r *records) name(k int32) string {
	c := packing.Coder{Bytes: r.record(k)}
	var n uint64
	c.Uint(&n)
	var name string
	packing.Word(&c, &name)
	return name
}

func (r *records) task(k int32) *model.Task {
	d := r.decoded.Load()
	if t := d.tasks[k].Load(); t != nil {
		return t
	}
	t := r.peek(k)
	if d.left.Add(-1) < 0 {
		r.decoded.CompareAndSwap(d, newDecoded(r.n))
		d = r.decoded.Load()
	}
	if !d.tasks[k].CompareAndSwap(nil, t) {
		return d.tasks[k].Load()
	}
	return t
}

func (r *records) peek(k int32) *model.Task {
	t := &model.Task{UID: r.uid(k)}
	c := packing.Coder{Bytes: r.record(k)}
	packTask(&c, t)
	if c.Bad || len(c.Bytes) > 0 {
		return damaged(r.uid(k))
	}
	return t
}

// damaged stands for a task whose record cannot be read.
func damaged(uid model.UID) *model.Task {
	return &model.Task{UID: uid, Config: model.Config{UID: uid}, Status: model.StatusFile{CurrentState: model.Created}, Problems: []model.Problem{{
		UID: uid, Path: taskPath(uid, ""), Severity: model.Error, Code: "pack-damaged",
		Reason: "its copy in the checkpoint is unreadable",
		Hint:   "remove the files .vespe/log/snap-*; vespe then reads the task's own files",
	}}}
}
