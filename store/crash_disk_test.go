package store

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/leftovers"
)

// disk is a file system in memory that keeps a journal of everything that is done to it, from
// which images are made of what a disk may hold after the power went (crash_image_test.go).
// Files and directories keep their identity in an image, so that what is bound to it, such as
// a checkpoint, is believed or not as it would be on a disk.
type disk struct {
	mu    sync.Mutex
	root  *node
	lock  bool
	made  uint64 // nodes
	clock time.Time

	steps []crashStep
	base  int // steps up to here were durable when the journal began

	seal  string // a directory that refuses to be written from the next entry of the log on
	shut  bool
	lose  func(call string, nth int) bool // a sync that is answered and not carried out
	syncs map[string]int                  // how often what was asked for
	lost  int                             // steps before the first sync that was not carried out; 0: none
}

// node is a file or directory apart from its names.
type node struct {
	ino   uint64
	kids  map[string]*node // of a directory
	data  []byte
	links int
	mtime time.Time
}

func (n *node) dir() bool { return n.kids != nil }

func newDisk() *disk {
	// Long enough ago for marks to be trusted, and not so long that anything is left over.
	d := &disk{clock: time.Now().Add(-leftovers.Age / 2)}
	d.root = d.node(true)
	return d
}

func (d *disk) node(dir bool) *node {
	d.made++
	n := &node{ino: d.made, mtime: d.tick()}
	if dir {
		n.kids = map[string]*node{}
	}
	return n
}

func (d *disk) tick() time.Time {
	d.clock = d.clock.Add(time.Millisecond)
	return d.clock
}

// at finds a node, and the directory that it is in.
func (d *disk) at(name string) (in, n *node) {
	n = d.root
	if name == "." {
		return nil, n
	}
	for el := range strings.SplitSeq(name, "/") {
		if n == nil || !n.dir() {
			return nil, nil
		}
		in, n = n, n.kids[el]
	}
	return in, n
}

// put changes names at once: in the directories, and in the journal.
func (d *disk) put(effects ...nameEffect) {
	at := d.tick()
	for _, e := range effects {
		if was := e.dir.kids[e.name]; was != nil {
			was.links--
		}
		if delete(e.dir.kids, e.name); e.is != nil {
			e.dir.kids[e.name] = e.is
			e.is.links++
		}
		e.dir.mtime = at
	}
	d.steps = append(d.steps, crashStep{names: effects, time: at})
}

func (d *disk) write(n *node, at int, b []byte) {
	if need := at + len(b); need > len(n.data) {
		n.data = append(n.data, make([]byte, need-len(n.data))...)
	}
	n.data = slices.Clone(n.data) // who reads has the bytes of before
	copy(n.data[at:], b)
	n.mtime = d.tick()
	d.steps = append(d.steps, crashStep{write: n, at: at, data: bytes.Clone(b), time: n.mtime})
}

var syncKinds = []struct {
	re *regexp.Regexp
	is string
}{
	{regexp.MustCompile(`^tmp/task-[^/]*$`), "a new task"},
	{regexp.MustCompile(`^tmp/task-.*\.(json|md)$`), "a file of a new task"},
	{regexp.MustCompile(`^tmp/task-.*`), "a directory of a new task"},
	{regexp.MustCompile(`^tmp/(f|new|hint|merge|scores)-.*`), "a file"},
	{regexp.MustCompile(`^tmp/(entry|object|base|past)-.*`), "$1"},
	{regexp.MustCompile(`^objects/..$`), "objects/aa"},
	{regexp.MustCompile(`^reflections/.*`), "a day of reflections"},
	{regexp.MustCompile(`^tasks/[^/]*$`), "a task"},
	{regexp.MustCompile(`^tasks/.*`), "a directory of a task"},
}

// kindOf is what a sync is of: the names that are random or a task's own left out.
func kindOf(call, name string) string {
	for _, k := range syncKinds {
		if k.re.MatchString(name) {
			return call + " " + k.re.ReplaceAllString(name, k.is)
		}
	}
	return call + " " + name
}

func (d *disk) synced(call, name string, s crashStep) {
	kind := kindOf(call, name)
	if d.syncs == nil {
		d.syncs = map[string]int{}
	}
	d.syncs[kind]++
	switch {
	case d.lose == nil || !d.lose(kind, d.syncs[kind]):
		d.steps = append(d.steps, s)
	case d.lost == 0:
		d.lost = len(d.steps)
	}
}

// ownUID is asked for once: files are looked at a hundred thousand times.
var ownUID = uint32(os.Geteuid()) //nolint:gosec // a uid

func (n *node) info() fsys.Info {
	in := fsys.Info{Size: int64(len(n.data)), Links: uint64(n.links), Dev: 1, Ino: n.ino, UID: ownUID, ModTime: n.mtime}
	if n.dir() {
		in.Type = fs.ModeDir
	}
	return in
}

func diskError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// change looks up names and lets do change something; a name must have a directory.
func (d *disk) change(op string, names []string, do func(in, is []*node) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	in, is := make([]*node, len(names)), make([]*node, len(names))
	for i, name := range names {
		var dir *node
		if d.shut && strings.HasPrefix(name, d.seal+"/") {
			return diskError(op, name, fs.ErrPermission)
		}
		if _, dir = d.at(path.Dir(name)); dir == nil || !dir.dir() {
			return diskError(op, name, fs.ErrNotExist)
		}
		in[i], is[i] = dir, dir.kids[path.Base(name)]
	}
	return diskError(op, names[0], do(in, is))
}

func (d *disk) Create(name string) (fsys.File, error) {
	var f *diskFile
	err := d.change("create", []string{name}, func(in, is []*node) error {
		if is[0] != nil {
			return fs.ErrExist
		}
		f = &diskFile{d, name, d.node(false)}
		d.put(nameEffect{in[0], f.n, path.Base(name)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *disk) Overwrite(name string, b []byte) error {
	return d.change("write", []string{name}, func(in, is []*node) error {
		n := is[0]
		if n == nil {
			n = d.node(false)
			d.put(nameEffect{in[0], n, path.Base(name)})
		}
		d.write(n, 0, b)
		return nil
	})
}

func (d *disk) Append(name string) (fsys.File, int64, error) {
	d.mu.Lock()
	_, n := d.at(name)
	d.mu.Unlock()
	if n == nil {
		f, err := d.Create(name)
		return f, 0, err
	}
	return &diskFile{d, name, n}, int64(len(n.data)), nil
}

func (d *disk) ReadPart(name string, offset int64, most int) ([]byte, int64, error) {
	b, err := d.ReadFile(name, layout.MaxObject)
	size := int64(len(b))
	from := fsys.ClampOffset(offset, size)
	return b[from:min(from+int64(most), size)], size, err
}

func (d *disk) Link(a, b string) error {
	return d.change("link", []string{a, b}, func(in, is []*node) error {
		switch {
		case is[0] == nil:
			return fs.ErrNotExist
		case is[1] != nil:
			return fs.ErrExist
		}
		d.put(nameEffect{in[1], is[0], path.Base(b)})
		d.shut = d.shut || d.seal != "" && strings.HasPrefix(b, layout.LogDir+"/0")
		return nil
	})
}

func (d *disk) Rename(a, b string) error {
	return d.change("rename", []string{a, b}, func(in, is []*node) error {
		switch {
		case is[0] == nil:
			return fs.ErrNotExist
		case is[1] != nil && is[0].dir() != is[1].dir():
			return syscall.EISDIR
		case is[1] != nil && len(is[1].kids) > 0:
			return syscall.ENOTEMPTY
		}
		d.put(nameEffect{in[1], is[0], path.Base(b)}, nameEffect{in[0], nil, path.Base(a)})
		return nil
	})
}

func (d *disk) Exchange(a, b string) error {
	return d.change("exchange", []string{a, b}, func(in, is []*node) error {
		if is[0] == nil || is[1] == nil {
			return fs.ErrNotExist
		}
		d.put(nameEffect{in[1], is[0], path.Base(b)}, nameEffect{in[0], is[1], path.Base(a)})
		return nil
	})
}

func (d *disk) Remove(name string) error {
	return d.change("remove", []string{name}, func(in, is []*node) error {
		switch {
		case is[0] == nil:
			return fs.ErrNotExist
		case len(is[0].kids) > 0:
			return syscall.ENOTEMPTY
		}
		d.put(nameEffect{in[0], nil, path.Base(name)})
		return nil
	})
}

func (d *disk) Mkdir(name string) error {
	return d.change("mkdir", []string{name}, func(in, is []*node) error {
		if is[0] != nil {
			return fs.ErrExist
		}
		d.put(nameEffect{in[0], d.node(true), path.Base(name)})
		return nil
	})
}

func (d *disk) SyncDir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, n := d.at(name)
	if n == nil {
		return diskError("sync", name, fs.ErrNotExist)
	}
	d.synced("syncdir", name, crashStep{sync: n})
	return nil
}

func (d *disk) SyncAll() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced("syncall", ".", crashStep{syncAll: true})
	return nil
}

type diskLock struct{ d *disk }

func (l diskLock) Close() error {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	l.d.lock = false
	return nil
}

func (d *disk) TryLock(string) (io.Closer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock {
		return nil, fsys.ErrLocked
	}
	d.lock = true
	return diskLock{d}, nil
}

func (d *disk) Stat(name string) (fsys.Info, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, n := d.at(name); n != nil {
		return n.info(), nil
	}
	return fsys.Info{}, diskError("stat", name, fs.ErrNotExist)
}

func (d *disk) ReadFile(name string, limit int64) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, n := d.at(name)
	if n == nil {
		return nil, diskError("read", name, fs.ErrNotExist)
	}
	return n.data, fsys.CheckReadable(name, n.info(), limit)
}

func (d *disk) Map(name string, limit int64) ([]byte, error) { return d.ReadFile(name, limit) }
func (d *disk) Release()                                     {}
func (d *disk) ReadBeside(name string, _ int64) ([]byte, error) {
	return nil, diskError("read", name, fs.ErrNotExist)
}

func (d *disk) Writable(name string) error {
	_, err := d.Stat(name)
	return err
}
func (d *disk) Reopen() (bool, error) { return false, nil }
func (d *disk) Named() error          { return nil }
func (d *disk) Close() error          { return nil }

func (d *disk) OpenDir(name string) (fsys.Dir, error) {
	in, err := d.Stat(name)
	if err != nil {
		return nil, err
	}
	if in.Type != fs.ModeDir {
		return nil, &fsys.NotRegularError{Path: name, What: fsys.Describe(in.Type) + " where a directory belongs"}
	}
	return openFolder{d, name}, nil
}

type openFolder struct {
	d    *disk
	name string
}

func (r openFolder) full(name string) string { return path.Join(r.name, name) }

func (r openFolder) ReadFile(name string, limit int64) ([]byte, error) {
	return r.d.ReadFile(r.full(name), limit)
}
func (r openFolder) OpenDir(name string) (fsys.Dir, error) { return r.d.OpenDir(r.full(name)) }
func (r openFolder) Stat(name string) (fsys.Info, error)   { return r.d.Stat(r.full(name)) }
func (r openFolder) Close() error                          { return nil }

func (r openFolder) Open(name string, limit int64) (io.ReadCloser, fsys.Info, error) {
	b, err := r.ReadFile(name, limit)
	if err != nil {
		return nil, fsys.Info{}, err
	}
	in, err := r.Stat(name)
	return io.NopCloser(bytes.NewReader(b)), in, err
}

func (r openFolder) Entries() ([]fsys.Entry, error) {
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	_, n := r.d.at(r.name)
	if n == nil {
		return nil, nil // removed since it was opened
	}
	var es []fsys.Entry
	for name, kid := range n.kids {
		es = append(es, fsys.Entry{Name: name, Type: kid.info().Type})
	}
	slices.SortFunc(es, func(a, b fsys.Entry) int { return cmp.Compare(a.Name, b.Name) })
	return es, nil
}

type diskFile struct {
	d    *disk
	name string
	n    *node
}

func (f *diskFile) Write(b []byte) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	f.d.write(f.n, len(f.n.data), b)
	return len(b), nil
}

func (f *diskFile) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	f.d.synced("fsync", f.name, crashStep{sync: f.n})
	return nil
}

func (f *diskFile) Close() error { return nil }

// edit is somebody else who writes a file the way editors do.
func (d *disk) edit(name, body string) error {
	if err := durable.IgnoreMissing(d.Remove(name)); err != nil {
		return err
	}
	f, err := d.Create(name)
	if err == nil {
		_, err = f.Write([]byte(body))
	}
	return err
}

// files are all files.
func (d *disk) files() map[string]string {
	out := map[string]string{}
	var walk func(at string, n *node)
	walk = func(at string, n *node) {
		for name, kid := range n.kids {
			if name = path.Join(at, name); kid.dir() {
				walk(name, kid)
			} else {
				out[name] = string(kid.data)
			}
		}
	}
	walk(".", d.root)
	return out
}
