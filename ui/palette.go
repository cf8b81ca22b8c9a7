package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/themes"
	"vespe/ui/announce"
	"vespe/ui/dialog"
	"vespe/ui/find"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/view"
)

// palette lists every action, with why it cannot be done here, and takes what is typed.
type palette struct {
	dialog.Picker
	a *App
}

// openPalette lists every action, with why it cannot be done here.
func (a *App) openPalette() tea.Cmd {
	var entries []overlay.Entry
	here := a.nav.scopes()
	for _, s := range a.deps.Keymap.Specs() {
		h, ok := a.actions[s.Action]
		if s.Hidden || !ok || a.snap == nil && s.Group != "App" {
			continue // without a store there is nothing else to act on
		}
		e := overlay.Entry{ID: string(s.Action), Title: s.Title, Group: s.Group, Help: s.Help, Words: keymap.Words(s.Action), Reason: h.Why()}
		if a.keyIs(here, s) {
			e.Keys = a.deps.Keymap.Label(s.Action)
		}
		if e.Reason == "" && !slices.ContainsFunc(s.Scopes, func(sc keymap.Scope) bool { return slices.Contains(here, sc) }) {
			e.Reason = "only " + s.Scopes[0].Title()
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(x, y overlay.Entry) int { // what can be done to the task comes first
		return cmp.Compare(slices.Index(helpOrder(), x.Group), slices.Index(helpOrder(), y.Group))
	})
	box := overlay.NewPalette(a.st, append(entries, a.findable()...), a.deps.Habits.MostUsed())
	if s := a.snap; s != nil {
		box.Find(func(typed string) []overlay.Entry { return tasksNamed(s, typed) })
	}
	return a.dialogs.Push(&palette{dialog.Picker{Frame: dialog.Frame{Box: box, Scope: keymap.Picker}}, a})
}

func (p *palette) On(out overlay.Outcome) tea.Cmd {
	a := p.a
	if took, ok := out.(overlay.Took); ok {
		return a.typedActions()[keymap.Action(took.ID)].do(took.Text)
	}
	ran, ok := out.(overlay.Ran)
	if !ok {
		return nil
	}
	if uid, isTask := strings.CutPrefix(ran.ID, taskEntry); isTask {
		return a.nav.goTo(model.UID(uid))
	}
	if id, isSetting := strings.CutPrefix(ran.ID, settingEntry); isSetting {
		for _, s := range a.settings() {
			if s.id() == id {
				s.set()
				a.restyle(a.st.Theme)
				return a.remark("This lasts until you leave. To keep it, write " + s.id() + " into config.toml")
			}
		}
	}
	if name, isTheme := strings.CutPrefix(ran.ID, themeEntry); isTheme {
		if k := slices.IndexFunc(a.deps.Themes, func(t themes.Theme) bool { return t.Name == name }); k >= 0 {
			a.restyle(a.deps.Themes[k])
		}
		return nil
	}
	a.deps.Habits.Uses(keymap.Action(ran.ID))
	return a.run(keymap.Action(ran.ID))
}

// What begins the ids of entries of the palette that are no actions.
const (
	taskEntry    = "task "
	themeEntry   = "theme "
	settingEntry = "setting "
)

// setting is a value that a setting of config.toml can have.
type setting struct {
	name, value string // as the file has them
	help        string
	set         func()
}

func (s setting) id() string { return s.name + " = " + s.value }

// settings are those that work at once.
func (a *App) settings() []setting {
	mouse := func(on bool) func() { return func() { a.deps.Mouse = on } }
	dark := func(on bool) func() { return func() { a.can.Dark, a.deps.Dark = on, &on } }
	way := func(w announce.Way) func() { return func() { a.loader.announcer.Way = w } }
	return []setting{
		{"mouse", "true", "Let the mouse click and scroll here.", mouse(true)},
		{"mouse", "false", "Leave the mouse to the terminal, which can then select text.", mouse(false)},
		{"background", `"dark"`, "Use the theme's colors for a dark background.", dark(true)},
		{"background", `"light"`, "Use the theme's colors for a light background.", dark(false)},
		{"notify", `"off"`, "Don't tell of new items in the inbox.", way("off")},
		{"notify", `"bell"`, "Ring the bell for new items in the inbox.", way("bell")},
		{"notify", `"osc9"`, "Show a desktop notification for new items in the inbox.", way("osc9")},
	}
}

// typedAction is an action on what was typed in the palette.
type typedAction struct {
	title string
	do    func(typed string) tea.Cmd
}

func (a *App) typedActions() map[keymap.Action]typedAction {
	return map[keymap.Action]typedAction{
		keymap.FilterStart: {"filter by", func(typed string) tea.Cmd {
			if err := a.nav.find.Apply(typed); err != nil {
				return a.fail(view.Notice{Text: "Can't filter", Why: find.Refused(err)})
			}
			return a.nav.onMoved()
		}},
		keymap.FindTexts: {"find in texts", a.nav.find.OpenTexts},
		keymap.New: {"new task", func(typed string) tea.Cmd {
			var parent model.UID
			if t, ok := a.current(); ok {
				parent = t.Config.ParentUID
			}
			op := named(a.createOp("", parent), typed)
			op.ID = a.deps.NewID()
			return a.fire(job{ops: []model.Op{op}, select_: true})
		}},
	}
}

// mostFound is how many tasks the palette lists: a few more letters leave fewer.
const mostFound = 50

// tasksNamed are entries of the palette for the tasks whose names have every word of a text.
func tasksNamed(s *snapshot.Snapshot, typed string) (out []overlay.Entry) {
	words := strings.Fields(strings.ToLower(typed))
	for i := 0; i < s.Len() && len(out) < mostFound; i++ {
		name := strings.ToLower(s.Name(i))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(name, w) }) {
			out = append(out, overlay.Entry{ID: taskEntry + string(s.UID(i)), Title: s.Name(i), Group: "task", Help: "Go to this task."})
		}
	}
	return out
}

// findable are further entries of the palette: the themes, the settings, and the actions on what is typed.
func (a *App) findable() (out []overlay.Entry) {
	if a.snap == nil {
		return nil
	}
	for _, t := range a.deps.Themes {
		out = append(out, overlay.Entry{ID: themeEntry + t.Name, Title: "theme " + t.Name, Help: "Use this theme.", Found: true})
	}
	for _, s := range a.settings() {
		out = append(out, overlay.Entry{ID: settingEntry + s.id(), Title: s.id(), Group: "setting", Help: s.help, Words: "settings preferences options", Found: true})
	}
	for _, action := range []keymap.Action{keymap.FindTexts, keymap.FilterStart, keymap.New} {
		with := a.typedActions()[action]
		out = append(out, overlay.Entry{ID: string(action), Title: with.title, Help: "Uses what you typed.", Takes: true, Reason: a.actions[action].Why()})
	}
	return out
}

// restyle draws everything in a theme.
func (a *App) restyle(t themes.Theme) {
	a.st = style.New(t, a.can)
	a.panes.SetStyles(a.st)
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
		case overlay.Canceled:
			a.restyle(before)
		}
		return nil
	}})
}
