package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vespe/model/visible"
)

const (
	// ScoreTime is how long a program may take to score one task.
	ScoreTime = 10 * time.Second
	endTime   = time.Second // it may take to end once it is told to
	maxOut    = 4 << 10     // bytes of what it says, and of what it says went wrong
	atOnce    = 4           // programs at a time
)

// Scorer scores tasks with a program. It is given a task as one JSON object on standard input
// (priority.Facts) and answers with a number from 0 to 1, the first word of its output.
type Scorer struct {
	argv  []string
	dir   string
	limit time.Duration
	turns chan struct{}
}

// NewScorer runs argv in dir, never by a shell. A program that is named by a relative path with a
// slash in it lies below dir; any other is looked for in $PATH.
func NewScorer(argv []string, dir string) *Scorer {
	return &Scorer{argv, dir, ScoreTime, make(chan struct{}, atOnce)}
}

// Key names the program and its arguments.
func (s *Scorer) Key() string { return strings.Join(s.argv, "\x00") }

// Score asks the program about a task. Whatever it cannot say within ScoreTime, or says in another
// way than as a number from 0 to 1, is an error, and means that there is no score.
func (s *Scorer) Score(ctx context.Context, task []byte) (float64, error) {
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	out, err := s.run(ctx, task)
	if err != nil {
		return 0, err
	}
	word, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if fields := strings.Fields(word); len(fields) > 0 {
		word = fields[0]
	}
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("%s gave %s, which is not a number from 0 to 1", s.argv[0], strconv.Quote(visible.Line(cut(word))))
	}
	return x, nil
}

// run gives the program an input and returns the first bytes of what it prints.
func (s *Scorer) run(ctx context.Context, input []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	name := s.argv[0]
	if !filepath.IsAbs(name) && strings.ContainsRune(name, filepath.Separator) {
		name = filepath.Join(s.dir, name)
	}
	cmd := exec.CommandContext(ctx, name, s.argv[1:]...) //nolint:gosec // the person set it, or trusts who did
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = s.dir, bytes.NewReader(input), endTime
	var out, errs beginning
	cmd.Stdout, cmd.Stderr = &out, &errs
	// It leads a group of its own, and all of that is ended.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := cmd.Run()
	switch said := visible.Line(strings.Join(strings.Fields(string(errs)), " ")); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("%s took longer than %s", s.argv[0], s.limit)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && said != "":
		return nil, fmt.Errorf("%s: %w: %s", s.argv[0], err, said)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", s.argv[0], err)
	}
	return out, nil
}

// beginning keeps the first bytes of what a program prints.
type beginning []byte

func (b *beginning) Write(p []byte) (int, error) {
	*b = append(*b, p[:min(len(p), maxOut-len(*b))]...)
	return len(p), nil
}

// cut keeps a word to what a message has room for.
func cut(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
