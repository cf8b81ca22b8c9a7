package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/ui"
)

// userShell opens the person's own shell in the worktree of a run. Which one it is comes from the
// environment and nowhere else, as with the editor.
type userShell struct{ argv []string }

// newShell takes $SHELL, then sh; nil where there is neither.
func newShell(getenv func(string) string) (ui.Shell, error) {
	if line := getenv("SHELL"); strings.TrimSpace(line) != "" {
		argv, err := splitCommand(line)
		if err != nil {
			return nil, fmt.Errorf("$SHELL: %w", err)
		}
		return userShell{argv}, nil
	}
	if path, err := exec.LookPath("sh"); err == nil {
		return userShell{[]string{path}}, nil
	}
	return nil, nil
}

// In implements ui.Shell.
func (s userShell) In(dir, run string) (tea.ExecCommand, error) {
	if in, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !in.IsDir() {
		return nil, fmt.Errorf("%s is no directory", dir)
	}
	cmd := exec.Command(s.argv[0], s.argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "VESPE_WORKTREE="+dir)
	return &shellSession{cmd, run}, nil
}

// openShell opens the person's shell in the worktree of a run until the person leaves it. How its last command ended
// is no failure.
func openShell(dir, run string) error {
	sh, err := newShell(os.Getenv)
	if err != nil {
		return err
	}
	if sh == nil {
		return errors.New("there is no shell: $SHELL is not set, and there is no sh")
	}
	c, err := sh.In(dir, run)
	if err != nil {
		return err
	}
	c.SetStdin(os.Stdin)
	c.SetStdout(os.Stdout)
	c.SetStderr(os.Stderr)
	var exit *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}

// shellSession is one run of a shell.
type shellSession struct {
	*exec.Cmd
	run string
}

// Run says where one is before the shell takes the terminal.
func (s *shellSession) Run() error {
	if s.Stdout != nil {
		fmt.Fprintf(s.Stdout, "\r\nThis is the worktree of %s. Leave this shell with exit or ctrl+d.\r\n", s.run)
	}
	return s.Cmd.Run()
}

// The terminal is the program's to hand over: tea.ExecCommand.
func (s *shellSession) SetStdin(r io.Reader)  { s.Stdin = r }
func (s *shellSession) SetStdout(w io.Writer) { s.Stdout = w }
func (s *shellSession) SetStderr(w io.Writer) { s.Stderr = w }
