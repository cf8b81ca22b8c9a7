package overlay

import (
	tea "charm.land/bubbletea/v2"

	"vespe/ui/style"
)

// Overlay is what all overlays have in common.
type Overlay interface {
	// HandleKey takes a key press.
	HandleKey(tea.KeyPressMsg) Outcome
	// HandlePaste takes pasted text.
	HandlePaste(string) Outcome
	// Click takes a click at a cell of the last View, from its top left corner.
	Click(x, y int) Outcome
	// Wheel scrolls by rows.
	Wheel(d int) Outcome
	// Size is how large the overlay wants to be on a screen of w×h cells.
	Size(w, h int) (int, int)
	// View draws h lines of w cells.
	View(w, h int) []string
	SetStyles(*style.Styles)
}

// Outcome is what came of a key, a paste or the mouse. The types in this file are all
// there are.
type Outcome any

type (
	// Ignored: the key means nothing here.
	Ignored struct{}
	// Stayed: something changed, nothing is decided.
	Stayed struct{}
	// Canceled: closed without a decision.
	Canceled struct{}
	// Ran is an entry of a Palette.
	Ran struct{ ID string }
	// Took is an entry of a Palette that takes what was typed.
	Took struct{ ID, Text string }
	// Refused is a disabled entry of a Palette that somebody tried to run; the palette
	// stays open and shows the reason.
	Refused struct{ ID, Reason string }
	// Picked is a row of a Picker or a Finder.
	Picked struct{ ID string }
	// Previewed is the row that a Picker's cursor is on now; ID is "" for none.
	Previewed struct{ ID string }
	// Sent is the text of a Prompt, a Compose or a Bar.
	Sent struct{ Text string }
	// Changed is the text of a Bar, Prompt or Finder while it is typed.
	Changed struct{ Text string }
	// Stepped asks for the next (1) or previous (-1) match while a Bar is typed in.
	Stepped struct{ D int }
	// Confirmed: yes.
	Confirmed struct{}
	// Checked is what a Checklist leaves out, by ID.
	Checked struct{ Out []string }
)

// Ends reports whether the overlay is done and to be closed.
func Ends(o Outcome) bool {
	switch o.(type) {
	case Canceled, Ran, Took, Picked, Sent, Confirmed, Checked:
		return true
	}
	return false
}
