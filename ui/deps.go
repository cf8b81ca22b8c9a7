package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/decompose"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/themes"
	"vespe/ui/announce"
	"vespe/ui/drafts"
	"vespe/ui/feed"
	"vespe/ui/habits"
	"vespe/ui/runview"
	"vespe/ui/taskdocs"
)

// Store is what the workbench needs of a store. Every method is called from
// a command, on its own goroutine, and must be safe for concurrent use.
type Store interface {
	// Documents are read from it as well.
	taskdocs.Store
	// Load reads the whole store; progress is called from any goroutine.
	Load(ctx context.Context, progress func(done, total int)) (*snapshot.Snapshot, error)
	// Warm is the store as it was last known, at once and whatever its size; false when
	// nothing is known and only Load helps.
	Warm(ctx context.Context) (*snapshot.Snapshot, bool, error)
	// Partial is what a Load that is under way has read so far; nil when there is nothing.
	Partial() *snapshot.Snapshot
	// Refresh is the snapshot as of the last committed transaction: only what newer
	// transactions name is read. What was edited without one is found by Load.
	Refresh(ctx context.Context) (*snapshot.Snapshot, error)
	// Wait returns when the store has changed since the last Wait, and after d in any case.
	Wait(ctx context.Context, d time.Duration) (model.Update, error)
	// Watch says which tasks are on the screen: what is written to them without a transaction
	// is looked for before anything else. It must be cheap.
	Watch(uids []model.UID)
	// Head is the number of the last committed transaction on disk; it must be cheap.
	Head(ctx context.Context) (uint64, error)
	// Do applies one operation; a *model.Refusal says which guard did not hold.
	Do(ctx context.Context, op model.Op) (snapshot.Applied, error)
	// DoAll applies several operations in one transaction: all or none.
	DoAll(ctx context.Context, ops []model.Op) (snapshot.Applied, error)
	// SinceApproval compares what a task was accepted with with what is there now.
	SinceApproval(ctx context.Context, uid model.UID) (review.Approval, []binding.Compared, error)
	// Bound returns what a verdict of an operation on a task would bind to besides its texts, as
	// binding.Bound does: hashes by file.
	Bound(ctx context.Context, op model.Name, uid model.UID) (map[string]string, error)
}

// Searcher finds tasks by what was written about them. Its method is called from commands, and must be
// safe for concurrent use.
type Searcher interface {
	// Search finds tasks of a snapshot. It does not wait until everything is indexed: the answer says how much
	// is. The error is a *model.Refusal for a query that cannot be meant.
	Search(ctx context.Context, snap *snapshot.Snapshot, q snapshot.SearchQuery) (snapshot.SearchAnswer, error)
}

// Plans reads the tasks that plans list. Its method is called from commands, and must be safe for
// concurrent use.
type Plans interface {
	// Proposal is what the plan of a task lists. The error may be a decompose.None or a *decompose.Unreadable.
	Proposal(ctx context.Context, snap *snapshot.Snapshot, t *model.Task) (*decompose.Proposal, error)
}

// Editor opens a person's own editor. The workbench never touches the disk itself: the
// implementation makes the temporary copy and reads it back.
type Editor interface {
	// Edit makes a temporary copy of body, called name, and prepares the editor on it.
	Edit(name string, body []byte) (EditSession, error)
	// Read is Edit for a copy that is only to be looked at: it cannot be written to.
	Read(name string, body []byte) (EditSession, error)
}

// EditSession is one run of the editor. Run blocks until the editor has ended; the
// terminal has been handed over by then.
type EditSession interface {
	tea.ExecCommand
	// Body is the text as the editor left it.
	Body() ([]byte, error)
	// Path is where the copy lies, so that a message can name it.
	Path() string
	// Discard removes the copy. A session that is not discarded leaves it on disk.
	Discard() error
}

// Keys are what a person signs approvals with, and which signatures they believe.
type Keys interface {
	review.Attestor
	CanSign() bool
	// Sign may wait for somebody to touch a key. It leaves the terminal alone.
	Sign(ctx context.Context, statement []byte) (string, error)
}

// Terminal is what the terminal can do, and may.
type Terminal struct {
	NoSuspend bool // there is no shell that would continue when the program is stopped
	NoColor   bool
	ASCII     bool
	Mouse     bool
}

// Deps is everything that the workbench is given from outside.
type Deps struct {
	Store  Store
	Editor Editor
	Keys   Keys         // nil: nothing is signed
	Drafts drafts.Store // nil: they last as long as the program
	// Journal is what the activity is made of; nil: there is none.
	Journal feed.Journal
	Plans   Plans // nil: no plan can be read
	// Confirms confirms what was accepted in another clone; nil: nothing is.
	Confirms Confirmer
	// Search looks through the texts of tasks; nil: there is no index.
	Search Searcher
	// Runs is what the attempts of workers are read with; nil: there is nothing to read them from.
	Runs runview.Runs
	// Loop lets workers work; nil: nobody does.
	Loop runview.Loop
	// Start shows the first view; "" is the inbox when something waits there, else the tasks.
	Start keymap.Action
	Tour  bool // begins with the tour
	// Habits are those of the last time; the zero value for none.
	Habits habits.Habits
	// Shell opens a shell in a worktree; nil: its path is handed over.
	Shell runview.Shell
	Now   func() time.Time
	// NewID makes the id of an operation; NewUID the id of a task.
	NewID  func() string
	NewUID func() model.UID
	Actor  model.Actor
	Keymap *keymap.Keymap
	Theme  themes.Theme
	Themes []themes.Theme // what the picker offers
	// Dark says which half of the theme is drawn; nil asks the terminal.
	Dark *bool
	Terminal
	Notify  announce.Way // of what comes into the inbox
	Phrases []string     // what is offered where the person writes; nil: a few
	Name    string       // of the store
	// Settings is what of the person's settings was not understood: it is told at the start.
	Settings []string
	// Strict is what holds because rules in the person's settings cannot be read: it is told until it is dismissed.
	Strict []string
	// ReadOnly says why nothing can be written to the store; "" when it can be.
	ReadOnly string
	Version  string
}
