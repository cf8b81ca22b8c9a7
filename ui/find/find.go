// Package find narrows what is on the screen: a filter over the views of the left, a search in the pane with the cursor, and
// one in the texts of all tasks.
package find

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/notices"
	"vespe/ui/panes"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Host is what it gets of the workbench.
type Host interface {
	Snapshot() *snapshot.Snapshot
	Styles() *style.Styles
	Selected() model.UID
	Hint(action keymap.Action, does string) string
	Say(n view.Notice) tea.Cmd
	// Moved is called after everything that may move the cursor.
	Moved() tea.Cmd
	// Relayout is called after everything that may change how many rows the footer has.
	Relayout()
	// Read reports whether the texts of a task are on the screen.
	Read(uid model.UID) bool
	// GoToFound goes to a task that was found, and there to the place.
	GoToFound(uid model.UID, at snapshot.SearchMatch) tea.Cmd
}

// Find is what narrows the view, and what was narrowed by before.
type Find struct {
	Host     Host
	Panes    *panes.Panes
	Dialogs  *dialog.Stack
	Notices  *notices.Notices
	TextsKey string // of the search line, continues in the texts
	// Search looks for a text in the texts of tasks; nil when they have no index.
	Search func(s *snapshot.Snapshot, text string) (snapshot.SearchAnswer, error)

	filter  snapshot.Filter
	text    string   // of the filter, as typed; "" for none
	filters []string // earlier ones, the last first

	in      view.Searcher // nil: no search
	query   string
	typing  bool
	queries []string
	said    int // the notice of which match the cursor is on

	texts texts
}

// New makes one that can be used.
func New(f Find) *Find {
	f.texts.find = &f
	return &f
}

// Filtered reports whether there is a filter.
func (f *Find) Filtered() bool { return f.text != "" }

// Searching reports whether there is a search, and In whether it is one in a pane.
func (f *Find) Searching() bool            { return f.in != nil }
func (f *Find) In(pane view.Searcher) bool { return f.in == pane }

// Chip is the filter in a few words, for the header.
func (f *Find) Chip() string {
	if f.text == "" {
		return ""
	}
	return "filter: " + text.Truncate(text.SafeLine(f.text), 30)
}

// Stepping reports whether a search has matches to step through.
func (f *Find) Stepping() bool { return f.in != nil && !f.typing && f.query != "" }

// remembered puts a text in front of a history.
func remembered(list []string, s string) []string {
	list = append([]string{s}, slices.DeleteFunc(slices.Clone(list), func(o string) bool { return o == s })...)
	return list[:min(len(list), 20)]
}
