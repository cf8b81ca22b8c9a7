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
func (a *App) openConfirm(in dialog.Ask) tea.Cmd {
	q := a.proposer().Question(in)
	return a.dialogs.Push(&q)
}

// openPrompt asks for a line.
func (a *App) openPrompt(in dialog.Line) tea.Cmd {
	if check := in.Check; check != nil {
		in.Check = func(typed string) error {
			if err := check(typed); err != nil {
				return view.Refusal("", err).Sentence()
			}
			return nil
		}
	}
	return a.dialogs.Push(dialog.NewPrompt(a.st, in))
}

// pick lets the person take a row; then continues with its id.
func (a *App) pick(o overlay.PickerOptions, then func(id string) tea.Cmd) tea.Cmd {
	return a.dialogs.Push(dialog.NewPicker(a.st, o, then))
}

// pickTask lets the person choose a task.
func (a *App) pickTask(title string, uids []model.UID, then func(model.UID) tea.Cmd) tea.Cmd {
	choices := make([]overlay.Choice, 0, len(uids))
	for _, uid := range uids {
		c := overlay.Choice{ID: string(uid), Title: a.name(uid), Detail: uid.Short()}
		if i, ok := a.snap.Index(uid); ok {
			c.Glyph, c.Ink = a.st.Status(a.snap.Status(i))
			c.Detail = a.snap.StatusWord(i) + "  " + c.Detail
		}
		choices = append(choices, c)
	}
	return a.pick(overlay.PickerOptions{
		Title: title, Placeholder: "type a name", Choices: choices, Nothing: "No task has that name.",
	}, func(id string) tea.Cmd { return then(model.UID(id)) })
}

// chooseFrom lists parts of what a sheet accepts, to leave some out. then opens the sheet for what was
// chosen in the place of the one that was there; it accepts the bytes of that one.
func (a *App) chooseFrom(title string, of *dialog.Question, parts []overlay.Check, left []string, then func(out []string) tea.Cmd) tea.Cmd {
	list := dialog.NewChecklist(a.st, of, overlay.ChecklistOptions{Title: title, Rows: parts, Out: left}, func(out []string) tea.Cmd {
		if slices.Equal(out, left) {
			return nil
		}
		return then(out)
	})
	return a.dialogs.Push(&list)
}
