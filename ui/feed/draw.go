package feed

import (
	"strconv"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/history"
	"vespe/ui/rows"
	"vespe/ui/text"
)

const (
	actorWidth = 10
	leastWhat  = 39 // cells of a row that what happened gets before the name of who did it
	titleWidth = 17
	leastName  = 26 // cells that a task's name gets before the rest goes
)

func (f *Feed) draw(lines []string, w int) {
	switch {
	case f.j == nil:
		rows.Notice(lines, w, f.Styles, f.reading)
	case len(f.rows) == 0 && f.j.Len() > 0:
		rows.Notice(lines, w, f.Styles, f.nothing())
	case len(f.rows) == 0:
		rows.Notice(lines, w, f.Styles, f.Empty)
	default:
		f.Win.Draw(lines, w, len(f.rows), func(r int) string { return f.drawRow(r, w) })
	}
}

// nothing says that no event passes, and what holds them all back: the filter of tasks before the others.
func (f *Feed) nothing() []string {
	if f.actor == "" && f.kind == nil {
		return f.Unmatched
	}
	say := "Nothing"
	if f.kind != nil {
		say += " of the kind " + strconv.Quote(f.kind.String())
	}
	say += " was done"
	if f.actor != "" {
		say += " by " + whose(f.actor)
	}
	if f.Test != nil {
		return append([]string{say + " in tasks that match the filter."}, f.Unmatched[1:]...)
	}
	return []string{say + ".", f.clears()}
}

func (f *Feed) drawRow(r, w int) string {
	l := &f.line
	on := r == f.Cur
	l.Reset(w, f.Base(on))
	if f.rows[r] < 0 {
		_, m := f.j.At(int(f.found[^f.rows[r]]))
		l.Space(1).Add(f.Styles.HeadingMinor, f.day(m.When()))
		return l.String()
	}
	at := int(f.found[f.rows[r]])
	c, m := f.j.At(at)
	rows.Gutter(l, f.Styles, on, f.Focused, f.IsMarked(c.UID))
	l.Space(1).Add(f.Styles.Muted, m.When().In(f.now.Location()).Format("15:04")).Space(2)
	sign, ink := f.Styles.Actor(m.Actor())
	l.Add(ink, sign).Space(1)
	if room := min(actorWidth, w-leastWhat); room > 0 {
		l.Add(f.Styles.Text, text.Pad(text.Truncate(text.SafeLine(m.Actor().Name()), room), room)).Space(1)
	}
	f.drawWhat(l, c, m, f.j.Index(at), on)
	return l.String()
}

// drawWhat draws what happened: the sign of the status that it led to, what it is called, the task,
// and what there is to say.
func (f *Feed) drawWhat(l *rows.Line, c *history.Chronicle, m *history.Moment, k int, on bool) {
	glyph, ink := f.Styles.Glyph.Dot, f.Styles.Faint
	if st, ok := c.Led(k); ok {
		glyph, ink = f.Styles.Status(st)
	}
	l.Add(ink, glyph).Space(1)
	title := m.Name().Past()
	title = text.SafeLine(title)
	if l.Left() >= titleWidth+1+leastName {
		title = text.Pad(title, titleWidth)
	}
	l.Add(f.Styles.Text, title).Space(1)
	nameInk, hit := f.Styles.Bold, f.Styles.Match
	if on {
		hit = f.Styles.MatchNow
	}
	name, say := text.SafeLine(f.name(c.UID)), detail(m)
	if c.UID == "" {
		name, _, say = ofMilestone(m)
		name = text.SafeLine(name)
	} else if _, there := f.task(c.UID); !there {
		nameInk = f.Styles.Faint
	}
	query := f.Query()
	l.AddMatches(nameInk, hit, name, rows.Occurrences(name, query))
	say = text.SafeLine(say)
	if say != "" && l.Left() > 6 {
		say = text.Truncate(say, l.Left()-2)
		l.Space(2).AddMatches(f.Styles.Muted, hit, say, rows.Occurrences(say, query))
	}
}

// detail is what an event says besides its name and its task's.
func detail(m *history.Moment) string {
	_, say, found := strings.Cut(m.Summary, `". `) // the name of the task stands before it
	if !found {
		_, say, found = strings.Cut(m.Summary, `": `) // as vespe wrote it before
	}
	if !found {
		_, say, _ = strings.Cut(m.Summary, `" `) // as in: assign "Record format" to milestone M1
	}
	if m.Reason != "" && (m.Name() == model.Ask || m.Name() == model.AnswerRequest) {
		say = "" // the question and the answer alone: that the task waits, or resumes, goes without saying
	}
	return model.RowText(say, m.Reason)
}

// ofMilestone is what the milestone is called that an event is about, its id, and what else is said.
func ofMilestone(m *history.Moment) (name, id, say string) {
	_, rest, _ := strings.Cut(m.Summary, "milestone ")
	id, rest, named := strings.Cut(rest, " ")
	if quoted, err := strconv.QuotedPrefix(rest); named && err == nil {
		name, _ = strconv.Unquote(quoted)
		return name, id, strings.TrimLeft(rest[len(quoted):], ".: ")
	}
	if short, ok := strings.CutSuffix(id, ":"); ok {
		return short, short, rest
	}
	return id, id, ""
}

func (f *Feed) task(uid model.UID) (*model.Task, bool) {
	if f.snap == nil {
		return nil, false
	}
	return f.snap.Task(uid)
}

// name is what a task is called; by its uid when it has gone.
func (f *Feed) name(uid model.UID) string {
	if t, ok := f.task(uid); ok && t.Config.Name != "" {
		return t.Config.Name
	}
	return string(uid)
}

// day is a day as a head has it: the year only when it differs.
func (f *Feed) day(t time.Time) string {
	t = t.In(f.now.Location())
	switch {
	case dayOf(t) == dayOf(f.now):
		return "Today"
	case dayOf(t) == dayOf(f.now.AddDate(0, 0, -1)):
		return "Yesterday"
	case t.Year() != f.now.Year():
		return t.Format("Mon 2 Jan 2006")
	}
	return t.Format("Mon 2 Jan")
}
