//go:build torture && linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// A disk is a file of a FUSE file system, which a loop device makes a block device: it keeps a
// journal of what is written and flushed, and afterwards shows what it may hold when the power
// went at any point of that. It lives in a process of its own: one that waits for a file system
// must not be the one that the file system waits for.

// diskEnv makes the test binary such a process: the directory to mount at.
const diskEnv = "VESPE_TEST_DISK"

func init() { //nolint:gochecknoinits // a disk has no use for what TestMain prepares
	dir := os.Getenv(diskEnv)
	if dir == "" {
		return
	}
	if err := serveDisk(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// diskCall is what a disk is asked on its standard input, one a line.
type diskCall struct {
	Do    string // load, record, mark, stop, show
	Path  string // load: what the disk begins with
	Torn  int    // load: of a write that was not flushed, a multiple of so many bytes may be there
	Every int    // stop: subsets of what was not flushed, at each flush
	State int    // show: which
}

// diskAnswer is what it says.
type diskAnswer struct {
	Error                          string
	Writes, Flushes, Marks, States int    // stop
	Acked                          int    // show: marks that were made before the power went
	What                           string // show
}

const block = 4096

// image is what a disk holds: blocks that nobody changes, so that images may share them.
type image map[int64][]byte

func (im image) write(off int64, data []byte) {
	for len(data) > 0 {
		n, from := off/block, int(off%block)
		b := make([]byte, block)
		copy(b, im[n])
		done := copy(b[from:], data)
		im[n] = b
		off, data = off+int64(done), data[done:]
	}
}

// diskEvent is a write, a flush or a mark.
type diskEvent struct {
	kind byte // w, f, m
	off  int64
	data []byte
}

// diskState is a point in the journal: what was written before `durable` is there, of what was
// written from there up to `end` a prefix or some.
type diskState struct {
	durable, end, upTo int
	subset             bool
}

type blockDisk struct {
	fs.Inode
	mu      sync.Mutex
	size    int64
	torn    int
	now     image // what is shown
	begin   image
	record  bool
	journal []diskEvent
	states  []diskState

	at   int   // how much of the journal is in held
	held image // what is durable at a state
}

func (d *blockDisk) read(dest []byte, off int64) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	dest = dest[:max(min(int64(len(dest)), d.size-off), 0)]
	clear(dest)
	for done := 0; done < len(dest); {
		at := off + int64(done)
		from := int(at % block)
		n := min(block-from, len(dest)-done)
		if b := d.now[at/block]; b != nil {
			copy(dest[done:done+n], b[from:])
		}
		done += n
	}
	return len(dest)
}

func (d *blockDisk) write(data []byte, off int64) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if off+int64(len(data)) > d.size {
		return syscall.ENOSPC
	}
	d.now.write(off, data)
	if d.record {
		d.journal = append(d.journal, diskEvent{'w', off, append([]byte(nil), data...)})
	}
	return 0
}

func (d *blockDisk) note(kind byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.record {
		d.journal = append(d.journal, diskEvent{kind: kind})
	}
}

// plan lists the states: after every write, and at every flush some subsets of what was written
// since the one before, of which the first is none of it.
func (d *blockDisk) plan(subsets int) {
	durable := 0
	for i, e := range d.journal {
		last := i == len(d.journal)-1
		if e.kind == 'w' {
			d.states = append(d.states, diskState{durable: durable, end: i + 1, upTo: i + 1})
		}
		if e.kind == 'f' || last {
			d.states = append(d.states, diskState{durable: durable, end: i + 1, upTo: durable})
			for range subsets {
				d.states = append(d.states, diskState{durable: durable, end: i + 1, subset: true})
			}
		}
		if e.kind == 'f' {
			durable = i + 1
		}
	}
}

const sector = 512

// show makes the disk hold a state.
func (d *blockDisk) show(n int) diskAnswer {
	st := d.states[n]
	if d.held == nil || st.durable < d.at {
		d.at, d.held = 0, d.begin.clone()
	}
	for ; d.at < st.durable; d.at++ {
		if e := d.journal[d.at]; e.kind == 'w' {
			d.held.write(e.off, e.data)
		}
	}
	d.now = d.held.clone()
	a := diskAnswer{What: fmt.Sprintf("state %d: events %d to %d", n, st.durable, st.end)}
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for i, e := range d.journal[:st.end] {
		switch {
		case e.kind == 'm':
			a.Acked++
		case e.kind != 'w' || i < st.durable:
		case !st.subset && i < st.upTo:
			d.now.write(e.off, e.data)
		case st.subset && r.IntN(2) == 0:
			data := e.data
			if len(data) > d.torn && r.IntN(4) == 0 {
				data = data[:d.torn*(1+r.IntN(len(data)/d.torn))]
			}
			d.now.write(e.off, data)
		}
	}
	return a
}

func (im image) clone() image {
	c := make(image, len(im))
	for n, b := range im {
		c[n] = b
	}
	return c
}

func (d *blockDisk) answer(c diskCall) diskAnswer {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch c.Do {
	case "load":
		body, err := os.ReadFile(c.Path)
		if err != nil {
			return diskAnswer{Error: err.Error()}
		}
		d.size, d.torn, d.now = int64(len(body)), c.Torn, image{}
		zero := make([]byte, block)
		for off := 0; off < len(body); off += block {
			if b := body[off:min(off+block, len(body))]; string(b) != string(zero[:len(b)]) {
				d.now.write(int64(off), b)
			}
		}
	case "record":
		d.begin, d.record = d.now.clone(), true
	case "mark":
		d.journal = append(d.journal, diskEvent{kind: 'm'})
	case "stop":
		d.record = false
		d.plan(c.Every)
		a := diskAnswer{States: len(d.states)}
		for _, e := range d.journal {
			switch e.kind {
			case 'w':
				a.Writes++
			case 'f':
				a.Flushes++
			case 'm':
				a.Marks++
			}
		}
		return a
	case "show":
		return d.show(c.State)
	}
	return diskAnswer{}
}

// The file of the disk, and the directory that it is in.

func (d *blockDisk) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

func (d *blockDisk) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	out.Mode, out.Size = 0o600, uint64(d.size)
	return 0
}

func (d *blockDisk) Setattr(ctx context.Context, fh fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return d.Getattr(ctx, fh, out)
}

func (d *blockDisk) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	return fuse.ReadResultData(dest[:d.read(dest, off)]), 0
}

func (d *blockDisk) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	return uint32(len(data)), d.write(data, off)
}

func (d *blockDisk) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	d.note('f')
	return 0
}

// Allocate is what a discard becomes.
func (d *blockDisk) Allocate(context.Context, fs.FileHandle, uint64, uint64, uint32) syscall.Errno {
	return syscall.EOPNOTSUPP
}

type diskRoot struct {
	fs.Inode
	disk *blockDisk
}

func (r *diskRoot) OnAdd(ctx context.Context) {
	r.AddChild("disk", r.NewPersistentInode(ctx, r.disk, fs.StableAttr{Mode: fuse.S_IFREG}), false)
}

func serveDisk(dir string) error {
	d := &blockDisk{now: image{}}
	srv, err := fs.Mount(dir, &diskRoot{disk: d}, &fs.Options{MountOptions: fuse.MountOptions{DirectMount: true, MaxWrite: 256 << 10, FsName: "vespe-torture"}})
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGINT)
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	if err := out.Encode(diskAnswer{}); err != nil {
		return err
	}
	for {
		var c diskCall
		if err := in.Decode(&c); err != nil {
			return srv.Unmount()
		}
		if err := out.Encode(d.answer(c)); err != nil {
			return err
		}
	}
}

// TestTortureDisk: the disk of these tests says what it was told.
func TestTortureDisk(t *testing.T) {
	d := &blockDisk{now: image{}, size: 4 * block, torn: 2}
	tell := func(off int64, text string) {
		if errno := d.write([]byte(text), off); errno != 0 {
			t.Fatal(errno)
		}
	}
	tell(block-2, "begin")
	d.answer(diskCall{Do: "record"})
	tell(0, "one")
	d.note('f')
	tell(0, "two")
	d.answer(diskCall{Do: "mark"})
	tell(block-2, "three")
	d.answer(diskCall{Do: "stop", Every: 3})
	seen := map[string]int{}
	for i := range d.states {
		a := d.show(i)
		b := make([]byte, block+8)
		d.read(b, 0)
		seen[fmt.Sprintf("%q %q %d", b[:3], b[block-2:block+3], a.Acked)]++
	}
	for _, want := range []string{`"\x00\x00\x00" "begin" 0`, `"one" "begin" 0`, `"two" "begin" 0`, `"one" "begin" 1`, `"two" "three" 1`} {
		if seen[want] == 0 {
			t.Errorf("%s was never seen: %v", want, seen)
		}
	}
}
