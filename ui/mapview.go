package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model/taskmap"
	"vespe/ui/depmap"
	"vespe/ui/rail"
)

// mapHandlers are the actions that only the map has, and the way there and back.
func mapHandlers() map[keymap.Action]handler {
	mode := func(m depmap.Mode) handler {
		return onMap(func(a *App) tea.Cmd {
			uid, ok := a.panes.depmap.Selected()
			if !ok {
				uid = a.panes.depmap.Root()
			}
			a.panes.depmap.SetMode(m, uid)
			return a.onMoved()
		})
	}
	radius := func(d int) handler {
		h := onMap(func(a *App) tea.Cmd {
			if !a.panes.depmap.Widen(d) {
				return a.remark("one edge is the minimum")
			}
			return a.onMoved()
		})
		h.off = also(h.off, func(a *App) string {
			if !a.panes.depmap.Ranged() {
				return "this view has no distance to change"
			}
			return ""
		})
		return h
	}
	view := func(do func(m *depmap.Map)) handler {
		return onMap(func(a *App) tea.Cmd { do(a.panes.depmap); return a.onMoved() })
	}
	fold := func(do func(m *depmap.Map) bool, none string) handler {
		return onMap(func(a *App) tea.Cmd {
			if !do(a.panes.depmap) {
				return a.remark(none)
			}
			return a.onMoved()
		})
	}
	return map[keymap.Action]handler{
		keymap.MapEnter:     onMap((*App).mapEnter),
		keymap.MapBack:      onMap((*App).mapBack),
		keymap.MapFarther:   radius(1),
		keymap.MapNearer:    radius(-1),
		keymap.MapNext:      view((*depmap.Map).CycleWay),
		keymap.MapAround:    mode(depmap.Around),
		keymap.MapUp:        mode(depmap.Upstream),
		keymap.MapDown:      mode(depmap.Downstream),
		keymap.MapBlocked:   mode(depmap.Blocked),
		keymap.MapSubtree:   mode(depmap.Subtree),
		keymap.MapMilestone: mode(depmap.Milestone),
		keymap.MapCritical:  mode(depmap.Critical),
		keymap.MapFound:     {do: (*App).mapFound, off: also(noMap, (*App).noFound)},
		keymap.MapRedundant: onMap((*App).mapRedundant),
		keymap.MapFold:      fold((*depmap.Map).FoldToggle, "no other task of its group is shown"),
		keymap.MapFoldAll:   fold((*depmap.Map).FoldAll, "no group to fold"),
		keymap.MapUnfold:    fold((*depmap.Map).UnfoldAll, "no group is folded"),
		keymap.MapGroups:    onMap((*App).mapGroups),
		keymap.MapLeft:      view(func(m *depmap.Map) { m.Pan(-1, 0) }),
		keymap.MapRight:     view(func(m *depmap.Map) { m.Pan(1, 0) }),
		keymap.MapCenter:    view((*depmap.Map).Center),
		keymap.MapTidy:      view((*depmap.Map).Tidy),
		keymap.MapZoom:      onMap((*App).toggleZoom),
	}
}

// noMap says why an action of the map does nothing.
func noMap(a *App) string {
	switch {
	case a.panes.view != viewMap:
		return "it works in the map"
	case a.snap == nil || a.snap.Len() == 0:
		return "there are no tasks"
	}
	return ""
}

func onMap(do func(*App) tea.Cmd) handler { return handler{do: do, off: noMap} }

// also is the first reason of two.
func also(first, then func(*App) string) func(*App) string {
	return func(a *App) string {
		if why := first(a); why != "" {
			return why
		}
		return then(a)
	}
}

// showMap shows the map around the task under the cursor.
func (a *App) showMap() tea.Cmd {
	if a.panes.view != viewMap {
		a.nav.mapFrom = a.panes.view
		if uid := a.selected(); uid != "" {
			a.panes.depmap.Show(a.snap, uid)
		}
	}
	return a.show(viewMap)
}

// mapEnter continues from the node under the cursor; from the one that the map is around, to its
// detail.
func (a *App) mapEnter() tea.Cmd {
	if a.panes.depmap.Enter() {
		return a.onMoved()
	}
	return a.open()
}

// mapBack brings the map before this one, and from the first one what was there before.
func (a *App) mapBack() tea.Cmd {
	if !a.panes.depmap.Back() {
		return a.show(a.nav.mapFrom)
	}
	return a.onMoved()
}

func (a *App) mapRedundant() tea.Cmd {
	note := "edges implied by others are left out"
	if a.panes.depmap.ToggleRedundant() {
		note = "all edges are shown"
	}
	return tea.Batch(a.onMoved(), a.remark(note))
}

func (a *App) mapGroups() tea.Cmd {
	note := "groups are tasks with their subtasks"
	if a.panes.depmap.CycleGrouping() == taskmap.ByMilestone {
		note = "groups are milestones"
	}
	return tea.Batch(a.onMoved(), a.remark(note))
}

// mapFound shows what the filter selects, or what the search finds.
func (a *App) mapFound() tea.Cmd {
	a.panes.depmap.ShowFound(a.find.query)
	return a.onMoved()
}

func (a *App) noFound() string {
	if a.find.text == "" && a.find.query == "" {
		return fmt.Sprintf("filter (%s) or search (%s) first", a.deps.Keymap.Label(keymap.FilterStart), a.deps.Keymap.Label(keymap.SearchStart))
	}
	return ""
}

// graphHandlers are the actions that only the graph has.
func graphHandlers() map[keymap.Action]handler {
	edge := func(r relation, up bool) handler {
		return handler{
			do: func(a *App) tea.Cmd { return a.follow(r, up) },
			off: func(a *App) string {
				if a.panes.view == viewMap { // it shows what is no task, too
					return a.noLine(r, up)
				}
				return a.noJump(r)
			},
		}
	}
	graph := func(do func(*App) tea.Cmd) handler {
		return handler{do: do, off: func(a *App) string {
			switch {
			case a.panes.view != viewLanes:
				return "it works in the graph"
			case a.snap == nil || a.snap.Len() == 0:
				return "there are no tasks"
			}
			return ""
		}}
	}
	return map[keymap.Action]handler{
		keymap.EdgeDependency: edge(toDependency, true),
		keymap.EdgeDependent:  edge(toDependent, false),
		keymap.BranchNext:     {do: func(a *App) tea.Cmd { return a.branch(1) }, off: (*App).noBranch},
		keymap.BranchPrev:     {do: func(a *App) tea.Cmd { return a.branch(-1) }, off: (*App).noBranch},
		keymap.LightUp:        graph((*App).lightUp),
		keymap.HideDone:       {do: (*App).hideDone, off: (*App).noGraph},
		keymap.ToggleLoose: graph(func(a *App) tea.Cmd {
			a.panes.graph.ToggleLoose()
			return a.onMoved()
		}),
	}
}

// follow goes along an edge of the graph: to where it led last time, or to the nearest
// task.
func (a *App) follow(r relation, up bool) tea.Cmd {
	from := a.selected()
	along := a.panes.graph.Follow
	if a.panes.view == viewMap {
		along = a.panes.depmap.Follow
	}
	if !along(up) {
		return a.remark(fmt.Sprintf("no %s of the task is shown", r))
	}
	a.remember(from)
	return a.onMoved()
}

// pickEnd lets the person choose among the other ends of the edges that had no room to be named.
func (a *App) pickEnd() tea.Cmd {
	return a.pickTask("Go to what "+a.name(a.selected())+" is linked with", a.panes.graph.Unnamed(), a.goTo)
}

func (a *App) noLine(r relation, up bool) string {
	if !a.panes.depmap.Leads(up) {
		return fmt.Sprintf("no %s is shown", r)
	}
	return ""
}

// branch goes to another task that the last step along an edge could have led to.
func (a *App) branch(d int) tea.Cmd {
	a.panes.graph.Alternative(d)
	return a.onMoved()
}

// noBranch says why there is no other branch to go to.
func (a *App) noBranch() string {
	switch {
	case a.panes.view != viewLanes:
		return "it works in the graph"
	case !a.panes.graph.Branching():
		return "the last step had only one edge"
	}
	return ""
}

func (a *App) lightUp() tea.Cmd {
	return a.remark(map[rail.Cone]string{
		rail.All: "nothing is dimmed", rail.Upstream: "highlighted: what the task needs",
		rail.Downstream: "highlighted: what needs the task", rail.Both: "highlighted: what the task needs, and what needs it",
		rail.Critical: "highlighted: the critical path",
	}[a.panes.graph.CycleCone()])
}

// noGraph says why there is neither graph nor map.
func (a *App) noGraph() string {
	switch {
	case a.panes.view != viewLanes && a.panes.view != viewMap:
		return "it works in the graph and in the map"
	case a.snap == nil || a.snap.Len() == 0:
		return "there are no tasks"
	}
	return ""
}

func (a *App) hideDone() tea.Cmd {
	note := "done tasks are shown"
	toggle := a.panes.graph.ToggleDone
	if a.panes.view == viewMap {
		toggle = a.panes.depmap.ToggleDone
	}
	if toggle() {
		note = "done tasks are hidden"
	}
	return tea.Batch(a.onMoved(), a.remark(note))
}

// heading goes to another heading of the text on the right.
func (a *App) heading(d int) tea.Cmd {
	if c := a.reviewing(); c != nil && c.page.NextHeading(d) || c == nil && a.panes.detail.NextHeading(d) {
		return nil
	}
	if d > 0 {
		return a.remark("no heading below")
	}
	return a.remark("no heading above")
}

// nextPlace goes to the next change or comment of the text on screen, or to a heading where there is none.
func nextPlace(a *App, n int) tea.Cmd {
	if c := a.reviewing(); c != nil && c.page.NextNote(n) || c == nil && a.panes.detail.NextPlace(n) {
		return nil
	}
	return a.heading(n)
}
