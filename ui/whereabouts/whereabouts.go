// Package whereabouts works out, beside the keys, where the task on the screen lies in the schedule.
package whereabouts

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/schedule"
	"vespe/model/snapshot"
	"vespe/ui/detail"
	"vespe/ui/view"
)

// every is how much time lies between two schedules at least that are made for the overview: of a
// large store one takes a tenth of a second, and others may change it all the time.
const every = time.Second

// kept is for how long a schedule is kept that nobody has asked: of a large store it takes megabytes,
// and memory is given back once all has been still for a second.
const kept = time.Second / 2

// Host is what it gets of the workbench.
type Host interface {
	Snapshot() *snapshot.Snapshot
	Now() time.Time
	// Followed is the task that the detail shows.
	Followed() model.UID
	// Overview reports whether its overview is looked at, in a store that has been read.
	Overview() bool
}

// Finder is what the overview knows of the schedule.
type Finder struct {
	Host   Host
	Detail *detail.Detail

	active bool // it is being worked out, or waited for
	of     *snapshot.Snapshot
	uid    model.UID
	at     time.Time
	aside  *snapshot.Snapshot // has the schedule of of; nil once nobody has asked for a while
	asked  int                // generation of the last question
}

// foundMsg is where a task lies in the schedule of a snapshot; nil for one whose work is over.
type foundMsg struct {
	of, aside *snapshot.Snapshot
	uid       model.UID
	where     *schedule.Whereabouts
}

// dueMsg says that the schedule may be made again.
type dueMsg struct{}

// Rest says that nobody may have asked for a while. Nothing on the screen changes by it.
type Rest struct{ asked int }

// Find works out beside the keys where the task on screen lies in the schedule, once its
// overview is looked at.
func (w *Finder) Find() tea.Cmd {
	snap, uid, aside := w.Host.Snapshot(), w.Host.Followed(), w.aside
	if w.active || uid == "" || !w.Host.Overview() || w.of == snap && w.uid == uid {
		return nil
	}
	w.active = true
	if w.of != nil && w.of != snap {
		if wait := every - w.Host.Now().Sub(w.at); wait > 0 {
			return view.After(min(wait, every), dueMsg{})
		}
	}
	if aside == nil || w.of != snap {
		aside = snap.Aside()
	}
	return func() tea.Msg {
		m := foundMsg{of: snap, aside: aside, uid: uid}
		if i, ok := aside.Index(uid); ok {
			if where, open := schedule.Of(aside).Whereabouts(i); open {
				m.where = &where
			}
		}
		return m
	}
}

// Forget makes the next task the one that is asked about.
func (w *Finder) Forget() { w.uid = "" }

func (w *Finder) onDue() tea.Cmd {
	w.active = false
	return w.Find()
}

func (w *Finder) onFound(m foundMsg) tea.Cmd {
	asked := w.asked + 1
	*w = Finder{Host: w.Host, Detail: w.Detail, of: m.of, uid: m.uid, at: w.Host.Now(), aside: m.aside, asked: asked}
	if m.uid != w.Host.Followed() { // the cursor has gone on
		w.uid = ""
	}
	w.Detail.SetWhereabouts(m.uid, m.where)
	return tea.Batch(w.Find(), view.After(kept, Rest{asked}))
}

// Update takes what it asked for; ok is false for other messages.
func (w *Finder) Update(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch m := msg.(type) {
	case foundMsg:
		return w.onFound(m), true
	case dueMsg:
		return w.onDue(), true
	case Rest:
		if m.asked == w.asked {
			w.aside = nil
		}
		return nil, true
	}
	return nil, false
}
