package detail

import (
	"vespe/ui/markdown"
	"vespe/ui/rows"
)

// find is a search in the tab on screen: a document searches itself, a page its rows.
type find struct {
	page   rows.Search
	query  string // as typed
	typing bool
	place  markdown.Place // where it began in a document
}

// newFind is a search for nothing.
func newFind(d *Detail) find {
	return find{page: rows.NewSearch(func() rows.Searched {
		p := d.onPage()
		if p == nil {
			p = new(page)
		}
		d.lay()
		return rows.Searched{
			Len: len(p.rows), Cursor: p.reader(), Folded: p.folded,
			Go: p.show, Place: p.place,
		}
	}, func() {})}
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

// SearchStart begins a search: from here, and back to here when it is canceled.
func (d *Detail) SearchStart() {
	d.find = newFind(d)
	d.find.typing = true
	if doc := d.onDoc(); doc != nil {
		d.find.place = doc.Place()
		return
	}
	if p := d.onPage(); p != nil {
		p.hit = 0
	}
	d.find.page.SearchStart()
}

// SearchType looks for another text and goes to its first match from where the search
// began. It returns the number of matches.
func (d *Detail) SearchType(query string) int {
	if !d.find.typing {
		d.SearchStart()
	}
	d.find.query = query
	if doc := d.onDoc(); doc != nil {
		doc.Return(d.find.place)
		return doc.Search(query)
	}
	return d.find.page.SearchType(query)
}

// SearchAccept ends typing and stays at the match.
func (d *Detail) SearchAccept() {
	d.find.typing = false
	d.find.page.SearchAccept()
}

// SearchCancel ends the search and goes back to where it began.
func (d *Detail) SearchCancel() {
	if doc := d.onDoc(); doc == nil {
		d.find.page.SearchCancel()
	} else if d.find.typing {
		doc.Return(d.find.place)
	}
	d.SearchClear()
}

// SearchClear ends the search and its highlights; the window stays.
func (d *Detail) SearchClear() {
	d.find = newFind(d)
	if doc := d.onDoc(); doc != nil {
		doc.Search("")
	}
}

// SearchNext goes to the next match (1) or the previous one (-1), around the end if it must.
func (d *Detail) SearchNext(n int) (wrapped, ok bool) {
	doc := d.onDoc()
	if doc == nil {
		return d.find.page.SearchNext(n)
	}
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

// Searching is the query and which of how many matches the window is at; 0 for none.
func (d *Detail) Searching() (query string, at, total int) {
	if doc := d.onDoc(); doc != nil {
		at, total = doc.Match()
		return d.find.query, at, total
	}
	return d.find.page.Searching()
}
