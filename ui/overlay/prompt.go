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
}

// Prompt asks for one line.
type Prompt struct {
	still
	themed
	o     PromptOptions
	field field
	tried bool // it was sent once and refused
	err   string
}

// NewPrompt makes a prompt.
func NewPrompt(st *style.Styles, o PromptOptions) *Prompt {
	return &Prompt{themed: themed{st}, o: o, field: newField(o.Value, o.Placeholder)}
}

// Value is what is typed.
func (p *Prompt) Value() string { return p.field.value() }

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

// changed checks what is typed once it was refused.
func (p *Prompt) changed() {
	p.err = ""
	if p.tried {
		p.check()
	}
}

// HandleKey implements Overlay.
func (p *Prompt) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc":
		return Canceled{}
	case "enter":
		return p.Submit()
	}
	changed, used := p.field.key(k)
	if changed {
		p.changed()
	}
	if used || changed {
		return Stayed{}
	}
	return Ignored{}
}

// HandlePaste implements Overlay.
func (p *Prompt) HandlePaste(s string) Outcome {
	if p.field.paste(s) {
		p.changed()
	}
	return Stayed{}
}

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

// View implements Overlay.
func (p *Prompt) View(w, h int) []string {
	iw, ih := inner(w, h)
	var body []string
	if note := wrapped(p.st.Muted, p.o.Note, iw); len(note) > 0 && len(note)+3 <= ih {
		body = append(note, "")
	}
	l := oneLine(iw)
	if label := text.SafeLine(p.o.Label); label != "" {
		l.AddMax(p.st.Key, label+":", iw/2).Space(1)
	}
	p.field.draw(l, p.st, l.Left())
	body = append(body, l.String())
	body = append(body, wrapped(p.st.Bad, p.err, iw)...)
	return box{title: p.o.Title}.draw(p.st, body, w, h)
}
