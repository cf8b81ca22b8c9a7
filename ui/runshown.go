package ui

import (
	"bytes"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui/runpane"
	"vespe/ui/view"
)

// runLook is how often the log of the run on screen is read on, while it is under way.
const runLook = 250 * time.Millisecond

// wholeFile is how much of a patch, a prompt or a report is read, in bytes.
const wholeFile = 4 << 20

// shownRun is how far the run on screen has been read.
type shownRun struct {
	a *App
	runFile
	gen     int
	off     int64
	rest    []byte // the beginning of a line that is not whole yet
	skipped int64
	busy    bool // its log is being read
	resting bool // a look at it is under way
	asked   map[runpane.Need]bool
}

// pieceMsg are more events of the log of the run on screen.
type pieceMsg struct {
	gen     int
	next    int64
	events  []runlog.Event
	rest    []byte
	skipped int64
	more    bool
	none    bool
	err     error
}

// runSettleMsg comes one round after the cursor came to a run: only when nothing moved it again is it
// read.
type runSettleMsg struct{ gen int }

// runLookMsg asks for a look at what was appended to the log on screen.
type runLookMsg struct{ gen int }

// runFileMsg is a file of the run on screen.
type runFileMsg struct {
	gen  int
	need runpane.Need
	file runpane.File
}

// runOn reports whether the right pane shows a run.
func (p *panes) runOn() bool {
	if p.view != viewRuns || p.aside {
		return false
	}
	_, ok := p.runs.Run()
	return ok
}

// rightPane is what the right pane shows.
func (p *panes) rightPane() interface {
	view.Scroller
	view.Searcher
} {
	if p.runOn() {
		return p.run
	}
	return p.detail
}

// show hands the right pane the run under the cursor, as the store knows it now.
func (s *shownRun) show() tea.Cmd {
	a := s.a
	if !a.onRunsView() {
		return nil
	}
	r, ok := a.panes.runs.Run()
	if !ok {
		a.panes.run.SetRun(runpane.Facts{})
		return nil
	}
	live, waits := a.panes.runs.Group()
	f := runpane.Facts{Run: r.Run, Attempt: r.Attempt, Live: live, Waits: waits, Most: 0}
	if t, ok := a.snap.Task(r.Task); ok {
		f.Most = model.AttemptsOf(t, a.snap.Policy())
		if t.Spec != nil {
			for _, c := range t.Spec.AcceptanceCriteria {
				f.Criteria = append(f.Criteria, c.Text)
			}
		}
	}
	a.panes.run.SetRun(f)
	a.panes.run.SetAttempts(r.Task, a.attempts.book[r.Task].runs)
	if s.uid == r.Task && s.run == r.ID {
		return s.look(live)
	}
	a.panes.aside = false
	*s = shownRun{a: a, runFile: runFile{r.Task, r.ID, logName}, gen: s.gen + 1, asked: map[runpane.Need]bool{}}
	gen := s.gen
	return func() tea.Msg { return runSettleMsg{gen} }
}

// look reads on in the log of a run under way, and what the tab on screen needs.
func (s *shownRun) look(live bool) tea.Cmd {
	if !live || s.resting || s.busy {
		return s.need()
	}
	return tea.Batch(s.readOn(), s.need())
}

// readOn reads more of the log on screen.
func (s *shownRun) readOn() tea.Cmd {
	if s.busy || s.a.deps.Runs == nil || s.run == "" {
		return nil
	}
	s.busy = true
	return s.a.fx.piece(*s)
}

// piece reads a piece of a log, and its events.
func (e effects) piece(s shownRun) tea.Cmd {
	return func() tea.Msg {
		m := pieceMsg{gen: s.gen, next: s.off, rest: s.rest, skipped: s.skipped}
		from, body, err := e.more(e.ctx, s.runFile, s.off)
		if m.none = errors.Is(err, model.ErrNoContent); err != nil {
			if !m.none {
				m.err = err
			}
			return m
		}
		m.next, m.more = from+int64(len(body)), len(body) == feedPiece
		if from > s.off { // it begins in the middle of a line
			m.skipped = from
			_, body, _ = bytes.Cut(body, []byte("\n"))
			m.rest = nil
		}
		body = append(bytes.Clone(m.rest), body...)
		for {
			line, after, whole := bytes.Cut(body, []byte("\n"))
			if !whole {
				break
			}
			body = after
			if len(line) > 0 {
				ev, _ := runlog.Parse(line) // what is no event is shown as it is
				m.events = append(m.events, ev)
			}
		}
		if m.rest = body; len(body) > 4*runlog.MaxLine { // no line of ours is that long
			m.rest = nil
		}
		return m
	}
}

// onPiece takes more of the log on screen in. It reports whether anything on screen has changed.
func (s *shownRun) onPiece(m pieceMsg) (cmd tea.Cmd, changed bool) {
	if m.gen != s.gen {
		return nil, false
	}
	first := s.off == 0
	s.busy, s.off, s.rest, s.skipped = false, m.next, m.rest, m.skipped
	p := s.a.panes.run
	switch {
	case m.none || m.err != nil:
		p.SetNoLog(s.run, m.err)
		changed = first
	case len(m.events) > 0 || first:
		p.SetNow(s.a.deps.Now())
		p.Add(s.run, m.events, m.skipped)
		changed = true
	}
	if m.more {
		return s.readOn(), changed
	}
	return tea.Batch(s.wait(), s.need()), changed
}

// wait lets the log of a run under way be looked at again a moment later, while it is on screen.
func (s *shownRun) wait() tea.Cmd {
	if live, _ := s.a.panes.runs.Group(); !live || s.resting || !s.a.runInView() {
		return nil
	}
	s.resting = true
	return view.After(runLook, runLookMsg{s.gen})
}

// runInView reports whether the right pane with a run is on screen.
func (a *App) runInView() bool {
	return a.snap != nil && a.panes.runOn() && a.screen.layout.Right.W > 0
}

// need reads what the tab on screen needs.
func (s *shownRun) need() tea.Cmd {
	a := s.a
	if a.deps.Runs == nil || !a.panes.runOn() || s.run == "" {
		return nil
	}
	var cmds []tea.Cmd
	for _, n := range a.panes.run.Needs() {
		if s.asked[n] {
			continue
		}
		s.asked[n] = true
		f := s.runFile
		f.name = map[runpane.Need]string{runpane.NeedReport: verifyName, runpane.NeedPatch: patchName, runpane.NeedPrompt: promptName}[n]
		cmds = append(cmds, a.fx.runFile(s.gen, n, f))
	}
	return tea.Batch(cmds...)
}

// wholeRunFile reads a file of a run, or its beginning.
func (e effects) wholeRunFile(f runFile) runpane.File {
	b, size, err := e.Runs.ReadRunFile(e.ctx, f.uid, f.run, f.name, 0, wholeFile)
	if errors.Is(err, model.ErrNoContent) {
		return runpane.File{None: true}
	}
	if int64(len(b)) < size {
		if end := bytes.LastIndexByte(b, '\n'); end >= 0 {
			b = b[:end+1]
		}
	}
	return runpane.File{Body: b, Size: size, Err: err}
}

func (e effects) runFile(gen int, n runpane.Need, f runFile) tea.Cmd {
	return func() tea.Msg { return runFileMsg{gen, n, e.wholeRunFile(f)} }
}

func (s *shownRun) onFile(m runFileMsg) (changed bool) {
	if m.gen != s.gen {
		return false
	}
	delete(s.asked, m.need)
	s.a.panes.run.SetFile(s.run, m.need, m.file)
	return true
}

// openRun goes to a run in the view of runs; one that is not known yet when the runs have been read.
func (a *App) openRun(id string) tea.Cmd {
	if a.panes.view != viewRuns {
		a.remember(a.selected())
	}
	cmd := a.show(viewRuns)
	if !a.panes.runs.JumpRun(id) {
		a.attempts.jump = id
		return cmd
	}
	a.focus(true)
	return tea.Batch(cmd, a.onMoved())
}

// goThere goes to the run that could not be gone to before the runs had been read.
func (r *attempts) goThere() {
	a := r.a
	id := r.jump
	if id == "" || !a.onRunsView() {
		return
	}
	r.jump = ""
	if !a.panes.runs.JumpRun(id) && a.find.clear() {
		a.panes.runs.JumpRun(id)
	}
	a.focus(true)
}

// openInRun does what enter does in a run: it unfolds, or goes to another attempt.
func (a *App) openInRun() tea.Cmd {
	if id, ok := a.panes.run.Attempt(); ok && id != a.panes.run.Run() {
		return a.openRun(id)
	}
	if a.panes.run.Unfold() {
		return nil
	}
	return a.toggleZoom()
}

// noRunShown says why the pane of a run takes no key.
func (a *App) noRunShown() string {
	if a.snap == nil || !a.panes.runOn() {
		return "it works in a run"
	}
	return ""
}

func runHandlers() map[keymap.Action]handler {
	in := func(do func(*App)) handler {
		return handler{do: func(a *App) tea.Cmd { do(a); return nil }, off: (*App).noRunShown}
	}
	return map[keymap.Action]handler{
		keymap.RunPatch: {do: (*App).patchOfRun, off: func(a *App) string {
			if why := a.noRunShown(); why != "" || !a.panes.run.NoPatch() {
				return why
			}
			return "the run left no patch"
		}},
		keymap.RunUnfold: {do: func(a *App) tea.Cmd { a.panes.run.Unfold(); return nil }, off: func(a *App) string {
			if why := a.noRunShown(); why != "" || a.panes.run.Unfolds() {
				return why
			}
			return "nothing under the cursor is folded"
		}},
		keymap.RunFold:    in(func(a *App) { a.panes.run.UnfoldAll(false) }),
		keymap.RunUnfolds: in(func(a *App) { a.panes.run.UnfoldAll(true) }),
	}
}

// readLastRun reads the attempts at a task, and what the newest of them that was verified came to.
func (e effects) readLastRun(s *sheet, plans int) {
	if e.Runs == nil || plans == 0 { // nobody starts it without a plan
		return
	}
	s.runs, s.errs.runs = e.Runs.Runs(e.ctx, s.uid)
	for _, r := range slices.Backward(s.runs) {
		f := e.wholeRunFile(runFile{s.uid, r.ID, verifyName})
		if f.None || f.Err != nil {
			if r.Live() {
				continue
			}
			s.errs.report = f.Err
			break // what an older one found says nothing about this one
		}
		rep, err := runlog.DecodeReport(f.Body)
		if s.errs.report = err; err == nil {
			s.reportOf, s.report = r.ID, &rep
		}
		break
	}
}
