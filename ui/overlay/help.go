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
	// Ink is that of Keys where they are a sign and no key; the zero value is that of keys.
	Ink style.Ink
}

// Help lists keys by section. It is searched by typing: every word must occur in the keys,
// the title or the sentence of a row.
type Help struct {
	themed
	sections []Section
	field    field
	win      rows.Window
	found    []helpLine // rows that match, headings and blanks among them
	lines    []helpLine // found, wrapped for width
	width    int

	keyW, titleW, helpW int // the widest of each column
}

type helpLine struct {
	section int
	row     int // -1 for the section's title, -2 for a blank line
	part    int // of a sentence that is wrapped; 0 for its first line
	say     string
}

// NewHelp makes a help. Sections come in the order given: those for here first.
func NewHelp(st *style.Styles, sections []Section) *Help {
	h := &Help{themed: themed{st}, sections: sections, field: newField("", "type to search"), width: 76}
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
	h.found = h.found[:0]
	for i, s := range h.sections {
		first := true
		for k, r := range s.Rows {
			all := rows.Fold(r.Keys + " " + r.Title + " " + r.Help + " " + s.Title)
			ok := true
			for _, w := range words {
				ok = ok && strings.Contains(all, w)
			}
			if !ok {
				continue
			}
			if first {
				if len(h.found) > 0 {
					h.found = append(h.found, helpLine{section: i, row: -2})
				}
				h.found = append(h.found, helpLine{section: i, row: -1})
				first = false
			}
			h.found = append(h.found, helpLine{section: i, row: k})
		}
	}
	h.win.Top = 0
	h.wrap(h.width)
}

// helpColumns are where the title and the sentence of a row begin, and the width of the
// sentence. Without room for both the sentence takes the title's place, and where there is
// next to none the title stands alone.
type helpColumns struct {
	keys, title, say, room int
	titled, sentence       bool
}

// shortHelp is the room for the sentence under which the title gives way to it, and
// leastSentence that under which it gives way to the title.
const (
	shortHelp     = 44
	leastSentence = 20
)

func (h *Help) columns(w int) helpColumns {
	c := helpColumns{keys: min(h.keyW, max(min(8, w/3), w/8))}
	c.title = c.keys + 3
	titleW := min(h.titleW, max(0, (w-c.title)/2))
	c.say = c.title + titleW + 2
	c.titled, c.sentence = true, true
	if w-c.say < min(shortHelp, h.helpW) {
		c.keys = min(h.keyW, w/6)
		c.title, c.say, c.titled = c.keys+3, c.keys+3, false
	}
	if c.room = w - c.say; c.room < leastSentence {
		c.titled, c.sentence = true, false
	}
	return c
}

// wrap breaks the sentences into lines for a width.
func (h *Help) wrap(w int) {
	h.width = w
	c := h.columns(w)
	h.lines = h.lines[:0]
	for _, at := range h.found {
		if at.row < 0 || !c.sentence {
			h.lines = append(h.lines, at)
			continue
		}
		for k, say := range text.Wrap(text.SafeLine(h.sections[at.section].Rows[at.row].Help), c.room) {
			at.part, at.say = k, say
			h.lines = append(h.lines, at)
		}
	}
}

// Move scrolls by d rows.
func (h *Help) Move(d int) Outcome { h.win.Scroll(d, len(h.lines)); return Stayed{} }

// HandleKey implements Overlay. Esc takes back what was typed before it closes the help;
// so do "?" and "q" while nothing is typed.
func (h *Help) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc":
		if h.field.value() == "" {
			return Canceled{}
		}
		h.field.set("")
		h.filter()
		return Stayed{}
	case "?", "q", "f1":
		if h.field.value() == "" || k.String() == "f1" {
			return Canceled{}
		}
	case "/":
		if h.field.value() == "" {
			return Stayed{} // it searches already
		}
	case "enter":
		return Canceled{}
	}
	if d, ok := steps(k, true, h.win.Page()); ok {
		return h.Move(d)
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
	// Wide enough for the longest sentence, if the screen is: the border and a blank on
	// each side, the key's indent, and the gaps between the columns.
	bw := min(w, max(60, 4+1+h.keyW+2+h.titleW+2+h.helpW))
	// As high as everything that it can show, so that it does not change while somebody
	// types; a strip of rows beside it would say nothing and is covered.
	if want := h.height(bw) + 4; want < hh-strayRows {
		return bw, max(8, want)
	}
	return bw, hh
}

// strayRows is how many rows of what lies below are not worth leaving in view.
const strayRows = 6

// height is how many lines all rows take in a box of w columns.
func (h *Help) height(w int) int {
	iw, _ := inner(w, 0)
	c := h.columns(iw)
	n := 0
	for _, s := range h.sections {
		n += 2
		for _, r := range s.Rows {
			if c.sentence {
				n += len(text.Wrap(text.SafeLine(r.Help), c.room))
			} else {
				n++
			}
		}
	}
	return n
}

// View implements Overlay.
func (h *Help) View(w, hh int) []string {
	iw, ih := inner(w, hh)
	body := h.typing(&h.field, "/", iw)
	room := max(0, ih-2)
	if iw != h.width {
		h.wrap(iw)
	}
	h.win.Resize(room, h.win.Top, len(h.lines))
	words := strings.Fields(rows.Fold(h.field.value()))
	for y := range room {
		if r := h.win.Top + y; r < len(h.lines) {
			body = append(body, h.line(h.lines[r], iw, words))
		}
	}
	if len(h.lines) == 0 {
		body = append(body, oneLine(iw).Add(h.st.Muted, "No help matches.").String())
	}
	return box{
		title:  "Help",
		scroll: style.Scroll{Top: h.win.Top, Visible: room, Total: len(h.lines)},
	}.draw(h.st, body, w, hh)
}

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
	c := h.columns(w)
	said := h.st.Text
	if c.titled {
		said = h.st.Muted
	}
	if at.part == 0 {
		ink := r.Ink
		if ink.Open() == "" {
			ink = h.st.Key
		}
		l.Space(1)
		addWords(l, ink, h.st.Match, text.Truncate(text.SafeLine(r.Keys), c.keys), words)
		if c.titled {
			room := c.say - c.title - 2
			if !c.sentence {
				room = w - c.title
			}
			l.To(c.title)
			addWords(l, h.st.Text, h.st.Match, text.Truncate(text.SafeLine(r.Title), room), words)
		}
	}
	if c.sentence {
		l.To(c.say)
		addWords(l, said, h.st.Match, at.say, words)
	}
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
