package rail

import "vespe/ui/rows"

// folded is the text of a row for a search.
func (r *Rail) folded(row int) string {
	if r.names == nil {
		r.names = make([]string, r.snap.Len())
		for i := range r.names {
			r.names[i] = rows.Fold(r.snap.Name(i))
		}
	}
	if i := r.task(row); i >= 0 {
		return r.names[i]
	}
	return ""
}

// SearchStart begins a search: from here, and back to here when it is cancelled.
func (r *Rail) SearchStart() {
	r.find.Start(r.cur, r.win.Top)
	r.dirty = true
}

// SearchType looks for another text in the names and goes to its first match at or after
// the place where the search began. It returns the number of matches.
func (r *Rail) SearchType(query string) int {
	if r.snap == nil {
		return 0
	}
	if !r.find.Typing() {
		r.SearchStart()
	}
	row, total, ok := r.find.Type(query, r.Len(), r.folded)
	r.moveTo(row)
	if !ok {
		_, r.win.Top = r.find.Origin()
		r.win.Clamp(r.Len())
	}
	return total
}

// SearchAccept ends typing and stays at the match.
func (r *Rail) SearchAccept() { r.find.Accept(); r.dirty = true }

// SearchCancel ends the search and goes back to where it began.
func (r *Rail) SearchCancel() {
	if r.find.Typing() {
		row, top := r.find.Origin()
		r.moveTo(row)
		r.win.Top = top
		r.win.Clamp(r.Len())
	}
	r.SearchClear()
}

// SearchClear ends the search and its highlights; the cursor stays.
func (r *Rail) SearchClear() { r.find.Clear(); r.dirty = true }

// SearchNext goes to the next match (1) or the previous one (-1), around the end if it
// must. ok is false when nothing matches.
func (r *Rail) SearchNext(d int) (wrapped, ok bool) {
	if r.snap == nil {
		return false, false
	}
	row, wrapped, ok := r.find.Next(d, r.cur, r.Len(), r.folded)
	if ok {
		r.moveTo(row)
	}
	return wrapped, ok
}

// Searching is what is looked for, and which of how many matches the cursor is on.
func (r *Rail) Searching() (query string, at, total int) {
	if r.snap == nil {
		return "", 0, 0
	}
	at, total = r.find.At(r.cur, r.Len(), r.folded)
	return r.find.Query(), at, total
}
