package store

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/follow"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// A store that was moved or deleted under an open one takes no transaction, says so to who follows, and is
// what it was once it is back.
func TestStoreGoesAway(t *testing.T) {
	for name, away := range map[string]func(dir, aside string) error{
		"moved":   os.Rename,
		"deleted": func(dir, _ string) error { return os.RemoveAll(dir) },
		"replaced by a directory that is no store": func(dir, aside string) error {
			return errors.Join(os.Rename(dir, aside), os.Mkdir(dir, 0o755))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			s := newStore(t)
			uid := create(t, s, "Task", "Text.")
			dir, aside := filepath.Join(s.Root(), layout.Name), filepath.Join(s.Root(), "aside")
			s.Follow(ctx, follow.Options{})
			must(t, away(dir, aside))
			_, err := s.Do(ctx, model.Op{Name: model.DefineObjective, UID: uid, Actor: "human:ann", Args: model.NewObjective{Text: "Another text.\n"}})
			var gone *fsys.MovedError
			if !errors.As(err, &gone) || gone.Path != dir {
				t.Fatalf("a transaction: %v", err)
			}
			u, err := s.Wait(ctx, 0)
			if err != nil || u.Stale == "" {
				t.Errorf("who follows is told %+v, %v", u, err)
			}
			if _, err := s.Refresh(ctx); !errors.As(err, &gone) {
				t.Errorf("who reads is told %v", err)
			}
			if _, err := s.Head(ctx); !errors.As(err, &gone) {
				t.Errorf("who waits is told %v", err)
			}
			if name == "deleted" {
				return
			}
			_ = os.Remove(dir)
			must(t, os.Rename(aside, dir))
			if _, err := s.Do(ctx, model.Op{Name: model.DefineObjective, UID: uid, Actor: "human:ann", Args: model.NewObjective{Text: "Another text.\n"}}); err != nil {
				t.Errorf("once it is back: %v", err)
			}
			end := time.Now().Add(stuck)
			u, err = s.Wait(ctx, 0)
			for err == nil && u.Stale != "" && time.Now().Before(end) { // until the follower has looked again
				u, err = s.Wait(ctx, time.Second)
			}
			if err != nil || u.Stale != "" {
				t.Errorf("once it is back who follows is told %+v, %v", u, err)
			}
		})
	}
}

// It may go between a look at the files and the commit: nothing is committed where nobody looks.
func TestStoreGoesAwayUnderATransaction(t *testing.T) {
	s := newStore(t)
	create(t, s, "Task", "Text.")
	dir, aside := filepath.Join(s.Root(), layout.Name), filepath.Join(s.Root(), "aside")
	var once sync.Once
	s.setFS(&hookFS{FS: s.disk.FS, after: func(call, _ string) { // it was found under its name
		if call == callLock {
			once.Do(func() { must(t, os.Rename(dir, aside)) })
		}
	}})
	if _, err := s.Do(t.Context(), model.Op{Name: model.CreateTask, Actor: "human:ann", Args: model.NewTask{Name: "Other"}}); err == nil {
		t.Error("a store that has gone took a transaction")
	}
	if es, err := os.ReadDir(filepath.Join(aside, "log")); err != nil || len(es) == 0 || es[len(es)-1].Name() > "000000000002" {
		t.Errorf("its log: %v, %v", es, err)
	}
}
