package follow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// fake is a store of files in a temporary directory, of which some tasks were edited.
type fake struct {
	root   string
	edits  edits.Table
	snap   *snapshot.Snapshot
	full   bool // nothing can be imported
	tries  int
	listed int
}

func newFake(t *testing.T, tasks int) *fake {
	t.Helper()
	numbers := make([]int, tasks)
	for i := range numbers {
		numbers[i] = i
	}
	s := &fake{root: t.TempDir(), snap: rosterOf(numbers...)}
	for i := range tasks {
		write(t, s.path(layout.TaskFile(s.snap.UID(i), layout.SpecFile)), "{}")
	}
	write(t, s.path(layout.RootMarker), "")
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(s.path(layout.TasksDir), old, old); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *fake) path(name string) string {
	return filepath.Join(s.root, layout.Name, filepath.FromSlash(name))
}

func write(t *testing.T, path, body string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(body), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// edit has a task of the store edited.
func (s *fake) edit(i int) model.UID {
	was, _ := s.snap.Task(s.snap.UID(i))
	now := was.Clone()
	now.Config.Name = "by hand"
	s.edits.Noticed(edits.Edit{Was: was, Now: now}, nil)
	return was.UID
}

func (s *fake) follow(t *testing.T, w fsys.Watcher) *Follower {
	t.Helper()
	f, err := fsys.OpenFS(s.root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return New(Source{
		Root: s.root, Disk: &durable.Files{FS: f}, Edits: &s.edits,
		Current:  func() (*snapshot.Snapshot, txlog.Tip) { return s.snap, txlog.Tip{} },
		ReadOnly: func() string { return "" },
		Names: func() ([]model.UID, error) {
			s.listed++
			var uids []model.UID
			for i := range s.snap.Len() {
				uids = append(uids, s.snap.UID(i))
			}
			return uids, nil
		},
		Sweep:        func(context.Context, []model.UID) error { return nil },
		RefreshFiles: func(context.Context) error { return nil },
		Import: func(_ context.Context, uids []model.UID) (snapshot.Applied, error) {
			s.tries++
			if s.full {
				return snapshot.Applied{}, errors.New("no space left on device")
			}
			for _, uid := range uids {
				s.edits.ForgetEdit(uid)
			}
			return snapshot.Applied{}, nil
		},
		Outruled: func() (string, bool) { return "", false },
		Reopen:   func() bool { return false },
		Pack:     func() {},
	}, Options{Watch: func() (fsys.Watcher, error) { return w, nil }})
}

// accepting is a watcher that takes every directory and never says a word.
type accepting struct{ fsys.DeafWatcher }

func (accepting) Add(string, int32) error { return nil }

// An edit is taken over once its files have looked the same for a second, whatever the system
// tells of them: half a text is no revision.
func TestAnEditIsLeftWhileItIsWritten(t *testing.T) {
	s := newFake(t, 1)
	name := s.path(layout.TaskFile(s.snap.UID(0), "plan.md"))
	write(t, name, "half a te")
	uid := s.edit(0)
	f := s.follow(t, fsys.DeafWatcher{})
	long := time.Now().Add(-time.Hour)
	taken := func() bool {
		t.Helper()
		if err := f.takeOver(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s.tries > 0
	}
	if taken() {
		t.Error("it is taken over as soon as it is seen")
	}
	f.since[uid] = lastEdit{long, f.since[uid].looks}
	write(t, name, "half a text, and the re")
	if taken() {
		t.Error("it is taken over though it looks other than before")
	}
	f.since[uid] = lastEdit{long, f.since[uid].looks}
	f.dirty[uid] = true
	if taken() {
		t.Error("it is taken over though the system told of a change")
	}
	clear(f.dirty)
	f.since[uid] = lastEdit{long, f.since[uid].looks}
	gitDir := filepath.Join(t.TempDir(), "linked")
	write(t, filepath.Join(s.root, ".git"), "gitdir: "+gitDir+"\n")
	rebase := filepath.Join(gitDir, "rebase-merge")
	if err := os.MkdirAll(rebase, 0o755); err != nil {
		t.Fatal(err)
	}
	if taken() {
		t.Error("it is taken over in a rebase")
	}
	if err := os.Remove(rebase); err != nil {
		t.Fatal(err)
	}
	if !taken() || len(s.edits.Edited()) > 0 {
		t.Error("it is not taken over when it is quiet")
	}
}

// Where edits cannot be taken over for a while, that is said all the while, costs next to nothing,
// and is made up for as soon as it can be done again.
func TestEditsWaitForSpace(t *testing.T) {
	s := newFake(t, 3*sliceWatched)
	for i := range 5 {
		s.edit(i)
	}
	f := s.follow(t, accepting{})
	look := func() {
		t.Helper()
		f.look(t.Context(), true)
	}
	f.watchMore(1000)
	look() // sees the edits
	old := time.Now().Add(-time.Minute)
	quiet := func() {
		for uid, last := range f.since {
			f.since[uid] = lastEdit{old, last.looks}
		}
	}
	s.full = true
	quiet()
	look()
	if !strings.Contains(f.told.stale, "no space left") || len(s.edits.Edited()) != 5 {
		t.Fatalf("stale %q, edited %v", f.told.stale, s.edits.Edited())
	}
	made, listed, at := s.tries, s.listed, f.at
	for range 4 {
		quiet()
		look()
		if !strings.Contains(f.told.stale, "no space left") {
			t.Fatalf("stale %q", f.told.stale)
		}
		if f.at == at {
			t.Errorf("it goes through the same tasks again")
		}
		at = f.at
	}
	if s.tries != made || s.listed != listed {
		t.Errorf("%d tries and %d listings of tasks/ more", s.tries-made, s.listed-listed)
	}
	f.tried = old
	look()
	if tries := s.tries - made; tries != 1 || f.told.stale == "" {
		t.Errorf("%d tries after a while, stale %q", tries, f.told.stale)
	}
	s.full = false
	f.tried = old
	quiet()
	look()
	if f.told.stale != "" || len(s.edits.Edited()) > 0 {
		t.Errorf("stale %q, edited %v", f.told.stale, s.edits.Edited())
	}
}

// What somebody looks at is watched before all others, and looked at often where that cannot be.
func TestFollowWatchesFirstWhatIsSeen(t *testing.T) {
	s := newFake(t, 5)
	f := s.follow(t, accepting{})
	f.Watch([]model.UID{s.snap.UID(1), s.snap.UID(2)})
	f.watchMore(1)
	for i, want := range []bool{false, true, true, false, true} { // and the newest
		if n, ok := f.roster.number(s.snap.UID(i)); (ok && f.roster.watched[n]) != want {
			t.Errorf("task %d is watched: %v", i, !want)
		}
	}
	if f.every() != lookWatched {
		t.Error("what is watched is looked at often")
	}
	f.Watch([]model.UID{s.snap.UID(0), "tsk-unknown"})
	if got := f.unwatched(); !slices.Equal(got, []model.UID{s.snap.UID(0)}) || f.every() != lookBlind {
		t.Errorf("%v are looked at every %v", got, f.every())
	}
}
