package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/ui/panes"
	"vespe/ui/verdict"
	"vespe/ui/view"
)

// selectToggle selects the task under the cursor, or leaves it out.
func (n *navigator) selectToggle() tea.Cmd {
	defer n.panes.ShowMarks(n.requests.IsSelected)
	if q, ok := n.request(); ok {
		n.requests.Toggle(q.ID)
		n.panes.Left().Move(1)
		return n.onMoved()
	}
	if n.panes.View == panes.Tree {
		n.panes.Tree.ToggleMark()
		return n.onMoved()
	}
	uid, ok := n.panes.Left().Selected()
	if !ok {
		return nil
	}
	n.panes.Update(panes.Tree) // its order and its tasks are those of the selection
	n.panes.Tree.ToggleMarkOf(uid)
	n.panes.Left().Move(1)
	return n.onMoved()
}

// selectLow selects all that is like the item under the inbox's cursor and has low risk: requests that can be approved, or
// plans.
func (n *navigator) selectLow() tea.Cmd {
	n.clearSelection()
	defer n.panes.ShowMarks(n.requests.IsSelected)
	here, _ := n.panes.Inbox.Item()
	low := 0
	for _, it := range n.snap.InboxAt(n.deps.Now()) {
		switch {
		case it.Kind != here.Kind:
		case it.Request != "":
			if q, ok := n.requests.With(it.Request); ok && q.Risk == model.RiskLow && n.requests.Of(q).NoDecision(model.DecideAccept) == "" {
				n.requests.Toggle(q.ID)
				low++
			}
		case it.Kind == snapshot.InboxPlan && !verdict.Risky(n.proposer().RiskOf(n.snap.UID(int(it.Task)))):
			n.panes.Update(panes.Tree)
			n.panes.Tree.ToggleMarkOf(n.snap.UID(int(it.Task)))
			low++
		}
	}
	if low == 0 {
		return n.remark("no item of this kind is low-risk")
	}
	return nil
}

// noSelect says why there is nothing to select.
func (n *navigator) noSelect() string {
	if _, ok := n.request(); ok {
		return ""
	}
	if _, ok := n.current(); !ok {
		return verdict.ErrNoTask.Error()
	}
	return ""
}

func (c *core) clearSelection() bool {
	defer c.panes.ShowMarks(c.requests.IsSelected)
	asked := c.requests.Selected() > 0
	c.requests.Clear()
	return c.panes.Tree.ClearMarks() || asked
}

// ofSelection reports whether a transition was fired for the selection, which is over then.
func (c *core) ofSelection(ops []model.Op) bool {
	for _, op := range ops {
		if id := op.Request(); id != "" {
			return c.requests.IsSelected(id)
		}
		if _, ok := lifecycle.Lookup(op.Name); (ok || op.Name == model.AssignMilestone) && (len(ops) > 1 || c.panes.Tree.IsMarked(op.UID)) {
			return true
		}
	}
	return false
}

// copied puts text on the clipboard, as it is seen: what is pasted into a shell must not
// press keys there or hide what it says.
func (n *navigator) copied(what, s string) tea.Cmd {
	return tea.Batch(n.fx.copyText(visible.String(s)), n.say(fmt.Sprintf("Copied the %s", what)))
}

// copiedLine is copied for what has no lines: a line break in it would run a command.
func (n *navigator) copiedLine(what, s string) tea.Cmd { return n.copied(what, visible.Line(s)) }

func (n *navigator) copyID() tea.Cmd   { return n.copiedLine("uid", string(n.selected())) }
func (n *navigator) copyName() tea.Cmd { return n.copiedLine("name", n.name(n.selected())) }

// copyShown copies the document on the right, or the objective and the plan.
func (n *navigator) copyShown() tea.Cmd {
	doc, ok := n.comments.shownDoc()
	if !ok {
		return n.remark("open the objective or the plan first")
	}
	body, ok := n.comments.shownBody(doc)
	if !ok || len(body) == 0 {
		return n.remark("no text to copy")
	}
	return n.copied(string(doc), string(body))
}

// openFile opens what the detail shows in the person's editor, as a copy to read: a result
// file, or the document. What is written there goes nowhere.
func (e *taskEditor) openFile() tea.Cmd {
	t, ok := e.current()
	if !ok || e.deps.Editor == nil {
		return e.remark("no editor is set: $VISUAL or $EDITOR names one")
	}
	if path, ok := e.panes.Detail.ChosenFile(); ok {
		return e.fx.resultFile(t.UID, path, true)
	}
	doc, ok := e.comments.shownDoc()
	if !ok {
		doc = model.Plan
	}
	body, ok := e.comments.shownBody(doc)
	if !ok || len(body) == 0 {
		return e.remark("no text to open")
	}
	return e.editor.open(&draft{uid: t.UID, doc: doc, body: body, base: body, reading: true}, fmt.Sprintf("%s-%s.md", t.UID.Short(), doc))
}

// readOutside opens a result file that has been read for the editor.
func (e *taskEditor) readOutside(m resultFileMsg) tea.Cmd {
	if m.err != nil {
		return e.fail(view.Notice{Text: "Can't open the file", Why: m.err.Error()})
	}
	return e.editor.open(&draft{uid: m.uid, body: m.body, base: m.body, reading: true}, m.path)
}
