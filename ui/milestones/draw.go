package milestones

import (
	"fmt"
	"slices"
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
	showDays   = 96 // columns from which on both days stand beside the bar
	showWords  = 64 // … and the words of a task's status
	statusWide = model.ColumnWidth
	farOff     = 100 // days from which on the day says more than their number
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
		say := v.Unmatched
		if len(say) == 0 {
			say = []string{"Nothing here matches the filter."}
		}
		rows.Notice(lines, w, v.Styles, slices.Clone(say))
	default:
		c := v.columns(w)
		v.Win.Draw(lines, w, len(v.rows), func(r int) string { return v.drawRow(r, w, c) })
	}
}

// columns are the widths of what stands at the right edge, the same in every row.
type columns struct{ bar, count, due int }

func (v *List) columns(w int) columns {
	c := columns{bar: barWidth(w)}
	for k := range v.list {
		c.count = max(c.count, text.Width(countOf(&v.list[k])))
		words, _ := v.due(&v.list[k], w)
		c.due = max(c.due, text.Width(words))
	}
	wanted := leastName
	for k := range v.list {
		wanted = max(wanted, min(niceName, text.Width(text.SafeLine(v.list[k].Name))))
	}
	for c.bar > leastBar && w-taskFrom-c.width() < wanted {
		c.bar--
	}
	for _, least := range []*int{&c.bar, &c.count, &c.due} { // the first gives way first
		if w-taskFrom-c.width() < leastName {
			*least = 0
		}
	}
	return c
}

func (c columns) width() int {
	sum := 1
	for _, n := range []int{c.bar, c.count, c.due} {
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
	case x.stone < 0:
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
	m := &v.list[v.rows[r].stone]
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
	if c.due > 0 {
		words, ink := v.due(m, w)
		l.Space(2).Add(ink, text.PadLeft(words, c.due))
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

// Mark is the sign in a bar for how much of the time has passed.
func Mark(st *style.Styles) string {
	if st.Options.ASCII {
		return "|"
	}
	return "│"
}

// bar draws progress; where the milestone has both days, a sign stands where it would be if
// the work went as evenly as the time.
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
	mark := -1
	if share, ok := m.Elapsed(v.today); ok && share > 0 && m.Status != snapshot.MilestoneCompleted {
		mark = min(int(share*float64(w)), w-1)
	}
	part := func(from, to int) {
		l.Add(ink, strings.Repeat(v.Styles.Glyph.Bar, max(0, min(to, full)-from)))
		l.Add(v.Styles.Border, strings.Repeat(v.Styles.Glyph.BarEmpty, max(0, to-max(from, full))))
	}
	if mark < 0 {
		part(0, w)
		return
	}
	now := v.Styles.Muted
	if mark >= full {
		now = v.Styles.Warn
	}
	part(0, mark)
	l.Add(now, Mark(v.Styles))
	part(mark+1, w)
}

// due says when a milestone is due, or that it is late.
func (v *List) due(m *snapshot.Milestoning, w int) (string, style.Ink) {
	words, ink := Due(v.Styles, m, v.today)
	if w >= showDays && m.Due != "" {
		days := string(m.Due)
		if m.Start != "" {
			days = string(m.Start) + " " + v.Styles.Glyph.Arrow + " " + days
		}
		if words == string(m.Due) {
			words = ""
		}
		words = days + "  " + text.PadLeft(words, 9)
	}
	return words, ink
}

// Due says in a few words when a milestone is due, or that it is late.
func Due(st *style.Styles, m *snapshot.Milestoning, today model.Date) (string, style.Ink) {
	if m.Due == "" {
		if m.Status == snapshot.MilestoneCompleted {
			return "done", st.Good
		}
		return "", st.Muted
	}
	late := m.LateBy(today)
	switch {
	case m.Status == snapshot.MilestoneCompleted:
		return "done", st.Good
	case late > 0:
		return text.Count(late) + " d late", st.Bad
	case late == 0:
		return "today", st.Warn
	case m.Status == snapshot.MilestoneFailed:
		return "failed", st.Bad
	}
	ink := st.Muted
	if share, ok := m.Elapsed(today); ok && m.Total > 0 && share > float64(m.Done)/float64(m.Total) {
		ink = st.Warn
	}
	if -late >= farOff {
		return string(m.Due), ink
	}
	return "in " + text.Count(-late) + " d", ink
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
