package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/priority"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/score"
)

// PrioritizeOptions say what Prioritize does.
type PrioritizeOptions struct {
	UIDs   []model.UID // nil: all tasks
	DryRun bool        // nothing is written
	Scores bool        // what no score is known of is scored now, which runs a program
}

// Prioritized is what the rules make of the tasks of a store.
type Prioritized struct {
	Tasks    []PrioritizedTask
	Applied  model.Applied // its Seq is 0 where nothing was written
	Rules    string        // the hash of the rules; "" where there are none
	Scored   int           // how many tasks were scored just now
	Warnings []string
}

// PrioritizedTask is one task of them.
type PrioritizedTask struct {
	UID     model.UID
	Was     model.Priority
	Given   bool // somebody gave it its priority, which stays
	Verdict priority.Verdict
	Changes bool
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
	rules, ps, broken, err := s.readRules()
	switch {
	case err != nil:
		return out, err
	case broken:
		f := failure.New(model.CodeRefused, model.GuardReadable, nil, nil, "repair it first; nothing was changed", "%s", problemLine(ps))
		return out, f.Refusal
	}
	if rules != nil {
		out.Rules = rules.Hash
	}
	uids := uidsIn(snap, o.UIDs)
	sc := score.New(&s.disk, true, nil, false)
	if rules != nil {
		sc = s.newScores(rules, o.Scores)
		if len(rules.Command) > 0 && !sc.Any() && !s.mayRun(rules.Command) {
			why := "this store is not trusted: run `vespe store trust`"
			if s.Trusted() {
				why = "you haven't trusted it yet: look at it, then run `vespe store trust`"
			}
			out.Warnings = append(out.Warnings, "score_command of "+layout.Shown(priority.Path)+" isn't run, because "+why)
		}
	}
	tasks := make([]*PrioritizedTask, len(uids))
	if err := parallel.Each(ctx, len(uids), func(i int) (err error) {
		tasks[i], err = s.judge(ctx, snap, rules, sc, uids[i])
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
			ops = append(ops, priorityOp(t.UID, t.Verdict))
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
		_ = s.fs.Overwrite(prioritizedFile, fmt.Appendf(nil, "%-*s\n", hashLength, out.Rules)) // else it is done again
	}
	return out, err
}

// prioritizedFile has the hash of the rules that all tasks were held against last.
const prioritizedFile = "cache/prioritized"

const hashLength = len(layout.HashPrefix) + 64

// outruled is the hash of rules that tasks were not held against yet, "" for a file that is gone;
// false where there are none, where they cannot be read, and where nothing is to be done.
func (s *Store) outruled() (hash string, is bool) {
	rules, _, broken, err := s.readRules()
	if err != nil || broken {
		return "", false
	}
	if rules != nil {
		hash = rules.Hash
	}
	b, err := s.fs.ReadFile(prioritizedFile, int64(2*hashLength))
	if fsys.Missing(err) {
		return hash, hash != ""
	}
	return hash, err == nil && strings.TrimSpace(string(b)) != hash
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

// judge asks the rules about one task; nil for one that they are not asked about.
func (s *Store) judge(ctx context.Context, snap *model.Snapshot, rules *priority.Rules, sc *score.Scores, uid model.UID) (*PrioritizedTask, error) {
	t, ok := snap.Task(uid)
	if !ok {
		return nil, nil
	}
	out := &PrioritizedTask{UID: uid, Given: t.Spec.GivenPriority()}
	if t.Spec != nil {
		out.Was = t.Spec.Priority
	}
	if out.Given {
		return out, nil
	}
	if !wantsPriority(t) {
		return nil, nil
	}
	body, err := s.Content(ctx, uid, model.Objective)
	if err != nil && !errors.Is(err, model.ErrNoContent) {
		if fsys.IsTransient(err) || ctx.Err() != nil {
			return nil, err
		}
		return nil, nil // that it cannot be read is a problem that others tell of
	}
	i, _ := snap.Index(uid)
	f := priority.Of(t, string(body.Body), snap.MilestoneID(i))
	out.Verdict = rules.Judge(&f, sc.Of(ctx, &f))
	out.Changes = out.Was != out.Verdict.Priority || out.Was != "" && t.Spec.RuledPriority() != out.Verdict.Rule
	return out, nil
}

// problemLine is the first problem in a line.
func problemLine(ps []model.Problem) string {
	if len(ps) == 0 {
		return layout.Shown(priority.Path) + " can't be read"
	}
	p := ps[0]
	for _, q := range ps {
		if q.Severity == model.Error {
			p = q
			break
		}
	}
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Reason)
	}
	return p.Path + ": " + p.Reason
}
