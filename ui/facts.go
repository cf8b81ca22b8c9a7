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
func (n *navigator) onMoved() tea.Cmd {
	moved, _ := n.panes.shown().Hear(view.Moved{})
	run := tea.Batch(moved, n.showItem(true))
	uid := n.selected()
	if uid == n.followed {
		return run
	}
	n.followed, n.sheet, n.comments.swapped = uid, nil, nil
	n.scheduled.uid = ""
	n.asked++
	n.panes.detail.SetTask(n.snap, uid)
	if uid == "" {
		return run
	}
	return tea.Batch(run, n.fx.settle(n.asked), view.After(view.FlickerFree, slowSheetMsg{n.asked}))
}

// onSlowSheet says that the files of a task are being read, once that takes its time.
func (n *navigator) onSlowSheet(m slowSheetMsg) tea.Cmd {
	if m.gen == n.asked && n.sheet == nil {
		n.panes.detail.SetSlow(true)
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
	n.panes.detail.SetTask(n.snap, n.followed)
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
	n.panes.setSheet(s)
	kept := n.comments.takeDrafts(s)
	n.comments.showTalk()
	n.hear(sheetNews{s})
	return tea.Batch(note, kept, n.comments.markChanges(s), n.onTab(), n.texts.goToPending())
}

// scheduleEvery is how much time lies between two schedules at least that are made for the overview: of a
// large store one takes a tenth of a second, and others may change it all the time.
const scheduleEvery = time.Second

// scheduleKept is for how long a schedule is kept that nobody has asked: of a large store it takes megabytes,
// and memory is given back once all has been still for a second.
const scheduleKept = time.Second / 2

// scheduled is what the overview knows of the schedule.
type scheduled struct {
	nav    *navigator
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
	n := w.nav
	if w.active || n.snap == nil || n.loading.early || n.followed == "" || n.panes.detail.Tab() != detail.Overview || w.of == n.snap && w.uid == n.followed {
		return nil
	}
	w.active = true
	if w.of != nil && w.of != n.snap {
		if wait := scheduleEvery - n.deps.Now().Sub(w.at); wait > 0 {
			return view.After(min(wait, scheduleEvery), scheduleDueMsg{})
		}
	}
	snap, uid, aside := n.snap, n.followed, w.aside
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
	n := w.nav
	asked := w.asked + 1
	*w = scheduled{nav: n, of: m.of, uid: m.uid, at: n.deps.Now(), aside: m.aside, asked: asked}
	if m.uid != n.followed { // the cursor has gone on
		w.uid = ""
	}
	n.panes.detail.SetWhereabouts(m.uid, m.where)
	return tea.Batch(w.find(), view.After(scheduleKept, scheduleRestMsg{asked}))
}
