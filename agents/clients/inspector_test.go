//go:build clients

package clients

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// toolNames are the tools of the server, sorted.
var toolNames = []string{
	"ask_human", "permission_prompt", "plan_submit", "review_wait", "search", "task_create", "task_get", "task_list", "task_next", "task_report", "task_update",
}

// inspect lets the MCP inspector ask the server one thing; it must end with this exit code.
func (w *world) inspect(code int, args ...string) string {
	w.t.Helper()
	e := w.end(w.cmd("mcp-inspector", append([]string{"--cli", "vespe", "mcp"}, args...)...))
	if e.code != code {
		w.t.Fatalf("mcp-inspector %q: exit code %d, want %d\n%s%s", args, e.code, code, e.out, e.err)
	}
	return e.out
}

// called is the result of a tool.
type called struct {
	Content []struct{ Type, Text string }
	Object  json.RawMessage `json:"structuredContent"`
	IsError bool
}

// call calls a tool; code is 5 where the tool says that it failed.
func (w *world) call(code int, tool string, args map[string]any) called {
	w.t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		w.t.Fatal(err)
	}
	var got called
	out := w.inspect(code, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", string(b))
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		w.t.Fatalf("%s: %v\n%s", tool, err, out)
	}
	if got.IsError != (code == 5) || len(got.Content) == 0 || got.Content[0].Text == "" {
		w.t.Errorf("%s came to %s", tool, out)
	}
	return got
}

// as is the object of a result.
func as[T any](w *world, c called) T {
	w.t.Helper()
	var v T
	if err := json.Unmarshal(c.Object, &v); err != nil {
		w.t.Fatalf("%v: %s", err, c.Object)
	}
	return v
}

// Every tool has a schema that is of use to every client, and says honestly what it does.
func TestInspectorListsWhatTheServerHas(t *testing.T) {
	w := newWorld(t)
	for _, era := range []string{"legacy", "modern"} {
		var list struct {
			Tools []struct {
				Name        string
				Annotations struct{ ReadOnlyHint, DestructiveHint, OpenWorldHint *bool }
				Meta        struct {
					Always bool `json:"anthropic/alwaysLoad"`
				} `json:"_meta"`
			}
		}
		if err := json.Unmarshal([]byte(w.inspect(0, "--method", "tools/list", "--strict", "--protocol-era", era)), &list); err != nil {
			t.Fatal(err)
		}
		var names, always, reads []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.Meta.Always {
				always = append(always, tool.Name)
			}
			a := tool.Annotations
			if a.ReadOnlyHint != nil && *a.ReadOnlyHint {
				reads = append(reads, tool.Name)
			} else if a.DestructiveHint == nil || *a.DestructiveHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
				t.Errorf("%s: codex exec would have to ask for %s", era, tool.Name)
			}
		}
		slices.Sort(names)
		slices.Sort(always)
		slices.Sort(reads)
		if !slices.Equal(names, toolNames) || strings.Join(always, " ") != "ask_human plan_submit review_wait task_get task_next" || strings.Join(reads, " ") != "search task_get task_list" {
			t.Errorf("%s: the tools are %q, always there are %q, and %q only read", era, names, always, reads)
		}
	}
	out := w.inspect(0, "--method", "prompts/list")
	for _, s := range []string{`"next"`, `"plan"`} {
		if !strings.Contains(out, s) {
			t.Errorf("prompts/list has no %s: %s", s, out)
		}
	}
}

// A task from its making to the report, each tool called by a client of its own: what one wrote the next one sees,
// and a person decides between them.
func TestInspectorCallsEachTool(t *testing.T) {
	w := newWorld(t)
	made := map[string]any{"items": []any{map[string]any{"name": "Greeting", "objective": "Greet whoever comes.", "criteria": []string{"It greets."}}}, "idempotency_key": "one"}
	first := w.call(0, "task_create", made)
	if again := w.call(0, "task_create", made); string(again.Object) != string(first.Object) || len(w.tasks()) != 1 {
		t.Errorf("made twice: %s and %s", first.Object, again.Object)
	}
	uid := w.tasks()[0].UID
	if got := w.call(0, "task_list", map[string]any{}); !strings.Contains(string(got.Object), uid) {
		t.Errorf("the tasks are %s", got.Object)
	}
	if got := w.call(0, "search", map[string]any{"query": "whoever"}); !strings.Contains(string(got.Object), uid) {
		t.Errorf("found is %s", got.Object)
	}
	type task struct{ Rev, Version int }
	rev := as[task](w, w.call(0, "task_get", map[string]any{"id": uid})).Rev
	w.call(0, "task_update", map[string]any{"id": uid, "rev": rev, "patch": map[string]any{"labels": []string{"polite"}}})
	if got := w.call(5, "task_update", map[string]any{"id": uid, "rev": rev + 40, "patch": map[string]any{"labels": []string{"late"}}}); !strings.Contains(got.Content[0].Text, "E_STALE") {
		t.Errorf("a stale revision came to %+v", got)
	}
	plan := as[envelope](w, w.call(0, "plan_submit", map[string]any{"task_id": uid, "base_version": 0, "plan_md": firstPlan}))
	if got := as[envelope](w, w.call(0, "review_wait", map[string]any{"review_id": plan.ReviewID, "wait_s": 1})); got.State != "pending" || got.NextAction == "" {
		t.Errorf("nobody has decided, and waiting came to %+v", got)
	}
	w.person("accept-plan", uid)
	if got := as[envelope](w, w.call(0, "review_wait", map[string]any{"review_id": plan.ReviewID, "wait_s": 45})); got.State != "accepted" {
		t.Errorf("the acceptance came to %+v", got)
	}
	if got := w.call(0, "task_next", map[string]any{"claim": true}); !strings.Contains(string(got.Object), uid) {
		t.Errorf("the next task is %s", got.Object)
	}
	asked := as[envelope](w, w.call(0, "ask_human", map[string]any{"task_id": uid, "title": "Which greeting?", "options": []string{"hello", "hi"}, "key": "which"}))
	if asked.State != "pending" || w.open().ID != asked.ReviewID {
		t.Errorf("the question came to %+v, and %+v waits", asked, w.open())
	}
	w.person("answer", asked.ReviewID, "choose", "--choice", "hi")
	if got := as[envelope](w, w.call(0, "review_wait", map[string]any{"review_id": asked.ReviewID})); got.Choice != "hi" {
		t.Errorf("the answer came to %+v", got)
	}
	if got := w.call(0, "permission_prompt", map[string]any{"tool_name": "Write", "input": map[string]any{"file_path": w.repo + "/.vespe/x", "content": ""}}); !strings.Contains(got.Content[0].Text, `"behavior":"deny"`) || got.Object != nil {
		t.Errorf("writing into the store came to %+v", got)
	}
	rev = as[task](w, w.call(0, "task_get", map[string]any{"id": uid})).Rev
	w.call(0, "task_report", map[string]any{"id": uid, "rev": rev, "summary": "It greets.", "criteria": []any{map[string]any{"id": 1, "note": "make test"}}})
	if l := w.tasks(); len(l) != 1 || l[0].Status != "review work" {
		t.Errorf("the tasks are %+v", l)
	}
	if got := w.call(5, "task_get", map[string]any{"id": "tsk-nobody"}); !strings.Contains(got.Content[0].Text, "E_") {
		t.Errorf("a task that is not there came to %+v", got)
	}
	if out := w.inspect(0, "--method", "prompts/get", "--prompt-name", "plan", "--prompt-args", "task="+uid); !strings.Contains(out, uid) {
		t.Errorf("the prompt is %s", out)
	}
}
