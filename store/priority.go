package store

import (
	"context"
	"errors"
	"slices"
	"sync"

	"vespe/model"
	"vespe/model/priority"
	"vespe/model/staged"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/score"
)

// rulesActor is who sets priorities by rules.
const rulesActor model.Actor = model.System + ":rules"

// rulesCache is the rules as they were read last, by the hash of their file.
type rulesCache struct {
	mu       sync.Mutex
	hash     string
	rules    *priority.Rules
	problems []model.Problem
}

// readRules reads rules/priority.yml. Without the file there are no rules and no problem; where
// it cannot be read there are no rules either, and broken is true.
func (s *Store) readRules() (rules *priority.Rules, ps []model.Problem, broken bool, err error) {
	b, err := s.fs.ReadFile(priority.Path, priority.MaxFile)
	switch {
	case fsys.Missing(err):
		return nil, nil, false, nil
	case err != nil && !fsys.IsAboutFile(err):
		return nil, nil, false, err
	case err != nil:
		return nil, []model.Problem{failure.OfFile(layout.Shown(priority.Path), err)}, true, nil
	}
	c := &s.rules
	c.mu.Lock()
	defer c.mu.Unlock()
	if hash := model.HashBytes(b); c.hash != hash {
		c.hash = hash
		c.rules, c.problems = priority.Parse(layout.Shown(priority.Path), b)
	}
	return c.rules, slices.Clone(c.problems), c.rules == nil, nil
}

// ScoreCommand is score_command of the rules, which Trust and TrustCommand of the Options say whether
// it may be run; nil where there is none, and where the rules cannot be read.
func (s *Store) ScoreCommand() ([]string, error) {
	rules, _, _, err := s.readRules()
	if err != nil || rules == nil {
		return nil, err
	}
	return slices.Clone(rules.Command), nil
}

func isRulesProblem(p model.Problem) bool { return p.Path == layout.Shown(priority.Path) }

// judged are the operations after which the rules are asked again about their task, also where another
// operation sets them off: the phase that finds out an objective, the split that makes a task.
func judged(name model.Name) bool {
	switch name {
	case model.CreateTask, model.DefineObjective, model.SetFields, model.ImportTask, model.AssignMilestone, model.ExternalEdit:
		return true
	}
	return false
}

// prioritizeAfter are the operations that bring the priorities of tasks in line with what
// operations made of them. No program is run for them: a score counts where it is known. Rules that are
// broken are a problem that is shown, and set nothing; where the disk does not give them, or an
// objective, it is not known what they would set.
func (s *Store) prioritizeAfter(ctx context.Context, over *staged.World, ops []model.Op, c *model.Change) ([]model.Op, error) {
	touched := map[model.UID]bool{}
	for i := range ops {
		if judged(ops[i].Name) {
			touched[ops[i].UID] = true
		}
	}
	for i := range c.Events {
		if e := &c.Events[i]; judged(e.Name) {
			touched[e.UID] = true
		}
	}
	if len(touched) == 0 {
		return nil, nil
	}
	rules, _, _, err := s.readRules()
	if err != nil || rules == nil {
		return nil, err
	}
	var out []model.Op
	scores := s.newScores(rules, false)
	for _, t := range c.Tasks {
		now, ok := over.Task(t.UID)
		created := ok && now.Status.Revision == 1 // a phase is made by the operation on its parent
		if !ok || !touched[t.UID] && !created || !wantsPriority(now) {
			continue
		}
		body, err := over.Content(t.UID, model.Objective)
		switch {
		case err == nil || errors.Is(err, model.ErrNoContent):
		case fsys.IsAboutFile(err):
			continue // that it cannot be read is a problem that others tell of
		default:
			return nil, err
		}
		f := priority.Of(now, string(body.Body), milestoneIn(over, t.UID))
		v := rules.Judge(&f, scores.Of(ctx, &f))
		if now.Spec != nil && now.Spec.Priority == v.Priority && (v.Priority == "" || now.Spec.RuledPriority() == v.Rule) || now.Spec == nil && v.Priority == "" {
			continue
		}
		out = append(out, priorityOp(t.UID, v))
	}
	return out, nil
}

func priorityOp(uid model.UID, v priority.Verdict) model.Op {
	return model.Op{Name: model.Prioritize, UID: uid, Actor: rulesActor, Args: model.PriorityBy{Priority: v.Priority, Rule: v.Rule}}
}

// wantsPriority says whether rules set the priority of a task: it has not ended, can be read, and
// nobody gave it one.
func wantsPriority(t *model.Task) bool {
	if t.Spec.GivenPriority() || slices.ContainsFunc(t.Problems, func(p model.Problem) bool { return p.Severity == model.Error }) {
		return false
	}
	switch st := &t.Status; st.CurrentState {
	case model.Failed, model.Aborted:
		return false
	case model.Completed:
		return st.Review == nil || st.Review.Of != "work" || st.Review.Verdict != model.VerdictAccepted
	}
	return true
}

// milestoneIn is the id of the milestone that a task, or one above it, was put into.
func milestoneIn(over *staged.World, uid model.UID) string {
	ms := over.MilestoneFile()
	seen := map[model.UID]bool{}
	for uid != "" && !seen[uid] {
		seen[uid] = true
		t, ok := over.Task(uid)
		if !ok {
			break
		}
		if k := ms.Holder(uid); k >= 0 {
			return ms.List[k].ID
		}
		if t.Spec != nil && t.Spec.MilestoneID != "" {
			return t.Spec.MilestoneID
		}
		uid = t.Config.ParentUID
	}
	return ""
}

// Scorer scores how urgent a task is.
type Scorer = score.Scorer

// newScores are the scores by score_command of the rules, where the person trusts the store with it, and by what
// the person set, which comes before that.
func (s *Store) newScores(rules *priority.Rules, run bool) *score.Scores {
	var scorer Scorer
	if s.opt.Scorer != nil {
		var own []string
		if s.mayRun(rules.Command) {
			own = rules.Command
		}
		scorer = s.opt.Scorer(own, s.root)
	}
	return score.New(&s.disk, s.ReadOnly() != "", scorer, run)
}

// mayRun says whether the person trusts the store, and trusts it with that command.
func (s *Store) mayRun(argv []string) bool {
	return len(argv) > 0 && s.Trusted() && (s.opt.Trusted || s.opt.TrustCommand != nil && s.opt.TrustCommand(s.root, s.ID(), argv))
}
