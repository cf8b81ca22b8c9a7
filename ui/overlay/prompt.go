package overlay

import (
	tea "charm.land/bubbletea/v2"

	"vespe/ui/style"
	"vespe/ui/text"
)

// PromptOptions say what a Prompt asks.
type PromptOptions struct {
	Title       string
	Label       string // before the line
	Value       string
	Placeholder string
	Note        string // what will happen; wrapped above the line
	// Check returns what is wrong with a text; nil takes everything. It is asked when the
	// text is sent, and from then on as it is typed.
	Check func(string) error
	// History are earlier texts, the last one first; up and down go through them.
	History []string
	// Live sends a Changed for every change.
	Live bool
}

// Prompt asks for one line.
type Prompt struct {
	st    *style.Styles
	o     PromptOptions
	field field
	tried bool // it was sent once and refused
	err   string
	at    int // in History, 0 for what is typed
	typed string
	x, y  int
}

// NewPrompt makes a prompt.
func NewPrompt(st *style.Styles, o PromptOptions) *Prompt {
	return &Prompt{st: st, o: o, field: newField(o.Value, o.Placeholder)}
}

// SetStyles changes the theme.
func (p *Prompt) SetStyles(st *style.Styles) { p.st = st }

// Value is what is typed.
func (p *Prompt) Value() string { return p.field.value() }

// SetError shows an error beneath the line until the text changes.
func (p *Prompt) SetError(s string) { p.err = s }

// Submit checks the text and sends it.
func (p *Prompt) Submit() Outcome {
	p.tried = true
	if p.check(); p.err != "" {
		return Stayed{}
	}
	return Sent{p.Value()}
}

func (p *Prompt) check() {
	p.err = ""
	if p.o.Check != nil {
		if err := p.o.Check(p.Value()); err != nil {
			p.err = err.Error()
		}
	}
}

func (p *Prompt) changed() Outcome {
	p.err = ""
	if p.tried {
		p.check()
	}
	if p.o.Live {
		return Changed{p.Value()}
	}
	return Stayed{}
}

// Recall goes d entries back in the history; -1 comes forward.
func (p *Prompt) Recall(d int) Outcome {
	to := p.at + d
	if to < 0 || to > len(p.o.History) || to == p.at {
		return Stayed{}
	}
	if p.at == 0 {
		p.typed = p.Value()
	}
	p.at = to
	if to == 0 {
		p.field.set(p.typed)
	} else {
		p.field.set(p.o.History[to-1])
	}
	return p.changed()
}

// HandleKey implements Overlay.
func (p *Prompt) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc":
		return Cancelled{}
	case "enter":
		return p.Submit()
	case "up", "ctrl+p":
		return p.Recall(1)
	case "down", "ctrl+n":
		return p.Recall(-1)
	}
	changed, used := p.field.key(k)
	switch {
	case changed:
		return p.changed()
	case used:
		return Stayed{}
	}
	return Ignored{}
}

// HandlePaste implements Overlay.
func (p *Prompt) HandlePaste(s string) Outcome {
	if p.field.paste(s) {
		return p.changed()
	}
	return Stayed{}
}

// Click implements Overlay.
func (p *Prompt) Click(int, int) Outcome { return Stayed{} }

// Wheel implements Overlay.
func (p *Prompt) Wheel(int) Outcome { return Stayed{} }

// Size implements Overlay.
func (p *Prompt) Size(w, h int) (int, int) {
	bw := min(w, 72)
	iw, _ := inner(bw, h)
	n := 2 + len(wrapped(p.st.Muted, p.o.Note, iw))
	if p.o.Note != "" {
		n++
	}
	if p.err != "" {
		n += len(wrapped(p.st.Bad, p.err, iw)) - 1
	}
	return bw, min(h, n+marginH)
}

// Cursor is where the cursor of the last View is, from its top left corner.
func (p *Prompt) Cursor() (x, y int) { return p.x, p.y }

// View implements Overlay.
func (p *Prompt) View(w, h int) []string {
	iw, ih := inner(w, h)
	var body []string
	if note := wrapped(p.st.Muted, p.o.Note, iw); len(note) > 0 && len(note)+3 <= ih {
		body = append(note, "")
	}
	l := oneLine(iw)
	if label := text.SafeLine(p.o.Label); label != "" {
		l.AddMax(p.st.Key, label, iw/2).Space(1)
	}
	x := p.field.draw(l, p.st, l.Left())
	p.x, p.y = 2+x, 1+len(body)
	body = append(body, l.String())
	body = append(body, wrapped(p.st.Bad, p.err, iw)...)
	return box{title: p.o.Title}.draw(p.st, body, w, h)
}
