package depmap

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model/taskmap"
	"vespe/ui/view"
)

// Host is what the view gets of the workbench besides.
type Host interface {
	view.Host
	// Found is the text that is searched for, and says why there is neither a filter nor a search.
	Found() (query, none string)
	// Open opens the task under the cursor.
	Open() tea.Cmd
}

// View is the view of the map.
type View struct {
	*view.Base
	host Host
	list *Map
	from keymap.Action // shows the view that the map was opened from
}

// NewView makes one with this map.
func NewView(h Host, list *Map) *View {
	return &View{Base: view.NewBase(h, list), host: h, list: list, from: keymap.ViewInbox}
}

// Hear shows the map around the task under the cursor of the view before, and brings the map before this one.
func (v *View) Hear(msg any) (tea.Cmd, view.Heard) {
	switch m := msg.(type) {
	case view.Opened:
		v.from = m.From
		if m.Task != "" {
			v.list.Show(v.Snapshot(), m.Task)
		}
		return nil, view.Changed
	case view.Back:
		if !m.Right && !m.Filtered && v.list.CanBack() {
			return v.back(), view.Changed
		}
	}
	return nil, view.Ignored
}

// back brings the map before this one, and from the first one what was there before.
func (v *View) back() tea.Cmd {
	if !v.list.Back() {
		return v.Show(v.from)
	}
	return v.Moved()
}

// Mouse moves the cursor, and scrolls in two directions.
func (v *View) Mouse(m view.Mouse) (row bool, cmd tea.Cmd) {
	switch m.Did {
	case view.Click:
		return v.list.Click(m.X, m.Y) == HitNode, nil
	case view.Sideways:
		v.list.WheelSideways(m.By)
	}
	return v.Base.Mouse(m)
}

// Actions say what is on the map, and move over it.
func (v *View) Actions() map[keymap.Action]view.Action {
	on := func(do func() tea.Cmd) view.Action { return view.Action{Do: do, Off: v.NoTasks} }
	moving := func(do func()) view.Action {
		return on(func() tea.Cmd { do(); return v.Moved() })
	}
	mode := func(m Mode) view.Action {
		return moving(func() {
			uid, ok := v.list.Selected()
			if !ok {
				uid = v.list.Root()
			}
			v.list.SetMode(m, uid)
		})
	}
	try := func(do func() bool, none string) view.Action {
		return on(func() tea.Cmd {
			if !do() {
				return v.Remark(none)
			}
			return v.Moved()
		})
	}
	radius := func(d int) view.Action {
		x := try(func() bool { return v.list.Widen(d) }, "one edge is the minimum")
		x.Off = func() string {
			if why := v.NoTasks(); why != "" || v.list.Ranged() {
				return why
			}
			return "this view has no distance to change"
		}
		return x
	}
	return map[keymap.Action]view.Action{
		keymap.MapEnter: {Off: v.NoTasks, Word: v.list.EnterWord, Do: func() tea.Cmd {
			if v.list.EnterWord() == opens {
				return v.host.Open()
			}
			v.list.Enter()
			return v.Moved()
		}},
		keymap.MapBack:      on(v.back),
		keymap.MapFarther:   radius(1),
		keymap.MapNearer:    radius(-1),
		keymap.MapNext:      moving(v.list.CycleWay),
		keymap.MapAround:    mode(Around),
		keymap.MapUp:        mode(Upstream),
		keymap.MapDown:      mode(Downstream),
		keymap.MapBlocked:   mode(Blocked),
		keymap.MapSubtree:   mode(Subtree),
		keymap.MapMilestone: mode(Milestone),
		keymap.MapCritical:  mode(Critical),
		keymap.MapFound: {Off: v.noFound, Do: func() tea.Cmd {
			query, _ := v.host.Found()
			v.list.ShowFound(query)
			return v.Moved()
		}},
		keymap.MapRedundant: v.Toggle(v.list.ToggleRedundant, "all edges are shown", "edges implied by others are left out"),
		keymap.MapGroups: v.Toggle(func() bool { return v.list.CycleGrouping() == taskmap.ByMilestone },
			"groups are milestones", "groups are tasks with their subtasks"),
		keymap.HideDone:       v.Toggle(v.list.ToggleDone, "done tasks are hidden", "done tasks are shown"),
		keymap.MapFold:        try(v.list.FoldToggle, "no other task of its group is shown"),
		keymap.MapFoldAll:     try(v.list.FoldAll, "no group to fold"),
		keymap.MapUnfold:      try(v.list.UnfoldAll, "no group is folded"),
		keymap.MapLeft:        moving(func() { v.list.Pan(-1, 0) }),
		keymap.MapRight:       moving(func() { v.list.Pan(1, 0) }),
		keymap.MapCenter:      moving(v.list.Center),
		keymap.MapTidy:        moving(v.list.Tidy),
		keymap.EdgeDependency: v.edge("dependency", true),
		keymap.EdgeDependent:  v.edge("dependent", false),
	}
}

// edge goes along an edge: to where it led last time, or to the nearest task.
func (v *View) edge(to string, up bool) view.Action {
	return view.Action{
		Do: func() tea.Cmd { return v.Follow(to, func() bool { return v.list.Follow(up) }) },
		Off: func() string {
			if !v.list.Leads(up) { // it shows what is no task, too
				return "no " + to + " is shown"
			}
			return ""
		},
	}
}

func (v *View) noFound() string {
	_, none := v.host.Found()
	return cmp.Or(v.NoTasks(), none)
}
