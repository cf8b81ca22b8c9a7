//go:build clients

package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// withoutHooks takes the hooks out of the settings that vespe wrote, so that what keeps an agent from the
// store is the client alone.
func (w *world) withoutHooks() {
	w.t.Helper()
	name := filepath.Join(".claude", "settings.json")
	var settings map[string]any
	if err := json.Unmarshal([]byte(w.read(name)), &settings); err != nil {
		w.t.Fatal(err)
	}
	if settings["hooks"] == nil || settings["permissions"] == nil || settings["sandbox"] == nil {
		w.t.Fatalf("the settings are %v", settings)
	}
	delete(settings, "hooks")
	body, err := json.Marshal(settings)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(name, string(body))
}

// refused is a turn for which the call before it must have failed with words.
func refused(t *testing.T, words string, next func(r *Request) []Step) Turn {
	return func(r *Request) []Step {
		if got := r.Last(); !got.Error || !strings.Contains(got.Text, words) {
			t.Errorf("the call came to %+v; want an error with %q", got, words)
		}
		return next(r)
	}
}

// The rules that vespe writes keep Claude Code's file tools from the store, and from nothing else.
func TestClaudeFileToolsAreKeptFromTheStore(t *testing.T) {
	w := newWorld(t)
	write := func(name string) func(r *Request) []Step {
		return func(r *Request) []Step {
			return Call("Write", map[string]any{"file_path": below(r, name), "content": "x"})
		}
	}
	model := w.claudeModel(
		write(".vespe/tmp/x"),
		refused(t, "denied", write(".vespe/guidelines.txt")),
		refused(t, "denied", write("sub/file.txt")),
		func(r *Request) []Step {
			if got := r.Last(); got.Error {
				t.Errorf("a file of the project is not written: %+v", got)
			}
			return Say("Done.")
		},
	)
	w.person("install", "claude-code", "--no-sandbox")
	w.withoutHooks()
	w.claude("--permission-mode", "acceptEdits", "Write.")
	model.Done()
	if w.read(".vespe/tmp/x")+w.read(".vespe/guidelines.txt") != "" || w.read("sub/file.txt") != "x" {
		t.Error("the wrong files are written")
	}
}

// oneTask is what task_create is called with.
var oneTask = map[string]any{"items": []any{map[string]any{"name": "Through the server", "objective": "Be there."}}, "idempotency_key": "one"}

// made is a turn for which the server has made the task.
func made(t *testing.T) Turn {
	return func(r *Request) []Step {
		if got := r.Last(); got.Error || !strings.Contains(got.Text, "Through the server") {
			t.Errorf("the server says %+v", got)
		}
		return Say("Done.")
	}
}

// In the sandbox that vespe sets up a command cannot write into the store, the project it can, and
// doctor says that level 1 is reached. The server, outside of it, can.
func TestClaudeSandboxKeepsCommandsFromTheStore(t *testing.T) {
	w := newWorld(t)
	if runtime.GOOS == "linux" {
		w.needs("bwrap", "socat")
	}
	// Claude Code reads what a command names: this one it cannot see through.
	w.write("Makefile", "store:\n\ttouch here.txt\n\ttouch .vespe/tmp/x\n")
	w.short()
	model := w.claudeModel(
		func(*Request) []Step { return bash("touch .vespe/tmp/x") },
		refused(t, "has been denied", func(*Request) []Step { return bash("make store") }),
		refused(t, "Read-only file system", func(*Request) []Step { return bash("vespe new Other --objective Makefile") }),
		refused(t, "use the tools of the MCP server vespe", func(*Request) []Step { return bash("vespe doctor") }),
		func(r *Request) []Step {
			if got := r.Last(); got.Error || !strings.Contains(got.Text, "Level 1: commands of claude-code cannot write") {
				t.Errorf("doctor says %+v", got)
			}
			return Call("mcp__vespe__task_create", oneTask)
		},
		made(t),
	)
	w.person("install", "claude-code", "--sandbox")
	w.withoutHooks()
	// The hooks, permissions and servers of a project count for a person who trusts it.
	w.writeAt(filepath.Join(w.home, ".claude", ".claude.json"), fmt.Sprintf(`{"projects": {%q: {"hasTrustDialogAccepted": true}}}`, w.repo))
	w.claude("--allowedTools", "Bash", "--", "Write.")
	model.Done()
	w.uid("Through the server")
	w.wrote("here.txt", true)
	w.wrote(".vespe/tmp/x", false)
}

// needs puts programs on PATH that make e2e has unpacked beside the clients.
func (w *world) needs(programs ...string) {
	w.t.Helper()
	dir, err := installed()
	if err != nil {
		w.t.Fatal(err)
	}
	dir = filepath.Join(dir, "sandbox")
	for _, program := range programs {
		if !executable(filepath.Join(dir, program)) {
			w.t.Fatalf("there is no %s in %s: make e2e unpacks it", program, dir)
		}
	}
	w.env = append(w.env, "PATH="+install.bin+string(os.PathListSeparator)+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// wrote says whether a file of the repository has to be there.
func (w *world) wrote(name string, want bool) {
	w.t.Helper()
	if _, err := os.Stat(filepath.Join(w.repo, name)); (err == nil) != want {
		w.t.Errorf("%s: it is there: %v", name, err == nil)
	}
}

// short gives the clients a directory for temporary files whose name is short: the sockets that they make
// there have to fit into 108 bytes.
func (w *world) short() {
	w.t.Helper()
	dir, err := os.MkdirTemp("/tmp", "v")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { os.RemoveAll(dir) })
	w.env = append(w.env, "TMPDIR="+dir, "CLAUDE_CODE_TMPDIR="+dir)
}

// In the profile that vespe sets up a command of Codex cannot write into the store.
func TestCodexSandboxKeepsCommandsFromTheStore(t *testing.T) {
	w := newWorld(t)
	model := w.codexModel(
		func(*Request) []Step { return sh("touch here.txt && touch .vespe/tmp/x") },
		func(r *Request) []Step {
			if got := r.Last(); !strings.Contains(got.Text, "Read-only file system") {
				t.Errorf("the write came to %+v", got)
			}
			vespe := filepath.Join(install.bin, "vespe") // a shell that logs in has a PATH of its own
			return sh("CODEX_THREAD_ID=1 " + vespe + " new Other --objective Makefile; " + vespe + " doctor")
		},
		func(r *Request) []Step {
			got := r.Last()
			for _, want := range []string{"use the tools of the MCP server vespe", "Level 1: commands of codex cannot write"} {
				if !strings.Contains(got.Text, want) {
					t.Errorf("the command line says %+v; want %q", got, want)
				}
			}
			return Call("mcp__vespe.task_create", oneTask)
		},
		made(t),
	)
	w.person("install", "codex", "--scope", "user", "--sandbox")
	if e := w.end(w.cmd("codex", "exec", "--json", "Write.")); e.code != 0 {
		t.Fatalf("codex: exit code %d\n%s%s", e.code, e.out, e.err)
	}
	model.Done()
	w.uid("Through the server")
	w.wrote("here.txt", true)
	w.wrote(".vespe/tmp/x", false)
}
