package detail

import "vespe/ui/markdown"

// csFind is a search through all texts of a changeset.
type csFind struct {
	query  string
	typing bool
	from   markdown.StackPlace // where it began
	counts []int               // matches by part
	at     int                 // the match that the cursor is on, counted from 0; -1 for none
}

// SearchStart begins a search: from here, and back to here when it is cancelled.
func (c *Changeset) SearchStart() { c.find = csFind{typing: true, from: c.stack.Place(), at: -1} }

// SearchType looks for another text and goes to its first match from where the search began. It
// returns the number of matches.
func (c *Changeset) SearchType(query string) int {
	if !c.find.typing {
		c.SearchStart()
	}
	c.moving(func() { c.stack.Return(c.find.from) })
	return c.search(query)
}

// search finds a text everywhere, and goes to the first match at the cursor or below.
func (c *Changeset) search(query string) int {
	f := &c.find
	f.query, f.at, f.counts = query, -1, make([]int, len(c.spots))
	here, onHead := c.at()
	total := 0
	for i, s := range c.spots {
		if s.tab == Overview {
			continue
		}
		doc := c.stack.DocOf(i)
		if doc == nil {
			continue
		}
		n := doc.Find(query)
		f.counts[i] = n
		switch {
		case f.at >= 0 || n == 0 || i < here:
		case i > here || onHead:
			f.at = total
		default:
			if k := doc.MatchFrom(); k < n {
				f.at = total + k
			}
		}
		total += n
	}
	if f.at < 0 && total > 0 {
		f.at = 0
	}
	c.showMatch()
	return total
}

// searchAgain finds the text that is searched for in texts that have changed. Nothing moves.
func (c *Changeset) searchAgain() {
	if query := c.find.query; query != "" {
		place := c.stack.Place()
		c.search(query)
		c.stack.Return(place)
	}
}

// showMatch goes to the match that is the current one.
func (c *Changeset) showMatch() {
	k := c.find.at
	for i, n := range c.find.counts {
		doc := c.stack.DocOf(i)
		if doc == nil {
			continue
		}
		if k < 0 || k >= n {
			doc.ToMatch(-1)
		} else {
			c.moving(func() {
				doc.ToMatch(k)
				c.stack.Show(i)
			})
		}
		k -= n
		if k < 0 {
			k = -1
		}
	}
}

// SearchAccept ends typing and stays at the match.
func (c *Changeset) SearchAccept() { c.find.typing = false }

// SearchCancel ends the search and goes back to where it began.
func (c *Changeset) SearchCancel() {
	if c.find.typing {
		c.moving(func() { c.stack.Return(c.find.from) })
	}
	c.SearchClear()
}

// SearchClear ends the search and its highlights.
func (c *Changeset) SearchClear() {
	for i, s := range c.spots {
		if s.tab != Overview && i < len(c.find.counts) && c.find.counts[i] > 0 {
			if doc := c.stack.DocOf(i); doc != nil {
				doc.Find("")
			}
		}
	}
	c.find = csFind{at: -1}
}

// SearchNext goes to the next match (1) or the previous one (-1), around the end if it must.
func (c *Changeset) SearchNext(n int) (wrapped, ok bool) {
	f := &c.find
	total := 0
	for i := range f.counts {
		total += f.counts[i]
	}
	if total == 0 {
		return false, false
	}
	f.at += n
	wrapped = f.at < 0 || f.at >= total
	f.at = (f.at + total) % total
	c.showMatch()
	return wrapped, true
}

// Searching is the query and which of how many matches the cursor is on; 0 for none.
func (c *Changeset) Searching() (query string, at, total int) {
	for _, n := range c.find.counts {
		total += n
	}
	return c.find.query, c.find.at + 1, total
}
