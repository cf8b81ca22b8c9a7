package txlog

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/sections"
)

const (
	BaseFile  = "log/base.ck"
	BaseMagic = "vespebas"
	maxBase   = 1 << 30 // bytes

	BaseVersion = 3 // that of one with all sections: who does not know of one would lose it
)

// The sections of a base, in their order.
const (
	BaseOps     = iota // opTable
	BasePaths          // imageTable
	BaseDeleted        // past.DeletedTable; empty, or not there, where no tasks were away
	BaseKinds          // kindTable; not there in a base of an older vespe
	baseSections
)

// Base is what stands for the entries of the log that are no longer kept: the last of them,
// the operations in them, and which bytes each file had after them. Its name is fixed and
// it is durable before an entry goes, so that anyone who meets entries up to it knows them for
// leftovers.
type Base struct {
	Tip
	At time.Time // of the last entry
}

func (b *Base) Encode() []byte {
	out := binary.LittleEndian.AppendUint64(nil, b.Seq)
	head, _ := hex.DecodeString(strings.TrimPrefix(b.Head, layout.HashPrefix)) // a hash that we made
	out = append(out, head...)
	return binary.LittleEndian.AppendUint64(out, uint64(b.At.UnixMilli()))
}

func (b *Base) HeadOf(fsys.Info) []byte { return b.Encode() }

func parseBase(b []byte) (Base, error) {
	if len(b) != 8+32+8 {
		return Base{}, sections.Damaged("its head has %d bytes", len(b))
	}
	return Base{
		Tip{binary.LittleEndian.Uint64(b), layout.HashPrefix + hex.EncodeToString(b[8:40])},
		time.UnixMilli(int64(binary.LittleEndian.Uint64(b[40:]))).UTC(),
	}, nil
}

// OpenedBase is a base with its contents.
type OpenedBase struct {
	Base
	Ops     OpTable
	Paths   ImageTable
	Deleted []byte // past.DeletedTable
	kinds   kindTable
}

// OpenBase reads the base; it is zero where every entry is still there.
func (l *Log) OpenBase() (OpenedBase, error) {
	var o OpenedBase
	b, err := l.MapOnce(BaseFile, maxBase)
	if fsys.Missing(err) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	head, parts, err := sections.Parse(b, BaseMagic)
	if err != nil {
		return o, &BaseError{err}
	}
	if o.Base, err = parseBase(head); err != nil {
		return o, &BaseError{err}
	}
	if n := len(parts); n < BaseDeleted || n > baseSections {
		return o, &BaseError{sections.Damaged("it has %d sections", len(parts))}
	}
	ops, err := parts[BaseOps].Checked()
	if err == nil && len(ops)%OpRecordSize != 0 {
		err = sections.Damaged("its operations have %d bytes", len(ops))
	}
	if err != nil {
		return o, &BaseError{err}
	}
	paths, err := parts[BasePaths].Checked()
	if err != nil {
		return o, &BaseError{err}
	}
	if len(parts) > BaseDeleted {
		deleted, err := parts[BaseDeleted].Checked()
		if err != nil {
			return o, &BaseError{err}
		}
		o.Deleted = deleted
	}
	if len(parts) > BaseKinds {
		kinds, err := parts[BaseKinds].Checked()
		if err == nil && len(kinds) != len(ops)/OpRecordSize*kindSize {
			err = sections.Damaged("it has %d operations, but %d bytes for their kinds", len(ops)/OpRecordSize, len(kinds))
		}
		if err != nil {
			return o, &BaseError{err}
		}
		o.kinds = kinds
	}
	o.Ops, o.Paths = ops, paths
	return o, nil
}

// BaseError says that the base cannot be read.
type BaseError struct{ Err error }

func (e *BaseError) Error() string { return layout.Shown(BaseFile) + " " + e.Err.Error() }
func (e *BaseError) Unwrap() error { return e.Err }

// Floor is the number of the last entry that is no longer kept; 0 when all are. It is read
// once, and again when an entry is missed.
func (l *Log) Floor(again bool) (uint64, error) {
	l.mu.Lock()
	n, known := l.compacted, l.compactedKnown
	l.mu.Unlock()
	if known && !again {
		return n, nil
	}
	n, err := l.readFloor()
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	l.compacted, l.compactedKnown = n, true
	l.mu.Unlock()
	return n, nil
}

func (l *Log) readFloor() (uint64, error) {
	d, err := l.FS.OpenDir(layout.LogDir)
	if fsys.Missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer d.Close()
	r, _, err := d.Open(strings.TrimPrefix(BaseFile, layout.LogDir+"/"), maxBase)
	if fsys.Missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer r.Close()
	b := make([]byte, sections.Fixed+8+32+8+16*baseSections)
	n, err := io.ReadFull(r, b) // it may be all of it
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	head, err := sections.ParseHead(b[:n], BaseMagic)
	if err != nil {
		return 0, &BaseError{err}
	}
	parsed, err := parseBase(head)
	if err != nil {
		return 0, &BaseError{err}
	}
	return parsed.Seq, nil
}

// ErrCompacted: entries that a reader wanted are no longer kept; it has to read the tasks'
// files instead.
var ErrCompacted = errors.New("these log entries are no longer saved")

// WasCompacted says whether an entry is missing because it is no longer kept.
func (l *Log) WasCompacted(seq uint64) bool {
	n, err := l.Floor(true)
	return err == nil && seq <= n
}

// ImageTable is paths, sorted, each with the hash of its bytes: per path the number of bytes
// shared with the one before and of those that follow (uvarint each), these, a byte of
// flags, and the 32 bytes of the SHA-256.
type ImageTable []byte

// LastImage is what a file was made last.
type LastImage struct {
	Hash      string
	Immutable bool
	Edited    bool   // by somebody else: an entry took it over
	Seq       uint64 // the entry that did; 0 where only the base knows
}

const flagImmutable = 1

func EncodeImages(images map[string]LastImage) (ImageTable, error) {
	var out ImageTable
	prev := ""
	for _, path := range slices.Sorted(KeysOf(images)) {
		im := images[path]
		shared := 0
		for shared < len(prev) && shared < len(path) && prev[shared] == path[shared] {
			shared++
		}
		out = binary.AppendUvarint(out, uint64(shared))
		out = binary.AppendUvarint(out, uint64(len(path)-shared))
		out = append(out, path[shared:]...)
		var flags byte
		if im.Immutable {
			flags = flagImmutable
		}
		out = append(out, flags)
		sum, err := hex.DecodeString(strings.TrimPrefix(im.Hash, layout.HashPrefix))
		if err != nil || len(sum) != sha256.Size {
			return nil, errors.New("no hash of " + path)
		}
		out = append(out, sum...)
		prev = path
	}
	return out, nil
}

func KeysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Into adds the table's paths to images.
func (t ImageTable) Into(images map[string]LastImage) error {
	return t.Each(func(path string, im LastImage) { images[path] = im })
}

// Each calls do with each of the table's paths.
func (t ImageTable) Each(do func(path string, im LastImage)) error {
	prev := ""
	for b := []byte(t); len(b) > 0; {
		shared, n := binary.Uvarint(b)
		if n <= 0 || shared > uint64(len(prev)) {
			return sections.Damaged("a path shares %d bytes with %q", shared, prev)
		}
		b = b[n:]
		more, n := binary.Uvarint(b)
		if n <= 0 || more > uint64(len(b)-n) || uint64(len(b)-n)-more < 1+sha256.Size {
			return sections.Damaged("it ends in a path after %q", prev)
		}
		b = b[n:]
		path := prev[:shared] + string(b[:more])
		b = b[more:]
		if err := layout.CheckTarget(path); err != nil {
			return sections.Damaged("%v", err)
		}
		do(path, LastImage{Hash: layout.HashPrefix + hex.EncodeToString(b[1:1+sha256.Size]), Immutable: b[0]&flagImmutable != 0})
		b = b[1+sha256.Size:]
		prev = path
	}
	return nil
}

// scanned is an entry without the bodies of its files.
type scanned struct {
	Head, Prev string
	At         time.Time
	Ops        []scannedOp
}

// scannedOp is which operation an entry holds.
type scannedOp struct {
	ID   string     `json:"id"`
	Name model.Name `json:"name"`
	UID  model.UID  `json:"uid"`
}

// ScannedFile is a file of an entry without its bytes.
type ScannedFile struct {
	Path      string `json:"path"`
	Was       string `json:"was"`
	Hash      string `json:"sha256"`
	Immutable bool   `json:"immutable"`
	Edited    bool   `json:"edited"`
	KeptApart bool   `json:"kept_apart"`
}

// ScanEntry reads an entry as a stream and calls image for each of its files: an entry of a
// large import would not fit into memory several times over.
func ScanEntry(ctx context.Context, log fsys.Dir, seq uint64, image func(ScannedFile)) (scanned, error) {
	var out scanned
	bad := func(err error) error { return &EntryError{seq, err} }
	r, _, err := log.Open(strings.TrimPrefix(layout.EntryFile(seq), layout.LogDir+"/"), layout.MaxEntry)
	if err != nil {
		return out, err
	}
	defer r.Close()
	sum := sha256.New()
	body := io.TeeReader(r, sum)
	d := jsontext.NewDecoder(body)
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return out, bad(errors.Join(errors.New("no object"), err))
	}
	number := uint64(0)
	for {
		t, err := d.ReadToken()
		if err != nil {
			return out, bad(err)
		}
		if t.Kind() == '}' {
			break
		}
		switch t.String() {
		case "seq":
			err = json.UnmarshalDecode(d, &number)
		case "prev":
			err = json.UnmarshalDecode(d, &out.Prev)
		case "at":
			err = json.UnmarshalDecode(d, &out.At)
		case "ops":
			err = json.UnmarshalDecode(d, &out.Ops)
		case "files":
			err = scanFiles(ctx, d, image)
		default:
			err = d.SkipValue()
		}
		if err != nil {
			return out, bad(err)
		}
	}
	if number != seq {
		return out, bad(errors.New("says that it is another"))
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return out, err
	}
	out.Head = layout.HashPrefix + hex.EncodeToString(sum.Sum(nil))
	return out, nil
}

func scanFiles(ctx context.Context, d *jsontext.Decoder, image func(ScannedFile)) error {
	if t, err := d.ReadToken(); err != nil || t.Kind() != '[' {
		return errors.Join(errors.New("the files aren't a list"), err)
	}
	for d.PeekKind() != ']' {
		if err := ctx.Err(); err != nil {
			return err
		}
		var f ScannedFile
		if err := json.UnmarshalDecode(d, &f); err != nil {
			return err
		}
		if err := layout.CheckTarget(f.Path); err != nil {
			return err
		}
		image(f)
	}
	_, err := d.ReadToken()
	return err
}

// EntryError says that an entry cannot be read.
type EntryError struct {
	Seq uint64
	Err error
}

func (e *EntryError) Error() string {
	return layout.Shown(layout.EntryFile(e.Seq)) + ": " + e.Err.Error()
}
func (e *EntryError) Unwrap() error { return e.Err }
