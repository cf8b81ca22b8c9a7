package detail

import (
	"strings"

	"vespe/model"
	"vespe/ui/style"
	"vespe/ui/text"
)

// writer lays out the overview. Rows have w cells; the gutter and a margin are outside.
type writer struct {
	d *Detail
	p *page
	w int
}

// labelWidth is the column of names of facts, its gap included.
const labelWidth = 12

// wide is the width from which facts stand in two columns.
const wide = 92

// longList is how many tasks a list names before it counts the rest.
const longList = 60

func (s *writer) add(row string) { s.p.add(row) }

// blank leaves a row free, once.
func (s *writer) blank() {
	if n := len(s.p.rows); n > 0 && s.p.rows[n-1].s != "" {
		s.p.add("")
	}
}

// head begins a section.
func (s *writer) head(title, note string) {
	s.blank()
	row := s.d.st.Bold.Render(title)
	if note != "" {
		row += "  " + s.d.st.Muted.Render(note)
	}
	s.add(text.Truncate(row, s.w))
}

// prose adds wrapped text, indented.
func (s *writer) prose(ink style.Ink, body string, indent int) {
	for _, l := range s.wrapped(ink, body, s.w-indent) {
		s.add(text.Spaces(indent) + l)
	}
}

// wrapped is untrusted text in lines of at most w cells.
func (s *writer) wrapped(ink style.Ink, body string, w int) []string {
	var out []string
	for _, l := range text.Wrap(strings.TrimSpace(text.Safe(body)), max(1, w)) {
		out = append(out, ink.Render(strings.TrimRight(l, " ")))
	}
	return out
}

// bullet adds a wrapped line behind a sign.
func (s *writer) bullet(sign string, signInk, ink style.Ink, body string) {
	sw := text.Width(sign) + 1
	for i, l := range s.wrapped(ink, body, s.w-2-sw) {
		lead := text.Spaces(sw)
		if i == 0 {
			lead = signInk.Render(sign) + " "
		}
		s.add("  " + lead + l)
	}
}

// link adds rows that lead to a task.
func (s *writer) link(uid model.UID, lines ...string) {
	s.p.addStop(lines...)
	s.d.overLinks = append(s.d.overLinks, uid)
}

// tasks lists tasks with their statuses in a column.
func (s *writer) tasks(list []int32) {
	snap := s.d.snap
	shown := list[:min(len(list), longList)]
	col := 0
	for _, i := range shown {
		col = max(col, text.Width(s.d.name(i)))
	}
	col = min(col, max(8, s.w-4-2-style.BadgeWidth+2))
	for _, i := range shown {
		st := snap.Status(int(i))
		_, ink := s.d.st.Status(st)
		row := "  " + s.d.st.StatusGlyph(st) + " " + s.d.st.Text.Render(text.Pad(s.d.name(i), col)) + "  " + ink.Render(snap.StatusShort(int(i)))
		s.link(snap.UID(int(i)), text.Truncate(row, s.w))
	}
	if more := len(list) - len(shown); more > 0 {
		s.add("    " + s.d.st.Muted.Render("and "+plural(more, "more task")))
	}
}

// name is what task i is called.
func (b *base) name(i int32) string {
	t := b.snap.At(int(i))
	if n := words(t.Config.Name); n != "" {
		return n
	}
	return string(t.UID)
}

// fact is one line of the table: a name and what is so.
type fact struct {
	label string
	lines []string
}

// facts gathers the table.
type facts struct {
	s      *writer
	indent int
	label  int // the column of the names, its gap included
	w      int // of a value
	list   []fact
}

func (s *writer) newFacts(indent, label int) *facts {
	w := s.w
	if s.w >= wide {
		w = (s.w - 4) / 2
	}
	return &facts{s: s, indent: indent, label: label, w: max(8, w-indent-label)}
}

// put adds a fact of untrusted text; an empty one is left out.
func (f *facts) put(label string, ink style.Ink, body string) {
	if strings.TrimSpace(body) == "" {
		return
	}
	f.list = append(f.list, fact{label, f.s.wrapped(ink, body, f.w)})
}

// draw adds a fact whose value is drawn already.
func (f *facts) draw(label, row string) {
	f.list = append(f.list, fact{label, []string{text.Truncate(row, f.w)}})
}

func (f *facts) rows(list []fact) []string {
	var out []string
	for _, x := range list {
		for i, l := range x.lines {
			label := ""
			if i == 0 {
				label = x.label
			}
			out = append(out, text.Spaces(f.indent)+f.s.d.st.Muted.Render(text.Pad(label, f.label-1))+" "+l)
		}
	}
	return out
}

// flush adds the table: one column, or two of about the same height.
func (f *facts) flush() {
	if len(f.list) == 0 {
		return
	}
	s := f.s
	if f.indent == 0 {
		s.blank()
	}
	if s.w < wide {
		for _, r := range f.rows(f.list) {
			s.add(r)
		}
		return
	}
	total := len(f.rows(f.list))
	cut, height := 0, 0
	for cut < len(f.list) && height+len(f.list[cut].lines) <= (total+1)/2 {
		height += len(f.list[cut].lines)
		cut++
	}
	left, right := f.rows(f.list[:cut]), f.rows(f.list[cut:])
	col := (s.w - 4) / 2
	for y := range max(len(left), len(right)) {
		row := ""
		if y < len(left) {
			row = left[y]
		}
		if y < len(right) {
			row = text.Pad(row, col) + "    " + right[y]
		}
		s.add(row)
	}
}
