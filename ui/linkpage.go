package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/text"
)

// links is a page of which some rows lead to a task.
type links struct {
	pager
	page *linkPage
}

// Can goes to a task where one is named.
func (l *links) Can(action keymap.Action) can {
	if action == keymap.PageOpen {
		return can{no: len(l.page.stops) == 0}
	}
	return l.pager.Can(action)
}

// On goes to the task.
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
