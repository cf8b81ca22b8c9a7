package runpane

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui/runs"
	"vespe/ui/style"
	"vespe/ui/text"
)

// head is what stands above every tab: at most a third of the pane.
func (p *Pane) head(w, h int) []string {
	out := []string{p.headLine(w)}
	for _, s := range []string{p.phaseBar(w), p.ticking(w)} {
		if s != "" {
			out = append(out, s)
		}
	}
	out = append(out, p.headWarn(w)...)
	if len(out) > h/3 {
		out = out[:max(0, h/3)]
	}
	if len(out) > 0 && h > 12 {
		out = append(out, "")
	}
	return out
}

// headLine says whose run it is, how long it takes and what it costs.
func (p *Pane) headLine(w int) string {
	st, f := p.st, &p.facts
	glyph, ink := runs.Look(st, &runs.Run{Run: f.Run}, f.Waits, f.Live)
	word := runs.Outcome(&f.Run)
	switch {
	case f.Waits:
		word = "waits for an answer"
	case f.Live:
		word = "running"
	}
	parts := []string{ink.Render(glyph + " " + text.SafeLine(word))}
	add := func(s string) {
		if s != "" {
			parts = append(parts, st.Muted.Render(text.SafeLine(s)))
		}
	}
	if f.Attempt > 0 {
		s := fmt.Sprintf("attempt %d of %d", f.Attempt, max(f.Most, f.Attempt))
		if f.Live && f.Attempt >= f.Most && f.Most > 0 {
			s += ", the last"
		}
		add(s)
	}
	add(f.Run.Worker.Name())
	switch {
	case f.Live && !f.Run.Started.IsZero():
		add(runs.Span(p.now.Sub(f.Run.Started)))
	case f.Run.Took() > 0:
		add(runs.Span(f.Run.Took()))
	}
	cost, in, made := p.view.Cost, p.view.In, p.view.Out
	if r := f.Run.Report; r != nil {
		cost, in, made = max(cost, r.Cost), max(in, r.In), max(made, r.Out)
	}
	add(runs.Dollars(cost))
	if in+made > 0 {
		add(thousands(in) + " in, " + thousands(made) + " out")
	}
	row := parts[0]
	for _, s := range parts[1:] {
		if next := row + st.Faint.Render(" "+st.Glyph.Dot+" ") + s; text.Width(next) <= w {
			row = next
		}
	}
	return text.Truncate(row, w)
}

// thousands is a number of tokens, short.
func thousands(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// phase is the number of the phase that the run is in, or of the last one that it came to; -1 where
// nothing is known.
func (p *Pane) phase() int {
	at := -1
	for i, ph := range runlog.Phases() {
		r := p.facts.Run.Report
		switch now := p.view.Phase; {
		case now == ph:
			at = i
		case now == runlog.PhaseWaiting: // in the one that it came to last: a worker that asks in its work, a conflict in integrate
			if t := p.view.Begun[ph]; !t.IsZero() && (at < 0 || !t.Before(p.view.Begun[runlog.Phases()[at]])) {
				at = i
			}
		case now == runlog.PhaseEnded && !p.view.Begun[ph].IsZero(), r != nil && r.Phase == string(ph):
			at = max(at, i)
		}
	}
	return at
}

// phaseBar shows the phases with the one that the run is in; where there is no room, that one alone.
func (p *Pane) phaseBar(w int) string {
	st, f := p.st, &p.facts
	at := p.phase()
	if at < 0 { // somebody works, or worked, by hand
		return ""
	}
	done := !f.Live && f.Run.Outcome == model.RunCompleted
	var parts []string
	for i, ph := range runlog.Phases() {
		switch {
		case i < at, done && i <= at:
			parts = append(parts, st.Good.Render(tick(st, true)+" "+string(ph)))
		case i == at && f.Live && f.Waits:
			parts = append(parts, st.Warn.Render("? "+string(ph)))
		case i == at && f.Live:
			s := st.Glyph.Folded + " " + string(ph)
			if !p.view.Since.IsZero() {
				s += " " + runs.Span(p.now.Sub(p.view.Since))
			}
			parts = append(parts, st.Accent.Render(s))
		case i == at:
			parts = append(parts, st.Bad.Render(tick(st, false)+" "+string(ph)))
		default:
			parts = append(parts, st.Faint.Render(st.Glyph.Dot+" "+string(ph)))
		}
	}
	row := strings.Join(parts, "  ")
	if text.Width(row) <= w {
		return row
	}
	return text.Truncate(parts[at]+st.Muted.Render(fmt.Sprintf("  phase %d of %d", at+1, len(parts))), w)
}

// ticking shows the criteria and the checks as they come in; "" where there are none.
func (p *Pane) ticking(w int) string {
	st := p.st
	var parts []string
	count := func(name string, of map[runlog.Status]int) {
		total := of[runlog.Pass] + of[runlog.Fail] + of[runlog.NotRun]
		if total == 0 {
			return
		}
		s := st.Muted.Render(name + " ")
		for _, k := range []runlog.Status{runlog.Pass, runlog.Fail, runlog.NotRun} {
			if of[k] > 0 {
				sign, _, ink := standing(st, k)
				if st.Options.ASCII {
					sign += " " // it is a word, or would be read as the number's
				}
				s += ink.Render(fmt.Sprintf("%s%d", sign, of[k])) + " "
			}
		}
		parts = append(parts, strings.TrimRight(s, " "))
	}
	of := map[runlog.Status]int{}
	for _, c := range p.criteria() {
		of[c.Status]++
	}
	count("criteria", of)
	checks := p.view.Checks
	if p.report != nil {
		checks = p.report.Checks
	}
	of = map[runlog.Status]int{}
	for i := range checks {
		of[checks[i].Status]++
	}
	count("checks", of)
	if len(parts) == 0 {
		return ""
	}
	return text.Truncate(strings.Join(parts, "   "), w)
}

// headWarn says aloud what a person must not overlook.
func (p *Pane) headWarn(w int) []string {
	st, f := p.st, &p.facts
	r := f.Run.Report
	var ink style.Ink
	say := ""
	switch {
	case f.Waits && f.Asks != "":
		_, ink = st.Status(model.StatusWaiting)
		say = "Asks: " + f.Asks
	case f.Live || r == nil:
	case f.Run.Outcome == model.RunCompleted && !r.Tested:
		ink, say = st.Warn, st.Glyph.Warning+" Not tested: "+orWords(runlog.FirstLine(r.Why), "no test was found")
	case f.Run.Outcome != model.RunCompleted && r.Why != "":
		ink, say = st.Bad, st.Glyph.Warning+" "+runlog.FirstLine(r.Why)
	}
	if say == "" {
		return nil
	}
	lines := text.Wrap(text.SafeLine(say), w)
	if len(lines) > 2 {
		lines = lines[:2]
		lines[1] = text.Truncate(lines[1]+" "+st.Glyph.Ellipsis, w)
	}
	for i := range lines {
		lines[i] = ink.Render(lines[i])
	}
	return lines
}
