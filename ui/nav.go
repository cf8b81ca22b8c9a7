package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/detail"
	"vespe/ui/find"
	"vespe/ui/panes"
	"vespe/ui/screen"
	"vespe/ui/whereabouts"
)

// relation is where a jump leads, seen from the task under the cursor.
type relation int

const (
	toParent relation = iota
	toChild
	toDependency
	toDependent
)

func (r relation) String() string {
	switch r {
	case toParent:
		return "parent"
	case toChild:
		return "subtask"
	case toDependency:
		return "dependency"
	default:
		return "dependent"
	}
}

// navigator moves the cursor, the views and what is shown on the right.
type navigator struct {
	*core
	comments *commenter

	// followed is the task that the detail shows: the one that the cursor was on last.
	followed    model.UID
	event       string          // the one of the history that the detail shows; "" for none
	asked       int             // generation of the last question for documents
	mine        map[string]bool // hashes of the plans that were written from here
	trail       trail
	find        *find.Find
	whereabouts whereabouts.Finder
	ahead       ahead
}

// trail is where jumps came from.
type trail struct {
	back []spot // the last one is where the next jumpBack leads
	page *spot  // where the page on screen was opened from; nil on a view that a person went to
}

// spot is a task in a view, or the view where none was selected.
type spot struct {
	uid  model.UID
	view panes.View
}

// keptJumps is how far back the trail goes.
const keptJumps = 100

// related are the tasks in a relation to the one under the cursor.
func (n *navigator) related(r relation) []int32 {
	i, ok := n.currentIndex()
	if !ok {
		return nil
	}
	switch r {
	case toParent:
		if p := n.snap.Parent(i); p >= 0 {
			return []int32{p}
		}
		return nil
	case toChild:
		return n.snap.Children(i)
	case toDependency:
		return n.snap.DependsOn(i)
	default:
		return n.snap.Dependents(i)
	}
}

func (n *navigator) noJump(r relation) string {
	if _, ok := n.currentIndex(); !ok {
		return "no task under the cursor"
	}
	if len(n.related(r)) == 0 {
		return fmt.Sprintf("the task has no %s", r)
	}
	return ""
}

// jump goes to the only task in a relation, or lets the person choose.
func (n *navigator) jump(r relation) tea.Cmd {
	to := n.related(r)
	if len(to) == 1 {
		return n.goTo(n.snap.UID(int(to[0])))
	}
	uids := make([]model.UID, len(to))
	for k, i := range to {
		uids[k] = n.snap.UID(int(i))
	}
	title := fmt.Sprintf("Go to a %s of %s", r, n.name(n.selected()))
	return n.pickTask(title, uids, n.goTo)
}

// goTo puts the cursor on a task in the view that is shown, or in the tree when that view
// does not have it, and remembers where it came from.
func (n *navigator) goTo(uid model.UID) tea.Cmd {
	from := spot{n.selected(), n.panes.View}
	cmd := n.reveal(uid)
	if from.uid != uid && n.selected() == uid {
		n.remember(from)
	}
	return cmd
}

// remember is where jumpBack leads next.
func (n *navigator) remember(from spot) {
	if n.trail.page == nil && from.view != n.panes.View {
		n.trail.page = &from
	}
	if from.uid == "" {
		return
	}
	n.trail.back = append(n.trail.back, from)
	if over := len(n.trail.back) - keptJumps; over > 0 {
		n.trail.back = slices.Clone(n.trail.back[over:])
	}
}

// jumpBack goes to where the last jump came from.
func (n *navigator) jumpBack() tea.Cmd {
	for left := len(n.trail.back); left > 0; left = len(n.trail.back) {
		to := n.trail.back[left-1]
		n.trail.back = n.trail.back[:left-1]
		_, there := n.snap.Index(to.uid)
		var shown tea.Cmd
		if there && n.panes.View != to.view {
			shown = n.show(to.view)
		}
		if n.trail.page != nil && n.trail.page.view == to.view {
			n.trail.page = nil
		}
		if there {
			return tea.Batch(shown, n.reveal(to.uid))
		}
	}
	return nil
}

// closePage goes to where the page on screen was opened from.
func (n *navigator) closePage() tea.Cmd {
	from, jumps := *n.trail.page, n.trail.back
	n.trail.back = nil
	for k, s := range slices.Backward(jumps) { // those before it stay
		if s == from {
			n.trail.back = jumps[:k]
			break
		}
	}
	cmd := n.show(from.view)
	if from.uid != "" {
		cmd = tea.Batch(cmd, n.reveal(from.uid))
	}
	return cmd
}

// goesBack reports whether there is something to go back from before the program is left: a pane, or a page that was
// reached from elsewhere.
func (n *navigator) goesBack() bool {
	l, ok := n.panes.Left().(interface{ CanBack() bool })
	return n.screen.Zoom != screen.ZoomNone || n.panes.Right || n.trail.page != nil || ok && l.CanBack()
}

// reveal puts the cursor on a task. A filter that hides it is taken off, and says so.
func (n *navigator) reveal(uid model.UID) tea.Cmd {
	if n.snap == nil {
		return nil
	}
	if _, ok := n.snap.Index(uid); !ok {
		return n.remark("that task is no longer in the store")
	}
	if n.panes.Left().Jump(uid) {
		return n.onMoved()
	}
	if n.panes.View != panes.Tree {
		n.panes.Show(panes.Tree)
	}
	var note tea.Cmd
	if !n.panes.Tree.Jump(uid) {
		n.find.Clear()
		note = n.remark("the filter was cleared: it hid the task")
		n.panes.Tree.Jump(uid)
	}
	n.relayout()
	return tea.Batch(note, n.onMoved())
}

// selected is the task under the cursor; "" for none.
func (c *core) selected() model.UID {
	if c.snap == nil {
		return ""
	}
	uid, _ := c.panes.Left().Selected()
	if _, ok := c.snap.Index(uid); !ok {
		return "" // a view may have heard of a task that is not read yet
	}
	return uid
}

func (c *core) current() (*model.Task, bool) {
	if c.snap == nil {
		return nil, false
	}
	return c.snap.Task(c.selected())
}

func (c *core) currentIndex() (int, bool) {
	if c.snap == nil {
		return 0, false
	}
	return c.snap.Index(c.selected())
}

// targets are the tasks that an action applies to: the selection, or the task under the
// cursor.
func (c *core) targets() []model.UID {
	if sel := c.panes.Tree.Marked(); len(sel) > 0 {
		if c.few > 0 {
			return sel[:min(len(sel), c.few)]
		}
		return sel
	}
	if uid := c.selected(); uid != "" {
		return []model.UID{uid}
	}
	return nil
}

// name is what a task is called on screen.
func (c *core) name(uid model.UID) string {
	if c.snap != nil {
		if t, ok := c.snap.Task(uid); ok && t.Config.Name != "" {
			return t.Config.Name
		}
	}
	return string(uid)
}

// goToFound goes to a task that was found, and there to the place: its tab, with a search for the words that
// were found.
func (n *navigator) goToFound(uid model.UID, m snapshot.SearchMatch) tea.Cmd {
	cmd := n.goTo(uid)
	tabs := map[snapshot.SearchField]detail.Tab{
		snapshot.SearchObjective: detail.Objective, snapshot.SearchPlan: detail.Plan, snapshot.SearchComment: detail.Plan,
		snapshot.SearchResult: detail.Result, snapshot.SearchHistory: detail.History,
	}
	tab, ok := tabs[m.Field]
	if !ok || n.selected() != uid {
		return cmd
	}
	if m.Field == snapshot.SearchObjective && m.Part != "" { // what spec.json says is in the overview
		tab = detail.Overview
	}
	n.focus(true)
	cmd = tea.Batch(cmd, n.showTab(tab))
	if m.Word == "" {
		return cmd
	}
	return tea.Batch(cmd, n.find.Await(uid, tab, m))
}
