package dialog

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/overlay"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/text"
)

// QuietTime is how long no key has to come before a question takes an answer.
const QuietTime = 250 * time.Millisecond

// Host is what the dialogs get of the workbench.
type Host interface {
	Screen() *screen.Screen
	Styles() *style.Styles
	Now() time.Time
	// Began says that keys mean something else from now on: what was pressed of a chord is forgotten.
	Began()
}

// Stack are the dialogs that are open, the last one on top. That one has the keyboard and the mouse.
type Stack struct {
	host   Host
	keys   map[keymap.Action]tea.KeyPressMsg
	list   []Dialog
	closed time.Time
	held   int      // generation of the last moment that a question waits for
	faint  []string // the frame behind the dialogs; nil when it must be drawn again
	from   string   // a line of what it was drawn from
}

// NewStack is one without dialogs.
func NewStack(host Host) *Stack { return &Stack{host: host, keys: Keys()} }

// All are the dialogs, the lowest first.
func (s *Stack) All() []Dialog { return slices.Clone(s.list) }

// Closed is when a person closed the last one that was.
func (s *Stack) Closed() time.Time { return s.closed }

// Top is the dialog that has the keyboard; nil for none.
func (s *Stack) Top() Dialog {
	if n := len(s.list); n > 0 {
		return s.list[n-1]
	}
	return nil
}

// below is the dialog that another lies on; nil for none.
func (s *Stack) below(d Dialog) Dialog {
	if i := s.index(d); i > 0 {
		return s.list[i-1]
	}
	return nil
}

func (s *Stack) index(d Dialog) int {
	return slices.IndexFunc(s.list, func(o Dialog) bool { return o.Window() == d.Window() })
}

// Push puts a dialog on the stack. A question takes no answer before the keys have been still for a moment.
func (s *Stack) Push(d Dialog) tea.Cmd {
	s.host.Began()
	d.Window().on = s
	s.list, s.faint = append(s.list, d), nil
	if isQuestion(d) {
		return s.Hold(d)
	}
	return nil
}

// Drop takes a dialog off the stack, wherever it lies.
func (s *Stack) Drop(d Dialog) {
	s.faint = nil
	if i := s.index(d); i >= 0 {
		s.list = append(s.list[:i:i], s.list[i+1:]...)
	}
}

// Hear tells the dialogs what has changed, the lowest first.
func (s *Stack) Hear(news any) tea.Cmd {
	var cmds []tea.Cmd
	for _, d := range s.All() {
		cmds = append(cmds, d.Heard(news))
	}
	return tea.Batch(cmds...)
}

// SetStyles draws them in other colors.
func (s *Stack) SetStyles(st *style.Styles) {
	s.faint = nil
	for _, d := range s.list {
		d.Window().Box.SetStyles(st)
	}
}

// Settle acts on what came of a key, a paste or the mouse.
func (s *Stack) Settle(d Dialog, out overlay.Outcome) tea.Cmd {
	if out == nil {
		return nil
	}
	if !overlay.Ends(out) {
		return d.On(out)
	}
	s.Drop(d)
	s.closed = s.host.Now()
	var held tea.Cmd
	if q := s.Top(); q != nil && isQuestion(q) { // keys may still be coming for what is closed
		held = s.Hold(q)
	}
	return tea.Batch(held, d.On(out))
}

// Act does an action of a dialog.
func (s *Stack) Act(d Dialog, action keymap.Action) tea.Cmd {
	if cmd, ok := d.Do(action); ok {
		return cmd
	}
	if key, ok := s.keys[action]; ok {
		return s.Settle(d, d.Window().Box.HandleKey(key))
	}
	return nil
}

// Keys are the keys by which overlays know what their actions do. What a person
// presses for them is in the keymap.
func Keys() map[keymap.Action]tea.KeyPressMsg {
	ctrl := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Mod: tea.ModCtrl} }
	char := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }
	esc, enter := tea.KeyPressMsg{Code: tea.KeyEscape}, tea.KeyPressMsg{Code: tea.KeyEnter}
	up, down := tea.KeyPressMsg{Code: tea.KeyUp}, tea.KeyPressMsg{Code: tea.KeyDown}
	pgup, pgdown := tea.KeyPressMsg{Code: tea.KeyPgUp}, tea.KeyPressMsg{Code: tea.KeyPgDown}
	return map[keymap.Action]tea.KeyPressMsg{
		keymap.SearchKeep: enter, keymap.SearchCancel: esc, keymap.SearchDown: ctrl('n'), keymap.SearchUp: ctrl('p'),
		keymap.PromptSubmit: enter, keymap.PromptCancel: esc, keymap.PromptComplete: {Code: tea.KeyTab}, keymap.PromptNext: down, keymap.PromptPrev: up,
		keymap.ComposeSend: ctrl('s'), keymap.ComposeLeave: esc, keymap.ComposeKind: {Code: tea.KeyTab}, keymap.ComposeBlock: ctrl('x'),
		keymap.LookClose: esc, keymap.RequestClose: esc, keymap.DecomposeClose: esc,
		keymap.PickerChoose: enter, keymap.PickerCancel: esc, keymap.PickerDown: down, keymap.PickerUp: up,
		keymap.PickerPgDown: pgdown, keymap.PickerPgUp: pgup, keymap.PickerPlace: {Code: tea.KeyTab},
		keymap.ConfirmYes: char('y'), keymap.ConfirmSure: char('y'), keymap.ConfirmNo: esc, keymap.ConfirmDetails: char('i'),
		keymap.ConfirmOther: {Code: tea.KeyTab}, keymap.ConfirmPress: enter,
		keymap.PartsToggle: {Code: tea.KeySpace, Text: " "}, keymap.PartsDone: enter, keymap.PartsCancel: esc,
		keymap.PagerClose: esc, keymap.HunkNext: char('n'), keymap.HunkPrev: char('N'),
		keymap.DiffAll: char('x'), keymap.DiffSplit: char('s'), keymap.NoteNext: char(')'), keymap.NotePrev: char('('),
		keymap.MoveDown: down, keymap.MoveUp: up, keymap.MoveTop: {Code: tea.KeyHome}, keymap.MoveBottom: {Code: tea.KeyEnd},
		keymap.MoveHalfDown: ctrl('d'), keymap.MoveHalfUp: ctrl('u'), keymap.MovePageDown: pgdown, keymap.MovePageUp: pgup,
	}
}

// Draw lays the dialogs over a frame.
func (s *Stack) Draw(lines []string) []string {
	if slices.ContainsFunc(s.list, func(d Dialog) bool { return d.Place().Dims }) {
		foot := lines[len(lines)-1] // the keys of the dialog
		if s.faint == nil || s.from != lines[1] || len(s.faint) != len(lines) {
			s.faint, s.from = overlay.Dim(lines, s.host.Styles()), lines[1]
		}
		lines = append([]string(nil), s.faint...)
		lines[len(lines)-1] = foot
	}
	for i, d := range s.list {
		if isQuestion(d) && i+1 < len(s.list) && s.list[i+1].Window().IsTyped() {
			continue // the words for it take its place
		}
		r := d.Place()
		lines = overlay.Place(lines, text.Fit(d.Window().Box.View(r.W, r.H), r.W, r.H), r.X, r.Y)
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
	_, ok := d.Window().Box.(holder)
	return ok
}

// Still says that there was no key for a moment: a question may be answered now.
type Still struct{ gen int }

// Hold begins the moment in which a question takes no answer.
func (s *Stack) Hold(d Dialog) tea.Cmd {
	s.host.Began()
	s.held++
	still := Still{s.held}
	d.Window().setWait(still.gen)
	return tea.Tick(QuietTime, func(time.Time) tea.Msg { return still })
}

// OnStill ends that moment.
func (s *Stack) OnStill(m Still) {
	for _, d := range s.list {
		if w := d.Window(); w.wait == m.gen {
			w.setWait(0)
		}
	}
}

// Leaves reports whether a key that cannot be part of a word leaves a question.
func Leaves(m tea.KeyPressMsg, action keymap.Action) bool {
	switch action {
	case keymap.ConfirmNo, keymap.Quit, keymap.Suspend:
		return m.Text == ""
	}
	return false
}
