package overlay

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Found is a row of a Finder: a task, and where in it something was found.
type Found struct {
	ID     string
	Title  string
	Glyph  string // one cell before the title
	Ink    style.Ink
	Places []FoundPlace // the best first; at least one
}

// FoundPlace is a place in a Found.
type FoundPlace struct {
	Where   string // "plan:3"
	Snippet string
	Marks   [][2]int // bytes of Snippet that match
	Title   bool     // it is the title: Snippet is all of it
}

// Finder is a line of text and what somebody else finds for it. Every change of the text is a Changed;
// the answer comes by SetFound, when it comes. The row under the cursor shows its places below the list, and
// one of them is where Choose leads.
type Finder struct {
	themed
	list  list // its rows are what was found, not what it would match itself
	found []Found
	note  string // why there are no rows, or not all
	at    int    // the place of the row under the cursor
}

// NewFinder makes a finder.
func NewFinder(st *style.Styles, value, placeholder string) *Finder {
	return &Finder{themed: themed{st}, list: list{field: newField(value, placeholder)}}
}

// Value is what is typed.
func (f *Finder) Value() string { return f.list.field.value() }

// SetFound shows what was found. The cursor stays on its row while nothing else is typed. note is what there is
// to say beside it.
func (f *Finder) SetFound(found []Found, note string, same bool) {
	id := ""
	if same {
		id, _, _ = f.Current()
	}
	place, cur := f.at, 0
	f.found, f.note, f.at, f.list.shown = found, note, 0, nil
	for i := range found {
		f.list.shown = append(f.list.shown, shownRow{index: i})
		if found[i].ID == id && id != "" {
			cur, f.at = i, min(place, len(found[i].Places)-1)
		}
	}
	f.list.cur = 0
	f.list.move(cur)
}

// Current is the row under the cursor, and which of its places.
func (f *Finder) Current() (id string, place int, ok bool) {
	i, ok := f.list.at()
	if !ok {
		return "", 0, false
	}
	return f.found[i].ID, f.at, true
}

// Move moves the cursor by d rows.
func (f *Finder) Move(d int) Outcome {
	if f.list.move(d) {
		f.at = 0
	}
	return Stayed{}
}

// NextPlace goes to the next place of the row under the cursor.
func (f *Finder) NextPlace() Outcome {
	if i, ok := f.list.at(); ok {
		f.at = (f.at + 1) % max(1, len(f.found[i].Places))
	}
	return Stayed{}
}

// Choose picks the row under the cursor.
func (f *Finder) Choose() Outcome {
	if id, _, ok := f.Current(); ok {
		return Picked{id}
	}
	return Stayed{}
}

// HandleKey implements Overlay.
func (f *Finder) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc":
		return Canceled{}
	case "enter":
		return f.Choose()
	case "tab":
		return f.NextPlace()
	}
	if d, ok := steps(k, true, f.list.win.Page()); ok {
		return f.Move(d)
	}
	changed, used := f.list.field.key(k)
	switch {
	case changed:
		return Changed{f.Value()}
	case used:
		return Stayed{}
	}
	return Ignored{}
}

// HandlePaste implements Overlay.
func (f *Finder) HandlePaste(s string) Outcome {
	if f.list.field.paste(s) {
		return Changed{f.Value()}
	}
	return Stayed{}
}

// Click puts the cursor on a row; a click on the row under the cursor picks it.
func (f *Finder) Click(_, y int) Outcome {
	switch r := f.list.rowAt(y - 3); r {
	case -1:
		return Stayed{}
	case f.list.cur:
		return f.Choose()
	default:
		return f.Move(r - f.list.cur)
	}
}

// Wheel implements Overlay.
func (f *Finder) Wheel(d int) Outcome { f.list.win.Scroll(d, f.list.height()); return Stayed{} }

// Size implements Overlay: it keeps its size whatever is found, so that nothing jumps while somebody types.
func (f *Finder) Size(w, h int) (int, int) { return min(w, 140), min(h, max(12, h*4/5)) }

// mostPlaces is how many places of a task are listed.
const mostPlaces = 6

// View implements Overlay.
func (f *Finder) View(w, h int) []string {
	iw, ih := inner(w, h)
	body := f.typing(&f.list.field, f.st.Glyph.Arrow, iw)
	below := 0
	if ih >= 10 {
		below = 2 + min(mostPlaces, max(1, ih/4))
	}
	body = append(body, f.list.draw(f.st, iw, max(0, ih-2-below), f.row, f.note)...)
	if below > 0 {
		body = append(body, f.rule(iw))
		body = append(body, text.Fit(f.places(iw, below-1), iw, below-1)...)
	}
	return box{title: "Find in all texts", extra: strconv.Itoa(len(f.found)), scroll: f.list.scroll()}.draw(f.st, body, w, h)
}

func (f *Finder) row(l *rows.Line, r shownRow, cursor bool) {
	x := &f.found[r.index]
	if x.Glyph != "" {
		l.Add(x.Ink, text.Truncate(text.SafeLine(x.Glyph), 1)).Space(1)
	}
	ink := f.st.Text
	if cursor {
		ink = f.st.Bold
	}
	wide := max(16, min(40, l.Left()*2/5))
	from := l.Used()
	title, marks := text.SafeLine(x.Title), [][2]int(nil)
	for i := range x.Places {
		if x.Places[i].Title {
			title, marks = safeMarks(x.Places[i].Snippet, x.Places[i].Marks)
		}
	}
	l.AddMatches(ink, f.st.Match, text.Truncate(title, wide), rows.Within(marks, 0, len(text.Truncate(title, wide))))
	at := 0
	if cursor {
		at = f.at
	}
	if at < len(x.Places) && x.Places[at].Title { // it is there already
		at++
	}
	if at >= len(x.Places) || l.Left() < 12 {
		return
	}
	l.To(from + wide + 2)
	f.place(l, &x.Places[at])
}

// place draws where something was found, and what.
func (f *Finder) place(l *rows.Line, p *FoundPlace) {
	l.AddMax(f.st.Muted, text.SafeLine(p.Where), max(8, l.Left()/3)).Space(1)
	from := 0
	if len(p.Marks) > 0 { // a line that is too short for it shows what matches, not what comes before
		if m := p.Marks[0]; text.Width(text.SafeLine(p.Snippet[:m[1]])) > l.Left()-2 {
			from = m[0]
			l.Add(f.st.Muted, f.st.Glyph.Ellipsis)
		}
	}
	var moved [][2]int
	for _, m := range p.Marks {
		moved = append(moved, [2]int{m[0] - from, m[1] - from})
	}
	s, marks := safeMarks(p.Snippet[from:], moved)
	l.AddMatches(f.st.Text, f.st.Match, s, marks)
}

// safeMarks is a text as it may be drawn, with the ranges of it that were marked.
func safeMarks(s string, marks [][2]int) (string, [][2]int) {
	var b strings.Builder
	var out [][2]int
	at := 0
	for _, m := range marks {
		if m[0] < at || m[1] > len(s) || m[1] <= m[0] {
			continue
		}
		b.WriteString(text.SafeLine(s[at:m[0]]))
		from := b.Len()
		b.WriteString(text.SafeLine(s[m[0]:m[1]]))
		out = append(out, [2]int{from, b.Len()})
		at = m[1]
	}
	b.WriteString(text.SafeLine(s[at:]))
	return b.String(), out
}

// places lists those of the row under the cursor, and the note.
func (f *Finder) places(w, h int) []string {
	var out []string
	if cur, ok := f.list.at(); ok {
		x := &f.found[cur]
		for i := range x.Places {
			if len(out) == h-1 {
				break
			}
			l := oneLine(w)
			mark := " "
			if i == f.at && len(x.Places) > 1 {
				mark = f.st.Glyph.Arrow
			}
			l.Add(f.st.Key, text.Truncate(mark, 1)).Space(1)
			f.place(l, &x.Places[i])
			out = append(out, l.String())
		}
		out = text.Fit(out, w, h-1)
		out = append(out, oneLine(w).Add(f.st.Muted, text.Truncate(text.SafeLine(f.note), w)).String())
	}
	return out
}
