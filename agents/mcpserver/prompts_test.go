package mcpserver

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Prompts name the tools and the task.
func TestPrompts(t *testing.T) {
	k := newStand(t)
	uid := string(k.task("parser"))
	cs := k.client(nil)
	list, err := cs.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != 2 {
		t.Fatalf("the prompts are %+v, %v", list, err)
	}
	get := func(name, task string) (string, error) {
		res, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: map[string]string{"task": task}})
		if err != nil {
			return "", err
		}
		return res.Messages[0].Content.(*mcp.TextContent).Text, nil
	}
	if text, err := get("plan", "parser"); err != nil || !strings.Contains(text, uid) || !strings.Contains(text, "plan_submit") {
		t.Errorf("the prompt is %q, %v", text, err)
	}
	if text, err := get("next", ""); err != nil || !strings.Contains(text, "task_next") {
		t.Errorf("the prompt is %q, %v", text, err)
	}
	if text, err := get("plan", "nowhere\x1b[31m"); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("for a task that is not there: %q, %v", text, err)
	}
}
