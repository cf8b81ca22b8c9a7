package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
)

// Call is a run of git that another package needs, with all that this package turns off
// turned off.
type Call struct {
	Dir    string   // where it runs; "" is Top
	Env    []string // NAME=value, beside the person's
	Config []string // name=value of settings, over those of this package
	In     io.Reader
	Out    io.Writer  // nil: Run returns what git printed
	Hold   []*os.File // files whose locks are held until git ends, also when we end before it
	Args   []string   // the subcommand and what follows
}

// Run runs git. When it fails, what it printed is returned with an *Error.
func (r *Repo) Run(ctx context.Context, c Call) (string, error) {
	in := *r.run
	if c.Dir != "" {
		in.dir = c.Dir
	}
	var args []string
	for _, set := range c.Config {
		args = append(args, "-c", set)
	}
	cmd := in.command(ctx, c.Env, slices.Concat(args, c.Args)...)
	var out, said bytes.Buffer
	cmd.ExtraFiles = c.Hold
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.In, c.Out, &limited{w: &said}
	if c.Out == nil {
		cmd.Stdout = &out
	}
	if err := cmd.Run(); err != nil {
		return out.String(), failure(ctx, c.Args[0], said.String(), err)
	}
	return out.String(), nil
}

// ExitCode is what git ended with; -1 when the error is of another kind, or git did not end by itself.
func ExitCode(err error) int {
	var e *Error
	var exit *exec.ExitError
	if errors.As(err, &e) && errors.As(e.Err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// Locked is the lock file that a git found held; "" when it failed for another reason.
func Locked(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return ""
	}
	return lockIn(e.Stderr)
}
