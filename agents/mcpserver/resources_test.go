package mcpserver

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/store"
)

func (k *stand) resource(cs *mcp.ClientSession, uri string) *mcp.ResourceContents {
	k.t.Helper()
	res, err := cs.ReadResource(k.t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		k.t.Fatalf("%s: %v", uri, err)
	}
	if len(res.Contents) != 1 || res.Contents[0].URI != uri {
		k.t.Fatalf("%s: %+v", uri, res)
	}
	return res.Contents[0]
}

// What a task has is there to be read, each byte of it.
func TestResources(t *testing.T) {
	k := newStand(t)
	uid := k.task("parser")
	k.plan(uid)
	of := "vespe://task/" + string(uid)
	dir := filepath.Join(k.dir, store.Name, "tasks", string(uid), "result")
	binary := []byte{0, 0xff, 1}
	for name, body := range map[string][]byte{"notes.md": []byte("# Notes\n"), "a b/data.bin": binary, "empty.txt": {}} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, body, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	cs := k.client(nil)
	if c := k.resource(cs, of+"/plan"); c.Text != "Do it carefully." || c.MIMEType != "text/markdown" {
		t.Errorf("the plan is %+v", c)
	}
	if c := k.resource(cs, of+"/history"); !strings.Contains(c.Text, "define_plan") || !strings.Contains(c.Text, "agent:other") {
		t.Errorf("the history is %+v", c)
	}
	if c := k.resource(cs, of+"/result"); !strings.Contains(c.Text, "/result/a%20b/data.bin") || !strings.Contains(c.Text, "sha256-") {
		t.Errorf("the result is %+v", c)
	}
	if c := k.resource(cs, of+"/result/notes.md"); c.Text != "# Notes\n" {
		t.Errorf("the notes are %+v", c)
	}
	if c := k.resource(cs, of+"/result/a%20b/data.bin"); !slices.Equal(c.Blob, binary) {
		t.Errorf("the data is %+v", c)
	}
	if c := k.resource(cs, of+"/result/empty.txt"); c.Text != "" || len(c.Blob) != 0 {
		t.Errorf("the empty file is %+v", c)
	}
	if c := k.resource(cs, tasksURI); !strings.Contains(c.Text, string(uid)) {
		t.Errorf("the tasks are %+v", c)
	}
	templates, err := cs.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 5 {
		t.Errorf("the templates are %+v, %v", templates, err)
	}
	list, err := cs.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 2 || list.Resources[1].URI != of+"/plan" {
		t.Errorf("the resources are %+v, %v", list, err)
	}
}

// What is not there, or lies elsewhere, is refused.
func TestResourcesThatAreNone(t *testing.T) {
	k := newStand(t)
	uid := string(k.task("parser"))
	if err := os.WriteFile(filepath.Join(k.dir, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	cs := k.client(nil)
	for _, uri := range []string{
		"vespe://task/" + uid + "/plan", "vespe://task/" + uid, "vespe://task/" + uid + "/nothing", "vespe://task/tsk-ffffffff/plan", "vespe://", "file:///etc/passwd",
		"vespe://task/" + uid + "/result/../../../../secret", "vespe://task/" + uid + "/result/%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret", "vespe://task/..%2f..%2f/plan",
		"vespe://task/" + uid + "/plan/../objective", "vespe://task/" + uid + "/result/%00",
	} {
		res, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s: %+v, %v", uri, res, err)
		}
	}
}

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

// A time that is not known is left out of the history.
func TestUnknownTimesAreLeftOut(t *testing.T) {
	if b, err := json.Marshal(event{}); err != nil || strings.Contains(string(b), "0001-01-01") {
		t.Errorf("%s, %v", b, err)
	}
}
