package rail

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Host is what the view gets of the workbench besides.
type Host interface {
	view.Host
	// GoToOneOf lets the person choose a task to go to.
	GoToOneOf(title string, uids []model.UID) tea.Cmd
}

// View is the view of the lanes.
type View struct {
	*view.Base
	host Host
	list *Rail
}

// NewView makes one with these rows.
func NewView(h Host, list *Rail) *View {
	return &View{Base: view.NewBase(h, list), host: h, list: list}
}

// Mouse moves the cursor, and follows edges.
func (v *View) Mouse(m view.Mouse) (row bool, cmd tea.Cmd) {
	if m.Did != view.Click {
		return v.Base.Mouse(m)
	}
	hit := v.list.Click(m.X, m.Y)
	if hit == HitMore { // its edges had no room to be named
		return false, v.host.GoToOneOf("Go to what "+v.Name(v.Selected())+" is linked with", v.list.Unnamed())
	}
	return hit == HitRow, nil
}

// Says tells how many tasks the graph leaves out.
func (v *View) Says() (title, header string) {
	if shown, total := v.list.Shown(); shown < total {
		title = fmt.Sprintf("%s of %s", text.Count(shown), text.Count(total))
	}
	return title, ""
}

// Actions follow edges, and say what is shown.
func (v *View) Actions() map[keymap.Action]view.Action {
	branch := func(d int) view.Action {
		return view.Action{Do: func() tea.Cmd { v.list.Alternative(d); return v.Moved() }, Off: func() string {
			if !v.list.Branching() {
				return "the last step had only one edge"
			}
			return ""
		}}
	}
	return map[keymap.Action]view.Action{
		keymap.Left:        v.edge("dependency", true, (*snapshot.Snapshot).DependsOn),
		keymap.Right:       v.edge("dependent", false, (*snapshot.Snapshot).Dependents),
		keymap.BranchNext:  branch(1),
		keymap.BranchPrev:  branch(-1),
		keymap.HideDone:    v.Toggle(v.list.ToggleDone, "done tasks are hidden", "done tasks are shown"),
		keymap.ToggleLoose: {Off: v.NoTasks, Do: func() tea.Cmd { v.list.ToggleLoose(); return v.Moved() }},
	}
}

// edge goes along an edge: to where it led last time, or to the nearest task.
func (v *View) edge(to string, up bool, of func(s *snapshot.Snapshot, i int) []int32) view.Action {
	return view.Action{
		Word: func() string { return to },
		Do:   func() tea.Cmd { return v.Follow(to, func() bool { return v.list.Follow(up) }) },
		Off: func() string {
			i, ok := v.Snapshot().Index(v.Selected())
			switch {
			case !ok:
				return view.NoTask
			case len(of(v.Snapshot(), i)) == 0:
				return "the task has no " + to
			}
			return ""
		},
	}
}
