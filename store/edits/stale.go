package edits

import (
	"bytes"
	"time"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
)

// Where locks do not work, a writer that was held up may come last and rename what it wrote
// for an old entry over what a newer one wrote. Such a file is no edit: it is what the log
// wrote into it before, and it was written before the entry that should have replaced it
// was. Git or a person who sets a file back mostly writes it after that, but a backup keeps its
// time, and clocks go back. So anyone who holds the lock asks first whether it keeps others out:
// then no writer comes late, and it is an edit. A reader cannot ask. Until a writer has come it
// shows what the log says.

// isStale says whether bytes of a file with this hash were put there by a writer that came
// too late.
func (c *Comparer) isStale(name, hash string) (bool, error) {
	if c.lockWorks.Load() {
		return false, nil
	}
	w, err := c.Writes.Overtaken(name, hash)
	return w != nil, err
}

// IsLate says, while a file is projected, whether bytes that nobody expected there were put
// there by another writer of the log rather than by a person. It takes longer for an answer
// than isStale does: many writers may come late one after the other. What it is wrong about is
// in the log all the same. It needs the lock.
func (c *Comparer) IsLate(name, hash string, at time.Time) (bool, error) {
	if c.IsAlone() {
		return false, nil
	}
	w, err := c.Writes.WrittenBefore(name, hash, at.Add(-lateReach))
	return w != nil, err
}

// IsAlone says, for who holds the lock, whether it keeps all other writers out.
func (c *Comparer) IsAlone() bool {
	if !c.lockWorks.Load() && c.Disk.LocksWork(layout.LockFile) {
		c.lockWorks.Store(true)
	}
	return c.lockWorks.Load()
}

// unstale is a reading of a task in which files that a late writer put there are what the
// log knows; they are remembered to be written again.
func (c *Comparer) unstale(was, now *model.Task) (*model.Task, error) {
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
		hash, err := c.Disk.Hash(name)
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
	c.Table.AddStale(now.UID, late)
	return n, nil
}

// lateReach is by how much a late writer may have written a file after the next entry was.
const lateReach = 10 * time.Second
