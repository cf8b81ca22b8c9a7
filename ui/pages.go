package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/explain"
	"vespe/ui/lookback"
)

// explainHandlers are the pages that say why a task stands where it does, and what would come of what
// may happen to it.
func explainHandlers() map[keymap.Action]handler {
	return map[keymap.Action]handler{
		keymap.Why: onTask(func(a *App) tea.Cmd {
			return a.explain("Why", a.selected(), explain.Why)
		}),
		keymap.Impact: onTask(func(a *App) tea.Cmd {
			actor := a.deps.Actor
			return a.explain("Impact", a.selected(), func(s *snapshot.Snapshot, i int) []dialog.Row { return explain.Impact(s, i, actor) })
		}),
	}
}

func lookHandlers() map[keymap.Action]handler {
	period := func(by int) handler {
		return handler{
			do: func(a *App) tea.Cmd { return a.dialogs.Top().(*lookback.Looking).Turn(by) },
			off: func(a *App) string {
				if p, ok := a.dialogs.Top().(*lookback.Looking); !ok || !p.IsStatistics() {
					return "only in the statistics"
				}
				return ""
			},
		}
	}
	return map[keymap.Action]handler{
		keymap.PeriodLess: period(1),
		keymap.PeriodMore: period(-1),
		keymap.Statistics: {do: func(a *App) tea.Cmd { return lookback.Open(viewHost{a}, a.dialogs) }, off: func(a *App) string {
			if why := a.noTasks(); why != "" || a.snap != nil {
				return why
			}
			return "the store is loading"
		}},
		keymap.Timeline: onTask(func(a *App) tea.Cmd {
			i, _ := a.currentIndex()
			return lookback.OpenTimeline(viewHost{a}, a.dialogs, i)
		}),
	}
}

// explainedPage is a page that has been worked out.
type explainedPage struct {
	title string
	lines []dialog.Row
}

// explain works a page out beside the keys: schedules of a large store take longer than a key may.
func (a *App) explain(title string, uid model.UID, work func(*snapshot.Snapshot, int) []dialog.Row) tea.Cmd {
	snap := a.snap
	i, ok := snap.Index(uid)
	if !ok {
		return nil
	}
	of := title + ": " + a.name(uid)
	return a.await(title, func() opening { return explainedPage{of, work(snap, i)} })
}

func (m explainedPage) open(a *App) tea.Cmd {
	return a.dialogs.Push(dialog.NewLinks(a.st, m.title, a.pageWidth(), m.lines, a.goTo))
}
