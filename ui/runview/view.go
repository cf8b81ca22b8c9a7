// Package runview is the view of the runs: their list, the one under the cursor on the right, and the loop that starts
// them.
//
//	view.go     View: what the workbench asks of a view
//	past.go     what is known of all runs
//	live.go     the logs of those under way
//	shown.go    the log and the files of the one on the right
//	loop.go     the loop: how it stands, and what it can be asked for
//	worktree.go a shell in the worktree of a run
//	sources.go  what all of it is read from
package runview

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/runpane"
	"vespe/ui/runs"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Host is what the view gets of the workbench besides.
type Host interface {
	view.Host
	// LastRun is the newest run of the task under the cursor; false where that is not known.
	LastRun() (id string, ok bool)
	// InView reports whether the right pane is on screen.
	InView() bool
	// Focus gives the right pane the keys.
	Focus()
	// Turned says that the pane shows another tab: a search in it is over.
	Turned(p view.Searcher)
	// Unfilter takes the filter off, and reports whether there was one.
	Unfilter() bool
	// Head asks whether the store has changed.
	Head() tea.Cmd
}

// View is the view of the runs.
type View struct {
	*view.Base
	host   Host
	ctx    context.Context
	from   Sources
	list   *runs.List
	pane   *pane
	aside  bool // the right pane shows the task of the run, and not that
	past   past
	live   live
	shown  shown
	loop   looping
	jumpTo string // the run to go to when they have been read
}

// New makes one. label is how the key of an action is written.
func New(ctx context.Context, h Host, st *style.Styles, from Sources, label func(action string) string) *View {
	v := &View{host: h, ctx: ctx, from: from, list: runs.New(st)}
	v.Base = view.NewBase(h, v.list)
	v.pane = &pane{runpane.New(st), v}
	v.pane.SetKeys(label)
	v.pane.SetNow(h.Now())
	v.list.SetNow(h.Now())
	return v
}

// Hear reads runs while somebody looks at them, and follows those under way and the loop.
func (v *View) Hear(msg any) (tea.Cmd, view.Heard) {
	switch m := msg.(type) {
	case view.Shown:
		return v.want(), view.Changed
	case view.Adopted:
		return tea.Batch(v.want(), v.followLive()), view.Changed
	case view.Moved:
		return v.show(), view.Changed
	case view.Polled:
		return v.onPoll()
	case view.Styled:
		v.pane.SetStyles(m.Styles)
		v.sayLoop() // its lines have their colors with them
		return nil, view.Changed
	case view.Aside:
		v.aside = v.Shows(v)
		return nil, view.Changed
	case view.Back:
		if m.Right && v.aside {
			v.aside = false
			return v.need(), view.Changed
		}
		return nil, view.Ignored
	}
	return v.hearAnswer(msg)
}

func (v *View) onPoll() (tea.Cmd, view.Heard) {
	now := v.Now()
	v.list.SetNow(now)
	v.pane.SetNow(now)
	return tea.Batch(v.followLive(), v.show(), v.followLoop()), changed(v.Shows(v) && v.list.Live() > 0) // how long they have been under way
}

// hearAnswer takes what a command of the view answers with.
func (v *View) hearAnswer(msg any) (cmd tea.Cmd, heard view.Heard) {
	switch m := msg.(type) {
	case pastMsg:
		return v.onPast(m), view.Changed
	case pastTickMsg:
		return v.onPastTick(), changed(v.Shows(v))
	case liveMsg:
		return v.onLive(m)
	case pieceMsg:
		return v.onPiece(m)
	case settleMsg:
		if m.gen == v.shown.gen {
			cmd = tea.Batch(v.readOn(), v.need())
		}
	case lookMsg:
		if m.gen == v.shown.gen {
			if v.shown.resting = false; v.inView() {
				cmd = v.readOn()
			}
		}
	case fileMsg:
		return nil, changed(v.onFile(m))
	case stateMsg:
		return nil, changed(v.onState(m))
	case askedMsg:
		return v.onAsked(m), view.Changed
	case worktreeMsg:
		return v.onWorktree(m), view.Changed
	case shellMsg:
		return v.onShell(m), view.Changed
	default:
		return nil, view.Ignored
	}
	return cmd, view.Quiet
}

func changed(something bool) view.Heard {
	if something {
		return view.Changed
	}
	return view.Quiet
}

// Says tells how many runs are listed.
func (v *View) Says() (title, header string) {
	switch shown, total := v.list.Counted(); {
	case shown < total:
		title = fmt.Sprintf("%s of %s", text.Count(shown), text.Count(total))
	case total > 0:
		title = text.Count(total)
	}
	return title, ""
}

// Beside is the run under the cursor.
func (v *View) Beside() view.Beside {
	if _, ok := v.list.Run(); !ok || v.aside {
		return nil
	}
	return v.pane
}

// Run is the run on the right; false when there is none.
func (v *View) Run() (*runs.Run, bool) {
	if !v.Shows(v) || v.aside {
		return nil, false
	}
	return v.list.Run()
}

// OnLive reports whether the cursor is on a run that is under way.
func (v *View) OnLive() bool {
	live, _ := v.list.Group()
	return live
}

// Open goes to a run; one that is not known yet when the runs have been read.
func (v *View) Open(id string) tea.Cmd {
	if !v.Shows(v) {
		v.Remember(v.Selected())
	}
	cmd := v.Show(keymap.ViewRuns)
	if !v.list.JumpRun(id) {
		v.jumpTo = id
		return cmd
	}
	v.host.Focus()
	return tea.Batch(cmd, v.Moved())
}

// goThere goes to the run that could not be gone to before the runs had been read.
func (v *View) goThere() {
	id := v.jumpTo
	if id == "" || !v.Shows(v) {
		return
	}
	v.jumpTo = ""
	if !v.list.JumpRun(id) && v.host.Unfilter() {
		v.list.JumpRun(id)
	}
	v.host.Focus()
}

// NoPatch says why there is no patch of the run on the right.
func (v *View) NoPatch() string {
	if why := v.noRun(); why != "" || !v.pane.NoPatch() {
		return why
	}
	return "the run left no patch"
}

func (v *View) noRun() string {
	if _, ok := v.Run(); !ok {
		return "only in a run"
	}
	return ""
}

// Actions are those of a run, and of the loop in every view.
func (v *View) Actions() map[keymap.Action]view.Action {
	out := v.loopActions()
	in := func(do func()) view.Action {
		return view.Action{Do: func() tea.Cmd { do(); return nil }, Off: v.noRun}
	}
	out[keymap.RunUnfold] = view.Action{Do: func() tea.Cmd { v.pane.Unfold(); return nil }, Off: func() string {
		if why := v.noRun(); why != "" || v.pane.Unfolds() {
			return why
		}
		return "nothing under the cursor is folded"
	}}
	out[keymap.RunFold] = in(func() { v.pane.UnfoldAll(false) })
	out[keymap.RunUnfolds] = in(func() { v.pane.UnfoldAll(true) })
	return out
}

// pane is the run on the right.
type pane struct {
	*runpane.Pane
	v *View
}

// tabInset is what the border takes of the row of tabs.
const tabInset = 4

func (p *pane) Draw(w, h int, focused bool) (style.Frame, []string) {
	p.SetFocused(focused)
	lines := p.View(w, h)
	return style.Frame{Tabs: p.Tabs(w - tabInset), Foot: p.Foot(), Scroll: p.Scroll()}, lines
}

func (p *pane) Tab(n int) tea.Cmd {
	return p.turn((p.Pane.Tab() + runpane.Tab(n) + runpane.NumTabs) % runpane.NumTabs)
}

// turn goes to a tab.
func (p *pane) turn(t runpane.Tab) tea.Cmd {
	p.v.host.Turned(p)
	p.Show(t)
	return p.v.need()
}

func (p *pane) Open() (tea.Cmd, bool) {
	if id, ok := p.Attempt(); ok && id != p.Run() {
		return p.v.Open(id), true
	}
	return nil, p.Unfold()
}

func (p *pane) Click(x, y, w, h int) (opens bool, cmd tea.Cmd) {
	if t, ok := p.TabAt(x-3, w-2-tabInset); y == 0 && ok {
		return false, p.turn(t)
	}
	if x > 0 && x < w-1 && y > 0 && y < h-1 {
		_, opens = p.Pane.Click(x-1, y-1)
	}
	return opens, nil
}
