package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/lookback"
	"vespe/ui/view"
)

func (a *App) lookActions() map[keymap.Action]view.Action {
	period := func(by int) view.Action {
		return view.Action{
			Do: func() tea.Cmd { return a.dialogs.Top().(*lookback.Looking).Turn(by) },
			Off: func() string {
				if p, ok := a.dialogs.Top().(*lookback.Looking); !ok || !p.IsStatistics() {
					return "only in the statistics"
				}
				return ""
			},
		}
	}
	return map[keymap.Action]view.Action{
		keymap.PeriodLess: period(1),
		keymap.PeriodMore: period(-1),
		keymap.Statistics: {Do: func() tea.Cmd { return lookback.Open(viewHost{a}, a.dialogs) }, Off: func() string {
			if why := a.noTasks(); why != "" || a.snap != nil {
				return why
			}
			return "the store is loading"
		}},
		keymap.Timeline: a.onTask(func() tea.Cmd {
			i, _ := a.currentIndex()
			return lookback.OpenTimeline(viewHost{a}, a.dialogs, i)
		}),
	}
}
