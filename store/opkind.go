package store

import (
	"encoding/binary"

	"vespe/model"
)

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

// areSame refuses operations that are others than those that a compacted entry held under their ids.
func (s *Store) areSame(ops []model.Op, seq uint64) error {
	b, err := s.log.openBase()
	if err != nil {
		return s.unreadable(&ops[0], err)
	}
	for i := range ops {
		if k, known := b.kind(ops[i].ID, seq); known && !k.isOf(&ops[i]) {
			return fail(model.CodeConflict, guardOpID, &ops[i], nil, "use new ids for new operations; nothing was changed",
				"the id %q was used before, for something else", ops[i].ID)
		}
	}
	return nil
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
