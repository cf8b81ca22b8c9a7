package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
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

// trail is where jumps came from.
type trail struct {
	back []spot // the last one is where the next jumpBack leads
}

// spot is a task in a view.
type spot struct {
	uid  model.UID
	view leftView
}

// keptJumps is how far back the trail goes.
const keptJumps = 100

// related are the tasks in a relation to the one under the cursor.
func (a *App) related(r relation) []int32 {
	i, ok := a.currentIndex()
	if !ok {
		return nil
	}
	switch r {
	case toParent:
		if p := a.snap.Parent(i); p >= 0 {
			return []int32{p}
		}
		return nil
	case toChild:
		return a.snap.Children(i)
	case toDependency:
		return a.snap.DependsOn(i)
	default:
		return a.snap.Dependents(i)
	}
}

func (a *App) noJump(r relation) string {
	if _, ok := a.currentIndex(); !ok {
		return "no task under the cursor"
	}
	if len(a.related(r)) == 0 {
		return fmt.Sprintf("the task has no %s", r)
	}
	return ""
}

// jump goes to the only task in a relation, or lets the person choose.
func (a *App) jump(r relation) tea.Cmd {
	to := a.related(r)
	if len(to) == 1 {
		return a.goTo(a.snap.UID(int(to[0])))
	}
	uids := make([]model.UID, len(to))
	for k, i := range to {
		uids[k] = a.snap.UID(int(i))
	}
	title := fmt.Sprintf("Go to a %s of %s", r, a.name(a.selected()))
	return a.pickTask(title, uids, a.goTo)
}

// goTo puts the cursor on a task in the view that is shown, or in the tree when that view
// does not have it, and remembers where it came from.
func (a *App) goTo(uid model.UID) tea.Cmd {
	from := spot{a.selected(), a.panes.view}
	cmd := a.reveal(uid)
	if from.uid != uid && a.selected() == uid {
		a.remember(from)
	}
	return cmd
}

// remember is where jumpBack leads next.
func (a *App) remember(from spot) {
	if from.uid == "" {
		return
	}
	a.nav.back = append(a.nav.back, from)
	if over := len(a.nav.back) - keptJumps; over > 0 {
		a.nav.back = slices.Clone(a.nav.back[over:])
	}
}

// jumpBack goes to where the last jump came from.
func (a *App) jumpBack() tea.Cmd {
	for n := len(a.nav.back); n > 0; n = len(a.nav.back) {
		to := a.nav.back[n-1]
		a.nav.back = a.nav.back[:n-1]
		if _, ok := a.snap.Index(to.uid); !ok {
			continue
		}
		if a.panes.view != to.view {
			return tea.Batch(a.show(to.view), a.reveal(to.uid))
		}
		return a.reveal(to.uid)
	}
	return nil
}

// reveal puts the cursor on a task. A filter that hides it is taken off, and says so.
func (a *App) reveal(uid model.UID) tea.Cmd {
	if a.snap == nil {
		return nil
	}
	if _, ok := a.snap.Index(uid); !ok {
		return a.remark("that task is no longer in the store")
	}
	if a.panes.left().Jump(uid) {
		return a.onMoved()
	}
	if a.panes.view != viewTree {
		a.panes.show(viewTree)
	}
	var note tea.Cmd
	if !a.panes.tree.Jump(uid) {
		a.find.clear()
		note = a.remark("the filter was cleared: it hid the task")
		a.panes.tree.Jump(uid)
	}
	a.relayout()
	return tea.Batch(note, a.onMoved())
}

// selected is the task under the cursor; "" for none.
func (a *App) selected() model.UID {
	if a.snap == nil {
		return ""
	}
	uid, _ := a.panes.left().Selected()
	if _, ok := a.snap.Index(uid); !ok {
		return "" // a view may have heard of a task that is not read yet
	}
	return uid
}

func (a *App) current() (*model.Task, bool) {
	if a.snap == nil {
		return nil, false
	}
	return a.snap.Task(a.selected())
}

func (a *App) currentIndex() (int, bool) {
	if a.snap == nil {
		return 0, false
	}
	return a.snap.Index(a.selected())
}

// targets are the tasks that an action applies to: the selection, or the task under the
// cursor.
func (a *App) targets() []model.UID {
	if sel := a.panes.tree.Marked(); len(sel) > 0 {
		if a.few > 0 {
			return sel[:min(len(sel), a.few)]
		}
		return sel
	}
	if uid := a.selected(); uid != "" {
		return []model.UID{uid}
	}
	return nil
}

// name is what a task is called on screen.
func (a *App) name(uid model.UID) string {
	if a.snap != nil {
		if t, ok := a.snap.Task(uid); ok && t.Config.Name != "" {
			return t.Config.Name
		}
	}
	return string(uid)
}
