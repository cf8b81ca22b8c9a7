package proc

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopts says that the guard becomes the parent of what the program leaves behind; here it cannot.
const adopts = false

const zombie = 5 // SZOMB of sys/proc.h

// knows says that processes can be looked at.
const knows = true

func adopt() error { return nil }

// attributes put a program into a session of its own, so that it neither reads from nor writes to the
// terminal.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// machine names this boot.
func machine() string {
	s, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return s
}

func of(k *unix.KinfoProc) process {
	t := k.Proc.P_starttime
	return process{PID: int(k.Proc.P_pid), Start: strconv.FormatInt(t.Sec, 10) + "." + strconv.FormatInt(int64(t.Usec), 10)}
}

// identify is a process by its number; Start is "" where there is none.
func identify(pid int) process {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return process{PID: pid}
	}
	return of(k)
}

// lives reports whether a process is there and has not ended.
func lives(p process) bool {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", p.PID)
	return err == nil && of(k) == p && k.Proc.P_stat != zombie
}

// session is nothing that the system gives a name.
func session(int) string { return "" }

// signalProcess signals a process that is the one that was meant.
func signalProcess(p process, sig syscall.Signal) {
	if p.PID > 1 && p.Start != "" && identify(p.PID) == p {
		_ = syscall.Kill(p.PID, sig) // it may have ended, or be another user's
	}
}

func descendants() []process { return nil }

func list(name string, arg int, keep func(*unix.KinfoProc) bool) (out []process) {
	ks, err := unix.SysctlKinfoProcSlice(name, arg)
	if err != nil {
		return nil
	}
	for i := range ks {
		if ks[i].Proc.P_stat != zombie && keep(&ks[i]) {
			out = append(out, of(&ks[i]))
		}
	}
	return out
}

// members are the processes of a group that live.
func members(group int) []process {
	return list("kern.proc.pgrp", group, func(*unix.KinfoProc) bool { return true })
}

// marked are the processes of this user that live and have a run in their environment, without this one
// and those that it is a child of.
func marked(run string) []process {
	above := map[int]bool{}
	for pid := os.Getpid(); pid > 0 && !above[pid]; {
		above[pid] = true
		k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil {
			break
		}
		pid = int(k.Eproc.Ppid)
	}
	return list("kern.proc.uid", os.Geteuid(), func(k *unix.KinfoProc) bool {
		pid := int(k.Proc.P_pid)
		return pid > 1 && !above[pid] && hasRun(pid, run)
	})
}

// hasRun reports whether a process of this user has a run in its environment, which lies behind its
// arguments.
func hasRun(pid int, run string) bool {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	return err == nil && bytes.Contains(b[:min(len(b), maxEnviron)], []byte("\x00"+RunVar+"="+run+"\x00"))
}
