package gitinternal

import (
	"bytes"
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
)

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

// worked is a store with a task of three plans, of which the second was tried and rejected.
func worked(t *testing.T) (*recordstest.Store, model.UID) {
	t.Helper()
	s := recordstest.New(t, Format())
	uid := s.Create(model.NewTask{Name: "Mine", Objective: "Do it\n", Spec: &model.Spec{AcceptanceCriteria: []model.Criterion{{Text: "it works"}}}})
	for _, op := range []model.Op{
		{Name: model.DefinePlan, Args: model.NewPlan{Text: "# Plan\n\n1. Do it\n"}},
		{Name: model.RejectPlan, Reason: "too short"},
		{Name: model.DefinePlan, Args: model.NewPlan{Text: "1. Think\n2. Do it\n"}},
		{Name: model.AcceptPlan},
		{Name: model.Start, Args: model.NewRun{Worker: "agent:claude", ID: "run-one"}},
		{Name: model.WorkCompleted, Args: model.Completion{Summary: "done"}},
		{Name: model.ReviewRejected, Reason: "because"},
		{Name: model.DefinePlan, Args: model.NewPlan{Text: "1. Do it well\n"}},
		{Name: model.AcceptPlan},
	} {
		s.Do(op, string(uid))
	}
	return s, uid
}

// Plans that were made here are there as git-internal has them, and come back to the same store as nothing new.
func TestPlansLeave(t *testing.T) {
	s, uid := worked(t)
	list, report := s.Export()
	var out bytes.Buffer
	for i, o := range list {
		header(&records.Converted{ID: text(o, "object_id"), Bad: func(_, why, _ string) { t.Errorf("%s: %s", model.EncodeFields(o), why) }}, o)
		if want := []string{"task", "plan", "plan", "plan"}[i]; text(o, "object_type") != want || text(o, "checksum") != checksum(o) || text(o, "object_id")[14] != '7' {
			t.Errorf("%d: %s", i, model.EncodeFields(o))
		}
		out.Write(model.EncodeFields(o))
	}
	if len(list) != 4 || text(list[3], "previous") != text(list[2], "object_id") || text(within(list[1], "tags"), markdownTag) != "# Plan\n\n1. Do it\n" {
		t.Fatalf("%s", out.String())
	}
	all := strings.Join(report.NotCarried, "\n")
	if !strings.Contains(all, "approvals are not exported") || !strings.Contains(all, "runs are not exported") {
		t.Errorf("%s", all)
	}
	if r := s.Import(out.String()); r.Unchanged != 1 || r.Created+r.Updated != 0 || s.Task(string(uid)).Spec.External != nil {
		t.Errorf("its own export: %+v", r)
	}
	// What somebody changed in a plan of ours is not believed.
	changed := seal(list[3].With(model.TextField("previous", "")))
	if r := s.Import(string(model.EncodeFields(list[0])) + string(model.EncodeFields(changed))); r.Unchanged != 1 || s.Task(string(uid)).Spec.External != nil {
		t.Errorf("a changed plan: %+v", r)
	}
	if again, _ := s.Export(); !model.SameJSON(records.ListValue(again), records.ListValue(list)) {
		t.Error("another export is another")
	}
	// Elsewhere they are revisions, of which none is accepted, and go out as they came.
	there := recordstest.New(t, Format())
	there.Import(out.String())
	there.Exports(out.String())
	if st := there.Task(text(list[0], "object_id")).Status; st.AcceptedPlan != nil || st.PlanRevision != 3 {
		t.Errorf("%+v", st)
	}
	if r := there.Import(out.String()); r.Unchanged != 1 {
		t.Errorf("a second import: %+v", r)
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

// A directory holds all of it, and a second export leaves every file alone.
func TestDirectory(t *testing.T) {
	s, _ := worked(t)
	dir := filepath.Join(t.TempDir(), "out")
	s.Save(dir)
	was := tree(t, dir)
	if len(was) != 4 {
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
	for _, want := range []string{"task/", "plan/"} {
		if !strings.Contains("\n"+names, "\n"+want) {
			t.Errorf("there is no %s in\n%s", want, names)
		}
	}
	list, problems, err := readRef(t.Context(), environ, dir, ref)
	if err != nil || len(problems) > 0 || len(list) != 4 {
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
