package feed

import (
	"slices"
	"time"

	"vespe/model"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/ui/rows"
	"vespe/ui/style"
)

// Feed is the activity view. Build it with New; it is for one goroutine.
type Feed struct {
	rows.List
	now     time.Time
	reading []string // what is said until there is a journal

	snap  *snapshot.Snapshot
	j     *history.Journal
	actor string             // "" for everybody
	kind  *history.EventKind // nil for all
	found []int32            // events of j, the newest first
	rows  []int32            // an index into found, or ^index of the first event below a head
	fresh int                // events that came in above what is in view
	line  rows.Line

	clears func() string // says which key shows all events
}

// New makes an empty feed.
func New(st *style.Styles) *Feed {
	f := &Feed{clears: func() string { return "" }}
	f.Init(st, rows.Rows{
		Len: func() int { return len(f.rows) }, Head: func(r int) bool { return f.rows[r] < 0 },
		Folded: f.folded, Draw: f.draw, Filtered: f.rebuild, Moved: f.looked,
	})
	f.SetEmpty("No activity yet.")
	return f
}

// SetReading sets the lines that are shown until there is a journal.
func (f *Feed) SetReading(lines ...string) {
	if !slices.Equal(f.reading, lines) {
		f.reading, f.Dirty = lines, true
	}
}

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

// SetSnapshot shows another moment of the store, which names the tasks.
func (f *Feed) SetSnapshot(s *snapshot.Snapshot) {
	if s == f.snap {
		return
	}
	f.snap, f.Dirty = s, true
	f.Forget()
	if f.Test != nil {
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
	was, on := f.keyAt(f.Cur)
	top, line := f.Win.Top == 0, f.Cur-f.Win.Top
	hold, holds := key{}, false
	if !f.Win.Sees(f.Cur) {
		for line = 0; line < 3 && !holds; line++ {
			hold, holds = f.keyAt(f.Win.Top + line)
		}
		line--
	}
	before, same := len(f.found), f.j == j // what a filter hid is not new
	f.j = j
	f.list()
	f.Forget()
	row, held := f.Cur, -1
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
	f.Cur = row
	f.Settle(1)
	switch {
	case top && row < f.Win.Top+f.height():
		f.Win.Top, f.fresh = 0, 0
	case held >= 0:
		f.Win.Put(held, line, len(f.rows))
	default:
		f.Win.Put(f.Cur, line, len(f.rows))
	}
	if f.Win.Top > 0 && before > 0 && !same {
		f.fresh += max(0, len(f.found)-before)
	}
	f.Win.Clamp(len(f.rows))
}

func (f *Feed) height() int { return max(1, f.Win.Height) }

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
	if f.Test != nil && f.snap != nil {
		s.Tasks = func(uid model.UID) bool {
			i, ok := f.snap.Index(uid)
			return ok && f.Test(f.snap, i)
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

// Moment is the event under the cursor, and whose it is.
func (f *Feed) Moment() (*history.Chronicle, *history.Moment, bool) {
	if f.Cur >= len(f.rows) || f.rows[f.Cur] < 0 {
		return nil, nil, false
	}
	c, m := f.j.At(int(f.found[f.rows[f.Cur]]))
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
	from, to := f.Win.Span(len(f.rows))
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

// Keep remembers the cursor and what is in view, and returns what brings them back.
func (f *Feed) Keep() (restore func()) {
	was, on := f.keyAt(f.Cur)
	offset := f.Cur - f.Win.Top
	return func() {
		for r := range f.rows {
			if k, ok := f.keyAt(r); on && ok && k == was {
				f.Cur, f.Dirty = r, true
				f.Win.Put(r, offset, len(f.rows))
				return
			}
		}
	}
}
