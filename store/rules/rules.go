// Package rules sets priorities by rules/priority.yml.
package rules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"vespe/model"
	"vespe/model/priority"
	"vespe/model/snapshot"
	"vespe/model/staged"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/score"
)

// Actor is who sets priorities by rules.
const Actor model.Actor = model.System + ":rules"

// Reader reads the rules. It is safe for concurrent use.
type Reader struct {
	Disk     *durable.Files
	Root     string
	ReadOnly func() string
	Scorer   func(own []string, root string) score.Scorer // nil: there are no scores
	MayRun   func(argv []string) bool                     // whether the person trusts the store, and trusts it with that command

	mu       sync.Mutex
	hash     string // of the file as it was read last
	rules    *priority.Rules
	problems []model.Problem
}

// Read reads rules/priority.yml. Without the file there are no rules and no problem; where
// it cannot be read there are no rules either, and broken is true.
func (r *Reader) Read() (rules *priority.Rules, ps []model.Problem, broken bool, err error) {
	b, err := r.Disk.FS.ReadFile(priority.Path, priority.MaxFile)
	switch {
	case fsys.Missing(err):
		return nil, nil, false, nil
	case err != nil && !fsys.IsAboutFile(err):
		return nil, nil, false, err
	case err != nil:
		return nil, []model.Problem{failure.OfFile(layout.Shown(priority.Path), err)}, true, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if hash := model.HashBytes(b); r.hash != hash {
		r.hash = hash
		r.rules, r.problems = priority.Parse(layout.Shown(priority.Path), b)
	}
	return r.rules, slices.Clone(r.problems), r.rules == nil, nil
}

// IsProblem says whether a problem is one of the rules.
func IsProblem(p model.Problem) bool { return p.Path == layout.Shown(priority.Path) }

// judged are the operations after which the rules are asked again about their task, also where another
// operation sets them off: the phase that finds out an objective, the split that makes a task.
func judged(name model.Name) bool {
	switch name {
	case model.CreateTask, model.DefineObjective, model.SetFields, model.ImportTask, model.AssignMilestone, model.ExternalEdit:
		return true
	}
	return false
}

// After are the operations that bring the priorities of tasks in line with what
// operations made of them. No program is run for them: a score counts where it is known. Rules that are
// broken are a problem that is shown, and set nothing; where the disk does not give them, or an
// objective, it is not known what they would set.
func (r *Reader) After(ctx context.Context, over *staged.World, ops []model.Op, c *model.Change) ([]model.Op, error) {
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
	rules, _, _, err := r.Read()
	if err != nil || rules == nil {
		return nil, err
	}
	var out []model.Op
	scores := r.Scores(rules, false)
	for _, t := range c.Tasks {
		now, ok := over.Task(t.UID)
		created := ok && now.Status.Revision == 1 // a phase is made by the operation on its parent
		if !ok || !touched[t.UID] && !created || !wants(now) {
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
		out = append(out, Op(t.UID, v))
	}
	return out, nil
}

// Op sets the priority of a task by a verdict of the rules.
func Op(uid model.UID, v priority.Verdict) model.Op {
	return model.Op{Name: model.Prioritize, UID: uid, Actor: Actor, Args: model.PriorityBy{Priority: v.Priority, Rule: v.Rule}}
}

// wants says whether rules set the priority of a task: it has not ended, can be read, and
// nobody gave it one.
func wants(t *model.Task) bool {
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

// Scores are the scores by score_command of the rules, where the person trusts the store with it, and by what
// the person set, which comes before that.
func (r *Reader) Scores(rules *priority.Rules, run bool) *score.Scores {
	var scorer score.Scorer
	if r.Scorer != nil {
		var own []string
		if r.MayRun(rules.Command) {
			own = rules.Command
		}
		scorer = r.Scorer(own, r.Root)
	}
	return score.New(r.Disk, r.ReadOnly() != "", scorer, run)
}

// Task is what the rules make of a task.
type Task struct {
	UID     model.UID
	Was     model.Priority
	Given   bool // somebody gave it its priority, which stays
	Verdict priority.Verdict
	Changes bool
}

// Judge asks rules about one task; body reads its objective. It is nil for one that they are not asked about.
func Judge(
	ctx context.Context, snap *snapshot.Snapshot, rules *priority.Rules, sc *score.Scores, uid model.UID,
	body func(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error),
) (*Task, error) {
	t, ok := snap.Task(uid)
	if !ok {
		return nil, nil
	}
	out := &Task{UID: uid, Given: t.Spec.GivenPriority()}
	if t.Spec != nil {
		out.Was = t.Spec.Priority
	}
	if out.Given {
		return out, nil
	}
	if !wants(t) {
		return nil, nil
	}
	objective, err := body(ctx, uid, model.Objective)
	if err != nil && !errors.Is(err, model.ErrNoContent) {
		if fsys.IsTransient(err) || ctx.Err() != nil {
			return nil, err
		}
		return nil, nil // that it cannot be read is a problem that others tell of
	}
	i, _ := snap.Index(uid)
	f := priority.Of(t, string(objective.Body), snap.MilestoneID(i))
	out.Verdict = rules.Judge(&f, sc.Of(ctx, &f))
	out.Changes = out.Was != out.Verdict.Priority || out.Was != "" && t.Spec.RuledPriority() != out.Verdict.Rule
	return out, nil
}

// heldFile has the hash of the rules that all tasks were held against last.
const heldFile = "cache/prioritized"

const hashLength = len(layout.HashPrefix) + 64

// Outruled is the hash of rules that tasks were not held against yet, "" for a file that is gone;
// false where there are none, where they cannot be read, and where nothing is to be done.
func (r *Reader) Outruled() (hash string, is bool) {
	rules, _, broken, err := r.Read()
	if err != nil || broken {
		return "", false
	}
	if rules != nil {
		hash = rules.Hash
	}
	b, err := r.Disk.FS.ReadFile(heldFile, int64(2*hashLength))
	if fsys.Missing(err) {
		return hash, hash != ""
	}
	return hash, err == nil && strings.TrimSpace(string(b)) != hash
}

// Held notes that all tasks were held against the rules with a hash. Without the note it is done again.
func (r *Reader) Held(hash string) {
	_ = r.Disk.FS.Overwrite(heldFile, fmt.Appendf(nil, "%-*s\n", hashLength, hash))
}

// FirstLine is the first problem in a line.
func FirstLine(ps []model.Problem) string {
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
