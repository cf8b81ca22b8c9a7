// Package durable writes the files of a store so that they survive a power cut. A file is written under a
// temporary name, synced, and only then linked or renamed to its own. It also hashes files, however large.
//
// Its one idea: an fsync that failed is never asked again, because the kernel has forgotten what it could
// not write, and would say that all is well.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"vespe/store/fsys"
	"vespe/store/layout"
)

// Files are the files of a store, for who writes them. It is safe for concurrent use.
type Files struct {
	FS     fsys.FS
	Random func(n int) string // n random bytes in hex

	// failed are the directories whose fsync failed in this process; everything is "". Another process, or this
	// one started anew, asks for the first time: for log/ it makes the entry again before, so that there is
	// something that the answer is about. For the other directories the answer may say too much; what they lack
	// after a power cut the entry has.
	mu     sync.Mutex
	failed map[string]error
}

// SyncDir makes the names in a directory durable, unless that failed before.
func (f *Files) SyncDir(name string) error {
	return f.syncOnce(name, func() error { return f.FS.SyncDir(name) })
}

// SyncAll makes everything durable, unless that failed before.
func (f *Files) SyncAll() error { return f.syncOnce("", f.FS.SyncAll) }

func (f *Files) syncOnce(name string, sync func() error) error {
	if err := f.Unconfirmed(name); err != nil {
		return err
	}
	err := sync()
	if isSyncFailure(err) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.failed == nil {
			f.failed = map[string]error{}
		}
		f.failed[name] = err
	}
	return err
}

// Unconfirmed is the error of the fsync of a directory that failed before; nil when none did.
func (f *Files) Unconfirmed(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.failed[name]; err != nil {
		return fmt.Errorf("vespe doesn't try again: %w", err)
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

// WriteNew makes a durable file that must not exist. One that exists is relieved of the second
// name that it has if the process that made it was killed: it would not be read.
func (f *Files) WriteNew(name string, body []byte) error {
	tmp := f.TempName("new")
	if err := f.WriteFile(tmp, body, true); err != nil {
		return err
	}
	err := errors.Join(f.FS.Link(tmp, name), IgnoreMissing(f.FS.Remove(tmp)))
	switch {
	case err == nil:
		return f.SyncDir(layout.TmpDir) // or it has two names after a power cut
	case errors.Is(err, fs.ErrExist):
		return errors.Join(err, f.DropTempName(name))
	}
	return err
}

// WriteFile creates a file with a body. A file that could not be written whole is removed again.
func (f *Files) WriteFile(name string, body []byte, sync bool) error {
	w, err := f.FS.Create(name)
	if err != nil {
		return err
	}
	_, err = w.Write(body)
	if err == nil && sync {
		err = w.Sync()
	}
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = f.FS.Remove(name) // best effort; what is left in tmp/ is reported by Doctor
		return fmt.Errorf("write %s: %w", layout.Shown(name), err)
	}
	return nil
}

// IgnoreMissing is nil for the error of removing what is not there.
func IgnoreMissing(err error) error {
	if fsys.Missing(err) {
		return nil
	}
	return err
}

// LocksWork reports, for a lock file that this process has locked, that nobody else could lock it.
func (f *Files) LocksWork(name string) bool {
	c, err := f.FS.TryLock(name)
	if err == nil {
		_ = c.Close() // it locked nothing
	}
	return errors.Is(err, fsys.ErrLocked)
}

// SyncDirs makes the names in directories durable. Recovery looks at the last entry only:
// without this a power cut could take back renames of the entry before, on file systems
// whose fsync of log/ says nothing about other directories.
func (f *Files) SyncDirs(dirs map[string]bool) error {
	for _, d := range ChildrenFirst(dirs) {
		if err := f.SyncDir(d); err != nil && !fsys.Missing(err) {
			return err
		}
	}
	return nil
}

// ChildrenFirst are directories in an order in which none follows one that it is in.
func ChildrenFirst(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return strings.Compare(b, a) })
	return keys
}
