package store

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// ownedFS is a store's directory that belongs to someone.
type ownedFS struct {
	fsys.FS
	uid uint32
}

func (f ownedFS) Stat(name string) (fsys.Info, error) {
	in, err := f.FS.Stat(name)
	in.UID = f.uid
	return in, err
}

func TestAStoreOfSomeoneElseIsOnlyRead(t *testing.T) {
	s := newStore(t)
	uid := create(t, s, "one", "objective\n")
	op := model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "plan\n"}}
	as := func(change func(*Options)) *Store {
		opt := testOptions()
		opt.FS = func(root string) (fsys.FS, error) {
			f, err := fsys.OpenFS(root)
			return ownedFS{f, 7}, err
		}
		opt.Rand = entropy(9)
		change(&opt)
		return open(t, s.Root(), opt)
	}

	foreign := as(func(*Options) {})
	wantEqual(t, "tasks that can be read", load(t, foreign).Len(), 1)
	if why := foreign.Foreign(); !strings.Contains(why, "user 7") || foreign.ReadOnly() != why {
		t.Errorf("%q, read-only %q", why, foreign.ReadOnly())
	}
	_, err := foreign.Do(context.Background(), op)
	var r *model.Refusal
	if !errors.As(err, &r) || r.Guard != failure.GuardWritable || r.Code != model.CodeRefused || !strings.Contains(r.Hint, "vespe store trust") {
		t.Errorf("a write to it: %v", err)
	}
	if _, err := os.Stat(vespe(s, layout.EntryFile(2))); err == nil {
		t.Fatal("it was written to")
	}

	asked := 0
	for name, change := range map[string]func(*Options){
		"one of the owners": func(o *Options) { o.Owners = []uint32{0, 7} },
		"trusted":           func(o *Options) { o.Trusted = true },
		"trusted by its id": func(o *Options) {
			o.Trust = func(root, id string) bool { asked++; return root == s.Root() && id == s.ID() && id != "" }
		},
	} {
		mine := as(change)
		if why := mine.ReadOnly(); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
	if asked == 0 {
		t.Error("nobody asked whether it is trusted")
	}
	do(t, as(func(o *Options) { o.Trusted = true }), op)
}
