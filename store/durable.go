package store

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// syncs are the directories whose fsync failed in this process. The kernel has forgotten by
// then what it could not write, so that a second fsync would succeed and say nothing: it is
// not asked. Another process, or this one started anew, asks for the first time.
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
	var notPlain *NotRegularError
	if err == nil || missing(err) || errors.Is(err, errors.ErrUnsupported) || errors.As(err, &notPlain) {
		return false
	}
	var at *fs.PathError
	return !errors.As(err, &at) || at.Op != "open"
}
