package overlay

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Entry is one row of a Palette.
type Entry struct {
	ID    string
	Title string // what it does, in a few words
	Group string
	Help  string // one sentence; shown for the row under the cursor
	Keys  string // how its keys are written, "^p"; "" for none
	// Reason says why it cannot be done here; "" when it can.
	Reason string
	Words  string // further words by which it is found
	Found  bool   // it is listed only when something that it matches is typed
	Takes  bool   // it acts on what is typed, whatever that is
}

// Palette lists every action and finds it as somebody types. A disabled one stays visible
// and says why; it cannot be run.
type Palette struct {
	themed
	entries []Entry
	list    list
	said    string                     // the reason of the disabled entry that somebody tried to run
	find    func(typed string) []Entry // what else is listed for a text; nil: nothing
	fixed   int                        // the entries that find has not given
}

// NewPalette makes a palette. used are the IDs of the actions that are run most, the
// first one most often; while nothing is typed they come before the groups, which stand in the order
// in which they first occur. What cannot be done comes last, with its reason.
func NewPalette(st *style.Styles, entries []Entry, used []string) *Palette {
	p := &Palette{themed: themed{st}, entries: entries, fixed: len(entries)}
	p.list.field = newField("", "type an action or a task")
	p.list.heads = map[int]string{}
	p.list.class, p.list.also = p.class, p.means
	taken := make([]bool, len(entries))
	for i := range entries {
		taken[i] = entries[i].Found || entries[i].Takes
	}
	for _, id := range used {
		for i := range entries {
			if entries[i].ID == id && !taken[i] {
				if len(p.list.rest) == 0 {
					p.list.heads[i] = "Most used"
				}
				taken[i] = true
				p.list.rest = append(p.list.rest, i)
			}
		}
	}
	section := func(title string, in func(e *Entry) bool) {
		first := true
		for i := range entries {
			if taken[i] || !in(&entries[i]) {
				continue
			}
			if first && title != "" {
				p.list.heads[i] = title
			}
			first, taken[i] = false, true
			p.list.rest = append(p.list.rest, i)
		}
	}
	for k := range entries {
		group := entries[k].Group
		section(group, func(e *Entry) bool { return e.Group == group && e.Reason == "" })
	}
	section("Not now", func(*Entry) bool { return true })
	for i := range entries {
		words := text.SafeLine(entries[i].Title + "  " + entries[i].Group)
		if entries[i].Takes {
			words = ""
		}
		p.list.texts = append(p.list.texts, words)
	}
	p.list.filter()
	return p
}

// Find has f give further entries for each text that is typed.
func (p *Palette) Find(f func(typed string) []Entry) { p.find = f }

// refind asks for the entries of what is typed now.
func (p *Palette) refind() {
	if p.find == nil {
		return
	}
	p.entries, p.list.texts = p.entries[:p.fixed:p.fixed], p.list.texts[:p.fixed:p.fixed]
	if typed := p.typed(); typed != "" {
		for _, e := range p.find(typed) {
			e.Found = true
			p.entries, p.list.texts = append(p.entries, e), append(p.list.texts, text.SafeLine(e.Title+"  "+e.Group))
		}
	}
	p.list.asked = "" // its rows are others now
	p.list.filter()
}

// class puts the name that was typed first, then names that begin so, even those that cannot be done here: the person
// named them, and enter says why not. Of the others those that can be done come first.
func (p *Palette) class(i int, query string) int {
	e := &p.entries[i]
	title, typed := strings.ToLower(e.Title), strings.ToLower(query)
	class := 3
	switch {
	case title == typed:
		return 0
	case strings.HasPrefix(title, typed):
		class = 1
	}
	if e.Reason != "" || e.Found {
		class++
	}
	return class
}

// means reports that what an action does, or words of the same meaning, have every word that was typed.
func (p *Palette) means(i int, query string) bool {
	if p.entries[i].Takes {
		return true
	}
	if p.entries[i].Found && p.entries[i].Words == "" { // a task: its help is that of all
		return false
	}
	about := strings.ToLower(p.entries[i].Help + " " + p.entries[i].Words)
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if len(word) < 3 || !strings.Contains(about, word) {
			return false
		}
	}
	return true
}

// Move moves the cursor by d rows.
func (p *Palette) Move(d int) Outcome { p.said = ""; p.list.move(d); return Stayed{} }

// Choose runs the entry under the cursor, or says why it cannot.
func (p *Palette) Choose() Outcome {
	i, ok := p.list.at()
	if !ok {
		return Stayed{}
	}
	e := p.entries[i]
	if e.Reason != "" {
		p.said = e.Reason
		return Refused{e.ID, e.Reason}
	}
	if e.Takes {
		return Took{e.ID, p.typed()}
	}
	return Ran{e.ID}
}

// typed is what stands in its line.
func (p *Palette) typed() string { return strings.TrimSpace(p.list.field.value()) }

// HandleKey implements Overlay.
func (p *Palette) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc":
		return Canceled{}
	case "enter":
		return p.Choose()
	}
	before := p.typed()
	if _, used := p.list.key(k); !used {
		return Ignored{}
	}
	if p.typed() != before {
		p.refind()
	}
	p.said = ""
	return Stayed{}
}

// HandlePaste implements Overlay.
func (p *Palette) HandlePaste(s string) Outcome {
	if p.list.paste(s) {
		p.refind()
	}
	return Stayed{}
}

// Click runs the entry that it hits.
func (p *Palette) Click(_, y int) Outcome {
	r := p.list.rowAt(y - 3)
	if r < 0 {
		return Stayed{}
	}
	p.list.cur = r
	return p.Choose()
}

// Wheel implements Overlay.
func (p *Palette) Wheel(d int) Outcome { p.list.win.Scroll(d, p.list.height()); return Stayed{} }

// Size implements Overlay.
func (p *Palette) Size(w, h int) (int, int) {
	return min(w, 84), min(h, max(8, min(h*4/5, len(p.entries)+len(p.list.heads)+6)))
}

// View implements Overlay.
func (p *Palette) View(w, h int) []string {
	iw, ih := inner(w, h)
	body := p.typing(&p.list.field, p.st.Glyph.Arrow, iw)
	body = append(body, p.list.draw(p.st, iw, max(0, ih-4), p.row, "No action has that name.")...)
	body = append(body, p.rule(iw), p.about(iw))
	return box{title: "Palette", extra: strconv.Itoa(len(p.list.shown)), scroll: p.list.scroll()}.draw(p.st, body, w, h)
}

// about is the line beneath the list: what the entry does, or why it cannot.
func (p *Palette) about(w int) string {
	l := oneLine(w)
	i, ok := p.list.at()
	switch {
	case p.said != "":
		l.Add(p.st.Bad, "Not now: ").Add(p.st.Bad, text.SafeLine(p.said))
	case ok && p.entries[i].Reason != "":
		l.Add(p.st.Warn, "Not now: ").Add(p.st.Muted, text.SafeLine(p.entries[i].Reason))
	case ok:
		l.Add(p.st.Muted, text.SafeLine(p.entries[i].Help))
	}
	return l.String()
}

// What an action does stands beside its title, in a column of its own, where there is room.
const (
	paletteTitle = 20
	leastHelp    = 30
)

func (p *Palette) row(l *rows.Line, r shownRow, cursor bool) {
	e := &p.entries[r.index]
	title := text.SafeLine(e.Title)
	if e.Takes {
		title += " " + text.SafeLine(strconv.Quote(p.typed()))
	}
	ink, keyInk := p.st.Text, p.st.Key
	if e.Reason != "" {
		ink, keyInk = p.st.Faint, p.st.KeyOff
	} else if cursor {
		ink = p.st.Bold
	}
	keys := text.SafeLine(e.Keys)
	room := max(0, l.Left()-text.Width(keys)-2)
	l.AddMatches(ink, p.st.Match, text.Truncate(title, room), rows.Within(r.hits, 0, len(title)))
	room -= min(room, text.Width(title))
	if lead := max(2, paletteTitle-text.Width(title)); e.Reason == "" && len(r.hits) == 0 && room-lead >= leastHelp {
		l.Space(lead).AddMax(p.st.Faint, text.SafeLine(e.Help), room-lead)
		room = 0
	}
	switch {
	case e.Reason != "" && room > 8:
		l.Space(2).AddMax(p.st.Faint, dash(p.st)+text.SafeLine(e.Reason), room-2)
	case len(r.hits) > 0 && room > 6: // the group helps to tell matches apart
		group := text.SafeLine(e.Group)
		if text.Width(group) <= room-2 {
			l.Space(2).AddMatches(p.st.Faint, p.st.Match, group, rows.Within(r.hits, len(title)+2, len(group)))
		}
	}
	l.To(l.Used() + l.Left() - text.Width(keys) - 1)
	l.Add(keyInk, keys)
}

// dash stands before why an action is not possible.
func dash(st *style.Styles) string {
	if st.Options.ASCII {
		return "- "
	}
	return "— "
}
