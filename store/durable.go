package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"vespe/store/fsys"
	"vespe/store/layout"
)

// syncs are the directories whose fsync failed in this process. The kernel has forgotten by
// then what it could not write, so that a second fsync would succeed and say nothing: it is
// not asked. Another process, or this one started anew, asks for the first time: for log/ it makes the
// entry again before (syncEntry), so that there is something that the answer is about. For the other
// directories the answer may say too much; what they lack after a power cut the entry has.
type syncs struct {
	mu     sync.Mutex
	failed map[string]error // by directory; everything is ""
}

// syncDir makes the names in a directory durable, unless that failed before.
func (s *Store) syncDir(name string) error {
	return s.syncOnce(name, func() error { return s.fs.SyncDir(name) })
}

// syncAll makes everything durable, unless that failed before.
func (s *Store) syncAll() error { return s.syncOnce("", s.fs.SyncAll) }

func (s *Store) syncOnce(name string, sync func() error) error {
	if err := s.unconfirmed(name); err != nil {
		return err
	}
	err := sync()
	if isSyncFailure(err) {
		s.syncs.mu.Lock()
		defer s.syncs.mu.Unlock()
		if s.syncs.failed == nil {
			s.syncs.failed = map[string]error{}
		}
		s.syncs.failed[name] = err
	}
	return err
}

// unconfirmed is the error of the fsync of a directory that failed before; nil when none did.
func (s *Store) unconfirmed(name string) error {
	s.syncs.mu.Lock()
	defer s.syncs.mu.Unlock()
	if err := s.syncs.failed[name]; err != nil {
		return fmt.Errorf("it is not asked a second time: %w", err)
	}
	return nil
}

// isSyncFailure tells an fsync that failed from one that never came to be asked.
func isSyncFailure(err error) bool {
	var notPlain *fsys.NotRegularError
	if err == nil || fsys.Missing(err) || errors.Is(err, errors.ErrUnsupported) || errors.As(err, &notPlain) {
		return false
	}
	var at *fs.PathError
	return !errors.As(err, &at) || at.Op != "open"
}

// doubt leaves a note that the disk did not confirm an entry: who asks it for the first time
// would be told that all is well. It need not be durable, as what the disk holds after a power
// cut is what it holds.
func (s *Store) doubt(seq uint64) {
	_ = s.fs.Overwrite(layout.DoubtFile, fmt.Appendf(nil, "%0*d\n", hintDigits, seq)) // best effort
}

// doubted is the entry that such a note is of; 0 when there is none.
func (s *Store) doubted() uint64 {
	b, err := s.fs.ReadFile(layout.DoubtFile, hintDigits+1)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64) // 0 for no number
	return n
}

// syncEntry makes the last entry durable, which whoever committed it may not have come to. What
// the disk failed to write before the kernel may have forgotten: then it is written anew, under
// the same name, so that there is something to be written.
func (s *Store) syncEntry(seq uint64) error {
	again := s.doubted() == seq && s.unconfirmed(layout.LogDir) == nil
	if again {
		if err := s.dropTmpName(layout.EntryFile(seq)); err != nil {
			return err
		}
		b, err := s.fs.ReadFile(layout.EntryFile(seq), layout.MaxEntry)
		if err != nil {
			return err
		}
		tmp := s.tmpName("entry")
		if err := s.writeFile(tmp, b, true); err != nil {
			return err
		}
		if err := s.fs.Rename(tmp, layout.EntryFile(seq)); err != nil {
			return errors.Join(err, removed(s.fs.Remove(tmp)))
		}
	}
	if err := s.syncDir(layout.LogDir); err != nil {
		s.doubt(seq)
		return err
	}
	if again {
		s.doubt(0)
	}
	return nil
}

// writeNew makes a durable file that must not exist. One that exists is relieved of the second
// name that it has when whoever made it was killed: it would not be read.
func (s *Store) writeNew(name string, body []byte) error {
	tmp := s.tmpName("new")
	if err := s.writeFile(tmp, body, true); err != nil {
		return err
	}
	err := errors.Join(s.fs.Link(tmp, name), removed(s.fs.Remove(tmp)))
	switch {
	case err == nil:
		return s.syncDir(layout.TmpDir) // or it has two names after a power cut
	case errors.Is(err, fs.ErrExist):
		return errors.Join(err, s.dropTmpName(name))
	}
	return err
}

// removed takes the sting out of removing what is already gone.
func removed(err error) error {
	if fsys.Missing(err) {
		return nil
	}
	return err
}

// writeFile creates a file with a body; a file that could not be written whole is taken
// away again.
func (s *Store) writeFile(name string, body []byte, sync bool) error {
	f, err := s.fs.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err == nil && sync {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = s.fs.Remove(name) // best effort; what is left in tmp/ is reported by Doctor
		return fmt.Errorf("write %s: %w", layout.Shown(name), err)
	}
	return nil
}
