// Package view says what a view of the workbench is: a value that the left pane shows, with its rows, its state and its
// actions. The workbench knows no more of a view than View, and a view no more of the workbench than Host.
//
//	view.go  View, its parts, and the news that views follow
//	list.go  List: the rows of a view, a component
//	host.go  Host: what a view gets
//	wait.go  After, Gauge: what takes its time
package view

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/style"
)

// View is what the left pane shows, one at a time.
type View interface {
	// List is its rows.
	List() List
	// Actions are those that it does while it is on screen. One that the workbench has too is the workbench's where
	// it can't be done here.
	Actions() map[keymap.Action]Action
	// Mouse acts on the mouse over the rows, and reports whether a click hit a row, which a second one opens.
	Mouse(m Mouse) (row bool, cmd tea.Cmd)
	// Says is what the title and the header say of it; "" for nothing.
	Says() (title, header string)
	// Beside is what the right pane shows in place of the task under the cursor; nil for the task.
	Beside() Beside
	// Hear takes news, and the answers to what the view asked for.
	Hear(msg any) (tea.Cmd, Heard)
}

// Action is what a view does for an action of the keymap.
type Action struct {
	Do  func() tea.Cmd
	Off func() string // why it can't be done; nil: it always can
	// Everywhere says that it does it in all views.
	Everywhere bool
	// Word is what it is called now; nil for the title in the keymap.
	Word func() string
}

// Why is why it can't be done; "" when it can.
func (a Action) Why() string {
	if a.Off == nil {
		return ""
	}
	return a.Off()
}

// Heard says what came of news.
type Heard int

// What can come of news.
const (
	Ignored Heard = iota // it is not for the view
	Quiet                // nothing on screen has changed
	Changed
)

// The news that views follow.
type (
	// Opened says that its action shows it now, in place of the view of another with the cursor on a task.
	Opened  struct{ Task model.UID }
	Shown   struct{}                // it is on screen now
	Adopted struct{}                // there is another snapshot
	Aged    struct{}                // times grow
	Polled  struct{}                // a second has passed
	Moved   struct{}                // the cursor may be elsewhere
	Styled  struct{ *style.Styles } // the theme has changed
	Aside   struct{}                // the right pane is to show the task
	// Back asks to end the innermost thing that is under way: on the right, or else here. A filter ends after what ends
	// although there is one.
	Back struct{ Right, Filtered bool }
	// Applied says that the store has done operations.
	Applied struct{ Ops []model.Op }
)

// Mouse is what the mouse does over the rows, at a cell from their top left corner.
type Mouse struct {
	X, Y int
	Did  MouseDid
	By   int // of the wheel: rows
}

// MouseDid is what a mouse can do.
type MouseDid int

// What a mouse can do.
const (
	Click MouseDid = iota
	Wheel
	Sideways // the wheel, to the right
)

// Beside is what a view shows on the right. If it is a Pane as well, it has the keys there.
type Beside interface {
	// Draw returns the frame and the lines inside of it, at most h of at most w cells. Focused: keys go here.
	Draw(w, h int, focused bool) (style.Frame, []string)
}

// Pane is a pane on the right with the keys.
type Pane interface {
	Beside
	Scroller
	Searcher
	// Tab goes n tabs further.
	Tab(n int) tea.Cmd
	// Open opens what the cursor is on; false when there is nothing to open.
	Open() (tea.Cmd, bool)
	// Click acts on a click at a cell of the frame, which is w×h. Opens: it was the second one there.
	Click(x, y, w, h int) (opens bool, cmd tea.Cmd)
}

// Base is a view that is a list and no more. Others embed it, and do what is special about them.
type Base struct {
	Host
	rows List
}

// NewBase is one with these rows.
func NewBase(h Host, rows List) *Base { return &Base{h, rows} }

// NoTasks says why nothing can be done where there are no tasks; "" when there are some.
func (b *Base) NoTasks() string {
	if s := b.Snapshot(); s == nil || s.Len() == 0 {
		return "there are no tasks"
	}
	return ""
}

// Remark shows a line that is no success.
func (b *Base) Remark(line string) tea.Cmd { return b.Say(Notice{Level: Remark, Text: line}) }

// Toggle is an action that turns something on, or off again, and tells which.
func (b *Base) Toggle(turn func() (on bool), on, off string) Action {
	return Action{Off: b.NoTasks, Do: func() tea.Cmd {
		say := off
		if turn() {
			say = on
		}
		return tea.Batch(b.Moved(), b.Remark(say))
	}}
}

// Follow goes along an edge of the task under the cursor, to a dependency or a dependent.
func (b *Base) Follow(to string, follow func() bool) tea.Cmd {
	from := b.Selected()
	if !follow() {
		return b.Remark("no " + to + " of the task is shown")
	}
	b.Remember(from)
	return b.Moved()
}

// OrKey adds the key of an action to words.
func (b *Base) OrKey(words string, a keymap.Action, does string) string {
	if hint := b.Hint(a, does); hint != "" {
		return words + "; " + hint
	}
	return words
}

// List returns the rows.
func (b *Base) List() List { return b.rows }

// Actions are none.
func (b *Base) Actions() map[keymap.Action]Action { return nil }

// Mouse moves the cursor to a row, or scrolls.
func (b *Base) Mouse(m Mouse) (row bool, cmd tea.Cmd) {
	switch m.Did {
	case Wheel:
		b.rows.Wheel(m.By)
	case Click:
		rows, ok := b.rows.(interface{ Click(x, y int) bool })
		return ok && rows.Click(m.X, m.Y), nil
	}
	return false, nil
}

// Says says nothing.
func (b *Base) Says() (title, header string) { return "", "" }

// Beside is nothing.
func (b *Base) Beside() Beside { return nil }

// Hear ignores everything.
func (b *Base) Hear(any) (tea.Cmd, Heard) { return nil, Ignored }
