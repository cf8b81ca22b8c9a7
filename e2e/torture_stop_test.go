//go:build torture && linux && amd64

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A program under test is stopped before each of its file system calls, in all of its threads
// together, by a seccomp filter that asks this process what to do. (A tracer that counts calls
// per thread, as strace does, cannot name the same call twice: Go moves work between threads.)

// fileCalls are the calls on files that a Go program makes. An error of close is not among what
// is asked: Linux has closed the file all the same.
var fileCalls = map[uint32]string{
	unix.SYS_OPEN: "open", unix.SYS_OPENAT: "openat", unix.SYS_OPENAT2: "openat2",
	unix.SYS_READ: "read", unix.SYS_PREAD64: "pread64", unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite64",
	unix.SYS_FSYNC: "fsync", unix.SYS_FDATASYNC: "fdatasync", unix.SYS_SYNCFS: "syncfs", unix.SYS_FTRUNCATE: "ftruncate",
	unix.SYS_RENAMEAT: "renameat", unix.SYS_RENAMEAT2: "renameat2", unix.SYS_LINKAT: "linkat", unix.SYS_UNLINKAT: "unlinkat",
	unix.SYS_MKDIRAT: "mkdirat", unix.SYS_FLOCK: "flock", unix.SYS_FSTAT: "fstat", unix.SYS_NEWFSTATAT: "newfstatat",
	unix.SYS_STATX: "statx", unix.SYS_GETDENTS64: "getdents64", unix.SYS_FACCESSAT: "faccessat", unix.SYS_FACCESSAT2: "faccessat2",
	unix.SYS_READLINKAT: "readlinkat", unix.SYS_LSEEK: "lseek", unix.SYS_FALLOCATE: "fallocate", unix.SYS_MMAP: "mmap",
	unix.SYS_FCHMOD: "fchmod", unix.SYS_UTIMENSAT: "utimensat", unix.SYS_COPY_FILE_RANGE: "copy_file_range", unix.SYS_INOTIFY_ADD_WATCH: "inotify_add_watch",
}

// fileCall is one call before it is carried out.
type fileCall struct {
	name  string
	path  string // what it is about: absolute, with # for what is random in it
	other string // where a rename or a link leads to
	file  string // device and inode of an open file; "" for a call on a name
	makes bool   // it may make the file that it opens
}

func (c *fileCall) String() string {
	if c.makes {
		return c.name + " " + c.path + " (made)"
	}
	if c.other != "" {
		return c.name + " " + c.path + " → " + c.other
	}
	return c.name + " " + c.path
}

// changes says whether the named call of a label can change what is on disk.
func changes(label string) bool {
	name, _, _ := strings.Cut(label, " ")
	switch name {
	case "open", "openat", "openat2":
		return strings.Contains(label, " (made)")
	case "read", "pread64", "fstat", "newfstatat", "statx", "getdents64", "faccessat", "faccessat2", "readlinkat", "lseek", "mmap", "inotify_add_watch":
		return false
	}
	return true
}

const standardOutput = "standard output"

// ours says whether a call is about this store or what lies beside it, and not the system's.
func (c *fileCall) ours() bool {
	if strings.HasPrefix(c.path, "/dev/shm/") {
		return true
	}
	for _, p := range []string{"/proc/", "/sys/", "/dev/", "/usr/", "/lib", "/bin/", "/etc/ld.so", "/etc/localtime"} {
		if strings.HasPrefix(c.path, p) {
			return false
		}
	}
	return strings.HasPrefix(c.path, "/") || c.path == standardOutput
}

// verdict is what becomes of a call.
type verdict struct {
	kill  bool
	errno syscall.Errno // 0: it is carried out
}

// seccompNotif and seccompResp are the kernel's.
type seccompNotif struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    uint32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

type seccompResp struct {
	id    uint64
	val   int64
	err   int32
	flags uint32
}

const (
	notifRecv     = 0xc0502100 // SECCOMP_IOCTL_NOTIF_RECV
	notifSend     = 0xc0182101 // SECCOMP_IOCTL_NOTIF_SEND
	notifContinue = 1          // SECCOMP_USER_NOTIF_FLAG_CONTINUE
)

// filterProgram asks about calls of these names, or about all fileCalls when names is nil; of
// mmap only where a file is mapped, not memory.
func filterProgram(names []string) []unix.SockFilter {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		answer = unix.BPF_RET | unix.BPF_K
		fdOf   = 16 + 8*4 // the low half of the fifth argument
	)
	ask := unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_USER_NOTIF}
	allow := unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW}
	p := []unix.SockFilter{{Code: load, K: 0}}
	for nr, name := range fileCalls {
		if nr != unix.SYS_MMAP && (names == nil || slices.Contains(names, name)) {
			p = append(p, unix.SockFilter{Code: equal, K: nr, Jf: 1}, ask)
		}
	}
	if names != nil && !slices.Contains(names, "mmap") {
		return append(p, allow)
	}
	return append(p, unix.SockFilter{Code: equal, K: unix.SYS_MMAP, Jt: 1}, allow,
		unix.SockFilter{Code: load, K: fdOf}, unix.SockFilter{Code: equal, K: 0xffffffff, Jf: 1}, allow, ask)
}

// stopped runs a command and asks at before each of its file system calls of these names; nil:
// of all. It says how the command ended.
func stopped(t testing.TB, cmd *exec.Cmd, names []string, at func(c *fileCall) verdict) outcome {
	t.Helper()
	out, errs := tempFile(t), tempFile(t)
	defer out.Close()
	defer errs.Close()
	cmd.Stdout, cmd.Stderr = out, errs
	started, failed := make(chan int), make(chan error, 1)
	done := make(chan struct{})
	listening := make(chan int)
	go func() {
		// The thread has the filter for good and ends with this goroutine.
		runtime.LockOSThread()
		fd, err := addFilter(filterProgram(names))
		if err != nil {
			failed <- err
			return
		}
		listening <- fd
		started <- unix.Gettid()
		if err := cmd.Start(); err != nil {
			failed <- err
		}
		failed <- nil
	}()
	select {
	case err := <-failed:
		t.Fatalf("a seccomp filter with a listener is needed: %v", err)
	case fd := <-listening:
		mine := <-started
		s := &stopper{fd: fd, mine: uint32(mine), at: at, out: out.Name(), dir: cmd.Dir}
		go func() { defer close(done); s.loop() }()
	}
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	<-done
	return outcome{cmd.ProcessState.ExitCode(), contents(t, out.Name()), contents(t, errs.Name())}
}

func tempFile(t testing.TB) *os.File {
	t.Helper()
	f, err := os.CreateTemp("/dev/shm", "vespe-torture-output-")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// contents reads a file and removes it.
func contents(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err == nil {
		err = os.Remove(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// addFilter puts the filter on this thread and gives what to listen on.
func addFilter(p []unix.SockFilter) (int, error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, err
	}
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	// A signal, of which Go's scheduler sends many, must not start a call that is being
	// asked about anew.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(p)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

type stopper struct {
	fd   int
	mine uint32 // the thread that starts the command
	at   func(c *fileCall) verdict
	out  string
	dir  string
}

// loop answers until nobody is left who could ask.
func (s *stopper) loop() {
	defer unix.Close(s.fd)
	for {
		poll := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err != nil {
			continue // a signal
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			return
		}
		var n seccompNotif
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.fd), notifRecv, uintptr(unsafe.Pointer(&n))); errno != 0 {
			continue // anyone who asked is gone
		}
		r := seccompResp{id: n.id, flags: notifContinue}
		if n.pid != s.mine {
			switch v := s.decide(&n); {
			case v.kill:
				_ = unix.Kill(int(n.pid), unix.SIGKILL) // any thread's number will do; it may be gone
			case v.errno != 0:
				r.flags, r.err = 0, -int32(v.errno)
			}
		}
		// It may have been killed meanwhile.
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(s.fd), notifSend, uintptr(unsafe.Pointer(&r)))
	}
}

func (s *stopper) decide(n *seccompNotif) verdict {
	c := &fileCall{name: fileCalls[n.nr]}
	pid := int(n.pid)
	switch n.nr {
	case unix.SYS_OPEN:
		c.path = s.nameAt(pid, unix.AT_FDCWD, n.args[0])
	case unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_NEWFSTATAT, unix.SYS_STATX,
		unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_READLINKAT, unix.SYS_UTIMENSAT:
		c.path = s.nameAt(pid, int(int32(n.args[0])), n.args[1])
		c.makes = n.nr == unix.SYS_OPENAT && n.args[2]&unix.O_CREAT != 0
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT:
		c.path = s.nameAt(pid, int(int32(n.args[0])), n.args[1])
		c.other = s.nameAt(pid, int(int32(n.args[2])), n.args[3])
	case unix.SYS_INOTIFY_ADD_WATCH:
		c.path = s.nameAt(pid, unix.AT_FDCWD, n.args[1])
	default:
		fd := n.args[0]
		if n.nr == unix.SYS_MMAP {
			fd = n.args[4]
		}
		c.path, c.file = openFile(pid, int(int32(fd)))
	}
	if c.path == s.out {
		c.path = standardOutput
	}
	return s.at(c)
}

// openFile says what a descriptor is of.
func openFile(pid, fd int) (path, file string) {
	link := fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
	path, err := os.Readlink(link)
	if err != nil {
		return "", ""
	}
	var st unix.Stat_t
	if unix.Stat(link, &st) != nil {
		return path, ""
	}
	return path, fmt.Sprint(st.Dev, ":", st.Ino)
}

// nameAt is the absolute path of a name in the memory of a process.
func (s *stopper) nameAt(pid, dir int, at uint64) string {
	name := stringOf(pid, at)
	if filepath.IsAbs(name) {
		return name
	}
	base := s.dir
	if dir != unix.AT_FDCWD {
		base, _ = openFile(pid, dir)
	}
	if name == "" {
		return base
	}
	return filepath.Join(base, name)
}

// stringOf reads a string of a process, page by page: the next may not be there.
func stringOf(pid int, at uint64) string {
	var s []byte
	for len(s) < unix.PathMax {
		buf := make([]byte, 4096-at%4096)
		local := []unix.Iovec{{Base: &buf[0], Len: uint64(len(buf))}}
		n, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(buf)}}, 0)
		if err != nil {
			return string(s)
		}
		for i, b := range buf[:n] {
			if b == 0 {
				return string(append(s, buf[:i]...))
			}
		}
		s = append(s, buf[:n]...)
		at += uint64(n)
	}
	return string(s)
}

// randomPart is what differs between two runs of the same command.
var randomPart = regexp.MustCompile(`[0-9a-f]{16,}|[0-9]{14}_[0-9]{3}|-[0-9a-f]{8}\.json`)

// label names a call so that it can be found again in another run, on another copy.
func (c *fileCall) label(dir string) string {
	s := strings.ReplaceAll(c.String(), dir, "")
	return randomPart.ReplaceAllString(s, "#")
}
