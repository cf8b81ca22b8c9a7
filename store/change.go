package store

import (
	"context"
	"fmt"
	"slices"

	"vespe/model"
	"vespe/model/chain"
	"vespe/model/snapshot"
	"vespe/model/staged"
	"vespe/store/fsys"
	"vespe/store/parallel"
	"vespe/store/taskfiles"
)

// transaction is what several operations do together: one change, merged.
type transaction struct {
	ops      []model.Op
	change   *model.Change
	taskAt   map[model.UID]int
	fileAt   map[string]int
	request  map[string]int
	snapshot *snapshot.Snapshot // that it was computed from
	main     int                // of ops: those before it take over edits that were found on the way
}

// compute applies operations one after the other, each to what the ones before left.
func (s *Store) compute(ctx context.Context, snap *snapshot.Snapshot, ops []model.Op, main int) (*transaction, error) {
	t := &transaction{
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
			err = about(ops[i].UID, err)
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
			t.change.Op, t.change.Summary = c.Op, c.Summary
			t.change.Request, t.change.Waits, t.change.Milestone = c.Request, c.Waits, c.Milestone
		}
	}
	if n := len(ops) - t.main; n > 1 {
		t.change.Summary = fmt.Sprintf("%s (and %d more)", t.change.Summary, n-1)
	}
	more, err := s.rules.After(ctx, over, ops, t.change)
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
func (t *transaction) merge(c *model.Change) {
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
func (t *transaction) empty() bool {
	return len(t.change.Tasks) == 0 && len(t.change.Files) == 0 && len(t.change.Requests) == 0 && t.change.Milestones == nil
}

// edited reads tasks again and returns those that are now to be thought of otherwise than
// a snapshot has them, and those that it has and that were deleted: someone was at their
// files without a transaction.
func (s *Store) edited(snap *snapshot.Snapshot, uids []model.UID) (edited []*model.Task, deleted []model.UID, err error) {
	d, err := s.openTasks()
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	tasks := make([]*model.Task, len(uids))
	if err := parallel.EachIf(len(uids) > s.projector.Many, len(uids), func(i int) (err error) {
		// What the disk does not give is no edit, and nothing can be decided on it.
		tasks[i], err = s.pending.ReadTaskUnless(d, uids[i], nil, func(err error) bool { return !fsys.IsAboutFile(err) })
		return err
	}); err != nil {
		return nil, nil, err
	}
	for i, uid := range uids {
		was, shown := snap.Task(uid)
		before := s.edits.KnownOrBlank(snap, uid)
		now := tasks[i]
		if now == nil {
			if s.edits.SetDeleted(before); shown {
				deleted = append(deleted, uid)
			}
			continue
		}
		if now, err = s.noticed(before, now); err != nil {
			return nil, nil, err
		}
		if !shown || !taskfiles.SameTask(was, now) {
			edited = append(edited, now)
		}
	}
	return edited, deleted, nil
}
