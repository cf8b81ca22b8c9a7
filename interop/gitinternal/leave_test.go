package gitinternal

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/recordstest"
	"vespe/interop/records"
	"vespe/model"
	"vespe/model/runlog"
)

const patchText = `diff --git a/a.go b/a.go
index 1111111..2222222 100644
--- a/a.go
+++ b/a.go
@@ -1,2 +1,3 @@
 package a
--- not a header
++++ nor this
+// é
diff --git a/old name b/new name
similarity index 100%
rename from old name
rename to new name
diff --git "a/t\303\244g.txt" "b/t\303\244g.txt"
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ "b/t\303\244g.txt"
@@ -0,0 +1 @@
+x
diff --git a/gone.bin b/gone.bin
deleted file mode 100644
Binary files a/gone.bin and /dev/null differ
`

func TestTouched(t *testing.T) {
	want := []touched{{"a.go", "modify", 2, 1}, {"new name", "rename", 0, 0}, {"täg.txt", "add", 1, 0}, {"gone.bin", "delete", 0, 0}}
	if got := touchedBy(patchText); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	for _, odd := range []string{"", "@@ -1,9 +1,9 @@", "diff --git ", "diff --git \"a", "diff --git a b\n@@ x\n", "diff --git a/x b/x\n@@ -99999999999999999999,1 +1 @@\n+a"} {
		touchedBy(odd)
	}
}

var at0 = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

// A plan is its steps, and with its steps alone comes back as it was; another one brings its text along.
func TestPlanSteps(t *testing.T) {
	for plan, want := range map[string][]string{
		"1. One\n2. Two\n   lines\n":                              {"One", "Two\nlines"},
		"# Plan\n\nWhy.\n\n- a\n- b\n  - deep\n\n  more\n\nEnd\n": {"a", "b\n- deep\n\nmore"},
		"Only words,\nin two lines.\n\nAnd more.\n":               {"Only words,\nin two lines.", "And more."},
		"- x\n\n```\n- no item\n```\n":                            {"x"},
		"1) a\n10) b\n":                                           {"a", "b"},
	} {
		var got []string
		for _, s := range split(plan) {
			got = append(got, s.Description)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q", plan, got)
		}
		o := planFields(head("plan", planUUID, at0, at0, "human:ann", nil), plan, "")
		if planText(o) != plan {
			t.Errorf("%q comes back as %q", plan, planText(o))
		}
	}
}

// worked is a store with a task whose work was tried, rejected, tried again, and accepted.
func worked(t *testing.T) (*recordstest.Store, model.UID) {
	t.Helper()
	s := recordstest.New(t, Format())
	uid := s.Create(model.NewTask{Name: "Mine", Objective: "Do it\n", Spec: &model.Spec{AcceptanceCriteria: []model.Criterion{{Text: "it works"}}}})
	do := func(op model.Op) { s.Do(op, string(uid)) }
	ctx := context.Background()
	attempt := func(n, verdict string) {
		run := "run-" + n
		do(model.Op{Name: model.Start, Args: model.NewRun{Worker: "agent:claude", ID: run}})
		report := runlog.Report{OK: true, Tested: true, Checks: []runlog.Evidence{
			{Name: "go test", Argv: []string{"/usr/bin/go", "test", "./..."}, Source: "verify", Status: runlog.Pass, Millis: 3, Output: "ok\n"},
			{Name: "files", Source: "files", Status: runlog.NotRun, Why: "none named"},
		}}
		files := map[string][]byte{"verify.json": report.Encode(), "changes.patch": []byte(patchText)}
		for name, b := range files {
			if err := s.Files().WriteRunFile(ctx, uid, run, name, b); err != nil {
				t.Fatal(err)
			}
		}
		do(model.Op{Name: model.WorkCompleted, Args: model.Completion{Summary: "done", Report: &model.RunReport{
			Attempt: 1, Template: "claude", Base: strings.Repeat("ab", 20), Result: strings.Repeat("cd", 20), Cost: 2, In: 10, Out: 5, Tested: true, Verified: true,
			Patch: model.HashBytes(files["changes.patch"]), Evidence: model.HashBytes(files["verify.json"]),
		}}})
		do(model.Op{Name: model.Name(verdict), Reason: "because"})
	}
	do(model.Op{Name: model.DefinePlan, Args: model.NewPlan{Text: "# Plan\n\n1. Do it\n"}})
	do(model.Op{Name: model.RejectPlan, Reason: "too short"})
	do(model.Op{Name: model.DefinePlan, Args: model.NewPlan{Text: "1. Think\n2. Do it\n"}})
	do(model.Op{Name: model.AcceptPlan})
	attempt("one", "review_rejected")
	do(model.Op{Name: model.DefinePlan, Args: model.NewPlan{Text: "1. Do it well\n"}})
	do(model.Op{Name: model.AcceptPlan, Reason: "now"})
	attempt("two", "review_accepted")
	return s, uid
}

// Work that was done here is there as git-internal's own types have it, says who decided, on which bytes, and
// comes back to the same store as nothing new.
func TestWorkLeaves(t *testing.T) {
	s, uid := worked(t)
	list, report := s.Export()
	count := map[string]int{}
	for _, o := range list {
		typ := text(o, "object_type")
		count[typ]++
		bad := func(_, why, _ string) { t.Errorf("%s: %s", model.EncodeFields(o), why) }
		c := &records.Converted{ID: text(o, "object_id"), Bad: bad}
		header(c, o)
		if text(o, "checksum") != checksum(o) || text(o, "object_id")[14] != '7' {
			t.Errorf("%s", model.EncodeFields(o))
		}
	}
	want := map[string]int{"task": 1, "plan": 3, "run": 2, "patch_set": 2, "evidence": 4, "provenance": 2, "decision": 5}
	for typ, n := range want {
		if count[typ] != n {
			t.Errorf("%d objects of the type %s, want %d", count[typ], typ, n)
		}
	}
	by := func(typ string, i int) model.Extra {
		for _, o := range list {
			if text(o, "object_type") == typ {
				if i == 0 {
					return o
				}
				i--
			}
		}
		t.Fatalf("there is no %s", typ)
		return nil
	}
	for _, has := range []struct {
		typ  string
		i    int
		what string
	}{
		{"run", 0, `"commit": "` + strings.Repeat("ab", 20) + strings.Repeat("0", 24) + `"`},
		{"run", 0, `"plan": "` + text(by("plan", 1), "object_id")},
		{"run", 1, `"plan": "` + text(by("plan", 2), "object_id")},
		{"plan", 2, `"previous": "` + text(by("plan", 1), "object_id")},
		{"plan", 0, `"vespe_markdown": "# Plan\n\n1. Do it\n"`},
		{"patch_set", 0, `"path": "täg.txt"`},
		{"evidence", 0, `"kind": "test"`},
		{"evidence", 0, `"tool": "go"`},
		{"evidence", 0, `"exit_code": 0`},
		{"provenance", 0, `"cost_usd": 2.0`},
		{"provenance", 0, `"total_tokens": 15`},
	} {
		if !strings.Contains(string(model.EncodeFields(by(has.typ, has.i))), has.what) {
			t.Errorf("%s is not in\n%s", has.what, model.EncodeFields(by(has.typ, has.i)))
		}
	}
	var decided []string
	for i := range 5 {
		d := by("decision", i)
		decided = append(decided, text(d, "decision_type"))
		if !strings.Contains(string(model.EncodeFields(d)), `"kind": "human"`) {
			t.Errorf("%s", model.EncodeFields(d))
		}
		if typ := text(d, "decision_type"); typ == "accept_plan" && !strings.Contains(string(raw(d, "external_ids")), `"vespe_plan_sha256":"sha256-`) {
			t.Errorf("it does not say what was accepted: %s", model.EncodeFields(d))
		}
	}
	if !slices.Equal(decided, []string{"reject_plan", "accept_plan", "retry", "accept_plan", "commit"}) {
		t.Errorf("%q", decided)
	}
	if all := strings.Join(report.NotCarried, "\n"); !strings.Contains(all, "approvals are exported as mere decisions") {
		t.Errorf("%s", all)
	}

	var out bytes.Buffer
	for _, o := range list {
		out.Write(model.EncodeFields(o))
	}
	if r := s.Import(out.String()); r.Unchanged != 1 || r.Created+r.Updated != 0 || s.Task(string(uid)).Spec.External != nil {
		t.Errorf("its own export: %+v", r)
	}
	again, _ := s.Export()
	if !model.SameJSON(records.ListValue(again), records.ListValue(list)) {
		t.Error("another export is another")
	}
	// Elsewhere it is history: nothing of it is accepted, and it goes out as it came.
	there := recordstest.New(t, Format())
	there.Import(out.String())
	there.Exports(out.String())
	if st := there.Task(text(by("task", 0), "object_id")).Status; st.AcceptedPlan != nil || st.PlanRevision != 3 || st.Runs != 2 {
		t.Errorf("%+v", st)
	}
}

// A verdict on a plan is about the run that followed it, also within one millisecond.
func TestDecisionsAndRuns(t *testing.T) {
	at := func(ms int) time.Time { return at0.Add(time.Duration(ms) * time.Millisecond) }
	l := leaving{runs: []model.Run{{ID: "one", Started: at(5)}, {ID: "two", Started: at(9)}}}
	for _, c := range []struct {
		name model.Name
		ms   int
		want string
	}{
		{model.AcceptPlan, 1, "one"},
		{model.AcceptPlan, 5, "one"},
		{model.AcceptPlan, 6, "two"},
		{model.AcceptPlan, 10, "two"},
		{model.ReviewAccepted, 1, "one"},
		{model.ReviewRejected, 5, "one"},
		{model.ReviewRejected, 8, "one"},
		{model.ReviewAccepted, 9, "two"},
	} {
		if got := l.runFor(model.Event{Name: c.name, At: at(c.ms)}); got == nil || got.ID != c.want {
			t.Errorf("%s at %d: %+v, want %s", c.name, c.ms, got, c.want)
		}
	}
	if (&leaving{}).runFor(model.Event{Name: model.AcceptPlan}) != nil {
		t.Error("there is no run")
	}
}

// What somebody changed in an object of work that was done here is not believed.
func TestWorkIsKnownHere(t *testing.T) {
	s, uid := worked(t)
	list, _ := s.Export()
	for _, o := range list {
		if text(o, "object_type") == "decision" {
			r := s.Import(string(model.EncodeFields(seal(o.With(model.TextField("decision_type", "abandon"))))))
			if r.Created+r.Updated != 0 || !strings.Contains(strings.Join(r.NotCarried, "\n"), "the records here stay") {
				t.Fatalf("%+v", r)
			}
		}
	}
	if len(s.Task(string(uid)).Spec.External) > 0 {
		t.Error("it is kept")
	}
}

func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		b, errRead := os.ReadFile(p)
		out[p] = info.ModTime().String() + string(b)
		return errors.Join(err, errRead)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A directory holds all of it, the patches too, and a second export leaves every file alone.
func TestDirectory(t *testing.T) {
	s, _ := worked(t)
	dir := filepath.Join(t.TempDir(), "out")
	s.Save(dir)
	was := tree(t, dir)
	if len(was) != 20 { // 19 objects, and one patch that both runs have
		t.Errorf("%d files", len(was))
	}
	s.Save(dir)
	for name, b := range tree(t, dir) {
		if was[name] != b {
			t.Errorf("%s is another", name)
		}
	}
	there := recordstest.New(t, Format())
	in := records.Input{Name: "out", Path: dir, Dir: os.DirFS(dir)}
	there.ImportFrom(in)
	again := filepath.Join(t.TempDir(), "again")
	there.Save(again)
	for name, b := range tree(t, dir) {
		b2, err := os.ReadFile(filepath.Join(again, strings.TrimPrefix(name, dir)))
		if err != nil || !strings.HasSuffix(b, string(b2)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r := there.ImportFrom(in); r.Unchanged != 1 || r.Updated+r.Created != 0 {
		t.Errorf("%+v", r)
	}
	uid := there.Last().Snapshot.At(0).UID
	runs, err := there.Files().Runs(t.Context(), uid)
	if err != nil || len(runs) != 2 {
		t.Fatal(err, runs)
	}
	if b, _, err := there.Files().ReadRunFile(t.Context(), uid, runs[0].ID, "changes.patch", 0, 1<<20); err != nil || string(b) != patchText {
		t.Errorf("%v %s", err, b)
	}
}

func TestHostileDirectory(t *testing.T) {
	const name = "task/00000000-0000-7000-8000-000000000009.json"
	for want, make := range map[string]func(dir string) error{
		"not a regular file": func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "task", "x.json")) },
		"not the name of its file": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "task", "00000000-0000-7000-8000-000000000008.json"), []byte(old2()), 0o600)
		},
		"bad-json": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "task", "deep.json"), []byte(strings.Repeat(`[`, 100_000)), 0o600)
		},
		"too-large": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "task", "large.json"), []byte(`{"object_id":"`+strings.Repeat("x", 2<<20)+`"}`), 0o600)
		},
		"bad-utf8": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "task", "x.json"), []byte("\xff"), 0o600)
		},
		"too-deep": func(dir string) error { return os.MkdirAll(filepath.Join(dir, strings.Repeat("a/", 20)), 0o700) },
	} {
		t.Run(want, func(t *testing.T) {
			dir := t.TempDir()
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, "task"), 0o700), os.WriteFile(filepath.Join(dir, name), []byte(old2()), 0o600), make(dir)); err != nil {
				t.Fatal(err)
			}
			_, problems := read(records.Input{Name: "d", Path: dir, Dir: os.DirFS(dir)})
			if len(problems) == 0 || !strings.Contains(problems[0].Reason+problems[0].Code, want) || !strings.HasPrefix(problems[0].Path, "d/") {
				t.Errorf("%+v", problems)
			}
		})
	}
	// An export follows no link out of its directory.
	dir, out := t.TempDir(), t.TempDir()
	if err := os.Symlink(out, filepath.Join(dir, "task")); err != nil {
		t.Fatal(err)
	}
	s := recordstest.New(t, Format())
	s.Import(old2())
	s.Export()
	if _, err := save(t.Context(), dir, s.Last()); err == nil {
		t.Error("it was written")
	}
	if list, err := os.ReadDir(out); err != nil || len(list) > 0 {
		t.Error(err, list)
	}
}

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return gitIn(t, dir, "", args...)
}

// gitIn is runGit with an input.
func gitIn(t *testing.T, dir, in string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	b, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, b)
	}
	return string(b)
}

// hostile is a repository whose configuration would run a program at every turn.
func hostile(t *testing.T) (dir, ran string) {
	t.Helper()
	dir = t.TempDir()
	ran = filepath.Join(t.TempDir(), "ran")
	runGit(t, dir, "init", "-q", ".")
	evil := filepath.Join(dir, "evil")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\ntouch "+ran+"\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	hooks := filepath.Join(dir, "hooks")
	if err := os.Mkdir(hooks, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, h := range []string{"reference-transaction", "post-commit", "pre-auto-gc", "post-index-change"} {
		for _, d := range []string{hooks, filepath.Join(dir, ".git", "hooks")} {
			if err := os.Symlink(evil, filepath.Join(d, h)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for k, v := range map[string]string{
		"core.hooksPath": hooks, "core.fsmonitor": evil, "core.pager": evil, "core.editor": evil, "core.sshCommand": evil, "core.alternateRefsCommand": evil,
		"filter.x.clean": evil, "filter.x.smudge": evil, "filter.x.process": evil, "diff.external": evil, "diff.x.textconv": evil, "gpg.program": evil,
		"commit.gpgSign": "true", "credential.helper": "!" + evil, "alias.cat-file": "!" + evil, "gc.recentObjectsHook": evil,
	} {
		runGit(t, dir, "config", k, v)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("* filter=x diff=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, ran
}

// A reference of a repository takes all of it as one commit, and again nothing; nothing that the repository
// names is run.
func TestReference(t *testing.T) {
	dir, ran := hostile(t)
	s, _ := worked(t)
	const ref = "refs/libra/intent"
	environ := append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	write := func(s *recordstest.Store) bool {
		t.Helper()
		s.Export()
		changed, err := saveRef(t.Context(), environ, dir, ref, s.Last())
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	if !write(s) || write(s) {
		t.Error("the second of two exports changes something, or the first nothing")
	}
	if n := strings.TrimSpace(runGit(t, dir, "rev-list", "--count", ref)); n != "1" {
		t.Errorf("%s commits", n)
	}
	names := runGit(t, dir, "ls-tree", "-r", "--name-only", ref)
	for _, want := range []string{"task/", "patchset/", "artifact/"} {
		if !strings.Contains("\n"+names, "\n"+want) {
			t.Errorf("there is no %s in\n%s", want, names)
		}
	}
	list, problems, err := readRef(t.Context(), environ, dir, ref)
	if err != nil || len(problems) > 0 || len(list) != 19 {
		t.Fatal(err, problems, len(list))
	}
	there := recordstest.New(t, Format())
	var all []string
	for _, r := range list {
		all = append(all, string(r.Raw))
	}
	there.ImportRecords(list)
	there.Exports(strings.Join(all, "\n"))
	if write(there) {
		t.Error("who imported it writes something else")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the repository ran a program")
	}
	for _, bad := range []string{"refs/heads/main", "refs/tags/x", "HEAD", "-x", "refs/../x", "refs/x y", "refs/vespe/history", "refs/a..b", "refs/x.lock", "refs/"} {
		if _, err := saveRef(t.Context(), environ, dir, bad, s.Last()); !errors.Is(err, records.ErrRef) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, problems, err := readRef(t.Context(), environ, dir, "refs/none"); err != nil || len(problems) != 1 || problems[0].Code != "missing-ref" {
		t.Errorf("%v %+v", err, problems)
	}
}
