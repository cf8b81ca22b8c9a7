package rows

import (
	"slices"
	"strings"
)

// Searched is a list as a Search needs it.
type Searched struct {
	Len    int                  // rows
	Cursor int                  // the row that the cursor is on
	Folded func(row int) string // what is searched of a row
	Go     func(row int)        // puts the cursor on a row, or leaves it on none for -1; never called of an empty list
	Place  func() (back func()) // remembers where the window is, and returns what brings it back
}

// Search is the search of a list as somebody types. A view has it by embedding: its methods are those
// that the root asks of every view.
type Search struct {
	list    func() Searched // the list as it is now
	changed func()
	query   string // folded
	typing  bool
	found   []int32 // rows that match, ascending; nil when they must be looked for
	origin  int     // where the search began
	back    func()  // puts the window there
}

// wide is how many bytes of a text select few enough rows for the next letter to look at them alone. Shorter ones may
// be looked for in less of a row.
const wide = 4

// NewSearch searches what list returns; changed is called when it must be drawn anew though nothing
// has moved.
func NewSearch(list func() Searched, changed func()) Search {
	return Search{list: list, changed: changed}
}

// Query is the folded text that is looked for; "" for none.
func (s *Search) Query() string { return s.query }

// Typing reports whether a search is being typed.
func (s *Search) Typing() bool { return s.typing }

// Forget says that rows have changed.
func (s *Search) Forget() { s.found = nil }

// collect looks for the rows of a list that match.
func (s *Search) collect(l Searched) {
	if s.found != nil {
		return
	}
	s.found = make([]int32, 0, 16)
	if s.query == "" {
		return
	}
	for r := range l.Len {
		if strings.Contains(l.Folded(r), s.query) {
			s.found = append(s.found, int32(r))
		}
	}
}

// SearchStart begins a search: from here, and back to here when it is canceled.
func (s *Search) SearchStart() {
	l := s.list()
	s.query, s.found, s.typing, s.origin, s.back = "", nil, true, l.Cursor, l.Place()
	s.changed()
}

// SearchType looks for another text and goes to its first match at or after the place where the
// search began, around the end if it must. It returns the number of matches.
func (s *Search) SearchType(query string) int {
	if !s.typing {
		s.SearchStart()
	}
	l := s.list()
	was, among := s.query, s.found
	s.query, s.found = Fold(query), nil
	if len(was) >= wide && among != nil && strings.HasPrefix(s.query, was) { // a longer text is in none but those
		s.found = slices.DeleteFunc(among, func(r int32) bool { return !strings.Contains(l.Folded(int(r)), s.query) })
	}
	s.collect(l)
	s.changed()
	switch n := len(s.found); {
	case n > 0:
		k, _ := slices.BinarySearch(s.found, int32(s.origin))
		l.Go(int(s.found[k%n]))
	case l.Len > 0:
		l.Go(min(s.origin, l.Len-1))
		s.back()
	}
	return len(s.found)
}

// SearchAccept ends typing and stays at the match; SearchNext continues with the text.
func (s *Search) SearchAccept() {
	s.typing, s.back = false, nil
	s.changed()
}

// SearchCancel ends the search and goes back to where it began.
func (s *Search) SearchCancel() {
	if l := s.list(); s.typing && l.Len > 0 {
		l.Go(min(s.origin, l.Len-1))
		s.back()
	}
	s.SearchClear()
}

// SearchClear ends the search and its highlights; the cursor stays.
func (s *Search) SearchClear() {
	s.query, s.found, s.typing, s.back = "", nil, false, nil
	s.changed()
}

// SearchNext goes to the next match (1) or the previous one (-1), around the end if it must. ok is
// false when nothing matches.
func (s *Search) SearchNext(d int) (wrapped, ok bool) {
	if s.query == "" {
		return false, false
	}
	l := s.list()
	s.collect(l)
	n := len(s.found)
	if n == 0 {
		return false, false
	}
	k, on := slices.BinarySearch(s.found, int32(l.Cursor))
	switch {
	case d < 0:
		k--
	case on:
		k++
	}
	l.Go(int(s.found[(k+n)%n]))
	return k < 0 || k >= n, true
}

// Searching is what is looked for, and which of how many matches the cursor is on; 0 for none of them.
func (s *Search) Searching() (query string, at, total int) {
	if s.query == "" {
		return "", 0, 0
	}
	l := s.list()
	s.collect(l)
	if k, on := slices.BinarySearch(s.found, int32(l.Cursor)); on {
		at = k + 1
	}
	return s.query, at, len(s.found)
}
