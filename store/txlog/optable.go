package txlog

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"vespe/model"
	"vespe/store/layout"
)

// OpTable is records of 16 bytes, sorted: 8 of the SHA-256 of an operation's id, or of the key of a task, and the
// number of an entry that holds or names it, both big-endian, so that records sort as bytes.
type OpTable []byte

const OpRecordSize = 16

func OpHash(id string) uint64 {
	h := model.HashBytes([]byte(id))
	n := uint64(0)
	for _, c := range []byte(h[len(layout.HashPrefix) : len(layout.HashPrefix)+16]) {
		d := c - '0'
		if c >= 'a' {
			d = c - 'a' + 10
		}
		n = n<<4 | uint64(d)
	}
	return n
}

func (t OpTable) Len() int { return len(t) / OpRecordSize }

func (t OpTable) at(i int) (hash, seq uint64) {
	r := t[i*OpRecordSize:]
	return binary.BigEndian.Uint64(r), binary.BigEndian.Uint64(r[8:])
}

// TaskKey is what the entries that name a task are found by.
func TaskKey(uid model.UID) string { return "task " + string(uid) }

// Find is the entries that may hold an operation or name a task, ascending.
func (t OpTable) Find(id string) (seqs []uint64) {
	want := OpHash(id)
	for i := t.first(want); i < t.Len(); i++ {
		h, seq := t.at(i)
		if h != want {
			break
		}
		seqs = append(seqs, seq)
	}
	return seqs
}

// first is the first record that is not before a hash.
func (t OpTable) first(hash uint64) int {
	return sort.Search(t.Len(), func(i int) bool { h, _ := t.at(i); return h >= hash })
}

// Before is the table without the operations in an entry and those after it.
func (t OpTable) Before(seq uint64) OpTable {
	out := make(OpTable, 0, len(t))
	for i := range t.Len() {
		if _, in := t.at(i); in < seq {
			out = append(out, t[i*OpRecordSize:(i+1)*OpRecordSize]...)
		}
	}
	return out
}

// With is the table and the entries of further operations and tasks.
func (t OpTable) With(recent map[string][]uint64) OpTable {
	type record struct{ hash, seq uint64 }
	more := make([]record, 0, len(recent))
	for id, seqs := range recent {
		for _, seq := range seqs {
			more = append(more, record{OpHash(id), seq})
		}
	}
	slices.SortFunc(more, func(a, b record) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.seq, b.seq)) })
	out := make(OpTable, 0, len(t)+OpRecordSize*len(more))
	i := 0
	for _, r := range more {
		for ; i < t.Len(); i++ {
			if h, _ := t.at(i); h > r.hash {
				break
			}
			out = append(out, t[i*OpRecordSize:(i+1)*OpRecordSize]...)
		}
		out = binary.BigEndian.AppendUint64(out, r.hash)
		out = binary.BigEndian.AppendUint64(out, r.seq)
	}
	return append(out, t[i*OpRecordSize:]...)
}
