package overlay

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Choice is one row of a Picker.
type Choice struct {
	ID     string
	Title  string
	Detail string // faint, after the title
	Glyph  string // one cell before the title; "" for none
	Ink    style.Ink
}

// PickerOptions say what a Picker asks for.
type PickerOptions struct {
	Title       string
	Placeholder string
	Choices     []Choice
	Current     string // ID that the cursor starts on
	Nothing     string // what is said when nothing matches
}

// Picker is a list to choose one row from. Every row that the cursor comes to is a
// Previewed, so that a theme can be tried on and a task be shown.
type Picker struct {
	themed
	o    PickerOptions
	list list
}

// NewPicker makes a picker.
func NewPicker(st *style.Styles, o PickerOptions) *Picker {
	if o.Nothing == "" {
		o.Nothing = "Nothing matches."
	}
	p := &Picker{themed: themed{st}, o: o}
	p.list.field = newField("", o.Placeholder)
	p.list.texts = make([]string, len(o.Choices))
	p.list.rest = make([]int, len(o.Choices))
	cur := 0
	for i, c := range o.Choices {
		p.list.texts[i] = text.SafeLine(c.Title)
		p.list.rest[i] = i
		if c.ID == o.Current {
			cur = i
		}
	}
	p.list.filter()
	p.list.move(cur)
	return p
}

// Current is the row under the cursor.
func (p *Picker) Current() (id string, ok bool) {
	i, ok := p.list.at()
	if !ok {
		return "", false
	}
	return p.o.Choices[i].ID, true
}

func (p *Picker) preview() Outcome {
	id, _ := p.Current()
	return Previewed{id}
}

// Move moves the cursor by d rows.
func (p *Picker) Move(d int) Outcome {
	if p.list.move(d) {
		return p.preview()
	}
	return Stayed{}
}

// Choose picks the row under the cursor.
func (p *Picker) Choose() Outcome {
	if id, ok := p.Current(); ok {
		return Picked{id}
	}
	return Stayed{}
}

// HandleKey implements Overlay.
func (p *Picker) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc":
		return Canceled{}
	case "enter":
		return p.Choose()
	}
	moved, used := p.list.key(k)
	switch {
	case moved:
		return p.preview()
	case used:
		return Stayed{}
	}
	return Ignored{}
}

// HandlePaste implements Overlay.
func (p *Picker) HandlePaste(s string) Outcome {
	if p.list.paste(s) {
		return p.preview()
	}
	return Stayed{}
}

// Click puts the cursor on a row; a click on the row under the cursor picks it.
func (p *Picker) Click(_, y int) Outcome {
	r := p.list.rowAt(y - 3)
	switch r {
	case -1:
		return Stayed{}
	case p.list.cur:
		return p.Choose()
	}
	return p.Move(r - p.list.cur)
}

// Wheel implements Overlay.
func (p *Picker) Wheel(d int) Outcome { p.list.win.Scroll(d, p.list.height()); return Stayed{} }

// Size implements Overlay.
func (p *Picker) Size(w, h int) (int, int) {
	return min(w, 76), min(h, max(7, min(h*3/4, len(p.o.Choices)+4)))
}

// View implements Overlay.
func (p *Picker) View(w, h int) []string {
	iw, ih := inner(w, h)
	body := p.typing(&p.list.field, p.st.Glyph.Arrow, iw)
	body = append(body, p.list.draw(p.st, iw, max(0, ih-2), p.row, p.o.Nothing)...)
	count := strconv.Itoa(len(p.list.shown))
	if len(p.list.shown) != len(p.o.Choices) {
		count += " of " + strconv.Itoa(len(p.o.Choices))
	}
	return box{title: p.o.Title, extra: count, scroll: p.list.scroll()}.draw(p.st, body, w, h)
}

func (p *Picker) row(l *rows.Line, r shownRow, cursor bool) {
	c := &p.o.Choices[r.index]
	if c.Glyph != "" {
		l.Add(c.Ink, text.Truncate(text.SafeLine(c.Glyph), 1)).Space(1)
	}
	ink := p.st.Text
	if cursor {
		ink = p.st.Bold
	}
	title := text.Truncate(text.SafeLine(c.Title), l.Left())
	l.AddMatches(ink, p.st.Match, title, r.hits)
	if c.Detail != "" && l.Left() > 6 {
		l.Space(2).Add(p.st.Faint, text.SafeLine(c.Detail))
	}
}
