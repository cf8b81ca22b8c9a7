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
	for method, want := range map[string][]string{
		"prompts/list":             {`"next"`, `"plan"`},
		"resources/list":           {`"vespe://tasks"`},
		"resources/templates/list": {`"vespe://task/{uid}/plan"`, `"vespe://task/{uid}/objective"`},
	} {
		out := w.inspect(0, "--method", method)
		for _, s := range want {
			if !strings.Contains(out, s) {
				t.Errorf("%s has no %s: %s", method, s, out)
			}
		}
	}
}
