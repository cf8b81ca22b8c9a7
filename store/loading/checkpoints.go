package loading

import (
	"context"
	"errors"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/durable"
	"vespe/store/layout"
	"vespe/store/project"
	"vespe/store/taskfiles"
)

// ToCheckpoint is what of the current snapshot is written down: what is edited past
// vespe is shown, but not known. whole is the snapshot where all of it is.
func (s *Loader) ToCheckpoint(ctx context.Context, c *checkpoint.Head) (written, whole *snapshot.Snapshot, err error) {
	if err := s.findAllDeleted(ctx); err != nil {
		return nil, nil, err
	}
	snap, written, err := s.lastKnown(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if s.Pending.Hint().Tip != c.Tip {
		return nil, nil, checkpoint.ErrBehind
	}
	if written == snap {
		whole = snap
	}
	written, err = s.withLogged(ctx, written, c)
	return written, whole, err
}

// lastKnown is the current snapshot, and the same without what is edited past vespe.
func (s *Loader) lastKnown(ctx context.Context, c *checkpoint.Head) (snap, known *snapshot.Snapshot, err error) {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	snap, c.Tip = s.Current.Get()
	if snap == nil {
		return nil, nil, checkpoint.ErrBehind
	}
	if still, err := s.Log.IsStill(c.Tip); err != nil || !still {
		return nil, nil, errors.Join(err, checkpoint.ErrBehind)
	}
	// Asked before anything costs time, and before the names are compared.
	if err := s.Checkpoints.Bind(c); err != nil {
		return nil, nil, err
	}
	now, at, err := s.renamed(ctx, snap, c.Tip, c)
	if err != nil {
		return nil, nil, err
	}
	if snap = s.Keep(now, at); c.Seq != at.Seq {
		c.Tip = at
		if err := s.Checkpoints.Bind(c); err != nil {
			return nil, nil, err
		}
	}
	known, moved := s.Edits.Unedited(snap)
	if len(taskfiles.Unread(known)) > project.Many {
		return nil, nil, checkpoint.ErrBehind // anyone who begins with it would read them all again
	}
	if moved {
		c.Names = 0 // anyone who begins with it has to find that out too
	}
	return snap, known, nil
}

// withLogged is a snapshot with the requests as the log knows them, for a checkpoint; where files
// say anything else, anyone who begins with it has to read them.
func (s *Loader) withLogged(ctx context.Context, snap *snapshot.Snapshot, c *checkpoint.Head) (*snapshot.Snapshot, error) {
	in, err := s.Disk.FS.Stat(layout.RequestsDir)
	if err != nil {
		return snap, durable.IgnoreMissing(err)
	}
	shown, ps, err := s.Requests.Read(s.Pending.Hint().Seq)
	if err != nil {
		return nil, err
	}
	var logged []model.Request
	known, _, err := s.Requests.Logged(ctx)
	if err != nil {
		return nil, err
	}
	same := len(ps) == 0
	for _, r := range shown {
		if k, ok := known[r.ID]; ok && k.Whole() {
			logged = append(logged, k.Request)
			continue
		}
		same = false
	}
	if same {
		c.RequestsTime = in.ModTime.UnixNano()
	}
	return snap.Amend(snapshot.Amendment{Requests: &logged}), nil
}
