package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/leftovers"
)

// What others put into tmp/ is not vespe's to remove, nor what may be in use.
func TestOnlyOwnLeftoversGo(t *testing.T) {
	t.Parallel()
	const random = "0123456789abcdef01234567"
	s, _ := decided(t)
	old := time.Now().Add(-2 * leftovers.Age)
	for name, c := range map[string]struct{ stays, gone bool }{
		"notes.md":                              {stays: true},
		"entry-1":                               {stays: true},
		"entry-" + random + ".md":               {stays: true},
		"entry-" + strings.ToUpper(random):      {stays: true},
		"mine-" + random:                        {stays: true},
		"drafts/plan.md":                        {stays: true},
		"entry-" + random[2:] + "00/plan.md":    {stays: true},
		"entry-" + random:                       {gone: true},
		"task-" + random + "/status.json":       {gone: true},
		"git-" + random:                         {},
		"checkpoint-" + random:                  {},
		"task-" + random[2:] + "00":             {stays: true},
		"f-" + random:                           {stays: true}, // bytes that nobody else has
		"object-" + random + "/objects/of/mine": {stays: true},
	} {
		for _, aged := range []bool{false, true} {
			path := vespe(s, layout.TmpDir+"/"+name)
			write(t, path, "bytes of "+name)
			top := vespe(s, layout.TmpDir+"/"+strings.Split(name, "/")[0])
			if aged {
				must(t, os.Chtimes(top, old, old))
			}
			repair(t, s)
			_, err := os.Stat(path)
			if stays := c.stays || !c.gone && !aged; stays != (err == nil) {
				t.Errorf("%s, an hour old %v: %v", name, aged, err)
			}
			if _, err := os.Stat(path); err == nil {
				ps := doctor(t, s)
				wantProblem(t, ps, "leftover", strings.Split(name, "/")[0])
			}
			must(t, os.RemoveAll(top))
		}
	}
}

// leave puts files of interrupted writers into tmp/, as old as is said.
func leave(t *testing.T, s *Store, age time.Duration, bodies map[string]string) {
	t.Helper()
	for name, body := range bodies {
		write(t, vespe(s, layout.TmpDir+"/"+name), body)
		at := time.Now().Add(-age)
		must(t, os.Chtimes(vespe(s, layout.TmpDir+"/"+strings.Split(name, "/")[0]), at, at))
	}
}

// left is what is in tmp/, without the random part of the names.
func left(t *testing.T, s *Store) (names []string) {
	t.Helper()
	for _, name := range globs(t, s, layout.TmpDir+"/*") {
		prefix, _, _ := strings.Cut(filepath.Base(name), "-")
		names = append(names, prefix)
	}
	return names
}

const someRandom = "-0123456789abcdef01234567"

// The next write removes what no living process can still use: what is written under the lock that
// it holds at once, the rest when it is old. What may be somebody's bytes stays.
func TestTheNextWriteRemovesLeftovers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opt  Options
		age  time.Duration
		left []string
	}{
		"young":             {testOptions(), 0, []string{"checkpoint", "f", "git", "journal", "mine", "new", "scores"}},
		"old":               {testOptions(), 2 * leftovers.Age, []string{"f", "mine"}},
		"young, no locks":   {withoutLocks(), 0, []string{"checkpoint", "entry", "f", "git", "hint", "journal", "merge", "mine", "new", "object", "scores", "task"}},
		"old without locks": {withoutLocks(), 2 * leftovers.Age, []string{"f", "mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := decided(t)
			bodies := map[string]string{"task" + someRandom + "/status.json": "{"}
			for _, prefix := range []string{"entry", "object", "git", "checkpoint", "journal", "scores", "hint", "merge", "new", "f", "mine"} {
				bodies[prefix+someRandom] = "bytes of " + prefix
			}
			leave(t, s, c.age, bodies)
			create(t, open(t, s.Root(), c.opt), "next", "x\n")
			if got := left(t, s); !slices.Equal(got, c.left) {
				t.Errorf("left are %q, want %q", got, c.left)
			}
		})
	}
}

// However much lies there, one write removes a bounded part of it, and a few remove all.
func TestOneWriteRemovesABoundedPart(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	bodies := map[string]string{}
	for i := range 2*leftovers.MaxSwept + 1 {
		bodies[fmt.Sprintf("task-%024x/status.json", i)] = "{"
	}
	leave(t, s, 0, bodies)
	had := len(bodies)
	for range 5 {
		create(t, s, "next", "x\n")
		now := len(left(t, s))
		if now < had-leftovers.MaxSwept || now > 0 && now == had {
			t.Fatalf("one write left %d of %d", now, had)
		}
		had = now
	}
	if had > 0 {
		t.Errorf("%d are left", had)
	}
}

// A process that is killed while it writes files leaves what it replaced and what it had begun to
// write: anyone who finishes its transaction removes both, and nothing else.
func TestFinishingATransactionRemovesWhatItLeft(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	uid := planned(t, s, "one")
	f := &hookFS{before: func(call, name string) error {
		if call == callRemove && strings.HasPrefix(name, layout.TmpDir+"/f-") || call == callOverwrite {
			return errDead
		}
		return nil
	}}
	killed := open(t, s.Root(), Options{Now: newClock().now, Rand: entropy(9), FS: f.system})
	if a, err := killed.Do(t.Context(), model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}}); err != nil || len(a.Warnings) == 0 {
		t.Fatalf("%v %q", err, a.Warnings)
	}
	if len(left(t, s)) == 0 {
		t.Fatal("nothing was left behind")
	}
	leave(t, s, 0, map[string]string{"f" + someRandom: "another p", "f-000000000000000000000000": "", "f-ffffffffffffffffffffffff": "a person's"})
	load(t, open(t, s.Root(), testOptions()))
	if got := left(t, s); len(got) != 1 || read(t, vespe(s, layout.TmpDir+"/f-ffffffffffffffffffffffff")) != "a person's" {
		t.Errorf("left are %q", got)
	}
}

// doctor --fix knows all that the log ever wrote, not only what it wrote last.
func TestLeftoversWithBytesOfAnEarlierEntryGo(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	uid := planned(t, s, "one")
	was := read(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)))
	do(t, s, model.Op{Name: model.Pause, UID: uid, Actor: ann, Reason: "later"})
	leave(t, s, 2*leftovers.Age, map[string]string{"f" + someRandom: was, "f-ffffffffffffffffffffffff": "a person's"})
	repair(t, s)
	if got := left(t, s); len(got) != 1 {
		t.Errorf("left are %q", got)
	}
}
