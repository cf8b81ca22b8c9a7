package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

func TestInitLaysOutTheStore(t *testing.T) {
	dir := t.TempDir()
	s := initIn(t, dir, testOptions())
	for _, name := range []string{".vespe_root", "store.json", "config.json", ".gitignore", "lock"} {
		if in, err := os.Lstat(vespe(s, name)); err != nil || !in.Mode().IsRegular() {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := read(t, vespe(s, ".gitignore")); got != "log/\nobjects/\ntmp/\nlock\ncache/\n*.theirs-*\n"+
		"tasks/*/persistent/runs/*/stream.log\ntasks/*/persistent/runs/*/stderr.log\ntasks/*/persistent/runs/*/.*\n" {
		t.Errorf(".gitignore is %q", got)
	}
	if !regexp.MustCompile(`^\{"format":1,"store_id":"[0-9a-f]{32}","created_at":"2026-[^"]*Z"\}\n$`).MatchString(read(t, vespe(s, "store.json"))) {
		t.Errorf("store.json is %s", read(t, vespe(s, "store.json")))
	}
	if es, _ := os.ReadDir(vespe(s, "tmp")); len(es) > 0 {
		t.Errorf("tmp/ holds %v", es)
	}
	snap := load(t, s)
	if snap.Len() != 0 || snap.Seq() != 0 || snap.StoreID() == "" || len(snap.Problems()) > 0 {
		t.Errorf("an empty store loads as %s", dump(snap))
	}
	healthy(t, s)
}

func TestInitRefusesASecondStore(t *testing.T) {
	s := newStore(t)
	_, err := Init(s.Root(), testOptions())
	wantCode(t, err, model.CodeRefused)

	inner := filepath.Join(s.Root(), "a", "b")
	_, err = Init(inner, testOptions())
	wantCode(t, err, model.CodeRefused)
	opt := testOptions()
	opt.AllowNested = true
	initIn(t, inner, opt)
	for from, want := range map[string]string{inner: inner, filepath.Dir(inner): s.Root(), s.Root(): s.Root()} {
		if root, err := Find(from); err != nil || root != want {
			t.Errorf("Find(%s) = %s, %v", from, root, err)
		}
	}
}

func TestInitCompletesAnInterruptedOne(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, layout.Name, "store.json"), `{"format":1,"store_id":"kept","created_at":"2026-01-01T00:00:00Z"}`)
	_, err := Open(dir, testOptions())
	if r := wantCode(t, err, model.CodeInvalid); !strings.Contains(r.Hint, "vespe init") {
		t.Errorf("without the marker: %v", err)
	}
	s := initIn(t, dir, testOptions())
	wantEqual(t, "store_id", load(t, s).StoreID(), "kept")
}

func wantCode(t testing.TB, err error, code model.Code) *model.Refusal {
	t.Helper()
	var r *model.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("error is %v, want a refusal with code %s", err, code)
	}
	if r.Code != code {
		t.Fatalf("code is %s (%v), want %s", r.Code, err, code)
	}
	return r
}

func TestNoStore(t *testing.T) {
	_, err := Find(t.TempDir())
	if r := wantCode(t, err, model.CodeNotFound); !strings.Contains(r.Hint, "vespe init") {
		t.Errorf("hint is %q", r.Hint)
	}
	_, err = Open(t.TempDir(), testOptions())
	wantCode(t, err, model.CodeNotFound)
	dir := t.TempDir()
	real := newStore(t)
	must(t, os.Symlink(filepath.Join(real.Root(), layout.Name), filepath.Join(dir, layout.Name)))
	if _, err := Open(dir, testOptions()); err == nil {
		t.Error("a .vespe that is a symbolic link was opened")
	}
	if _, err := Find(dir); err != nil { // its rules would be set aside otherwise
		t.Error("a .vespe that is a symbolic link is passed over:", err)
	}
}

// tree is every name below a root, with the bytes of files.
func tree(t testing.TB, root string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			fmt.Fprintf(&b, "%s/\n", strings.TrimPrefix(p, root))
			return nil
		}
		body, err := os.ReadFile(p)
		fmt.Fprintf(&b, "%s %s\n", strings.TrimPrefix(p, root), model.HashBytes(body))
		return err
	}))
	return b.String()
}

func TestUIDsAscend(t *testing.T) {
	opt := testOptions()
	c := newClock()
	opt.Now = func() time.Time { return c.t } // a clock that stands still
	s := initIn(t, t.TempDir(), opt)
	form := regexp.MustCompile(`^tsk-[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$`)
	prev := model.UID("")
	for range 10_000 { // more than a millisecond's counter holds
		u := s.NewUID()
		if !form.MatchString(string(u)) || u <= prev {
			t.Fatalf("%s after %s", u, prev)
		}
		prev = u
	}
}

func TestEventsHaveNamesOfTheirOwn(t *testing.T) {
	opt := testOptions()
	at := newClock().now()
	opt.Now = func() time.Time { return at }
	s := initIn(t, t.TempDir(), opt)
	uid := planned(t, s, "one") // three transitions in one millisecond
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "again\n"}},
		model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "and again\n"}})
	events, ps, err := s.History(context.Background(), uid)
	if err != nil || len(ps) > 0 {
		t.Fatal(err, ps)
	}
	var got []string
	for _, e := range events {
		if !e.At.Equal(at) {
			t.Errorf("%s is of %s, want %s", e.Name, e.At, at)
		}
		got = append(got, fmt.Sprintf("%d %s %s", e.Seq, e.Name, regexp.MustCompile(`-[0-9a-f]{8}`).ReplaceAllString(e.File, "-op")))
	}
	want := []string{
		"1 create 20260301090000_001_create-op.json",
		"1 define_objective 20260301090000_002_define_objective-op.json",
		"2 define_plan 20260301090000_003_define_plan-op.json",
		"3 define_plan 20260301090000_004_define_plan-op.json",
		"3 define_plan 20260301090000_005_define_plan-op.json",
	}
	if !slices.Equal(got, want) {
		t.Errorf("events are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestOpIDsAreAppliedOnce(t *testing.T) {
	s := newStore(t)
	uid := create(t, s, "one", "do it\n")
	op := model.Op{ID: "my-op", Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "the plan\n"}}
	first := do(t, s, op)
	do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "two"}})
	for _, again := range []*Store{s, open(t, s.Root(), testOptions())} {
		a := do(t, again, op)
		if !a.Replayed || a.Seq != first.Seq || a.Change.Summary != first.Change.Summary {
			t.Errorf("repeated: %+v", a)
		}
		if len(a.Change.Events) != 1 || a.Change.Events[0].Name != model.DefinePlan || a.Change.Tasks[0].Status.PlanRevision != 1 {
			t.Errorf("the first result came back as %+v", a.Change)
		}
		wantEqual(t, "the snapshot is of entry", a.Snapshot.Seq(), 3)
	}
	if n, _ := s.Head(context.Background()); n != 3 {
		t.Errorf("there are %d entries", n)
	}
	// Ids of one transaction mixed with new ones are a mistake of the caller.
	_, err := s.DoAll(context.Background(), []model.Op{op, {ID: "new", Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "x"}}})
	wantCode(t, err, model.CodeConflict)
}

func TestAllOrNothing(t *testing.T) {
	s := newStore(t)
	uid := create(t, s, "one", "")
	before := tree(t, s.Root())
	_, err := s.DoAll(context.Background(), []model.Op{
		{Name: model.DefineObjective, UID: uid, Actor: ann, Args: model.NewObjective{Text: "good\n"}},
		{Name: model.AcceptPlan, UID: uid, Actor: ann}, // there is no plan
	})
	wantCode(t, err, model.CodeRefused)
	if tree(t, s.Root()) != before {
		t.Error("a refused transaction wrote something")
	}
	// Each operation sees what the ones before it did.
	a := do(t, s, model.Op{Name: model.DefineObjective, UID: uid, Actor: ann, Args: model.NewObjective{Text: "good\n"}},
		model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "plan\n"}},
		model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann},
		model.Op{Name: model.Start, UID: uid, Actor: robot})
	if got := task(t, a.Snapshot, uid).Status; got.CurrentState != model.Working || got.CurrentRun == "" || a.Seq != 2 {
		t.Errorf("state is %s, entry %d", got.CurrentState, a.Seq)
	}
	same(t, "reopened", dump(a.Snapshot), dump(load(t, open(t, s.Root(), testOptions()))))
	projectionHolds(t, s)
}

func TestNothingToDoWritesNothing(t *testing.T) {
	s := newStore(t)
	uid := create(t, s, "one", "x\n")
	before := tree(t, s.Root())
	a := do(t, s, model.Op{Name: model.Check, UID: uid, Actor: "system:vespe"})
	if a.Seq != 1 || tree(t, s.Root()) != before {
		t.Errorf("check wrote something: %d", a.Seq)
	}
}

func TestForeignEdits(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	uid := planned(t, s, "one")
	seen, err := s.Content(ctx, uid, model.Plan)
	if err != nil || seen.Revision != 1 || string(seen.Body) != "plan of one\n" {
		t.Fatalf("content is %+v, %v", seen, err)
	}
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "an agent was here\n")
	now, err := s.Content(ctx, uid, model.Plan)
	if err != nil || now.Revision != 0 || now.Hash == seen.Hash {
		t.Fatalf("edited content is %+v, %v", now, err)
	}
	_, err = s.Do(ctx, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Seen: &model.Seen{
		ObjectiveHash: model.HashBytes([]byte("objective of one\n")), PlanHash: seen.Hash,
	}})
	if r := wantCode(t, err, model.CodeConflict); len(r.Changed) != 1 || string(r.Changed[0].Now.Body) != "an agent was here\n" {
		t.Errorf("refusal is %+v", r)
	}
	a := do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	st := task(t, a.Snapshot, uid).Status
	if st.PlanRevision != 2 || st.AcceptedPlan == nil || st.AcceptedPlan.PlanHash != now.Hash {
		t.Errorf("accepted %+v of revision %d", st.AcceptedPlan, st.PlanRevision)
	}
	for n, want := range []string{1: "plan of one\n", 2: "an agent was here\n"} {
		if n == 0 {
			continue
		}
		if c, err := s.Revision(ctx, uid, model.Plan, n); err != nil || string(c.Body) != want {
			t.Errorf("revision %d is %q, %v", n, c.Body, err)
		}
	}
	_, err = s.Revision(ctx, uid, model.Plan, 3)
	wantCode(t, err, model.CodeNotFound)
	if !errors.Is(err, model.ErrNoContent) {
		t.Errorf("error is %v", err)
	}

	// A status that someone wrote by hand is what the next transition starts from.
	path := vespe(s, layout.TaskFile(uid, "status.json"))
	write(t, path, strings.Replace(read(t, path), `"working"`, `"error"`, 1))
	a = do(t, s, model.Op{Name: model.Retry, UID: uid, Actor: ann})
	if got := task(t, a.Snapshot, uid).Status; got.CurrentState != model.Working || got.RetryCount != 1 {
		t.Errorf("after retry: %s, %d", got.CurrentState, got.RetryCount)
	}
	same(t, "reopened", dump(a.Snapshot), dump(load(t, open(t, s.Root(), testOptions()))))
}

func TestAVanishedPlanIsNotAccepted(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	load(t, s)
	must(t, os.Remove(vespe(s, layout.TaskFile(uid, "plan.md"))))
	_, err := s.Do(context.Background(), model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	wantCode(t, err, model.CodeRefused)
}

func TestLargeAndBinaryBodies(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	uid := create(t, s, "one", "x\n")
	big := strings.Repeat("0123456789abcdef", txlog.MaxInline/16) + "!"
	a := do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: big}})
	if n, _ := filepath.Glob(vespe(s, "objects/*/*")); len(n) != 1 {
		t.Errorf("objects: %v", n)
	}
	if c, err := s.Content(ctx, uid, model.Plan); err != nil || string(c.Body) != big || c.Revision != 1 {
		t.Errorf("content has %d bytes, revision %d, %v", len(c.Body), c.Revision, err)
	}
	if in, err := os.Stat(vespe(s, layout.EntryFile(a.Seq))); err != nil || in.Size() > txlog.MaxInline {
		t.Errorf("the entry has %d bytes", in.Size())
	}
	// Recovery takes it from objects/.
	must(t, os.Remove(vespe(s, layout.TaskFile(uid, "plan.md"))))
	must(t, os.Remove(vespe(s, layout.ProjectedTip)))
	load(t, open(t, s.Root(), testOptions()))
	if read(t, vespe(s, layout.TaskFile(uid, "plan.md"))) != big {
		t.Error("the plan was not recovered")
	}
	healthy(t, s)
}

func TestResults(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	uid := create(t, s, "one", "x\n")
	if fs, err := s.Results(ctx, uid); err != nil || len(fs) != 0 {
		t.Fatal(fs, err)
	}
	write(t, vespe(s, layout.TaskFile(uid, "result/b.txt")), "bee")
	write(t, vespe(s, layout.TaskFile(uid, "result/a/deep.md")), "deep")
	fs, err := s.Results(ctx, uid)
	if err != nil || len(fs) != 2 || fs[0].Path != "a/deep.md" || fs[1].Path != "b.txt" || fs[1].Size != 3 || fs[1].Hash != model.HashBytes([]byte("bee")) {
		t.Errorf("results are %+v, %v", fs, err)
	}
	if b, err := s.ReadResult(ctx, uid, "a/deep.md", 4); err != nil || string(b) != "deep" {
		t.Errorf("%q %v", b, err)
	}
	var tl *fsys.TooLargeError
	if _, err := s.ReadResult(ctx, uid, "a/deep.md", 3); !errors.As(err, &tl) {
		t.Errorf("a cap of 3 bytes gave %v", err)
	}
	for _, bad := range []string{"../status.json", "/etc/passwd", "", ".", "a//deep.md"} {
		if _, err := s.ReadResult(ctx, uid, bad, 100); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if _, err := s.ReadResult(ctx, uid, "none", 100); !errors.Is(err, model.ErrNoContent) {
		t.Errorf("absent: %v", err)
	}
	must(t, os.Symlink("/etc/passwd", vespe(s, layout.TaskFile(uid, "result/link"))))
	if _, err := s.Results(ctx, uid); err == nil {
		t.Error("a result with a link in it was hashed")
	}
}

func TestHistoryReadsOlderEvents(t *testing.T) {
	s := newStore(t)
	uid := create(t, s, "one", "")
	dir := vespe(s, layout.TaskFile(uid, "persistent"))
	write(t, filepath.Join(dir, "20250926085305123_objective_defined.json"),
		`{"timestamp":"2025-09-26T08:53:05.123456789Z","event_type":"objective_defined","acting_agent_uid":"agt-1","content":"hello"}`)
	write(t, filepath.Join(dir, "20250926085306_001_note.json"), `{"anything":[1,2]}`)
	write(t, filepath.Join(dir, "20250926085307_001_bad.json"), `{"event":`)
	write(t, filepath.Join(dir, "README.txt"), "not an event")
	events, ps, err := s.History(context.Background(), uid)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprintf("%s %s %s", e.At.Format("2006"), e.Name, e.Actor))
	}
	if want := []string{"2025 objective_defined agt-1", "2025 note ", "2026 create human:ann"}; !slices.Equal(got, want) {
		t.Errorf("events are %q, want %q", got, want)
	}
	if len(ps) != 1 || !strings.HasSuffix(ps[0].Path, "_bad.json") || ps[0].UID != uid {
		t.Errorf("problems are %+v", ps)
	}
	if _, _, err := s.History(context.Background(), "tsk-none"); err == nil {
		t.Error("history of no task")
	}
}

func TestPolicyFromBesideTheStore(t *testing.T) {
	s := newStore(t)
	write(t, vespe(s, "config.json"), `{"name":"inside"}`)
	write(t, filepath.Join(s.Root(), layout.ProjectConfig), `{"name":"outside","max_attempts":7,"worker":{"x":1}}`)
	p := load(t, s).Policy()
	if p.Name != "inside" || p.MaxAttempts != 7 || len(p.Extra) != 1 || p.Extra[0].Key != "worker" {
		t.Errorf("policy is %+v", p)
	}
}

func TestAStoreFromAClone(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	for _, d := range []string{"log", "objects", "tmp", "lock", "cache", "store.json"} { // what git ignores, and more
		must(t, os.RemoveAll(vespe(s, d)))
	}
	s2 := open(t, s.Root(), testOptions())
	snap := load(t, s2)
	if got := task(t, snap, uid); got.Status.PlanRevision != 1 {
		t.Errorf("read as %+v", got)
	}
	if len(snap.Problems()) > 0 {
		t.Errorf("it opens with problems: %+v", snap.Problems())
	}
	found := doctor(t, s2)
	wantProblem(t, found, "missing-file", "store.json")
	a := do(t, s2, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	if a.Seq != 1 || a.Snapshot.StoreID() != load(t, s2).StoreID() {
		t.Errorf("entry %d of store %q", a.Seq, a.Snapshot.StoreID())
	}
	healthy(t, s2)
}
