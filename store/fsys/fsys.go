// Package fsys is how the store reaches the file system: the directory .vespe of one store, and the
// system's watches on it. It follows no symbolic link and reads only regular files with one name.
// OpenFS gives the real one, relative to a descriptor. Tests wrap it and fail at a chosen call.
package fsys

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"vespe/store/layout"
)

// FS is everything that the store asks of a file system: the directory .vespe of one
// store. Names are slash-separated, relative to .vespe, without "." or ".." elements
// ("." alone is .vespe itself).
//
// No method follows a symbolic link in any element of a name, and reading is limited to
// regular files with one name: whatever else is met gives a *NotRegularError and is
// never opened for reading (a FIFO would block, a device might act). Absent and existing
// names give errors for which errors.Is says fs.ErrNotExist and fs.ErrExist.
//
// Implementations are safe for concurrent use. OpenFS gives the real one; tests wrap it
// to fail at a chosen call.
type FS interface {
	// ReadFile reads a whole regular file of at most limit bytes, else *TooLargeError. A
	// file in log/ may have two names: that is what one looks like while it is committed.
	ReadFile(name string, limit int64) ([]byte, error)
	// Map is ReadFile for large files that are only ever replaced as a whole: the bytes may
	// be the file itself, so they must not be changed, and are there for good.
	Map(name string, limit int64) ([]byte, error)
	// Release gives back the memory of what Map has given; what is looked at again is read again.
	Release()
	// OpenDir opens a directory to read in it, without walking its name again each time.
	OpenDir(name string) (Dir, error)
	// Stat says what a name is, without following or opening it.
	Stat(name string) (Info, error)
	// Writable is nil when this process may make and replace names in a directory.
	Writable(name string) error

	// Create makes a new file, mode 0644; it fails if the name exists in any form.
	Create(name string) (File, error)
	// Overwrite writes body over the beginning of a file, which it makes when it is
	// absent. It is neither atomic nor durable: for hints in cache/ of a fixed length.
	Overwrite(name string, body []byte) error
	// Append opens a regular file to write at its end, and says how large it is; it is made
	// when it is absent. Each Write is one append.
	Append(name string) (f File, size int64, err error)
	// ReadPart reads at most so many bytes of a regular file, from an offset that counts from
	// the end where it is negative, and says how large the whole is.
	ReadPart(name string, offset int64, most int) (b []byte, size int64, err error)
	// Link gives the file oldName a second name that must not exist. Where hard links are
	// not supported it moves the file instead, just as exclusively.
	Link(oldName, newName string) error
	// Rename moves a file or directory; an existing file at newName is replaced at once.
	Rename(oldName, newName string) error
	// Exchange swaps two files at once; errors.ErrUnsupported where that cannot be.
	Exchange(a, b string) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// Mkdir makes one directory, mode 0755.
	Mkdir(name string) error
	// SyncDir makes the names in a directory durable.
	SyncDir(name string) error
	// SyncAll makes everything written so far durable; errors.ErrUnsupported where there
	// is no such call.
	SyncAll() error
	// TryLock takes the advisory lock of a file, which it makes when it is absent and
	// never removes. ErrLocked when someone else holds it. Closing releases.
	TryLock(name string) (io.Closer, error)

	// ReadBeside reads a regular file that lies beside .vespe in the root.
	ReadBeside(name string, limit int64) ([]byte, error)
	// Reopen continues with the directory that has the name .vespe now, if that holds a store and
	// is another than the one that was opened, and says whether it is. What is under way
	// meanwhile may meet either. Where no store has the name, it is a *MovedError.
	Reopen() (another bool, err error)
	// Named is a *MovedError unless the directory that was opened still has the name .vespe.
	Named() error
	Close() error
}

// Dir is an open directory under .vespe. Names are single elements.
type Dir interface {
	// Entries lists the directory, sorted by name.
	Entries() ([]Entry, error)
	ReadFile(name string, limit int64) ([]byte, error)
	// Open opens a regular file for reading; at most limit bytes can be read.
	Open(name string, limit int64) (io.ReadCloser, Info, error)
	OpenDir(name string) (Dir, error)
	Stat(name string) (Info, error)
	Close() error
}

// File is a new file being written.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// Entry is one name in a directory.
type Entry struct {
	Name string
	Type fs.FileMode // type bits only
}

// Info is what Stat knows.
type Info struct {
	Type    fs.FileMode // type bits only; 0 is a regular file
	Size    int64
	Links   uint64
	Exec    bool // its owner may execute it
	Dev     uint64
	Ino     uint64
	UID     uint32 // of its owner
	ModTime time.Time
	Changed time.Time // also by what leaves ModTime alone, or sets it; zero where no system tells
}

// Describe names a file type for people.
func Describe(t fs.FileMode) string {
	switch {
	case t&fs.ModeSymlink != 0:
		return "a symbolic link"
	case t&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case t&fs.ModeSocket != 0:
		return "a socket"
	case t&fs.ModeDevice != 0:
		return "a device"
	case t&fs.ModeDir != 0:
		return "a directory"
	case t == 0:
		return "a file"
	}
	return "a special file"
}

// CheckReadable is the rule for opening files, for an Info that was taken without opening
// or from the open file.
func CheckReadable(name string, in Info, limit int64) error {
	if in.Type != 0 {
		return &NotRegularError{name, Describe(in.Type)}
	}
	if in.Links > maxLinks(name) {
		return &NotRegularError{name, fmt.Sprintf("a file with %d names (hard links)", in.Links)}
	}
	if in.Size > limit {
		return &TooLargeError{name, in.Size, limit}
	}
	return nil
}

// maxLinks: an entry of the log keeps its temporary name until it is known to be durable, and
// store.json if the process that made it was killed.
func maxLinks(name string) uint64 {
	if strings.HasPrefix(name, layout.LogDir+"/") || name == layout.StoreFile {
		return 2
	}
	return 1
}

// List lists a directory, sorted by name.
func List(f FS, name string) ([]Entry, error) {
	d, err := f.OpenDir(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Entries()
}
