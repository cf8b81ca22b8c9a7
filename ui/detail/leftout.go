package detail

import (
	"fmt"

	"vespe/model"
	"vespe/model/plantext"
	"vespe/ui/markdown"
	"vespe/ui/text"
)

// leftOut is what the acceptance of the text on screen leaves out; nil where nobody accepted it, or
// all of it.
func (d *Detail) leftOut(p *docPane) *model.AcceptedPlan {
	t := d.task()
	if t == nil || p.content == nil || d.which(p) != model.Plan {
		return nil
	}
	a := t.Status.AcceptedPlan
	if a == nil || a.PlanHash != p.content.Hash || len(a.Excluded) == 0 {
		return nil
	}
	return a
}

// markLeftOut marks the sections that were left out when the plan was accepted: in the gutter, and by
// a row under their heading.
func (d *Detail) markLeftOut(p *docPane, marks map[int]markdown.Mark) (insets []markdown.Inset) {
	a := d.leftOut(p)
	if a == nil {
		return nil
	}
	sections := plantext.Sections(string(p.content.Body))
	mark := markdown.Mark{Glyph: d.notGlyph(), SGR: d.st.Warn.Open()}
	last := 0
	for i, out := range plantext.LeftOut(sections, a.Excluded) {
		s := sections[i]
		if !out {
			continue
		}
		for l := s.From; l <= s.To; l++ {
			if _, ok := marks[l]; !ok {
				marks[l] = mark
			}
		}
		says := "not accepted: " + actor(a.By) + " left this section out"
		if s.To <= last {
			says = "not accepted, like the section it is in"
		}
		last = max(last, s.To)
		insets = append(insets, markdown.Inset{
			ID: fmt.Sprintf("left out %d", s.From), Under: s.From, Mark: mark,
			Draw: func(w int) []string {
				return []string{text.Truncate(" "+d.st.Warn.Render(d.notGlyph()+" "+says), w)}
			},
		})
	}
	return insets
}

// notGlyph marks what is not accepted.
func (b *base) notGlyph() string {
	if b.st.Options.ASCII {
		return "x"
	}
	return "✗"
}

// putWithout puts what an acceptance leaves out into the facts, a part a row.
func (b *base) putWithout(f *facts, a *model.AcceptedPlan) {
	label := "Without"
	for _, what := range a.Excluded {
		f.put(label, b.st.Warn, words(what))
		label = ""
	}
}
