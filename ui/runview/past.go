package runview

import (
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/runs"
	"vespe/ui/text"
	"vespe/ui/view"
)

// past is what is known of the runs of the whole store. Nothing is read before somebody looks at them.
type past struct {
	active bool // they are being read
	gauge  *view.Gauge
	of     *snapshot.Snapshot // the last that they were read for
	book   book
	known  bool
}

// book are the runs of the tasks that have any, with the revision of status.json that they were read at.
type book map[model.UID]page

type page struct {
	at   int
	runs []model.Run
}

// pastMsg are the runs of the whole store.
type pastMsg struct {
	of   *snapshot.Snapshot
	book book
	list []runs.Run
	err  error
}

// pastTickMsg asks for a look at how far the reading of the runs has come.
type pastTickMsg struct{}

// atOnce is how many tasks' runs are read at a time.
const atOnce = 8

// readPast reads the runs of every task that may have some, but of those that have not changed since was.
func (v *View) readPast(snap *snapshot.Snapshot, was book, g *view.Gauge) tea.Cmd {
	return func() tea.Msg {
		m := pastMsg{of: snap, book: make(book, len(was))}
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
		m.err = v.readRuns(todo, m.book, g)
		for i := range snap.Len() {
			for k, r := range m.book[snap.UID(i)].runs {
				m.list = append(m.list, runs.Run{Run: r, Attempt: runs.AttemptOf(&r, k)})
			}
		}
		return m
	}
}

// readRuns reads the runs of tasks into a book. One that cannot be read keeps no other from being read.
func (v *View) readRuns(todo []*model.Task, book book, g *view.Gauge) (failed error) {
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		next = make(chan *model.Task)
	)
	for range min(atOnce, len(todo)) {
		wg.Go(func() {
			for t := range next {
				list, err := v.from.Runs.Runs(v.ctx, t.UID)
				mu.Lock()
				if err != nil && failed == nil {
					failed = fmt.Errorf("the runs of %q: %w", t.Config.Name, err)
				}
				if err == nil {
					book[t.UID] = page{t.Status.Revision, list}
				}
				mu.Unlock()
				g.Done.Add(1)
			}
		})
	}
	g.Total.Store(int64(len(todo)))
	for _, t := range todo {
		if v.ctx.Err() != nil {
			break
		}
		next <- t
	}
	close(next)
	wg.Wait()
	return failed
}

// want reads the runs of the store while the view is on screen.
func (v *View) want() tea.Cmd {
	p, snap := &v.past, v.Snapshot()
	if !v.Shows(v) {
		return nil
	}
	defer v.sayPast()
	if v.from.Runs == nil || p.active || p.of == snap {
		return nil
	}
	p.active, p.gauge = true, &view.Gauge{}
	return tea.Batch(v.readPast(snap, p.book, p.gauge), view.After(view.FlickerFree, pastTickMsg{}))
}

func (v *View) onPastTick() tea.Cmd {
	if !v.past.active || v.past.known {
		return nil
	}
	v.sayPast()
	return view.After(view.LoadTick, pastTickMsg{})
}

// pastFailed is the text by which failures of reading runs are known.
const pastFailed = "Can't read some runs"

func (v *View) onPast(m pastMsg) tea.Cmd {
	p := &v.past
	p.active, p.of, p.book, p.known = false, m.of, m.book, true
	if m.err != nil {
		v.Say(view.Notice{Level: view.Failure, Lasts: true, Text: pastFailed, Why: m.err.Error(), Hint: v.Hint(keymap.Refresh, "tries again")})
	} else {
		v.Over(pastFailed)
	}
	v.list.SetPast(m.of, m.list)
	v.sayPast()
	v.goThere()
	return tea.Batch(v.Moved(), v.want())
}

// sayPast says what is waited for, or what starts the first run.
func (v *View) sayPast() {
	switch p, g := &v.past, v.past.gauge; {
	case p.known || !p.active || g == nil:
		v.list.SetReading()
	case g.Total.Load() > 0:
		v.list.SetReading(fmt.Sprintf("Reading the runs: %s of %s tasks", text.Count(int(g.Done.Load())), text.Count(int(g.Total.Load()))))
	default:
		v.list.SetReading("Reading the runs" + v.list.Styles.Glyph.Ellipsis)
	}
	v.list.SetEmpty(v.noneYet()...)
}

// Of are the runs of a task that are known, and the revision of status.json that they were read at.
func (v *View) Of(uid model.UID) (at int, list []model.Run) {
	p := v.past.book[uid]
	return p.at, p.runs
}
