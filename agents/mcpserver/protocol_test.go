package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// eras are the versions of the protocol that clients speak, each as a client begins.
var eras = []struct {
	version string
	begin   func(t *testing.T, w *wire)
}{
	{"2025-06-18", beginByHandshake("2025-06-18")},
	{"2025-11-25", beginByHandshake("2025-11-25")},
	{"2026-07-28", func(t *testing.T, w *wire) {
		w.meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
		res := w.ask("server/discover", "{}")
		versions, _ := within(res, "result", "supportedVersions").([]any)
		for _, v := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			if !slices.Contains(versions, any(v)) {
				t.Errorf("the server says that it speaks %v, without %s", versions, v)
			}
		}
		checkServer(t, within(res, "result", "instructions"), within(res, "result", "capabilities"))
	}},
}

func beginByHandshake(version string) func(*testing.T, *wire) {
	return func(t *testing.T, w *wire) {
		res := w.initialize(version, "{}")
		if got := within(res, "result", "protocolVersion"); got != version {
			t.Errorf("asked for %s the server speaks %v: %v", version, got, res)
		}
		if name := within(res, "result", "serverInfo", "name"); name != "vespe" {
			t.Errorf("the server is called %v", name)
		}
		checkServer(t, within(res, "result", "instructions"), within(res, "result", "capabilities"))
	}
}

func checkServer(t *testing.T, text, capabilities any) {
	t.Helper()
	if s, _ := text.(string); s == "" || strings.Count(s, "\n") > 5 {
		t.Errorf("the instructions are %q, not one to six lines", s)
	}
	if within(capabilities, "tools") == nil || within(capabilities, "prompts") == nil {
		t.Errorf("the server says that it can do %v", capabilities)
	}
	if within(capabilities, "logging") != nil {
		t.Error("the server says that it logs to the client, which it does not")
	}
}

// Each version of the protocol that clients speak today is served, line by line.
func TestEachVersionOfTheProtocol(t *testing.T) {
	for _, era := range eras {
		t.Run(era.version, func(t *testing.T) {
			k := newStand(t)
			uid := k.task("parser")
			w := k.wire()
			era.begin(t, w)

			list, _ := within(w.ask("tools/list", "{}"), "result", "tools").([]any)
			if len(list) != len(tools()) {
				t.Fatalf("%d tools are listed", len(list))
			}
			res := w.ask("tools/call", fmt.Sprintf(`{"name":"task_get","arguments":{"id":%q}}`, uid))
			if within(res, "result", "structuredContent", "next_action") == nil {
				t.Errorf("task_get answers %v", res)
			}
			content, _ := within(res, "result", "content").([]any)
			var same any
			if len(content) != 1 || json.Unmarshal([]byte(within(content[0], "text").(string)), &same) != nil {
				t.Errorf("the text of the result is %v", content)
			}
			res = w.ask("prompts/get", `{"name":"next"}`)
			if messages, _ := within(res, "result", "messages").([]any); len(messages) != 1 {
				t.Errorf("the prompt is %v", res)
			}
			res = w.ask("tools/call", `{"name":"no_such_tool","arguments":{}}`)
			if within(res, "error", "code") != -32602.0 {
				t.Errorf("a tool that is not there answers %v", res)
			}
			res = w.ask("no/such/method", "{}")
			if within(res, "error", "code") != -32601.0 {
				t.Errorf("a method that is not there answers %v", res)
			}
			for _, msg := range w.seen {
				t.Errorf("the server also sends %v", msg)
			}
		})
	}
}

// A version that nobody knows is answered with one that the server speaks, and one that is none is refused.
func TestAnotherVersionOfTheProtocol(t *testing.T) {
	w := newStand(t).wire()
	if got := within(w.initialize("2031-01-01", "{}"), "result", "protocolVersion"); got != "2025-11-25" {
		t.Errorf("the server speaks %v", got)
	}
	w = newStand(t).wire()
	w.meta = `{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}`
	if res := w.ask("tools/list", "{}"); within(res, "error") == nil {
		t.Errorf("a version to come is answered with %v", res)
	}
}

// Tools are as clients need them: typed both ways, honest about what they do, and the first five at hand.
func TestTheToolsAreListedAsTheyAre(t *testing.T) {
	k := newStand(t)
	cs := k.client(nil)
	var names []string
	for tool, err := range cs.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
		if tool.Description == "" || tool.Title == "" {
			t.Errorf("%s is not described", tool.Name)
		}
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || *a.DestructiveHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s says of itself %+v", tool.Name, a)
		}
		in, _ := tool.InputSchema.(map[string]any)
		if in["type"] != "object" || (in["additionalProperties"] != false) != (tool.Name == "permission_prompt") {
			t.Errorf("%s takes %v", tool.Name, in)
		}
		plainSchema(t, tool.Name, in)
		out, _ := tool.OutputSchema.(map[string]any)
		if (out == nil) != (tool.Name == "permission_prompt") {
			t.Errorf("%s gives %v", tool.Name, out)
		}
		if out != nil && within(out, "properties", "next_action") == nil {
			t.Errorf("%s gives no next_action", tool.Name)
		}
		plainSchema(t, tool.Name, out)
		first := tool.Meta["anthropic/alwaysLoad"] == true
		if want := slices.Contains([]string{"task_next", "task_get", "plan_submit", "review_wait", "ask_human"}, tool.Name); first != want {
			t.Errorf("%s is always loaded: %v", tool.Name, first)
		}
		reads := slices.Contains([]string{"task_get", "task_list", "search"}, tool.Name)
		if a != nil && a.ReadOnlyHint != reads {
			t.Errorf("%s says that it only reads: %v", tool.Name, a.ReadOnlyHint)
		}
	}
	slices.Sort(names)
	want := []string{"ask_human", "permission_prompt", "plan_submit", "review_wait", "search", "task_create", "task_get", "task_list", "task_next", "task_report", "task_update"}
	if !slices.Equal(names, want) {
		t.Errorf("the tools are %v", names)
	}
}

// plainSchema fails on what some clients do not understand: several types in one place, references, types that
// are not said.
func plainSchema(t *testing.T, where string, s map[string]any) {
	t.Helper()
	if s == nil {
		return
	}
	if _, is := s["type"].(string); !is {
		t.Errorf("%s has the type %v", where, s["type"])
	}
	for _, key := range []string{"$ref", "$defs", "anyOf", "oneOf", "allOf"} {
		if s[key] != nil {
			t.Errorf("%s has %s", where, key)
		}
	}
	props, _ := s["properties"].(map[string]any)
	for name, p := range props {
		sub, is := p.(map[string]any)
		if !is {
			t.Errorf("%s.%s is %v", where, name, p)
		}
		plainSchema(t, where+"."+name, sub)
	}
	if items, is := s["items"].(map[string]any); is {
		plainSchema(t, where+"[]", items)
	}
}

// What is no message is answered, and the session continues; two requests under one id are no end either.
func TestASessionOutlivesNonsense(t *testing.T) {
	w := newStand(t).wire()
	w.initialize("2025-11-25", "{}")
	for _, line := range []string{"nonsense", "[]", `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","method":"notifications/unheard-of"}`, `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":7}`, `{"jsonrpc":"2.0","id":"y","method":"tools/call","params":{"name":"task_list","arguments":[1]}}`} {
		w.send(line)
	}
	if res := w.ask("ping", "{}"); within(res, "error") != nil {
		t.Errorf("afterwards a ping answers %v", res)
	}
	for len(w.seen) < 5 {
		w.seen = append(w.seen, w.read()) // a ping may be faster
	}
}

// A request before the session begins, and a cursor that no page gave, are refused with a code of the protocol and
// with what to do.
func TestRefusalsOfTheProtocolSayWhatToDo(t *testing.T) {
	w := newStand(t).wire()
	refused := func(what, method, params string, code float64, says string) {
		t.Helper()
		res := w.ask(method, params)
		text, _ := within(res, "error", "message").(string)
		if within(res, "error", "code") != code || !strings.Contains(text, says) {
			t.Errorf("%s is answered with %v", what, res)
		}
	}
	refused("a list before initialize", "tools/list", "{}", -32600, `send "initialize" first`)
	refused("a call before initialize", "tools/call", `{"name":"task_list","arguments":{}}`, -32600, `send "initialize" first`)
	w.initialize("2025-11-25", "{}")
	for _, method := range []string{"tools/list", "prompts/list"} {
		refused("a bad cursor for "+method, method, `{"cursor":"zzz"}`, -32602, "unknown cursor")
	}
	if res := w.ask("tools/list", "{}"); within(res, "error") != nil {
		t.Errorf("afterwards the tools are listed as %v", res)
	}
}

// A client pays for the list of tools in every session: 5,000 tokens are about 20,000 characters of schema.
func TestTheListOfToolsIsSmall(t *testing.T) {
	w := newStand(t).wire()
	w.initialize("2025-11-25", "{}")
	b, err := json.Marshal(within(w.ask("tools/list", "{}"), "result"))
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 19_800 {
		t.Errorf("the list of tools has %d bytes", len(b))
	}
}
