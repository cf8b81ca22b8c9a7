package store

import (
	"context"
	"fmt"
	"slices"

	"vespe/model"
	"vespe/model/priority"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/rules"
	"vespe/store/score"
	"vespe/store/taskfiles"
)

// PrioritizeOptions say what Prioritize does.
type PrioritizeOptions struct {
	UIDs   []model.UID // nil: all tasks
	DryRun bool        // nothing is written
	Scores bool        // what no score is known of is scored now, which runs a program
}

// Prioritized is what the rules make of the tasks of a store.
type Prioritized struct {
	Tasks    []rules.Task
	Applied  snapshot.Applied // its Seq is 0 where nothing was written
	Rules    string           // the hash of the rules; "" where there are none
	Scored   int              // how many tasks were scored just now
	Warnings []string
}

// Prioritize sets the priorities of tasks by rules/priority.yml, as one transaction: of those that
// have not ended, and that nobody gave a priority. A task that cannot be read is left out. The
// error is a *model.Refusal where the rules cannot be read.
func (s *Store) Prioritize(ctx context.Context, o PrioritizeOptions) (Prioritized, error) {
	var out Prioritized
	snap, err := s.Refresh(ctx)
	if err != nil {
		return out, err
	}
	set, ps, broken, err := s.rules.Read()
	switch {
	case err != nil:
		return out, err
	case broken:
		f := failure.New(model.CodeRefused, model.GuardReadable, nil, nil, "repair it first; nothing was changed", "%s", rules.FirstLine(ps))
		return out, f.Refusal
	}
	if set != nil {
		out.Rules = set.Hash
	}
	uids := taskfiles.UIDsIn(snap, o.UIDs)
	sc := score.New(&s.disk, true, nil, false)
	if set != nil {
		sc = s.rules.Scores(set, o.Scores)
		if len(set.Command) > 0 && !sc.Any() && !s.mayRun(set.Command) {
			why := "this store is not trusted: run `vespe store trust`"
			if s.Trusted() {
				why = "you haven't trusted it yet: look at it, then run `vespe store trust`"
			}
			out.Warnings = append(out.Warnings, "score_command of "+layout.Shown(priority.Path)+" isn't run, because "+why)
		}
	}
	tasks := make([]*rules.Task, len(uids))
	if err := parallel.Each(ctx, len(uids), func(i int) (err error) {
		tasks[i], err = rules.Judge(ctx, snap, set, sc, uids[i], s.Content)
		return err
	}); err != nil {
		return out, err
	}
	var ops []model.Op
	for _, t := range tasks {
		if t == nil {
			continue
		}
		out.Tasks = append(out.Tasks, *t)
		if t.Changes {
			ops = append(ops, rules.Op(t.UID, t.Verdict))
		}
	}
	noteScores(sc, &out)
	if o.DryRun {
		return out, nil
	}
	if len(ops) > 0 {
		out.Applied, err = s.DoAll(ctx, ops)
		out.Warnings = append(out.Warnings, out.Applied.Warnings...)
	}
	if o.UIDs == nil && err == nil && s.ReadOnly() == "" {
		s.rules.Held(out.Rules)
	}
	return out, err
}

// noteScores keeps the scores, and tells how many there were.
func noteScores(c *score.Scores, out *Prioritized) {
	if !c.Any() {
		return
	}
	c.Keep()
	asked, failed := c.Asked()
	out.Scored = asked - len(failed)
	if n := len(failed); n > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d of %d tasks got no score: %v", n, asked, failed[0]))
	}
}

// ScoreCommand is score_command of the rules, which Trust and TrustCommand of the Options say whether
// it may be run; nil where there is none, and where the rules cannot be read.
func (s *Store) ScoreCommand() ([]string, error) {
	set, _, _, err := s.rules.Read()
	if err != nil || set == nil {
		return nil, err
	}
	return slices.Clone(set.Command), nil
}

// mayRun says whether the person trusts the store, and trusts it with that command.
func (s *Store) mayRun(argv []string) bool {
	return len(argv) > 0 && s.Trusted() && (s.opt.Trusted || s.opt.TrustCommand != nil && s.opt.TrustCommand(s.root, s.ID(), argv))
}
