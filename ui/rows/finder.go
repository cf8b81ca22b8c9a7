package rows

import (
	"slices"
	"strings"
)

// Finder searches the rows of a list as somebody types. It knows nothing of the list but
// the folded text of each row.
type Finder struct {
	query  string
	typing bool
	found  []int32 // rows that match, ascending; nil when they must be looked for
	cursor int     // where the search began
}

// Start begins a search with the cursor where it is.
func (f *Finder) Start(cursor int) {
	*f = Finder{typing: true, cursor: cursor}
}

// Typing reports whether a search is being typed.
func (f *Finder) Typing() bool { return f.typing }

// Query is the folded text that is looked for; "" for none.
func (f *Finder) Query() string { return f.query }

// Forget says that rows have changed.
func (f *Finder) Forget() { f.found = nil }

func (f *Finder) collect(n int, folded func(row int) string) {
	if f.found != nil {
		return
	}
	f.found = make([]int32, 0, 16)
	if f.query == "" {
		return
	}
	for r := range n {
		if strings.Contains(folded(r), f.query) {
			f.found = append(f.found, int32(r))
		}
	}
}

// Type looks for another text. row is the first match at or after the place where the
// search began; ok is false when nothing matches.
func (f *Finder) Type(query string, n int, folded func(row int) string) (row, total int, ok bool) {
	f.query, f.found = Fold(query), nil
	f.collect(n, folded)
	if len(f.found) == 0 {
		return f.cursor, 0, false
	}
	k, _ := slices.BinarySearch(f.found, int32(f.cursor))
	return int(f.found[k%len(f.found)]), len(f.found), true
}

// Origin is where the search began.
func (f *Finder) Origin() (cursor int) { return f.cursor }

// Accept ends typing; the text stays and Next continues with it.
func (f *Finder) Accept() { f.typing = false }

// Clear ends the search.
func (f *Finder) Clear() { *f = Finder{} }

// Next is the next match after the cursor (1) or before it (-1), around the end if it
// must.
func (f *Finder) Next(d, cursor, n int, folded func(row int) string) (row int, wrapped, ok bool) {
	if f.query == "" {
		return cursor, false, false
	}
	f.collect(n, folded)
	if len(f.found) == 0 {
		return cursor, false, false
	}
	k, on := slices.BinarySearch(f.found, int32(cursor))
	switch {
	case d < 0:
		k--
	case on:
		k++
	}
	wrapped = k < 0 || k >= len(f.found)
	return int(f.found[(k+len(f.found))%len(f.found)]), wrapped, true
}

// At says which of how many matches the cursor is on; at is 0 when it is on none.
func (f *Finder) At(cursor, n int, folded func(row int) string) (at, total int) {
	if f.query == "" {
		return 0, 0
	}
	f.collect(n, folded)
	if k, on := slices.BinarySearch(f.found, int32(cursor)); on {
		at = k + 1
	}
	return at, len(f.found)
}
