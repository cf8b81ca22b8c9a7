package ui

import (
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// breakPage is an overlay: the tasks that a plan lists, and what is known of the one under the cursor.
type breakPage struct {
	st      *style.Styles
	p       *decompose.Proposal
	limits  complexity.Limits
	scores  []complexity.Score
	cycles  [][]string
	lines   []breakLine // of the list
	cur     int         // of p.Items
	changed bool
	win     rows.Window
	top     int // of the text about the item
	over    int // rows of it that are not in view
	say     string
	names   func(model.UID) string

	closeHint, splitHint, moreHint string
	listAt, listW                  int // where the list lay in the last View
}

// breakLine is a row of the list: an item, or the name of a milestone above some.
type breakLine struct {
	item int // -1 for a heading
	head string
}

var _ overlay.Overlay = (*breakPage)(nil)

func newBreakPage(st *style.Styles, p *decompose.Proposal, limits complexity.Limits) *breakPage {
	b := &breakPage{st: st, limits: limits}
	b.set(p)
	return b
}

// set shows another proposal.
func (p *breakPage) set(next *decompose.Proposal) {
	p.p, p.cur, p.top, p.changed = next, 0, 0, false
	p.measure()
}

// measure follows a change: scores, cycles, and the rows of the list.
func (p *breakPage) measure() {
	p.scores = make([]complexity.Score, len(p.p.Items))
	p.lines = p.lines[:0]
	stone := ""
	for i := range p.p.Items {
		it := &p.p.Items[i]
		p.scores[i] = complexity.Of(it.Work, p.limits)
		if it.Milestone != stone {
			if stone = it.Milestone; stone != "" {
				p.lines = append(p.lines, breakLine{-1, stone})
			}
		}
		p.lines = append(p.lines, breakLine{i, ""})
	}
	p.cycles = p.p.Cycles()
	p.cur = max(0, min(p.cur, len(p.p.Items)-1))
	p.top = 0
}

func (p *breakPage) item() *decompose.Item { return &p.p.Items[p.cur] }

// row is the row of the item under the cursor.
func (p *breakPage) row() int {
	for k, l := range p.lines {
		if l.item == p.cur {
			return k
		}
	}
	return 0
}

func (p *breakPage) SetStyles(st *style.Styles)         { p.st = st }
func (p *breakPage) HandlePaste(string) overlay.Outcome { return overlay.Ignored{} }

// Size is as high as the list needs, so that it stays what it is while the cursor moves.
func (p *breakPage) Size(w, h int) (int, int) {
	need := max(32, len(p.lines)+breakHead+2)
	if h < need+10 {
		return w, h // a few rows below it would be no sight
	}
	return w, need
}

func (p *breakPage) Wheel(d int) overlay.Outcome {
	p.move(d)
	return overlay.Stayed{}
}

func (p *breakPage) move(d int) {
	p.cur = max(0, min(p.cur+d, len(p.p.Items)-1))
	p.top, p.say = 0, ""
}

func (p *breakPage) scroll(d int) string {
	p.top = max(0, min(p.top+d*3, p.top+p.over))
	return ""
}

// HandleKey implements overlay.Overlay: what every list has. The rest are actions of its scope.
func (p *breakPage) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
	page := p.win.Page()
	switch k.String() {
	case "esc":
		return overlay.Cancelled{}
	case "up":
		p.move(-1)
	case "down":
		p.move(1)
	case "pgup":
		p.move(-page)
	case "pgdown":
		p.move(page)
	case "ctrl+u":
		p.move(-max(1, page/2))
	case "ctrl+d":
		p.move(max(1, page/2))
	case "home":
		p.move(-len(p.p.Items))
	case "end":
		p.move(len(p.p.Items))
	default:
		return overlay.Ignored{}
	}
	return overlay.Stayed{}
}

// Click puts the cursor on an item; on its box it leaves it out, or takes it in.
func (p *breakPage) Click(x, y int) overlay.Outcome {
	x, y = x-2, y-1-p.listAt
	if k := p.win.Top + y; y >= 0 && x >= 0 && x < p.listW && k < len(p.lines) && p.lines[k].item >= 0 {
		p.cur, p.top, p.say = p.lines[k].item, 0, ""
		if x >= breakGutter && x < breakGutter+3 {
			p.say = p.toggle()
		}
	}
	return overlay.Stayed{}
}

// The columns of the list, and from how many columns on the text stands beside it.
const (
	breakGutter = 2
	breakBar    = 6
	breakScore  = 12
	breakBeside = 104
	breakHead   = 2
)

// View draws exactly h lines of w cells.
func (p *breakPage) View(w, h int) []string {
	st, iw, ih := p.st, max(0, w-4), max(0, h-2)
	body := []string{p.headLine(iw), ""}
	if said := p.trouble(); said != "" {
		body[1] = st.Warn.Render(text.Truncate(text.SafeLine(said), iw))
	}
	rest := max(0, ih-breakHead)
	p.listAt = breakHead
	if iw >= breakBeside {
		p.listW = iw * 3 / 5
		right := p.about(iw-p.listW-3, rest)
		bar := st.Border.Render(" │ ")
		if st.Options.ASCII {
			bar = st.Border.Render(" | ")
		}
		for k, l := range p.list(p.listW, rest) {
			body = append(body, l+bar+right[k])
		}
	} else {
		foot := max(3, min(rest-4, max(rest*9/20, rest-len(p.lines)-1))) // what a short list leaves
		p.listW = iw
		body = append(body, p.list(iw, max(0, rest-foot-1))...)
		body = append(body, st.Rule.Render(strings.Repeat(map[bool]string{true: "-", false: "─"}[st.Options.ASCII], iw)))
		body = append(body, p.about(iw, foot)...)
	}
	for i := range body {
		body[i] = " " + text.Pad(body[i], iw)
	}
	title := "Break down " + text.SafeLine(p.p.Task.Config.Name)
	return st.Frame(style.Frame{Title: title, Focused: true, Foot: p.closeHint}, body, w, h)
}

// headLine counts what is there and what is to be made.
func (p *breakPage) headLine(w int) string {
	l := rows.NewLine(w, style.Ink{})
	n := len(p.p.In())
	form := string(p.p.Form)
	if p.changed {
		form += ", changed"
	}
	l.Add(p.st.Muted, fmt.Sprintf("%s by %s; ", plural(len(p.p.Items), "task"), form)).Add(p.st.Bold, fmt.Sprintf("%d to make", n))
	var total float64
	for _, i := range p.p.In() {
		total += p.scores[i].Minutes
	}
	if n > 0 {
		l.Add(p.st.Faint, fmt.Sprintf("; about %s a try, one after the other", complexity.MinuteWords(math.Ceil(total))))
	}
	return l.String()
}

// trouble is what answers a key, or else what keeps the tasks from being made.
func (p *breakPage) trouble() string {
	switch {
	case p.say != "":
		return p.say
	case len(p.cycles) > 0:
		return "They wait for each other: " + strings.Join(p.cycles[0], " "+p.st.Glyph.Arrow+" ") + ". Leave one out."
	case p.p.Task.Status.AcceptedPlan == nil:
		return "The plan is not accepted yet: nothing can be made of it."
	}
	return ""
}

// list draws h rows of the list.
func (p *breakPage) list(w, h int) []string {
	p.win.Resize(h, p.row(), len(p.lines))
	p.win.Follow(p.row(), len(p.lines))
	if r := p.row(); r > 0 && p.lines[r-1].item < 0 && p.win.Top == r {
		p.win.Top--
	}
	keyW := 2
	for i := range p.p.Items {
		keyW = max(keyW, min(12, text.Width(p.p.Items[i].Key)))
	}
	out := make([]string, 0, h)
	from, to := p.win.Span(len(p.lines))
	for _, l := range p.lines[from:to] {
		if l.item >= 0 {
			out = append(out, p.itemRow(l.item, w, keyW))
			continue
		}
		line := rows.NewLine(w, style.Ink{})
		line.Space(breakGutter).Add(p.st.Accent, text.Truncate(text.SafeLine(l.head), w-breakGutter))
		out = append(out, text.Pad(line.String(), w))
	}
	for len(out) < h {
		out = append(out, text.Spaces(w))
	}
	return out
}

func (p *breakPage) itemRow(i, w, keyW int) string {
	st, it, f, s := p.st, &p.p.Items[i], &p.p.Fates[i], &p.scores[i]
	here := i == p.cur
	base, ink := style.Ink{}, st.Text
	if here {
		base, ink = st.Select, st.Bold
	}
	if f.Out {
		ink = st.Faint
	}
	l := rows.NewLine(w, base)
	rows.Gutter(l, st, here, true, false)
	l.To(breakGutter)
	switch {
	case f.There != "":
		glyph, ink := st.Status(model.StatusDone)
		l.Space(1).Add(ink, glyph).Space(1)
	case f.Out:
		l.Add(st.Faint, "[ ]")
	default:
		l.Add(st.Good, "[x]")
	}
	l.Space(1).AddMax(st.Muted, text.SafeLine(it.Key), keyW).To(breakGutter + 4 + keyW + 1)
	tail := breakBar + breakScore + 4
	if w < 60 {
		tail = 8
	}
	waits := p.waitKeys(i)
	waitW := min(text.Width(waits), max(6, w/5))
	room := w - l.Used() - tail - 1
	if waits != "" {
		room -= waitW + 3
	}
	l.AddMax(ink, text.SafeLine(it.Title), max(8, room))
	if waits != "" {
		l.To(w-tail-waitW-2).Add(st.Faint, p.st.Glyph.Left).AddMax(st.Faint, waits, waitW)
	}
	l.To(w - tail)
	if f.Out {
		l.Add(st.Faint, text.Truncate(outWord(f), tail))
		return l.To(w).String()
	}
	if tail > 8 {
		n := max(min(1, int(2*s.Total)), min(breakBar, int(float64(breakBar)*s.Total/complexity.Most+0.5)))
		l.Space(1).Add(detail.LevelInk(st, s.Level), strings.Repeat(st.Glyph.Bar, n)).Add(st.Border, strings.Repeat(st.Glyph.BarEmpty, breakBar-n)).Space(1)
		l.Add(detail.LevelInk(st, s.Level), detail.Points(s.Total)+" "+string(s.Level))
	} else {
		l.Add(detail.LevelInk(st, s.Level), detail.Points(s.Total))
	}
	if s.Split || len(it.Notes) > 0 {
		l.To(w-2).Add(st.Warn, st.Glyph.Warning)
	}
	return l.To(w).String()
}

// outWord is in a word why an item is not made.
func outWord(f *decompose.Fate) string {
	switch {
	case f.There != "":
		return "there already"
	case f.Fixed:
		return "not accepted"
	case strings.Contains(f.Why, "done"):
		return "done"
	}
	return "left out"
}

// waitKeys are the keys that an item waits for by the plan.
func (p *breakPage) waitKeys(i int) string {
	var out []string
	for _, n := range p.p.Items[i].Needs {
		out = append(out, n.Key)
	}
	return text.SafeLine(strings.Join(out, " "))
}

// about draws h rows about the item under the cursor.
func (p *breakPage) about(w, h int) []string {
	all := p.aboutLines(max(8, w))
	p.over = max(0, len(all)-p.top-h)
	if p.top > 0 && p.over == 0 {
		p.top = max(0, len(all)-h)
	}
	out := make([]string, 0, h)
	for k := p.top; k < len(all) && len(out) < h; k++ {
		out = append(out, text.Pad(all[k], w))
	}
	if p.over > 0 && h > 0 {
		l := rows.NewLine(w, style.Ink{})
		l.Add(p.st.Faint, fmt.Sprintf("%s %d more  %s", p.st.Glyph.Down, p.over+1, p.moreHint))
		out[h-1] = text.Pad(l.String(), w)
	}
	for len(out) < h {
		out = append(out, text.Spaces(w))
	}
	return out
}

// aboutLines is everything that is known of the item under the cursor.
func (p *breakPage) aboutLines(w int) []string {
	st, it, f, s := p.st, p.item(), &p.p.Fates[p.cur], &p.scores[p.cur]
	var out []string
	add := func(lead string, leadInk, ink style.Ink, words string) {
		indent := text.Width(lead)
		for k, l := range text.Wrap(text.SafeLine(words), max(6, w-indent)) {
			if k == 0 {
				out = append(out, leadInk.Render(lead)+ink.Render(l))
				continue
			}
			out = append(out, text.Spaces(indent)+ink.Render(l))
		}
	}
	add("", st.Bold, st.Bold, it.Key+"  "+it.Title)
	where := fmt.Sprintf("lines %d to %d of the plan", it.From, it.To)
	if it.To <= it.From {
		where = fmt.Sprintf("line %d of the plan", it.From)
	}
	for _, more := range []string{it.Part, string(it.Priority), map[bool]string{true: it.Risk + " risk"}[it.Risk != ""], strings.Join(it.Labels, ", ")} {
		if more != "" {
			where += ", " + more
		}
	}
	add("", st.Muted, st.Muted, where)
	if f.Out {
		add("", st.Info, st.Info, capital(f.Why)+".")
	}
	add("", st.Text, detail.LevelInk(st, s.Level), detail.ScoreWords(s)+": "+s.Level.Advice())
	if s.Split && !f.Out && p.splitHint != "" {
		add(st.Glyph.Warning+" ", st.Warn, st.Warn, fmt.Sprintf("above the threshold of %s; %s by %s", detail.Points(p.limits.Threshold), p.splitHint, complexity.Suggest(*s)))
	}
	for _, n := range it.Notes {
		add(st.Glyph.Warning+" ", st.Warn, st.Warn, n)
	}
	for _, n := range it.Needs {
		why := n.Why
		if n.At > 0 {
			why = fmt.Sprintf("%s (line %d)", why, n.At)
		}
		add(st.Glyph.Left+" "+text.SafeLine(n.Key)+"  ", st.Info, st.Text, why)
	}
	if keys := p.wantedBy(); keys != "" {
		add(st.Glyph.Right+" ", st.Info, st.Muted, "before "+keys)
	}
	for _, list := range []struct {
		sign  string
		ink   style.Ink
		files []string
	}{{"+ ", st.Good, it.Create}, {"~ ", st.Warn, it.Modify}, {"t ", st.Info, it.Tests}} {
		for _, file := range list.files {
			add(list.sign, list.ink, st.Text, file)
		}
	}
	for k, c := range it.Criteria {
		add(fmt.Sprintf("%2d. ", k+1), st.Muted, st.Text, c)
	}
	for line := range strings.Lines(it.Words) {
		add("", st.Muted, st.Muted, line)
	}
	for _, n := range p.p.Notes {
		if strings.Contains(n, it.Key) {
			add(st.Glyph.Warning+" ", st.Warn, st.Muted, n)
		}
	}
	return out
}

// wantedBy are the keys of those that wait for the item under the cursor.
func (p *breakPage) wantedBy() string {
	var out []string
	for i := range p.p.Items {
		for _, n := range p.p.Items[i].Needs {
			if n.Key == p.item().Key {
				out = append(out, p.p.Items[i].Key)
			}
		}
	}
	return strings.Join(out, ", ")
}
