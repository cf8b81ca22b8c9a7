package runs

import (
	"cmp"
	"slices"
	"time"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/ui/rows"
	"vespe/ui/style"
)

// Run is an attempt as the view knows it.
type Run struct {
	model.Run
	Attempt int // which of the task's attempts it is, from 1
	// Live is what its log has come to so far; nil of one that has ended, or that nothing is known of.
	Live *runlog.View
}

// group is one of the parts of the list.
type group int8

const (
	running group = iota
	waiting
	ended
)

func (g group) String() string { return [...]string{"Running", "Waiting", "Finished"}[g] }

// entry is a row of the list: a run, or the head of a group.
type entry struct {
	run  *Run // nil: a head
	in   group
	task int32 // in the snapshot; -1 when it is not there
}

// List is the view of runs. Build it with New; it is for one goroutine.
type List struct {
	rows.List
	now     time.Time
	reading []string // what is said while there is nothing else
	banner  []Line   // above everything
	top     int      // rows that it takes, as last drawn

	snap  *snapshot.Snapshot
	past  []*Run // those that have ended, the newest first
	known bool   // past has been given
	// ending were under way at a snapshot before, and their end has not been read.
	ending []*Run
	all    map[string]*Run         // those of past that a live one may be among, by id
	live   map[string]*runlog.View // by run
	rows   []entry
	total  int // runs without the filter

	frame []string // as last drawn
	line  rows.Line
}

// New makes an empty list.
func New(st *style.Styles) *List {
	l := &List{live: map[string]*runlog.View{}}
	l.Init(st, rows.Rows{
		Len: func() int { return len(l.rows) }, Head: func(r int) bool { return l.rows[r].run == nil },
		Folded: l.folded, Draw: l.draw, Filtered: l.rebuild,
	})
	return l
}

// SetReading sets the lines that are shown until the runs that have ended are known; none says that
// they are not being read.
func (l *List) SetReading(lines ...string) {
	if !slices.Equal(l.reading, lines) {
		l.reading, l.Dirty = lines, true
	}
}

// Line is one of the lines above the runs.
type Line struct {
	Ink  style.Ink
	Text string // untrusted; wrapped
}

// SetBanner sets the lines that stand above the runs.
func (l *List) SetBanner(lines ...Line) {
	if !slices.Equal(l.banner, lines) {
		l.banner, l.Dirty = lines, true
	}
}

// SetNow says what time it is, to the second: how long runs have been under way is counted to it.
func (l *List) SetNow(t time.Time) {
	if t = t.Truncate(time.Second); !l.now.Equal(t) {
		l.Dirty = l.Dirty || l.Live() > 0 || !l.now.Truncate(time.Minute).Equal(t.Truncate(time.Minute))
		l.now = t
	}
}

// SetSnapshot shows another moment of the store: which runs are under way, and what the tasks are called.
// One that is no longer under way stays where it is until its end has been read (SetPast).
func (l *List) SetSnapshot(s *snapshot.Snapshot) {
	if s == l.snap {
		return
	}
	for i := range l.rows {
		if e := l.rows[i]; l.known && e.run != nil && e.in != ended && !slices.Contains(l.ending, e.run) {
			l.ending = append(l.ending, e.run)
		}
	}
	l.snap = s
	l.rebuild()
}

// SetPast hands over the runs that are known from their files, in any order, as they were at a snapshot. Those
// that the newest says to be under way stay among those.
func (l *List) SetPast(at *snapshot.Snapshot, list []Run) {
	if at == l.snap {
		l.ending = nil
	}
	l.past, l.all, l.known = make([]*Run, 0, len(list)), map[string]*Run{}, true
	for i := range list {
		r := &list[i]
		if r.Ended.IsZero() {
			l.all[r.ID] = r
		} else {
			l.past = append(l.past, r)
		}
	}
	slices.SortStableFunc(l.past, func(a, b *Run) int {
		return cmp.Or(b.Ended.Compare(a.Ended), cmp.Compare(a.ID, b.ID))
	})
	l.rebuild()
}

// SetLive says what the log of a run that is under way has come to.
func (l *List) SetLive(run string, v *runlog.View) {
	l.live[run] = v
	l.Forget()
	moved := false
	for i := range l.rows {
		e := &l.rows[i]
		if e.run == nil || e.run.ID != run {
			continue
		}
		e.run.Live, l.Dirty = v, true
		// While its task is not paused only its log says that a run waits. A view grows in place: what it said
		// before is where the run stands.
		if e.in != ended && e.task >= 0 && (l.snap.At(int(e.task)).Status.IsPaused || waits(v)) != (e.in == waiting) {
			moved = true
		}
	}
	if moved {
		l.rebuild()
	}
}

// waits reports whether a run has come to where it can only continue with a person's answer.
func waits(v *runlog.View) bool { return v != nil && v.Phase == runlog.PhaseWaiting }

// Live is how many runs are under way or wait.
func (l *List) Live() int {
	n := 0
	for i := range l.rows {
		if e := &l.rows[i]; e.run != nil && e.in != ended {
			n++
		} else if e.in == ended {
			break
		}
	}
	return n
}

// rebuild lists the runs anew. The cursor stays on its run and on its line of the screen.
func (l *List) rebuild() {
	l.Dirty = true
	was, line := "", l.Cur-l.Win.Top
	if r, ok := l.Run(); ok {
		was = r.ID
	}
	top := l.Win.Top == 0 && l.Cur <= 1
	l.list()
	l.Forget()
	at := -1
	for i := range l.rows {
		if r := l.rows[i].run; r != nil && r.ID == was {
			at = i
			break
		}
	}
	if at < 0 || top && was == "" {
		l.Settle(1)
		l.Win.Follow(l.Cur, len(l.rows))
		return
	}
	l.Cur = at
	l.Win.Put(at, line, len(l.rows))
	if l.Cur == 1 {
		l.Win.Top = 0
	}
}

// list chooses the runs and puts a head before each group.
func (l *List) list() {
	l.rows, l.total = nil, 0
	if l.snap == nil {
		return
	}
	var live [2][]entry
	now := map[string]bool{}
	for i := range l.snap.Len() {
		if !l.snap.HasRun(i) { // no task is read that has none: there may be a hundred thousand
			continue
		}
		t := l.snap.At(i)
		id := t.Status.CurrentRun
		l.total++
		now[id] = true
		if l.Test != nil && !l.Test(l.snap, i) {
			continue
		}
		g := running
		if t.Status.IsPaused || waits(l.live[id]) {
			g = waiting
		}
		live[g] = append(live[g], entry{run: l.underWay(id, t), in: g, task: int32(i)})
	}
	l.ending = slices.DeleteFunc(l.ending, func(r *Run) bool {
		i, ok := l.snap.Index(r.Task)
		if !ok || now[r.ID] || slices.ContainsFunc(l.past, func(p *Run) bool { return p.ID == r.ID }) {
			return true
		}
		if now[r.ID] = true; l.Test == nil || l.Test(l.snap, i) {
			live[running] = append(live[running], entry{run: r, in: running, task: int32(i)})
		}
		l.total++
		return false
	})
	for g, list := range live {
		slices.SortStableFunc(list, func(a, b entry) int { return a.run.Started.Compare(b.run.Started) })
		if len(list) > 0 {
			l.rows = append(append(l.rows, entry{in: group(g), task: -1}), list...)
		}
	}
	head := len(l.rows)
	for _, r := range l.past {
		if now[r.ID] {
			continue
		}
		l.total++
		i, ok := l.snap.Index(r.Task)
		if l.Test != nil && (!ok || !l.Test(l.snap, i)) {
			continue
		}
		if len(l.rows) == head {
			l.rows = append(l.rows, entry{in: ended, task: -1})
		}
		if !ok {
			i = -1
		}
		l.rows = append(l.rows, entry{run: r, in: ended, task: int32(i)})
	}
}

// underWay is a run that the snapshot says to be under way, with what else is known of it.
func (l *List) underWay(id string, t *model.Task) *Run {
	r := Run{Run: model.Run{ID: id, Task: t.UID, Worker: t.Status.AssignedAgentUID, Started: t.Status.RunStartedAt}, Attempt: t.Status.RetryCount + 1}
	if k := l.all[id]; k != nil {
		r.Report = k.Report
		r.Attempt = max(r.Attempt, k.Attempt)
	}
	r.Live = l.live[id]
	return &r
}

// Run is the run under the cursor.
func (l *List) Run() (*Run, bool) {
	if l.Cur >= len(l.rows) || l.rows[l.Cur].run == nil {
		return nil, false
	}
	return l.rows[l.Cur].run, true
}

// Group says of the run under the cursor whether it is under way, and whether it waits for somebody.
func (l *List) Group() (live, waits bool) {
	if _, ok := l.Run(); !ok {
		return false, false
	}
	g := l.rows[l.Cur].in
	return g != ended, g == waiting
}

// Selected is the task of the run under the cursor, when it is still there.
func (l *List) Selected() (model.UID, bool) {
	r, ok := l.Run()
	if !ok || l.rows[l.Cur].task < 0 {
		return "", false
	}
	return r.Task, true
}

// InView are the tasks of the rows in view.
func (l *List) InView() (uids []model.UID) {
	from, to := l.Win.Span(len(l.rows))
	for _, e := range l.rows[from:to] {
		if e.run != nil && e.task >= 0 && !slices.Contains(uids, e.run.Task) {
			uids = append(uids, e.run.Task)
		}
	}
	return uids
}

// Counted is how many runs are listed, of how many.
func (l *List) Counted() (shown, total int) {
	for i := range l.rows {
		if l.rows[i].run == nil {
			shown--
		}
	}
	return shown + len(l.rows), l.total
}

// Keep remembers the cursor and what is in view, and returns what brings them back.
func (l *List) Keep() (restore func()) {
	was := ""
	if r, ok := l.Run(); ok {
		was = r.ID
	}
	offset := l.Cur - l.Win.Top
	return func() {
		if was != "" && l.JumpRun(was) {
			l.Win.Put(l.Cur, offset, len(l.rows))
		}
	}
}
