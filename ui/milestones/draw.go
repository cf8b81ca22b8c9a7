package milestones

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

const (
	foldFrom   = 1 // column of the sign of a fold
	taskFrom   = 5 // … of the sign of a task's status
	maxDepth   = 6 // of the indent
	leastName  = 10
	leastBar   = 5
	niceName   = 24 // a bar is shorter for names of up to so many cells
	showWords  = 64 // … and the words of a task's status
	statusWide = model.ColumnWidth
)

const looseTitle = "In no milestone"

// barWidth is how many cells a bar of progress has in a view of w.
func barWidth(w int) int {
	switch {
	case w >= 110:
		return 24
	case w >= 70:
		return 16
	case w >= 46:
		return 10
	case w >= 34:
		return leastBar
	}
	return 0
}

func (v *List) draw(lines []string, w int) {
	switch {
	case v.snap == nil:
		rows.Notice(lines, w, v.Styles, nil)
	case len(v.list) == 0:
		rows.Notice(lines, w, v.Styles, v.Empty)
	case len(v.rows) == 0:
		rows.Notice(lines, w, v.Styles, v.Unmatched)
	default:
		c := v.columns(w)
		v.Win.Draw(lines, w, len(v.rows), func(r int) string { return v.drawRow(r, w, c) })
	}
}

// columns are the widths of what stands at the right edge, the same in every row.
type columns struct{ bar, count int }

func (v *List) columns(w int) columns {
	c := columns{bar: barWidth(w)}
	for k := range v.list {
		c.count = max(c.count, text.Width(countOf(&v.list[k])))
	}
	wanted := leastName
	for k := range v.list {
		wanted = max(wanted, min(niceName, text.Width(text.SafeLine(v.list[k].Name))))
	}
	for c.bar > leastBar && w-taskFrom-c.width() < wanted {
		c.bar--
	}
	for _, least := range []*int{&c.bar, &c.count} { // the first gives way first
		if w-taskFrom-c.width() < leastName {
			*least = 0
		}
	}
	return c
}

func (c columns) width() int {
	sum := 1
	for _, n := range []int{c.bar, c.count} {
		if n > 0 {
			sum += n + 2
		}
	}
	return sum
}

func countOf(m *snapshot.Milestoning) string {
	return fmt.Sprintf("%s/%s", text.Count(m.Done), text.Count(m.Total))
}

func (v *List) drawRow(r, w int, c columns) string {
	l := &v.line
	l.Reset(w, v.Base(r == v.Cur))
	x := v.rows[r]
	marked := x.task >= 0 && v.IsMarked(v.snap.UID(int(x.task)))
	rows.Gutter(l, v.Styles, r == v.Cur, v.Focused, marked)
	switch {
	case x.task >= 0:
		v.drawTask(l, r, w)
	case x.milestone < 0:
		v.drawLoose(l, r)
	default:
		v.drawMilestone(l, r, w, c)
	}
	return l.String()
}

// fold adds the sign of whether a row is unfolded.
func (v *List) foldSign(l *rows.Line, id string, holds bool) {
	sign := v.Styles.Glyph.Folded
	switch {
	case !holds:
		sign = " "
	case v.open[id]:
		sign = v.Styles.Glyph.Unfolded
	}
	l.Add(v.Styles.Muted, sign).To(foldFrom + 2)
}

// title adds a name with the matches of the search in it.
func (v *List) title(l *rows.Line, r int, ink style.Ink, name string, room int) {
	hit := v.Styles.Match
	if r == v.Cur {
		hit = v.Styles.MatchNow
	}
	name = text.Truncate(name, max(0, room))
	l.AddMatches(ink, hit, name, rows.Occurrences(name, v.Query()))
}

func (v *List) drawMilestone(l *rows.Line, r, w int, c columns) {
	m := &v.list[v.rows[r].milestone]
	v.foldSign(l, m.ID, len(m.Tasks) > 0)
	glyph, ink := v.Styles.Status(Status(m))
	l.Add(ink, glyph).Space(1)
	name := text.SafeLine(m.Name)
	if name == "" {
		name = text.SafeLine(m.ID)
	}
	room := w - l.Used() - c.width()
	nameInk := v.Styles.Bold
	if m.Undefined {
		nameInk = v.Styles.Muted
	}
	v.title(l, r, nameInk, name, room)
	if room -= text.Width(name); m.Undefined && room > 4 {
		l.Space(2).AddMax(v.Styles.Faint, "not defined", room-2)
	}
	l.To(w - c.width())
	if c.bar > 0 {
		l.Space(2)
		v.bar(l, m, c.bar)
	}
	if c.count > 0 {
		l.Space(2).Add(v.Styles.Muted, text.PadLeft(countOf(m), c.count))
	}
}

// Status is the status of a task that looks like that of a milestone.
func Status(m *snapshot.Milestoning) model.Status {
	switch m.Status {
	case snapshot.MilestoneCompleted:
		return model.StatusDone
	case snapshot.MilestoneFailed:
		return model.StatusFailed
	case snapshot.MilestoneInProgress:
		return model.StatusRunning
	}
	return model.StatusCreated
}

// bar draws progress.
func (v *List) bar(l *rows.Line, m *snapshot.Milestoning, w int) {
	full := 0
	if m.Total > 0 {
		full = m.Done * w / m.Total
		if full == 0 && m.Done > 0 {
			full = 1
		}
	}
	ink := v.Styles.Accent
	switch m.Status {
	case snapshot.MilestoneCompleted:
		ink = v.Styles.Good
	case snapshot.MilestoneFailed:
		ink = v.Styles.Bad
	}
	l.Add(ink, strings.Repeat(v.Styles.Glyph.Bar, full))
	l.Add(v.Styles.Border, strings.Repeat(v.Styles.Glyph.BarEmpty, w-full))
}

func (v *List) drawLoose(l *rows.Line, r int) {
	v.foldSign(l, looseID, true)
	l.Space(2)
	v.title(l, r, v.Styles.Muted, looseTitle, l.Left()-8)
	l.Space(2).Add(v.Styles.Faint, text.Count(v.loose))
}

func (v *List) drawTask(l *rows.Line, r, w int) {
	x := v.rows[r]
	status := v.snap.Status(int(x.task))
	glyph, ink := v.Styles.Status(status)
	l.To(taskFrom+2*min(int(x.depth), maxDepth)).Add(ink, glyph).Space(1)
	room := l.Left() - 1
	if w >= showWords {
		room -= statusWide + 2
	}
	nameInk := v.Styles.Text
	if !status.Open() {
		nameInk = v.Styles.Muted
	}
	v.title(l, r, nameInk, text.SafeLine(v.snap.Name(int(x.task))), room)
	if w >= showWords {
		l.To(w-statusWide-1).Add(ink, v.snap.StatusShort(int(x.task)))
	}
}
