package ui

import (
	"slices"

	"vespe/ui/taskdocs"
	"vespe/ui/verdict"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/text"
)

// changesetMsg are texts of a changeset, read.
type changesetMsg struct {
	c      *changeset
	gen    int
	sheets []*taskdocs.Docs
	looked bool // it is the answer to a look at the texts
}

func (c *changeset) read() tea.Cmd {
	var list []taskdocs.Wanted
	for i, m := range c.page.Members() {
		t, ok := c.a.snap.Task(m.UID)
		if !ok || !m.In && i > 0 {
			continue
		}
		if at, asked := c.asked[m.UID]; !asked || at != t.Status.Revision {
			c.asked[m.UID] = t.Status.Revision
			list = append(list, c.a.wanted(m.UID))
		}
	}
	if len(list) == 0 {
		return nil
	}
	c.gen++
	return c.a.fx.changeset(c, list)
}

// changeset reads the texts of tasks, as far as they can be read.
func (e effects) changeset(c *changeset, tasks []taskdocs.Wanted) tea.Cmd {
	gen := c.gen
	return func() tea.Msg {
		m := changesetMsg{c: c, gen: gen}
		for _, w := range tasks {
			m.sheets = append(m.sheets, e.docs().Read(e.ctx, w))
		}
		return m
	}
}

// look looks at the texts, and reads those that have changed: an editor or an agent may write them without a word to the
// store.
func (c *changeset) look() tea.Cmd {
	if c.looking || c.a.snap == nil {
		return nil
	}
	c.looking = true
	var list []taskdocs.Wanted
	var old []*taskdocs.Docs
	for _, m := range c.page.Members() {
		if s := c.sheets[m.UID]; s != nil {
			list, old = append(list, c.a.wanted(m.UID)), append(old, s)
		}
	}
	e, gen := c.a.fx, c.gen
	return func() tea.Msg {
		m := changesetMsg{c: c, gen: gen, looked: true}
		for i, w := range list {
			if s, _ := e.docs().ReadAgain(e.ctx, w, old[i]); s != nil {
				m.sheets = append(m.sheets, s)
			}
		}
		return m
	}
}

// onChangeset puts texts that have been read on the page. A plan that has changed since the one that was
// there has not been read, and a sheet with it can no longer accept anything.
func (a *App) onChangeset(m changesetMsg) tea.Cmd {
	c := m.c
	if m.looked {
		c.looking = false
	}
	var changed []string
	var cmds []tea.Cmd
	for _, s := range m.sheets {
		old := c.sheets[s.UID]
		if old != nil && s.Revision < old.Revision {
			continue
		}
		c.sheets[s.UID] = s
		cmds = append(cmds, a.takeDrafts(s))
		cmds = append(cmds, a.hear(sheetNews{s}))
		c.page.SetParsed(s.UID, s.Parsed)
		c.page.SetTexts(s.UID, s.Objective, s.Plan, s.Review, a.typed.Of(s.UID), s.Err)
		if old == nil || old.Err != nil || s.Err != nil || a.snap == nil {
			continue
		}
		if !taskdocs.SameBytes(old.Plan, s.Plan) || !taskdocs.SameBytes(old.Objective, s.Objective) {
			cmds = append(cmds, a.hear(verdict.Changed{UID: s.UID, Name: a.name(s.UID)}))
			if s.Plan == nil || !a.mine[s.Plan.Hash] {
				changed = append(changed, a.name(s.UID))
			}
		}
	}
	cmds = append(cmds, c.drawAhead())
	if len(changed) == 0 || a.changesetOpen() != c {
		return tea.Batch(cmds...)
	}
	return tea.Batch(append(cmds, a.remark("changed while it was on screen: "+text.Listed(changed, 3)))...)
}

// drawAhead draws what is below on the page while the keyboard is still.
func (c *changeset) drawAhead() tea.Cmd {
	a := c.a
	if a.changesetOpen() != c {
		return nil
	}
	return a.ahead.start()
}

// inView are the tasks on the screen.
func (a *App) inView() []model.UID {
	out := a.panes.left().InView()
	if c := a.changesetOpen(); c != nil {
		out = slices.Clone(out)
		for uid := range c.sheets {
			out = append(out, uid)
		}
	}
	return out
}
