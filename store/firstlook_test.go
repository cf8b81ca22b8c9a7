package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// withoutCheckpoint removes what is only a cache.
func withoutCheckpoint(t *testing.T, s *Store) {
	t.Helper()
	names := mustGet(filepath.Glob(vespe(s, "log/snap-*.ck")))(t)
	for _, name := range append(names, vespe(s, "cache/checkpoint")) {
		must(t, removedOS(os.Remove(name)))
	}
}

// Who has no checkpoint has the log: no verdict in a file that it wrote otherwise is believed.
func TestVerdictsAreComparedWithTheLog(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(t *testing.T, s *Store){
		"at once": func(*testing.T, *Store) {},
		"the log goes on": func(t *testing.T, s *Store) {
			t.Helper()
			other := create(t, s, "other", "x\n")
			for i := range 256 + 8 { // more than are scanned at once
				do(t, s, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: fmt.Sprint("other ", i)}})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			true1, false1 := planned(t, s, "accepted"), planned(t, s, "not")
			do(t, s, model.Op{Name: model.AcceptPlan, UID: true1, Actor: ann})
			between(t, s)
			must(t, s.Close())
			forge(t, s, false1)
			withoutCheckpoint(t, s)
			for range 2 { // with the checkpoint of the first, too
				r := open(t, s.Root(), testOptions())
				snap := load(t, r)
				if task(t, snap, true1).Status.AcceptedPlan == nil {
					t.Error("a true acceptance is lost")
				}
				if task(t, snap, false1).Status.AcceptedPlan != nil {
					t.Error("a forged one is believed")
				}
				if e := r.Edited(); len(e) != 1 || e[0] != false1 {
					t.Errorf("edited are %v", e)
				}
				wantProblem(t, snap.Problems(), "not-believed", layout.StatusFile)
				if _, err := r.Do(t.Context(), model.Op{Name: model.Start, UID: false1, Actor: robot, Args: model.NewRun{Worker: robot, ID: "r1"}}); err == nil {
					t.Error("work was begun without an acceptance")
				}
				must(t, r.Close())
			}
			r := open(t, s.Root(), testOptions())
			load(t, r)
			takeOver(t, r)
			withoutCheckpoint(t, s)
			n := open(t, s.Root(), testOptions())
			if task(t, load(t, n), false1).Status.AcceptedPlan != nil {
				t.Error("it is believed once it was taken over")
			}
			if e := n.Edited(); len(e) != 0 {
				t.Errorf("edited are %v", e)
			}
		})
	}
}

// So it is with what a task waits for: a question that somebody wrote out of a file is still open, whether
// or not there is any verdict in the file, and a pause that was written into one is an edit like others.
func TestPausesAreComparedWithTheLog(t *testing.T) {
	for name, edit := range map[string]func(path string) error{
		"the pause is written out": func(path string) error {
			return replaceIn(path, "\"is_paused\": true,\n  \"pause_reason\": \"hitl: which port?\"", "\"is_paused\": false")
		},
		"the file is gone": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			asked, paused := create(t, s, "asked", "x\n"), create(t, s, "paused", "x\n")
			do(t, s, model.Op{Name: model.Ask, UID: asked, Actor: robot, Args: model.NewRequest{Title: "which port?"}})
			create(t, s, "other", "x\n")
			closed(t, s)
			must(t, edit(vespe(s, layout.TaskFile(asked, layout.StatusFile))))
			must(t, replaceIn(vespe(s, layout.TaskFile(paused, layout.StatusFile)), "\"is_paused\": false", "\"is_paused\": true,\n  \"pause_reason\": \"hitl: wait\""))
			withoutCheckpoint(t, s)
			for range 2 { // with the checkpoint of the first, too
				r := open(t, s.Root(), testOptions())
				snap := load(t, r)
				if st := task(t, snap, asked).Status; !st.IsPaused || st.PauseReason != "hitl: which port?" {
					t.Errorf("it is %+v", st)
				}
				wantProblem(t, snap.Problems(), "not-believed", layout.StatusFile)
				if _, err := r.Do(t.Context(), model.Op{Name: model.Resume, UID: asked, Actor: robot}); err == nil {
					t.Error("an agent went on with it")
				}
				if e := r.Edited(); len(e) != 2 {
					t.Errorf("edited are %v", e)
				}
				closed(t, r)
			}
			r := open(t, s.Root(), testOptions())
			load(t, r)
			takeOver(t, r)
			for uid, want := range map[model.UID]string{asked: "hitl: which port?", paused: "hitl: wait"} {
				if st := task(t, load(t, r), uid).Status; st.PauseReason != want {
					t.Errorf("taken over, it is %+v", st)
				}
				events, _, err := r.History(t.Context(), uid)
				if err != nil || events[len(events)-1].Name != model.ExternalEdit {
					t.Errorf("nobody is told: %+v, %v", events, err)
				}
			}
		})
	}
}

// Where the disk does not give the log, a first look fails: without it a forged pause would be believed, and a true
// acceptance would not.
func TestFirstLookNeedsTheLog(t *testing.T) {
	s := newStore(t)
	accepted, asked := planned(t, s, "accepted"), create(t, s, "asked", "x\n")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: accepted, Actor: ann})
	do(t, s, model.Op{Name: model.Ask, UID: asked, Actor: robot, Args: model.NewRequest{Title: "which port?"}})
	closed(t, s)
	must(t, replaceIn(vespe(s, layout.TaskFile(asked, layout.StatusFile)), "\"is_paused\": true,\n  \"pause_reason\": \"hitl: which port?\"", "\"is_paused\": false"))
	withoutCheckpoint(t, s)
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.EACCES} {
		loaded := false
		for k := 1; !loaded; k++ {
			f := &faultFS{at: k, err: errno, reads: true}
			r, err := Open(s.Root(), Options{ReadOnly: true, FS: f.system})
			if err != nil {
				continue
			}
			snap, err := r.Load(t.Context(), nil)
			if loaded = len(f.trace) < k; loaded && k < 30 {
				t.Fatalf("only %d calls: %v", k-1, err)
			}
			if call := f.trace[min(k, len(f.trace))-1]; err == nil && strings.Contains(call, " "+layout.LogDir) &&
				(task(t, snap, accepted).Status.AcceptedPlan == nil || !task(t, snap, asked).Status.IsPaused) {
				t.Errorf("%v at %q: accepted %+v, asked %+v", errno, call, task(t, snap, accepted).Status, task(t, snap, asked).Status)
			}
			closed(t, r)
		}
	}
}

func replaceIn(path, old, by string) error {
	b, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(b), old) {
		err = fmt.Errorf("%s has no %s: %s", path, old, b)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Replace(string(b), old, by, 1)), 0o600)
}

// withheld is a file system that doesn't give a file.
func withheld(plain fsys.FS, name string, err error) fsys.FS {
	return &hookFS{FS: plain, deep: true, before: refusing(name, err, callRead, callOpenFile)}
}

// An entry that nobody may read is named, with what to do.
func TestWithheldEntryIsNamed(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"one", "two", "three"} {
		create(t, s, name, "x\n")
	}
	closed(t, s)
	withoutCheckpoint(t, s)
	for _, errno := range []syscall.Errno{syscall.EACCES, syscall.EIO} {
		r := open(t, s.Root(), testOptions())
		r.setFS(withheld(r.disk.FS, layout.EntryFile(2), errno))
		_, err := r.Load(t.Context(), nil)
		var said *Failure
		if !errors.As(err, &said) || !errors.Is(err, errno) || !strings.Contains(err.Error(), "check its permissions") ||
			!strings.Contains(err.Error(), layout.EntryFile(2)) {
			t.Errorf("a load says %v", err)
		}
		ps, err := r.Fsck().Doctor(t.Context())
		if err != nil {
			t.Errorf("doctor: %v", err)
		}
		wantProblem(t, ps, "log-broken", layout.EntryFile(2))
		v, err := r.Fsck().Verify(t.Context(), "")
		if err != nil {
			t.Errorf("verify: %v", err)
		}
		wantProblem(t, v.Problems, "log-broken", layout.EntryFile(2))
	}
}

// What keeps a review from being read is said, also where git has merged its task.
func TestUnreadReviewKeepsItsCause(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Comments: []model.NewComment{{Text: "why?"}}}})
	st := task(t, load(t, s), uid).Status
	st.UnmergedOps = []string{"theirs"}
	write(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)), string(model.EncodeStatus(st)))
	closed(t, s)
	r := open(t, s.Root(), testOptions())
	mustGet(r.Review(t.Context(), uid, 0))(t)
	last := lastEntry(t, r)
	name := layout.ReviewFile(uid, st.Comments)
	write(t, vespe(s, name), "{}\n")
	for _, file := range []string{layout.EntryFile(last), name} {
		r := open(t, s.Root(), testOptions())
		r.setFS(withheld(r.disk.FS, file, syscall.EIO))
		if file == name {
			must(t, os.WriteFile(vespe(s, layout.EntryFile(last)), []byte("{}\n"), 0o600))
		}
		if _, err := r.Review(t.Context(), uid, 0); !errors.Is(err, syscall.EIO) {
			t.Errorf("without %s: %v", file, err)
		}
	}
	r = open(t, s.Root(), testOptions())
	if _, err := r.Review(t.Context(), uid, 0); err == nil || !strings.Contains(fmt.Sprint(err), "merged") {
		t.Errorf("of another review: %v", err)
	}
}
