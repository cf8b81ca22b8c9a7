package inbox

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vespe/model"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

const (
	showWanted = 58 // columns from which on what is wanted stands as words
	showBlocks = 90 // … and the number of tasks behind an item
	wantWidth  = model.ColumnWidth
	leastTitle = 12
)

// View draws the rows in view: h lines of w cells, which are not to be changed.
func (b *Inbox) View(w, h int) []string {
	if !b.Dirty && b.lineW == w && len(b.lines) == h {
		return b.lines
	}
	if h != b.win.Height && h > 0 {
		b.win.Resize(h, b.cur, len(b.rows))
	}
	lines := make([]string, max(0, h))
	switch {
	case b.snap == nil:
		rows.Notice(lines, w, b.Styles, nil)
	case len(b.rows) == 0 && b.total > 0:
		say := b.Unmatched
		if len(say) == 0 {
			say = []string{"Nothing here matches the filter."}
		}
		rows.Notice(lines, w, b.Styles, append(slices.Clone(say), plural(b.total, "item")+" without it"))
	case len(b.rows) == 0 && b.snap.Len() == 0 && len(b.Empty) > 0:
		rows.Notice(lines, w, b.Styles, b.Empty)
	case len(b.rows) == 0:
		rows.Notice(lines, w, b.Styles, []string{"Nothing waits for you.", "Plans, finished work and questions appear here."})
	default:
		b.win.Draw(lines, w, len(b.rows), func(r int) string { return b.drawRow(r, w) })
	}
	b.lines, b.lineW, b.Dirty = lines, w, false
	return lines
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return text.Count(n) + " " + word + "s"
}

func (b *Inbox) drawRow(r, w int) string {
	l := &b.line
	l.Reset(w, b.Base(r == b.cur))
	rows.Gutter(l, b.Styles, r == b.cur, b.Focused, b.isMarked(b.rows[r]))
	if b.rows[r] < 0 {
		kind := model.InboxKind(^b.rows[r])
		l.Add(b.Styles.HeadingMinor, heading(kind)).Space(2).Add(b.Styles.Faint, strconv.Itoa(b.count[kind]))
		return l.String()
	}
	b.drawItem(l, r, w)
	return l.String()
}

func heading(k model.InboxKind) string {
	switch k {
	case model.InboxPlan:
		return "Plans to review"
	case model.InboxWork:
		return "Work to review"
	case model.InboxWaiting:
		return "Requests"
	case model.InboxExpired:
		return "Expired without an answer"
	case model.InboxStale:
		return "Stale: edited since accepted"
	case model.InboxDeferred:
		return "Deferred"
	case model.InboxAsked:
		return "Question asked"
	case model.InboxChanged:
		return "Changed since accepted"
	case model.InboxEscalation:
		return "Escalations"
	case model.InboxElsewhere:
		return "Accepted elsewhere, unsigned"
	case model.InboxProblem:
		return "Problems"
	}
	return "Other"
}

// want is what a person is asked to do, and the sign of it.
func (b *Inbox) want(it *model.InboxItem) (glyph string, ink style.Ink, words string) {
	switch it.Kind {
	case model.InboxPlan:
		glyph, ink = b.Styles.Status(model.StatusReviewPlan)
		return glyph, ink, b.snap.StatusShort(int(it.Task))
	case model.InboxWork:
		glyph, ink = b.Styles.Status(model.StatusReviewWork)
		return glyph, ink, model.StatusReviewWork.Label()
	case model.InboxWaiting, model.InboxExpired:
		glyph, ink = b.Styles.Status(model.StatusWaiting)
		return glyph, ink, "answer"
	case model.InboxStale:
		glyph, ink = b.Styles.Status(model.StatusChanged)
		return glyph, ink, "approve again"
	case model.InboxDeferred:
		glyph, _ = b.Styles.Status(model.StatusReviewPlan)
		return glyph, b.Styles.Muted, "deferred"
	case model.InboxAsked:
		glyph, _ = b.Styles.Status(model.StatusReviewPlan)
		return glyph, b.Styles.Muted, "question asked"
	case model.InboxChanged:
		glyph, ink = b.Styles.Status(model.StatusChanged)
		return glyph, ink, "revalidate"
	case model.InboxElsewhere:
		glyph, ink = b.Styles.Status(b.snap.Status(int(it.Task)))
		return glyph, ink, "confirm"
	case model.InboxEscalation:
		glyph, ink = b.Styles.Status(model.StatusError)
		return glyph, ink, "escalation"
	}
	glyph, ink = b.Styles.Status(model.StatusProblem)
	return glyph, ink, "problem"
}

// drawItem draws: glyph, what is wanted, title, where it is; at the right edge whether its risk is
// high, how many tasks wait behind it and since when it waits.
func (b *Inbox) drawItem(l *rows.Line, r, w int) {
	it := &b.items[b.rows[r]]
	glyph, ink, words := b.want(it)
	held := b.rows[r] == b.held
	if held {
		ink, words = b.Styles.Muted, "not waiting"
	}
	l.Space(1).Add(ink, glyph).Space(1)
	if w >= showWanted {
		l.Add(ink, text.Pad(words, wantWidth)).Space(2)
	}
	age := text.PadLeft(Age(b.now, it.Since), 4) + " "
	if held {
		age = ""
	}
	behind := ""
	if it.Behind > 0 {
		n := strconv.Itoa(it.Behind)
		if it.Behind >= model.MaxBehind {
			n += "+"
		}
		behind = b.Styles.Glyph.Arrow + n
		if w >= showBlocks {
			behind = "blocks " + n
		}
	}
	risk := ""
	if b.isHigh(it) && !held {
		if risk = "high!"; w >= showBlocks {
			risk = "high risk"
		}
	}
	right := gap(age) + gap(behind) + gap(risk)
	for _, least := range []*string{&behind, &age, &risk} { // the first gives way first
		if l.Left()-right < leastTitle {
			right -= gap(*least)
			*least = ""
		}
	}
	room := max(0, l.Left()-right)
	title := b.title(it)
	nameInk := b.Styles.Text
	hit := b.Styles.Match
	if r == b.cur {
		hit = b.Styles.MatchNow
		if b.Focused {
			nameInk = b.Styles.Bold
		}
	}
	if held {
		nameInk = b.Styles.Muted
	}
	title = text.Truncate(title, room)
	l.AddMatches(nameInk, hit, title, rows.Occurrences(title, b.Query()))
	room -= text.Width(title)
	crumb := b.breadcrumb(it)
	if it.Kind == model.InboxPlan {
		crumb = cmp.Or(text.SafeLine(b.snap.StatusReason(int(it.Task))), crumb)
	}
	if held && w < showWanted {
		crumb = "not waiting"
	}
	if crumb != "" && room > 8 {
		l.Space(2).AddMax(b.Styles.Faint, crumb, room-2)
	}
	l.To(w - right)
	if risk != "" {
		l.Space(2).Add(b.Styles.Bad, risk)
	}
	if behind != "" {
		l.Space(2).Add(b.Styles.Info, behind)
	}
	if age != "" {
		l.Space(2).Add(b.Styles.Muted, age)
	}
}

// gap is the width of something at the right edge, with what stands before it.
func gap(s string) int {
	if s == "" {
		return 0
	}
	return 2 + text.Width(s)
}

// title is what an item is called: by its task's name when it is a problem of one, for that
// is what is looked for.
func (b *Inbox) title(it *model.InboxItem) string {
	if name := b.name(it); name != "" && (it.Title == "" || it.Kind == model.InboxProblem) {
		return text.SafeLine(name)
	}
	return text.SafeLine(it.Title)
}

// breadcrumb says where the item's task is in the tree: its own name when the title is
// another, then its ancestors, the nearest first. Of a problem it says what it is.
func (b *Inbox) breadcrumb(it *model.InboxItem) string {
	if it.Kind == model.InboxProblem && b.name(it) != "" {
		return text.SafeLine(it.Title)
	}
	if it.Task < 0 {
		return ""
	}
	if it.Kind == model.InboxElsewhere {
		return text.SafeLine(b.snap.StatusWord(int(it.Task)))
	}
	var parts []string
	if name := b.name(it); text.SafeLine(name) != b.title(it) {
		parts = append(parts, text.SafeLine(name))
	}
	for p := b.snap.Parent(int(it.Task)); p >= 0 && len(parts) < 6; p = b.snap.Parent(int(p)) {
		parts = append(parts, text.SafeLine(b.snap.At(int(p)).Config.Name))
	}
	slices.Reverse(parts)
	return strings.Join(parts, " "+b.Styles.Glyph.Crumb+" ")
}

// Age is how long ago t was, as model.Age says it; "" for a zero time.
func Age(now, t time.Time) string {
	if t.IsZero() || now.IsZero() {
		return ""
	}
	return model.Age(now.Sub(t))
}
