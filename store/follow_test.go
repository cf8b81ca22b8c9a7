package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/follow"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// following is another process's view of a store, kept in step until the test ends.
func following(t *testing.T, s *Store, opt follow.Options) *Store {
	t.Helper()
	r := open(t, s.Root(), Options{})
	load(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	r.Follow(ctx, opt)
	t.Cleanup(func() { cancel(); _ = r.Close() })
	return r
}

// until waits for updates until ok, which is asked after each.
func until(t *testing.T, s *Store, what string, ok func(*snapshot.Snapshot, model.Update) bool) time.Duration {
	t.Helper()
	start := time.Now()
	for time.Since(start) < stuck {
		u := mustGet(s.Wait(t.Context(), 5*time.Second))(t)
		snap, err := s.Refresh(t.Context())
		if gone := (*fsys.MovedError)(nil); errors.As(err, &gone) {
			continue // the next one is not there yet
		}
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
	fsys.DeafWatcher
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

func silent(room int) follow.Options {
	return follow.Options{Watch: func() (fsys.Watcher, error) { return &dumb{room: room, lost: make(chan error, 1)}, nil }}
}

// Every way of following: with the system's watches, with none, with too few, with some
// that never tell, with lost events.
func ways() map[string]follow.Options {
	return map[string]follow.Options{
		"watched": {},
		"none":    {Watch: func() (fsys.Watcher, error) { return nil, errors.New("too many open files") }},
		"full":    silent(3),
		"silent":  silent(1000),
		"overflow": {Watch: func() (fsys.Watcher, error) {
			lost := make(chan error, 1)
			lost <- fsys.ErrOverflow
			return &dumb{room: 1000, lost: lost}, nil
		}},
	}
}

// Another process's transactions and edits past vespe are seen, whatever the system tells.
func TestFollow(t *testing.T) {
	t.Parallel()
	for name, opt := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			uid := planned(t, s, "one")
			r := following(t, s, opt)
			do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "two"}})
			until(t, r, "transaction of another process", func(snap *snapshot.Snapshot, _ model.Update) bool {
				return task(t, snap, uid).Config.Name == "two"
			})
			path := vespe(s, layout.TaskFile(uid, layout.SpecFile))
			write(t, path, `{"description": "by hand"}`)
			until(t, r, "edit past vespe", func(snap *snapshot.Snapshot, _ model.Update) bool {
				sp := task(t, snap, uid).Spec
				return sp != nil && sp.Description == "by hand"
			})
			until(t, r, "event of it", func(*snapshot.Snapshot, model.Update) bool {
				return len(externalEvents(t, s, uid)) > 0
			})
			if len(r.Edited()) > 0 {
				t.Errorf("still waiting: %v", r.Edited())
			}
			write(t, vespe(s, layout.PolicyFile), `{"max_attempts": 9}`)
			until(t, r, "policy", func(snap *snapshot.Snapshot, _ model.Update) bool { return snap.Policy().MaxAttempts == 9 })
			write(t, vespe(s, layout.MilestonesFile), `{"milestones": [{"id": "m1", "name": "by hand"}]}`)
			until(t, r, "milestones", func(snap *snapshot.Snapshot, _ model.Update) bool { return len(snap.Milestones()) == 1 })
			name := vespe(s, layout.RequestsDir+"/q1.json")
			write(t, name, `{"id":"q1","kind":"question","title":"Which?","state":"pending","created_at":"2026-01-01T00:00:00Z","created_by":"agent:x"}`)
			until(t, r, "request", func(snap *snapshot.Snapshot, _ model.Update) bool { return len(snap.Requests()) == 1 })
			must(t, os.Remove(name))
			until(t, r, "request gone", func(snap *snapshot.Snapshot, _ model.Update) bool { return len(snap.Requests()) == 0 })
		})
	}
}

// A transaction goes by the policy as it is, also where nobody follows the store.
func TestATransactionGoesByTodaysPolicy(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	load(t, s)
	write(t, vespe(s, layout.PolicyFile), `{"max_attempts": 9}`)
	if a := do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "two"}}); a.Snapshot.Policy().MaxAttempts != 9 {
		t.Errorf("it went by %+v", a.Snapshot.Policy())
	}
}

// What could not be looked at is looked at again, and until then it is said to be stale.
func TestFollowForgetsNothingThatFailed(t *testing.T) {
	t.Parallel()
	for name, opt := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			var ops []model.Op
			for i := range 200 { // more than a look goes through
				ops = append(ops, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: fmt.Sprint(i), Objective: "x\n"}})
			}
			var uids []model.UID
			for _, task := range do(t, s, ops...).Change.Tasks {
				uids = append(uids, task.UID)
			}
			last := uids[len(uids)-1]
			away := t.TempDir() + "/away"
			r := open(t, s.Root(), testOptions())
			var full atomic.Bool // no file descriptors are left
			r.setFS(&hookFS{FS: r.disk.FS, before: func(call, name string) error {
				if full.Load() && (call == callOpen || call == callRead) {
					return &fs.PathError{Op: "open", Path: name, Err: unix.EMFILE}
				}
				return nil
			}})
			load(t, r)
			ctx, cancel := context.WithCancel(t.Context())
			t.Cleanup(cancel)
			r.Follow(ctx, opt)
			until(t, r, "the first look", func(*snapshot.Snapshot, model.Update) bool { return true })
			full.Store(true)
			write(t, vespe(s, layout.TaskFile(last, layout.SpecFile)), `{"description": "by hand"}`)
			must(t, os.Rename(vespe(s, layout.TaskDir(uids[0])), away))
			for u := (model.Update{}); u.Stale == ""; {
				var err error
				if u, err = r.Wait(ctx, time.Second); err != nil && !fsys.IsTransient(err) {
					t.Fatal(err)
				}
			}
			full.Store(false)
			until(t, r, "the edit that could not be read", func(snap *snapshot.Snapshot, _ model.Update) bool {
				sp := task(t, snap, last).Spec
				return sp != nil && sp.Description == "by hand"
			})
			until(t, r, "the task that went", func(snap *snapshot.Snapshot, _ model.Update) bool {
				_, there := snap.Task(uids[0])
				return !there
			})
			until(t, r, "nothing stale", func(_ *snapshot.Snapshot, u model.Update) bool { return u.Stale == "" })
		})
	}
}

// An edit that a full disk keeps from being taken over is said, and is taken over whole once there is space.
func TestEditsWaitOnAFullDisk(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	uid := planned(t, s, "one")
	r := open(t, s.Root(), testOptions())
	var full atomic.Bool
	r.setFS(&hookFS{FS: r.disk.FS, before: func(call, name string) error {
		if full.Load() && call == callCreate {
			return &fs.PathError{Op: "create", Path: name, Err: unix.ENOSPC}
		}
		return nil
	}})
	load(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r.Follow(ctx, follow.Options{})
	until(t, r, "the first look", func(*snapshot.Snapshot, model.Update) bool { return true })
	full.Store(true)
	body := strings.Repeat("a plan by hand\n", 500)
	write(t, vespe(s, layout.TaskFile(uid, layout.DocFile(model.Plan))), body)
	for u := (model.Update{}); !strings.Contains(u.Stale, "no space left"); {
		var err error
		if u, err = r.Wait(ctx, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	full.Store(false)
	until(t, r, "the edit as a revision", func(snap *snapshot.Snapshot, _ model.Update) bool {
		return task(t, snap, uid).Status.PlanRevision == 2
	})
	c, err := r.Revision(t.Context(), uid, model.Plan, 2)
	if err != nil || string(c.Body) != body {
		t.Errorf("%v, %d bytes of %d", err, len(c.Body), len(body))
	}
	until(t, r, "nothing stale", func(_ *snapshot.Snapshot, u model.Update) bool { return u.Stale == "" })
}

// A task that git, or a person, puts there and takes away is seen.
func TestFollowSeesDirectoriesComeAndGo(t *testing.T) {
	s := newStore(t)
	create(t, s, "one", "x\n")
	r := following(t, s, follow.Options{})
	uid := model.UID("tsk-by-hand")
	dir := vespe(s, layout.TaskDir(uid))
	must(t, os.Mkdir(dir, 0o755))
	write(t, dir+"/config.json", `{"uid": "tsk-by-hand", "name": "by hand"}`)
	until(t, r, "new directory", func(snap *snapshot.Snapshot, _ model.Update) bool {
		now, ok := snap.Task(uid)
		return ok && now.Config.Name == "by hand"
	})
	must(t, os.RemoveAll(dir))
	until(t, r, "end of it", func(snap *snapshot.Snapshot, _ model.Update) bool {
		_, ok := snap.Task(uid)
		return !ok
	})
}

// A store for reading only shows what was edited and takes nothing over.
func TestFollowReadOnly(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	checkpointed(t, s)
	r := open(t, s.Root(), Options{ReadOnly: true})
	load(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	defer func() { cancel(); _ = r.Close() }()
	r.Follow(ctx, follow.Options{})
	write(t, vespe(s, layout.TaskFile(uid, layout.SpecFile)), `{"description": "by hand"}`)
	edited := false
	until(t, r, "edit", func(_ *snapshot.Snapshot, u model.Update) bool { // it may be seen half written first, as a problem
		edited = edited || u.Edited
		return edited && slices.Equal(r.Edited(), []model.UID{uid})
	})
	if len(externalEvents(t, s, uid)) > 0 {
		t.Error("a reader wrote something")
	}
}

// Where the store can no longer be looked at, Stale says so, and takes it back.
func TestFollowSaysWhatIsStale(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	create(t, s, "one", "x\n")
	var broken atomic.Bool
	r := mustGet(Open(s.Root(), Options{FS: func(string) (fsys.FS, error) {
		return &hookFS{FS: s.disk.FS, before: func(call, name string) error {
			if broken.Load() && call == callOpen && name == layout.LogDir {
				return errors.New("stale file handle")
			}
			return nil
		}}, nil
	}}))(t)
	load(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	defer func() { cancel(); r.background.Wait() }()
	r.Follow(ctx, silent(1000))
	broken.Store(true)
	for {
		u, _ := r.Wait(t.Context(), 5*time.Second)
		if strings.Contains(u.Stale, "stale file handle") {
			break
		}
	}
	broken.Store(false)
	until(t, r, "end of it", func(_ *snapshot.Snapshot, u model.Update) bool { return u.Stale == "" })
}

// A store that is followed can be closed before the context of that has ended.
func TestCloseEndsFollowing(t *testing.T) {
	s := newStore(t)
	create(t, s, "a", "x\n")
	f := open(t, s.root, testOptions())
	load(t, f)
	f.Follow(context.Background(), follow.Options{})
	closed := make(chan error)
	go func() { closed <- f.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(stuck):
		t.Fatal("Close does not return")
	}
}
