package overlay

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Affected is one row of what a decision touches.
type Affected struct {
	Glyph  string // one cell; "" for none
	Ink    style.Ink
	Title  string
	Detail string // faint; on as many rows as it needs
	One    bool   // one row is enough: the rest of it is cut
}

// ConfirmOptions say what a Confirm asks.
type ConfirmOptions struct {
	Title    string
	Summary  string // one sentence: what will happen
	Affected []Affected
	Warnings []string
	// Brief is how many warnings are shown at first; 0 means all. More says how to see the others, after a semicolon.
	Brief   int
	More    string
	Yes, No string // the buttons; "Yes" and "No" when empty
	// How the keys are written on the buttons; "y" and "n" when empty.
	YesLabel, NoLabel string
	// Dangerous draws the yes in the color of what cannot be taken back.
	Dangerous bool
	// Details are the rows that the details add.
	Details []Affected
}

// waiting is what stands beside the buttons while they take nothing.
const waiting = "when the keys rest"

// Confirm asks yes or no. The safe answer has the focus: enter alone never says yes, only
// the key for it does, or going to the button first.
type Confirm struct {
	st  *style.Styles
	o   ConfirmOptions
	yes bool // the yes has the focus
	off bool // it takes no answer yet
	// void: a yes would be refused now.
	void bool
	more bool // the details are shown
	win  rows.Window
	// list is what is affected, a row each, in the width of listW.
	list   []string
	listW  int
	listed int    // rows below the warnings in the last View
	at     [4]int // columns of the buttons in the last View: no from, to, yes from, to
	row    int    // their line
}

// NewConfirm makes a question.
func NewConfirm(st *style.Styles, o ConfirmOptions) *Confirm {
	o.Yes, o.No = cmp.Or(o.Yes, "Yes"), cmp.Or(o.No, "No")
	o.YesLabel, o.NoLabel = cmp.Or(o.YesLabel, "y"), cmp.Or(o.NoLabel, "n")
	return &Confirm{st: st, o: o}
}

// SetStyles changes the theme.
func (c *Confirm) SetStyles(st *style.Styles) { c.st, c.listW = st, 0 }

// Warn puts a warning above those that stand there.
func (c *Confirm) Warn(s string) { c.o.Warnings = append([]string{s}, c.o.Warnings...) }

// Void draws the yes as one that would be refused now.
func (c *Confirm) Void() { c.void = true }

// Voided reports whether a yes would be refused.
func (c *Confirm) Voided() bool { return c.void }

// Hold says whether the question waits until it takes an answer; its buttons say so.
func (c *Confirm) Hold(on bool) { c.off = on }

// Move scrolls what is affected by d rows.
func (c *Confirm) Move(d int) Outcome { c.win.Scroll(d, c.listed); return Stayed{} }

// HandleKey implements Overlay.
func (c *Confirm) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "y":
		return Confirmed{}
	case "n", "q", "esc":
		return Canceled{}
	case "enter": // the button with the focus
		if c.yes {
			return Confirmed{}
		}
		return Canceled{}
	case "tab", "shift+tab", "left", "right":
		c.yes = !c.yes
		return Stayed{}
	case "i":
		c.more, c.listW, c.win.Top = !c.more, 0, 0
		return Stayed{}
	}
	if d, ok := steps(k, false, c.win.Page()); ok {
		return c.Move(d)
	}
	return Ignored{}
}

// HandlePaste implements Overlay: nothing in a clipboard can answer.
func (c *Confirm) HandlePaste(string) Outcome { return Stayed{} }

// Click presses the button that it hits.
func (c *Confirm) Click(x, y int) Outcome {
	if y == c.row && x >= c.at[0] && x < c.at[1] {
		return Canceled{}
	}
	if y == c.row && x >= c.at[2] && x < c.at[3] {
		return Confirmed{}
	}
	return Stayed{}
}

// Wheel implements Overlay.
func (c *Confirm) Wheel(d int) Outcome { return c.Move(d) }

// lay lays the question out in w cells: the summary and the first warnings, which stay on screen, and the rows below them, which
// scroll. The other warnings are counted at first; with the details all are the first rows.
func (c *Confirm) lay(w int) (head, list []string) {
	list = c.rows(w)
	first, n := c.o.Warnings, c.o.Brief
	if over := len(first) - n; n > 0 && over > 0 {
		if c.more {
			first, list = nil, slices.Concat(c.warned(w, first), []string{""}, list)
		} else {
			first = append(slices.Clone(first[:n]), text.Plural(over, "more warning")+c.o.More)
		}
	}
	c.listed = len(list)
	return append(wrapped(c.st.Text, c.o.Summary, w), c.warned(w, first)...), list
}

func (c *Confirm) warned(w int, warnings []string) (body []string) {
	for _, s := range warnings {
		for k, line := range wrapped(c.st.Warn, s, w-2) {
			lead := "  "
			if k == 0 {
				lead = c.st.Warn.Render(c.st.Glyph.Warning) + " "
			}
			body = append(body, lead+line)
		}
	}
	return body
}

// Size implements Overlay.
func (c *Confirm) Size(w, h int) (int, int) {
	bw := min(w, 72)
	iw, _ := inner(bw, h)
	head, list := c.lay(iw)
	n := len(head) + 2
	if k := len(list); k > 0 {
		n += min(1, len(head)) + min(k, max(12, h/2))
	}
	return bw, min(h, n+marginH)
}

// View implements Overlay.
func (c *Confirm) View(w, h int) []string {
	iw, ih := inner(w, h)
	body, list := c.lay(iw)
	if most := max(1, ih-2); len(body) > most { // the buttons are always there
		body = body[:most]
	}
	scroll := style.Scroll{}
	if n := len(list); n > 0 {
		if room := ih - len(body) - min(1, len(body)) - 2; room > 0 {
			c.win.Resize(min(room, n), c.win.Top, n)
			if len(body) > 0 {
				body = append(body, "")
			}
			for k := c.win.Top; k < n && k < c.win.Top+room; k++ {
				body = append(body, list[k])
			}
			scroll = style.Scroll{Top: c.win.Top, Visible: min(room, n), Total: n}
		}
	}
	body = text.Fit(body, iw, max(0, ih-1))
	c.row = 1 + len(body)
	body = append(body, c.buttons(iw))
	return box{title: c.o.Title, scroll: scroll}.draw(c.st, body, w, h)
}

// rows are what is affected, in w columns.
func (c *Confirm) rows(w int) []string {
	if c.listW != w {
		c.list, c.listW = nil, w
		show := c.o.Affected
		if c.more {
			show = slices.Concat(show, c.o.Details)
		}
		for i := range show {
			c.list = append(c.list, c.affected(&show[i], w)...)
		}
	}
	return c.list
}

// leastDetail is from how many columns on a detail continues beside its title.
const leastDetail = 20

func (c *Confirm) affected(a *Affected, w int) []string {
	if a.Detail == "" && a.Glyph == "" {
		return wrapped(c.st.Text, cmp.Or(a.Title, " "), w)
	}
	l := oneLine(w)
	if a.Glyph != "" {
		l.Add(a.Ink, text.Truncate(text.SafeLine(a.Glyph), 1)).Space(1)
	}
	l.Add(c.st.Text, text.SafeLine(a.Title))
	detail := text.SafeLine(a.Detail)
	at, room := l.Used()+2, l.Left()-2
	switch {
	case detail == "":
		return []string{l.String()}
	case a.One || text.Width(detail) <= room:
		if l.Left() > 6 {
			l.Space(2).Add(c.st.Faint, detail)
		}
		return []string{l.String()}
	}
	var out []string
	beside := room >= leastDetail
	if !beside { // below its title
		out = append(out, l.String())
		at = min(4, w/4)
	}
	for k, part := range text.Wrap(detail, max(1, w-at)) {
		if k > 0 || !beside {
			l = oneLine(w)
			l.Space(at)
		} else {
			l.Space(2)
		}
		out = append(out, l.Add(c.st.Faint, part).String())
	}
	return out
}

// buttons draws the safe answer first. The one with the focus is reversed.
func (c *Confirm) buttons(w int) string {
	l := oneLine(w)
	yes := c.st.Good
	if c.o.Dangerous {
		yes = c.st.Bad
	}
	button := func(key, title string, ink style.Ink, focus, off bool) (from, to int) {
		from = 2 + l.Used()
		switch {
		case off:
			l.Add(c.st.KeyOff, " "+key+" "+title+" ")
		case focus:
			l.Add(c.st.Chip, " "+key+" "+title+" ")
		default:
			l.Add(c.st.Key, " "+key).Add(ink, " "+title+" ")
		}
		return from, 2 + l.Used()
	}
	c.at[0], c.at[1] = button(c.o.NoLabel, text.SafeLine(c.o.No), c.st.Text, !c.yes, c.off)
	l.Space(2)
	c.at[2], c.at[3] = button(c.o.YesLabel, text.SafeLine(c.o.Yes), yes, c.yes, c.off || c.void)
	if c.off && l.Left() > 2+len(waiting) {
		l.Space(2).Add(c.st.Faint, waiting)
	}
	return l.String()
}
