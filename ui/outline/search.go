package outline

import (
	"slices"
	"strings"

	"vespe/model/snapshot"
	"vespe/ui/rows"
)

// search looks for text in the names of all tasks that the filter leaves, folded ones
// too: going to a match unfolds what is above it, and folds it again when the next
// letter leads elsewhere.
type search struct {
	query  string // folded; "" for none
	typing bool
	names  []string // folded, by task; nil until something is searched
	order  []int32  // tasks in the order of the tree, folds ignored; nil until needed
	rank   []int32  // task → its place in order
	found  []int32  // matches in that order

	origin int32 // task that the search started from
	before spot
	opened []int32 // unfolded only to show the match
}

// forget drops what depends on the set of tasks or on the filter.
func (s *search) forget() { s.names, s.order, s.rank, s.found = nil, nil, nil, nil }

// renamed drops the folded names that are no longer so.
func (s *search) renamed(old, now *snapshot.Snapshot) {
	if s.names == nil {
		return
	}
	changed := false
	for i := range s.names {
		if name := now.Name(i); old.Name(i) != name {
			s.names[i] = rows.Fold(name)
			changed = true
		}
	}
	if changed {
		s.found = nil
	}
}

// prepare makes the names and the order.
func (o *Outline) prepareSearch() {
	s := &o.search
	if s.names == nil {
		s.names = make([]string, o.snap.Len())
		for i := range s.names {
			s.names[i] = rows.Fold(o.snap.Name(i))
		}
	}
	if s.order == nil {
		s.order = make([]int32, 0, o.snap.Len())
		s.rank = make([]int32, o.snap.Len())
		stack := reversed(nil, o.snap.Roots())
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !o.shown(v) {
				continue
			}
			s.rank[v] = int32(len(s.order))
			s.order = append(s.order, v)
			stack = reversed(stack, o.snap.Children(int(v)))
		}
		s.found = nil
	}
}

func reversed(dst, list []int32) []int32 {
	for k := len(list) - 1; k >= 0; k-- {
		dst = append(dst, list[k])
	}
	return dst
}

// collect finds the matches; a longer query looks only at those of the shorter one.
func (o *Outline) collect(query string, within []int32) []int32 {
	o.prepareSearch()
	if within == nil {
		within = o.search.order
	}
	found := make([]int32, 0, 16)
	byUID := len(query) >= 4 && strings.Trim(query, "tsk-0123456789abcdef") == ""
	for _, i := range within {
		if strings.Contains(o.search.names[i], query) || byUID && strings.Contains(string(o.snap.UID(int(i))), query) {
			found = append(found, i)
		}
	}
	return found
}

// SearchStart begins a search: from here, and back to here when it is cancelled.
func (o *Outline) SearchStart() {
	if o.snap == nil {
		return
	}
	o.search.query, o.search.typing, o.search.found = "", true, nil
	o.search.before = o.spot()
	o.search.opened = nil
	o.search.origin = -1
	if i, ok := o.current(); ok {
		o.search.origin = i
	}
	o.Dirty = true
}

// SearchType looks for another text and goes to its first match at or after the place
// where the search began. It returns the number of matches.
func (o *Outline) SearchType(query string) int {
	if o.snap == nil {
		return 0
	}
	if !o.search.typing {
		o.SearchStart()
	}
	s := &o.search
	query = rows.Fold(query)
	var within []int32
	if s.query != "" && len(s.query) >= 4 && strings.HasPrefix(query, s.query) {
		within = s.found
	}
	s.query = query
	o.refold()
	o.Dirty = true
	if query == "" {
		s.found = nil
		o.comeBack()
		return 0
	}
	s.found = o.collect(query, within)
	if len(s.found) == 0 {
		o.comeBack()
		return 0
	}
	k := 0
	if s.origin >= 0 && int(s.origin) < len(s.rank) {
		k, _ = slices.BinarySearchFunc(s.found, s.rank[s.origin], o.byRank)
	}
	o.showMatch(s.found[k%len(s.found)])
	return len(s.found)
}

func (o *Outline) byRank(i, rank int32) int { return int(o.search.rank[i] - rank) }

// refold folds again what was unfolded only for the last match.
func (o *Outline) refold() {
	open := o.folds()
	for k := len(o.search.opened) - 1; k >= 0; k-- { // the root-most came last
		i := o.search.opened[k]
		if r := o.find(i); r >= 0 {
			o.setOpen(r, false)
		} else if int(i) < len(open) {
			open[i] = false
		}
	}
	o.search.opened = nil
}

// comeBack goes to where the search began.
func (o *Outline) comeBack() {
	if b := o.search.before; b.snap == o.snap {
		o.restore(b)
	} else if o.search.origin >= 0 {
		o.Follow()
	}
}

func (o *Outline) showMatch(i int32) {
	o.unfoldTo(i, func(p int32) { o.search.opened = append(o.search.opened, p) })
	if r := o.find(i); r >= 0 {
		o.MoveTo(r, 0)
	}
}

// SearchAccept ends typing and stays at the match.
func (o *Outline) SearchAccept() {
	o.search.typing, o.search.opened, o.search.before = false, nil, spot{}
	o.Dirty = true
}

// SearchCancel ends the search and goes back to where it began.
func (o *Outline) SearchCancel() {
	if o.search.typing {
		o.refold()
		o.comeBack()
	}
	o.SearchClear()
}

// SearchClear ends the search and its highlights; the cursor stays.
func (o *Outline) SearchClear() {
	o.search.query, o.search.typing, o.search.found = "", false, nil
	o.search.opened, o.search.before = nil, spot{}
	o.Dirty = true
}

// SearchNext goes to the next match (1) or the previous one (-1), around the end if it
// must. ok is false when nothing matches.
func (o *Outline) SearchNext(d int) (wrapped, ok bool) {
	s := &o.search
	if o.snap == nil || s.query == "" {
		return false, false
	}
	o.prepareSearch()
	if s.found == nil {
		s.found = o.collect(s.query, nil)
	}
	if len(s.found) == 0 {
		return false, false
	}
	at, on := 0, false
	if i, ok := o.current(); ok {
		at, on = slices.BinarySearchFunc(s.found, s.rank[i], o.byRank)
	}
	k := at
	switch {
	case d < 0:
		k = at - 1
	case on:
		k = at + 1
	}
	wrapped = k < 0 || k >= len(s.found)
	i := s.found[(k+len(s.found))%len(s.found)]
	o.unfoldTo(i, nil)
	if r := o.find(i); r >= 0 {
		o.MoveTo(r, 0)
	}
	return wrapped, true
}

// Searching is what is looked for, and which of how many matches the cursor is on; at is
// 0 when it is on none.
func (o *Outline) Searching() (query string, at, total int) {
	s := &o.search
	if s.query == "" || o.snap == nil {
		return "", 0, 0
	}
	if s.found == nil {
		s.found = o.collect(s.query, nil)
	}
	if i, ok := o.current(); ok && s.rank != nil {
		if k, on := slices.BinarySearchFunc(s.found, s.rank[i], o.byRank); on {
			at = k + 1
		}
	}
	return s.query, at, len(s.found)
}
