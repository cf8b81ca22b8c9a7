package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

const (
	ann    = model.Actor("human:ann")
	claude = model.Actor("agent:claude-code")
)

// fixture is a project with a store, and a session of a client in it.
type fixture struct {
	*testing.T
	root  string
	s     *store.Store // the person's
	env   map[string]string
	rules model.GateRules
	procs fstest.MapFS // the processes that there are: the client is 40, and 42 its hook
	deps  func(*Deps)
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	root := t.TempDir()
	s, err := store.Init(root, store.Options{Name: "test", Scratch: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &fixture{T: t, root: root, s: s, procs: clientProcesses(), env: map[string]string{"HOME": t.TempDir(), "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}}
}

// attended is a fixture with a person at the session.
func attended(t *testing.T) *fixture {
	f := newFixture(t)
	f.env["CLAUDE_CODE_ENTRYPOINT"] = "cli"
	return f
}

// clientProcesses are a client and the hook that it runs.
func clientProcesses() fstest.MapFS {
	procs := fstest.MapFS{}
	addProcess(procs, 1, 0, "init", "")
	addProcess(procs, 40, 1, "claude", "HOME=/home/ann")
	addProcess(procs, 41, 40, "/bin/sh\x00-c\x00vespe hook", "CLAUDECODE=1")
	addProcess(procs, 42, 41, "vespe\x00hook", "CLAUDECODE=1")
	return procs
}

// addProcess adds a process with a command line and an environment.
func addProcess(procs fstest.MapFS, pid, parent int, cmdline, environ string) {
	dir := fmt.Sprint(pid) + "/"
	procs[dir+"stat"] = &fstest.MapFile{Data: fmt.Appendf(nil, "%d (a) b) S %d 0 0 0%s %d 0", pid, parent, strings.Repeat(" 0", 13), 1000+pid)}
	procs[dir+"cmdline"] = &fstest.MapFile{Data: []byte(cmdline + "\x00")}
	procs[dir+"environ"] = &fstest.MapFile{Data: []byte("A=b\x00" + environ + "\x00")}
}

// said is what a hook answered.
type said struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	System   string `json:"systemMessage"`
	Specific struct {
		Event      string          `json:"hookEventName"`
		Permission string          `json:"permissionDecision"`
		Reason     string          `json:"permissionDecisionReason"`
		Input      json.RawMessage `json:"updatedInput"`
		Context    string          `json:"additionalContext"`
		Decision   struct {
			Behavior string          `json:"behavior"`
			Input    json.RawMessage `json:"updatedInput"`
			Message  string          `json:"message"`
		} `json:"decision"`
	} `json:"hookSpecificOutput"`
	raw string
}

// short is the answer in a word or two.
func (s said) short() string {
	switch {
	case s.Specific.Permission != "":
		return s.Specific.Permission
	case s.Specific.Decision.Behavior != "":
		return s.Specific.Decision.Behavior
	case s.Specific.Context != "":
		return "context"
	case s.Decision != "":
		return s.Decision
	case s.System != "":
		return "note"
	}
	return "nothing"
}

// text is what the agent is told.
func (s said) text() string {
	return s.Reason + s.Specific.Reason + s.Specific.Decision.Message + s.Specific.Context
}

func (f *fixture) hookDeps(in string) Deps {
	d := Deps{
		Stdin: strings.NewReader(in), Getenv: func(k string) string { return f.env[k] }, Dir: f.root, Now: time.Now, Rules: f.rules, Person: ann,
		Sender: func() (int, error) { return 40, nil }, PID: 42, Proc: f.procs,
		Open: func(root string) (*store.Store, error) { return store.Open(root, store.Options{Scratch: true}) },
	}
	if f.deps != nil {
		f.deps(&d)
	}
	return d
}

// raw runs a hook on bytes.
func (f *fixture) raw(client, event, in string) said {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), 3*time.Minute) // nobody answers what was not to be asked
	defer cancel()
	return f.rawCtx(ctx, client, event, in)
}

func (f *fixture) rawCtx(ctx context.Context, client, event, in string) said {
	f.Helper()
	var out bytes.Buffer
	d := f.hookDeps(in)
	d.Stdout = &out
	if err := Run(ctx, d, client, event); err != nil {
		f.Fatal(err)
	}
	got := said{raw: out.String()}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		f.Fatalf("%s %s answers %q: %v", client, event, out.Bytes(), err)
	}
	if got.Specific.Event != "" && got.Specific.Event != event {
		f.Errorf("%s answers as %s", event, got.Specific.Event)
	}
	return got
}

// event is a payload of Claude Code as it was recorded, with these fields besides.
func (f *fixture) event(name string, with map[string]any) string {
	f.Helper()
	o := map[string]any{
		"session_id": "11111111-1111-4111-8111-111111111111", "transcript_path": "/home/ann/.claude/projects/p/1.jsonl", "cwd": f.root, "prompt_id": "ecb723fc-24e0-4c03-b782-027274ffa126",
		"permission_mode": "default", "effort": map[string]string{"level": "medium"}, "hook_event_name": name, "some_new_field": []int{1},
	}
	for k, v := range with {
		if v == nil {
			delete(o, k)
		} else {
			o[k] = v
		}
	}
	b, err := json.Marshal(o)
	if err != nil {
		f.Fatal(err)
	}
	return string(b)
}

// call runs a hook of Claude Code about a call.
func (f *fixture) call(event, tool, id string, input any) said {
	f.Helper()
	with := map[string]any{"tool_name": tool, "tool_input": input}
	if event == PreToolUse {
		with["tool_use_id"] = id
	}
	return f.raw(ClaudeCode, event, f.event(event, with))
}

func (f *fixture) bash(id, line string) said {
	f.Helper()
	return f.call(PreToolUse, "Bash", id, map[string]string{"command": line, "description": "d"})
}

func (f *fixture) is(got said, want string) {
	f.Helper()
	if got.short() != want {
		f.Fatalf("the answer is %s, want %s: %s", got.short(), want, got.raw)
	}
}

func (f *fixture) says(got said, words ...string) {
	f.Helper()
	for _, w := range words {
		if !strings.Contains(got.text(), w) {
			f.Errorf("it says %q, not %q", got.text(), w)
		}
	}
}

func (f *fixture) snap() *snapshot.Snapshot {
	f.Helper()
	snap, err := f.s.Refresh(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	return snap
}

// requests are those that wait.
func (f *fixture) requests() []model.Request {
	f.Helper()
	var out []model.Request
	for _, q := range f.snap().Requests() {
		if q.IsOpen() {
			out = append(out, q)
		}
	}
	return out
}

// one is the only request that waits.
func (f *fixture) one() model.Request {
	f.Helper()
	all := f.requests()
	if len(all) != 1 {
		f.Fatalf("%d requests wait: %+v", len(all), all)
	}
	return all[0]
}

// as does what a person, or somebody else, does.
func (f *fixture) as(who model.Actor, op model.Op) snapshot.Applied {
	f.Helper()
	op.Actor = who
	a, err := f.s.Do(context.Background(), op)
	if err != nil {
		f.Fatal(err)
	}
	return a
}

func (f *fixture) decide(id string, by model.Answering) {
	f.Helper()
	by.Request = id
	f.as(ann, model.Op{Name: model.AnswerRequest, Args: by})
}

// task is the only task.
func (f *fixture) task() *model.Task {
	f.Helper()
	snap := f.snap()
	if snap.Len() != 1 {
		f.Fatalf("there are %d tasks", snap.Len())
	}
	return snap.At(0)
}

func (f *fixture) accept() {
	f.Helper()
	f.as(ann, model.Op{Name: model.AcceptPlan, UID: f.task().UID})
}

// later does something once a request, or a plan, waits.
func (f *fixture) later(do func()) (wait func()) {
	f.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			snap, err := f.s.Refresh(context.Background())
			if err != nil {
				f.Error(err)
				return
			}
			ready := false
			for _, q := range snap.Requests() {
				ready = ready || q.IsOpen()
			}
			for i := range snap.Len() {
				st := &snap.At(i).Status
				ready = ready || st.CurrentState == model.PlanDefined && st.AcceptedPlan == nil && (st.Review == nil || st.Review.Revision != st.PlanRevision)
			}
			if ready {
				do()
				return
			}
			if _, err := f.s.Await(context.Background(), snap.Seq(), time.Second); err != nil {
				f.Error(err)
				return
			}
		}
	}()
	return func() { <-done }
}

func (f *fixture) config(body string) {
	f.Helper()
	if err := os.WriteFile(filepath.Join(f.root, ".vespe", "config.json"), []byte(body), 0o644); err != nil {
		f.Fatal(err)
	}
}
