package hook

import (
	"testing"

	"vespe/model"
	"vespe/store"
)

// bypass is PreToolUse of a session whose client asks nobody: the hook waits.
func (f *fixture) bypass(id, tool string, input any) said {
	f.Helper()
	return f.raw(ClaudeCode, PreToolUse, f.event(PreToolUse, map[string]any{"permission_mode": "bypassPermissions", "tool_name": tool, "tool_use_id": id, "tool_input": input}))
}

func (f *fixture) codex(event, id, tool string, input any) said {
	f.Helper()
	e := map[string]any{"tool_name": tool, "tool_input": input}
	if event == PreToolUse {
		e["tool_use_id"] = id
	}
	return f.raw(Codex, event, f.event(event, e))
}

var accepted, denied = model.Answering{Decision: model.DecideAccept}, model.Answering{Decision: model.DecideDeny, Text: "no"}

func TestWhatAPersonPutInPlaceIsMadeOnce(t *testing.T) {
	f := attended(t)
	f.rules.Commands = []string{"git push"}
	edited := model.Answering{Decision: model.DecideEdit, Args: []byte(`{"command":"git push -n"}`)}
	wait := f.later(func() { f.decide(f.one().ID, edited) })
	got := f.bypass("toolu_1", "Bash", map[string]string{"command": "git push"})
	wait()
	f.is(got, "allow") // with the person's input: that was the once
	wait = f.later(func() { f.decide(f.one().ID, denied) })
	f.is(f.bypass("toolu_2", "Bash", map[string]string{"command": "git push -n"}), "deny")
	wait()
}

func TestADecisionIsForTheToolThatWasShown(t *testing.T) {
	f := attended(t)
	f.env = map[string]string{"HOME": f.env["HOME"], "CODEX_THREAD_ID": "t"}
	f.rules.Tools = []string{"mcp__db__*"}
	wait := f.later(func() {
		f.decide(f.one().ID, model.Answering{Decision: model.DecideEdit, Args: []byte(`{"id":6}`)})
	})
	f.is(f.codex(PreToolUse, "c1", "mcp__db__select", map[string]int{"id": 5}), "deny")
	wait()
	wait = f.later(func() { f.decide(f.one().ID, denied) })
	f.is(f.codex(PreToolUse, "c2", "mcp__db__delete", map[string]int{"id": 6}), "deny")
	wait()
	f.is(f.codex(PreToolUse, "c3", "mcp__db__select", map[string]int{"id": 6}), "nothing")

	f = newFixture(t)
	f.rules.Tools = []string{"mcp__db__*"}
	f.is(f.call(PreToolUse, "mcp__db__select", "toolu_1", map[string]int{"id": 5}), "defer")
	f.decide(f.one().ID, accepted)
	f.is(f.call(PreToolUse, "mcp__db__delete", "toolu_1", map[string]int{"id": 5}), "deny")
	f.is(f.call(PreToolUse, "mcp__db__select", "toolu_1", map[string]int{"id": 5}), "allow")
}

// Without its hook before a call, which Codex skips as long as nobody trusts it, a permission is asked for each time.
func TestAPermissionOfCodexCountsOnce(t *testing.T) {
	f := newFixture(t)
	f.env = map[string]string{"HOME": f.env["HOME"], "CODEX_THREAD_ID": "t"}
	f.rules.Commands = []string{"git push"}
	push := map[string]string{"command": "git push"}
	for _, c := range []struct {
		by   model.Answering
		want string
	}{{accepted, "allow"}, {denied, "deny"}} {
		wait := f.later(func() { f.decide(f.one().ID, c.by) })
		f.is(f.codex(PermissionRequest, "", "Bash", push), c.want)
		wait()
	}
	wait := f.later(func() { f.decide(f.one().ID, accepted) })
	f.is(f.codex(PreToolUse, "c1", "Bash", push), "nothing")
	wait()
	f.is(f.codex(PermissionRequest, "", "Bash", push), "allow")
	wait = f.later(func() { f.decide(f.one().ID, denied) })
	f.is(f.codex(PermissionRequest, "", "Bash", push), "deny")
	wait()
}

// A call without an id may be another one each time.
func TestACallWithoutAnIDIsDecidedOnOnce(t *testing.T) {
	f := newFixture(t)
	f.rules.Commands = []string{"git push"}
	wait := f.later(func() { f.decide(f.one().ID, accepted) })
	f.is(f.bash("", "git push"), "allow")
	wait()
	wait = f.later(func() { f.decide(f.one().ID, denied) })
	f.is(f.bash("", "git push"), "deny")
	wait()
}

// An agent that makes a store of its own and goes there stays under the rules of where it began.
func TestAnotherDirectoryHasNoOtherGate(t *testing.T) {
	f := newFixture(t)
	f.config(`{"name": "test", "gate": {"commands": ["git push"]}}`)
	f.env["CLAUDE_PROJECT_DIR"] = f.root
	sub := t.TempDir()
	s, err := store.Init(sub, store.Options{Name: "mine", Scratch: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	in := f.event(PreToolUse, map[string]any{"cwd": sub, "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": map[string]string{"command": "git push"}})
	f.is(f.raw(ClaudeCode, PreToolUse, in), "defer")
	f.one()
}

func TestWhatAToolIsCalledIsNotBelieved(t *testing.T) {
	for name, want := range map[string]bool{
		"Read": true, "mcp__fs__read_file": true, "mcp__fs__listDirectory": true, "mcp__x__get-issue": true, "mcp__x__search": true,
		"mcp__trello__archive_list": false, "mcp__db__execute_query": false, "mcp__db__query": false, "mcp__x__set_view": false, "mcp__x__create_list": false, "mcp__x__get_and_delete": false,
		"mcp__x__getOrCreate": false, "mcp__x__forget_file": false, "mcp__x__": false, "Write": false, "readFile": false,
	} {
		if reads(name) != want {
			t.Errorf("%s reads: %v", name, !want)
		}
	}
	f := newFixture(t)
	f.spoil(".vespe/store.json", "{")
	f.is(f.call(PreToolUse, "Read", "x", map[string]string{"file_path": "main.go"}), "deny")
	f.is(f.call(PreToolUse, "mcp__fs__read_file", "x", map[string]string{"path": "x"}), "deny")
	f.is(f.call(PreToolUse, "mcp__vespe__task_get", "x", map[string]string{"id": "x"}), "nothing")
}

func TestFilesAreFoundWhereverAnInputNamesThem(t *testing.T) {
	p := Policy{Own: model.GateRules{Paths: []string{"infra/**"}}}
	for _, in := range []string{
		`{"files":[{"path":"../infra/a","content":"x"}]}`, `{"args":{"target":{"file":"../infra/a"}}}`, `{"edits":[{"file_path":"/p/infra/a"}]}`, `{"paths":["x","../infra/a"]}`,
	} {
		if v := p.Judge(tool("mcp__fs__push_files", in)); v.Level != Gated {
			t.Errorf("%s is %v", in, v.Level)
		}
	}
	if v := (&Policy{}).Judge(tool("mcp__fs__push_files", `{"files":[{"path":"/p/.vespe/config.json"}]}`)); v.Level != Denied {
		t.Error("a list of files leads into a store")
	}
	if v := p.Judge(tool("mcp__fs__push_files", `{"files":[{"content":"../infra/a"}]}`)); v.Level != Free {
		t.Error("what a file says is taken for its name")
	}
}
