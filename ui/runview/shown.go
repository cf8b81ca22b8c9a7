package runview

import (
	"bytes"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui/runpane"
	"vespe/ui/view"
)

// lookEvery is how often the log of the run on screen is read on, while it is under way.
const lookEvery = 250 * time.Millisecond

// shown is how far the run on screen has been read.
type shown struct {
	log     File
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

// settleMsg comes one round after the cursor came to a run: only when nothing moved it again is it
// read.
type settleMsg struct{ gen int }

// lookMsg asks for a look at what was appended to the log on screen.
type lookMsg struct{ gen int }

// fileMsg is a file of the run on screen.
type fileMsg struct {
	gen  int
	need runpane.Need
	file runpane.File
}

// show hands the pane the run under the cursor, as the store knows it now.
func (v *View) show() tea.Cmd {
	if !v.Shows(v) {
		return nil
	}
	r, ok := v.list.Run()
	if !ok {
		v.pane.SetRun(runpane.Facts{})
		return nil
	}
	live, waits := v.list.Group()
	f := runpane.Facts{Run: r.Run, Attempt: r.Attempt, Live: live, Waits: waits, Most: 0}
	if t, ok := v.Snapshot().Task(r.Task); ok {
		f.Most, f.Asks = model.AttemptsOf(t, v.Snapshot().Policy()), t.Status.PauseText()
		if t.Spec != nil {
			for _, c := range t.Spec.AcceptanceCriteria {
				f.Criteria = append(f.Criteria, c.Text)
			}
		}
	}
	v.pane.SetRun(f)
	v.pane.SetAttempts(r.Task, v.past.book[r.Task].runs)
	s := &v.shown
	if s.log.Task == r.Task && s.log.Run == r.ID {
		if !live || s.resting || s.busy {
			return v.need()
		}
		return tea.Batch(v.readOn(), v.need())
	}
	v.aside = false
	*s = shown{log: File{r.Task, r.ID, logName}, gen: s.gen + 1, asked: map[runpane.Need]bool{}}
	gen := s.gen
	return func() tea.Msg { return settleMsg{gen} }
}

// readOn reads more of the log on screen.
func (v *View) readOn() tea.Cmd {
	s := &v.shown
	if s.busy || v.from.Runs == nil || s.log.Run == "" {
		return nil
	}
	s.busy = true
	return v.piece(*s)
}

// piece reads a piece of a log, and its events.
func (v *View) piece(s shown) tea.Cmd {
	return func() tea.Msg {
		m := pieceMsg{gen: s.gen, next: s.off, rest: s.rest, skipped: s.skipped}
		from, body, err := v.more(v.ctx, s.log, s.off)
		if m.none = errors.Is(err, model.ErrNoContent); err != nil {
			if !m.none {
				m.err = err
			}
			return m
		}
		m.next, m.more = from+int64(len(body)), len(body) == logPiece
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

// onPiece takes more of the log on screen in.
func (v *View) onPiece(m pieceMsg) (tea.Cmd, view.Heard) {
	s := &v.shown
	if m.gen != s.gen {
		return nil, view.Quiet
	}
	first, heard := s.off == 0, view.Quiet
	s.busy, s.off, s.rest, s.skipped = false, m.next, m.rest, m.skipped
	switch {
	case m.none || m.err != nil:
		v.pane.SetNoLog(s.log.Run, m.err)
		heard = changed(first)
	case len(m.events) > 0 || first:
		v.pane.SetNow(v.Now())
		v.pane.Add(s.log.Run, m.events, m.skipped)
		heard = view.Changed
	}
	if m.more {
		return v.readOn(), heard
	}
	return tea.Batch(v.wait(), v.need()), heard
}

// wait lets the log of a run under way be looked at again a moment later, while it is on screen.
func (v *View) wait() tea.Cmd {
	if !v.OnLive() || v.shown.resting || !v.inView() {
		return nil
	}
	v.shown.resting = true
	return view.After(lookEvery, lookMsg{v.shown.gen})
}

// inView reports whether the run is on screen.
func (v *View) inView() bool {
	_, ok := v.Run()
	return ok && v.host.InView()
}

// need reads what the tab on screen needs.
func (v *View) need() tea.Cmd {
	s := &v.shown
	if _, ok := v.Run(); !ok || v.from.Runs == nil || s.log.Run == "" {
		return nil
	}
	var cmds []tea.Cmd
	for _, n := range v.pane.Needs() {
		if s.asked[n] {
			continue
		}
		s.asked[n] = true
		f, gen := s.log, s.gen
		f.Name = map[runpane.Need]string{runpane.NeedReport: VerifyName, runpane.NeedPatch: PatchName, runpane.NeedPrompt: promptName}[n]
		cmds = append(cmds, func() tea.Msg { return fileMsg{gen, n, f.Read(v.ctx, v.from.Runs)} })
	}
	return tea.Batch(cmds...)
}

func (v *View) onFile(m fileMsg) (shown bool) {
	if m.gen != v.shown.gen {
		return false
	}
	delete(v.shown.asked, m.need)
	v.pane.SetFile(v.shown.log.Run, m.need, m.file)
	return true
}
