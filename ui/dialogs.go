package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/view"
)

// openConfirm asks a question. While nobody knows which approvals are valid, none can be given.
func (c *core) openConfirm(in dialog.Ask) tea.Cmd {
	q := c.proposer().Question(in)
	return c.dialogs.Push(&q)
}

// openPrompt asks for a line.
func (c *core) openPrompt(in dialog.Line) tea.Cmd {
	if check := in.Check; check != nil {
		in.Check = func(typed string) error {
			if err := check(typed); err != nil {
				return view.Refusal("", err).Sentence()
			}
			return nil
		}
	}
	return c.dialogs.Push(dialog.NewPrompt(c.st, in))
}

// pick lets the person take a row; then continues with its id.
func (c *core) pick(o overlay.PickerOptions, then func(id string) tea.Cmd) tea.Cmd {
	return c.dialogs.Push(dialog.NewPicker(c.st, o, then))
}

// pickTask lets the person choose a task.
func (c *core) pickTask(title string, uids []model.UID, then func(model.UID) tea.Cmd) tea.Cmd {
	choices := make([]overlay.Choice, 0, len(uids))
	for _, uid := range uids {
		row := overlay.Choice{ID: string(uid), Title: c.name(uid), Detail: uid.Short()}
		if i, ok := c.snap.Index(uid); ok {
			row.Glyph, row.Ink = c.st.Status(c.snap.Status(i))
			row.Detail = c.snap.StatusWord(i) + "  " + row.Detail
		}
		choices = append(choices, row)
	}
	return c.pick(overlay.PickerOptions{
		Title: title, Placeholder: "type a name", Choices: choices, Nothing: "No task has that name.",
	}, func(id string) tea.Cmd { return then(model.UID(id)) })
}

// chooseFrom lists parts of what a sheet accepts, to leave some out. then opens the sheet for what was
// chosen in the place of the one that was there; it accepts the bytes of that one.
func (c *core) chooseFrom(title string, of *dialog.Question, parts []overlay.Check, left []string, then func(out []string) tea.Cmd) tea.Cmd {
	list := dialog.NewChecklist(c.st, of, overlay.ChecklistOptions{Title: title, Rows: parts, Out: left}, func(out []string) tea.Cmd {
		if slices.Equal(out, left) {
			return nil
		}
		return then(out)
	})
	return c.dialogs.Push(&list)
}
