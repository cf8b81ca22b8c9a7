package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/runs"
)

// started is a task with a live run of the robot's.
func started(t testing.TB, s *Store, name, run string) model.UID {
	t.Helper()
	uid := planned(t, s, name)
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}, model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: run}})
	return uid
}

func TestRunsAreListedInOrder(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	uid := started(t, s, "one", "run-b")
	do(t, s, model.Op{Name: model.RaiseError, UID: uid, Actor: robot, Args: model.ErrorReport{Details: "oops", Report: &model.RunReport{Attempt: 1, Why: "oops", Cost: 1.5}}},
		model.Op{Name: model.Retry, UID: uid, Actor: robot})
	do(t, s, model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-a"}})
	must(t, s.WriteRunFile(ctx, uid, "run-0", "prompt.md", []byte("never started\n")))
	write(t, vespe(s, layout.RunDir(uid, "run-c")+"/run.json"), "{")
	runs, err := s.Runs(ctx, uid)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range runs {
		got = append(got, r.ID+" "+r.Outcome)
	}
	if want := []string{"run-c ", "run-b error", "run-a "}; !slices.Equal(got, want) {
		t.Fatalf("runs %q, want %q", got, want)
	}
	if r := runs[1]; r.Report == nil || r.Report.Cost != 1.5 || r.Live() || !runs[2].Live() || runs[2].Worker != robot {
		t.Errorf("%+v", runs)
	}
	if _, err := s.Runs(ctx, "tsk-none"); err == nil {
		t.Error("a task that is not there has runs")
	}
	// Anyone who comes after a crash between the commit and the file sees the run all the same.
	must(t, os.RemoveAll(vespe(s, layout.RunDir(uid, "run-c"))))
	f := unprojected()
	dying := open(t, s.root, Options{Now: s.opt.Now, Rand: entropy(9), FS: f.system})
	op := model.Op{ID: "last", Name: model.WorkCompleted, UID: uid, Actor: robot, Args: model.Completion{Report: &model.RunReport{Verified: true}}}
	_, _ = dying.Do(ctx, op) // it is committed, and dies
	reader := open(t, s.root, Options{ReadOnly: true})
	runs, err = reader.Runs(ctx, uid)
	if err != nil || len(runs) != 2 || runs[1].Outcome != model.RunCompleted || !runs[1].Report.Verified {
		t.Errorf("%v %+v", err, runs)
	}
	b, size, err := reader.ReadRunFile(ctx, uid, "run-a", "run.json", 0, 1<<20)
	if err != nil || int(size) != len(b) || !strings.Contains(string(b), `"verified": true`) {
		t.Errorf("%v %s", err, b)
	}
}

func TestRunFilesAreReadInParts(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	uid := started(t, s, "one", "run-1")
	w := mustGet(s.AppendRunFile(ctx, uid, "run-1", "output.jsonl"))(t)
	other, err := s.AppendRunFile(ctx, uid, "run-1", "output.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for _, to := range []interface{ Write([]byte) (int, error) }{w, other} {
			mustGet(to.Write([]byte("0123456789\n")))(t)
		}
	}
	must(t, errors.Join(w.Close(), other.Close()))
	for _, c := range []struct {
		offset int64
		limit  int
		want   string
	}{
		{0, 11, "0123456789\n"},
		{60, 100, "56789\n"},
		{-3, 100, "89\n"},
		{-1000, 4, "0123"},
		{66, 10, ""},
		{1000, 10, ""},
		{0, 0, ""},
		{0, -1, ""},
	} {
		got, size, err := s.ReadRunFile(ctx, uid, "run-1", "output.jsonl", c.offset, c.limit)
		if err != nil || size != 66 || string(got) != c.want {
			t.Errorf("%d, %d: %q of %d, %v; want %q", c.offset, c.limit, got, size, err, c.want)
		}
	}
	for _, body := range []string{"first\n", "second, in its place\n"} {
		must(t, s.WriteRunFile(ctx, uid, "run-1", "verify.json", []byte(body)))
		if got, _, err := s.ReadRunFile(ctx, uid, "run-1", "verify.json", 0, 100); err != nil || string(got) != body {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, _, err := s.ReadRunFile(ctx, uid, "run-1", "nothing", 0, 1); !errors.Is(err, model.ErrNoContent) {
		t.Errorf("a file that is not there: %v", err)
	}
	es, err := os.ReadDir(vespe(s, layout.RunDir(uid, "run-1")))
	if err != nil || len(es) != 3 {
		t.Errorf("%v, %v", es, err)
	}
	for _, p := range doctor(t, s) {
		t.Errorf("doctor: %+v", p)
	}
}

// Nothing outside a run's own directory can be named, written or read, whatever lies there.
func TestRunFilesOfHostileNames(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	uid := started(t, s, "one", "run-1")
	outside := filepath.Join(s.root, "secret")
	write(t, outside, "secret\n")
	dir := vespe(s, layout.RunDir(uid, "run-1"))
	for _, err := range []error{
		os.Symlink(outside, filepath.Join(dir, "output.jsonl")),
		os.Link(outside, filepath.Join(dir, "stderr.log")),
		os.Mkdir(filepath.Join(dir, "patch"), 0o755),
		os.Symlink(s.root, vespe(s, layout.RunDir(uid, "run-2"))),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ run, name string }{
		{"run-1", "../../../secret"},
		{"run-1", "a/b"},
		{"run-1", ".hidden"},
		{"run-1", ""},
		{"run-1", "x.theirs-3"},
		{"..", "secret"},
		{"", "x"},
		{"run-1", "output.jsonl"},
		{"run-1", "stderr.log"},
		{"run-1", "patch"},
		{"run-2", "secret"},
	} {
		if w, err := s.AppendRunFile(ctx, uid, c.run, c.name); err == nil {
			_ = w.Close()
			t.Errorf("append to %q of %q", c.name, c.run)
		}
		if c.name != "output.jsonl" && c.name != "stderr.log" { // what is written as a whole takes the place of a name
			if err := s.WriteRunFile(ctx, uid, c.run, c.name, []byte("x")); err == nil {
				t.Errorf("write %q of %q", c.name, c.run)
			}
		}
		if b, _, err := s.ReadRunFile(ctx, uid, c.run, c.name, 0, 100); err == nil {
			t.Errorf("read %q of %q: %q", c.name, c.run, b)
		}
	}
	if err := s.WriteRunFile(ctx, uid, "run-1", "run.json", []byte("{}")); err == nil {
		t.Error("run.json was written past the log")
	}
	if err := s.WriteRunFile(ctx, "tsk-none", "run-1", "x", nil); err == nil {
		t.Error("a task that is not there got a file")
	}
	wantEqual(t, "outside", read(t, outside), "secret\n")
	reader := open(t, s.root, Options{ReadOnly: true})
	if err := reader.WriteRunFile(ctx, uid, "run-1", "prompt.md", nil); err == nil {
		t.Error("a store that is open for reading was written")
	}
}

// Streams are too large for git, also in a store that an older vespe made; a line that is there is not
// added again, and a store without the file stays so.
func TestStreamsOfRunsAreIgnored(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	uid := started(t, s, "one", "run-1")
	const old = "log/\nobjects/\nmine"
	write(t, vespe(s, layout.IgnoreFile), old)
	begin := func(name string) {
		t.Helper()
		s := open(t, s.root, Options{}) // knows nothing of the file yet
		w := mustGet(s.AppendRunFile(ctx, uid, "run-1", name))(t)
		_ = w.Close()
	}
	begin("output.jsonl")
	wantEqual(t, "a file that needs no writing", read(t, vespe(s, layout.IgnoreFile)), old)
	begin("stream.log")
	begin("stderr.log")
	if got, want := read(t, vespe(s, layout.IgnoreFile)), old+"\n"+runs.Ignored; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	must(t, os.Remove(vespe(s, layout.IgnoreFile)))
	begin("stream.log")
	if _, err := os.Stat(vespe(s, layout.IgnoreFile)); err == nil {
		t.Error("somebody took it away, and it came back")
	}
}

// The plan of a worker is the one that was accepted, whatever the file says now.
func TestAcceptedPlanIsFoundByItsHash(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	uid := planned(t, s, "one")
	if _, _, err := s.AcceptedPlan(ctx, uid); !errors.Is(err, model.ErrNoContent) {
		t.Errorf("nobody accepted it: %v", err)
	}
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	want := func(what string) {
		t.Helper()
		plan, objective, err := s.AcceptedPlan(ctx, uid)
		if err != nil || string(plan) != "plan of one\n" || string(objective) != "objective of one\n" {
			t.Errorf("%s: %q %q %v", what, plan, objective, err)
		}
	}
	want("accepted")
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "rm -rf /\n")
	want("edited")
	write(t, vespe(s, revisionAt(s, uid, model.Plan, 1)), "rm -rf /\n")
	if plan, _, err := s.AcceptedPlan(ctx, uid); !errors.Is(err, model.ErrNoContent) || plan != nil {
		t.Errorf("no bytes are the accepted ones: %q %v", plan, err)
	}
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "plan of one\n")
	want("set back")
}

// A patch or evidence that somebody changed after the run is not shown as what the run left.
func TestWhatARunLeftIsNotChanged(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}, model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-1"}})
	for name, body := range map[string]string{"changes.patch": "+good\n", "verify.json": "{}\n", "output.jsonl": "{}\n"} {
		must(t, s.WriteRunFile(ctx, uid, "run-1", name, []byte(body)))
	}
	do(t, s, model.Op{Name: model.WorkCompleted, UID: uid, Actor: robot, Args: model.Completion{Report: &model.RunReport{
		Base: "abc", Result: "def", Patch: model.HashBytes([]byte("+good\n")), Evidence: model.HashBytes([]byte("{}\n")),
	}}})
	for _, name := range []string{"changes.patch", "verify.json"} {
		if _, _, err := s.ReadRunFile(ctx, uid, "run-1", name, 0, 1<<20); err != nil {
			t.Errorf("%s as it was left: %v", name, err)
		}
		must(t, os.WriteFile(filepath.Join(s.Root(), layout.Name, "tasks", string(uid), "persistent", "runs", "run-1", name), []byte("+other\n"), 0o600))
		for _, limit := range []int{1 << 20, 3} {
			b, _, err := s.ReadRunFile(ctx, uid, "run-1", name, 0, limit)
			if err == nil || !strings.Contains(err.Error(), "has been changed since the run") || len(b) > 0 {
				t.Errorf("%s, changed: %q %v", name, b, err)
			}
		}
	}
	if _, _, err := s.ReadRunFile(ctx, uid, "run-1", "output.jsonl", 0, 1<<20); err != nil {
		t.Error(err)
	}
}
