package overlay

import (
	"cmp"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"vespe/model/visible"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// ComposeOptions say what a Compose asks for.
type ComposeOptions struct {
	Title       string
	Note        string // what will happen; wrapped above the text
	Placeholder string
	Value       string // a draft
	Required    bool   // a blank text is not sent
	// Check says why a text is not sent. It may be nil.
	Check func(string) error
	// Kinds are what the text may be, of which one is chosen; none: it is just a text. Titles and Notes are those of
	// each kind; nil: they are the same for all.
	Kinds         []string
	Kind          int
	Titles, Notes []string
	// CanBlock: it may be said to hold something up, as Blocking says.
	CanBlock, Blocking bool
	// Keys are how the keys that choose are written: the kind's and that of blocking.
	Keys [2]string
}

// Compose asks for a short text of several lines: a reason, an answer. Longer texts belong
// into an editor.
type Compose struct {
	still
	themed
	o    ComposeOptions
	area textarea.Model
	err  string
	win  rows.Window
}

// composeLines is the most lines that a text may have here: no more fit into a textarea.
const composeLines = 10_000

const composeFull = "There is no room for more lines."

// NewCompose makes an empty text, or continues with a draft.
func NewCompose(st *style.Styles, o ComposeOptions) *Compose {
	a := textarea.New()
	a.Prompt = ""
	a.ShowLineNumbers = false
	a.CharLimit = 0
	a.MaxHeight = composeLines
	a.KeyMap.Paste = key.NewBinding()
	a.KeyMap.CopySelection = key.NewBinding()
	a.SetVirtualCursor(false)
	a.SetWidth(60)
	a.SetHeight(6)
	c := &Compose{themed: themed{st}, o: o, area: a}
	c.area.SetValue(visible.String(o.Value))
	c.area.Focus()
	c.choose(o.Kind)
	return c
}

// choose makes the text one of a kind.
func (c *Compose) choose(kind int) {
	c.o.Kind = kind
	if kind < len(c.o.Titles) {
		c.o.Title, c.o.Note = c.o.Titles[kind], c.o.Notes[kind]
	}
}

// Chosen is the kind that the text has, and whether it blocks.
func (c *Compose) Chosen() (kind int, blocking bool) { return c.o.Kind, c.o.CanBlock && c.o.Blocking }

// Draft is the text as it stands: what to keep when it is closed.
func (c *Compose) Draft() string { return c.area.Value() }

// Put puts another text in its place.
func (c *Compose) Put(s string) { c.area.SetValue(visible.String(s)) }

// Submit checks the text and sends it.
func (c *Compose) Submit() Outcome {
	s := c.area.Value()
	if c.o.Required && strings.TrimSpace(s) == "" {
		c.err = "It can't be empty. A sentence is enough."
		return Stayed{}
	}
	if c.o.Check != nil {
		if err := c.o.Check(s); err != nil {
			c.err = err.Error()
			return Stayed{}
		}
	}
	return Sent{s}
}

// HandleKey implements Overlay.
func (c *Compose) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc":
		return Canceled{}
	case "ctrl+s", "alt+enter", "ctrl+enter":
		return c.Submit()
	case "tab":
		if n := len(c.o.Kinds); n > 0 {
			c.choose((c.o.Kind + 1) % n)
			return Stayed{}
		}
	case "ctrl+x":
		if c.o.CanBlock {
			c.o.Blocking = !c.o.Blocking
			return Stayed{}
		}
	}
	before, line, col := c.area.Value(), c.area.Line(), c.area.Column()
	c.area, _ = c.area.Update(k)
	if c.area.Value() != before {
		c.err = ""
		return Stayed{}
	}
	if k.String() == "enter" {
		c.err = composeFull
		return Stayed{}
	}
	if k.Text != "" || c.area.Line() != line || c.area.Column() != col {
		return Stayed{}
	}
	switch k.Code {
	case tea.KeyUp, tea.KeyDown, tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyBackspace, tea.KeyDelete, tea.KeyPgUp, tea.KeyPgDown, tea.KeyTab:
		return Stayed{}
	}
	return Ignored{}
}

// HandlePaste implements Overlay. Characters that cannot be seen are pasted as what makes
// them visible: nothing hidden is sent.
func (c *Compose) HandlePaste(s string) Outcome {
	s = visible.String(strings.ReplaceAll(s, "\r\n", "\n"))
	c.err = ""
	if c.area.LineCount()+strings.Count(s, "\n") > composeLines {
		c.err = composeFull
		return Stayed{}
	}
	c.area.InsertString(s)
	return Stayed{}
}

// chooser shows what the text may be, the choice marked.
func (c *Compose) chooser(w int) []string {
	if len(c.o.Kinds) == 0 {
		return nil
	}
	l := oneLine(w)
	if c.o.Keys[0] != "" {
		l.Add(c.st.Key, c.o.Keys[0]).Space(1)
	}
	for k, name := range c.o.Kinds {
		if k > 0 {
			l.Space(1)
		}
		if k == c.o.Kind {
			l.Add(c.st.Chip, " "+name+" ")
		} else {
			l.Add(c.st.Muted, " "+name+" ")
		}
	}
	if c.o.CanBlock {
		l.Space(3)
		if c.o.Keys[1] != "" {
			l.Add(c.st.Key, c.o.Keys[1]).Space(1)
		}
		box, ink := "[ ] blocking", c.st.Muted
		if c.o.Blocking {
			box, ink = "[x] blocking", c.st.Bad
		}
		l.Add(ink, box)
	}
	return []string{l.String(), ""}
}

// Size implements Overlay.
func (c *Compose) Size(w, h int) (int, int) {
	bw := min(w, 76)
	iw, _ := inner(bw, h)
	n := max(6, min(14, c.area.LineCount()+1)) + 1
	if note := len(wrapped(c.st.Muted, c.o.Note, iw)); note > 0 {
		n += note + 1
	}
	n += len(c.chooser(iw))
	return bw, min(h, n+marginH)
}

// View implements Overlay.
func (c *Compose) View(w, h int) []string {
	iw, ih := inner(w, h)
	var body []string
	pick := c.chooser(iw)
	if note := wrapped(c.st.Muted, c.o.Note, iw); len(note) > 0 {
		if room := max(0, ih-len(pick)-3); len(note) > room { // its beginning is what matters most
			note = note[:room]
		}
		if len(note) > 0 {
			body = append(note, "")
		}
	}
	if len(body)+len(pick)+2 <= ih {
		body = append(body, pick...)
	}
	errs := wrapped(c.st.Bad, c.err, iw)
	if room := ih - len(body) - 1; len(errs) > room {
		errs = errs[:max(0, room)]
	}
	room := max(1, ih-len(body)-len(errs))
	if iw > 0 && c.area.Width() != iw {
		c.area.SetWidth(iw)
	}
	body = append(body, c.lines(iw, room)...)
	body = append(body, errs...)
	return box{title: c.o.Title}.draw(c.st, body, w, h)
}

// lines draws the text with its cursor in room lines of w cells. The area only edits: what
// it draws is not exact when characters are of uncertain width.
func (c *Compose) lines(w, room int) []string {
	if c.area.Value() == "" {
		l := oneLine(w)
		f := field{in: textinput.New(), placeholder: c.o.Placeholder}
		f.draw(l, c.st, w)
		return text.Fit([]string{l.String()}, w, room)
	}
	var out []string
	cursorRow := 0
	for k, line := range strings.Split(c.area.Value(), "\n") {
		whole := text.SafeLine(line)
		parts := text.WrapParts(whole, w)
		if k != c.area.Line() {
			for _, p := range parts {
				out = append(out, oneLine(w).Add(c.st.Input, whole[p.From:p.To]).String())
			}
			continue
		}
		from, to := len(whole), len(whole)
		if runes := []rune(line); c.area.Column() < len(runes) {
			from, to = clusterAt(whole, len(text.SafeLine(string(runes[:c.area.Column()]))))
		}
		rows, at := c.cursorRows(whole, parts, from, to, w)
		cursorRow = len(out) + at
		out = append(out, rows...)
	}
	c.win.Resize(room, cursorRow, len(out))
	c.win.Follow(cursorRow, len(out))
	out, _ = window(out, c.win.Top, room)
	return text.Fit(out, w, room)
}

// cursorRows draws the parts of the line that the cursor is on: over its bytes from up to to, or
// after the last one. It has one row, also where the blanks that it is on were left out at a break;
// one more is made where the line's last row is full.
func (c *Compose) cursorRows(whole string, parts []text.Part, from, to, w int) (out []string, row int) {
	for row+1 < len(parts) && parts[row+1].From <= from {
		row++
	}
	p := parts[row]
	gap := max(0, from-p.To) // blanks that were left out
	full := text.Width(whole[p.From:min(from, p.To)])+gap+max(1, text.Width(whole[from:to])) > w
	if full {
		row++
	}
	for k, p := range parts {
		l := oneLine(w)
		switch {
		case k != row:
			l.Add(c.st.Input, whole[p.From:p.To])
		case full: // it stands before what it is not on
			_, end := clusterAt(whole, p.From)
			l.Add(cursorInk(c.st), cmp.Or(whole[p.From:end], " ")).Add(c.st.Input, whole[end:max(end, p.To)])
		default:
			l.Add(c.st.Input, whole[p.From:min(from, p.To)]).Add(c.st.Input, text.Spaces(gap))
			l.Add(cursorInk(c.st), cmp.Or(whole[from:to], " ")).Add(c.st.Input, whole[to:max(to, p.To)])
		}
		out = append(out, l.String())
	}
	if row == len(parts) {
		out = append(out, oneLine(w).Add(cursorInk(c.st), " ").String())
	}
	return out, row
}
