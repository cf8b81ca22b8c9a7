package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/view"
)

// say shows a line of success for a while.
func (a *App) say(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	id := a.notices.Add(view.Notice{Text: text}, a.deps.Now())
	a.relayout() // it may take several lines
	return view.After(fadeAfter, expireMsg{id})
}

// remark shows a line that is no success for a while.
func (a *App) remark(text string) tea.Cmd {
	id := a.notices.Add(view.Notice{Level: view.Remark, Text: text}, a.deps.Now())
	a.requests.Note(capital(text))
	a.relayout()
	return view.After(fadeAfter, expireMsg{id})
}

// fail shows an error until it is read. It returns no command, so that it can end an action.
func (a *App) fail(n view.Notice) tea.Cmd {
	n.Level = view.Failure
	a.notices.Add(n, a.deps.Now())
	a.requests.Note(n.Line())
	a.relayout()
	return nil
}

// record puts a failure that an overlay tells of into the log, and returns it in a line.
func (a *App) record(n view.Notice) string {
	n.Level = view.Failure
	a.notices.Record(n, a.deps.Now())
	return n.Line()
}

// readFailures takes the failures up to an id off the screen: the person has gone on.
func (a *App) readFailures(upTo int) {
	if !a.notices.FailedSince(upTo) && a.notices.Read(upTo, a.deps.Now()) {
		a.relayout()
	}
}

// Unread are the failures that nobody has read yet.
func (a *App) Unread() []string { return a.notices.Unread() }

// Leftovers is what a person has to know after leaving: failures that were not read and
// texts that were not taken.
func (a *App) Leftovers() []string {
	out := a.Unread()
	for _, d := range a.editor.texts {
		if d.path != "" {
			out = append(out, fmt.Sprintf("your text for the %s of %s was not saved; it is at %s", d.doc, d.uid, d.path))
		}
	}
	return append(out, a.unkept()...)
}
