package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/dialog"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// scopes are those in which keys are looked up now, inner first.
func (n *navigator) scopes() []keymap.Scope {
	if d := n.dialogs.Top(); d != nil {
		return keymap.ChainFor(d.Window().Scope)
	}
	chain := keymap.ChainFor(n.panes.Scope())
	if n.find.Stepping() {
		chain = append([]keymap.Scope{keymap.Matches}, chain...)
	}
	return chain
}

// onKey takes one key: through the keymap to an action, or as text to what takes text.
func (a *App) onKey(m tea.KeyPressMsg) tea.Cmd {
	before, now := len(a.chord), a.deps.Now()
	a.panes.Rested, a.panes.KeyAt = now.Sub(a.panes.KeyAt) >= dialog.QuietTime, now
	if yes, _ := a.deps.Keymap.Spec(keymap.ConfirmYes); a.awaited.on && a.awaited.asks && slices.Contains(yes.Keys, m.String()) {
		return a.remark("The question is still opening: press " + m.String() + " when you have read it")
	}
	cmd := tea.Batch(a.withdraw(), a.pressed(m))
	if len(a.chord) != before { // how it may continue takes rows
		a.relayout()
	}
	return cmd
}

func (a *App) pressed(m tea.KeyPressMsg) tea.Cmd {
	if a.screen.Layout.TooSmall {
		return a.tinyKey(m)
	}
	scopes := a.nav.scopes()
	key := m.String()
	action, continues, ok := a.deps.Keymap.Resolve(scopes, a.chord, key)
	if action == keymap.RequestChoose && a.dialogs.Top() == nil && !a.requests.Offers() {
		action, continues, ok = a.deps.Keymap.Resolve(scopes[1:], a.chord, key)
	}
	a.lastKey = key
	if d := a.dialogs.Top(); d != nil && d.Window().Quits && a.quitsAgain(key) {
		action, ok = keymap.ConfirmYes, true
	}
	if d := a.dialogs.Top(); d != nil && d.Window().Waits() && !dialog.Leaves(m, action) {
		return a.dialogs.Hold(d)
	}
	switch {
	case continues:
		a.chord = append(a.chord, key)
		return nil
	case ok:
		a.chord = nil
		return a.act(action)
	case len(a.chord) > 0: // a chord that leads nowhere is forgotten, key and all
		a.chord = nil
		return nil
	}
	d := a.dialogs.Top()
	switch {
	case d != nil && key == interrupt: // it leaves even if a person bound quit to another key
		return a.dialogs.Settle(d, d.Window().Box.HandleKey(tea.KeyPressMsg{Code: tea.KeyEscape}))
	case d != nil && d.Window().IsTyped():
		return a.dialogs.Settle(d, d.Window().Box.HandleKey(m))
	case key == interrupt:
		return a.quit()
	}
	return a.dead(key)
}

// dead says why a key does nothing here, also below a dialog.
func (c *core) dead(key string) tea.Cmd {
	label := text.SafeLine(keymap.KeyLabel(key))
	means, where := c.deps.Keymap.Means(key), ""
	if uid := c.selected(); uid != "" && c.dialogs.Top() == nil && !c.panes.Right {
		where = ", on " + c.proposer().Named(uid)
	}
	says := "The key " + label + " does nothing here" + where + ". Elsewhere: " + means
	if means == "" {
		says = "No action has the key " + label + c.orKey(keymap.Help, "shows the keys")
	}
	return c.note(view.Notice{Text: says, Always: true})
}

// quitsAgain reports whether a key is one of those that quit: pressed again in the question of whether to, it is a yes.
func (a *App) quitsAgain(key string) bool {
	action, _, _ := a.deps.Keymap.Resolve([]keymap.Scope{keymap.Global}, nil, key)
	return action == keymap.Quit
}

// tinyKey leaves only the ways out while the screen is too small to show anything.
func (a *App) tinyKey(m tea.KeyPressMsg) tea.Cmd {
	if m.String() == interrupt {
		return tea.Quit
	}
	action, _, _ := a.deps.Keymap.Resolve([]keymap.Scope{keymap.Global}, nil, m.String())
	switch action {
	case keymap.Quit:
		if a.dialogs.Top() != nil || a.nav.find.Searching() {
			return nil // it may be a letter of what is being typed
		}
		return a.leave()
	case keymap.Suspend:
		return a.run(action)
	}
	return nil
}

// act does an action where it belongs: in the overlay on top, in the search line, or here.
func (c *core) act(action keymap.Action) tea.Cmd {
	if d := c.dialogs.Top(); d != nil && action != keymap.Help && action != keymap.Suspend {
		_, asked := c.requests.Shown() // which says it itself
		none := !asked && !isButton(action) && d.Can(action).No
		if cmd := c.dialogs.Act(d, action); cmd != nil || !none {
			return cmd
		}
		return c.dead(c.lastKey)
	}
	return c.root.run(action)
}

// onPaste takes pasted text where text is typed; elsewhere it is ignored, so that nothing
// in a clipboard can press keys.
func (a *App) onPaste(m tea.PasteMsg) tea.Cmd {
	gone := a.withdraw()
	switch d := a.dialogs.Top(); {
	case d == nil:
		return gone
	case d.Window().Waits():
		return tea.Batch(gone, a.dialogs.Hold(d))
	default:
		return tea.Batch(gone, a.dialogs.Settle(d, d.Window().Box.HandlePaste(m.Content)))
	}
}

// chordLines say how the keys that were pressed may continue, on as many lines as that takes.
func (f *frame) chordLines(w int) []string {
	lead := " " + f.st.Chip.Render(" "+keymap.KeyLabel(strings.Join(f.chord, " "))+" ") + "  "
	indent := text.Spaces(text.Width(lead))
	var out []string
	line := lead
	for _, b := range f.deps.Keymap.Continuations(f.nav.scopes(), f.chord) {
		spec, _ := f.deps.Keymap.Spec(b.Action)
		off := false
		if h, ok := f.actions[b.Action]; ok {
			off = h.Why() != ""
		}
		one := f.st.Hint(style.Hint{Key: keymap.KeyLabel(b.Next), Title: spec.Title, Off: off})
		if text.Width(line)+text.Width(one) > w-1 && text.Width(line) > text.Width(lead) {
			out, line = append(out, text.Pad(line, w)), indent
		}
		line += one + "  "
	}
	return append(out, text.Pad(strings.TrimRight(line, " "), w))
}

// keyHint is "KEY what", for sentences; "" when the action has no key, and the palette none either.
func (c *core) keyHint(action keymap.Action, what string) string {
	label := c.label(string(action))
	if label == "" || c.dialogs.Top() != nil && c.deps.Keymap.Label(action) == "" { // a dialog has no palette
		return ""
	}
	return label + " " + what
}

// goBack ends the innermost thing that is under way. It never quits.
func (a *App) goBack() (cmd tea.Cmd) {
	back := func(m view.Back) bool {
		var heard view.Heard
		cmd, heard = a.panes.Shown().Hear(m)
		return heard != view.Ignored
	}
	switch {
	case a.notices.Dismiss(a.deps.Now()):
		a.relayout()
		return nil
	case a.nav.find.Searching():
		a.nav.find.End()
		return nil
	case a.clearSelection():
		return nil
	case a.panes.Right && a.notices.DropRemark(): // it is read before the pane is left
		a.relayout()
		return nil
	case a.panes.Right && a.panes.Pane() == nil && a.panes.Detail.Back():
		return nil
	case a.panes.Aside && a.requests.IsBeside(): // back from the task to the request
		a.panes.Aside = false
		a.relayout()
		return nil
	case back(view.Back{Right: true}):
		a.relayout()
		return cmd
	case a.screen.Zoom != screen.ZoomNone:
		return a.nav.toggleZoom()
	case a.panes.Right:
		a.nav.focus(false)
		return nil
	case back(view.Back{Filtered: a.nav.find.Filtered()}):
		return cmd
	case a.nav.find.Clear():
		return a.nav.onMoved()
	case len(a.nav.trail.back) > 0:
		return a.nav.jumpBack()
	case a.nav.trail.page != nil:
		return a.nav.closePage()
	case a.tour.On():
		return a.toggleTour()
	}
	return nil
}

// toggleTour begins the tour, or leaves it.
func (a *App) toggleTour() tea.Cmd {
	left := a.tour.On()
	a.tour.Toggle(here(a.core))
	a.relayout()
	if !left {
		return nil
	}
	return a.remark("You left the tour" + a.orKey(keymap.Tour, "begins it again"))
}

// interrupt is the key that quits from either pane.
const interrupt = "ctrl+c"

// quit goes back, and from one of the five views leaves the program.
func (a *App) quit() tea.Cmd {
	switch {
	case a.lastKey == interrupt || !a.nav.goesBack():
		return a.leave()
	case a.screen.Zoom != screen.ZoomNone || a.panes.Right:
		return a.goBackPane()
	}
	if a.nav.trail.page != nil {
		return a.nav.closePage()
	}
	cmd, _ := a.panes.Shown().Hear(view.Back{})
	return cmd
}

// leave ends the program, after a question when something would be lost.
func (a *App) leave() tea.Cmd {
	switch {
	case len(a.jobs.open) > 0:
		return a.openConfirm(dialog.Ask{
			Title: "Quit", Summary: "An operation is still in progress.", Yes: "Quit", Quits: true,
			Done: func() tea.Cmd { return tea.Quit },
		})
	case len(a.tasks.editor.texts)+len(a.typed.Words()) > 0:
		return a.openConfirm(dialog.Ask{
			Title: "Quit", Summary: a.unsent(), Notes: append(a.tasks.editor.lines(), a.wordsLines()...), Yes: "Quit", Quits: true,
			Done: func() tea.Cmd { return tea.Quit },
		})
	}
	ask := dialog.Ask{Title: "Quit", Yes: "Quit", Quits: true, Done: func() tea.Cmd { return tea.Quit }}
	if a.panes.Runs.EndsHere() {
		ask.Affected = a.panes.Runs.UnderWay()
		ask.Notes = []string{"The loop ends with the workbench.", "running workers stop; their work so far is kept as commits: refs/vespe/RUN/result"}
	}
	if n := a.typed.Unsent(); n > 0 {
		ask.Notes = append(ask.Notes, text.Plural(n, "comment")+" not sent yet. Drafts stay here until you return.")
	}
	if len(ask.Notes) > 0 {
		ask.Summary, ask.Notes = ask.Notes[0], ask.Notes[1:]
		return a.openConfirm(ask)
	}
	return tea.Quit
}

// unsent asks whether texts that were not taken are given up.
func (a *App) unsent() string {
	if n := len(a.tasks.editor.texts) + len(a.typed.Words()); n > 1 {
		return fmt.Sprintf("%d texts are not saved. Quit anyway?", n)
	}
	return "A text is not saved. Quit anyway?"
}

func (a *App) goBackPane() tea.Cmd {
	var cmd tea.Cmd
	if a.screen.Zoom != screen.ZoomNone {
		cmd = a.nav.toggleZoom()
	}
	a.nav.focus(false)
	return cmd
}
