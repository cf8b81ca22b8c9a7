package runpane

import (
	"fmt"
	"strings"

	"vespe/model/runlog"
	"vespe/ui/rows"
	"vespe/ui/runs"
	"vespe/ui/style"
	"vespe/ui/text"
)

// proof is an item of the evidence.
type proof struct {
	head      string // of a section
	note      string // beside it
	say       string // a sentence
	ink       style.Ink
	check     *runlog.Evidence
	ended     bool // the check has
	criterion *runlog.Criterion
}

// evidence lists what is known: the verdict, the criteria, then the checks. Before verify.json is there
// it is what the log tells.
func (p *Pane) evidence() []proof {
	var out []proof
	st := p.st
	say := func(ink style.Ink, s string) { out = append(out, proof{say: s, ink: ink}) }
	checks, criteria := p.view.Checks, p.criteria()
	if r := p.report; r != nil {
		switch {
		case !r.OK:
			say(st.Bad, tick(st, false)+" Verification failed: "+orWords(runlog.FirstLine(r.Why), "a check did not pass"))
		case !r.Tested:
			say(st.Warn, st.Glyph.Warning+" Not tested: "+orWords(runlog.FirstLine(r.Why), "no test was found")+". Nothing shows that it works.")
		default:
			say(st.Good, tick(st, true)+" Every check passed on the committed result.")
		}
		for _, f := range r.Missing {
			say(st.Bad, tick(st, false)+" missing: "+f)
		}
		for _, f := range r.Outside {
			say(st.Warn, st.Glyph.Warning+" changed, but not named by the task: "+f)
		}
		if r.Commit != "" {
			say(st.Faint, "commit "+r.Commit)
		}
		checks = r.Checks
	}
	if len(criteria) > 0 {
		n := 0
		for i := range criteria {
			if criteria[i].Status == runlog.Pass {
				n++
			}
		}
		out = append(out, proof{head: "Acceptance criteria", note: fmt.Sprintf("%d of %d met", n, len(criteria))})
		for i := range criteria {
			out = append(out, proof{criterion: &criteria[i]})
		}
	}
	if len(checks) > 0 {
		out = append(out, proof{head: "Checks", note: fmt.Sprint(len(checks))})
		for i := range checks {
			out = append(out, proof{check: &checks[i], ended: true})
		}
	}
	return out
}

func orWords(s, other string) string {
	if s == "" {
		return other
	}
	return strings.TrimRight(s, ".")
}

// criteria are those of the task, with what the run says of each.
func (p *Pane) criteria() []runlog.Criterion {
	if p.report != nil && len(p.report.Criteria) > 0 {
		return p.report.Criteria
	}
	out := make([]runlog.Criterion, 0, len(p.facts.Criteria))
	for _, c := range p.facts.Criteria {
		out = append(out, runlog.Criterion{Text: c, Status: runlog.NotRun})
	}
	return out
}

func (p *Pane) drawProof(i, w int) []string {
	x, st := &p.proofs[i], p.st
	switch {
	case x.head != "":
		row := st.Bold.Render(x.head)
		if x.note != "" {
			row += "  " + st.Muted.Render(x.note)
		}
		if i == 0 {
			return []string{text.Truncate(row, w)}
		}
		return []string{"", text.Truncate(row, w)}
	case x.criterion != nil:
		return p.drawCriterion(x.criterion, w)
	case x.check != nil:
		return p.drawCheck(x.check, x.ended, p.opened[x.check.Name], w)
	}
	var out []string
	for _, l := range text.Wrap(text.SafeLine(x.say), w) {
		out = append(out, x.ink.Render(l))
	}
	return out
}

// standing is the sign, the word and the ink of how something came out.
func standing(st *style.Styles, s runlog.Status) (sign, word string, ink style.Ink) {
	switch s {
	case runlog.Pass:
		return tick(st, true), "pass", st.Good
	case runlog.Fail:
		return tick(st, false), "fail", st.Bad
	}
	if st.Options.ASCII {
		return "-", "not run", st.Warn
	}
	return "○", "not run", st.Warn
}

func (p *Pane) drawCriterion(c *runlog.Criterion, w int) []string {
	st := p.st
	sign, word, ink := standing(st, c.Status)
	lead := text.Pad(ink.Render(sign+" "+word), 10)
	var out []string
	for _, l := range text.Wrap(text.SafeLine(strings.Join(strings.Fields(c.Text), " ")), max(4, w-10)) {
		out = append(out, text.Truncate(lead+st.Text.Render(l), w))
		lead = text.Spaces(10)
	}
	say := c.Why
	if c.By != "" {
		say = strings.TrimSuffix("by "+c.By+": "+c.Why, ": ")
	}
	if say != "" {
		for _, l := range text.Wrap(text.SafeLine(say), max(4, w-10)) {
			out = append(out, text.Truncate(text.Spaces(10)+st.Muted.Render(l), w))
		}
	}
	return out
}

// failTail is how many rows of its output a check that failed shows while it is folded.
const failTail = 4

// drawCheck draws a check: how it came out in a row, and the end of what it printed below.
func (p *Pane) drawCheck(c *runlog.Evidence, ended, open bool, w int) []string {
	st := p.st
	sign, word, ink := standing(st, c.Status)
	if !ended {
		sign, word, ink = st.Glyph.Ellipsis, "runs", st.Info
	}
	name := runlog.FirstLine(c.Name)
	argv := strings.Join(c.Argv, " ")
	row := text.Pad(ink.Render(sign+" "+word), 10) + st.Text.Render(text.SafeLine(name))
	if argv != "" && argv != name {
		row += "  " + st.Code.Render("$ "+text.SafeLine(argv))
	}
	right := ""
	if ended && c.Status != runlog.NotRun && len(c.Argv) > 0 {
		right = st.Muted.Render(fmt.Sprintf("exit %d", c.Exit))
	}
	if c.Took() > 0 {
		right = strings.TrimSpace(right + " " + st.Faint.Render(shortTook(c)))
	}
	if gap := w - text.Width(right) - 1; right != "" && gap > 20 {
		row = text.Pad(row, gap) + " " + right
	}
	out := []string{text.Truncate(row, w)}
	if c.Why != "" {
		for _, l := range text.Wrap(text.SafeLine(c.Why), max(4, w-10)) {
			out = append(out, text.Truncate(text.Spaces(10)+st.Muted.Render(l), w))
		}
	}
	if c.Source != "" && open {
		out = append(out, text.Truncate(text.Spaces(10)+st.Faint.Render(text.SafeLine(c.Source)), w))
	}
	return append(out, p.printed(c, open, w)...)
}

func shortTook(c *runlog.Evidence) string {
	if c.Millis < 1000 {
		return fmt.Sprintf("%dms", c.Millis)
	}
	return runs.Span(c.Took())
}

// printed is the end of what a check printed: all that is kept of it, or of one that failed a few rows.
func (p *Pane) printed(c *runlog.Evidence, open bool, w int) (out []string) {
	body := strings.TrimRight(c.Output, "\n")
	if strings.TrimSpace(body) == "" || !open && c.Status != runlog.Fail {
		return nil
	}
	l := exact(body, max(1, w-6))
	if cut := c.Bytes - int64(len(c.Output)); cut > 0 && open {
		out = append(out, text.Truncate("    "+p.st.Faint.Render(size(cut)+" before this were not saved"), w))
	}
	if !open && len(l.rows) > failTail {
		l.rows = l.rows[len(l.rows)-failTail:]
		out = append(out, text.Truncate("    "+p.st.Faint.Render("its end"+p.unfolds()), w))
	}
	for _, s := range l.rows {
		out = append(out, text.Truncate("    "+p.bar()+p.st.Muted.Render(s), w))
	}
	return out
}

// foldedProof is what is searched of an item of the evidence.
func (p *Pane) foldedProof(i int) string {
	x := &p.proofs[i]
	s := x.head + " " + x.say
	if c := x.criterion; c != nil {
		s += c.Text + " " + c.By + " " + c.Why
	}
	if c := x.check; c != nil {
		s += c.Name + " " + strings.Join(c.Argv, " ") + " " + c.Why + " " + c.Output
	}
	return rows.Fold(s)
}
