package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"vespe/internal/app"
)

// built is the program as users have it, made once for all tests of this package.
var built struct {
	sync.Once
	dir string
	err error
}

// atEnd is done when every test has ended.
var atEnd []func()

func TestMain(m *testing.M) {
	// The runtime's signal goroutine has to be there before any test makes a bubble.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGWINCH)
	// What the tests trust and set is nobody else's business.
	state, err := os.MkdirTemp("", "vespe-state")
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		if err == nil {
			err = os.Setenv(name, state)
		}
	}
	if err == nil {
		err = os.Unsetenv("GOGC") // which .ci/fast sets: the program runs as it does for everyone
	}
	if err == nil {
		err = os.Setenv("CGO_ENABLED", "0") // as the Makefile builds it
	}
	if err == nil {
		err = letScriptsDecide(state)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	for _, do := range atEnd {
		do()
	}
	os.RemoveAll(state)
	removeScaled()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// letScriptsDecide writes a configuration under which verdicts need no terminal.
func letScriptsDecide(configHome string) error {
	dir := filepath.Join(configHome, "vespe")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.toml"), []byte("[cli]\naccept_without_terminal = true\n"), 0o644)
}

const testVersion = "v0.0.0-test"

// build builds both executables as the Makefile does.
func build(dir string) error {
	ldflags, whole := "-s -w -X main.version="+testVersion, filepath.Join(dir, part)
	if out, err := exec.Command("go", "build", "-ldflags", ldflags, "-o", whole, "vespe").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	id, err := exec.Command("go", "tool", "buildid", whole).Output()
	if err != nil {
		return err
	}
	ldflags += " -X main.workbench=" + strings.TrimSpace(string(id))
	cli := filepath.Join(dir, "vespe")
	if out, err := exec.Command("go", "build", "-ldflags", ldflags, "-o", cli, "vespe/internal/vespe-cli").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// binary builds vespe and returns its path.
func binary(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		built.dir, built.err = os.MkdirTemp("", "vespe-bin")
		if built.err != nil {
			return
		}
		if built.err = os.Chmod(built.dir, 0o755); built.err != nil {
			return // other users run it too
		}
		built.err = build(built.dir)
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "vespe")
}

func TestScript(t *testing.T) {
	bin := filepath.Dir(binary(t))
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("USER", "ann")
			env.Setenv("TERM", "dumb")
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "config-"+filepath.Base(env.WorkDir)))
			// Verdicts are given by scripts here; that they need a terminal is tested where it is not so.
			if err := letScriptsDecide(env.Getenv("XDG_CONFIG_HOME")); err != nil {
				return err
			}
			env.Setenv("XDG_STATE_HOME", filepath.Join(t.TempDir(), "state-"+filepath.Base(env.WorkDir)))
			for _, kv := range []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(env.WorkDir)} {
				name, value, _ := strings.Cut(kv, "=")
				env.Setenv(name, value)
			}
			env.Values[environNames{}] = append(namesOf(env.Vars), scriptNames(t, env.WorkDir)...)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("there is no condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code":   scriptCode,
			"json":   scriptJSON,
			"size":   scriptSize,
			"nobody": scriptNobody,
			"save":   scriptSave,
			"tty":    scriptTTY,
			"vespe":  scriptVespe,
		},
	})
}

// environNames is the key of a script's names of variables.
type environNames struct{}

func namesOf(environ []string) []string {
	names := make([]string, len(environ))
	for i, kv := range environ {
		names[i], _, _ = strings.Cut(kv, "=")
	}
	return names
}

var setsVariable = regexp.MustCompile(`(?m)^(?:\[.*\] )*env (\w+)=`)

// scriptNames are the variables that a script sets.
func scriptNames(t *testing.T, workDir string) []string {
	b, err := os.ReadFile(filepath.Join("testdata", "script", strings.TrimPrefix(filepath.Base(workDir), "script-")+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range setsVariable.FindAllSubmatch(b, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

// scriptVespe is `vespe ARGUMENT…`: vespe in this process and without an input, which takes a fraction of the time of
// `exec vespe`. What it starts is the built program.
func scriptVespe(ts *testscript.TestScript, neg bool, args []string) {
	if code := runVespe(ts, args); (code == 0) == neg {
		ts.Fatalf("vespe %s: exit code %d", strings.Join(args, " "), code)
	}
}

func runVespe(ts *testscript.TestScript, args []string) int {
	c := app.Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: ts.Stdout(), Stderr: ts.Stderr(), Dir: ts.MkAbs("."),
		Executable: filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], "vespe"),
	}
	for _, name := range ts.Value(environNames{}).([]string) {
		if value := ts.Getenv(name); value != "" && name != "PWD" {
			c.Environ = append(c.Environ, name+"="+value)
		}
	}
	c.Environ = append(c.Environ, "PWD="+c.Dir)
	return app.Run(context.Background(), app.Program{Version: testVersion}, c)
}

// scriptCode is `code N COMMAND…`: the command must end with exit code N. Its output can
// be looked at with stdout and stderr.
func scriptCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	command := args[1:]
	if command[0] == "exec" {
		command = command[1:]
	}
	if args[1] == "vespe" {
		got = runVespe(ts, command[1:])
	} else if err = ts.Exec(command[0], command[1:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// scriptJSON is `json PATH VALUE`: what scriptValue finds at PATH prints as VALUE, in which \n is a newline.
func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	want := strings.ReplaceAll(args[1], `\n`, "\n")
	if got := scriptValue(ts, args[0]); (got == want) == neg {
		ts.Fatalf("%s = %s, want (negated: %v) %s", args[0], got, neg, want)
	}
}

// scriptSave is `save NAME PATH`: what scriptValue finds at PATH becomes the variable NAME.
func scriptSave(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: save NAME PATH")
	}
	ts.Setenv(args[0], scriptValue(ts, args[1]))
}

// scriptValue is the value at path of the one JSON object that standard output is: path is keys and indexes joined by
// dots; `last` is a list's last element and, at the end, `len` a list's length and `keys` an object's keys. A value that
// is not there is <nil>.
func scriptValue(ts *testscript.TestScript, path string) string {
	dec := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile("stdout"))))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		ts.Fatalf("standard output is no JSON: %v", err)
	}
	if dec.More() {
		ts.Fatalf("standard output holds more than one JSON value")
	}
	for _, key := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			if _, ok := at[key]; !ok && key == "keys" {
				v = strings.Join(slices.Sorted(maps.Keys(at)), " ")
				continue
			}
			v = at[key]
		case []any:
			i, err := strconv.Atoi(key)
			switch key {
			case "len":
				v = len(at)
				continue
			case "last":
				i, err = len(at)-1, nil
			}
			if err != nil || i < 0 || i >= len(at) {
				ts.Fatalf("%s: no element %q of %d", path, key, len(at))
			}
			v = at[i]
		default:
			ts.Fatalf("%s: %q is inside a plain value", path, key)
		}
	}
	return fmt.Sprint(v)
}

// scriptSize is `size FILE BYTES`: makes a text file of that size.
func scriptSize(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: size FILE BYTES")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat([]byte("All work.\n"), n/10+1)[:n], 0o644))
}

// scriptNobody is `nobody N COMMAND…`: like code, but as a user for whom permissions
// count, which they do not for root. What is printed is in the files out and err.
func scriptNobody(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: nobody N COMMAND…")
	}
	var out, errs bytes.Buffer
	cmd := scriptCommand(ts, args[1:])
	cmd.Stdout, cmd.Stderr = &out, &errs
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		work := ts.Getenv("WORK")
		for _, dir := range []string{filepath.Dir(work), work} {
			ts.Check(os.Chmod(dir, 0o755))
		}
	}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		ts.Check(err)
	}
	ts.Logf("%s%s", &out, &errs)
	ts.Check(os.WriteFile(ts.MkAbs("out"), out.Bytes(), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("err"), errs.Bytes(), 0o644))
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("%s: exit code %s, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// scriptCommand is the program itself, in the script's directory and environment.
func scriptCommand(ts *testscript.TestScript, args []string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], args[0]), args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "USER", "TERM", "NO_COLOR", "HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	return cmd
}

// scriptTTY is `tty N [-type KEYS] COMMAND…`: like code, with a terminal of 80 columns as standard
// input, output and error. KEYS are typed there, with enter behind them. What arrives there is in the file tty.
func scriptTTY(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: tty N [-type KEYS] COMMAND…")
	}
	command, keys := args[1:], ""
	if len(args) > 3 && args[1] == "-type" {
		command, keys = args[3:], args[2]+"\n"
	}
	cmd := scriptCommand(ts, command)
	term, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	ts.Check(err)
	defer term.Close()
	_, err = io.WriteString(term, keys)
	ts.Check(err)
	var screen bytes.Buffer
	// Reading ends with an error when the other side is gone.
	_, _ = io.Copy(&screen, term)
	if err, exit := cmd.Wait(), (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs("tty"), screen.Bytes(), 0o644))
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("%s: exit code %s, want %s\n%q", strings.Join(args[1:], " "), got, args[0], screen.String())
	}
}
