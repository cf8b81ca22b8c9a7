package detail

import (
	"slices"

	"vespe/model"
	"vespe/ui/style"
	"vespe/ui/text"
)

// View draws the tab on screen: exactly h lines of exactly w cells.
func (d *Detail) View(w, h int) []string {
	if w <= 0 || h <= 0 {
		return text.Fit(nil, w, h)
	}
	d.resize(w, h)
	if d.uid == "" {
		return d.say("No task is selected.")
	}
	if d.idx < 0 {
		return d.say("This task is no longer in the store.")
	}
	switch d.tab {
	case Objective:
		return d.docView(&d.docs[0], model.Objective)
	case Plan:
		return d.docView(&d.docs[1], model.Plan)
	case History:
		return d.historyView()
	case Result:
		return d.resultView()
	case Runs:
		return d.runsView()
	}
	d.lay()
	return d.over.view(d.st, w, h, d.focused, d.find.page.Query())
}

// resize takes the size of the pane, so that moving before the next View moves in it.
func (d *Detail) resize(w, h int) {
	if w == d.w && h == d.h {
		return
	}
	d.w, d.h = w, h
	for i := range d.docs {
		if doc := d.docs[i].doc; doc != nil {
			doc.SetSize(d.docRoom())
		}
	}
}

// lay draws the page on screen anew when it must.
func (d *Detail) lay() {
	p := d.onPage()
	if p == nil || d.idx < 0 || p.valid && p.w == d.w {
		return
	}
	nth := slices.Index(p.matches(d.find.page.Query()), p.hit-1)
	p.win.Height = d.h
	switch d.tab {
	case Overview:
		d.layOverview()
	case History:
		d.layHistory()
	case Result:
		d.layResults()
	case Runs:
		d.layRuns()
	}
	p.settle()
	p.hit = 0
	if all := p.matches(d.find.page.Query()); nth >= 0 && nth < len(all) {
		p.hit = all[nth] + 1
	}
	d.find.page.Forget()
}

// body is what moves in a tab.
type body interface {
	Move(n int)
	Leap(n int) // by rows
	ScrollBy(n int)
	Top()
	Bottom()
}

// body is the document or the page on screen, or an empty page.
func (d *Detail) body() body {
	if doc := d.onDoc(); doc != nil {
		return doc
	}
	if p := d.onPage(); p != nil {
		d.lay()
		return p
	}
	return new(page)
}

// Move goes n rows down: to the next place that the cursor can stop at, or on in the text.
func (d *Detail) Move(n int) {
	d.body().Move(n)
	d.moveMark()
}

// moveMark lets the range of lines reach to the cursor.
func (d *Detail) moveMark() {
	if p := d.docOnTab(); p != nil && p.doc != nil {
		d.marked(p)
	}
}

// Home goes to the beginning.
func (d *Detail) Home() {
	d.body().Top()
	d.moveMark()
}

// End goes to the end.
func (d *Detail) End() {
	d.body().Bottom()
	d.moveMark()
}

// HalfPage moves by n halves of the window.
func (d *Detail) HalfPage(n int) { d.leap(n * max(1, d.h/2)) }

// Page moves by n windows, of which one row stays in view.
func (d *Detail) Page(n int) {
	_, h := d.docSize()
	if d.onDoc() == nil {
		h = d.h
	}
	d.leap(n * max(1, h-1))
}

func (d *Detail) leap(n int) {
	d.body().Leap(n)
	d.moveMark()
}

// Wheel scrolls the window by rows and leaves the cursor.
func (d *Detail) Wheel(n int) { d.body().ScrollBy(n) }

// ToggleRaw switches documents between their rendering and their source.
func (d *Detail) ToggleRaw() {
	d.raw, d.history.page.valid = !d.raw, false
	for i := range d.docs {
		if doc := d.docs[i].doc; doc != nil {
			doc.SetRaw(d.raw)
		}
	}
	if f := d.results.open; f != nil && f.doc != nil && f.markdown() {
		f.doc.SetRaw(d.raw)
	}
	if doc := d.results.summary.doc; doc != nil {
		doc.SetRaw(d.raw)
		d.results.page.valid = false
	}
}

// Raw reports whether documents are shown as their source.
func (b *base) Raw() bool { return b.raw }

// NextHeading goes to the next heading of the document on screen (1) or the one before
// (-1). It reports whether the window moved.
func (d *Detail) NextHeading(n int) bool {
	doc := d.onDoc()
	defer d.moveMark()
	return doc != nil && !doc.Raw() && doc.NextHeading(n)
}

// Scroll is where the window stands, for a scrollbar. Documents have none: their height is
// not known before all of them is drawn; they show a percentage.
func (d *Detail) Scroll() style.Scroll {
	if p := d.onPage(); p != nil && d.idx >= 0 {
		d.lay()
		return style.Scroll{Top: p.win.Top, Visible: p.win.Height, Total: len(p.rows)}
	}
	if doc := d.onDoc(); doc != nil && d.idx >= 0 {
		return doc.Scroll()
	}
	return style.Scroll{}
}

// Prerender draws up to budget parts of the document on screen that have not been looked at,
// for idle moments. It reports whether any are left.
func (d *Detail) Prerender(budget int) (more bool) {
	doc := d.onDoc()
	return doc != nil && doc.Prerender(budget)
}

// Link is the task under the cursor, when the cursor is on one: enter goes there.
func (d *Detail) Link() (model.UID, bool) {
	if d.tab != Overview || d.idx < 0 {
		return "", false
	}
	d.lay()
	if d.over.cur < 0 || d.over.cur >= len(d.overLinks) {
		return "", false
	}
	uid := d.overLinks[d.over.cur]
	_, ok := d.snap.Index(uid)
	return uid, ok
}

// Request is the request under the cursor, when the cursor is on one: enter opens it.
func (d *Detail) Request() (id string, ok bool) {
	if d.tab != Overview || d.idx < 0 {
		return "", false
	}
	d.lay()
	id, ok = d.overAsks[d.over.cur]
	return id, ok
}

// Open opens what the cursor is on: an event unfolds, a result file is shown (Needs asks
// for it). It reports whether there was anything to open.
func (d *Detail) Open() bool {
	switch d.tab {
	case History:
		return d.toggleEvent()
	case Result:
		return d.openFile()
	case Objective, Plan:
		return d.FoldNote()
	}
	return false
}

// Back closes what Open opened and reports whether anything was open.
func (d *Detail) Back() bool {
	switch {
	case d.tab == Result && d.results.open != nil:
		d.results.open = nil
		d.find = newFind(d)
		return true
	case d.tab == History:
		return d.foldEvents()
	case d.talk.from > 0:
		d.unmark()
		return true
	}
	return false
}

// Hit is what a click has hit.
type Hit int

// What a click can hit.
const (
	HitNone Hit = iota
	HitItem     // an event or a file: a further click opens it
	HitLink     // a task: Link tells which
)

// Click puts the cursor where the mouse is, in cells from the pane's corner. again reports
// that the cursor was there already.
func (d *Detail) Click(x, y int) (hit Hit, again bool) {
	if p := d.docOnTab(); p != nil && p.ready(d) != nil {
		line, id := p.doc.Cursor()
		if y -= d.headRows(); y < 0 || !p.doc.CursorRow(y) {
			return HitNone, false
		}
		d.marked(p)
		now, on := p.doc.Cursor()
		if on == "" {
			return HitNone, false
		}
		return HitItem, now == line && on == id
	}
	p := d.onPage()
	if p == nil || d.idx < 0 {
		return HitNone, false
	}
	d.lay()
	before := p.cur
	if !p.click(y) {
		return HitNone, false
	}
	if d.tab == Overview {
		return HitLink, before == p.cur
	}
	return HitItem, before == p.cur
}

// Tabs draws the names of the tabs in at most w cells, for the title of the pane.
func (b *base) Tabs(w int) string { return tabNames().Draw(b.st, int(b.tab), w) }

// TabAt is the tab whose name lies at cell x of what Tabs draws in w cells.
func (b *base) TabAt(x, w int) (Tab, bool) {
	t, ok := tabNames().At(x, w)
	return Tab(t), ok
}
