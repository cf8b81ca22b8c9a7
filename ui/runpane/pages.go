package runpane

import (
	"strings"

	"vespe/model"
	"vespe/ui/diff"
	"vespe/ui/rows"
	"vespe/ui/runs"
	"vespe/ui/text"
)

// setText cuts a text into its lines.
func (d *document) setText(body []byte) {
	d.lines = nil
	if len(body) > 0 {
		d.lines = strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
	}
}

// document is a file of the run, whole.
type document struct {
	loaded, stale bool
	none          bool // there is no such file
	err           error
	lines         []string
	size          int64 // of the file
	read          int64
}

// drawLine draws a line of the prompt as it is: it is what the worker was given.
func (p *Pane) drawLine(i, w int) []string {
	line := text.Safe(strings.TrimRight(p.prompt.lines[i], "\r"))
	ink := p.st.Text
	if strings.HasPrefix(line, "#") {
		ink = p.st.Heading
	}
	var out []string
	for _, l := range text.Wrap(line, max(1, w)) {
		out = append(out, ink.Render(strings.TrimRight(l, " ")))
	}
	return out
}

// patchSplit is from how many columns on what was there stands beside what is there now.
const patchSplit = 120

// patchPage is the patch, laid out for a width.
type patchPage struct {
	document
	cmp  *diff.Comparison
	laid diff.Layout
}

// layPatch lays the patch out for a width.
func (p *Pane) layPatch(w int) {
	if p.patch.cmp == nil {
		return
	}
	split := w >= patchSplit && !p.patch.cmp.Lopsided()
	laid := p.patch.laid.IsLaid(p.patch.cmp, w, split)
	p.patch.laid.Lay(p.st, p.patch.cmp, w, split)
	if s := p.stacks[Patch]; !laid || s.n != p.patch.laid.Len() {
		s.redo()
		p.set(Patch, p.patch.laid.Len())
	}
}

func (p *Pane) drawPatch(i, _ int) []string { return []string{p.patch.laid.Draw(i)} }

func (p *Pane) foldedPatch(i int) string { return rows.Fold(text.Strip(p.patch.laid.Draw(i))) }

// Attempt is the run under the cursor of the attempts.
func (p *Pane) Attempt() (run string, ok bool) {
	s := p.stacks[Attempts]
	if p.tab != Attempts || s.cur >= len(p.attempts) {
		return "", false
	}
	return p.attempts[s.cur].ID, true
}

// drawAttempt draws one of the attempts at the task: the newest first.
func (p *Pane) drawAttempt(i, w int) []string {
	r := &runs.Run{Run: p.attempts[i], Attempt: runs.AttemptOf(&p.attempts[i], len(p.attempts)-1-i)}
	return append(runs.Attempt(p.st, r, runs.AttemptLook{Here: r.ID == p.facts.Run.ID, Waits: p.facts.Waits, Zone: p.now.Location()}, w), "")
}

func (p *Pane) foldedAttempt(i int) string {
	r := &p.attempts[i]
	s := r.ID + " " + string(r.Worker) + " " + r.Outcome
	if r.Report != nil {
		s += " " + r.Report.Why
	}
	return rows.Fold(s)
}

// SetAttempts hands over the attempts at the task, the oldest first.
func (p *Pane) SetAttempts(uid model.UID, list []model.Run) {
	if uid != p.facts.Run.Task {
		return
	}
	s := p.stacks[Attempts]
	was := ""
	if s.cur < len(p.attempts) {
		was = p.attempts[s.cur].ID
	}
	p.attempts = p.attempts[:0:0]
	for i := range list {
		p.attempts = append(p.attempts, list[len(list)-1-i])
	}
	s.redo()
	p.set(Attempts, len(p.attempts))
	for i := range p.attempts {
		if p.attempts[i].ID == was {
			s.cur = i
		}
	}
}
