package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vespe/model"
)

// node is a file or directory apart from its names.
type node struct {
	dir   bool
	mtime time.Time
}

// crashStep is one call as a journal sees it. Names are effects on directories, so that each
// can be lost without the others.
type crashStep struct {
	names   []nameEffect // at once or not at all
	write   *node        // data was written to it
	at      int          // where
	data    []byte
	sync    *node // its data is durable, or its names if it is a directory
	syncAll bool
	acked   uint64 // from here on this entry must survive
}

type nameEffect struct {
	dir, is *node
	name    string
}

// crashFS does everything and keeps a journal of it, from which images are made of what a
// disk may hold after the power went.
type crashFS struct {
	FS
	mu    sync.Mutex
	names map[string]*node // of what is there now
	size  map[*node]int
	steps []crashStep
	base  int // steps up to here were durable when the journal began
	drop  func(call, name string) bool
}

// newCrashFS begins a journal with what a store holds, durably.
func newCrashFS(t *testing.T, fsys FS, root string) *crashFS {
	t.Helper()
	f := &crashFS{FS: fsys, names: map[string]*node{".": {dir: true}}, size: map[*node]int{}}
	dir := filepath.Join(root, Name)
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		if err != nil || rel == "." {
			return err
		}
		in, err := d.Info()
		if err != nil {
			return err
		}
		n := f.add(filepath.ToSlash(rel), d.IsDir(), in.ModTime())
		if d.IsDir() {
			return nil
		}
		b, err := os.ReadFile(p)
		f.wrote(n, 0, b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	f.base = len(f.steps)
	return f
}

func (f *crashFS) add(name string, dir bool, at time.Time) *node {
	n := &node{dir: dir, mtime: at}
	f.names[name] = n
	f.steps = append(f.steps, crashStep{names: []nameEffect{{f.names[path.Dir(name)], n, path.Base(name)}}})
	return n
}

func (f *crashFS) wrote(n *node, at int, b []byte) {
	f.size[n] = max(f.size[n], at+len(b))
	f.steps = append(f.steps, crashStep{write: n, at: at, data: append([]byte(nil), b...)})
}

// move gives what is at one name, and below it, another.
func (f *crashFS) move(from, to string) {
	for name, n := range f.names {
		if rest, ok := strings.CutPrefix(name, from); ok && (rest == "" || rest[0] == '/') {
			delete(f.names, name)
			f.names[to+rest] = n
		}
	}
}

func (f *crashFS) effect(name string, n *node) nameEffect {
	return nameEffect{f.names[path.Dir(name)], n, path.Base(name)}
}

func (f *crashFS) record(err error, then func()) error {
	if err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		then()
	}
	return err
}

func (f *crashFS) Create(name string) (File, error) {
	file, err := f.FS.Create(name)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return &crashFile{file, f, name, f.add(name, false, time.Time{})}, nil
}

func (f *crashFS) Overwrite(name string, b []byte) error {
	return f.record(f.FS.Overwrite(name, b), func() {
		n := f.names[name]
		if n == nil {
			n = f.add(name, false, time.Time{})
		}
		f.wrote(n, 0, b)
	})
}

func (f *crashFS) Link(a, b string) error {
	return f.record(f.FS.Link(a, b), func() {
		n := f.names[a]
		if in, err := f.Stat(b); err == nil {
			n.mtime = in.ModTime
		}
		f.names[b] = n
		f.steps = append(f.steps, crashStep{names: []nameEffect{f.effect(b, n)}})
	})
}

func (f *crashFS) Rename(a, b string) error {
	return f.record(f.FS.Rename(a, b), func() {
		n := f.names[a]
		f.steps = append(f.steps, crashStep{names: []nameEffect{f.effect(b, n), f.effect(a, nil)}})
		f.move(a, b)
	})
}

func (f *crashFS) Exchange(a, b string) error {
	return f.record(f.FS.Exchange(a, b), func() {
		x, y := f.names[a], f.names[b] // files only
		f.names[a], f.names[b] = y, x
		f.steps = append(f.steps, crashStep{names: []nameEffect{f.effect(b, x), f.effect(a, y)}})
	})
}

func (f *crashFS) Remove(name string) error {
	return f.record(f.FS.Remove(name), func() {
		f.steps = append(f.steps, crashStep{names: []nameEffect{f.effect(name, nil)}})
		delete(f.names, name)
	})
}

func (f *crashFS) Mkdir(name string) error {
	return f.record(f.FS.Mkdir(name), func() { f.add(name, true, time.Time{}) })
}

func (f *crashFS) SyncDir(name string) error {
	return f.record(f.FS.SyncDir(name), func() {
		if f.drop == nil || !f.drop("syncdir", name) {
			f.steps = append(f.steps, crashStep{sync: f.names[name]})
		}
	})
}

func (f *crashFS) SyncAll() error {
	return f.record(f.FS.SyncAll(), func() { f.steps = append(f.steps, crashStep{syncAll: true}) })
}

type crashFile struct {
	File
	f    *crashFS
	name string
	n    *node
}

func (w *crashFile) Write(b []byte) (int, error) {
	n, err := w.File.Write(b)
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	w.f.wrote(w.n, w.f.size[w.n], b[:n])
	return n, err
}

func (w *crashFile) Sync() error {
	return w.f.record(w.File.Sync(), func() {
		if w.f.drop == nil || !w.f.drop("fsync", w.name) {
			w.f.steps = append(w.f.steps, crashStep{sync: w.n})
		}
	})
}

// Ways in which names that were not made durable survive.
const (
	inOrder    = iota // one journal for all: a prefix
	byDir             // a prefix for each directory
	anySubset         // each by itself
	crashModes        // how many there are
)

const sector = 512

// crash is what the disk may hold when the power goes after the first k steps.
func (f *crashFS) crash(k, mode int, r *rand.Rand, root string) error {
	durable := func(i int, s *crashStep) bool {
		for j := i + 1; j < k; j++ {
			if n := f.steps[j].sync; f.steps[j].syncAll || n != nil && (n == s.write || len(s.names) > 0 && n == s.names[0].dir) {
				return true
			}
		}
		return i < f.base
	}
	upTo, cut := f.base+r.IntN(k-f.base+1), map[*node]int{}
	for i := range k {
		if len(f.steps[i].names) > 0 && mode == inOrder && durable(i, &f.steps[i]) {
			upTo = max(upTo, i+1)
		}
	}
	entries, data := map[*node]map[string]*node{}, map[*node][]byte{}
	for i := range k {
		s := &f.steps[i]
		kept := durable(i, s)
		if len(s.names) > 0 {
			dir := s.names[0].dir
			if _, ok := cut[dir]; !ok {
				cut[dir] = f.base + r.IntN(k-f.base+1)
			}
			switch mode {
			case inOrder:
				kept = i < upTo
			case byDir:
				kept = kept || i < cut[dir]
			default:
				kept = kept || r.IntN(2) == 0
			}
			if !kept {
				continue
			}
			for _, e := range s.names {
				if entries[e.dir] == nil {
					entries[e.dir] = map[string]*node{}
				}
				if e.is == nil {
					delete(entries[e.dir], e.name)
				} else {
					entries[e.dir][e.name] = e.is
				}
			}
		}
		if s.write != nil {
			data[s.write] = tear(data[s.write], s, kept, r)
		}
	}
	return layImage(filepath.Join(root, Name), f.names["."], entries, data)
}

// tear writes to a file; what is not durable ends somewhere, and sectors of it may be missing.
func tear(was []byte, s *crashStep, durable bool, r *rand.Rand) []byte {
	end := len(s.data)
	whole := durable || r.IntN(3) == 0
	if !whole {
		end = min(end, r.IntN(len(s.data)/sector+2)*sector)
	}
	if need := s.at + end; need > len(was) {
		was = append(was, make([]byte, need-len(was))...)
	}
	for i := 0; i < end; i += sector {
		if whole || r.IntN(4) > 0 {
			copy(was[s.at+i:], s.data[i:min(i+sector, end)])
		}
	}
	return was
}

func layImage(at string, dir *node, entries map[*node]map[string]*node, data map[*node][]byte) error {
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	for name, n := range entries[dir] {
		p := filepath.Join(at, name)
		if n.dir {
			if err := layImage(p, n, entries, data); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(p, data[n], 0o644); err != nil {
			return err
		}
		if !n.mtime.IsZero() {
			if err := os.Chtimes(p, n.mtime, n.mtime); err != nil {
				return err
			}
		}
	}
	return nil
}

// crashRun is a journal of two transactions, and what the store said after each.
type crashRun struct {
	f     *crashFS
	ops   []model.Op
	was   uint64
	dumps map[uint64]string
}

func recordRun(t *testing.T, sc scenario, drop func(call, name string) bool) *crashRun {
	t.Helper()
	root := fastDir(t)
	template, err := Init(root, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	run := &crashRun{ops: sc.setUp(t, template), dumps: map[uint64]string{}}
	if err := template.Close(); err != nil {
		t.Fatal(err)
	}
	opt := Options{Now: newClock().now, Rand: entropy(7)}
	opt.FS = func(root string) (FS, error) {
		fsys, err := OpenFS(root)
		if err == nil {
			run.f = newCrashFS(t, fsys, root)
			run.f.drop = drop
		}
		return run.f, err
	}
	s := open(t, root, opt)
	s.many = 12
	snap := load(t, s)
	run.was, run.dumps[snap.Seq()] = snap.Seq(), dump(snap)
	after := model.Op{ID: "after", Name: model.CreateTask, Actor: ann, New: &model.NewTask{UID: "tsk-after", Name: "after", Objective: "x\n"}}
	for _, ops := range [][]model.Op{run.ops, {after}} {
		a := do(t, s, ops...)
		run.f.steps = append(run.f.steps, crashStep{acked: a.Seq})
		fresh := open(t, root, Options{ReadOnly: true})
		run.dumps[a.Seq] = dump(load(t, fresh))
	}
	return run
}

// check makes one image, opens it and says what is wrong with it.
func (run *crashRun) check(k, mode int, seed uint64, root string) error {
	r := rand.New(rand.NewPCG(seed, uint64(k*crashModes+mode)))
	if err := run.f.crash(k, mode, r, root); err != nil {
		return err
	}
	s, err := Open(root, Options{Now: newClock().now, Rand: entropy(seed + 1000)})
	if err != nil {
		return err
	}
	defer s.Close()
	snap, err := s.Load(context.Background(), nil)
	if err != nil {
		return err
	}
	acked := run.was
	for _, step := range run.f.steps[:k] {
		acked = max(acked, step.acked)
	}
	want, known := run.dumps[snap.Seq()]
	switch {
	case snap.Seq() < acked:
		return fmt.Errorf("the acknowledged transaction %d is lost", acked)
	case !known || dump(snap) != want:
		return fmt.Errorf("at entry %d the store is not what it was: %+v", snap.Seq(), snap.Problems())
	}
	a, err := s.DoAll(context.Background(), run.ops)
	if err != nil {
		return fmt.Errorf("repeated: %w", err)
	}
	if a.Replayed != (snap.Seq() > run.was) || a.Seq != run.was+1 || len(a.Warnings) > 0 {
		return fmt.Errorf("repeated: entry %d, replayed %v, %v", a.Seq, a.Replayed, a.Warnings)
	}
	return nil
}

// sweep checks images of every point; it ends at the first bad one.
func (run *crashRun) sweep(t *testing.T, images int) (states int, bad error) {
	t.Helper()
	dir := fastDir(t)
	for k := run.f.base; k <= len(run.f.steps); k++ {
		for mode := range crashModes {
			for i := range images {
				root := filepath.Join(dir, fmt.Sprint(states))
				err := run.check(k, mode, uint64(i), root)
				states++
				if rm := os.RemoveAll(root); rm != nil {
					t.Fatal(rm)
				}
				if err != nil {
					return states, fmt.Errorf("after %d of %d steps, mode %d, image %d: %w", k-run.f.base, len(run.f.steps)-run.f.base, mode, i, err)
				}
			}
		}
	}
	return states, nil
}

// TestPowerCut cuts the power after every step of two transactions, and looks at what a disk
// may hold then: data only as far as it was synced, names only of directories that were, of
// everything else any part.
func TestPowerCut(t *testing.T) {
	var total atomic.Int64
	t.Run("all", func(t *testing.T) {
		for _, sc := range scenarios() {
			t.Run(sc.name, func(t *testing.T) {
				t.Parallel()
				states, bad := recordRun(t, sc, nil).sweep(t, 12)
				total.Add(int64(states))
				if bad != nil {
					t.Error(bad)
				}
			})
		}
	})
	t.Logf("%d states", total.Load())
}

// TestPowerCutIsNoticed leaves out what the promise rests on: a sweep that finds nothing then
// would find nothing ever.
func TestPowerCutIsNoticed(t *testing.T) {
	for name, drop := range map[string]func(call, name string) bool{
		"entries not synced": func(call, name string) bool { return call == "fsync" && strings.HasPrefix(name, tmpDir+"/entry-") },
		"log not synced":     func(call, name string) bool { return call == "syncdir" && name == logDir },
		"tasks not synced":   func(call, name string) bool { return call == "syncdir" && strings.HasPrefix(name, tasksDir) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, sc := range scenarios()[:3] {
				if _, bad := recordRun(t, sc, drop).sweep(t, 8); bad != nil {
					return
				}
			}
			t.Error("no image showed it")
		})
	}
}
