package statedir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Path is $XDG_STATE_HOME/vespe, else ~/.local/state/vespe, and "" where there is neither. A path that
// is not absolute is none: it would lead into the repository that vespe is started in.
func Path(getenv func(string) string) string {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "vespe")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "vespe")
	}
	return ""
}

// CachePath is $XDG_CACHE_HOME/vespe, else ~/.cache/vespe, for what can be made again; as Path is.
func CachePath(getenv func(string) string) string {
	if dir := getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "vespe")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "vespe")
	}
	return ""
}

// Lock makes a directory for this person alone, where there is none, and waits until nobody else is
// changing what lies in it. On a file system without locks it does not wait.
func Lock(dir string) (unlock func(), err error) {
	if err := makeDir(dir, (*os.File).Sync); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil && !errors.Is(err, syscall.ENOTSUP) {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // closing gives the lock back in any case
}

// File is how a file is to be read.
type File struct {
	Name     string
	MaxBytes int64
	Format   int                     // the newest that this vespe reads
	Believe  func(fs.FileInfo) error // nil believes every plain file
	Options  []json.Options
}

// Read decodes the file into v. One that is not there leaves v as it is, and one that cannot be read
// is left as it is; v is then to be forgotten.
func (f File) Read(v any) error {
	b, err := f.bytes()
	if b == nil || err != nil {
		return err
	}
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(b, &head, f.Options...); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if head.Format > f.Format { // what else it says may be of another shape
		return fmt.Errorf("%s has format %d and this vespe reads format %d: update vespe", f.Name, head.Format, f.Format)
	}
	if err := json.Unmarshal(b, v, f.Options...); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

// bytes are what is in the file; nil where there is none. What is said of the file is said of the one
// that is read, whatever is put in its place meanwhile.
func (f File) bytes() ([]byte, error) {
	in, err := os.OpenFile(f.Name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) // a pipe does not wait
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	notPlain := fmt.Errorf("%s is not a regular file", f.Name)
	if err != nil { // a link and a socket cannot be opened so
		if at, e := os.Lstat(f.Name); e == nil && !at.Mode().IsRegular() {
			return nil, notPlain
		}
		return nil, err
	}
	defer in.Close()
	st, err := in.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, notPlain
	}
	if f.Believe != nil {
		if err := f.Believe(st); err != nil {
			return nil, err
		}
	}
	if st.Size() > f.MaxBytes {
		return nil, fmt.Errorf("%s has %d bytes", f.Name, st.Size())
	}
	b, err := io.ReadAll(io.LimitReader(in, f.MaxBytes+1))
	if err == nil && int64(len(b)) > f.MaxBytes {
		return nil, fmt.Errorf("%s has more than %d bytes", f.Name, f.MaxBytes)
	}
	return b, err
}

// Write puts v in place of what the file says, at once. It and the directories that it lies in are on
// disk when Write returns, and for this person alone where they were not there.
func (f File) Write(v any) error { return f.write(v, (*os.File).Sync) }

func (f File) write(v any, sync func(*os.File) error) error {
	var buf bytes.Buffer
	if err := json.MarshalWrite(&buf, v, json.JoinOptions(f.Options...), jsontext.WithIndent("  ")); err != nil {
		return err
	}
	buf.WriteByte('\n')
	dir := filepath.Dir(f.Name)
	if err := makeDir(dir, sync); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(f.Name)+"-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(buf.Bytes())
	err = errors.Join(err, sync(tmp), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), f.Name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return syncDir(dir, sync)
}

// makeDir makes a directory and those that it lies in, for this person alone and durably.
func makeDir(dir string, sync func(*os.File) error) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeDir(filepath.Dir(dir), sync); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return syncDir(filepath.Dir(dir), sync)
}

func syncDir(dir string, sync func(*os.File) error) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(sync(d), d.Close())
}
