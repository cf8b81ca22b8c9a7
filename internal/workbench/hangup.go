package workbench

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// onHangup ends the workbench for the signals that the library leaves to the system, which would end the
// process with the terminal as it is drawn on. stop takes that back.
func onHangup(program *tea.Program) (stop func()) {
	came, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(came, syscall.SIGHUP, syscall.SIGQUIT) // a terminal that was closed; ctrl+\
	go func() {
		select {
		case <-came:
			program.Quit()
		case <-done:
		}
	}()
	return func() {
		signal.Stop(came)
		close(done)
	}
}
