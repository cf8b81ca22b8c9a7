package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/overlay"
)

// pager shows something to read.
type pager struct{ window }

// Can leaves out what only differences and pages with links have.
func (p *pager) Can(action keymap.Action) can {
	switch action {
	case keymap.PageOpen, keymap.HunkNext, keymap.HunkPrev, keymap.DiffAll, keymap.DiffSplit, keymap.DiffChoose, keymap.NoteNext, keymap.NotePrev,
		keymap.Accept, keymap.Comment, keymap.LineRange, keymap.CommentAnswer, keymap.CommentSettle, keymap.CommentsSend:
		return can{no: true}
	}
	return can{}
}

// openPage shows a few lines to read.
func (a *App) openPage(title string, lines []string) tea.Cmd {
	return a.push(&pager{window{a: a, box: &page{st: a.st, title: title, lines: lines}, scope: keymap.Pager}})
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
	return a.push(&pager{window{a: a, box: overlay.NewLog(a.st, entries), scope: keymap.Pager}})
}
