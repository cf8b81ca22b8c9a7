package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vespe/agents/install"
)

// world is a home, a project with a store, and programs on the PATH.
type world struct {
	t *testing.T
	o Options
	b string // the directory of programs
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, b: filepath.Join(dir, "bin")}
	root, home := filepath.Join(dir, "project"), filepath.Join(dir, "home")
	for _, d := range []string{w.b, home, filepath.Join(root, ".vespe", "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", w.b+string(os.PathListSeparator)+"/usr/bin"+string(os.PathListSeparator)+"/bin")
	env := map[string]string{"HOME": home}
	w.o = Options{Root: root, Home: home, Getenv: func(k string) string { return env[k] }, Program: "vespe", Limit: 3 * time.Minute}
	w.o.Vespe = w.program("vespe", vespeScript)
	return w
}

// program is a script by its name.
func (w *world) program(name, script string) string {
	w.t.Helper()
	path := filepath.Join(w.b, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil { //nolint:gosec // a program
		w.t.Fatal(err)
	}
	return path
}

func (w *world) install(client string) {
	w.t.Helper()
	s := &install.Setup{Client: client, Scope: install.Project, Root: w.o.Root, Getenv: w.o.Getenv, Program: "vespe"}
	p, err := s.Install()
	if err == nil {
		err = p.Apply()
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) run() Report { return Run(context.Background(), w.o) }

func (r *Report) check(t *testing.T, client, name string) Check {
	t.Helper()
	list := r.Vespe
	for _, c := range r.Clients {
		if c.Name == client {
			list = c.Checks
		}
	}
	i := slices.IndexFunc(list, func(c Check) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("nothing is said of %s %s: %+v", client, name, list)
	}
	return list[i]
}

func (r *Report) want(t *testing.T, client, name string, state State, text string) {
	t.Helper()
	if c := r.check(t, client, name); c.State != state || !strings.Contains(c.Text, text) {
		t.Errorf("%s %s is %+v; want %s, %q", client, name, c, state, text)
	}
}

// vespeScript answers as the server and the hooks do.
const vespeScript = `case "$1" in
mcp)
  read -r line; echo 'starting' >&2
  echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
  echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}'
  read -r line; read -r line
  echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"task_next"},{"name":"task_get"}]}}'
  read -r line ;;
hook)
  case "$(cat)" in
  *.vespe/tmp*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}' ;;
  *) echo '{}' ;;
  esac ;;
esac
`

// codexScript is Codex with hooks of a trust.
func codexScript(trust string) string {
	return `case "$1" in
--version) echo codex-cli 0.169.0 ;;
app-server)
  read -r line; echo '{"id":1,"result":{"userAgent":"x"}}'
  read -r line; read -r line
  echo '{"id":2,"result":{"data":[{"hooks":[{"command":"vespe hook codex Stop","eventName":"stop","enabled":true,"trustStatus":"` + trust + `"},{"command":"mine","trustStatus":"untrusted"}]}]}}'
  read -r line ;;
esac
`
}

func TestAllIsWell(t *testing.T) {
	w := newWorld(t)
	w.program("claude", "echo '2.1.329 (Claude Code)'\n")
	w.program("codex", codexScript("trusted"))
	w.install(install.ClaudeCode)
	w.install(install.Codex)
	r := w.run()
	r.want(t, "", "server", OK, "2 tools, in MCP 2025-06-18")
	r.want(t, "", "hook claude-code", OK, "denies a direct write into .vespe")
	r.want(t, "", "hook codex", OK, "denies")
	r.want(t, install.ClaudeCode, "program", OK, "2.1.329 at "+w.b)
	r.want(t, install.ClaudeCode, "project", OK, "set up")
	r.want(t, install.ClaudeCode, "user", None, "not set up")
	r.want(t, install.Codex, "hooks", OK, "1 hooks are trusted")
	r.want(t, install.OpenCode, "program", None, "opencode is not on the PATH")
	if r.Bad() || r.Reach.Level != nil {
		t.Errorf("%+v", r)
	}
}

// In a git worktree clients read its own files: those of the main checkout count once they are there.
func TestAWorktreeThatLacksTheSettings(t *testing.T) {
	w := newWorld(t)
	w.install(install.ClaudeCode)
	main := w.o.Root
	w.o.Twin = t.TempDir()
	r := w.run()
	r.want(t, install.ClaudeCode, "project", Bad, "set up in the main checkout only")
	r.want(t, install.Codex, "project", None, "not set up")
	if do := r.check(t, install.ClaudeCode, "project").Do; !strings.Contains(do, main) || !strings.Contains(do, "--scope user") || !r.Bad() {
		t.Errorf("what to do is %q", do)
	}
	w.o.Root = w.o.Twin
	w.install(install.ClaudeCode)
	w.o.Root = main
	r = w.run()
	r.want(t, install.ClaudeCode, "project", OK, "set up")
	if do := r.check(t, install.ClaudeCode, "below").Do; !strings.Contains(do, w.o.Twin) {
		t.Errorf("what to do is %q", do)
	}
}

func TestWhatIsWrong(t *testing.T) {
	w := newWorld(t)
	w.program("claude", "echo '2.1.197 (Claude Code)'\n")
	w.program("codex", codexScript("modified"))
	w.program("vespe", "echo 'no verb' >&2; exit 64\n")
	w.install(install.Codex)
	w.install(install.ClaudeCode)
	settings := filepath.Join(w.o.Root, ".claude", "settings.json")
	body, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte(strings.ReplaceAll(string(body), "\"vespe hook", "\"/old/vespe hook")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.o.Root, "opencode.json"), []byte("{\n oops }"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := w.run()
	r.want(t, "", "server", Bad, "no verb")
	r.want(t, "", "hook claude-code", Bad, "exit status 64: no verb")
	r.want(t, install.ClaudeCode, "program", Warn, "2.1.197 is older than 2.1.329")
	r.want(t, install.ClaudeCode, "project", Bad, "differs from what vespe installs: "+settings)
	r.want(t, install.Codex, "hooks", Bad, "Codex skips 1 of 1 hooks, which you have not trusted: stop")
	r.want(t, install.OpenCode, "project", Bad, "opencode.json: line 2: ")
	if !r.Bad() {
		t.Error("nothing is bad")
	}
}

// A program that hangs, and one that says other things, hold nothing up.
func TestProgramsThatDoNotAnswer(t *testing.T) {
	w := newWorld(t)
	w.program("claude", "exec sleep 60\n")
	w.program("codex", "case \"$1\" in --version) echo what ;; *) exec sleep 60 ;; esac\n")
	w.program("vespe", "case \"$1\" in mcp) echo 'not json'; exec sleep 60 ;; *) echo '<html>' ;; esac\n")
	w.install(install.Codex)
	var r Report
	// On a busy machine a program that does answer needs a larger limit.
	for w.o.Limit = 300 * time.Millisecond; ; w.o.Limit *= 2 {
		r = w.run()
		late := func(c Check) bool {
			answers := strings.HasPrefix(c.Name, "hook") || c.Name == "program"
			return answers && strings.Contains(c.Text, "no answer within")
		}
		slow := slices.ContainsFunc(r.Vespe, late)
		for _, c := range r.Clients {
			slow = slow || c.Name == install.Codex && slices.ContainsFunc(c.Checks, late)
		}
		if !slow || w.o.Limit > time.Minute {
			break
		}
	}
	r.want(t, "", "server", Bad, "does not answer")
	r.want(t, "", "hook claude-code", Bad, "not JSON")
	r.want(t, install.ClaudeCode, "program", Bad, "no answer within "+w.o.Limit.String())
	r.want(t, install.Codex, "program", Warn, "does not say its version")
	r.want(t, install.Codex, "hooks", Warn, "which hooks Codex trusts")
}

// A gate that lets a write into the store through is found out.
func TestGateThatIsOpen(t *testing.T) {
	w := newWorld(t)
	w.program("vespe", "case \"$1\" in hook) cat > /dev/null; echo '{}' ;; esac\n")
	r := w.run()
	r.want(t, "", "hook codex", Bad, "is not denied")
	r.want(t, "", "server", Bad, "it ended without an answer")
	w.program("vespe", "case \"$1\" in hook) cat > /dev/null; echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}' ;; esac\n")
	r = w.run()
	r.want(t, "", "hook codex", Warn, "reading a file is gated")
	w.o.Vespe = ""
	r = w.run()
	r.want(t, "", "server", None, "path of this program is unknown")
}

func TestReach(t *testing.T) {
	w := newWorld(t)
	tmp := filepath.Join(w.o.Root, ".vespe", "tmp")
	r := Probe(w.o.Root, "codex")
	if r.Level == nil || *r.Level != 0 || !strings.HasPrefix(r.Text, "Level 0: commands of codex can") {
		t.Errorf("%+v", r)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("the probe left %v, %v", left, err)
	}
	if r := Probe("", "codex"); r.Level != nil || !strings.Contains(r.Text, "No store") {
		t.Errorf("%+v", r)
	}
	if r := Probe(filepath.Join(w.o.Root, "nowhere"), "codex"); r.Level != nil || !strings.Contains(r.Text, "writable") {
		t.Errorf("%+v", r)
	}
	for _, err := range []error{syscall.EROFS, syscall.EPERM, syscall.EACCES, &fs.PathError{Err: syscall.EROFS}} {
		if !IsReadOnly(err) {
			t.Errorf("%v lets something be written", err)
		}
	}
	if IsReadOnly(nil) || IsReadOnly(syscall.ENOSPC) || IsReadOnly(errors.New("x")) || ReadOnly(w.o.Root) {
		t.Error("what can be written to cannot be")
	}
	if os.Geteuid() == 0 {
		return // nothing is read-only for root
	}
	if err := os.Chmod(tmp, 0o500); err != nil { //nolint:gosec // a directory
		t.Fatal(err)
	}
	defer os.Chmod(tmp, 0o700) //nolint:errcheck,gosec // so that it can be removed
	if r := Probe(w.o.Root, "codex"); r.Level == nil || *r.Level != 1 {
		t.Errorf("%+v", r)
	}
}
