package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/verdict"
)

// openSuggested looks for the dependencies that files suggest, and lists them to be added.
func (e *taskEditor) openSuggested() tea.Cmd {
	if e.snap == nil {
		return nil
	}
	snap := e.snap
	return e.await("The list of suggested dependencies", func() opening {
		needs, clashes := snap.FileOverlaps()
		return overlaps{snap, needs, clashes}
	})
}

// overlaps is what the files of the tasks of a snapshot say about each other.
type overlaps struct {
	snap    *snapshot.Snapshot
	needs   []snapshot.FileNeed
	clashes []snapshot.FileClash
}

func (m overlaps) open(a *App) tea.Cmd {
	here, _ := a.currentIndex()
	checks, out := suggestedRows(a.st, m, here)
	if len(checks) == 0 {
		return a.tasks.sayOverlaps(m)
	}
	list := dialog.NewChecklist(a.st, nil, overlay.ChecklistOptions{Title: "Dependencies that files suggest", Rows: checks, Out: out}, func(out []string) tea.Cmd {
		return a.tasks.addSuggested(m, out)
	})
	return a.dialogs.Push(&list)
}

// suggestedRows are the dependencies that can be added, those of the task under the cursor first; where
// there are some, the others are left out at first.
func suggestedRows(st *style.Styles, m overlaps, here int) (checks []overlay.Check, out []string) {
	for _, own := range []bool{true, false} {
		head := map[bool]string{true: "Of the task under the cursor", false: "Of other tasks"}[own]
		left := len(checks) > 0
		for k, n := range m.needs {
			if n.Cycle != nil || (int(n.Task) == here || int(n.On) == here) != own {
				continue
			}
			c := overlay.Check{
				ID: fmt.Sprint(k), Inside: -1, Head: head,
				Title:  m.snap.Name(int(n.Task)) + " waits for " + m.snap.Name(int(n.On)),
				Detail: strings.Join(n.Files, ", "),
			}
			c.Glyph, c.Ink = st.Status(m.snap.Status(int(n.Task)))
			checks, head = append(checks, c), ""
			if left {
				out = append(out, c.ID)
			}
		}
	}
	return checks, out
}

// overlapLines are the clashes, and the dependencies that would close a cycle.
func overlapLines(m overlaps) []string {
	var out []string
	for _, n := range m.needs {
		if n.Cycle != nil {
			out = append(out, fmt.Sprintf("%q modifies %s, which %q creates, but a dependency would close a cycle",
				m.snap.Name(int(n.Task)), strings.Join(n.Files, ", "), m.snap.Name(int(n.On))))
		}
	}
	for _, c := range m.clashes {
		var names []string
		for _, i := range c.Tasks {
			names = append(names, fmt.Sprintf("%q", m.snap.Name(int(i))))
		}
		what := "create it"
		if c.Kind == snapshot.Writers {
			what = "modify it in no fixed order"
		}
		out = append(out, c.File+": "+text.Listed(names, 3)+" "+what)
	}
	return out
}

// sayOverlaps shows what nothing can be added for.
func (e *taskEditor) sayOverlaps(m overlaps) tea.Cmd {
	list := overlapLines(m)
	if len(list) == 0 {
		return e.remark("files suggest no dependency, and no two open tasks name the same file")
	}
	lines := []string{e.st.Muted.Render("Files suggest no dependency to add. Files that several open tasks name:"), ""}
	for _, l := range list {
		lines = append(lines, e.st.Warn.Render(e.st.Glyph.Warning)+" "+e.st.Text.Render(text.SafeLine(l)))
	}
	return e.dialogs.Push(dialog.NewPage(e.st, "From files", lines))
}

// addSuggested asks whether the dependencies that were chosen are to be added.
func (e *taskEditor) addSuggested(m overlaps, out []string) tea.Cmd {
	var chosen []snapshot.FileNeed
	for k, n := range m.needs {
		if n.Cycle == nil && !slices.Contains(out, fmt.Sprint(k)) {
			chosen = append(chosen, n)
		}
	}
	if len(chosen) == 0 {
		return e.remark("no dependency was chosen")
	}
	ops, left := lifecycle.NeedOps(m.snap, chosen, e.deps.Actor)
	p := verdict.Proposal{Name: model.AddDependency, Notes: overlapLines(m)}
	for i := range ops {
		ops[i].ID = e.deps.NewID()
	}
	for _, n := range left {
		p.Notes = append(p.Notes, fmt.Sprintf("left out: %q would wait for itself through %q", m.snap.Name(int(n.Task)), m.snap.Name(int(n.On))))
	}
	if len(ops) == 0 {
		return e.remark(strings.Join(p.Notes, "; "))
	}
	if _, with, err := e.proposer().Preview(ops); err != nil {
		return e.fail(e.proposer().Refused(model.AddDependency.Title(), err))
	} else {
		p.Affected = with.Affected
	}
	p.Ops = ops
	p.Summary = "Add " + countDependencies(ops) + "."
	var rows []overlay.Affected
	for _, n := range chosen {
		row := overlay.Affected{Title: m.snap.Name(int(n.Task)), Detail: "waits for " + m.snap.Name(int(n.On)) + ": " + strings.Join(n.Files, ", ")}
		row.Glyph, row.Ink = e.st.Status(m.snap.Status(int(n.Task)))
		rows = append(rows, row)
	}
	return e.confirm(p, rows)
}

func countDependencies(ops []model.Op) string {
	n := 0
	for _, op := range ops {
		n += len(model.ArgsOf[model.DependencyEdit](&op).DependsOn)
	}
	return model.Plural(n, "dependency", "dependencies")
}
