package store

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vespe/model"
	"vespe/store/layout"
)

// A writer is killed when it has committed a change to a task and written none of its files, and
// then somebody takes the task's directory away: recovery does not make another in its place,
// with the files that it has and without an identity, and it can come back.
func TestRecoveryOfATaskThatWasTakenAway(t *testing.T) {
	change := func(uid model.UID, text string) []model.Op {
		return []model.Op{
			{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: text}}, // writes config.json as well
			{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: text}}}},
		}
	}
	for _, onlyReads := range []bool{false, true} {
		for n := range 2 {
			s := newStore(t)
			uid := planned(t, s, "one")
			f := &faultFS{}
			s.setFS(f.on(s.disk.FS))
			do(t, s, change(uid, "first")[n])
			at := 0
			for i, call := range f.trace {
				if strings.HasPrefix(call, "link log/") {
					at = i + 2
				}
			}
			f.calls, f.at, f.dead, f.err = 0, at, true, errDead
			if _, err := s.DoAll(t.Context(), change(uid, "second")[n:n+1]); err == nil {
				t.Fatal("the writer lives on")
			}
			away := s.Root() + "/away"
			must(t, os.Rename(vespe(s, layout.TaskDir(uid)), away))
			opt := testOptions()
			opt.ReadOnly = onlyReads
			after := open(t, s.Root(), opt)
			if _, there := load(t, after).Task(uid); there {
				t.Error("the task is shown")
			}
			if onlyReads {
				continue
			}
			create(t, after, "another", "")
			if _, err := os.Lstat(vespe(s, layout.TaskDir(uid))); err == nil {
				t.Error("there is a directory again")
			}
			must(t, os.Rename(away, vespe(s, layout.TaskDir(uid))))
			if back := task(t, load(t, after), uid); len(back.Problems) > 0 || back.Status.PlanRevision != 1 {
				t.Errorf("it came back as %+v", back)
			}
		}
	}
}

// A change was committed and none of its files was written: the writer was killed, or the disk was full. Then
// somebody moves the task's directory away and back. Whoever writes next finishes the change, and nothing
// takes the older files for somebody's edit.
func TestACommittedChangeOutlivesATripOfItsDirectory(t *testing.T) {
	between := map[string]func(t *testing.T, s *Store) *Store{
		"nothing": func(_ *testing.T, s *Store) *Store { return s },
		"other work": func(t *testing.T, s *Store) *Store {
			t.Helper()
			create(t, s, "another", "")
			return s
		},
		"a process of its own": func(t *testing.T, s *Store) *Store {
			t.Helper()
			create(t, s, "another", "")
			takeOver(t, s)
			closed(t, s)
			removeSnapshots(t, s)
			opt := testOptions()
			opt.Rand = entropy(3)
			s = open(t, s.Root(), opt)
			load(t, s)
			return s
		},
		"many entries": func(t *testing.T, s *Store) *Store {
			t.Helper()
			other := create(t, s, "another", "")
			for i := range 300 {
				do(t, s, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: fmt.Sprint("renamed ", i)}})
			}
			return s
		},
	}
	for how, killed := range map[string]bool{"killed": true, "full for a while": false} {
		for name, meanwhile := range between {
			t.Run(how+", "+name, func(t *testing.T) {
				s := initIn(t, fastDir(t), testOptions())
				uid := planned(t, s, "one")
				ops := func(text string) []model.Op {
					return []model.Op{
						{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: text}},
						{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: text}}}},
					}
				}
				plain := s.disk.FS
				f := &faultFS{}
				s.setFS(f.on(plain))
				do(t, s, ops("first")...)
				at := 0
				for i, call := range f.trace {
					if strings.HasPrefix(call, "link log/") {
						at = i + 3 // that, and the sync of its directory, are carried out
					}
				}
				f.calls, f.at, f.dead, f.err = 0, at, true, unix.ENOSPC
				_, _ = s.DoAll(t.Context(), ops("second"))
				dir, away := vespe(s, layout.TaskDir(uid)), s.Root()+"/away"
				if file := read(t, dir+"/"+layout.SpecFile); !strings.Contains(file, "first") || lastEntry(t, s) != 4 {
					t.Fatalf("entry %d is the last, and the file holds %s", lastEntry(t, s), file)
				}
				must(t, os.Rename(dir, away))
				s.setFS(plain)
				after := s
				if killed {
					after = open(t, s.Root(), testOptions())
				}
				after = meanwhile(t, after)
				must(t, os.CopyFS(dir, os.DirFS(away))) // as git does: the times are of today
				back := task(t, load(t, after), uid)
				if back.Config.Name != "second" || back.Spec.Description != "second" || len(back.Problems) > 0 {
					t.Errorf("it came back as %q, %q, %+v", back.Config.Name, back.Spec.Description, back.Problems)
				}
				takeOver(t, after)
				wantClean(t, after)
				verifiedWhole(t, after)
			})
		}
	}
}

// A file that somebody puts where a new task's directory is to be is moved aside: the store
// could not continue otherwise.
func TestAFileWhereANewTaskIsToBe(t *testing.T) {
	s := newStore(t)
	put := false
	s.setFS(&hookFS{FS: s.disk.FS, before: only(callRename, func(name string) {
		if strings.HasPrefix(name, layout.TasksDir+"/") && !put {
			put = true
			write(t, vespe(s, name), "somebody's")
		}
	})})
	a, err := s.Do(t.Context(), model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "one"}})
	if err != nil || len(a.Warnings) != 1 {
		t.Fatalf("%v, %q", err, a.Warnings)
	}
	uid := a.Change.Tasks[0].UID
	wantEqual(t, "kept", read(t, vespe(s, layout.TaskDir(uid)+layout.TheirsMark+"1")), "somebody's")
	do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "goes on"}})
	projectionHolds(t, s)
}
