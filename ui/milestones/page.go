package milestones

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Page is all that is known of a milestone, as the right pane shows it.
type Page struct {
	Styles    *style.Styles
	Of        *snapshot.Snapshot
	Milestone *snapshot.Milestoning
}

// Draw draws it in w cells and at most h lines.
func (p Page) Draw(w, h int, _ bool) (style.Frame, []string) {
	return style.Frame{Title: "milestone"}, p.lines(max(1, w-2), h)
}

func (p Page) lines(w, h int) []string {
	st, m := p.Styles, p.Milestone
	var out []string
	add := func(line string) { out = append(out, " "+line) }
	for _, l := range text.Wrap(text.SafeLine(m.Name), w) {
		add(st.Heading.Render(l))
	}
	glyph, ink := st.Status(Status(m))
	status := ink.Render(glyph + " " + strings.ReplaceAll(string(m.Status), "_", " "))
	add(status)
	add("")
	add(st.Progress(m.Done, m.Total, max(4, min(w-12, 40))) + st.Muted.Render(fmt.Sprintf("  %d of %d", m.Done, m.Total)))
	add("")
	field := func(label, value string) {
		for i, l := range text.Wrap(text.SafeLine(value), max(1, w-labelWide)) {
			if i > 0 {
				label = ""
			}
			add(st.Muted.Render(text.Pad(label, labelWide)) + st.Text.Render(l))
		}
	}
	edit := ""
	if !m.Undefined {
		edit = "vespe milestone edit " + m.ID
	}
	for _, f := range [][2]string{{"About", m.Description}, {"Id", m.ID}, {"Edit", edit}} {
		if f[1] != "" {
			field(f[0], f[1])
		}
	}
	if m.Undefined {
		field("", "Tasks name it, but milestones.json doesn't.")
	}
	add("")
	for i := range model.NumStatuses {
		if n := m.Counts[i]; n > 0 {
			glyph, ink := st.Status(model.Status(i))
			add(ink.Render(glyph+" "+text.Pad(model.Status(i).Label(), model.LabelWidth+1)) + st.Muted.Render(text.PadLeft(text.Count(int(n)), 4)))
		}
	}
	for _, l := range p.stillOpen(w, h-len(out)-2) {
		add(l)
	}
	return out[:min(len(out), max(0, h))]
}

// labelWide is how many cells the labels of a milestone's fields take, as those of a task do.
const labelWide = 12

// stillOpen lists up to n tasks of a milestone on which there is something to do, in w cells.
func (p Page) stillOpen(w, n int) []string {
	st, s := p.Styles, p.Of
	var tasks []int32
	wide := 8
	for _, i := range p.Milestone.Tasks {
		if s.Status(int(i)).Open() && len(s.Children(int(i))) == 0 {
			tasks = append(tasks, i)
		}
	}
	if len(tasks) == 0 || n <= 0 {
		return nil
	}
	more := 0
	if len(tasks) > n {
		more = len(tasks) - n + 1
		tasks = tasks[:n-1]
	}
	for _, i := range tasks {
		wide = max(wide, text.Width(text.SafeLine(s.Name(int(i)))))
	}
	wide = max(8, min(wide, w-18))
	out := []string{"", st.HeadingMinor.Render("Still open")}
	for _, i := range tasks {
		status := s.Status(int(i))
		glyph, ink := st.Status(status)
		name := text.Pad(text.Truncate(text.SafeLine(s.Name(int(i))), wide), wide)
		out = append(out, "  "+ink.Render(glyph)+" "+st.Text.Render(name)+"  "+ink.Render(s.StatusShort(int(i))))
	}
	if more > 0 {
		out = append(out, st.Faint.Render(fmt.Sprintf("    and %s more", text.Count(more))))
	}
	return out
}
