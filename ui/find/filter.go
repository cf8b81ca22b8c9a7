package find

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/panes"
	"vespe/ui/text"
	"vespe/ui/view"
)

// filterBar is the line in which a filter is typed. It takes effect while it is typed, and giving up brings
// back what was there.
type filterBar struct {
	dialog.Frame
	find    *Find
	bar     *overlay.Bar
	before  snapshot.Filter
	text    string // of the filter before
	restore func() // brings the cursor and the folds back
}

// FilterStart asks for a filter.
func (f *Find) FilterStart() tea.Cmd {
	if f.Host.Snapshot() == nil {
		return f.Host.Say(view.Notice{Level: view.Remark, Text: "the store is loading"})
	}
	bar := overlay.NewBar(f.Host.Styles(), overlay.BarOptions{
		Label: "filter", Value: f.text, History: f.filters,
		Placeholder: "is:blocked  status:ready  under:NAME  label:x  priority:high  by:ann  or text",
		Complete:    func(typed string) []string { return snapshot.CompleteFilter(f.Host.Snapshot(), typed) },
	})
	return f.Dialogs.Push(&filterBar{dialog.Frame{Box: bar, Scope: keymap.Prompt}, f, bar, f.filter, f.text, f.Panes.Left().Keep()})
}

func (f *filterBar) Place() dialog.Place { return f.OnFooter() }

// Can leaves out the keys of the history, which has no place in the line.
func (f *filterBar) Can(action keymap.Action) dialog.Can {
	return dialog.Can{No: action == keymap.PromptNext || action == keymap.PromptPrev}
}

func (f *filterBar) On(out overlay.Outcome) tea.Cmd {
	in := f.find
	switch out := out.(type) {
	case overlay.Changed:
		f.try(out.Text)
	case overlay.Sent:
		if err := in.Apply(out.Text); err != nil {
			f.bar.SetError("Not applied: " + Refused(err))
			return in.Dialogs.Push(f) // it stays until it can be understood
		}
		if in.text != "" {
			in.filters = remembered(in.filters, in.text)
		}
	case overlay.Canceled:
		in.set(f.before, f.text)
		f.restore()
	}
	return in.Host.Moved()
}

// try applies a filter as far as it is typed. While its last word is unfinished, or
// a value of it that nothing has, the filter before stays: the tree does not empty and
// fill at every key. One that cannot become a filter is said in the bar.
func (f *filterBar) try(typed string) {
	in := f.find
	if snapshot.IsUnfinished(typed) {
		f.bar.SetInfo(in.offered(typed))
		return
	}
	filter, err := snapshot.ParseFilter(typed)
	if err != nil {
		f.bar.SetError(Refused(err))
		return
	}
	found := in.Host.Snapshot().Select(filter)
	if _, _, word := snapshot.LastWord(typed); len(found) == 0 && strings.Contains(word, ":") {
		f.bar.SetInfo("no task has it")
		return
	}
	in.narrow(filter, strings.TrimSpace(typed), in.Host.Snapshot(), found)
	f.bar.SetInfo("")
	if in.text != "" {
		f.bar.SetInfo(fmt.Sprintf("%s of %s", text.Count(len(found)), text.Count(in.Host.Snapshot().Len())))
	}
}

// offered is what may be completed, in a few words.
func (f *Find) offered(typed string) string {
	const most = 6
	before, sign, word := snapshot.LastWord(typed)
	lead := len(before) + len(sign)
	if at := strings.IndexByte(word, ':'); at >= 0 {
		lead += max(at, strings.LastIndexByte(word, ',')) + 1
	}
	var out []string
	for _, o := range snapshot.CompleteFilter(f.Host.Snapshot(), typed) {
		if out = append(out, o[lead:]); len(out) == most {
			out = append(out, f.Host.Styles().Glyph.Ellipsis)
			break
		}
	}
	return strings.Join(out, " ")
}

// Apply takes a filter as it is typed; a term that cannot be understood changes
// nothing.
func (f *Find) Apply(typed string) error {
	filter, err := snapshot.ParseFilter(typed)
	if err != nil {
		return err
	}
	f.set(filter, strings.TrimSpace(typed))
	return nil
}

// Refused says what is wrong with a filter, and what was probably meant.
func Refused(err error) string {
	n := view.Refusal("", err)
	return n.Reason()
}

func (f *Find) set(filter snapshot.Filter, typed string) { f.narrow(filter, typed, nil, nil) }

// narrow sets a filter; found is what it selects of s, if that is known already.
func (f *Find) narrow(filter snapshot.Filter, typed string, s *snapshot.Snapshot, found []int32) {
	f.filter, f.text = filter, typed
	lines := []string{"No task matches " + text.SafeLine(typed)}
	if hint := f.Host.Hint(keymap.Back, "clears the filter"); hint != "" {
		lines = append(lines, hint)
	}
	for v := range panes.Count {
		f.Panes.Lefts[v].List().SetUnmatched(lines...)
	}
	f.Panes.SetFilter(filter, s, found)
}

// Clear shows everything again and reports whether there was a filter.
func (f *Find) Clear() bool {
	if f.text == "" {
		return false
	}
	f.set(snapshot.Filter{}, "")
	return true
}
