package store

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
	baseFile  = "log/base.ck"
	baseMagic = "vespebas"
	maxBase   = 1 << 30 // bytes

	baseVersion = 3 // that of one with all sections: who does not know of one would lose it
)

// The sections of a base, in their order.
const (
	baseOps    = iota // opTable
	basePaths         // imageTable
	baseAbsent        // absentTable; empty, or not there, where no tasks were away
	baseKinds         // kindTable; not there in a base of an older vespe
	baseSections
)

// base is what stands for the entries of the log that are no longer kept: the last of them,
// the operations in them, and which bytes each file had after them. Its name is fixed and
// it is durable before an entry goes, so that whoever meets entries up to it knows them for
// leftovers.
type base struct {
	tip
	at time.Time // of the last entry
}

func (b *base) encode() []byte {
	out := binary.LittleEndian.AppendUint64(nil, b.seq)
	head, _ := hex.DecodeString(strings.TrimPrefix(b.head, layout.HashPrefix)) // a hash that we made
	out = append(out, head...)
	return binary.LittleEndian.AppendUint64(out, uint64(b.at.UnixMilli()))
}

func (b *base) headOf(fsys.Info) []byte { return b.encode() }

func parseBase(b []byte) (base, error) {
	if len(b) != 8+32+8 {
		return base{}, sections.Damaged("its head has %d bytes", len(b))
	}
	return base{
		tip{binary.LittleEndian.Uint64(b), layout.HashPrefix + hex.EncodeToString(b[8:40])},
		time.UnixMilli(int64(binary.LittleEndian.Uint64(b[40:]))).UTC(),
	}, nil
}

// openedBase is a base with its contents.
type openedBase struct {
	base
	ops    opTable
	paths  imageTable
	absent []byte // absentTable
	kinds  kindTable
}

// openBase reads the base; it is zero where every entry is still there.
func (l *txLog) openBase() (openedBase, error) {
	var o openedBase
	b, err := l.mapOnce(baseFile, maxBase)
	if fsys.Missing(err) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	head, parts, err := sections.Parse(b, baseMagic)
	if err != nil {
		return o, &baseError{err}
	}
	if o.base, err = parseBase(head); err != nil {
		return o, &baseError{err}
	}
	if n := len(parts); n < baseAbsent || n > baseSections {
		return o, &baseError{sections.Damaged("it has %d sections", len(parts))}
	}
	ops, err := parts[baseOps].Checked()
	if err == nil && len(ops)%opRecordSize != 0 {
		err = sections.Damaged("its operations have %d bytes", len(ops))
	}
	if err != nil {
		return o, &baseError{err}
	}
	paths, err := parts[basePaths].Checked()
	if err != nil {
		return o, &baseError{err}
	}
	if len(parts) > baseAbsent {
		absent, err := parts[baseAbsent].Checked()
		if err != nil {
			return o, &baseError{err}
		}
		o.absent = absent
	}
	if len(parts) > baseKinds {
		kinds, err := parts[baseKinds].Checked()
		if err == nil && len(kinds) != len(ops)/opRecordSize*kindSize {
			err = sections.Damaged("it has %d operations and %d bytes for what they were", len(ops)/opRecordSize, len(kinds))
		}
		if err != nil {
			return o, &baseError{err}
		}
		o.kinds = kinds
	}
	o.ops, o.paths = ops, paths
	return o, nil
}

// baseError says that the base cannot be read.
type baseError struct{ err error }

func (e *baseError) Error() string { return layout.Shown(baseFile) + " " + e.err.Error() }
func (e *baseError) Unwrap() error { return e.err }

// floor is the number of the last entry that is no longer kept; 0 when all are. It is read
// once, and again when an entry is missed.
func (l *txLog) floor(again bool) (uint64, error) {
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

func (l *txLog) readFloor() (uint64, error) {
	d, err := l.fs.OpenDir(layout.LogDir)
	if fsys.Missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer d.Close()
	r, _, err := d.Open(strings.TrimPrefix(baseFile, layout.LogDir+"/"), maxBase)
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
	head, err := sections.ParseHead(b[:n], baseMagic)
	if err != nil {
		return 0, &baseError{err}
	}
	parsed, err := parseBase(head)
	if err != nil {
		return 0, &baseError{err}
	}
	return parsed.seq, nil
}

// errCompacted: entries that a reader wanted are no longer kept; it has to read the tasks'
// files instead.
var errCompacted = errors.New("the entries of the log that were wanted are no longer kept")

// wasCompacted says whether an entry is missing because it is no longer kept.
func (l *txLog) wasCompacted(seq uint64) bool {
	n, err := l.floor(true)
	return err == nil && seq <= n
}

// imageTable is paths, sorted, each with the hash of its bytes: per path the number of bytes
// shared with the one before and of those that follow (uvarint each), these, a byte of
// flags, and the 32 bytes of the SHA-256.
type imageTable []byte

// lastImage is what a file was made last.
type lastImage struct {
	hash      string
	immutable bool
	edited    bool   // by somebody else: an entry took it over
	seq       uint64 // the entry that did; 0 where only the base knows
}

const flagImmutable = 1

func encodeImages(images map[string]lastImage) (imageTable, error) {
	var out imageTable
	prev := ""
	for _, path := range slices.Sorted(keysOf(images)) {
		im := images[path]
		shared := 0
		for shared < len(prev) && shared < len(path) && prev[shared] == path[shared] {
			shared++
		}
		out = binary.AppendUvarint(out, uint64(shared))
		out = binary.AppendUvarint(out, uint64(len(path)-shared))
		out = append(out, path[shared:]...)
		var flags byte
		if im.immutable {
			flags = flagImmutable
		}
		out = append(out, flags)
		sum, err := hex.DecodeString(strings.TrimPrefix(im.hash, layout.HashPrefix))
		if err != nil || len(sum) != sha256.Size {
			return nil, errors.New("no hash of " + path)
		}
		out = append(out, sum...)
		prev = path
	}
	return out, nil
}

func keysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// into adds the table's paths to images.
func (t imageTable) into(images map[string]lastImage) error {
	return t.each(func(path string, im lastImage) { images[path] = im })
}

// each calls do with each of the table's paths.
func (t imageTable) each(do func(path string, im lastImage)) error {
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
		do(path, lastImage{hash: layout.HashPrefix + hex.EncodeToString(b[1:1+sha256.Size]), immutable: b[0]&flagImmutable != 0})
		b = b[1+sha256.Size:]
		prev = path
	}
	return nil
}

// scanned is an entry without the bodies of its files.
type scanned struct {
	head, prev string
	at         time.Time
	ops        []scannedOp
}

// scannedOp is which operation an entry holds.
type scannedOp struct {
	ID   string     `json:"id"`
	Name model.Name `json:"name"`
	UID  model.UID  `json:"uid"`
}

// scannedFile is a file of an entry without its bytes.
type scannedFile struct {
	Path      string `json:"path"`
	Was       string `json:"was"`
	Hash      string `json:"sha256"`
	Immutable bool   `json:"immutable"`
	Edited    bool   `json:"edited"`
	KeptApart bool   `json:"kept_apart"`
}

// scanEntry reads an entry as a stream and calls image for each of its files: an entry of a
// large import would not fit into memory several times over.
func scanEntry(ctx context.Context, log fsys.Dir, seq uint64, image func(scannedFile)) (scanned, error) {
	var out scanned
	bad := func(err error) error { return &entryError{seq, err} }
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
			err = json.UnmarshalDecode(d, &out.prev)
		case "at":
			err = json.UnmarshalDecode(d, &out.at)
		case "ops":
			err = json.UnmarshalDecode(d, &out.ops)
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
	out.head = layout.HashPrefix + hex.EncodeToString(sum.Sum(nil))
	return out, nil
}

func scanFiles(ctx context.Context, d *jsontext.Decoder, image func(scannedFile)) error {
	if t, err := d.ReadToken(); err != nil || t.Kind() != '[' {
		return errors.Join(errors.New("files are no list"), err)
	}
	for d.PeekKind() != ']' {
		if err := ctx.Err(); err != nil {
			return err
		}
		var f scannedFile
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

// entryError says that an entry cannot be read.
type entryError struct {
	seq uint64
	err error
}

func (e *entryError) Error() string {
	return layout.Shown(layout.EntryFile(e.seq)) + ": " + e.err.Error()
}
func (e *entryError) Unwrap() error { return e.err }
