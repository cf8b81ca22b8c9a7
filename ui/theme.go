package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/themes"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/style"
)

// themeKept says how to keep a theme.
func themeKept(name string) string {
	return fmt.Sprintf("until you leave; to keep it, write theme = %q into config.toml", name)
}

// restyle draws everything in a theme.
func (a *App) restyle(t themes.Theme) {
	a.st = style.New(t, a.can)
	a.panes.setStyles(a.st)
	a.dialogs.SetStyles(a.st)
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
	return a.dialogs.Push(&dialog.Picker{Frame: dialog.Frame{Box: box, Scope: keymap.Picker, Bottom: true}, Did: func(out overlay.Outcome) tea.Cmd {
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
