package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model/snapshot"
	"vespe/ui/detail"
	"vespe/ui/text"
	"vespe/ui/view"
)

// loading is how a load of the store stands.
type loading struct {
	gen    int
	active bool
	shown  bool  // long enough to be shown
	again  again // the head moved while loading
	back   bool  // the log was set back: an older snapshot is the newer one
	gauge  *view.Gauge
	err    error
}

// again is what is to be read when the reading that is under way has ended.
type again int

const (
	notAgain again = iota
	againNew       // what newer transactions name
	againAll
)

// reload reads the whole store, which also finds what was edited without a transaction.
// When a reading is under way it is done after it.
func (a *App) reload() tea.Cmd { return a.read(againAll) }

// refresh reads what newer transactions name; everything when nothing has been read yet.
func (a *App) refresh() tea.Cmd {
	if a.snap == nil {
		return a.reload()
	}
	return a.read(againNew)
}

func (a *App) read(what again) tea.Cmd {
	if a.loading.active {
		a.loading.again = max(a.loading.again, what)
		return nil
	}
	g := &view.Gauge{}
	a.loading = loading{gen: a.loading.gen + 1, active: true, gauge: g}
	cmd := a.fx.refresh(a.loading.gen)
	if what == againAll {
		cmd = a.fx.load(a.loading.gen, g)
		if a.snap == nil {
			cmd = tea.Sequence(a.fx.warm(a.loading.gen), cmd)
		}
	}
	return tea.Batch(cmd, view.After(view.FlickerFree, loadTickMsg{a.loading.gen}))
}

func (a *App) onLoadTick(m loadTickMsg) tea.Cmd {
	if !a.loading.active || m.gen != a.loading.gen {
		return nil
	}
	a.loading.shown = true
	tick := view.After(view.LoadTick, loadTickMsg{m.gen})
	if a.snap == nil || a.early {
		return tea.Batch(tick, a.fx.partial(m.gen))
	}
	return tick
}

// onEarly shows what there is to look at before the store has been read.
func (a *App) onEarly(m earlyMsg) tea.Cmd {
	if m.snap == nil || m.gen != a.loading.gen || !a.loading.active || a.snap != nil && !a.early || a.snap == m.snap {
		return nil
	}
	a.early = m.snap.Seq() == 0 // only a part of the store
	a.relayout()
	return a.adopt(m.snap)
}

// loadFailed is the text by which failures of loading are known.
const loadFailed = "Can't read the store"

func (a *App) onLoaded(m loadedMsg) tea.Cmd {
	if m.gen != a.loading.gen {
		return nil
	}
	again, back := a.loading.again, a.loading.back
	a.loading = loading{gen: m.gen, err: m.err}
	if m.err != nil {
		return a.fail(view.Notice{Lasts: true, Text: loadFailed, Why: m.err.Error(), Hint: a.keyHint(keymap.Refresh, "tries again")})
	}
	a.notices.DismissLike(loadFailed)
	a.early = false
	a.relayout()
	if back && a.snap != nil && m.snap != nil && m.snap.Seq() < a.snap.Seq() {
		a.snap = nil
	}
	cmd := tea.Batch(a.adopt(m.snap), startView(a), a.announce(false))
	if again != notAgain {
		return tea.Batch(cmd, a.read(again))
	}
	return cmd
}

// startView goes to the tasks when nothing waits for the person at the start, and no view was asked for.
func startView(a *App) tea.Cmd {
	if a.panes.chosen {
		return nil
	}
	a.panes.chosen = true
	if a.panes.inbox.Len() > 0 {
		return nil
	}
	return a.show(viewTree)
}

// onPoll follows the store and lets the ages on screen grow. It reports whether the screen
// has changed: an answer that changes nothing must cost next to nothing.
func (a *App) onPoll(m pollMsg) (cmd tea.Cmd, changed bool) {
	now := a.deps.Now().Truncate(time.Minute)
	changed = !now.Equal(a.minute) || a.stale || m.err != nil || m.stale != ""
	if changed {
		a.hear(view.Aged{})
	}
	a.minute = now
	var shown tea.Cmd
	if a.panes.setNow(a.deps.Now()) {
		a.hear(view.Aged{})
		shown, changed = a.showItem(false), true
	}
	announced := a.announce(false)
	told, heard := a.panes.tell(view.Polled{})
	changed = changed || heard == view.Changed
	cmds := []tea.Cmd{shown, announced, a.onHead(m.headMsg), told, a.fx.poll(a.panes.left().InView())}
	if a.sheet != nil && a.snap != nil && a.sheet.Err == nil && !a.glancing {
		a.glancing = true // one look at a time: a slow store must not pile them up
		w := a.wanted(a.sheet.UID)
		w.Result = a.panes.detail.Tab() == detail.Result && !a.deps.Now().Before(a.looked)
		cmds = append(cmds, a.fx.glance(a.asked, w, a.sheet))
	}
	return tea.Batch(cmds...), changed
}

// lookRest is how many times as long as a look at the files of a result took nobody looks
// again: large files are read whole for it.
const lookRest = 20

// headFailed is the text by which failures of polling are known.
const headFailed = "Can't watch for changes"

// onHead reads what is new when the store's head has moved.
func (a *App) onHead(m headMsg) tea.Cmd {
	was := a.stale
	why := m.stale
	if m.err != nil {
		why = m.err.Error()
	}
	if a.stale = why != ""; a.stale {
		failed := a.fail(view.Notice{Lasts: true, Text: headFailed, Why: why, Hint: "the screen may be out of date"})
		if m.err != nil {
			return failed
		}
		return tea.Batch(failed, a.catchUp(m))
	}
	if was {
		a.notices.DismissLike(headFailed)
		a.relayout()
	}
	return a.catchUp(m)
}

// catchUp reads what is new.
func (a *App) catchUp(m headMsg) tea.Cmd {
	if a.snap == nil || m.seq == a.snap.Seq() && !m.edited {
		return nil
	}
	back := m.seq < a.snap.Seq()
	cmd := a.refresh()
	a.loading.back = a.loading.back || back
	return cmd
}

// rulesUnread is the text by which notices about the store's rules are known.
const rulesUnread = "The store's rules can't be read"

// tellStrict tells which rules of the store cannot be read, and what holds instead, for as long as that is so.
func (a *App) tellStrict() {
	now := a.snap.Policy().Strict()
	if slices.Equal(now, a.strict) {
		return
	}
	a.strict = now
	a.notices.DismissLike(rulesUnread)
	for _, why := range now {
		a.fail(view.Notice{Lasts: true, Text: rulesUnread, Why: why})
	}
	a.relayout()
}

// adopt takes a snapshot. Nothing jumps: cursor, folds and selection are found again by
// uid. An older snapshot of the same store than the one on screen is dropped.
func (a *App) adopt(s *snapshot.Snapshot) tea.Cmd {
	if s == nil || a.snap != nil && s.StoreID() == a.snap.StoreID() && s.Seq() < a.snap.Seq() {
		return nil
	}
	a.snap = s
	a.tellStrict()
	a.panes.setSnapshot(s)
	told, _ := a.panes.tell(view.Adopted{})
	asked := tea.Batch(a.showItem(false), a.hear(view.Adopted{}), a.requests.Refresh(), told)
	moved := a.followed != a.selected()
	cmd := tea.Batch(asked, a.onMoved())
	if moved {
		return cmd
	}
	return tea.Batch(cmd, a.readSheet())
}

// unread is what the pane of w×h cells shows before the store has been read: nothing for a
// moment, then how far the reading has come, or that it failed.
func (a *App) unread(w, h int, main bool) []string {
	st := a.st
	var say []string
	done, total := 0, 0
	if g := a.loading.gauge; g != nil {
		done, total = int(g.Done.Load()), int(g.Total.Load())
	}
	switch {
	case a.loading.err != nil && main:
		say = []string{st.Muted.Render("Can't read the store.")}
		if hint := a.keyHint(keymap.Refresh, "tries again"); hint != "" {
			say = append(say, st.Faint.Render(hint))
		}
	case !a.loading.shown:
	case !main:
		say = []string{st.Faint.Render("The task under the cursor will be shown here.")}
	case total > 0:
		say = []string{
			st.Muted.Render(fmt.Sprintf("Reading %s of %s tasks", text.Count(done), text.Count(total))), "",
			st.Progress(done, total, max(1, min(30, w-4))),
		}
	default:
		say = []string{st.Muted.Render("Reading the store" + st.Glyph.Ellipsis)}
	}
	out := make([]string, max(0, (h-len(say))/3), h+len(say))
	for _, l := range say {
		out = append(out, text.Center(l, w))
	}
	return text.Fit(out, w, h)
}
