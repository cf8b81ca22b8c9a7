package depmap

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/view"
)

// Host is what the view gets of the workbench besides.
type Host interface {
	view.Host
	// Open opens the task under the cursor.
	Open() tea.Cmd
}

// View is the view of the map.
type View struct {
	*view.Base
	host Host
	list *Map
}

// NewView makes one with this map.
func NewView(h Host, list *Map) *View {
	return &View{Base: view.NewBase(h, list), host: h, list: list}
}

// Hear shows the map around the task under the cursor of the view before, and brings the map before this one.
func (v *View) Hear(msg any) (tea.Cmd, view.Heard) {
	switch m := msg.(type) {
	case view.Opened:
		if m.Task != "" {
			v.list.Show(v.Snapshot(), m.Task)
		}
		return nil, view.Changed
	case view.Back:
		if !m.Right && !m.Filtered && v.list.Back() {
			return v.Moved(), view.Changed
		}
	}
	return nil, view.Ignored
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
	radius := func(d int) view.Action {
		x := on(func() tea.Cmd {
			shown := v.list.Len()
			if !v.list.Widen(d) {
				return v.Remark("one edge is the minimum")
			}
			if d > 0 && v.list.Len() == shown {
				return tea.Batch(v.Moved(), v.Remark("no more tasks at this distance"))
			}
			return v.Moved()
		})
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
		keymap.MapFarther:  radius(1),
		keymap.MapNearer:   radius(-1),
		keymap.MapAround:   mode(Around),
		keymap.MapUp:       mode(Upstream),
		keymap.MapDown:     mode(Downstream),
		keymap.MapBlocked:  mode(Blocked),
		keymap.MapCritical: mode(Critical),
		keymap.HideDone:    v.Toggle(v.list.ToggleDone, "done tasks are hidden", "done tasks are shown"),
		keymap.Left:        v.edge("dependency", true),
		keymap.Right:       v.edge("dependent", false),
	}
}

// edge goes along an edge: to where it led last time, or to the nearest task.
func (v *View) edge(to string, up bool) view.Action {
	return view.Action{
		Word: func() string { return to },
		Do:   func() tea.Cmd { return v.Follow(to, func() bool { return v.list.Follow(up) }) },
		Off: func() string {
			if !v.list.Leads(up) { // it shows what is no task, too
				return "no " + to + " is shown"
			}
			return ""
		},
	}
}
