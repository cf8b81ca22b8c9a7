package ui

import (
	"context"
	"errors"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui/runs"
	"vespe/ui/text"
	"vespe/ui/view"
)

// attempts is what is known of the runs of the whole store. Nothing is read before somebody looks at
// them.
type attempts struct {
	a      *App
	active bool // they are being read
	gauge  *view.Gauge
	of     *model.Snapshot // the last that they were read for
	book   runBook
	known  bool
	feeds  map[string]*feedOf // of those under way, by run
	jump   string             // the run to go to when they have been read
	live   []*model.Task      // with a run under way, of liveOf
	liveOf *model.Snapshot
}

// runBook are the runs of the tasks that have any, with the revision of status.json that they were read at.
type runBook map[model.UID]runPage

type runPage struct {
	at   int
	runs []model.Run
}

// runsMsg are the runs of the whole store.
type runsMsg struct {
	of   *model.Snapshot
	book runBook
	list []runs.Run
	err  error
}

// runsAtOnce is how many tasks' runs are read at a time.
const runsAtOnce = 8

// allRuns reads the runs of every task that may have some, but of those that have not changed since was.
func (e effects) allRuns(snap *model.Snapshot, was runBook, g *view.Gauge) tea.Cmd {
	return func() tea.Msg {
		m := runsMsg{of: snap, book: make(runBook, len(was))}
		var todo []*model.Task
		for i := range snap.Len() {
			t := snap.At(i)
			switch p, ok := was[t.UID]; {
			case t.Status.PlanRevision == 0 && t.Status.Runs == 0 && t.Status.CurrentRun == "": // nobody starts it without a plan
			case ok && p.at == t.Status.Revision:
				m.book[t.UID] = p
			default:
				todo = append(todo, t)
			}
		}
		m.err = e.readRuns(todo, m.book, g)
		for i := range snap.Len() {
			for k, r := range m.book[snap.UID(i)].runs {
				m.list = append(m.list, runs.Run{Run: r, Attempt: runs.AttemptOf(&r, k)})
			}
		}
		return m
	}
}

// readRuns reads the runs of tasks into a book. One that cannot be read keeps no other from being read.
func (e effects) readRuns(todo []*model.Task, book runBook, g *view.Gauge) (failed error) {
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		next = make(chan *model.Task)
	)
	for range min(runsAtOnce, len(todo)) {
		wg.Go(func() {
			for t := range next {
				list, err := e.Runs.Runs(e.ctx, t.UID)
				mu.Lock()
				if err != nil && failed == nil {
					failed = fmt.Errorf("the runs of %q: %w", t.Config.Name, err)
				}
				if err == nil {
					book[t.UID] = runPage{t.Status.Revision, list}
				}
				mu.Unlock()
				g.Done.Add(1)
			}
		})
	}
	g.Total.Store(int64(len(todo)))
	for _, t := range todo {
		if e.ctx.Err() != nil {
			break
		}
		next <- t
	}
	close(next)
	wg.Wait()
	return failed
}

// want reads the runs of the store while the view of them is on screen.
func (r *attempts) want() tea.Cmd {
	a := r.a
	if a.panes.view != viewRuns || a.snap == nil {
		return nil
	}
	defer r.say()
	if a.deps.Runs == nil || r.active || r.of == a.snap {
		return nil
	}
	r.active, r.gauge = true, &view.Gauge{}
	return tea.Batch(a.fx.allRuns(a.snap, r.book, r.gauge), view.After(view.FlickerFree, runsTickMsg{}))
}

// runsTickMsg asks for a look at how far the reading of the runs has come.
type runsTickMsg struct{}

func (r *attempts) onTick() tea.Cmd {
	if !r.active || r.known {
		return nil
	}
	r.say()
	return view.After(view.LoadTick, runsTickMsg{})
}

// runsFailed is the text by which failures of reading runs are known.
const runsFailed = "Can't read some runs"

func (r *attempts) onRead(m runsMsg) tea.Cmd {
	a := r.a
	r.active, r.of, r.book, r.known = false, m.of, m.book, true
	if m.err != nil {
		a.fail(notice{lasts: true, text: runsFailed, why: m.err.Error(), hint: a.keyHint(keymap.Refresh, "tries again")})
	} else {
		a.notices.dismissLike(runsFailed)
	}
	a.panes.runs.SetPast(m.of, m.list)
	r.say()
	r.goThere()
	return tea.Batch(a.onMoved(), r.want())
}

// say says in the view what it waits for, or what starts the first run.
func (r *attempts) say() {
	a := r.a
	switch g := r.gauge; {
	case r.known || !r.active || g == nil:
		a.panes.runs.SetReading()
	case g.Total.Load() > 0:
		a.panes.runs.SetReading(fmt.Sprintf("Reading the runs: %s of %s tasks", text.Count(int(g.Done.Load())), text.Count(int(g.Total.Load()))))
	default:
		a.panes.runs.SetReading("Reading the runs" + a.st.Glyph.Ellipsis)
	}
	a.panes.runs.SetEmpty(a.noRunsYet()...)
}

// runsExtra says how many runs are listed.
func (a *App) runsExtra() string {
	switch shown, total := a.panes.runs.Counted(); {
	case shown < total:
		return fmt.Sprintf("%s of %s", text.Count(shown), text.Count(total))
	case total > 0:
		return text.Count(total)
	}
	return ""
}

// feedOf is how far the log of a run under way has been followed.
type feedOf struct {
	uid  model.UID
	run  string
	off  int64
	view runlog.View
	busy bool
	rest int // polls until it is asked for again: there was no log
}

// noLogRest is for how many polls a run without a log is left alone: somebody works by hand.
const noLogRest = 8

// runFile names a file of a run.
type runFile struct {
	uid  model.UID
	run  string
	name string
}

// The files of a run that the workbench reads.
const (
	logName    = "output.jsonl"
	promptName = "prompt.md"
	patchName  = "changes.patch"
	verifyName = "verify.json"
)

// Limits of what is read of a run's log, in bytes.
const (
	feedPiece = 1 << 20 // at a time
	feedMost  = 8 << 20 // from the end of a log that is longer
)

// fedMsg are more bytes of the log of a run under way, for the list.
type fedMsg struct {
	run  string
	from int64
	body []byte
	err  error
}

// feed reads what was appended to the log of a run.
func (e effects) feed(f *feedOf) tea.Cmd {
	uid, run, off := f.uid, f.run, f.off
	return func() tea.Msg {
		from, body, err := e.more(e.ctx, runFile{uid, run, logName}, off)
		return fedMsg{run, from, body, err}
	}
}

// more reads on in a log from an offset, from close to its end where there is too much before it. from
// is where what was read begins.
func (e effects) more(ctx context.Context, f runFile, off int64) (from int64, body []byte, err error) {
	body, size, err := e.Runs.ReadRunFile(ctx, f.uid, f.run, f.name, off, feedPiece)
	if err != nil || size-off <= feedMost {
		return off, body, err
	}
	from = size - feedMost
	body, _, err = e.Runs.ReadRunFile(ctx, f.uid, f.run, f.name, from, feedPiece)
	return from, body, err
}

// follow reads on in the logs of the runs under way, of which the list and the header tell.
func (r *attempts) follow() tea.Cmd {
	if r.a.deps.Runs == nil || r.a.snap == nil {
		return nil
	}
	live := map[string]bool{}
	var cmds []tea.Cmd
	for _, t := range r.underWay() {
		id := t.Status.CurrentRun
		live[id] = true
		f := r.feeds[id]
		if f == nil {
			if r.feeds == nil {
				r.feeds = map[string]*feedOf{}
			}
			f = &feedOf{uid: t.UID, run: id}
			r.feeds[id] = f
		}
		if f.rest > 0 {
			f.rest--
		} else if !f.busy {
			f.busy = true
			cmds = append(cmds, r.a.fx.feed(f))
		}
	}
	for id := range r.feeds {
		if !live[id] {
			delete(r.feeds, id)
		}
	}
	return tea.Batch(cmds...)
}

// underWay are those with a run under way.
func (r *attempts) underWay() []*model.Task {
	a := r.a
	if r.liveOf == a.snap {
		return r.live
	}
	r.liveOf, r.live = a.snap, nil
	for i := range a.snap.Len() {
		if a.snap.HasRun(i) { // no task is read that has none: there may be a hundred thousand
			r.live = append(r.live, a.snap.At(i))
		}
	}
	return r.live
}

// onFed takes more of a log in. It reports whether anything on screen has changed.
func (r *attempts) onFed(m fedMsg) (cmd tea.Cmd, changed bool) {
	f := r.feeds[m.run]
	if f == nil {
		return nil, false
	}
	f.busy = false
	if errors.Is(m.err, model.ErrNoContent) {
		f.rest = noLogRest
	}
	if m.err != nil || len(m.body) == 0 {
		return nil, false // nothing is known of it yet
	}
	f.off = m.from + int64(len(m.body))
	before := f.view
	_, _ = f.view.Write(m.body)
	r.a.panes.runs.SetLive(m.run, &f.view)
	if len(m.body) == feedPiece { // there is more
		f.busy = true
		cmd = r.a.fx.feed(f)
	}
	return cmd, r.a.panes.view == viewRuns || before.Cost != f.view.Cost
}

// onRunsView reports whether the runs are on the left.
func (a *App) onRunsView() bool { return a.snap != nil && a.panes.view == viewRuns }
