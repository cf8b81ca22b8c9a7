package store

import "errors"

// watcher tells of changes in directories. What it tells is a hint: whatever it does not
// tell is found by looking. A directory goes by a number of its follower's choice, so that
// watching a hundred thousand of them takes the memory of as many numbers.
type watcher interface {
	// Add watches a directory, given by its path; one that is a link is not followed. An
	// error says that this one is not watched; those before it still are.
	Add(path string, dir int32) error
	Events() <-chan change
	// Lost tells that changes were missed.
	Lost() <-chan error
	Close() error
}

// change is what a watcher tells.
type change struct {
	dir  int32  // the number under which the directory was added
	name string // what changed in it; only where the number is negative
	gone bool   // the directory is watched no longer: it went, or goes by another name
}

var (
	errOverflow = errors.New("the system told of fewer changes than there were")
	errDeaf     = errors.New("nothing can be watched here")
)

// deafWatcher watches nothing: where the system has no watches to give.
type deafWatcher struct{}

func (deafWatcher) Add(string, int32) error { return errDeaf }
func (deafWatcher) Events() <-chan change   { return nil }
func (deafWatcher) Lost() <-chan error      { return nil }
func (deafWatcher) Close() error            { return nil }
