package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/layout"
)

// writtenIn does an operation while somebody writes a file: just before it is replaced, or between the
// commit and the projection.
func writtenIn(t *testing.T, s *Store, name, body string, during bool, op model.Op) (warnings []string) {
	t.Helper()
	if !during {
		killed := open(t, s.Root(), Options{Now: s.opt.Now, Rand: s.opt.Rand, FS: unprojected().system})
		if a, err := killed.Do(t.Context(), op); err != nil || len(a.Warnings) == 0 {
			t.Fatalf("a transaction that could not be projected: %v %q", err, a.Warnings)
		}
		write(t, vespe(s, name), body)
		a := mustGet(open(t, s.Root(), Options{Now: s.opt.Now, Rand: s.opt.Rand}).Do(t.Context(), labeled(op.UID, "", "next")))(t)
		return a.Warnings
	}
	f := &hookFS{before: only(callExchange, func(n string) {
		if n == name {
			write(t, vespe(s, name), body)
		}
	})}
	a, err := open(t, s.Root(), Options{Now: s.opt.Now, Rand: s.opt.Rand, FS: f.system}).Do(t.Context(), op)
	if err != nil || len(a.Warnings) != 1 {
		t.Fatalf("%v, warnings %q", err, a.Warnings)
	}
	return a.Warnings
}

// The same bytes are kept once, however often somebody writes them, and other bytes of the same file
// are kept too.
func TestTheSameBytesAreKeptOnce(t *testing.T) {
	t.Parallel()
	for _, during := range []bool{true, false} {
		s := newStore(t)
		uid := planned(t, s, "one")
		name := layout.TaskFile(uid, "plan.md")
		for i, body := range []string{"mine\n", "mine\n", "mine too\n", "mine\n", "mine too\n"} {
			op := model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: fmt.Sprintf("plan %d\n", i)}}
			writtenIn(t, s, name, body, during, op)
			load(t, open(t, s.Root(), testOptions()))
		}
		kept, err := filepath.Glob(vespe(s, name+layout.TheirsMark+"*"))
		if err != nil || len(kept) != 2 || read(t, kept[0]) == read(t, kept[1]) {
			t.Errorf("during %v, kept are %q, %v", during, kept, err)
		}
		if left := left(t, s); len(left) > 0 {
			t.Errorf("left are %q", left)
		}
	}
}

// What a recorded revision holds needs no copy: the warning names the revision.
func TestARevisionIsNotKeptAgain(t *testing.T) {
	t.Parallel()
	for _, during := range []bool{true, false} {
		s := newStore(t)
		uid := planned(t, s, "one")
		name := layout.TaskFile(uid, "plan.md")
		old := read(t, vespe(s, name))
		do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "second\n"}})
		warnings := writtenIn(t, s, name, old, during, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "third\n"}})
		if kept := globs(t, s, name+layout.TheirsMark+"*"); len(kept) > 0 {
			t.Errorf("during %v, kept are %q", during, kept)
		}
		if !strings.Contains(strings.Join(warnings, "\n"), layout.Shown(revisionAt(s, uid, model.Plan, 1))) {
			t.Errorf("warned of %q", warnings)
		}
	}
}

// doctor lists every copy, and --fix removes none.
func TestDoctorListsEveryCopy(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	uid := planned(t, s, "one")
	event := filepath.Base(globs(t, s, layout.TaskFile(uid, layout.PersistentDir+"/*.json"))[0])
	copies := []string{
		layout.TaskFile(uid, "plan.md"+layout.TheirsMark+"3"),
		layout.TaskFile(uid, layout.PersistentDir+"/"+event+layout.TheirsMark+"4"),
		layout.TaskFile(uid, layout.ResultDir+"/a/b.txt"+layout.TheirsMark+"4"),
		layout.RequestsDir + "/req-1.json" + layout.TheirsMark + "4",
		layout.PolicyFile + layout.TheirsMark + "4",
	}
	write(t, vespe(s, layout.TaskFile(uid, layout.ResultDir+"/a/b.txt")), "b")
	for _, name := range copies {
		write(t, vespe(s, name), "b")
	}
	for range 2 {
		ps := doctor(t, s)
		for _, name := range copies {
			wantProblem(t, ps, failure.Theirs, filepath.Base(name))
		}
		repair(t, s)
	}
}
