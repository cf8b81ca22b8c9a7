package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vespe/model"
)

func TestAGatedCallIsPutOffAndComesAgainWithTheDecision(t *testing.T) {
	for _, c := range []struct {
		by   model.Answering
		want string
		says []string
	}{
		{model.Answering{Decision: model.DecideAccept}, "allow", nil},
		{model.Answering{Decision: model.DecideEdit, Args: []byte(`{"command": "git push --dry-run"}`)}, "allow", nil},
		{model.Answering{Decision: model.DecideDeny, Text: "not on a Friday"}, "deny", []string{"A PERSON DENIED", "human:ann", "not on a Friday", "Do not"}},
		{model.Answering{Decision: model.DecideRespond, Text: "ask Bob first"}, "deny", []string{"ask Bob first", "DID NOT ALLOW"}},
	} {
		f := newFixture(t)
		f.rules.Commands = []string{"git push"}
		f.is(f.bash("toolu_0", "git status"), "nothing")
		f.is(f.bash("toolu_1", "git push origin main"), "defer")
		q := f.one()
		var args struct{ Command, Description string }
		if err := json.Unmarshal(q.Args, &args); err != nil || args.Command != "git push origin main" || q.Kind != model.KindAction || q.Risk != model.RiskMedium || q.CreatedBy != claude || !strings.Contains(q.Detail, "```sh\ngit push origin main\n```") ||
			!strings.Contains(q.Detail, "command git push (config.toml)") {
			t.Errorf("the request is %+v", q)
		}
		// Killed, or resumed too early: it is the same call.
		f.is(f.bash("toolu_1", "git push origin main"), "defer")
		if again := f.one(); again.ID != q.ID {
			t.Errorf("it was asked again, as %s", again.ID)
		}
		f.decide(q.ID, c.by)
		got := f.bash("toolu_1", "git push origin main")
		f.is(got, c.want)
		f.says(got, c.says...)
		if c.by.Args != nil && string(got.Specific.Input) != `{"command":"git push --dry-run"}` {
			t.Errorf("it is to be called with %s", got.Specific.Input)
		}
		f.is(f.bash("toolu_1", "git push origin main"), c.want) // killed before it was made
		if c.by.Args != nil {                                   // that it was made with another input is told after it
			f.raw(ClaudeCode, PostToolUse, f.event(PostToolUse, map[string]any{"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": map[string]string{"command": "git push --dry-run"}}))
		}
		if q, _ := f.snap().Keyed("", q.Key); q.Answer == nil || q.Answer.FetchedBy != claude {
			t.Errorf("nobody has read %+v", q.Answer)
		}
	}
}

func TestADecisionIsForTheInputThatWasShown(t *testing.T) {
	f := newFixture(t)
	f.rules.Commands = []string{"git push"}
	f.is(f.bash("toolu_1", "git push a"), "defer")
	f.decide(f.one().ID, model.Answering{Decision: model.DecideAccept})
	got := f.bash("toolu_1", "git push b")
	f.is(got, "deny")
	f.says(got, "a different input")
	f.is(f.bash("toolu_1", "git push a"), "allow")
	f.is(f.bash("toolu_2", "git push a"), "defer") // once is once
}

func TestOneCallWaitsAtATime(t *testing.T) {
	f := newFixture(t)
	f.rules.Commands = []string{"git push"}
	const calls = 6
	got := make([]said, calls)
	var all sync.WaitGroup
	for i := range calls { // a client runs the hooks of one batch at once
		all.Go(func() { got[i] = f.bash(fmt.Sprintf("toolu_%d", i), fmt.Sprintf("git push %d", i)) })
	}
	all.Wait()
	deferred := 0
	for _, g := range got {
		switch g.short() {
		case "defer":
			deferred++
		case "deny":
			f.says(g, "only one can wait at a time", f.one().ID)
		default:
			t.Errorf("the answer is %s", g.raw)
		}
	}
	if deferred != 1 {
		t.Errorf("%d calls were put off", deferred)
	}
	f.is(f.bash("toolu_x", "ls"), "nothing")
	// Another session has its own.
	other := f.event(PreToolUse, map[string]any{"session_id": "2", "tool_name": "Bash", "tool_use_id": "toolu_o", "tool_input": map[string]string{"command": "git push o"}})
	f.is(f.raw(ClaudeCode, PreToolUse, other), "defer")
}

func TestACallOfARunIsAboutItsTask(t *testing.T) {
	f := newFixture(t)
	f.rules.Tools = []string{"WebFetch"}
	uid := f.as(ann, model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "x", Objective: "o"}}).Change.Tasks[0].UID
	f.env["VESPE_RUN_ID"], f.env["VESPE_TASK"], f.env["VESPE_ACTOR"], f.env["VESPE_STORE"] = "run-1", string(uid), "agent:claude", f.root
	f.is(f.call(PreToolUse, "WebFetch", "toolu_1", map[string]string{"url": "https://example.org"}), "defer")
	q := f.one()
	if q.TaskUID != uid || q.CreatedBy != "agent:claude" || q.Key != model.DeferredKey("run-1", "toolu_1") {
		t.Errorf("it is %+v", q)
	}
	if got := f.task().Status.PauseKind(); got != "hitl" {
		t.Errorf("the task is paused for %q", got)
	}
}

func TestAPersonAtTheSessionIsAskedByTheClient(t *testing.T) {
	f := attended(t)
	f.rules.Commands = []string{"git push"}
	got := f.bash("toolu_1", "git push")
	f.is(got, "ask")
	f.says(got, "git push (config.toml)")
	if len(f.requests()) > 0 {
		t.Error("it is asked before the client asks")
	}
	f.is(f.call(PermissionRequest, "Bash", "", map[string]string{"command": "ls"}), "nothing")
	input := map[string]any{"command": "git push", "description": "<&>", "n": 1.0}
	for i := range 2 { // each time it is asked anew
		wait := f.later(func() { f.decide(f.one().ID, model.Answering{Decision: model.DecideAccept}) })
		got = f.call(PermissionRequest, "Bash", "", input)
		wait()
		f.is(got, "allow")
		var echo map[string]any
		if err := json.Unmarshal(got.Specific.Decision.Input, &echo); err != nil || fmt.Sprint(echo) != fmt.Sprint(input) {
			t.Errorf("%d: the input is %s", i, got.Specific.Decision.Input)
		}
	}
	wait := f.later(func() {
		f.decide(f.one().ID, model.Answering{Decision: model.DecideEdit, Args: []byte(`{"command":"git push -n"}`)})
	})
	got = f.call(PermissionRequest, "Bash", "", input)
	wait()
	f.is(got, "allow")
	if string(got.Specific.Decision.Input) != `{"command":"git push -n"}` {
		t.Errorf("the input is %s", got.Specific.Decision.Input)
	}
	wait = f.later(func() {
		f.decide(f.one().ID, model.Answering{Decision: model.DecideDeny, Text: "not before the tests pass"})
	})
	got = f.call(PermissionRequest, "Bash", "", input)
	wait()
	f.is(got, "deny")
	f.says(got, "A PERSON DENIED")
	// What was denied is asked anew, with what was said: its reason may be gone.
	wait = f.later(func() {
		q := f.one()
		if !strings.Contains(q.Detail, "denied once before") || !strings.Contains(q.Detail, "not before the tests pass") {
			t.Errorf("the person reads %q", q.Detail)
		}
		f.decide(q.ID, model.Answering{Decision: model.DecideAccept})
	})
	got = f.call(PermissionRequest, "Bash", "", input)
	wait()
	f.is(got, "allow")
}

// A client that was killed leaves its question, and the decision is for the call that comes again.
func TestTheQuestionOfAClientThatWasKilledStands(t *testing.T) {
	f := attended(t)
	f.rules.Commands = []string{"git push"}
	input := map[string]string{"command": "git push"}
	ctx, cancel := context.WithCancelCause(t.Context())
	wait := f.later(func() { cancel(ErrGone) })
	f.is(f.rawCtx(ctx, ClaudeCode, PermissionRequest, f.event(PermissionRequest, map[string]any{"tool_name": "Bash", "tool_input": input})), "deny")
	wait()
	f.decide(f.one().ID, model.Answering{Decision: model.DecideAccept})
	f.is(f.call(PermissionRequest, "Bash", "", input), "allow")
	if len(f.requests()) != 0 {
		t.Errorf("%+v waits", f.requests())
	}
}

func TestWhereTheClientAsksNobodyTheHookWaits(t *testing.T) {
	f := attended(t)
	f.rules.Commands = []string{"git push"}
	wait := f.later(func() { f.decide(f.one().ID, model.Answering{Decision: model.DecideAccept}) })
	in := f.event(PreToolUse, map[string]any{"permission_mode": "bypassPermissions", "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": map[string]string{"command": "git push"}})
	f.is(f.raw(ClaudeCode, PreToolUse, in), "allow")
	wait()
}

func TestWhatThePersonAnsweredAtTheClientWaitsNoMore(t *testing.T) {
	f := attended(t)
	f.rules.Commands = []string{"git push"}
	input := map[string]string{"command": "git push"}
	ctx, cancel := context.WithCancel(t.Context())
	wait := f.later(cancel) // the client ends the hook once its own question is answered
	got := f.rawCtx(ctx, ClaudeCode, PermissionRequest, f.event(PermissionRequest, map[string]any{"tool_name": "Bash", "tool_input": input}))
	wait()
	f.is(got, "deny")
	if open := f.requests(); len(open) > 0 {
		t.Errorf("%+v waits", open)
	}
	wait = f.later(func() { f.decide(f.one().ID, model.Answering{Decision: model.DecideAccept}) })
	f.is(f.call(PermissionRequest, "Bash", "", input), "allow")
	wait()
}

func TestACallThatIsTooLargeToShowIsDenied(t *testing.T) {
	f := newFixture(t)
	f.rules.Tools = []string{"Write"}
	got := f.call(PreToolUse, "Write", "toolu_1", map[string]string{"file_path": "x", "content": strings.Repeat("x", 70<<10)})
	f.is(got, "deny")
	f.says(got, "smaller", "65536")
	if len(f.requests()) > 0 {
		t.Error("it was asked in part")
	}
}

func TestWritingIntoAStoreIsDenied(t *testing.T) {
	f := newFixture(t)
	for _, event := range []string{PreToolUse, PermissionRequest} {
		g := attended(t)
		got := g.call(event, "Write", "toolu_1", map[string]string{"file_path": filepath.Join(g.root, ".vespe", "config.json"), "content": "{}"})
		g.is(got, "deny")
		g.says(got, "Do not write into .vespe")
	}
	got := f.bash("toolu_1", "rm -rf .vespe")
	f.is(got, "deny")
	f.says(got, "Do not write into .vespe")
	f.is(f.call(PreToolUse, "mcp__vespe__plan_submit", "toolu_2", map[string]string{"path": ".vespe/x"}), "nothing")
}

func TestTheStoresGateCounts(t *testing.T) {
	f := newFixture(t)
	f.config(`{"name": "test", "gate": {"paths": ["infra/**"]}}`)
	f.is(f.call(PreToolUse, "Edit", "toolu_1", map[string]string{"file_path": filepath.Join(f.root, "infra/a")}), "defer")
	f.is(f.call(PreToolUse, "Edit", "toolu_2", map[string]string{"file_path": filepath.Join(f.root, "src/a")}), "nothing")
	f.config(`{"gate": {"paths": 1}}`)
	f.is(f.call(PreToolUse, "Read", "toolu_3", map[string]string{"file_path": "x"}), "deny") // one waits
	g := newFixture(t)
	g.config(`{"gate": {"paths": 1}}`)
	got := g.call(PreToolUse, "Read", "toolu_3", map[string]string{"file_path": "x"})
	g.is(got, "defer")
	if !strings.Contains(g.one().Detail, "cannot be read") {
		t.Errorf("it says %s", g.one().Detail)
	}
}

func TestWhereNoStoreIsVespeSaysNothing(t *testing.T) {
	f := newFixture(t)
	f.rules = model.GateRules{Tools: []string{"*"}}
	elsewhere := t.TempDir()
	for _, event := range []string{PreToolUse, PermissionRequest, Stop, SessionStart, UserPromptSubmit, "Unknown"} {
		in := f.event(event, map[string]any{"cwd": elsewhere, "tool_name": "Bash", "tool_use_id": "x", "tool_input": map[string]string{"command": "git push"}})
		f.deps = func(d *Deps) { d.Dir = elsewhere }
		if got := f.raw(ClaudeCode, event, in); got.raw != "{}\n" {
			t.Errorf("%s answers %s", event, got.raw)
		}
		if got := f.raw(ClaudeCode, event, "no json"); got.raw != "{}\n" {
			t.Errorf("%s answers %s", event, got.raw)
		}
	}
}

func TestItFailsClosed(t *testing.T) {
	good := func(f *fixture) string {
		return f.event(PreToolUse, map[string]any{"tool_name": "Bash", "tool_use_id": "x", "tool_input": map[string]string{"command": "ls"}})
	}
	for name, c := range map[string]struct {
		spoil func(*fixture)
		in    func(*fixture) string
	}{
		"no input":      {nil, func(*fixture) string { return "" }},
		"no json":       {nil, func(*fixture) string { return "hello" }},
		"half":          {nil, func(f *fixture) string { in := good(f); return in[:len(in)/2] }},
		"two":           {nil, func(f *fixture) string { return good(f) + good(f) }},
		"a list":        {nil, func(*fixture) string { return "[]" }},
		"too large":     {nil, func(*fixture) string { return `{"tool_name":"` + strings.Repeat("x", maxPayload) + `"}` }},
		"deep":          {nil, func(*fixture) string { return `{"tool_input":` + strings.Repeat("[", 1<<20) }},
		"twice one key": {nil, func(*fixture) string { return `{"tool_name":"Read","tool_name":"Bash"}` }},
		"no tool":       {nil, func(f *fixture) string { return f.event(PreToolUse, nil) }},
		"tool no text":  {nil, func(f *fixture) string { return f.event(PreToolUse, map[string]any{"tool_name": 5}) }},
		"broken store":  {func(f *fixture) { f.spoil(".vespe/store.json", "{") }, good},
		"VESPE_STORE":   {func(f *fixture) { f.env["VESPE_STORE"] = filepath.Join(f.root, "none") }, good},
		"no actor":      {func(f *fixture) { f.env["VESPE_ACTOR"] = "nonsense" }, good},
		"a fault":       {func(f *fixture) { f.deps = func(d *Deps) { d.Open = nil } }, good},
		"nowhere to be": {func(f *fixture) { f.env["HOME"] = ""; f.rules.Tools = []string{"Bash"} }, good},
		"a file as HOME": {func(f *fixture) {
			f.env["HOME"] = filepath.Join(f.root, ".vespe", "store.json")
			f.rules.Tools = []string{"Bash"}
		}, good},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			if c.spoil != nil {
				c.spoil(f)
			}
			got := f.raw(ClaudeCode, PreToolUse, c.in(f))
			f.is(got, "deny")
			f.says(got, "so it is not", "stop")
			f.is(f.raw(Codex, PreToolUse, c.in(f)), "deny")
		})
	}
	f := newFixture(t)
	f.is(f.raw("nobody", PreToolUse, good(f)), "deny")
	f.spoil(".vespe/store.json", "{")
	f.is(f.call(PreToolUse, "Read", "x", map[string]string{"file_path": "x"}), "deny") // the store's rules may be about it
	f.is(f.raw(ClaudeCode, SessionStart, f.event(SessionStart, nil)), "note")
	f.is(f.raw(ClaudeCode, Stop, f.event(Stop, nil)), "note")
	f.is(f.call(PermissionRequest, "Bash", "", map[string]string{"command": "ls"}), "deny")
	f.env["CLAUDE_CODE_ENTRYPOINT"] = "cli"
	f.is(f.call(PermissionRequest, "Bash", "", map[string]string{"command": "ls"}), "note") // the client asks
	f.is(f.call(PreToolUse, exitPlanMode, "x", map[string]string{"plan": "x"}), "nothing")
}

func (f *fixture) spoil(name, body string) {
	f.Helper()
	if err := os.WriteFile(filepath.Join(f.root, name), []byte(body), 0o644); err != nil {
		f.Fatal(err)
	}
}
