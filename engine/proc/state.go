package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"vespe/model/runlog"
	"vespe/model/visible"
	"vespe/store/statedir"
)

// The files of Spec.State.
const (
	guardLock = "guard.lock" // locked as long as the guard lives
	guardFile = "guard.json" // record
	guardLog  = "guard.log"  // what the guard says when it fails
	exitFile  = "exit.json"  // Exit, once the program has ended
)

// process names a process of this machine, also after it has ended and its number is another's.
type process struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // when it started, as the system says it; "" where it does not
}

// record is guard.json.
type record struct {
	Format int    `json:"format"`
	Run    string `json:"run"`
	// Machine is the boot, and the space of numbers, in which the processes are to be understood.
	Machine string  `json:"machine"`
	Guard   process `json:"guard"`
	Worker  process `json:"worker,omitzero"` // and its group and session have the same number
	// Session is a name of the worker's session that is given only once a boot; "" where there is none.
	Session string `json:"session,omitzero"`
	Grace   int64  `json:"grace"` // nanoseconds
}

type exitRecord struct {
	Format int    `json:"format"`
	Run    string `json:"run"`
	Exit
}

// soon is how long a new program waits for the guard of the one before.
const soon = time.Second

// takeState locks a State for a new program, and forgets the one before. A guard whose program has ended,
// or whose starter is gone, may take a moment to end.
func takeState(ctx context.Context, dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := tryLock(dir)
	for began := time.Now(); errors.Is(err, ErrLive) && time.Since(began) < soon; lock, err = tryLock(dir) {
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	for _, name := range []string{exitFile, guardFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, lock.Close())
		}
	}
	return lock, nil
}

// tryLock is ErrLive while a guard has the State.
func tryLock(dir string) (*os.File, error) {
	f, err := create(filepath.Join(dir, guardLock), 0)
	if err != nil {
		return nil, err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); { //nolint:gosec // a descriptor is an int
	case err == nil, errors.Is(err, syscall.ENOTSUP): // where there are no locks, guard.json alone tells
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(ErrLive, f.Close())
	default:
		return nil, errors.Join(err, f.Close())
	}
}

// create opens a plain file to write to, and makes it for this user alone where there is none. What is no
// plain file is refused and not waited for.
func create(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|flag, 0o600)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// note writes guard.json. Nothing of it means anything after the machine has stopped, so that it need
// not be on disk.
func (r record) note(dir string) error {
	r.Format = 1
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	tmp, path := filepath.Join(dir, "."+guardFile), filepath.Join(dir, guardFile)
	if err := os.WriteFile(tmp, append(b, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// readRecord is guard.json; it is not there where no program was started.
func readRecord(dir, run string) (r record, found bool, err error) {
	err = statedir.File{Name: filepath.Join(dir, guardFile), MaxBytes: 64 << 10, Format: 1}.Read(&r)
	if err == nil && r.Run != "" && r.Run != run {
		err = fmt.Errorf("%s is of %s", filepath.Join(dir, guardFile), visible.Line(r.Run))
	}
	return r, r.Run != "", err
}

func writeExit(dir, run string, e Exit) error {
	return statedir.File{Name: filepath.Join(dir, exitFile)}.Write(exitRecord{Format: 1, Run: run, Exit: e})
}

// readExit is what a guard wrote at its end.
func readExit(dir, run string) (Exit, bool, error) {
	var r exitRecord
	err := statedir.File{Name: filepath.Join(dir, exitFile), MaxBytes: 1 << 20, Format: 1}.Read(&r)
	if err == nil && r.Run != "" && r.Run != run {
		err = fmt.Errorf("%s is of %s", filepath.Join(dir, exitFile), visible.Line(r.Run))
	}
	if err != nil || r.Run == "" {
		return Exit{}, false, err
	}
	return r.Exit, true, nil
}

// Tail is the end of a file, at most n bytes of it; "" of one that can't be read.
func Tail(name string, n int64) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if in, err := f.Stat(); err == nil && in.Size() > n {
		_, _ = f.Seek(-n, io.SeekEnd)
	}
	b, _ := io.ReadAll(io.LimitReader(f, n))
	return runlog.Tail(string(b), int(n))
}
