package runview

import (
	"bytes"
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/runpane"
)

// Runs is what the workbench reads of the attempts at tasks. Its methods are called from commands, and
// must be safe for concurrent use.
type Runs interface {
	// Runs are the attempts at a task, the oldest first, the live one included.
	Runs(ctx context.Context, uid model.UID) ([]model.Run, error)
	// ReadRunFile reads at most limit bytes of a file of an attempt, from an offset on; a negative one
	// counts from the end. size is how long the whole file is. model.ErrNoContent when there is none.
	ReadRunFile(ctx context.Context, uid model.UID, run, name string, offset int64, limit int) (b []byte, size int64, err error)
}

// Loop lets workers work on tasks. Its methods are called from commands, and must be safe
// for concurrent use. An error is a sentence for a person; a *model.Refusal says what would help, too.
// What a method asks for shows in State and in the store, from then on or a little later.
type Loop interface {
	// State is how the loop of the store stands, whichever process it is in. It is asked once a second
	// while somebody looks, so it must be cheap.
	State(ctx context.Context) (LoopState, error)
	// Start begins to work on what is ready. With a loop that runs already it is an error.
	Start(ctx context.Context, o LoopOptions) error
	// Stop begins no run any more and ends the loop when those that are under way have ended; now: their
	// workers are stopped.
	Stop(ctx context.Context, now bool) error
	// RunTask works on one task that is ready, whether the loop runs or not.
	RunTask(ctx context.Context, uid model.UID) error
	// Cancel stops the worker of a run. What it did so far is kept as a commit.
	Cancel(ctx context.Context, run string) error
	// Pause lets no new run begin, or continues; those under way are left alone.
	Pause(ctx context.Context, on bool) error
	// Worktree is the directory of the worktree of a run; an error that says why when there is none.
	Worktree(ctx context.Context, run string) (string, error)
}

// LoopOptions say how a loop runs. The zero value is what the settings say.
type LoopOptions struct {
	Max int // runs at most in all; 0 for no limit
}

// LoopState is how the loop of a store stands.
type LoopState struct {
	Running  bool      // in some process
	Here     bool      // it was begun by this process and ends with it
	PID      int       // of the process that it is in; 0 for none
	Since    time.Time // when it began
	Workers  int       // how many runs may be under way at a time
	Paused   bool      // no new run begins
	Stopping bool      // it ends when the runs under way have ended
	// Stops is what keeps any run from beginning, such as a store that is not trusted, a directory that
	// is no git repository, or no worker in the settings. nil when nothing does.
	Stops []LoopStop
}

// LoopStop is one thing that keeps the loop from working, and what to do about it.
type LoopStop struct{ Why, Hint string }

// Shell hands the terminal over to a person's own shell.
type Shell interface {
	// In prepares the shell in a directory, for the run whose worktree that is. The terminal has been
	// handed over when it is run.
	In(dir, run string) (tea.ExecCommand, error)
}

// Sources is what the view is made of.
type Sources struct {
	Runs  Runs  // nil: there is nothing to read runs from
	Loop  Loop  // nil: nobody works
	Shell Shell // nil: the path of a worktree is handed over
	// ReadOnly says why nothing can be written to the store; "" when it can be.
	ReadOnly string
}

// File names a file of a run.
type File struct {
	Task model.UID
	Run  string
	Name string
}

// The files of a run that the workbench reads.
const (
	logName    = "output.jsonl"
	promptName = "prompt.md"
	PatchName  = "changes.patch"
	VerifyName = "verify.json"
)

// wholeFile is how much of a patch, a prompt or a report is read, in bytes.
const wholeFile = 4 << 20

// Read reads it, or its beginning.
func (f File) Read(ctx context.Context, from Runs) runpane.File {
	b, size, err := from.ReadRunFile(ctx, f.Task, f.Run, f.Name, 0, wholeFile)
	if errors.Is(err, model.ErrNoContent) {
		return runpane.File{None: true}
	}
	if int64(len(b)) < size {
		if end := bytes.LastIndexByte(b, '\n'); end >= 0 {
			b = b[:end+1]
		}
	}
	return runpane.File{Body: b, Size: size, Err: err}
}
