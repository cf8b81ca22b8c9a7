package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/detail"
)

// scheduleEvery is how much time lies between two schedules at least that are made for the overview: of a
// large store one takes a tenth of a second, and others may change it all the time.
const scheduleEvery = time.Second

// scheduleKept is for how long a schedule is kept that nobody has asked: of a large store it takes megabytes,
// and memory is given back once all has been still for a second.
const scheduleKept = time.Second / 2

// scheduled is what the overview knows of the schedule.
type scheduled struct {
	active bool // it is being worked out, or waited for
	of     *model.Snapshot
	uid    model.UID
	at     time.Time
	aside  *model.Snapshot // has the schedule of of; nil once nobody has asked for a while
	asked  int             // generation of the last question
}

// whereaboutsMsg is where a task lies in the schedule of a snapshot; nil for one whose work is over.
type whereaboutsMsg struct {
	of    *model.Snapshot
	aside *model.Snapshot
	uid   model.UID
	where *model.Whereabouts
}

// scheduleDueMsg says that the schedule may be made again.
type scheduleDueMsg struct{}

// scheduleRestMsg says that nobody may have asked for a while.
type scheduleRestMsg struct{ asked int }

// findWhereabouts works out beside the keys where the task on screen lies in the schedule, once its
// overview is looked at.
func (a *App) findWhereabouts() tea.Cmd {
	w := &a.scheduled
	if w.active || a.snap == nil || a.early || a.followed == "" || a.panes.detail.Tab() != detail.Overview || w.of == a.snap && w.uid == a.followed {
		return nil
	}
	w.active = true
	if w.of != nil && w.of != a.snap {
		if wait := scheduleEvery - a.deps.Now().Sub(w.at); wait > 0 {
			return tea.Tick(min(wait, scheduleEvery), func(time.Time) tea.Msg { return scheduleDueMsg{} })
		}
	}
	snap, uid, aside := a.snap, a.followed, w.aside
	if aside == nil || w.of != snap {
		aside = snap.Aside()
	}
	return func() tea.Msg {
		m := whereaboutsMsg{of: snap, aside: aside, uid: uid}
		if i, ok := aside.Index(uid); ok {
			if where, open := aside.Whereabouts(i); open {
				m.where = &where
			}
		}
		return m
	}
}

func (a *App) onScheduleRest(m scheduleRestMsg) tea.Cmd {
	if m.asked == a.scheduled.asked {
		a.scheduled.aside = nil
	}
	return nil
}

func (a *App) onScheduleDue() tea.Cmd {
	a.scheduled.active = false
	return a.findWhereabouts()
}

func (a *App) onWhereabouts(m whereaboutsMsg) tea.Cmd {
	asked := a.scheduled.asked + 1
	a.scheduled = scheduled{of: m.of, uid: m.uid, at: a.deps.Now(), aside: m.aside, asked: asked}
	if m.uid != a.followed { // the cursor has gone on
		a.scheduled.uid = ""
	}
	a.panes.detail.SetWhereabouts(m.uid, m.where)
	return tea.Batch(a.findWhereabouts(), tea.Tick(scheduleKept, func(time.Time) tea.Msg { return scheduleRestMsg{asked} }))
}
