package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/pending"
)

// tasksOfFixtures calls do with the directory of each task in the fixtures.
func tasksOfFixtures(f *testing.F, do func(dir string)) {
	f.Helper()
	dirs, err := filepath.Glob(filepath.Join("testdata", "formats", "*", "dot-vespe", "tasks", "*"))
	if err != nil || len(dirs) == 0 {
		f.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		do(dir)
	}
}

// orNone reads a file that need not be there.
func orNone(f *testing.F, path string) []byte {
	f.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		f.Fatal(err)
	}
	return b
}

// Whatever somebody writes into the files of a task: the store loads, the others are worked
// on, what can be understood is taken over and settles for every process, no verdict comes of
// it, and no bytes are lost.
func FuzzLoadTask(f *testing.F) {
	tasksOfFixtures(f, func(dir string) {
		read := func(name string) []byte { return orNone(f, filepath.Join(dir, name)) }
		f.Add(read(layout.ConfigFile), read(layout.StatusFile), read(layout.DependenciesFile), read(layout.SpecFile), read("objective.md"), read("plan.md"))
	})
	f.Add([]byte("{}"), []byte(`{"current_state":"working","accepted_plan":{"plan_revision":1}}`), []byte(`{"depends_on":["tsk-x"]}`), []byte("[]"), []byte("\xff"), []byte("<<<<<<< a\n=======\n>>>>>>> b\n"))
	f.Fuzz(func(t *testing.T, config, status, dependencies, spec, objective, plan []byte) {
		s := initIn(t, fastDir(t), testOptions())
		defer s.Close()
		uid, other := planned(t, s, "one"), planned(t, s, "other")
		checkpointed(t, s)
		files := map[string][]byte{
			layout.ConfigFile: config, layout.StatusFile: status, layout.DependenciesFile: dependencies, layout.SpecFile: spec, "objective.md": objective, "plan.md": plan,
		}
		for name, body := range files {
			path := vespe(s, layout.TaskFile(uid, name))
			if len(body) == 0 {
				if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				delete(files, name)
				continue
			}
			write(t, path, string(body))
		}
		n := open(t, s.Root(), testOptions())
		snap := load(t, n)
		if got, ok := snap.Task(uid); ok && (got.Status.AcceptedPlan != nil || got.Status.Review != nil && got.Status.Review.Verdict == "accepted") {
			t.Fatalf("a verdict came of it: %+v", got.Status)
		}
		takeOver(t, n)
		for _, op := range []model.Op{
			{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "renamed"}},
			{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}},
			{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "a new plan\n"}},
			{Name: model.AcceptPlan, UID: uid, Actor: ann},
		} {
			_, err := n.Do(t.Context(), op)
			var r *model.Refusal
			if err != nil && (!errors.As(err, &r) || op.UID == other) {
				t.Fatalf("%s: %v", op.Name, err)
			}
		}
		want := dump(load(t, n))
		r := open(t, s.Root(), testOptions())
		same(t, "who was there, and who comes", want, dump(load(t, r)))
		if !slices.Equal(n.Edited(), r.Edited()) {
			t.Fatalf("edited are %v, and for who comes %v", n.Edited(), r.Edited())
		}
		for _, p := range chainProblems(t, r) {
			t.Errorf("doctor: %+v", p)
		}
		for name, body := range files {
			if !holds(t, r, string(body)) {
				t.Errorf("the bytes of %s are lost", name)
			}
		}
	})
}

// Whatever lies in persistent/, of this program, of an older system or of nobody: the history
// is what can be read of it, in the order of time; the store can be looked back at; and the
// task continues.
func FuzzHistory(f *testing.F) {
	tasksOfFixtures(f, func(dir string) {
		names, err := filepath.Glob(filepath.Join(dir, layout.PersistentDir, "*.json"))
		if err != nil || len(names) == 0 {
			f.Fatal(names, err)
		}
		last := names[len(names)-1]
		f.Add(filepath.Base(names[0]), orNone(f, names[0]), filepath.Base(last), orNone(f, last))
	})
	f.Add("20250102030405_006_started.json", []byte(`{"event_type":"started","timestamp":"2025-01-02T03:04:05.006Z","acting_agent_uid":"a","content":"x"}`),
		"note.json", []byte(`{"event":"accept_plan","to":"working","at":"9999-01-01T00:00:00Z","details":{"revision":-1}}`))
	f.Fuzz(func(t *testing.T, name1 string, body1 []byte, name2 string, body2 []byte) {
		s := initIn(t, fastDir(t), testOptions())
		defer s.Close()
		uid := planned(t, s, "one")
		own := eventsOf(t, s, uid)
		for name, body := range map[string][]byte{name1: body1, name2: body2} {
			path := layout.TaskFile(uid, layout.PersistentDir+"/"+name)
			if !layout.ValidName(path) || name == "." || strings.Contains(name, "/") || len(name) > 200 {
				continue
			}
			if _, err := os.Stat(vespe(s, path)); err == nil {
				continue
			}
			write(t, vespe(s, path), string(body))
		}
		events, problems, err := s.History(t.Context(), uid)
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			if i > 0 && events[i].At.Before(events[i-1].At) {
				t.Fatalf("event %d is before the one before it", i)
			}
			if events[i].UID != uid || events[i].Name == "" || events[i].File == "" {
				t.Fatalf("event %+v", events[i])
			}
		}
		if len(events) < len(own) || len(events) > len(own)+2 || len(problems) > 100 {
			t.Fatalf("%d events, %d problems", len(events), len(problems))
		}
		for _, when := range []time.Time{{}, time.Date(2026, 3, 1, 9, 0, 0, 3e6, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
			if _, err := s.Past().At(t.Context(), when); err != nil {
				t.Fatalf("at %v: %v", when, err)
			}
		}
		if err := os.RemoveAll(vespe(s, layout.LogDir)); err != nil { // then the events are all there is
			t.Fatal(err)
		}
		c := open(t, s.Root(), testOptions())
		for _, when := range []time.Time{{}, time.Date(2026, 3, 1, 9, 0, 0, 3e6, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
			if _, err := c.Past().At(t.Context(), when); err != nil {
				t.Fatalf("without the log, at %v: %v", when, err)
			}
		}
		do(t, c, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "x"}})
	})
}

// The name of a pending projection says which entry and which task, or nothing.
func FuzzPending(f *testing.F) {
	for _, s := range []string{"000000000012.tsk-a", "0.tsk-a", "12.tsk-a", "000000000012.", ".tsk", "000000000012.../x", "18446744073709551616.a", "1000000000000.a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		d, ok := pending.Parse(name)
		if ok && (d.File() != pending.Dir+"/"+name || !d.UID.Valid() || d.Seq == 0 || !layout.ValidName(d.File())) {
			t.Fatalf("%q is %+v", name, d)
		}
	})
}
