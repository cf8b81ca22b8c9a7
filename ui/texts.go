package ui

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

// textSearch is what the texts of tasks are searched for, while somebody types. One question is asked
// at a time; what was typed meanwhile is the next.
type textSearch struct {
	nav    *navigator
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
func (t *textSearch) on() bool { return t.nav.deps.Search != nil && t.bar != nil }

func (n *navigator) noTexts() string {
	if n.deps.Search == nil {
		return "the texts have no index"
	}
	return n.noTasks()
}

// begin is before a search line or a finder is open; what was asked before is no answer to it.
func (t *textSearch) begin(bar *overlay.Bar, box *overlay.Finder) {
	*t = textSearch{nav: t.nav, gen: t.gen + 1, bar: bar, box: box}
}

// ask looks for a text.
func (t *textSearch) ask(typed string) tea.Cmd {
	n := t.nav
	t.want = typed
	if n.deps.Search == nil || t.busy || n.snap == nil {
		return nil
	}
	if strings.TrimSpace(typed) == "" {
		t.answer, t.text, t.err = snapshot.SearchAnswer{}, typed, nil
		t.show(false)
		return nil
	}
	t.busy = true
	return n.fx.search(t.gen, n.snap, typed)
}

// onFound shows what was found, and asks for what was typed since.
func (t *textSearch) onFound(m foundMsg) tea.Cmd {
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

func (t *textSearch) onTick(m foundTickMsg) tea.Cmd {
	if m.gen != t.gen || t.bar == nil && t.box == nil {
		return nil
	}
	return t.ask(t.want)
}

// show brings the answer to the screen.
func (t *textSearch) show(same bool) {
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
		f.Glyph, f.Ink = t.nav.st.Status(h.Status)
		for _, m := range h.Matches {
			f.Places = append(f.Places, overlay.FoundPlace{Where: m.Place(), Snippet: m.Snippet, Marks: m.Marks, Title: m.Field == snapshot.SearchName && m.Snippet == h.Name})
		}
		found[i] = f
	}
	t.box.SetFound(found, t.note(), same)
}

// note is what there is to say of the answer beside its rows.
func (t *textSearch) note() string {
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
func (t *textSearch) barInfo() string {
	said := t.nav.find.matches()
	if !t.on() || t.nav.find.query == "" {
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
	return said + "  " + t.nav.deps.Keymap.Label(keymap.SearchTexts) + ": " + more
}

// alone reports whether what is typed is in no name, and in texts.
func (t *textSearch) alone() bool {
	_, _, total := t.nav.find.in.Searching()
	return total == 0 && t.text == t.nav.find.query && len(t.answer.Hits) > 0
}

func (n *navigator) findTexts() tea.Cmd { return n.openFinder("") }

// openFinder opens the list of what is found in the texts of tasks.
func (n *navigator) openFinder(typed string) tea.Cmd {
	box := overlay.NewFinder(n.st, typed, "what was written")
	n.texts.begin(nil, box)
	ask := n.texts.ask(typed)
	n.texts.show(false)
	return tea.Batch(ask, n.dialogs.Push(&finder{dialog.Frame{Box: box, Scope: keymap.Picker}, n, box}))
}

// finder is the list of what is found in the texts of tasks.
type finder struct {
	dialog.Frame
	nav  *navigator
	list *overlay.Finder
}

func (f *finder) On(out overlay.Outcome) tea.Cmd {
	switch out := out.(type) {
	case overlay.Changed:
		return f.nav.texts.ask(out.Text)
	case overlay.Picked:
		_, place, _ := f.list.Current()
		return f.nav.goToFound(model.UID(out.ID), place)
	case overlay.Cancelled:
		f.nav.texts.begin(nil, nil)
	}
	return nil
}

// goToFound goes to a task that was found, and there to the place: its tab, with a search for the words that
// were found.
func (n *navigator) goToFound(uid model.UID, place int) tea.Cmd {
	var m snapshot.SearchMatch
	for _, h := range n.texts.answer.Hits {
		if h.UID == uid && place < len(h.Matches) {
			m = h.Matches[place]
		}
	}
	if typed := strings.TrimSpace(n.texts.want); typed != "" {
		n.find.queries = remembered(n.find.queries, typed)
	}
	n.texts.begin(nil, nil)
	n.find.end()
	cmd := n.goTo(uid)
	tabs := map[snapshot.SearchField]detail.Tab{
		snapshot.SearchObjective: detail.Objective, snapshot.SearchPlan: detail.Plan, snapshot.SearchComment: detail.Plan,
		snapshot.SearchResult: detail.Result, snapshot.SearchHistory: detail.History,
	}
	tab, ok := tabs[m.Field]
	if !ok || n.selected() != uid {
		return cmd
	}
	if m.Field == snapshot.SearchObjective && m.Part != "" { // what spec.json says is in the overview
		tab = detail.Overview
	}
	n.focus(true)
	cmd = tea.Batch(cmd, n.showTab(tab))
	if m.Word == "" {
		return cmd
	}
	n.texts.pending, n.texts.pendingUID, n.texts.pendingTab = m, uid, tab
	return tea.Batch(cmd, n.texts.goToPending())
}

// goToPending puts the cursor on what was found, once the texts of its task are here, and continues the search there. A
// person who has done something else meanwhile stays there.
func (t *textSearch) goToPending() tea.Cmd {
	n, uid := t.nav, t.pendingUID
	if uid == "" || uid == n.selected() && (n.sheet == nil || n.sheet.UID != uid) {
		return nil
	}
	t.pendingUID = ""
	in := n.panes.detail
	if uid != n.selected() || !n.panes.right || in.Tab() != t.pendingTab || n.find.typing {
		return nil
	}
	if t.pending.Line > 0 && t.pending.Part == "" { // the line of a part is none of the document
		in.GoToLine(t.pending.Line)
	}
	n.find.in, n.find.query = in, t.pending.Word
	in.SearchStart()
	in.SearchType(t.pending.Word)
	n.find.keep()
	return n.onMoved()
}
