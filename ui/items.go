package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/dialog"
	"vespe/ui/inbox"
	"vespe/ui/request"
	"vespe/ui/text"
	"vespe/ui/tour"
	"vespe/ui/view"
)

// problem is the problem under the cursor of a left view, if it is on one.
func (a *App) problem() (model.Problem, bool) {
	if a.panes.right {
		return model.Problem{}, false
	}
	return a.problemLeft()
}

// problemLeft is the one under the left view's cursor, wherever the focus is.
func (a *App) problemLeft() (model.Problem, bool) {
	switch {
	case a.snap == nil:
	case a.panes.view == viewTree:
		return a.panes.tree.Problem()
	case a.panes.view == viewInbox:
		return a.panes.inbox.Problem()
	}
	return model.Problem{}, false
}

// request is the request under the cursor of the inbox, if it is on one.
func (a *App) request() (model.Request, bool) {
	if a.snap == nil || a.panes.right || a.panes.view != viewInbox {
		return model.Request{}, false
	}
	item, ok := a.panes.inbox.Item()
	if !ok {
		return model.Request{}, false
	}
	return a.requests.With(item.Request)
}

// requestLeft is the request under the cursor of the inbox, while the right pane shows it and not its task.
func (a *App) requestLeft() (model.Request, bool) {
	if a.snap == nil || a.panes.view != viewInbox || a.panes.aside {
		return model.Request{}, false
	}
	return a.requests.Aside()
}

// noOpen says why there is nothing to open.
func (a *App) noOpen() string {
	_, onTask := a.current()
	_, onProblem := a.problem()
	_, onRequest := a.request()
	if onTask || onProblem || onRequest {
		return ""
	}
	return "nothing under the cursor"
}

// openItem shows the problem or the request under the cursor; false when it is on neither.
func (a *App) openItem() (tea.Cmd, bool) {
	if p, ok := a.problem(); ok {
		return a.dialogs.Push(dialog.NewPage(a.st, "Problem", a.problemLines(p, a.pageWidth()))), true
	}
	if r, ok := a.request(); ok {
		return a.requests.Open(r.ID), true
	}
	return nil, false
}

// pageWidth is how wide the text of a page may be on this screen.
func (a *App) pageWidth() int { return max(10, min(a.screen.W-6, 84)) }

// problemLines say all that is known of a problem, in w cells.
func (a *App) problemLines(p model.Problem, w int) []string {
	st, ink := a.st, a.st.Warn
	if p.Severity == model.Error {
		ink = st.Bad
	}
	var out []string
	for _, l := range text.Wrap(text.SafeLine(p.Reason), w) {
		out = append(out, ink.Render(l))
	}
	where := text.SafeLine(p.Path)
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, p.Line)
	}
	add := func(label, body string) {
		if body == "" {
			return
		}
		for i, l := range text.Wrap(body, max(1, w-9)) {
			if i > 0 {
				label = ""
			}
			out = append(out, st.Muted.Render(text.Pad(label, 9))+st.Text.Render(l))
		}
	}
	out = append(out, "")
	add("where", where)
	if p.UID != "" {
		add("task", text.SafeLine(a.name(p.UID)))
	}
	add("what", text.SafeLine(p.Code))
	add("repair", text.SafeLine(p.Hint))
	return out
}

// hear tells the dialogs and the request beside the inbox what has changed.
func (a *App) hear(news any) tea.Cmd {
	return tea.Batch(a.dialogs.Hear(news), a.requests.Hear(news))
}

// showItem shows on the right what the item under the inbox's cursor asks a person to decide. One that a key brought there
// can be decided on as soon as the keys rest; one that came by itself only after request.LookTime.
func (a *App) showItem(byKey bool) tea.Cmd {
	p := &a.panes
	none := inbox.Key{}
	if p.view != viewInbox {
		if p.item != none && !p.aside {
			p.detail.Show(p.tab)
		}
		p.item = none
		a.requests.Hide()
		return nil
	}
	key := p.inbox.Key()
	if key == p.item {
		return nil
	}
	picked := byKey && p.item != none
	if picked {
		a.tour.Did(tour.Move, here(a))
	}
	if p.item == none {
		p.tab = p.detail.Tab()
	}
	p.item, p.aside = key, false
	a.requests.Hide()
	if t, ok := a.waitingTab(); ok && a.find.in != view.Searcher(p.detail) {
		p.detail.Show(t)
	}
	item, _ := p.inbox.Item()
	q, ok := a.requests.With(item.Request)
	if !ok {
		return nil
	}
	rest := request.LookTime
	if byKey {
		rest = dialog.QuietTime
	}
	return a.requests.Show(q, picked, rest)
}
