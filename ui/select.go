package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/ui/verdict"
	"vespe/ui/view"
)

// selectToggle selects the task under the cursor, or leaves it out.
func (a *App) selectToggle() tea.Cmd {
	defer a.panes.showMarks(a.requests.IsSelected)
	if q, ok := a.request(); ok {
		a.requests.Toggle(q.ID)
		a.panes.left().Move(1)
		return a.onMoved()
	}
	if a.panes.view == viewTree {
		a.panes.tree.ToggleMark()
		return a.onMoved()
	}
	uid, ok := a.panes.left().Selected()
	if !ok {
		return nil
	}
	a.panes.update(viewTree) // its order and its tasks are those of the selection
	a.panes.tree.ToggleMarkOf(uid)
	a.panes.left().Move(1)
	return a.onMoved()
}

// selectLow selects all that is like the item under the inbox's cursor and has low risk: requests that can be approved, or
// plans.
func (a *App) selectLow() tea.Cmd {
	a.clearSelection()
	defer a.panes.showMarks(a.requests.IsSelected)
	here, _ := a.panes.inbox.Item()
	n := 0
	for _, it := range a.snap.InboxAt(a.deps.Now()) {
		switch {
		case it.Kind != here.Kind:
		case it.Request != "":
			if q, ok := a.requests.With(it.Request); ok && q.Risk == model.RiskLow && a.requests.Of(q).NoDecision(model.DecideAccept) == "" {
				a.requests.Toggle(q.ID)
				n++
			}
		case it.Kind == snapshot.InboxPlan && !verdict.Risky(a.proposer().RiskOf(a.snap.UID(int(it.Task)))):
			a.panes.update(viewTree)
			a.panes.tree.ToggleMarkOf(a.snap.UID(int(it.Task)))
			n++
		}
	}
	if n == 0 {
		return a.remark("no item of this kind is low-risk")
	}
	return nil
}

// noSelect says why there is nothing to select.
func (a *App) noSelect() string {
	if _, ok := a.request(); ok {
		return ""
	}
	if _, ok := a.current(); !ok {
		return verdict.ErrNoTask.Error()
	}
	return ""
}

// showMarks lets every view draw the selection as it is now.
func (p *panes) showMarks(asked func(id string) bool) {
	p.inbox.SetMarkedRequests(asked)
	for _, v := range p.lefts {
		if l, ok := v.List().(interface {
			SetMarked(test func(model.UID) bool)
		}); ok {
			l.SetMarked(p.tree.IsMarked)
		}
	}
}

func (a *App) clearSelection() bool {
	defer a.panes.showMarks(a.requests.IsSelected)
	asked := a.requests.Selected() > 0
	a.requests.Clear()
	return a.panes.tree.ClearMarks() || asked
}

// ofSelection reports whether a transition was fired for the selection, which is over then.
func (a *App) ofSelection(ops []model.Op) bool {
	for _, op := range ops {
		if id := op.Request(); id != "" {
			return a.requests.IsSelected(id)
		}
		if _, ok := lifecycle.Lookup(op.Name); (ok || op.Name == model.AssignMilestone) && (len(ops) > 1 || a.panes.tree.IsMarked(op.UID)) {
			return true
		}
	}
	return false
}

// copied puts text on the clipboard, as it is seen: what is pasted into a shell must not
// press keys there or hide what it says.
func (a *App) copied(what, s string) tea.Cmd {
	return tea.Batch(a.fx.copyText(visible.String(s)), a.say(fmt.Sprintf("Copied the %s", what)))
}

// copiedLine is copied for what has no lines: a line break in it would run a command.
func (a *App) copiedLine(what, s string) tea.Cmd { return a.copied(what, visible.Line(s)) }

func (a *App) copyID() tea.Cmd   { return a.copiedLine("uid", string(a.selected())) }
func (a *App) copyName() tea.Cmd { return a.copiedLine("name", a.name(a.selected())) }
func (a *App) copyPath() tea.Cmd { return a.copiedLine("path", ".vespe/tasks/"+string(a.selected())) }

// copyShown copies the document on the right, or the objective and the plan.
func (a *App) copyShown() tea.Cmd {
	doc, ok := a.shownDoc()
	if !ok {
		return a.remark("open the objective or the plan first")
	}
	body, ok := a.shownBody(doc)
	if !ok || len(body) == 0 {
		return a.remark("no text to copy")
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
	if path, ok := a.panes.detail.ChosenFile(); ok {
		return a.fx.resultFile(t.UID, path, true)
	}
	doc, ok := a.shownDoc()
	if !ok {
		doc = model.Plan
	}
	body, ok := a.shownBody(doc)
	if !ok || len(body) == 0 {
		return a.remark("no text to open")
	}
	return a.editor.open(&draft{uid: t.UID, doc: doc, body: body, base: body, reading: true}, fmt.Sprintf("%s-%s.md", t.UID.Short(), doc))
}

// readOutside opens a result file that has been read for the editor.
func (a *App) readOutside(m resultFileMsg) tea.Cmd {
	if m.err != nil {
		return a.fail(view.Notice{Text: "Can't open the file", Why: m.err.Error()})
	}
	return a.editor.open(&draft{uid: m.uid, body: m.body, base: m.body, reading: true}, m.path)
}
