package worktree

import (
	"errors"
	"fmt"
	"strings"

	"vespe/store/git"
)

var (
	// ErrNoRepo says that the store lies in no git repository with a worktree.
	ErrNoRepo = git.ErrNoRepo
	// ErrNoTree says that no worktree is recorded for a run.
	ErrNoTree = errors.New("the run has no worktree")
	// ErrInUse says that another process is using the worktree.
	ErrInUse = errors.New("another process is using the worktree")
	// ErrExists says that the run already has a worktree: see Reopen.
	ErrExists = errors.New("the run already has a worktree")
	// ErrNoResult says that nothing was kept of a run: Snapshot was not called, or failed.
	ErrNoResult = errors.New("the run has no result")
	// ErrTruncated says that a patch goes on after what was returned.
	ErrTruncated = errors.New("the patch is cut off")
	// ErrMoved says that a branch was moved by someone else each time that it was to be moved.
	ErrMoved = git.ErrMoved
)

// Conflict says that two commits do not merge. Nothing was changed.
type Conflict struct {
	Files []string // as git names them; untrusted
	What  string   // of what is merged into what, for people
}

func (c *Conflict) Error() string {
	return fmt.Sprintf("%s: conflict in %s", c.What, some(c.Files))
}

// Refused says that something of the person's is in the way. Nothing was touched.
type Refused struct {
	Why, Hint string

	apart bool // the target has commits that are to come in first: see Deliver
}

func (r *Refused) Error() string { return r.Why }

// Tampered says that what git knows of a worktree is not as it was made.
type Tampered struct{ What string }

func (t *Tampered) Error() string { return "the worktree can't be trusted: " + t.What }

// Unfinished says that the worker left a merge with conflicts. The result was kept all the same.
type Unfinished struct{ Files []string }

func (u *Unfinished) Error() string { return "the worker left conflicts in " + some(u.Files) }

// Unverified says that a commit would have been integrated, but that the check of it failed.
// Nothing was changed.
type Unverified struct{ Err error } // of the check

func (u *Unverified) Error() string {
	return "fails together with the integrated work: " + u.Err.Error()
}
func (u *Unverified) Unwrap() error { return u.Err }

// maxNamed is how many paths a message names.
const maxNamed = 5

func some(paths []string) string {
	if len(paths) <= maxNamed {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:maxNamed], ", "), len(paths)-maxNamed)
}
