package feed

import (
	"slices"
	"time"

	"vespe/model"
	"vespe/model/history"
	"vespe/ui/rows"
	"vespe/ui/style"
)

// Feed is the activity view. Build it with New; it is for one goroutine.
type Feed struct {
	rows.Search
	rows.Pane
	now     time.Time
	test    func(s *model.Snapshot, i int) bool
	marked  func(model.UID) bool
	reading []string // what is said until there is a journal

	snap  *model.Snapshot
	j     *history.Journal
	actor string             // "" for everybody
	kind  *history.EventKind // nil for all
	found []int32            // events of j, the newest first
	rows  []int32            // an index into found, or ^index of the first event below a head
	cur   int                // never on a head
	fresh int                // events that came in above what is in view
	win   rows.Window

	lines []string
	lineW int
	line  rows.Line
}

// New makes an empty feed.
func New(st *style.Styles) *Feed {
	f := &Feed{Pane: rows.NewPane(st)}
	f.Search = rows.NewSearch(f.searched, func() { f.Dirty = true })
	return f
}

// SetReading sets the lines that are shown until there is a journal.
func (f *Feed) SetReading(lines ...string) {
	if !slices.Equal(f.reading, lines) {
		f.reading, f.Dirty = lines, true
	}
}

// SetMarked says which tasks are selected; it is called again whenever others are.
func (f *Feed) SetMarked(test func(model.UID) bool) { f.marked, f.Dirty = test, true }

// SetNow says what time it is, for the days, and in which zone.
func (f *Feed) SetNow(t time.Time) {
	if f.now.Equal(t) {
		return
	}
	other := f.now.IsZero() || dayOf(f.now) != dayOf(t)
	f.now, f.Dirty = t, true
	if other {
		f.rebuild()
	}
}

func dayOf(t time.Time) [3]int { return [3]int{t.Year(), int(t.Month()), t.Day()} }

// SetFilter shows only what happened to tasks that pass a test; nil shows all.
func (f *Feed) SetFilter(test func(s *model.Snapshot, i int) bool) {
	if test == nil && f.test == nil {
		return
	}
	f.test = test
	f.rebuild()
}

// SetSnapshot shows another moment of the store, which names the tasks.
func (f *Feed) SetSnapshot(s *model.Snapshot) {
	if s == f.snap {
		return
	}
	f.snap, f.Dirty = s, true
	if f.test != nil {
		f.rebuild()
	}
}

// SetJournal shows what has happened so far. The cursor stays on its event.
func (f *Feed) SetJournal(j *history.Journal) {
	if j != f.j {
		f.rebuildOf(j)
	}
}

// Narrow shows only what an actor did, "" for everybody, and only one kind of event, nil for all.
func (f *Feed) Narrow(actor string, kind *history.EventKind) {
	f.actor, f.kind = actor, kind
	f.rebuild()
}

// Narrowed is what Narrow was told.
func (f *Feed) Narrowed() (actor string, kind *history.EventKind) { return f.actor, f.kind }

// key is what makes an event the same in two journals.
type key struct {
	uid model.UID
	at  int64
	seq uint64
	k   int
}

func (f *Feed) keyAt(row int) (key, bool) {
	if row < 0 || row >= len(f.rows) || f.rows[row] < 0 {
		return key{}, false
	}
	at := int(f.found[f.rows[row]])
	c, m := f.j.At(at)
	return key{c.UID, m.When().UnixMilli(), m.Seq(), f.j.Index(at)}, true
}

// rebuild lists the events anew. The cursor stays on its event and on its line of the screen; where
// the top is in view, what is new comes in there.
func (f *Feed) rebuild() { f.rebuildOf(f.j) }

func (f *Feed) rebuildOf(j *history.Journal) {
	f.Dirty = true
	was, on := f.keyAt(f.cur)
	top, line := f.win.Top == 0, f.cur-f.win.Top
	hold, holds := key{}, false
	if !f.win.Sees(f.cur) {
		for line = 0; line < 3 && !holds; line++ {
			hold, holds = f.keyAt(f.win.Top + line)
		}
		line--
	}
	before := len(f.found)
	f.j = j
	f.list()
	f.Forget()
	row, held := f.cur, -1
	if on || holds {
		seen := 0
		for r := range f.rows {
			k, ok := f.keyAt(r)
			if ok && on && k == was {
				row, seen = r, seen+1
			}
			if ok && holds && k == hold {
				held, seen = r, seen+1
			}
			if seen == 2 || seen == 1 && !(on && holds) {
				break
			}
		}
	}
	f.cur = row
	f.settle(1)
	switch {
	case top && row < f.win.Top+f.height():
		f.win.Top, f.fresh = 0, 0
	case held >= 0:
		f.win.Put(held, line, len(f.rows))
	default:
		f.win.Put(f.cur, line, len(f.rows))
	}
	if f.win.Top > 0 && before > 0 {
		f.fresh += max(0, len(f.found)-before)
	}
	f.win.Clamp(len(f.rows))
}

func (f *Feed) height() int { return max(1, f.win.Height) }

// list chooses the events and puts a head before each day.
func (f *Feed) list() {
	f.found, f.rows = nil, nil
	if f.j == nil {
		return
	}
	s := history.Sieve{}
	if f.actor != "" {
		s.Actors = []string{f.actor}
	}
	if f.kind != nil {
		s.Kinds = []history.EventKind{*f.kind}
	}
	if f.test != nil && f.snap != nil {
		s.Tasks = func(uid model.UID) bool {
			i, ok := f.snap.Index(uid)
			return ok && f.test(f.snap, i)
		}
	}
	f.found = f.j.Activity(s)
	f.rows = make([]int32, 0, len(f.found)+len(f.found)/16+1)
	var from, to int64 // of the day, in milliseconds
	for k, i := range f.found {
		_, m := f.j.At(int(i))
		if at := m.When().UnixMilli(); k == 0 || at < from || at >= to {
			t := m.When().In(f.now.Location())
			day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
			from, to = day.UnixMilli(), day.AddDate(0, 0, 1).UnixMilli()
			f.rows = append(f.rows, ^int32(k))
		}
		f.rows = append(f.rows, int32(k))
	}
}

// settle moves the cursor off a head, in direction d if it can.
func (f *Feed) settle(d int) { f.cur = rows.Settle(f.rows, f.cur, d) }

// Moment is the event under the cursor, and whose it is.
func (f *Feed) Moment() (*history.Chronicle, *history.Moment, bool) {
	if f.cur >= len(f.rows) || f.rows[f.cur] < 0 {
		return nil, nil, false
	}
	c, m := f.j.At(int(f.found[f.rows[f.cur]]))
	return c, m, true
}

// Milestone is the id of the milestone that the event under the cursor is about; false where it is about a task.
func (f *Feed) Milestone() (id string, ok bool) {
	c, m, ok := f.Moment()
	if !ok || c.UID != "" {
		return "", false
	}
	_, id, _ = ofMilestone(m)
	return id, id != ""
}

// Selected is the task under the cursor, when it is still there.
func (f *Feed) Selected() (model.UID, bool) {
	c, _, ok := f.Moment()
	if !ok || f.snap == nil {
		return "", false
	}
	_, ok = f.snap.Index(c.UID)
	return c.UID, ok
}

// InView are the tasks of the rows in view.
func (f *Feed) InView() (uids []model.UID) {
	from, to := f.win.Span(len(f.rows))
	for _, row := range f.rows[from:to] {
		if row < 0 {
			continue
		}
		if c, _ := f.j.At(int(f.found[row])); c.UID != "" && !slices.Contains(uids, c.UID) {
			uids = append(uids, c.UID)
		}
	}
	return uids
}

// Counted is how many events are listed, of how many, and how many of them came in above the view.
func (f *Feed) Counted() (shown, total, fresh int) {
	if f.j == nil {
		return 0, 0, 0
	}
	return len(f.found), f.j.Len(), f.fresh
}

// Scroll says where the view is in the whole, for a scrollbar.
func (f *Feed) Scroll() style.Scroll {
	return style.Scroll{Top: f.win.Top, Visible: f.win.Height, Total: len(f.rows)}
}

// Keep remembers the cursor and what is in view, and returns what brings them back.
func (f *Feed) Keep() (restore func()) {
	was, on := f.keyAt(f.cur)
	offset := f.cur - f.win.Top
	return func() {
		for r := range f.rows {
			if k, ok := f.keyAt(r); on && ok && k == was {
				f.cur, f.Dirty = r, true
				f.win.Put(r, offset, len(f.rows))
				return
			}
		}
	}
}
