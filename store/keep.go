package store

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/sections"
	"vespe/store/txlog"
)

const (
	pastMagic = "vespepst"
	maxPast   = 1 << 30 // bytes
)

// pastFileOf is the name of what the store was after an entry that is no longer kept. It is
// there for At alone: without it that pieces together what it can.
func pastFileOf(seq uint64) string { return fmt.Sprintf("%s/past-%012d.ck", layout.LogDir, seq) }

// parsePastName is the inverse of pastFileOf for a bare file name.
func parsePastName(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(name, ".ck"), "past-")
	if !ok || len(digits) < 12 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && n > 0 && pastFileOf(n) == layout.LogDir+"/"+name
}

// Flags of a file in what is kept of the past.
const (
	pastBody   = 1 << iota // its bytes follow, else its hash if it has one
	pastPieced             // its task is pieced together
	pastHash
)

// pastWriter writes files of the past: per path the number of bytes shared with the one before
// and of those that follow (uvarint each), these, a byte of flags, and the number of bytes
// (uvarint) and the bytes, or the 32 bytes of the SHA-256; all of it compressed (RFC 1951).
type pastWriter struct {
	out  bytes.Buffer
	z    *flate.Writer
	prev string
	b    []byte
}

func newPastWriter() *pastWriter {
	w := &pastWriter{}
	w.z, _ = flate.NewWriter(&w.out, flate.BestSpeed) // there is such a level
	return w
}

// put adds a file, whose task may be pieced together. Names are in order.
func (w *pastWriter) put(name string, pieced bool, body []byte, hash string) error {
	var flags byte
	if pieced {
		flags = pastPieced
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
		b = append(b, flags|pastBody)
		b = binary.AppendUvarint(b, uint64(len(body)))
		b = append(b, body...)
	case hash != "":
		sum, err := hex.DecodeString(strings.TrimPrefix(hash, layout.HashPrefix))
		if err != nil || len(sum) != 32 {
			return errors.New("no hash of " + name)
		}
		b = append(append(b, flags|pastHash), sum...)
	default:
		b = append(b, flags)
	}
	w.b = b
	_, err := w.z.Write(b)
	return err
}

// bytes is what was written.
func (w *pastWriter) bytes() ([]byte, error) {
	err := w.z.Close()
	return w.out.Bytes(), err
}

// encode is every file of the tasks, the requests and the policy.
func (f *fold) encode() ([]byte, error) {
	w := newPastWriter()
	for name, file := range f.files {
		if uid, rest, ok := layout.TaskOf(name); ok && (path.Ext(rest) != ".md" || f.tasks[uid] == nil) || file.hash == "" {
			delete(f.files, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.files)) { // the policy and requests
		if _, _, ok := layout.TaskOf(name); !ok {
			if err := w.put(name, false, f.files[name].body, f.files[name].hash); err != nil {
				return nil, err
			}
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(f.tasks)) {
		for _, rest := range slices.Sorted(maps.Keys(f.tasks[uid])) {
			name := layout.TaskFile(uid, rest)
			if err := w.put(name, f.pieced[uid], f.tasks[uid][rest], f.files[name].hash); err != nil {
				return nil, err
			}
		}
	}
	return w.bytes()
}

// begin takes what is kept of the base's entry. Where nothing is, the base's hashes are all
// that is known.
func (f *fold) begin(b txlog.Base) error {
	kept, pieced, err := readPast(f.s.fs, b)
	if err != nil || kept == nil {
		return err
	}
	for name := range kept {
		if uid, _, ok := layout.TaskOf(name); ok {
			f.whole[uid], f.told[uid] = true, true
		}
	}
	for uid := range f.told {
		f.whole[uid] = true // also of those that were deleted
	}
	f.files = kept
	maps.Copy(f.pieced, pieced)
	return nil
}

// readPast is what is kept of a base's entry, and the tasks that are pieced together in it; nil where nothing is, or it is
// damaged or of another log.
func readPast(f fsys.FS, b txlog.Base) (files map[string]pastFile, pieced map[model.UID]bool, err error) {
	if b.Seq == 0 {
		return nil, nil, nil
	}
	raw, err := f.ReadFile(pastFileOf(b.Seq), maxPast)
	if err != nil {
		if fsys.IsTransient(err) {
			return nil, nil, err
		}
		return nil, nil, nil
	}
	head, bodies, err := sections.ParseChecked(raw, pastMagic, 1)
	if err != nil || !bytes.Equal(head, b.Encode()) {
		return nil, nil, nil //nolint:nilerr // as if it were not there
	}
	if files, pieced, err = decodePast(bodies[0], b.Seq); err != nil {
		return nil, nil, nil //nolint:nilerr // the same
	}
	return files, pieced, nil
}

// decodePast is the inverse of pastWriter: the files, and the tasks that are pieced together in them.
func decodePast(packed []byte, seq uint64) (files map[string]pastFile, pieced map[model.UID]bool, err error) {
	files, pieced = map[string]pastFile{}, map[model.UID]bool{}
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
		file := pastFile{seq: seq}
		switch {
		case flags&pastBody != 0:
			if file.body, err = bytesOf(layout.MaxObject); err != nil {
				return nil, nil, err
			}
			file.hash = model.HashBytes(file.body)
		case flags&pastHash != 0:
			var sum [32]byte
			if _, err := io.ReadFull(r, sum[:]); err != nil {
				return nil, nil, err
			}
			file.hash = layout.HashPrefix + hex.EncodeToString(sum[:])
		default:
			file.unhashed = true
		}
		if uid, _, ok := layout.TaskOf(name); ok && flags&pastPieced != 0 {
			pieced[uid] = true
		}
		files[name] = file
		prev = name
	}
}

// writePast keeps how the store was after the last entry that is to go, durably.
func (g *collector) writePast(next txlog.Base) error {
	s := g.s
	f, err := s.foldTo(g.ctx, next.At, next.Seq)
	if err != nil {
		return err
	}
	packed, err := f.encode()
	if err != nil {
		return err
	}
	c := sections.Content{Magic: pastMagic, Head: next.HeadOf, Sections: [][]byte{packed}, Sync: true}
	if err := c.Replace(s.fs, s.disk.TempName("past"), pastFileOf(next.Seq)); err != nil {
		return err
	}
	return s.disk.SyncDir(layout.LogDir) // before the base has its name: no base is without it
}

// removePasts removes what was kept for the bases before one.
func (g *collector) removePasts(through uint64) error {
	es, err := g.s.log.LogEntries()
	if err != nil {
		return err
	}
	for _, e := range es {
		if seq, ok := parsePastName(e.Name); ok && seq != through {
			if err := durable.IgnoreMissing(g.s.fs.Remove(layout.LogDir + "/" + e.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}
