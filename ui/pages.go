package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/lookback"
)

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
