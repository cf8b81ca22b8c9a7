package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
)

// onMoved follows the cursor: the detail shows what the snapshot knows of the task at
// once, and its files are read when the cursor has come to rest. It is called after
// everything that may move the cursor.
func (a *App) onMoved() tea.Cmd {
	if a.panes.ranging.from != "" {
		a.panes.showMarks() // the range reaches to the cursor
	}
	run := tea.Batch(a.showRun(), a.showItem(true))
	uid := a.selected()
	if uid == a.followed {
		return run
	}
	a.followed, a.sheet, a.swapped = uid, nil, nil
	a.scheduled.uid = ""
	a.asked++
	a.panes.detail.SetTask(a.snap, uid)
	if uid == "" {
		return run
	}
	return tea.Batch(run, a.fx.settle(a.asked), a.fx.slowSheet(a.asked))
}

// onSlowSheet says that the files of a task are being read, once that takes its time.
func (a *App) onSlowSheet(m slowSheetMsg) tea.Cmd {
	if m.gen == a.asked && a.sheet == nil {
		a.panes.detail.SetSlow(true)
	}
	return nil
}

func (a *App) onSettle(m settleMsg) tea.Cmd {
	if m.gen != a.asked || a.followed == "" || a.snap == nil {
		return nil
	}
	return a.fx.sheet(a.asked, a.wanted(a.followed))
}

// readSheet reads the files of the task under the cursor again, behind what is on screen.
func (a *App) readSheet() tea.Cmd {
	if a.followed == "" || a.snap == nil {
		return nil
	}
	a.panes.detail.SetTask(a.snap, a.followed)
	a.asked++
	return a.fx.sheet(a.asked, a.wanted(a.followed))
}

// readFailed is the text by which failures of reading a task's files are known.
const readFailed = "Can't read the task's files"

func (a *App) onSheet(m sheetMsg) tea.Cmd {
	if m.gen != a.asked || m.sheet.uid != a.followed {
		return nil
	}
	if m.sheet.err != nil {
		a.fail(notice{lasts: true, text: readFailed, why: m.sheet.err.Error()})
	} else {
		a.notices.dismissLike(readFailed)
		a.relayout()
	}
	return a.setSheet(m.sheet)
}

// setSheet puts a sheet on the screen.
func (a *App) setSheet(s *sheet) tea.Cmd {
	var note tea.Cmd
	if old := a.sheet; old != nil && old.uid == s.uid && old.plan != nil && s.plan != nil && old.plan.Hash != s.plan.Hash {
		if a.swapped == nil && !a.mine[s.plan.Hash] {
			a.swapped, a.talkThen = old.plan, old.review
			note = a.remark("the plan changed: " + a.keyHint(keymap.Diff, "shows how"))
			a.hear(planNews{s.uid})
		}
	}
	a.sheet = s
	a.panes.setSheet(s)
	kept := a.takeDrafts(s)
	a.showTalk()
	a.hear(sheetNews{s})
	return tea.Batch(note, kept, a.markChanges(s), a.onTab())
}
