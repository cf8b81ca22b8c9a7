package ui

import (
	"fmt"
	"slices"

	"vespe/model"
	"vespe/model/plantext"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// partsOf are the parts of a plan that may be left out of its acceptance: its sections, and the
// subtasks that have not ended.
func (a *App) partsOf(s *sheet) []overlay.Check {
	out := sectionParts(s)
	i, ok := a.snap.Index(s.uid)
	if !ok {
		return out
	}
	head := "Subtasks; those that are left out are paused until a person resumes them"
	for _, k := range a.snap.Children(i) {
		t, st := a.snap.At(int(k)), a.snap.Status(int(k))
		if hasEnded(t) {
			continue
		}
		c := overlay.Check{ID: string(t.UID), Title: a.name(t.UID), Detail: a.snap.StatusWord(int(k)), Inside: -1, Head: head}
		c.Glyph, c.Ink = a.st.Status(st)
		out, head = append(out, c), ""
	}
	return out
}

// leftBefore is what the acceptance that stands on a task leaves out and can be left out again: a plan
// that is accepted anew is, until a person says otherwise, accepted without it. Of several plans it is
// nothing: their sheet says what each takes in.
func (a *App) leftBefore(sheets []*sheet) []string {
	if len(sheets) != 1 {
		return nil
	}
	t, ok := a.snap.Task(sheets[0].uid)
	if !ok || t.Status.AcceptedPlan == nil {
		return nil
	}
	parts := a.partsOf(sheets[0])
	return slices.DeleteFunc(slices.Clone(t.Status.AcceptedPlan.Excluded), func(what string) bool {
		return !slices.ContainsFunc(parts, func(c overlay.Check) bool { return c.ID == what })
	})
}

// sectionParts are the sections of the plan of a sheet.
func sectionParts(s *sheet) []overlay.Check {
	if s.plan == nil {
		return nil
	}
	var out []overlay.Check
	head := "Sections of the plan, each with those below it"
	top := 6
	sections := plantext.Sections(string(s.plan.Body))
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

// hasEnded reports whether a task can be left out no more.
func hasEnded(t *model.Task) bool {
	switch t.Status.CurrentState {
	case model.Completed, model.Failed, model.Aborted:
		return true
	}
	return false
}

func lineRange(from, to int) string {
	return linesOf(model.Place{From: from, To: to})
}

// leftOutRows name what an acceptance leaves out.
func (a *App) leftOutRows(s *sheet, excluded []string) []overlay.Affected {
	if len(excluded) == 0 {
		return nil
	}
	row := a.factRow("left out", fmt.Sprintf("%s not accepted", are(len(excluded), "part")))
	row.Glyph, row.Ink = a.st.Glyph.Warning, a.st.Warn
	rows := []overlay.Affected{row}
	sections := plantext.Sections(string(s.plan.Body))
	out := plantext.LeftOut(sections, excluded)
	for _, what := range excluded {
		r := overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Warn, Title: safeLine(what)}
		if t, ok := a.snap.Task(model.UID(what)); ok {
			r.Title, r.Detail = a.name(t.UID), "subtask, is paused"
			rows = append(rows, r)
			continue
		}
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
		r.Detail = safeLine(text.Listed(at, 4))
		rows = append(rows, r)
	}
	return rows
}

// are is "1 part is", "2 parts are".
func are(n int, what string) string {
	if n == 1 {
		return plural(n, what) + " is"
	}
	return plural(n, what) + " are"
}
