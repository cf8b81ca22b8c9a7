package milestones

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Host is what the view gets of the workbench besides.
type Host interface {
	view.Host
	// Targets are the tasks that are selected, or the one under the cursor.
	Targets() []model.UID
	// Fire does an operation on each target.
	Fire(op model.Op, targets []model.UID) tea.Cmd
}

// create is how a milestone is made.
const create = "`vespe milestone create NAME`"

// View is the view of milestones.
type View struct {
	*view.Base
	host Host
	list *List
}

// NewView makes one with these rows.
func NewView(h Host, list *List) *View {
	return &View{Base: view.NewBase(h, list), host: h, list: list}
}

// Hear says what the view shows where there is no milestone yet.
func (v *View) Hear(msg any) (tea.Cmd, view.Heard) {
	if _, ok := msg.(view.Shown); !ok {
		return nil, view.Ignored
	}
	v.list.SetEmpty("No milestones yet.", "Create one: "+create, v.Hint(keymap.MilestoneAssign, "puts a task into one"))
	return nil, view.Changed
}

// Mouse moves the cursor. What a second click opens is no head.
func (v *View) Mouse(m view.Mouse) (row bool, cmd tea.Cmd) {
	row, cmd = v.Base.Mouse(m)
	return row && !v.list.OnHead(), cmd
}

// Says tells how many milestones there are.
func (v *View) Says() (title, header string) {
	if n := len(v.list.list); n > 0 {
		title = text.Plural(n, "milestone")
	}
	return title, ""
}

// Beside is the milestone under the cursor.
func (v *View) Beside() view.Beside {
	m, ok := v.list.Milestone()
	if !ok {
		return nil
	}
	return Page{Styles: v.list.Styles, Of: v.Snapshot(), Milestone: m}
}

// Actions fold milestones, and put tasks into them.
func (v *View) Actions() map[keymap.Action]view.Action {
	here := func(do func()) view.Action {
		return view.Action{Do: func() tea.Cmd { do(); return v.Moved() }, Off: v.none}
	}
	return map[keymap.Action]view.Action{
		keymap.Left:      here(v.list.Left),
		keymap.Right:     here(v.list.Right),
		keymap.FoldAll:   here(v.list.FoldAll),
		keymap.UnfoldAll: here(v.list.UnfoldAll),
		keymap.Open: {Do: func() tea.Cmd { v.list.Toggle(); return v.Moved() }, Off: func() string {
			if v.list.Focused && v.list.OnHead() {
				return ""
			}
			return "nothing under the cursor"
		}},
		keymap.EditShown:       {Off: v.noEdit},
		keymap.MilestoneAssign: {Everywhere: true, Do: v.assign, Off: v.noAssign},
	}
}

// noEdit says how a milestone is edited, and of a task that is not shown here why it can't be.
func (v *View) noEdit() string {
	if m, ok := v.list.Milestone(); ok && m.Undefined {
		return "only tasks name it, and milestones.json doesn't"
	} else if ok {
		return "use `vespe milestone edit " + text.SafeLine(m.ID) + "`"
	}
	uid, ok := v.list.Selected()
	if !ok {
		return cmp.Or(v.none(), "no milestone under the cursor")
	}
	return cmp.Or(v.WhyNot(model.Op{Name: model.DefineObjective, UID: uid}), view.NoTask)
}

func (v *View) none() string {
	if len(v.Snapshot().Milestones()) == 0 {
		return "there are no milestones"
	}
	return ""
}

// noAssign says why nothing can be put into a milestone.
func (v *View) noAssign() string {
	targets := v.host.Targets()
	if len(targets) == 0 {
		return view.NoTask
	}
	return v.WhyNot(model.Op{Name: model.AssignMilestone, UID: targets[0]})
}

// assign lets the person choose the milestone for the task under the cursor, or for those that are selected.
func (v *View) assign() tea.Cmd {
	targets, snap, st := v.host.Targets(), v.Snapshot(), v.list.Styles
	title := fmt.Sprintf("Put %q into%s", v.Name(targets[0]), st.Glyph.Ellipsis)
	if len(targets) > 1 {
		title = fmt.Sprintf("Put %d tasks into%s", len(targets), st.Glyph.Ellipsis)
	}
	current, some := "", false
	var choices []overlay.Choice
	for _, uid := range targets {
		if i, ok := snap.Index(uid); ok && snap.OwnMilestone(i) != "" {
			current, some = snap.OwnMilestone(i), true
		}
	}
	list := snap.Milestones()
	for k := range list {
		m := &list[k]
		if m.Undefined {
			continue
		}
		c := overlay.Choice{ID: m.ID, Title: m.Name, Detail: fmt.Sprintf("%d/%d  %s", m.Done, m.Total, m.ID)}
		if c.Title == "" {
			c.Title = m.ID
		}
		c.Glyph, c.Ink = st.Status(Status(m))
		choices = append(choices, c)
	}
	if len(choices) == 0 && !some {
		return tea.Batch(v.Show(keymap.ViewMilestones), v.Remark("no milestone yet; "+create+" creates one"))
	}
	if some {
		choices = append(choices, overlay.Choice{ID: "\x00", Title: "In no milestone", Detail: "takes it out"})
	}
	if len(targets) > 1 {
		current = ""
	}
	return v.Pick(overlay.PickerOptions{
		Title: title, Placeholder: "type a name", Choices: choices, Current: current, Nothing: "No milestone has that name.",
	}, func(id string) tea.Cmd {
		return v.host.Fire(model.Op{Name: model.AssignMilestone, Args: model.MilestoneEdit{ID: strings.Trim(id, "\x00")}}, targets)
	})
}
