package outline

import (
	"slices"

	"vespe/model/snapshot"
)

// What a filter makes of a task.
const (
	hidden  uint8 = iota
	context       // not a match, but above one
	match
)

// filter is which tasks are looked for. It has folds of its own.
type filter struct {
	test    func(s *snapshot.Snapshot, i int) bool
	shown   []uint8
	open    []bool
	matches int
}

func (f *filter) on() bool { return f.test != nil }

// apply tests every task of a snapshot and reports whether anything came out otherwise
// than before. Folds are kept while the tasks stay the same.
func (f *filter) apply(s *snapshot.Snapshot) bool {
	if f.test == nil {
		return false
	}
	shown := make([]uint8, s.Len())
	matches := 0
	for i := range shown {
		if !f.test(s, i) {
			continue
		}
		matches++
		shown[i] = match
		for p := s.Parent(i); p >= 0 && shown[p] == hidden; p = s.Parent(int(p)) {
			shown[p] = context
		}
	}
	if slices.Equal(shown, f.shown) {
		return false
	}
	if len(f.open) != s.Len() {
		f.open = make([]bool, s.Len())
		for i := range f.open {
			f.open[i] = true
		}
	}
	f.shown, f.matches = shown, matches
	return true
}

// SetFilter shows only the tasks that pass a test, and dimmed above them their ancestors.
// nil shows everything again, with the folds as they were; the cursor stays on its task
// if it can.
func (o *Outline) SetFilter(test func(s *snapshot.Snapshot, i int) bool) {
	if test == nil && o.filter.test == nil {
		return
	}
	at, ok := o.current()
	s := o.spot()
	o.filter = filter{test: test}
	o.forgetSearched()
	if o.snap == nil {
		return
	}
	o.filter.apply(o.snap)
	if ok && test == nil {
		o.flatten()
		o.unfoldTo(at, nil)
	}
	o.flatten()
	o.restore(s)
	if test == nil {
		o.Follow()
		return
	}
	o.toMatch()
}

// toMatch moves the cursor from a row that is there only for context to a match.
func (o *Outline) toMatch() {
	if o.Cur < len(o.rows) && o.rows[o.Cur] >= 0 && o.filter.shown[o.rows[o.Cur]] == match {
		return
	}
	for _, step := range []int{1, -1} {
		for r := o.Cur; r >= 0 && r < len(o.rows); r += step {
			if o.rows[r] >= 0 && o.filter.shown[o.rows[r]] == match {
				o.MoveTo(r, 0)
				return
			}
		}
	}
}

// Filtered is how many tasks match the filter, of how many; on is false without one.
func (o *Outline) Filtered() (matches, total int, on bool) {
	if o.snap == nil {
		return 0, 0, o.filter.on()
	}
	if !o.filter.on() {
		return o.snap.Len(), o.snap.Len(), false
	}
	return o.filter.matches, o.snap.Len(), true
}
