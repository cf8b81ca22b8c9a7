package ui

import (
	"vespe/ui/taskdocs"
	"vespe/ui/verdict"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/view"
)

// onMoved follows the cursor: the detail shows what the snapshot knows of the task at
// once, and its files are read when the cursor has come to rest. It is called after
// everything that may move the cursor.
func (n *navigator) onMoved() tea.Cmd {
	moved, _ := n.panes.Shown().Hear(view.Moved{})
	run := tea.Batch(moved, n.showItem(true))
	uid := n.selected()
	if uid == n.followed {
		return run
	}
	n.followed, n.sheet, n.comments.swapped = uid, nil, nil
	n.whereabouts.Forget()
	n.asked++
	n.panes.Detail.SetTask(n.snap, uid)
	if uid == "" {
		return run
	}
	return tea.Batch(run, n.fx.settle(n.asked), view.After(view.FlickerFree, slowSheetMsg{n.asked}))
}

// onSlowSheet says that the files of a task are being read, once that takes its time.
func (n *navigator) onSlowSheet(m slowSheetMsg) tea.Cmd {
	if m.gen == n.asked && n.sheet == nil {
		n.panes.Detail.SetSlow(true)
	}
	return nil
}

func (n *navigator) onSettle(m settleMsg) tea.Cmd {
	if m.gen != n.asked || n.followed == "" || n.snap == nil {
		return nil
	}
	return n.fx.sheet(n.asked, n.wanted(n.followed))
}

// readSheet reads the files of the task under the cursor again, behind what is on screen.
func (n *navigator) readSheet() tea.Cmd {
	if n.followed == "" || n.snap == nil {
		return nil
	}
	n.panes.Detail.SetTask(n.snap, n.followed)
	n.asked++
	return n.fx.sheet(n.asked, n.wanted(n.followed))
}

// readFailed is the text by which failures of reading a task's files are known.
const readFailed = "Can't read the task's files"

func (n *navigator) onSheet(m sheetMsg) tea.Cmd {
	if m.gen != n.asked || m.sheet.UID != n.followed {
		return nil
	}
	if m.sheet.Err != nil {
		n.fail(view.Notice{Lasts: true, Text: readFailed, Why: m.sheet.Err.Error()})
	} else {
		n.notices.DismissLike(readFailed)
		n.relayout()
	}
	return n.setSheet(m.sheet)
}

// setSheet puts a sheet on the screen.
func (n *navigator) setSheet(s *taskdocs.Docs) tea.Cmd {
	var note tea.Cmd
	if old := n.sheet; old != nil && old.UID == s.UID && old.Plan != nil && s.Plan != nil && old.Plan.Hash != s.Plan.Hash {
		if n.comments.swapped == nil && !n.mine[s.Plan.Hash] {
			n.comments.swapped = old
			note = n.remark("the plan changed: " + n.keyHint(keymap.Diff, "shows how"))
			n.hear(verdict.Changed{UID: s.UID, Name: n.name(s.UID)})
		}
	}
	n.sheet = s
	n.panes.SetSheet(s)
	kept := n.comments.takeDrafts(s)
	n.comments.showTalk()
	n.hear(sheetNews{s})
	return tea.Batch(note, kept, n.comments.markChanges(s), n.onTab(), n.find.Arrived())
}
