package store

import (
	"context"
	"slices"
	"sync"

	"vespe/model"
	"vespe/store/lastwrites"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/past"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// Who has no checkpoint, which is only a cache, has nothing in mind that files could be compared
// with. But the log has: what the status.json of a task says is what is known of the task at a first look only
// where the log last made the file so, or never wrote it, as after a clone. Else it is an edit, in
// which no verdict counts, and no answer to what the task is paused for. An acceptance in it counts by the rule that
// holds everywhere (vouched.go).

// firstLook compares tasks with the log, and returns those that differ as the log knows them. In tasks it sets the
// acceptances apart that do not count here.
func (c *comparer) firstLook(ctx context.Context, tasks []*model.Task, last uint64) (was []*model.Task, err error) {
	known, err := c.setApart(ctx, tasks, last)
	if err != nil || last == 0 {
		return nil, err
	}
	differs := make([]bool, len(tasks))
	if err := parallel.Each(ctx, len(tasks), func(i int) error {
		l, ok := known[tasks[i].UID]
		if !ok {
			return nil
		}
		same, err := c.isAsLogged(tasks[i], l)
		differs[i] = !same
		return err
	}); err != nil {
		return nil, err
	}
	compacted := sync.OnceValues(c.writes.Compacted)
	for i, now := range tasks {
		if !differs[i] {
			continue
		}
		t, err := c.asLogged(now, known[now.UID], compacted)
		if err != nil {
			return nil, err
		}
		if !taskfiles.Same(t, now) {
			was = append(was, t)
		}
	}
	return was, nil
}

// setApart sets the acceptances of tasks apart that do not count here by what the log says until an entry, and returns what
// it last made their status.json.
func (c *comparer) setApart(ctx context.Context, tasks []*model.Task, last uint64) (map[model.UID]lastwrites.Status, error) {
	uids, want := make(map[model.UID]bool, len(tasks)), lastwrites.Approvals{}
	for _, t := range tasks {
		uids[t.UID] = true
		want.Add(t)
	}
	known, err := c.writes.Statuses(ctx, uids, last, true, want)
	if err != nil {
		return nil, err
	}
	return known, parallel.Each(ctx, len(tasks), func(i int) (err error) {
		l := known[tasks[i].UID]
		tasks[i], err = c.counting(tasks[i], want, l.Given != "" && l.Given == model.HashBytes(model.EncodeStatus(tasks[i].Status)))
		return err
	})
}

// isAsLogged says whether a task's status is what the log wrote. What vespe writes has one form, so
// the task tells, whatever has become of the file since it was read; what came as a whole, and was
// left as it was, may have another.
func (c *comparer) isAsLogged(t *model.Task, l lastwrites.Status) (bool, error) {
	hash := model.HashBytes(model.EncodeStatus(t.Status))
	if hash == l.Hash || hash == l.Given {
		return true, nil
	}
	hash, err := c.statusHash(t)
	if err != nil {
		return false, err
	}
	return hash != "" && (hash == l.Hash || hash == l.Given), nil
}

// keepLoaded makes a snapshot of everything the current one, unless a newer one is. All of it is
// believed but for tasks that the log knows otherwise, which are given as it knows them.
func (s *Store) keepLoaded(ctx context.Context, snap *model.Snapshot, at txlog.Tip, names int64, doubted []*model.Task) (*model.Snapshot, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	known, deleted := s.knownTo(ctx, snap, at, doubted)
	s.mu.Lock()
	s.names, s.unswept = names, false
	newest := s.snap == nil || s.tip.Seq <= at.Seq
	s.mu.Unlock()
	if newest {
		s.edits.Reset()
	}
	if newest && len(known) > 0 {
		tasks := make([]*model.Task, len(known))
		for i, was := range known {
			now, _ := snap.Task(was.UID)
			var err error
			if tasks[i], err = s.comparer.compared(was, now); err != nil {
				return nil, err
			}
		}
		snap = snap.With(at.Seq, at.Head, tasks, nil)
	}
	if newest {
		for _, now := range flawed(snap) {
			s.edits.Unmark(now, true)
		}
		for _, was := range deleted {
			s.edits.SetDeleted(was)
		}
	}
	return s.keep(snap, at), nil
}

// knownTo is the tasks of a snapshot whose files this process knows the log to have otherwise, as
// the log has them: those of doubted, and those that the current snapshot tells of. What was found
// to be an edit must not become what is known because everything was read anew. deleted are those that
// it knows and that were not there when everything was read.
func (s *Store) knownTo(ctx context.Context, snap *model.Snapshot, at txlog.Tip, doubted []*model.Task) (known, deleted []*model.Task) {
	old, there := s.kept()
	if old != nil && there.Seq < at.Seq {
		if _, err := s.advance(ctx, old, there, at.Seq); err == nil {
			old, there = s.kept()
		}
	}
	if old == nil || there != at {
		return doubted, nil // it is of another log, or cannot be brought up to this entry
	}
	known = slices.Clone(doubted)
	uids := make([]model.UID, snap.Len())
	for i := range uids {
		now := snap.At(i)
		uids[i] = now.UID
		if slices.ContainsFunc(doubted, func(t *model.Task) bool { return t.UID == now.UID }) {
			continue
		}
		if was := s.edits.KnownOrBlank(old, now.UID); !taskfiles.IsBlank(was) && !taskfiles.Same(was, now) {
			known = append(known, was)
		}
	}
	for _, uid := range differentNames(old, uids) {
		if _, there := snap.Index(uid); !there {
			if was := s.edits.KnownOrBlank(old, uid); !taskfiles.IsBlank(was) {
				deleted = append(deleted, was)
			}
		}
	}
	for _, was := range s.edits.Deleted() {
		if _, there := snap.Index(was.UID); !there {
			deleted = append(deleted, was)
		}
	}
	return known, deleted
}

// asLogged is a task with the status that the log last gave it; without any verdict where its
// bytes are no longer kept. compacted are the files as compaction left them.
func (c *comparer) asLogged(now *model.Task, l lastwrites.Status, compacted func() (map[string]past.File, error)) (*model.Task, error) {
	if l.Hash == "" {
		return taskfiles.Blank(now.UID), nil
	}
	name := layout.TaskFile(now.UID, layout.StatusFile)
	if l.Seq > 0 {
		e, _, err := c.log.ReadEntry(l.Seq)
		if err != nil {
			return nil, err
		}
		for i := range e.Files {
			if f := &e.Files[i]; f.Path == name {
				if b, err := c.log.BodyOf(f); err == nil {
					return c.countingByLog(taskfiles.LaidOver(now, taskfiles.Images{layout.StatusFile: b}))
				}
			}
		}
	}
	if l.Seq == 0 {
		files, err := compacted()
		if err != nil {
			return nil, err
		}
		if f := files[name]; f.Body != nil && f.Hash == l.Hash {
			return c.countingByLog(taskfiles.LaidOver(now, taskfiles.Images{layout.StatusFile: f.Body}))
		}
	}
	was := now.Clone()
	was.Status.AcceptedPlan, was.Status.Review, was.Status.Undo, was.Status.Elsewhere = nil, nil, nil, nil
	return was, nil
}
