package overlay

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Check is one row of a Checklist.
type Check struct {
	ID     string // rows with the same are taken and left out together
	Title  string
	Detail string // faint, after the title
	Glyph  string // one cell before the title; "" for none
	Ink    style.Ink
	Depth  int    // how far it is indented
	Inside int    // the row that it is a part of, counted from 0; -1 for none
	Head   string // a heading above it; "" for none
}

// ChecklistOptions say what a Checklist asks.
type ChecklistOptions struct {
	Title string
	Rows  []Check
	Out   []string // the IDs that are left out at first
	// OutWord says what a row is that is left out; "left out" when empty.
	OutWord string
	InWord  string // what the rows are that are not left out; "included" when empty
}

// Checklist is parts of something, all of them in it, some of which may be left out. What is part of
// a row that is left out is left out with it.
type Checklist struct {
	themed
	o   ChecklistOptions
	out map[string]bool
	say string // why the last key did nothing
	list
}

// NewChecklist makes a checklist.
func NewChecklist(st *style.Styles, o ChecklistOptions) *Checklist {
	c := &Checklist{themed: themed{st}, o: o, out: map[string]bool{}, list: list{heads: map[int]string{}}}
	for i := range o.Rows {
		c.rest = append(c.rest, i)
		if head := o.Rows[i].Head; head != "" {
			c.heads[i] = head
		}
	}
	c.filter()
	for _, id := range o.Out {
		c.out[id] = true
	}
	return c
}

// isOut reports whether a row is left out, by itself or with what it is a part of.
func (c *Checklist) isOut(i int) bool {
	r := &c.o.Rows[i]
	return c.out[r.ID] || r.Inside >= 0 && c.isOut(r.Inside)
}

// Out are the IDs that are left out, in the order of their rows, without those that are left out with
// another anyway.
func (c *Checklist) Out() []string {
	var out []string
	for i := range c.o.Rows {
		r := &c.o.Rows[i]
		if c.out[r.ID] && (r.Inside < 0 || !c.isOut(r.Inside)) && !slices.Contains(out, r.ID) {
			out = append(out, r.ID)
		}
	}
	return out
}

// Toggle leaves the row under the cursor out, or takes it back in.
func (c *Checklist) Toggle() Outcome {
	c.say = ""
	if len(c.o.Rows) == 0 {
		return Stayed{}
	}
	r := &c.o.Rows[c.cur]
	if r.Inside >= 0 && c.isOut(r.Inside) {
		top := r.Inside
		for p := top; p >= 0; p = c.o.Rows[p].Inside {
			if c.out[c.o.Rows[p].ID] {
				top = p
			}
		}
		c.say = "It is part of " + c.o.Rows[top].Title + ", which is left out. Include that first."
		return Stayed{}
	}
	if c.out[r.ID] = !c.out[r.ID]; !c.out[r.ID] {
		delete(c.out, r.ID)
	}
	return Stayed{}
}

// Done takes the list as it is.
func (c *Checklist) Done() Outcome { return Checked{c.Out()} }

// Move moves the cursor by d rows.
func (c *Checklist) Move(d int) Outcome {
	c.say = ""
	c.list.move(d)
	return Stayed{}
}

// HandleKey implements Overlay.
func (c *Checklist) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "space", "x":
		return c.Toggle()
	case "enter":
		return c.Done()
	case "esc", "q":
		return Canceled{}
	}
	if d, ok := steps(k, false, c.win.Page()); ok {
		return c.Move(d)
	}
	return Ignored{}
}

// HandlePaste implements Overlay: nothing in a clipboard can leave anything out.
func (c *Checklist) HandlePaste(string) Outcome { return Ignored{} }

// Click puts the cursor on a row; one on the row under the cursor toggles it.
func (c *Checklist) Click(_, y int) Outcome {
	switch i := c.rowAt(y - 1); i {
	case -1:
		return Stayed{}
	case c.cur:
		return c.Toggle()
	default:
		return c.Move(i - c.cur)
	}
}

// Wheel implements Overlay.
func (c *Checklist) Wheel(d int) Outcome { c.win.Scroll(d, c.height()); return Stayed{} }

// rowRoom is what a row takes beside its title and its detail: borders, cursor, mark, glyph, and that
// it is left out.
const rowRoom = 28

// Size implements Overlay.
func (c *Checklist) Size(w, h int) (int, int) {
	bw := 76
	for i := range c.o.Rows { // a row has its whole detail where the screen has room for it
		r := &c.o.Rows[i]
		bw = max(bw, rowRoom+2*r.Depth+text.Width(text.SafeLine(r.Title))+text.Width(text.SafeLine(r.Detail)))
	}
	return min(w, bw), min(h, max(7, min(h*3/4, c.height()+4)))
}

// View implements Overlay.
func (c *Checklist) View(w, h int) []string {
	iw, ih := inner(w, h)
	said := wrapped(c.st.Warn, c.say, iw)
	body := append(c.draw(c.st, iw, max(1, ih-len(said)), c.row, ""), said...)
	in := 0
	for i := range c.o.Rows {
		if !c.isOut(i) {
			in++
		}
	}
	return box{
		title: c.o.Title, extra: fmt.Sprintf("%d of %d %s", in, len(c.o.Rows), cmp.Or(c.o.InWord, "included")), scroll: c.scroll(),
	}.draw(c.st, body, w, h)
}

// row draws a row; its mark can be told apart without colors.
func (c *Checklist) row(l *rows.Line, x shownRow, cursor bool) {
	r, out := &c.o.Rows[x.index], c.isOut(x.index)
	mark, markInk, ink := "[x]", c.st.Good, c.st.Text
	if out {
		mark, markInk, ink = "[ ]", c.st.Warn, c.st.Muted
	}
	if cursor {
		ink = c.st.Bold
	}
	l.Add(markInk, mark).Space(1 + 2*min(r.Depth, max(0, (l.Used()+l.Left()-24)/2)))
	if r.Glyph != "" {
		l.Add(r.Ink, text.Truncate(text.SafeLine(r.Glyph), 1)).Space(1)
	}
	l.Add(ink, text.Truncate(text.SafeLine(r.Title), l.Left()))
	detail := r.Detail
	if out {
		detail = cmp.Or(c.o.OutWord, "left out") + "  " + detail
	}
	if detail != "" && l.Left() > 6 {
		l.Space(2).Add(c.st.Faint, text.SafeLine(detail))
	}
}
