//go:build unix

package engine

import (
	"os/exec"
	"syscall"
)

// group starts a program as the leader of a group of its own, and ends the whole group.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
