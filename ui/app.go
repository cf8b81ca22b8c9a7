package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vespe/keymap"
	"vespe/themes"
	"vespe/ui/announce"
	"vespe/ui/dialog"
	"vespe/ui/feed"
	"vespe/ui/find"
	"vespe/ui/habits"
	"vespe/ui/panes"
	"vespe/ui/request"
	"vespe/ui/runview"
	"vespe/ui/stats"
	"vespe/ui/style"
	"vespe/ui/tour"
	"vespe/ui/view"
	"vespe/ui/whereabouts"
)

// App is the workbench's root: everything that happens goes through its Update, which hands it to the part that it is
// about.
type App struct {
	*core
	comments *commenter
	nav      *navigator
	loader   *loader
	tasks    *taskEditor
	decider  *decider
	frame    *frame

	can style.Options // what the terminal can do
}

// New makes a workbench; the program starts it.
func New(ctx context.Context, d Deps) *App {
	if d.ASCII {
		d.Keymap = d.Keymap.Plain()
	}
	a := &App{
		core: &core{deps: d, jobs: jobs{open: map[int]*job{}}},
		can:  style.Options{Dark: true, ASCII: d.ASCII, NoColor: d.NoColor},
	}
	a.fx, a.root, a.dialogs = effects{ctx, &a.deps}, a, dialog.NewStack(viewHost{a})
	a.comments = &commenter{core: a.core}
	a.nav = &navigator{core: a.core, comments: a.comments, mine: map[string]bool{}}
	a.nav.find = find.New(find.Find{
		Host: viewHost{a}, Panes: &a.panes, Dialogs: a.dialogs, Notices: &a.notices,
		TextsKey: d.Keymap.Label(keymap.SearchTexts), Search: a.fx.search(),
	})
	a.nav.whereabouts = whereabouts.Finder{Host: viewHost{a}}
	a.loader = &loader{core: a.core, nav: a.nav, announcer: announce.Announcer{Way: d.Notify}}
	a.tasks = &taskEditor{core: a.core, comments: a.comments, nav: a.nav}
	a.tasks.editor = editor{tasks: a.tasks, texts: map[draftKey]*draft{}}
	a.decider = &decider{core: a.core, comments: a.comments, nav: a.nav, loader: a.loader, tasks: a.tasks}
	a.frame = &frame{core: a.core, comments: a.comments, nav: a.nav, loader: a.loader, decider: a.decider}
	a.typed = a.comments.book()
	a.requests = request.New(viewHost{a}, request.Options{
		Actor: d.Actor, NewID: d.NewID, Keymap: d.Keymap, Drafts: a.typed, Dialogs: a.dialogs,
		History: viewHost{a}.Events,
	})
	if d.Dark != nil {
		a.can.Dark = *d.Dark
	}
	a.st = style.New(d.Theme, a.can)
	a.panes = panes.New(a.st)
	a.nav.whereabouts.Detail = a.panes.Detail
	a.panes.History = feed.NewView(ctx, viewHost{a}, feed.New(a.st), d.Journal)
	a.panes.Runs = runview.New(ctx, viewHost{a}, a.st, runview.Sources{Runs: d.Runs, Loop: d.Loop, Shell: d.Shell, ReadOnly: d.ReadOnly}, a.label)
	a.makeViews()
	a.actions = a.ownActions()
	a.adopt()
	a.panes.Detail.SetKeys(a.label)
	a.loader.minute = d.Now().Truncate(time.Minute)
	a.panes.SetNow(d.Now())
	a.panes.Focus(false)
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
		a.tour.Toggle(here(a.core))
	}
	if d.ReadOnly != "" {
		a.notices.Add(view.Notice{Level: view.Failure, Text: "This store is open for reading only", Why: d.ReadOnly}, d.Now())
	}
	return a
}

// Init asks for everything that the first screen needs. The first frame is drawn before
// any of it has been answered.
func (a *App) Init() tea.Cmd {
	told, _ := a.panes.Tell(view.Polled{})
	cmds := []tea.Cmd{a.loader.reload(), told, a.fx.poll(nil)}
	if a.deps.Start != "" {
		cmds = append(cmds, a.run(a.deps.Start))
	}
	if a.deps.Dark == nil && !a.deps.NoColor {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// View draws the screen.
func (a *App) View() tea.View { return a.frame.view() }

// adopt begins with the habits of the last time.
func (a *App) adopt() {
	h := &a.deps.Habits
	if i := slices.IndexFunc(a.deps.Themes, func(t themes.Theme) bool { return t.Name == h.Theme }); i >= 0 && h.Over == a.deps.Theme.Name {
		a.restyle(a.deps.Themes[i])
	}
	for _, action := range h.Layouts {
		a.panes.Layout(action)
	}
	a.screen.Divider = h.Divider.Valid()
}

// Habits are those that the next start is to have. It is not to be called while the program runs.
func (a *App) Habits() habits.Habits {
	h := a.deps.Habits
	h.Theme, h.Over = "", ""
	if a.st.Theme.Name != a.deps.Theme.Name {
		h.Theme, h.Over = a.st.Theme.Name, a.deps.Theme.Name
	}
	h.Layouts, h.Divider = a.panes.LastLayouts(), a.screen.Divider
	return h
}

// Drawn is how many frames have been built so far: for tests of what an idle program costs,
// from any goroutine.
func (a *App) Drawn() int { return int(a.frame.drawings.Load()) }

// KeepDrafts writes what was typed in the last moment before the program ended. It is not to be
// called while it runs.
func (a *App) KeepDrafts() { a.typed.Save() }

func (a *App) footerRows() int { return a.frame.footerRows() }

// Update dispatches one message; every case is one call.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	drawn := a.frame.drawn
	a.frame.drawn = nil
	if m, ok := msg.(pollMsg); ok {
		cmd, changed := a.loader.onPoll(m)
		if !changed {
			a.frame.drawn = drawn
		}
		return a, cmd
	}
	if m, ok := msg.(glanceMsg); ok {
		a.loader.glancing = false
		a.loader.looked = a.deps.Now().Add(lookRest * m.results)
		if m.docs == nil {
			a.frame.drawn = drawn
			return a, nil
		}
		return a, a.nav.onDocs(m.docsMsg)
	}
	cmd, heard := a.panes.Tell(msg)
	if heard == view.Ignored {
		cmd = a.update(msg)
	}
	if a.tour.On() && a.snap != nil && !a.loading.early {
		a.tour.At(here(a.core))
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
	case idleMsg, whereabouts.Rest:
		a.frame.drawn = drawn
	}
	if heard == view.Quiet {
		a.frame.drawn = drawn
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
	if cmd, ok := a.nav.find.Update(msg); ok {
		return cmd
	}
	if cmd, ok := a.nav.whereabouts.Update(msg); ok {
		return cmd
	}
	return a.onAnswer(msg)
}

// onAnswer dispatches what a command of the workbench has answered.
func (a *App) onAnswer(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case loadedMsg:
		return a.loader.onLoaded(m)
	case earlyMsg:
		return a.loader.onEarly(m)
	case loadTickMsg:
		return a.loader.onLoadTick(m)
	case idleMsg:
		return a.nav.ahead.step(m, a.panes.Detail.Prerender)
	case headMsg:
		return a.loader.onHead(m)
	case settleMsg:
		return a.nav.onSettle(m)
	case slowMsg:
		return a.decider.onSlow(m)
	case slowDocsMsg:
		return a.nav.onSlowDocs(m)
	case docsMsg:
		return a.nav.onDocs(m)
	case stats.Answer:
		m.Show()
	case awaitedMsg:
		return a.onAwaited(m)
	case resultFileMsg:
		return a.onResultFile(m)
	case changesMsg:
		return a.comments.onChanges(m)
	case planChangesMsg:
		return a.comments.onPlanChanges(m)
	case comparedMsg:
		m.box.Show(m.cmp)
	case appliedMsg:
		return a.decider.onApplied(m)
	case editReadyMsg:
		return a.tasks.editor.onReady(m)
	case editedMsg:
		return a.tasks.editor.onEdited(m)
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
	return a.nav.drawAhead()
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
