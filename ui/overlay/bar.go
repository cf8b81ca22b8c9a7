package overlay

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/style"
	"vespe/ui/text"
)

// BarOptions say what a Bar is for.
type BarOptions struct {
	Label       string // "/" or "filter"
	Value       string
	Placeholder string
	History     []string // the last one first
	// Complete returns what the text may become, whole, the best first; nil for a bar that
	// completes nothing.
	Complete func(typed string) []string
}

// Bar is one line at the bottom of the screen, for a search or a filter. Every change is a
// Changed, so that the view can follow as somebody types.
type Bar struct {
	still
	themed
	o     BarOptions
	field field
	info  string
	err   string
	at    int
	typed string
	// offers are what tab goes through, and the one that it has put in; nil when something
	// else was pressed since.
	offers []string
	offer  int
}

// complete takes what all offers have in common; when that is no more than what is typed,
// one offer after the other.
func (b *Bar) complete() Outcome {
	if b.o.Complete == nil {
		return Ignored{}
	}
	if len(b.offers) > 1 {
		b.offer = (b.offer + 1) % len(b.offers)
		b.field.set(b.offers[b.offer])
		return Changed{b.Value()}
	}
	offers := b.o.Complete(b.Value())
	if len(offers) == 0 {
		return Stayed{}
	}
	common := offers[0]
	for _, o := range offers[1:] {
		n := 0
		for n < len(common) && n < len(o) && common[n] == o[n] {
			n++
		}
		common = strings.ToValidUTF8(common[:n], "")
	}
	if len(common) > len(b.Value()) {
		b.field.set(common)
		return Changed{b.Value()}
	}
	b.offers, b.offer = offers, 0
	b.field.set(offers[0])
	return Changed{b.Value()}
}

// NewBar makes a bar.
func NewBar(st *style.Styles, o BarOptions) *Bar {
	return &Bar{themed: themed{st}, o: o, field: newField(o.Value, o.Placeholder)}
}

// Value is what is typed.
func (b *Bar) Value() string { return b.field.value() }

// SetInfo says something at the right edge: "3 of 17".
func (b *Bar) SetInfo(s string) { b.info, b.err = s, "" }

// SetError says at the right edge what is wrong with the text.
func (b *Bar) SetError(s string) { b.err = s }

// HandleKey implements Overlay. Up and down go through the history; without one, and with
// ctrl+p and ctrl+n, they step through the matches.
func (b *Bar) HandleKey(k tea.KeyPressMsg) Outcome {
	if k.String() == "tab" {
		return b.complete()
	}
	b.offers = nil
	switch k.String() {
	case "esc":
		return Canceled{}
	case "enter":
		return Sent{b.Value()}
	case "ctrl+n":
		return Stepped{1}
	case "ctrl+p":
		return Stepped{-1}
	case "up":
		if len(b.o.History) == 0 {
			return Stepped{-1}
		}
		return b.recall(1)
	case "down":
		if len(b.o.History) == 0 {
			return Stepped{1}
		}
		return b.recall(-1)
	}
	changed, used := b.field.key(k)
	switch {
	case changed:
		return Changed{b.Value()}
	case used:
		return Stayed{}
	}
	return Ignored{}
}

func (b *Bar) recall(d int) Outcome {
	to := b.at + d
	if to < 0 || to > len(b.o.History) {
		return Stayed{}
	}
	if b.at == 0 {
		b.typed = b.Value()
	}
	if b.at = to; to == 0 {
		b.field.set(b.typed)
	} else {
		b.field.set(b.o.History[to-1])
	}
	return Changed{b.Value()}
}

// HandlePaste implements Overlay.
func (b *Bar) HandlePaste(s string) Outcome {
	if b.field.paste(s) {
		return Changed{b.Value()}
	}
	return Stayed{}
}

// Size implements Overlay: a bar is one line, and above it those of an error that does not
// fit beside the text.
func (b *Bar) Size(w, h int) (int, int) { return w, min(h, 1+len(b.above(w))) }

// barErrorLines is the most lines that an error takes.
const barErrorLines = 4

// above is the error when it does not fit into the bar.
func (b *Bar) above(w int) []string {
	n, label := text.Width(text.SafeLine(b.err)), text.Width(text.SafeLine(b.o.Label))+2
	if n <= max(0, w-label)*2/3 && n+label+text.Width(text.SafeLine(b.Value()))+4 <= w {
		return nil
	}
	lines := wrapped(b.st.Bad, text.SafeLine(b.err), w-2)
	if len(lines) > barErrorLines {
		lines = lines[:barErrorLines]
	}
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines
}

// View implements Overlay.
func (b *Bar) View(w, h int) []string {
	l := oneLine(w)
	l.Space(1)
	if label := text.SafeLine(b.o.Label); label != "" {
		l.AddMax(b.st.Key, label, w/3)
		if text.Width(label) > 1 {
			l.Space(1)
		}
	}
	said, ink := text.SafeLine(b.info), b.st.Muted
	above := b.above(w)
	switch {
	case len(above) > 0:
		said = ""
	case b.err != "":
		said, ink = text.SafeLine(b.err), b.st.Bad
	}
	said = text.Truncate(said, max(0, l.Left()*2/3))
	b.field.draw(l, b.st, l.Left()-text.Width(said)-3)
	l.To(w-text.Width(said)-1).Add(ink, said)
	above = above[:max(0, min(len(above), h-1))]
	return text.Fit(append(above, l.String()), w, h)
}
