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
	st  *style.Styles
	o   ChecklistOptions
	out map[string]bool
	cur int
	say string // why the last key did nothing
	win rows.Window
}

// NewChecklist makes a checklist.
func NewChecklist(st *style.Styles, o ChecklistOptions) *Checklist {
	c := &Checklist{st: st, o: o, out: map[string]bool{}}
	for _, id := range o.Out {
		c.out[id] = true
	}
	return c
}

// SetStyles changes the theme.
func (c *Checklist) SetStyles(st *style.Styles) { c.st = st }

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
	c.cur = max(0, min(c.cur+d, len(c.o.Rows)-1))
	c.win.Follow(c.line(c.cur), c.height())
	if c.cur == 0 {
		c.win.Top = 0
	}
	return Stayed{}
}

// line is the drawn line of a row, headings counted; height is how many there are.
func (c *Checklist) line(row int) int {
	n := row
	for _, r := range c.o.Rows[:row+1] {
		if r.Head != "" {
			n++
		}
	}
	return n
}

func (c *Checklist) height() int {
	if len(c.o.Rows) == 0 {
		return 0
	}
	return c.line(len(c.o.Rows)-1) + 1
}

// HandleKey implements Overlay.
func (c *Checklist) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "space", "x":
		return c.Toggle()
	case "enter":
		return c.Done()
	case "esc", "q":
		return Cancelled{}
	case "up", "k":
		return c.Move(-1)
	case "down", "j":
		return c.Move(1)
	case "pgup":
		return c.Move(-c.win.Page())
	case "pgdown":
		return c.Move(c.win.Page())
	case "ctrl+u":
		return c.Move(-max(1, c.win.Page()/2))
	case "ctrl+d":
		return c.Move(max(1, c.win.Page()/2))
	case "home":
		return c.Move(-len(c.o.Rows))
	case "end":
		return c.Move(len(c.o.Rows))
	}
	return Ignored{}
}

// HandlePaste implements Overlay: nothing in a clipboard can leave anything out.
func (c *Checklist) HandlePaste(string) Outcome { return Ignored{} }

// Click puts the cursor on a row; one on the row under the cursor toggles it.
func (c *Checklist) Click(_, y int) Outcome {
	want := c.win.Top + y - 1
	if y < 1 || y-1 >= c.win.Height {
		return Stayed{}
	}
	for i := range c.o.Rows {
		if c.line(i) == want {
			if i == c.cur {
				return c.Toggle()
			}
			return c.Move(i - c.cur)
		}
	}
	return Stayed{}
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
	room := max(1, ih-len(said))
	c.win.Resize(room, c.line(min(c.cur, max(0, len(c.o.Rows)-1))), c.height())
	var body []string
	n := 0
	add := func(s func() string) {
		if n >= c.win.Top && len(body) < room {
			body = append(body, s())
		}
		n++
	}
	in := 0
	for i := range c.o.Rows {
		if !c.isOut(i) {
			in++
		}
		if head := c.o.Rows[i].Head; head != "" {
			add(func() string { return oneLine(iw).Add(c.st.Faint, text.SafeLine(head)).String() })
		}
		add(func() string { return c.row(i, iw) })
	}
	body = append(fitLines(body, iw, room), said...)
	return box{
		title: c.o.Title, extra: fmt.Sprintf("%d of %d %s", in, len(c.o.Rows), cmp.Or(c.o.InWord, "included")),
		scroll: style.Scroll{Top: c.win.Top, Visible: c.win.Height, Total: c.height()},
	}.draw(c.st, body, w, h)
}

// row draws a row; its mark can be told apart without colors.
func (c *Checklist) row(i, w int) string {
	r, out, base := &c.o.Rows[i], c.isOut(i), style.Ink{}
	if i == c.cur {
		base = c.st.Select
	}
	l := rows.NewLine(w, base)
	rows.Gutter(l, c.st, i == c.cur, true, false)
	mark, markInk, ink := "[x]", c.st.Good, c.st.Text
	if out {
		mark, markInk, ink = "[ ]", c.st.Warn, c.st.Muted
	}
	if i == c.cur {
		ink = c.st.Bold
	}
	l.Add(markInk, mark).Space(1 + 2*min(r.Depth, max(0, (w-24)/2)))
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
	return l.String()
}
