package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// ignored is what .gitignore names, and git clean -X takes.
var ignored = []string{layout.LogDir, layout.ObjectsDir, layout.TmpDir, layout.LockFile, layout.CacheDir}

func clean(t *testing.T, s *Store) {
	t.Helper()
	for _, name := range ignored {
		must(t, os.RemoveAll(vespe(s, name)))
	}
}

// copyWithTimes copies a directory as rsync -a does.
func copyWithTimes(t *testing.T, from, to string) {
	t.Helper()
	must(t, os.CopyFS(to, os.DirFS(from)))
	must(t, walkFiles(from, func(path string, _ []byte) {
		in, err := os.Stat(path)
		if err == nil {
			err = os.Chtimes(to+strings.TrimPrefix(path, from), in.ModTime(), in.ModTime())
		}
		if err != nil {
			t.Error(err)
		}
	}))
}

// labeled is an operation that can be seen to be there.
func labeled(uid model.UID, id, label string) model.Op {
	return model.Op{ID: id, Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: label, Mode: '+'}}}}
}

// TestLogSetBack: log/ becomes an older one, or another, under a process that lives on. What
// it is told to do then is there for everyone, and once, and the log has no gap.
func TestLogSetBack(t *testing.T) {
	t.Parallel()
	type rewound struct {
		s    *Store // lives on
		a    model.UID
		kept string // a copy of .vespe from before the last entries
	}
	other := func(t *testing.T, w *rewound, entries int) {
		opt := testOptions()
		opt.Rand = entropy(7)
		o := open(t, w.s.root, opt)
		for i := range entries {
			do(t, o, labeled(w.a, "", fmt.Sprint("other", i)))
		}
	}
	restore := func(t *testing.T, w *rewound) {
		clean(t, w.s)
		for _, name := range ignored {
			from := w.kept + "/" + name
			if in, err := os.Stat(from); err != nil || !in.IsDir() {
				continue
			}
			copyWithTimes(t, from, vespe(w.s, name))
		}
	}
	for _, tt := range []struct {
		name   string
		rewind func(t *testing.T, w *rewound)
	}{
		{"cleaned", func(t *testing.T, w *rewound) { clean(t, w.s) }},
		{"cleaned, and fewer entries by another", func(t *testing.T, w *rewound) { clean(t, w.s); other(t, w, 2) }},
		{"cleaned, and as many by another", func(t *testing.T, w *rewound) { clean(t, w.s); other(t, w, 5) }},
		{"cleaned, and more by another", func(t *testing.T, w *rewound) { clean(t, w.s); other(t, w, 9) }},
		{"restored", restore},
		{"restored, and as many by another", func(t *testing.T, w *rewound) { restore(t, w); other(t, w, 2) }},
		{"restored, and more by another", func(t *testing.T, w *rewound) { restore(t, w); other(t, w, 4) }},
		{"only tmp/ cleaned", func(t *testing.T, w *rewound) { _ = os.RemoveAll(vespe(w.s, layout.TmpDir)) }},
	} {
		for _, looks := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, looks %v", tt.name, looks), func(t *testing.T) {
				s := newStore(t)
				w := &rewound{s: s, a: create(t, s, "a", "x\n"), kept: t.TempDir()}
				do(t, s, labeled(w.a, "", "one"))
				do(t, s, labeled(w.a, "", "two"))
				copyWithTimes(t, vespe(s, "."), w.kept)
				do(t, s, labeled(w.a, "", "three"))
				do(t, s, labeled(w.a, "", "four"))
				load(t, s)
				tt.rewind(t, w)
				goesOn(t, s, w.a, looks)
			})
		}
	}
}

// goesOn expects a process whose log was set back to continue with the log that there is, and others with it.
func goesOn(t *testing.T, s *Store, a model.UID, looks bool) {
	t.Helper()
	if looks {
		mustGet(s.Refresh(context.Background()))(t)
		same(t, "what the process sees", dump(load(t, open(t, s.root, testOptions()))), dump(load(t, s)))
	}
	op := labeled(a, "told-once", "acked")
	ap := do(t, s, op)
	opt := testOptions()
	opt.Rand = entropy(8)
	n := open(t, s.root, opt)
	snap := load(t, n)
	if snap.Seq() != ap.Seq {
		t.Errorf("a new process is at entry %d, the acknowledged one is %d", snap.Seq(), ap.Seq)
	}
	labels := fmt.Sprint(task(t, snap, a).Spec.Labels)
	if again := do(t, n, op); !again.Replayed || again.Seq != ap.Seq {
		t.Errorf("repeated it is entry %d (replayed %v), it was %d", again.Seq, again.Replayed, ap.Seq)
	}
	if got := fmt.Sprint(task(t, load(t, s), a).Spec.Labels); got != labels {
		t.Errorf("the process sees %s, another %s", got, labels)
	}
	create(t, s, "b", "x\n")
	create(t, n, "c", "x\n")
	for _, p := range chainProblems(t, n) {
		t.Errorf("doctor: %+v", p)
	}
	same(t, "both", dump(load(t, n)), dump(load(t, s)))
}

// anew takes a whole store away and makes another in its place, with as many entries.
func anew(t *testing.T, s *Store) (n *Store, uid model.UID) {
	t.Helper()
	must(t, os.RemoveAll(vespe(s, ".")))
	opt := testOptions()
	opt.Rand = entropy(9)
	n = initIn(t, s.Root(), opt)
	return n, create(t, n, "of another store", "x\n")
}

// Anyone who follows a store sees that another was made in its place.
func TestAStoreMadeAnewIsSeen(t *testing.T) {
	t.Parallel()
	for name, opt := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			create(t, s, "one", "x\n")
			r := following(t, s, opt)
			n, uid := anew(t, s)
			until(t, r, "task of the other store", func(snap *snapshot.Snapshot, _ model.Update) bool {
				_, there := snap.Task(uid)
				return there && snap.Len() == 1 && snap.StoreID() == n.ID()
			})
			write(t, vespe(n, layout.TaskFile(uid, layout.SpecFile)), `{"description": "by hand"}`)
			until(t, r, "edit there", func(snap *snapshot.Snapshot, _ model.Update) bool {
				sp := task(t, snap, uid).Spec
				return sp != nil && sp.Description == "by hand"
			})
			until(t, r, "nothing stale", func(_ *snapshot.Snapshot, u model.Update) bool { return u.Stale == "" })
		})
	}
}

// What a process is told to do after a store was made anew is done in that one, or refused.
func TestAStoreMadeAnewIsWrittenTo(t *testing.T) {
	s := newStore(t)
	old := create(t, s, "one", "x\n")
	load(t, s)
	n, uid := anew(t, s)
	_, err := s.Do(t.Context(), model.Op{Name: model.RenameTask, UID: old, Actor: ann, Args: model.NewName{Name: "x"}})
	wantCode(t, err, model.CodeNotFound)
	do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
	wantEqual(t, "it is called", task(t, load(t, n), uid).Config.Name, "renamed")
	healthy(t, n)
	same(t, "both", dump(load(t, n)), dump(load(t, s)))

	// One that is not there, or half made, is none.
	must(t, os.Rename(vespe(s, "."), s.Root()+"/away"))
	must(t, os.Mkdir(vespe(s, "."), 0o755))
	gone := (*fsys.MovedError)(nil)
	if another, err := s.loader.Reopen(s.reidentify); another || !errors.As(err, &gone) {
		t.Errorf("another %v, %v", another, err)
	}
}
