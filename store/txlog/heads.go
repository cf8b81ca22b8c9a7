package txlog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/parallel"
)

func (l *Log) ReadOpIDs(seq uint64) ([]string, error) {
	d, err := l.FS.OpenDir(layout.LogDir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	h, err := headIn(d, seq, false)
	return h.Ids, err
}

// headIn reads the head of an entry of an open log/. There is nothing in that of one that is not
// there or that is broken: Doctor says so. One that cannot be read is an error: an operation of it
// would be done twice.
func headIn(d fsys.Dir, seq uint64, whole bool) (h entryHead, err error) {
	r, _, err := d.Open(strings.TrimPrefix(layout.EntryFile(seq), layout.LogDir+"/"), layout.MaxEntry)
	if fsys.Missing(err) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	defer r.Close()
	watched := &watchedReader{Reader: r}
	h, err = DecodeHead(watched, whole)
	if watched.err != nil {
		return entryHead{}, watched.err
	}
	if err != nil {
		return entryHead{}, nil //nolint:nilerr // broken
	}
	return h, nil
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

// Heads reads the heads of entries, side by side.
func (l *Log) Heads(ctx context.Context, first, last uint64, whole bool) ([]entryHead, error) {
	d, err := l.FS.OpenDir(layout.LogDir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	found := make([]entryHead, last+1-first)
	err = parallel.Each(ctx, len(found), func(i int) (err error) {
		found[i], err = headIn(d, first+uint64(i), whole)
		return err
	})
	return found, err
}

// MayHold says whether one of some words may be in an entry. Looking for them takes a fraction of what
// decoding it does.
func MayHold(log fsys.Dir, seq uint64, words ...string) bool {
	b, err := log.ReadFile(strings.TrimPrefix(layout.EntryFile(seq), layout.LogDir+"/"), layout.SmallFile)
	if err != nil || !bytes.HasPrefix(b, []byte("{")) || !bytes.HasSuffix(b, []byte("}\n")) {
		return true // too large to be looked through like this, or torn: anyone who decodes it says so
	}
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(b, []byte(w)) })
}

// EntriesWith are the entries from last down to the first that may hold one of some words, the newest
// first.
func (l *Log) EntriesWith(ctx context.Context, dir fsys.Dir, last uint64, words ...string) func(yield func(uint64, error) bool) {
	const atOnce = 4096
	return func(yield func(uint64, error) bool) {
		for last > 0 {
			n := min(last, atOnce)
			may := make([]bool, n)
			err := parallel.Each(ctx, int(n), func(i int) error { //nolint:gosec // at most atOnce
				may[i] = MayHold(dir, last-uint64(i), words...) //nolint:gosec // it counts up from 0
				return nil
			})
			if err != nil {
				yield(0, err)
				return
			}
			for i := range n {
				if may[i] && !yield(last-i, nil) {
					return
				}
			}
			last -= n
		}
	}
}

// HashOfEntry is the hash of an entry of the log; "" where it cannot be read.
func (l *Log) HashOfEntry(seq uint64) string {
	if seq == 0 {
		return ""
	}
	_, hash, err := l.ReadEntry(seq)
	if err != nil {
		return ""
	}
	return hash
}

// EntryTime is when an entry was made: it reads no further than to there.
func (l *Log) EntryTime(seq uint64) (time.Time, error) {
	var at time.Time
	d, err := l.FS.OpenDir(layout.LogDir)
	if err != nil {
		return at, err
	}
	defer d.Close()
	r, _, err := d.Open(strings.TrimPrefix(layout.EntryFile(seq), layout.LogDir+"/"), layout.MaxEntry)
	if err != nil {
		return at, err
	}
	defer r.Close()
	dec := jsontext.NewDecoder(r)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return at, &EntryError{Seq: seq, Err: errors.Join(errors.New("no object"), err)}
	}
	for dec.PeekKind() == '"' {
		t, err := dec.ReadToken()
		if err != nil {
			return at, &EntryError{Seq: seq, Err: err}
		}
		if t.String() == "at" {
			if err := json.UnmarshalDecode(dec, &at); err != nil {
				return at, &EntryError{Seq: seq, Err: err}
			}
			return at, nil
		}
		if err := dec.SkipValue(); err != nil {
			return at, &EntryError{Seq: seq, Err: err}
		}
	}
	return at, &EntryError{Seq: seq, Err: errors.New("has no time")}
}
