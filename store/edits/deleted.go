package edits

import (
	"context"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// beforeDeletion is a deleted task as the log last had it; blank if the log doesn't record its deletion.
func (c *Comparer) beforeDeletion(uid model.UID) (*model.Task, error) {
	last, err := c.Log.Tail(0)
	if err == nil {
		err = c.Ops.Update(context.Background(), last)
	}
	if err != nil {
		return nil, err
	}
	if t := c.Ops.Deleted(uid); t != nil {
		return c.CountingByLog(t)
	}
	return taskfiles.Blank(uid), nil
}

// NamedInLog are the tasks that the log, up to an entry, has written anything of.
func (c *Comparer) NamedInLog(ctx context.Context, last uint64) (map[model.UID]bool, error) {
	named := map[model.UID]bool{}
	if last == 0 {
		return named, nil
	}
	heads, err := c.Log.Heads(ctx, 1, last)
	if err != nil {
		return nil, err
	}
	for i := range heads {
		for _, uid := range heads[i].Uids {
			named[uid] = true
		}
	}
	return named, nil
}

// LastLogged are tasks as the entries up to one last had them: what these did not write was not
// there, but for the identity.
func (c *Comparer) LastLogged(ctx context.Context, wanted map[model.UID]bool, last uint64) ([]*model.Task, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	over := map[model.UID]taskfiles.Images{}
	add := func(f *txlog.FileImage) error {
		uid, rest, ok := layout.TaskOf(f.Path)
		if !ok || !wanted[uid] || !taskfiles.IsOwn(rest) {
			return nil
		}
		if over[uid] == nil {
			over[uid] = taskfiles.Images{}
		}
		if _, newer := over[uid][rest]; newer {
			return nil
		}
		if f.Hash == "" {
			over[uid][rest] = nil
			return nil
		}
		b, err := c.Log.BodyOf(f)
		if err != nil && fsys.IsTransient(err) {
			return err
		}
		if err == nil {
			over[uid][rest] = b
		}
		return nil
	}
	for seq := last; seq > 0; seq-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, _, err := c.Log.ReadEntry(seq)
		if err != nil {
			if fsys.IsTransient(err) {
				return nil, err
			}
			continue // Doctor says so
		}
		for i := range e.Files {
			if err := add(&e.Files[i]); err != nil {
				return nil, err
			}
		}
	}
	var out []*model.Task
	for uid := range wanted {
		t := taskfiles.LaidOver(taskfiles.Blank(uid), over[uid]).Clone()
		t.Config.UID = uid
		t, err := c.CountingByLog(t)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
