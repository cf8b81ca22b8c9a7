package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/text"
)

// pager shows something to read.
type pager struct{ window }

// Can leaves out what only differences and pages with links have.
func (p *pager) Can(action keymap.Action) can {
	switch action {
	case keymap.PageOpen, keymap.HunkNext, keymap.HunkPrev, keymap.DiffAll, keymap.DiffSplit, keymap.DiffChoose, keymap.NoteNext, keymap.NotePrev,
		keymap.Accept, keymap.Comment, keymap.LineRange, keymap.CommentAnswer, keymap.CommentSettle, keymap.CommentsSend:
		return can{no: true}
	}
	return can{}
}

// openPage shows a few lines to read.
func (a *App) openPage(title string, lines []string) tea.Cmd {
	return a.push(&pager{window{a: a, box: &page{st: a.st, title: title, lines: lines}, scope: keymap.Pager}})
}

// openLog lists every message of the session.
func (a *App) openLog() tea.Cmd {
	entries := make([]overlay.LogEntry, 0, len(a.notices.log))
	for _, n := range a.notices.log {
		e := overlay.LogEntry{At: n.at, Text: n.text, Why: n.why, Hint: n.hint}
		switch n.level {
		case success:
			e.Level = overlay.Success
		case failure:
			e.Level = overlay.Failure
			if n.guard != "" {
				e.Hint = joinHints(n.hint, "guard "+n.guard)
			}
		}
		entries = append(entries, e)
	}
	return a.push(&pager{window{a: a, box: overlay.NewLog(a.st, entries), scope: keymap.Pager}})
}

// page is an overlay with a few lines to read.
type page struct {
	st    *style.Styles
	title string
	lines []string // drawn and safe; cut at the border
	top   int
	rows  int // of the last View
}

var _ overlay.Overlay = (*page)(nil)

func (p *page) SetStyles(st *style.Styles)         { p.st = st }
func (p *page) HandlePaste(string) overlay.Outcome { return overlay.Ignored{} }
func (p *page) Click(int, int) overlay.Outcome     { return overlay.Stayed{} }

func (p *page) Wheel(d int) overlay.Outcome {
	p.top = max(0, min(p.top+d, len(p.lines)-p.rows))
	return overlay.Stayed{}
}

func (p *page) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
	lines, ok := map[string]int{
		"up": -1, "down": 1, "ctrl+u": -p.rows / 2, "ctrl+d": p.rows / 2, "pgup": -p.rows, "pgdown": p.rows, "home": -len(p.lines), "end": len(p.lines),
	}[k.String()]
	switch {
	case ok:
		return p.Wheel(lines)
	case k.Code == tea.KeyEscape || k.Code == tea.KeyEnter:
		return overlay.Cancelled{}
	}
	return overlay.Ignored{}
}

func (p *page) Size(w, h int) (int, int) {
	width := text.Width(text.SafeLine(p.title)) + 6
	for _, l := range p.lines {
		width = max(width, text.Width(l)+4)
	}
	return min(w, width), min(h, len(p.lines)+2)
}

func (p *page) View(w, h int) []string { return p.draw(w, h, func(int) string { return " " }) }

// draw draws the lines in view, each behind what leads it.
func (p *page) draw(w, h int, lead func(line int) string) []string {
	p.rows = max(1, h-2)
	p.Wheel(0)
	body := make([]string, 0, p.rows)
	for i := p.top; i < len(p.lines) && len(body) < p.rows; i++ {
		body = append(body, lead(i)+p.lines[i])
	}
	return p.st.Frame(style.Frame{
		Title: p.title, Focused: true,
		Scroll: style.Scroll{Top: p.top, Visible: p.rows, Total: len(p.lines)},
	}, body, w, h)
}

// links is a page of which some rows lead to a task.
type links struct {
	pager
	page *linkPage
}

func (l *links) Can(action keymap.Action) can {
	if action == keymap.PageOpen {
		return can{no: len(l.page.stops) == 0}
	}
	return l.pager.Can(action)
}

func (l *links) On(out overlay.Outcome) tea.Cmd {
	if x, ok := out.(overlay.Picked); ok {
		return l.a.goTo(model.UID(x.ID))
	}
	return nil
}

// linkPage is a page of which some rows name a task: a cursor goes from one to the next, and leads
// there.
type linkPage struct {
	page
	stops []stop
	cur   int // in stops
}

// stop is the lines of a row that names a task.
type stop struct {
	from, to int
	uid      model.UID
}

func (p *linkPage) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
	if len(p.stops) == 0 {
		return p.page.HandleKey(k)
	}
	switch k.Code {
	case tea.KeyEnter:
		return overlay.Picked{ID: string(p.stops[p.cur].uid)}
	case tea.KeyDown:
		return p.step(1)
	case tea.KeyUp:
		return p.step(-1)
	}
	out := p.page.HandleKey(k)
	p.intoView(k.Code == tea.KeyEnd)
	return out
}

// step goes to the next row with a task, or where that is not in view a line on.
func (p *linkPage) step(d int) overlay.Outcome {
	next := p.cur + d
	if next >= 0 && next < len(p.stops) && p.sees(&p.stops[next], 1) {
		p.cur = next
		s := &p.stops[next]
		p.top = max(min(p.top, s.from), s.to-p.rows)
		return p.page.Wheel(0)
	}
	return p.page.Wheel(d)
}

// sees reports whether a row begins in the window, or so many lines beside it.
func (p *linkPage) sees(s *stop, beside int) bool {
	return s.from < p.top+p.rows+beside && s.to > p.top-beside
}

// intoView puts the cursor on a row in the window, the first one or the last.
func (p *linkPage) intoView(last bool) {
	if p.sees(&p.stops[p.cur], 0) && !last {
		return
	}
	found := -1
	for k := range p.stops {
		if p.sees(&p.stops[k], 0) && (found < 0 || last) {
			found = k
		}
	}
	if found >= 0 {
		p.cur = found
	}
}

func (p *linkPage) Wheel(d int) overlay.Outcome {
	out := p.page.Wheel(d)
	if len(p.stops) > 0 && p.rows > 0 {
		p.intoView(false)
	}
	return out
}

func (p *linkPage) Click(_, y int) overlay.Outcome {
	line := p.top + y - 1
	for k := range p.stops {
		if s := &p.stops[k]; line >= s.from && line < s.to {
			if p.cur == k {
				return overlay.Picked{ID: string(s.uid)}
			}
			p.cur = k
		}
	}
	return overlay.Stayed{}
}

func (p *linkPage) View(w, h int) []string {
	return p.draw(w, h, func(i int) string {
		if len(p.stops) > 0 && i >= p.stops[p.cur].from && i < p.stops[p.cur].to {
			return p.st.Marker.Render(p.st.Glyph.Cursor)
		}
		return " "
	})
}

// openLinks shows lines to read of which some lead to a task.
func (a *App) openLinks(title string, lines []explained) tea.Cmd {
	p := &linkPage{page: page{st: a.st, title: title}}
	for k, l := range lines {
		from := len(p.lines)
		if l.head && k > 0 {
			p.lines = append(p.lines, "")
		}
		p.lines = append(p.lines, l.draw(a.st, a.pageWidth())...)
		if l.uid != "" {
			p.stops = append(p.stops, stop{from, len(p.lines), l.uid})
		}
	}
	return a.push(&links{pager{window{a: a, box: p, scope: keymap.Pager}}, p})
}

// draw is a line as it is on the screen: wrapped, with a glyph before it.
func (l *explained) draw(st *style.Styles, w int) (out []string) {
	if l.head {
		for _, row := range text.Wrap(text.SafeLine(l.text), w) {
			out = append(out, st.Heading.Render(row))
		}
		return out
	}
	indent := min(2+2*l.depth, w/2)
	lead := text.Spaces(indent)
	first := lead
	if l.glyph {
		g, ink := st.Status(l.status)
		first = text.Spaces(indent-2) + ink.Render(g) + " "
	}
	for n, row := range text.Wrap(text.SafeLine(l.text), max(1, w-indent)) {
		before := lead
		if n == 0 {
			before = first
		}
		out = append(out, before+st.Text.Render(row))
	}
	return out
}
