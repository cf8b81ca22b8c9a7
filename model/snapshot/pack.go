package snapshot

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"vespe/model"
	"vespe/model/graph"
	"vespe/model/packing"
)

// A pack is a snapshot as bytes that can be used as they are: columns of whole walks as
// Plain arrays, little-endian and aligned, and behind them a record for each task, which
// is read when somebody asks for the task.
//
//	"VESPEPK" and a version · uint64 packShape · uint64 number of tasks · then sections, each uint64 length
//	and bytes, padded to 8: meta (coder) · ends of uids uint32[n] · uids · parents int32[n]
//	as newTree takes them · ends of dependency rows int32[n+1] · dependencies int32[] ·
//	dependencies on nothing (coder) · tasks that name themselves int32[] · statuses of
//	their own uint8[n] · facts uint8[n] · priority ranks uint8[n] · planned and taken times
//	uint32[n] each, seconds · creation int64[n] · last change int64[n], nanoseconds since
//	1970 · ends of records uint64[n] · records
//
// The same snapshot always gives the same bytes. They are for this machine and this
// version: whoever keeps them must be able to make them again.
const (
	packMagic   = "VESPEPK"
	packVersion = 15
	packHead    = 24 // bytes before the first section
)

// packShape is a hash of the fields of what is packed, by which a pack of a vespe with other fields is none.
var packShape = sync.OnceValue(func() uint64 {
	h := fnv.New64a()
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		_, _ = io.WriteString(h, t.String()+"\n") // a hash takes everything
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			add(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				if f := t.Field(i); f.IsExported() || f.Anonymous {
					_, _ = io.WriteString(h, f.Name+" "+string(f.Tag)+"\n")
					add(f.Type)
				}
			}
		}
	}
	for _, t := range []reflect.Type{reflect.TypeFor[model.Task](), reflect.TypeFor[model.Policy](), reflect.TypeFor[model.Request](), reflect.TypeFor[model.Milestones]()} {
		add(t)
	}
	return h.Sum64()
})

// The flags of a pack's meta section.
const packAcyclic = 1 // nothing depends on itself

// PackError says why bytes are no pack.
type PackError struct{ Why string }

// ErrOtherPack is a pack in the format of another vespe.
var ErrOtherPack = &PackError{"it has another version"}

func (e *PackError) Error() string { return "not a usable pack: " + e.Why }

// Compact is the snapshot with its tasks packed, which takes a fraction of the memory.
func (s *Snapshot) Compact() *Snapshot {
	n, err := Unpack(s.Pack())
	if err != nil {
		return s // cannot be; and if it is, nothing is lost but memory
	}
	return n
}

// Loose is how many tasks are values of their own, which take the memory that a packed one
// does not.
func (s *Snapshot) Loose() int { return s.tasks.loose }

// PackedLike is the snapshot with the records of p, which is a packed copy of from, for its
// tasks that have not changed since from: With may have made it of from while that was
// packed. A snapshot that was made otherwise stays as it is.
func (s *Snapshot) PackedLike(p, from *Snapshot) *Snapshot {
	tasks, ok := s.tasks.packed(&p.tasks, &from.tasks)
	if !ok {
		return s
	}
	n := *s
	n.tasks = tasks
	n.lazy()
	return &n
}

// Pack is the whole snapshot as bytes for Unpack.
func (s *Snapshot) Pack() []byte {
	n := s.tasks.n
	var (
		uidEnds         = make([]uint32, n)
		ends            = make([]uint64, n)
		born, since     = make([]int64, n), make([]int64, n)
		uids, rank      = make([]byte, 0, 40*n), make([]byte, n)
		planned, taken  = make([]uint32, n), make([]uint32, n)
		records         = packing.Coder{Writing: true, Bytes: make([]byte, 0, s.tasks.packedSize())}
		own, facts      = make([]byte, n), make([]byte, n)
		dangle          = packing.Coder{Writing: true}
		meta            = packing.Coder{Writing: true}
		selves, parents = s.graph.Selves, s.tree.raw()
		out             = s.graph.Out.Flat()
	)
	for i := range int32(n) {
		uids = append(uids, s.tasks.uid(i)...)
		uidEnds[i] = uint32(len(uids))
		own[i], facts[i] = byte(s.own[i]), byte(s.facts[i])
		if s.own[i] == model.StatusReviewPlan && s.lacksAt(i) { // the person's, not the store's
			own[i] = byte(model.StatusReady)
		}
		if taken[i] = s.tasks.taken(i); taken[i] > 0 || s.Unfinished(int(i)) {
			planned[i] = s.tasks.planned(i)
		}
		if t := s.tasks.value(i); t != nil {
			rank[i], born[i], since[i] = byte(priority(t).Rank()), toNanos(t.Config.CreatedAt), toNanos(t.Status.LastUpdatedAt)
			packTask(&records, t)
		} else {
			k, r := s.tasks.record(i), s.tasks.recs
			rank[i], born[i], since[i] = r.rank[k], r.born[k], r.since[k]
			records.Bytes = append(records.Bytes, r.record(k)...)
		}
		ends[i] = uint64(len(records.Bytes))
	}
	list := slices.Clone(s.graph.dangling)
	packing.Each(&dangle, &list, func(d *dangling) {
		from := int(d.from)
		dangle.Num(&from)
		packing.Word(&dangle, &d.uid)
	})
	s.meta(&meta, new(uint64))

	w := packWriter{b: make([]byte, 0, len(records.Bytes)+len(uids)+len(out.To)*4+n*64+1024)}
	w.b = append(w.b, packMagic...)
	w.b = append(w.b, packVersion)
	w.b = binary.LittleEndian.AppendUint64(w.b, packShape())
	w.b = binary.LittleEndian.AppendUint64(w.b, uint64(n))
	w.bytes(meta.Bytes)
	column(&w, uidEnds)
	w.bytes(uids)
	column(&w, parents)
	column(&w, out.Off)
	column(&w, out.To)
	w.bytes(dangle.Bytes)
	column(&w, selves)
	w.bytes(own)
	w.bytes(facts)
	w.bytes(rank)
	column(&w, planned)
	column(&w, taken)
	column(&w, born)
	column(&w, since)
	column(&w, ends)
	w.bytes(records.Bytes)
	return w.b
}

// meta is what a pack says of the snapshot as a whole.
func (s *Snapshot) meta(c *packing.Coder, flags *uint64) {
	if c.Writing && s.graph.Acyclic() {
		*flags |= packAcyclic
	}
	c.Uint(flags)
	c.Uint(&s.seq)
	packing.Word(c, &s.storeID)
	packing.Word(c, &s.head)
	model.PackPolicy(c, &s.policy)
	packMilestones(c, &s.milestoneFile)
	packing.Each(c, &s.problems, func(p *model.Problem) { packProblem(c, p) })
	packing.Each(c, &s.requests, func(q *model.Request) { model.PackRequest(c, q) })
}

// Unpack is the snapshot that b holds. It keeps b, which must never change after. Whatever
// is wrong with the columns is a *PackError; a record that cannot be read gives a task with
// a problem.
func Unpack(b []byte) (*Snapshot, error) {
	switch {
	case len(b) < packHead || string(b[:len(packMagic)]) != packMagic:
		return nil, &PackError{"it is not a pack"}
	case b[len(packMagic)] != packVersion || binary.LittleEndian.Uint64(b[8:]) != packShape():
		return nil, ErrOtherPack
	case binary.LittleEndian.Uint64(b[16:]) > uint64(len(b)):
		return nil, &PackError{"it is too short for its tasks"}
	}
	r := packReader{b: b[packHead:], n: int(binary.LittleEndian.Uint64(b[16:]))}
	meta := r.bytes(-1)
	recs := &records{n: r.n}
	recs.uidEnds = readColumn[uint32](&r, r.n)
	recs.uids = r.bytes(-1)
	parents := readColumn[int32](&r, r.n)
	g := &dependencyGraph{missing: make([]int32, r.n)}
	g.Out.Off = readColumn[int32](&r, r.n+1)
	g.Out.To = readColumn[int32](&r, -1)
	dangle := r.bytes(-1)
	g.Selves = readColumn[int32](&r, -1)
	own, facts := r.bytes(r.n), r.bytes(r.n)
	recs.rank = r.bytes(r.n)
	recs.planned, recs.taken = readColumn[uint32](&r, r.n), readColumn[uint32](&r, r.n)
	recs.born, recs.since = readColumn[int64](&r, r.n), readColumn[int64](&r, r.n)
	recs.ends = readColumn[uint64](&r, r.n)
	recs.body = r.bytes(-1)
	if r.why == "" && len(r.b) > 0 {
		r.why = "there is data after its end"
	}
	if r.why != "" {
		return nil, &PackError{r.why}
	}
	recs.decoded.Store(newDecoded(r.n))
	s := &Snapshot{
		tasks: book{n: r.n, recs: recs, own: graph.ZeroPages[*model.Task](r.n), memo: new(memo)},
		own:   statusesOf(own), facts: factsOf(facts),
	}
	var flags uint64
	c := packing.Coder{Bytes: meta}
	s.meta(&c, &flags)
	g.dangling = danglingOf(dangle, g.missing)
	if c.Bad || len(c.Bytes) > 0 || len(dangle) > 0 && g.dangling == nil && dangle[0] > 1 {
		return nil, &PackError{"its description is unreadable"}
	}
	s.rules = model.RulesOf(s.policy)
	// The parts are checked side by side, and each is used as soon as it is known to be good.
	var whys [3]string
	var wg sync.WaitGroup
	wg.Go(func() { whys[0] = checkTasks(recs, s.own) })
	wg.Go(func() {
		if whys[1] = checkParents(parents); whys[1] == "" {
			s.tree = newTree(slices.Clone(parents))
		}
	})
	wg.Go(func() {
		switch whys[2] = checkEdges(g); {
		case whys[2] != "":
		case flags&packAcyclic != 0:
			g.FinishAcyclic()
		default:
			g.Finish()
		}
	})
	wg.Wait()
	for _, why := range whys {
		if why != "" {
			return nil, &PackError{why}
		}
	}
	s.graph = g
	for i, f := range s.facts {
		if f&isFlawed != 0 {
			s.flawed = append(s.flawed, int32(i))
		}
	}
	s.derive()
	s.rollUp()
	s.lazy()
	return s, nil
}

// danglingOf reads the dependencies on nothing, and counts them.
func danglingOf(b []byte, missing []int32) []dangling {
	var list []dangling
	c := packing.Coder{Bytes: b}
	packing.Each(&c, &list, func(d *dangling) {
		var from int
		c.Num(&from)
		packing.Word(&c, &d.uid)
		if from < 0 || from >= len(missing) {
			c.Fail()
			return
		}
		d.from = int32(from)
	})
	if c.Bad {
		return nil
	}
	for _, d := range list {
		missing[d.from]++
	}
	return list
}

func statusesOf(b []byte) []model.Status {
	out := make([]model.Status, len(b))
	for i, x := range b {
		out[i] = model.Status(x)
	}
	return out
}

func factsOf(b []byte) []fact {
	out := make([]fact, len(b))
	for i, x := range b {
		out[i] = fact(x)
	}
	return out
}

// checkTasks sees to it that the columns of the tasks fit each other.
func checkTasks(recs *records, own []model.Status) string {
	if !endAt(recs.uidEnds, uint64(len(recs.uids))) || !endAt(recs.ends, uint64(len(recs.body))) {
		return "its tasks are out of order"
	}
	last := model.UID("")
	for i := range int32(recs.n) {
		uid := recs.uid(i)
		if last >= uid || !uid.Valid() {
			return "its uids are out of order"
		}
		last = uid
		if int(own[i]) >= model.NumStatuses {
			return "it has an invalid status"
		}
	}
	return ""
}

func checkParents(parents []int32) string {
	for _, p := range parents {
		if p < unknownParent || int(p) >= len(parents) {
			return "it has an unknown parent"
		}
	}
	return ""
}

// checkEdges sees to it that no dependency leads anywhere but to a task.
func checkEdges(g *dependencyGraph) string {
	if g.Out.Off[0] != 0 || !endAt(g.Out.Off, uint64(len(g.Out.To))) {
		return "its dependencies are out of order"
	}
	for _, list := range [][]int32{g.Out.To, g.Selves} {
		for _, d := range list {
			if d < 0 || int(d) >= len(g.missing) {
				return "it has an unknown dependency"
			}
		}
	}
	return ""
}

// endAt reports that ends never go back and that the last of them is end.
func endAt[T int32 | uint32 | uint64](ends []T, end uint64) bool {
	last := T(0)
	for _, e := range ends {
		if e < last {
			return false
		}
		last = e
	}
	return uint64(last) == end
}

type packWriter struct{ b []byte }

func (w *packWriter) bytes(b []byte) {
	w.b = binary.LittleEndian.AppendUint64(w.b, uint64(len(b)))
	w.b = append(w.b, b...)
	for len(w.b)%8 != 0 {
		w.b = append(w.b, 0)
	}
}

type number interface {
	int32 | uint32 | int64 | uint64
}

func column[T number](w *packWriter, list []T) {
	var size T
	b := make([]byte, 0, len(list)*int(unsafe.Sizeof(size)))
	for _, x := range list {
		if unsafe.Sizeof(size) == 4 {
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		} else {
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		}
	}
	w.bytes(b)
}

// packReader gives the sections of a pack. After the first that is not there, why says so
// and all others are empty.
type packReader struct {
	b   []byte
	n   int
	why string
}

// bytes is the next section, of want bytes when want is not negative.
func (r *packReader) bytes(want int) []byte {
	if r.why != "" {
		return nil
	}
	if len(r.b) < 8 {
		r.why = "it ends too early"
		return nil
	}
	n := binary.LittleEndian.Uint64(r.b)
	padded := (n + 7) &^ 7
	if n > uint64(len(r.b)) || padded > uint64(len(r.b)-8) || want >= 0 && n != uint64(want) {
		r.why = fmt.Sprintf("a section of %d bytes does not fit", n)
		return nil
	}
	out := r.b[8 : 8+n : 8+n]
	r.b = r.b[8+padded:]
	return out
}

// readColumn is the next section as numbers, want of them when want is not negative. Where
// the machine stores numbers as a pack does, they are not copied.
func readColumn[T number](r *packReader, want int) []T {
	size := int(unsafe.Sizeof(T(0)))
	if want >= 0 {
		want *= size
	}
	b := r.bytes(want)
	if r.why == "" && len(b)%size != 0 {
		r.why = "a column is cut off"
	}
	if r.why != "" {
		return make([]T, max(want, 0)/size)
	}
	if len(b) == 0 {
		return []T{}
	}
	if littleEndian && uintptr(unsafe.Pointer(&b[0]))%uintptr(size) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/size)
	}
	out := make([]T, len(b)/size)
	for i := range out {
		if size == 4 {
			out[i] = T(binary.LittleEndian.Uint32(b[4*i:]))
		} else {
			out[i] = T(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	return out
}

// littleEndian is how this machine stores numbers.
var littleEndian = *(*byte)(unsafe.Pointer(new(uint16(1)))) == 1
