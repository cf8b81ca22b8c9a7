package store

import (
	"fmt"
	"os"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/layout"
)

// What the log is told of an edit is what was found, also where the files are others for a moment:
// a directory that is moved aside and back takes nothing with it.
func TestAnEditOfFilesThatAreAwayForAMoment(t *testing.T) {
	t.Parallel()
	for n := 1; !t.Failed(); n++ {
		s := initIn(t, fastDir(t), testOptions())
		uid := planned(t, s, "one")
		checkpointed(t, s)
		write(t, vespe(s, layout.TaskFile(uid, layout.SpecFile)), `{"description": "by hand"}`)
		load(t, s)
		path, aside := vespe(s, layout.TaskDir(uid)), vespe(s, "tmp/aside")
		rename := func(from, to string) func() {
			return func() {
				if err := os.Rename(from, to); err != nil {
					t.Error(err)
				}
			}
		}
		plain, m := s.disk.FS, &moments{n: n, acts: []func(){rename(path, aside), rename(aside, path)}}
		s.setFS(&hookFS{FS: s.disk.FS, before: func(call, name string) error {
			switch call {
			case callRead, callStat, callOpen:
				return m.before(call, name)
			case callLink:
				m.end()
			}
			return nil
		}})
		_, err := s.ImportEdits(t.Context(), nil)
		s.setFS(plain)
		m.end()
		if err != nil {
			t.Logf("at call %d: %v", n, err)
		}
		wantInStep(t, s, fmt.Sprint("at call ", n))
		closed(t, s)
		if !m.reached() {
			return
		}
	}
}

// Of a task that came, the log is told what was found and weighed: not a verdict that somebody wrote
// into it since, also where another in the process has seen that already.
func TestAVerdictWrittenWhileATaskIsTakenOver(t *testing.T) {
	t.Parallel()
	for n := 1; !t.Failed(); n++ {
		s := initIn(t, fastDir(t), testOptions())
		planned(t, s, "one")
		checkpointed(t, s)
		const uid = model.UID("tsk-brought")
		brought(t, s, uid, `{"current_state": "plan_defined"}`)
		load(t, s)
		plain := s.disk.FS
		disk, reached := atCall(plain, n, func() {
			write(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)), `{"current_state": "working", "accepted_plan": {"plan_revision": 1, "by": "human:mallory"}}`)
			if !s.loader.Looking.TryLock() {
				return // nobody could look right now
			}
			s.loader.Looking.Unlock()
			if err := s.loader.Sweep(t.Context(), []model.UID{uid}, nil); err != nil {
				t.Error(err)
			}
		})
		s.setFS(disk)
		_, err := s.ImportEdits(t.Context(), nil)
		s.setFS(plain)
		if err != nil {
			t.Logf("at call %d: %v", n, err)
		}
		wantInStep(t, s, fmt.Sprint("at call ", n))
		closed(t, s)
		if !reached() {
			return
		}
	}
}

// wantInStep takes over what is edited, and wants nothing to be left, nor a verdict to be believed, here
// as in a new process with a checkpoint and without.
func wantInStep(t *testing.T, s *Store, when string) {
	t.Helper()
	load(t, s)
	if _, err := s.ImportEdits(t.Context(), nil); err != nil {
		t.Fatal(when, err)
	}
	snap := load(t, s)
	if left := s.Edited(); len(left) > 0 {
		t.Errorf("%s: still edited are %v", when, left)
	}
	for i := range snap.Len() {
		if a := snap.At(i).Status.AcceptedPlan; a != nil {
			t.Errorf("%s: an acceptance by %s counts", when, a.By)
		}
	}
	other := open(t, s.Root(), testOptions())
	same(t, when+": a new process", dump(snap), dump(load(t, other)))
	if left := other.Edited(); len(left) > 0 {
		t.Errorf("%s: a new process finds edits in %v", when, left)
	}
	closed(t, other)
	if _, lines := verified(t, s, ""); len(lines) > 0 {
		t.Errorf("%s: %q", when, lines)
	}
}

// A verdict that was read does not count because the file is, a moment later, what the log last wrote:
// neither for who compares with what is known, nor at a first look.
func TestAVerdictThatIsReplacedWhileItIsWeighed(t *testing.T) {
	t.Parallel()
	for name, look := range map[string]func(*Store, model.UID) (*snapshot.Snapshot, error){
		"known": func(s *Store, uid model.UID) (*snapshot.Snapshot, error) {
			return s.Freshen(t.Context(), []model.UID{uid})
		},
		"a first look": func(s *Store, _ model.UID) (*snapshot.Snapshot, error) { return s.loader.LoadFiles(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			for n, reached := 1, true; reached && !t.Failed(); n++ {
				s := initIn(t, fastDir(t), testOptions())
				uid := planned(t, s, "one")
				path := vespe(s, layout.TaskFile(uid, layout.StatusFile))
				was := read(t, path)
				if name == "known" {
					load(t, s)
				} else {
					closed(t, s)
					s = open(t, s.Root(), testOptions())
				}
				forge(t, s, uid)
				plain := s.disk.FS
				disk, came := atCall(plain, n, func() { write(t, path, was) })
				s.setFS(disk)
				snap, err := look(s, uid)
				s.setFS(plain)
				reached = came()
				if err != nil {
					t.Fatal(err)
				}
				if a := task(t, snap, uid).Status.AcceptedPlan; a != nil {
					t.Errorf("at call %d: an acceptance by %s counts", n, a.By)
				}
				closed(t, s)
			}
		})
	}
}
