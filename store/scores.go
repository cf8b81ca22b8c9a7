package store

import (
	"context"
	"encoding/json"
	"sync"

	"vespe/model"
	"vespe/model/priority"
	"vespe/store/layout"
)

// Scorer scores how urgent a task is. Its methods may be called concurrently. Options.Scorer makes
// one for a store: own is score_command of its rules where the person trusts the store with it, else empty, and what the
// person set comes before that; root is the store's directory. nil: there are no scores.
type Scorer interface {
	// Key names the program with its arguments: what another has said does not count.
	Key() string
	// Score is from 0 to 1. task is what the rules see of a task, as one JSON object
	// (priority.Facts). An error is no score.
	Score(ctx context.Context, task []byte) (float64, error)
}

const (
	scoresFile = "cache/scores.json"
	maxScores  = 20_000
)

// scores are what a Scorer has said of tasks, by what it was asked: a cache, which anybody may
// remove.
type scores struct {
	s      *Store
	scorer Scorer
	run    bool // what is not known is asked

	mu     sync.Mutex
	known  map[string]float64
	used   map[string]float64
	asked  int
	failed []error
}

// newScores begins with what is known. Without a Scorer there are none.
func (s *Store) newScores(rules *priority.Rules, run bool) *scores {
	c := &scores{s: s, run: run, known: map[string]float64{}, used: map[string]float64{}}
	if s.opt.Scorer == nil {
		return c
	}
	var own []string
	if s.mayRun(rules.Command) {
		own = rules.Command
	}
	if c.scorer = s.opt.Scorer(own, s.root); c.scorer == nil {
		return c
	}
	if b, err := s.fs.ReadFile(scoresFile, layout.MaxJSON); err == nil && json.Unmarshal(b, &c.known) != nil {
		c.known = map[string]float64{}
	}
	return c
}

// mayRun says whether the person trusts the store, and trusts it with that command.
func (s *Store) mayRun(argv []string) bool {
	return len(argv) > 0 && s.Trusted() && (s.opt.Trusted || s.opt.TrustCommand != nil && s.opt.TrustCommand(s.root, s.storeID(), argv))
}

// of is the score of a task; nil for none.
func (c *scores) of(ctx context.Context, f *priority.Facts) *float64 {
	if c.scorer == nil {
		return nil
	}
	b, err := json.Marshal(f)
	if err != nil {
		return nil
	}
	key := model.HashBytes(append([]byte(c.scorer.Key()+"\x00"), b...))
	c.mu.Lock()
	x, ok := c.known[key]
	c.mu.Unlock()
	if !ok && !c.run {
		return nil
	}
	if !ok {
		x, err = c.scorer.Score(ctx, b)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !ok {
		c.asked++
	}
	if err != nil {
		c.failed = append(c.failed, err)
		return nil
	}
	if !(x >= 0 && x <= 1) {
		return nil
	}
	c.known[key], c.used[key] = x, x
	return &x
}

// keep writes down what was asked. That it cannot be only means that it is asked again.
func (c *scores) keep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == 0 || c.s.ReadOnly() != "" {
		return
	}
	if len(c.known) > maxScores {
		c.known = c.used
	}
	b, err := json.Marshal(c.known)
	if err != nil || len(b) > layout.MaxJSON {
		return
	}
	tmp := c.s.disk.TempName("scores")
	if c.s.disk.WriteFile(tmp, append(b, '\n'), false) == nil && c.s.fs.Rename(tmp, scoresFile) != nil {
		_ = c.s.fs.Remove(tmp) // `doctor` finds it otherwise
	}
}
