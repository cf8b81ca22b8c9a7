package schedule

import "vespe/model/snapshot"

// behindOf is Schedule.behind of some tasks, without a schedule of everything: only what waits for
// them, by whatever way, is looked at. Whoever asks what is next asks about few.
func behindOf(s *snapshot.Snapshot, tasks []int32) []int64 {
	out := make([]int64, len(tasks))
	if len(tasks) == 0 {
		return out
	}
	scale, _ := scale(s)
	b := behinds{s: s, scale: scale, found: make([]int64, s.Len())}
	for k, v := range tasks {
		if !b.find(v) {
			// What is behind a task of a cycle depends on the order in which all is gone through.
			c := Of(s)
			for k, v := range tasks {
				out[k] = c.behind[v]
			}
			return out
		}
		out[k] = b.of(v)
	}
	return out
}

// behinds is a depth-first walk along what waits for what.
type behinds struct {
	s     *snapshot.Snapshot
	scale float64
	found []int64 // per task: 1 and the seconds; 0 for one that was not looked at, notYet while it is on the way
	stack []enRoute
}

// enRoute is a task on the way, and how many of those that wait for it were looked at.
type enRoute struct {
	task int32
	next int
	most int64 // seconds behind those
}

const notYet = -1

// of is what was found of a task.
func (b *behinds) of(v int32) int64 { return max(b.found[v]-1, 0) }

// find looks at task v and all that waits for it; false when that leads back to itself.
func (b *behinds) find(v int32) bool {
	b.enter(v)
	for len(b.stack) > 0 {
		x := &b.stack[len(b.stack)-1]
		d, more := b.waiting(x.task, x.next)
		if !more {
			effort, _ := effort(b.s, int(x.task), b.scale)
			b.found[x.task] = 1 + x.most + effort
			b.stack = b.stack[:len(b.stack)-1]
			continue
		}
		if d >= 0 {
			switch b.found[d] {
			case notYet:
				return false
			case 0:
				b.enter(d)
				continue // and it is looked at again when it is known
			}
			x.most = max(x.most, b.of(d))
		}
		x.next++
	}
	return true
}

// enter begins with task v, unless it is over or known.
func (b *behinds) enter(v int32) {
	if b.found[v] != 0 || !b.s.Unfinished(int(v)) {
		return
	}
	b.found[v] = notYet
	b.stack = append(b.stack, enRoute{task: v})
}

// waiting is the k-th of the tasks that could wait for the open task v, -1 where that one does not
// (openWaits): its dependents, and then the task that it is a part of.
func (b *behinds) waiting(v int32, k int) (d int32, more bool) {
	s := b.s
	in := s.Dependents(int(v))
	switch {
	case k < len(in):
		d = in[k]
		if s.Met(int(v)) {
			return -1, true
		}
	case k == len(in):
		d = s.Parent(int(v))
	default:
		return 0, false
	}
	if d < 0 || !s.Unfinished(int(d)) {
		return -1, true
	}
	return d, true
}
