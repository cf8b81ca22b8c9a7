package ui

import (
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/drafts"
	"vespe/ui/feed"
	"vespe/ui/overlay"
	"vespe/ui/panes"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/verdict"
	"vespe/ui/view"
)

// viewHost is what the views get of the App.
type viewHost struct{ a *App }

func (h viewHost) Snapshot() *snapshot.Snapshot                  { return h.a.snap }
func (h viewHost) Now() time.Time                                { return h.a.deps.Now() }
func (h viewHost) Selected() model.UID                           { return h.a.selected() }
func (h viewHost) Name(uid model.UID) string                     { return h.a.name(uid) }
func (h viewHost) Hint(action keymap.Action, does string) string { return h.a.keyHint(action, does) }

func (h viewHost) Shows(v view.View) bool  { return h.a.snap != nil && h.a.panes.Shown().View == v }
func (h viewHost) Remember(from model.UID) { h.a.nav.remember(spot{from, h.a.panes.View}) }
func (h viewHost) Moved() tea.Cmd          { return h.a.nav.onMoved() }
func (h viewHost) Over(text string)        { h.a.notices.DismissLike(text) }
func (h viewHost) Tell(news any) tea.Cmd   { return h.a.hear(news) }

func (h viewHost) Show(action keymap.Action) tea.Cmd {
	for v, l := range h.a.panes.Lefts {
		if l.Action == action {
			return h.a.nav.show(panes.View(v))
		}
	}
	return nil
}

func (h viewHost) Say(n view.Notice) tea.Cmd {
	switch n.Level {
	case view.Done:
		h.a.readFailures(h.a.notices.Last)
		return h.a.say(n.Text)
	case view.Success:
		return h.a.say(n.Text)
	case view.Remark:
		return h.a.remark(n.Text)
	}
	return h.a.fail(n)
}

func (h viewHost) Refused(what string, err error) view.Notice {
	return h.a.proposer().Refused(what, err)
}

func (h viewHost) WhyNot(op model.Op) string {
	if op.Actor == "" {
		op.Actor = h.a.deps.Actor
	}
	return h.a.proposer().WhyNot(h.a.allowed(op))
}

func (h viewHost) Pick(o overlay.PickerOptions, then func(id string) tea.Cmd) tea.Cmd {
	return h.a.pick(o, then)
}

func (h viewHost) Ask(q dialog.Ask) tea.Cmd {
	q.Bottom = true
	return h.a.openConfirm(q)
}

// What the dialogs get besides.

func (h viewHost) Screen() *screen.Screen { return &h.a.screen }
func (h viewHost) Styles() *style.Styles  { return h.a.st }
func (h viewHost) Began()                 { h.a.chord = nil }

// What the view of the runs gets besides.

func (h viewHost) InView() bool   { return h.a.screen.Layout.Right.W > 0 }
func (h viewHost) Focus()         { h.a.nav.focus(true) }
func (h viewHost) Unfilter() bool { return h.a.nav.find.Clear() }
func (h viewHost) Head() tea.Cmd  { return h.a.fx.head() }
func (h viewHost) LastRun() (id string, ok bool) {
	d := h.a.panes.Detail
	id, ok = d.LastRun()
	return id, ok && d.Task() == h.a.selected()
}

func (h viewHost) Turned(p view.Searcher) {
	if h.a.nav.find.In(p) {
		h.a.nav.find.End()
	}
	h.a.relayout()
}

// For ui/find.

func (h viewHost) Relayout()                   { h.a.relayout() }
func (h viewHost) HasTexts(uid model.UID) bool { return h.a.docs != nil && h.a.docs.UID == uid }
func (h viewHost) GoToFound(uid model.UID, at snapshot.SearchMatch) tea.Cmd {
	return h.a.nav.goToFound(uid, at)
}

// For ui/whereabouts.

func (h viewHost) Followed() model.UID { return h.a.nav.followed }

func (h viewHost) Overview() bool {
	return h.a.snap != nil && !h.a.loading.early && h.a.panes.Detail.Tab() == detail.Overview
}

// The following methods are for the views of the graph.

func (h viewHost) Open() tea.Cmd { return h.a.nav.open() }

func (h viewHost) GoToOneOf(title string, uids []model.UID) tea.Cmd {
	return h.a.pickTask(title, uids, h.a.nav.goTo)
}

// What the view of milestones gets besides.

func (h viewHost) Targets() []model.UID { return h.a.targets() }

func (h viewHost) Fire(op model.Op, targets []model.UID) tea.Cmd {
	p, err := h.a.proposer().Propose(op, targets, nil)
	switch {
	case errors.Is(err, verdict.ErrNoTask):
		return nil
	case err != nil:
		return h.a.fail(h.a.proposer().Refused(op.Name.Title(), err))
	}
	return h.a.fire(job{ops: p.Ops})
}

// What requests get besides.

func (h viewHost) Sight() model.World {
	return verdict.Sight{Snapshot: h.a.snap, Texts: h.a.proposer().Read()}
}
func (h viewHost) NoUndo(q *model.Request) string   { return h.a.decider.noUndoOf(q) }
func (h viewHost) Off(action keymap.Action) string  { return h.a.actions[action].Why() }
func (h viewHost) Run(action keymap.Action) tea.Cmd { return h.a.run(action) }
func (h viewHost) LastKey() string                  { return h.a.lastKey }
func (h viewHost) Rested() bool                     { return h.a.panes.Rested }
func (h viewHost) GoTo(uid model.UID) tea.Cmd       { return h.a.nav.goTo(uid) }

func (h viewHost) Beside() bool {
	_, on := h.a.requestLeft()
	return on && h.a.screen.Layout.Right.H > 0 // else nobody sees it
}

func (h viewHost) Foresee(ops []model.Op) (effects, notes []string, affected []overlay.Affected, err error) {
	_, p, err := h.a.proposer().Preview(ops)
	return p.Effects, p.Notes, p.Affected, err
}

func (h viewHost) Answer(ops []model.Op, seen []model.Request) tea.Cmd {
	return h.a.fire(job{ops: ops, asked: seen})
}

func (h viewHost) Answering(id string) bool {
	for _, j := range h.a.jobs.open {
		if slices.ContainsFunc(j.ops, func(op model.Op) bool { return op.Name == model.AnswerRequest && op.Request() == id }) {
			return true
		}
	}
	return false
}

func (h viewHost) Words(key drafts.Key, o overlay.ComposeOptions, answer func(text string) (model.Op, model.Request)) tea.Cmd {
	return h.a.openWords(key, o, func(_ *overlay.Compose, text string) job {
		op, seen := answer(text)
		return job{ops: []model.Op{op}, asked: []model.Request{seen}}
	})
}

func (h viewHost) Compare(title, oldName, nowName string, old, now []byte, then func() tea.Cmd) tea.Cmd {
	return h.a.comments.openDiff(diffInput{title: title, oldName: oldName, nowName: nowName, old: old, now: now, then: then})
}

// What pages that look back get besides.

func (h viewHost) Journal() *feed.View { return h.a.panes.History }

func (h viewHost) Events(uid model.UID) ([]model.Event, error) {
	events, _, err := h.a.deps.Store.History(h.a.fx.ctx, uid)
	return events, err
}

func (h viewHost) Filter() string { return h.a.nav.find.Chip() }

func (h viewHost) Passing() func(uid model.UID) bool {
	if h.a.panes.Test == nil {
		return nil
	}
	in := map[model.UID]bool{}
	for i := range h.a.snap.Len() {
		if h.a.panes.Test(h.a.snap, i) {
			in[h.a.snap.UID(i)] = true
		}
	}
	return func(uid model.UID) bool { return in[uid] }
}
