package board

import (
	"cmp"
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/board"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// headLines is how many lines of h the heads of the columns take.
func headLines(h int) int {
	if h >= headRule {
		return 2
	}
	return 1
}

// View draws the columns in view: h lines of w cells, which are not to be changed.
func (b *Board) View(w, h int) []string {
	if !b.Dirty && b.lineW == w && len(b.lines) == h {
		return b.lines
	}
	lines := make([]string, max(0, h))
	b.height, b.placed = h, b.placed[:0]
	switch {
	case b.snap == nil:
		rows.Notice(lines, w, b.Styles, nil)
	case b.Len() == 0 && b.snap.Len() > 0:
		rows.Notice(lines, w, b.Styles, b.Unmatched)
	case b.Len() == 0:
		rows.Notice(lines, w, b.Styles, b.Empty)
	default:
		b.draw(lines, w, h)
	}
	b.lines, b.lineW, b.Dirty = lines, w, false
	return lines
}

// fit gives every column's window its height.
func (b *Board) fit(h int) {
	b.cardH = 1
	if h >= twoLines {
		b.cardH = 2
	}
	n := max(1, (h-headLines(h))/b.cardH)
	for st := range b.win {
		v := &b.win[st]
		if board.Column(st) == b.col {
			v.Resize(n, b.row, len(b.lists[st]))
			continue
		}
		v.Height = n
		v.Clamp(len(b.lists[st]))
	}
}

func (b *Board) draw(lines []string, w, h int) {
	b.fit(h)
	b.lay(w)
	gap := b.Styles.Border.Render(b.bar())
	for y := range lines {
		var out strings.Builder
		for k, p := range b.placed {
			if k > 0 && p.x <= w {
				out.WriteString(gap)
			}
			out.WriteString(b.cell(p, y, h))
		}
		lines[y] = text.Pad(out.String(), w)
	}
}

// bar stands between two columns.
func (b *Board) bar() string {
	if b.Styles.Options.ASCII {
		return "|"
	}
	return "│"
}

// cell is one line of a column.
func (b *Board) cell(p placed, y, h int) string {
	head := headLines(h)
	on := p.st == b.col
	switch {
	case y == 0:
		return b.head(p, on)
	case y < head:
		ink, rule := b.ink(p.st), b.Styles.Glyph.Rule
		if on && b.Focused {
			rule = b.Styles.Glyph.Bar
		} else {
			ink = b.Styles.Border
		}
		return ink.Render(strings.Repeat(rule, p.w))
	}
	row, part := b.win[p.st].Top+(y-head)/b.cardH, (y-head)%b.cardH
	if row >= len(b.lists[p.st]) || (y-head)/b.cardH >= b.win[p.st].Height {
		return text.Spaces(p.w)
	}
	return b.drawCard(p, row, part)
}

// head is the name of a column and how many cards it has; of the cursor's where the cursor is, too.
func (b *Board) head(p placed, on bool) string {
	l := &b.line
	l.Reset(p.w, style.Ink{})
	n, all := b.count(p.st), len(b.lists[p.st])
	if p.st == board.ToStart && b.blocked > 0 && n == text.Count(all) { // the blocked ones apart, or not at all
		glyph, _ := b.Styles.Status(model.StatusBlocked)
		n = text.Count(all - b.blocked)
		if apart := n + " " + glyph + text.Count(b.blocked); p.w >= text.Width(p.st.Label()+apart)+3 {
			n = apart
		}
	}
	if b.Focused && on {
		l.Add(b.Styles.Marker, b.Styles.Glyph.Cursor)
	} else {
		l.Space(1)
	}
	edge := 1
	if p.w <= text.Width(p.st.Label())+text.Width(n)+2 { // the head fills it
		edge = 0
	}
	l.AddMax(b.ink(p.st), p.st.Label(), max(0, l.Left()-text.Width(n)-1-edge))
	l.To(p.w-text.Width(n)-edge).Add(b.Styles.Muted, n)
	return l.String()
}

// count is how many cards a column has; where the cursor is in a long one, also which card it is on.
func (b *Board) count(c board.Column) string {
	n := len(b.lists[c])
	if c == b.col && n > b.win[c].Height {
		return text.Count(b.row+1) + "/" + text.Count(n)
	}
	return text.Count(n)
}

// ink is that of the head of a column: what needs a person has its own.
func (b *Board) ink(c board.Column) style.Ink {
	if c == board.NeedsYou && len(b.lists[c]) > 0 {
		_, ink := b.Styles.Status(model.StatusReviewPlan)
		return ink
	}
	return b.Styles.Bold
}

// drawCard is one line of a card: its name, and where there is room, below it what there is to know.
func (b *Board) drawCard(p placed, row, part int) string {
	i := b.lists[p.st][row]
	on := p.st == b.col && row == b.row
	l := &b.line
	l.Reset(p.w, b.Base(on))
	t := b.snap.At(int(i))
	rows.Gutter(l, b.Styles, on, b.Focused, part == 0 && b.IsMarked(t.UID))
	st := b.snap.Status(int(i))
	glyph, ink := b.Styles.Status(st)
	if part > 0 {
		glyph = text.Spaces(text.Width(glyph))
	}
	l.Add(ink, glyph).Space(1)
	if part == 0 {
		b.drawName(l, st, t, on)
	} else {
		b.drawNote(l, p, int(i))
	}
	return l.String()
}

func (b *Board) drawName(l *rows.Line, st model.Status, t *model.Task, on bool) {
	name := cmp.Or(text.SafeLine(t.Config.Name), string(t.UID))
	sign, signInk := b.priority(t)
	ink, hit := b.Styles.Text, b.Styles.Match
	switch {
	case t.Config.Name == "":
		ink = b.Styles.Faint
	case st == model.StatusDone || st == model.StatusAborted:
		ink = b.Styles.Muted
	case on && b.Focused:
		ink = b.Styles.Bold
	}
	if on {
		hit = b.Styles.MatchNow
	}
	l.Add(signInk, sign).AddMatches(ink, hit, name, rows.Occurrences(name, b.Query()))
}

// priority is the mark of a priority that is not the usual one, with a blank.
func (b *Board) priority(t *model.Task) (string, style.Ink) {
	if t.Spec == nil {
		return "", style.Ink{}
	}
	sign, ink := b.Styles.Priority(t.Spec.Priority)
	if sign != "" {
		sign += " "
	}
	return sign, ink
}

// drawNote says below a card's name what holds it, else where it is in the tree, and at the right
// edge since when it is as it is.
func (b *Board) drawNote(l *rows.Line, p placed, i int) {
	t := b.snap.At(i)
	age := ""
	if at := t.Status.LastUpdatedAt; !at.IsZero() && !b.now.IsZero() {
		age = model.Age(b.now.Sub(at))
	}
	room := l.Left() - text.Width(age) - 1
	l.AddMax(b.Styles.Faint, text.SafeLine(b.note(b.snap.Status(i), i, t)), max(0, room-1))
	l.To(p.w-text.Width(age)-1).Add(b.Styles.Faint, age)
}

func (b *Board) note(st model.Status, i int, t *model.Task) string {
	s := &t.Status
	switch st {
	case model.StatusReviewPlan:
		if reason := b.snap.StatusReason(i); reason != "" {
			return reason
		}
	case model.StatusBlocked:
		if name, more := b.blocker(i); name != "" {
			if more > 0 {
				return fmt.Sprintf("%s %s +%d", b.Styles.Glyph.Back, name, more)
			}
			return b.Styles.Glyph.Back + " " + name
		}
	case model.StatusWaiting, model.StatusPaused:
		if why := s.PauseText(); why != "" {
			return why
		}
	case model.StatusError, model.StatusFailed:
		if why, _, _ := strings.Cut(strings.TrimSpace(s.ErrorDetails), "\n"); why != "" {
			return why
		}
	case model.StatusRunning:
		if who := string(s.AssignedAgentUID); who != "" {
			return strings.TrimPrefix(who, "agent:")
		}
	case model.StatusSubtasks:
		done, total := b.snap.Progress(i)
		return fmt.Sprintf("%d/%d done", done, total)
	}
	if up := b.snap.Parent(i); up >= 0 {
		return b.snap.Name(int(up))
	}
	return t.UID.Short()
}

// blocker is the name of the first dependency that holds a task back, and how many there are besides.
func (b *Board) blocker(i int) (string, int) {
	name, more := "", 0
	for _, d := range b.snap.DependsOn(i) {
		if b.snap.Met(int(d)) {
			continue
		}
		if name == "" {
			name = b.snap.Name(int(d))
		} else {
			more++
		}
	}
	return name, more
}
