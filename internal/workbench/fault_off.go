//go:build !panics

package workbench

import tea "charm.land/bubbletea/v2"

// faulty returns the workbench as it is. A build with the tag `panics` can be made to
// panic from the keyboard, so that a test can see the terminal restored.
func faulty(m tea.Model) tea.Model { return m }
