package rows

import (
	"unicode/utf8"

	"vespe/ui/style"
	"vespe/ui/text"
)

const reset = "\x1b[m"

// Line builds one line of exactly w cells. Text that does not fit is cut with an
// ellipsis; nothing that is added can make the line wider. Text must be safe to draw
// (text.SafeLine); the zero value is not usable, see NewLine.
type Line struct {
	b    []byte
	w    int
	used int
	base string
	ink  string
	on   bool // base or ink is switched on
	sole bool // nothing is drawn over the base in another ink
}

// NewLine starts a line of w cells over a base, which is the background of a selected row
// or "".
func NewLine(w int, base style.Ink) *Line {
	l := &Line{}
	l.Reset(w, base)
	return l
}

// Reset starts another line in the same memory.
func (l *Line) Reset(w int, base style.Ink) {
	*l = Line{b: l.b[:0], w: max(0, w), base: base.Open(), sole: base.Sole()}
}

// Left is how many cells are left.
func (l *Line) Left() int { return l.w - l.used }

// Used is how many cells are filled.
func (l *Line) Used() int { return l.used }

func (l *Line) use(ink string) {
	if l.sole {
		ink = ""
	}
	if l.on && l.ink == ink {
		return
	}
	if l.base == "" && ink == "" {
		if l.on {
			l.b = append(l.b, reset...)
		}
		l.on, l.ink = false, ink
		return
	}
	if l.on {
		l.b = append(l.b, reset...)
	}
	l.b = append(l.b, l.base...)
	l.b = append(l.b, ink...)
	l.on, l.ink = true, ink
}

// Add appends text in an ink.
func (l *Line) Add(ink style.Ink, s string) *Line {
	if s == "" || l.Left() <= 0 {
		return l
	}
	w := text.Width(s)
	if w > l.Left() {
		s = text.Truncate(s, l.Left())
		w = text.Width(s)
	}
	l.use(ink.Open())
	l.b = append(l.b, s...)
	l.used += w
	return l
}

// AddMax is Add with at most n cells.
func (l *Line) AddMax(ink style.Ink, s string, n int) *Line {
	return l.Add(ink, text.Truncate(s, n))
}

// AddMatches is Add with other inks over ranges of bytes of s, ascending.
func (l *Line) AddMatches(ink, match style.Ink, s string, ranges [][2]int) *Line {
	if len(ranges) == 0 {
		return l.Add(ink, s)
	}
	full := s
	s = text.Truncate(s, l.Left())
	cut := len(s) // what follows stands for what is left out
	if s != full {
		cut = 0
		for cut < min(len(s), len(full)) && s[cut] == full[cut] {
			cut++
		}
		for cut < len(s) && cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
	}
	if tail := s[cut:]; tail != "" && ranges[len(ranges)-1][1] > cut {
		// A match that is cut off shows in what stands for it.
		l.matched(ink, match, s[:cut], ranges)
		return l.Add(match, tail)
	}
	return l.matched(ink, match, s, ranges)
}

// matched is AddMatches for a text that fits.
func (l *Line) matched(ink, match style.Ink, s string, ranges [][2]int) *Line {
	at := 0
	for _, r := range ranges {
		from, to := min(r[0], len(s)), min(r[1], len(s))
		if from < at || to <= from {
			continue
		}
		// A range that starts or ends inside a cluster, or under an ellipsis, could make the
		// pieces wider than the whole.
		if !whole(s, from) || !whole(s, to) {
			continue
		}
		if text.Width(s[at:from])+text.Width(s[from:to])+text.Width(s[to:]) != text.Width(s[at:]) {
			continue
		}
		l.Add(ink, s[at:from]).Add(match, s[from:to])
		at = to
	}
	return l.Add(ink, s[at:])
}

// whole reports whether no character of s is split at byte i.
func whole(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// Space appends n blanks, or as many as fit.
func (l *Line) Space(n int) *Line { return l.Add(style.Ink{}, text.Spaces(min(n, l.Left()))) }

// To fills with blanks up to column x.
func (l *Line) To(x int) *Line { return l.Space(x - l.used) }

// String fills the line and returns it.
func (l *Line) String() string {
	l.To(l.w)
	if l.on {
		l.b = append(l.b, reset...)
		l.on = false
	}
	return string(l.b)
}

// Gutter draws the first cell of a row: the cursor's sign, or that of the selection.
func Gutter(l *Line, st *style.Styles, cursor, focused, marked bool) {
	switch {
	case marked:
		l.Add(st.Marker, st.Glyph.Selected)
	case cursor && focused:
		l.Add(st.Marker, st.Glyph.Cursor)
	case cursor:
		l.Add(st.Faint, st.Glyph.Cursor)
	default:
		l.Space(1)
	}
}

// Notice fills lines of w cells with a short text in the upper third, the first line of
// it muted and the others faint: what an empty place says.
func Notice(lines []string, w int, st *style.Styles, say []string) {
	var wrapped []string
	var inks []style.Ink
	for k, s := range say {
		ink := st.Faint
		if k == 0 {
			ink = st.Muted
		}
		for _, row := range text.Wrap(text.SafeLine(s), max(1, w-4)) {
			wrapped, inks = append(wrapped, row), append(inks, ink)
		}
	}
	top := max(0, (len(lines)-len(wrapped))/3)
	for y := range lines {
		if k := y - top; k >= 0 && k < len(wrapped) {
			lines[y] = NewLine(w, style.Ink{}).Space((w-text.Width(wrapped[k]))/2).Add(inks[k], wrapped[k]).String()
		} else {
			lines[y] = text.Spaces(w)
		}
	}
}

// Within moves ranges of a longer text to a part of it that begins at byte from.
func Within(hits [][2]int, from, n int) [][2]int {
	var out [][2]int
	for _, h := range hits {
		if a, b := max(h[0]-from, 0), min(h[1]-from, n); a < b {
			out = append(out, [2]int{a, b})
		}
	}
	return out
}
