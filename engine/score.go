package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vespe/model/visible"
)

const (
	// ScoreTime is how long a program may take to score one task.
	ScoreTime   = 10 * time.Second
	maxScoreOut = 4 << 10 // bytes of what it says
	atOnce      = 4       // programs at a time
)

// Scorer scores tasks with a program. It is given a task as one JSON object on standard input
// (priority.Facts) and answers with a number from 0 to 1, the first word of its output.
type Scorer struct {
	program
	turns chan struct{}
}

// NewScorer runs argv in dir, never by a shell. A program that is named by a relative path with a
// slash in it lies below dir; any other is looked for in $PATH.
func NewScorer(argv []string, dir string) *Scorer {
	return &Scorer{program: program{argv, dir, ScoreTime}, turns: make(chan struct{}, atOnce)}
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
	out, err := s.run(ctx, task, maxScoreOut)
	if err != nil {
		return 0, err
	}
	word, _, _ := strings.Cut(strings.TrimSpace(string(out.kept)), "\n")
	if fields := strings.Fields(word); len(fields) > 0 {
		word = fields[0]
	}
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("%s gave %s, which is not a number from 0 to 1", s.argv[0], strconv.Quote(visible.Line(cut(word))))
	}
	return x, nil
}

// cut keeps a word to what a message has room for.
func cut(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
