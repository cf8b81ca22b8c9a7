//go:build clients

package clients

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// session is what `claude -p` says at its end.
type session struct {
	Subtype    string
	IsError    bool   `json:"is_error"`
	StopReason string `json:"stop_reason"`
	SessionID  string `json:"session_id"`
	Result     string
	Deferred   *struct {
		ID, Name string
		Input    json.RawMessage
	} `json:"deferred_tool_use"`
	Denials []struct {
		Tool string `json:"tool_name"`
	} `json:"permission_denials"`
}

// claude runs one headless session, or continues with one, to its end.
func (w *world) claude(args ...string) session {
	w.t.Helper()
	e := w.end(w.cmd("claude", append([]string{"-p", "--output-format", "json"}, args...)...))
	var s session
	if err := json.Unmarshal([]byte(e.out), &s); err != nil || e.code != 0 || s.Subtype != "success" || s.IsError {
		w.t.Fatalf("claude %q: exit code %d, %v\n%s%s", args, e.code, err, e.out, e.err)
	}
	return s
}

// deferred is a session that ended because of a call that was put off.
func (w *world) deferred(s session, tool string) session {
	w.t.Helper()
	if s.Deferred == nil || s.Deferred.Name != tool {
		w.t.Fatalf("the session ended with %q (%s), and put off %+v", s.Result, s.StopReason, s.Deferred)
	}
	return s
}

// request is one of `vespe request list --json`.
type request struct {
	ID, Kind, State, Title string
	UID                    string
	CreatedBy              string `json:"created_by"`
	Args                   json.RawMessage
}

// requests are all that were ever filed, oldest first.
func (w *world) requests() []request {
	w.t.Helper()
	list := object[struct{ Requests []request }](w, "requests", "--all").Requests
	slices.SortFunc(list, func(a, b request) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// open is the one request that waits.
func (w *world) open() request {
	w.t.Helper()
	var open []request
	for _, q := range w.requests() {
		if q.State == "open" || q.State == "pending" || q.State == "waiting" {
			open = append(open, q)
		}
	}
	if len(open) != 1 {
		w.t.Fatalf("%d requests wait: %+v", len(open), w.requests())
	}
	return open[0]
}

// eventually looks until something is so.
func (w *world) eventually(what string, is func() bool) {
	w.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("it did not come to this in %v: %s", patience, what)
		}
	}
}

const deploy = "make deploy"

// bash is a turn's call of the shell.
func bash(command string) []Step {
	return Call("Bash", map[string]any{"command": command, "description": "Run it"})
}

// gatedWorld has a store in which `make deploy` waits for a person, and Claude Code set up for it.
func gatedWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.config("[gate]\ncommands = [\"make deploy\"]\n")
	w.write("Makefile", "test:\n\t@true\ndeploy:\n\t@echo deployed >> deployed.txt; echo it is deployed\n")
	return w
}

// A gated call of a session that nobody sits at is put off; a person says no, and the model reads why;
// it asks again, the person says yes, and it is done, once.
func TestClaudeGatedCommandDeniedAndThenAllowed(t *testing.T) {
	w := gatedWorld(t)
	model := w.claudeModel(
		func(*Request) []Step { return bash(deploy) },
		func(r *Request) []Step {
			if got := r.Last(); !got.Error || !strings.Contains(got.Text, "not on a Friday") {
				t.Errorf("the denial came to %+v", got)
			}
			return bash(deploy)
		},
		func(r *Request) []Step {
			if got := r.Last(); got.Error || !strings.Contains(got.Text, "it is deployed") {
				t.Errorf("the permission came to %+v", got)
			}
			return Say("Deployed.")
		},
	)
	w.install("claude-code")
	s := w.deferred(w.claude("Deploy it."), "Bash")
	asked := w.open()
	if asked.Kind != "action" || !strings.Contains(string(asked.Args), deploy) || asked.CreatedBy != "agent:claude-code" {
		t.Errorf("the person is asked %+v", asked)
	}
	// Resumed before anybody has decided it waits on: the same call, the same request.
	again := w.deferred(w.claude("--resume", s.SessionID, ""), "Bash")
	if again.Deferred.ID != s.Deferred.ID || w.open().ID != asked.ID || model.Asked() != 1 {
		t.Errorf("the call %s of %s became %s of %s", s.Deferred.ID, asked.ID, again.Deferred.ID, w.open().ID)
	}
	w.person("answer", asked.ID, "deny", "-m", "not on a Friday")
	second := w.deferred(w.claude("--resume", s.SessionID, ""), "Bash")
	if second.Deferred.ID == s.Deferred.ID || w.open().ID == asked.ID {
		t.Errorf("another call is asked about as %s", w.open().ID)
	}
	if w.read("deployed.txt") != "" {
		t.Error("it was done before anybody allowed it")
	}
	w.person("answer", w.open().ID, "accept")
	if end := w.claude("--resume", s.SessionID, ""); end.Result != "Deployed." || end.Deferred != nil {
		t.Errorf("the session ended with %+v", end)
	}
	model.Done()
	if got := w.read("deployed.txt"); got != "deployed\n" || len(w.requests()) != 2 {
		t.Errorf("it was done as %q after %+v", got, w.requests())
	}
}

// What nobody gates goes on as if there were no vespe.
func TestClaudeCallsThatNobodyGates(t *testing.T) {
	w := gatedWorld(t)
	model := w.claudeModel(
		func(*Request) []Step { return bash("make test && echo tested") },
		func(r *Request) []Step {
			if got := r.Last(); got.Error || !strings.Contains(got.Text, "tested") {
				t.Errorf("the call came to %+v", got)
			}
			return bash("echo '{}' > .vespe/tasks/status.json")
		},
		func(r *Request) []Step {
			if got := r.Last(); !got.Error || !strings.Contains(got.Text, ".vespe") {
				t.Errorf("writing into the store came to %+v", got)
			}
			return Say("Tested.")
		},
	)
	w.install("claude-code")
	if s := w.claude("Test it.", "--allowedTools", "Bash"); s.Result != "Tested." || s.Deferred != nil {
		t.Errorf("the session ended with %+v", s)
	}
	model.Done()
	if q := w.requests(); len(q) != 0 {
		t.Errorf("a person is asked %+v", q)
	}
}

var planFile = regexp.MustCompile(`(/\S+/plans/[\w.-]+\.md)`)

// plans is a turn in which the model writes its plan where its client says.
func plans(t *testing.T, text string) Turn {
	return func(r *Request) []Step {
		for _, s := range r.Said {
			if m := planFile.FindString(s); m != "" {
				return Call("Write", map[string]any{"file_path": m, "content": text})
			}
		}
		t.Errorf("no plan file was named in %q", r.Said)
		return nil
	}
}

var taskID = regexp.MustCompile(`\btsk-[0-9a-f]{32}\b`)

var commentID = regexp.MustCompile(`\bc[0-9a-f]{6,}\b`)

// revises is a turn in which the model reads why its plan came back, and writes another one that answers.
func revises(t *testing.T) Turn {
	return func(r *Request) []Step {
		got := r.Last()
		id := commentID.FindString(got.Text)
		if !got.Error || id == "" || !strings.Contains(got.Text, "no way back") || !strings.Contains(got.Text, "keep it for a year") || !strings.Contains(got.Text, "2. Delete the old one.") {
			t.Errorf("the rejection came to %+v", got)
		}
		return plans(t, secondPlan+"\n## Answers\n\n- "+id+": addressed: it is kept\n")(r)
	}
}

// leavesPlanMode is a turn in which the model hands in its plan.
func leavesPlanMode(t *testing.T) Turn {
	return func(r *Request) []Step {
		if got := r.Last(); got.Error {
			t.Errorf("writing the plan came to %+v", got)
		}
		return Call("ExitPlanMode", map[string]any{})
	}
}

const (
	firstPlan  = "# Greet whoever comes\n\n1. Write greeting.txt.\n2. Delete the old one.\n"
	secondPlan = "# Greet whoever comes\n\n1. Write greeting.txt.\n2. Keep the old one as greeting.old.\n"
)

// A plan of a headless session becomes a plan of a task; a person comments and rejects it, the model reads
// both, hands in another with an answer, which is accepted, and continues. Before it ends it is reminded to report.
func TestClaudePlanRejectedRevisedAccepted(t *testing.T) {
	w := newWorld(t)
	model := w.claudeModel(
		plans(t, firstPlan),
		leavesPlanMode(t),
		revises(t),
		leavesPlanMode(t),
		func(r *Request) []Step {
			if got := r.Last(); got.Error {
				t.Errorf("the acceptance came to %+v", got)
			}
			return Call("Write", map[string]any{"file_path": below(r, "greeting.txt"), "content": "hello\n"})
		},
		func(r *Request) []Step {
			if got := r.Last(); got.Error {
				t.Errorf("writing after the acceptance came to %+v", got)
			}
			return Say("It greets.")
		},
		func(r *Request) []Step {
			id := taskID.FindString(strings.Join(r.Now, "\n"))
			if id == "" || !r.HearsNow("have not reported") {
				t.Errorf("nothing is said of the report: %q", r.Now)
			}
			return Call("mcp__vespe__task_get", map[string]any{"id": id})
		},
		func(r *Request) []Step {
			task := read[struct {
				ID  string
				Rev int
			}](t, r.Last())
			return Call("mcp__vespe__task_report", map[string]any{"id": task.ID, "rev": task.Rev, "summary": "It greets."})
		},
		func(r *Request) []Step {
			if got := r.Last(); got.Error {
				t.Errorf("the report came to %+v", got)
			}
			return Say("Reported.")
		},
	)
	w.install("claude-code")
	args := []string{"--permission-mode", "plan", "--permission-prompt-tool", "mcp__vespe__permission_prompt"}
	s := w.deferred(w.claude(append(args, "Plan a greeting.")...), "ExitPlanMode")
	tasks := object[struct {
		Tasks []struct{ UID, Name, Status string }
	}](w, "ls").Tasks
	if len(tasks) != 1 || tasks[0].Name != "Greet whoever comes" || tasks[0].Status != "review plan" {
		t.Fatalf("the tasks are %+v", tasks)
	}
	uid := tasks[0].UID
	w.person("comment", uid, "--line", "4", "--kind", "change", "keep it for a year")
	w.person("reject-plan", uid, "-m", "no way back")
	args = append(args, "--resume", s.SessionID)
	again := w.deferred(w.claude(append(args, "")...), "ExitPlanMode")
	if again.Deferred.ID == s.Deferred.ID {
		t.Errorf("the same call was put off again")
	}
	w.person("accept-plan", uid)
	client := w.start(w.cmd("claude", append([]string{"-p", "--output-format", "json", ""}, args...)...))
	// What Claude Code would ask anyone who sits at it comes to the person by way of the server.
	w.eventually("a person is asked for the file", func() bool { return len(w.requests()) == 1 })
	if asked := w.open(); !strings.Contains(asked.Title, "Write") || !strings.Contains(string(asked.Args), "greeting.txt") {
		t.Errorf("the person is asked %+v", asked)
	}
	w.person("answer", w.open().ID, "accept")
	if end := client.wait(); !strings.Contains(end.out, `"result":"Reported."`) {
		t.Errorf("the session ended with %+v", end)
	}
	model.Done()
	if got := w.read("greeting.txt"); got != "hello\n" {
		t.Errorf("it wrote %q", got)
	}
	if l := w.tasks(); len(l) != 1 || l[0].Status != "review work" {
		t.Errorf("there are the tasks %+v", l)
	}
}

// A question of a headless session waits for a person, whose answer the model reads.
func TestClaudeQuestionAnswered(t *testing.T) {
	w := newWorld(t)
	question := map[string]any{"questions": []any{map[string]any{
		"question": "Which greeting?", "header": "Greeting", "multiSelect": false,
		"options": []any{map[string]any{"label": "hello", "description": "the usual"}, map[string]any{"label": "hi", "description": "shorter"}},
	}}}
	model := w.claudeModel(
		func(r *Request) []Step {
			return Call("AskUserQuestion", question)
		},
		func(r *Request) []Step {
			if got := r.Last(); got.Error || !strings.Contains(got.Text, "hi") || !strings.Contains(got.Text, "Which greeting?") {
				t.Errorf("the answer came to %+v", got)
			}
			return Say("hi it is.")
		},
	)
	w.install("claude-code")
	args := []string{"--permission-prompt-tool", "mcp__vespe__permission_prompt"}
	s := w.deferred(w.claude(append(args, "Greet.")...), "AskUserQuestion")
	asked := w.open()
	if asked.Kind != "choice" || !strings.Contains(asked.Title, "Which greeting?") {
		t.Errorf("the person is asked %+v", asked)
	}
	w.person("answer", asked.ID, "choose", "--choice", "hi")
	if end := w.claude(append(args, "--resume", s.SessionID, "")...); end.Result != "hi it is." {
		t.Errorf("the session ended with %+v", end)
	}
	model.Done()
	if n := len(w.requests()); n != 1 {
		t.Errorf("there are %d requests", n)
	}
}

// install sets a client up, as its person does.
func (w *world) install(client string) {
	w.t.Helper()
	w.person("install", client, "--scope", "user")
}
