package machine

import (
	"slices"

	"vespe/model"
)

// IsOpen reports that a task exists and has not ended.
func (x *Tx) IsOpen(uid model.UID) bool {
	t, ok := x.World.Task(uid)
	return ok && !t.Ended()
}

// OpenSubtasks are the tasks that keep t from being completed: those it waits for and
// those below it, once each.
func (x *Tx) OpenSubtasks(t *model.Task) []model.UID {
	var out []model.UID
	seen := map[model.UID]bool{}
	for i, c := range slices.Concat(t.Status.SubtaskUIDs, x.World.ChildUIDs(t.UID)) {
		if x.IsOpen(c) && !seen[c] && (c != t.UID || i < len(t.Status.SubtaskUIDs)) {
			out = append(out, c)
		}
		seen[c] = true
	}
	return out
}

// Parent is the task above t that a cascade may write; nil when there is none.
func (x *Tx) Parent(t *model.Task) *model.Task {
	p, ok := x.World.Task(t.Config.ParentUID)
	if t.Config.ParentUID == "" || !ok || p.UID == t.UID || p.Unreadable() {
		return nil
	}
	return p
}

// CountChildren counts the children of a task that are completed, and those that are not aborted.
func (x *Tx) CountChildren(uid model.UID) (done, total int) {
	for _, c := range x.World.ChildUIDs(uid) {
		child, ok := x.World.Task(c)
		if !ok || child.Status.CurrentState == model.Aborted {
			continue
		}
		total++
		if child.Status.CurrentState == model.Completed {
			done++
		}
	}
	return done, total
}

// OpenBelow are the open tasks anywhere below one, top down. Completed ones keep their
// result, and an unreadable one is left alone: nothing may be written over it.
func (x *Tx) OpenBelow(uid model.UID) []model.UID {
	seen := map[model.UID]bool{uid: true}
	queue, out := []model.UID{uid}, []model.UID(nil)
	for len(queue) > 0 {
		next := x.World.ChildUIDs(queue[0])
		queue = queue[1:]
		for _, c := range next {
			t, ok := x.World.Task(c)
			if !ok || seen[c] {
				continue
			}
			seen[c] = true
			queue = append(queue, c)
			if !t.Ended() && !t.Unreadable() {
				out = append(out, c)
			}
		}
	}
	return out
}
