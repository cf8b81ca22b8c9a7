// Package find narrows what is on the screen: a filter over the views of the left, a search in the pane with the cursor, and
// one in the texts of all tasks.
package find

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/notices"
	"vespe/ui/overlay"
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
	// HasTexts reports whether the texts of a task have been read.
	HasTexts(uid model.UID) bool
	// GoToFound goes to a task that was found, and there to the place.
	GoToFound(uid model.UID, at snapshot.SearchMatch) tea.Cmd
}

// Find is what narrows the view, and what was narrowed by before.
type Find struct {
	Host     Host
	Panes    *panes.Panes
	Dialogs  *dialog.Stack
	Notices  *notices.Notices
	TextsKey string // the key in the search line that continues in the texts
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

// searchBar is the line in which a search is typed.
type searchBar struct {
	dialog.Frame
	find *Find
	bar  *overlay.Bar
	in   view.Searcher
}

// SearchStart opens the search line for the pane with the cursor.
func (f *Find) SearchStart() tea.Cmd {
	if f.Host.Snapshot() == nil {
		return f.Host.Say(view.Notice{Level: view.Remark, Text: "the store is loading"})
	}
	f.End()
	in := f.Panes.Searcher()
	f.in, f.typing, f.query = in, true, ""
	in.SearchStart()
	bar := overlay.NewBar(f.Host.Styles(), overlay.BarOptions{Label: "/", Placeholder: "type to search", History: f.queries})
	if f.Search != nil && in == view.Searcher(f.Panes.Left()) {
		f.texts.begin(bar, nil)
	}
	return f.Dialogs.Push(&searchBar{dialog.Frame{Box: bar, Scope: keymap.Search}, f, bar, in})
}

func (s *searchBar) Place() dialog.Place { return s.OnFooter() }

func (s *searchBar) Can(action keymap.Action) dialog.Can {
	return dialog.Can{No: action == keymap.SearchTexts && !s.find.texts.on()}
}

func (s *searchBar) Do(action keymap.Action) (tea.Cmd, bool) {
	if action != keymap.SearchTexts {
		return nil, false
	}
	if !s.find.texts.on() {
		return nil, true
	}
	s.find.Dialogs.Drop(s)
	return s.openTexts(s.bar.Value()), true
}

func (s *searchBar) On(out overlay.Outcome) tea.Cmd {
	var cmd tea.Cmd
	f := s.find
	switch out := out.(type) {
	case overlay.Changed:
		f.query = out.Text
		s.in.SearchType(out.Text)
		if f.texts.on() {
			cmd = f.texts.ask(out.Text)
		}
		s.bar.SetInfo(f.texts.barInfo())
	case overlay.Stepped:
		s.in.SearchNext(out.D)
		s.bar.SetInfo(f.texts.barInfo())
	case overlay.Sent:
		if f.texts.on() && f.texts.alone() { // there is nothing in the list to stay at
			return s.openTexts(out.Text)
		}
		f.texts.begin(nil, nil)
		f.keep()
	case overlay.Canceled:
		f.giveUp()
	}
	return tea.Batch(cmd, f.Host.Moved())
}

func (s *searchBar) openTexts(typed string) tea.Cmd {
	s.find.giveUp()
	return tea.Batch(s.find.Host.Moved(), s.find.OpenTexts(typed))
}

// giveUp ends a search that is being typed, and goes back to where it began.
func (f *Find) giveUp() {
	if f.in != nil {
		f.in.SearchCancel()
	}
	f.in, f.typing, f.query = nil, false, ""
	f.texts.begin(nil, nil)
}

// matches says which match of how many the cursor is on.
func (f *Find) matches() string {
	if f.in == nil || f.query == "" {
		return ""
	}
	_, at, total := f.in.Searching()
	switch {
	case total == 0:
		return "no match"
	case at > 0:
		return fmt.Sprintf("match %d of %d", at, total)
	case total == 1:
		return "1 match"
	}
	return fmt.Sprintf("%d matches", total)
}

// keep leaves the search line and keeps the matches.
func (f *Find) keep() {
	f.typing = false
	if f.query == "" {
		f.End()
		return
	}
	f.queries = remembered(f.queries, f.query)
	f.in.SearchAccept()
}

// End takes the marks of the matches off; the cursor stays.
func (f *Find) End() {
	if f.in != nil {
		f.in.SearchClear()
	}
	f.in, f.typing, f.query = nil, false, ""
	f.Notices.Expire(f.said)
	f.Host.Relayout()
}

// Step goes to another match.
func (f *Find) Step(step int) tea.Cmd {
	if !f.Stepping() {
		return nil
	}
	wrapped, _ := f.in.SearchNext(step)
	cmd := f.Host.Moved()
	note := f.matches()
	if wrapped {
		note += ", wrapped"
	}
	said := f.Host.Say(view.Notice{Level: view.Remark, Text: note})
	f.said = f.Notices.Last
	return tea.Batch(cmd, said)
}
