package loading

import (
	"context"
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/layout"
	"vespe/store/storefiles"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// Freshen is the snapshot as of the last entry of the log in which the given tasks are
// what their files say now, no matter who wrote them. Tasks that are gone have left it. It costs
// what these tasks cost, not what the store does.
func (s *Loader) Freshen(ctx context.Context, uids []model.UID) (*snapshot.Snapshot, error) {
	for range maxReplays {
		if _, err := s.Refresh(ctx); err != nil {
			return nil, err
		}
		if snap, err := s.freshen(ctx, uids); snap != nil || err != nil {
			return snap, err
		}
	}
	return nil, failure.ErrRestless
}

// freshen is nil where the snapshot was dropped meanwhile.
func (s *Loader) freshen(ctx context.Context, uids []model.UID) (*snapshot.Snapshot, error) {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	snap, at := s.Current.Get()
	if snap == nil {
		return nil, nil
	}
	snap, at, err := s.freshened(ctx, snap, at, uids)
	if err != nil {
		return nil, err
	}
	return s.Keep(snap, at), nil
}

// freshened is a snapshot with some tasks read again, and in step with the log.
func (s *Loader) freshened(ctx context.Context, snap *snapshot.Snapshot, at txlog.Tip, uids []model.UID) (*snapshot.Snapshot, txlog.Tip, error) {
	c := replayer{s: s}
	first, err := c.takeFirst(at.Seq)
	if err != nil {
		return nil, at, err
	}
	if first.Seq == at.Seq {
		at.Head = first.Head
	}
	for _, uid := range uids {
		if uid.Valid() {
			c.want(uid)
		}
	}
	at, err = c.catchUp(ctx, at, func(at txlog.Tip) (err error) {
		snap, err = c.renew(snap, at)
		return err
	})
	if err != nil || len(c.problems) == 0 {
		return snap, at, err
	}
	problems := slices.Concat(snap.StoreProblems(), c.problems)
	return snap.Amend(snapshot.Amendment{Problems: &problems}), at, nil
}

// want adds a task to what is read again, though no entry names it.
func (c *replayer) want(uid model.UID) {
	c.pending = append(c.pending, layout.TaskFile(uid, "."))
	if c.wanted == nil {
		c.wanted = map[model.UID]bool{}
	}
	c.wanted[uid] = true
}

// renew reads what is pending and puts what is different now into a snapshot.
func (c *replayer) renew(snap *snapshot.Snapshot, at txlog.Tip) (*snapshot.Snapshot, error) {
	tasks, deleted, requests, err := c.look(func(uid model.UID) *model.Task { return c.s.Edits.KnownOrBlank(snap, uid) })
	if err != nil {
		return nil, err
	}
	tasks = slices.DeleteFunc(tasks, func(t *model.Task) bool {
		was, known := snap.Task(t.UID)
		return known && taskfiles.SameTask(was, t)
	})
	deleted = slices.DeleteFunc(deleted, func(uid model.UID) bool {
		_, known := snap.Index(uid)
		return !known
	})
	if len(tasks) > 0 || len(requests) > 0 || at.Seq != snap.Seq() {
		snap = snap.With(at.Seq, at.Head, tasks, requests)
	}
	var a snapshot.Amendment
	a.Gone = deleted
	if c.policy {
		c.policy = false
		policy, ps, err := storefiles.ReadPolicy(c.s.Disk)
		if err != nil {
			return nil, err
		}
		ps = append(without(snap.StoreProblems(), storefiles.IsPolicyProblem), ps...)
		a.Policy, a.Problems = &policy, &ps
	}
	if len(a.Gone) > 0 || a.Policy != nil {
		snap = snap.Amend(a)
	}
	if c.stones {
		c.stones = false
		ms, ps, err := c.milestones(c.s.Pending.Hint().Seq)
		if err != nil {
			return nil, err
		}
		snap = withMilestones(snap, ms, ps)
	}
	return snap, nil
}
