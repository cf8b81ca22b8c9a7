package stats

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
	"vespe/ui/style"
	"vespe/ui/text"
)

// Host is what a page gets of the workbench.
type Host interface {
	Snapshot() *snapshot.Snapshot
	Styles() *style.Styles
	Now() time.Time
	Name(uid model.UID) string
	Run(a keymap.Action) tea.Cmd
	// Journal is what has happened to all tasks, as far as it has been read.
	Journal() *feed.View
	// Filter is the filter in a few words, and Passing as a test that commands can use; "" and nil for none.
	Filter() string
	Passing() func(uid model.UID) bool
	// Events reads what happened to a task. It is called from commands.
	Events(uid model.UID) ([]model.Event, error)
}

// Looking is a page that looks back: on all tasks, or on one. Its lines are made for its width.
type Looking struct {
	dialog.Frame
	dialog.Page
	host   Host
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

func (p *Looking) SetStyles(st *style.Styles) { p.Styles, p.drawnW = st, 0 }

// mostLook is how wide a page is that looks back, borders included.
const mostLook = 178

func (p *Looking) Size(w, h int) (int, int) {
	w = min(w, mostLook)
	p.lay(w)
	return w, min(h, max(len(p.Lines)+2, 6))
}

func (p *Looking) View(w, h int) []string {
	p.lay(w)
	return p.Page.View(w, h)
}

// lay makes the lines for a width.
func (p *Looking) lay(w int) {
	if p.drawnW == w {
		return
	}
	p.drawnW = w
	inner := max(1, w-4)
	switch {
	case p.err != nil:
		p.Lines = text.Wrap(text.SafeLine("Can't read it: "+p.err.Error()), inner)
	case p.life != nil:
		p.Lines = Timeline(p.Styles, p.life, p.of, p.now, inner)
	case p.stats != nil:
		p.Lines = Stats(p.Styles, p.stats, inner)
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

// Open shows what became of the tasks, of those that pass the filter.
func Open(host Host, dialogs *dialog.Stack) tea.Cmd {
	p := &Looking{say: host.Journal().Progress()}
	cmd := p.open(host, dialogs)
	if _, all := host.Journal().Journal(); all {
		return tea.Batch(cmd, p.count())
	}
	return tea.Batch(cmd, host.Journal().Read())
}

// OpenTimeline shows the life of a task of the snapshot.
func OpenTimeline(host Host, dialogs *dialog.Stack, i int) tea.Cmd {
	p := &Looking{uid: host.Snapshot().UID(i), now: host.Now(), say: "Reading the history" + host.Styles().Glyph.Ellipsis}
	return tea.Batch(p.open(host, dialogs), p.histories(host.Snapshot(), i))
}

func (p *Looking) open(host Host, dialogs *dialog.Stack) tea.Cmd {
	p.Frame, p.host, p.Styles = dialog.Frame{Box: p, Scope: keymap.Stats}, host, host.Styles()
	p.retitle()
	return dialogs.Push(p)
}

// Answer is what a page asked for.
type Answer interface{ Show() }

// statsMsg is what a page of statistics asked for.
type statsMsg struct {
	page  *Looking
	gen   int
	stats history.Stats
}

// timelineMsg is what is known of the life of a page's task.
type timelineMsg struct {
	page *Looking
	j    *history.Journal
	err  error
}

// IsStatistics reports whether it is about all tasks.
func (p *Looking) IsStatistics() bool { return p.uid == "" }

func (p *Looking) Can(action keymap.Action) dialog.Can {
	return dialog.Can{No: p.uid != "" && (action == keymap.PeriodLess || action == keymap.PeriodMore)}
}

func (p *Looking) Do(action keymap.Action) (tea.Cmd, bool) {
	if action == keymap.PeriodLess || action == keymap.PeriodMore {
		return p.host.Run(action), true
	}
	return nil, false
}

// Heard keeps statistics up to date, and without figures says how far the reading has come.
func (p *Looking) Heard(news any) tea.Cmd {
	if p.uid != "" {
		return nil
	}
	switch news.(type) {
	case feed.Read:
		return p.count()
	case feed.Reading:
		if p.stats == nil {
			p.say, p.drawnW = p.host.Journal().Progress(), 0
		}
	}
	return nil
}

// retitle says on the border what it shows.
func (p *Looking) retitle() {
	if p.uid != "" {
		p.Title = "Timeline of " + p.host.Name(p.uid)
		return
	}
	p.Title = "Statistics: "
	if words := p.host.Filter(); words != "" {
		p.Title += words + ", "
	}
	p.Title += periods()[p.period].name
	if s := p.stats; s != nil {
		p.Title += fmt.Sprintf(", %s, %s, %s", Period(s), text.Plural(s.Tasks, "task"), text.Plural(s.Events, "event"))
	}
}

// count sums up beside the keys what it shows.
func (p *Looking) count() tea.Cmd {
	p.gen++
	j, _ := p.host.Journal().Journal()
	snap, gen, now := p.host.Snapshot(), p.gen, p.host.Now()
	from := time.Time{}
	if days := periods()[p.period].days; days > 0 {
		from = now.AddDate(0, 0, -days)
	}
	test := p.host.Passing()
	return func() tea.Msg { return statsMsg{p, gen, j.Stats(snap, test, from, now)} }
}

func (m statsMsg) Show() {
	p := m.page
	if m.gen == p.gen {
		p.stats, p.drawnW = &m.stats, 0
		p.retitle()
	}
}

// Turn goes to a shorter time, or to a longer one.
func (p *Looking) Turn(d int) tea.Cmd {
	to := max(0, min(p.period+d, len(periods())-1))
	if j, _ := p.host.Journal().Journal(); p.uid != "" || to == p.period || j == nil {
		return nil
	}
	p.period = to
	p.retitle()
	return p.count()
}

// histories reads what happened to a task and to those that it depends on.
func (p *Looking) histories(snap *snapshot.Snapshot, i int) tea.Cmd {
	return func() tea.Msg {
		j, err := history.Around(snap, i, p.host.Events)
		return timelineMsg{p, j, err}
	}
}

func (m timelineMsg) Show() {
	p, snap := m.page, m.page.host.Snapshot()
	p.err, p.drawnW = m.err, 0
	if m.err != nil || snap == nil {
		return
	}
	p.now = p.host.Now()
	if p.life, p.of = m.j.Timeline(snap, p.uid, p.now), m.j.Of(p.uid); p.life == nil {
		p.life = &history.Timeline{UID: p.uid}
	}
}
