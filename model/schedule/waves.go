package schedule

import (
	"cmp"
	"container/heap"
	"iter"
	"path"
	"slices"
	"time"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/snapshot"
)

// Wave is tasks that can be worked on at once: none waits for another, and none touches a file
// that another does.
type Wave struct {
	Tasks []WaveTask
	// Takes is how long the longest of them takes.
	Takes time.Duration
}

// WaveTask is one task of a wave.
type WaveTask struct {
	Task int32
	// With is the task of the wave before that had File, which both touch, so that this one comes
	// later than what it waits for asks; -1 where it does not, or waits for a worker.
	With int32
	File string
}

// Waves is the open work of the store in the order in which it could be done, as far as it is not
// stuck: each task stands in the first wave that comes after all that it waits for and in which
// nobody else touches its files (to create, to modify and tests; a directory stands for all below
// it), and at most so many workers are busy; 0 is as many as can help. What is running is in the
// first wave whatever it touches. Of two that could be in a wave the one that could be so earlier
// comes first, then what is ready, then as in Next.
//
// Plans that wait to be reviewed are in it like all others: waves say what can be done side by side,
// Next what can be started now.
func (c *Schedule) Waves(workers int) []Wave {
	n := c.s.Len()
	w := waver{s: c.s, c: c, milestone: milestoneRanks(c.s, true), used: map[string]*waveSet{}, workers: workers, left: make([]int32, n), first: make([]int32, n)}
	for v := range int32(n) {
		if x := c.slot[v]; !x.open || x.stuck {
			continue
		}
		if w.left[v] = c.waits.Out.Degree(v); w.left[v] == 0 {
			w.add(v)
		}
	}
	for len(w.queue) > 0 {
		w.place(heap.Pop(&w.queue).(contender))
	}
	return w.waves
}

// contender is a task that may go into a wave from a number on.
type contender struct {
	wave, class, rank, milestone, at int32
	behind                           int64
	born                             time.Time
}

type contenders []contender

func (q contenders) Len() int      { return len(q) }
func (q contenders) Swap(i, k int) { q[i], q[k] = q[k], q[i] }
func (q *contenders) Push(x any)   { *q = append(*q, x.(contender)) }
func (q *contenders) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

func (q contenders) Less(i, k int) bool {
	a, b := &q[i], &q[k]
	return cmp.Or(
		cmp.Compare(a.wave, b.wave), cmp.Compare(a.class, b.class), cmp.Compare(a.rank, b.rank), cmp.Compare(a.milestone, b.milestone),
		cmp.Compare(b.behind, a.behind), byAge(a.born, b.born), cmp.Compare(a.at, b.at),
	) < 0
}

// waver makes waves.
type waver struct {
	s         *snapshot.Snapshot
	c         *Schedule
	queue     contenders
	waves     []Wave
	left      []int32             // per task: what it waits for and is in no wave yet
	first     []int32             // per task: the first wave after what it waits for, as far as that is placed
	used      map[string]*waveSet // by lock
	milestone func(v int32) int32 // milestoneRank
	workers   int
	busy      waveSet // waves in which all workers are busy
	count     []int   // per wave: workers in it
}

func (w *waver) add(v int32) {
	class := int32(2)
	switch w.s.Status(int(v)) {
	case model.StatusRunning:
		class = 0
	case model.StatusReady:
		class = 1
	}
	heap.Push(&w.queue, contender{w.first[v], class, int32(w.s.Rank(int(v))), w.milestone(v), v, w.c.behind[v], w.s.Born(int(v))})
}

// place puts a task into the first wave that has room for it.
func (w *waver) place(x contender) {
	t := WaveTask{Task: x.at, With: -1}
	effort, how := w.c.Effort(int(x.at))
	if how != FromNothing { // what only closes the tasks below it keeps nobody busy
		files := filesOf(w.s.Peek(int(x.at)).Spec)
		if x.class > 0 {
			x.wave = w.room(x.wave, files, &t)
		}
		w.occupy(x, files)
	}
	for int(x.wave) >= len(w.waves) {
		w.waves = append(w.waves, Wave{})
	}
	wave := &w.waves[x.wave]
	wave.Tasks = append(wave.Tasks, t)
	wave.Takes = max(wave.Takes, effort)
	for _, d := range w.c.waits.In.Of(x.at) {
		w.first[d] = max(w.first[d], x.wave+1)
		if w.left[d]--; w.left[d] == 0 && !w.c.slot[d].stuck {
			w.add(d)
		}
	}
}

// room is the first wave from one on in which a worker and all files are free. t is told what
// it had to wait for last.
func (w *waver) room(wave int32, files []string, t *WaveTask) int32 {
	for {
		was := wave
		if wave = w.busy.first(wave); wave > was {
			t.With, t.File = -1, ""
		}
		for _, file := range files {
			for lock := range locksAgainst(file) {
				u := w.used[lock]
				if u == nil {
					continue
				}
				if next := u.first(wave); next > wave {
					t.With, t.File = u.by[next-1], file
					wave = next
				}
			}
		}
		if wave == was {
			return wave
		}
	}
}

// occupy takes the files of a task and a worker.
func (w *waver) occupy(x contender, files []string) {
	for _, file := range files {
		for lock := range locksOf(file) {
			u := w.used[lock]
			if u == nil {
				u = new(waveSet)
				w.used[lock] = u
			}
			u.take(x.wave, x.at)
		}
	}
	if w.workers <= 0 {
		return
	}
	for int(x.wave) >= len(w.count) {
		w.count = append(w.count, 0)
	}
	if w.count[x.wave]++; w.count[x.wave] == w.workers {
		w.busy.take(x.wave, x.at)
	}
}

// waveSet is a set of waves, of which the next that is not in it is found quickly: taken ones lead to
// later ones, and each search shortens the way (union-find).
type waveSet struct {
	next map[int32]int32
	by   map[int32]int32 // who took it first
}

func (u *waveSet) take(wave, by int32) {
	if u.next == nil {
		u.next, u.by = map[int32]int32{}, map[int32]int32{}
	}
	if _, ok := u.next[wave]; !ok {
		u.next[wave], u.by[wave] = wave+1, by
	}
}

// first is the first wave from one on that is not in the set.
func (u *waveSet) first(wave int32) int32 {
	end := wave
	for next, ok := u.next[end]; ok; next, ok = u.next[end] {
		end = next
	}
	for wave != end {
		wave, u.next[wave] = u.next[wave], end
	}
	return end
}

// filesOf are the files that a task means to touch, each once, as they are compared.
func filesOf(sp *model.Spec) []string {
	if sp == nil {
		return nil
	}
	var out []string
	for _, list := range [][]string{sp.FilesToCreate, sp.FilesToModify, sp.TestFiles} {
		for _, file := range list {
			if file = complexity.CleanPath(file); file != "." && !slices.Contains(out, file) {
				out = append(out, file)
			}
		}
	}
	return out
}

// locksOf are what a task takes that touches a file: the file, and that something below each of its
// directories is touched.
func locksOf(file string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield("=" + file) {
			return
		}
		for dir := range dirsOf(file) {
			if !yield("<" + dir) {
				return
			}
		}
	}
}

// locksAgainst are what others may have taken that keeps from touching a file: the file itself,
// something below it where it is a directory, or a directory above it.
func locksAgainst(file string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield("="+file) || !yield("<"+file) {
			return
		}
		for dir := range dirsOf(file) {
			if !yield("=" + dir) {
				return
			}
		}
	}
}

// dirsOf are the directories above a clean path.
func dirsOf(file string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir := path.Dir(file); dir != "." && dir != "/" && dir != ".."; dir = path.Dir(dir) {
			if !yield(dir) {
				return
			}
		}
	}
}
