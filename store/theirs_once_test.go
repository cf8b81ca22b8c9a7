package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
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
		a, err := open(t, s.Root(), Options{Now: s.opt.Now, Rand: s.opt.Rand}).Do(t.Context(), labelled(op.UID, "", "next"))
		if err != nil {
			t.Fatal(err)
		}
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
		name := taskFile(uid, "plan.md")
		for i, body := range []string{"mine\n", "mine\n", "mine too\n", "mine\n", "mine too\n"} {
			op := model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Text: fmt.Sprintf("plan %d\n", i)}
			writtenIn(t, s, name, body, during, op)
			load(t, open(t, s.Root(), testOptions()))
		}
		kept, err := filepath.Glob(vespe(s, name+theirsMark+"*"))
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
		name := taskFile(uid, "plan.md")
		old := read(t, vespe(s, name))
		do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Text: "second\n"})
		warnings := writtenIn(t, s, name, old, during, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Text: "third\n"})
		if kept := globs(t, s, name+theirsMark+"*"); len(kept) > 0 {
			t.Errorf("during %v, kept are %q", during, kept)
		}
		if !strings.Contains(strings.Join(warnings, "\n"), shown(revisionAt(s, uid, model.Plan, 1))) {
			t.Errorf("warned of %q", warnings)
		}
	}
}

// doctor lists every copy, and --fix removes those whose bytes another file has: no others.
func TestFixRemovesCopiesOfWhatIsThere(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	uid := planned(t, s, "one")
	old := read(t, vespe(s, taskFile(uid, "plan.md")))
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Text: "second\n"})
	event := filepath.Base(globs(t, s, taskFile(uid, persistentDir+"/*.json"))[0])
	status := read(t, vespe(s, taskFile(uid, statusFile)))
	copies := map[string]struct {
		body string
		gone bool
	}{
		taskFile(uid, "plan.md"+theirsMark+"3"):                {old, true},                                   // a revision
		taskFile(uid, "plan.md"+theirsMark+"4"):                {"mine\n", false},                             // nobody else's
		taskFile(uid, "plan.md"+theirsMark+"4-2"):              {"mine\n", true},                              // the same
		taskFile(uid, "objective.md"+theirsMark+"4"):           {old, false},                                  // of another document
		taskFile(uid, statusFile+theirsMark+"4"):               {status, true},                                // as it is now
		taskFile(uid, configFile+theirsMark+"4"):               {status, false},                               // as another is
		taskFile(uid, persistentDir+"/"+event+theirsMark+"4"):  {"{}", false},                                 // below
		requestsDir + "/req-1.json" + theirsMark + "4":         {"{}", false},                                 // of a request
		policyFile + theirsMark + "4":                          {read(t, vespe(s, policyFile)), true},         // of the store
		policyFile + theirsMark + "5":                          {read(t, vespe(s, policyFile)) + "\n", false}, // written otherwise
		taskFile(uid, resultDir+"/a/"+"b.txt"+theirsMark+"4"):  {"b", true},
		taskFile(uid, resultDir+"/a/"+"b2.txt"+theirsMark+"4"): {"b", false},
	}
	write(t, vespe(s, taskFile(uid, resultDir+"/a/b.txt")), "b")
	for name, c := range copies {
		write(t, vespe(s, name), c.body)
	}
	ps, err := s.Doctor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name := range copies {
		wantProblem(t, ps, codeTheirs, filepath.Base(name))
	}
	before := tree(t, s.Root())
	would, err := s.Fix(t.Context(), true)
	if err != nil || tree(t, s.Root()) != before {
		t.Fatalf("a dry run: %v; changed something: %v", err, tree(t, s.Root()) != before)
	}
	did, err := s.Fix(t.Context(), false)
	if err != nil || len(did) != len(would) {
		t.Errorf("%v, did %+v; a dry run said %+v", err, did, would)
	}
	for name, c := range copies {
		if there := len(globs(t, s, name)) == 1; there == c.gone {
			t.Errorf("%s is there: %v", name, there)
		}
	}
	if again, err := s.Fix(t.Context(), false); err != nil || len(again) > 0 {
		t.Errorf("a second time: %+v, %v", again, err)
	}
}
