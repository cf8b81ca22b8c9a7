// Package txlog is the log of a store, the truth about it: numbered, immutable entries, each with the hash of
// the one before. Log finds the last one and reads entries; it notices a log that was deleted or set
// back. The store decides what to append.
package txlog

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/sections"
)

const (
	EntryFormat  = 1
	MaxInline    = 64 << 10 // bytes; a larger body goes to objects/
	maxEntryFile = 1 << 20  // files in one entry
)

// Entry is one file of the log: one transaction, immutable once it has its number.
// Its order of keys is the order of these fields: everything about the
// transaction comes before the files, so that a reader can stop there.
type Entry struct {
	Format   int           `json:"format"`
	Seq      uint64        `json:"seq"`
	Prev     string        `json:"prev"` // hash of the previous entry's bytes; "" for the first
	OpID     string        `json:"op_id"`
	Actor    model.Actor   `json:"actor"`
	At       time.Time     `json:"at"`
	Ops      []OpRecord    `json:"ops"`
	Expect   []Expectation `json:"expect,omitzero"`
	Tasks    []model.UID   `json:"tasks,omitzero"` // whose own files changed, the subject first
	Summary  string        `json:"summary,omitzero"`
	Warnings []string      `json:"warnings,omitzero"`
	Files    []FileImage   `json:"files"`
}

// OpRecord is an operation as it was asked for. Bodies are not repeated: they are among
// the files.
type OpRecord struct {
	ID       string      `json:"id"`
	Name     model.Name  `json:"name"`
	UID      model.UID   `json:"uid,omitzero"`
	Actor    model.Actor `json:"actor,omitzero"`
	Channel  string      `json:"channel,omitzero"`
	At       time.Time   `json:"at,omitzero"`
	Revision int         `json:"expect_revision,omitzero"`
	Seen     *seen       `json:"seen,omitzero"`
	Reason   string      `json:"reason,omitzero"`
	Failure  bool        `json:"is_failure,omitzero"`
	WorkRecord
	DependsOn []model.UID `json:"depends_on,omitzero"`
	NewName   string      `json:"name_after,omitzero"`
	Set       []string    `json:"set,omitzero"` // key=value, key+=value, key-=value
	Request   string      `json:"request,omitzero"`
	Decision  string      `json:"decision,omitzero"`
	Milestone string      `json:"milestone,omitzero"`

	// Of external_edit: the task came as a whole, so all that is known of it is in this entry.
	Appeared bool `json:"appeared,omitzero"`
}

type seen struct {
	Objective string            `json:"objective,omitzero"`
	Plan      string            `json:"plan"`
	Bound     map[string]string `json:"bound,omitempty"`
	Verdict   string            `json:"verdict,omitzero"`
}

// Expectation is what the transaction was computed from: this task at this revision of
// its status.json; 0: it did not exist.
type Expectation struct {
	UID      model.UID `json:"uid"`
	Revision int       `json:"revision"`
}

// FileImage is a file after the transaction.
type FileImage struct {
	Path      string  `json:"path"`   // relative to .vespe
	Was       string  `json:"was"`    // Hash of the bytes that are replaced; "" when there were none
	Hash      string  `json:"sha256"` // "" for a file that somebody else took away
	Immutable bool    `json:"immutable,omitzero"`
	Edited    bool    `json:"edited,omitzero"` // somebody else wrote it; it is known here, and never written
	Body      *string `json:"body,omitzero"`   // absent: objects/<aa>/<hex of Hash>

	// What is replaced, where neither the log nor another file holds it: somebody wrote it
	// past vespe. Kept are the bytes themselves; KeptApart: objects/<aa>/<hex of Was>.
	Kept      *string `json:"kept,omitzero"`
	KeptApart bool    `json:"kept_apart,omitzero"`
	// Theirs: it is somebody's text or meaning, not only another form of what vespe knows, so it is
	// kept beside the file as well, where people find it.
	Theirs bool `json:"theirs,omitzero"`

	Bytes    []byte `json:"-"` // resolved
	Replaced []byte `json:"-"` // to be kept
}

// KeptBody is what was replaced, where an entry keeps it; nil where it does not.
func (l *Log) KeptBody(f *FileImage) ([]byte, error) {
	switch {
	case f.Kept != nil:
		return []byte(*f.Kept), nil
	case f.KeptApart:
		return l.BodyOf(&FileImage{Path: f.Path, Hash: f.Was})
	}
	return nil, nil
}

// object is a body that lies in objects/.
type object struct {
	Hash  string
	Bytes []byte
}

// Inline puts the bodies that fit into the entry and returns those that need an object.
func (e *Entry) Inline() (objects []object) {
	fits := func(b []byte) *string {
		if len(b) > MaxInline || !utf8.Valid(b) {
			return nil
		}
		s := unsafe.String(unsafe.SliceData(b), len(b)) // nobody changes a body
		return &s
	}
	for i := range e.Files {
		f := &e.Files[i]
		if f.Replaced != nil {
			if f.Kept = fits(f.Replaced); f.Kept == nil {
				f.KeptApart = true
				objects = append(objects, object{f.Was, f.Replaced})
			}
		}
		if f.Hash == "" {
			continue
		}
		if f.Body = fits(f.Bytes); f.Body == nil {
			objects = append(objects, object{f.Hash, f.Bytes})
		}
	}
	return objects
}

func EncodeEntry(w io.Writer, e *Entry) error {
	if err := json.MarshalWrite(w, e, jsontext.WithIndent(" ")); err != nil {
		return fmt.Errorf("encode log entry %d: %w", e.Seq, err)
	}
	_, err := w.Write([]byte{'\n'})
	return err
}

// DecodeEntry reads and checks an entry: its number, its paths, and the hashes of the
// bodies that it holds. Bodies in objects/ are left to be read by object.
func DecodeEntry(b []byte, seq uint64) (*Entry, error) {
	var e Entry
	if err := json.Unmarshal(b, &e); err != nil {
		return nil, fmt.Errorf("%s: %w", layout.Shown(layout.EntryFile(seq)), err)
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s", layout.Shown(layout.EntryFile(seq)), fmt.Sprintf(format, args...))
	}
	switch {
	case e.Format > EntryFormat:
		return nil, &sections.NewerError{What: bad("has format %d; this vespe reads up to %d", e.Format, EntryFormat).Error()}
	case e.Format < 1:
		return nil, bad("has no format")
	case e.Seq != seq:
		return nil, bad("says that it is number %d", e.Seq)
	case e.Prev != "" && !ValidHash(e.Prev):
		return nil, bad("names no hash of the entry before it")
	case len(e.Files) > maxEntryFile:
		return nil, bad("has %d files", len(e.Files))
	}
	known := make(map[string]bool, len(e.Files))
	for i := range e.Files {
		f := &e.Files[i]
		if err := layout.CheckTarget(f.Path); err != nil {
			return nil, bad("%v", err)
		}
		if known[f.Path] {
			return nil, bad("has %q twice", f.Path)
		}
		known[f.Path] = true
		if f.Hash == "" && f.Edited && f.Body == nil && (f.Was == "" || ValidHash(f.Was)) {
			continue
		}
		if !ValidHash(f.Hash) || f.Was != "" && !ValidHash(f.Was) {
			return nil, bad("has no valid hash for %q", f.Path)
		}
		if f.Body != nil {
			f.Bytes = []byte(*f.Body)
			if model.HashBytes(f.Bytes) != f.Hash {
				return nil, bad("holds a body of %q that is not the one it names", f.Path)
			}
		}
	}
	for _, u := range e.Tasks {
		if !u.Valid() {
			return nil, bad("names the task %q", u)
		}
	}
	return &e, nil
}

func ValidHash(h string) bool {
	hex, ok := strings.CutPrefix(h, layout.HashPrefix)
	if !ok || len(hex) != 64 {
		return false
	}
	for _, c := range []byte(hex) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// entryHead is what an entry says before its files.
type entryHead struct {
	Ids   []string    // of its operations
	Uids  []model.UID // of the tasks that it is about
	Edits bool        // it takes over what was written past vespe
}

// DecodeHead reads the head of an entry, and nothing after it.
func DecodeHead(r io.Reader) (h entryHead, err error) {
	d := jsontext.NewDecoder(r)
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return h, errors.Join(errors.New("no object"), err)
	}
	for {
		t, err := d.ReadToken()
		if err != nil {
			return entryHead{}, err
		}
		if t.Kind() == '}' {
			return h, nil
		}
		switch key := t.String(); key {
		case "op_id":
			var id string
			err = json.UnmarshalDecode(d, &id)
			h.Ids = append(h.Ids, id)
		case "ops":
			var ops []struct {
				ID   string     `json:"id"`
				Name model.Name `json:"name"`
				UID  model.UID  `json:"uid"`
			}
			err = json.UnmarshalDecode(d, &ops)
			for _, o := range ops {
				h.Ids = append(h.Ids, o.ID)
				h.Uids = append(h.Uids, o.UID)
				h.Edits = h.Edits || o.Name == model.ExternalEdit
			}
		case "tasks":
			var uids []model.UID
			err = json.UnmarshalDecode(d, &uids)
			h.Uids = append(h.Uids, uids...)
		case "files":
			return h, nil
		default:
			err = d.SkipValue()
		}
		if err != nil {
			return entryHead{}, err
		}
	}
}

// Tip is the last entry of the log: its number and the hash of its bytes.
type Tip struct {
	Seq  uint64
	Head string
}

// Log is the entries of the log. It is safe for concurrent use.
type Log struct {
	FS   fsys.FS
	Top  atomic.Uint64 // the last entry that was found, to search from
	maps mappings

	// Ready says that the directories of the machinery were seen.
	Ready atomic.Bool

	mu   sync.Mutex
	seen seenEntry
}

// Forget drops everything: it was of another log.
func (l *Log) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = seenEntry{}
}

// Tail finds the number of the last entry. Entries are numbered without gaps, so from one
// that exists the search doubles its steps and then halves them. A log that does not hold what
// it should is listed, and one of which nothing is known: were one of its first entries gone,
// those after it would not be found. What the last writer noted is enough to know: listing
// 100,000 entries takes as long as reading many tasks.
func (l *Log) Tail(from uint64) (last uint64, err error) {
	if from == 0 {
		from = l.Top.Load()
	}
	if from == 0 {
		from = l.Hinted().Seq
	}
	if from == 0 {
		last, err = l.listTail()
	} else {
		last, err = l.tailFrom(from)
	}
	if err == nil {
		l.Top.Store(last)
	}
	return last, err
}

func (l *Log) tailFrom(from uint64) (uint64, error) {
	d, err := l.FS.OpenDir(layout.LogDir)
	if fsys.Missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer d.Close()
	has := func(n uint64) (bool, error) {
		_, err := d.Stat(strings.TrimPrefix(layout.EntryFile(n), layout.LogDir+"/"))
		if fsys.Missing(err) {
			return false, nil
		}
		return err == nil, err
	}
	lo := from
	step := uint64(1)
	var ok bool
	for {
		if ok, err = has(lo + step); err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		lo += step
		step *= 2
	}
	for hi := lo + step; hi-lo > 1; {
		mid := lo + (hi-lo)/2
		if ok, err = has(mid); err != nil {
			return 0, err
		}
		if ok {
			lo = mid
		} else {
			hi = mid
		}
	}
	if ok, err = has(lo); err != nil || ok {
		return lo, err
	}
	return l.listTail()
}

func (l *Log) listTail() (uint64, error) {
	seqs, err := l.ListLog()
	if err != nil || len(seqs) == 0 {
		return 0, err
	}
	return seqs[len(seqs)-1], nil
}

// ListLog is the numbers of all entries, ascending.
func (l *Log) ListLog() ([]uint64, error) {
	es, err := l.LogEntries()
	if err != nil {
		return nil, err
	}
	var seqs []uint64
	for _, e := range es {
		if n, ok := layout.ParseEntryName(e.Name); ok {
			seqs = append(seqs, n)
		}
	}
	return seqs, nil
}

// LogEntries is everything in log/, by name.
func (l *Log) LogEntries() ([]fsys.Entry, error) {
	es, err := fsys.List(l.FS, layout.LogDir)
	if fsys.Missing(err) {
		err = nil
	}
	return es, err
}

// ReadEntry reads an entry and the hash of its bytes.
func (l *Log) ReadEntry(seq uint64) (*Entry, string, error) {
	b, err := l.FS.ReadFile(layout.EntryFile(seq), layout.MaxEntry)
	if err != nil {
		return nil, "", err
	}
	e, err := DecodeEntry(b, seq)
	if err != nil {
		return nil, "", err
	}
	return e, model.HashBytes(b), nil
}

// BodyOf is the body of a file of an entry, from the entry or from objects/.
func (l *Log) BodyOf(f *FileImage) ([]byte, error) {
	if f.Body != nil || f.Bytes != nil {
		return f.Bytes, nil
	}
	b, err := l.FS.ReadFile(layout.ObjectFile(f.Hash), layout.MaxObject)
	if err != nil {
		return nil, fmt.Errorf("body of %s: %w", layout.Shown(f.Path), err)
	}
	if model.HashBytes(b) != f.Hash {
		return nil, fmt.Errorf("body of %s: %s doesn't have the content that its name promises", layout.Shown(f.Path), layout.Shown(layout.ObjectFile(f.Hash)))
	}
	f.Bytes = b
	return b, nil
}

// HintTail is what to do about a last entry that cannot be read.
const HintTail = "run `vespe store doctor --fix`: it moves the entry aside and records the files as they are"
