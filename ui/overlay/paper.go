package overlay

import (
	"vespe/ui/style"
	"vespe/ui/text"
)

// PaperOptions say what is to be read on a Paper.
type PaperOptions struct {
	Title string
	// Lines draws all of it in lines of at most w cells. It is asked again for another width, and
	// after Redo.
	Lines func(st *style.Styles, w int) []string
	Count func() int // how many of the lines Percent is about, from the top; nil: all
}

// Paper is something long to read and to decide about: it scrolls, nothing is cut, and it knows
// how much of it has been on screen.
type Paper struct {
	st    *style.Styles
	o     PaperOptions
	extra string
	say   string // why the last key did nothing
	scrolled
	seen int // rows that have been on screen, from the top
}

// NewPaper makes a paper.
func NewPaper(st *style.Styles, o PaperOptions) *Paper {
	return &Paper{st: st, o: o, scrolled: scrolled{lineW: -1}}
}

// SetStyles changes the theme.
func (p *Paper) SetStyles(st *style.Styles) { p.st, p.lineW = st, -1 }

// SetExtra is what stands at the right of the title.
func (p *Paper) SetExtra(s string) { p.extra = s }

// Redo draws it anew: it says something else now.
func (p *Paper) Redo() { p.lineW = -1 }

// Anew forgets how much of it has been on screen.
func (p *Paper) Anew() {
	p.seen = 0
	p.Redo()
}

// Say puts a line beneath the text until the next key.
func (p *Paper) Say(s string) { p.say = s }

// Percent is how much of it has been on screen.
func (p *Paper) Percent() int {
	n := len(p.lines)
	if p.o.Count != nil {
		n = min(n, p.o.Count())
	}
	if p.seen < n {
		return 100 * p.seen / n
	}
	return 100
}

// paperWidth is how wide it gets: longer lines are hard to read.
const paperWidth = 110

// Size implements Overlay.
func (p *Paper) Size(w, h int) (int, int) {
	bw := paperSpan(w)
	p.layout(p.Inner(w))
	return bw, min(h, max(10, len(p.lines)+1+marginH)) // a row for what is said
}

func paperSpan(w int) int {
	if w >= paperWidth+24 { // less beside it would be no use to look at
		return paperWidth
	}
	return w
}

// Inner is the width that its lines have in a space of w columns.
func (p *Paper) Inner(w int) int {
	iw, _ := inner(paperSpan(w), 0)
	return max(1, iw)
}

func (p *Paper) layout(w int) {
	if w != p.lineW {
		p.lineW, p.lines = w, p.o.Lines(p.st, max(1, w))
		p.seen = min(p.seen, len(p.lines))
	}
}

// View implements Overlay.
func (p *Paper) View(w, h int) []string {
	iw, ih := inner(w, h)
	p.layout(iw)
	said := wrapped(p.st.Warn, p.say, iw)
	if most := max(1, ih/3); len(said) > most {
		said = said[:most]
	}
	room := max(0, ih-len(said))
	p.win.Height = room
	p.win.Clamp(len(p.lines))
	body, top := window(p.lines, p.win.Top, room)
	if top <= p.seen {
		p.seen = max(p.seen, min(len(p.lines), top+room))
	}
	if len(said) > 0 {
		body = append(text.Fit(body, iw, room), said...)
	}
	return box{
		title: p.o.Title, extra: p.extra,
		scroll: style.Scroll{Top: top, Visible: room, Total: len(p.lines)},
	}.draw(p.st, body, w, h)
}
