package view

import (
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// Host is what a view gets of the workbench.
type Host interface {
	// Snapshot is the newest one; nil until the first load.
	Snapshot() *snapshot.Snapshot
	Now() time.Time
	// Selected is the task under the cursor of the view on screen; "" for none.
	Selected() model.UID
	// Name is what a task is called on screen.
	Name(uid model.UID) string
	// Hint is "KEY does", for sentences; "" when the action has no key here.
	Hint(a keymap.Action, does string) string
	// Shows reports whether a view is on screen.
	Shows(v View) bool
	// Show shows the view of an action.
	Show(a keymap.Action) tea.Cmd
	// Remember lets the way back lead to a task.
	Remember(from model.UID)
	// Moved follows the cursor. It is called after everything that may move it.
	Moved() tea.Cmd
	// Say shows a notice, and Over takes failures with a text off the screen.
	Say(n Notice) tea.Cmd
	Over(text string)
	// Refused is the notice of an error, in the words of the screen, and WhyNot why an operation would be refused; "" when
	// it would not.
	Refused(what string, err error) Notice
	WhyNot(op model.Op) string
	// Pick lets the person take a row of a list, and goes on with its id.
	Pick(o overlay.PickerOptions, then func(id string) tea.Cmd) tea.Cmd
	// Ask asks a question, and goes on after a yes.
	Ask(q dialog.Ask) tea.Cmd
	// Tell tells the dialogs that lie over the view what has changed.
	Tell(news any) tea.Cmd
}

// Level is what kind of notice it is.
type Level int

// The kinds of notices.
const (
	Success Level = iota
	Done          // a success after which earlier failures have been read
	Remark
	Failure // stays until it is read
)

// Notice is a message to the person at the screen.
type Notice struct {
	Level     Level
	Text      string // one line: what happened or what was not done
	Why, Hint string // of a failure: what is so, and what to do
	Guard     string // of a failure: the guard that did not hold
	Lasts     bool   // of a failure: it is about something that continues, and ends with that
	Always    bool   // of a remark: it is read below a dialog, too
}

// Reason is why something was not done, and what to do, in a line.
func (n Notice) Reason() string {
	if n.Why != "" && n.Hint != "" {
		return n.Why + "; " + n.Hint
	}
	return n.Why + n.Hint
}

// AddHint adds what else to do.
func (n *Notice) AddHint(hint string) {
	if n.Hint != "" && hint != "" {
		n.Hint += "; "
	}
	n.Hint += hint
}

// Line is the notice in one line, for the log.
func (n Notice) Line() string {
	parts := []string{n.Text}
	for _, p := range []string{n.Why, n.Hint} {
		if p != "" && !strings.Contains(n.Text, p) {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " — ")
}

// Refusal says an error as a person needs it: what was not done, which guard did
// not hold, why, and what would help.
func Refusal(what string, err error) Notice {
	var r *model.Refusal
	if !errors.As(err, &r) {
		return Notice{Level: Failure, Text: what + " failed", Why: err.Error()}
	}
	said := what + " failed"
	if r.Op != "" {
		said = text.Capital(r.Attempt())
	}
	return Notice{Level: Failure, Text: said, Why: r.Why, Hint: r.Hint, Guard: string(r.Guard)}
}

// Sentence is that as an error beneath a line of text.
func (n Notice) Sentence() error { return errors.New(text.Capital(n.Reason()) + ".") }

// NoTask is said where an action has no task to act on.
const NoTask = "no task under the cursor"

// NoTasks says how the first task is made.
func NoTasks(h Host) []string {
	return []string{
		"No tasks yet.", h.Hint(keymap.New, "creates the first task"), "",
		"or, on the command line,", "vespe install", "vespe demo", "vespe store import beads FILE",
	}
}
