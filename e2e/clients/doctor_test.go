//go:build clients

package clients

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// health is what `vespe agent doctor --json` says.
type health struct {
	Vespe   []check
	Clients []struct {
		Client, Version string
		SetUp           bool `json:"set_up"`
		Checks          []check
	}
}

type check struct{ Name, State, Text, Do string }

// doctor looks at the clients; the exit code is 1 where something that is set up does not work.
func (w *world) doctor() (h health, code int) {
	w.t.Helper()
	return w.doctorIn(w.repo)
}

// doctorIn is the same, run in a directory.
func (w *world) doctorIn(dir string) (h health, code int) {
	w.t.Helper()
	c := w.cmd("vespe", "doctor", "agents", "--json")
	c.Dir = dir
	e := w.end(c)
	if err := json.Unmarshal([]byte(e.out), &h); err != nil {
		w.t.Fatalf("%v\n%s%s", err, e.out, e.err)
	}
	return h, e.code
}

// of is what is said of a part of a client; of vespe itself where client is "".
func (h *health) of(client, name string) check {
	list := h.Vespe
	for _, c := range h.Clients {
		if c.Client == client {
			list = c.Checks
		}
	}
	for _, c := range list {
		if c.Name == name {
			return c
		}
	}
	return check{}
}

// Set-up, what the clients themselves say of it, and what takes it back, as a person goes through it.
func TestDoctorSeesWhatTheClientsSee(t *testing.T) {
	w := newWorld(t)
	w.codexModel()
	w.claudeModel()
	before := w.home + "/.codex/config.toml"
	mine := w.run("cat", before)
	h, code := w.doctor()
	for _, name := range []string{"server", "hook claude-code", "hook codex"} {
		if got := h.of("", name); got.State != "ok" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if code != 0 || h.of("claude-code", "program").State != "ok" || h.of("codex", "program").State != "ok" || h.of("codex", "user").State != "none" {
		t.Errorf("before anything is set up: exit code %d, %+v", code, h)
	}
	w.install("claude-code")
	w.install("codex")
	h, code = w.doctor()
	if got := h.of("codex", "hooks"); code != 1 || got.State != "bad" || !strings.Contains(got.Do, "/hooks") {
		t.Errorf("hooks that nobody trusts: exit code %d, %+v", code, got)
	}
	w.trustHooks()
	h, code = w.doctor()
	if got := h.of("codex", "hooks"); code != 0 || got.State != "ok" || h.of("claude-code", "user").State != "ok" {
		t.Errorf("hooks that are trusted: exit code %d, %+v", code, h)
	}
	for _, client := range []string{"claude-code", "codex"} {
		w.person("install", client, "--scope", "user", "--remove")
	}
	if hooks := w.codexHooks(); len(hooks) != 0 {
		t.Errorf("Codex still finds %+v", hooks)
	}
	// What Codex itself wrote meanwhile is Codex's.
	if got, _, _ := strings.Cut(w.run("cat", before), "\n[hooks.state"); strings.TrimSpace(got) != strings.TrimSpace(mine) {
		t.Errorf("the person's file was %s\nand is %s", mine, got)
	}
}

// With the sandbox a command of Codex cannot write into the store, not even by a script that no hook sees into; the
// server can.
func TestCodexSandboxKeepsTheStore(t *testing.T) {
	w := newWorld(t)
	w.write("sneak.sh", "touch .vespe/mine && echo it is there\necho x > allowed.txt && echo allowed\n")
	model := w.codexModel(
		func(*Request) []Step {
			return sh("sh sneak.sh; " + filepath.Join(install.bin, "vespe") + " doctor agents")
		},
		func(r *Request) []Step {
			if got := r.Last().Text; strings.Contains(got, "it is there") || !strings.Contains(got, "allowed") || !strings.Contains(strings.ToLower(got), "level 1") {
				t.Errorf("the commands came to %s", got)
			}
			return Call("mcp__vespe.task_create", map[string]any{"items": []any{map[string]any{"name": "Through the server"}}, "idempotency_key": "one"})
		},
		func(r *Request) []Step {
			if got := r.Last(); !strings.Contains(got.Text, "Through the server") {
				t.Errorf("the tool came to %+v", got)
			}
			return Say("Made.")
		},
	)
	w.person("install", "codex", "--sandbox")
	w.appServer("config/batchWrite", map[string]any{"edits": []any{map[string]any{
		"keyPath": fmt.Sprintf("projects.%q", w.repo), "mergeStrategy": "upsert", "value": map[string]any{"trust_level": "trusted"},
	}}})
	w.trustHooks()
	w.run("codex", "exec", "--json", "Make a task.")
	model.Done()
	if l := w.tasks(); len(l) != 1 || l[0].Name != "Through the server" || w.read(".vespe/mine") != "" || w.read("allowed.txt") != "x\n" {
		t.Errorf("there are %+v", l)
	}
}
