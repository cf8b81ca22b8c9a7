package outline

import (
	"fmt"
	"strconv"

	"vespe/model"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// From how many columns on a row shows more than its name.
const (
	showWord     = 34 // the status as a word, beside its glyph
	showPriority = 58
	wordWidth    = model.ColumnWidth
	leastName    = 8 // cells that a name gets before the rest goes
)

func (o *Outline) draw(lines []string, w int) {
	if len(o.rows) == 0 {
		o.drawEmpty(lines, w)
		return
	}
	o.Win.Draw(lines, w, len(o.rows), func(r int) string { return o.drawRow(r, w) })
}

func (o *Outline) drawEmpty(lines []string, w int) {
	say := o.Empty
	switch {
	case o.filter.on() && o.snap != nil && o.snap.Len() > 0:
		say = o.Unmatched
	case o.snap == nil:
		say = nil
	}
	rows.Notice(lines, w, o.Styles, say)
}

func (o *Outline) drawRow(r, w int) string {
	l := &o.line
	l.Reset(w, o.Base(r == o.Cur))
	row := o.rows[r]
	rows.Gutter(l, o.Styles, r == o.Cur, o.Focused, row >= 0 && o.IsMarked(o.snap.UID(int(row))))
	switch {
	case row == storeRow:
		o.drawStore(l)
	case row < 0:
		o.drawProblem(l, row)
	default:
		o.drawTask(l, row, w, r == o.Cur)
	}
	return l.String()
}

// guides are the cells before a row's fold mark: two for every level, of which the outer
// ones give way when they would take half of the width.
func (o *Outline) guides(row int32, w int) []string {
	cells := o.guideCells[:0]
	d := o.depth(row)
	if d == 0 {
		return cells
	}
	g := &o.Styles.Glyph
	most := max(1, (w/2-4)/2)
	var p int32
	var last bool
	if row >= 0 {
		p, last = o.snap.Parent(int(row)), o.last[row]
	} else {
		p, last = o.owner[^row], o.lastProblem(row)
	}
	if last {
		cells = append(cells, g.Last)
	} else {
		cells = append(cells, g.Branch)
	}
	for n := d - 1; n > 0 && p >= 0; n-- {
		if len(cells) == most {
			cells = append(cells, g.Ellipsis+" ")
			break
		}
		if o.last[p] {
			cells = append(cells, g.Blank)
		} else {
			cells = append(cells, g.Trunk)
		}
		p = o.snap.Parent(int(p))
	}
	o.guideCells = cells
	for i, j := 0, len(cells)-1; i < j; i, j = i+1, j-1 {
		cells[i], cells[j] = cells[j], cells[i]
	}
	return cells
}

// lastProblem reports whether nothing follows a problem's row.
func (o *Outline) lastProblem(row int32) bool {
	list := o.flaws[-1]
	return list[len(list)-1] == ^row
}

// flawed is the ink of the mark on the row of a task that something is wrong with; ok is
// false when nothing is, or when its status says so already.
func (o *Outline) flawed(i int32, st model.Status) (ink style.Ink, ok bool) {
	list := o.flaws[i]
	if len(list) == 0 || st == model.StatusProblem {
		return style.Ink{}, false
	}
	for _, k := range list {
		if o.problems[k].Severity == model.Error {
			return o.Styles.Bad, true
		}
	}
	return o.Styles.Warn, true
}

// markCells are the columns of a row's fold mark, with the blank or guide beside it.
func (o *Outline) markCells(row int32) (from, to int) {
	n := len(o.guides(row, o.Width))
	if n == 0 {
		return 1, 3
	}
	return 2 * n, 2*n + 2
}

// addMark draws the guides and the fold mark, which takes the second cell of the
// innermost guide.
func (o *Outline) addMark(l *rows.Line, row int32, w int, canFold, open bool) {
	g := &o.Styles.Glyph
	mark := g.Leaf
	if canFold {
		mark = g.Folded
		if open {
			mark = g.Unfolded
		}
	}
	cells := o.guides(row, w)
	for i, c := range cells {
		if i == len(cells)-1 && canFold {
			l.Add(o.Styles.Border, firstCell(c)).Add(o.Styles.Muted, mark)
		} else {
			l.Add(o.Styles.Border, c)
		}
	}
	if len(cells) == 0 {
		l.Add(o.Styles.Muted, mark)
	}
	l.Space(1)
}

// firstCell is the first character of a guide.
func firstCell(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

func (o *Outline) drawStore(l *rows.Line) {
	g := &o.Styles.Glyph
	mark := g.Folded
	if o.storeOpen {
		mark = g.Unfolded
	}
	l.Add(o.Styles.Muted, mark).Space(1).Add(o.Styles.Bad, g.Warning).Space(1).Add(o.Styles.Bad, text.Plural(len(o.flaws[-1]), "problem")+" of the store")
}

func (o *Outline) drawProblem(l *rows.Line, row int32) {
	o.addMark(l, row, l.Left()+l.Used(), false, false)
	p := o.problems[^row]
	ink := o.Styles.Warn
	if p.Severity == model.Error {
		ink = o.Styles.Bad
	}
	where := text.SafeLine(p.Path)
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, p.Line)
	}
	l.Add(ink, o.Styles.Glyph.Warning).Space(1).Add(ink, text.SafeLine(p.Reason))
	if where != "" && l.Left() > 3 {
		l.Space(2).Add(o.Styles.Faint, where)
	}
}

// drawTask draws: fold mark, glyph, name; at the right edge what is inside, the priority
// and the status as a word.
func (o *Outline) drawTask(l *rows.Line, i int32, w int, cursor bool) {
	t := o.snap.At(int(i))
	st := o.snap.Status(int(i))
	canFold := o.foldable(i)
	open := canFold && o.folds()[i]
	o.addMark(l, i, w, canFold, open)
	glyph, ink := o.Styles.Status(st)
	dim := o.filter.shown != nil && o.filter.shown[i] != match
	nameInk := o.Styles.Text
	switch {
	case dim:
		ink, nameInk = o.Styles.Faint, o.Styles.Faint
	case st == model.StatusDone || st == model.StatusAborted:
		nameInk = o.Styles.Muted
	case cursor && o.Focused:
		nameInk = o.Styles.Bold
	}
	l.Add(ink, glyph).Space(1)

	right := o.right[:0]
	if canFold {
		right = o.inside(right, i, open)
	}
	if w >= showPriority {
		right = o.priority(right, t)
	}
	if w >= showWord {
		right = append(right, span{ink, text.Pad(o.snap.StatusShort(int(i)), wordWidth+1), 2})
	}
	o.right = right
	room := l.Left() - width(right)
	for len(right) > 0 && room < leastName {
		room += right[0].width()
		right = right[1:]
	}
	flaw, flawed := o.flawed(i, st)
	if flawed {
		room = max(0, room-2)
	}
	name := text.Truncate(text.SafeLine(t.Config.Name), max(0, room))
	if name == "" && t.Config.Name == "" {
		name, nameInk = text.Truncate(string(t.UID), room), o.Styles.Faint
	}
	hit := o.Styles.Match
	if cursor {
		hit = o.Styles.MatchNow
	}
	l.AddMatches(nameInk, hit, name, rows.Occurrences(name, o.Query()))
	if flawed {
		l.Space(1).Add(flaw, o.Styles.Glyph.Warning)
	}
	l.To(w - width(right))
	for _, s := range right {
		l.Space(s.gap).Add(s.ink, s.text)
	}
}

// span is a piece at the right edge, with the blanks before it.
type span struct {
	ink  style.Ink
	text string
	gap  int
}

func (s span) width() int { return s.gap + text.Width(s.text) }

func width(spans []span) int {
	w := 0
	for _, s := range spans {
		w += s.width()
	}
	return w
}

// inside says what lies beneath a task: when it is folded, how many tasks there are of
// each status that matters, the worst first; and how much of it is done.
func (o *Outline) inside(dst []span, i int32, open bool) []span {
	if !open {
		c := o.snap.Counts(int(i))
		c[o.snap.Status(int(i))]--
		gap := 2
		for _, st := range o.worst {
			n := int(c[st])
			if n <= 0 || st == model.StatusDone || st == model.StatusAborted {
				continue
			}
			glyph, ink := o.Styles.Status(st)
			dst = append(dst, span{ink, glyph + strconv.Itoa(n), gap})
			gap = 1
			if len(dst) == 3 {
				break
			}
		}
	}
	if done, total := o.snap.Progress(int(i)); total > 0 && len(o.snap.Children(int(i))) > 0 {
		ink := o.Styles.Faint
		if done == total {
			ink = o.Styles.Good
		}
		dst = append(dst, span{ink, fmt.Sprintf("%d/%d", done, total), 2})
	} else if st := o.snap.Status(int(i)); st == model.StatusRunning || st == model.StatusWaiting || st == model.StatusPaused {
		if percent, ok := o.snap.At(int(i)).Status.Percent(); ok {
			dst = append(dst, span{o.Styles.Faint, fmt.Sprintf("%d%%", percent), 2})
		}
	}
	return dst
}

// priority is the mark of a priority that somebody set, two cells wide.
func (o *Outline) priority(dst []span, t *model.Task) []span {
	var p model.Priority
	if t.Spec != nil {
		p = t.Spec.Priority
	}
	sign, ink := o.Styles.Priority(p)
	return append(dst, span{ink, text.Pad(sign, 2), 2})
}
