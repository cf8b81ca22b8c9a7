package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/drafts"
	"vespe/ui/notices"
	"vespe/ui/request"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/taskdocs"
	"vespe/ui/tour"
	"vespe/ui/view"
)

// core is what all parts of the workbench share: what is on the screen, and how things are said, asked and named there.
// Each part embeds it and has its own state beside. A part knows those before it in the list of doc.go, and none after.
type core struct {
	deps Deps
	fx   effects
	root root
	st   *style.Styles

	snap    *snapshot.Snapshot // nil until the first load
	loading loading
	screen  screen.Screen
	panes   panes
	sheet   *taskdocs.Docs // of the selected task; nil until read

	dialogs  *dialog.Stack
	notices  notices.Notices
	requests *request.Desk
	typed    *drafts.Book
	awaited  awaited
	jobs     jobs
	tour     tour.Tour

	actions map[keymap.Action]view.Action
	chord   []string // the keys of a chord that continues
	lastKey string
	few     int // how many selected tasks targets returns at most; 0 for all
}

// root is what the parts ask of the whole workbench.
type root interface {
	// run does an action, or says why it cannot be done.
	run(action keymap.Action) tea.Cmd
	// footerRows is how many rows the footer wants.
	footerRows() int
}
