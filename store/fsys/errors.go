package fsys

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// ErrLocked is returned by TryLock when someone else holds the lock.
var ErrLocked = errors.New("locked by another process")

// NotRegularError says that a name is something other than a plain file (or, where one was
// needed, a plain directory), so it was not opened.
type NotRegularError struct {
	Path string // relative to .vespe
	What string // "a symbolic link", "a FIFO", …
}

func (e *NotRegularError) Error() string {
	return fmt.Sprintf(".vespe/%s is %s, which vespe does not read", e.Path, e.What)
}

// TooLargeError says that a file is larger than vespe reads of its kind.
type TooLargeError struct {
	Path        string // relative to .vespe
	Size, Limit int64  // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf(".vespe/%s has %d bytes; the limit is %d", e.Path, e.Size, e.Limit)
}

// MovedError says that the store that was opened was moved or deleted: what is written there nobody
// would see.
type MovedError struct {
	Path string // where it was
}

func (e *MovedError) Error() string {
	return e.Path + " was moved or deleted; vespe writes nothing until it is back"
}

// Missing reports whether an error says that a file or a directory above it is absent.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// IsAboutFile reports whether an error says what a file is or who may read it. Any other is
// about the disk or the machine, and what the file holds is not known.
func IsAboutFile(err error) bool {
	var notPlain *NotRegularError
	var tooLarge *TooLargeError
	return errors.As(err, &notPlain) || errors.As(err, &tooLarge) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// IsWithheld reports whether an error says that the system did not give what is there: what it holds is not known,
// and may be in order.
func IsWithheld(err error) bool {
	var said syscall.Errno
	return errors.As(err, &said) && !Missing(err)
}

// IsTransient says that an error is about this moment of this machine (no descriptors, no
// memory) and nothing about the file.
func IsTransient(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}
