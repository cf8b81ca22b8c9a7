// Package past has the form of log/past-<seq>.ck: the tasks' JSON files, the requests and the policy as they were after
// an entry that is no longer kept. It is there for looking back alone, which without it pieces together what it can.
package past

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// File is what a file held.
type File struct {
	Hash string // "" when it was not there
	Seq  uint64 // the entry that wrote it, as far as that is known
	Body []byte // nil until it is needed: documents may be large

	Unhashed bool // it was there, and nobody wrote down what it held
}

const (
	Magic   = "vespepst"
	maxSize = 1 << 30 // bytes
)

// Name is the name of what the store was after an entry that is no longer kept. It is
// there for At alone: without it that pieces together what it can.
func Name(seq uint64) string { return fmt.Sprintf("%s/past-%012d.ck", layout.LogDir, seq) }

// ParseName is the inverse of Name for a bare file name.
func ParseName(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(name, ".ck"), "past-")
	if !ok || len(digits) < 12 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && n > 0 && Name(n) == layout.LogDir+"/"+name
}

// Flags of a file in what is kept of the past.
const (
	hasBody  = 1 << iota // its bytes follow, else its hash if it has one
	isPieced             // its task is pieced together
	hasHash
)

// Writer writes files of the past: per path the number of bytes shared with the one before
// and of those that follow (uvarint each), these, a byte of flags, and the number of bytes
// (uvarint) and the bytes, or the 32 bytes of the SHA-256; all of it compressed (RFC 1951).
type Writer struct {
	out  bytes.Buffer
	z    *flate.Writer
	prev string
	b    []byte
}

func NewWriter() *Writer {
	w := &Writer{}
	w.z, _ = flate.NewWriter(&w.out, flate.BestSpeed) // there is such a level
	return w
}

// Put adds a file, whose task may be pieced together. Names are in order.
func (w *Writer) Put(name string, pieced bool, body []byte, hash string) error {
	var flags byte
	if pieced {
		flags = isPieced
	}
	shared := 0
	for shared < len(w.prev) && shared < len(name) && w.prev[shared] == name[shared] {
		shared++
	}
	b := binary.AppendUvarint(w.b[:0], uint64(shared))
	b = binary.AppendUvarint(b, uint64(len(name)-shared))
	b = append(b, name[shared:]...)
	w.prev = name
	switch {
	case body != nil:
		b = append(b, flags|hasBody)
		b = binary.AppendUvarint(b, uint64(len(body)))
		b = append(b, body...)
	case hash != "":
		sum, err := hex.DecodeString(strings.TrimPrefix(hash, layout.HashPrefix))
		if err != nil || len(sum) != 32 {
			return errors.New("no hash of " + name)
		}
		b = append(append(b, flags|hasHash), sum...)
	default:
		b = append(b, flags)
	}
	w.b = b
	_, err := w.z.Write(b)
	return err
}

// Bytes is what was written.
func (w *Writer) Bytes() ([]byte, error) {
	err := w.z.Close()
	return w.out.Bytes(), err
}

// Read is what is kept of a base's entry, and the tasks that are pieced together in it; nil where nothing is, or it is
// damaged or of another log.
func Read(f fsys.FS, b txlog.Base) (files map[string]File, pieced map[model.UID]bool, err error) {
	if b.Seq == 0 {
		return nil, nil, nil
	}
	raw, err := f.ReadFile(Name(b.Seq), maxSize)
	if err != nil {
		if fsys.IsTransient(err) {
			return nil, nil, err
		}
		return nil, nil, nil
	}
	head, bodies, err := sections.ParseChecked(raw, Magic, 1)
	if err != nil || !bytes.Equal(head, b.Encode()) {
		return nil, nil, nil //nolint:nilerr // as if it were not there
	}
	if files, pieced, err = Decode(bodies[0], b.Seq); err != nil {
		return nil, nil, nil //nolint:nilerr // the same
	}
	return files, pieced, nil
}

// Decode is the inverse of Writer: the files, and the tasks that are pieced together in them.
func Decode(packed []byte, seq uint64) (files map[string]File, pieced map[model.UID]bool, err error) {
	files, pieced = map[string]File{}, map[model.UID]bool{}
	r := bufio.NewReader(flate.NewReader(bytes.NewReader(packed)))
	prev := ""
	bytesOf := func(most uint64) ([]byte, error) {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, err
		}
		if n > most {
			return nil, sections.Damaged("%d bytes after %q", n, prev)
		}
		b := make([]byte, n)
		_, err = io.ReadFull(r, b)
		return b, err
	}
	for {
		shared, err := binary.ReadUvarint(r)
		if errors.Is(err, io.EOF) {
			return files, pieced, nil
		}
		if err != nil || shared > uint64(len(prev)) {
			return nil, nil, errors.Join(sections.Damaged("a path after %q", prev), err)
		}
		more, err := bytesOf(4 << 10)
		if err != nil {
			return nil, nil, err
		}
		name := prev[:shared] + string(more)
		if err := layout.CheckTarget(name); err != nil {
			return nil, nil, err
		}
		flags, err := r.ReadByte()
		if err != nil {
			return nil, nil, err
		}
		file := File{Seq: seq}
		switch {
		case flags&hasBody != 0:
			if file.Body, err = bytesOf(layout.MaxObject); err != nil {
				return nil, nil, err
			}
			file.Hash = model.HashBytes(file.Body)
		case flags&hasHash != 0:
			var sum [32]byte
			if _, err := io.ReadFull(r, sum[:]); err != nil {
				return nil, nil, err
			}
			file.Hash = layout.HashPrefix + hex.EncodeToString(sum[:])
		default:
			file.Unhashed = true
		}
		if uid, _, ok := layout.TaskOf(name); ok && flags&isPieced != 0 {
			pieced[uid] = true
		}
		files[name] = file
		prev = name
	}
}
