package ui_test

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// The runtime's signal goroutine must start outside any bubble.
func TestMain(m *testing.M) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGWINCH)
	os.Exit(m.Run())
}
