package find

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/view"
)

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
	case overlay.Cancelled:
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
		note += ", around the end"
	}
	said := f.Host.Say(view.Notice{Level: view.Remark, Text: note})
	f.said = f.Notices.Last
	return tea.Batch(cmd, said)
}
