package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/verdict"
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
	over, own := a.dialogs.Top(), a.ownScope()
	first := overlay.Section{Title: capital(own.Title()), Here: true}
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

// statusMeans says what a status is, in a sentence.
func statusMeans(st model.Status) string {
	switch st {
	case model.StatusProblem:
		return "Can't read a file of the task. Its overview shows which."
	case model.StatusAborted:
		return "A person ended it."
	case model.StatusFailed:
		return "Ended by a permanent error."
	case model.StatusError:
		return "The work ran into an error; it can be retried."
	case model.StatusChanged:
		return "Changed since it was accepted."
	case model.StatusWaiting:
		return "Paused until a person answers."
	case model.StatusPaused:
		return "Paused until someone resumes it."
	case model.StatusSubtasks:
		return "Waits until its subtasks have ended."
	case model.StatusDone:
		return "Finished, and accepted if a review was required."
	case model.StatusReviewPlan:
		return "A plan waits for a person's verdict."
	case model.StatusReviewWork:
		return "Finished work waits for a person's verdict."
	case model.StatusBlocked:
		return "Accepted, and waits for a task that it depends on."
	case model.StatusRunning:
		return "A worker is running."
	case model.StatusReady:
		return "Accepted, and can be started."
	case model.StatusReplan:
		return "Sent back; it needs a new plan."
	case model.StatusPlanning:
		return "It has an objective and needs a plan."
	case model.StatusCreated:
		return "It needs an objective."
	}
	return ""
}

// legend explains the signs of the screen.
func (a *App) legend() overlay.Section {
	st := a.st
	sec := overlay.Section{Title: "Symbols"}
	add := func(ink style.Ink, sign, title, help string) {
		sec.Rows = append(sec.Rows, overlay.HelpRow{Keys: sign, Title: title, Help: help, Ink: ink})
	}
	for _, status := range model.Statuses() {
		glyph, ink := st.Status(status)
		add(ink, glyph, status.Label(), statusMeans(status))
	}
	g := &st.Glyph
	blocked, blockedInk := st.Status(model.StatusBlocked)
	add(st.Bad, "!!", "critical", "The priority of a task, left of its status.")
	add(st.Warn, "!", "high", "The priority of a task, left of its status.")
	add(st.Faint, g.Down, "low", "The priority of a task, left of its status.")
	add(st.Faint, "3/8", "leaf tasks", "How many of the leaf tasks below are done.")
	add(blockedInk, blocked+"2", "folded", "How many tasks below a folded one have that status, worst first.")
	add(st.Warn, g.Warning, "warning", "The task has a problem. Its overview shows it.")
	add(st.Muted, g.Folded+" "+g.Unfolded, "subtasks", "Folded and unfolded.")
	add(st.Marker, g.Selected, "selected", "Verdicts apply to the whole selection.")
	add(st.Info, g.Arrow+"4", "in the inbox", "How many unfinished tasks wait for it.")
	for _, c := range []struct {
		ink         style.Ink
		title, help string
	}{
		{st.Bad, "blocking comment", "Beside its lines: it blocks the plan until it is resolved."},
		{st.Warn, "open comment", "Beside its lines: open, or the answer declined it."},
		{st.Good, "answered comment", "Beside its lines: answered, waits for you to resolve it."},
		{st.Violet, "draft", "Your comment, not sent."},
	} {
		add(c.ink, verdict.CommentBar(a.st), c.title, c.help)
	}
	for _, s := range detail.ChangeSigns(st) {
		add(s.Ink, s.Sign, s.Title, s.Help)
	}
	for _, who := range []struct {
		actor       model.Actor
		title, help string
	}{
		{"human:ann", "a person", "In the history: by a person."},
		{"agent:claude", "an agent", "In the history: by an agent."},
		{"mcp_client:editor", "a client", "In the history: by an MCP client."},
		{"system:vespe", "vespe", "In the history: automatic."},
	} {
		sign, ink := a.panes.detail.ActorSign(who.actor)
		add(ink, sign, who.title, who.help)
	}
	return sec
}
