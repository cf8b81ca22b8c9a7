package fsys

import (
	"bytes"
	"encoding/binary"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// systemWatcher is inotify. It keeps four bytes a directory: names are not needed to know
// which one an event is about.
type systemWatcher struct {
	file   *os.File
	events chan Change
	lost   chan error
	done   chan struct{}

	mu   sync.Mutex
	dirs []int32         // by watch descriptor: the number, counted from 1 or below 0; 0 for none
	far  map[int32]int32 // the same for descriptors beyond those: they are never given twice
}

const (
	watchedChanges = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_MOVE |
		unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW
	watchBuffer = 64 << 10
	nearWatches = 1 << 20
)

func NewWatcher() (Watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	w := &systemWatcher{
		file: os.NewFile(uintptr(fd), "inotify"), events: make(chan Change), lost: make(chan error), done: make(chan struct{}),
	}
	go w.read()
	return w, nil
}

func (w *systemWatcher) Events() <-chan Change { return w.events }
func (w *systemWatcher) Lost() <-chan error    { return w.lost }

func (w *systemWatcher) Close() error {
	close(w.done)
	return w.file.Close()
}

func (w *systemWatcher) Add(path string, dir int32) error {
	w.mu.Lock() // until the descriptor is known: its first event may be there before
	defer w.mu.Unlock()
	wd, err := w.control(func(fd int) (int, error) { return unix.InotifyAddWatch(fd, path, watchedChanges) })
	if err != nil {
		return err
	}
	if dir >= 0 {
		dir++ // 0 is none
	}
	w.put(int32(wd), dir)
	return nil
}

// control calls the system with the descriptor, which stays open meanwhile.
func (w *systemWatcher) control(call func(fd int) (int, error)) (n int, err error) {
	raw, err := w.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	if cerr := raw.Control(func(fd uintptr) { n, err = call(int(fd)) }); cerr != nil {
		return 0, cerr
	}
	return n, err
}

func (w *systemWatcher) put(wd, value int32) {
	switch {
	case wd >= nearWatches && value == 0:
		delete(w.far, wd)
	case wd >= nearWatches:
		if w.far == nil {
			w.far = map[int32]int32{}
		}
		w.far[wd] = value
	default:
		for int(wd) >= len(w.dirs) {
			w.dirs = append(w.dirs, 0)
		}
		w.dirs[wd] = value
	}
}

// dir is the number of a watch descriptor.
func (w *systemWatcher) dir(wd int32) (int32, bool) {
	value := int32(0)
	if wd >= nearWatches {
		value = w.far[wd]
	} else if wd >= 0 && int(wd) < len(w.dirs) {
		value = w.dirs[wd]
	}
	if value > 0 {
		return value - 1, true
	}
	return value, value != 0
}

// read passes on what the system tells, until it is closed.
func (w *systemWatcher) read() {
	defer close(w.events)
	buf := make([]byte, watchBuffer)
	for {
		n, err := w.file.Read(buf)
		if err != nil {
			return
		}
		if !w.pass(buf[:n]) {
			return
		}
	}
}

// pass reports the events in b; false once nobody listens. A task that is written to causes many in a row, of which
// one is enough.
func (w *systemWatcher) pass(b []byte) bool {
	var last Change
	told := false
	for len(b) >= unix.SizeofInotifyEvent {
		wd := int32(binary.NativeEndian.Uint32(b))
		mask := binary.NativeEndian.Uint32(b[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		if end > len(b) {
			return true // no kernel writes that
		}
		name := bytes.TrimRight(b[unix.SizeofInotifyEvent:end], "\x00")
		b = b[end:]
		if mask&unix.IN_Q_OVERFLOW != 0 {
			select {
			case w.lost <- ErrOverflow:
			case <-w.done:
				return false
			}
			continue
		}
		c, ok := w.change(wd, mask, name)
		if !ok || told && c == last {
			continue
		}
		select {
		case w.events <- c:
			last, told = c, true
		case <-w.done:
			return false
		}
	}
	return true
}

func (w *systemWatcher) change(wd int32, mask uint32, name []byte) (Change, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	dir, ok := w.dir(wd)
	if !ok {
		return Change{}, false
	}
	c := Change{Dir: dir, Gone: mask&(unix.IN_IGNORED|unix.IN_MOVE_SELF|unix.IN_DELETE_SELF|unix.IN_UNMOUNT) != 0}
	if c.Gone {
		w.put(wd, 0)
	}
	if mask&unix.IN_MOVE_SELF != 0 {
		// Otherwise it stays watched under its new name. A watch that has ended is no error.
		_, _ = w.control(func(fd int) (int, error) { return unix.InotifyRmWatch(fd, uint32(wd)) })
	}
	if dir < 0 {
		c.Name = string(name)
	}
	return c, true
}
