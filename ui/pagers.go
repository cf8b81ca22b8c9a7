package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/overlay"
)

func nothing(*App, overlay.Outcome) tea.Cmd { return nil }

// diffInput is two texts to be compared.
type diffInput struct {
	title, oldName, nowName, note string
	old, now                      []byte
	patch                         []byte             // in place of two texts: what changes files
	plan                          *planDiff          // what it compares, when that is two revisions of a plan
	then                          func(*App) tea.Cmd // when it has been closed; nil for nothing
}

// openDiff shows what differs between two texts, once they have been compared.
func (a *App) openDiff(in diffInput) tea.Cmd {
	box := overlay.NewDiff(a.st, overlay.DiffOptions{
		Title: in.title, OldTitle: in.oldName, NewTitle: in.nowName,
		Old: string(in.old), New: string(in.now), Patch: string(in.patch), Note: in.note, Empty: "No change.",
		Notes: in.plan.notes(a), Flagged: in.plan.unasked(), Label: a.st.Glyph.Unfolded + " " + unaskedLabel,
	})
	if in.plan != nil {
		box.Lines()
	}
	pushed := a.push(&dialog{box: box, scope: keymap.Pager, compares: in.plan, on: func(a *App, out overlay.Outcome) tea.Cmd {
		if out.Ends() && in.then != nil {
			return in.then(a)
		}
		return nil
	}})
	return tea.Batch(pushed, a.fx.compare(box))
}

// onCompared shows a comparison, where it is still open.
func (a *App) onCompared(m comparedMsg) tea.Cmd {
	m.box.Show(m.cmp)
	return nil
}

// openPage shows a few lines to read.
func (a *App) openPage(title string, lines []string) tea.Cmd {
	return a.push(&dialog{box: &page{st: a.st, title: title, lines: lines}, scope: keymap.Pager, on: nothing})
}

// openLog lists every message of the session.
func (a *App) openLog() tea.Cmd {
	entries := make([]overlay.LogEntry, 0, len(a.notices.log))
	for _, n := range a.notices.log {
		e := overlay.LogEntry{At: n.at, Text: n.text, Why: n.why, Hint: n.hint}
		switch n.level {
		case success:
			e.Level = overlay.Success
		case failure:
			e.Level = overlay.Failure
			if n.guard != "" {
				e.Hint = joinHints(n.hint, "guard "+n.guard)
			}
		}
		entries = append(entries, e)
	}
	box := overlay.NewLog(a.st, entries)
	return a.push(&dialog{box: box, scope: keymap.Pager, on: nothing})
}
