package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/dialog"
	"vespe/ui/inbox"
	"vespe/ui/panes"
	"vespe/ui/request"
	"vespe/ui/text"
	"vespe/ui/tour"
)

// problem is the problem under the cursor of a left view, if it is on one.
func (c *core) problem() (model.Problem, bool) {
	if c.panes.Right {
		return model.Problem{}, false
	}
	return c.problemLeft()
}

// problemLeft is the one under the left view's cursor, wherever the focus is.
func (c *core) problemLeft() (model.Problem, bool) {
	switch {
	case c.snap == nil:
	case c.panes.View == panes.Tree:
		return c.panes.Tree.Problem()
	case c.panes.View == panes.Inbox:
		return c.panes.Inbox.Problem()
	}
	return model.Problem{}, false
}

// request is the request under the cursor of the inbox, if it is on one.
func (c *core) request() (model.Request, bool) {
	if c.snap == nil || c.panes.Right || c.panes.View != panes.Inbox {
		return model.Request{}, false
	}
	item, ok := c.panes.Inbox.Item()
	if !ok {
		return model.Request{}, false
	}
	return c.requests.With(item.Request)
}

// requestLeft is the request under the cursor of the inbox, while the right pane shows it and not its task.
func (c *core) requestLeft() (model.Request, bool) {
	if c.snap == nil || c.panes.View != panes.Inbox || c.panes.Aside {
		return model.Request{}, false
	}
	return c.requests.Aside()
}

// noOpen says why there is nothing to open.
func (n *navigator) noOpen() string {
	_, onTask := n.current()
	_, onProblem := n.problem()
	_, onRequest := n.request()
	if onTask || onProblem || onRequest {
		return ""
	}
	return "nothing under the cursor"
}

// openItem shows the problem or the request under the cursor; false when it is on neither.
func (n *navigator) openItem() (tea.Cmd, bool) {
	if p, ok := n.problem(); ok {
		return n.dialogs.Push(dialog.NewPage(n.st, "Problem", n.problemLines(p, n.pageWidth()))), true
	}
	if r, ok := n.request(); ok {
		return n.requests.Open(r.ID), true
	}
	return nil, false
}

// pageWidth is how wide the text of a page may be on this screen.
func (c *core) pageWidth() int { return max(10, min(c.screen.W-6, dialog.Longest)) }

// problemLines say all that is known of a problem, in w cells.
func (n *navigator) problemLines(p model.Problem, w int) []string {
	st, ink := n.st, n.st.Warn
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
		add("task", text.SafeLine(n.name(p.UID)))
	}
	add("what", text.SafeLine(p.Code))
	add("repair", text.SafeLine(p.Hint))
	return out
}

// hear tells the dialogs and the request beside the inbox what has changed.
func (c *core) hear(news any) tea.Cmd {
	return tea.Batch(c.dialogs.Hear(news), c.requests.Hear(news))
}

// showItem shows on the right what the item under the inbox's cursor asks a person to decide. One that a key brought there
// can be decided on as soon as the keys rest; one that came by itself only after request.LookTime.
func (n *navigator) showItem(byKey bool) tea.Cmd {
	p := &n.panes
	none := inbox.Key{}
	if p.View != panes.Inbox {
		if p.Item != none && !p.Aside {
			p.Detail.Show(p.Tab)
		}
		p.Item = none
		n.requests.Hide()
		return nil
	}
	key := p.Inbox.Key()
	if key == p.Item {
		return nil
	}
	if byKey && p.Item != none {
		n.tour.Did(tour.Move, here(n.core))
	}
	if p.Item == none {
		p.Tab = p.Detail.Tab()
	}
	was := p.Item
	p.Item, p.Aside = key, false
	n.requests.Hide()
	if t, ok := n.waitingTab(); ok && !n.find.In(p.Detail) {
		p.Detail.Show(t)
	}
	item, _ := p.Inbox.Item()
	q, ok := n.requests.With(item.Request)
	if !ok {
		return nil
	}
	if p.Right { // the keys of a request are those of the list
		n.focus(false)
	}
	rest := request.LookTime
	if byKey && was != none {
		rest = dialog.QuietTime
	}
	return n.requests.Show(q, rest, was == none)
}
