package overlay

import (
	"strings"

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

// oneLine starts a line of w cells.
func oneLine(w int) *rows.Line { return rows.NewLine(w, style.Ink{}) }

// themed is the part of an overlay that keeps its styles.
type themed struct{ st *style.Styles }

// SetStyles changes the theme.
func (t *themed) SetStyles(st *style.Styles) { t.st = st }

// rule is a line between two parts of a box.
func (t *themed) rule(w int) string { return t.st.Border.Render(strings.Repeat(t.st.Glyph.Rule, w)) }

// typing is a line to type in behind a sign, and the rule below it.
func (t *themed) typing(f *field, sign string, w int) []string {
	in := oneLine(w)
	in.Add(t.st.Key, sign).Space(1)
	f.draw(in, t.st, w-2)
	return []string{in.String(), t.rule(w)}
}

// steps is how many rows a key moves by in a list or a text, of which page are in view. While somebody types, the
// keys that edit a line are not among them.
func steps(k tea.KeyPressMsg, typing bool, page int) (d int, ok bool) {
	const all = 1 << 30
	switch k.String() {
	case "up":
		return -1, true
	case "down":
		return 1, true
	case "pgup":
		return -page, true
	case "pgdown":
		return page, true
	}
	if typing {
		d, ok = map[string]int{"ctrl+p": -1, "ctrl+n": 1, "ctrl+home": -all, "ctrl+end": all}[k.String()]
	} else {
		half := max(1, page/2)
		d, ok = map[string]int{"ctrl+u": -half, "ctrl+d": half, "home": -all, "end": all}[k.String()]
	}
	return d, ok
}

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
func (s *scrolled) HandleKey(k tea.KeyPressMsg) Outcome { return pagerKey(k, s.win.Page(), s.Move) }

// pagerKey scrolls through a text of which page rows are in view.
func pagerKey(k tea.KeyPressMsg, page int, move func(d int) Outcome) Outcome {
	if d, ok := steps(k, false, page); ok {
		return move(d)
	}
	if k.Code == tea.KeyEscape {
		return Canceled{}
	}
	return Ignored{}
}
