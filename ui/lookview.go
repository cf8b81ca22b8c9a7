package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/feed"
	"vespe/ui/lookback"
	"vespe/ui/style"
	"vespe/ui/text"
)

// lookPage is a page that looks back: on all tasks, or on one. Its lines are made for its width.
type lookPage struct {
	dialog.Frame
	a *App
	dialog.Page
	uid    model.UID // of the task whose life it is; "" for statistics
	period int       // of periods
	gen    int
	stats  *history.Stats
	life   *history.Timeline
	of     *history.Chronicle
	err    error
	now    time.Time
	say    string // until there is something to show
	drawnW int
}

func (p *lookPage) SetStyles(st *style.Styles) { p.Styles, p.drawnW = st, 0 }

// mostLook is how wide a page is that looks back, borders included.
const mostLook = 178

func (p *lookPage) Size(w, h int) (int, int) {
	w = min(w, mostLook)
	p.lay(w)
	return w, min(h, max(len(p.Lines)+2, 6))
}

func (p *lookPage) View(w, h int) []string {
	p.lay(w)
	return p.Page.View(w, h)
}

// lay makes the lines for a width.
func (p *lookPage) lay(w int) {
	if p.drawnW == w {
		return
	}
	p.drawnW = w
	inner := max(1, w-4)
	switch {
	case p.err != nil:
		p.Lines = text.Wrap(text.SafeLine("Can't read it: "+p.err.Error()), inner)
	case p.life != nil:
		p.Lines = lookback.Timeline(p.Styles, p.life, p.of, p.now, inner)
	case p.stats != nil:
		p.Lines = lookback.Stats(p.Styles, p.stats, inner)
	default:
		p.Lines = []string{p.Styles.Muted.Render(text.Truncate(p.say, inner))}
	}
}

// periods are the times that statistics count, the first one all.
func periods() []struct {
	name string
	days int
} {
	return []struct {
		name string
		days int
	}{{"all", 0}, {"last 90 days", 90}, {"last 30 days", 30}, {"last 7 days", 7}, {"last 24 hours", 1}}
}

func lookHandlers() map[keymap.Action]handler {
	period := func(by int) handler {
		return handler{
			do: func(a *App) tea.Cmd { return a.dialogs.Top().(*lookPage).turn(by) },
			off: func(a *App) string {
				if p, ok := a.dialogs.Top().(*lookPage); !ok || p.uid != "" {
					return "it works in the statistics"
				}
				return ""
			},
		}
	}
	return map[keymap.Action]handler{
		keymap.PeriodLess: period(1),
		keymap.PeriodMore: period(-1),
		keymap.Statistics: {do: (*App).openStats, off: func(a *App) string {
			if why := a.noTasks(); why != "" || a.snap != nil {
				return why
			}
			return "the store is loading"
		}},
		keymap.Timeline: onTask((*App).openTimeline),
	}
}

// openStats shows what became of the tasks, of those that pass the filter.
func (a *App) openStats() tea.Cmd {
	p := &lookPage{Page: dialog.Page{Styles: a.st}, say: a.panes.history.Progress()}
	cmd := a.openLook(p)
	if _, all := a.panes.history.Journal(); all {
		return tea.Batch(cmd, p.count())
	}
	return tea.Batch(cmd, a.panes.history.Read())
}

func (a *App) openLook(p *lookPage) tea.Cmd {
	p.Frame, p.a = dialog.Frame{Box: p, Scope: keymap.Lookback}, a
	p.retitle()
	return a.dialogs.Push(p)
}

func (p *lookPage) Can(action keymap.Action) dialog.Can {
	return dialog.Can{No: p.uid != "" && (action == keymap.PeriodLess || action == keymap.PeriodMore)}
}

func (p *lookPage) Do(action keymap.Action) (tea.Cmd, bool) {
	if action == keymap.PeriodLess || action == keymap.PeriodMore {
		return p.a.run(action), true
	}
	return nil, false
}

// Heard keeps statistics up to date, and without figures says how far the reading has come.
func (p *lookPage) Heard(news any) tea.Cmd {
	if p.uid != "" {
		return nil
	}
	switch news.(type) {
	case feed.Read:
		return p.count()
	case feed.Reading:
		if p.stats == nil {
			p.say, p.drawnW = p.a.panes.history.Progress(), 0
		}
	}
	return nil
}

// retitle says on the border what it shows.
func (p *lookPage) retitle() {
	if p.uid != "" {
		p.Title = "Timeline of " + p.a.name(p.uid)
		return
	}
	p.Title = "Statistics: " + periods()[p.period].name
	if s := p.stats; s != nil {
		p.Title += fmt.Sprintf(", %s, %s, %s", lookback.Period(s), plural(s.Tasks, "task"), plural(s.Events, "event"))
	}
	if p.a.find.text != "" {
		p.Title += ", " + p.a.find.chip()
	}
}

// count sums up beside the keys what it shows.
func (p *lookPage) count() tea.Cmd {
	a := p.a
	p.gen++
	j, _ := a.panes.history.Journal()
	snap, gen, now := a.snap, p.gen, a.deps.Now()
	from := time.Time{}
	if days := periods()[p.period].days; days > 0 {
		from = now.AddDate(0, 0, -days)
	}
	test := a.passing()
	return func() tea.Msg { return statsMsg{p, gen, j.Stats(snap, test, from, now)} }
}

// passing is the filter as a test that commands can use; nil for none.
func (a *App) passing() func(uid model.UID) bool {
	if a.panes.test == nil {
		return nil
	}
	in := map[model.UID]bool{}
	for i := range a.snap.Len() {
		if a.panes.test(a.snap, i) {
			in[a.snap.UID(i)] = true
		}
	}
	return func(uid model.UID) bool { return in[uid] }
}

func (p *lookPage) onStats(m statsMsg) {
	if m.gen == p.gen {
		p.stats, p.drawnW = &m.stats, 0
		p.retitle()
	}
}

// turn goes to a shorter time, or to a longer one.
func (p *lookPage) turn(d int) tea.Cmd {
	to := max(0, min(p.period+d, len(periods())-1))
	if j, _ := p.a.panes.history.Journal(); p.uid != "" || to == p.period || j == nil {
		return nil
	}
	p.period = to
	p.retitle()
	return p.count()
}

// openTimeline shows the life of the task under the cursor.
func (a *App) openTimeline() tea.Cmd {
	i, ok := a.currentIndex()
	if !ok {
		return nil
	}
	p := &lookPage{
		Page: dialog.Page{Styles: a.st}, uid: a.snap.UID(i), now: a.deps.Now(),
		say: "Reading the history" + a.st.Glyph.Ellipsis,
	}
	return tea.Batch(a.openLook(p), a.fx.histories(p, a.snap, i))
}

// histories reads what happened to a task and to those that it depends on.
func (e effects) histories(p *lookPage, snap *snapshot.Snapshot, i int) tea.Cmd {
	return func() tea.Msg {
		j, err := history.Around(snap, i, func(uid model.UID) ([]model.Event, error) {
			events, _, err := e.Store.History(e.ctx, uid)
			return events, err
		})
		return timelineMsg{p, j, err}
	}
}

func (p *lookPage) onTimeline(m timelineMsg) {
	p.err, p.drawnW = m.err, 0
	if m.err != nil || p.a.snap == nil {
		return
	}
	p.now = p.a.deps.Now()
	if p.life, p.of = m.j.Timeline(p.a.snap, p.uid, p.now), m.j.Of(p.uid); p.life == nil {
		p.life = &history.Timeline{UID: p.uid}
	}
}
