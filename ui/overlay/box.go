package overlay

import (
	tea "charm.land/bubbletea/v2"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// box draws the body of an overlay in a border. What does not fit is cut from the bottom: the body decides what stays.
// The keys are in the last row of the screen.
type box struct {
	title  string
	extra  string // top right: a count
	scroll style.Scroll
}

// margin is what the border takes in each direction, with a blank beside it.
const (
	marginW = 4
	marginH = 2
)

// inner is the room for a body in a box of w×h.
func inner(w, h int) (int, int) { return max(0, w-marginW), max(0, h-marginH) }

func (b box) draw(st *style.Styles, body []string, w, h int) []string {
	iw, _ := inner(w, h)
	lines := make([]string, len(body))
	for i, s := range body {
		lines[i] = " " + text.Pad(s, iw) + " "
	}
	return st.Frame(style.Frame{
		Title: b.title, Extra: b.extra, Focused: true, Scroll: b.scroll,
	}, lines, w, h)
}

// window shows the lines of all from row top on, and returns where it really begins.
func window(all []string, top, h int) ([]string, int) {
	top = max(0, min(top, len(all)-h))
	return all[top:min(len(all), top+max(0, h))], top
}

// wrapped breaks a text into lines of w cells in one ink.
func wrapped(ink style.Ink, s string, w int) []string {
	if s == "" {
		return nil
	}
	var out []string
	for _, line := range text.Wrap(text.Safe(s), max(1, w)) {
		out = append(out, ink.Render(line))
	}
	return out
}

// fitLines is exactly h lines of w cells.
func fitLines(lines []string, w, h int) []string { return text.Fit(lines, w, h) }

// oneLine starts a line of w cells.
func oneLine(w int) *rows.Line { return rows.NewLine(w, style.Ink{}) }

// still is what takes no part in clicks and the wheel.
type still struct{}

// Click implements Overlay.
func (still) Click(int, int) Outcome { return Stayed{} }

// Wheel implements Overlay.
func (still) Wheel(int) Outcome { return Stayed{} }

// scrolled is a text that is scrolled through.
type scrolled struct {
	lines []string // for lineW cells
	lineW int
	win   rows.Window
}

// Move scrolls by d rows.
func (s *scrolled) Move(d int) Outcome { s.win.Scroll(d, len(s.lines)); return Stayed{} }

// HandlePaste implements Overlay: nothing in a clipboard can answer.
func (s *scrolled) HandlePaste(string) Outcome { return Ignored{} }

// Click implements Overlay.
func (s *scrolled) Click(int, int) Outcome { return Stayed{} }

// Wheel implements Overlay.
func (s *scrolled) Wheel(d int) Outcome { return s.Move(d) }

// HandleKey implements Overlay.
func (s *scrolled) HandleKey(k tea.KeyPressMsg) Outcome { return pagerKey(s, k) }

// Page scrolls by n pages.
func (s *scrolled) Page(n int) Outcome { return s.Move(n * s.win.Page()) }

// HalfPage scrolls by n half pages.
func (s *scrolled) HalfPage(n int) Outcome { return s.Move(n * max(1, s.win.Page()/2)) }

// Home goes to the beginning.
func (s *scrolled) Home() Outcome { return s.Move(-1 << 30) }

// End goes to the end.
func (s *scrolled) End() Outcome { return s.Move(1 << 30) }

// pager is what scrolls through a text.
type pager interface {
	Move(d int) Outcome
	Page(n int) Outcome
	HalfPage(n int) Outcome
	Home() Outcome
	End() Outcome
}

func pagerKey(p pager, k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc", "q":
		return Cancelled{}
	case "up", "k":
		return p.Move(-1)
	case "down", "j":
		return p.Move(1)
	case "pgup", "ctrl+b":
		return p.Page(-1)
	case "pgdown", "ctrl+f", "space":
		return p.Page(1)
	case "ctrl+u":
		return p.HalfPage(-1)
	case "ctrl+d":
		return p.HalfPage(1)
	case "home", "g":
		return p.Home()
	case "end", "G":
		return p.End()
	}
	return Ignored{}
}
