package overlay

import (
	"github.com/charmbracelet/x/ansi"

	"vespe/ui/style"
	"vespe/ui/text"
)

// Place lays the lines of top over those of base, with its upper left corner at column x
// of line y. What lies outside base is cut off. Lines of base keep their width; a wide
// character that is half covered becomes a blank. base is not changed.
func Place(base, top []string, x, y int) []string {
	out := append([]string(nil), base...)
	for k, line := range top {
		at := y + k
		if at < 0 || at >= len(out) {
			continue
		}
		out[at] = placeLine(out[at], line, x)
	}
	return out
}

func placeLine(base, top string, x int) string {
	w := text.Width(base)
	if x < 0 {
		top = cut(top, -x, text.Width(top))
		x = 0
	}
	tw := min(text.Width(top), w-x)
	if tw <= 0 {
		return base
	}
	return cut(base, 0, x) + cut(top, 0, tw) + cut(base, x+tw, w)
}

// cut is the cells [from, to) of a line, exactly to-from of them and with no style left
// open.
func cut(s string, from, to int) string {
	if to <= from {
		return ""
	}
	if from == 0 {
		return text.Pad(ansi.Truncate(s, to, ""), to)
	}
	// A wide character across the cut is dropped, and a blank stands for its second half.
	lead := 0
	if text.Width(s) >= from && text.Width(ansi.Truncate(s, from, "")) < from {
		lead = 1
	}
	return text.Spaces(lead) + text.Pad(ansi.Cut(s, from+lead, to), to-from-lead)
}

// Dim redraws a frame faintly, so that what lies on it stands out. It costs one pass over
// the frame: keep the result while an overlay is open.
func Dim(base []string, st *style.Styles) []string {
	out := make([]string, len(base))
	for i, line := range base {
		out[i] = st.Faint.Render(text.Strip(line))
	}
	return out
}
