package overlay

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Section is a part of the help.
type Section struct {
	Title string
	Here  bool // these keys work where the person is
	Rows  []HelpRow
}

// HelpRow is one action with its keys.
type HelpRow struct {
	Keys  string // how they are written, "j  down"
	Title string
	Help  string
}

// Help lists keys by section. It is searched by typing: every word must occur in the keys,
// the title or the sentence of a row.
type Help struct {
	hints
	st       *style.Styles
	sections []Section
	field    field
	win      rows.Window
	lines    []helpLine

	keyW, titleW, helpW int // the widest of each column
}

type helpLine struct {
	section int
	row     int // -1 for the section's title, -2 for a blank line
}

// NewHelp makes a help. Sections come in the order given: those for here first.
func NewHelp(st *style.Styles, sections []Section) *Help {
	h := &Help{st: st, sections: sections, field: newField("", "type to search")}
	for _, s := range sections {
		for _, r := range s.Rows {
			h.keyW = max(h.keyW, min(18, text.Width(text.SafeLine(r.Keys))))
			h.titleW = max(h.titleW, min(22, text.Width(text.SafeLine(r.Title))))
			h.helpW = max(h.helpW, text.Width(text.SafeLine(r.Help)))
		}
	}
	h.filter()
	return h
}

func (h *Help) filter() {
	words := strings.Fields(rows.Fold(h.field.value()))
	h.lines = h.lines[:0]
	for i, s := range h.sections {
		first := true
		for k, r := range s.Rows {
			all := rows.Fold(r.Keys + " " + r.Title + " " + r.Help)
			ok := true
			for _, w := range words {
				ok = ok && strings.Contains(all, w)
			}
			if !ok {
				continue
			}
			if first {
				if len(h.lines) > 0 {
					h.lines = append(h.lines, helpLine{i, -2})
				}
				h.lines = append(h.lines, helpLine{i, -1})
				first = false
			}
			h.lines = append(h.lines, helpLine{i, k})
		}
	}
	h.win.Top = 0
}

// SetStyles changes the theme.
func (h *Help) SetStyles(st *style.Styles) { h.st = st }

// Move scrolls by d rows.
func (h *Help) Move(d int) Outcome { h.win.Scroll(d, len(h.lines)); return Stayed{} }

// Page scrolls by n pages.
func (h *Help) Page(n int) Outcome { return h.Move(n * h.win.Page()) }

// HandleKey implements Overlay. Esc takes back what was typed before it closes the help;
// so does "?" while nothing is typed.
func (h *Help) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc":
		if h.field.value() == "" {
			return Cancelled{}
		}
		h.field.set("")
		h.filter()
		return Stayed{}
	case "?", "f1":
		if h.field.value() == "" || k.String() == "f1" {
			return Cancelled{}
		}
	case "enter":
		return Cancelled{}
	case "up", "ctrl+p":
		return h.Move(-1)
	case "down", "ctrl+n":
		return h.Move(1)
	case "pgup":
		return h.Page(-1)
	case "pgdown":
		return h.Page(1)
	case "ctrl+home":
		return h.Move(-len(h.lines))
	case "ctrl+end":
		return h.Move(len(h.lines))
	}
	changed, used := h.field.key(k)
	if changed {
		h.filter()
	}
	if !used {
		return Ignored{}
	}
	return Stayed{}
}

// HandlePaste implements Overlay.
func (h *Help) HandlePaste(s string) Outcome {
	if h.field.paste(s) {
		h.filter()
	}
	return Stayed{}
}

// Click implements Overlay; there is nothing to click.
func (h *Help) Click(int, int) Outcome { return Stayed{} }

// Wheel implements Overlay.
func (h *Help) Wheel(d int) Outcome { return h.Move(d) }

// Size implements Overlay.
func (h *Help) Size(w, hh int) (int, int) {
	n := 0
	for _, s := range h.sections {
		n += len(s.Rows) + 2
	}
	// Wide enough for the longest sentence, if the screen is: the border and a blank on
	// each side, the key's indent, and the gaps between the columns.
	want := 4 + 1 + h.keyW + 2 + h.titleW + 2 + h.helpW
	return min(w, max(60, want)), min(hh, max(8, min(hh*9/10, n+4)))
}

// View implements Overlay.
func (h *Help) View(w, hh int) []string {
	iw, ih := inner(w, hh)
	in := oneLine(iw)
	in.Add(h.st.Key, "/").Space(1)
	h.field.draw(in, h.st, iw-2)
	body := []string{in.String(), h.st.Border.Render(strings.Repeat(h.st.Glyph.Rule, iw))}
	room := max(0, ih-2)
	h.win.Resize(room, h.win.Top, len(h.lines))
	words := strings.Fields(rows.Fold(h.field.value()))
	for y := range room {
		if r := h.win.Top + y; r < len(h.lines) {
			body = append(body, h.line(h.lines[r], iw, words))
		}
	}
	if len(h.lines) == 0 {
		body = append(body, oneLine(iw).Add(h.st.Muted, "No key does that.").String())
	}
	return box{
		title: "Help", foot: h.or("esc close"),
		scroll: style.Scroll{Top: h.win.Top, Visible: room, Total: len(h.lines)},
	}.draw(h.st, body, w, hh)
}

// shortHelp is the room for the sentence under which the title gives way to it.
const shortHelp = 44

func (h *Help) line(at helpLine, w int, words []string) string {
	l := oneLine(w)
	s := &h.sections[at.section]
	switch at.row {
	case -2:
		return l.String()
	case -1:
		ink := h.st.HeadingMinor
		if s.Here {
			ink = h.st.Heading
		}
		return l.Add(ink, text.SafeLine(s.Title)).String()
	}
	r := &s.Rows[at.row]
	keyW := min(h.keyW, max(0, w/3))
	keys := text.Truncate(text.SafeLine(r.Keys), keyW)
	l.Space(1)
	addWords(l, h.st.Key, h.st.Match, keys, words)
	l.To(keyW + 3)
	titleW := min(h.titleW, max(0, (w-keyW-3)/2))
	title := text.SafeLine(r.Title)
	if w < 56 { // no room for both: the title says it
		addWords(l, h.st.Text, h.st.Match, text.Truncate(title, l.Left()), words)
		return l.String()
	}
	if w-keyW-3-titleW-2 < min(shortHelp, h.helpW) { // the sentence says more than the title
		l.Reset(w, style.Ink{})
		keys = text.Truncate(text.SafeLine(r.Keys), w/5)
		l.Space(1)
		addWords(l, h.st.Key, h.st.Match, keys, words)
		l.To(w/5 + 2)
		addWords(l, h.st.Text, h.st.Match, text.Truncate(text.SafeLine(r.Help), l.Left()), words)
		return l.String()
	}
	addWords(l, h.st.Text, h.st.Match, text.Truncate(title, titleW), words)
	l.To(keyW + 3 + titleW + 2)
	addWords(l, h.st.Muted, h.st.Match, text.Truncate(text.SafeLine(r.Help), l.Left()), words)
	return l.String()
}

// addWords adds a text with every occurrence of the words marked.
func addWords(l *rows.Line, ink, hit style.Ink, s string, words []string) {
	var hits [][2]int
	for _, w := range words {
		if o := rows.Occurrences(s, w); len(o) > 0 && (len(hits) == 0 || o[0][0] >= hits[len(hits)-1][1]) {
			hits = append(hits, o...)
		}
	}
	l.AddMatches(ink, hit, s, hits)
}
