package txlog

import (
	"context"
	"errors"
	"io"
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
	h, err := headIn(d, seq)
	return h.Ids, err
}

// headIn reads the head of an entry of an open log/. There is nothing in that of one that is not
// there or that is broken: Doctor says so. One that cannot be read is an error: an operation of it
// would be done twice.
func headIn(d fsys.Dir, seq uint64) (h entryHead, err error) {
	r, _, err := d.Open(strings.TrimPrefix(layout.EntryFile(seq), layout.LogDir+"/"), layout.MaxEntry)
	if fsys.Missing(err) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	defer r.Close()
	watched := &watchedReader{Reader: r}
	h, err = DecodeHead(watched)
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
func (l *Log) Heads(ctx context.Context, first, last uint64) ([]entryHead, error) {
	d, err := l.FS.OpenDir(layout.LogDir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	found := make([]entryHead, last+1-first)
	err = parallel.Each(ctx, len(found), func(i int) (err error) {
		found[i], err = headIn(d, first+uint64(i))
		return err
	})
	return found, err
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
