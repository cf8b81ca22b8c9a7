package view

import (
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/style"
)

// List is what the rows of all views have in common. Each shows tasks with a cursor, keeps both when the snapshot
// changes, and draws only what is in view.
type List interface {
	Scroller
	Searcher
	SetSnapshot(s *snapshot.Snapshot)
	SetStyles(st *style.Styles)
	SetFocused(on bool)
	// SetEmpty sets what is said when there is nothing to show.
	SetEmpty(lines ...string)
	SetFilter(test func(s *snapshot.Snapshot, i int) bool)
	// SetUnmatched sets what is said when nothing passes the filter.
	SetUnmatched(lines ...string)
	Selected() (model.UID, bool)
	InView() []model.UID
	Jump(uid model.UID) bool
	// Keep remembers the cursor, the folds and the place of the window, and returns what
	// brings them back.
	Keep() (restore func())
	Scroll() style.Scroll
	View(w, h int) []string
}

// Scroller is what the keys of moving act on.
type Scroller interface {
	Move(d int)
	Home()
	End()
	HalfPage(n int)
	Page(n int)
	Wheel(d int)
}

// Searcher is a pane that can be searched as a person types.
type Searcher interface {
	SearchStart()
	// SearchType looks for another text and returns the number of matches.
	SearchType(query string) int
	SearchAccept()
	SearchCancel()
	SearchClear()
	// SearchNext goes to the next match (1) or the previous one (-1).
	SearchNext(d int) (wrapped, ok bool)
	// Searching is which of how many matches the cursor is on; 0 for none of them.
	Searching() (query string, at, total int)
}
