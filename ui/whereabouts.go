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

// scheduled is what the overview knows of the schedule.
type scheduled struct {
	active bool // it is being worked out, or waited for
	of     *model.Snapshot
	uid    model.UID
	at     time.Time
}

// whereaboutsMsg is where a task lies in the schedule of a snapshot; nil for one whose work is over.
type whereaboutsMsg struct {
	of    *model.Snapshot
	uid   model.UID
	where *model.Whereabouts
}

// scheduleDueMsg says that the schedule may be made again.
type scheduleDueMsg struct{}

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
	snap, uid := a.snap, a.followed
	return func() tea.Msg {
		m := whereaboutsMsg{of: snap, uid: uid}
		if i, ok := snap.Index(uid); ok {
			if where, open := snap.Whereabouts(i); open {
				m.where = &where
			}
		}
		return m
	}
}

func (a *App) onScheduleDue() tea.Cmd {
	a.scheduled.active = false
	return a.findWhereabouts()
}

func (a *App) onWhereabouts(m whereaboutsMsg) tea.Cmd {
	a.scheduled = scheduled{of: m.of, uid: m.uid, at: a.deps.Now()}
	if m.uid != a.followed { // the cursor has gone on
		a.scheduled.uid = ""
	}
	a.panes.detail.SetWhereabouts(m.uid, m.where)
	return a.findWhereabouts()
}
