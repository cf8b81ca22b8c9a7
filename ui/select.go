package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
)

// inTree says why no range of tasks can be selected in the view on screen.
func (a *App) inTree() string {
	if _, ok := a.current(); !ok {
		return "there is no task under the cursor"
	}
	if a.panes.view != viewTree {
		return "ranges are selected in the tree"
	}
	return ""
}

// selectToggle selects the task under the cursor, or leaves it out. The tree keeps the
// selection for all views.
func (a *App) selectToggle() tea.Cmd {
	if a.panes.view == viewTree {
		a.panes.tree.ToggleMark()
		a.panes.showMarks()
		return a.onMoved()
	}
	uid, ok := a.panes.left().Selected()
	if !ok {
		return nil
	}
	a.panes.update(viewTree) // its order and its tasks are those of the selection
	a.panes.tree.ToggleMarkOf(uid)
	a.panes.showMarks()
	a.panes.left().Move(1)
	return a.onMoved()
}

// showMarks lets every view draw the selection as it is now.
func (p *panes) showMarks() {
	p.inbox.SetMarked(p.tree.IsMarked)
	p.graph.SetMarked(p.tree.IsMarked)
}

func (a *App) selectRange() tea.Cmd {
	a.panes.tree.ToggleRange()
	a.panes.showMarks()
	return nil
}

func (a *App) clearSelection() bool {
	defer a.panes.showMarks()
	return a.panes.tree.ClearMarks()
}

func (a *App) copied(what, s string) tea.Cmd {
	return tea.Batch(a.fx.copyText(s), a.say(fmt.Sprintf("Copied the %s", what)))
}

func (a *App) copyID() tea.Cmd   { return a.copied("uid", string(a.selected())) }
func (a *App) copyName() tea.Cmd { return a.copied("name", a.name(a.selected())) }
func (a *App) copyPath() tea.Cmd { return a.copied("path", ".vespe/tasks/"+string(a.selected())) }

// copyShown copies the document on the right, or the objective and the plan.
func (a *App) copyShown() tea.Cmd {
	doc, ok := a.shownDoc()
	if !ok {
		return a.remark("open the objective or the plan first")
	}
	body, ok := a.shownBody(doc)
	if !ok || len(body) == 0 {
		return a.remark("there is no text to copy")
	}
	return a.copied(string(doc), string(body))
}

// openFile opens what the detail shows in the person's editor, as a copy to read: a result
// file, or the document. What is written there goes nowhere.
func (a *App) openFile() tea.Cmd {
	t, ok := a.current()
	if !ok || a.deps.Editor == nil {
		return a.remark("no editor is set: $VISUAL or $EDITOR names one")
	}
	if o, ok := a.shownResult(); ok {
		return a.fx.prepareEdit(&draft{uid: t.UID, body: o.body, base: o.body, reading: true}, o.path)
	}
	doc, ok := a.shownDoc()
	if !ok {
		doc = model.Plan
	}
	body, ok := a.shownBody(doc)
	if !ok || len(body) == 0 {
		return a.remark("there is no text to open")
	}
	return a.fx.prepareEdit(&draft{uid: t.UID, doc: doc, body: body, base: body, reading: true}, fmt.Sprintf("%s-%s.md", t.UID.Short(), doc))
}
