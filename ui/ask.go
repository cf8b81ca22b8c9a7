package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/themes"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/text"
)

func safeLine(s string) string { return text.SafeLine(s) }

// confirmInput is a question with a yes and a no. The no has the focus.
type confirmInput struct {
	title, summary, yes string
	notes               []string
	affected            []overlay.Affected
	danger              bool
	sure                bool // its yes is ConfirmSure
	bottom              bool
	about               model.UID // whose plan it accepts
	work                bool      // or whose finished work
	plans               []*sheet  // or, when there are several, all of them
	objective           *model.Content
	withNotes           func(*App) tea.Cmd
	parts               func(*App, *dialog) tea.Cmd
	others              func(*App, keymap.Action) tea.Cmd
	replaces            *dialog // the sheet in whose place it comes
	details             []overlay.Affected
	accepts             bool // its yes is an approval
	quits               bool // its yes ends the program
	done                func(*App) tea.Cmd
}

func (a *App) openConfirm(in confirmInput) tea.Cmd {
	unruled := a.unruled()
	if in.accepts && unruled != nil {
		in.notes = append([]string{"You can't accept anything, because vespe can't tell which approvals are valid: " + unruled.Error()}, in.notes...)
	}
	box := overlay.NewConfirm(a.st, overlay.ConfirmOptions{
		Title: in.title, Summary: in.summary, Warnings: in.notes, Affected: in.affected,
		Yes: in.yes, No: "Cancel", Dangerous: in.danger, Details: in.details,
		YesLabel: a.deps.Keymap.Label(yesOf(in.sure)), NoLabel: a.deps.Keymap.Label(keymap.ConfirmNo),
	})
	d := &dialog{
		box: box, scope: keymap.Confirm, about: in.about, work: in.work, plans: in.plans, objective: in.objective, withNotes: in.withNotes, parts: in.parts,
		question: question{quits: in.quits, details: len(in.details) > 0, sure: in.sure}, others: in.others, on: func(a *App, out overlay.Outcome) tea.Cmd {
			if _, ok := out.(overlay.Confirmed); ok {
				return in.done(a)
			}
			return nil
		},
	}
	if in.accepts && unruled != nil {
		box.Void()
	}
	if in.bottom {
		d.place = atBottom
	}
	if was := in.replaces; was != nil {
		for _, says := range was.changed {
			d.outdated(says)
		}
		a.drop(was)
	}
	return a.push(d)
}

// yesOf is the action that says yes to a question.
func yesOf(sure bool) keymap.Action {
	if sure {
		return keymap.ConfirmSure
	}
	return keymap.ConfirmYes
}

// outdated says in a sheet that what stands there can no longer be accepted.
func (d *dialog) outdated(says string) {
	if box, ok := d.box.(*overlay.Confirm); ok {
		box.Warn(says)
		box.Void()
		d.changed = append(d.changed, says)
	}
}

// promptInput is a line to be typed: a reason, a name.
type promptInput struct {
	title, summary, label, help, value string
	notes                              []string
	required                           bool
	check                              func(*App, string) error
	done                               func(*App, string) tea.Cmd
}

func (a *App) openPrompt(in promptInput) tea.Cmd {
	note := strings.Join(append([]string{in.summary}, in.notes...), "\n")
	placeholder := in.help
	if placeholder == "" && !in.required {
		placeholder = "optional"
	}
	box := overlay.NewPrompt(a.st, overlay.PromptOptions{
		Title: in.title, Label: capital(in.label), Value: in.value, Placeholder: placeholder, Note: note,
		Check: func(typed string) error {
			if in.required && strings.TrimSpace(typed) == "" {
				return sentence("The " + in.label + " cannot be blank.")
			}
			if in.check != nil {
				return plainRefusal(in.check(a, strings.TrimSpace(typed)))
			}
			return nil
		},
	})
	return a.push(&dialog{box: box, scope: keymap.Prompt, on: func(a *App, out overlay.Outcome) tea.Cmd {
		if sent, ok := out.(overlay.Sent); ok {
			return in.done(a, strings.TrimSpace(sent.Text))
		}
		return nil
	}})
}

// plainRefusal says a refusal as a sentence beneath a line of text.
func plainRefusal(err error) error {
	if err == nil {
		return nil
	}
	n := refusalNotice("", err)
	return sentence(capital(joinHints(n.why, n.hint)) + ".")
}

type sentence string

func (s sentence) Error() string { return string(s) }

// pickTask lets the person choose a task.
func (a *App) pickTask(title string, uids []model.UID, then func(*App, model.UID) tea.Cmd) tea.Cmd {
	choices := make([]overlay.Choice, 0, len(uids))
	for _, uid := range uids {
		c := overlay.Choice{ID: string(uid), Title: a.name(uid), Detail: uid.Short()}
		if i, ok := a.snap.Index(uid); ok {
			c.Glyph, c.Ink = a.st.Status(a.snap.Status(i))
			c.Detail = a.snap.StatusWord(i) + "  " + c.Detail
		}
		choices = append(choices, c)
	}
	box := overlay.NewPicker(a.st, overlay.PickerOptions{
		Title: title, Placeholder: "type a name", Choices: choices, Nothing: "No task has that name.",
	})
	return a.push(&dialog{box: box, scope: keymap.Picker, on: func(a *App, out overlay.Outcome) tea.Cmd {
		if p, ok := out.(overlay.Picked); ok {
			return then(a, model.UID(p.ID))
		}
		return nil
	}})
}

// themeKept says how to keep a theme.
func themeKept(name string) string {
	return fmt.Sprintf("until you leave; to keep it, write theme = %q into config.toml", name)
}

// restyle draws everything in a theme.
func (a *App) restyle(t themes.Theme) {
	a.st = style.New(t, a.can)
	a.panes.setStyles(a.st)
	a.sayLoop() // its lines have their colors with them
	a.dimmed = nil
	for _, d := range a.dialogs {
		d.box.SetStyles(a.st)
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
	return a.push(&dialog{box: box, scope: keymap.Picker, place: atBottom, on: func(a *App, out overlay.Outcome) tea.Cmd {
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

// openPalette lists every action, with why it cannot be done here.
func (a *App) openPalette() tea.Cmd {
	var entries []overlay.Entry
	here := a.scopes()
	for _, s := range a.deps.Keymap.Specs() {
		h, ok := a.actions[s.Action]
		if s.Hidden || !ok || a.snap == nil && s.Group != "App" {
			continue // without a store there is nothing else to act on
		}
		e := overlay.Entry{ID: string(s.Action), Title: s.Title, Group: s.Group, Help: s.Help, Words: keymap.Words(s.Action), Reason: h.off(a)}
		if a.keyIs(here, s) {
			e.Keys = a.deps.Keymap.Label(s.Action)
		}
		if e.Reason == "" && !reachable(s, here) {
			e.Reason = "it works " + s.Scopes[0].Title()
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(x, y overlay.Entry) int { // what can be done to the task comes first
		return cmp.Compare(slices.Index(helpOrder(), x.Group), slices.Index(helpOrder(), y.Group))
	})
	box := overlay.NewPalette(a.st, append(entries, a.findable()...), a.recent)
	if s := a.snap; s != nil {
		box.Find(func(typed string) []overlay.Entry { return tasksNamed(s, typed) })
	}
	return a.push(&dialog{box: box, scope: keymap.Picker, on: func(a *App, out overlay.Outcome) tea.Cmd {
		if took, ok := out.(overlay.Took); ok {
			return typedActions()[keymap.Action(took.ID)].do(a, took.Text)
		}
		ran, ok := out.(overlay.Ran)
		if !ok {
			return nil
		}
		if uid, isTask := strings.CutPrefix(ran.ID, taskEntry); isTask {
			return a.goTo(model.UID(uid))
		}
		if name, isTheme := strings.CutPrefix(ran.ID, themeEntry); isTheme {
			if k := slices.IndexFunc(a.deps.Themes, func(t themes.Theme) bool { return t.Name == name }); k >= 0 {
				a.restyle(a.deps.Themes[k])
			}
			return a.remark(themeKept(name))
		}
		a.recent = append([]string{ran.ID}, without(a.recent, ran.ID)...)
		a.recent = a.recent[:min(len(a.recent), keptRecent)]
		return a.run(keymap.Action(ran.ID))
	}})
}

// What begins the ids of entries of the palette that are no actions.
const (
	taskEntry  = "task "
	themeEntry = "theme "
)

// typedAction is an action on what was typed in the palette.
type typedAction struct {
	title string
	do    func(*App, string) tea.Cmd
}

func typedActions() map[keymap.Action]typedAction {
	return map[keymap.Action]typedAction{
		keymap.FilterStart: {"filter by", func(a *App, typed string) tea.Cmd {
			if err := a.applyFilter(typed); err != nil {
				return a.fail(notice{text: "Can't filter", why: filterError(err)})
			}
			return a.onMoved()
		}},
		keymap.FindTexts: {"find in texts", (*App).openFinder},
		keymap.New: {"new task", func(a *App, typed string) tea.Cmd {
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
func tasksNamed(s *model.Snapshot, typed string) (out []overlay.Entry) {
	words := strings.Fields(strings.ToLower(typed))
	for i := 0; i < s.Len() && len(out) < mostFound; i++ {
		name := strings.ToLower(s.Name(i))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(name, w) }) {
			out = append(out, overlay.Entry{ID: taskEntry + string(s.UID(i)), Title: s.Name(i), Group: "task", Help: "Go to this task."})
		}
	}
	return out
}

// findable are further entries of the palette: the themes, and the actions on what is typed.
func (a *App) findable() (out []overlay.Entry) {
	if a.snap == nil {
		return nil
	}
	for _, t := range a.deps.Themes {
		out = append(out, overlay.Entry{ID: themeEntry + t.Name, Title: "theme " + t.Name, Help: "Use this theme.", Found: true})
	}
	for _, action := range []keymap.Action{keymap.FindTexts, keymap.FilterStart, keymap.New} {
		with := typedActions()[action]
		out = append(out, overlay.Entry{ID: string(action), Title: with.title, Help: "Uses what you typed.", Takes: true, Reason: a.actions[action].off(a)})
	}
	return out
}

// keptRecent is how many actions the palette remembers.
const keptRecent = 5

func without(list []string, drop ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(o string) bool { return slices.Contains(drop, o) })
}

// reachable reports whether one of an action's scopes is active.
func reachable(s keymap.Spec, here []keymap.Scope) bool {
	for _, sc := range s.Scopes {
		for _, h := range here {
			if sc == h {
				return true
			}
		}
	}
	return false
}

// openHelp lists the keys: those that work here first.
func (a *App) openHelp() tea.Cmd {
	known := map[keymap.Action]bool{}
	byGroup := map[string][]overlay.HelpRow{}
	over, own := a.top(), a.ownScope()
	first := overlay.Section{Title: capital(own.Title()), Here: true}
	for _, s := range a.deps.Keymap.In(a.scopes()) {
		if over != nil && a.lacks(over, s.Action) {
			continue
		}
		known[s.Action] = true
		if s.Keyed != nil && !a.keyIs(a.scopes(), s) {
			s.Keys = nil // it has its key in another view
		}
		if own != "" && s.Group != "App" && slices.Contains(s.Scopes, own) {
			first.Rows = append(first.Rows, helpRow(s))
			continue
		}
		byGroup[s.Group] = append(byGroup[s.Group], helpRow(s))
	}
	var sections []overlay.Section
	if here := helpHere(a); over == nil && len(here) > 0 {
		sections = append(sections, overlay.Section{Title: "Here you can", Here: true, Rows: here})
	}
	if len(first.Rows) > 0 {
		sections = append(sections, first)
	}
	for _, g := range helpOrder() {
		if rows := byGroup[g]; len(rows) > 0 {
			sections = append(sections, overlay.Section{Title: g, Here: true, Rows: rows})
		}
	}
	elsewhere := keymap.Scopes()
	if over != nil { // who asks in an overlay asks about it
		elsewhere = nil
	} else {
		sections = append(sections, a.legend())
	}
	for _, sc := range elsewhere {
		sec := overlay.Section{Title: sc.Title()}
		for _, s := range a.deps.Keymap.In([]keymap.Scope{sc}) {
			if !known[s.Action] {
				sec.Rows = append(sec.Rows, helpRow(s))
			}
		}
		if len(sec.Rows) > 0 {
			sections = append(sections, sec)
		}
	}
	return a.push(&dialog{box: overlay.NewHelp(a.st, sections), scope: keymap.Picker, on: nothing, reads: true})
}

// mostHere is how many keys the help begins with.
const mostHere = 10

// helpHere are the keys that the selected item waits for, and what else can be done most here: those of the last row.
func helpHere(a *App) (rows []overlay.HelpRow) {
	for _, h := range a.hints() {
		s, ok := a.deps.Keymap.Spec(h.action)
		if len(s.Keys) == 0 { // it stands for the numbers of all views
			s, ok = a.deps.Keymap.Spec(keymap.ViewNumber)
		}
		if ok && len(rows) < mostHere {
			rows = append(rows, overlay.HelpRow{Keys: h.Key, Title: h.Title, Help: s.Help})
		}
	}
	return rows
}

// ownScope is that of the view or the overlay with the keys, whose own keys the help lists first; "" where
// what decides about tasks comes before.
func (a *App) ownScope() keymap.Scope {
	if d := a.top(); d != nil {
		return d.scope
	}
	switch sc := a.panes.scope(); sc {
	case keymap.Tree, keymap.Inbox, keymap.Detail:
		return ""
	default:
		return sc
	}
}

// helpOrder are the groups of the keymap, what decides about tasks before what moves.
func helpOrder() []string {
	return append([]string{"Review", "Lifecycle", "Create"}, without(keymap.Groups(), "Review", "Lifecycle", "Create")...)
}

func helpRow(s keymap.Spec) overlay.HelpRow {
	labels := make([]string, len(s.Keys))
	for i, k := range s.Keys {
		labels[i] = keymap.KeyLabel(k)
	}
	return overlay.HelpRow{Keys: strings.Join(labels, "  "), Title: s.Title, Help: s.Help}
}
