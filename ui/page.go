package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/text"
)

// page is an overlay with a few lines to read.
type page struct {
	st    *style.Styles
	title string
	lines []string // drawn and safe; cut at the border
	top   int
	rows  int // of the last View
}

var _ overlay.Overlay = (*page)(nil)

func (p *page) SetStyles(st *style.Styles)         { p.st = st }
func (p *page) HandlePaste(string) overlay.Outcome { return overlay.Ignored{} }
func (p *page) Click(int, int) overlay.Outcome     { return overlay.Stayed{} }

func (p *page) Wheel(d int) overlay.Outcome {
	p.top = max(0, min(p.top+d, len(p.lines)-p.rows))
	return overlay.Stayed{}
}

func (p *page) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
	switch k.Code {
	case tea.KeyEscape, tea.KeyEnter:
		return overlay.Cancelled{}
	case tea.KeyUp:
		return p.Wheel(-1)
	case tea.KeyDown:
		return p.Wheel(1)
	case tea.KeyPgUp:
		return p.Wheel(-p.rows)
	case tea.KeyPgDown:
		return p.Wheel(p.rows)
	case tea.KeyHome:
		return p.Wheel(-len(p.lines))
	case tea.KeyEnd:
		return p.Wheel(len(p.lines))
	}
	return overlay.Ignored{}
}

func (p *page) Size(w, h int) (int, int) {
	width := text.Width(text.SafeLine(p.title)) + 6
	for _, l := range p.lines {
		width = max(width, text.Width(l)+4)
	}
	return min(w, width), min(h, len(p.lines)+2)
}

func (p *page) View(w, h int) []string { return p.draw(w, h, func(int) string { return " " }) }

// draw draws the lines in view, each behind what leads it.
func (p *page) draw(w, h int, lead func(line int) string) []string {
	p.rows = max(1, h-2)
	p.Wheel(0)
	body := make([]string, 0, p.rows)
	for i := p.top; i < len(p.lines) && len(body) < p.rows; i++ {
		body = append(body, lead(i)+p.lines[i])
	}
	return p.st.Frame(style.Frame{
		Title: p.title, Focused: true,
		Scroll: style.Scroll{Top: p.top, Visible: p.rows, Total: len(p.lines)},
	}, body, w, h)
}
