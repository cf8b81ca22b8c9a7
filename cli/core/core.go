// Package core is one call of the command line, as all its verbs see it: where the store is and who acts (core.go,
// actor.go), one operation and what it is asked for (fire.go, confirm.go), what is read and printed, as text (plain.go)
// or JSON (objects.go), and errors with their exit codes.
package core

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"vespe/agents/doctor"
	"vespe/engine"
	"vespe/engine/worker"
	"vespe/engine/worktree"
	"vespe/model"
	"vespe/model/history"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/store"
	"vespe/store/score"
	"vespe/store/statedir"
)

// Deps is everything the command line takes from outside, so that it can be run in a
// test without a process of its own.
type Deps struct {
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Environ func() []string // the whole environment, for git; os.Environ when nil
	GitName func() string   // git's user.name; "" where there is none; may be nil
	Account func() string   // the account's name, for when no variable says who this is; may be nil
	Dir     string          // where the search for a store begins
	Terminal
	Settings
	// VerdictsFromScripts: the person lets verdicts be given without a terminal.
	VerdictsFromScripts bool
	// VerdictsInsideAgents: the person lets verdicts be given in an agent's environment.
	VerdictsInsideAgents bool
	Programs
	Now     func() time.Time
	Rand    io.Reader
	Version string
	// Workbench opens the terminal workbench on the store that open opens, and returns when it is closed. args are those
	// of a call of vespe that does this.
	Workbench func(ctx context.Context, open OpenForWorkbench, args []string) error
}

// Terminal says which of the standard files are terminals.
type Terminal struct {
	IsTerminal bool              // standard output
	Size       func() (w, h int) // of it, in cells; nil or 0 where it is not known
	// StdoutClosed is closed once nobody reads standard output anymore; nil where that cannot be told. Only a hook
	// that waits asks: everybody else learns of it by writing.
	StdoutClosed   func() <-chan struct{}
	StdinTerminal  bool
	StderrTerminal bool // standard error
}

// Settings are what the person has set.
type Settings struct {
	// Gate is what the person says of calls of agents that wait.
	Gate model.GateRules
	// OwnFiles are the person's files by which it is known who approved: no agent writes them.
	OwnFiles []string
	// Strict is what holds because rules in the person's settings cannot be read.
	Strict []string
	// Keys are those that the person signs with, and believes; nil: none.
	Keys Keys
	// StartConsent is the least risk of tasks that the person wants to be asked about before an agent
	// starts them: low, medium, high, or "" for none. A project can ask for more.
	StartConsent string
	// Workers is what the person has set for workers.
	Workers worker.User
}

// Programs are what vespe starts.
type Programs struct {
	// Scorer makes what scores tasks: see store.Options. root is the store's directory.
	Scorer func(own []string, root string) score.Scorer
	// Shell opens the person's shell in the worktree of a run, on this terminal; nil: there is none.
	Shell func(dir, run string) error
	// Loops makes the loop that runs workers; nil: there is none.
	Loops Loops
	// GitInit makes a directory a git repository and commits what is in it but for the store.
	GitInit func(ctx context.Context, dir string) error
	// Executable is the path of this program, for what starts it and for what is written into settings; ""
	// where it is not known.
	Executable string
}

// Keys signs approvals and says how far to believe a signature.
type Keys interface {
	review.Attestor
	CanSign() bool
	Sign(ctx context.Context, statement []byte) (string, error)
}

// WorkbenchOptions is what the command line decides for the workbench.
type WorkbenchOptions struct {
	Actor   model.Actor
	NoColor bool
	// Worker is the one that loops use which are started from the workbench; "" for the one that is set.
	Worker string
	// Tour begins with the tour.
	Tour bool
	// Live opens the workbench on its runs with a loop that works, and ends that loop when it is left.
	Live bool
}

// OpenForWorkbench opens the store for the workbench.
type OpenForWorkbench func() (*store.Store, WorkbenchOptions, error)

// app is one call of the program. Its Stdout is buffered: Main writes it out at the end.
type App struct {
	Deps
	Out      *bufio.Writer  // Stdout
	Direct   io.Writer      // what out writes to
	Opened   []*store.Store // Main closes them, after the answer: closing may take a while
	StartDir string
	Here     bool
	JSON     bool
	As       string
	NoColor  bool
	who      model.Actor // who sits at the keyboard, once somebody has asked
	Wrote    bool        // a transaction was committed: what goes wrong from here on does not undo it

	Hooked bool // a hook was answered: its client takes any exit code but 0 for no answer

	Past bool // what is printed is how it was

	Journal *history.Journal // what happened, as far as it was read

	Choosing bool        // what to do first: verbs are called by the choice
	onScreen atomic.Bool // the workbench is
}

// OutBuffer is how much of an answer is gathered before it is written.
const OutBuffer = 64 << 10

func NewApp(d Deps) *App {
	a := &App{Deps: d, Out: bufio.NewWriterSize(d.Stdout, OutBuffer), Direct: d.Stdout}
	a.Stdout = a.Out
	return a
}

// OpenOrPrint is vespe without a verb.
func (a *App) OpenOrPrint(ctx context.Context) error {
	if a.Opens() {
		return a.OpenWorkbench(ctx, a.Open, WorkbenchOptions{})
	}
	s, snap, err := a.LoadFiles(ctx)
	if err != nil {
		return err
	}
	return a.PrintTree(snap, snap.Roots(), ReportsOf(ctx, s))
}

// Opens reports whether there is a terminal for the workbench.
func (a *App) Opens() bool { return !a.JSON && a.IsTerminal && !a.Dumb() && a.Workbench != nil }

// OpenWorkbench opens the workbench.
func (a *App) OpenWorkbench(ctx context.Context, open func() (*store.Store, error), o WorkbenchOptions) error {
	if err := a.Out.Flush(); err != nil {
		return err
	}
	defer a.onScreen.Store(false)
	return a.Workbench(ctx, func() (_ *store.Store, _ WorkbenchOptions, err error) {
		o.NoColor = a.Plain()
		if o.Actor, err = a.deskActor(); err != nil {
			return nil, o, err
		}
		s, err := open()
		a.onScreen.Store(err == nil)
		return s, o, err
	}, a.Args)
}

// Plain reports that no colors are wanted.
func (a *App) Plain() bool { return a.NoColor || a.Getenv("NO_COLOR") != "" || a.Dumb() }

// Dumb reports a terminal that can only print lines.
func (a *App) Dumb() bool { return a.Getenv("TERM") == "dumb" }

// Start is where the search for a store begins.
func (a *App) Start() (string, error) {
	if a.StartDir == "" {
		return a.Dir, nil
	}
	dir := Absolute(a.Dir, a.StartDir)
	if in, err := os.Stat(dir); err != nil || !in.IsDir() {
		return "", &model.Refusal{Code: model.CodeNotFound, Guard: "store", Why: "no such directory: " + dir, Hint: "give -C an existing directory"}
	}
	return dir, nil
}

func (a *App) Options() store.Options {
	return store.Options{
		CacheDir: a.cacheDir(),
		Scorer:   a.Scorer, Channel: model.ChannelCLI, Now: a.Now, Rand: a.Rand, Owners: a.owners(), Environ: a.Environ,
		Trust:        func(root, id string) bool { return a.Registry().Trusted(root, id) },
		TrustCommand: func(root, id string, argv []string) bool { return a.Registry().MayRun(root, id, argv) },
		Working:      a.Working(), Attestor: a.attestor(), StartConsent: a.StartConsent,
	}
}

// cacheDir is the directory for caches of the tasks of stores without a checkpoint; "" means no cache.
func (a *App) cacheDir() string {
	dir := statedir.CachePath(a.Getenv)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "tasks")
}

// attestor is Keys, or nil as an interface that holds nothing.
func (a *App) attestor() review.Attestor {
	if a.Keys == nil {
		return nil
	}
	return a.Keys
}

// workingEvery is the time between two lines about something that takes long.
const workingEvery = 2 * time.Second

// Working tells on standard error what takes long, unless the workbench has the screen.
func (a *App) Working() func(what string, done, total int) {
	var last time.Time
	return func(what string, done, total int) {
		if done == 0 {
			last = a.Now()
		}
		if a.onScreen.Load() || a.Now().Sub(last) < workingEvery {
			return
		}
		last = a.Now()
		fmt.Fprintf(a.Stderr, "%s: %d of %d tasks\n", what, done, total)
	}
}

// Find is the root of the store that locate finds.
func (a *App) Find() (string, error) {
	at, err := a.Locate()
	return at.Root, err
}

// Locate finds the store that -C lies in, else the one that VESPE_STORE names, else the one that the working
// directory lies in. A worker is given VESPE_STORE, which means that very directory.
func (a *App) Locate() (store.Location, error) {
	root := a.Getenv("VESPE_STORE")
	if a.StartDir != "" || a.Here || root == "" {
		dir, err := a.Start()
		if err != nil {
			return store.Location{}, err
		}
		return store.Locate(dir, a.Here)
	}
	at, err := store.Locate(root, true)
	if !filepath.IsAbs(root) || err != nil || at.Root != filepath.Clean(root) {
		return store.Location{}, &model.Refusal{
			Code: model.CodeNotFound, Guard: "store", Why: "VESPE_STORE is " + root + ", which is not a store directory",
			Hint: "set it to the absolute path of the directory that contains .vespe, or unset it",
		}
	}
	return at, nil
}

// Open finds and opens the store. Main closes it.
func (a *App) Open() (*store.Store, error) {
	root, err := a.Find()
	if err != nil {
		return nil, err
	}
	s, err := store.Open(root, a.Options())
	if err != nil {
		return nil, err
	}
	a.Opened = append(a.Opened, s)
	a.notice(s)
	return s, nil
}

// Load opens the store and reads it, as far as it must be known before something is
// written: the store looks at the files of the tasks concerned by itself then.
func (a *App) Load(ctx context.Context) (*store.Store, *snapshot.Snapshot, error) {
	return a.openAnd(func(s *store.Store) (*snapshot.Snapshot, error) {
		snap, _, err := a.Snapshot(ctx, s, false)
		return snap, err
	})
}

// LoadFiles opens the store and reads every file of it.
func (a *App) LoadFiles(ctx context.Context) (*store.Store, *snapshot.Snapshot, error) {
	return a.openAnd(func(s *store.Store) (*snapshot.Snapshot, error) { return s.Load(ctx, nil) })
}

func (a *App) openAnd(read func(*store.Store) (*snapshot.Snapshot, error)) (*store.Store, *snapshot.Snapshot, error) {
	s, err := a.Open()
	if err != nil {
		return nil, nil, err
	}
	snap, err := read(s)
	if err != nil {
		return nil, nil, err
	}
	return s, snap, nil
}

// Loops makes the loop of a store, as the person and the store have set it.
type Loops interface {
	// Desk is where a loop of the store, of whatever process, can be seen and asked.
	Desk(storeID string) (*engine.Desk, error)
	// Loop is a loop that does not run yet. Its error is a *model.Refusal where something has to be set up
	// or decided first.
	Loop(ctx context.Context, s *store.Store, o engine.Options) (*engine.Loop, error)
	// Repo is the repository of the store, as the loop of the store would use it.
	Repo(ctx context.Context, s *store.Store) (*worktree.Repo, error)
	// Worktree is the directory that a run works in. Of one that has ended it is made again, with what the run did.
	Worktree(ctx context.Context, s *store.Store, run string) (string, error)
}

// Program is how this program is called in settings.
func (a *App) Program() string { return doctor.Program(a.Executable) }

// Interruptible cancels the context at ctrl+c instead of ending the process: for what
// takes a while, so that it can say what became of it. A second ctrl+c ends the process.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
