package inbox

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

const (
	showBlocks = 90 // … and the number of tasks behind an item
	leastTitle = 12
	appear     = "Plans, finished work and questions appear here as agents write them." // an empty inbox says so
)

func (b *Inbox) draw(lines []string, w int) {
	switch {
	case b.snap == nil:
		rows.Notice(lines, w, b.Styles, nil)
	case len(b.rows) == 0 && b.total > 0:
		rows.Notice(lines, w, b.Styles, append(slices.Clone(b.Unmatched), text.Plural(b.total, "item")+" without it"))
	case len(b.rows) == 0 && b.snap.Len() == 0 && len(b.Empty) > 1:
		rows.Notice(lines, w, b.Styles, append([]string{appear}, b.Empty[1:]...))
	case len(b.rows) == 0:
		rows.Notice(lines, w, b.Styles, []string{"Nothing waits for you.", appear})
	default:
		b.Win.Draw(lines, w, len(b.rows), func(r int) string { return b.drawRow(r, w) })
	}
}

func (b *Inbox) drawRow(r, w int) string {
	l := &b.line
	l.Reset(w, b.Base(r == b.Cur))
	rows.Gutter(l, b.Styles, r == b.Cur, b.Focused, b.isMarked(b.rows[r]))
	if b.rows[r] < 0 {
		kind := snapshot.InboxKind(^b.rows[r])
		l.Add(b.Styles.HeadingMinor, heading(kind)).Space(2).Add(b.Styles.Faint, strconv.Itoa(b.count[kind]))
		return l.String()
	}
	b.drawItem(l, r, w)
	return l.String()
}

func heading(k snapshot.InboxKind) string {
	switch k {
	case snapshot.InboxPlan:
		return "Plans to review"
	case snapshot.InboxWork:
		return "Work to review"
	case snapshot.InboxWaiting:
		return "Requests"
	case snapshot.InboxExpired:
		return "Expired without an answer"
	case snapshot.InboxStale:
		return "Stale: edited since accepted"
	case snapshot.InboxDeferred:
		return "Deferred"
	case snapshot.InboxAsked:
		return "Question asked"
	case snapshot.InboxChanged:
		return "Changed since accepted"
	case snapshot.InboxEscalation:
		return "Escalations"
	case snapshot.InboxFailed:
		return "Failed attempts"
	case snapshot.InboxElsewhere:
		return "Accepted elsewhere, unsigned"
	case snapshot.InboxProblem:
		return "Problems"
	}
	return "Other"
}

// sign is the sign of what a person is asked to do; the heading above says it in words.
func (b *Inbox) sign(it *snapshot.InboxItem) (glyph string, ink style.Ink) {
	st := model.StatusProblem
	switch it.Kind {
	case snapshot.InboxPlan:
		st = model.StatusReviewPlan
	case snapshot.InboxDeferred, snapshot.InboxAsked:
		glyph, _ = b.Styles.Status(model.StatusReviewPlan)
		return glyph, b.Styles.Muted
	case snapshot.InboxWork:
		st = model.StatusReviewWork
	case snapshot.InboxWaiting, snapshot.InboxExpired:
		st = model.StatusWaiting
	case snapshot.InboxStale, snapshot.InboxChanged:
		st = model.StatusChanged
	case snapshot.InboxElsewhere:
		st = b.snap.Status(int(it.Task))
	case snapshot.InboxEscalation, snapshot.InboxFailed:
		st = model.StatusError
	}
	return b.Styles.Status(st)
}

// drawItem draws: glyph, title, where it is; at the right edge its risk, how many tasks wait behind it and since when it
// waits.
func (b *Inbox) drawItem(l *rows.Line, r, w int) {
	it := &b.items[b.rows[r]]
	glyph, ink := b.sign(it)
	held := b.rows[r] == b.held
	if held {
		ink = b.Styles.Muted
	}
	l.Space(1).Add(ink, glyph).Space(1)
	age := text.PadLeft(Age(b.now, it.Since), 4) + " "
	behind, risk, riskInk := "", "", b.Styles.Muted
	if it.Behind > 0 {
		n := strconv.Itoa(it.Behind)
		if it.Behind >= snapshot.MaxBehind {
			n += "+"
		}
		behind = b.Styles.Glyph.Arrow + n
		if w >= showBlocks {
			behind = "blocks " + n
		}
	}
	if held {
		age, behind = "", ""
	} else {
		risk, riskInk = b.riskWord(b.snap.RiskOf(it), w)
	}
	if w >= showColumns { // each has a column
		behind, risk = text.PadLeft(behind, behindWidth(w)), text.Pad(risk, riskWidth(w))
		age = text.Pad(age, ageWidth)
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
	if r == b.Cur {
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
	if it.Kind == snapshot.InboxPlan {
		if why := b.snap.StatusReason(int(it.Task)); why != "" {
			crumb = text.SafeLine(strings.ToLower(b.snap.StatusShort(int(it.Task))) + ": " + why)
		}
	}
	if held {
		crumb = "not waiting"
	}
	if crumb != "" && room > 8 {
		l.Space(2).AddMax(b.Styles.Faint, crumb, room-2)
	}
	l.To(w - right)
	if risk != "" {
		l.Space(2).Add(riskInk, risk)
	}
	if behind != "" {
		l.Space(2).Add(b.Styles.Info, behind)
	}
	if age != "" {
		l.Space(2).Add(b.Styles.Muted, age)
	}
}

// Widths of the columns at the right edge.
const (
	showColumns = 40 // columns from which on they are kept free where an item has nothing to say in them
	ageWidth    = 5
)

func riskWidth(w int) int {
	if w >= showBlocks {
		return len("medium risk")
	}
	return len("high")
}

func behindWidth(w int) int {
	if w >= showBlocks {
		return len("blocks 999")
	}
	return 3 // an arrow and two digits
}

// riskWord is a risk in a word, or two where there is room, and its ink. One that nobody named is left out.
func (b *Inbox) riskWord(risk string, w int) (string, style.Ink) {
	words, ink := map[string]string{model.RiskLow: "low", model.RiskMedium: "med", model.RiskHigh: "high"}, b.Styles.Muted
	switch risk {
	case model.RiskMedium:
		ink = b.Styles.Warn
	case model.RiskHigh:
		ink = b.Styles.Bad
	}
	word := words[risk]
	if w >= showBlocks && word != "" {
		return risk + " risk", ink
	}
	return word, ink
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
func (b *Inbox) title(it *snapshot.InboxItem) string {
	if name := b.name(it); name != "" && (it.Title == "" || it.Kind == snapshot.InboxProblem) {
		return text.SafeLine(name)
	}
	return text.SafeLine(it.Title)
}

// breadcrumb says where the item's task is in the tree: its own name when the title is
// another, then its ancestors, the nearest first. Of a problem it says what it is.
func (b *Inbox) breadcrumb(it *snapshot.InboxItem) string {
	if it.Kind == snapshot.InboxProblem && b.name(it) != "" {
		return text.SafeLine(it.Title)
	}
	if it.Task < 0 {
		return ""
	}
	switch it.Kind {
	case snapshot.InboxElsewhere, snapshot.InboxFailed, snapshot.InboxStale, snapshot.InboxChanged:
		return text.SafeLine(b.snap.InboxWhy(it))
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
