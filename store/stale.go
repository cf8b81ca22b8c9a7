package store

import (
	"bytes"
	"fmt"
	"time"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// Where locks do not work, a writer that was held up may come last and rename what it wrote
// for an old entry over what a newer one wrote. Such a file is no edit: it is what the log
// wrote into it before, and it was written before the entry that should have replaced it
// was. Git or a person who sets a file back mostly writes it after that, but a backup keeps its
// time, and clocks go back. So whoever holds the lock asks first whether it keeps others out:
// then no writer comes late, and it is an edit. A reader cannot ask. Until a writer has come it
// shows what the log says.

// isStale says whether bytes of a file with this hash were put there by a writer that came
// too late.
func (c *comparer) isStale(name, hash string) (bool, error) {
	if c.lockWorks.Load() {
		return false, nil
	}
	w, err := c.writes.Overtaken(name, hash)
	return w != nil, err
}

// isLate says, while a file is projected, whether bytes that nobody expected there were put
// there by another writer of the log rather than by a person. It takes longer for an answer
// than isStale does: many writers may come late one after the other. What it is wrong about is
// in the log all the same. It needs the lock.
func (c *comparer) isLate(name, hash string, at time.Time) (bool, error) {
	if c.isAlone() {
		return false, nil
	}
	w, err := c.writes.WrittenBefore(name, hash, at.Add(-lateReach))
	return w != nil, err
}

// isAlone says, for who holds the lock, whether it keeps all other writers out.
func (c *comparer) isAlone() bool {
	if !c.lockWorks.Load() && c.disk.LocksWork(layout.LockFile) {
		c.lockWorks.Store(true)
	}
	return c.lockWorks.Load()
}

// lateReach is by how much a late writer may have written a file after the next entry was.
const lateReach = 10 * time.Second

// unstale is a reading of a task in which files that a late writer put there are what the
// log knows; they are remembered to be written again.
func (c *comparer) unstale(was, now *model.Task) (*model.Task, error) {
	if taskfiles.IsBlank(was) {
		return now, nil
	}
	n := now
	var late []string
	undo := []func(){
		func() { n.Config = was.Config },
		func() { n.Status, n.HasStatus = was.Status, was.HasStatus },
		func() { n.DependsOn, n.DepsExtra = was.DependsOn, was.DepsExtra },
		func() { n.Spec = was.Spec },
	}
	after := taskfiles.Own(now)
	for i, f := range taskfiles.Own(was) {
		if bytes.Equal(f.Body, after[i].Body) {
			continue
		}
		name := layout.TaskFile(now.UID, f.Name)
		hash, err := c.disk.Hash(name)
		if err != nil {
			if !fsys.IsAboutFile(err) {
				return nil, err
			}
			continue
		}
		old, err := c.isStale(name, hash)
		if err != nil {
			return nil, err
		}
		if !old {
			continue
		}
		if n == now {
			n = now.Clone()
		}
		undo[i]()
		late = append(late, name)
	}
	c.table.AddStale(now.UID, late)
	return n, nil
}

// restoreStale writes files of tasks again that a late writer has set back, under the lock.
func (s *Store) restoreStale(at txlog.Tip, uids []model.UID) (warnings []string, err error) {
	for _, uid := range uids {
		names := s.edits.TakeStale(uid)
		if len(names) > 0 && s.comparer.isAlone() {
			continue // they are edits, and found to be when they are looked at again
		}
		for _, name := range names {
			hash, err := s.disk.Hash(name)
			if err != nil && fsys.IsAboutFile(err) {
				continue // it holds something else by now, which a load tells of
			}
			if err != nil {
				return warnings, about(uid, err)
			}
			w, err := s.writes.Overtaken(name, hash)
			if err != nil {
				return warnings, about(uid, err)
			}
			if w == nil {
				continue // it was put right meanwhile, or edited
			}
			f := w.Image
			f.Was = hash
			more, refused, err := s.project(at.Seq, []*txlog.FileImage{&f})
			warnings = append(warnings, more...)
			if err == nil && len(refused) > 0 {
				err = fmt.Errorf("%s can't be written", layout.Shown(layout.TaskDir(uid)))
			}
			if err != nil {
				s.edits.AddStale(uid, []string{name})
				return warnings, about(uid, err)
			}
			warnings = append(warnings, fmt.Sprintf("%s was overwritten by a late writer; it is restored to what entry %d wrote", layout.Shown(name), w.Seq))
		}
	}
	return warnings, nil
}
