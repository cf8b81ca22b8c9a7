package app

import (
	"vespe/engine"
	"vespe/internal/config"
	"vespe/store/score"
)

// scorer runs the person's own score_command, else that of a store, which own is where the store is
// trusted. nil: there is none. The person's own never meets the store's directory, in which a program
// may find what others left for it.
func scorer(c *config.Config) func(own []string, root string) score.Scorer {
	return func(own []string, root string) score.Scorer {
		argv, wrong := c.ScoreCommand()
		switch {
		case len(argv) > 0:
			return engine.NewScorer(argv, c.Dir())
		case !wrong && len(own) > 0 && own[0] != "": // anyone who sets an invalid one doesn't want another's
			return engine.NewScorer(own, root)
		}
		return nil
	}
}
