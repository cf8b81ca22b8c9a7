package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/taskdocs"
	"vespe/ui/view"
)

// awaited is an answer that a person waits for, one at a time.
type awaited struct {
	gen  int
	on   bool
	asks bool        // it is a question about a verdict
	lost view.Notice // what is said when the person goes on before it comes
}

// opening is such an answer: it opens a dialog.
type opening interface{ open(a *App) tea.Cmd }

// awaitedMsg is the answer that is awaited, or was before a key.
type awaitedMsg struct {
	gen int
	opening
}

// await reads something to be shown as what. A key that comes before it withdraws it.
func (c *core) await(what string, read func() opening) tea.Cmd {
	return c.awaitOr(view.Notice{Level: view.Remark, Text: what + ": canceled by another key"}, read)
}

func (c *core) awaitOr(lost view.Notice, read func() opening) tea.Cmd {
	gen := c.awaited.gen + 1
	c.awaited = awaited{gen: gen, on: true, lost: lost}
	return func() tea.Msg { return awaitedMsg{gen, read()} }
}

// withdraw gives up what is awaited: the person has gone on, and a dialog that came now
// would take the keys that were meant for something else.
func (c *core) withdraw() tea.Cmd {
	if !c.awaited.on {
		return nil
	}
	c.awaited.on = false
	if lost := c.awaited.lost; lost.Level == view.Failure {
		return c.fail(lost)
	}
	return c.remark(c.awaited.lost.Text)
}

func (a *App) onAwaited(m awaitedMsg) tea.Cmd {
	if m.gen != a.awaited.gen || !a.awaited.on {
		return nil
	}
	a.awaited.on = false
	return m.open(a)
}

// sheetsRead are the sheets of several tasks, for a verdict on a selection.
type sheetsRead struct {
	sheets []*taskdocs.Docs
	err    error
	then   func([]*taskdocs.Docs) tea.Cmd
}

// withSheets reads the sheets of tasks and continues with them. One that is on screen is
// taken as it is: what was seen is what counts. what names it for the person.
func (c *core) withSheets(what string, uids []model.UID, then func([]*taskdocs.Docs) tea.Cmd) tea.Cmd {
	if len(uids) == 1 && c.sheet != nil && c.sheet.UID == uids[0] && c.sheet.Err == nil {
		return then([]*taskdocs.Docs{c.sheet})
	}
	var list []taskdocs.Wanted
	for _, uid := range uids {
		list = append(list, c.wanted(uid))
	}
	read := c.await(what, func() opening { return c.fx.sheets(list, then) })
	c.awaited.asks = true
	return read
}

func (m sheetsRead) open(a *App) tea.Cmd {
	if m.err != nil {
		return a.fail(view.Notice{Text: readFailed, Why: m.err.Error()})
	}
	var cmd tea.Cmd
	for _, s := range m.sheets { // what is decided on is what is on screen
		if s.UID == a.nav.followed {
			cmd = tea.Batch(cmd, a.nav.setSheet(s))
			continue
		}
		cmd = tea.Batch(cmd, a.comments.takeDrafts(s))
	}
	return tea.Batch(cmd, m.then(m.sheets))
}
