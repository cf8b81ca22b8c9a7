package store

import (
	"encoding/binary"
	"slices"
	"sort"

	"vespe/model"
	"vespe/store/layout"
)

// opTable is records of 16 bytes, sorted: 8 of the SHA-256 of an operation's id, and the
// number of the entry, both big-endian, so that records sort as bytes.
type opTable []byte

const opRecordSize = 16

func opHash(id string) uint64 {
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

func (t opTable) len() int { return len(t) / opRecordSize }

func (t opTable) at(i int) (hash, seq uint64) {
	r := t[i*opRecordSize:]
	return binary.BigEndian.Uint64(r), binary.BigEndian.Uint64(r[8:])
}

// find is the entries that may hold an operation: nearly always one or none.
func (t opTable) find(id string) (seqs []uint64) {
	want := opHash(id)
	for i := t.first(want); i < t.len(); i++ {
		h, seq := t.at(i)
		if h != want {
			break
		}
		seqs = append(seqs, seq)
	}
	return seqs
}

// first is the first record that is not before a hash.
func (t opTable) first(hash uint64) int {
	return sort.Search(t.len(), func(i int) bool { h, _ := t.at(i); return h >= hash })
}

// before is the table without the operations in an entry and those after it.
func (t opTable) before(seq uint64) opTable {
	out := make(opTable, 0, len(t))
	for i := range t.len() {
		if _, in := t.at(i); in < seq {
			out = append(out, t[i*opRecordSize:(i+1)*opRecordSize]...)
		}
	}
	return out
}

// with is the table and further operations.
func (t opTable) with(recent map[string]uint64) opTable {
	type record struct{ hash, seq uint64 }
	more := make([]record, 0, len(recent))
	for id, seq := range recent {
		more = append(more, record{opHash(id), seq})
	}
	slices.SortFunc(more, func(a, b record) int {
		if a.hash != b.hash {
			return cmpUint(a.hash, b.hash)
		}
		return cmpUint(a.seq, b.seq)
	})
	out := make(opTable, 0, len(t)+opRecordSize*len(more))
	i := 0
	for _, r := range more {
		for ; i < t.len(); i++ {
			if h, _ := t.at(i); h > r.hash {
				break
			}
			out = append(out, t[i*opRecordSize:(i+1)*opRecordSize]...)
		}
		out = binary.BigEndian.AppendUint64(out, r.hash)
		out = binary.BigEndian.AppendUint64(out, r.seq)
	}
	return append(out, t[i*opRecordSize:]...)
}

func cmpUint(a, b uint64) int {
	if a < b {
		return -1
	}
	return 1
}

// opKind is what is left of an operation whose entry was compacted, beside its id: 4 bytes of the
// hash of its name and 4 of the hash of its task's uid. An id that comes again for something else is
// a mistake that must not be answered as if it had been done.
type opKind struct{ name, uid uint32 }

func opKindOf(name model.Name, uid model.UID) opKind {
	return opKind{max(uint32(opHash(string(name))>>32), 1), uint32(opHash(string(uid)) >> 32)} //nolint:gosec // 32 bits are left
}

// isOf is isRecordOf by hashes. One of which nothing is known may be of any operation.
func (k opKind) isOf(op *model.Op) bool {
	want := opKindOf(op.Name, op.UID)
	return k.name == 0 || k.name == want.name && (op.New != nil || op.Import != nil || op.UID == "" || k.uid == want.uid)
}

// opKey is a record of an opTable.
type opKey struct{ hash, seq uint64 }

// kindTable is an opKind, big-endian, for each record of an opTable; all zero where nothing is known.
type kindTable []byte

const kindSize = 8

func (t kindTable) at(i int) opKind {
	if len(t) < (i+1)*kindSize {
		return opKind{}
	}
	r := t[i*kindSize:]
	return opKind{binary.BigEndian.Uint32(r), binary.BigEndian.Uint32(r[4:])}
}

// kinds is the table that belongs to one of operations.
func (t opTable) kinds(known map[opKey]opKind) kindTable {
	out := make(kindTable, 0, t.len()*kindSize)
	for i := range t.len() {
		hash, seq := t.at(i)
		k := known[opKey{hash, seq}]
		out = binary.BigEndian.AppendUint32(out, k.name)
		out = binary.BigEndian.AppendUint32(out, k.uid)
	}
	return out
}

// kindsOf is what a base knows of its operations.
func (o *openedBase) kindsOf() map[opKey]opKind {
	out := map[opKey]opKind{}
	for i := range o.ops.len() {
		if k := o.kinds.at(i); k.name != 0 {
			hash, seq := o.ops.at(i)
			out[opKey{hash, seq}] = k
		}
	}
	return out
}

// kind is what the base knows of an operation in an entry.
func (o *openedBase) kind(id string, seq uint64) (k opKind, known bool) {
	hash := opHash(id)
	for i := o.ops.first(hash); i < o.ops.len(); i++ {
		h, in := o.ops.at(i)
		if h != hash {
			break
		}
		if in == seq {
			return o.kinds.at(i), true
		}
	}
	return opKind{}, false
}
