package find

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/view"
)

// texts is what the texts of tasks are searched for, while somebody types. One question is asked
// at a time; what was typed meanwhile is the next.
type texts struct {
	find   *Find
	gen    int
	want   string // what is typed
	busy   bool
	answer snapshot.SearchAnswer
	text   string // what the answer is to
	err    error
	bar    *overlay.Bar    // the search line of a list; nil while it is closed
	box    *overlay.Finder // nil while it is closed

	pending    snapshot.SearchMatch // where the cursor goes once the texts are here
	pendingTab detail.Tab
	pendingUID model.UID // of that; "" for nothing
}

// moreSoon is after what time it is asked again while not everything is indexed.
const moreSoon = 400 * time.Millisecond

// on reports whether the search that is typed continues in the texts: it is one in a list of tasks.
func (t *texts) on() bool { return t.find.Search != nil && t.bar != nil }

// begin is before a search line or a finder is open; what was asked before is no answer to it.
func (t *texts) begin(bar *overlay.Bar, box *overlay.Finder) {
	*t = texts{find: t.find, gen: t.gen + 1, bar: bar, box: box}
}

// ask looks for a text.
func (t *texts) ask(typed string) tea.Cmd {
	f := t.find
	t.want = typed
	if f.Search == nil || t.busy || f.Host.Snapshot() == nil {
		return nil
	}
	if strings.TrimSpace(typed) == "" {
		t.answer, t.text, t.err = snapshot.SearchAnswer{}, typed, nil
		t.show(false)
		return nil
	}
	t.busy = true
	gen, snap := t.gen, f.Host.Snapshot()
	return func() tea.Msg {
		answer, err := f.Search(snap, typed)
		return foundMsg{gen, typed, answer, err}
	}
}

// onFound shows what was found, and asks for what was typed since.
func (t *texts) onFound(m foundMsg) tea.Cmd {
	if m.gen != t.gen {
		return nil
	}
	same := t.text == m.text
	t.busy, t.answer, t.text, t.err = false, m.answer, m.text, m.err
	if t.bar == nil && t.box == nil {
		return nil
	}
	t.show(same)
	if t.want != m.text {
		return t.ask(t.want)
	}
	if m.err == nil && (m.answer.Indexed < m.answer.Tasks || m.answer.Ahead != "") {
		return view.After(moreSoon, foundTickMsg{t.gen})
	}
	return nil
}

func (t *texts) onTick(m foundTickMsg) tea.Cmd {
	if m.gen != t.gen || t.bar == nil && t.box == nil {
		return nil
	}
	return t.ask(t.want)
}

// show brings the answer to the screen.
func (t *texts) show(same bool) {
	if t.bar != nil {
		t.bar.SetInfo(t.barInfo())
	}
	if t.box == nil {
		return
	}
	found := make([]overlay.Found, len(t.answer.Hits))
	for i, h := range t.answer.Hits {
		f := overlay.Found{ID: string(h.UID), Title: h.Name}
		if h.Name == "" {
			f.Title = string(h.UID)
		}
		f.Glyph, f.Ink = t.find.Host.Styles().Status(h.Status)
		for _, m := range h.Matches {
			f.Places = append(f.Places, overlay.FoundPlace{Where: m.Place(), Snippet: m.Snippet, Marks: m.Marks, Title: m.Field == snapshot.SearchName && m.Snippet == h.Name})
		}
		found[i] = f
	}
	t.box.SetFound(found, t.note(), same)
}

// note is what there is to say of the answer beside its rows.
func (t *texts) note() string {
	a := &t.answer
	var r *model.Refusal
	switch {
	case errors.As(t.err, &r):
		return view.Notice{Why: r.Why, Hint: r.Hint}.Reason()
	case t.err != nil:
		return "Can't search the texts: " + t.err.Error()
	case strings.TrimSpace(t.want) == "":
		return `Type words, "a phrase", plan:word, -word, status:ready …`
	case t.text == "":
		return "Looking …"
	case a.Indexed < a.Tasks:
		return fmt.Sprintf("The texts of %s of %s tasks are indexed so far.", text.Count(a.Indexed), text.Count(a.Tasks))
	case len(a.Hits) == 0:
		return "Nothing was found."
	case a.More:
		return fmt.Sprintf("The first %d; type more to narrow them.", len(a.Hits))
	case a.Ahead != "":
		return a.Ahead
	}
	return ""
}

// barInfo says at the right of the search line what was found: in the list, and in the texts.
func (t *texts) barInfo() string {
	said := t.find.matches()
	if !t.on() || t.find.query == "" {
		return said
	}
	var more string
	switch n := len(t.answer.Hits); {
	case t.err != nil || t.text == "":
	case n > 0 && t.answer.More:
		more = fmt.Sprintf("%d+ in texts", n)
	case n > 0:
		more = fmt.Sprintf("%d in texts", n)
	case t.answer.Indexed < t.answer.Tasks:
		more = fmt.Sprintf("indexing %d%%", 100*t.answer.Indexed/max(1, t.answer.Tasks))
	}
	if more == "" {
		return said
	}
	return said + "  " + t.find.TextsKey + ": " + more
}

// alone reports whether what is typed is in no name, and in texts.
func (t *texts) alone() bool {
	_, _, total := t.find.in.Searching()
	return total == 0 && t.text == t.find.query && len(t.answer.Hits) > 0
}

// OpenTexts opens the list of what is found in the texts of tasks.
func (f *Find) OpenTexts(typed string) tea.Cmd {
	box := overlay.NewFinder(f.Host.Styles(), typed, "what was written")
	f.texts.begin(nil, box)
	ask := f.texts.ask(typed)
	f.texts.show(false)
	return tea.Batch(ask, f.Dialogs.Push(&finder{dialog.Frame{Box: box, Scope: keymap.Picker}, f, box}))
}

// finder is the list of what is found in the texts of tasks.
type finder struct {
	dialog.Frame
	find *Find
	list *overlay.Finder
}

func (f *finder) On(out overlay.Outcome) tea.Cmd {
	switch out := out.(type) {
	case overlay.Changed:
		return f.find.texts.ask(out.Text)
	case overlay.Picked:
		_, place, _ := f.list.Current()
		return f.find.goTo(model.UID(out.ID), place)
	case overlay.Canceled:
		f.find.texts.begin(nil, nil)
	}
	return nil
}

// goTo goes to a place that was found, and ends the search that found it.
func (f *Find) goTo(uid model.UID, place int) tea.Cmd {
	var m snapshot.SearchMatch
	for _, h := range f.texts.answer.Hits {
		if h.UID == uid && place < len(h.Matches) {
			m = h.Matches[place]
		}
	}
	if typed := strings.TrimSpace(f.texts.want); typed != "" {
		f.queries = remembered(f.queries, typed)
	}
	f.texts.begin(nil, nil)
	f.End()
	return f.Host.GoToFound(uid, m)
}

// Await puts the cursor on what was found once the texts of its task are here.
func (f *Find) Await(uid model.UID, tab detail.Tab, at snapshot.SearchMatch) tea.Cmd {
	f.texts.pending, f.texts.pendingUID, f.texts.pendingTab = at, uid, tab
	return f.Arrived()
}

// Arrived puts the cursor on what was awaited, if the texts of its task are here, and continues the search there. A
// person who has done something else meanwhile stays there.
func (f *Find) Arrived() tea.Cmd {
	t, uid := &f.texts, f.texts.pendingUID
	if uid == "" || uid == f.Host.Selected() && !f.Host.HasTexts(uid) {
		return nil
	}
	t.pendingUID = ""
	in := f.Panes.Detail
	if uid != f.Host.Selected() || !f.Panes.Right || in.Tab() != t.pendingTab || f.typing {
		return nil
	}
	if t.pending.Line > 0 && t.pending.Part == "" { // the line of a part is none of the document
		in.GoToLine(t.pending.Line)
	}
	f.in, f.query = in, t.pending.Word
	in.SearchStart()
	in.SearchType(t.pending.Word)
	f.keep()
	return f.Host.Moved()
}

// foundMsg is what was found in the texts.
type foundMsg struct {
	gen    int
	text   string
	answer snapshot.SearchAnswer
	err    error
}

// foundTickMsg asks again, while not everything is indexed.
type foundTickMsg struct{ gen int }

// Update takes what it asked for; ok is false for other messages.
func (f *Find) Update(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch m := msg.(type) {
	case foundMsg:
		return f.texts.onFound(m), true
	case foundTickMsg:
		return f.texts.onTick(m), true
	}
	return nil, false
}
