package rows

// Searched is a list as a Search needs it.
type Searched struct {
	Len    int                  // rows
	Cursor int                  // the row that the cursor is on
	Folded func(row int) string // what is searched of a row
	Go     func(row int)        // puts the cursor on a row; never called of an empty list
	Place  func() (back func()) // remembers where the window is, and returns what brings it back
}

// Search is the search of a list as somebody types. A view has it by embedding: its methods are those
// that the root asks of every view.
type Search struct {
	find    Finder
	list    func() Searched // the list as it is now
	back    func()          // puts the window where the search began
	changed func()
}

// NewSearch searches what list returns; changed is called when it must be drawn anew though nothing
// has moved.
func NewSearch(list func() Searched, changed func()) Search {
	return Search{list: list, changed: changed}
}

// Query is the folded text that is looked for; "" for none.
func (s *Search) Query() string { return s.find.Query() }

// Forget says that rows have changed.
func (s *Search) Forget() { s.find.Forget() }

// Typing reports whether a search is being typed.
func (s *Search) Typing() bool { return s.find.Typing() }

// SearchStart begins a search: from here, and back to here when it is cancelled.
func (s *Search) SearchStart() {
	l := s.list()
	s.find.Start(l.Cursor)
	s.back = l.Place()
	s.changed()
}

// SearchType looks for another text and goes to its first match at or after the place where the
// search began. It returns the number of matches.
func (s *Search) SearchType(query string) int {
	if !s.find.Typing() {
		s.SearchStart()
	}
	l := s.list()
	row, total, ok := s.find.Type(query, l.Len, l.Folded)
	s.changed()
	if l.Len == 0 {
		return total
	}
	l.Go(min(row, l.Len-1))
	if !ok {
		s.back()
	}
	return total
}

// SearchAccept ends typing and stays at the match.
func (s *Search) SearchAccept() {
	s.find.Accept()
	s.changed()
}

// SearchCancel ends the search and goes back to where it began.
func (s *Search) SearchCancel() {
	if l := s.list(); s.find.Typing() && l.Len > 0 {
		l.Go(min(s.find.Origin(), l.Len-1))
		s.back()
	}
	s.SearchClear()
}

// SearchClear ends the search and its highlights; the cursor stays.
func (s *Search) SearchClear() {
	s.find.Clear()
	s.back = nil
	s.changed()
}

// SearchNext goes to the next match (1) or the previous one (-1), around the end if it must. ok is
// false when nothing matches.
func (s *Search) SearchNext(d int) (wrapped, ok bool) {
	l := s.list()
	row, wrapped, ok := s.find.Next(d, l.Cursor, l.Len, l.Folded)
	if ok {
		l.Go(row)
	}
	return wrapped, ok
}

// Searching is what is looked for, and which of how many matches the cursor is on.
func (s *Search) Searching() (query string, at, total int) {
	l := s.list()
	at, total = s.find.At(l.Cursor, l.Len, l.Folded)
	return s.find.Query(), at, total
}
