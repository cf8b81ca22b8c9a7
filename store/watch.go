package store

import (
	"errors"

	"github.com/fsnotify/fsnotify"
)

// watcher tells of changes in directories. What it tells is a hint: whatever it does not
// tell is found by looking.
type watcher interface {
	// Add watches a directory, given by its path. An error says that this one is not
	// watched; those before it still are.
	Add(path string) error
	// Events gives the paths of what changed.
	Events() <-chan fsnotify.Event
	// Lost tells that changes were missed.
	Lost() <-chan error
	Close() error
}

// systemWatcher is the operating system's.
type systemWatcher struct{ w *fsnotify.Watcher }

func newSystemWatcher() (watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return systemWatcher{w}, nil
}

func (s systemWatcher) Add(path string) error         { return s.w.Add(path) }
func (s systemWatcher) Events() <-chan fsnotify.Event { return s.w.Events }
func (s systemWatcher) Lost() <-chan error            { return s.w.Errors }
func (s systemWatcher) Close() error                  { return s.w.Close() }

// deafWatcher watches nothing: where the system has no watches to give.
type deafWatcher struct{}

var errDeaf = errors.New("nothing can be watched here")

func (deafWatcher) Add(string) error              { return errDeaf }
func (deafWatcher) Events() <-chan fsnotify.Event { return nil }
func (deafWatcher) Lost() <-chan error            { return nil }
func (deafWatcher) Close() error                  { return nil }
