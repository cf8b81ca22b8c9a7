package store

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"vespe/store/fsys"
	"vespe/store/layout"
)

// The calls of a hookFS, as a faultFS traces them.
const (
	callRead      = "read"
	callMap       = "map"
	callBeside    = "read beside"
	callOpen      = "open" // a directory
	callOpenFile  = "open file"
	callList      = "list"
	callStream    = "read from"
	callStat      = "stat"
	callAccess    = "access"
	callCreate    = "create"
	callWrite     = "write"
	callFsync     = "fsync"
	callOverwrite = "overwrite"
	callAppend    = "append to"
	callLink      = "link"
	callRename    = "rename to"
	callExchange  = "exchange"
	callRemove    = "remove"
	callMkdir     = "mkdir"
	callSync      = "sync"
	callSyncAll   = "sync everything"
	callLock      = "lock"
)

// changing are the calls that change something.
var changing = []string{
	callCreate, callWrite, callFsync, callOverwrite, callAppend, callLink, callRename, callExchange, callRemove, callMkdir, callSync, callSyncAll,
}

// hookFS lets something happen before and after each call of another file system. Of two names a
// call is told by the second, the one that is made or replaced. Calls are made side by side: what
// happens looks at the call and the name before anything that it has in common with others.
type hookFS struct {
	fsys.FS
	before func(call, name string) error                  // an error is the call's answer; nil does nothing
	after  func(call, name string)                        // of calls that succeeded; nil does nothing
	around func(call, name string, do func() error) error // instead of both
	deep   bool                                           // also for what is read by way of an open directory
	torn   bool                                           // a write that is not carried out writes half
}

// system is the system's file system with what happens around its calls, for Options.FS.
func (f *hookFS) system(root string) (fsys.FS, error) {
	disk, err := fsys.OpenFS(root)
	f.FS = disk
	return f, err
}

// unlocked is system for a file system without locks.
func (f *hookFS) unlocked(root string) (fsys.FS, error) {
	disk, err := fsys.OpenFS(root)
	f.FS = noLockFS{disk}
	return f, err
}

func (f *hookFS) done(call, name string, do func() error) error {
	if f.around != nil {
		return f.around(call, name, do)
	}
	if f.before != nil {
		if err := f.before(call, name); err != nil {
			return err
		}
	}
	err := do()
	if err == nil && f.after != nil {
		f.after(call, name)
	}
	return err
}

// hooked is done for a call with an answer, which is closed where the call fails all the same.
func hooked[T any](f *hookFS, call, name string, do func() (T, error)) (answer T, err error) {
	err = f.done(call, name, func() (err error) { answer, err = do(); return err })
	if err != nil {
		if c, ok := any(answer).(io.Closer); ok {
			_ = c.Close()
		}
		answer = *new(T)
	}
	return answer, err
}

func (f *hookFS) ReadFile(name string, limit int64) ([]byte, error) {
	return hooked(f, callRead, name, func() ([]byte, error) { return f.FS.ReadFile(name, limit) })
}

func (f *hookFS) Map(name string, limit int64) ([]byte, error) {
	return hooked(f, callMap, name, func() ([]byte, error) { return f.FS.Map(name, limit) })
}

func (f *hookFS) ReadBeside(name string, limit int64) ([]byte, error) {
	return hooked(f, callBeside, name, func() ([]byte, error) { return f.FS.ReadBeside(name, limit) })
}

func (f *hookFS) OpenDir(name string) (fsys.Dir, error) {
	d, err := hooked(f, callOpen, name, func() (fsys.Dir, error) { return f.FS.OpenDir(name) })
	if err == nil && f.deep {
		d = hookDir{d, f, name + "/"}
	}
	return d, err
}

func (f *hookFS) Stat(name string) (fsys.Info, error) {
	return hooked(f, callStat, name, func() (fsys.Info, error) { return f.FS.Stat(name) })
}

func (f *hookFS) Writable(name string) error {
	return f.done(callAccess, name, func() error { return f.FS.Writable(name) })
}

func (f *hookFS) Create(name string) (fsys.File, error) {
	file, err := hooked(f, callCreate, name, func() (fsys.File, error) { return f.FS.Create(name) })
	if err != nil {
		return nil, err
	}
	return hookFile{file, f, name}, nil
}

func (f *hookFS) Append(name string) (file fsys.File, size int64, err error) {
	file, err = hooked(f, callAppend, name, func() (file fsys.File, err error) {
		file, size, err = f.FS.Append(name)
		return file, err
	})
	if err != nil {
		return nil, 0, err
	}
	return hookFile{file, f, name}, size, nil
}

func (f *hookFS) Overwrite(name string, body []byte) error {
	return f.done(callOverwrite, name, func() error { return f.FS.Overwrite(name, body) })
}

func (f *hookFS) Link(a, b string) error {
	return f.done(callLink, b, func() error { return f.FS.Link(a, b) })
}

func (f *hookFS) Rename(a, b string) error {
	return f.done(callRename, b, func() error { return f.FS.Rename(a, b) })
}

func (f *hookFS) Exchange(a, b string) error {
	return f.done(callExchange, b, func() error { return f.FS.Exchange(a, b) })
}

func (f *hookFS) Remove(name string) error {
	return f.done(callRemove, name, func() error { return f.FS.Remove(name) })
}

func (f *hookFS) Mkdir(name string) error {
	return f.done(callMkdir, name, func() error { return f.FS.Mkdir(name) })
}

func (f *hookFS) SyncDir(name string) error {
	return f.done(callSync, name, func() error { return f.FS.SyncDir(name) })
}

func (f *hookFS) SyncAll() error { return f.done(callSyncAll, ".", f.FS.SyncAll) }

func (f *hookFS) TryLock(name string) (io.Closer, error) {
	return hooked(f, callLock, name, func() (io.Closer, error) { return f.FS.TryLock(name) })
}

// hookDir is an open directory of a hookFS.
type hookDir struct {
	fsys.Dir
	f    *hookFS
	name string // with a slash
}

func (d hookDir) Entries() ([]fsys.Entry, error) {
	return hooked(d.f, callList, d.name, d.Dir.Entries)
}

func (d hookDir) ReadFile(name string, limit int64) ([]byte, error) {
	return hooked(d.f, callRead, d.name+name, func() ([]byte, error) { return d.Dir.ReadFile(name, limit) })
}

func (d hookDir) Stat(name string) (fsys.Info, error) {
	return hooked(d.f, callStat, d.name+name, func() (fsys.Info, error) { return d.Dir.Stat(name) })
}

func (d hookDir) Open(name string, limit int64) (r io.ReadCloser, in fsys.Info, err error) {
	r, err = hooked(d.f, callOpenFile, d.name+name, func() (r io.ReadCloser, err error) {
		r, in, err = d.Dir.Open(name, limit)
		return r, err
	})
	if err != nil {
		return nil, in, err
	}
	return hookReader{r, d.f, d.name + name}, in, nil
}

func (d hookDir) OpenDir(name string) (fsys.Dir, error) {
	sub, err := hooked(d.f, callOpen, d.name+name, func() (fsys.Dir, error) { return d.Dir.OpenDir(name) })
	if err != nil {
		return nil, err
	}
	return hookDir{sub, d.f, d.name + name + "/"}, nil
}

type hookReader struct {
	io.ReadCloser
	f    *hookFS
	name string
}

func (r hookReader) Read(b []byte) (n int, err error) {
	var end error // no failure
	err = r.f.done(callStream, r.name, func() error {
		if n, err = r.ReadCloser.Read(b); errors.Is(err, io.EOF) {
			end, err = err, nil
		}
		return err
	})
	return n, cmp.Or(err, end) // as it is: who reads to the end compares it with io.EOF
}

// hookFile is a file that is being written.
type hookFile struct {
	fsys.File
	f    *hookFS
	name string
}

func (w hookFile) Write(b []byte) (n int, err error) {
	carriedOut := false
	err = w.f.done(callWrite, w.name, func() error {
		carriedOut = true
		n, err = w.File.Write(b)
		return err
	})
	if err != nil && !carriedOut && w.f.torn {
		n, _ = w.File.Write(b[:len(b)/2])
	}
	return n, err
}

func (w hookFile) Sync() error { return w.f.done(callFsync, w.name, w.File.Sync) }

// moments counts the calls that look at files or change names, also those that are made side by side,
// and does something just before the nth, and before those after it.
type moments struct {
	acts []func()

	mu   sync.Mutex
	n    int  // counts down
	busy bool // what it does counts for nothing, nor does what follows the end
}

// atCall is a file system on which something happens just before the nth call, and whether it did.
func atCall(plain fsys.FS, n int, act func()) (fsys.FS, func() bool) {
	m := &moments{n: n, acts: []func(){act}}
	return &hookFS{FS: plain, before: m.before}, m.reached
}

func (m *moments) before(call, _ string) error {
	switch call {
	case callRead, callStat, callOpen, callCreate, callLink, callRename, callExchange, callRemove:
		m.mu.Lock()
		defer m.mu.Unlock()
		m.next()
	}
	return nil
}

func (m *moments) next() {
	if m.busy {
		return
	}
	m.n--
	if m.n > 0 || -m.n >= len(m.acts) {
		return
	}
	m.busy = true
	m.mu.Unlock()
	m.acts[-m.n]()
	m.mu.Lock()
	m.busy = false
}

// end does what is still to be done, if the first has been, and nothing from then on.
func (m *moments) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.n <= 0 && -m.n < len(m.acts)-1 {
		m.next()
	}
	m.busy = true
}

func (m *moments) reached() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n <= 0
}

// unprojected can no longer write anything once an entry is committed.
func unprojected() *hookFS {
	var committed atomic.Bool
	return &hookFS{before: func(call, _ string) error {
		if call == callCreate && committed.Load() {
			return errDead
		}
		return nil
	}, after: func(call, name string) {
		if call == callLink && strings.HasPrefix(name, layout.LogDir) {
			committed.Store(true)
		}
	}}
}

// only does something before one kind of call, and lets it be carried out.
func only(call string, do func(name string)) func(string, string) error {
	return func(c, name string) error {
		if c == call {
			do(name)
		}
		return nil
	}
}

// refusing fails calls of some kinds that are about one name.
func refusing(name string, err error, calls ...string) func(string, string) error {
	return func(c, n string) error {
		if n == name && slices.Contains(calls, c) {
			return &fs.PathError{Op: c, Path: n, Err: err}
		}
		return nil
	}
}
