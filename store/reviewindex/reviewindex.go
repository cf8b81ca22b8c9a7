// Package reviewindex knows which entry of the log wrote the review of a revision of a plan last, so that
// nobody looks through the whole log for one.
package reviewindex

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"path"
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

// Index knows the entries up to upto: by a sorted table from a checkpoint, and what came after it. Of what it
// does not have, a search tells. It is safe for concurrent use.
type Index struct {
	Log *txlog.Log

	mu     sync.Mutex
	known  bool
	upto   uint64
	cut    bool // an entry could not be read: what is older does not count
	table  table
	later  sections.Section // the table of a checkpoint that was not needed yet
	recent map[key]Image
}

// key is 16 bytes of the SHA-256 of a review's path.
type key [16]byte

func keyOf(name string) (k key) {
	sum := sha256.Sum256([]byte(name))
	copy(k[:], sum[:])
	return k
}

// Image is what the log wrote last to the file of a review. It is zero where a search has to tell, and
// has no hash where the revision began with that entry and nothing was written since.
type Image struct {
	Seq    uint64
	Edited bool // only somebody past vespe wrote it
	hash   [sha256.Size]byte
}

func (im Image) written() bool { return im.hash != [sha256.Size]byte{} }

// Hash is that of the review; "" for none.
func (im Image) Hash() string {
	if !im.written() {
		return ""
	}
	return layout.HashPrefix + hex.EncodeToString(im.hash[:])
}

// table is records of 56 bytes, sorted: a key, the entry with editedBit, and the hash.
type table []byte

const (
	recordSize = 16 + 8 + sha256.Size
	editedBit  = 1 << 63
	tableBegin = "reviews\n" // what a checkpoint has before the records: one that knows nothing is empty
)

func (t table) len() int { return len(t) / recordSize }

func (t table) key(i int) key { return key(t[i*recordSize:]) }

func (t table) image(i int) (im Image) {
	r := t[i*recordSize+16:]
	seq := binary.BigEndian.Uint64(r)
	return Image{seq &^ editedBit, seq&editedBit != 0, [sha256.Size]byte(r[8:])}
}

func (t table) find(k key) (im Image, is bool) {
	i := sort.Search(t.len(), func(i int) bool { at := t.key(i); return bytes.Compare(at[:], k[:]) >= 0 })
	if i < t.len() && t.key(i) == k {
		return t.image(i), true
	}
	return im, false
}

// Start begins with what a checkpoint knows, unless more is known already.
func (x *Index) Start(table sections.Section, upto uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(table.Body) > 0 && (!x.known || upto > x.upto) {
		x.reset(upto)
		x.later = table
	}
}

// Forget drops everything: it was of another log.
func (x *Index) Forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.reset(0)
	x.known = false
}

func (x *Index) reset(upto uint64) {
	x.known, x.upto, x.cut = true, upto, false
	x.table, x.later, x.recent = nil, sections.Section{}, map[key]Image{}
}

// of is what is known of a file; is says whether there is anything to know. It needs mu.
func (x *Index) of(k key) (im Image, is bool) {
	if im, is = x.recent[k]; is {
		return im, true
	}
	return x.table.find(k)
}

// take takes up the entry after upto. Of a revision that begins again, nothing from before counts anymore.
// It needs mu.
func (x *Index) take(seq uint64, files []txlog.ScannedFile) {
	x.upto = seq
	for _, f := range files {
		review, begins := ofPath(f.Path)
		if !begins || f.Edited {
			continue
		}
		k := keyOf(review)
		if was, _ := x.of(k); was.Seq > 0 {
			x.recent[k] = Image{Seq: seq}
		}
	}
	for _, f := range files {
		review, begins := ofPath(f.Path)
		if review == "" || begins || f.Hash == "" {
			continue
		}
		k := keyOf(review)
		if was, _ := x.of(k); f.Edited && was.written() && !was.Edited {
			continue
		}
		im := Image{Seq: seq, Edited: f.Edited}
		if n, err := hex.Decode(im.hash[:], []byte(strings.TrimPrefix(f.Hash, layout.HashPrefix))); err == nil && n == len(im.hash) {
			x.recent[k] = im
		}
	}
}

// ofPath is the path of the review that a file is, or of the one of the revision that it begins.
func ofPath(name string) (review string, begins bool) {
	uid, rest, ok := layout.TaskOf(name)
	if !ok {
		return "", false
	}
	if strings.HasPrefix(rest, layout.ReviewsDir+"/plan-") {
		return name, false
	}
	if strings.HasPrefix(rest, layout.RevisionsDir+"/"+string(model.Plan)+"-") && strings.HasSuffix(rest, ".md") {
		return ReviewOf(uid, rest), true
	}
	return "", false
}

// Add takes up an entry that was just written, if every one before it is known.
func (x *Index) Add(e *txlog.Entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.known || x.later.Body != nil || e.Seq != x.upto+1 {
		return
	}
	var files []txlog.ScannedFile
	for i := range e.Files {
		f := &e.Files[i]
		if review, _ := ofPath(f.Path); review != "" {
			files = append(files, txlog.ScannedFile{Path: f.Path, Hash: f.Hash, Edited: f.Edited})
		}
	}
	x.take(e.Seq, files)
}

// Pack is the table as of an entry, for a checkpoint; empty where nothing is known.
func (x *Index) Pack(seq uint64) []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.known || x.later.Body != nil || x.cut || x.upto < seq {
		return nil
	}
	type record struct {
		key
		Image
	}
	list := make([]record, 0, x.table.len()+len(x.recent))
	for i := range x.table.len() {
		if k := x.table.key(i); !hasKey(x.recent, k) {
			list = append(list, record{k, x.table.image(i)})
		}
	}
	for k, im := range x.recent {
		if im.Seq > seq {
			im = Image{} // what it was then is no longer known
		}
		list = append(list, record{k, im})
	}
	slices.SortFunc(list, func(a, b record) int { return bytes.Compare(a.key[:], b.key[:]) })
	out := append(make([]byte, 0, len(tableBegin)+len(list)*recordSize), tableBegin...)
	for _, r := range list {
		seq := r.Seq
		if r.Edited {
			seq |= editedBit
		}
		out = append(out, r.key[:]...)
		out = binary.BigEndian.AppendUint64(out, seq)
		out = append(out, r.hash[:]...)
	}
	return out
}

func hasKey[K comparable, V any](m map[K]V, k K) bool {
	_, ok := m[k]
	return ok
}

// Update reads what it has to know of the entries up to last that are not known yet.
func (x *Index) Update(ctx context.Context, last uint64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.later.Body != nil {
		b, err := x.later.Checked()
		table, ok := bytes.CutPrefix(b, []byte(tableBegin))
		if err != nil || !ok || len(table)%recordSize != 0 {
			x.known = false // it is damaged: a checkpoint is never needed
		}
		x.table, x.later = table, sections.Section{}
	}
	if !x.known {
		x.reset(0)
	}
	if x.upto >= last {
		return nil
	}
	dir, err := x.Log.FS.OpenDir(layout.LogDir)
	if err != nil {
		return err
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
				if review, _ := ofPath(f.Path); review != "" {
					found[i] = append(found[i], f)
				}
			})
			return nil
		}); err != nil {
			return err
		}
		for i := range n {
			seq := first + uint64(i) //nolint:gosec // it counts up from 0
			switch err := failed[i]; {
			case err != nil && (fsys.IsTransient(err) || ctx.Err() != nil):
				return err
			case err != nil:
				x.reset(seq) // Doctor says so
				x.cut = true
				continue
			}
			x.take(seq, found[i])
		}
	}
	return nil
}

// Find is what the index knows of the review at a path after the entries up to last. sure says
// that where it knows nothing, no entry that is still there has anything.
func (x *Index) Find(ctx context.Context, name string, last uint64) (im Image, sure bool, err error) {
	if err := x.Update(ctx, last); err != nil {
		return im, false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	im, is := x.of(keyOf(name))
	if im.Seq > last {
		return Image{}, false, nil
	}
	return im, !x.cut && (im.Seq > 0 || !is), nil
}

// ReviewOf is the name of the review of a revision of a plan, by the name of the revision's file: they have
// the same stem.
func ReviewOf(uid model.UID, revision string) string {
	return layout.TaskFile(uid, layout.ReviewsDir+"/"+strings.TrimSuffix(path.Base(revision), ".md")+".json")
}
