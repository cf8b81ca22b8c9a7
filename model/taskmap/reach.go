package taskmap

import (
	"cmp"
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
)

// foldAt is where tasks are folded: the dependencies (up) or the dependents of a task; of is
// -1 for those of a set without an edge in it (up), and for the rest of a set that is too large.
type foldAt struct {
	of int32
	up bool
}

func (f foldAt) key(s *snapshot.Snapshot) string {
	switch {
	case f.of < 0 && f.up:
		return aloneKey
	case f.of < 0:
		return restKey
	case f.up:
		return foldUpKey + string(s.UID(int(f.of)))
	}
	return foldDownKey + string(s.UID(int(f.of)))
}

func (f foldAt) compare(g foldAt) int {
	if f.of == g.of && f.up != g.up {
		if f.up {
			return -1
		}
		return 1
	}
	return cmp.Compare(f.of, g.of)
}

// reach finds the tasks of a map.
type reach struct {
	s      *snapshot.Snapshot
	q      Query
	in     map[int32]bool // reached
	list   []int32        // the same
	out    map[int32]bool // left out by Show
	held   map[foldAt][]int32
	heldAt []foldAt // the keys of held, in order

	all   []int32 // of a set: its tasks
	inSet []bool
}

func (r *reach) shows(i int32) bool {
	if r.q.Show == nil || r.q.Show(int(i)) {
		return true
	}
	r.out[i] = true
	return false
}

func (r *reach) take(i int32) {
	if !r.in[i] {
		r.in[i] = true
		r.list = append(r.list, i)
	}
}

func (r *reach) hold(at foldAt, tasks []int32) {
	if len(tasks) == 0 {
		return
	}
	if r.held[at] == nil {
		r.heldAt = append(r.heldAt, at)
	}
	r.held[at] = append(r.held[at], tasks...)
}

// ranked orders tasks by how much a map wants to show them: those that it showed, those that
// are not over, by uid. A set may be the whole store: nothing is compared twice.
func (r *reach) ranked(tasks []int32) []int32 {
	slices.Sort(tasks)
	var classes [4][]int32
	for _, i := range tasks {
		k := 2
		if r.q.Stay != nil && r.q.Stay(r.s.UID(int(i))) {
			k = 0
		}
		if st := r.s.Status(int(i)); st == model.StatusDone || st == model.StatusAborted {
			k++
		}
		classes[k] = append(classes[k], i)
	}
	return slices.Concat(classes[:]...)
}

// limit is how many of so many siblings are shown one by one. A fold of one would save nothing.
func (r *reach) limit(at foldAt, n, usual int) int {
	usual += r.q.More[at.key(r.s)]
	if n <= usual+1 {
		usual = n
	}
	return min(n, usual, max(0, r.q.Most-len(r.list)))
}

// front is how far a walk in one direction has come.
type front struct {
	up    bool
	tasks []int32
	seen  map[int32]bool
}

// walk goes from a task along dependencies, both ways in step, so that neither takes all the
// room.
func (r *reach) walk(root int32) {
	r.take(root)
	var fronts []*front
	for _, up := range []bool{true, false} {
		if up && r.q.Extent != Downstream || !up && (r.q.Extent == Around || r.q.Extent == Downstream) {
			fronts = append(fronts, &front{up, []int32{root}, map[int32]bool{root: true}})
		}
	}
	for d := 0; r.q.Radius == 0 || d < r.q.Radius; d++ {
		more := false
		for _, f := range fronts {
			r.step(f)
			more = more || len(f.tasks) > 0
		}
		if !more {
			return
		}
	}
}

func (r *reach) step(f *front) {
	var next []int32
	for _, v := range f.tasks {
		var fresh []int32
		for _, w := range r.neighbors(v, f.up) {
			switch {
			case f.seen[w] || !r.shows(w):
			case r.in[w]:
				f.seen[w] = true
				next = append(next, w)
			default:
				fresh = append(fresh, w)
			}
		}
		r.some(foldAt{v, f.up}, fresh, r.q.Siblings) // what has no room is hidden, as what is too far away is
		for _, w := range fresh {
			if r.in[w] {
				f.seen[w] = true
				next = append(next, w)
			}
		}
	}
	slices.Sort(next)
	f.tasks = next
}

func (r *reach) neighbors(v int32, up bool) []int32 {
	switch {
	case r.q.Extent == Blocked:
		return blockers(r.s, v)
	case up:
		return r.s.DependsOn(int(v))
	}
	return r.s.Dependents(int(v))
}

// blockers are the tasks that hold task i back now: dependencies that are not met, and
// subtasks that it waits for.
func blockers(s *snapshot.Snapshot, i int32) []int32 {
	var out []int32
	if s.Unfinished(int(i)) {
		for _, d := range s.DependsOn(int(i)) {
			if !s.Met(int(d)) {
				out = append(out, d)
			}
		}
	}
	for _, c := range awaited(s, i) {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// awaited are the subtasks that task i waits for: those that status.json names, or when it
// names none, the children whose work is not done.
func awaited(s *snapshot.Snapshot, i int32) []int32 {
	if s.Status(int(i)) != model.StatusSubtasks {
		return nil
	}
	uids := s.At(int(i)).Status.SubtaskUIDs
	if len(uids) == 0 {
		uids = s.ChildUIDs(s.UID(int(i)))
	}
	var out []int32
	for _, uid := range uids {
		if c, ok := s.Index(uid); ok && s.Unfinished(c) {
			out = append(out, int32(c))
		}
	}
	return out
}

// set takes the tasks of a set. What hangs by one edge only is folded beside its neighbor
// where there is much of it, and so is what has no edge at all; of what is left a set that is
// still too large shows those that were shown, and those that are not over.
func (r *reach) set(tasks []int32, root int32) {
	r.member(tasks, root)
	var linked, alone []int32
	leaves := map[foldAt][]int32{}
	var owners []foldAt
	for _, i := range r.all {
		if i == root {
			r.take(i)
			continue
		}
		switch n, only := r.degree(i, 2); {
		case n == 0:
			alone = append(alone, i)
		case n == 1 && r.isHub(only.of):
			if leaves[only] == nil {
				owners = append(owners, only)
			}
			leaves[only] = append(leaves[only], i)
		default:
			linked = append(linked, i)
		}
	}
	linked = r.ranked(linked)
	n := r.limit(foldAt{-1, false}, len(linked), len(linked))
	r.takeAll(linked[:n])
	rest := linked[n:]
	slices.SortFunc(owners, foldAt.compare)
	for _, at := range owners {
		if !r.in[at.of] {
			rest = append(rest, leaves[at]...)
			continue
		}
		rest = append(rest, r.some(at, leaves[at], r.q.Siblings)...)
	}
	at := foldAt{-1, true}
	r.hold(at, r.some(at, alone, timesAlone*r.q.Siblings))
	r.hold(foldAt{-1, false}, rest)
}

// chain takes the tasks of a chain, of one that is too long the beginning.
func (r *reach) chain(tasks []int32) {
	for k, i := range tasks {
		switch {
		case !r.shows(i):
		case len(r.list) >= r.q.Most:
			r.hold(foldAt{-1, false}, tasks[k:k+1])
		default:
			r.take(i)
		}
	}
}

// member makes the list of what the set has and may show.
func (r *reach) member(tasks []int32, root int32) {
	r.inSet = make([]bool, r.s.Len())
	for _, i := range tasks {
		if (i == root || r.shows(i)) && !r.inSet[i] {
			r.inSet[i] = true
			r.all = append(r.all, i)
		}
	}
}

// some takes as many of the tasks as may be shown one by one, and folds the others. Where there is
// no room for any it does nothing and returns them: folds take room, too.
func (r *reach) some(at foldAt, tasks []int32, usual int) (rest []int32) {
	tasks = r.ranked(tasks)
	n := r.limit(at, len(tasks), usual)
	if n == 0 {
		return tasks
	}
	r.takeAll(tasks[:n])
	r.hold(at, tasks[n:])
	return nil
}

func (r *reach) takeAll(tasks []int32) {
	for _, i := range tasks {
		r.take(i)
	}
}

// degree counts the edges of task i inside of the set, up to most, and says where the last of
// them leads, seen from its other end.
func (r *reach) degree(i int32, most int) (n int, last foldAt) {
	for _, up := range []bool{true, false} {
		row := r.s.Dependents(int(i))
		if up {
			row = r.s.DependsOn(int(i))
		}
		for _, w := range row {
			if !r.inSet[w] {
				continue
			}
			if n, last = n+1, (foldAt{w, !up}); n == most {
				return n, last
			}
		}
	}
	return n, last
}

// isHub reports whether a task of the set has several edges in it.
func (r *reach) isHub(i int32) bool {
	n, _ := r.degree(i, 2)
	return n > 1
}
