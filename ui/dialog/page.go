package dialog

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/text"
)

// pager shows something to read.
type pager struct{ Frame }

// Can leaves out what only differences have.
func (p *pager) Can(action keymap.Action) Can {
	switch action {
	case keymap.HunkNext, keymap.HunkPrev, keymap.DiffAll, keymap.DiffSplit, keymap.NoteNext, keymap.NotePrev,
		keymap.Accept, keymap.Reject, keymap.Comment, keymap.LineRange, keymap.CommentAnswer, keymap.CommentSettle, keymap.CommentsSend:
		return Can{No: true}
	}
	return Can{}
}

// NewPage shows a few lines to read.
func NewPage(st *style.Styles, title string, lines []string) Dialog {
	return NewReader(&Page{Styles: st, Title: title, Lines: lines})
}

// NewReader shows something to read.
func NewReader(box overlay.Overlay) Dialog {
	return &pager{Frame{Box: box, Scope: keymap.Pager}}
}

// Longest is how many cells a drawn line gets: longer ones are hard to read.
const Longest = 84

// Page is an overlay with a few lines to read.
type Page struct {
	Styles *style.Styles
	Title  string
	Lines  []string // drawn and safe; cut at the border
	// Draw draws Lines anew for w cells; nil where they are the same for every width.
	Draw func(st *style.Styles, w int) []string
	top  int
	rows int // of the last View
}

var _ overlay.Overlay = (*Page)(nil)

func (p *Page) SetStyles(st *style.Styles)         { p.Styles = st }
func (p *Page) HandlePaste(string) overlay.Outcome { return overlay.Ignored{} }
func (p *Page) Click(int, int) overlay.Outcome     { return overlay.Stayed{} }

func (p *Page) Wheel(d int) overlay.Outcome {
	p.top = max(0, min(p.top+d, len(p.Lines)-p.rows))
	return overlay.Stayed{}
}

func (p *Page) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
	lines, ok := map[string]int{
		"up": -1, "down": 1, "ctrl+u": -p.rows / 2, "ctrl+d": p.rows / 2, "pgup": -p.rows, "pgdown": p.rows, "home": -len(p.Lines), "end": len(p.Lines),
	}[k.String()]
	switch {
	case ok:
		return p.Wheel(lines)
	case k.Code == tea.KeyEscape || k.Code == tea.KeyEnter:
		return overlay.Canceled{}
	}
	return overlay.Ignored{}
}

func (p *Page) Size(w, h int) (int, int) {
	if p.Draw != nil {
		p.Lines = p.Draw(p.Styles, max(1, min(w-6, Longest)))
	}
	width := text.Width(text.SafeLine(p.Title)) + 6
	for _, l := range p.Lines {
		width = max(width, text.Width(l)+4)
	}
	return min(w, width), min(h, len(p.Lines)+2)
}

func (p *Page) View(w, h int) []string {
	p.rows = max(1, h-2)
	p.Wheel(0)
	body := make([]string, 0, p.rows)
	for i := p.top; i < len(p.Lines) && len(body) < p.rows; i++ {
		body = append(body, " "+p.Lines[i])
	}
	return p.Styles.Frame(style.Frame{
		Title: p.Title, Focused: true,
		Scroll: style.Scroll{Top: p.top, Visible: p.rows, Total: len(p.Lines)},
	}, body, w, h)
}
