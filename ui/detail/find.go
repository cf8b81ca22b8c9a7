package detail

import (
	"vespe/ui/markdown"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// find is a search in the tab on screen: a document searches itself, a page its rows.
type find struct {
	query  string // as typed
	folded string
	typing bool
	found  []int // rows of a page that match, ascending
	at     int   // index in found, -1 for none

	top, cur int            // where it began
	place    markdown.Place // the same in a document
}

// onPage is the page on screen; nil when it is a document.
func (d *Detail) onPage() *page {
	switch d.tab {
	case Overview:
		return &d.over
	case History:
		return &d.history.page
	case Result:
		if d.results.open == nil {
			return &d.results.page
		}
	case Runs:
		return &d.runs.page
	}
	return nil
}

// onDoc is the document on screen; nil when there is none.
func (d *Detail) onDoc() *markdown.Doc {
	switch d.tab {
	case Objective:
		return d.docs[0].ready(d)
	case Plan:
		return d.docs[1].ready(d)
	case Result:
		if f := d.results.open; f != nil {
			return f.doc
		}
	}
	return nil
}

// SearchStart begins a search: from here, and back to here when it is cancelled.
func (d *Detail) SearchStart() {
	d.find = find{typing: true, at: -1}
	if doc := d.onDoc(); doc != nil {
		d.find.place = doc.Place()
	} else if p := d.onPage(); p != nil {
		d.find.top, d.find.cur = p.top, p.cur
	}
}

// SearchType looks for another text and goes to its first match from where the search
// began. It returns the number of matches.
func (d *Detail) SearchType(query string) int {
	if !d.find.typing {
		d.SearchStart()
	}
	f := &d.find
	f.query, f.folded = query, rows.Fold(query)
	if doc := d.onDoc(); doc != nil {
		doc.Return(f.place)
		return doc.Search(query)
	}
	p := d.onPage()
	if p == nil {
		return 0
	}
	d.lay()
	p.top, p.cur = f.top, f.cur
	f.collect(p)
	f.at = -1
	for i, r := range f.found {
		if f.at < 0 || r < f.top || f.found[f.at] < f.top {
			f.at = i
		}
		if r >= f.top {
			break
		}
	}
	f.show(p)
	return len(f.found)
}

func (f *find) collect(p *page) {
	f.found = nil
	if f.query == "" {
		return
	}
	for y := range p.rows {
		if len(rows.Occurrences(text.Strip(p.rows[y].s), f.folded)) > 0 {
			f.found = append(f.found, y)
		}
	}
}

// show brings the match into view.
func (f *find) show(p *page) {
	if f.at < 0 || f.at >= len(f.found) {
		return
	}
	y := f.found[f.at]
	if s := p.rows[y].stop; s >= 0 {
		p.cur = s
		p.follow()
	} else if p.list {
		p.cur = max(0, p.cur)
	}
	if y < p.top || y >= p.top+p.height() {
		p.top = y - p.height()/3
		p.clamp()
	}
}

// SearchAccept ends typing and stays at the match.
func (d *Detail) SearchAccept() { d.find.typing = false }

// SearchCancel ends the search and goes back to where it began.
func (d *Detail) SearchCancel() {
	if d.find.typing {
		if doc := d.onDoc(); doc != nil {
			doc.Return(d.find.place)
		} else if p := d.onPage(); p != nil {
			p.top, p.cur = d.find.top, d.find.cur
			p.clamp()
		}
	}
	d.SearchClear()
}

// SearchClear ends the search and its highlights; the window stays.
func (d *Detail) SearchClear() {
	d.find = find{at: -1}
	if doc := d.onDoc(); doc != nil {
		doc.Search("")
	}
}

// SearchNext goes to the next match (1) or the previous one (-1), around the end if it must.
func (d *Detail) SearchNext(n int) (wrapped, ok bool) {
	if doc := d.onDoc(); doc != nil {
		if doc.Query() == "" && d.find.query != "" {
			doc.Search(d.find.query) // the document came after the search
		}
		before, total := doc.Match()
		if total == 0 {
			return false, false
		}
		if n < 0 {
			doc.PrevMatch()
		} else {
			doc.NextMatch()
		}
		now, _ := doc.Match()
		return n > 0 && now <= before || n < 0 && now >= before, true
	}
	p, f := d.onPage(), &d.find
	if p == nil {
		return false, false
	}
	d.lay()
	f.collect(p)
	if len(f.found) == 0 {
		return false, false
	}
	f.at += n
	wrapped = f.at < 0 || f.at >= len(f.found)
	f.at = (f.at + len(f.found)) % len(f.found)
	f.show(p)
	return wrapped, true
}

// Searching is the query and which of how many matches the window is at; 0 for none.
func (d *Detail) Searching() (query string, at, total int) {
	if doc := d.onDoc(); doc != nil {
		at, total = doc.Match()
		return d.find.query, at, total
	}
	return d.find.query, d.find.at + 1, len(d.find.found)
}

// highlight lays the matches over a row of a page.
func (f *find) highlight(st *style.Styles, s string, y int) string {
	plain := text.Strip(s)
	hits := rows.Occurrences(plain, f.folded)
	if len(hits) == 0 {
		return s
	}
	ink := st.Match
	if f.at >= 0 && f.at < len(f.found) && f.found[f.at] == y {
		ink = st.MatchNow
	}
	return text.Highlight(s, text.ByteCells(plain, hits), ink.Open())
}
