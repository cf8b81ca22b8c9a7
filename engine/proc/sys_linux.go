package proc

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopts says that the guard becomes the parent of what the program leaves behind.
const adopts = true

// knows says that processes can be looked at.
const knows = true

func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// attributes put a program into a session of its own, so that it neither reads from nor writes to the
// terminal, and let it die with the guard.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// machine names this boot and the space of numbers.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + space
}

// stat is what /proc says of a process.
type stat struct {
	process
	state         byte
	parent, group int
}

func (s *stat) lives() bool { return s.state != 'Z' && s.state != 'X' }

func readStat(pid int) (stat, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	i := bytes.LastIndexByte(b, ')') // the name before it may have any characters
	if i < 0 {
		return stat{}, false
	}
	fields := strings.Fields(string(b[i+1:]))
	if len(fields) < 20 {
		return stat{}, false
	}
	s := stat{process: process{PID: pid, Start: fields[19]}, state: fields[0][0]}
	parent, err1 := strconv.Atoi(fields[1])
	group, err2 := strconv.Atoi(fields[2])
	s.parent, s.group = parent, group
	return s, err1 == nil && err2 == nil
}

// identify is a process by its number; Start is "" where there is none.
func identify(pid int) process {
	s, ok := readStat(pid)
	if !ok {
		return process{PID: pid}
	}
	return s.process
}

// lives reports whether a process is there and has not ended.
func lives(p process) bool {
	s, ok := readStat(p.PID)
	return ok && s.process == p && s.lives()
}

// session is the scheduler's name of a session, which it gives only once; "" where it gives none.
func session(pid int) string {
	of := func(name string) string {
		b, err := os.ReadFile("/proc/" + name + "/autogroup")
		if err != nil {
			return ""
		}
		word, _, _ := strings.Cut(string(b), " ")
		return word
	}
	s := of(strconv.Itoa(pid))
	if s == of("self") { // ours has another, or there are none
		return ""
	}
	return s
}

// signalProcess signals a process, and no other that has got its number since.
func signalProcess(p process, sig syscall.Signal) {
	if p.PID <= 1 || p.Start == "" {
		return
	}
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err == nil {
		defer unix.Close(fd)
	} else if !errors.Is(err, syscall.ENOSYS) {
		return
	}
	if identify(p.PID) != p {
		return
	}
	if err == nil {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0) // it may have ended, or be another user's
		return
	}
	_ = syscall.Kill(p.PID, sig)
}

// descendants are the processes below this one that live.
func descendants() []process {
	var out []process
	below := func(parents []int) (next []int) {
		for _, pid := range parents {
			for _, child := range children(pid) {
				if s, ok := readStat(child); ok && s.lives() {
					out = append(out, s.process)
					next = append(next, child)
				}
			}
		}
		return next
	}
	for at := below([]int{os.Getpid()}); len(at) > 0 && len(out) < maxSeen; {
		at = below(at)
	}
	return out
}

// children are the processes of which one is the parent, those that have ended included.
func children(pid int) (out []int) {
	lists, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil || len(lists) == 0 {
		if _, err := os.Stat("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children"); err == nil {
			return nil // it has ended
		}
		each(func(child int) {
			if s, ok := readStat(child); ok && s.parent == pid {
				out = append(out, child)
			}
		})
		return out
	}
	for _, list := range lists {
		b, err := os.ReadFile(list)
		if err != nil {
			continue // a thread that has ended
		}
		for _, word := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(word); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// each names every process.
func each(f func(pid int)) {
	d, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			f(pid)
		}
	}
}

// members are the processes of a group that live.
func members(group int) (out []process) {
	each(func(pid int) {
		if s, ok := readStat(pid); ok && s.group == group && s.lives() {
			out = append(out, s.process)
		}
	})
	return out
}

// marked are the processes of this user that live and have a run in their environment, without this one
// and those that it is a child of.
func marked(run string) (out []process) {
	above := map[int]bool{}
	for pid := os.Getpid(); pid > 0 && !above[pid]; {
		above[pid] = true
		s, _ := readStat(pid)
		pid = s.parent
	}
	each(func(pid int) {
		if pid <= 1 || above[pid] || !hasRun(pid, run) {
			return
		}
		// It is looked at once more, now that it is known which one it is: most need only one look.
		if s, ok := readStat(pid); ok && s.lives() && hasRun(pid, run) {
			out = append(out, s.process)
		}
	})
	return out
}

// hasRun reports whether a process of this user has a run in its environment.
func hasRun(pid int, run string) bool {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	defer f.Close()
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil || int(st.Uid) != os.Geteuid() {
		return false
	}
	b, err := io.ReadAll(io.LimitReader(f, maxEnviron))
	return err == nil && bytes.Contains(append([]byte{0}, b...), []byte("\x00"+RunVar+"="+run+"\x00"))
}
