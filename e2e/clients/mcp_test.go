//go:build clients

package clients

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// envelope is what a review looks like to the model.
type envelope struct {
	ReviewID   string `json:"review_id"`
	State      string
	Version    int
	Text       string
	Choice     string
	NextAction string `json:"next_action"`
	Feedback   []struct{ ID, Text, Kind string }
}

// read is the object that a tool answered with, as the model read it.
func read[T any](t *testing.T, r Result) T {
	var v T
	body := r.Text
	if i := strings.Index(body, "{"); i > 0 { // Codex writes how long it took before it
		body = body[i:]
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil || r.Error {
		t.Errorf("the model read %+v: %v", r, err)
	}
	return v
}

// throughMCP is a model that works through the tools alone: it hands in a plan, waits, is told to change it,
// hands in the next one with an answer, waits until it is accepted, takes the task and reports. name is what its
// client calls a tool; pending takes the version that nobody has decided on yet.
func throughMCP(t *testing.T, uid string, name func(tool string) string, pending chan<- int) []Turn {
	var review envelope
	call := func(tool string, input any) []Step { return Call(name(tool), input) }
	waits := func(input map[string]any) []Step {
		input["review_id"] = review.ReviewID
		return call("review_wait", input)
	}
	handedIn := func(version int) Turn {
		return func(r *Request) []Step {
			review = read[envelope](t, r.Last())
			if review.State != "pending" || review.Version != version || review.NextAction == "" {
				t.Errorf("the plan came to %+v", review)
			}
			return waits(map[string]any{"wait_s": 1})
		}
	}
	stillPending := func(version int) Turn {
		return func(r *Request) []Step {
			if got := read[envelope](t, r.Last()); got.State != "pending" || got.ReviewID != review.ReviewID {
				t.Errorf("waiting came to %+v", got)
			}
			pending <- version
			return waits(map[string]any{"wait_s": 45})
		}
	}
	return []Turn{
		func(r *Request) []Step {
			for _, tool := range []string{"plan_submit", "review_wait", "ask_human"} {
				if !slices.Contains(r.Tools, name(tool)) {
					t.Errorf("the model has no %s: %q", name(tool), r.Tools)
				}
			}
			return call("plan_submit", map[string]any{"task_id": uid, "base_version": 0, "plan_md": firstPlan})
		},
		handedIn(1),
		stillPending(1),
		func(r *Request) []Step {
			got := read[envelope](t, r.Last())
			if got.State != "changes_requested" || got.Text != "no way back" || len(got.Feedback) != 1 || got.Feedback[0].Text != "keep it for a year" {
				t.Errorf("the rejection came to %+v", got)
				return nil
			}
			return call("plan_submit", map[string]any{
				"task_id": uid, "base_version": 1, "plan_md": secondPlan,
				"responses": []any{map[string]any{"feedback_id": got.Feedback[0].ID, "resolution": "addressed", "text": "It is kept."}},
			})
		},
		handedIn(2),
		stillPending(2),
		func(r *Request) []Step {
			if got := read[envelope](t, r.Last()); got.State != "accepted" {
				t.Errorf("the acceptance came to %+v", got)
			}
			return call("task_next", map[string]any{"claim": true})
		},
		func(r *Request) []Step {
			got := read[struct{ Task *struct{ ID string } }](t, r.Last())
			if got.Task == nil || got.Task.ID != uid {
				t.Errorf("the next task is %+v", r.Last())
			}
			return call("task_get", map[string]any{"id": uid, "include": []string{"plan"}})
		},
		func(r *Request) []Step {
			if got := r.Last(); got.Error || !strings.Contains(got.Text, "greeting.old") {
				t.Errorf("the task is %+v", got)
			}
			task := read[struct{ Rev int }](t, r.Last())
			return call("task_report", map[string]any{"id": uid, "rev": task.Rev, "summary": "It greets."})
		},
		func(r *Request) []Step {
			if got := r.Last(); got.Error {
				t.Errorf("the report came to %+v", got)
			}
			return Say("Reported.")
		},
	}
}

// decides rejects the first version of a plan and accepts the second, each as soon as it is waited for, while a
// client works.
func (w *world) decides(uid string, pending <-chan int, client *started) ended {
	w.t.Helper()
	for {
		select {
		case version := <-pending:
			if version > 1 {
				w.person("accept-plan", uid)
				continue
			}
			w.person("comment", uid, "--line", "4", "--kind", "change", "keep it for a year")
			w.person("reject-plan", uid, "-m", "no way back")
		case <-client.done:
			return client.wait()
		case <-time.After(patience):
			w.t.Fatalf("nothing happens any more:\n%s%s", client.out, client.errs)
		}
	}
}

func TestEachClientWorksThroughTheServer(t *testing.T) {
	for client, c := range map[string]struct {
		model  func(*world, ...Turn) *Script
		prefix string // of its names of tools
		argv   []string
		says   string
	}{
		"claude-code": {(*world).claudeModel, "mcp__vespe__", []string{"claude", "-p", "Plan the greeting.", "--output-format", "json"}, `"result":"Reported."`},
		"codex":       {(*world).codexModel, "mcp__vespe.", []string{"codex", "exec", "--json", "Plan the greeting."}, ""},
	} {
		t.Run(client, func(t *testing.T) {
			w := newWorld(t)
			w.objective("Greeting")
			uid, pending := w.uid("Greeting"), make(chan int, 2)
			model := c.model(w, throughMCP(t, uid, func(tool string) string { return c.prefix + tool }, pending)...)
			w.install(client)
			e := w.decides(uid, pending, w.start(w.cmd(c.argv[0], c.argv[1:]...)))
			if e.code != 0 || !strings.Contains(e.out, c.says) {
				t.Errorf("the session ended with %+v", e)
			}
			model.Done()
		})
	}
}

// Nobody sits at a headless client, and nothing that it does is an answer: the question waits on.
func TestAQuestionOfAHeadlessClientWaits(t *testing.T) {
	w := newWorld(t)
	w.objective("Greeting")
	uid := w.uid("Greeting")
	ask := map[string]any{"task_id": uid, "title": "Which greeting?", "options": []string{"hello", "hi"}, "wait_s": 2}
	pends := func(r *Request) []Step {
		if got := read[envelope](t, r.Last()); got.State != "pending" || got.Choice != "" {
			t.Errorf("the question came to %+v", got)
		}
		return Say("I wait.")
	}
	claude := w.claudeModel(func(*Request) []Step {
		return Call("mcp__vespe__ask_human", ask)
	}, pends)
	codex := w.codexModel(func(*Request) []Step { return Call("mcp__vespe.ask_human", ask) }, pends)
	w.claude("Greet.", "--mcp-config", `{"mcpServers":{"vespe":{"command":"vespe","args":["mcp"]}}}`, "--allowedTools", "mcp__vespe__*")
	w.run("codex", "exec", "--json", "-c", `mcp_servers.vespe.command="vespe"`, "-c", `mcp_servers.vespe.args=["mcp"]`, "Greet.")
	claude.Done()
	codex.Done()
	if q := w.requests(); len(q) != 2 || q[0].State != "pending" || q[1].State != "pending" {
		t.Errorf("the questions are %+v", q)
	}
}
