//go:build panics

package workbench

import tea "charm.land/bubbletea/v2"

// faultKey makes a build with the tag `panics` panic inside Update.
const faultKey = "f12"

type faultyModel struct{ tea.Model }

func faulty(m tea.Model) tea.Model { return faultyModel{m} }

func (f faultyModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == faultKey {
		panic("asked to panic by " + faultKey)
	}
	m, cmd := f.Model.Update(msg)
	return faultyModel{m}, cmd
}
