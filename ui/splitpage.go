package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// splitPage is an overlay: the parts that a task is split into, side by side.
type splitPage struct {
	st        *style.Styles
	uid       model.UID
	work      complexity.Work
	limits    complexity.Limits
	whole     complexity.Score
	suggested complexity.Way
	ways      []splitWay
	way       int // of ways
	part      int // the column with the cursor
	first     int // the leftmost column in view
	shown     int // columns in the last View
	height    int // rows of a column in the last View
	colW      int
	footRows  int
	newHint   string // which key makes a part, for a sentence
	closeHint string // which key closes the page
	before    string // what the first part waits for
	after     string // who waits for the last part
	say       string // why the last key did nothing
}

var _ overlay.Overlay = (*splitPage)(nil)

func newSplitPage(st *style.Styles, t *model.Task, limits complexity.Limits) *splitPage {
	p := &splitPage{st: st, uid: t.UID, work: t.Work(), limits: limits, shown: 1}
	p.whole = complexity.Of(p.work, limits)
	p.suggested = complexity.Suggest(p.whole)
	for _, way := range complexity.Ways() {
		p.ways = append(p.ways, newSplitWay(p.work, way))
	}
	p.way = -1
	for i := range p.ways { // the way that is suggested, or else the first that gives parts
		w := &p.ways[i]
		if w.why == "" && (p.way < 0 || w.way == p.suggested) {
			p.way = i
		}
	}
	p.way = max(0, p.way)
	return p
}

// now is the way that is shown.
func (p *splitPage) now() *splitWay { return &p.ways[p.way] }

// other shows another way.
func (p *splitPage) other(d int) string {
	p.way = (p.way + d + len(p.ways)) % len(p.ways)
	p.part, p.first = 0, 0
	return ""
}

// goTo moves the cursor to another part.
func (p *splitPage) goTo(part int) string {
	p.part = max(0, min(part, len(p.now().parts)-1))
	return ""
}

// follow keeps the column with the cursor in view, and the row with it in its column.
func (p *splitPage) follow() {
	n := len(p.now().parts)
	p.part = max(0, min(p.part, n-1))
	p.first = max(0, min(p.first, n-p.shown))
	p.first = min(p.first, p.part)
	p.first = max(p.first, p.part-p.shown+1)
	c := &p.now().parts[p.part]
	c.cur = max(0, min(c.cur, len(c.items)-1))
	c.top = max(0, min(c.top, len(c.items)-p.height))
	c.top = min(c.top, c.cur)
	c.top = max(c.top, c.cur-max(1, p.height)+1)
}

func (p *splitPage) SetStyles(st *style.Styles)         { p.st = st }
func (p *splitPage) HandlePaste(string) overlay.Outcome { return overlay.Ignored{} }

// Size is as high as one part with everything in it would be, so that it stays what it is.
func (p *splitPage) Size(w, h int) (int, int) {
	items := len(p.work.Tests) + len(p.work.Criteria) + p.work.Files()
	return w, min(h, max(24, items+splitTop+splitHead+splitFoot+3))
}

func (p *splitPage) Wheel(d int) overlay.Outcome {
	p.move(d)
	return overlay.Stayed{}
}

func (p *splitPage) move(d int) {
	c := &p.now().parts[p.part]
	c.cur += d
	p.say = ""
	p.follow()
}

// HandleKey implements overlay.Overlay: what every list has. The rest are actions of its scope.
func (p *splitPage) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
	many := len(p.now().parts[p.part].items)
	switch k.String() {
	case "esc":
		return overlay.Cancelled{}
	case "enter":
		return overlay.Confirmed{}
	case "up":
		p.move(-1)
	case "down":
		p.move(1)
	case "pgup":
		p.move(-max(1, p.height-1))
	case "pgdown":
		p.move(max(1, p.height-1))
	case "ctrl+u":
		p.move(-max(1, p.height/2))
	case "ctrl+d":
		p.move(max(1, p.height/2))
	case "home":
		p.move(-many)
	case "end":
		p.move(many)
	default:
		return overlay.Ignored{}
	}
	return overlay.Stayed{}
}

// Where a column begins in the body: below the ways, what the whole is and a blank row; its head
// takes splitHead rows.
const (
	splitTop    = 3
	splitHead   = 3
	splitFoot   = 5
	leastColumn = 24
)

// Click puts the cursor on a part and its item, or shows the way that was clicked.
func (p *splitPage) Click(x, y int) overlay.Outcome {
	x, y = x-2, y-1
	if y == 0 {
		for i, at := 0, text.Width(splitBy); i < len(p.ways); i++ {
			next := at + text.Width(p.wayLabel(i)) + 1
			if x >= at && x < next {
				p.say = p.other(i - p.way)
				break
			}
			at = next
		}
		return overlay.Stayed{}
	}
	if y < splitTop || x < 0 || p.colW == 0 {
		return overlay.Stayed{}
	}
	k := p.first + x/(p.colW+1)
	if k >= len(p.now().parts) || k >= p.first+p.shown {
		return overlay.Stayed{}
	}
	p.part = k
	c := &p.now().parts[k]
	if row := y - splitTop - splitHead; row >= 0 && row < p.height && c.top+row < len(c.items) {
		c.cur = c.top + row
	}
	p.say = ""
	p.follow()
	return overlay.Stayed{}
}

const splitBy = "Split by  "

func (p *splitPage) wayLabel(i int) string {
	label := " " + string(p.ways[i].way)
	if p.ways[i].changed {
		label += ", changed"
	}
	return label + " "
}

// View draws exactly h lines of w cells.
func (p *splitPage) View(w, h int) []string {
	st, iw, ih := p.st, max(0, w-4), max(0, h-2)
	n := len(p.now().parts)
	p.shown = max(1, min(n, (iw+1)/(leastColumn+1)))
	p.colW = (iw - (p.shown - 1)) / p.shown
	p.footRows = splitFoot
	if ih < 18 {
		p.footRows = 3
	}
	p.height = max(1, ih-splitTop-splitHead-p.footRows)
	p.follow()
	scores := p.scores()
	body := []string{p.waysLine(iw), p.wholeLine(iw, scores), ""}
	cols := make([][]string, 0, p.shown)
	for i := p.first; i < min(n, p.first+p.shown); i++ {
		cols = append(cols, p.column(i, scores[i]))
	}
	bar := st.Border.Render("│")
	if st.Options.ASCII {
		bar = st.Border.Render("|")
	}
	for y := range splitHead + p.height {
		parts := make([]string, len(cols))
		for k := range cols {
			parts[k] = cols[k][y]
		}
		body = append(body, strings.Join(parts, bar))
	}
	body = append(body, p.foot(iw, scores)...)
	for i := range body {
		body[i] = " " + text.Pad(body[i], iw)
	}
	return st.Frame(style.Frame{Title: "Split " + p.work.Title, Focused: true, Foot: p.closeHint}, body, w, h)
}

// waysLine names the ways; the one that is shown stands out without colors, too.
func (p *splitPage) waysLine(w int) string {
	l := rows.NewLine(w, style.Ink{})
	l.Add(p.st.Muted, splitBy)
	for i := range p.ways {
		ink, label := p.st.Tab, p.wayLabel(i)
		if i == p.way {
			ink = p.st.TabActive
			label = "[" + strings.TrimSpace(label) + "]"
		}
		l.Add(ink, label).Space(1)
	}
	if at := " suggested: " + string(p.suggested); l.Left() >= len(at) {
		l.Add(p.st.Faint, at)
	}
	return l.String()
}

// wholeLine is the score before and those after.
func (p *splitPage) wholeLine(w int, scores []*complexity.Score) string {
	l := rows.NewLine(w, style.Ink{})
	l.Add(p.st.Muted, "The whole is ").Add(detail.LevelInk(p.st, p.whole.Level), detail.ScoreWords(&p.whole))
	if why := p.now().why; why != "" && !p.now().changed { // there are no others
		l.Space(2).Add(p.st.Warn, text.SafeLine(why))
		return l.String()
	}
	made := 0
	for _, s := range scores {
		if s == nil {
			continue
		}
		lead := "  "
		if made == 0 {
			lead = "  " + p.st.Glyph.Arrow + "  "
		}
		made++
		l.Add(p.st.Muted, lead).Add(detail.LevelInk(p.st, s.Level), detail.Points(s.Total))
	}
	return l.String()
}

// column draws a part: its letter and score, what it is about, and what is in it.
func (p *splitPage) column(i int, s *complexity.Score) []string {
	st, w, c := p.st, p.colW, &p.now().parts[i]
	here := i == p.part
	head := rows.NewLine(w, style.Ink{})
	rows.Gutter(head, st, here, true, false)
	if s == nil {
		head.Add(st.Faint, "nothing to do: not made")
	} else {
		n := 0
		for _, k := range p.now().made() {
			if k < i {
				n++
			}
		}
		ink := st.Bold
		if here {
			ink = st.Accent
		}
		head.Add(ink, complexity.Letter(n)).Space(2).Add(detail.LevelInk(p.st, s.Level), detail.Points(s.Total)+" "+string(s.Level))
		if len(s.Warnings) > 0 {
			head.Space(1).Add(st.Warn, st.Glyph.Warning)
		}
	}
	if side := p.beyond(i); side != "" {
		head.To(w-text.Width(side)-1).Add(st.Faint, side)
	}
	title := c.name
	if title == "" {
		title = c.focus
	}
	name := rows.NewLine(w, style.Ink{})
	if name.Space(1); title == "" {
		name.Add(st.Faint, "new part")
	} else {
		name.Add(st.Bold, text.SafeLine(title))
	}
	rule := st.Rule.Render(strings.Repeat(map[bool]string{true: "-", false: "─"}[st.Options.ASCII], max(0, w-1)))
	out := []string{head.String(), name.String(), text.Pad(" "+rule, w)}
	for y := range p.height {
		k := c.top + y
		if k >= len(c.items) {
			out = append(out, text.Spaces(w))
			continue
		}
		out = append(out, p.itemRow(c.items[k], here && k == c.cur, w))
	}
	if rest := len(c.items) - c.top - p.height; rest > 0 {
		l := rows.NewLine(w, style.Ink{})
		l.Space(2).Add(st.Faint, fmt.Sprintf("%s %d more", st.Glyph.Down, rest+1))
		out[len(out)-1] = l.String()
		if here && p.height > 1 && c.cur == c.top+p.height-1 {
			c.top++ // the row under the cursor is one of those that are drawn
			return p.column(i, s)
		}
	}
	return out
}

// beyond says beside the outermost columns in view how many parts are out of it on that side.
func (p *splitPage) beyond(i int) string {
	var said []string
	if n := p.first; n > 0 && i == p.first {
		said = append(said, fmt.Sprintf("< %d more", n))
	}
	if n := len(p.now().parts) - p.first - p.shown; n > 0 && i == p.first+p.shown-1 {
		said = append(said, fmt.Sprintf("%d more >", n))
	}
	return strings.Join(said, "  ")
}

// itemSign is what stands before an item, as in the overview.
func (p *splitPage) itemSign(i splitItem) (string, style.Ink) {
	switch i.kind {
	case itemCreate:
		return "+", p.st.Good
	case itemModify:
		return "~", p.st.Warn
	case itemTest:
		return "t", p.st.Info
	}
	return fmt.Sprintf("%d.", i.at+1), p.st.Muted
}

func (p *splitPage) itemRow(i splitItem, here bool, w int) string {
	base, ink := style.Ink{}, p.st.Text
	if here {
		base, ink = p.st.Select, p.st.Bold
	}
	l := rows.NewLine(w, base)
	rows.Gutter(l, p.st, here, true, false)
	sign, signInk := p.itemSign(i)
	l.Add(signInk, sign).Space(1)
	body := text.SafeLine(i.text)
	if i.kind != itemCriterion {
		body = tail(body, l.Left(), p.st.Glyph.Ellipsis)
	}
	l.Add(ink, text.Truncate(body, l.Left()))
	return l.To(w).String()
}

// foot says all of the item under the cursor, what the part is beyond, and who waits for whom.
func (p *splitPage) foot(w int, scores []*complexity.Score) []string {
	st := p.st
	out := []string{text.Pad(st.Rule.Render(strings.Repeat(map[bool]string{true: "-", false: "─"}[st.Options.ASCII], w)), w)}
	c := &p.now().parts[p.part]
	if len(c.items) > 0 {
		i := c.items[c.cur]
		sign, ink := p.itemSign(i)
		for k, l := range text.Wrap(text.SafeLine(i.text), max(4, w-4)) {
			if k == 2 {
				break
			}
			lead := text.Spaces(4)
			if k == 0 {
				lead = text.Pad(ink.Render(sign), 4)
			}
			out = append(out, lead+st.Text.Render(l))
		}
	}
	if s := scores[p.part]; s != nil && len(s.Warnings) > 0 {
		var list []string
		for _, warning := range s.Warnings {
			list = append(list, warning.Text)
		}
		out = append(out, st.Warn.Render(text.Truncate(st.Glyph.Warning+" "+strings.Join(list, "; "), w)))
	}
	if chain := p.chain(); chain != "" {
		out = append(out, st.Muted.Render(text.Truncate(chain, w)))
	}
	for len(out) < p.footRows {
		out = append(out, "")
	}
	if p.say != "" { // it answers a key
		out[p.footRows-1] = st.Warn.Render(text.Truncate(text.SafeLine(p.say), w))
	}
	return out[:p.footRows]
}

// chain says who waits for whom.
func (p *splitPage) chain() string {
	n := len(p.now().made())
	if n < 2 {
		return ""
	}
	last := complexity.Letter(n - 1)
	var said []string
	if p.before != "" {
		said = append(said, "part a waits for "+p.before)
	}
	said = append(said, "each part waits for the one before it")
	if p.after != "" {
		said = append(said, p.after+" for "+last)
	}
	return text.SafeLine(capital(strings.Join(said, "; ")) + ".")
}
