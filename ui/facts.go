package ui

import (
	"time"

	"vespe/ui/taskdocs"
	"vespe/ui/verdict"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/schedule"
	"vespe/model/snapshot"
	"vespe/ui/detail"
	"vespe/ui/view"
)

// onMoved follows the cursor: the detail shows what the snapshot knows of the task at
// once, and its files are read when the cursor has come to rest. It is called after
// everything that may move the cursor.
func (a *App) onMoved() tea.Cmd {
	moved, _ := a.panes.shown().Hear(view.Moved{})
	run := tea.Batch(moved, a.showItem(true))
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
	return tea.Batch(run, a.fx.settle(a.asked), view.After(view.FlickerFree, slowSheetMsg{a.asked}))
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
	if m.gen != a.asked || m.sheet.UID != a.followed {
		return nil
	}
	if m.sheet.Err != nil {
		a.fail(view.Notice{Lasts: true, Text: readFailed, Why: m.sheet.Err.Error()})
	} else {
		a.notices.DismissLike(readFailed)
		a.relayout()
	}
	return a.setSheet(m.sheet)
}

// setSheet puts a sheet on the screen.
func (a *App) setSheet(s *taskdocs.Docs) tea.Cmd {
	var note tea.Cmd
	if old := a.sheet; old != nil && old.UID == s.UID && old.Plan != nil && s.Plan != nil && old.Plan.Hash != s.Plan.Hash {
		if a.swapped == nil && !a.mine[s.Plan.Hash] {
			a.swapped = old
			note = a.remark("the plan changed: " + a.keyHint(keymap.Diff, "shows how"))
			a.hear(verdict.Changed{UID: s.UID, Name: a.name(s.UID)})
		}
	}
	a.sheet = s
	a.panes.setSheet(s)
	kept := a.takeDrafts(s)
	a.showTalk()
	a.hear(sheetNews{s})
	return tea.Batch(note, kept, a.markChanges(s), a.onTab(), a.texts.goToPending())
}

// scheduleEvery is how much time lies between two schedules at least that are made for the overview: of a
// large store one takes a tenth of a second, and others may change it all the time.
const scheduleEvery = time.Second

// scheduleKept is for how long a schedule is kept that nobody has asked: of a large store it takes megabytes,
// and memory is given back once all has been still for a second.
const scheduleKept = time.Second / 2

// scheduled is what the overview knows of the schedule.
type scheduled struct {
	a      *App
	active bool // it is being worked out, or waited for
	of     *snapshot.Snapshot
	uid    model.UID
	at     time.Time
	aside  *snapshot.Snapshot // has the schedule of of; nil once nobody has asked for a while
	asked  int                // generation of the last question
}

// whereaboutsMsg is where a task lies in the schedule of a snapshot; nil for one whose work is over.
type whereaboutsMsg struct {
	of, aside *snapshot.Snapshot
	uid       model.UID
	where     *schedule.Whereabouts
}

// scheduleDueMsg says that the schedule may be made again.
type scheduleDueMsg struct{}

// scheduleRestMsg says that nobody may have asked for a while.
type scheduleRestMsg struct{ asked int }

// find works out beside the keys where the task on screen lies in the schedule, once its
// overview is looked at.
func (w *scheduled) find() tea.Cmd {
	a := w.a
	if w.active || a.snap == nil || a.early || a.followed == "" || a.panes.detail.Tab() != detail.Overview || w.of == a.snap && w.uid == a.followed {
		return nil
	}
	w.active = true
	if w.of != nil && w.of != a.snap {
		if wait := scheduleEvery - a.deps.Now().Sub(w.at); wait > 0 {
			return view.After(min(wait, scheduleEvery), scheduleDueMsg{})
		}
	}
	snap, uid, aside := a.snap, a.followed, w.aside
	if aside == nil || w.of != snap {
		aside = snap.Aside()
	}
	return func() tea.Msg {
		m := whereaboutsMsg{of: snap, aside: aside, uid: uid}
		if i, ok := aside.Index(uid); ok {
			if where, open := schedule.Of(aside).Whereabouts(i); open {
				m.where = &where
			}
		}
		return m
	}
}

func (w *scheduled) onRest(m scheduleRestMsg) tea.Cmd {
	if m.asked == w.asked {
		w.aside = nil
	}
	return nil
}

func (w *scheduled) onDue() tea.Cmd {
	w.active = false
	return w.find()
}

func (w *scheduled) onFound(m whereaboutsMsg) tea.Cmd {
	a := w.a
	asked := w.asked + 1
	*w = scheduled{a: a, of: m.of, uid: m.uid, at: a.deps.Now(), aside: m.aside, asked: asked}
	if m.uid != a.followed { // the cursor has gone on
		w.uid = ""
	}
	a.panes.detail.SetWhereabouts(m.uid, m.where)
	return tea.Batch(w.find(), view.After(scheduleKept, scheduleRestMsg{asked}))
}
