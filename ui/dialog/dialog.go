// Package dialog has what lies over the panes: a question, a list, a line that is typed, a page. A dialog is a value that
// owns its state; the workbench keeps them on a Stack and knows no more of them than Dialog.
//
// What one draws is its box, an overlay.Overlay. It changes its own state and returns an outcome (moved, chosen,
// canceled). A dialog that embeds Frame has a place in the middle of the screen and does nothing else; it overrides what
// is special about it. The small ones here take a function for their outcome.
package dialog

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/overlay"
	"vespe/ui/screen"
)

// Dialog lies over the workbench and has its keys: a question, a list, a page. Each kind is a type that owns
// its state.
type Dialog interface {
	// Window is what every dialog has.
	Window() *Frame
	// Place is where it lies on the screen.
	Place() Place
	// Can says what an action of its scope is here.
	Can(keymap.Action) Can
	// Do does an action of its scope. If it returns false, the box gets the key that it knows for the action.
	Do(keymap.Action) (tea.Cmd, bool)
	// On acts on what came of a key, a paste or the mouse. The dialog is closed already if that ends it.
	On(overlay.Outcome) tea.Cmd
	// Heard follows news, or an answer that dialogs may have asked for.
	Heard(news any) tea.Cmd
}

// Can is what an action is in a dialog; the zero value is an action that works under its usual name.
type Can struct {
	No    bool   // there is nothing that it could act on
	Later bool   // it is not taken yet
	Title string // what it is called here; "" for its usual name
}

// Place is where a dialog lies.
type Place struct {
	screen.Rect
	Dims bool // what lies behind it is faint
}

// Frame is what all dialogs have, and how one behaves that is nothing special.
type Frame struct {
	Box    overlay.Overlay
	Scope  keymap.Scope
	Bottom bool // it lies above the footer: what it is about can still be read
	Quits  bool // the keys that quit are a yes
	wait   int  // generation of the moment in which a question takes no answer; 0 when it takes one
	on     *Stack
}

// What a dialog does that is nothing special.

func (w *Frame) Window() *Frame                   { return w }
func (w *Frame) Can(keymap.Action) Can            { return Can{} }
func (w *Frame) Do(keymap.Action) (tea.Cmd, bool) { return nil, false }
func (w *Frame) On(overlay.Outcome) tea.Cmd       { return nil }
func (w *Frame) Heard(any) tea.Cmd                { return nil }

// IsTyped reports whether a key that is bound to nothing is text. A question is answered by the keys of the
// keymap and no others.
func (w *Frame) IsTyped() bool {
	switch w.Scope {
	case keymap.Search, keymap.Prompt, keymap.Compose, keymap.Picker:
		return true
	}
	return false
}

// Waits reports whether it takes no answer yet.
func (w *Frame) Waits() bool { return w.wait != 0 }

func (w *Frame) setWait(gen int) {
	w.wait = gen
	if box, ok := w.Box.(holder); ok {
		box.Hold(gen != 0)
	}
}
