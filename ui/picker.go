package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/themes"
	"vespe/ui/overlay"
	"vespe/ui/style"
)

// picker is a list of which a person takes a row.
type picker struct {
	window
	on func(overlay.Outcome) tea.Cmd
}

// Can leaves out what only the list of found texts has.
func (p *picker) Can(action keymap.Action) can   { return can{no: action == keymap.PickerPlace} }
func (p *picker) On(out overlay.Outcome) tea.Cmd { return p.on(out) }

// pick lets the person take a row; then continues with its id.
func (a *App) pick(o overlay.PickerOptions, then func(id string) tea.Cmd) tea.Cmd {
	return a.push(&picker{window{a: a, box: overlay.NewPicker(a.st, o), scope: keymap.Picker}, func(out overlay.Outcome) tea.Cmd {
		if p, ok := out.(overlay.Picked); ok {
			return then(p.ID)
		}
		return nil
	}})
}

// choose lets the person take one of a few.
func (a *App) choose(title string, choices []overlay.Choice, then func(string) tea.Cmd) tea.Cmd {
	return a.pick(overlay.PickerOptions{Title: title, Placeholder: "type to search", Choices: choices}, then)
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

// themeKept says how to keep a theme.
func themeKept(name string) string {
	return fmt.Sprintf("until you leave; to keep it, write theme = %q into config.toml", name)
}

// restyle draws everything in a theme.
func (a *App) restyle(t themes.Theme) {
	a.st = style.New(t, a.can)
	a.panes.setStyles(a.st)
	a.dialogs.faint = nil
	for _, d := range a.dialogs.list {
		d.Window().box.SetStyles(a.st)
	}
}

// pickTheme lets the person choose a theme; each is shown as the cursor goes.
func (a *App) pickTheme() tea.Cmd {
	byName := map[string]themes.Theme{}
	var choices []overlay.Choice
	for _, t := range a.deps.Themes {
		byName[t.Name] = t
		choices = append(choices, overlay.Choice{ID: t.Name, Title: t.Name, Detail: t.Title})
	}
	before := a.st.Theme
	box := overlay.NewPicker(a.st, overlay.PickerOptions{Title: "Theme", Choices: choices, Current: before.Name})
	return a.push(&picker{window{a: a, box: box, scope: keymap.Picker, bottom: true}, func(out overlay.Outcome) tea.Cmd {
		switch out := out.(type) {
		case overlay.Previewed:
			if t, ok := byName[out.ID]; ok {
				a.restyle(t)
			}
		case overlay.Picked:
			a.restyle(byName[out.ID])
			if out.ID != before.Name {
				return a.remark(themeKept(out.ID))
			}
		case overlay.Cancelled:
			a.restyle(before)
		}
		return nil
	}})
}
