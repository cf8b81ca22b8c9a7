package verify

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
)

func TestNode(t *testing.T) {
	t.Parallel()
	const script = `{"scripts": {"test": "jest"}, "devDependencies": {"jest": "1"}}`
	ran := "echo \"$CI $0 $1\" | sed 's|/.*/||'; echo 'Tests:       1 passed, 1 total'"
	for _, c := range []struct {
		name       string
		fs         files
		program    string // npm, pnpm or yarn
		body       string
		modules    bool // are installed
		ok, tested bool
		check      string
	}{
		{"npm", files{"package.json": script, "package-lock.json": "{}"}, "npm", ran, true, true, true, "pass npm test [detected: package.json]\n"},
		{"pnpm", files{"package.json": script, "pnpm-lock.yaml": ""}, "pnpm", ran, true, true, true, "pass pnpm test [detected: package.json]\n"},
		{"yarn", files{"package.json": script, "yarn.lock": ""}, "yarn", ran, true, true, true, "pass yarn test [detected: package.json]\n"},
		{"fails", files{"package.json": script}, "npm", "echo 'Tests:  1 failed, 1 total'; exit 1", true, false, true, "fail npm test [detected: package.json]\n"},
		{"no tests", files{"package.json": script}, "npm", "echo 'No tests found, exiting with code 1'; exit 1", true, true, false, "not_run npm test [detected: package.json]: it found no tests\n"},
		{"no tests allowed", files{"package.json": script}, "npm", "echo '  0 passing (1ms)'", true, true, false, "not_run npm test [detected: package.json]: it found no tests\n"},
		{"not installed", files{"package.json": script}, "npm", ran, false, true, false, "not_run npm test [detected: package.json]: its packages are not installed (no node_modules); a setup command can install them\n"},
		{"needs nothing", files{"package.json": `{"scripts": {"test": "node --test"}}`}, "npm", "echo '# tests 3'", false, true, true, "pass npm test [detected: package.json]\n"},
		{"placeholder", files{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, "npm", ran, true, true, false, ""},
		{"no script", files{"package.json": `{"scripts": {"build": "x"}}`}, "npm", ran, true, true, false, ""},
		{"unreadable", files{"package.json": `{`}, "npm", ran, true, true, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := commit(t, c.fs, model.Spec{})
			in.programs(t, false, files{c.program: c.body})
			if c.modules {
				if err := os.Mkdir(filepath.Join(in.Dir, "node_modules"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r := verify(t, in)
			if r.OK != c.ok || r.Tested != c.tested || told(r) != c.check {
				t.Errorf("ok %v, tested %v: %s", r.OK, r.Tested, told(r))
			}
			if c.body == ran && c.check != "" && c.tested && r.Checks[0].Output != "true "+c.program+" test\nTests:       1 passed, 1 total\n" {
				t.Errorf("printed %q", r.Checks[0].Output)
			}
		})
	}
}

func TestPytest(t *testing.T) {
	t.Parallel()
	const pass = "pass python3 -m pytest -q [detected: pytest]\n"
	const none = "not_run python3 -m pytest -q [detected: pytest]: it found no tests\n"
	ok := "echo '1 passed, 1 skipped in 0.01s'"
	for _, c := range []struct {
		name       string
		fs         files
		spec       model.Spec
		body       string
		ok, tested bool
		check      string
	}{
		{"pytest.ini", files{"pytest.ini": ""}, model.Spec{}, ok, true, true, pass},
		{"pyproject", files{"pyproject.toml": "[tool.pytest.ini_options]\n"}, model.Spec{}, ok, true, true, pass},
		{"pyproject of others", files{"pyproject.toml": "[tool.black]\n"}, model.Spec{}, ok, true, false, ""},
		{"setup.cfg", files{"setup.cfg": "[tool:pytest]\n"}, model.Spec{}, ok, true, true, pass},
		{"tox.ini", files{"tox.ini": "[pytest]\n"}, model.Spec{}, ok, true, true, pass},
		{"tests", files{"tests/unit/test_a.py": ""}, model.Spec{}, ok, true, true, pass},
		{"conftest", files{"tests/conftest.py": ""}, model.Spec{}, ok, true, true, pass},
		{"tests of others", files{"tests/a.js": ""}, model.Spec{}, ok, true, false, ""},
		{"fails", files{"pytest.ini": ""}, model.Spec{}, "echo '1 failed in 0.01s'; exit 1", false, true, "fail python3 -m pytest -q [detected: pytest]\n"},
		{"collects nothing", files{"pytest.ini": ""}, model.Spec{}, "echo 'no tests ran in 0.01s'; exit 5", true, false, none},
		{"all skipped", files{"pytest.ini": ""}, model.Spec{}, "echo '2 skipped in 0.01s'", true, false, none},
		{"no pytest", files{"pytest.ini": ""}, model.Spec{}, "echo '/usr/bin/python3: No module named pytest' >&2; exit 1", true, false, "not_run python3 -m pytest -q [detected: pytest]: pytest is not installed\n"},
		{"a test that says so", files{"pytest.ini": ""}, model.Spec{}, "echo 'python3: No module named pytest'; echo '1 failed'; exit 1", false, true, "fail python3 -m pytest -q [detected: pytest]\n"},
		{"given, collects nothing", files{}, model.Spec{Verify: [][]string{{"python3", "-m", "pytest", "a"}}}, "exit 5", false, true, "fail python3 -m pytest a [verify]\n"},
		{
			"narrowed",
			files{"pytest.ini": "", "tests/test_a.py": "", "-odd/test_b.py": ""},
			model.Spec{TestFiles: []string{"tests/test_a.py", "-odd/test_b.py"}},
			"echo \"$@\"; " + ok, true, true,
			"pass test files [files]\npass python3 -m pytest -q ./-odd/test_b.py ./tests/test_a.py [detected: pytest]: only the files in test_files\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			detected(t, c.fs, c.spec, files{"python3": c.body}, c.ok, c.tested, c.check)
		})
	}
}

func TestCargo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		ok, tested bool
		check      string
	}{
		{"passes", "echo 'running 0 tests'; echo 'running 2 tests'; printf 'test result: \\033[32mok\\033[0m. 2 passed; 0 failed\\n'", true, true, "pass cargo test [detected: cargo test]\n"},
		{"fails", "echo 'test result: FAILED. 0 passed; 1 failed'; exit 101", false, true, "fail cargo test [detected: cargo test]\n"},
		{"no tests", "echo 'running 0 tests'; echo 'test result: ok. 0 passed; 0 failed; 0 ignored'", true, false, "not_run cargo test [detected: cargo test]: it found no tests\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			detected(t, files{"Cargo.toml": ""}, model.Spec{}, files{"cargo": c.body}, c.ok, c.tested, c.check)
		})
	}
}

// detected expects what a verification finds, beside programs that are scripts.
func detected(t *testing.T, fs files, spec model.Spec, scripts files, ok, tested bool, check string) {
	t.Helper()
	in := commit(t, fs, spec)
	in.programs(t, false, scripts)
	if r := verify(t, in); r.OK != ok || r.Tested != tested || told(r) != check {
		t.Errorf("ok %v, tested %v, %s: %s", r.OK, r.Tested, r.Why, told(r))
	}
}

func TestMake(t *testing.T) {
	t.Parallel()
	const pass = "pass make test [detected: make test]\n"
	for _, c := range []struct {
		name       string
		fs         files
		ok, tested bool
		check      string
	}{
		{"passes", files{"Makefile": "X := 1\n.PHONY: test\nbuild test: all\n\t@echo tested\nall:\n"}, true, true, pass},
		{"double colon", files{"makefile": "test::\n\t@echo tested\n"}, true, true, pass},
		{"fails", files{"Makefile": "test:\n\texit 3\n"}, false, true, "fail make test [detected: make test]\n"},
		{"up to date", files{"Makefile": "test:\n\techo tested\n", "test": ""}, true, false, "not_run make test [detected: make test]: it found no tests\n"},
		{"nothing to do", files{"Makefile": "test:\n"}, true, false, "not_run make test [detected: make test]: it found no tests\n"},
		{"no target", files{"Makefile": "test := 1\nTEST = test: x\n# test: y\nall:\n\techo test: z\n"}, true, false, ""},
		{"GNUmakefile first", files{"GNUmakefile": "all:\n", "Makefile": "test:\n\techo tested\n"}, true, false, ""},
		{"beside go", tested.with(files{"Makefile": "test:\n\techo tested\n"}), true, true, "pass go test ./... [detected: go test]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			detected(t, c.fs, model.Spec{}, nil, c.ok, c.tested, c.check)
		})
	}
}

func TestSeveralRunners(t *testing.T) {
	t.Parallel()
	fs := tested.with(files{"package.json": `{"scripts": {"test": "x"}}`, "web/package.json": `{"scripts": {"test": "x"}}`, "web/Makefile": "test:\n", "doc/Makefile": "test:\n"})
	in := commit(t, fs, model.Spec{})
	in.Changed = []string{"web/src/a.js", "doc/b"}
	in.programs(t, false, files{"npm": "pwd; echo 'No tests found'"})
	// Where others tested, it does not matter that npm found nothing.
	expect(t, verify(t, in), true, true, "", `pass go test ./... [detected: go test]
not_run npm test [detected: package.json]: it found no tests
not_run npm test in web [detected: package.json]: it found no tests
`)
	// That it cannot be run does.
	in = commit(t, fs, model.Spec{})
	in.programs(t, false, files{"npm": ""})
	in.Task.Spec.Verify = [][]string{{"true"}, {"no-such-npm", "test"}}
	expect(t, verify(t, in), true, false, "no-such-npm test: it is not installed: no-such-npm is not in PATH", `pass true [verify]
not_run no-such-npm test [verify]: it is not installed: no-such-npm is not in PATH
`)
}

// What a commit changes is asked of git where nobody says it.
func TestRunnersNearWhatChanged(t *testing.T) {
	t.Parallel()
	fs := files{"web/package.json": `{"scripts": {"test": "x"}}`, "back/Makefile": "test:\n\t@echo tested\n", "back/src/a": "1"}
	in := commit(t, fs, model.Spec{})
	in.programs(t, false, files{"npm": "echo 1 passing"})
	expect(t, verify(t, in), true, true, "", "pass make test in back [detected: make test]\npass npm test in web [detected: package.json]\n")
	for _, args := range [][]string{{"rm", "-q", "back/src/a"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "two"}, {"rev-parse", "HEAD"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = in.Dir, environment
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		in.Commit = strings.TrimSpace(string(out))
	}
	expect(t, verify(t, in), true, true, "", "pass make test in back [detected: make test]\n")
}

func TestCriteria(t *testing.T) {
	t.Parallel()
	in := commit(t, broken, model.Spec{Verify: [][]string{{"go", "vet", "./..."}, {"false"}}})
	cases := []struct {
		text, status, by, why string
	}{
		{"`go vet  ./...` passes.", "pass", "go vet ./...", ""},
		{"`false`", "fail", "false", "exit code 1"},
		{"Run `go vet ./...`", "pass", "go vet ./...", ""},
		{"`go vet ./...` finds nothing in generated code", "not_run", "", "no command verifies it; the checks failed"},
		{"`rm -rf /` succeeds", "not_run", "", "`rm -rf /` was not run"},
		{"The page loads fast", "not_run", "", "no command verifies it; the checks failed"},
		{"Latest: everything", "not_run", "", "no command verifies it; the checks failed"},
	}
	for _, c := range cases {
		in.Task.Spec.AcceptanceCriteria = append(in.Task.Spec.AcceptanceCriteria, model.Criterion{Text: c.text, State: "done", Evidence: "the worker says so"})
	}
	r := verify(t, in)
	if len(r.Criteria) != len(cases) {
		t.Fatalf("%d criteria", len(r.Criteria))
	}
	for i, c := range cases {
		if got := r.Criteria[i]; got.Text != c.text || string(got.Status) != c.status || got.By != c.by || got.Why != c.why {
			t.Errorf("%q: %s by %q: %q; want %s by %q: %q", c.text, got.Status, got.By, got.Why, c.status, c.by, c.why)
		}
	}
	if r.OK || !r.Tested {
		t.Errorf("ok %v, tested %v", r.OK, r.Tested)
	}
	if t.Failed() {
		t.Log(told(r))
	}
}
