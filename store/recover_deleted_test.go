package store

import (
	"os"
	"strings"
	"testing"

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
