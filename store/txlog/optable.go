package txlog

import (
	"encoding/binary"
	"slices"
	"sort"

	"vespe/model"
	"vespe/store/layout"
)

// OpTable is records of 16 bytes, sorted: 8 of the SHA-256 of an operation's id, and the
// number of the entry, both big-endian, so that records sort as bytes.
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

// Find is the entries that may hold an operation: nearly always one or none.
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

// With is the table and further operations.
func (t OpTable) With(recent map[string]uint64) OpTable {
	type record struct{ hash, seq uint64 }
	more := make([]record, 0, len(recent))
	for id, seq := range recent {
		more = append(more, record{OpHash(id), seq})
	}
	slices.SortFunc(more, func(a, b record) int {
		if a.hash != b.hash {
			return cmpUint(a.hash, b.hash)
		}
		return cmpUint(a.seq, b.seq)
	})
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

func cmpUint(a, b uint64) int {
	if a < b {
		return -1
	}
	return 1
}

// OpKind is what is left of an operation whose entry was compacted, beside its id: 4 bytes of the
// hash of its name and 4 of the hash of its task's uid. An id that comes again for something else is
// a mistake that must not be answered as if it had been done.
type OpKind struct{ name, uid uint32 }

func OpKindOf(name model.Name, uid model.UID) OpKind {
	return OpKind{max(uint32(OpHash(string(name))>>32), 1), uint32(OpHash(string(uid)) >> 32)} //nolint:gosec // 32 bits are left
}

// IsOf is isRecordOf by hashes. One of which nothing is known may be of any operation.
func (k OpKind) IsOf(op *model.Op) bool {
	want := OpKindOf(op.Name, op.UID)
	return k.name == 0 || k.name == want.name && (op.Name == model.CreateTask || op.Name == model.ImportTask || op.UID == "" || k.uid == want.uid)
}

// OpKey is a record of an opTable.
type OpKey struct{ Hash, Seq uint64 }

// kindTable is an opKind, big-endian, for each record of an opTable; all zero where nothing is known.
type kindTable []byte

const kindSize = 8

func (t kindTable) at(i int) OpKind {
	if len(t) < (i+1)*kindSize {
		return OpKind{}
	}
	r := t[i*kindSize:]
	return OpKind{binary.BigEndian.Uint32(r), binary.BigEndian.Uint32(r[4:])}
}

// Kinds is the table that belongs to one of operations.
func (t OpTable) Kinds(known map[OpKey]OpKind) kindTable {
	out := make(kindTable, 0, t.Len()*kindSize)
	for i := range t.Len() {
		hash, seq := t.at(i)
		k := known[OpKey{hash, seq}]
		out = binary.BigEndian.AppendUint32(out, k.name)
		out = binary.BigEndian.AppendUint32(out, k.uid)
	}
	return out
}

// KindsOf is what a base knows of its operations.
func (o *OpenedBase) KindsOf() map[OpKey]OpKind {
	out := map[OpKey]OpKind{}
	for i := range o.Ops.Len() {
		if k := o.kinds.at(i); k.name != 0 {
			hash, seq := o.Ops.at(i)
			out[OpKey{hash, seq}] = k
		}
	}
	return out
}

// Kind is what the base knows of an operation in an entry.
func (o *OpenedBase) Kind(id string, seq uint64) (k OpKind, known bool) {
	hash := OpHash(id)
	for i := o.Ops.first(hash); i < o.Ops.Len(); i++ {
		h, in := o.Ops.at(i)
		if h != hash {
			break
		}
		if in == seq {
			return o.kinds.at(i), true
		}
	}
	return OpKind{}, false
}

// WorkRecord is what an operation says of the work on a task.
type WorkRecord struct {
	ByHand  bool        `json:"by_hand,omitzero"`
	Worker  model.Actor `json:"worker,omitzero"`
	Run     string      `json:"run,omitzero"`
	Subtask model.UID   `json:"subtask,omitzero"`
	Success bool        `json:"success,omitzero"`
}
