package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/view"
)

// find is what narrows the view: a filter over the left panes, and a search in the pane
// that had the cursor when it began.
type find struct {
	nav     *navigator
	filter  snapshot.Filter
	text    string   // of the filter, as typed; "" for none
	filters []string // earlier ones, the last first

	in      view.Searcher // nil: no search
	query   string
	typing  bool
	queries []string
	said    int // the notice of which match the cursor is on
}

// chip is the filter in a few words, for the header.
func (f *find) chip() string {
	if f.text == "" {
		return ""
	}
	return "filter: " + text.Truncate(text.SafeLine(f.text), 30)
}

// stepping reports whether a search has matches to step through.
func (f *find) stepping() bool { return f.in != nil && !f.typing && f.query != "" }

// remembered puts a text in front of a history.
func remembered(list []string, s string) []string {
	list = append([]string{s}, without(list, s)...)
	return list[:min(len(list), 20)]
}

// filterBar is the line in which a filter is typed. It takes effect while it is typed, and giving up brings
// back what was there.
type filterBar struct {
	dialog.Frame
	nav     *navigator
	bar     *overlay.Bar
	before  snapshot.Filter
	text    string // of the filter before
	restore func() // brings the cursor and the folds back
}

// filterStart asks for a filter.
func (n *navigator) filterStart() tea.Cmd {
	if n.snap == nil {
		return n.remark("the store is loading")
	}
	bar := overlay.NewBar(n.st, overlay.BarOptions{
		Label: "filter", Value: n.find.text, History: n.find.filters,
		Placeholder: "is:blocked  status:ready  under:NAME  label:x  priority:high  by:ann  or text",
		Complete:    n.find.complete,
	})
	return n.dialogs.Push(&filterBar{dialog.Frame{Box: bar, Scope: keymap.Prompt}, n, bar, n.find.filter, n.find.text, n.panes.left().Keep()})
}

func (f *filterBar) Place() dialog.Place { return f.OnFooter() }

// Can leaves out the keys of the history, which has no place in the line.
func (f *filterBar) Can(action keymap.Action) dialog.Can {
	return dialog.Can{No: action == keymap.PromptNext || action == keymap.PromptPrev}
}

func (f *filterBar) On(out overlay.Outcome) tea.Cmd {
	n := f.nav
	switch out := out.(type) {
	case overlay.Changed:
		f.try(out.Text)
	case overlay.Sent:
		if err := n.find.apply(out.Text); err != nil {
			f.bar.SetError("Not applied: " + filterError(err))
			return n.dialogs.Push(f) // it stays until it can be understood
		}
		if n.find.text != "" {
			n.find.filters = remembered(n.find.filters, n.find.text)
		}
	case overlay.Cancelled:
		n.find.set(f.before, f.text)
		f.restore()
	}
	return n.onMoved()
}

// try applies a filter as far as it is typed. While its last word is unfinished, or
// a value of it that nothing has, the filter before stays: the tree does not empty and
// fill at every key. One that cannot become a filter is said in the bar.
func (f *filterBar) try(typed string) {
	n := f.nav
	if unfinished(typed) {
		f.bar.SetInfo(n.find.offered(typed))
		return
	}
	filter, err := snapshot.ParseFilter(typed)
	if err != nil {
		f.bar.SetError(filterError(err))
		return
	}
	found := n.snap.Select(filter)
	if _, _, word := lastWord(typed); len(found) == 0 && strings.Contains(word, ":") {
		f.bar.SetInfo("no task has it")
		return
	}
	n.find.narrow(filter, strings.TrimSpace(typed), n.snap, found)
	f.bar.SetInfo("")
	if n.find.text != "" {
		f.bar.SetInfo(fmt.Sprintf("%s of %s", text.Count(len(found)), text.Count(n.snap.Len())))
	}
}

// offered is what may be completed, in a few words.
func (f *find) offered(typed string) string {
	const most = 6
	before, sign, word := lastWord(typed)
	lead := len(before) + len(sign)
	if at := strings.IndexByte(word, ':'); at >= 0 {
		lead += max(at, strings.LastIndexByte(word, ',')) + 1
	}
	var out []string
	for _, o := range f.complete(typed) {
		if out = append(out, o[lead:]); len(out) == most {
			out = append(out, f.nav.st.Glyph.Ellipsis)
			break
		}
	}
	return strings.Join(out, " ")
}

// apply takes a filter as it is typed; a term that cannot be understood changes
// nothing.
func (f *find) apply(typed string) error {
	filter, err := snapshot.ParseFilter(typed)
	if err != nil {
		return err
	}
	f.set(filter, strings.TrimSpace(typed))
	return nil
}

// filterError says what is wrong with a filter, and what was probably meant.
func filterError(err error) string {
	n := view.Refusal("", err)
	return n.Reason()
}

func (f *find) set(filter snapshot.Filter, typed string) { f.narrow(filter, typed, nil, nil) }

// narrow sets a filter; found is what it selects of s, if that is known already.
func (f *find) narrow(filter snapshot.Filter, typed string, s *snapshot.Snapshot, found []int32) {
	f.filter, f.text = filter, typed
	f.nav.setUnmatched(typed)
	f.nav.panes.setFilter(filter, s, found)
}

// clear shows everything again and reports whether there was a filter.
func (f *find) clear() bool {
	if f.text == "" {
		return false
	}
	f.set(snapshot.Filter{}, "")
	return true
}

// searchBar is the line in which a search is typed.
type searchBar struct {
	dialog.Frame
	nav *navigator
	bar *overlay.Bar
	in  view.Searcher
}

// searchStart opens the search line for the pane with the cursor.
func (n *navigator) searchStart() tea.Cmd {
	if n.snap == nil {
		return n.remark("the store is loading")
	}
	n.find.end()
	in := n.panes.searcher()
	n.find.in, n.find.typing, n.find.query = in, true, ""
	in.SearchStart()
	bar := overlay.NewBar(n.st, overlay.BarOptions{Label: "/", Placeholder: "type to search", History: n.find.queries})
	if n.deps.Search != nil && in == view.Searcher(n.panes.left()) {
		n.texts.begin(bar, nil)
	}
	return n.dialogs.Push(&searchBar{dialog.Frame{Box: bar, Scope: keymap.Search}, n, bar, in})
}

func (s *searchBar) Place() dialog.Place { return s.OnFooter() }

func (s *searchBar) Can(action keymap.Action) dialog.Can {
	return dialog.Can{No: action == keymap.SearchTexts && !s.nav.texts.on()}
}

func (s *searchBar) Do(action keymap.Action) (tea.Cmd, bool) {
	if action != keymap.SearchTexts {
		return nil, false
	}
	if !s.nav.texts.on() {
		return nil, true
	}
	s.nav.dialogs.Drop(s)
	return s.openFinder(s.bar.Value()), true
}

func (s *searchBar) On(out overlay.Outcome) tea.Cmd {
	var cmd tea.Cmd
	n := s.nav
	switch out := out.(type) {
	case overlay.Changed:
		n.find.query = out.Text
		s.in.SearchType(out.Text)
		if n.texts.on() {
			cmd = n.texts.ask(out.Text)
		}
		s.bar.SetInfo(n.texts.barInfo())
	case overlay.Stepped:
		s.in.SearchNext(out.D)
		s.bar.SetInfo(n.texts.barInfo())
	case overlay.Sent:
		if n.texts.on() && n.texts.alone() { // there is nothing in the list to stay at
			return s.openFinder(out.Text)
		}
		n.texts.begin(nil, nil)
		n.find.keep()
	case overlay.Cancelled:
		n.find.giveUp()
	}
	return tea.Batch(cmd, n.onMoved())
}

func (s *searchBar) openFinder(typed string) tea.Cmd {
	s.nav.find.giveUp()
	return tea.Batch(s.nav.onMoved(), s.nav.openFinder(typed))
}

// giveUp ends a search that is being typed, and goes back to where it began.
func (f *find) giveUp() {
	if f.in != nil {
		f.in.SearchCancel()
	}
	f.in, f.typing, f.query = nil, false, ""
	f.nav.texts.begin(nil, nil)
}

// matches says which match of how many the cursor is on.
func (f *find) matches() string {
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
func (f *find) keep() {
	f.typing = false
	if f.query == "" {
		f.end()
		return
	}
	f.queries = remembered(f.queries, f.query)
	f.in.SearchAccept()
}

// end takes the marks of the matches off; the cursor stays.
func (f *find) end() {
	if f.in != nil {
		f.in.SearchClear()
	}
	f.in, f.typing, f.query = nil, false, ""
	f.nav.notices.Expire(f.said)
	f.nav.relayout()
}

// step goes to another match.
func (f *find) step(step int) tea.Cmd {
	if !f.stepping() {
		return nil
	}
	wrapped, _ := f.in.SearchNext(step)
	cmd := f.nav.onMoved()
	note := f.matches()
	if wrapped {
		note += ", around the end"
	}
	said := f.nav.remark(note)
	f.said = f.nav.notices.Last
	return tea.Batch(cmd, said)
}

// mostOffers is how many values are offered for a word of a filter.
const mostOffers = 50

// lastWord cuts a filter before the word that is being typed: what is before it, the signs
// that turn it round, and the word itself. Spaces inside quotes belong to the word.
func lastWord(typed string) (before, sign, word string) {
	from, quoted := 0, false
	for i, r := range typed {
		switch {
		case r == '"':
			quoted = !quoted
		case r == ' ' && !quoted:
			from = i + 1
		}
	}
	word = typed[from:]
	rest := strings.TrimLeft(word, "-!")
	return typed[:from], word[:len(word)-len(rest)], rest
}

// isKeyPrefix reports whether a word may become a key of a filter.
func isKeyPrefix(word string) bool {
	keys, _ := snapshot.FilterKeys()
	return word != "" && slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, strings.ToLower(word)) })
}

// unfinished reports whether the last word of a filter is still to become one: the
// beginning of a key, a key without a value, or the beginning of a value that it takes.
func unfinished(typed string) bool {
	_, _, word := lastWord(typed)
	key, value, isTerm := strings.Cut(word, ":")
	if !isTerm {
		return isKeyPrefix(word)
	}
	keys, values := snapshot.FilterKeys()
	key = strings.ToLower(key)
	if !slices.Contains(keys, key) {
		return false
	}
	value = strings.ToLower(value[strings.LastIndex(value, ",")+1:])
	if value == "" {
		return true
	}
	return slices.ContainsFunc(values[key], func(v string) bool { return v != value && strings.HasPrefix(v, value) })
}

// complete is what a filter may become when its last word is completed.
func (f *find) complete(typed string) []string {
	before, sign, word := lastWord(typed)
	lead := before + sign
	var out []string
	add := func(s string) { out = append(out, lead+s) }
	key, value, isTerm := strings.Cut(word, ":")
	key = strings.ToLower(key)
	keys, values := snapshot.FilterKeys()
	if !isTerm {
		for _, k := range keys {
			if strings.HasPrefix(k, key) {
				add(k + ":")
			}
		}
		return out
	}
	at := strings.LastIndex(value, ",") + 1
	head, part := value[:at], value[at:]
	known, open := values[key]
	if !open {
		known = snapshot.FilterValues(f.nav.snap, key)
	}
	begins := strings.ToLower(strings.Trim(part, `"`))
	for _, v := range known {
		if len(out) < mostOffers && strings.HasPrefix(strings.ToLower(v), begins) {
			if strings.ContainsAny(v, ` :,"`) {
				v = `"` + strings.ReplaceAll(v, `"`, "") + `"`
			}
			add(key + ":" + head + v)
		}
	}
	return out
}
