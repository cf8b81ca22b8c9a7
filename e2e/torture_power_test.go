//go:build torture && linux

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// powerSystem is a file system on which the power is cut.
type powerSystem struct {
	name string
	size int64
	mkfs []string
	torn int // what a disk writes as a whole
}

// powerSystems are these. btrfs does not mount when its superblock of 4 KB is torn, so it is not.
var powerSystems = []powerSystem{
	{"ext4", 64 << 20, []string{"mkfs.ext4", "-q", "-J", "size=4"}, sector},
	{"xfs", 300 << 20, []string{"mkfs.xfs", "-q", "-K"}, sector},
	{"btrfs", 128 << 20, []string{"mkfs.btrfs", "-q", "-M", "-K"}, block},
}

const (
	powerTime    = 8 * time.Minute // for each file system with TORTURE=full, where POWER_TIME says nothing else
	powerLess    = 90 * time.Second
	powerDisks   = 6 // at once
	powerSubsets = 6 // of what was not flushed, at each flush
)

// device is a recording disk with a block device on it.
type device struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	say   *json.Encoder
	hear  *json.Decoder
	dir   string // where the disk's file is
	name  string // of the block device
	mount string
	fs    string
}

// newDevice begins a disk with an empty file system.
func newDevice(t testing.TB, sys powerSystem) *device {
	t.Helper()
	tmp := memoryDir(t)
	img := filepath.Join(tmp, "begin")
	d := &device{dir: filepath.Join(tmp, "disk"), mount: filepath.Join(tmp, "mount"), fs: sys.name}
	for _, dir := range []string{d.dir, d.mount} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, img, "")
	if err := os.Truncate(img, sys.size); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(sys.mkfs[0], append(slices.Clone(sys.mkfs[1:]), img)...).CombinedOutput(); err != nil {
		t.Fatalf("%s is needed, and does not work: %v: %s", sys.mkfs[0], err, out)
	}
	d.start(t)
	d.ask(t, diskCall{Do: "load", Path: img, Torn: sys.torn})
	if err := os.Remove(img); err != nil {
		t.Fatal(err)
	}
	d.attach(t)
	return d
}

func (d *device) start(t testing.TB) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d.cmd = exec.Command(exe)
	d.cmd.Env = append(os.Environ(), diskEnv+"="+d.dir)
	d.cmd.Stderr = os.Stderr
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(d.in.Close(), d.cmd.Wait()); err != nil {
			t.Errorf("the disk: %v", err)
		}
	})
	d.say, d.hear = json.NewEncoder(d.in), json.NewDecoder(out)
	var a diskAnswer
	if err := d.hear.Decode(&a); err != nil {
		t.Fatalf("a disk needs FUSE, which this kernel or this user has not: %v", err)
	}
}

func (d *device) ask(t testing.TB, c diskCall) diskAnswer {
	t.Helper()
	var a diskAnswer
	if err := errors.Join(d.say.Encode(c), d.hear.Decode(&a)); err != nil || a.Error != "" {
		t.Fatalf("the disk: %v %s", err, a.Error)
	}
	return a
}

// attach makes the disk a block device.
func (d *device) attach(t testing.TB) {
	t.Helper()
	backing, err := os.OpenFile(filepath.Join(d.dir, "disk"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer backing.Close()
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		t.Fatalf("loop devices are needed: %v", err)
	}
	defer control.Close()
	for range 100 { // others take free ones, too
		n, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
		if err != nil {
			t.Fatalf("a free loop device is needed: %v", err)
		}
		d.name = fmt.Sprint("/dev/loop", n)
		loop, err := os.OpenFile(d.name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		err = unix.IoctlLoopConfigure(int(loop.Fd()), &unix.LoopConfig{Fd: uint32(backing.Fd()), Size: sector})
		_ = loop.Close() // while it is open what was read from it is remembered
		if err == nil {
			t.Cleanup(func() { d.detach(t) })
			return
		}
		if !errors.Is(err, unix.EBUSY) {
			t.Fatalf("%s: %v", d.name, err)
		}
	}
	t.Fatal("no loop device stays free")
}

func (d *device) detach(t testing.TB) {
	_ = unix.Unmount(d.mount, 0) // where a test ended in between
	loop, err := os.OpenFile(d.name, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(unix.IoctlSetInt(int(loop.Fd()), unix.LOOP_CLR_FD, 0), loop.Close())
	}
	if err != nil {
		t.Errorf("%s stays: %v", d.name, err)
	}
}

func (d *device) up() error { return unix.Mount(d.name, d.mount, d.fs, unix.MS_NOATIME, "") }

// down unmounts; who has just ended may still be going.
func (d *device) down() error {
	for end := time.Now().Add(10 * time.Second); ; {
		err := unix.Unmount(d.mount, 0)
		if !errors.Is(err, unix.EBUSY) || time.Now().After(end) {
			return err
		}
		runtime.Gosched()
	}
}

// powerRun is transitions on one disk, each in a store of its own, and what the stores said
// before and after.
type powerRun struct {
	d      *device
	bin    string
	steps  []transition
	before []string
	after  []string
	states diskAnswer
}

func (r *powerRun) root(i int) string { return filepath.Join(r.d.mount, fmt.Sprint("store-", i)) }

func (r *powerRun) call(i int, fault string) outcome {
	cmd := exec.Command(r.bin, append([]string{"-C", r.root(i)}, r.steps[i].once()...)...)
	cmd.Env = vespeEnv(filepath.Join(filepath.Dir(r.d.mount), "state"))
	if fault != "" {
		cmd.Env = append(cmd.Env, "VESPE_FAULT="+fault)
	}
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return outcome{-1, "", err.Error()}
	}
	return outcome{cmd.ProcessState.ExitCode(), "", string(out)}
}

// recordPower makes the stores, and records the transitions.
func recordPower(t *testing.T, d *device, bin, fault string, steps []transition, subsets int) *powerRun {
	t.Helper()
	r := &powerRun{d: d, bin: bin, steps: steps}
	if err := d.up(); err != nil {
		t.Fatalf("this kernel cannot mount %s: %v", d.fs, err)
	}
	for i, tr := range steps {
		if err := os.Mkdir(r.root(i), 0o755); err != nil {
			t.Fatal(err)
		}
		prepared(t, tr, r.root(i))
		text, _ := mustHold(t, r.root(i))
		r.before = append(r.before, text)
	}
	unix.Sync()
	if err := d.down(); err != nil {
		t.Fatal(err)
	}
	if err := d.up(); err != nil {
		t.Fatal(err)
	}
	d.ask(t, diskCall{Do: "record"})
	for i := range steps {
		if o := r.call(i, fault); o.code != 0 {
			t.Fatalf("%s: %s", steps[i].name, o)
		}
		d.ask(t, diskCall{Do: "mark"})
	}
	r.states = d.ask(t, diskCall{Do: "stop", Every: subsets})
	for i := range steps {
		text, _ := mustHold(t, r.root(i))
		r.after = append(r.after, text)
	}
	if err := d.down(); err != nil {
		t.Fatal(err)
	}
	return r
}

// check looks at one state: every transition that was acknowledged is there, the next one as a
// whole or not at all, and when it is done once more it is there.
func (r *powerRun) check(t testing.TB, n int) error {
	a := r.d.ask(t, diskCall{Do: "show", State: n})
	bad := func(err error) error { return fmt.Errorf("%s, %d acknowledged: %w", a.What, a.Acked, err) }
	if err := r.d.up(); err != nil {
		return bad(fmt.Errorf("mount: %w", err))
	}
	err := r.look(t, a.Acked, n)
	if err := errors.Join(err, r.d.down()); err != nil {
		return bad(err)
	}
	return nil
}

// sometimes is at how many states what costs much is done: it is the same at the others, or was
// looked at before.
const sometimes = 5

func (r *powerRun) look(t testing.TB, acked, n int) error {
	if acked > 0 {
		old := []int{acked - 1}
		if n%sometimes == 0 {
			old = append(old, n/sometimes%acked)
		}
		for _, i := range old {
			if err := r.is(i, r.after[i]); err != nil {
				return fmt.Errorf("acknowledged: %w", err)
			}
		}
	}
	if acked == len(r.steps) {
		return nil
	}
	text, _, err := holding(r.root(acked))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", r.steps[acked].name, err)
	case text != r.before[acked] && text != r.after[acked]:
		return fmt.Errorf("%s: it is there in part: %s", r.steps[acked].name, firstDifference(r.after[acked], text))
	}
	var o outcome
	if n%sometimes == 0 {
		o = r.call(acked, "")
	} else {
		o = called(r.root(acked), r.steps[acked].once()...)
	}
	if o.code != 0 {
		return fmt.Errorf("%s once more: %s", r.steps[acked].name, o)
	}
	return r.is(acked, r.after[acked])
}

func (r *powerRun) is(i int, want string) error {
	text, _, err := holding(r.root(i))
	if err == nil && text != want {
		err = errors.New(firstDifference(want, text))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", r.steps[i].name, err)
	}
	return err
}

// sweep looks at states, all over the journal and at last at all of them, until it is time to
// end or so many are bad.
func (r *powerRun) sweep(t testing.TB, end time.Time, most int) (seen int, bad []error) {
	n := r.states.States
	step := n*5/8 | 1
	for gcd(step, n) != 1 {
		step += 2
	}
	for ; seen < n && time.Now().Before(end); seen++ {
		if err := r.check(t, seen*step%n); err != nil {
			if bad = append(bad, err); len(bad) == most {
				return seen + 1, bad
			}
		}
	}
	return seen, bad
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// splitSteps gives each of several disks its part of the transitions.
func splitSteps(t testing.TB, parts int) [][]transition {
	all := slices.DeleteFunc(append(transitions(t), others(t)...), func(tr transition) bool { return tr.name == "accept in a copy" })
	out := make([][]transition, parts)
	for i, tr := range all {
		out[i%parts] = append(out[i%parts], tr)
	}
	return out
}

func needPower(t *testing.T) {
	t.Helper()
	needRoot(t)
	b, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Fields(string(b))
	for _, name := range []string{"fuse", "ext4", "xfs", "btrfs"} {
		if !slices.Contains(known, name) {
			t.Errorf("this kernel has no %s", name)
		}
	}
	for _, s := range powerSystems {
		if _, err := exec.LookPath(s.mkfs[0]); err != nil {
			t.Errorf("%s is not installed: e2fsprogs, xfsprogs and btrfs-progs are needed", s.mkfs[0])
		}
	}
	for _, dev := range []string{"/dev/fuse", "/dev/loop-control"} {
		if _, err := os.Stat(dev); errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there is no %s", dev)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// TestTorturePower cuts the power of real file systems: transitions of the built program are
// recorded as blocks written and flushed, and every state that a disk may be in after any of
// these, with all or some of what was not flushed, is mounted, read and gone on with.
func TestTorturePower(t *testing.T) {
	needPower(t)
	limit := sized(powerLess, powerTime)
	if s := os.Getenv("POWER_TIME"); s != "" {
		var err error
		if limit, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	bin := binary(t)
	for _, sys := range powerSystems {
		t.Run(sys.name, func(t *testing.T) {
			began := time.Now()
			var mu sync.Mutex
			seen, all, writes, flushes := 0, 0, 0, 0
			t.Run("disks", func(t *testing.T) {
				for i, steps := range splitSteps(t, powerDisks) {
					t.Run(fmt.Sprint(i), func(t *testing.T) {
						t.Parallel()
						r := recordPower(t, newDevice(t, sys), bin, "", steps, powerSubsets)
						n, bad := r.sweep(t, began.Add(limit), 5)
						mu.Lock()
						defer mu.Unlock()
						seen, all, writes, flushes = seen+n, all+r.states.States, writes+r.states.Writes, flushes+r.states.Flushes
						for _, err := range bad {
							t.Error(err)
						}
					})
				}
			})
			t.Logf("%d of %d states after %d writes and %d flushes, in %v", seen, all, writes, flushes, time.Since(began).Round(time.Second))
		})
	}
}

// TestTorturePowerIsNoticed: a program that leaves out syncs is found out.
func TestTorturePowerIsNoticed(t *testing.T) {
	needPower(t)
	bin := filepath.Join(t.TempDir(), "vespe")
	if out, err := exec.Command("go", "build", "-tags", "faults", "-o", bin, "vespe").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	steps := splitSteps(t, 8)[0]
	for _, sys := range powerSystems {
		// A directory that is not synced is not found so: with any file that is synced these file systems write the names
		// that there were before, btrfs since Linux 6.18 at the latest. TestTortureSweepIsNoticed finds it.
		t.Run(sys.name+" unsynced", func(t *testing.T) {
			r := recordPower(t, newDevice(t, sys), bin, "unsynced", steps, powerSubsets)
			n, bad := r.sweep(t, time.Now().Add(powerTime), 1)
			if len(bad) == 0 {
				t.Errorf("%d states, and nothing was noticed", n)
			} else {
				t.Logf("%d of %d states, and then: %v", n, r.states.States, bad[0])
			}
		})
	}
}
