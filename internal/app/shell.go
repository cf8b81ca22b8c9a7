package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Shell opens the person's own shell in the worktree of a run. Which one it is comes from the
// environment and nowhere else, as with the editor.
type Shell struct{ argv []string }

// NewShell takes $SHELL, then sh; nil where there is neither.
func NewShell(getenv func(string) string) (*Shell, error) {
	if line := getenv("SHELL"); strings.TrimSpace(line) != "" {
		argv, err := SplitCommand(line)
		if err != nil {
			return nil, fmt.Errorf("$SHELL: %w", err)
		}
		return &Shell{argv}, nil
	}
	if path, err := exec.LookPath("sh"); err == nil {
		return &Shell{[]string{path}}, nil
	}
	return nil, nil
}

// In starts nothing yet: it returns the shell's run in that directory.
func (s *Shell) In(dir, run string) (*ShellSession, error) {
	if in, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !in.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	cmd := exec.Command(s.argv[0], s.argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "VESPE_WORKTREE="+dir)
	return &ShellSession{cmd, run}, nil
}

// openShell opens the person's shell in the worktree of a run until the person leaves it. How its last command ended
// is no failure.
func openShell(dir, run string) error {
	sh, err := NewShell(os.Getenv)
	if err != nil {
		return err
	}
	if sh == nil {
		return errors.New("no shell found: $SHELL is not set, and there is no sh")
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

// ShellSession is one run of a shell.
type ShellSession struct {
	*exec.Cmd
	run string
}

// Run says where one is before the shell takes the terminal.
func (s *ShellSession) Run() error {
	if s.Stdout != nil {
		fmt.Fprintf(s.Stdout, "\r\nThis is the worktree of %s. Leave this shell with exit or ctrl+d.\r\n", s.run)
	}
	return s.Cmd.Run()
}

// The workbench hands over the terminal.
func (s *ShellSession) SetStdin(r io.Reader)  { s.Stdin = r }
func (s *ShellSession) SetStdout(w io.Writer) { s.Stdout = w }
func (s *ShellSession) SetStderr(w io.Writer) { s.Stderr = w }
