// Package score asks a program how urgent tasks are, and remembers what it said.
package score

import (
	"context"
	"encoding/json"
	"sync"

	"vespe/model"
	"vespe/model/priority"
	"vespe/store/durable"
	"vespe/store/layout"
)

// Scorer scores how urgent a task is. Its methods may be called concurrently. A store makes
// one: own is score_command of its rules where the person trusts the store with it, else empty, and what the
// person set comes before that; root is the store's directory. nil: there are no scores.
type Scorer interface {
	// Key names the program with its arguments: what another has said does not count.
	Key() string
	// Score is from 0 to 1. task is what the rules see of a task, as one JSON object
	// (priority.Facts). An error is no score.
	Score(ctx context.Context, task []byte) (float64, error)
}

const (
	cacheFile = "cache/scores.json"
	maxScores = 20_000
)

// Scores are what a Scorer has said of tasks, by what it was asked: a cache, which anybody may
// remove. It is safe for concurrent use.
type Scores struct {
	disk     *durable.Files
	readOnly bool // nothing is written down
	scorer   Scorer
	run      bool // what is not known is asked

	mu     sync.Mutex
	known  map[string]float64
	used   map[string]float64
	asked  int
	failed []error
}

// New begins with what is known. Without a Scorer there are no scores. run: what is not known is asked.
func New(disk *durable.Files, readOnly bool, scorer Scorer, run bool) *Scores {
	c := &Scores{disk: disk, readOnly: readOnly, scorer: scorer, run: run, known: map[string]float64{}, used: map[string]float64{}}
	if scorer == nil {
		return c
	}
	if b, err := disk.FS.ReadFile(cacheFile, layout.MaxJSON); err == nil && json.Unmarshal(b, &c.known) != nil {
		c.known = map[string]float64{}
	}
	return c
}

// Any says whether there is a Scorer.
func (c *Scores) Any() bool { return c.scorer != nil }

// Asked is how many tasks the Scorer was asked about, and why it gave some of them no score.
func (c *Scores) Asked() (n int, failed []error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked, c.failed
}

// Of is the score of a task; nil for none.
func (c *Scores) Of(ctx context.Context, f *priority.Facts) *float64 {
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

// Keep writes down what was asked. That it cannot be only means that it is asked again.
func (c *Scores) Keep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == 0 || c.readOnly {
		return
	}
	if len(c.known) > maxScores {
		c.known = c.used
	}
	b, err := json.Marshal(c.known)
	if err != nil || len(b) > layout.MaxJSON {
		return
	}
	tmp := c.disk.TempName("scores")
	if c.disk.WriteFile(tmp, append(b, '\n'), false) == nil && c.disk.FS.Rename(tmp, cacheFile) != nil {
		_ = c.disk.FS.Remove(tmp) // `doctor` finds it otherwise
	}
}
