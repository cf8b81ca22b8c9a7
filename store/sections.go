package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
	"sync/atomic"

	"vespe/store/layout"
)

// A file of sections is how derived data is kept: a head of a fixed form and byte strings,
// each with a checksum, so that what was torn or damaged is never taken for something else.
//
//	magic 8 · version u32 · length of the head u32 · number of sections u32 · CRC u32 of
//	what follows up to the first section · head · per section: length u64, CRC u32, 0 u32 ·
//	the sections, each begun at a multiple of 8
//
// Numbers are little-endian; checksums are CRC-32C, those of sections as checksum makes them.
const (
	sectionsVersion = 3 // the first that had all that is in it, which for most is 1
	sectionsFixed   = 8 + 4*4
	maxSections     = 16
	maxSectionHead  = 4 << 10
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
			parts[i] = crc32.Checksum(b[i*checksumPart:min((i+1)*checksumPart, len(b))], castagnoli)
		}
	}
	if len(parts) > 1 {
		var wg sync.WaitGroup
		for range min(readers, len(parts)) {
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
	return crc32.Checksum(sums, castagnoli)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errDamaged = errors.New("is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

func align8(n int) int { return (n + 7) &^ 7 }

// frameSections is everything of such a file before its sections.
func frameSections(magic string, head []byte, sections [][]byte) []byte {
	b := make([]byte, 0, align8(sectionsFixed+len(head)+16*len(sections)))
	b = append(b, magic[:8]...)
	version := uint32(1)
	switch { // who does not know of it would lose it
	case magic != baseMagic:
	case len(sections) > baseKinds:
		version = sectionsVersion
	case len(sections) > baseAbsent:
		version = 2
	}
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(head)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(sections)))
	b = append(b, 0, 0, 0, 0)
	b = append(b, head...)
	for _, s := range sections {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(s)))
		b = binary.LittleEndian.AppendUint32(b, checksum(s))
		b = append(b, 0, 0, 0, 0)
	}
	binary.LittleEndian.PutUint32(b[20:], crc32.Checksum(b[sectionsFixed:], castagnoli))
	return b[:align8(len(b))]
}

// section is a part of a file whose checksum was not compared yet.
type section struct {
	body []byte
	crc  uint32
}

// checked is the section's bytes once they are known to be those that were written.
func (s section) checked() ([]byte, error) {
	if checksum(s.body) != s.crc {
		return nil, damaged("the checksum of %d bytes does not fit", len(s.body))
	}
	return s.body, nil
}

// parseSectionsHead finds the head alone in the beginning of such a file.
func parseSectionsHead(b []byte, magic string) (head []byte, err error) {
	switch {
	case len(b) < sectionsFixed || string(b[:8]) != magic[:8]:
		return nil, damaged("it does not begin as it should")
	case binary.LittleEndian.Uint32(b[8:]) > sectionsVersion:
		return nil, &newerError{fmt.Sprintf("is of version %d; this vespe reads %d", binary.LittleEndian.Uint32(b[8:]), sectionsVersion)}
	case binary.LittleEndian.Uint32(b[8:]) < 1:
		return nil, damaged("it has no version")
	}
	headLen, n := int(binary.LittleEndian.Uint32(b[12:])), int(binary.LittleEndian.Uint32(b[16:]))
	if headLen > maxSectionHead || n > maxSections || len(b) < sectionsFixed+headLen+16*n {
		return nil, damaged("it ends in its head")
	}
	end := sectionsFixed + headLen + 16*n
	if crc32.Checksum(b[sectionsFixed:end], castagnoli) != binary.LittleEndian.Uint32(b[20:]) {
		return nil, damaged("the checksum of its head does not fit")
	}
	return b[sectionsFixed : sectionsFixed+headLen], nil
}

// parseSections finds the head and the sections in b; nothing is copied.
func parseSections(b []byte, magic string) (head []byte, sections []section, err error) {
	if head, err = parseSectionsHead(b, magic); err != nil {
		return nil, nil, err
	}
	table := sectionsFixed + len(head)
	n := int(binary.LittleEndian.Uint32(b[16:]))
	at := align8(table + 16*n)
	for i := range n {
		e := b[table+16*i:]
		size := binary.LittleEndian.Uint64(e)
		if at > len(b) || size > uint64(len(b)-at) {
			return nil, nil, damaged("it ends before its section %d does", i+1)
		}
		to := at + int(size)
		sections = append(sections, section{b[at:to:to], binary.LittleEndian.Uint32(e[8:])})
		at = align8(to)
	}
	return head, sections, nil
}

// writeSections writes such a file. head is asked for once the file is there, so that it
// can name it.
func (s *Store) writeSections(name, magic string, head func(Info) []byte, sections [][]byte, sync bool) (err error) {
	f, err := s.fs.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = s.fs.Remove(name) // best effort; what is left in tmp/ is reported by Doctor
			err = fmt.Errorf("write %s: %w", layout.Shown(name), err)
		}
	}()
	in, err := s.fs.Stat(name)
	if err != nil {
		return err
	}
	if _, err := f.Write(frameSections(magic, head(in), sections)); err != nil {
		return err
	}
	var pad [8]byte
	for _, body := range sections {
		if _, err := f.Write(body); err != nil {
			return err
		}
		if n := align8(len(body)) - len(body); n > 0 {
			if _, err := f.Write(pad[:n]); err != nil {
				return err
			}
		}
	}
	if sync {
		return f.Sync()
	}
	return nil
}
