// Package panes is what lies on the screen: the views on the left, one at a time, and the detail of a task on the right.
package panes

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/detail"
	"vespe/ui/feed"
	"vespe/ui/inbox"
	"vespe/ui/outline"
	"vespe/ui/runview"
	"vespe/ui/style"
	"vespe/ui/taskdocs"
	"vespe/ui/view"
)

// View is what the left pane shows.
type View int

// The views, and the layouts of each behind it.
const (
	Inbox View = iota
	Tree
	Board
	Milestones
	Map
	Lanes
	Runs
	History

	Count // how many there are
)

// Left is what the workbench knows of a view of the left.
type Left struct {
	Scope  keymap.Scope  // where its keys mean something
	Action keymap.Action // shows it
	Tab    keymap.Action // shows the layout that it or one of the next had last; "" in a further layout of the view before
	Broad  bool          // it needs the width of the screen
	Tall   bool          // and rows, on a low screen those of the detail (ui/screen)

	view.View // as it was made
	ByAction  map[keymap.Action]view.Action
	stamp     *snapshot.Snapshot // that it has
}

// Panes are the views on the left and the detail on the right.
type Panes struct {
	stand
	Tree    *outline.Outline
	Inbox   *inbox.Inbox
	History *feed.View
	Runs    *runview.View
	Lefts   [Count]Left
	Detail  *detail.Detail
	View    View
	Right   bool // the detail has the focus
	snap    *snapshot.Snapshot
	Test    func(s *snapshot.Snapshot, i int) bool
}

// stand is what the panes remember of where the person is.
type stand struct {
	Last    [Count]View // the layout that a view with several had last; 0: none yet
	Chosen  bool        // a view was asked for, or that of the start is known
	Staying bool        // nothing that happens now takes the cursor off its task
	Advance bool        // what happens now is a verdict: the cursor goes to the next item
	Aside   bool        // the right pane shows the task of a run or of a request, and not that
	Item    inbox.Key   // of the inbox, that the right pane shows
	Tab     detail.Tab  // that was on screen before the inbox chose one
	KeyAt   time.Time   // of the last key
	Rested  bool        // no key came in the moment before it
}

// New makes them, without the views.
func New(st *style.Styles) Panes {
	return Panes{
		Tree: outline.New(st), Inbox: inbox.New(st), Detail: detail.New(st),
	}
}

// Shown is the view on screen.
func (p *Panes) Shown() *Left { return &p.Lefts[p.View] }

// Left are its rows.
func (p *Panes) Left() view.List { return p.Shown().List() }

// Beside is what the view on screen shows on the right; nil for the task.
func (p *Panes) Beside() view.Beside {
	if p.snap == nil {
		return nil
	}
	return p.Shown().Beside()
}

// Pane is beside, where that has the keys.
func (p *Panes) Pane() view.Pane {
	b, _ := p.Beside().(view.Pane)
	return b
}

// Tell tells all views the news. Changed says that something on screen has.
func (p *Panes) Tell(msg any) (tea.Cmd, view.Heard) {
	var cmds []tea.Cmd
	all := view.Ignored
	for _, v := range p.Lefts {
		cmd, heard := v.Hear(msg)
		cmds, all = append(cmds, cmd), max(all, heard)
	}
	return tea.Batch(cmds...), all
}

// RightPane is what the keys act on there.
func (p *Panes) RightPane() interface {
	view.Scroller
	view.Searcher
} {
	if b := p.Pane(); b != nil {
		return b
	}
	return p.Detail
}

// Focused is what the keys of moving act on.
func (p *Panes) Focused() view.Scroller {
	if p.Right {
		return p.RightPane()
	}
	return p.Left()
}

func (p *Panes) Searcher() view.Searcher {
	if p.Right {
		return p.RightPane()
	}
	return p.Left()
}

func (p *Panes) Scope() keymap.Scope {
	switch {
	case p.Right && p.Pane() != nil:
		return keymap.Run
	case p.Right:
		return keymap.Detail
	}
	return p.Lefts[p.View].Scope
}

// SetSnapshot hands a snapshot to the view on screen; the others get it when they are
// shown, so that a keypress never pays for what nobody sees.
func (p *Panes) SetSnapshot(s *snapshot.Snapshot) {
	p.snap = s
	p.refresh()
}

func (p *Panes) refresh() { p.Update(p.View) }

// Update hands a view the newest snapshot, unless it has it.
func (p *Panes) Update(v View) {
	l := &p.Lefts[v]
	if p.snap == nil || l.stamp == p.snap {
		return
	}
	l.stamp = p.snap
	p.Inbox.SetStay(p.Right && !p.Advance || p.Staying)
	l.List().SetSnapshot(p.snap)
}

// Show changes the left view; the cursor stays on its task when the view has it. An inbox that does
// not have it begins at its top.
func (p *Panes) Show(v View) {
	uid, ok := p.Left().Selected()
	other := p.View != v
	p.View = v
	if other {
		p.Detail.Relabel()
	}
	p.Last[p.TabOf(v)] = v
	p.Left().SetFilter(p.Test)
	p.refresh()
	if l, near := p.Left().(interface{ Near(uid model.UID) }); near {
		if ok && other {
			l.Near(uid)
		}
	} else if (!ok || !p.Left().Jump(uid)) && other && v == Inbox {
		p.Left().Home()
	}
	p.Focus(p.Right)
}

// Layout makes the layout of an action the one that its view had last.
func (p *Panes) Layout(action keymap.Action) {
	for v := range Count {
		if p.Lefts[v].Action == action {
			p.Last[p.TabOf(v)] = v
		}
	}
}

// LastLayouts show the layouts that views with several had last.
func (p *Panes) LastLayouts() (out []keymap.Action) {
	for _, v := range p.Last {
		if v != 0 && p.TabOf(v) != v {
			out = append(out, p.Lefts[v].Action)
		}
	}
	return out
}

func (p *Panes) Focus(right bool) {
	p.Right = right
	for v := range Count {
		p.Lefts[v].List().SetFocused(!right && v == p.View)
	}
	p.Detail.SetFocused(right)
}

// SetFilter shows what a filter selects; found is that of s, if it is known already.
func (p *Panes) SetFilter(f snapshot.Filter, s *snapshot.Snapshot, found []int32) {
	p.Test = nil
	if !f.Empty() {
		c := &chosen{filter: f}
		if s != nil {
			c.set(s, found)
		}
		p.Test = c.has
	}
	p.Left().SetFilter(p.Test)
}

// chosen is what a filter selects of the snapshot that it was last asked about: all of it is
// found at once, and not again for every pane and task.
type chosen struct {
	filter snapshot.Filter
	of     *snapshot.Snapshot
	tasks  []bool
}

func (c *chosen) has(s *snapshot.Snapshot, i int) bool {
	if c.of != s {
		c.set(s, s.Select(c.filter))
	}
	return c.tasks[i]
}

func (c *chosen) set(s *snapshot.Snapshot, found []int32) {
	c.of, c.tasks = s, make([]bool, s.Len())
	for _, k := range found {
		c.tasks[k] = true
	}
}

func (p *Panes) SetStyles(st *style.Styles) {
	for v := range Count {
		p.Lefts[v].List().SetStyles(st)
	}
	p.Detail.SetStyles(st)
	p.Tell(view.Styled{Styles: st})
}

// SetNow is the time that ages are counted from.
//
// It reports whether something in the inbox has expired.
func (p *Panes) SetNow(now time.Time) bool {
	minute := now.Truncate(time.Minute)
	for v := range Count {
		if l, ok := p.Lefts[v].List().(interface{ SetNow(t time.Time) }); ok {
			l.SetNow(minute)
		}
	}
	p.Detail.SetNow(minute)
	return p.Inbox.SetClock(now)
}

// TabOf is the view under whose name a layout stands in the title.
func (p *Panes) TabOf(v View) View {
	for p.Lefts[v].Tab == "" {
		v--
	}
	return v
}

// Layouts are the layouts of the view on screen, itself among them.
func (p *Panes) Layouts() (out []View) {
	for v := p.TabOf(p.View); v < Count && (len(out) == 0 || p.Lefts[v].Tab == ""); v++ {
		out = append(out, v)
	}
	return out
}

// Says is what the title and the header say of the view on screen, once there is a snapshot.
func (p *Panes) Says() (title, header string) {
	if p.snap != nil {
		title, header = p.Shown().Says()
	}
	return title, header
}

// SetDocs hands the detail what has been read.
func (p *Panes) SetDocs(s *taskdocs.Docs) {
	p.Detail.SetParsed(s.Parsed)
	p.Detail.SetContent(s.UID, model.Objective, s.Objective, s.Errs.Objective)
	p.Detail.SetContent(s.UID, model.Plan, s.Plan, s.Errs.Plan)
	p.Detail.SetHistory(s.UID, s.History, s.Problems, s.Errs.History)
	p.Detail.SetResults(s.UID, s.Results, s.Errs.Results)
	p.Detail.SetRuns(s.UID, s.Runs, s.ReportOf, s.Report, s.Errs.Runs)
	if s.Errs.Results == nil {
		p.Detail.SetSummary(s.UID, s.Summary, s.Summarized)
	}
}

// ShowMarks lets every view draw the selection as it is now.
func (p *Panes) ShowMarks(asked func(id string) bool) {
	p.Inbox.SetMarkedRequests(asked)
	for _, v := range p.Lefts {
		if l, ok := v.List().(interface {
			SetMarked(test func(model.UID) bool)
		}); ok {
			l.SetMarked(p.Tree.IsMarked)
		}
	}
}
