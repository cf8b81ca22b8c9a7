package store

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
func (s *Store) doubt(seq uint64) {
	_ = s.fs.Overwrite(layout.DoubtFile, fmt.Appendf(nil, "%0*d\n", doubtDigits, seq)) // best effort
}

// doubted is the entry that such a note is of; 0 when there is none.
func (s *Store) doubted() uint64 {
	b, err := s.fs.ReadFile(layout.DoubtFile, doubtDigits+1)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64) // 0 for no number
	return n
}

// syncEntry makes the last entry durable, which anyone who committed it may not have come to. What
// the disk failed to write before the kernel may have forgotten: then it is written anew, under
// the same name, so that there is something to be written.
func (s *Store) syncEntry(seq uint64) error {
	again := s.doubted() == seq && s.disk.Unconfirmed(layout.LogDir) == nil
	if again {
		if err := s.disk.DropTempName(layout.EntryFile(seq)); err != nil {
			return err
		}
		b, err := s.fs.ReadFile(layout.EntryFile(seq), layout.MaxEntry)
		if err != nil {
			return err
		}
		tmp := s.disk.TempName("entry")
		if err := s.disk.WriteFile(tmp, b, true); err != nil {
			return err
		}
		if err := s.fs.Rename(tmp, layout.EntryFile(seq)); err != nil {
			return errors.Join(err, durable.IgnoreMissing(s.fs.Remove(tmp)))
		}
	}
	if err := s.disk.SyncDir(layout.LogDir); err != nil {
		s.doubt(seq)
		return err
	}
	if again {
		s.doubt(0)
	}
	return nil
}
