package writing

import (
	"context"
	"fmt"
	"slices"

	"vespe/model"
	"vespe/model/chain"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/staged"
	"vespe/store/failure"
	"vespe/store/layout"
)

// Transaction is what several operations do together: one change, merged.
type Transaction struct {
	ops      []model.Op
	change   *model.Change
	taskAt   map[model.UID]int
	fileAt   map[string]int
	request  map[string]int
	snapshot *snapshot.Snapshot // that it was computed from
	main     int                // of ops: those before it take over edits that were found on the way
}

// Compute applies operations one after the other, each to what the ones before left.
func (s *Writer) Compute(ctx context.Context, snap *snapshot.Snapshot, ops []model.Op, main int) (*Transaction, error) {
	t := &Transaction{
		ops: slices.Clone(ops), main: min(main, max(len(ops)-1, 0)), change: &model.Change{}, snapshot: snap,
		taskAt: map[model.UID]int{}, fileAt: map[string]int{}, request: map[string]int{},
	}
	over := staged.New(newReadView(snap, s, ops...))
	for i := range ops {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := apply(over, ops[i])
		if err != nil && ops[i].Name == model.ExternalEdit {
			err = failure.About(ops[i].UID, err)
		}
		if err != nil {
			return nil, err
		}
		if ops[i].Name == model.CreateMilestone {
			t.ops[i].Args = model.MilestoneEdit{ID: c.Milestone} // which may have been left open
		}
		chain.Link(c, over.Task)
		over.Absorb(c)
		t.merge(c)
		if i == t.main {
			t.change.Op, t.change.Deed, t.change.Summary = c.Op, c.Deed, c.Summary
			t.change.Request, t.change.Waits, t.change.Milestone = c.Request, c.Waits, c.Milestone
		}
	}
	if n := len(ops) - t.main; n > 1 {
		t.change.Summary = fmt.Sprintf("%s (and %d more)", t.change.Summary, n-1)
	}
	more, err := s.Rules.After(ctx, over, ops, t.change)
	if err != nil {
		return nil, s.unreadable(&ops[t.main], err)
	}
	for _, op := range more {
		op.ID, op.At, op.Channel = ops[t.main].ID+".rules."+string(op.UID), ops[t.main].At, ops[t.main].Channel
		c, err := apply(over, op)
		if err != nil {
			return nil, err
		}
		chain.Link(c, over.Task)
		over.Absorb(c)
		t.merge(c)
		t.ops = append(t.ops, op)
	}
	return t, nil
}

// merge lays a change over those before it.
func (t *Transaction) merge(c *model.Change) {
	m := t.change
	for i, task := range c.Tasks {
		k, ok := t.taskAt[task.UID]
		if !ok {
			t.taskAt[task.UID] = len(m.Tasks)
			m.Tasks = append(m.Tasks, task)
			m.Touched = append(m.Touched, c.Touched[i])
			continue
		}
		m.Tasks[k] = task
		now, more := &m.Touched[k], c.Touched[i]
		now.Config = now.Config || more.Config
		now.Status = now.Status || more.Status
		now.Dependencies = now.Dependencies || more.Dependencies
		now.Spec = now.Spec || more.Spec
	}
	for _, f := range c.Files {
		if k, ok := t.fileAt[f.Path]; ok {
			m.Files[k] = f
			continue
		}
		t.fileAt[f.Path] = len(m.Files)
		m.Files = append(m.Files, f)
	}
	for _, r := range c.Requests {
		if k, ok := t.request[r.ID]; ok {
			m.Requests[k] = r
			continue
		}
		t.request[r.ID] = len(m.Requests)
		m.Requests = append(m.Requests, r)
	}
	if c.Milestones != nil {
		m.Milestones = c.Milestones
	}
	m.Events = append(m.Events, c.Events...)
	m.Warnings = append(m.Warnings, c.Warnings...)
}

// empty: the operations were allowed and had nothing to do.
func (t *Transaction) empty() bool {
	return len(t.change.Tasks) == 0 && len(t.change.Files) == 0 && len(t.change.Requests) == 0 && t.change.Milestones == nil
}

// apply computes an operation; that a task was deleted is none of the lifecycle's.
func apply(w model.World, op model.Op) (*model.Change, error) {
	x := model.ArgsOf[model.External](&op)
	if !x.Gone {
		return lifecycle.Apply(w, op)
	}
	c := &model.Change{Op: op, Summary: fmt.Sprintf("%q was removed", x.Was.Config.Name)}
	for _, f := range x.Files {
		c.Files = append(c.Files, model.FileChange{Path: layout.TaskFile(op.UID, f.Name), Edited: true, Was: f.Old})
	}
	return c, nil
}

// deletedTask is the task that a file is of, as it was known, where it was deleted as a whole; else
// nil.
func (t *Transaction) deletedTask(name string) *model.Task {
	uid, _, _ := layout.TaskOf(name)
	for i := range t.ops {
		if x := model.ArgsOf[model.External](&t.ops[i]); x.Gone && t.ops[i].UID == uid {
			return x.Was
		}
	}
	return nil
}
