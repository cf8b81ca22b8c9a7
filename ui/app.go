package ui

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"vespe/ui/taskdocs"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/drafts"
	"vespe/ui/feed"
	"vespe/ui/lookback"
	"vespe/ui/notices"
	"vespe/ui/request"
	"vespe/ui/runview"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/tour"
	"vespe/ui/view"
)

// App is the workbench's root: it holds the state, and everything that happens goes
// through its Update.
type App struct {
	deps Deps
	fx   effects
	st   *style.Styles
	can  style.Options // what the terminal can do

	snap    *snapshot.Snapshot // nil until the first load
	early   bool               // snap is only what a load has read so far
	loading loading
	minute  time.Time // that the ages on screen are counted to
	stale   bool      // the head could not be read: what is on screen may be old

	screen screen.Screen
	panes  panes
	sheet  *taskdocs.Docs // of the selected task; nil until read
	asked  int            // generation of the last question for a sheet
	// followed is the task that the detail shows: the one that the cursor was on last.
	followed model.UID
	chord    []string
	nav      trail
	find     find
	texts    textSearch

	dialogs  *dialog.Stack
	drawn    *tea.View // the last frame, while nothing has changed since
	drawings atomic.Int64
	ahead    ahead
	glancing bool      // the documents on screen are being looked at
	looked   time.Time // before which the files of a result are not looked at again
	editor   editor
	few      int // how many selected tasks targets returns at most; 0 for all
	recent   []string

	// swapped has the plan that was on screen before another took its place under the reader's eyes, and what had been said
	// about it; nil when none did, or when the difference has been looked at.
	swapped   *taskdocs.Docs
	shown     map[model.UID]*taskdocs.Docs // whose bytes the last acceptance was made from
	verdicts  []decision                   // of this session, oldest first
	awaited   awaited
	jobID     int
	jobs      map[int]*job
	mine      map[string]bool // hashes of the plans that were written from here
	strict    []string        // what holds because rules of the store cannot be read, as it was told
	typed     *drafts.Book
	requests  *request.Desk
	lastKey   string
	announcer announcer
	scheduled scheduled
	notices   notices.Notices
	tour      tour.Tour
	actions   map[keymap.Action]view.Action
}

// New makes a workbench; the program starts it.
func New(ctx context.Context, d Deps) *App {
	if d.ASCII {
		d.Keymap = d.Keymap.Plain()
	}
	a := &App{
		deps: d, can: style.Options{Dark: true, ASCII: d.ASCII, NoColor: d.NoColor},
		jobs: map[int]*job{}, mine: map[string]bool{},
	}
	a.dialogs = dialog.NewStack(viewHost{a})
	a.fx = effects{ctx, &a.deps}
	a.typed = a.book()
	a.requests = request.New(viewHost{a}, request.Options{
		Actor: d.Actor, NewID: d.NewID, Keymap: d.Keymap, Drafts: a.typed, Dialogs: a.dialogs,
		History: viewHost{a}.Events,
	})
	a.texts.a, a.find.a, a.scheduled.a = a, a, a
	a.editor = editor{a: a, texts: map[draftKey]*draft{}}
	if d.Dark != nil {
		a.can.Dark = *d.Dark
	}
	a.st = style.New(d.Theme, a.can)
	a.panes = newPanes(a.st)
	a.panes.history = feed.NewView(ctx, viewHost{a}, feed.New(a.st), d.Journal)
	a.panes.runs = runview.New(ctx, viewHost{a}, a.st, runview.Sources{Runs: d.Runs, Loop: d.Loop, Shell: d.Shell, ReadOnly: d.ReadOnly}, a.label)
	a.makeViews()
	a.actions = a.ownActions()
	a.panes.detail.SetKeys(a.label)
	a.minute = d.Now().Truncate(time.Minute)
	a.panes.setNow(d.Now())
	a.panes.focus(false)
	for _, why := range d.Strict {
		a.notices.Add(view.Notice{Level: view.Failure, Text: "Can't read some of your rules", Why: why, Lasts: true}, d.Now())
	}
	for _, wrong := range d.Settings {
		n := view.Notice{Level: view.Failure, Text: "A setting is invalid, and its default is used", Why: wrong}
		if a.proposer().Unruled() != nil {
			n.Text, n.Hint = "A setting is invalid", "if it is in [approvals], nothing can be accepted; otherwise its default is used"
		}
		if len(d.Strict) > 0 {
			n.Text, n.Hint = "A setting is invalid", ""
		}
		a.notices.Add(n, d.Now())
	}
	if d.Tour {
		a.tour.Toggle(here(a))
	}
	if d.ReadOnly != "" {
		a.notices.Add(view.Notice{Level: view.Failure, Text: "This store is open for reading only", Why: d.ReadOnly}, d.Now())
	}
	return a
}

// Init asks for everything that the first screen needs. The first frame is drawn before
// any of it has been answered.
func (a *App) Init() tea.Cmd {
	told, _ := a.panes.tell(view.Polled{})
	cmds := []tea.Cmd{a.reload(), told, a.fx.poll(nil)}
	if a.deps.Start != "" {
		cmds = append(cmds, a.run(a.deps.Start))
	}
	if a.deps.Dark == nil && !a.deps.NoColor {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// Update dispatches one message; every case is one call.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	drawn := a.drawn
	a.drawn = nil
	if m, ok := msg.(pollMsg); ok {
		cmd, changed := a.onPoll(m)
		if !changed {
			a.drawn = drawn
		}
		return a, cmd
	}
	if m, ok := msg.(glanceMsg); ok {
		a.glancing = false
		a.looked = a.deps.Now().Add(lookRest * m.results)
		if m.sheet == nil {
			a.drawn = drawn
			return a, nil
		}
		return a, a.onSheet(m.sheetMsg)
	}
	cmd, heard := a.panes.tell(msg)
	if heard == view.Ignored {
		cmd = a.update(msg)
	}
	if a.tour.On() && a.snap != nil && !a.early {
		a.tour.At(here(a))
		a.relayout() // its lines differ by where the person is
	}
	if a.tour.Ended() && a.dialogs.Top() == nil {
		a.tour = tour.Tour{}
		cmd = tea.Batch(cmd, a.say(strings.TrimSuffix("That was the tour. See it again with "+a.label(string(keymap.Tour)), " See it again with ")))
	}
	if lay := a.requests.Lay(); lay != nil {
		cmd = tea.Batch(cmd, lay)
	}
	switch msg.(type) {
	case idleMsg, scheduleRestMsg:
		a.drawn = drawn
	}
	if heard == view.Quiet {
		a.drawn = drawn
	}
	return a, cmd
}

func (a *App) update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		return a.onKey(m)
	case tea.PasteMsg:
		return a.onPaste(m)
	case tea.MouseMsg:
		return a.onMouse(m)
	case tea.WindowSizeMsg:
		return a.onResize(m)
	case tea.BackgroundColorMsg:
		return a.onBackground(m)
	case tea.ColorProfileMsg:
		return a.onColors(m)
	case tea.ResumeMsg, tea.FocusMsg:
		return a.fx.head()
	}
	if cmd, ok := a.typed.Update(msg); ok {
		return cmd
	}
	if cmd, ok := a.requests.Update(msg); ok {
		return cmd
	}
	return a.onAnswer(msg)
}

// onAnswer dispatches what a command of the workbench has answered.
func (a *App) onAnswer(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case loadedMsg:
		return a.onLoaded(m)
	case earlyMsg:
		return a.onEarly(m)
	case loadTickMsg:
		return a.onLoadTick(m)
	case idleMsg:
		return a.ahead.step(m, a.panes.detail.Prerender)
	case headMsg:
		return a.onHead(m)
	case settleMsg:
		return a.onSettle(m)
	case slowMsg:
		return a.onSlow(m)
	case slowSheetMsg:
		return a.onSlowSheet(m)
	case sheetMsg:
		return a.onSheet(m)
	case whereaboutsMsg:
		return a.scheduled.onFound(m)
	case scheduleDueMsg:
		return a.scheduled.onDue()
	case scheduleRestMsg:
		return a.scheduled.onRest(m)
	case lookback.Answer:
		m.Show()
	case awaitedMsg:
		return a.onAwaited(m)
	case foundMsg:
		return a.texts.onFound(m)
	case foundTickMsg:
		return a.texts.onTick(m)
	case resultFileMsg:
		return a.onResultFile(m)
	case changesMsg:
		return a.onChanges(m)
	case planChangesMsg:
		return a.onPlanChanges(m)
	case comparedMsg:
		m.box.Show(m.cmp)
	case appliedMsg:
		return a.onApplied(m)
	case editReadyMsg:
		return a.editor.onReady(m)
	case editedMsg:
		return a.editor.onEdited(m)
	case expireMsg:
		a.notices.Expire(m.id)
		a.relayout()
	case dialog.Still:
		a.dialogs.OnStill(m)
	case noticeMsg:
		return a.say(m.text)
	}
	return nil
}

func (a *App) onResize(m tea.WindowSizeMsg) tea.Cmd {
	a.screen.Resize(m.Width, m.Height)
	a.relayout()
	return a.drawAhead()
}

func (a *App) onColors(m tea.ColorProfileMsg) tea.Cmd {
	if basic := m.Profile == colorprofile.ANSI; basic != a.can.Basic {
		a.can.Basic = basic
		a.restyle(a.st.Theme)
	}
	return nil
}

func (a *App) onBackground(m tea.BackgroundColorMsg) tea.Cmd {
	if a.deps.Dark == nil && m.IsDark() != a.can.Dark {
		a.can.Dark = m.IsDark()
		a.restyle(a.st.Theme)
	}
	return nil
}
