package overlay

import (
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
