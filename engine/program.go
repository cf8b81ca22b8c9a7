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

// program is a program of the person's own, or of a store that they trust, which answers on standard output.
type program struct {
	argv  []string
	dir   string
	limit time.Duration
}

const (
	endTime = time.Second // a program may take to end once it is told to
	maxErr  = 4 << 10     // bytes of what it says went wrong
)

// run gives the program an input and returns the first bytes of what it prints.
func (p *program) run(ctx context.Context, input []byte, most int) (*atMost, error) {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	name := p.argv[0]
	if !filepath.IsAbs(name) && strings.ContainsRune(name, filepath.Separator) {
		name = filepath.Join(p.dir, name)
	}
	cmd := exec.CommandContext(ctx, name, p.argv[1:]...) //nolint:gosec // the person set it, or trusts who did
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = p.dir, bytes.NewReader(input), endTime
	out, errs := &atMost{most: most}, &atMost{most: maxErr}
	cmd.Stdout, cmd.Stderr = out, errs
	group(cmd)
	err := cmd.Run()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("%s took longer than %s", p.argv[0], p.limit)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		if said := strings.Join(strings.Fields(string(errs.kept)), " "); said != "" {
			return nil, fmt.Errorf("%s: %w: %s", p.argv[0], err, visible.Line(said))
		}
		return nil, fmt.Errorf("%s: %w", p.argv[0], err)
	}
	return out, nil
}

// atMost keeps the beginning of what a program prints, and knows when there was more.
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
