package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"sort"
	"strings"
	"sync"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// reviewIndex knows which entry up to upto wrote the review of a revision of a plan last, so that nobody
// looks through the whole log for one: by a sorted table from a checkpoint, and what came after it. Of what
// it does not have, the log's base and a search tell. It is safe for concurrent use.
type reviewIndex struct {
	mu        sync.Mutex
	known     bool
	upto      uint64
	compacted bool // the base may have more
	cut       bool // an entry could not be read: what is older does not count
	table     reviewTable
	later     sections.Section // the table of a checkpoint that was not needed yet
	recent    map[reviewKey]reviewImage
}

// reviewKey is 16 bytes of the SHA-256 of a review's path.
type reviewKey [16]byte

func reviewKeyOf(name string) (k reviewKey) {
	sum := sha256.Sum256([]byte(name))
	copy(k[:], sum[:])
	return k
}

// reviewImage is what the log wrote last to the file of a review. It is zero where a search has to tell, and
// has no hash where the revision began with that entry and nothing was written since.
type reviewImage struct {
	seq    uint64
	edited bool // only somebody past vespe wrote it
	hash   [sha256.Size]byte
}

func (im reviewImage) written() bool { return im.hash != [sha256.Size]byte{} }

func (im reviewImage) said() string {
	if !im.written() {
		return ""
	}
	return layout.HashPrefix + hex.EncodeToString(im.hash[:])
}

// reviewTable is records of 56 bytes, sorted: a key, the entry with editedBit, and the hash.
type reviewTable []byte

const (
	reviewRecordSize = 16 + 8 + sha256.Size
	editedBit        = 1 << 63
	reviewsBegin     = "reviews\n" // what a checkpoint has before the records: one that knows nothing is empty
)

func (t reviewTable) len() int { return len(t) / reviewRecordSize }

func (t reviewTable) key(i int) reviewKey { return reviewKey(t[i*reviewRecordSize:]) }

func (t reviewTable) image(i int) (im reviewImage) {
	r := t[i*reviewRecordSize+16:]
	seq := binary.BigEndian.Uint64(r)
	return reviewImage{seq &^ editedBit, seq&editedBit != 0, [sha256.Size]byte(r[8:])}
}

func (t reviewTable) find(k reviewKey) (im reviewImage, is bool) {
	i := sort.Search(t.len(), func(i int) bool { at := t.key(i); return bytes.Compare(at[:], k[:]) >= 0 })
	if i < t.len() && t.key(i) == k {
		return t.image(i), true
	}
	return im, false
}

// start begins with what a checkpoint knows, unless more is known already.
func (x *reviewIndex) start(table sections.Section, upto uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(table.Body) > 0 && (!x.known || upto > x.upto) {
		x.reset(upto)
		x.later = table
	}
}

// forget drops everything: it was of another log.
func (x *reviewIndex) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.reset(0)
	x.known = false
}

func (x *reviewIndex) reset(upto uint64) {
	x.known, x.upto, x.cut = true, upto, false
	x.table, x.later, x.recent = nil, sections.Section{}, map[reviewKey]reviewImage{}
}

// of is what is known of a file; is says whether there is anything to know. It needs mu.
func (x *reviewIndex) of(k reviewKey) (im reviewImage, is bool) {
	if im, is = x.recent[k]; is {
		return im, true
	}
	return x.table.find(k)
}

// take takes up the entry after upto. Of a revision that begins again, nothing from before counts any more.
// It needs mu.
func (x *reviewIndex) take(seq uint64, files []txlog.ScannedFile) {
	x.upto = seq
	for _, f := range files {
		review, begins := reviewOfPath(f.Path)
		if !begins || f.Edited {
			continue
		}
		k := reviewKeyOf(review)
		if was, _ := x.of(k); x.compacted || was.seq > 0 {
			x.recent[k] = reviewImage{seq: seq}
		}
	}
	for _, f := range files {
		review, begins := reviewOfPath(f.Path)
		if review == "" || begins || f.Hash == "" {
			continue
		}
		k := reviewKeyOf(review)
		if was, _ := x.of(k); f.Edited && was.written() && !was.edited {
			continue
		}
		im := reviewImage{seq: seq, edited: f.Edited}
		if n, err := hex.Decode(im.hash[:], []byte(strings.TrimPrefix(f.Hash, layout.HashPrefix))); err == nil && n == len(im.hash) {
			x.recent[k] = im
		}
	}
}

// reviewOfPath is the path of the review that a file is, or of the one of the revision that it begins.
func reviewOfPath(name string) (review string, begins bool) {
	uid, rest, ok := layout.TaskOf(name)
	if !ok {
		return "", false
	}
	if strings.HasPrefix(rest, layout.ReviewsDir+"/plan-") {
		return name, false
	}
	if strings.HasPrefix(rest, layout.RevisionsDir+"/"+string(model.Plan)+"-") && strings.HasSuffix(rest, ".md") {
		return reviewOf(uid, rest), true
	}
	return "", false
}

// add takes up an entry that was just written, if every one before it is known.
func (x *reviewIndex) add(e *txlog.Entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.known || x.later.Body != nil || e.Seq != x.upto+1 {
		return
	}
	var files []txlog.ScannedFile
	for i := range e.Files {
		f := &e.Files[i]
		if review, _ := reviewOfPath(f.Path); review != "" {
			files = append(files, txlog.ScannedFile{Path: f.Path, Hash: f.Hash, Edited: f.Edited})
		}
	}
	x.take(e.Seq, files)
}

// pack is the table as of an entry, for a checkpoint; empty where nothing is known.
func (x *reviewIndex) pack(seq uint64) []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.known || x.later.Body != nil || x.cut || x.upto < seq {
		return nil
	}
	type record struct {
		reviewKey
		reviewImage
	}
	list := make([]record, 0, x.table.len()+len(x.recent))
	for i := range x.table.len() {
		if k := x.table.key(i); !hasKey(x.recent, k) {
			list = append(list, record{k, x.table.image(i)})
		}
	}
	for k, im := range x.recent {
		if im.seq > seq {
			im = reviewImage{} // what it was then is not known any more
		}
		list = append(list, record{k, im})
	}
	slices.SortFunc(list, func(a, b record) int { return bytes.Compare(a.reviewKey[:], b.reviewKey[:]) })
	out := append(make([]byte, 0, len(reviewsBegin)+len(list)*reviewRecordSize), reviewsBegin...)
	for _, r := range list {
		seq := r.seq
		if r.edited {
			seq |= editedBit
		}
		out = append(out, r.reviewKey[:]...)
		out = binary.BigEndian.AppendUint64(out, seq)
		out = append(out, r.hash[:]...)
	}
	return out
}

func hasKey[K comparable, V any](m map[K]V, k K) bool {
	_, ok := m[k]
	return ok
}

// indexReviews reads what it has to know of the entries up to last that are not known yet.
func (s *Store) indexReviews(ctx context.Context, last uint64) error {
	x := &s.reviews
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.later.Body != nil {
		b, err := x.later.Checked()
		table, ok := bytes.CutPrefix(b, []byte(reviewsBegin))
		if err != nil || !ok || len(table)%reviewRecordSize != 0 {
			x.known = false // it is damaged: a checkpoint is never needed
		}
		x.table, x.later = table, sections.Section{}
	}
	for tries := 0; ; tries++ {
		floor, err := s.log.Floor(tries > 0)
		if err != nil {
			return err
		}
		if !x.known || x.upto < floor {
			x.reset(floor)
		}
		if x.upto >= last {
			return nil
		}
		x.compacted = floor > 0
		again, err := s.takeReviews(ctx, x, last)
		if err != nil || !again || tries == maxTries {
			return err
		}
	}
}

// takeReviews reads the entries after those that x knows. again says that some were compacted meanwhile.
func (s *Store) takeReviews(ctx context.Context, x *reviewIndex, last uint64) (again bool, err error) {
	dir, err := s.fs.OpenDir(layout.LogDir)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	const atOnce = 4096
	for x.upto < last {
		first, n := x.upto+1, int(min(last-x.upto, atOnce)) //nolint:gosec // at most atOnce
		found, failed := make([][]txlog.ScannedFile, n), make([]error, n)
		if err := parallel.Each(ctx, n, func(i int) error {
			seq := first + uint64(i) //nolint:gosec // it counts up from 0
			if !txlog.MayHold(dir, seq, "/"+layout.ReviewsDir+"/plan-", "/"+layout.RevisionsDir+"/"+string(model.Plan)+"-") {
				return nil
			}
			_, failed[i] = txlog.ScanEntry(ctx, dir, seq, func(f txlog.ScannedFile) {
				if review, _ := reviewOfPath(f.Path); review != "" {
					found[i] = append(found[i], f)
				}
			})
			return nil
		}); err != nil {
			return false, err
		}
		for i := range n {
			seq := first + uint64(i) //nolint:gosec // it counts up from 0
			switch err := failed[i]; {
			case err != nil && fsys.Missing(err) && s.log.WasCompacted(seq):
				return true, nil
			case err != nil && (fsys.IsTransient(err) || ctx.Err() != nil):
				return false, err
			case err != nil:
				x.reset(seq) // Doctor says so
				x.cut = true
				continue
			}
			x.take(seq, found[i])
		}
	}
	return false, nil
}

// indexedReview is what the index knows of the review at a path after the entries up to last. sure says
// that where it knows nothing, no entry that is still there has anything.
func (s *Store) indexedReview(ctx context.Context, name string, last uint64) (im reviewImage, sure bool, err error) {
	if err := s.indexReviews(ctx, last); err != nil {
		return im, false, err
	}
	x := &s.reviews
	x.mu.Lock()
	defer x.mu.Unlock()
	im, is := x.of(reviewKeyOf(name))
	if im.seq > last {
		return reviewImage{}, false, nil
	}
	return im, !x.cut && (im.seq > 0 || !is), nil
}
