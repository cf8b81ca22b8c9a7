package store

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vespe/model"
)

// following is another process's view of a store, kept in step until the test ends.
func following(t *testing.T, s *Store, opt FollowOptions) *Store {
	t.Helper()
	r, err := Open(s.Root(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	load(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	r.Follow(ctx, opt)
	t.Cleanup(func() { cancel(); _ = r.Close() })
	return r
}

// until waits for updates until ok, which is asked after each.
func until(t *testing.T, s *Store, what string, ok func(*model.Snapshot, model.Update) bool) time.Duration {
	t.Helper()
	start := time.Now()
	for time.Since(start) < 20*time.Second {
		u, err := s.Wait(t.Context(), 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		snap, err := s.Refresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if ok(snap, u) {
			return time.Since(start)
		}
	}
	t.Fatalf("no %s", what)
	return 0
}

// dumb is a watcher that is told what to watch and never says a word.
type dumb struct {
	deafWatcher
	room int // directories it takes
	lost chan error
}

func (d *dumb) Add(string, int32) error {
	if d.room--; d.room < 0 {
		return errors.New("no space left on device")
	}
	return nil
}

func (d *dumb) Lost() <-chan error { return d.lost }

func silent(room int) FollowOptions {
	return FollowOptions{watch: func() (watcher, error) { return &dumb{room: room, lost: make(chan error, 1)}, nil }}
}

// Every way of following: with the system's watches, with none, with too few, with some
// that never tell, with lost events.
func ways() map[string]FollowOptions {
	return map[string]FollowOptions{
		"watched": {},
		"none":    {watch: func() (watcher, error) { return nil, errors.New("too many open files") }},
		"full":    silent(3),
		"silent":  silent(1000),
		"overflow": {watch: func() (watcher, error) {
			lost := make(chan error, 1)
			lost <- errOverflow
			return &dumb{room: 1000, lost: lost}, nil
		}},
	}
}

// Another process's transactions and edits past vespe are seen, whatever the system tells.
func TestFollow(t *testing.T) {
	for name, opt := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			uid := planned(t, s, "one")
			r := following(t, s, opt)
			do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, NewName: "two"})
			until(t, r, "transaction of another process", func(snap *model.Snapshot, _ model.Update) bool {
				return task(t, snap, uid).Config.Name == "two"
			})
			path := vespe(s, taskFile(uid, specFile))
			write(t, path, `{"description": "by hand"}`)
			until(t, r, "edit past vespe", func(snap *model.Snapshot, _ model.Update) bool {
				sp := task(t, snap, uid).Spec
				return sp != nil && sp.Description == "by hand"
			})
			until(t, r, "event of it", func(*model.Snapshot, model.Update) bool {
				return len(externalEvents(t, s, uid)) > 0
			})
			if len(r.Edited()) > 0 {
				t.Errorf("still waiting: %v", r.Edited())
			}
		})
	}
}

// A task that git, or a person, puts there and takes away is seen.
func TestFollowSeesDirectoriesComeAndGo(t *testing.T) {
	s := newStore(t)
	create(t, s, "one", "x\n")
	r := following(t, s, FollowOptions{})
	uid := model.UID("tsk-by-hand")
	dir := vespe(s, taskDir(uid))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/config.json", `{"uid": "tsk-by-hand", "name": "by hand"}`)
	until(t, r, "new directory", func(snap *model.Snapshot, _ model.Update) bool {
		now, ok := snap.Task(uid)
		return ok && now.Config.Name == "by hand"
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	until(t, r, "end of it", func(snap *model.Snapshot, _ model.Update) bool {
		_, ok := snap.Task(uid)
		return !ok
	})
}

// A store for reading only shows what was edited and takes nothing over.
func TestFollowReadOnly(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	checkpointed(t, s)
	r, err := Open(s.Root(), Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	load(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	defer func() { cancel(); _ = r.Close() }()
	r.Follow(ctx, FollowOptions{})
	write(t, vespe(s, taskFile(uid, specFile)), `{"description": "by hand"}`)
	until(t, r, "edit", func(_ *model.Snapshot, u model.Update) bool { return u.Edited })
	if !slices.Equal(r.Edited(), []model.UID{uid}) || len(externalEvents(t, s, uid)) > 0 {
		t.Error("a reader wrote something")
	}
}

// Where the store cannot be looked at any more, Stale says so, and takes it back.
func TestFollowSaysWhatIsStale(t *testing.T) {
	s := newStore(t)
	create(t, s, "one", "x\n")
	r, err := Open(s.Root(), Options{FS: func(string) (FS, error) { return &unlisted{FS: s.fs}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	load(t, r)
	broken := r.fs.(*unlisted)
	ctx, cancel := context.WithCancel(t.Context())
	defer func() { cancel(); r.background.Wait() }()
	r.Follow(ctx, silent(1000))
	broken.set(errors.New("stale file handle"))
	for {
		u, _ := r.Wait(t.Context(), 5*time.Second)
		if strings.Contains(u.Stale, "stale file handle") {
			break
		}
	}
	broken.set(nil)
	until(t, r, "end of it", func(_ *model.Snapshot, u model.Update) bool { return u.Stale == "" })
}

// unlisted is a file system that fails to say what is in the log.
type unlisted struct {
	FS
	mu  sync.Mutex
	err error
}

func (u *unlisted) set(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.err = err
}

func (u *unlisted) OpenDir(name string) (Dir, error) {
	u.mu.Lock()
	err := u.err
	u.mu.Unlock()
	if err != nil && name == logDir {
		return nil, err
	}
	return u.FS.OpenDir(name)
}
