package loading

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/marks"
	"vespe/store/parallel"
	"vespe/store/project"
	"vespe/store/taskfiles"
)

// Sweep looks for edits that nobody told the store about: it compares the marks of the
// given tasks, nil for all, and reads again those that look other than they did. What it
// finds is in the snapshot then, and waits in edits to be taken over (ImportEdits).
// progress may be nil.
func (s *Loader) Sweep(ctx context.Context, uids []model.UID, progress func(done, total int)) error {
	snap, err := s.Refresh(ctx)
	if err != nil {
		return err
	}
	uids = taskfiles.UIDsIn(snap, uids)
	if err := s.Pending.Read(); err != nil {
		return err
	}
	suspects, stamps, err := s.Suspects(ctx, uids, progress)
	if err != nil || len(suspects) == 0 {
		return err
	}
	for part := range slices.Chunk(suspects, sweepStep) { // others may look in between
		if snap, err = s.Freshen(ctx, part); err != nil {
			return err
		}
	}
	// One for all of them: without a hint it reads the last entry, which may be of as many tasks.
	v, err := s.View()
	if err != nil {
		return err
	}
	var marked atomic.Int64
	if err := parallel.Each(ctx, len(suspects), func(i int) error {
		uid := suspects[i]
		unedited, err := s.noticeDocs(v, snap, uid)
		if err != nil {
			return err
		}
		if unedited {
			// As it looked before it was read: what was written meanwhile looks other again.
			s.Edits.Marks.Set(uid, stamps[i])
			if stamps[i] != 0 {
				marked.Add(1)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	s.tellConflicts()
	if int(marked.Load()) > max(project.Many, snap.Len()/manySuspects) {
		s.Checkpoints.Found(0) // so much need not be looked at again by the next to come
	}
	return nil
}

// sweepStep is how many tasks are read again at a time.
const sweepStep = 2000

// manySuspects: when a sweep learned the marks of more than one task in so many, they are
// worth a new checkpoint.
const manySuspects = 16

// Lookers is how many tasks are looked at at once. In a store that is followed somebody has
// the tasks on the screen already, and a key must not wait for a processor.
func (s *Loader) Lookers() int {
	if s.Follower() != nil {
		return 1
	}
	return parallel.Readers
}

// Suspects are the tasks whose marks are not those that are remembered, with the new ones.
func (s *Loader) Suspects(ctx context.Context, uids []model.UID, progress func(done, total int)) (list []model.UID, stamps []uint64, err error) {
	d, err := s.Disk.FS.OpenDir(layout.TasksDir)
	if fsys.Missing(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	now := make([]uint64, len(uids))
	same := make([]bool, len(uids))
	meter := parallel.NewMeter(progress, len(uids))
	if err := parallel.Loop(ctx, s.Lookers(), len(uids), func(i int) {
		// Files have the time of the system, whatever the store's clock is.
		now[i] = marks.Read(d, uids[i], time.Now())
		same[i] = s.Edits.IsAsLogged(uids[i], now[i])
		meter.Add(1)
	}); err != nil {
		return nil, nil, err
	}
	meter.Finish()
	for i, uid := range uids {
		if !same[i] {
			list, stamps = append(list, uid), append(stamps, now[i])
		}
	}
	return list, stamps, nil
}

// loadSwept is Load where there is a checkpoint, or a snapshot already, to compare with.
// nil when there is none.
func (s *Loader) loadSwept(ctx context.Context, progress func(done, total int)) (*snapshot.Snapshot, error) {
	_, ok, err := s.Warm(ctx)
	if err != nil || !ok {
		return nil, err
	}
	uids, strays, err := s.ListTasks()
	if err != nil {
		return nil, err
	}
	snap, _ := s.Current.Get()
	if snap == nil { // it was dropped meanwhile
		return nil, nil
	}
	storeFiles, err := s.readStoreFiles()
	if err != nil {
		return nil, err
	}
	if differ := taskfiles.DifferentNames(snap, uids); len(differ) > 0 {
		if _, err := s.Freshen(ctx, differ); err != nil {
			return nil, err
		}
	}
	undone := s.Follower().WatchAll(ctx)
	if err = s.Sweep(ctx, uids, progress); err != nil {
		undone()
		return nil, err
	}
	snap, err = storeFiles.into(ctx, func(now *snapshot.Snapshot) []model.Problem {
		return slices.Concat(strays, claims(flawed(now)), s.Edits.Conflicts())
	})
	if err == nil {
		s.Current.Swept()
	}
	return snap, err
}

// flawed are the tasks with problems of their own; one that claims another's uid is.
func flawed(snap *snapshot.Snapshot) []*model.Task {
	var out []*model.Task
	seen := map[model.UID]bool{}
	for _, p := range snap.Problems() {
		if t, ok := snap.Task(p.UID); ok && !seen[p.UID] {
			seen[p.UID] = true
			out = append(out, t)
		}
	}
	return out
}
