package style

import "vespe/ui/text"

// Tabs are the names of a pane's pages, for its title.
type Tabs []string

// gap is how many cells are between two names in at most w cells; 0 where they do not fit.
func (t Tabs) gap(w int) int {
	n := 0
	for _, name := range t {
		n += text.Width(name)
	}
	return min(2, max(0, (w-n)/max(1, len(t)-1)))
}

// Draw draws the names in at most w cells, that of the page on screen marked. When they do not fit, it is the only one.
func (t Tabs) Draw(s *Styles, on, w int) string {
	gap := t.gap(w)
	if gap == 0 {
		return s.TabActive.Render(t[on])
	}
	out := ""
	for i, name := range t {
		ink := s.Tab
		if i == on {
			ink = s.TabActive
		}
		if i > 0 {
			out += text.Spaces(gap)
		}
		out += ink.Render(name)
	}
	return out
}

// At is the page whose name lies at cell x of what Draw draws in w cells; false for none.
func (t Tabs) At(x, w int) (page int, ok bool) {
	gap := t.gap(w)
	at := 0
	for i, name := range t {
		n := text.Width(name)
		if gap > 0 && x >= at && x < at+n {
			return i, true
		}
		at += n + gap
	}
	return 0, false
}
