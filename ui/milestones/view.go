package milestones

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Host is what the view gets of the workbench besides.
type Host interface {
	view.Host
	// Targets are the tasks that are selected, or the one under the cursor.
	Targets() []model.UID
	// Preview is what an operation would change, or why it is refused.
	Preview(op model.Op) (*model.Change, error)
	// Fire does an operation, on each target if there are some.
	Fire(op model.Op, targets ...model.UID) tea.Cmd
	// Form opens a form, which may begin with what was typed before. It tells what comes of it.
	Form(o overlay.FormOptions, draft bool, then func(sent bool) tea.Cmd) (*overlay.Form, tea.Cmd)
}

// View is the view of milestones.
type View struct {
	*view.Base
	host  Host
	list  *List
	forms map[string]form // what was typed and not taken yet, by id; "" for a new one
}

// NewView makes one with these rows.
func NewView(h Host, list *List) *View {
	return &View{Base: view.NewBase(h, list), host: h, list: list, forms: map[string]form{}}
}

// Hear forgets a form that the store has taken, and goes to what was made of it.
func (v *View) Hear(msg any) (tea.Cmd, view.Heard) {
	switch m := msg.(type) {
	case view.Shown:
		adds := v.Hint(keymap.MilestoneNew, "creates the first one")
		v.list.SetEmpty("No milestones yet.", adds, v.Hint(keymap.MilestoneAssign, "puts a task into one"))
	case view.Applied:
		for _, op := range m.Ops {
			if e, ok := op.Args.(model.MilestoneEdit); ok && isForm(op.Name, &e) {
				delete(v.forms, e.ID)
				if op.Name == model.CreateMilestone && v.Shows(v) {
					v.list.jumpTo(m.Change.Milestone)
				}
			}
		}
	default:
		return nil, view.Ignored
	}
	return nil, view.Changed
}

// isForm reports whether an operation is one that a form asks for.
func isForm(op model.Name, e *model.MilestoneEdit) bool {
	return op == model.CreateMilestone || op == model.EditMilestone && e.Before == nil
}

// Mouse moves the cursor. What a second click opens is no head.
func (v *View) Mouse(m view.Mouse) (row bool, cmd tea.Cmd) {
	row, cmd = v.Base.Mouse(m)
	return row && !v.list.OnHead(), cmd
}

// Says tells how many milestones are late.
func (v *View) Says() (title, header string) {
	all, late := v.list.Counted()
	if all > 0 {
		title = text.Plural(all, "milestone")
	}
	if late > 0 {
		title += fmt.Sprintf(" %s %s late", v.list.Styles.Glyph.Dot, text.Count(late))
	}
	return title, ""
}

// Beside is the milestone under the cursor.
func (v *View) Beside() view.Beside {
	m, ok := v.list.Milestone()
	if !ok {
		return nil
	}
	return Page{Styles: v.list.Styles, Of: v.Snapshot(), Milestone: m, Now: v.Now()}
}

// Actions fold, and change milestones.
func (v *View) Actions() map[keymap.Action]view.Action {
	here := func(do func()) view.Action {
		return view.Action{Do: func() tea.Cmd { do(); return v.Moved() }, Off: v.none}
	}
	on := func(do func(*snapshot.Milestoning) tea.Cmd) view.Action {
		return view.Action{Off: v.noMilestone, Do: func() tea.Cmd {
			m, _ := v.list.Milestone()
			return do(m)
		}}
	}
	return map[keymap.Action]view.Action{
		keymap.MilestoneFold:    here(v.list.Left),
		keymap.MilestoneUnfold:  here(v.list.Right),
		keymap.MilestoneToggle:  here(v.list.Toggle),
		keymap.MilestonesFold:   here(v.list.FoldAll),
		keymap.MilestonesUnfold: here(v.list.UnfoldAll),
		keymap.Open: {Do: func() tea.Cmd { v.list.Toggle(); return v.Moved() }, Off: func() string {
			if v.list.Focused && v.list.OnHead() {
				return ""
			}
			return "nothing under the cursor"
		}},
		keymap.MilestoneNew: {
			Everywhere: true,
			Do:         func() tea.Cmd { return v.ask("", "New milestone", form{}) },
			Off:        func() string { return v.WhyNot(model.Op{Name: model.CreateMilestone}) },
		},
		keymap.MilestoneEdit:   on(v.edit),
		keymap.MilestoneRemove: on(v.remove),
		keymap.MilestoneDown:   on(func(m *snapshot.Milestoning) tea.Cmd { return v.place(m, 1) }),
		keymap.MilestoneUp:     on(func(m *snapshot.Milestoning) tea.Cmd { return v.place(m, -1) }),
		keymap.MilestoneAssign: {Everywhere: true, Do: v.assign, Off: v.noAssign},
	}
}

func (v *View) none() string {
	if len(v.Snapshot().Milestones()) == 0 {
		return "there are no milestones"
	}
	return ""
}

// noMilestone says why there is no milestone to change.
func (v *View) noMilestone() string {
	if why := v.none(); why != "" {
		return why
	}
	m, ok := v.list.Milestone()
	switch {
	case !ok:
		return "no milestone under the cursor"
	case m.Undefined:
		return fmt.Sprintf("%s is in no list of milestones; only tasks name it", text.SafeLine(m.ID))
	}
	return v.WhyNot(model.Op{Name: model.EditMilestone, Args: model.MilestoneEdit{ID: m.ID}})
}

func (v *View) remove(m *snapshot.Milestoning) tea.Cmd {
	op := model.Op{Name: model.RemoveMilestone, Args: model.MilestoneEdit{ID: m.ID}}
	ch, err := v.host.Preview(op)
	if err != nil {
		return v.Say(v.Refused(op.Name.Title(), err))
	}
	return v.Ask(dialog.Ask{
		Title: op.Name.Title(), Summary: text.Capital(ch.Summary) + ".", Yes: "Remove", Danger: true,
		Done: func() tea.Cmd { return v.host.Fire(op) },
	})
}

// place moves a milestone by one place.
func (v *View) place(m *snapshot.Milestoning, d int) tea.Cmd {
	file := v.Snapshot().MilestoneFile()
	to := file.Index(m.ID) + d
	if to < 0 || to >= len(file.List) {
		return v.Remark(map[int]string{-1: "it is the first", 1: "it is the last"}[d])
	}
	before := ""
	switch {
	case d < 0:
		before = file.List[to].ID
	case to+1 < len(file.List):
		before = file.List[to+1].ID
	}
	return v.host.Fire(model.Op{Name: model.EditMilestone, Args: model.MilestoneEdit{ID: m.ID, Before: &before}})
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
		return tea.Batch(v.Show(keymap.ViewMilestones), v.Remark("no milestone yet; create one first"))
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
		return v.host.Fire(model.Op{Name: model.AssignMilestone, Args: model.MilestoneEdit{ID: strings.Trim(id, "\x00")}}, targets...)
	})
}

// form is what the fields of the form for a milestone hold: name, description, start, due.
type form [4]string

func (v *View) edit(m *snapshot.Milestoning) tea.Cmd {
	return v.ask(m.ID, "Edit milestone "+m.ID, form{m.Name, m.Description, string(m.Start), string(m.Due)})
}

// ask opens the form of a milestone; id is "" for a new one. What was typed is kept until the store has it.
func (v *View) ask(id, title string, was form) tea.Cmd {
	values, draft := v.forms[id]
	if !draft {
		values = was
	}
	day := func(s string) error {
		if _, ok := model.ParseDate(s); !ok && strings.TrimSpace(s) != "" {
			return view.Notice{Why: "write a day like 2026-01-31, or leave it empty"}.Sentence()
		}
		return nil
	}
	fields := make([]overlay.FormField, len(values))
	for i, label := range []string{"Name", "About", "Start", "Due"} {
		fields[i] = overlay.FormField{Label: label, Value: values[i]}
	}
	fields[0].Check = func(s string) error {
		if strings.TrimSpace(s) == "" {
			return view.Notice{Why: "the name cannot be blank"}.Sentence()
		}
		return nil
	}
	var box *overlay.Form
	typed := func() form { return form(box.Values()) }
	fields[2].Note, fields[2].Check = "day", day
	fields[3].Note = "day"
	fields[3].Check = func(s string) error {
		if err := day(s); err != nil {
			return err
		}
		if err := v.try(asked(id, was, typed())); err != nil {
			return v.Refused("", err).Sentence()
		}
		return nil
	}
	o := overlay.FormOptions{Title: title, Note: "Write days like 2026-01-31. Either may be empty.", Fields: fields}
	box, cmd := v.host.Form(o, draft, func(sent bool) tea.Cmd {
		op := asked(id, was, typed())
		if delete(v.forms, id); op.Name == "" {
			return nil
		}
		v.forms[id] = typed()
		if !sent {
			return nil
		}
		if err := v.try(op); err != nil {
			return v.Say(v.Refused(op.Name.Title(), err))
		}
		return v.host.Fire(op)
	})
	return cmd
}

// try says why what a form asks for is refused.
func (v *View) try(op model.Op) error {
	if op.Name == "" {
		return nil
	}
	_, err := v.host.Preview(op)
	return err
}

// asked is what a form asks for; without a name where nothing is different.
func asked(id string, was, typed form) model.Op {
	e := model.MilestoneEdit{ID: id}
	some := false
	for i, to := range []**string{&e.Name, &e.Description, &e.Start, &e.Due} {
		if value := strings.TrimSpace(typed[i]); value != was[i] {
			*to, some = &value, true
		}
	}
	switch {
	case !some:
		return model.Op{}
	case id == "":
		return model.Op{Name: model.CreateMilestone, Args: e}
	}
	return model.Op{Name: model.EditMilestone, Args: e}
}
