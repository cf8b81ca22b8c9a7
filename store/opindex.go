package store

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"vespe/model"
)

// opIndex knows which entry holds an operation, for the entries up to upto: a sorted table
// of hashes from a checkpoint, and what came after it. It is safe for concurrent use.
type opIndex struct {
	mu     sync.Mutex
	upto   uint64
	table  opTable
	recent map[string]uint64
}

// opTable is records of 16 bytes, sorted: 8 of the SHA-256 of an operation's id, and the
// number of the entry, both big-endian, so that records sort as bytes.
type opTable []byte

const opRecordSize = 16

func opHash(id string) uint64 {
	h := model.HashBytes([]byte(id))
	n := uint64(0)
	for _, c := range []byte(h[len(hashPrefix) : len(hashPrefix)+16]) {
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
	lo, hi := 0, t.len()
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if h, _ := t.at(mid); h < want {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < t.len(); lo++ {
		h, seq := t.at(lo)
		if h != want {
			break
		}
		seqs = append(seqs, seq)
	}
	return seqs
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

// add takes up an entry that was just written, if every one before it is known.
func (x *opIndex) add(e *entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.recent == nil || e.Seq != x.upto+1 {
		return
	}
	x.upto = e.Seq
	x.recent[e.OpID] = e.Seq
	for i := range e.Ops {
		x.recent[e.Ops[i].ID] = e.Seq
	}
	x.fold()
}

// foldLeast is how many operations stay apart from the table at least: it is copied for others.
const foldLeast = 4096

// fold puts what came after the table into it when that is a good part of it: there it takes 16
// bytes each. It needs mu.
func (x *opIndex) fold() {
	if len(x.recent) > max(foldLeast, x.table.len()/8) {
		x.table, x.recent = x.table.with(x.recent), map[string]uint64{}
	}
}

// forget drops everything: it was of another log.
func (x *opIndex) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.upto, x.table, x.recent = 0, nil, nil
}

// start begins with the table of a checkpoint, unless more is known already.
func (x *opIndex) start(t opTable, upto uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if upto > x.upto {
		x.upto, x.table, x.recent = upto, t, map[string]uint64{}
	}
}

// upTo is the table of every operation in the entries up to seq, which must be known.
func (x *opIndex) upTo(seq uint64) opTable {
	x.mu.Lock()
	defer x.mu.Unlock()
	table, recent := x.table, x.recent
	if x.upto > seq {
		recent = maps.Clone(recent)
		maps.DeleteFunc(recent, func(_ string, in uint64) bool { return in > seq })
		table = table.before(seq + 1)
	}
	return table.with(recent)
}

// lookup is the entry that holds an operation; 0 when none does. sure says whether the
// entry is known to hold it, or only likely to.
func (x *opIndex) lookup(id string) (seqs []uint64, sure bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if seq, ok := x.recent[id]; ok {
		return []uint64{seq}, true
	}
	return x.table.find(id), false
}

// findOps is the entry that holds these operations; 0 when none does. Only the heads of
// entries that were not looked at before are read.
func (s *Store) findOps(ctx context.Context, ops []model.Op, last uint64) (uint64, error) {
	if err := s.indexOps(ctx, last); err != nil {
		return 0, s.unreadable(&ops[0], err)
	}
	var seq uint64
	for i := range ops {
		is, err := s.entryOfOp(ops[i].ID)
		if err != nil {
			return 0, s.unreadable(&ops[i], err)
		}
		if i == 0 {
			seq = is
		}
		if is != seq {
			return 0, fail(model.CodeConflict, guardOpID, &ops[i], nil, "use new ids for new operations; nothing was changed",
				"the id %q was used before, in another transaction than the others given with it", ops[i].ID)
		}
	}
	return seq, nil
}

// entryOfOp is the entry that holds an operation. What a table says is compared with the
// entry itself: two ids may have one hash.
func (s *Store) entryOfOp(id string) (uint64, error) {
	seqs, sure := s.ops.lookup(id)
	if sure {
		return seqs[0], nil
	}
	for _, seq := range seqs {
		ids, err := s.readOpIDs(seq)
		if err != nil {
			return 0, err
		}
		// Of an entry that is no longer kept only the hash is left: it is as good as the id.
		if slices.Contains(ids, id) || ids == nil && s.wasCompacted(seq) {
			return seq, nil
		}
	}
	return 0, nil
}

func (s *Store) readOpIDs(seq uint64) ([]string, error) {
	d, err := s.fs.OpenDir(logDir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return opIDsIn(d, seq)
}

// opIDsIn reads the ids in an entry: of an open log/. None in one that is not there or
// that is broken: Doctor says so. One that cannot be read is an error: an operation of it would
// be done twice.
func opIDsIn(d Dir, seq uint64) ([]string, error) {
	r, _, err := d.Open(strings.TrimPrefix(entryFile(seq), logDir+"/"), maxEntry)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	whole := &watchedReader{Reader: r}
	ids, err := decodeOpIDs(whole)
	if whole.err != nil {
		return nil, whole.err
	}
	if err != nil {
		return nil, nil //nolint:nilerr // broken
	}
	return ids, nil
}

// watchedReader remembers why reading failed.
type watchedReader struct {
	io.Reader
	err error
}

func (r *watchedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// indexOps reads the ids of the entries up to last that are not known yet.
func (s *Store) indexOps(ctx context.Context, last uint64) error {
	x := &s.ops
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.recent == nil {
		x.recent = map[string]uint64{}
	}
	if x.upto >= last {
		return nil
	}
	if x.upto == 0 {
		b, err := s.openBase()
		if err != nil {
			return err
		}
		x.upto, x.table = b.seq, b.ops
		if x.upto >= last {
			return nil
		}
	}
	d, err := s.fs.OpenDir(logDir)
	if err != nil {
		return err
	}
	defer d.Close()
	first := x.upto + 1
	found := make([][]string, last-x.upto)
	errs := make([]error, min(readers, len(found)))
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for ctx.Err() == nil && errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(found) {
					return
				}
				found[i], errs[w] = opIDsIn(d, first+uint64(i))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return err
	}
	for i, ids := range found {
		for _, id := range ids {
			x.recent[id] = first + uint64(i)
		}
	}
	x.upto = last
	x.fold()
	return nil
}
