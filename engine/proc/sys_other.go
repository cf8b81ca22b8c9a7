//go:build !linux && !darwin

package proc

import "syscall"

// adopts says that the guard becomes the parent of what the program leaves behind; here it cannot.
const adopts = false

// knows says that processes can be looked at.
const knows = false

func adopt() error { return nil }

// attributes put a program into a session of its own, so that it neither reads from nor writes to the
// terminal.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// What a process is cannot be told here, so that after a crash none is signaled by its number.

func machine() string                       { return "" }
func identify(pid int) process              { return process{PID: pid} }
func lives(process) bool                    { return false }
func session(int) string                    { return "" }
func signalProcess(process, syscall.Signal) {}
func descendants() []process                { return nil }
func members(int) []process                 { return nil }
func marked(string) []process               { return nil }
func hasRun(int, string) bool               { return false }
