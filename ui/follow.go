package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model/snapshot"
	"vespe/ui/announce"
	"vespe/ui/detail"
	"vespe/ui/panes"
	"vespe/ui/text"
	"vespe/ui/view"
)

// loader reads the store, and follows it.
type loader struct {
	*core
	nav *navigator

	stale     bool      // the head could not be read: what is on screen may be old
	minute    time.Time // that the ages on screen are counted to
	glancing  bool      // the documents on screen are being looked at
	looked    time.Time // before which the files of a result are not looked at again
	strict    []string  // what holds because rules of the store cannot be read, as it was told
	announcer announce.Announcer
}

// loading is how a load of the store stands.
type loading struct {
	gen    int
	active bool
	shown  bool  // long enough to be shown
	early  bool  // the snapshot is only what the load has read so far
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
func (l *loader) reload() tea.Cmd { return l.read(againAll) }

// refresh reads what newer transactions name; everything when nothing has been read yet.
func (l *loader) refresh() tea.Cmd {
	if l.snap == nil {
		return l.reload()
	}
	return l.read(againNew)
}

func (l *loader) read(what again) tea.Cmd {
	if l.loading.active {
		l.loading.again = max(l.loading.again, what)
		return nil
	}
	g := &view.Gauge{}
	l.loading = loading{gen: l.loading.gen + 1, active: true, early: l.loading.early, gauge: g}
	cmd := l.fx.refresh(l.loading.gen)
	if what == againAll {
		cmd = l.fx.load(l.loading.gen, g)
		if l.snap == nil {
			cmd = tea.Sequence(l.fx.warm(l.loading.gen), cmd)
		}
	}
	return tea.Batch(cmd, view.After(view.FlickerFree, loadTickMsg{l.loading.gen}))
}

func (l *loader) onLoadTick(m loadTickMsg) tea.Cmd {
	if !l.loading.active || m.gen != l.loading.gen {
		return nil
	}
	l.loading.shown = true
	tick := view.After(view.LoadTick, loadTickMsg{m.gen})
	if l.snap == nil || l.loading.early {
		return tea.Batch(tick, func() tea.Msg { return earlyMsg{m.gen, l.fx.Store.Partial()} })
	}
	return tick
}

// onEarly shows what there is to look at before the store has been read.
func (l *loader) onEarly(m earlyMsg) tea.Cmd {
	if m.snap == nil || m.gen != l.loading.gen || !l.loading.active || l.snap != nil && !l.loading.early || l.snap == m.snap {
		return nil
	}
	l.loading.early = m.snap.Seq() == 0 // only a part of the store
	l.relayout()
	return l.adopt(m.snap)
}

// loadFailed is the text by which failures of loading are known.
const loadFailed = "Can't read the store"

func (l *loader) onLoaded(m loadedMsg) tea.Cmd {
	if m.gen != l.loading.gen {
		return nil
	}
	again, back := l.loading.again, l.loading.back
	l.loading = loading{gen: m.gen, early: l.loading.early, err: m.err}
	if m.err != nil {
		return l.fail(view.Notice{Lasts: true, Text: loadFailed, Why: m.err.Error(), Hint: l.keyHint(keymap.Refresh, "tries again")})
	}
	l.notices.DismissLike(loadFailed)
	l.loading.early = false
	l.relayout()
	if back && l.snap != nil && m.snap != nil && m.snap.Seq() < l.snap.Seq() {
		l.snap = nil
	}
	cmd := tea.Batch(l.adopt(m.snap), startView(l.nav), l.announce(false))
	if again != notAgain {
		return tea.Batch(cmd, l.read(again))
	}
	return cmd
}

// startView goes to the tasks, in the layout that they had last, when nothing waits for the person at the start, and no view was asked for.
func startView(n *navigator) tea.Cmd {
	if n.panes.Chosen {
		return nil
	}
	n.panes.Chosen = true
	if n.panes.Inbox.Len() > 0 {
		return nil
	}
	return n.show(max(panes.Tree, n.panes.Last[panes.Tree]))
}

// announce tells the terminal of what is new in the inbox.
func (l *loader) announce(own bool) tea.Cmd {
	if l.snap == nil || l.loading.early {
		return nil
	}
	return l.announcer.Tell(l.snap, l.deps.Now(), own)
}

// onPoll follows the store and lets the ages on screen grow. It reports whether the screen
// has changed: an answer that changes nothing must cost next to nothing.
func (l *loader) onPoll(m pollMsg) (cmd tea.Cmd, changed bool) {
	now := l.deps.Now().Truncate(time.Minute)
	changed = !now.Equal(l.minute) || l.stale || m.err != nil || m.stale != ""
	if changed {
		l.hear(view.Aged{})
	}
	l.minute = now
	var shown tea.Cmd
	if l.panes.SetNow(l.deps.Now()) {
		l.hear(view.Aged{})
		shown, changed = l.nav.showItem(false), true
	}
	announced := l.announce(false)
	told, heard := l.panes.Tell(view.Polled{})
	changed = changed || heard == view.Changed
	cmds := []tea.Cmd{shown, announced, l.onHead(m.headMsg), told, l.fx.poll(l.panes.Left().InView())}
	if l.docs != nil && l.snap != nil && l.docs.Err == nil && !l.glancing {
		l.glancing = true // one look at a time: a slow store must not pile them up
		w := l.wanted(l.docs.UID)
		w.Result = l.panes.Detail.Tab() == detail.Result && !l.deps.Now().Before(l.looked)
		cmds = append(cmds, l.fx.glance(l.nav.asked, w, l.docs))
	}
	return tea.Batch(cmds...), changed
}

// lookRest is how many times as long as a look at the files of a result took nobody looks
// again: large files are read whole for it.
const lookRest = 20

// headFailed is the text by which failures of polling are known.
const headFailed = "Can't watch for changes"

// onHead reads what is new when the store's head has moved.
func (l *loader) onHead(m headMsg) tea.Cmd {
	was := l.stale
	why := m.stale
	if m.err != nil {
		why = m.err.Error()
	}
	if l.stale = why != ""; l.stale {
		failed := l.fail(view.Notice{Lasts: true, Text: headFailed, Why: why, Hint: "the screen may be out of date"})
		if m.err != nil {
			return failed
		}
		return tea.Batch(failed, l.catchUp(m))
	}
	if was {
		l.notices.DismissLike(headFailed)
		l.relayout()
	}
	return l.catchUp(m)
}

// catchUp reads what is new.
func (l *loader) catchUp(m headMsg) tea.Cmd {
	if l.snap == nil || m.seq == l.snap.Seq() && !m.edited {
		return nil
	}
	back := m.seq < l.snap.Seq()
	cmd := l.refresh()
	l.loading.back = l.loading.back || back
	return cmd
}

// rulesUnread is the text by which notices about the store's rules are known.
const rulesUnread = "The store's rules can't be read"

// tellStrict tells which rules of the store cannot be read, and what holds instead, for as long as that is so.
func (l *loader) tellStrict() {
	now := l.snap.Policy().Strict()
	if slices.Equal(now, l.strict) {
		return
	}
	l.strict = now
	l.notices.DismissLike(rulesUnread)
	for _, why := range now {
		l.fail(view.Notice{Lasts: true, Text: rulesUnread, Why: why})
	}
	l.relayout()
}

// adopt takes a snapshot. Nothing jumps: cursor, folds and selection are found again by
// uid. An older snapshot of the same store than the one on screen is dropped.
func (l *loader) adopt(s *snapshot.Snapshot) tea.Cmd {
	if s == nil || l.snap != nil && s.StoreID() == l.snap.StoreID() && s.Seq() < l.snap.Seq() {
		return nil
	}
	l.snap = s
	l.tellStrict()
	l.panes.SetSnapshot(s)
	told, _ := l.panes.Tell(view.Adopted{})
	asked := tea.Batch(l.nav.showItem(false), l.hear(view.Adopted{}), l.requests.Refresh(), told)
	moved := l.nav.followed != l.selected()
	cmd := tea.Batch(asked, l.nav.onMoved())
	if moved {
		return cmd
	}
	return tea.Batch(cmd, l.nav.readDocs())
}

// unread is what the pane of w×h cells shows before the store has been read: nothing for a
// moment, then how far the reading has come, or that it failed.
func (c *core) unread(w, h int, main bool) []string {
	st := c.st
	var say []string
	done, total := 0, 0
	if g := c.loading.gauge; g != nil {
		done, total = int(g.Done.Load()), int(g.Total.Load())
	}
	switch {
	case c.loading.err != nil && main:
		say = []string{st.Muted.Render("Can't read the store.")}
		if hint := c.keyHint(keymap.Refresh, "tries again"); hint != "" {
			say = append(say, st.Faint.Render(hint))
		}
	case !c.loading.shown:
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
