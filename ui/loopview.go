package ui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
	"vespe/ui/runs"
	"vespe/ui/text"
	"vespe/ui/view"
)

// looping is how the loop stands, as far as is known.
type looping struct {
	a     *App
	state LoopState
	known bool
	err   error // of the last question
	busy  bool
	told  bool // it has been told to end, from here
}

// loopMsg is how the loop stands.
type loopMsg struct {
	state LoopState
	err   error
}

// loopedMsg is what came of something that the loop was asked for; said is what is told of it.
type loopedMsg struct {
	what, said string
	err        error
}

func (e effects) askLoop() tea.Cmd {
	return func() tea.Msg {
		s, err := e.Loop.State(e.ctx)
		return loopMsg{s, err}
	}
}

// tellLoop asks the loop for something.
func (e effects) tellLoop(what, said string, do func() error) tea.Cmd {
	return func() tea.Msg { return loopedMsg{what, said, do()} }
}

// follow asks how the loop stands, one question at a time.
func (l *looping) follow() tea.Cmd {
	if l.a.deps.Loop == nil || l.busy {
		return nil
	}
	l.busy = true
	return l.a.fx.askLoop()
}

// onState takes how the loop stands. It reports whether anything on screen has changed.
func (l *looping) onState(m loopMsg) (changed bool) {
	was, err, known := l.state, l.err, l.known
	l.state, l.err, l.busy, l.known = m.state, m.err, false, true
	if !m.state.Running {
		l.told = false
	}
	changed = !known || !was.same(m.state) || (err == nil) != (m.err == nil)
	if changed {
		l.say()
	}
	return changed
}

// same reports whether two states look the same.
func (s LoopState) same(o LoopState) bool {
	if len(s.Stops) != len(o.Stops) {
		return false
	}
	for i := range s.Stops {
		if s.Stops[i] != o.Stops[i] {
			return false
		}
	}
	return s.Running == o.Running && s.Here == o.Here && s.PID == o.PID && s.Since.Equal(o.Since) && s.Workers == o.Workers &&
		s.Paused == o.Paused && s.Stopping == o.Stopping
}

// say says above the runs how the loop stands, and what keeps it from working.
func (l *looping) say() {
	a := l.a
	var out []runs.Line
	s := &l.state
	switch {
	case a.deps.Loop == nil || !l.known:
	case l.err != nil:
		out = append(out, runs.Line{Ink: a.st.Bad, Text: a.st.Glyph.Warning + " The state of the loop is unknown: " + l.err.Error()})
	default:
		out = append(out, l.line(s))
		for _, stop := range s.Stops {
			out = append(out, runs.Line{Ink: a.st.Warn, Text: a.st.Glyph.Warning + " No run can start: " + stop.Why})
			if stop.Hint != "" {
				out = append(out, runs.Line{Ink: a.st.Muted, Text: a.st.Glyph.Arrow + " " + stop.Hint})
			}
		}
	}
	a.panes.runs.SetBanner(out...)
	a.panes.runs.SetEmpty(a.noRunsYet()...)
}

// line is how the loop stands, in a line with the key that changes it.
func (l *looping) line(s *LoopState) runs.Line {
	a := l.a
	where := ""
	switch {
	case s.Here:
		where = ", ends with the workbench"
	case s.PID > 0:
		where = fmt.Sprintf(", process %d", s.PID)
	}
	say := func(words string, action keymap.Action, does string) string {
		if hint := a.keyHint(action, does); hint != "" && len(s.Stops) == 0 {
			words += "   " + hint
		}
		return words
	}
	workers := plural(s.Workers, "worker") + " at a time"
	switch {
	case !s.Running && s.Paused:
		return runs.Line{Ink: a.st.Warn, Text: say("The loop is off, and no new run starts.", keymap.LoopPause, "resume")}
	case !s.Running:
		return runs.Line{Ink: a.st.Muted, Text: say("The loop is off.", keymap.LoopToggle, "starts it")}
	case s.Stopping || l.told:
		return runs.Line{Ink: a.st.Warn, Text: say("The loop ends after the current runs"+where+".", keymap.LoopToggle, "stops their workers")}
	case s.Paused:
		return runs.Line{Ink: a.st.Warn, Text: say("The loop is paused: no new run starts"+where+".", keymap.LoopPause, "resume")}
	}
	return runs.Line{Ink: a.st.Good, Text: say("The loop runs: "+workers+where+".", keymap.LoopToggle, "ends it")}
}

// noRunsYet says what makes the first run.
func (a *App) noRunsYet() []string {
	if a.snap == nil || a.snap.Len() == 0 {
		return view.NoTasks(viewHost{a})
	}
	lines := []string{"No worker has worked on anything yet."}
	if a.deps.Loop == nil || len(a.loop.state.Stops) > 0 {
		return lines
	}
	if a.snap.Total()[model.StatusReady] == 0 {
		return append(lines, "No task is ready: workers take those whose plan a person has accepted.", a.keyHint(keymap.ViewInbox, "shows the plans that wait"))
	}
	if !a.loop.state.Running {
		lines = append(lines, a.keyHint(keymap.LoopToggle, "starts the loop"))
	}
	return append(lines, a.keyHint(keymap.LoopRun, "runs one task that is ready, from any view"))
}

// loopChip is what the header says of runs under way: how many there are and what they have cost so far.
func (a *App) loopChip() string {
	if a.snap == nil {
		return ""
	}
	cost, told := 0.0, a.loop.state.Running
	for _, f := range a.attempts.feeds {
		cost += f.view.Cost
		told = told || f.off > 0
	}
	if !told { // somebody works by hand
		return ""
	}
	n := 0
	for _, t := range a.attempts.underWay() {
		if !t.Status.IsPaused {
			n++
		}
	}
	parts := []string{fmt.Sprintf("%s running", text.Count(n))}
	if s := runs.Dollars(cost); s != "" {
		parts = append(parts, s)
	}
	if a.loop.state.Paused {
		parts = append(parts, "paused")
	}
	return strings.Join(parts, " "+a.st.Glyph.Dot+" ")
}

const noLoop = "no loop is running: `vespe run` starts one"

// noAsking says why the loop can be asked for nothing.
func (l *looping) noAsking() string {
	switch {
	case l.a.deps.Loop == nil:
		return noLoop
	case l.a.deps.ReadOnly != "":
		return "this store is open for reading only"
	case !l.known:
		return "the state of the loop is not known yet"
	case l.err != nil:
		return l.err.Error()
	}
	return ""
}

// noRunning says why no run can begin.
func (l *looping) noRunning() string {
	if why := l.noAsking(); why != "" {
		return why
	}
	if stops := l.state.Stops; len(stops) > 0 {
		return joinHints(stops[0].Why, stops[0].Hint)
	}
	return ""
}

func loopHandlers() map[keymap.Action]handler {
	return map[keymap.Action]handler{
		keymap.LoopToggle: {do: func(a *App) tea.Cmd { return a.loop.toggle() }, off: func(a *App) string {
			if a.loop.state.Running {
				return a.loop.noAsking()
			}
			return a.loop.noRunning()
		}},
		keymap.LoopPause: {do: func(a *App) tea.Cmd { return a.loop.hold() }, off: func(a *App) string {
			if s := &a.loop.state; !s.Running && !s.Paused && a.loop.noAsking() == "" {
				return "the loop is off"
			}
			return a.loop.noAsking()
		}},
		keymap.LoopRun:   {do: (*App).runTask, off: (*App).noRunTask},
		keymap.RunCancel: {do: (*App).cancelRun, off: (*App).noCancel},
		keymap.RunTakeOver: {do: (*App).takeOver, off: func(a *App) string {
			if _, _, ok := a.runHere(); !ok {
				return noRunHere
			}
			if a.deps.Loop == nil {
				return noLoop
			}
			return ""
		}},
	}
}

// toggle starts the loop, lets it end, or stops its workers.
func (l *looping) toggle() tea.Cmd {
	a := l.a
	s, live := &l.state, len(a.attempts.underWay())
	switch {
	case !s.Running:
		return a.openConfirm(confirmInput{
			title: "Start the loop", summary: fmt.Sprintf("Workers start on %s.", plural(int(a.snap.Total()[model.StatusReady]), "ready task")),
			yes: "Start", bottom: true,
			done: func() tea.Cmd {
				return a.fx.tellLoop("Can't start the loop", "The loop runs", func() error { return a.deps.Loop.Start(a.fx.ctx, LoopOptions{}) })
			},
		})
	case s.Stopping || l.told:
		return a.openConfirm(confirmInput{
			title: "Stop the workers", summary: fmt.Sprintf("Stop the workers of %s now", plural(live, "run")),
			notes: []string{"their work so far stays in their worktrees; the tasks can run again"}, affected: a.liveRows(),
			yes: "Stop them", danger: true, bottom: true,
			done: func() tea.Cmd {
				return a.fx.tellLoop("Can't stop the workers", "The workers are stopped", func() error { return a.deps.Loop.Stop(a.fx.ctx, true) })
			},
		})
	}
	l.told = true
	l.say()
	said := "The loop ends"
	if live > 0 {
		said = "The loop ends after the current runs" + a.orKey(keymap.LoopToggle, "again stops them")
	}
	return a.fx.tellLoop("Can't end the loop", said, func() error { return a.deps.Loop.Stop(a.fx.ctx, false) })
}

// liveRows name the runs under way.
func (a *App) liveRows() []overlay.Affected {
	var out []overlay.Affected
	for _, t := range a.attempts.underWay() {
		row := overlay.Affected{Title: t.Config.Name, Detail: t.Status.AssignedAgentUID.Name()}
		row.Glyph, row.Ink = a.st.Status(model.StatusRunning)
		if !t.Status.RunStartedAt.IsZero() {
			row.Detail += ", for " + runs.Span(a.deps.Now().Sub(t.Status.RunStartedAt))
		}
		out = append(out, row)
	}
	return out
}

func (l *looping) hold() tea.Cmd {
	on := !l.state.Paused
	said, what := "No new run starts", "Can't pause the loop"
	if !on {
		said, what = "New runs start again", "The loop stays paused"
	}
	return l.a.fx.tellLoop(what, said, func() error { return l.a.deps.Loop.Pause(l.a.fx.ctx, on) })
}

func (a *App) noRunTask() string {
	i, ok := a.currentIndex()
	if !ok {
		return errNoTask.Error()
	}
	if why := a.loop.noRunning(); why != "" {
		return why
	}
	t := a.snap.At(i)
	switch st := a.snap.Status(i); {
	case t.Status.CurrentRun != "":
		return fmt.Sprintf("%s works on it already", t.Status.AssignedAgentUID.Name())
	case st != model.StatusReady:
		return a.whyNot(a.allowed(model.Op{Name: model.Start, UID: t.UID, Actor: model.Actor(model.System + ":loop")}))
	}
	return ""
}

func (a *App) runTask() tea.Cmd {
	uid := a.selected()
	return a.fx.tellLoop("Can't run the task", fmt.Sprintf("A worker starts on %q", a.name(uid)), func() error { return a.deps.Loop.RunTask(a.fx.ctx, uid) })
}

const noRunHere = "no run under the cursor"

// runHere is the run that an action is about: the one under the cursor of the runs, else the one under
// way of the task under the cursor, or its last one.
func (a *App) runHere() (id string, live, ok bool) {
	if a.onRunsView() {
		if r, ok := a.panes.runs.Run(); ok {
			live, _ := a.panes.runs.Group()
			return r.ID, live, true
		}
		return "", false, false
	}
	t, ok := a.current()
	if !ok {
		return "", false, false
	}
	if t.Status.CurrentRun != "" {
		return t.Status.CurrentRun, true, true
	}
	if id, ok := a.panes.detail.LastRun(); ok && a.panes.detail.Task() == t.UID {
		return id, false, true
	}
	return "", false, false
}

func (a *App) noCancel() string {
	_, live, ok := a.runHere()
	switch {
	case !ok:
		return noRunHere
	case !live:
		return "the run has ended"
	}
	return a.loop.noAsking()
}

// cancelRun stops a run's worker, after a question: it loses what the worker has in mind.
func (a *App) cancelRun() tea.Cmd {
	id, _, _ := a.runHere()
	name := a.name(a.selected())
	notes := []string{"its work so far is kept as a commit" + a.orKey(keymap.RunTakeOver, "opens that")}
	if f := a.attempts.feeds[id]; f != nil && f.view.Cost > 0 {
		notes = append(notes, "it has cost "+runs.Dollars(f.view.Cost)+" so far")
	}
	return a.openConfirm(confirmInput{
		title: "Cancel the run", summary: fmt.Sprintf("Stop the worker on %q", name), notes: notes, yes: "Cancel it", danger: true, bottom: true,
		done: func() tea.Cmd {
			return a.fx.tellLoop("Can't cancel the run", "The worker is being stopped", func() error { return a.deps.Loop.Cancel(a.fx.ctx, id) })
		},
	})
}

// onAsked says what came of something that the loop was asked for.
func (l *looping) onAsked(m loopedMsg) tea.Cmd {
	a := l.a
	if m.err == nil {
		a.readFailures(a.notices.last)
		return tea.Batch(a.say(m.said), l.follow())
	}
	if l.told = false; l.known {
		l.say()
	}
	n := notice{text: m.what, why: m.err.Error()}
	var r *model.Refusal
	if errors.As(m.err, &r) {
		n = a.refused(m.what, m.err)
		n.text = m.what
	}
	return tea.Batch(a.fail(n), l.follow())
}

// worktreeMsg is where the worktree of a run lies.
type worktreeMsg struct {
	run, dir string
	live     bool
	err      error
}

// takeOver asks where the worktree of a run lies, to open a shell in it.
func (a *App) takeOver() tea.Cmd {
	id, live, _ := a.runHere()
	loop, ctx := a.deps.Loop, a.fx.ctx
	return func() tea.Msg {
		dir, err := loop.Worktree(ctx, id)
		return worktreeMsg{id, dir, live, err}
	}
}

// onWorktree opens a shell in a worktree; of a run under way after a question.
func (a *App) onWorktree(m worktreeMsg) tea.Cmd {
	switch {
	case m.err != nil:
		return a.fail(notice{text: "There is no worktree to take over", why: m.err.Error()})
	case a.deps.Shell == nil:
		return a.leaveToShell(m.dir, "no shell can be opened here")
	case m.live:
		return a.openConfirm(confirmInput{
			title: "Take over", summary: "Open a shell in the worktree of the current run",
			notes: []string{"the worker continues in it: edits of both may conflict" + a.orKey(keymap.RunCancel, "stops it first"), safeLine(m.dir)},
			yes:   "Open it", bottom: true,
			done: func() tea.Cmd { return a.openShell(m) },
		})
	}
	return a.openShell(m)
}

func (a *App) openShell(m worktreeMsg) tea.Cmd {
	run, err := a.deps.Shell.In(m.dir, m.run)
	if err != nil {
		return a.leaveToShell(m.dir, err.Error())
	}
	return tea.Exec(run, func(err error) tea.Msg { return shellMsg{m.dir, err} })
}

// leaveToShell hands the path over where no shell can be opened.
func (a *App) leaveToShell(dir, why string) tea.Cmd {
	return tea.Batch(a.fail(notice{text: "The worktree is at " + dir, why: why, hint: "its path was copied to the clipboard"}), a.fx.copyText(safeLine(dir)))
}

// shellMsg says that a shell has ended.
type shellMsg struct {
	dir string
	err error
}

func (a *App) onShell(m shellMsg) tea.Cmd {
	if m.err != nil { // a shell ends with the code of its last command
		return tea.Batch(a.remark("back from "+m.dir+": "+m.err.Error()), a.fx.head())
	}
	return tea.Batch(a.say("back from "+m.dir), a.fx.head())
}

// onRunning takes what is known of runs under way. ok is false for other messages; changed says
// whether anything on screen has changed.
func (a *App) onRunning(msg tea.Msg) (cmd tea.Cmd, changed, ok bool) {
	switch m := msg.(type) {
	case fedMsg:
		cmd, changed = a.attempts.onFed(m)
	case loopMsg:
		changed = a.loop.onState(m)
	case runsTickMsg:
		cmd, changed = a.attempts.onTick(), a.panes.view == viewRuns
	case pieceMsg:
		cmd, changed = a.shownRun.onPiece(m)
	case runFileMsg:
		changed = a.shownRun.onFile(m)
	case runSettleMsg:
		if m.gen == a.shownRun.gen {
			cmd = tea.Batch(a.shownRun.readOn(), a.shownRun.need())
		}
	case runLookMsg:
		if m.gen == a.shownRun.gen {
			if a.shownRun.resting = false; a.runInView() {
				cmd = a.shownRun.readOn()
			}
		}
	default:
		return nil, false, false
	}
	return cmd, changed, true
}
