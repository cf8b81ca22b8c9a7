package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
	"vespe/ui/view"
)

// viewHost is what the views get of the App.
type viewHost struct{ a *App }

func (h viewHost) Snapshot() *model.Snapshot                     { return h.a.snap }
func (h viewHost) Now() time.Time                                { return h.a.deps.Now() }
func (h viewHost) Selected() model.UID                           { return h.a.selected() }
func (h viewHost) Name(uid model.UID) string                     { return h.a.name(uid) }
func (h viewHost) Hint(action keymap.Action, does string) string { return h.a.keyHint(action, does) }

func (h viewHost) Shows(v view.View) bool { return h.a.snap != nil && h.a.panes.shown().View == v }
func (h viewHost) Moved() tea.Cmd         { return h.a.onMoved() }
func (h viewHost) Over(text string)       { h.a.notices.dismissLike(text) }
func (h viewHost) Tell(news any) tea.Cmd  { return h.a.hear(news) }

func (h viewHost) Show(action keymap.Action) tea.Cmd {
	for v, l := range h.a.panes.lefts {
		if l.action == action {
			return h.a.show(leftView(v))
		}
	}
	return nil
}

func (h viewHost) Say(n view.Notice) tea.Cmd {
	switch n.Level {
	case view.Done:
		h.a.readFailures(h.a.notices.last)
		return h.a.say(n.Text)
	case view.Success:
		return h.a.say(n.Text)
	case view.Remark:
		return h.a.remark(n.Text)
	}
	return h.a.fail(notice{text: n.Text, why: n.Why, hint: n.Hint, guard: n.Guard, lasts: n.Lasts})
}

func (h viewHost) Refused(what string, err error) view.Notice {
	n := h.a.refused(what, err)
	return view.Notice{Level: view.Failure, Text: n.text, Why: n.why, Hint: n.hint, Guard: n.guard}
}

func (h viewHost) WhyNot(op model.Op) string { return h.a.whyNot(h.a.allowed(op)) }

func (h viewHost) Pick(o overlay.PickerOptions, then func(id string) tea.Cmd) tea.Cmd {
	return h.a.pick(o, then)
}

func (h viewHost) Ask(q view.Question) tea.Cmd {
	return h.a.openConfirm(confirmInput{
		title: q.Title, summary: q.Summary, yes: q.Yes, notes: q.Notes, affected: q.Affected, danger: q.Danger, bottom: true, done: q.Done,
	})
}

// What the view of the runs gets besides.

func (h viewHost) InView() bool   { return h.a.screen.layout.Right.W > 0 }
func (h viewHost) Focus()         { h.a.focus(true) }
func (h viewHost) Unfilter() bool { return h.a.find.clear() }
func (h viewHost) Remember()      { h.a.remember(h.a.selected()) }
func (h viewHost) Head() tea.Cmd  { return h.a.fx.head() }
func (h viewHost) LastRun() (id string, ok bool) {
	d := h.a.panes.detail
	id, ok = d.LastRun()
	return id, ok && d.Task() == h.a.selected()
}

func (h viewHost) Turned(p view.Searcher) {
	if h.a.find.in == p {
		h.a.find.end()
	}
	h.a.relayout()
}
