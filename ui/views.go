package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/depmap"
	"vespe/ui/outline"
	"vespe/ui/rail"
	"vespe/ui/style"
	"vespe/ui/text"
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
	list   func(p *panes) list
	scope  keymap.Scope  // where its keys mean something
	action keymap.Action // shows it
	tab    keymap.Action // shows the layout that it or one of the next had last; "" in a further layout of the view before
	broad  bool          // it needs the width of the screen
	tall   bool          // and rows, on a low screen those of the detail (layout.go)
	// show is what the action does; nil where that is to show the view, and no more.
	show func(a *App) tea.Cmd
	// click acts on a click at a place in it, and reports whether that hit a row, which a second one opens.
	click func(a *App, x, y int) (row bool, cmd tea.Cmd)
	// extra is what the title says besides the names of the views; nil for nothing.
	extra func(a *App) string
	// empty is what is said when there is nothing to show; nil for how the first task is made.
	empty func(a *App) []string
}

// leftViews is the table of the views: all that is to be said of one to have it on screen.
func leftViews() [views]left {
	return [views]left{
		viewInbox: {
			list:  func(p *panes) list { return p.inbox },
			scope: keymap.Inbox, action: keymap.ViewInbox, tab: keymap.ViewInbox,
			click: row(func(p *panes, x, y int) bool { return p.inbox.Click(x, y) }),
		},
		viewTree: {
			list:  func(p *panes) list { return p.tree },
			scope: keymap.Tree, action: keymap.ViewTree, tab: keymap.ViewTasks, extra: (*App).treeExtra,
			click: row(func(p *panes, x, y int) bool { return p.tree.Click(x, y) == outline.HitRow }),
		},
		viewBoard: {
			list:  func(p *panes) list { return p.board },
			scope: keymap.Board, action: keymap.ViewBoard, broad: true, extra: (*App).boardExtra, click: (*App).clickBoard,
		},
		viewMilestones: {
			list:  func(p *panes) list { return p.stones },
			scope: keymap.Milestones, action: keymap.ViewMilestones, extra: (*App).milestonesExtra, empty: (*App).noMilestonesYet,
			click: row(func(p *panes, x, y int) bool { return p.stones.Click(x, y) && !p.stones.OnHead() }),
		},
		viewMap: {
			list:  func(p *panes) list { return p.depmap },
			scope: keymap.Map, action: keymap.ViewMap, tab: keymap.ViewGraph, show: (*App).showMap, broad: true, tall: true,
			click: row(func(p *panes, x, y int) bool { return p.depmap.Click(x, y) == depmap.HitNode }),
		},
		viewLanes: {
			list:  func(p *panes) list { return p.graph },
			scope: keymap.Graph, action: keymap.ViewLanes, extra: (*App).graphExtra, click: (*App).clickGraph,
		},
		viewRuns: {
			list:  func(p *panes) list { return p.runs },
			scope: keymap.Runs, action: keymap.ViewRuns, tab: keymap.ViewRuns, extra: (*App).runsExtra, empty: (*App).noRunsYet,
			click: row(func(p *panes, x, y int) bool { return p.runs.Click(x, y) }),
		},
		viewActivity: {
			list:  func(p *panes) list { return p.feed },
			scope: keymap.Activity, action: keymap.ViewHistory, tab: keymap.ViewHistory, extra: (*App).feedExtra,
			click: row(func(p *panes, x, y int) bool { return p.feed.Click(x, y) }),
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

// row is a click that does no more than move the cursor.
func row(hit func(p *panes, x, y int) bool) func(a *App, x, y int) (bool, tea.Cmd) {
	return func(a *App, x, y int) (bool, tea.Cmd) { return hit(&a.panes, x, y), nil }
}

// list is what the left views have in common. Each shows tasks in rows with a
// cursor, keeps both when the snapshot changes, and draws only what is in view.
type list interface {
	scroller
	searcher
	SetSnapshot(s *model.Snapshot)
	SetStyles(st *style.Styles)
	SetFocused(on bool)
	// SetEmpty sets what is said when there is nothing to show.
	SetEmpty(lines ...string)
	SetFilter(test func(s *model.Snapshot, i int) bool)
	// SetUnmatched sets what is said when nothing passes the filter.
	SetUnmatched(lines ...string)
	Selected() (model.UID, bool)
	InView() []model.UID
	Jump(uid model.UID) bool
	// Keep remembers the cursor, the folds and the place of the window, and returns what
	// brings them back.
	Keep() (restore func())
	Scroll() style.Scroll
	View(w, h int) []string
}

// setEmpty says in the views what to do when there is nothing to show.
func (a *App) setEmpty() {
	say := a.noTasksYet()
	for _, l := range a.panes.lefts {
		lines := say
		if l.empty != nil {
			lines = l.empty(a)
		}
		l.list(&a.panes).SetEmpty(lines...)
	}
}

func (a *App) noTasksYet() []string {
	return []string{
		"No tasks yet.", a.keyHint(keymap.New, "creates the first one"), "",
		"or, on the command line,", "vespe demo", "vespe store import beads FILE",
	}
}

// leftExtra says what the left view leaves out.
func (a *App) leftExtra() string {
	extra := a.panes.lefts[a.panes.view].extra
	if a.snap == nil || extra == nil {
		return ""
	}
	return extra(a)
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
