package tty

import (
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"
)

// OnHangup ends the workbench for the signals that the library leaves to the system, which would end the
// process with the terminal as it is drawn on. stop takes that back.
func OnHangup(program *tea.Program) (stop func()) {
	if len(hangups) == 0 {
		return func() {}
	}
	came, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(came, hangups...)
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
