// Package sections is the form of files that hold derived data: a head of a fixed form and byte strings,
// each with a checksum. What is torn or damaged is never taken for something else.
//
//	magic 8 · version u32 · length of the head u32 · number of sections u32 · CRC u32 of
//	what follows up to the first section · head · per section: length u64, CRC u32, 0 u32 ·
//	the sections, each begun at a multiple of 8
//
// Numbers are little-endian. Checksums are CRC-32C; a section's is that of its parts' checksums.
package sections

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"sync/atomic"

	"vespe/store/fsys"
	"vespe/store/layout"
)

const (
	Version     = 3       // the newest that is read
	Fixed       = 8 + 4*4 // bytes before the head
	maxSections = 16
	maxHead     = 4 << 10
	writers     = 4 // that make checksums
)

// checksumPart is how much of a section has a checksum of its own: the section's is that of
// these, so that they can be made side by side.
const checksumPart = 4 << 20

// checksum is the CRC-32C of the CRC-32Cs of a section's parts.
func checksum(b []byte) uint32 {
	parts := make([]uint32, (len(b)+checksumPart-1)/checksumPart)
	var next atomic.Int64
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(parts) {
				return
			}
			parts[i] = crc32.Checksum(b[i*checksumPart:min((i+1)*checksumPart, len(b))], castagnoli())
		}
	}
	if len(parts) > 1 {
		var wg sync.WaitGroup
		for range min(writers, len(parts)) {
			wg.Go(work)
		}
		wg.Wait()
	} else {
		work()
	}
	sums := make([]byte, 0, 4*len(parts))
	for _, p := range parts {
		sums = binary.LittleEndian.AppendUint32(sums, p)
	}
	return crc32.Checksum(sums, castagnoli())
}

// castagnoli is made by the first call: its tables take longer than all else that initializes.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// ErrDamaged is what the errors about damaged bytes are.
var ErrDamaged = errors.New("is damaged")

// Damaged is an error about damaged bytes.
func Damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

func align8(n int) int { return (n + 7) &^ 7 }

// Content is what a file of sections is to hold.
type Content struct {
	Magic    string                 // 8 bytes
	Version  uint32                 // the first that had all that is in it; 0 is 1
	Head     func(fsys.Info) []byte // given the file itself, so that it can name it
	Sections [][]byte
	Sync     bool
}

// frame is everything before the sections.
func (c *Content) frame(in fsys.Info) []byte {
	head := c.Head(in)
	b := make([]byte, 0, align8(Fixed+len(head)+16*len(c.Sections)))
	b = append(b, c.Magic[:8]...)
	b = binary.LittleEndian.AppendUint32(b, max(c.Version, 1))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(head)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(c.Sections)))
	b = append(b, 0, 0, 0, 0)
	b = append(b, head...)
	for _, s := range c.Sections {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(s)))
		b = binary.LittleEndian.AppendUint32(b, checksum(s))
		b = append(b, 0, 0, 0, 0)
	}
	binary.LittleEndian.PutUint32(b[20:], crc32.Checksum(b[Fixed:], castagnoli()))
	return b[:align8(len(b))]
}

// WriteTo writes the whole file; in is the file itself.
func (c *Content) WriteTo(w io.Writer, in fsys.Info) error {
	_, err := w.Write(c.frame(in))
	var pad [8]byte
	for _, body := range c.Sections {
		if err == nil {
			_, err = w.Write(body)
		}
		if n := align8(len(body)) - len(body); err == nil && n > 0 {
			_, err = w.Write(pad[:n])
		}
	}
	return err
}

// Write writes a new file. None is left if that fails.
func (c *Content) Write(disk fsys.FS, name string) (err error) {
	f, err := disk.Create(name)
	if err != nil {
		return err
	}
	in, err := disk.Stat(name)
	if err == nil {
		err = c.WriteTo(f, in)
	}
	if err == nil && c.Sync {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = disk.Remove(name) // best effort; what is left in tmp/ is reported by Doctor
		return fmt.Errorf("write %s: %w", layout.Shown(name), err)
	}
	return nil
}

// Replace writes the file under a temporary name and then moves it to its own.
func (c *Content) Replace(disk fsys.FS, tmp, name string) error {
	if err := c.Write(disk, tmp); err != nil {
		return err
	}
	err := disk.Rename(tmp, name)
	if err != nil {
		if gone := disk.Remove(tmp); !fsys.Missing(gone) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// Section is a part of a file whose checksum was not compared yet.
type Section struct {
	Body []byte
	crc  uint32
}

// Checked is the section's bytes once they are known to be those that were written.
func (s Section) Checked() ([]byte, error) {
	if checksum(s.Body) != s.crc {
		return nil, Damaged("a checksum is wrong (over %d bytes)", len(s.Body))
	}
	return s.Body, nil
}

// ParseHead finds the head alone in the beginning of such a file.
func ParseHead(b []byte, magic string) (head []byte, err error) {
	switch {
	case len(b) < Fixed || string(b[:8]) != magic[:8]:
		return nil, Damaged("its first bytes are wrong")
	case binary.LittleEndian.Uint32(b[8:]) > Version:
		return nil, &NewerError{fmt.Sprintf("has version %d; this vespe reads %d", binary.LittleEndian.Uint32(b[8:]), Version)}
	case binary.LittleEndian.Uint32(b[8:]) < 1:
		return nil, Damaged("it has no version")
	}
	headLen, n := int(binary.LittleEndian.Uint32(b[12:])), int(binary.LittleEndian.Uint32(b[16:]))
	if headLen > maxHead || n > maxSections || len(b) < Fixed+headLen+16*n {
		return nil, Damaged("its header is cut off")
	}
	end := Fixed + headLen + 16*n
	if crc32.Checksum(b[Fixed:end], castagnoli()) != binary.LittleEndian.Uint32(b[20:]) {
		return nil, Damaged("the checksum of its header is wrong")
	}
	return b[Fixed : Fixed+headLen], nil
}

// Parse finds the head and the sections in b; nothing is copied.
func Parse(b []byte, magic string) (head []byte, sections []Section, err error) {
	if head, err = ParseHead(b, magic); err != nil {
		return nil, nil, err
	}
	table := Fixed + len(head)
	n := int(binary.LittleEndian.Uint32(b[16:]))
	at := align8(table + 16*n)
	for i := range n {
		e := b[table+16*i:]
		size := binary.LittleEndian.Uint64(e)
		if at > len(b) || size > uint64(len(b)-at) {
			return nil, nil, Damaged("it ends before its section %d does", i+1)
		}
		to := at + int(size)
		sections = append(sections, Section{b[at:to:to], binary.LittleEndian.Uint32(e[8:])})
		at = align8(to)
	}
	return head, sections, nil
}

// ParseChecked is Parse where there are to be n sections, and all are read.
func ParseChecked(b []byte, magic string, n int) (head []byte, bodies [][]byte, err error) {
	head, list, err := Parse(b, magic)
	if err == nil && len(list) != n {
		err = Damaged("it has %d sections", len(list))
	}
	for _, s := range list {
		body, cerr := s.Checked()
		if err == nil {
			err = cerr
		}
		bodies = append(bodies, body)
	}
	return head, bodies, err
}

// WriteCache replaces a file that only saves time. It is bound to itself: a copy of it isn't used.
func WriteCache(disk fsys.FS, tmp, name, magic string, head []byte, bodies ...[]byte) error {
	c := Content{Magic: magic, Sections: bodies, Head: func(in fsys.Info) []byte { return append(binding(in), head...) }}
	return c.Replace(disk, tmp, name)
}

// ReadCache reads such a file of n sections; ok is false where there is none that can be used.
func ReadCache(disk fsys.FS, name, magic string, limit int64, n int) (head []byte, bodies [][]byte, ok bool) {
	in, err := disk.Stat(name)
	if err != nil {
		return nil, nil, false
	}
	b, err := disk.ReadFile(name, limit)
	if err != nil {
		return nil, nil, false
	}
	if head, bodies, err = ParseChecked(b, magic, n); err != nil {
		return nil, nil, false
	}
	head, ok = bytes.CutPrefix(head, binding(in))
	return head, bodies, ok
}

func binding(in fsys.Info) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in.Dev), in.Ino)
}

// NewerError says that something was written by a vespe of a later time.
type NewerError struct{ What string }

func (e *NewerError) Error() string { return e.What }
