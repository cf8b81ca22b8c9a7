package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/board"
	"vespe/ui/depmap"
	"vespe/ui/milestones"
	"vespe/ui/outline"
	"vespe/ui/panes"
	"vespe/ui/rail"
	"vespe/ui/stats"
	"vespe/ui/view"
)

// leftView is a view of the left, and what makes it.
type leftView struct {
	make func(a *App) view.View
	panes.Left
}

// leftViews is the table of the views: all that is to be said of one to have it on screen.
func leftViews() [panes.Count]leftView {
	return [panes.Count]leftView{
		panes.Inbox: {
			make: func(a *App) view.View { return view.NewBase(viewHost{a}, a.panes.Inbox) },
			Left: panes.Left{Scope: keymap.Inbox, Action: keymap.ViewInbox, Tab: keymap.ViewInbox},
		},
		panes.Tree: {
			make: func(a *App) view.View { return outline.NewView(viewHost{a}, a.panes.Tree) },
			Left: panes.Left{Scope: keymap.Tree, Action: keymap.ViewTree, Tab: keymap.ViewTasks},
		},
		panes.Board: {
			make: func(a *App) view.View { return board.NewView(viewHost{a}, board.New(a.st)) },
			Left: panes.Left{Scope: keymap.Board, Action: keymap.ViewBoard, Broad: true},
		},
		panes.Milestones: {
			make: func(a *App) view.View { return milestones.NewView(viewHost{a}, milestones.New(a.st)) },
			Left: panes.Left{Scope: keymap.Milestones, Action: keymap.ViewMilestones},
		},
		panes.Map: {
			make: func(a *App) view.View { return depmap.NewView(viewHost{a}, depmap.New(a.st)) },
			Left: panes.Left{Scope: keymap.Map, Action: keymap.ViewMap, Tab: keymap.ViewGraph, Broad: true, Tall: true},
		},
		panes.Lanes: {
			make: func(a *App) view.View { return rail.NewView(viewHost{a}, rail.New(a.st)) },
			Left: panes.Left{Scope: keymap.Graph, Action: keymap.ViewLanes},
		},
		panes.Runs: {
			make: func(a *App) view.View { return a.panes.Runs },
			Left: panes.Left{Scope: keymap.Runs, Action: keymap.ViewRuns, Tab: keymap.ViewRuns},
		},
		panes.History: {
			make: func(a *App) view.View { return a.panes.History },
			Left: panes.Left{Scope: keymap.Activity, Action: keymap.ViewHistory, Tab: keymap.ViewHistory},
		},
	}
}

// showTabOf shows a view in the layout that it had last.
func (a *App) showTabOf(v panes.View) tea.Cmd {
	if a.panes.TabOf(a.panes.View) == v {
		v = a.panes.View
	} else if last := a.panes.Last[v]; last != 0 {
		v = last
	}
	return a.showView(v, false)
}

// showView shows a view or a layout: one of the five views, or a page from which esc and q lead back.
func (a *App) showView(v panes.View, page bool) tea.Cmd {
	from, origin := spot{a.selected(), a.panes.View}, a.nav.trail.page
	if a.panes.View != v {
		a.panes.Lefts[v].Hear(view.Opened{Task: from.uid})
	}
	cmd := a.nav.show(v)
	if page {
		a.nav.trail.page = origin
		a.nav.remember(from)
	}
	return cmd
}

// nextLayout shows the tasks of the view in its next layout.
func (a *App) nextLayout() tea.Cmd {
	all := a.panes.Layouts()
	return a.run(a.panes.Lefts[all[(slices.Index(all, a.panes.View)+1)%len(all)]].Action)
}

func (a *App) noLayout() string {
	if len(a.panes.Layouts()) == 1 {
		return "this view has one layout"
	}
	return ""
}

// makeViews makes the views of the table.
func (a *App) makeViews() {
	for v, row := range leftViews() {
		l := &a.panes.Lefts[v]
		*l = row.Left
		l.View = row.make(a)
		l.ByAction = l.Actions()
		l.List().SetEmpty(view.NoTasks(viewHost{a})...)
	}
}

func (a *App) lookActions() map[keymap.Action]view.Action {
	period := func(by int) view.Action {
		return view.Action{
			Do: func() tea.Cmd { return a.dialogs.Top().(*stats.Looking).Turn(by) },
			Off: func() string {
				if p, ok := a.dialogs.Top().(*stats.Looking); !ok || !p.IsStatistics() {
					return "only in the statistics"
				}
				return ""
			},
		}
	}
	return map[keymap.Action]view.Action{
		keymap.PeriodLess: period(1),
		keymap.PeriodMore: period(-1),
		keymap.Statistics: {Do: func() tea.Cmd { return stats.Open(viewHost{a}, a.dialogs) }, Off: func() string {
			if why := a.noTasks(); why != "" || a.snap != nil {
				return why
			}
			return "the store is loading"
		}},
		keymap.Timeline: a.onTask(func() tea.Cmd {
			i, _ := a.currentIndex()
			return stats.OpenTimeline(viewHost{a}, a.dialogs, i)
		}),
	}
}
