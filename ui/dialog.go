package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Dialog lies over the workbench and has its keys: a question, a list, a page. Each kind is a type that owns
// its state. The stack of dialogs knows no more of them than this.
type Dialog interface {
	// Window is what every dialog has.
	Window() *window
	// Place is where it lies on the screen.
	Place() place
	// Can says what an action of its scope is here.
	Can(keymap.Action) can
	// Do does an action of its scope. If it returns false, the box gets the key that it knows for the action.
	Do(keymap.Action) (tea.Cmd, bool)
	// On acts on what came of a key, a paste or the mouse. The dialog is closed already if that ends it.
	On(overlay.Outcome) tea.Cmd
	// Heard follows news: one of the types below, or an answer that dialogs may have asked for.
	Heard(news any) tea.Cmd
}

// can is what an action is in a dialog; the zero value is an action that works under its usual name.
type can struct {
	no    bool   // there is nothing that it could act on
	later bool   // it is not taken yet
	title string // what it is called here; "" for its usual name
}

// The news that dialogs follow.
type (
	snapshotNews struct{}                 // there is another snapshot
	appliedNews  struct{ ops []model.Op } // the store did what it was asked for
	minuteNews   struct{}                 // times grow
	pollNews     struct{}                 // texts may have changed without a word to the store
	typedNews    struct{}                 // drafts of comments changed
	noteNews     struct{ id string }      // a note was written, answered or dropped; "" for none to go to
	sheetNews    struct{ *sheet }         // the files of a task were read
	draftsNews   struct{ uid model.UID }  // the drafts of a task were read
	planNews     struct{ uid model.UID }  // the plan on screen was replaced
	memberNews   struct{ uid model.UID }  // a text of a changeset changed
)

// window is what all dialogs have, and how one behaves that is nothing special.
type window struct {
	a      *App
	box    overlay.Overlay
	scope  keymap.Scope
	bottom bool // it lies above the footer: what it is about can still be read
	quits  bool // the keys that quit are a yes
	wait   int  // generation of the moment in which a question takes no answer; 0 when it takes one
}

func (w *window) Window() *window                  { return w }
func (w *window) Can(keymap.Action) can            { return can{} }
func (w *window) Do(keymap.Action) (tea.Cmd, bool) { return nil, false }
func (w *window) On(overlay.Outcome) tea.Cmd       { return nil }
func (w *window) Heard(any) tea.Cmd                { return nil }

// isTyped reports whether a key that is bound to nothing is text. A question is answered by the keys of the
// keymap and no others.
func (w *window) isTyped() bool {
	switch w.scope {
	case keymap.Search, keymap.Prompt, keymap.Compose, keymap.Form, keymap.Picker:
		return true
	}
	return false
}

// stack are the dialogs that are open, the last one on top. That one has the keyboard and the mouse.
type stack struct {
	list  []Dialog
	held  int      // generation of the last moment that a question waits for
	faint []string // the frame behind the dialogs; nil when it must be drawn again
	from  string   // a line of what it was drawn from
}

// top is the dialog that has the keyboard; nil for none.
func (a *App) top() Dialog {
	if n := len(a.dialogs.list); n > 0 {
		return a.dialogs.list[n-1]
	}
	return nil
}

// below is the dialog that another lies on; nil for none.
func (s *stack) below(d Dialog) Dialog {
	if i := s.index(d); i > 0 {
		return s.list[i-1]
	}
	return nil
}

func (s *stack) index(d Dialog) int {
	return slices.IndexFunc(s.list, func(o Dialog) bool { return o.Window() == d.Window() })
}

// push puts a dialog on the stack. A question takes no answer before the keys have been still for a moment.
func (a *App) push(d Dialog) tea.Cmd {
	a.chord = nil
	a.dialogs.list, a.dialogs.faint = append(a.dialogs.list, d), nil
	if isQuestion(d) {
		return a.hold(d)
	}
	return nil
}

// drop takes a dialog off the stack, wherever it lies.
func (a *App) drop(d Dialog) {
	s := &a.dialogs
	s.faint = nil
	if p, ok := d.(searched); ok && a.find.in == p.searcher() {
		a.find.end()
	}
	if i := s.index(d); i >= 0 {
		s.list = append(s.list[:i:i], s.list[i+1:]...)
	}
}

// searched is a dialog whose text can be searched.
type searched interface{ searcher() view.Searcher }

// hear tells the dialogs what has changed, the lowest first, and the request beside the inbox.
func (a *App) hear(news any) tea.Cmd {
	var cmds []tea.Cmd
	for _, d := range slices.Clone(a.dialogs.list) {
		cmds = append(cmds, d.Heard(news))
	}
	if v := a.requests.aside; v != nil {
		cmds = append(cmds, v.heard(news))
	}
	return tea.Batch(cmds...)
}

// settle acts on what came of a key, a paste or the mouse.
func (a *App) settle(d Dialog, out overlay.Outcome) tea.Cmd {
	if out == nil {
		return nil
	}
	if !out.Ends() {
		return d.On(out)
	}
	a.drop(d)
	a.panes.closed = a.deps.Now()
	var held tea.Cmd
	if q := a.top(); q != nil && isQuestion(q) { // keys may still be coming for what is closed
		held = a.hold(q)
	}
	return tea.Batch(held, d.On(out))
}

// doIn does an action of the dialog on top.
func (a *App) doIn(d Dialog, action keymap.Action) tea.Cmd {
	if cmd, ok := d.Do(action); ok {
		return cmd
	}
	if key, ok := a.dialogKeys[action]; ok {
		return a.settle(d, d.Window().box.HandleKey(key))
	}
	return nil
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
		keymap.SearchKeep: enter, keymap.SearchCancel: esc, keymap.SearchDown: ctrl('n'), keymap.SearchUp: ctrl('p'),
		keymap.PromptSubmit: enter, keymap.PromptCancel: esc, keymap.PromptComplete: {Code: tea.KeyTab}, keymap.PromptNext: down, keymap.PromptPrev: up,
		keymap.ComposeSend: ctrl('s'), keymap.ComposeLeave: esc, keymap.ComposeKind: {Code: tea.KeyTab}, keymap.ComposeBlock: ctrl('x'),
		keymap.FormSend: ctrl('s'), keymap.FormLeave: esc, keymap.FormNext: {Code: tea.KeyTab}, keymap.FormPrev: {Code: tea.KeyTab, Mod: tea.ModShift},
		keymap.LookClose: esc, keymap.RequestClose: esc, keymap.ChangesetClose: esc, keymap.DecomposeClose: esc,
		keymap.PickerChoose: enter, keymap.PickerCancel: esc, keymap.PickerDown: down, keymap.PickerUp: up,
		keymap.PickerPgDown: pgdown, keymap.PickerPgUp: pgup, keymap.PickerPlace: {Code: tea.KeyTab},
		keymap.ConfirmYes: char('y'), keymap.ConfirmSure: char('y'), keymap.ConfirmNo: esc, keymap.ConfirmDetails: char('i'),
		keymap.ConfirmOther: {Code: tea.KeyTab}, keymap.ConfirmPress: enter,
		keymap.PartsToggle: {Code: tea.KeySpace, Text: " "}, keymap.PartsDone: enter, keymap.PartsCancel: esc,
		keymap.PagerClose: esc, keymap.PageOpen: enter, keymap.HunkNext: char('n'), keymap.HunkPrev: char('N'),
		keymap.DiffAll: char('x'), keymap.DiffSplit: char('s'), keymap.NoteNext: char(')'), keymap.NotePrev: char('('),
		keymap.MoveDown: down, keymap.MoveUp: up, keymap.MoveTop: {Code: tea.KeyHome}, keymap.MoveBottom: {Code: tea.KeyEnd},
		keymap.MoveHalfDown: ctrl('d'), keymap.MoveHalfUp: ctrl('u'), keymap.MovePageDown: pgdown, keymap.MovePageUp: pgup,
	}
}

// place is where a dialog lies.
type place struct {
	rect
	dims bool // what lies behind it is faint
}

// sheetWidth is from how many columns on a sheet lies inside the detail.
const sheetWidth = 60

// leastCompose is how many rows a text of several lines gets, even where it hides some of
// what it is about.
const leastCompose = 9

// leastStrip is how many columns of a page have to be free beside what lies on it: fewer show nothing
// that could be read.
const leastStrip = 20

// leastLeft is how many rows of the tree show more than a border below what lies on it.
const leastLeft = 2

// nearlyAll is how many rows a dialog as wide as the screen leaves free that gets these as well.
const nearlyAll = 5

// host is a dialog on which others lie, so that what they are about can still be read.
type host interface {
	// hosts is where a box lies on it, above the last row of the screen.
	hosts(box overlay.Overlay, room int) rect
}

// Place is in the middle, or above the footer.
func (w *window) Place() place { return w.placed(w.box) }

// onFooter is the last row, and those above it that the box takes.
func (w *window) onFooter() place {
	scr := &w.a.screen
	_, h := w.box.Size(scr.w, scr.h)
	return place{rect: rect{0, scr.h - h, scr.w, h}}
}

// placed is where another box lies in the place of this one.
func (w *window) placed(box overlay.Overlay) place {
	scr := &w.a.screen
	room := max(1, scr.h-1)
	if !w.bottom {
		dw, dh := fit(box, scr.w, room)
		if dw == scr.w && room-dh <= nearlyAll {
			dh = room // a border of what lies behind would look like another of its own
		}
		x, y := overlay.Center(scr.w, room, dw, dh)
		return place{rect{x, y, dw, dh}, true}
	}
	if on, ok := w.a.dialogs.below(w).(host); ok {
		return place{rect: on.hosts(box, room)}
	}
	over := rect{0, 0, scr.w, room}
	if r := scr.layout.Right; r.W >= sheetWidth && !scr.layout.Stacked {
		over = r
	}
	dw, dh := fit(box, over.W, over.H)
	if l := scr.layout; l.Stacked && l.Left.H > 0 {
		if isText(box) {
			dh = min(dh, max(l.Left.H, leastCompose))
		}
		dh = min(dh, over.H-l.Left.Y)
		if n := l.Left.H - dh; n > 0 && n <= leastLeft { // too few rows of the tree to see anything of it
			dh = l.Left.H
		}
		dw, over.Y, over.H = over.W, l.Left.Y, dh // over the tree, so that the text below stays in view
	}
	return place{rect: rect{over.X + over.W - dw, over.Y + over.H - dh, dw, dh}}
}

// fit is the size of a box in a room of w×h cells.
func fit(box overlay.Overlay, w, h int) (dw, dh int) {
	dw, dh = box.Size(w, h)
	return max(1, min(dw, w)), max(1, min(dh, h))
}

func isText(box overlay.Overlay) bool {
	_, ok := box.(*overlay.Compose)
	return ok
}

// within is where a box lies in the lower right corner of a page.
func (r rect) within(box overlay.Overlay) rect {
	dw, dh := fit(box, r.W, r.H)
	if r.W-dw < leastStrip {
		dw = r.W
	}
	return rect{r.X + r.W - dw, r.Y + r.H - dh, dw, dh}
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

// drawDialogs lays the dialogs over a frame.
func (a *App) drawDialogs(lines []string) []string {
	s := &a.dialogs
	if slices.ContainsFunc(s.list, func(d Dialog) bool { return d.Place().dims }) {
		foot := lines[len(lines)-1] // the keys of the dialog
		if s.faint == nil || s.from != lines[1] || len(s.faint) != len(lines) {
			s.faint, s.from = overlay.Dim(lines, a.st), lines[1]
		}
		lines = append([]string(nil), s.faint...)
		lines[len(lines)-1] = foot
	}
	for _, d := range s.list {
		r := d.Place()
		lines = overlay.Place(lines, text.Fit(d.Window().box.View(r.W, r.H), r.W, r.H), r.X, r.Y)
	}
	return lines
}

// A question can open under somebody's fingers: it comes late, or its own key is a letter
// of a word that was meant for another window. So it takes no answer before there was no
// key, click or paste for a moment, each of which begins that moment anew, and it says that
// it waits. Only the ways out work at once.

// holder is a box that says that it takes no answer yet.
type holder interface{ Hold(on bool) }

func isQuestion(d Dialog) bool {
	_, ok := d.Window().box.(holder)
	return ok
}

// hold begins the moment in which a question takes no answer.
func (a *App) hold(d Dialog) tea.Cmd {
	a.chord = nil
	a.dialogs.held++
	d.Window().setWait(a.dialogs.held)
	return view.After(quietTime, stillMsg{a.dialogs.held})
}

func (a *App) onStill(m stillMsg) tea.Cmd {
	for _, d := range a.dialogs.list {
		if w := d.Window(); w.wait == m.gen {
			w.setWait(0)
		}
	}
	return nil
}

func (w *window) setWait(gen int) {
	w.wait = gen
	if box, ok := w.box.(holder); ok {
		box.Hold(gen != 0)
	}
}

// leaves reports whether a key that cannot be part of a word leaves a question.
func leaves(m tea.KeyPressMsg, action keymap.Action) bool {
	switch action {
	case keymap.ConfirmNo, keymap.Quit, keymap.Suspend:
		return m.Text == ""
	}
	return false
}
