package verdict

import (
	"fmt"
	"slices"

	"vespe/ui/taskdocs"

	"vespe/model"
	"vespe/model/plantext"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// LeftBefore is what the acceptance that stands on a task leaves out and can be left out again: a plan
// that is accepted anew is, until a person says otherwise, accepted without it. Of several plans it is
// nothing: their dialog says what each takes in.
func (v Proposer) LeftBefore(docs []*taskdocs.Docs) []string {
	if len(docs) != 1 {
		return nil
	}
	t, ok := v.Snap.Task(docs[0].UID)
	if !ok || t.Status.AcceptedPlan == nil {
		return nil
	}
	parts := sectionParts(docs[0])
	return slices.DeleteFunc(slices.Clone(t.Status.AcceptedPlan.Excluded), func(what string) bool {
		return !slices.ContainsFunc(parts, func(c overlay.Check) bool { return c.ID == what })
	})
}

// sectionParts are the sections of the plan of a dialog.
func sectionParts(s *taskdocs.Docs) []overlay.Check {
	if s.Plan == nil {
		return nil
	}
	var out []overlay.Check
	head := "Sections of the plan, each with its subsections"
	top := 6
	sections := plantext.Sections(string(s.Plan.Body))
	for _, sec := range sections {
		top = min(top, sec.Level)
	}
	for i, sec := range sections {
		c := overlay.Check{
			ID: sec.Title, Title: sec.Title, Depth: sec.Level - top, Inside: -1, Head: head,
			Detail: lineRange(sec.From, sec.To),
		}
		for k := i - 1; k >= 0 && c.Inside < 0; k-- {
			if sections[k].To >= sec.To {
				c.Inside = k
			}
		}
		out, head = append(out, c), ""
	}
	return out
}

func lineRange(from, to int) string {
	return LinesOf(model.Place{From: from, To: to})
}

// leftOutRows name what an acceptance leaves out.
func (v Proposer) leftOutRows(s *taskdocs.Docs, excluded []string) []overlay.Affected {
	if len(excluded) == 0 {
		return nil
	}
	row := v.FactRow("left out", fmt.Sprintf("%s %s not accepted", text.Plural(len(excluded), "part"), model.VerbFor(len(excluded), "is", "are")))
	row.Glyph, row.Ink = v.Styles.Glyph.Warning, v.Styles.Warn
	rows := []overlay.Affected{row}
	sections := plantext.Sections(string(s.Plan.Body))
	out := plantext.LeftOut(sections, excluded)
	for _, what := range excluded {
		r := overlay.Affected{Glyph: v.Styles.Glyph.Dot, Ink: v.Styles.Warn, Title: text.SafeLine(what)}
		var at []string
		last := 0
		for i, sec := range sections {
			switch {
			case sec.Title == what:
				at = append(at, lineRange(sec.From, sec.To))
				last = max(last, sec.To)
			case out[i] && sec.From <= last:
				at = append(at, "with "+sec.Title)
			}
		}
		r.Detail = text.SafeLine(text.Listed(at, 4))
		rows = append(rows, r)
	}
	return rows
}
