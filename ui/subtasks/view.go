package subtasks

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/ui/detail"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// The columns of the list, and from how many columns on the details stand beside it.
const (
	subtasksGutter = 2
	subtasksBar    = 6
	subtasksScore  = 12
	subtasksBeside = 104
	subtasksHead   = 3
)

// View draws exactly h lines of w cells.
func (p *Page) View(w, h int) []string {
	st, iw, ih := p.st, max(0, w-4), max(0, h-2)
	body := []string{p.sourcesLine(iw), p.countLine(iw), ""}
	if said := p.trouble(); said != "" {
		body[2] = st.Warn.Render(text.Truncate(text.SafeLine(said), iw))
	}
	rest := max(0, ih-subtasksHead)
	p.listAt = subtasksHead
	switch {
	case p.now().p == nil:
		p.listW = 0
		for _, l := range p.now().why {
			for _, part := range text.Wrap(text.SafeLine(l), max(8, iw)) {
				body = append(body, st.Text.Render(part))
			}
		}
		for len(body) < ih {
			body = append(body, "")
		}
		body = body[:ih]
	case iw >= subtasksBeside:
		p.listW = iw * 3 / 5
		right := p.about(iw-p.listW-3, rest)
		bar := st.Border.Render(" │ ")
		if st.Options.ASCII {
			bar = st.Border.Render(" | ")
		}
		for k, l := range p.list(p.listW, rest) {
			body = append(body, l+bar+right[k])
		}
	default:
		foot := max(3, min(rest-4, max(rest*9/20, rest-len(p.lines)-1))) // what a short list leaves
		p.listW = iw
		body = append(body, p.list(iw, max(0, rest-foot-1))...)
		body = append(body, st.Rule.Render(strings.Repeat(map[bool]string{true: "-", false: "─"}[st.Options.ASCII], iw)))
		body = append(body, p.about(iw, foot)...)
	}
	for i := range body {
		body[i] = " " + text.Pad(body[i], iw)
	}
	title := "Decompose " + text.SafeLine(p.task.Config.Name)
	return st.Frame(style.Frame{Title: title, Focused: true}, body, w, h)
}

// sourceLabel has its own brackets: the source that is shown stands out without colors, too.
func (p *Page) sourceLabel(i int) string {
	label := p.sources[i].label
	if i == p.at {
		return "[" + label + "]"
	}
	return " " + label + " "
}

func (p *Page) sourcesLine(w int) string {
	l := rows.NewLine(w, style.Ink{})
	for i := range p.sources {
		ink := p.st.Tab
		if i == p.at {
			ink = p.st.TabActive
		}
		l.Add(ink, p.sourceLabel(i)).Space(1)
	}
	way := string(complexity.Suggest(p.task.Complexity(p.o.Limits)))
	gives := slices.ContainsFunc(p.sources, func(s *Source) bool { return s.label == way && s.p != nil })
	if at := " suggested: " + way; gives && len(p.sources) > 1 && l.Left() >= len(at) {
		l.Add(p.st.Faint, at)
	}
	return l.String()
}

// countLine counts what there is and what is to be made.
func (p *Page) countLine(w int) string {
	l := rows.NewLine(w, style.Ink{})
	from := p.now().p
	if !p.IsPlan() {
		whole := p.task.Complexity(p.o.Limits)
		l.Add(p.st.Muted, "The whole is ").Add(detail.LevelInk(p.st, whole.Level), detail.ScoreWords(&whole))
	}
	switch {
	case from == nil:
		return l.String()
	case p.IsPlan():
		l.Add(p.st.Muted, fmt.Sprintf("%s by %s", text.Plural(len(from.Items), "task"), from.Form))
	}
	l.Add(p.st.Muted, "; ")
	n := len(from.In())
	l.Add(p.st.Bold, fmt.Sprintf("%d to create", n))
	var total float64
	for _, i := range from.In() {
		total += p.scores[i].Minutes
	}
	if n > 0 {
		l.Add(p.st.Faint, fmt.Sprintf("; about %s per attempt, in sequence", complexity.MinuteWords(math.Ceil(total))))
	}
	return l.String()
}

// trouble is what answers a key, or else what keeps the subtasks from being made.
func (p *Page) trouble() string {
	switch from := p.now().p; {
	case p.say != "":
		return p.say
	case from == nil:
		return ""
	case len(p.cycles) > 0:
		return "These wait for each other: " + strings.Join(p.cycles[0], " "+p.st.Glyph.Arrow+" ") + ". Leave one out."
	case p.IsPlan() && p.task.Status.AcceptedPlan == nil:
		return "The plan isn't accepted yet, so no tasks can be created."
	}
	return ""
}

// list draws h rows of the list.
func (p *Page) list(w, h int) []string {
	p.win.Resize(h, p.cur, len(p.lines))
	p.win.Follow(p.cur, len(p.lines))
	if p.cur > 0 && p.lines[p.cur-1].item < 0 && p.win.Top == p.cur {
		p.win.Top--
	}
	keyW := 2
	for i := range p.now().p.Items {
		keyW = max(keyW, min(12, text.Width(p.now().p.Items[i].Key)))
	}
	out := make([]string, 0, h)
	from, to := p.win.Span(len(p.lines))
	for k, l := range p.lines[from:to] {
		here := from+k == p.cur
		switch {
		case l.item < 0:
			line := rows.NewLine(w, style.Ink{})
			line.Space(subtasksGutter).Add(p.st.Accent, text.Truncate(text.SafeLine(l.text), w-subtasksGutter))
			out = append(out, text.Pad(line.String(), w))
		default:
			out = append(out, p.itemRow(l.item, here, w, keyW))
		}
	}
	for len(out) < h {
		out = append(out, text.Spaces(w))
	}
	return out
}

func (p *Page) itemRow(i int, here bool, w, keyW int) string {
	st, it, f, s := p.st, &p.now().p.Items[i], &p.now().p.Fates[i], &p.scores[i]
	base, ink := style.Ink{}, st.Text
	if here {
		base, ink = st.Select, st.Bold
	}
	if f.Out {
		ink = st.Faint
	}
	l := rows.NewLine(w, base)
	rows.Gutter(l, st, here, true, false)
	l.To(subtasksGutter)
	switch {
	case !p.IsPlan():
	case f.There != "":
		glyph, ink := st.Status(model.StatusDone)
		l.Space(1).Add(ink, glyph).Space(1)
	case f.Out:
		l.Add(st.Faint, "[ ]")
	default:
		l.Add(st.Good, "[x]")
	}
	at := subtasksGutter + 4
	if !p.IsPlan() {
		at = subtasksGutter
	}
	l.To(at).AddMax(st.Muted, text.SafeLine(it.Key), keyW).To(at + keyW + 1)
	tail := subtasksBar + subtasksScore + 4
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
		n := max(min(1, int(2*s.Total)), min(subtasksBar, int(float64(subtasksBar)*s.Total/complexity.Most+0.5)))
		l.Space(1).Add(detail.LevelInk(st, s.Level), strings.Repeat(st.Glyph.Bar, n)).Add(st.Border, strings.Repeat(st.Glyph.BarEmpty, subtasksBar-n)).Space(1)
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
		return "already exists"
	case f.Fixed:
		return "not accepted"
	case strings.Contains(f.Why, "done"):
		return "done"
	}
	return "left out"
}

// waitKeys are the keys that an item waits for by the plan.
func (p *Page) waitKeys(i int) string {
	var out []string
	for _, n := range p.now().p.Items[i].Needs {
		out = append(out, n.Key)
	}
	return text.SafeLine(strings.Join(out, " "))
}

// Waits are the keys that an item waits for, and the names of what is there.
func (p *Page) Waits(i int) string {
	items, tasks := p.now().p.Waits(i)
	var out []string
	for _, k := range items {
		out = append(out, p.now().p.Items[k].Key)
	}
	for _, uid := range tasks {
		out = append(out, p.o.Names(uid))
	}
	return strings.Join(out, ", ")
}

// about draws h rows about the item under the cursor.
func (p *Page) about(w, h int) []string {
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
		l.Add(p.st.Faint, fmt.Sprintf("%s %d more  %s", p.st.Glyph.Down, p.over+1, p.o.More))
		out[h-1] = text.Pad(l.String(), w)
	}
	for len(out) < h {
		out = append(out, text.Spaces(w))
	}
	return out
}

// aboutLines is everything that is known of the item under the cursor.
func (p *Page) aboutLines(w int) []string {
	i, from := p.Current(), p.now().p
	st, it, f, s := p.st, &from.Items[i], &from.Fates[i], &p.scores[i]
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
	where := "part of the task's own work"
	switch {
	case !p.IsPlan():
	case it.To <= it.From:
		where = fmt.Sprintf("line %d of the plan", it.From)
	default:
		where = fmt.Sprintf("lines %d to %d of the plan", it.From, it.To)
	}
	for _, more := range []string{string(it.Priority), map[bool]string{true: it.Risk + " risk"}[it.Risk != ""], strings.Join(it.Labels, ", ")} {
		if more != "" {
			where += ", " + more
		}
	}
	add("", st.Muted, st.Muted, where)
	if f.Out {
		add("", st.Info, st.Info, text.Capital(f.Why)+".")
	}
	add("", st.Text, detail.LevelInk(st, s.Level), detail.ScoreWords(s)+": "+s.Advice())
	if s.Split && !f.Out {
		add(st.Glyph.Warning+" ", st.Warn, st.Warn, "above the threshold of "+detail.Points(p.o.Limits.Threshold))
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
	for _, warning := range s.Warnings {
		if !p.IsPlan() {
			add(st.Glyph.Warning+" ", st.Warn, st.Warn, warning.Text)
		}
	}
	if in := from.In(); !p.IsPlan() && len(in) > 0 && i == in[len(in)-1] && p.o.After != "" {
		add(st.Glyph.Right+" ", st.Info, st.Muted, p.o.After+" will wait for "+it.Key)
	}
	if keys := p.wantedBy(it.Key); keys != "" {
		add(st.Glyph.Right+" ", st.Info, st.Muted, "before "+keys)
	}
	for _, l := range []struct {
		sign string
		ink  style.Ink
		of   []string
	}{{"+ ", st.Good, it.Create}, {"~ ", st.Warn, it.Modify}, {"t ", st.Info, it.Tests}, {st.Glyph.Dot + " ", st.Muted, it.Criteria}} {
		for _, piece := range l.of {
			add(l.sign, l.ink, st.Text, piece)
		}
	}
	for line := range strings.Lines(it.Words) {
		add("", st.Muted, st.Muted, line)
	}
	for _, n := range from.Notes {
		if strings.Contains(n, it.Key) {
			add(st.Glyph.Warning+" ", st.Warn, st.Muted, n)
		}
	}
	return out
}

// wantedBy are the keys of the subtasks that wait for one.
func (p *Page) wantedBy(key string) string {
	var out []string
	for i := range p.now().p.Items {
		for _, n := range p.now().p.Items[i].Needs {
			if n.Key == key {
				out = append(out, p.now().p.Items[i].Key)
			}
		}
	}
	return strings.Join(out, ", ")
}
