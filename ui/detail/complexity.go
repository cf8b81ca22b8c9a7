package detail

import (
	"fmt"
	"reflect"
	"strings"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/lifecycle"
	"vespe/model/schedule"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Points is a number of points without needless digits.
func Points(f float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") }

// ScoreWords is a score in a few words: "8.5 of 13, high".
func ScoreWords(s *complexity.Score) string {
	return fmt.Sprintf("%s of %d, %s", Points(s.Total), complexity.Most, s.Level)
}

// LevelInk is the ink of a level of complexity.
func LevelInk(st *style.Styles, l complexity.Level) style.Ink {
	switch l {
	case complexity.Low:
		return st.Good
	case complexity.Medium:
		return st.Warn
	}
	return st.Bad
}

// The columns of the parts of a score: the name, a bar, how many points of how many.
const (
	factorName = 17
	factorBar  = 6
	factorOf   = 11
)

// complexity is how much work the task is: five parts, with the words and directories behind each, and the
// limits that it is beyond. Files have a section of their own.
func (s *writer) complexity(t *model.Task) {
	d, st := s.d, s.d.st
	limits := d.snap.Policy().SizeLimits()
	score := t.Complexity(limits)
	if score.Total == 0 {
		return
	}
	s.head("Complexity", ScoreWords(&score))
	for i := range score.Parts {
		s.factor(&score.Parts[i])
	}
	for _, w := range score.Warnings {
		s.bullet(st.Glyph.Warning, st.Warn, st.Text, w.Text)
	}
	said, ink := text.Capital(score.Advice()), LevelInk(st, score.Level)
	if score.Split {
		said += fmt.Sprintf("; it is above the threshold of %s", Points(limits.Threshold))
	}
	n := 0
	for _, c := range d.snap.Children(d.idx) {
		if part := d.snap.At(int(c)); part.SplitFrom() == t.UID && part.Status.CurrentState != model.Aborted {
			n++
		}
	}
	if n > 0 {
		said, ink = "It is decomposed into "+plural(n, "subtask"), st.Good
	}
	said += "."
	if score.Named() {
		said += fmt.Sprintf(" About %s per attempt.", complexity.MinuteWords(score.Minutes))
	}
	s.prose(ink, said, 2)
	split := model.Op{Name: model.Decompose, UID: t.UID, Actor: model.System + ":vespe", Args: model.Decomposition{}}
	if key := d.keys("task.decompose"); score.Split && limits.AutoSplit && key != "" && lifecycle.Allowed(d.snap, split) == nil {
		s.add("  " + d.keyLine("task.decompose", "decompose it"))
	}
}

// SetWhereabouts hands over where the task lies in the schedule; nil for one whose work is over.
func (d *Detail) SetWhereabouts(uid model.UID, w *schedule.Whereabouts) {
	if uid != d.uid || reflect.DeepEqual(w, d.whereabouts) {
		return
	}
	d.whereabouts = w
	d.touch()
}

// schedule is when the work could be done, once that is known.
func (s *writer) schedule() {
	st, w := s.d.st, s.d.whereabouts
	if w == nil {
		return
	}
	note := ""
	switch {
	case w.Critical:
		note = "on the critical path"
	case w.Stuck:
		note = "can't be completed"
	}
	s.head("Schedule", note)
	f := s.newFacts(2, labelWidth)
	for _, x := range w.Facts {
		f.put(x.Label, st.Text, x.Text)
	}
	f.flush()
}

// sizePart is how much work a task is, for the line above its plan; nothing where nothing is known of it.
func (b *base) sizePart() []headPart {
	score := b.task().Complexity(b.snap.Policy().SizeLimits())
	if score.Total == 0 {
		return nil
	}
	return []headPart{{LevelInk(b.st, score.Level).Render(string(score.Level) + " complexity, " + Points(score.Total)), 5}}
}

// factor is one part of a score.
func (s *writer) factor(p *complexity.Part) {
	st, ink := s.d.st, s.d.st.Text
	if p.Points == 0 {
		ink = st.Faint
	}
	most := p.Factor.Most()
	lead := "  " + text.Pad(ink.Render(p.Factor.Words()), factorName) +
		st.Progress(int(2*p.Points), int(2*most), factorBar-1) + " " +
		text.Pad(ink.Render(Points(p.Points)+" of "+Points(most)), factorOf)
	indent := text.Width(lead)
	why := words(p.Why)
	for _, f := range p.Found {
		why += " " + st.Glyph.Dot + " " + f.Word + " (" + strings.Join(f.Where, ", ") + ")"
	}
	if p.Factor == complexity.CrossFileDeps && p.Points > 0 {
		why += ": " + words(strings.Join(p.Paths, ", "))
	}
	if s.w < indent+16 { // no room beside it
		s.add(text.Truncate(lead, s.w))
		s.prose(ink, why, 4)
		return
	}
	for i, l := range s.wrapped(ink, why, s.w-indent) {
		if i > 0 {
			lead = text.Spaces(indent)
		}
		s.add(lead + l)
	}
}
