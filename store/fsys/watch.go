package fsys

import "errors"

// Watcher tells of changes in directories. What it tells is a hint: whatever it does not
// tell is found by looking. A directory goes by a number of its follower's choice, so that
// watching a hundred thousand of them takes the memory of as many numbers.
type Watcher interface {
	// Add watches a directory, given by its path; one that is a link is not followed. An
	// error says that this one is not watched; those before it still are.
	Add(path string, dir int32) error
	Events() <-chan Change
	// Lost tells that changes were missed.
	Lost() <-chan error
	Close() error
}

// Change is what a watcher tells.
type Change struct {
	Dir  int32  // the number under which the directory was added
	Name string // what changed in it; only where the number is negative
	Gone bool   // the directory is watched no longer: it went, or goes by another name
}

var (
	ErrOverflow = errors.New("the system reported too few changes")
	ErrDeaf     = errors.New("can't watch files here")
)

// DeafWatcher watches nothing: where the system has no watches to give.
type DeafWatcher struct{}

func (DeafWatcher) Add(string, int32) error { return ErrDeaf }
func (DeafWatcher) Events() <-chan Change   { return nil }
func (DeafWatcher) Lost() <-chan error      { return nil }
func (DeafWatcher) Close() error            { return nil }
