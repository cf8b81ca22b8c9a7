package loading

import (
	"context"
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// Warm is the store from its last checkpoint and the entries of the log since, without a
// look at the tasks' files: what was edited past vespe since then may not be in it. Tasks
// whose directories were added or removed are seen. It costs what the checkpoint's bytes
// and those entries cost, whatever the number of tasks. false when there is no checkpoint
// that can be used: then only Load helps.
func (s *Loader) Warm(ctx context.Context) (*snapshot.Snapshot, bool, error) {
	if snap, _ := s.Current.Get(); snap != nil {
		snap, err := s.Refresh(ctx)
		return snap, err == nil, err
	}
	snap, err := s.warmAlone(ctx)
	if snap == nil || err != nil {
		return nil, false, err
	}
	if unread := taskfiles.Unread(snap); len(unread) > 0 { // it may be readable now
		snap, err = s.Freshen(ctx, unread)
	}
	return snap, err == nil, err
}

func (s *Loader) warmAlone(ctx context.Context) (*snapshot.Snapshot, error) {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	return s.warm(ctx)
}

// warm is nil when there is no checkpoint to begin with. It needs s.Looking.
func (s *Loader) warm(ctx context.Context) (*snapshot.Snapshot, error) {
	o, _ := s.Checkpoints.Find()
	if o == nil {
		return nil, nil
	}
	now, err := s.Log.Tail(o.Seq)
	if err != nil {
		return nil, err
	}
	if now < o.Seq {
		return nil, nil // the log is another one
	}
	snap, at := o.Snap, o.Tip
	if now > at.Seq {
		if follows, err := s.follows(at); err != nil || !follows {
			return nil, err
		}
	}
	s.Requests.Start(o.Snap.Requests(), o.Seq)
	// Before the entries: what these wrote may not be in its files yet.
	if snap, err = s.rereadStoreFiles(snap, o.RequestsTime); err != nil {
		return nil, err
	}
	s.Edits.Reset()
	s.Ops.Start(o.Ops, o.Deleted, o.Seq)
	c := replayer{s: s}
	if at, err = c.takeUpTo(at, now); err == nil {
		at, err = c.catchUp(ctx, at, func(at txlog.Tip) (err error) {
			snap, err = c.renew(snap, at)
			return err
		})
	}
	if err != nil || len(c.problems) > 0 {
		return nil, err
	}
	s.Current.Read(o.Seq, o.Names, true)
	s.Checkpoints.Found(o.Seq)
	s.Edits.Marks.Start(o.Snap, o.Marks)
	if h := s.Pending.Hint(); h.Seq == at.Seq && h.Names != 0 {
		s.Current.SetNames(h.Names)
	}
	if snap, at, err = s.renamed(ctx, snap, at, nil); err != nil {
		return nil, err
	}
	return s.Keep(snap, at), nil
}

// follows says whether the entry after at names at as the one before it.
func (s *Loader) follows(at txlog.Tip) (bool, error) {
	e, _, err := s.Log.ReadEntry(at.Seq + 1)
	if err != nil {
		if fsys.IsTransient(err) {
			return false, err
		}
		return false, nil
	}
	return e.Prev == at.Head, nil
}

// renamed brings the tasks of a snapshot in line with the names in tasks/, if these may
// have changed since they were last compared. c, when it is given, is told when that was.
// It needs s.Looking.
func (s *Loader) renamed(ctx context.Context, snap *snapshot.Snapshot, at txlog.Tip, c *checkpoint.Head) (*snapshot.Snapshot, txlog.Tip, error) {
	in, err := s.Disk.FS.Stat(layout.TasksDir)
	if err != nil && !fsys.Missing(err) {
		return nil, at, err
	}
	time := in.ModTime.UnixNano()
	known := s.Current.Names()
	if c != nil {
		c.Names = time
	}
	if err == nil && known == time {
		return snap, at, nil
	}
	uids, _, err := s.ListTasks()
	if err != nil {
		return nil, at, err
	}
	if differ := taskfiles.DifferentNames(snap, uids); len(differ) > 0 {
		if snap, at, err = s.freshened(ctx, snap, at, differ); err != nil {
			return nil, at, err
		}
	}
	s.Current.SetNames(time)
	return snap, at, nil
}

// rereadStoreFiles reads what belongs to no task again where it may be another than when a
// checkpoint was written: the requests if their directory changed.
func (s *Loader) rereadStoreFiles(snap *snapshot.Snapshot, requestsTime int64) (*snapshot.Snapshot, error) {
	in, err := s.Disk.FS.Stat(layout.RequestsDir)
	if err != nil && !fsys.Missing(err) {
		return nil, err
	}
	if err == nil && in.ModTime.UnixNano() != requestsTime {
		requests, _, err := s.Requests.Read(s.Pending.Hint().Seq) // Load tells what is wrong with them
		if err != nil {
			return nil, err
		}
		snap = snap.Amend(snapshot.Amendment{Requests: &requests})
	}
	return s.ruled(snap)
}

func without(ps []model.Problem, drop func(model.Problem) bool) []model.Problem {
	return slices.DeleteFunc(slices.Clone(ps), drop)
}
