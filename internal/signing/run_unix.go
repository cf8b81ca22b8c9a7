//go:build unix

package signing

import (
	"os/exec"
	"syscall"
)

// detach keeps a program from the terminal, which the workbench draws on: what it has to ask, it
// asks in a window (SSH_ASKPASS), or not at all.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
