package dialog

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/overlay"
	"vespe/ui/style"
)

// Picker is a list of which a person takes a row.
type Picker struct {
	Frame
	Did func(overlay.Outcome) tea.Cmd
}

// NewPicker lets the person take a row; then continues with its id.
func NewPicker(st *style.Styles, o overlay.PickerOptions, then func(id string) tea.Cmd) *Picker {
	return &Picker{Frame{Box: overlay.NewPicker(st, o), Scope: keymap.Picker}, func(out overlay.Outcome) tea.Cmd {
		if p, ok := out.(overlay.Picked); ok {
			return then(p.ID)
		}
		return nil
	}}
}

// Can leaves out what only the list of found texts has.
func (p *Picker) Can(action keymap.Action) Can { return Can{No: action == keymap.PickerPlace} }

// On continues with what came of it.
func (p *Picker) On(out overlay.Outcome) tea.Cmd { return p.Did(out) }

// Checklist is a list of which some rows are left out.
type Checklist struct {
	Frame
	of   *Question // in whose place it lies; nil for none
	done func(out []string) tea.Cmd
}

// NewChecklist lets the person leave rows out, in the place of a question or, without one, in the middle.
func NewChecklist(st *style.Styles, of *Question, o overlay.ChecklistOptions, done func(out []string) tea.Cmd) Checklist {
	return Checklist{Frame{Box: overlay.NewChecklist(st, o), Scope: keymap.Parts}, of, done}
}

func (c *Checklist) Place() Place {
	if c.of != nil {
		return c.of.Placed(c.Box)
	}
	return c.Frame.Place()
}

// On continues with what was left out.
func (c *Checklist) On(out overlay.Outcome) tea.Cmd {
	if chosen, ok := out.(overlay.Checked); ok {
		return c.done(chosen.Out)
	}
	return nil
}
