package runpane

import (
	"fmt"
	"strings"
	"time"

	"vespe/model/runlog"
	"vespe/ui/runs"
	"vespe/ui/style"
	"vespe/ui/text"
)

const (
	clockFrom  = 64 // columns from which on an entry has its time
	clockWidth = 9
	foldRows   = 8   // of a message that is folded
	openRows   = 500 // of each text of an entry that is unfolded
)

// drawEntry draws an entry of the log in rows of at most w cells.
func (p *Pane) drawEntry(i, w int) []string {
	if p.log.skipped > 0 {
		if i == 0 {
			return []string{p.st.Warn.Render(text.Truncate(fmt.Sprintf("The log is long. Its first %s are not shown.", size(p.log.skipped)), w))}
		}
		i--
	}
	x := &p.log.list[i]
	if x.ev.Kind == runlog.KindPhase {
		return []string{p.drawPhase(x, w)}
	}
	d := &drawing{p: p, x: x, w: w}
	if w >= clockFrom {
		d.lead = clockWidth
	}
	d.entry()
	return d.out
}

// drawPhase is a rule with the name of a phase on it.
func (p *Pane) drawPhase(x *entry, w int) string {
	name := string(x.ev.Phase)
	if x.ev.Phase == runlog.PhaseEnded && x.ev.Text != "" {
		name += ": " + strings.ReplaceAll(runlog.FirstLine(x.ev.Text), "_", " ")
	}
	name = text.Truncate(text.SafeLine(name), max(1, w-16))
	row := p.st.Border.Render(strings.Repeat(p.st.Glyph.Rule, 2)) + " " + p.st.HeadingMinor.Render(name) + " "
	clock := " " + p.clock(x.ev.At)
	if n := w - text.Width(row) - text.Width(clock); n > 0 {
		row += p.st.Border.Render(strings.Repeat(p.st.Glyph.Rule, n)) + p.st.Faint.Render(clock)
	}
	return text.Truncate(row, w)
}

func (p *Pane) clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(p.now.Location()).Format("15:04:05")
}

// drawing is an entry as it is drawn.
type drawing struct {
	p    *Pane
	x    *entry
	w    int
	lead int // cells of the time
	out  []string
}

// first puts the time before the first row, and blanks before the others.
func (d *drawing) row(s string) {
	lead := text.Spaces(d.lead)
	if len(d.out) == 0 && d.lead > 0 {
		lead = d.p.st.Faint.Render(text.Pad(d.p.clock(d.x.ev.At), d.lead))
	}
	d.out = append(d.out, lead+s)
}

// room is what is left of a row.
func (d *drawing) room() int { return max(4, d.w-d.lead) }

func (d *drawing) entry() {
	st, e := d.p.st, &d.x.ev
	switch e.Kind {
	case runlog.KindMessage:
		d.words(st.Accent, st.Glyph.Bullet, st.Text, e.Text, foldRows)
	case runlog.KindTool:
		d.call(e.Tool, e.Text)
	case runlog.KindCommand:
		d.call("$", e.Text)
	case runlog.KindEdit:
		d.call("edit", e.Path)
	case runlog.KindCheck:
		d.check()
	case runlog.KindAsk:
		d.words(st.Warn, "?", st.Text, "asked: "+e.Text, foldRows)
	case runlog.KindSpawn:
		d.words(st.Info, "+", st.Text, "created a subtask: "+e.Text, foldRows)
	case runlog.KindProgress:
		d.words(st.Info, st.Glyph.Arrow, st.Muted, e.Text, foldRows)
	case runlog.KindNote:
		d.words(st.Faint, st.Glyph.Dot, st.Muted, e.Text, foldRows)
	case runlog.KindError:
		d.words(st.Bad, st.Glyph.Warning, st.Bad, e.Text, foldRows)
	case runlog.KindRaw:
		d.words(st.Faint, " ", st.Faint, e.Text, 3)
	default: // of a later version
		d.words(st.Faint, " ", st.Faint, string(e.Kind)+" "+e.Text, 3)
	}
	if len(d.out) == 0 {
		d.row(st.Faint.Render("(nothing)"))
	}
}

// words draws a text behind a sign, whole or folded to a number of rows.
func (d *drawing) words(sign style.Ink, glyph string, ink style.Ink, body string, most int) {
	lines := wrapped(body, max(1, d.room()-2), d.x.open, most)
	for i, l := range lines.rows {
		lead := "  "
		if i == 0 {
			lead = sign.Render(glyph) + " "
		}
		d.row(lead + ink.Render(l))
	}
	if lines.more != "" {
		d.row("  " + d.p.st.Faint.Render(text.Truncate(lines.more+d.p.unfolds(), d.room()-2)))
	}
	if cut := d.x.ev.Cut; cut > 0 && d.x.open {
		d.row("  " + d.p.st.Warn.Render(text.Truncate(size(int64(cut))+" of it were not saved", d.room()-2)))
	}
}

// lines are rows of a text, and what is said of those that are left out.
type lines struct {
	rows []string
	more string
}

// wrapped wraps a text of others. Folded it has at most some rows.
func wrapped(body string, w int, open bool, most int) lines {
	if open {
		most = openRows
	}
	body = strings.Trim(body, "\n")
	var l lines
	hidden := 0
	for rest := body; ; {
		line, after, more := strings.Cut(rest, "\n")
		if len(l.rows) >= most {
			hidden++
		} else {
			if len(line) > most*w*4 { // no more of it can be seen
				line = line[:most*w*4]
			}
			l.rows = append(l.rows, text.Wrap(text.Safe(strings.TrimRight(line, " \r")), w)...)
		}
		if !more {
			break
		}
		rest = after
	}
	if over := len(l.rows) - most; over > 0 {
		l.rows, hidden = l.rows[:most], hidden+1
	}
	if hidden > 0 {
		l.more = fmt.Sprintf("and %d more %s", hidden, map[bool]string{true: "line", false: "lines"}[hidden == 1])
	}
	return l
}

// unfolds is the key that unfolds, for the end of a folded text.
func (p *Pane) unfolds() string {
	if key := p.keys("view.open"); key != "" {
		return ": " + key + " unfolds"
	}
	return ""
}

// call draws a call with what came of it in one row, and below it both whole when it is unfolded.
func (d *drawing) call(name, args string) {
	st, x := d.p.st, d.x
	fold := st.Glyph.Folded
	if x.open {
		fold = st.Glyph.Unfolded
	}
	left := st.Faint.Render(fold) + " " + st.Info.Render(text.Truncate(text.SafeLine(name), 24)) + " "
	right := d.came()
	room := d.room() - text.Width(left) - text.Width(right) - 1
	first := text.SafeLine(runlog.FirstLine(args))
	row := left + st.Text.Render(text.Truncate(first, max(0, room)))
	if gap := d.room() - text.Width(row) - text.Width(right); gap > 0 && right != "" {
		row += text.Spaces(gap) + right
	}
	d.row(text.Truncate(row, d.room()))
	if !x.open {
		return
	}
	if strings.TrimSpace(args) != strings.TrimSpace(runlog.FirstLine(args)) || text.Width(first) > room {
		d.below(st.Text, args)
	}
	if x.ev.Kind == runlog.KindEdit {
		d.below(st.Muted, x.ev.Text)
	}
	switch {
	case x.has:
		d.below(st.Muted, x.res.Text)
		if x.res.Cut > 0 {
			d.row("  " + st.Warn.Render(text.Truncate(size(int64(x.res.Cut))+" of it were not saved", d.room()-2)))
		}
		if strings.TrimSpace(x.res.Text) == "" {
			d.row("  " + st.Faint.Render("no output"))
		}
	case x.ev.Done, x.ev.Kind == runlog.KindEdit:
	default:
		d.row("  " + st.Faint.Render("no result yet"))
	}
}

// below draws a text behind a bar, as others wrote it.
func (d *drawing) below(ink style.Ink, body string) {
	if strings.TrimSpace(body) == "" {
		return
	}
	bar := d.p.bar()
	l := exact(body, max(1, d.room()-4))
	for _, s := range l.rows {
		d.row("  " + bar + ink.Render(s))
	}
	if l.more != "" {
		d.row("  " + bar + d.p.st.Faint.Render(l.more))
	}
}

// bar stands before the words of others.
func (p *Pane) bar() string {
	if p.st.Options.ASCII {
		return p.st.Border.Render("|") + " "
	}
	return p.st.Border.Render("│") + " "
}

// exact are the rows of a text as it is, blanks and all.
func exact(body string, w int) lines {
	var l lines
	hidden := 0
	for line := range strings.SplitSeq(strings.Trim(body, "\n"), "\n") {
		if len(l.rows) >= openRows {
			hidden++
			continue
		}
		l.rows = append(l.rows, text.Chop(text.Safe(strings.TrimRight(line, "\r")), w)...)
	}
	if hidden > 0 {
		l.more = fmt.Sprintf("and %d more lines", hidden)
	}
	return l
}

// came says what came of a call, for the end of its row.
func (d *drawing) came() string {
	st, x := d.p.st, d.x
	res := &x.res
	switch {
	case x.ev.Done:
		res = &x.ev
	case !x.has:
		if d.p.live() && x.ev.Kind != runlog.KindEdit { // a file was written, whatever is said of it later
			return st.Info.Render(st.Glyph.Ellipsis)
		}
		return ""
	}
	took := ""
	if x.has && !x.ev.At.IsZero() && res.At.After(x.ev.At.Add(time.Second)) {
		took = st.Faint.Render(runs.Span(res.At.Sub(x.ev.At))) + " "
	}
	switch {
	case res.Exit != 0:
		return took + st.Bad.Render(fmt.Sprintf("exit %d", res.Exit))
	case res.Failed:
		return took + st.Bad.Render("failed")
	}
	return took + st.Good.Render(tick(st, true))
}

// tick is the sign of something that is so, or is not.
func tick(st *style.Styles, on bool) string {
	switch {
	case st.Options.ASCII && on:
		return "ok"
	case st.Options.ASCII:
		return "X"
	case on:
		return "✓"
	}
	return "✗"
}

// check draws a check of the result.
func (d *drawing) check() {
	c := d.x.ev.Check
	if d.x.has && d.x.res.Check != nil {
		c = d.x.res.Check
	}
	if c == nil {
		d.words(d.p.st.Faint, " ", d.p.st.Muted, d.x.ev.Text, foldRows)
		return
	}
	ended := d.x.has || d.x.ev.Done
	for _, r := range d.p.drawCheck(c, ended, d.x.open, d.room()) {
		d.row(r)
	}
}

// size is a number of bytes in words.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
