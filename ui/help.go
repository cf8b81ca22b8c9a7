package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/dialog"
	"vespe/ui/legend"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// help lists the keys.
type help struct{ dialog.Frame }

// Can closes it: there is nothing to choose.
func (h *help) Can(action keymap.Action) dialog.Can {
	switch action {
	case keymap.PickerChoose, keymap.PickerPlace:
		return dialog.Can{No: true}
	case keymap.PickerCancel:
		return dialog.Can{Title: "close"}
	}
	return dialog.Can{}
}

// openHelp lists the keys: those that work here first.
func (a *App) openHelp() tea.Cmd {
	known := map[keymap.Action]bool{}
	byGroup := map[string][]overlay.HelpRow{}
	over, own := a.dialogs.Top(), a.ownScope()
	first := overlay.Section{Title: text.Capital(own.Title()), Here: true}
	for _, s := range a.deps.Keymap.In(a.nav.scopes()) {
		if over != nil && over.Can(s.Action).No {
			continue
		}
		known[s.Action] = true
		if s.Keyed != nil && !a.keyIs(a.nav.scopes(), s) {
			s.Keys = nil // it has its key in another view
		}
		if own != "" && s.Group != "App" && slices.Contains(s.Scopes, own) {
			first.Rows = append(first.Rows, helpRow(s))
			continue
		}
		byGroup[s.Group] = append(byGroup[s.Group], helpRow(s))
	}
	var sections []overlay.Section
	if here := helpHere(a.frame); over == nil && len(here) > 0 {
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
		sections = append(sections, legend.Of(a.st, a.panes.Detail.ActorSign))
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
	return a.dialogs.Push(&help{dialog.Frame{Box: overlay.NewHelp(a.st, sections), Scope: keymap.Picker}})
}

// mostHere is how many keys the help begins with.
const mostHere = 10

// helpHere are the keys that the selected item waits for, and what else can be done most here: those of the last row.
func helpHere(f *frame) (rows []overlay.HelpRow) {
	for _, h := range f.hints() {
		s, ok := f.deps.Keymap.Spec(h.action)
		if len(s.Keys) == 0 { // it stands for the numbers of all views
			s, ok = f.deps.Keymap.Spec(keymap.ViewNumber)
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
	if d := a.dialogs.Top(); d != nil {
		return d.Window().Scope
	}
	switch sc := a.panes.Scope(); sc {
	case keymap.Tree, keymap.Inbox, keymap.Detail:
		return ""
	default:
		return sc
	}
}

// helpOrder are the groups of the keymap, what decides about tasks before what moves.
func helpOrder() []string {
	return append([]string{"Review", "Lifecycle", "Create"}, slices.DeleteFunc(keymap.Groups(), func(g string) bool { return g == "Review" || g == "Lifecycle" || g == "Create" })...)
}

func helpRow(s keymap.Spec) overlay.HelpRow {
	labels := make([]string, len(s.Keys))
	for i, k := range s.Keys {
		labels[i] = keymap.KeyLabel(k)
	}
	return overlay.HelpRow{Keys: strings.Join(labels, "  "), Title: s.Title, Help: s.Help}
}
