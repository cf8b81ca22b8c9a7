package runview

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/ui/runs"
	"vespe/ui/text"
	"vespe/ui/view"
)

// live is what is known of the runs under way.
type live struct {
	logs  map[string]*logOf // by run
	tasks []*model.Task     // with a run under way, of
	of    *snapshot.Snapshot
}

// logOf is how far the log of a run under way has been followed.
type logOf struct {
	file File
	off  int64
	view runlog.View
	busy bool
	rest int // polls until it is asked for again: there was no log
}

// noLogRest is for how many polls a run without a log is left alone: somebody works by hand.
const noLogRest = 8

// Limits of what is read of a run's log, in bytes.
const (
	logPiece = 1 << 20 // at a time
	logMost  = 8 << 20 // from the end of a log that is longer
)

// liveMsg are more bytes of the log of a run under way, for the list.
type liveMsg struct {
	run  string
	from int64
	body []byte
	err  error
}

// readLive reads what was appended to the log of a run.
func (v *View) readLive(f *logOf) tea.Cmd {
	file, off := f.file, f.off
	return func() tea.Msg {
		from, body, err := v.more(v.ctx, file, off)
		return liveMsg{file.Run, from, body, err}
	}
}

// more reads on in a log from an offset, from close to its end where there is too much before it. from
// is where what was read begins.
func (v *View) more(ctx context.Context, f File, off int64) (from int64, body []byte, err error) {
	body, size, err := v.from.Runs.ReadRunFile(ctx, f.Task, f.Run, f.Name, off, logPiece)
	if err != nil || size-off <= logMost {
		return off, body, err
	}
	from = size - logMost
	body, _, err = v.from.Runs.ReadRunFile(ctx, f.Task, f.Run, f.Name, from, logPiece)
	return from, body, err
}

// followLive reads on in the logs of the runs under way, of which the list and the header tell.
func (v *View) followLive() tea.Cmd {
	if v.from.Runs == nil || v.Snapshot() == nil {
		return nil
	}
	live := map[string]bool{}
	var cmds []tea.Cmd
	for _, t := range v.underWay() {
		id := t.Status.CurrentRun
		live[id] = true
		f := v.live.logs[id]
		if f == nil {
			if v.live.logs == nil {
				v.live.logs = map[string]*logOf{}
			}
			f = &logOf{file: File{t.UID, id, logName}}
			v.live.logs[id] = f
		}
		if f.rest > 0 {
			f.rest--
		} else if !f.busy {
			f.busy = true
			cmds = append(cmds, v.readLive(f))
		}
	}
	for id := range v.live.logs {
		if !live[id] {
			delete(v.live.logs, id)
		}
	}
	return tea.Batch(cmds...)
}

// underWay are the tasks with a run under way.
func (v *View) underWay() []*model.Task {
	l, snap := &v.live, v.Snapshot()
	if l.of == snap {
		return l.tasks
	}
	l.of, l.tasks = snap, nil
	for i := range snap.Len() {
		if snap.HasRun(i) { // no task is read that has none: there may be a hundred thousand
			l.tasks = append(l.tasks, snap.At(i))
		}
	}
	return l.tasks
}

// onLive takes more of a log in.
func (v *View) onLive(m liveMsg) (cmd tea.Cmd, heard view.Heard) {
	f := v.live.logs[m.run]
	if f == nil {
		return nil, view.Quiet
	}
	f.busy = false
	if errors.Is(m.err, model.ErrNoContent) {
		f.rest = noLogRest
	}
	if m.err != nil || len(m.body) == 0 {
		return nil, view.Quiet // nothing is known of it yet
	}
	f.off = m.from + int64(len(m.body))
	before := f.view.Cost
	_, _ = f.view.Write(m.body)
	v.list.SetLive(m.run, &f.view)
	if len(m.body) == logPiece { // there is more
		f.busy = true
		cmd = v.readLive(f)
	}
	return cmd, changed(v.Shows(v) || before != f.view.Cost)
}

// Chip is what the header says of runs under way: how many there are and what they have cost so far.
func (v *View) Chip() string {
	if v.Snapshot() == nil {
		return ""
	}
	cost, told := 0.0, v.loop.state.Running
	for _, f := range v.live.logs {
		cost += f.view.Cost
		told = told || f.off > 0
	}
	if !told { // somebody works by hand
		return ""
	}
	n := 0
	for _, t := range v.underWay() {
		if !t.Status.IsPaused {
			n++
		}
	}
	parts := []string{fmt.Sprintf("%s running", text.Count(n))}
	if s := runs.Dollars(cost); s != "" {
		parts = append(parts, s)
	}
	if v.loop.state.Paused {
		parts = append(parts, "paused")
	}
	return strings.Join(parts, " "+v.list.Styles.Glyph.Dot+" ")
}
