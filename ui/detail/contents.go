package detail

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/ui/markdown"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// contents is what the pane knows of how documents are read, and whether their headings stand
// beside them.
type contents struct {
	seen   map[string]*markdown.Seen // by the hash of the text
	order  []string                  // in which they were opened
	choice beside
	top    int // the first heading in view
}

// beside says whether the headings stand beside a text.
type beside int

const (
	whereRoom beside = iota // where the text leaves room for them
	always
	never
)

// mostSeen is of how many texts it is remembered what has been read.
const mostSeen = 64

// seenOf is what of a text has been on screen. It is remembered while other tasks are looked at.
func (d *Detail) seenOf(c *model.Content) *markdown.Seen {
	k := &d.contents
	if s, ok := k.seen[c.Hash]; ok {
		return s
	}
	if k.seen == nil {
		k.seen = map[string]*markdown.Seen{}
	}
	if len(k.order) >= mostSeen {
		delete(k.seen, k.order[0])
		k.order = k.order[1:]
	}
	s := &markdown.Seen{}
	k.seen[c.Hash], k.order = s, append(k.order, c.Hash)
	return s
}

// Widths of the contents beside a text: of the list, and of the pane from which on it is there by
// itself, or at all.
const (
	contentsRoom = 30
	roomForBoth  = 140
	leastForBoth = 72
)

// contentsWidth is what the contents take of the width of a document; 0 where they are not shown.
func (d *Detail) contentsWidth(p *docPane) int {
	switch {
	case len(p.heads) < 2, d.contents.choice == never, d.w < leastForBoth, d.contents.choice == whereRoom && d.w < roomForBoth:
		return 0
	}
	return min(contentsRoom, d.w/3)
}

// ToggleContents sets the headings of a text beside it, or takes them away.
func (d *Detail) ToggleContents() {
	p := d.docOnTab()
	if p == nil || p.ready(d) == nil {
		return
	}
	if d.contentsWidth(p) > 0 {
		d.contents.choice = never
	} else {
		d.contents.choice = always
	}
	p.doc.SetSize(d.docRoom(p))
}

// NoContents says why the headings cannot stand beside the text on screen; "" when they can.
func (d *Detail) NoContents() string {
	p := d.docOnTab()
	switch {
	case p == nil || p.ready(d) == nil:
		return "there is no text here"
	case len(p.heads) < 2:
		return "the text has no headings to choose from"
	case d.w < leastForBoth:
		return fmt.Sprintf("the pane has %d columns, and this needs %d", d.w, leastForBoth)
	}
	return ""
}

// section is the lines of a heading: up to the next one, of whatever level.
func (p *docPane) section(i int) (from, to int) {
	from, to = p.heads[i].Line, p.doc.Lines()
	if i == 0 {
		from = 1
	}
	if i+1 < len(p.heads) {
		to = p.heads[i+1].Line - 1
	}
	return from, max(from, to)
}

// ReadOf says how much of the section under a heading has been on screen, in a word.
func (d *Detail) ReadOf(i int) string {
	p := d.docOnTab()
	if p == nil || p.ready(d) == nil || i >= len(p.heads) {
		return ""
	}
	switch n := p.doc.ReadOf(p.section(i)); n {
	case 0:
		return "not read"
	case 100:
		return "read"
	default:
		return fmt.Sprintf("%d%% read", n)
	}
}

// readPart says how much of a document has been on screen.
func (d *Detail) readPart(p *docPane) headPart {
	if n := p.doc.ReadPercent(); n < 100 {
		return headPart{d.st.Faint.Render(fmt.Sprintf("%d%% read", n)), 5}
	}
	return headPart{d.st.Good.Render("all read"), 5}
}

// current is the heading that the cursor is under, as an index; -1 above the first.
func (p *docPane) current() int {
	line, _ := p.doc.Cursor()
	at := -1
	for i := range p.heads {
		if p.heads[i].Line <= line {
			at = i
		}
	}
	return at
}

// contentsRows draws the headings in rows of w cells, with what has been read of each; nil where
// they are not shown.
func (d *Detail) contentsRows(p *docPane, w, h int) []string {
	if d.contentsWidth(p) == 0 {
		return nil
	}
	st := d.st
	here := p.current()
	win := rows.Window{Top: d.contents.top, Height: h}
	win.Follow(max(0, here), len(p.heads))
	d.contents.top = win.Top
	least := 6
	for i := range p.heads {
		least = min(least, p.heads[i].Level)
	}
	out := make([]string, 0, h)
	from, to := win.Span(len(p.heads))
	for i := from; i < to; i++ {
		l := rows.NewLine(w, style.Ink{})
		l.Add(st.Border, " "+d.rule()+" ")
		sign, ink := d.readSign(p.doc.ReadOf(p.section(i)))
		l.Add(ink, sign+" ")
		head := &p.heads[i]
		title := st.Muted
		if i == here {
			title = st.Accent
		}
		l.Add(title, text.Truncate(strings.Repeat("  ", min(4, head.Level-least))+text.SafeLine(head.Text), l.Left()))
		out = append(out, l.String())
	}
	for len(out) < h {
		out = append(out, rows.NewLine(w, style.Ink{}).Add(st.Border, " "+d.rule()).String())
	}
	return out
}

func (d *Detail) rule() string {
	if d.st.Options.ASCII {
		return "|"
	}
	return "│"
}

// readSign says how much of a section has been on screen.
func (d *Detail) readSign(percent int) (sign string, ink style.Ink) {
	switch {
	case percent == 0:
		return " ", d.st.Faint
	case percent < 100:
		return d.st.Glyph.Dot, d.st.Faint
	case d.st.Options.ASCII:
		return "x", d.st.Good
	}
	return "✓", d.st.Good
}

// clickContents goes to the heading at a cell; false where there is none.
func (d *Detail) clickContents(p *docPane, x, y int) bool {
	w, _ := d.docRoom(p)
	if d.contentsWidth(p) == 0 || x < w || y < 0 {
		return false
	}
	if i := d.contents.top + y; i < len(p.heads) {
		p.doc.CursorTo(p.heads[i].Line)
		d.moveMark()
	}
	return true
}
