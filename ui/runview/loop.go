package runview

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/runs"
	"vespe/ui/text"
	"vespe/ui/view"
)

// looping is how the loop stands, as far as is known.
type looping struct {
	state LoopState
	known bool
	err   error // of the last question
	busy  bool
	told  bool // it has been told to end, from here
}

// stateMsg is how the loop stands.
type stateMsg struct {
	state LoopState
	err   error
}

// askedMsg is what came of something that the loop was asked for; said is what is told of it.
type askedMsg struct {
	what, said string
	err        error
}

// askLoop asks the loop for something.
func (v *View) askLoop(what, said string, do func(ctx context.Context) error) tea.Cmd {
	return func() tea.Msg { return askedMsg{what, said, do(v.ctx)} }
}

// followLoop asks how the loop stands, one question at a time.
func (v *View) followLoop() tea.Cmd {
	if v.from.Loop == nil || v.loop.busy {
		return nil
	}
	v.loop.busy = true
	return func() tea.Msg {
		s, err := v.from.Loop.State(v.ctx)
		return stateMsg{s, err}
	}
}

// onState takes how the loop stands. It reports whether anything on screen has changed.
func (v *View) onState(m stateMsg) (changed bool) {
	l := &v.loop
	was := *l
	l.state, l.err, l.busy, l.known = m.state, m.err, false, true
	if !m.state.Running {
		l.told = false
	}
	changed = !was.known || !was.state.same(m.state) || (was.err == nil) != (m.err == nil)
	if changed {
		v.sayLoop()
	}
	return changed
}

// same reports whether two states look the same.
func (s LoopState) same(o LoopState) bool {
	return s.Running == o.Running && s.Here == o.Here && s.PID == o.PID && s.Since.Equal(o.Since) && s.Workers == o.Workers &&
		s.Paused == o.Paused && s.Stopping == o.Stopping && slices.Equal(s.Stops, o.Stops)
}

// sayLoop says above the runs how the loop stands, and what keeps it from working.
func (v *View) sayLoop() {
	var out []runs.Line
	st, l := v.list.Styles, &v.loop
	switch {
	case v.from.Loop == nil || !l.known:
	case l.err != nil:
		out = append(out, runs.Line{Ink: st.Bad, Text: st.Glyph.Warning + " The state of the loop is unknown: " + l.err.Error()})
	default:
		out = append(out, v.loopLine())
		for _, stop := range l.state.Stops {
			out = append(out, runs.Line{Ink: st.Warn, Text: st.Glyph.Warning + " No run can start: " + stop.Why})
			if stop.Hint != "" {
				out = append(out, runs.Line{Ink: st.Muted, Text: st.Glyph.Arrow + " " + stop.Hint})
			}
		}
	}
	v.list.SetBanner(out...)
	v.list.SetEmpty(v.noneYet()...)
}

// loopLine is how the loop stands, in a line with the key that changes it.
func (v *View) loopLine() runs.Line {
	st, s := v.list.Styles, &v.loop.state
	where := ""
	switch {
	case s.Here:
		where = ", ends with the workbench"
	case s.PID > 0:
		where = fmt.Sprintf(", process %d", s.PID)
	}
	say := func(words string, action keymap.Action, does string) string {
		if hint := v.Hint(action, does); hint != "" && len(s.Stops) == 0 {
			words += "   " + hint
		}
		return words
	}
	workers := text.Plural(s.Workers, "worker") + " at a time"
	switch {
	case !s.Running && s.Paused:
		return runs.Line{Ink: st.Warn, Text: say("The loop is off and paused.", keymap.LoopPause, "resume")}
	case !s.Running:
		return runs.Line{Ink: st.Muted, Text: say("The loop is off.", keymap.LoopToggle, "starts it")}
	case s.Stopping || v.loop.told:
		return runs.Line{Ink: st.Warn, Text: say("The loop ends after the current runs"+where+".", keymap.LoopToggle, "stops their workers")}
	case s.Paused:
		return runs.Line{Ink: st.Warn, Text: say("The loop is paused: no new run starts"+where+".", keymap.LoopPause, "resume")}
	}
	return runs.Line{Ink: st.Good, Text: say("The loop is running: "+workers+where+".", keymap.LoopToggle, "ends it")}
}

// noneYet says what makes the first run.
func (v *View) noneYet() []string {
	snap := v.Snapshot()
	if snap == nil || snap.Len() == 0 {
		return view.NoTasks(v)
	}
	lines := []string{"No worker has worked on anything yet."}
	if v.from.Loop == nil || len(v.loop.state.Stops) > 0 {
		return lines
	}
	if snap.Total()[model.StatusReady] == 0 {
		return append(lines, "No task is ready: workers take those whose plan a person has accepted.", v.Hint(keymap.ViewInbox, "shows the plans that wait"))
	}
	if !v.loop.state.Running {
		lines = append(lines, v.Hint(keymap.LoopToggle, "starts the loop"))
	}
	return append(lines, v.Hint(keymap.LoopRun, "runs one task that is ready, from any view"))
}

const noLoop = "no loop is running: `vespe run` starts one"

// noAsking says why the loop can be asked for nothing.
func (v *View) noAsking() string {
	switch {
	case v.from.Loop == nil:
		return noLoop
	case v.from.ReadOnly != "":
		return "this store is open for reading only"
	case !v.loop.known:
		return "the state of the loop is not known yet"
	case v.loop.err != nil:
		return v.loop.err.Error()
	}
	return ""
}

// noRunning says why no run can begin.
func (v *View) noRunning() string {
	if why := v.noAsking(); why != "" {
		return why
	}
	if stops := v.loop.state.Stops; len(stops) > 0 {
		return view.Notice{Why: stops[0].Why, Hint: stops[0].Hint}.Reason()
	}
	return ""
}

// loopActions are those of the loop and of a run, in every view.
func (v *View) loopActions() map[keymap.Action]view.Action {
	out := map[keymap.Action]view.Action{
		keymap.LoopToggle: {Do: v.toggle, Off: func() string {
			if v.loop.state.Running {
				return v.noAsking()
			}
			return v.noRunning()
		}},
		keymap.LoopPause: {Do: v.hold, Off: func() string {
			if s := &v.loop.state; !s.Running && !s.Paused && v.noAsking() == "" {
				return "the loop is off"
			}
			return v.noAsking()
		}},
		keymap.LoopRun:   {Do: v.runTask, Off: v.noRunTask},
		keymap.RunCancel: {Do: v.cancel, Off: v.noCancel},
		keymap.RunTakeOver: {Do: v.takeOver, Off: func() string {
			if _, _, ok := v.here(); !ok {
				return noRunHere
			}
			if v.from.Loop == nil {
				return noLoop
			}
			return ""
		}},
	}
	for a, x := range out {
		x.Everywhere = true
		out[a] = x
	}
	return out
}

// toggle starts the loop, lets it end, or stops its workers.
func (v *View) toggle() tea.Cmd {
	s, live := &v.loop.state, len(v.underWay())
	switch {
	case !s.Running:
		return v.Ask(dialog.Ask{
			Title: "Start the loop", Summary: fmt.Sprintf("Workers start on %s.", text.Plural(int(v.Snapshot().Total()[model.StatusReady]), "ready task")),
			Yes: "Start",
			Done: func() tea.Cmd {
				return v.askLoop("Can't start the loop", "Loop started", func(ctx context.Context) error { return v.from.Loop.Start(ctx, LoopOptions{}) })
			},
		})
	case s.Stopping || v.loop.told:
		return v.Ask(dialog.Ask{
			Title: "Stop the workers", Summary: fmt.Sprintf("Stop the workers of %s now", text.Plural(live, "run")),
			Notes: []string{"their work so far stays in their worktrees; the tasks can run again"}, Affected: v.UnderWay(),
			Yes: "Stop them", Danger: true,
			Done: func() tea.Cmd {
				return v.askLoop("Can't stop the workers", "The workers are stopped", func(ctx context.Context) error { return v.from.Loop.Stop(ctx, true) })
			},
		})
	}
	v.loop.told = true
	v.sayLoop()
	said := "The loop ends"
	if live > 0 {
		said = v.OrKey("The loop ends after the current runs", keymap.LoopToggle, "again stops them")
	}
	return v.askLoop("Can't end the loop", said, func(ctx context.Context) error { return v.from.Loop.Stop(ctx, false) })
}

// EndsHere reports whether there is a loop that ends with this process.
func (v *View) EndsHere() bool { return v.loop.state.Here && v.loop.state.Running }

// UnderWay name the runs under way.
func (v *View) UnderWay() []overlay.Affected {
	var out []overlay.Affected
	for _, t := range v.underWay() {
		row := overlay.Affected{Title: t.Config.Name, Detail: t.Status.AssignedAgentUID.Name()}
		row.Glyph, row.Ink = v.list.Styles.Status(model.StatusRunning)
		if !t.Status.RunStartedAt.IsZero() {
			row.Detail += ", for " + runs.Span(v.Now().Sub(t.Status.RunStartedAt))
		}
		out = append(out, row)
	}
	return out
}

func (v *View) hold() tea.Cmd {
	on := !v.loop.state.Paused
	said, what := "No new run starts", "Can't pause the loop"
	if !on {
		said, what = "New runs start again", "Can't resume the loop"
	}
	return v.askLoop(what, said, func(ctx context.Context) error { return v.from.Loop.Pause(ctx, on) })
}

func (v *View) noRunTask() string {
	t, ok := v.task()
	if !ok {
		return view.NoTask
	}
	if why := v.noRunning(); why != "" {
		return why
	}
	if t.Status.CurrentRun != "" {
		return fmt.Sprintf("%s is already working on it", t.Status.AssignedAgentUID.Name())
	}
	if i, _ := v.Snapshot().Index(t.UID); v.Snapshot().Status(i) != model.StatusReady {
		return v.WhyNot(model.Op{Name: model.Start, UID: t.UID, Actor: model.Actor(model.System + ":loop")})
	}
	return ""
}

// task is the one under the cursor of the view on screen.
func (v *View) task() (*model.Task, bool) {
	if v.Snapshot() == nil {
		return nil, false
	}
	return v.Snapshot().Task(v.Selected())
}

func (v *View) runTask() tea.Cmd {
	uid := v.Selected()
	return v.askLoop("Can't run the task", fmt.Sprintf("A worker starts on %q", v.Name(uid)), func(ctx context.Context) error { return v.from.Loop.RunTask(ctx, uid) })
}

const noRunHere = "no run under the cursor"

// here is the run that an action is about: the one under the cursor of the runs, else the one under
// way of the task under the cursor, or its last one.
func (v *View) here() (id string, live, ok bool) {
	if v.Shows(v) {
		r, ok := v.list.Run()
		if !ok {
			return "", false, false
		}
		return r.ID, v.OnLive(), true
	}
	t, ok := v.task()
	if !ok {
		return "", false, false
	}
	if t.Status.CurrentRun != "" {
		return t.Status.CurrentRun, true, true
	}
	id, ok = v.host.LastRun()
	return id, false, ok
}

func (v *View) noCancel() string {
	_, live, ok := v.here()
	switch {
	case !ok:
		return noRunHere
	case !live:
		return "the run has ended"
	}
	if why := v.noAsking(); why != "" || v.loop.state.Running {
		return why
	}
	return "no loop is running to stop it: wait for its worker, or end the run with `vespe run stop`"
}

// cancel stops a run's worker, after a question: it loses what the worker has in mind.
func (v *View) cancel() tea.Cmd {
	id, _, _ := v.here()
	notes := []string{v.OrKey("its work so far is kept as a commit", keymap.RunTakeOver, "opens that")}
	if f := v.live.logs[id]; f != nil && f.view.Cost > 0 {
		notes = append(notes, "it has cost "+runs.Dollars(f.view.Cost)+" so far")
	}
	return v.Ask(dialog.Ask{
		Title: "Stop the run", Summary: fmt.Sprintf("Stop the worker on %q", v.Name(v.Selected())), Notes: notes, Yes: "Stop it", Danger: true,
		Done: func() tea.Cmd {
			return v.askLoop("Can't stop the run", "The worker is being stopped", func(ctx context.Context) error { return v.from.Loop.Cancel(ctx, id) })
		},
	})
}

// onAsked says what came of something that the loop was asked for.
func (v *View) onAsked(m askedMsg) tea.Cmd {
	if m.err == nil {
		return tea.Batch(v.Say(view.Notice{Level: view.Done, Text: m.said}), v.followLoop())
	}
	if v.loop.told = false; v.loop.known {
		v.sayLoop()
	}
	n := view.Notice{Level: view.Failure, Text: m.what, Why: m.err.Error()}
	var r *model.Refusal
	if errors.As(m.err, &r) {
		n = v.Refused(m.what, m.err)
		n.Text = m.what
	}
	return tea.Batch(v.Say(n), v.followLoop())
}
