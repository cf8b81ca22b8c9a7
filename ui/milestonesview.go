package ui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/milestones"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// milestoneHandlers are the actions of milestones.
func milestoneHandlers() map[keymap.Action]handler {
	here := func(do func(*App)) handler {
		return handler{do: func(a *App) tea.Cmd { do(a); return a.onMoved() }, off: (*App).noMilestones}
	}
	on := func(do func(*App, *model.Milestoning) tea.Cmd) handler {
		return handler{
			do: func(a *App) tea.Cmd {
				m, _ := a.milestone()
				return do(a, m)
			},
			off: (*App).noMilestone,
		}
	}
	objective := editing(model.Objective, model.DefineObjective)
	edit := on((*App).editMilestone)
	return map[keymap.Action]handler{
		keymap.MilestoneFold:    here(func(a *App) { a.panes.stones.Left() }),
		keymap.MilestoneUnfold:  here(func(a *App) { a.panes.stones.Right() }),
		keymap.MilestoneToggle:  here(func(a *App) { a.panes.stones.Toggle() }),
		keymap.MilestonesFold:   here(func(a *App) { a.panes.stones.FoldAll() }),
		keymap.MilestonesUnfold: here(func(a *App) { a.panes.stones.UnfoldAll() }),
		keymap.MilestoneNew: {do: func(a *App) tea.Cmd { return a.askMilestone("", "New milestone", milestoneForm{}) }, off: func(a *App) string {
			return a.whyNot(a.allowed(model.Op{Name: model.CreateMilestone, Actor: a.deps.Actor}))
		}},
		keymap.MilestoneEdit: {
			do: func(a *App) tea.Cmd {
				if a.selected() != "" {
					return objective.do(a)
				}
				return edit.do(a)
			},
			off: func(a *App) string {
				if a.selected() != "" {
					return objective.off(a)
				}
				return edit.off(a)
			},
		},
		keymap.MilestoneRemove: on((*App).removeMilestone),
		keymap.MilestoneDown:   on(func(a *App, m *model.Milestoning) tea.Cmd { return a.placeMilestone(m, 1) }),
		keymap.MilestoneUp:     on(func(a *App, m *model.Milestoning) tea.Cmd { return a.placeMilestone(m, -1) }),
		keymap.MilestoneAssign: {do: (*App).assignMilestone, off: (*App).noAssign},
	}
}

func (a *App) noMilestones() string {
	switch {
	case a.panes.view != viewMilestones:
		return "it works in the milestones"
	case a.snap == nil || len(a.snap.Milestones()) == 0:
		return "there are no milestones"
	}
	return ""
}

// milestone is the one under the cursor of the milestones.
func (a *App) milestone() (*model.Milestoning, bool) {
	if a.snap == nil || a.panes.view != viewMilestones {
		return nil, false
	}
	return a.panes.stones.Milestone()
}

// noMilestone says why there is no milestone to change.
func (a *App) noMilestone() string {
	if why := a.noMilestones(); why != "" {
		return why
	}
	m, ok := a.milestone()
	switch {
	case !ok:
		return "no milestone under the cursor"
	case m.Undefined:
		return fmt.Sprintf("%s is in no list of milestones; only tasks name it", text.SafeLine(m.ID))
	}
	return a.whyNot(a.allowed(model.Op{Name: model.EditMilestone, Actor: a.deps.Actor, Args: model.MilestoneEdit{ID: m.ID}}))
}

// onStoneHead reports whether the cursor of the left pane is on a row of the milestones that folds.
func (a *App) onStoneHead() bool {
	return a.snap != nil && !a.panes.right && a.panes.view == viewMilestones && a.panes.stones.OnHead()
}

func (a *App) noMilestonesYet() []string {
	adds := a.deps.Keymap.Label(keymap.MilestoneNew)
	if adds != "" {
		adds += " creates the first one"
	}
	return []string{
		"No milestones yet.", adds,
		a.keyHint(keymap.MilestoneAssign, "puts a task into one"),
	}
}

// milestonesExtra says how many milestones are late.
func (a *App) milestonesExtra() string {
	all, late := a.panes.stones.Counted()
	switch {
	case all == 0:
		return ""
	case late > 0:
		return fmt.Sprintf("%s %s %s late", plural(all, "milestone"), a.st.Glyph.Dot, text.Count(late))
	}
	return plural(all, "milestone")
}

func (a *App) removeMilestone(m *model.Milestoning) tea.Cmd {
	op := model.Op{Name: model.RemoveMilestone, Actor: a.deps.Actor, Args: model.MilestoneEdit{ID: m.ID}}
	ch, err := lifecycle.Apply(a.snap, op)
	if err != nil {
		return a.fail(a.refused(a.title(op.Name), err))
	}
	in := confirmInput{title: a.title(op.Name), summary: capital(ch.Summary) + ".", yes: "Remove", danger: true, bottom: true}
	in.done = func() tea.Cmd { return a.fireEdit(op) }
	return a.openConfirm(in)
}

// placeMilestone moves a milestone by one place.
func (a *App) placeMilestone(m *model.Milestoning, d int) tea.Cmd {
	list := a.snap.MilestoneFile().List
	at := a.snap.MilestoneFile().Index(m.ID)
	to := at + d
	if to < 0 || to >= len(list) {
		return a.remark(map[int]string{-1: "it is the first", 1: "it is the last"}[d])
	}
	before := ""
	switch {
	case d < 0:
		before = list[to].ID
	case to+1 < len(list):
		before = list[to+1].ID
	}
	return a.fireEdit(model.Op{Name: model.EditMilestone, Args: model.MilestoneEdit{ID: m.ID, Before: &before}})
}

// noAssign says why nothing can be put into a milestone.
func (a *App) noAssign() string {
	targets := a.targets()
	if len(targets) == 0 {
		return "no task under the cursor"
	}
	return a.whyNot(a.allowed(model.Op{Name: model.AssignMilestone, UID: targets[0], Actor: a.deps.Actor}))
}

// assignMilestone lets the person choose the milestone for the task under the cursor, or for those
// that are selected.
func (a *App) assignMilestone() tea.Cmd {
	targets := a.targets()
	list := a.snap.Milestones()
	title := fmt.Sprintf("Put %q into%s", a.name(targets[0]), a.st.Glyph.Ellipsis)
	if len(targets) > 1 {
		title = fmt.Sprintf("Put %d tasks into%s", len(targets), a.st.Glyph.Ellipsis)
	}
	current, some := "", false
	var choices []overlay.Choice
	for _, uid := range targets {
		if i, ok := a.snap.Index(uid); ok && a.snap.OwnMilestone(i) != "" {
			current, some = a.snap.OwnMilestone(i), true
		}
	}
	for k := range list {
		m := &list[k]
		if m.Undefined {
			continue
		}
		c := overlay.Choice{ID: m.ID, Title: m.Name, Detail: fmt.Sprintf("%d/%d  %s", m.Done, m.Total, m.ID)}
		if c.Title == "" {
			c.Title = m.ID
		}
		c.Glyph, c.Ink = a.st.Status(milestones.Status(m))
		choices = append(choices, c)
	}
	if len(choices) == 0 && !some {
		return tea.Batch(a.show(viewMilestones), a.remark("no milestone yet; create one first"))
	}
	if some {
		choices = append(choices, overlay.Choice{ID: "\x00", Title: "In no milestone", Detail: "takes it out"})
	}
	if len(targets) > 1 {
		current = ""
	}
	return a.pick(overlay.PickerOptions{
		Title: title, Placeholder: "type a name", Choices: choices, Current: current, Nothing: "No milestone has that name.",
	}, func(id string) tea.Cmd { return a.fireAssign(targets, strings.Trim(id, "\x00")) })
}

func (a *App) fireAssign(targets []model.UID, id string) tea.Cmd {
	p, err := a.propose(model.Op{Name: model.AssignMilestone, Args: model.MilestoneEdit{ID: id}}, targets, nil)
	if errors.Is(err, errNoTask) {
		return nil
	}
	if err != nil {
		return a.fail(a.refused(a.title(model.AssignMilestone), err))
	}
	return a.fire(job{ops: p.ops})
}

// milestoneForm is what the fields of the form for a milestone hold: name, description, start, due.
type milestoneForm [4]string

func (a *App) editMilestone(m *model.Milestoning) tea.Cmd {
	return a.askMilestone(m.ID, "Edit milestone "+m.ID, milestoneForm{m.Name, m.Description, string(m.Start), string(m.Due)})
}

// askMilestone opens the form of a milestone; id is "" for a new one. What was typed is kept until
// the store has it.
func (a *App) askMilestone(id, title string, was milestoneForm) tea.Cmd {
	values := was
	kept, isDraft := a.milestoneForms[id]
	if isDraft {
		values = kept
	}
	var box *overlay.Form
	day := func(s string) error {
		if _, ok := model.ParseDate(s); !ok && strings.TrimSpace(s) != "" {
			return sentence("Write a day like 2026-01-31, or leave it empty.")
		}
		return nil
	}
	fields := make([]overlay.FormField, len(values))
	for i, label := range []string{"Name", "About", "Start", "Due"} {
		fields[i] = overlay.FormField{Label: label, Value: values[i]}
	}
	fields[0].Check = func(s string) error {
		if strings.TrimSpace(s) == "" {
			return sentence("The name cannot be blank.")
		}
		return nil
	}
	fields[2].Note, fields[2].Check = "day", day
	fields[3].Note = "day"
	fields[3].Check = func(s string) error {
		if err := day(s); err != nil {
			return err
		}
		return plainRefusal(a.tryMilestone(milestoneOp(id, was, milestoneForm(box.Values()))))
	}
	box = overlay.NewForm(a.st, overlay.FormOptions{Title: title, Note: a.draftNote("Write days like 2026-01-31. Either may be empty.", isDraft), Fields: fields})
	return a.push(&milestoneBox{window{a: a, box: box, scope: keymap.Form, bottom: true}, box, id, was})
}

// milestoneBox is the form of a milestone.
type milestoneBox struct {
	window
	form *overlay.Form
	id   string // "" for a new one
	was  milestoneForm
}

func (m *milestoneBox) On(out overlay.Outcome) tea.Cmd {
	a, typed := m.a, milestoneForm(m.form.Values())
	delete(a.milestoneForms, m.id)
	op := milestoneOp(m.id, m.was, typed)
	if op.Name == "" {
		return nil
	}
	a.milestoneForms[m.id] = typed
	if _, ok := out.(overlay.Sent); !ok {
		return nil
	}
	if err := a.tryMilestone(op); err != nil {
		return a.fail(a.refused(a.title(op.Name), err))
	}
	op.ID, op.Actor = a.deps.NewID(), a.deps.Actor
	return a.fire(job{ops: []model.Op{op}, milestone: &m.id})
}

// milestoneOp is what a form asks for; without a name where nothing is different.
func milestoneOp(id string, was, typed milestoneForm) model.Op {
	e := &model.MilestoneEdit{ID: id}
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
		return model.Op{Name: model.CreateMilestone, Args: *e}
	}
	return model.Op{Name: model.EditMilestone, Args: *e}
}

// tryMilestone previews an edit of a milestone.
func (a *App) tryMilestone(op model.Op) error {
	if op.Name == "" {
		return nil
	}
	op.Actor = a.deps.Actor
	if err := a.writable(op); err != nil {
		return err
	}
	_, err := lifecycle.Apply(a.snap, op)
	return err
}

// milestoneDone forgets the form that a job was made of, and goes to what it made.
func (a *App) milestoneDone(j *job, ch *model.Change) {
	if j.milestone == nil {
		return
	}
	delete(a.milestoneForms, *j.milestone)
	if *j.milestone == "" && ch != nil && a.panes.view == viewMilestones {
		a.panes.stones.JumpTo(ch.Milestone)
	}
}
