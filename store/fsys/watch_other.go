//go:build !linux

package fsys

import (
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// systemWatcher is the operating system's, by way of fsnotify.
type systemWatcher struct {
	w      *fsnotify.Watcher
	events chan Change
	done   chan struct{}

	mu   sync.Mutex
	dirs map[string]int32 // by path
}

func NewWatcher() (Watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	s := &systemWatcher{w: w, events: make(chan Change), done: make(chan struct{}), dirs: map[string]int32{}}
	go s.pass()
	return s, nil
}

func (s *systemWatcher) Events() <-chan Change { return s.events }
func (s *systemWatcher) Lost() <-chan error    { return s.w.Errors }

func (s *systemWatcher) Close() error {
	close(s.done)
	return s.w.Close()
}

func (s *systemWatcher) Add(path string, dir int32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.w.Add(path); err != nil {
		return err
	}
	s.dirs[filepath.Clean(path)] = dir
	return nil
}

func (s *systemWatcher) pass() {
	defer close(s.events)
	for e := range s.w.Events {
		for _, c := range s.changes(e) {
			select {
			case s.events <- c:
			case <-s.done:
				return
			}
		}
	}
}

// changes are what an event says of a directory that is watched itself, and of the one that
// it is in.
func (s *systemWatcher) changes(e fsnotify.Event) (out []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if dir, ok := s.dirs[e.Name]; ok {
		c := Change{Dir: dir, Gone: e.Has(fsnotify.Remove | fsnotify.Rename)}
		if c.Gone {
			delete(s.dirs, e.Name)
			_ = s.w.Remove(e.Name) // it may be gone already
		}
		out = append(out, c)
	}
	if dir, ok := s.dirs[filepath.Dir(e.Name)]; ok {
		c := Change{Dir: dir}
		if dir < 0 {
			c.Name = filepath.Base(e.Name)
		}
		out = append(out, c)
	}
	return out
}
