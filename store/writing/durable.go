package writing

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"vespe/store/durable"
	"vespe/store/layout"
)

const doubtDigits = 20

// doubt leaves a note that the disk did not confirm an entry: who asks it for the first time
// would be told that all is well. It need not be durable, as what the disk holds after a power
// cut is what it holds.
func (s *Writer) doubt(seq uint64) {
	_ = s.Disk.FS.Overwrite(layout.DoubtFile, fmt.Appendf(nil, "%0*d\n", doubtDigits, seq)) // best effort
}

// doubted is the entry that such a note is of; 0 when there is none.
func (s *Writer) doubted() uint64 {
	b, err := s.Disk.FS.ReadFile(layout.DoubtFile, doubtDigits+1)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64) // 0 for no number
	return n
}

// syncEntry makes the last entry durable, which anyone who committed it may not have come to. What
// the disk failed to write before the kernel may have forgotten: then it is written anew, under
// the same name, so that there is something to be written.
func (s *Writer) syncEntry(seq uint64) error {
	again := s.doubted() == seq && s.Disk.Unconfirmed(layout.LogDir) == nil
	if again {
		if err := s.Disk.DropTempName(layout.EntryFile(seq)); err != nil {
			return err
		}
		b, err := s.Disk.FS.ReadFile(layout.EntryFile(seq), layout.MaxEntry)
		if err != nil {
			return err
		}
		tmp := s.Disk.TempName("entry")
		if err := s.Disk.WriteFile(tmp, b, true); err != nil {
			return err
		}
		if err := s.Disk.FS.Rename(tmp, layout.EntryFile(seq)); err != nil {
			return errors.Join(err, durable.IgnoreMissing(s.Disk.FS.Remove(tmp)))
		}
	}
	if err := s.Disk.SyncDir(layout.LogDir); err != nil {
		s.doubt(seq)
		return err
	}
	if again {
		s.doubt(0)
	}
	return nil
}
