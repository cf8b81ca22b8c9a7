package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/view"
)

// say shows a line of success for a while.
func (c *core) say(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	id := c.notices.Add(view.Notice{Text: text}, c.deps.Now())
	c.relayout() // it may take several lines
	return view.After(fadeAfter, expireMsg{id})
}

// remark shows a line that is no success for a while.
func (c *core) remark(text string) tea.Cmd {
	id := c.notices.Add(view.Notice{Level: view.Remark, Text: text}, c.deps.Now())
	c.requests.Note(capital(text))
	c.relayout()
	return view.After(fadeAfter, expireMsg{id})
}

// fail shows an error until it is read. It returns no command, so that it can end an action.
func (c *core) fail(n view.Notice) tea.Cmd {
	n.Level = view.Failure
	c.notices.Add(n, c.deps.Now())
	c.requests.Note(n.Line())
	c.relayout()
	return nil
}

// record puts a failure that an overlay tells of into the log, and returns it in a line.
func (c *core) record(n view.Notice) string {
	n.Level = view.Failure
	c.notices.Record(n, c.deps.Now())
	return n.Line()
}

// readFailures takes the failures up to an id off the screen: the person has gone on.
func (c *core) readFailures(upTo int) {
	if !c.notices.FailedSince(upTo) && c.notices.Read(upTo, c.deps.Now()) {
		c.relayout()
	}
}

// Unread are the failures that nobody has read yet.
func (a *App) Unread() []string { return a.notices.Unread() }

// Leftovers is what a person has to know after leaving: failures that were not read and
// texts that were not taken.
func (a *App) Leftovers() []string {
	out := a.Unread()
	for _, d := range a.tasks.editor.texts {
		if d.path != "" {
			out = append(out, fmt.Sprintf("your text for the %s of %s was not saved; it is at %s", d.doc, d.uid, d.path))
		}
	}
	return append(out, a.comments.unkept()...)
}
