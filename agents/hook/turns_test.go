package hook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"vespe/agents/desk"
	"vespe/model"
)

func TestTheEndOfATurnIsHeldUpABoundedNumberOfTimes(t *testing.T) {
	stop := func(f *fixture, client string, active bool) said {
		return f.raw(client, Stop, f.event(Stop, map[string]any{"stop_hook_active": active, "last_assistant_message": "done", "background_tasks": []int{}}))
	}
	for _, client := range []string{ClaudeCode, Codex} {
		f := newFixture(t)
		f.is(stop(f, client, false), "nothing")
		f.is(f.plan(PreToolUse, "toolu_1", firstPlan), "defer")
		f.is(stop(f, ClaudeCode, false), "nothing") // it waits for a person
		f.as(ann, model.Op{Name: model.RejectPlan, UID: f.task().UID, Reason: "no", Args: model.Feedback{Comments: []model.NewComment{{Kind: model.Demand, Blocking: true, Text: "x"}}}})
		got := stop(f, ClaudeCode, false)
		f.is(got, "block")
		f.says(got, "Faster parser", "1 blocking comments", string(f.task().UID))
		f.is(stop(f, ClaudeCode, true), "nothing") // once in a turn
		f.is(stop(f, ClaudeCode, true), "nothing")
		r, err := f.desk().Look(t.Context(), desk.PlanReviewID(f.task().UID, 1))
		if err != nil {
			t.Fatal(err)
		}
		f.is(f.plan(PreToolUse, "toolu_2", secondPlan+"- "+r.Feedback[0].ID+": addressed\n"), "defer")
		f.accept()
		f.is(f.plan(PermissionRequest, "", secondPlan+"- "+r.Feedback[0].ID+": addressed\n"), "allow")
		got = stop(f, ClaudeCode, false)
		f.is(got, "block")
		f.says(got, "not reported", "task_report", "vespe work done "+string(f.task().UID))
		blocked := 0
		for range 50 { // Codex asks again without end
			if stop(f, ClaudeCode, false).short() == "block" {
				blocked++
			}
		}
		if blocked >= mostStops {
			t.Errorf("held up %d times more", blocked)
		}
		f.env["HOME"] = "" // nothing can be counted
		f.is(stop(f, ClaudeCode, false), "nothing")
	}
}

func TestASessionBeginsWithWhatAnAgentShouldKnow(t *testing.T) {
	f := newFixture(t)
	f.deps = func(d *Deps) {
		d.Prime = func(_ context.Context, d *desk.Desk) (string, error) { return "PRIME for " + string(d.Actor()), nil }
	}
	got := f.raw(ClaudeCode, SessionStart, f.event(SessionStart, map[string]any{"source": "startup"}))
	f.is(got, "context")
	f.says(got, "PRIME for agent:claude-code")
	f.deps = func(d *Deps) {
		d.Prime = func(context.Context, *desk.Desk) (string, error) { return "", errors.New("no") }
	}
	f.is(f.raw(ClaudeCode, SessionStart, f.event(SessionStart, nil)), "note")
	f.deps = nil
	f.is(f.raw(ClaudeCode, SessionStart, f.event(SessionStart, nil)), "nothing")
}

// What was decided while nobody waited is told once, when the session is there again.
func TestWhatWasDecidedMeanwhileIsTold(t *testing.T) {
	f := newFixture(t)
	f.rules.Commands = []string{"git push"}
	f.is(f.bash("toolu_1", "git push"), "defer")
	f.is(f.prompt("hello"), "nothing")
	f.decide(f.one().ID, model.Answering{Decision: model.DecideDeny, Text: "not on a Friday"})
	f.is(f.plan(PreToolUse, "toolu_2", firstPlan), "defer")
	f.as(ann, model.Op{Name: model.RejectPlan, UID: f.task().UID, Reason: "say how\x1b[2J", Args: model.Feedback{Comments: []model.NewComment{{Text: "well"}}}})
	got := f.prompt("and now?")
	f.is(got, "context")
	f.says(got, "not on a Friday", "denied by human:ann", "THE PERSON SAID NO", "plan-", "changes_requested", "well", "Follow this")
	if strings.Contains(got.text(), "\x1b") {
		t.Error("what a person wrote is not made visible")
	}
	f.is(f.prompt("and now?"), "nothing")
	other := f.event(UserPromptSubmit, map[string]any{"session_id": "other", "prompt": "x"})
	f.is(f.raw(ClaudeCode, UserPromptSubmit, other), "nothing")
}

// Codex can only be told no: so the hook waits before the call, and says nothing when it may be made.
func TestCodex(t *testing.T) {
	f := newFixture(t)
	f.env = map[string]string{"HOME": f.env["HOME"], "CODEX_THREAD_ID": "t"}
	f.rules.Commands = []string{"git push"}
	call := func(event, id, line string, with map[string]any) said {
		in := map[string]any{"command": line}
		for k, v := range with {
			in[k] = v
		}
		e := map[string]any{"turn_id": "turn-1", "model": "gpt-5", "tool_name": "Bash", "tool_input": in, "prompt_id": nil, "effort": nil}
		if event == PreToolUse {
			e["tool_use_id"] = id
		}
		return f.raw(Codex, event, f.event(event, e))
	}
	f.is(call(PreToolUse, "c0", "ls", nil), "nothing")
	wait := f.later(func() { f.decide(f.one().ID, model.Answering{Decision: model.DecideAccept}) })
	f.is(call(PreToolUse, "c1", "git push", nil), "nothing")
	wait()
	if q := f.snap().Requests()[0]; q.CreatedBy != "agent:codex" || q.Key[:5] != model.CallPrefix {
		t.Errorf("it is %+v", q)
	}
	got := call(PermissionRequest, "", "git push", map[string]any{"description": "to publish"})
	f.is(got, "allow") // decided on before
	if got.Specific.Decision.Input != nil || got.Specific.Decision.Message != "" {
		t.Errorf("Codex takes this for a fault: %s", got.raw)
	}
	wait = f.later(func() {
		f.decide(f.one().ID, model.Answering{Decision: model.DecideEdit, Args: []byte(`{"command":"git push -n"}`)})
	})
	got = call(PreToolUse, "c2", "git push", nil)
	wait()
	f.is(got, "deny")
	f.says(got, "ALLOWED SOMETHING ELSE", "git push -n")
	f.is(call(PreToolUse, "c3", "git push -n", nil), "nothing")
	wait = f.later(func() { f.decide(f.one().ID, model.Answering{Decision: model.DecideDeny, Text: "no"}) })
	f.is(call(PreToolUse, "c4", "git push -n", nil), "deny") // once
	wait()
	f.is(call(PreToolUse, "c5", "rm -rf .vespe", nil), "deny")
	f.is(f.raw(Codex, PreToolUse, f.event(PreToolUse, map[string]any{"tool_name": "apply_patch", "tool_use_id": "c6", "tool_input": map[string]string{"command": "*** Begin Patch\n*** Add File: .vespe/x\n+x\n*** End Patch"}})), "deny")
	f.is(f.raw(Codex, "Elicitation", f.event("Elicitation", nil)), "nothing")
}

func TestRepliesAreWhatTheClientsRead(t *testing.T) {
	in := []byte(`{"a":1}`)
	for _, c := range []struct {
		r             reply
		client, event string
		want          string
	}{
		{nothing(), ClaudeCode, PreToolUse, `{}`},
		{allow(nil), ClaudeCode, PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`},
		{allow(in), ClaudeCode, PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"a":1}}}`},
		{deny("no <&> \"é\""), ClaudeCode, PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no <&> \"é\""}}`},
		{reply{kind: replyAsk, text: "x"}, ClaudeCode, PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"x"}}`},
		{reply{kind: replyDefer, text: "x"}, ClaudeCode, PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}`},
		{allow(in), ClaudeCode, PermissionRequest, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"a":1}}}}`},
		{deny("x"), ClaudeCode, PermissionRequest, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"x"}}}`},
		{reply{kind: replyDefer}, ClaudeCode, PermissionRequest, `{}`},
		{block("x"), ClaudeCode, Stop, `{"decision":"block","reason":"x"}`},
		{tell("x"), ClaudeCode, SessionStart, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"x"}}`},
		{tell("x"), Codex, UserPromptSubmit, `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"x"}}`},
		{nothing().noted("x"), ClaudeCode, Stop, `{"systemMessage":"x"}`},
		{allow(in), Codex, PreToolUse, `{}`},
		{deny("x"), Codex, PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}`},
		{reply{kind: replyDefer, text: "x"}, Codex, PreToolUse, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}`},
		{allow(in), Codex, PermissionRequest, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`},
		{deny("x"), Codex, "Else", `{}`},
	} {
		if got := string(c.r.encode(c.client, c.event)); got != c.want+"\n" {
			t.Errorf("%s %s:\n got %swant %s", c.client, c.event, got, c.want)
		}
	}
}

func TestEventsAreThoseThatAreAnswered(t *testing.T) {
	f := newFixture(t)
	for client, events := range map[string][]Event{ClaudeCode: ClaudeEvents(), Codex: CodexEvents()} {
		for _, e := range events {
			if e.Timeout <= 0 || strings.Join(e.Args(client), " ") != "hook "+client+" "+e.Name {
				t.Errorf("%s: %+v", client, e)
			}
			h := &session{Deps: &Deps{Getenv: func(string) string { return "" }}, client: client, event: e.Name}
			if wait := h.patience(); (e.Name == PreToolUse || e.Name == PermissionRequest) && wait >= e.Timeout {
				t.Errorf("%s waits for %s, and its client for %s", e.Name, wait, e.Timeout)
			}
			f.raw(client, e.Name, f.event(e.Name, map[string]any{"tool_name": "Read", "tool_input": map[string]string{}}))
		}
	}
}

func TestPayloads(t *testing.T) {
	p, err := ParsePayload([]byte("\ufeff" + ` {"session_id":"s","cwd":5,"tool_name":"Bash","tool_input":{"command":"\ud800x", "n": 1.0},"stop_hook_active":true,"new":{"a":[]},"prompt":null} `))
	if err != nil || p.Session != "s" || p.CWD != "" || p.Tool != "Bash" || string(p.Input) != `{"command":"\ud800x", "n": 1.0}` || !p.StopActive {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{"", " ", "null", "[]", `"x"`, "{", `{"a":1}{`, "{'a':1}", `{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}"} {
		if p, err := ParsePayload([]byte(bad)); err == nil {
			t.Errorf("%.40q is %+v", bad, p)
		}
	}
}

func FuzzRun(f *testing.F) {
	for _, in := range []string{
		`{"tool_name":"Bash","tool_input":{"command":"git push"},"tool_use_id":"x","session_id":"s"}`, `{"tool_name":"ExitPlanMode","tool_input":{"plan":"# x"}}`,
		`{"tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"x","options":[{"label":"a"}]}]}}`, `{}`, `{"prompt":"x"}`, `[]`, `{"tool_input":{"command":["a","b"]}}`,
	} {
		f.Add(in, uint8(0))
	}
	events := []string{PreToolUse, PermissionRequest, Stop, SessionStart, UserPromptSubmit, "x"}
	f.Fuzz(func(t *testing.T, in string, n uint8) {
		fx := newFixture(t)
		fx.rules = model.GateRules{Commands: []string{"git push"}, Tools: []string{"W*"}, Paths: []string{"infra/**"}}
		client := []string{ClaudeCode, Codex}[int(n)/len(events)%2]
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // nothing is waited for
		event := events[int(n)%len(events)]
		got := fx.rawCtx(ctx, client, event, in)
		if s := got.Specific; s.Permission == "deny" && s.Reason == "" || s.Decision.Behavior == "deny" && s.Decision.Message == "" {
			t.Errorf("it is denied without a word: %s", got.raw)
		}
		_ = fmt.Sprint(got)
	})
}
