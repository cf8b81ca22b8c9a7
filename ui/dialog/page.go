package dialog

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/text"
)

// pager shows something to read.
type pager struct{ Frame }

// Can leaves out what only differences and pages with links have.
func (p *pager) Can(action keymap.Action) Can {
	switch action {
	case keymap.PageOpen, keymap.HunkNext, keymap.HunkPrev, keymap.DiffAll, keymap.DiffSplit, keymap.NoteNext, keymap.NotePrev,
		keymap.Accept, keymap.Comment, keymap.LineRange, keymap.CommentAnswer, keymap.CommentSettle, keymap.CommentsSend:
		return Can{No: true}
	}
	return Can{}
}

// NewPage shows a few lines to read.
func NewPage(st *style.Styles, title string, lines []string) Dialog {
	return NewReader(&Page{Styles: st, Title: title, Lines: lines})
}

// NewReader shows something to read.
func NewReader(box overlay.Overlay) Dialog {
	return &pager{Frame{Box: box, Scope: keymap.Pager}}
}

// Page is an overlay with a few lines to read.
type Page struct {
	Styles *style.Styles
	Title  string
	Lines  []string // drawn and safe; cut at the border
	top    int
	rows   int // of the last View
}

var _ overlay.Overlay = (*Page)(nil)

func (p *Page) SetStyles(st *style.Styles)         { p.Styles = st }
func (p *Page) HandlePaste(string) overlay.Outcome { return overlay.Ignored{} }
func (p *Page) Click(int, int) overlay.Outcome     { return overlay.Stayed{} }

func (p *Page) Wheel(d int) overlay.Outcome {
	p.top = max(0, min(p.top+d, len(p.Lines)-p.rows))
	return overlay.Stayed{}
}

func (p *Page) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
	lines, ok := map[string]int{
		"up": -1, "down": 1, "ctrl+u": -p.rows / 2, "ctrl+d": p.rows / 2, "pgup": -p.rows, "pgdown": p.rows, "home": -len(p.Lines), "end": len(p.Lines),
	}[k.String()]
	switch {
	case ok:
		return p.Wheel(lines)
	case k.Code == tea.KeyEscape || k.Code == tea.KeyEnter:
		return overlay.Cancelled{}
	}
	return overlay.Ignored{}
}

func (p *Page) Size(w, h int) (int, int) {
	width := text.Width(text.SafeLine(p.Title)) + 6
	for _, l := range p.Lines {
		width = max(width, text.Width(l)+4)
	}
	return min(w, width), min(h, len(p.Lines)+2)
}

func (p *Page) View(w, h int) []string { return p.draw(w, h, func(int) string { return " " }) }

// draw draws the lines in view, each behind what leads it.
func (p *Page) draw(w, h int, lead func(line int) string) []string {
	p.rows = max(1, h-2)
	p.Wheel(0)
	body := make([]string, 0, p.rows)
	for i := p.top; i < len(p.Lines) && len(body) < p.rows; i++ {
		body = append(body, lead(i)+p.Lines[i])
	}
	return p.Styles.Frame(style.Frame{
		Title: p.Title, Focused: true,
		Scroll: style.Scroll{Top: p.top, Visible: p.rows, Total: len(p.Lines)},
	}, body, w, h)
}

// links is a page of which some rows lead to a task.
type links struct {
	pager
	page *linkPage
	goTo func(model.UID) tea.Cmd
}

func (l *links) Can(action keymap.Action) Can {
	if action == keymap.PageOpen {
		return Can{No: len(l.page.stops) == 0}
	}
	return l.pager.Can(action)
}

func (l *links) On(out overlay.Outcome) tea.Cmd {
	if x, ok := out.(overlay.Picked); ok {
		return l.goTo(model.UID(x.ID))
	}
	return nil
}

// linkPage is a page of which some rows name a task: a cursor goes from one to the next, and leads
// there.
type linkPage struct {
	Page
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
		return p.Page.HandleKey(k)
	}
	switch k.Code {
	case tea.KeyEnter:
		return overlay.Picked{ID: string(p.stops[p.cur].uid)}
	case tea.KeyDown:
		return p.step(1)
	case tea.KeyUp:
		return p.step(-1)
	}
	out := p.Page.HandleKey(k)
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
		return p.Page.Wheel(0)
	}
	return p.Page.Wheel(d)
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
	out := p.Page.Wheel(d)
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
			return p.Styles.Marker.Render(p.Styles.Glyph.Cursor)
		}
		return " "
	})
}

// NewLinks shows lines to read in w cells of which some lead to a task.
func NewLinks(st *style.Styles, title string, w int, lines []Row, goTo func(model.UID) tea.Cmd) Dialog {
	p := &linkPage{Page: Page{Styles: st, Title: title}}
	for k, l := range lines {
		from := len(p.Lines)
		if l.Head && k > 0 {
			p.Lines = append(p.Lines, "")
		}
		p.Lines = append(p.Lines, l.draw(st, w)...)
		if l.UID != "" {
			p.stops = append(p.stops, stop{from, len(p.Lines), l.UID})
		}
	}
	return &links{pager{Frame{Box: p, Scope: keymap.Pager}}, p, goTo}
}

// Row is a line of such a page, before it is known how wide that is.
type Row struct {
	Head   bool // begins a part
	Depth  int
	Status model.Status // whose glyph stands before it
	Glyph  bool         // there is one
	Text   string
	UID    model.UID // of another task that it is about; "" for none
}

// draw is a line as it is on the screen: wrapped, with a glyph before it.
func (l *Row) draw(st *style.Styles, w int) (out []string) {
	if l.Head {
		for _, row := range text.Wrap(text.SafeLine(l.Text), w) {
			out = append(out, st.Heading.Render(row))
		}
		return out
	}
	indent := min(2+2*l.Depth, w/2)
	lead := text.Spaces(indent)
	first := lead
	if l.Glyph {
		g, ink := st.Status(l.Status)
		first = text.Spaces(indent-2) + ink.Render(g) + " "
	}
	for n, row := range text.Wrap(text.SafeLine(l.Text), max(1, w-indent)) {
		before := lead
		if n == 0 {
			before = first
		}
		out = append(out, before+st.Text.Render(row))
	}
	return out
}
