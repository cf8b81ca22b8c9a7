package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// place is where a dialog lies.
type place int

const (
	inMiddle place = iota // over the frame, which is dimmed
	atBottom              // above the footer: what it is about can still be read
	onFooter              // in the last row
	onRight               // in the place of the detail, or of both panes where that is small
)

// question is what a dialog that asks is like.
type question struct {
	// quits: its yes ends the program.
	quits bool
	// details: there is more to show than the question says.
	details bool
	// sure: what is asked has high risk, and its yes is another key.
	sure bool
}

// dialog is an overlay on the stack with what its outcomes mean here. The one on top owns
// the keyboard and the mouse.
type dialog struct {
	box   overlay.Overlay
	scope keymap.Scope
	place place
	// on takes an outcome; the dialog has been closed when the outcome ends it.
	on func(*App, overlay.Outcome) tea.Cmd
	// wait is the generation of the moment in which a question takes no answer; 0 when it
	// takes one.
	wait int
	question
	// reads: there is nothing to choose in it.
	reads bool
	// about is the task whose plan a sheet accepts; "" for other dialogs and for several.
	about model.UID
	// compares are the revisions of a plan whose difference it shows; nil for other dialogs.
	compares *planDiff
	// withNotes gives the verdict of a sheet with a few words; nil where it is about no plan.
	withNotes func(*App) tea.Cmd
	// work: it accepts finished work, not a plan.
	work bool
	// plans are those that a sheet for several accepts: the bytes that it read.
	plans []*sheet
	// comments: what is typed in it is a comment of some kind; blocks: it may block.
	comments, blocks bool
	// steps: what is ticked in it is done.
	steps bool
	// words is the text that is typed in it; nil where it is none that is kept so.
	words *typing
	// ask is the request that is open in it.
	ask *asked
	// objective is that of the one task that a sheet is about.
	objective *model.Content
	// look is what is looked back on in it.
	look *lookPage
	// together is the changeset that is open in it.
	together *changeset
	// subtasks is the page on which a task is decomposed; nil for other dialogs.
	subtasks *decomposePage
	// changed is what a sheet says of plans that no longer exist as it shows them.
	changed []string
	// others gives another verdict than the one that a sheet for several asks about; nil: that is on
	// the task that it is about.
	others func(*App, keymap.Action) tea.Cmd
	// parts lists what of the plan of a sheet may be left out; nil where it is about no plan.
	parts func(*App, *dialog) tea.Cmd
}

// lacks reports whether an action of the dialog's scope has nothing to act on in it.
func (a *App) lacks(d *dialog, action keymap.Action) bool {
	if d.ask != nil {
		return a.lacksAsked(d.ask, action)
	}
	if d.together != nil {
		return a.lacksTogether(d.together, action)
	}
	if d.look != nil && (action == keymap.PeriodLess || action == keymap.PeriodMore) {
		return d.look.uid != ""
	}
	switch action {
	case keymap.PickerChoose:
		return d.reads
	case keymap.ConfirmDiff:
		return d.about == "" || d.about != a.followed || !d.work && a.noDiff() != "" || d.work && !a.workShown()
	case keymap.ConfirmRead:
		return len(d.plans) == 0 && d.objective == nil
	case keymap.ConfirmDetails:
		return !d.details
	case keymap.ConfirmYes:
		return d.sure
	case keymap.ConfirmSure:
		return !d.sure
	case keymap.PageOpen:
		p, ok := d.box.(*linkPage)
		return !ok || len(p.stops) == 0
	case keymap.ComposeKind, keymap.ComposeBlock:
		return !d.comments || action == keymap.ComposeBlock && !d.blocks
	case keymap.ConfirmNotes, keymap.ConfirmReject:
		return d.withNotes == nil
	case keymap.ConfirmParts:
		return d.parts == nil
	case keymap.DecomposeToggle, keymap.DecomposeNext, keymap.DecomposeSplit, keymap.DecomposeName, keymap.DecomposeItemUp, keymap.DecomposeItemDown,
		keymap.DecomposeItemNew, keymap.DecomposeEarlier, keymap.DecomposeLater, keymap.DecomposeAccept:
		return d.subtasks != nil && d.subtasks.lacks(action)
	case keymap.DiffChoose:
		return d.compares == nil || d.compares.latest < 2
	case keymap.Comment, keymap.LineRange:
		return d.compares == nil
	case keymap.Accept:
		return !a.decidable(d)
	case keymap.CommentsSend:
		return d.compares == nil || len(a.typed.of(d.compares.uid)) == 0
	case keymap.CommentAnswer, keymap.CommentSettle:
		c, draft := a.onNote()
		return d.compares == nil || c == nil && (draft == nil || action == keymap.CommentAnswer)
	case keymap.NoteNext, keymap.NotePrev:
		box, isDiff := d.box.(*overlay.Diff)
		return !isDiff || !box.Noted()
	case keymap.PromptComplete:
		bar, isBar := d.box.(*overlay.Bar)
		return !isBar || !bar.Completes()
	case keymap.PickerPlace:
		_, isFinder := d.box.(*overlay.Finder)
		return !isFinder
	case keymap.SearchTexts:
		return !a.textual()
	case keymap.PromptNext, keymap.PromptPrev: // a line has one field; these go through its history
		return true
	case keymap.HunkNext, keymap.HunkPrev, keymap.DiffAll, keymap.DiffSplit:
		_, isDiff := d.box.(*overlay.Diff)
		return !isDiff || action == keymap.DiffAll && d.compares != nil && d.compares.run != ""
	}
	return false
}

// top is the dialog that has the keyboard; nil for none.
func (a *App) top() *dialog {
	if len(a.dialogs) == 0 {
		return nil
	}
	return a.dialogs[len(a.dialogs)-1]
}

// push puts a dialog on the stack. A question takes no answer before the keys have been
// still for a moment.
func (a *App) push(d *dialog) tea.Cmd {
	a.chord = nil
	a.dialogs = append(a.dialogs, d)
	a.dimmed = nil
	if d.scope != keymap.Confirm {
		return nil
	}
	return a.hold(d)
}

// drop takes a dialog off the stack, wherever it lies.
func (a *App) drop(d *dialog) {
	a.dimmed = nil
	if d.together != nil && a.find.in == searcher(d.together.page) {
		a.searchEnd()
	}
	for i, o := range a.dialogs {
		if o == d {
			a.dialogs = append(a.dialogs[:i:i], a.dialogs[i+1:]...)
			return
		}
	}
}

// lacksAsked reports whether an action has nothing to act on in a request.
func (a *App) lacksAsked(v *asked, action keymap.Action) bool {
	switch action {
	case keymap.RequestOptions: // where every option has a key, these do
		return len(v.q.Options) <= len(a.chooseKeys()) || a.noDecision(v, model.DecideChoose) != ""
	case keymap.RequestChoose:
		return a.noDecision(v, model.DecideChoose) != ""
	case keymap.RequestDiff:
		return v.was == nil
	case keymap.RequestTask:
		return a.actions[action].off(a) != ""
	case keymap.Undo:
		return a.noUndoOf(&v.q) != ""
	}
	for _, c := range askChoices() {
		if c.action == action {
			return a.noDecision(v, c.decision) != ""
		}
	}
	return false
}

// settle acts on what came of a key, a paste or the mouse.
func (a *App) settle(d *dialog, out overlay.Outcome) tea.Cmd {
	if out == nil {
		return nil
	}
	if !out.Ends() {
		return d.on(a, out)
	}
	a.drop(d)
	a.panes.closed = a.deps.Now()
	var held tea.Cmd
	if q := a.top(); q != nil && q.scope == keymap.Confirm { // keys may still be coming for what is closed
		held = a.hold(q)
	}
	return tea.Batch(held, d.on(a, out))
}

// dialogKeys are the keys by which overlays know what their actions do. What a person
// presses for them is in the keymap.
func dialogKeys() map[keymap.Action]tea.KeyPressMsg {
	ctrl := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Mod: tea.ModCtrl} }
	char := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }
	esc, enter := tea.KeyPressMsg{Code: tea.KeyEscape}, tea.KeyPressMsg{Code: tea.KeyEnter}
	up, down := tea.KeyPressMsg{Code: tea.KeyUp}, tea.KeyPressMsg{Code: tea.KeyDown}
	pgup, pgdown := tea.KeyPressMsg{Code: tea.KeyPgUp}, tea.KeyPressMsg{Code: tea.KeyPgDown}
	return map[keymap.Action]tea.KeyPressMsg{
		keymap.SearchKeep: enter, keymap.SearchCancel: esc, keymap.SearchDown: ctrl('n'), keymap.SearchUp: ctrl('p'), keymap.SearchTexts: {Code: tea.KeyTab},
		keymap.PromptSubmit: enter, keymap.PromptCancel: esc, keymap.PromptComplete: {Code: tea.KeyTab}, keymap.PromptNext: down, keymap.PromptPrev: up,
		keymap.ComposeSend: ctrl('s'), keymap.ComposeLeave: esc, keymap.ComposeKind: {Code: tea.KeyTab}, keymap.ComposeBlock: ctrl('x'),
		keymap.ComposePhrase: ctrl('t'), keymap.FormSend: ctrl('s'), keymap.FormLeave: esc, keymap.FormNext: {Code: tea.KeyTab}, keymap.FormPrev: {Code: tea.KeyTab, Mod: tea.ModShift},
		keymap.LookClose: esc, keymap.RequestClose: esc, keymap.ChangesetClose: esc, keymap.DecomposeClose: esc,
		keymap.PickerChoose: enter, keymap.PickerCancel: esc, keymap.PickerDown: down, keymap.PickerUp: up,
		keymap.PickerPgDown: pgdown, keymap.PickerPgUp: pgup, keymap.PickerPlace: {Code: tea.KeyTab},
		keymap.ConfirmYes: char('y'), keymap.ConfirmSure: char('y'), keymap.ConfirmDiff: char('d'), keymap.ConfirmRead: char('o'), keymap.ConfirmNo: esc,
		keymap.ConfirmNotes: char('w'), keymap.ConfirmDetails: char('i'), keymap.ConfirmReject: char('r'), keymap.ConfirmParts: char('p'),
		keymap.PartsToggle: {Code: tea.KeySpace, Text: " "}, keymap.PartsDone: enter, keymap.PartsCancel: esc, keymap.ConfirmOther: {Code: tea.KeyTab}, keymap.ConfirmPress: enter,
		keymap.PagerClose: esc, keymap.PageOpen: enter, keymap.HunkNext: char('n'), keymap.HunkPrev: char('N'),
		keymap.DiffAll: char('x'), keymap.DiffSplit: char('s'), keymap.DiffChoose: char('r'), keymap.NoteNext: char(')'), keymap.NotePrev: char('('),
		keymap.MoveDown: down, keymap.MoveUp: up, keymap.MoveTop: {Code: tea.KeyHome}, keymap.MoveBottom: {Code: tea.KeyEnd},
		keymap.MoveHalfDown: ctrl('d'), keymap.MoveHalfUp: ctrl('u'), keymap.MovePageDown: pgdown, keymap.MovePageUp: pgup,
	}
}

// dialogAct does an action of the dialog on top; false when it is none of its own.
func (a *App) dialogAct(d *dialog, action keymap.Action) (tea.Cmd, bool) {
	if d.ask != nil {
		d.ask.box.Say("")
		if spec, _ := a.deps.Keymap.Spec(action); slices.Contains(spec.Scopes, keymap.Request) && action != keymap.RequestClose {
			return a.run(action), true
		}
	}
	if d.together != nil {
		if cmd, ok := a.changesetAct(d, action); ok {
			return cmd, true
		}
	}
	if d.subtasks != nil {
		if cmd, ok := a.decomposeAct(d, action); ok {
			return cmd, true
		}
	}
	if d.look != nil && (action == keymap.PeriodLess || action == keymap.PeriodMore) {
		return a.run(action), true
	}
	switch action {
	case keymap.Comment, keymap.LineRange, keymap.CommentAnswer, keymap.CommentSettle, keymap.CommentsSend:
		if d.compares == nil {
			return nil, false
		}
		return a.run(action), true
	case keymap.Accept:
		if a.lacks(d, action) {
			return nil, false
		}
		a.drop(d) // the sheet comes in its place
		return a.run(action), true
	}
	key, ok := a.dialogKeys[action]
	if !ok {
		return nil, false
	}
	switch action {
	case keymap.ComposePhrase:
		return insertPhrase(a, d), true
	case keymap.ConfirmDiff:
		return a.diffOfSheet(d), true
	case keymap.ConfirmRead:
		return a.readOne(d), true
	case keymap.ConfirmNotes, keymap.ConfirmReject:
		return a.otherVerdict(d, action), true
	case keymap.SearchTexts:
		return a.searchTexts(d), true
	case keymap.ConfirmParts:
		if a.lacks(d, action) {
			return nil, true
		}
		return d.parts(a, d), true
	case keymap.ConfirmDetails, keymap.ConfirmYes, keymap.ConfirmSure:
		if a.lacks(d, action) {
			return nil, true
		}
	case keymap.DiffChoose:
		return a.chooseRevisions(d), true
	}
	return a.settle(d, d.box.HandleKey(key)), true
}

// dialogTyped takes a key that is bound to nothing. Only dialogs with a line of text have
// a use for it: a question is answered by the keys of the keymap and no others.
func (a *App) dialogTyped(d *dialog, m tea.KeyPressMsg) tea.Cmd {
	switch d.scope {
	case keymap.Confirm, keymap.Pager, keymap.Lookback, keymap.Request, keymap.Together, keymap.Parts, keymap.Subtasks:
		return nil
	}
	return a.settle(d, d.box.HandleKey(m))
}

// sheetWidth is from how many columns on a sheet lies inside the detail.
const sheetWidth = 60

// leastCompose is how many rows a text of several lines gets, even where it hides some of
// what it is about.
const leastCompose = 9

// leastStrip is how many columns of a page have to be free beside what lies on it: fewer show nothing
// that could be read.
const leastStrip = 20

// nearlyAll is how many rows a dialog as wide as the screen leaves free that gets these as well.
const nearlyAll = 5

// dialogSpace is where a dialog lies on the screen.
func (a *App) dialogSpace(d *dialog) rect {
	w, h := a.screen.w, a.screen.h
	if d.place == onFooter {
		_, dh := d.box.Size(w, h)
		return rect{0, h - dh, w, dh}
	}
	if d.place == onRight {
		r := a.screen.layout.Right
		if d.together.zoomed || r.W < sheetWidth || a.screen.layout.Stacked {
			r = rect{0, 1, w, max(1, a.screen.layout.Footer.Y-1)}
		}
		return r
	}
	room := max(1, h-1)
	if d.place == atBottom {
		over := rect{0, 0, w, room}
		if under := a.pageUnder(d); under != nil {
			if over = a.dialogSpace(under); under.compares != nil {
				over.H = room - over.Y // below it, where it leaves room
			}
			dw, dh := d.box.Size(over.W, over.H)
			dw, dh = max(1, min(dw, over.W)), max(1, min(dh, over.H))
			if over.W-dw < leastStrip {
				dw = over.W
			}
			y := over.H - dh
			if _, typing := d.box.(*overlay.Compose); typing && under.together != nil {
				from, to := under.together.page.CursorAt()
				y, dh = besideLine(1+from, 1+to, over.H, dh)
			}
			return rect{over.X + over.W - dw, over.Y + y, dw, dh}
		}
		if r := a.screen.layout.Right; r.W >= sheetWidth && !a.screen.layout.Stacked {
			over = r
		}
		dw, dh := d.box.Size(over.W, over.H)
		dw, dh = max(1, min(dw, over.W)), max(1, min(dh, over.H))
		if l := a.screen.layout; l.Stacked && l.Left.H > 0 {
			if _, typing := d.box.(*overlay.Compose); typing {
				dh = min(dh, max(l.Left.H, leastCompose))
			}
			dh = min(dh, over.H-l.Left.Y)
			dw, over.Y, over.H = over.W, l.Left.Y, dh // over the tree, so that the text below stays in view
		}
		return rect{over.X + over.W - dw, over.Y + over.H - dh, dw, dh}
	}
	dw, dh := d.box.Size(w, room)
	dw, dh = max(1, min(dw, w)), max(1, min(dh, room))
	if dw == w && room-dh <= nearlyAll {
		dh = room // a border of what lies behind would look like another of its own
	}
	x, y := overlay.Center(w, room, dw, dh)
	return rect{x, y, dw, dh}
}

// besideLine is where a text box of dh rows lies over a page of h without hiding the rows that it is
// about: below them or, where this leaves more room, above.
func besideLine(from, to, h, dh int) (y, rows int) {
	below, above := h-1-to, from
	switch {
	case below >= dh || max(below, above) < leastCompose:
		return h - dh, dh
	case below >= above:
		return h - below, below
	}
	return 0, min(dh, above)
}

// pageUnder is the request, the difference of a plan or the changeset that a dialog lies on; nil when it lies on
// none.
func (a *App) pageUnder(d *dialog) *dialog {
	i := slices.Index(a.dialogs, d)
	for d.scope == keymap.Parts && i > 0 && a.dialogs[i-1].scope == keymap.Confirm {
		i-- // it lies where its sheet lies
	}
	if i < 1 || a.dialogs[i-1].ask == nil && a.dialogs[i-1].compares == nil && a.dialogs[i-1].together == nil {
		return nil
	}
	return a.dialogs[i-1]
}

// drawDialogs lays the dialogs over a frame.
func (a *App) drawDialogs(lines []string) []string {
	if slices.ContainsFunc(a.dialogs, func(d *dialog) bool { return d.place == inMiddle }) {
		foot := lines[len(lines)-1] // the keys of the dialog
		if a.dimmed == nil || a.dimmedFrom != lines[1] || len(a.dimmed) != len(lines) {
			a.dimmed, a.dimmedFrom = overlay.Dim(lines, a.st), lines[1]
		}
		lines = append([]string(nil), a.dimmed...)
		lines[len(lines)-1] = foot
	}
	for _, d := range a.dialogs {
		r := a.dialogSpace(d)
		lines = overlay.Place(lines, text.Fit(d.box.View(r.W, r.H), r.W, r.H), r.X, r.Y)
	}
	return lines
}
