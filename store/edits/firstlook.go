package edits

import (
	"context"

	"vespe/model"
	"vespe/store/lastwrites"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/taskfiles"
)

// Who has no checkpoint, which is only a cache, has nothing in mind that files could be compared
// with. But the log has: what the status.json of a task says is what is known of the task at a first look only
// where the log last made the file so, or never wrote it, as after a clone. Else it is an edit, in
// which no verdict counts, and no answer to what the task is paused for. An acceptance in it counts by the rule that
// holds everywhere (vouched.go).

// FirstLook compares tasks with the log, and returns those that differ as the log knows them. In tasks it sets the
// acceptances apart that do not count here.
func (c *Comparer) FirstLook(ctx context.Context, tasks []*model.Task, last uint64) (was []*model.Task, err error) {
	known, err := c.SetApart(ctx, tasks, last)
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
	for i, now := range tasks {
		if !differs[i] {
			continue
		}
		t, err := c.asLogged(now, known[now.UID])
		if err != nil {
			return nil, err
		}
		if !taskfiles.Same(t, now) {
			was = append(was, t)
		}
	}
	return was, nil
}

// SetApart sets the acceptances of tasks apart that do not count here by what the log says until an entry, and returns what
// it last made their status.json.
func (c *Comparer) SetApart(ctx context.Context, tasks []*model.Task, last uint64) (map[model.UID]lastwrites.Status, error) {
	uids, want := make(map[model.UID]bool, len(tasks)), lastwrites.Approvals{}
	for _, t := range tasks {
		uids[t.UID] = true
		want.Add(t)
	}
	known, err := c.Writes.Statuses(ctx, uids, last, true, want)
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
func (c *Comparer) isAsLogged(t *model.Task, l lastwrites.Status) (bool, error) {
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

// asLogged is a task with the status that the log last gave it; without any verdict where its
// bytes can't be read.
func (c *Comparer) asLogged(now *model.Task, l lastwrites.Status) (*model.Task, error) {
	if l.Hash == "" {
		return taskfiles.Blank(now.UID), nil
	}
	name := layout.TaskFile(now.UID, layout.StatusFile)
	e, _, err := c.Log.ReadEntry(l.Seq)
	if err != nil {
		return nil, err
	}
	for i := range e.Files {
		if f := &e.Files[i]; f.Path == name {
			if b, err := c.Log.BodyOf(f); err == nil {
				return c.CountingByLog(taskfiles.LaidOver(now, taskfiles.Images{layout.StatusFile: b}))
			}
		}
	}
	was := now.Clone()
	was.Status.AcceptedPlan, was.Status.Review, was.Status.Undo, was.Status.Elsewhere = nil, nil, nil, nil
	return was, nil
}
