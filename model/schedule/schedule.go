package schedule

import (
	"math"
	"slices"
	"sync"
	"time"

	"vespe/model/graph"
	"vespe/model/snapshot"
)

// Schedule says when the open work of a store could be done at the earliest, by the critical
// path method (Kelley and Walker 1959): every task begins as soon as all that it depends on is
// completed and, where it has subtasks, these have ended. It counts work alone: there are as many
// workers as can help, and no plan waits to be reviewed. Times are from now on, whole seconds.
//
// Work that is completed takes no time, nor does a task with subtasks beside what these take.
// Tasks that can never be completed as things are (Deadlocks) are not in it: they are stuck.
type Schedule struct {
	// Total is how long all of it takes that is not stuck.
	Total time.Duration
	// Path is a longest chain of tasks, each of which waits for the one before it: the critical
	// path. Empty when nothing is left to do.
	Path []int32
	// Open is how many tasks are in it, Stuck how many open ones are not.
	Open, Stuck int
	// Scale is what estimates from complexity are multiplied by, because completed tasks took as
	// much longer; Known is how many of these there are. 1 where they are too few to tell.
	Scale float64
	Known int

	s         *snapshot.Snapshot
	deadlocks func() []Deadlock
	waveOf    func() waveNumbers

	waits  *graph.Graph // of open tasks: what each waits for
	slot   []slot       // per task
	behind []int64      // per task: seconds of the longest chain that begins with it
}

// slot is the place of a task in a schedule, in seconds from now.
type slot struct {
	start, finish, latest int64 // latest: it may end then and nothing is late
	open, stuck           bool
	how                   Source
}

// Source says what an estimate is made of.
type Source uint8

// The sources of estimates.
const (
	FromNothing    Source = iota // it takes no time: it is over, or its subtasks are the work
	FromRuns                     // earlier runs of the task itself
	FromComplexity               // files and complexity, scaled by what completed tasks took
)

// String is the word for the source.
func (k Source) String() string {
	return [...]string{"none", "runs", "complexity"}[k]
}

// Of is the schedule of a snapshot, which keeps it.
func Of(s *snapshot.Snapshot) *Schedule { return snapshot.Kept(s, findSchedule) }

// Effort is how long the work on task i itself takes from now on, and what that is made of.
func (c *Schedule) Effort(i int) (time.Duration, Source) {
	x := c.slot[i]
	return seconds(x.finish - x.start), x.how
}

// Span is when the work on task i could begin and end at the earliest, and its slack: by how
// much it may be late before all of it is. false for a task that is over or stuck.
func (c *Schedule) Span(i int) (start, finish, slack time.Duration, ok bool) {
	x := c.slot[i]
	if !x.open || x.stuck {
		return 0, 0, 0, false
	}
	return seconds(x.start), seconds(x.finish), seconds(x.latest - x.finish), true
}

// Critical reports whether any delay of task i moves the overall finish. There may be
// several chains of such tasks; Path is one.
func (c *Schedule) Critical(i int) bool {
	x := c.slot[i]
	return x.open && !x.stuck && x.latest == x.finish
}

// IsOpen reports whether work on task i is still to be done.
func (c *Schedule) IsOpen(i int) bool { return c.slot[i].open }

// IsStuck reports whether task i is open and can never be completed as things are.
func (c *Schedule) IsStuck(i int) bool { return c.slot[i].stuck }

// Behind is how long the longest chain of open work is that begins with task i, itself included,
// stuck tasks too.
func (c *Schedule) Behind(i int) time.Duration { return seconds(c.behind[i]) }

// WaitsFor are the open tasks that open task i waits for directly: dependencies and subtasks. Do not modify it.
func (c *Schedule) WaitsFor(i int) []int32 { return c.waits.Out.Of(int32(i)) }

// PathTo is the chain of open tasks that decides when task i can end: the last is i itself, and
// each begins when the one before it ends. nil for a task that is over or stuck.
func (c *Schedule) PathTo(i int) []int32 {
	x := c.slot[i]
	if !x.open || x.stuck {
		return nil
	}
	var path []int32
	for v := int32(i); v >= 0; v = c.decides(v) {
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}

// decides is what task v waits for longest, the first of several; -1 for one that can begin now.
func (c *Schedule) decides(v int32) int32 {
	start := c.slot[v].start
	if start == 0 {
		return -1
	}
	for _, d := range c.waits.Out.Of(v) {
		if c.slot[d].finish == start {
			return d
		}
	}
	return -1
}

// seconds is the longest time.Duration for whatever is longer than that: of many long tasks together
// it may be more years than one holds.
func seconds(n int64) time.Duration {
	if n > int64(math.MaxInt64/time.Second) {
		return math.MaxInt64
	}
	return time.Duration(n) * time.Second
}

func findSchedule(s *snapshot.Snapshot) *Schedule {
	n := s.Len()
	c := &Schedule{s: s, slot: make([]slot, n), behind: make([]int64, n)}
	c.deadlocks, c.waveOf = sync.OnceValue(c.findDeadlocks), sync.OnceValue(c.findWaveOf)
	// Two walks over everything that need nothing of each other.
	var wg sync.WaitGroup
	wg.Go(func() { c.waits = openWaits(s) })
	c.Scale, c.Known = scale(s)
	for i := range c.slot {
		if x := &c.slot[i]; s.Unfinished(i) {
			x.open = true
			x.finish, x.how = effort(s, i, c.Scale) // from its start on, which is not known yet
		}
	}
	wg.Wait()
	order := c.waits.Order()
	end := int64(0)
	for _, v := range order {
		x := &c.slot[v]
		if !x.open {
			continue
		}
		x.stuck = stuckBy(s, v) != notStuck || c.waits.InCycle(v)
		for _, d := range c.waits.Out.Of(v) {
			x.start = max(x.start, c.slot[d].finish)
			x.stuck = x.stuck || c.slot[d].stuck
		}
		x.finish += x.start
		if x.stuck {
			c.Stuck++
			continue
		}
		c.Open++
		end = max(end, x.finish)
	}
	c.Total = seconds(end)
	c.backwards(order, end)
	return c
}

// backwards fills in what is known from the end: how late each task may be, and what is behind it.
func (c *Schedule) backwards(order []int32, end int64) {
	last := int32(-1)
	for _, v := range slices.Backward(order) {
		x := &c.slot[v]
		if !x.open {
			continue
		}
		x.latest = end
		for _, d := range c.waits.In.Of(v) {
			y := &c.slot[d]
			c.behind[v] = max(c.behind[v], c.behind[d])
			if !y.stuck {
				x.latest = min(x.latest, y.latest-(y.finish-y.start))
			}
		}
		c.behind[v] += x.finish - x.start
		if !x.stuck && x.finish == end && end > 0 {
			last = v // the first of them in order, and not what only closes the tasks above it
		}
	}
	if last >= 0 {
		c.Path = c.PathTo(int(last))
	}
}

// openWaits is what open tasks wait for: dependencies that are not met, and subtasks.
func openWaits(s *snapshot.Snapshot) *graph.Graph {
	n := int32(s.Len())
	g := &graph.Graph{
		Out:    graph.Rows{Off: make([]int32, 1, n+1), To: make([]int32, 0, n)},
		Selves: s.Selves(),
	}
	for v := range n {
		if s.Unfinished(int(v)) {
			for _, d := range s.DependsOn(int(v)) {
				if !s.Met(int(d)) && s.Unfinished(int(d)) {
					g.Out.To = append(g.Out.To, d)
				}
			}
			for _, k := range s.Children(int(v)) {
				if s.Unfinished(int(k)) && !slices.Contains(s.DependsOn(int(v)), k) {
					g.Out.To = append(g.Out.To, k)
				}
			}
		}
		g.Out.Off = append(g.Out.Off, int32(len(g.Out.To)))
	}
	g.Apart = func(v int32) bool { return !s.Unfinished(int(v)) } // what is over waits for nothing
	g.Finish()
	return g
}

// effort is how many seconds the work on an open task takes, and how that is known.
func effort(s *snapshot.Snapshot, v int, scale float64) (int64, Source) {
	if len(s.Children(v)) > 0 {
		if _, leaves := s.Progress(v); leaves > 0 {
			return 0, FromNothing
		}
	}
	if taken := s.Taken(v); taken > 0 {
		return int64(taken), FromRuns
	}
	return snapshot.ClampSeconds(float64(s.Planned(v)) * scale), FromComplexity
}

// fewestRuns is how many completed tasks must be known with what they took before estimates
// are measured by them.
const fewestRuns = 3

// scale is by how much completed tasks really took longer than their complexity said: the
// median of that ratio, which a run that stood still over night does not move. 1 where too few are
// known. The second is how many are.
func scale(s *snapshot.Snapshot) (factor float64, known int) {
	var ratios []float64
	for i := range s.Len() {
		if !s.Completed(i) {
			continue
		}
		if taken := s.Taken(i); taken > 0 {
			ratios = append(ratios, float64(taken)/float64(s.Planned(i)))
		}
	}
	if len(ratios) < fewestRuns {
		return 1, len(ratios)
	}
	slices.Sort(ratios)
	n := len(ratios)
	return (ratios[(n-1)/2] + ratios[n/2]) / 2, n
}
