package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model/snapshot"
	"vespe/ui/board"
	"vespe/ui/depmap"
	"vespe/ui/milestones"
	"vespe/ui/outline"
	"vespe/ui/rail"
	"vespe/ui/view"
)

// leftView is what the left pane shows.
type leftView int

const (
	viewInbox leftView = iota
	viewTree
	viewBoard
	viewMilestones
	viewMap
	viewLanes
	viewRuns
	viewActivity

	views // how many there are
)

// left is what the workbench knows of a view of the left.
type left struct {
	make   func(a *App) view.View
	scope  keymap.Scope  // where its keys mean something
	action keymap.Action // shows it
	tab    keymap.Action // shows the layout that it or one of the next had last; "" in a further layout of the view before
	broad  bool          // it needs the width of the screen
	tall   bool          // and rows, on a low screen those of the detail (ui/screen)

	view.View // as it was made
	actions   map[keymap.Action]view.Action
	stamp     *snapshot.Snapshot // that it has
}

// leftViews is the table of the views: all that is to be said of one to have it on screen.
func leftViews() [views]left {
	return [views]left{
		viewInbox: {
			make:  func(a *App) view.View { return view.NewBase(viewHost{a}, a.panes.inbox) },
			scope: keymap.Inbox, action: keymap.ViewInbox, tab: keymap.ViewInbox,
		},
		viewTree: {
			make:  func(a *App) view.View { return outline.NewView(viewHost{a}, a.panes.tree) },
			scope: keymap.Tree, action: keymap.ViewTree, tab: keymap.ViewTasks,
		},
		viewBoard: {
			make:  func(a *App) view.View { return board.NewView(viewHost{a}, board.New(a.st)) },
			scope: keymap.Board, action: keymap.ViewBoard, broad: true,
		},
		viewMilestones: {
			make:  func(a *App) view.View { return milestones.NewView(viewHost{a}, milestones.New(a.st)) },
			scope: keymap.Milestones, action: keymap.ViewMilestones,
		},
		viewMap: {
			make:  func(a *App) view.View { return depmap.NewView(viewHost{a}, depmap.New(a.st)) },
			scope: keymap.Map, action: keymap.ViewMap, tab: keymap.ViewGraph, broad: true, tall: true,
		},
		viewLanes: {
			make:  func(a *App) view.View { return rail.NewView(viewHost{a}, rail.New(a.st)) },
			scope: keymap.Graph, action: keymap.ViewLanes,
		},
		viewRuns: {
			make:  func(a *App) view.View { return a.panes.runs },
			scope: keymap.Runs, action: keymap.ViewRuns, tab: keymap.ViewRuns,
		},
		viewActivity: {
			make:  func(a *App) view.View { return a.panes.history },
			scope: keymap.Activity, action: keymap.ViewHistory, tab: keymap.ViewHistory,
		},
	}
}

// tabOf is the view under whose name a layout stands in the title.
func (p *panes) tabOf(v leftView) leftView {
	for p.lefts[v].tab == "" {
		v--
	}
	return v
}

// layouts are the layouts of the view on screen, itself among them.
func (p *panes) layouts() (out []leftView) {
	for v := p.tabOf(p.view); v < views && (len(out) == 0 || p.lefts[v].tab == ""); v++ {
		out = append(out, v)
	}
	return out
}

// showTabOf shows a view in the layout that it had last.
func (a *App) showTabOf(v leftView) tea.Cmd {
	if a.panes.tabOf(a.panes.view) == v {
		return a.nav.show(a.panes.view)
	}
	if last := a.panes.last[v]; last != 0 {
		v = last
	}
	return a.run(a.panes.lefts[v].action)
}

// nextLayout shows the tasks of the view in its next layout.
func (a *App) nextLayout() tea.Cmd {
	all := a.panes.layouts()
	return a.run(a.panes.lefts[all[(slices.Index(all, a.panes.view)+1)%len(all)]].action)
}

func (a *App) noLayout() string {
	if len(a.panes.layouts()) == 1 {
		return "this view has one layout"
	}
	return ""
}

// makeViews makes the views of the table.
func (a *App) makeViews() {
	a.panes.lefts = leftViews()
	for v := range a.panes.lefts {
		l := &a.panes.lefts[v]
		l.View = l.make(a)
		l.actions = l.Actions()
		l.List().SetEmpty(view.NoTasks(viewHost{a})...)
	}
}

// says is what the title and the header say of the view on screen, once there is a snapshot.
func (p *panes) says() (title, header string) {
	if p.snap != nil {
		title, header = p.shown().Says()
	}
	return title, header
}
