package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/depmap"
	"vespe/ui/milestones"
	"vespe/ui/outline"
	"vespe/ui/rail"
	"vespe/ui/text"
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
	tall   bool          // and rows, on a low screen those of the detail (layout.go)
	// show is what the action does; nil where that is to show the view, and no more.
	show func(a *App) tea.Cmd
	// empty is what is said when there is nothing to show; nil for how the first task is made.
	empty func(a *App) []string

	view.View // as it was made
	actions   map[keymap.Action]view.Action
	stamp     *model.Snapshot // that it has
}

// leftViews is the table of the views: all that is to be said of one to have it on screen.
func leftViews() [views]left {
	return [views]left{
		viewInbox: {
			make:  func(a *App) view.View { return &plain{Base: view.NewBase(viewHost{a}, a.panes.inbox), a: a} },
			scope: keymap.Inbox, action: keymap.ViewInbox, tab: keymap.ViewInbox,
		},
		viewTree: {
			make: func(a *App) view.View {
				return &plain{
					Base: view.NewBase(viewHost{a}, a.panes.tree), a: a, extra: (*App).treeExtra,
					click: row(func(p *panes, x, y int) bool { return p.tree.Click(x, y) == outline.HitRow }),
				}
			},
			scope: keymap.Tree, action: keymap.ViewTree, tab: keymap.ViewTasks,
		},
		viewBoard: {
			make: func(a *App) view.View {
				return &plain{Base: view.NewBase(viewHost{a}, a.panes.board), a: a, extra: (*App).boardExtra, click: (*App).clickBoard}
			},
			scope: keymap.Board, action: keymap.ViewBoard, broad: true,
		},
		viewMilestones: {
			make: func(a *App) view.View {
				return &stonesView{plain{
					Base: view.NewBase(viewHost{a}, a.panes.stones), a: a, extra: (*App).milestonesExtra,
					click: row(func(p *panes, x, y int) bool { return p.stones.Click(x, y) && !p.stones.OnHead() }),
				}}
			},
			scope: keymap.Milestones, action: keymap.ViewMilestones, empty: (*App).noMilestonesYet,
		},
		viewMap: {
			make: func(a *App) view.View {
				return &plain{
					Base: view.NewBase(viewHost{a}, a.panes.depmap), a: a,
					click: row(func(p *panes, x, y int) bool { return p.depmap.Click(x, y) == depmap.HitNode }),
				}
			},
			scope: keymap.Map, action: keymap.ViewMap, tab: keymap.ViewGraph, show: (*App).showMap, broad: true, tall: true,
		},
		viewLanes: {
			make: func(a *App) view.View {
				return &plain{Base: view.NewBase(viewHost{a}, a.panes.graph), a: a, extra: (*App).graphExtra, click: (*App).clickGraph}
			},
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

// plain is a view whose actions are the App's.
type plain struct {
	*view.Base
	a     *App
	click func(a *App, x, y int) (row bool, cmd tea.Cmd)
	extra func(a *App) string
}

func (p *plain) Mouse(m view.Mouse) (row bool, cmd tea.Cmd) {
	if m.Did == view.Click && p.click != nil {
		return p.click(p.a, m.X, m.Y)
	}
	return p.Base.Mouse(m)
}

func (p *plain) Says() (title, header string) {
	if p.extra != nil {
		title = p.extra(p.a)
	}
	return title, ""
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
func showTabOf(a *App, v leftView) tea.Cmd {
	if a.panes.tabOf(a.panes.view) == v {
		return a.show(a.panes.view)
	}
	if last := a.panes.last[v]; last != 0 {
		v = last
	}
	return a.run(a.panes.lefts[v].action)
}

// nextLayout shows the tasks of the view in its next layout.
func nextLayout(a *App) tea.Cmd {
	all := a.panes.layouts()
	return a.run(a.panes.lefts[all[(slices.Index(all, a.panes.view)+1)%len(all)]].action)
}

func noLayout(a *App) string {
	if len(a.panes.layouts()) == 1 {
		return "this view has one layout"
	}
	return ""
}

// stonesView shows the milestone under the cursor on the right.
type stonesView struct{ plain }

func (v *stonesView) Beside() view.Beside {
	if m, ok := v.a.milestone(); ok {
		return milestones.Page{Styles: v.a.st, Of: v.a.snap, Milestone: m, Now: v.Now()}
	}
	return nil
}

// row is a click that does no more than move the cursor.
func row(hit func(p *panes, x, y int) bool) func(a *App, x, y int) (bool, tea.Cmd) {
	return func(a *App, x, y int) (bool, tea.Cmd) { return hit(&a.panes, x, y), nil }
}

// makeViews makes the views of the table.
func (a *App) makeViews() {
	a.panes.lefts = leftViews()
	for v := range a.panes.lefts {
		l := &a.panes.lefts[v]
		l.View = l.make(a)
		l.actions = l.Actions()
		say := view.NoTasks(viewHost{a})
		if l.empty != nil {
			say = l.empty(a)
		}
		l.List().SetEmpty(say...)
	}
}

// leftExtra says what the left view leaves out.
func (a *App) leftExtra() (title string) {
	if a.snap != nil {
		title, _ = a.panes.shown().Says()
	}
	return title
}

func (a *App) treeExtra() string {
	if n, total, on := a.panes.tree.Filtered(); on {
		return fmt.Sprintf("%s of %s", text.Count(n), text.Count(total))
	}
	return ""
}

func (a *App) graphExtra() string {
	if shown, total := a.panes.graph.Shown(); shown < total {
		return fmt.Sprintf("%s of %s", text.Count(shown), text.Count(total))
	}
	return ""
}

func (a *App) clickGraph(x, y int) (row bool, cmd tea.Cmd) {
	switch a.panes.graph.Click(x, y) {
	case rail.HitRow:
		return true, nil
	case rail.HitMore:
		return false, a.pickEnd()
	}
	return false, nil
}
