package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"vespe/model/visible"
)

const (
	// ReflectTime is how long a program may take to distil reflections.
	ReflectTime = 5 * time.Minute

	maxDistilled = 1 << 20 // bytes of what it says
)

// Reflector distils reflections with a program of the person's own.
type Reflector struct {
	argv  []string
	dir   string
	limit time.Duration
}

// NewReflector runs argv in dir, never by a shell. A program that is named by a relative path with a slash in it
// lies below dir; any other is looked for in $PATH.
func NewReflector(argv []string, dir string) *Reflector {
	return &Reflector{argv: argv, dir: dir, limit: ReflectTime}
}

// Name is the program and its arguments, for people.
func (r *Reflector) Name() string { return strings.Join(r.argv, " ") }

// Distil gives the program one JSON object on standard input and returns what it prints. It is an error where it
// fails, takes longer than ReflectTime, or prints more than 1 MiB.
func (r *Reflector) Distil(ctx context.Context, input []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	name := r.argv[0]
	if !filepath.IsAbs(name) && strings.ContainsRune(name, filepath.Separator) {
		name = filepath.Join(r.dir, name)
	}
	cmd := exec.CommandContext(ctx, name, r.argv[1:]...) //nolint:gosec // the person set it
	cmd.Dir = r.dir
	cmd.Stdin = bytes.NewReader(input)
	out := &atMost{most: maxDistilled}
	var errs limited
	cmd.Stdout, cmd.Stderr = out, &errs
	cmd.WaitDelay = scoreEnd
	group(cmd)
	err := cmd.Run()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("%s took longer than %s", r.argv[0], r.limit)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		if said := strings.Join(strings.Fields(string(errs)), " "); said != "" {
			return nil, fmt.Errorf("%s: %w: %s", r.argv[0], err, visible.Line(said))
		}
		return nil, fmt.Errorf("%s: %w", r.argv[0], err)
	case out.over:
		return nil, fmt.Errorf("%s said more than %d KiB", r.argv[0], maxDistilled>>10)
	}
	return out.kept, nil
}

// atMost keeps so much of what a program says, and knows when there was more.
type atMost struct {
	kept []byte
	most int
	over bool
}

func (a *atMost) Write(p []byte) (int, error) {
	room := a.most - len(a.kept)
	a.over = a.over || len(p) > room
	a.kept = append(a.kept, p[:min(len(p), max(0, room))]...)
	return len(p), nil
}
