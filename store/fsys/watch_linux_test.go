package fsys

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// watching is the system's watcher, until the test ends.
func watching(t *testing.T) *systemWatcher {
	t.Helper()
	w, err := NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w.(*systemWatcher)
}

// told waits for a change.
func told(t *testing.T, w Watcher, want Change) {
	t.Helper()
	limit := time.After(stuck)
	for {
		select {
		case c, ok := <-w.Events():
			if !ok {
				t.Fatal("the watcher ended")
			}
			if c == want {
				return
			}
		case <-limit:
			t.Fatalf("nobody told of %+v", want)
		}
	}
}

func mkdir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWatcherTellsWhichDirectory(t *testing.T) {
	w, dir := watching(t), t.TempDir()
	for i := range int32(3) {
		if err := w.Add(mkdir(t, filepath.Join(dir, fmt.Sprint(i))), i); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Add(dir, -2); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(mkdir(t, filepath.Join(dir, "log")), -1); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "log", "1.json"), "x")
	told(t, w, Change{Dir: -1, Name: "1.json"})
	write(t, filepath.Join(dir, "2", "f"), "x")
	told(t, w, Change{Dir: 2})
	write(t, filepath.Join(dir, "0", "f"), "x")
	told(t, w, Change{Dir: 0})
	mkdir(t, filepath.Join(dir, "new"))
	told(t, w, Change{Dir: -2, Name: "new"})
	if err := os.RemoveAll(filepath.Join(dir, "2")); err != nil {
		t.Fatal(err)
	}
	told(t, w, Change{Dir: 2, Gone: true})
	if err := os.Rename(filepath.Join(dir, "0"), filepath.Join(dir, "zero")); err != nil {
		t.Fatal(err)
	}
	told(t, w, Change{Dir: 0, Gone: true})
	// The directory under another name is nobody's, and the name may be another directory's.
	if err := w.Add(mkdir(t, filepath.Join(dir, "0")), 0); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "zero", "g"), "x")
	write(t, filepath.Join(dir, "1", "f"), "x")
	for {
		c := <-w.Events()
		if c.Dir == 0 {
			t.Fatal("told of a directory that is none of the store's any more")
		}
		if c == (Change{Dir: 1}) {
			break
		}
	}
	write(t, filepath.Join(dir, "0", "f"), "x")
	told(t, w, Change{Dir: 0})
}

func TestWatcherFollowsNoLink(t *testing.T) {
	w, dir := watching(t), t.TempDir()
	mkdir(t, filepath.Join(dir, "there"))
	if err := os.Symlink("there", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "file"), "x")
	for _, name := range []string{"link", "file", "nothing"} {
		if err := w.Add(filepath.Join(dir, name), 1); err == nil {
			t.Errorf("%s is watched", name)
		}
	}
}

// Events that nobody fetches are lost some time, and that is told.
func TestWatcherTellsThatItOverflew(t *testing.T) {
	w, dir := watching(t), t.TempDir()
	if err := w.Add(dir, -2); err != nil {
		t.Fatal(err)
	}
	queue, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if _, err := fmt.Sscan(string(queue), &n); err != nil || n > 1<<20 {
		t.Fatalf("a queue of %q events: %v", queue, err)
	}
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a, "x")
	for range n/2 + watchBuffer/16 { // two events each
		if err := os.Rename(a, b); err != nil {
			t.Fatal(err)
		}
		a, b = b, a
	}
	limit := time.After(stuck)
	for {
		select {
		case <-w.Events():
		case err := <-w.Lost():
			if !errors.Is(err, ErrOverflow) {
				t.Fatal(err)
			}
			return
		case <-limit:
			t.Fatal("nobody told that events were lost")
		}
	}
}

// A watch takes four bytes, and what a slice has in reserve.
func TestWatchesAreSmall(t *testing.T) {
	const n = 20_000
	w := &systemWatcher{}
	for i := range int32(n) {
		w.put(i+1, i+1)
	}
	if got := cap(w.dirs); got > 2*n {
		t.Errorf("%d places for %d watches", got, n)
	}
}
