package store

import (
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"vespe/store/fsys"
	"vespe/store/layout"
)

// The calls of a hookFS.
const (
	callRead      = "read"
	callMap       = "map"
	callOpen      = "open a directory"
	callStat      = "stat"
	callAccess    = "access"
	callCreate    = "create"
	callOverwrite = "overwrite"
	callAppend    = "append"
	callLink      = "link"
	callRename    = "rename"
	callExchange  = "exchange"
	callRemove    = "remove"
	callMkdir     = "mkdir"
	callSync      = "sync"
	callSyncAll   = "sync everything"
	callLock      = "lock"
)

// hookFS lets something happen before and after each call of another file system. Of two names a
// call is told by the second, the one that is made or replaced. Calls are made side by side: what
// happens looks at the call and the name before anything that it has in common with others.
type hookFS struct {
	fsys.FS
	before func(call, name string) error // an error is the call's answer; nil does nothing
	after  func(call, name string)       // of calls that succeeded; nil does nothing
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

func hooked[T any](f *hookFS, call, name string, do func() (T, error)) (answer T, err error) {
	if f.before != nil {
		if err := f.before(call, name); err != nil {
			return answer, err
		}
	}
	answer, err = do()
	if err == nil && f.after != nil {
		f.after(call, name)
	}
	return answer, err
}

func (f *hookFS) done(call, name string, do func() error) error {
	_, err := hooked(f, call, name, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

func (f *hookFS) ReadFile(name string, limit int64) ([]byte, error) {
	return hooked(f, callRead, name, func() ([]byte, error) { return f.FS.ReadFile(name, limit) })
}

func (f *hookFS) Map(name string, limit int64) ([]byte, error) {
	return hooked(f, callMap, name, func() ([]byte, error) { return f.FS.Map(name, limit) })
}

func (f *hookFS) OpenDir(name string) (fsys.Dir, error) {
	return hooked(f, callOpen, name, func() (fsys.Dir, error) { return f.FS.OpenDir(name) })
}

func (f *hookFS) Stat(name string) (fsys.Info, error) {
	return hooked(f, callStat, name, func() (fsys.Info, error) { return f.FS.Stat(name) })
}

func (f *hookFS) Writable(name string) error {
	return f.done(callAccess, name, func() error { return f.FS.Writable(name) })
}

func (f *hookFS) Create(name string) (fsys.File, error) {
	return hooked(f, callCreate, name, func() (fsys.File, error) { return f.FS.Create(name) })
}

func (f *hookFS) Append(name string) (file fsys.File, size int64, err error) {
	file, err = hooked(f, callAppend, name, func() (file fsys.File, err error) {
		file, size, err = f.FS.Append(name)
		return file, err
	})
	return file, size, err
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
