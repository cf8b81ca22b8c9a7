package ui

import (
	"fmt"

	"vespe/ui/taskdocs"
	"vespe/ui/verdict"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/history"
	"vespe/ui/panes"
	"vespe/ui/view"
)

// onMoved follows the cursor: the detail shows what the snapshot knows of the task at
// once, and its files are read when the cursor has come to rest. It is called after
// everything that may move the cursor.
func (n *navigator) onMoved() tea.Cmd {
	moved, _ := n.panes.Shown().Hear(view.Moved{})
	if n.event != "" && n.panes.View != panes.History {
		n.panes.Detail.Show(n.panes.Tab)
		n.event = ""
	}
	run := tea.Batch(moved, n.showItem(true))
	uid := n.selected()
	defer n.showEvent()
	if uid == n.followed {
		return run
	}
	n.followed, n.docs, n.comments.swapped = uid, nil, nil
	n.whereabouts.Forget()
	n.asked++
	n.panes.Detail.SetTask(n.snap, uid)
	if uid == "" {
		return run
	}
	asked := n.asked
	return tea.Batch(run, func() tea.Msg { return settleMsg{asked} }, view.After(view.FlickerFree, slowDocsMsg{asked}))
}

// showEvent shows the event under the cursor of the history on the right, where its task has it.
func (n *navigator) showEvent() {
	p := &n.panes
	m, ok := p.History.Moment()
	if p.View != panes.History || !ok || n.selected() == "" || n.find.In(p.Detail) {
		return
	}
	key := fmt.Sprint(n.selected(), m.Seq(), m.Name(), m.When())
	if key == n.event {
		return
	}
	if n.event == "" {
		p.Tab = p.Detail.Tab()
	}
	n.event = key
	p.Detail.ShowEvent(func(e *model.Event) bool { return isOf(e, m) })
}

// isOf reports whether an event of a task is the one of the history.
func isOf(e *model.Event, m *history.Moment) bool {
	return e.Seq == m.Seq() && e.Name == m.Name() && e.At.UnixMilli() == m.When().UnixMilli()
}

// onSlowDocs says that the files of a task are being read, once that takes its time.
func (n *navigator) onSlowDocs(m slowDocsMsg) tea.Cmd {
	if m.gen == n.asked && n.docs == nil {
		n.panes.Detail.SetSlow(true)
	}
	return nil
}

func (n *navigator) onSettle(m settleMsg) tea.Cmd {
	if m.gen != n.asked || n.followed == "" || n.snap == nil {
		return nil
	}
	return n.fx.docsOf(n.asked, n.wanted(n.followed))
}

// readDocs reads the files of the task under the cursor again, behind what is on screen.
func (n *navigator) readDocs() tea.Cmd {
	if n.followed == "" || n.snap == nil {
		return nil
	}
	n.panes.Detail.SetTask(n.snap, n.followed)
	n.asked++
	return n.fx.docsOf(n.asked, n.wanted(n.followed))
}

// readFailed is the text by which failures of reading a task's files are known.
const readFailed = "Can't read the task's files"

func (n *navigator) onDocs(m docsMsg) tea.Cmd {
	if m.gen != n.asked || m.docs.UID != n.followed {
		return nil
	}
	if m.docs.Err != nil {
		n.fail(view.Notice{Lasts: true, Text: readFailed, Why: m.docs.Err.Error()})
	} else {
		n.notices.DismissLike(readFailed)
		n.relayout()
	}
	return n.setDocs(m.docs)
}

// setDocs puts the documents of a task on the screen.
func (n *navigator) setDocs(s *taskdocs.Docs) tea.Cmd {
	var note tea.Cmd
	if old := n.docs; old != nil && old.UID == s.UID && old.Plan != nil && s.Plan != nil && old.Plan.Hash != s.Plan.Hash {
		if n.comments.swapped == nil && !n.mine[s.Plan.Hash] {
			n.comments.swapped = old
			note = n.remark("the plan changed: " + n.keyHint(keymap.Diff, "shows how"))
			n.hear(verdict.Changed{UID: s.UID, Name: n.name(s.UID)})
		}
	}
	n.docs = s
	n.panes.SetDocs(s)
	kept := n.comments.takeDrafts(s)
	n.comments.showTalk()
	n.hear(docsNews{s})
	return tea.Batch(note, kept, n.comments.markChanges(s), n.onTab(), n.find.Arrived())
}
