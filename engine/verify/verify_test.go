package verify

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/engine/proc"
	"vespe/model"
	"vespe/model/runlog"
)

// The test binary is also the guard of what a verification runs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "__guard" {
		os.Exit(proc.GuardMain(os.Args[2:]))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// files are a commit: paths and what they hold.
type files map[string]string

func (f files) with(more files) files {
	out := maps.Clone(f)
	maps.Copy(out, more)
	return out
}

// environment has no settings of the person. go test does not vet, which here would take longer than the tests.
var environment = clean()

func clean() []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, "CI=") })
	return append(env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GOFLAGS=-vet=off", "GOWORK=off", "LC_ALL=C", "MAKEFLAGS=", "MAKELEVEL=")
}

// commit is a verification of a commit of files.
func commit(t testing.TB, fs files, spec model.Spec) Input {
	t.Helper()
	dir := t.TempDir()
	for name, body := range fs {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(body, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(body), mode); err != nil {
			t.Fatal(err)
		}
	}
	var oid string
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one"}, {"rev-parse", "HEAD"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, environment
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		oid = strings.TrimSpace(string(out))
	}
	return Input{
		Dir: dir, Commit: oid, Task: &model.Task{Spec: &spec}, Run: "run-" + filepath.Base(filepath.Dir(dir)) + "-" + oid[:8],
		Env: environment, State: t.TempDir(), Guard: []string{os.Args[0], "__guard"},
		Limits: proc.Limits{Wall: time.Minute, Grace: time.Second},
	}
}

// programs puts programs before all others, or with only in place of them: git stays.
func (in *Input) programs(t *testing.T, only bool, scripts files) {
	t.Helper()
	dir := t.TempDir()
	for name, body := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path := dir
	if !only {
		path += string(filepath.ListSeparator) + os.Getenv("PATH")
	} else {
		git, err := exec.LookPath("git")
		if err == nil {
			err = os.Symlink(git, filepath.Join(dir, "git"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	in.Env = append(slices.DeleteFunc(slices.Clone(in.Env), func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }), "PATH="+path)
}

func verify(t *testing.T, in Input) runlog.Report {
	t.Helper()
	r, err := Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(in.State); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return r
}

// told is a report in short: a line for each check.
func told(r runlog.Report) string {
	var b strings.Builder
	for _, c := range r.Checks {
		b.WriteString(string(c.Status) + " " + c.Name + " [" + c.Source + "]")
		if c.Why != "" {
			b.WriteString(": " + c.Why)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func expect(t *testing.T, r runlog.Report, ok, tested bool, why, checks string) {
	t.Helper()
	if r.OK != ok || r.Tested != tested || r.Why != why {
		t.Errorf("ok %v, tested %v, %q; want %v, %v, %q", r.OK, r.Tested, r.Why, ok, tested, why)
	}
	if got := told(r); got != checks {
		t.Errorf("checks:\n%swant:\n%s", got, checks)
	}
	if t.Failed() {
		for _, c := range r.Checks {
			t.Logf("%s printed %q", c.Name, c.Output)
		}
	}
}

var (
	module = files{"go.mod": "module example.org/m\n\ngo 1.21\n", "m.go": "package m\n\nfunc Two() int { return 2 }\n"}
	tested = module.with(files{"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fatal(Two())\n\t}\n}\n"})
	broken = tested.with(files{"m.go": "package m\n\nfunc Two() int { return 3 }\n"})
)

func TestFilesToCreate(t *testing.T) {
	fs := files{"a.txt": "a", "dir/b.txt": "", "pages/[id].tsx": "x", "migrations/001.sql": "x", ".gitignore": "ignored.txt\n"}
	in := commit(t, fs, model.Spec{
		FilesToCreate: []string{"a.txt", "./dir//b.txt", "dir/", "pages/[id].tsx", "migrations/*.sql", "none.txt", "../a.txt", "/etc/passwd", "ignored.txt", "A.TXT", "*.none"},
		Verify:        [][]string{{"sh", "-c", "echo >none.txt"}}, // what a check makes is no part of the commit
	})
	if err := os.WriteFile(filepath.Join(in.Dir, "ignored.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := verify(t, in)
	missing := []string{"none.txt", "../a.txt", "/etc/passwd", "ignored.txt", "A.TXT", "*.none"}
	if !slices.Equal(r.Missing, missing) {
		t.Errorf("missing %q", r.Missing)
	}
	why := "not in the commit: none.txt, ../a.txt, /etc/passwd, ignored.txt, A.TXT and 1 more"
	expect(t, r, false, true, why, "fail files to create [files]: "+why+"\npass sh -c echo >none.txt [verify]\n")
	if r.Commit != in.Commit || len(r.Tree) != len(r.Commit) {
		t.Errorf("of commit %q, tree %q", r.Commit, r.Tree)
	}
}

func TestVerifyCommands(t *testing.T) {
	fs := tested.with(files{"check.sh": "#!/bin/sh\necho \"$0 $1\"; echo wrong >&2; exit 3\n", "plain.sh": "exit 0\n"})
	in := commit(t, fs, model.Spec{Verify: [][]string{
		{"sh", "-c", "echo $FLAG; test $FLAG = up"},
		{"./check.sh", "two words"},
		{"./none.sh"},
		{"./plain.sh"},
		{"vespe-no-such-program"},
		{"sh", "-c", "kill -9 $$"},
		{},
		{"sh", "-c", "echo $FLAG; test $FLAG = up"},
	}})
	in.Env = append(slices.Clone(in.Env), "FLAG=up")
	var events []runlog.Event
	in.Emit = func(e runlog.Event) { events = append(events, e) }
	r := verify(t, in)
	expect(t, r, false, true,
		"./check.sh two words: exit code 3; ./none.sh: the commit does not contain the program ./none.sh; ./plain.sh: the commit does not contain the program ./plain.sh; sh -c kill -9 $$: it was killed by a signal: killed",
		`pass sh -c echo $FLAG; test $FLAG = up [verify]
fail ./check.sh two words [verify]
fail ./none.sh [verify]: the commit does not contain the program ./none.sh
fail ./plain.sh [verify]: the commit does not contain the program ./plain.sh
not_run vespe-no-such-program [verify]: it is not installed: vespe-no-such-program is not in PATH
fail sh -c kill -9 $$ [verify]: it was killed by a signal: killed
not_run  [verify]: it has no program
pass sh -c echo $FLAG; test $FLAG = up (2) [verify]
`)
	if c := r.Checks[1]; c.Exit != 3 || c.Output != filepath.Join(in.Dir, "check.sh")+" two words\nwrong\n" && c.Output != "./check.sh two words\nwrong\n" || c.Bytes != int64(len(c.Output)) {
		t.Errorf("evidence %+v", c)
	}
	if len(events) != 2*len(r.Checks) {
		t.Fatalf("%d events", len(events))
	}
	for i, e := range events {
		c := r.Checks[i/2]
		if e.Kind != runlog.KindCheck || e.Done != (i%2 == 1) || e.ID != c.Name || e.Failed != (e.Done && c.Status == runlog.Fail) || e.At.IsZero() {
			t.Errorf("event %d: %+v", i, e)
		}
		if e.Done && e.Check.Status != c.Status {
			t.Errorf("event %d: %+v", i, e.Check)
		}
	}
}

func TestACheckThatTakesTooLong(t *testing.T) {
	in := commit(t, files{}, model.Spec{Verify: [][]string{{"sh", "-c", "echo begun; read x <fifo"}}})
	if err := exec.Command("mkfifo", filepath.Join(in.Dir, "fifo")).Run(); err != nil {
		t.Fatal(err)
	}
	in.Limits = proc.Limits{Wall: 2 * time.Second} // time enough to begin, also on a busy machine
	r := verify(t, in)
	expect(t, r, false, true, "sh -c echo begun; read x <fifo: it took longer than 2s", "fail sh -c echo begun; read x <fifo [verify]: it took longer than 2s\n")
	if got := r.Checks[0].Output; got != "begun\n" {
		t.Errorf("printed %q", got)
	}
}

func TestACheckThatPrintsTooMuch(t *testing.T) {
	in := commit(t, files{}, model.Spec{Verify: [][]string{{"sh", "-c", "while :; do echo 0123456789 é; done"}}})
	in.Limits = proc.Limits{Output: 200_001}
	r := verify(t, in)
	expect(t, r, false, true, "sh -c while :; do echo 0123456789 é; done: it printed more than 200001 bytes",
		"fail sh -c while :; do echo 0123456789 é; done [verify]: it printed more than 200001 bytes\n")
	c := r.Checks[0]
	if n := len(c.Output); n > runlog.MaxOutput || n < runlog.MaxOutput-4 || c.Bytes < 200_001 || !strings.HasPrefix(strings.TrimLeft(c.Output, "0123456789 é"), "\n") {
		t.Errorf("%d of %d bytes: %q", n, c.Bytes, c.Output[:40])
	}
}

func TestVerificationIsInterrupted(t *testing.T) {
	in := commit(t, files{}, model.Spec{Verify: [][]string{{"true"}, {"sh", "-c", "echo begun; read x <fifo"}, {"true"}}})
	if err := exec.Command("mkfifo", filepath.Join(in.Dir, "fifo")).Run(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in.Emit = func(e runlog.Event) {
		if !e.Done && strings.HasPrefix(e.ID, "sh") {
			cancel()
		}
	}
	r, err := Run(ctx, in)
	if !errors.Is(err, context.Canceled) || r.OK || len(r.Checks) != 1 {
		t.Errorf("%v, %+v", err, r)
	}
	ps, err := os.ReadDir(in.State)
	if err != nil || len(ps) != 1 {
		t.Fatalf("%v, %v", ps, err)
	}
	in.Emit = nil
	in.Task.Spec.Verify = [][]string{{"true"}}
	expect(t, verify(t, in), true, true, "", "pass true [verify]\n") // after what is left of the first
}

func TestAnotherCommitIsCheckedOut(t *testing.T) {
	in := commit(t, tested, model.Spec{})
	in.Commit = strings.Repeat("0", 40)
	if r, err := Run(context.Background(), in); err == nil {
		t.Errorf("verified as %+v", r)
	}
}

func TestGo(t *testing.T) {
	t.Parallel()
	notFound := func(dir string) string { return "go test ./..." + dir + ": it found no tests" }
	for _, c := range []struct {
		name       string
		fs         files
		spec       model.Spec
		changed    []string
		ok, tested bool
		why        string
		checks     string
	}{
		{"fails", broken, model.Spec{}, nil, false, true, "go test ./...: exit code 1", "fail go test ./... [detected: go test]\n"},
		{"does not build", tested.with(files{"m.go": "package m\n\nfunc Two() int {\n"}), model.Spec{}, nil, false, true, "go test ./...: exit code 1", "fail go test ./... [detected: go test]\n"},
		{"no tests that run", module.with(files{"m_test.go": "package m\n"}), model.Spec{}, nil, true, false, "" + notFound(""), "not_run go test ./... [detected: go test]: it found no tests\n"},
		{"no packages", files{"go.mod": module["go.mod"]}, model.Spec{}, nil, true, false, "" + notFound(""), "not_run go test ./... [detected: go test]: it found no tests\n"},
		{"given, no tests", module, model.Spec{Verify: [][]string{{"go", "test", "./..."}, {"go", "vet", "./..."}}}, nil, true, false, "" + notFound(""), "not_run go test ./... [verify]: it found no tests\npass go vet ./... [verify]\n"},
		{"some without tests", tested.with(files{"sub/s.go": "package sub\n"}), model.Spec{}, nil, true, true, "", "pass go test ./... [detected: go test]\n"},
		{
			"narrowed", broken.with(files{"sub/s_test.go": "package sub\n\nimport \"testing\"\n\nfunc TestS(*testing.T) {}\n"}),
			model.Spec{TestFiles: []string{"sub/s_test.go", "./sub/s_test.go"}},
			nil, true, true, "", "pass test files [files]\npass go test ./sub [detected: go test]: only the files in test_files\n",
		},
		{
			"test file missing", tested,
			model.Spec{TestFiles: []string{"sub/s_test.go"}},
			nil, true, false,
			"tests that are not in the commit: sub/s_test.go", "not_run test files [files]: not in the commit: sub/s_test.go\npass go test ./... [detected: go test]\n",
		},
		{
			"below",
			files{"back/go.mod": module["go.mod"], "back/m.go": module["m.go"], "back/m_test.go": tested["m_test.go"], "README": "x"},
			model.Spec{},
			[]string{"README", "back/m.go", "gone/x", "../x", "/x"},
			true, true, "", "pass go test ./... in back [detected: go test]\n",
		},
		{
			"narrowed, below",
			files{"back/go.mod": module["go.mod"], "back/m.go": module["m.go"], "back/m_test.go": tested["m_test.go"]},
			model.Spec{TestFiles: []string{"back/m_test.go"}},
			nil,
			true, true, "", "pass test files [files]\npass go test ./. in back [detected: go test]: only the files in test_files\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := commit(t, c.fs, c.spec)
			in.Changed = c.changed
			expect(t, verify(t, in), c.ok, c.tested, c.why, c.checks)
		})
	}
}

func TestRunnersThatAreNotInstalled(t *testing.T) {
	fs := files{
		"go.mod": module["go.mod"], "Cargo.toml": "[package]\n", "pytest.ini": "[pytest]\n",
		"package.json": `{"scripts": {"test": "jest"}}`,
	}
	in := commit(t, fs, model.Spec{})
	in.programs(t, true, nil)
	r := verify(t, in)
	want := ""
	for _, c := range [][3]string{{"go test ./...", "go test", "go"}, {"npm test", "package.json", "npm"}, {"python3 -m pytest -q", "pytest", "python3"}, {"cargo test", "cargo test", "cargo"}} {
		want += "not_run " + c[0] + " [detected: " + c[1] + "]: it is not installed: " + c[2] + " is not in PATH\n"
	}
	if r.Tested || !r.OK || told(r) != want {
		t.Errorf("tested %v, ok %v:\n%swant:\n%s", r.Tested, r.OK, told(r), want)
	}
}

func TestNothingToTestWith(t *testing.T) {
	in := commit(t, files{"README": "hello"}, model.Spec{})
	expect(t, verify(t, in), true, false, "no verify command is set and no test runner was found", "")
	in = commit(t, files{"README": "hello"}, model.Spec{})
	in.Changed = []string{"go.mod", "README"}
	expect(t, verify(t, in), true, false, "no verify command is set and no test runner was found, and the commit removes go.mod", "")
	in = commit(t, files{}, model.Spec{})
	in.Task.Spec = nil
	expect(t, verify(t, in), true, false, "no verify command is set and no test runner was found", "")
}

func TestSetup(t *testing.T) {
	fs := files{"package.json": `{"scripts": {"test": "x"}, "dependencies": {"a": "1"}}`}
	in := commit(t, fs, model.Spec{})
	in.programs(t, false, files{"npm": "case $1 in ci) mkdir node_modules;; *) test -d node_modules && echo 1 passing;; esac"})
	in.Setup = [][]string{{"npm", "ci"}}
	expect(t, verify(t, in), true, true, "", "pass set up: npm ci [set-up]\npass npm test [detected: package.json]\n")
	in = commit(t, fs, model.Spec{Verify: [][]string{{"true"}}})
	in.Setup = [][]string{{"sh", "-c", "echo no network; exit 1"}, {"npm", "ci"}}
	expect(t, verify(t, in), false, false, "set up: sh -c echo no network; exit 1: exit code 1", `fail set up: sh -c echo no network; exit 1 [set-up]
not_run true [verify]: can't set up the checkout: set up: sh -c echo no network; exit 1
`)
	in = commit(t, fs, model.Spec{Verify: [][]string{{"true"}}})
	in.Setup = [][]string{{"vespe-no-such-program"}}
	expect(t, verify(t, in), true, false, "true: can't set up the checkout: set up: vespe-no-such-program",
		"not_run set up: vespe-no-such-program [set-up]: it is not installed: vespe-no-such-program is not in PATH\nnot_run true [verify]: can't set up the checkout: set up: vespe-no-such-program\n")
}
