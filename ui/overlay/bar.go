package overlay

import (
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
}

// Bar is one line at the bottom of the screen, for a search or a filter. Every change is a
// Changed, so that the view can follow as somebody types.
type Bar struct {
	st    *style.Styles
	o     BarOptions
	field field
	info  string
	err   string
	at    int
	typed string
	x     int
}

// NewBar makes a bar.
func NewBar(st *style.Styles, o BarOptions) *Bar {
	return &Bar{st: st, o: o, field: newField(o.Value, o.Placeholder)}
}

// SetStyles changes the theme.
func (b *Bar) SetStyles(st *style.Styles) { b.st = st }

// Value is what is typed.
func (b *Bar) Value() string { return b.field.value() }

// SetInfo says something at the right edge: "3 of 17".
func (b *Bar) SetInfo(s string) { b.info, b.err = s, "" }

// SetError says at the right edge what is wrong with the text.
func (b *Bar) SetError(s string) { b.err = s }

// HandleKey implements Overlay. Up and down go through the history; without one, and with
// ctrl+p and ctrl+n, they step through the matches.
func (b *Bar) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc":
		return Cancelled{}
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

// Click implements Overlay.
func (b *Bar) Click(int, int) Outcome { return Stayed{} }

// Wheel implements Overlay.
func (b *Bar) Wheel(int) Outcome { return Stayed{} }

// Size implements Overlay: a bar is one line.
func (b *Bar) Size(w, h int) (int, int) { return w, min(h, 1) }

// Cursor is where the cursor of the last View is.
func (b *Bar) Cursor() (x, y int) { return b.x, 0 }

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
	if b.err != "" {
		said, ink = text.SafeLine(b.err), b.st.Bad
	}
	said = text.Truncate(said, max(0, l.Left()*2/3))
	b.x = b.field.draw(l, b.st, l.Left()-text.Width(said)-3)
	l.To(w-text.Width(said)-1).Add(ink, said)
	return fitLines([]string{l.String()}, w, h)
}
